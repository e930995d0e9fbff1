"""Lazy public names: a module offers those of its stub, each imported on first use.

A stub (``costs.pyi``) is the one list of what its module offers, for type checkers and for this.
An AttributeError says where a name is that the module lacks.
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
from typing import Any, Final

#: The public modules beside `fastmetrics` itself that need no extra.
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
#: Public modules that need one.
_WITH_EXTRA: Final = ("fastmetrics.dask", "fastmetrics.torch")
#: Names of peers and textbooks that are not near ours, nor names of metrics of the registry.
_PEERS: Final = {
    "GridSearchCV": "selection.tune_estimator",
    "StratifiedKFold": "selection.Folds",
    "bias_variance_decomp": "selection.estimator_bias_variance",
    "c_statistic": "concordance.concordance_index",
    "calibration_error": "calibration.expected_calibration_error",
    "ci_auc": "delong",
    "confint": "estimate",
    "cross_val_score": "selection.evaluate_estimator",
    "cross_validate": "selection.evaluate_estimator",
    "dcurves": "costs.decision_curve",
    "friedmanchisquare": "comparison.friedman_test",
    "gains": "costs.gains_curve",
    "isotonic_regression": "calibration.isotonic_fit",
    "lift_curve": "costs.gains_curve",
    "mcnemar": "comparison.mcnemar_test",
    "mean_difference": "compare",
    "multipletests": "comparison.adjust_pvalues",
    "nemenyi": "comparison.nemenyi_test",
    "reliability_curve": "calibration.reliability_diagram",
    "roc": "roc_curve",
    "roc_test": "delong_test",
    "wilcoxon": "comparison.wilcoxon_signed_rank_test",
    "wilson": "comparison.proportion_interval",
}


def attach(
    module: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a module; names of its stub load on use."""
    homes = stub_names(Path(file).with_suffix(".pyi"), module)
    names = sorted(homes)

    def load(name: str) -> Any:
        home = homes.get(name)
        if f"{module}.{name}" in (home, *_WITH_EXTRA):  # a module
            return importlib.import_module(f"{module}.{name}")
        if home is None:
            raise AttributeError(f"{module} has no {name!r}{_advice(name)}", name=name)
        value = getattr(importlib.import_module(home), name)
        if isinstance(value, FunctionType):
            from fastmetrics._input.calls import as_called

            value = as_called(value, module)
        setattr(sys.modules[module], name, value)
        return value

    return load, lambda: names, names


def stub_names(stub: Path, module: str) -> dict[str, str]:
    """Return the module in which each name of a stub lives; a submodule is its own."""
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
    """Return the public module of each public name."""
    package = Path(__file__).parent
    names: dict[str, str] = {}
    for module in ("", *NAMESPACES):
        stub = package / f"{module or '__init__'}.pyi"
        stub = stub if stub.exists() else package / module / "__init__.pyi"
        home = f"fastmetrics.{module}".rstrip(".")
        if stub.exists():  # the core works without the packages above it
            names |= dict.fromkeys(stub_names(stub, home), home)
    return names


def _advice(name: str) -> str:
    """Return the end of a message that says where a name, or the nearest one, is; "" if none is."""
    from fastmetrics.metrics.asking import usual_function

    names = public_names()
    if name.startswith("_"):
        return ""
    if name in _PEERS:
        return f": it is `fastmetrics.{_PEERS[name]}`"
    there = name if name in names else usual_function(name)
    if there in names:
        return f": it is `{names[there]}.{there}`"
    from difflib import get_close_matches

    near = get_close_matches(name, names, n=2, cutoff=0.75)
    return f"; did you mean {' or '.join(f'`{names[n]}.{n}`' for n in near)}?" if near else ""
