"""What is timed of labels and scores: areas, tables and curves, against sorts and peers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.stats
import sklearn.metrics

import fastmetrics
from benchmarks.speed import naive
from benchmarks.speed.data import ANY_DATA, DESCRIPTIONS, Data, Spec, make
from benchmarks.speed.timing import BYTES, Target

Call = Callable[[], Any]


def _weighted_auc(module: Any) -> Callable[[Data], Call]:
    def prepare(data: Data) -> Call:
        weights = data.weights
        return lambda: module.roc_auc_score(data.labels, data.scores, sample_weight=weights)

    return prepare


WORKS: dict[str, Callable[[Data], Call]] = {
    "auc": lambda data: lambda: fastmetrics.roc_auc_score(data.labels, data.scores),
    "auc, one thread": lambda data: (
        lambda: fastmetrics.roc_auc_score(data.labels, data.scores, n_threads=1)
    ),
    "table": lambda data: lambda: fastmetrics.ScoreTable.from_scores(data.labels, data.scores),
    "roc_curve": lambda data: lambda: fastmetrics.roc_curve(data.labels, data.scores),
    "weighted auc": _weighted_auc(fastmetrics),
}


def check_auc(data: Data, answer: float) -> None:
    assert answer == naive.exact_auc(data.spec)


def check_weighted_auc(data: Data, answer: float) -> None:
    np.testing.assert_allclose(answer, naive.weighted_auc(data, data.weights), rtol=1e-12)


def check_table(data: Data, answer: fastmetrics.ScoreTable) -> None:
    columns = answer.scores, answer.positives, answer.negatives
    for mine, right in zip(columns, naive.table(data), strict=True):
        np.testing.assert_array_equal(mine, right)


def check_roc_curve(data: Data, answer: tuple[Any, Any, Any]) -> None:
    for mine, right in zip(answer, naive.roc_corners(*naive.table(data)), strict=True):
        np.testing.assert_array_equal(mine, right)


CHECKS: dict[str, Callable[[Data, Any], None]] = {
    "auc": check_auc,
    "auc, one thread": check_auc,
    "table": check_table,
    "roc_curve": check_roc_curve,
    "weighted auc": check_weighted_auc,
}


def _mannwhitneyu(data: Data) -> Call:
    def auc() -> float:
        positive, negative = naive.split(data)
        statistic = scipy.stats.mannwhitneyu(positive, negative, method="asymptotic").statistic
        return float(statistic) / (len(positive) * len(negative))

    return auc


def _all_pairs(data: Data) -> Call:
    pairs = naive.compiled_pairs()

    def auc() -> float:
        positive, negative = naive.split(data)
        return pairs(positive, negative) / (2 * len(positive) * len(negative))

    pairs(data.scores[:1], data.scores[:1])  # compiles
    return auc


def _sort_of_continuous(data: Data) -> Call:
    scores = make(replace(data.spec, kind="continuous")).scores
    return lambda: np.sort(scores)


YARDSTICKS: dict[str, Callable[[Data], Call]] = {
    "sort": lambda data: lambda: np.sort(data.scores),
    "argsort": lambda data: lambda: np.argsort(data.scores),
    "sort of continuous": _sort_of_continuous,
}
PEERS: dict[str, Callable[[Data], Call]] = {
    "sklearn auc": lambda data: lambda: sklearn.metrics.roc_auc_score(data.labels, data.scores),
    "sklearn roc_curve": lambda data: lambda: sklearn.metrics.roc_curve(data.labels, data.scores),
    "sklearn weighted": _weighted_auc(sklearn.metrics),
    "mannwhitneyu": _mannwhitneyu,
    "all pairs": _all_pairs,
}
NAMES = {
    "sort": "`np.sort(scores)`",
    "argsort": "`np.argsort(scores)`",
    "sort of continuous": "`np.sort` of continuous scores",
    "mannwhitneyu": "`scipy.stats.mannwhitneyu`",
    "all pairs": "all m⁺m⁻ pairs, compiled",
}

_MILLION, _MANY = Spec(rows=1_000_000), Spec(rows=100_000)
_FLOAT32, _RARE = Spec(scores="float32"), Spec(positive_share=0.01)

TARGETS: tuple[Target, ...] = (
    Target("auc", "`roc_auc_score`, continuous scores", "auc", "sort", 0.36),
    *(
        Target(
            f"auc_{kind}",
            f"`roc_auc_score`, {DESCRIPTIONS[kind]}",
            "auc",
            "sort of continuous",
            0.9,
            spec=Spec(kind),
        )
        for kind in ANY_DATA
    ),
    Target("auc_vs_sklearn", "`roc_auc_score`", "auc", "sklearn auc", 60, at_least=True),
    Target("auc_float32", "`roc_auc_score`, float32", "auc", "sort", 0.65, spec=_FLOAT32),
    Target("auc_one_thread", "`roc_auc_score`, one thread", "auc, one thread", "sort", 0.65),
    Target("auc_memory", "its extra memory", "memory", bound=12, unit=BYTES),
    Target(
        "auc_memory_any", "its extra memory, worst of any data", "memory any", "", 12, False, BYTES
    ),
    Target("table", "`ScoreTable.from_scores`", "table", "sort", 1.2),
    Target("roc_curve", "`roc_curve`", "roc_curve", "sort", 1.2),
    Target("roc_curve_vs_sklearn", "`roc_curve`", "roc_curve", "sklearn roc_curve", 25, True),
    Target("weighted_auc", "weighted AUC", "weighted auc", "argsort", 0.3),
    Target("weighted_auc_vs_sklearn", "weighted AUC", "weighted auc", "sklearn weighted", 25, True),
    Target("auc_rare", "`roc_auc_score`, 1 % positive", "auc", "sort", 0.36, spec=_RARE),
    Target("auc_1e6", "`roc_auc_score`, 10⁶ rows", "auc", "sort", 1.0, spec=_MILLION),
    Target("auc_1e5", "`roc_auc_score`, 10⁵ rows", "auc", "sort", 2, spec=_MANY),
)

CONTEXT: tuple[Target, ...] = (
    Target(
        "auc_int64_labels",
        "`roc_auc_score`, int64 labels",
        "auc",
        "sort",
        spec=Spec(labels="int64"),
    ),
    Target(
        "auc_vs_mannwhitneyu",
        "`roc_auc_score`, 10⁶ rows",
        "auc",
        "mannwhitneyu",
        at_least=True,
        spec=_MILLION,
    ),
    Target(
        "auc_vs_all_pairs",
        "`roc_auc_score`, 10⁵ rows",
        "auc",
        "all pairs",
        at_least=True,
        spec=_MANY,
    ),
)
