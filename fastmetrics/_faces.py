"""How a public module offers names that live elsewhere: read from its stub, resolved on first use.

A stub (``costs.pyi``) is the one list of what its module offers, for type checkers and for this.
Whoever asks for a name that a module has not is told where it is.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from functools import cache
from importlib.util import resolve_name
from pathlib import Path
from types import FunctionType
from typing import Final, NamedTuple

#: The public modules beside `fastmetrics` itself; that of Dask needs Dask.
NAMESPACES: Final = (
    "calibration",
    "comparison",
    "concordance",
    "costs",
    "io",
    "plots",
    "ranking",
    "results",
    "selection",
    "streams",
)
#: What does the work of names that were public once.
_GONE: Final = {
    "BootstrapResult": "results.Estimate",
    "BootstrapResults": "results.Estimates",
    "PairedBootstrap": "results.Comparisons",
    "PairedDifference": "results.Pair",
    "PairedPermutationTest": "results.Comparisons",
    "PermutedDifference": "results.Pair",
    "RankingDifference": "ranking.evaluate_rankings(...)['map']['a', 'b'], a Pair",
    "RankingMean": "ranking.evaluate_rankings(...)['map']['a'], an Estimate",
    "concordance_index_interval": "estimate(time, score, event=..., metrics=...)",
    "concordance_index_test": "compare(time, scores, event=..., metrics=...)",
    "concordance_interval": "estimate(y_true, y_score, metrics='kendall_tau')",
    "concordance_test": "compare(y_true, scores, metrics='kendall_tau')",
    "count_metric_interval": "estimate(ConfusionMatrix.binary(...), metrics='f1')",
    "decision_curve_difference": "costs.decision_curve(y_true, scores, reference='b')",
    "macro_f1_harmonic": "macro_micro(..., metrics='macro_f1_harmonic')",
    "macro_precision": "macro_micro(..., metrics='precision_macro')",
    "macro_recall": "macro_micro(..., metrics='recall_macro')",
    "micro_f1": "macro_micro(..., metrics='f1_micro')",
    "micro_precision": "macro_micro(..., metrics='precision_micro')",
    "micro_recall": "macro_micro(..., metrics='recall_micro')",
    "plot_binomial_test": "comparison.binomial_test(...).plot()",
    "plot_t_test": "results.ComparisonTest.plot",
    "score_difference": "compare(y_true, scores, metrics='brier_score')",
}
#: What peers and textbooks call it; names of measures are known to their registry.
_ELSEWHERE: Final = {
    "GridSearchCV": "selection.tune_estimator",
    "GroupKFold": "selection.GroupedFolds",
    "KFold": "selection.Folds",
    "LeaveOneOut": "selection.LeaveOneOut",
    "StratifiedKFold": "selection.Folds",
    "bias_variance_decomp": "selection.estimator_bias_variance",
    "brier_decomposition": "calibration.score_decomposition",
    "c_statistic": "concordance.concordance_index",
    "calibration_error": "calibration.expected_calibration_error",
    "ci_auc": "delong",
    "concordance_index_censored": "concordance.concordance_index",
    "confint": "estimate",
    "cross_val_score": "selection.evaluate_estimator",
    "cross_validate": "selection.evaluate_estimator",
    "dcurves": "costs.decision_curve",
    "ece": "calibration.expected_calibration_error",
    "friedmanchisquare": "comparison.friedman_test",
    "gains": "costs.gains_curve",
    "isotonic_regression": "calibration.isotonic_fit",
    "kendalltau": "concordance.kendall_tau",
    "learning_curve": "selection.estimator_learning_curve",
    "lift": "costs.lift_score",
    "lift_curve": "costs.gains_curve",
    "mce": "calibration.maximum_calibration_error",
    "mcnemar": "comparison.mcnemar_test",
    "mean_difference": "compare",
    "multipletests": "comparison.adjust_pvalues",
    "nemenyi": "comparison.nemenyi_test",
    "proportion_confint": "comparison.proportion_interval",
    "reliability_curve": "calibration.reliability_diagram",
    "roc": "roc_curve",
    "roc_test": "delong_test",
    "somersd": "concordance.somers_d",
    "spearmanr": "concordance.spearman_rho",
    "validation_curve": "selection.estimator_validation_curve",
    "wilcoxon": "comparison.wilcoxon_signed_rank_test",
    "wilson": "comparison.proportion_interval",
}


class Face(NamedTuple):
    """What a module needs to offer names: `__getattr__`, `__dir__` and `__all__`."""

    find: Callable[[str], object]
    names: Callable[[], list[str]]
    listed: list[str]


def face(module: str, file: str) -> Face:
    """Return what makes a module offer the names of the stub beside its file."""
    homes = homes_of(Path(file).with_suffix(".pyi"), module)
    listed = sorted(homes)

    def find(name: str) -> object:
        home = homes.get(name)
        if home is None and f"{module}.{name}" != "fastmetrics.dask":
            raise AttributeError(f"{module} has no {name!r}{_advice(module, name)}", name=name)
        if home is None or home == f"{module}.{name}":  # a module
            return importlib.import_module(f"{module}.{name}")
        found = getattr(importlib.import_module(home), name)
        if isinstance(found, FunctionType):
            from fastmetrics._input.calls import as_called

            found = as_called(found, module)
        from fastmetrics._see_also import with_neighbours

        found.__doc__ = with_neighbours(found.__doc__, f"{module}.{name}".partition(".")[2])
        setattr(sys.modules[module], name, found)
        return found

    return Face(find, lambda: listed, listed)


def homes_of(stub: Path, module: str) -> dict[str, str]:
    """Return the module in which each name of a stub lives; that of a module is its own."""
    package = module if stub.stem == "__init__" else module.rpartition(".")[0]
    homes: dict[str, str] = {}
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            home = resolve_name(f"{'.' * node.level}{node.module or ''}", package)
            homes |= {
                each.name: home if node.module else f"{home}.{each.name}" for each in node.names
            }
    return homes


@cache
def public_names() -> dict[str, str]:
    """Return where each public name is found: in which module, by name."""
    found: dict[str, str] = {}
    for module in ("fastmetrics", *(f"fastmetrics.{name}" for name in NAMESPACES)):
        found |= dict.fromkeys(importlib.import_module(module).__all__, module)
    return found


def _advice(module: str, name: str) -> str:
    """Return where a name is that a module has not: "" where nobody knows."""
    if name.startswith("_"):
        return ""
    if name in _GONE:
        return f" any more: see `fastmetrics.{_GONE[name]}`"
    there = _place(name)
    if there is not None:
        return f": it is `{there}`"
    from difflib import get_close_matches

    near = get_close_matches(name, public_names(), n=2, cutoff=0.75)
    places = " or ".join(f"`{public_names()[each]}.{each}`" for each in near)
    return f"; did you mean {places}?" if near else ""


def _place(name: str) -> str | None:
    """Return where the meaning of a name is public: moved, a peer's word, or a measure's."""
    from fastmetrics.measures.asking import usual_function

    names = public_names()
    if name in names:
        return f"{names[name]}.{name}"
    if name in _ELSEWHERE:
        return f"fastmetrics.{_ELSEWHERE[name]}"
    function = usual_function(name)
    return f"{names[function]}.{function}" if function in names else None
