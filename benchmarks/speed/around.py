"""What is timed around the AUC: tests, resamples, curves, thresholds, deviances of a million rows.

Each work returns numbers only, of which the last is the one that a check knows best.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import sklearn.metrics

import fastmetrics
from benchmarks.speed.around_answers import CHECKS, amounts, classes, models
from benchmarks.speed.data import Data, Spec
from benchmarks.speed.timing import SECONDS, Target

__all__ = ["CHECKS", "CONTEXT", "NAMES", "PEERS", "TARGETS", "WORKS", "YARDSTICKS"]

Call = Callable[[], Any]
Prepare = Callable[[Data], Call]

#: Replicates in a call, so that a round takes some tens of milliseconds.
REPLICATES, FEW = 100, 20
#: "Five metrics" of a score.
FIVE = ("roc_auc", "average_precision", "ks_statistic", "break_even_point", "pr_auc")
#: BCa is not defined for the break-even point, which jumps between scores.
FIVE_SMOOTH = ("roc_auc", "average_precision", "ks_statistic", "gini_coefficient", "pr_auc")


def _delong_test(data: Data) -> Call:
    both = models(data)

    def test() -> tuple[float, ...]:
        pair = fastmetrics.delong_test(data.labels, both).pairs[0]
        return pair.standard_error, pair.difference

    return test


def _paired(n_resamples: int, metrics: Any = "roc_auc") -> Prepare:
    def prepare(data: Data) -> Call:
        both = models(data)

        def bootstrap() -> float:
            found = fastmetrics.paired_bootstrap(
                data.labels, both, metrics=metrics, n_resamples=n_resamples, rng=1
            )
            return float(found["roc_auc"].pairs[0].difference)

        return bootstrap

    return prepare


def _permutation(data: Data) -> Call:
    both = models(data)

    def test() -> float:
        found = fastmetrics.paired_permutation_test(
            data.labels, both, n_resamples=REPLICATES, rng=1
        )
        return float(found["roc_auc"].pairs[0].difference)

    return test


def _bootstrap(read: Callable[[Data], tuple[Any, ...]], metrics: Any, **options: Any) -> Prepare:
    def prepare(data: Data) -> Call:
        columns = read(data)
        given = {"metrics": metrics, "rng": 1} | options
        if given.pop("weighted", False):
            given |= {"sample_weight": data.weights, "weights_are": "importances"}

        def bootstrap() -> tuple[float, ...]:
            with warnings.catch_warnings():  # two replicates have a degenerate interval
                warnings.simplefilter("ignore")
                found = fastmetrics.bootstrap(*columns, **given)
            first = next(iter(found.values()))
            return first.standard_error, first.estimate

        return bootstrap

    return prepare


def _scored(data: Data) -> tuple[Any, ...]:
    return data.labels, data.scores


def _amounts(data: Data) -> tuple[Any, ...]:
    return amounts(data.spec.rows)


def _several(module: Any, way: str) -> Prepare:
    return lambda data: functools.partial(
        module.roc_auc_score, *classes(data.spec.rows), multi_class=way
    )


def _of_scores(
    function: Callable[..., Any], read: Callable[[Any], Any] = lambda found: found
) -> Prepare:
    return lambda data: lambda: read(function(data.labels, data.scores))


def _weighted_precision(module: Any) -> Prepare:
    def prepare(data: Data) -> Call:
        weights = data.weights
        return lambda: module.average_precision_score(
            data.labels, data.scores, sample_weight=weights
        )

    return prepare


def _dominance(data: Data) -> Call:
    both = models(data)

    def compare() -> tuple[float, ...]:
        found = fastmetrics.dominance(data.labels, both["a"], both["b"])
        return float(found.relation == "crosses"), len(found.crossings)

    return compare


def _wilcoxon(data: Data) -> Call:
    both = models(data)

    def test() -> tuple[float, ...]:
        found = fastmetrics.comparison.wilcoxon_signed_rank_test(
            *both.values(), higher_is_better=True
        )
        return found.details["w_plus"], found.details["w_minus"]

    return test


def _sign_flip(data: Data) -> Call:
    both = models(data)

    def test() -> tuple[float, ...]:
        found = fastmetrics.comparison.sign_flip_test(*both.values(), higher_is_better=True, rng=1)
        return found.pvalue, found.statistic

    return test


def _tweedie(module: Any) -> Prepare:
    return lambda data: functools.partial(
        module.mean_tweedie_deviance, *amounts(data.spec.rows), power=1.5
    )


def _median(module: Any) -> Prepare:
    def prepare(data: Data) -> Call:
        weights = data.weights
        columns = amounts(data.spec.rows)
        return lambda: module.median_absolute_error(*columns, sample_weight=weights)

    return prepare


WORKS: dict[str, Prepare] = {
    "DeLong's test": _delong_test,
    "paired bootstrap, set-up": _paired(2),
    "paired bootstrap of five, set-up": _paired(2, FIVE),
    "paired permutations": _permutation,
    "weighted replicates": _bootstrap(_scored, "roc_auc", weighted=True, n_resamples=REPLICATES),
    "BCa of five, set-up": _bootstrap(_scored, FIVE_SMOOTH, method="bca", n_resamples=2),
    "squared-error replicates": _bootstrap(_amounts, "mean_squared_error", n_resamples=REPLICATES),
    "F1 replicates": _bootstrap(_scored, "f1", threshold=0.5, n_resamples=1_000),
    "average precision": _of_scores(fastmetrics.average_precision_score),
    "weighted average precision": _weighted_precision(fastmetrics),
    "precision_recall_curve": _of_scores(fastmetrics.precision_recall_curve),
    "det_curve": _of_scores(fastmetrics.det_curve),
    "best threshold": _of_scores(fastmetrics.best_threshold, lambda found: found.value),
    "ks_statistic": _of_scores(fastmetrics.ks_statistic, lambda found: found.statistic),
    "break-even point": _of_scores(fastmetrics.break_even_point, lambda found: found.value),
    "dominance": _dominance,
    "one against the rest": _several(fastmetrics, "ovr"),
    "one against one": _several(fastmetrics, "ovo"),
    "Wilcoxon": _wilcoxon,
    "sign flips": _sign_flip,
    "Tweedie deviance": _tweedie(fastmetrics),
    "weighted median": _median(fastmetrics),
}


YARDSTICKS: dict[str, Prepare] = {
    "plain replicates": _bootstrap(_scored, "roc_auc", n_resamples=REPLICATES),
}
PEERS: dict[str, Prepare] = {
    "sklearn Tweedie deviance": _tweedie(sklearn.metrics),
    "sklearn weighted median": _median(sklearn.metrics),
    "sklearn average precision": _of_scores(sklearn.metrics.average_precision_score),
    "sklearn one against the rest": _several(sklearn.metrics, "ovr"),
}
NAMES = {"plain replicates": "plain replicates of the same rows"}

_MILLION, _FULL, _SMALL = Spec(rows=1_000_000), Spec(), Spec(rows=2_000)


def _row(
    key: str, what: str, work: str, yardstick: str, bound: float | None, **more: Any
) -> Target:
    """Return a row of a million rows, against a sort of their scores or another yardstick."""
    return Target(key, f"{what}, 10⁶ rows", work, yardstick, bound, spec=_MILLION, **more)


def _seconds(
    key: str, what: str, work: str, bound: float, spec: Spec = _MILLION, scale: float = 1.0
) -> Target:
    return Target(key, what, work, "", bound, unit=SECONDS, spec=spec, scale=scale)


TARGETS: tuple[Target, ...] = (
    _row("delong_test", "`delong_test`, two models", "DeLong's test", "sort", 5),
    _row(
        "paired_set_up", "`paired_bootstrap`, two replicates", "paired bootstrap, set-up", "sort", 8
    ),
    _seconds(
        "paired_five",
        "`paired_bootstrap`, five metrics, two replicates, 10⁷ rows",
        "paired bootstrap of five, set-up",
        1.5,
        _FULL,
    ),
    _seconds(
        "permutation_replicate",
        "`paired_permutation_test`, a replicate, 10⁶ rows",
        "paired permutations",
        0.003,
        scale=1 / REPLICATES,
    ),
    _row(
        "weighted_replicate", "a weighted replicate", "weighted replicates", "plain replicates", 3
    ),
    _seconds(
        "bca_five",
        "`bootstrap` by BCa, five metrics, two replicates, 10⁷ rows",
        "BCa of five, set-up",
        1,
        _FULL,
    ),
    _seconds(
        "error_replicate",
        "`bootstrap` of the squared error, a replicate, 10⁶ rows",
        "squared-error replicates",
        0.001,
        scale=1 / REPLICATES,
    ),
    _seconds(
        "f1_replicates",
        "`bootstrap` of F1 at a threshold, 1,000 replicates, 10⁶ rows",
        "F1 replicates",
        0.1,
    ),
    _row("average_precision", "`average_precision_score`", "average precision", "sort", 1.8),
    _row(
        "average_precision_weighted",
        "`average_precision_score`, weights",
        "weighted average precision",
        "sort",
        4,
    ),
    _row("pr_curve", "`precision_recall_curve`", "precision_recall_curve", "sort", 2.5),
    _row("det_curve", "`det_curve`", "det_curve", "sort", 2.5),
    _row("roc_curve_1e6", "`roc_curve`", "roc_curve", "sort", 2.5),
    _row("best_threshold", "`best_threshold`", "best threshold", "sort", 2),
    _row("ks_statistic", "`ks_statistic`", "ks_statistic", "sort", 2),
    _row("break_even_point", "`break_even_point`", "break-even point", "sort", 2),
    _row("dominance", "`dominance`", "dominance", "sort", 5),
    _row("auc_ovr", "`roc_auc_score`, ten classes, ovr", "one against the rest", "sort", 12),
    _row("auc_ovo", "`roc_auc_score`, ten classes, ovo", "one against one", "sort", 20),
    _seconds("wilcoxon", "`wilcoxon_signed_rank_test`, 10⁶ rows", "Wilcoxon", 0.1),
    _seconds("wilcoxon_few", "`wilcoxon_signed_rank_test`, 2,000 rows", "Wilcoxon", 0.003, _SMALL),
    _seconds("sign_flips", "`sign_flip_test`, 10⁶ rows", "sign flips", 1),
    _row(
        "tweedie_vs_sklearn",
        "`mean_tweedie_deviance`",
        "Tweedie deviance",
        "sklearn Tweedie deviance",
        5,
        at_least=True,
    ),
    _row(
        "weighted_median_vs_sklearn",
        "`median_absolute_error`, weights",
        "weighted median",
        "sklearn weighted median",
        5,
        at_least=True,
    ),
)
CONTEXT: tuple[Target, ...] = (
    _row(
        "average_precision_vs_sklearn",
        "`average_precision_score`",
        "average precision",
        "sklearn average precision",
        None,
        at_least=True,
    ),
    _row(
        "auc_ovr_vs_sklearn",
        "`roc_auc_score`, ten classes, ovr",
        "one against the rest",
        "sklearn one against the rest",
        None,
        at_least=True,
    ),
)
