"""What is timed within this process: each work with its check, each yardstick with its answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.stats
import sklearn.metrics

import fastmetrics
from benchmarks import bootstrap_contests, label_contests, naive
from benchmarks.data import Data, make
from benchmarks.targets import Target
from benchmarks.timing import (
    SLOW_SECONDS,
    Measured,
    measure,
    seconds,
    slow_stopwatch,
    stopwatch,
)

Call = Callable[[], Any]
#: Relative error granted where float sums are involved; integers and their ratios get none.
TOLERANCE = 1e-9


def _weighted_auc(data: Data) -> Call:
    weights = data.weights
    return lambda: fastmetrics.roc_auc_score(data.labels, data.scores, sample_weight=weights)


WORKS: dict[str, Callable[[Data], Call]] = {
    "auc": lambda data: lambda: fastmetrics.roc_auc_score(data.labels, data.scores),
    "auc, one thread": lambda data: (
        lambda: fastmetrics.roc_auc_score(data.labels, data.scores, n_threads=1)
    ),
    "table": lambda data: lambda: fastmetrics.ScoreTable.from_scores(data.labels, data.scores),
    "roc_curve": lambda data: lambda: fastmetrics.roc_curve(data.labels, data.scores),
    "weighted auc": _weighted_auc,
    **bootstrap_contests.WORKS,
    **label_contests.WORKS,
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
    **bootstrap_contests.CHECKS,
    **label_contests.CHECKS,
}


def _sklearn_weighted(data: Data) -> Call:
    weights = data.weights
    return lambda: sklearn.metrics.roc_auc_score(data.labels, data.scores, sample_weight=weights)


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
    **bootstrap_contests.YARDSTICKS,
    **label_contests.YARDSTICKS,
}
#: Yardsticks that compute the same thing, so that the answers must agree.
PEERS: dict[str, Callable[[Data], Call]] = {
    "sklearn auc": lambda data: lambda: sklearn.metrics.roc_auc_score(data.labels, data.scores),
    "sklearn roc_curve": lambda data: lambda: sklearn.metrics.roc_curve(data.labels, data.scores),
    "sklearn weighted": _sklearn_weighted,
    "mannwhitneyu": _mannwhitneyu,
    "all pairs": _all_pairs,
    **label_contests.PEERS,
}
#: How the yardsticks are called in print.
NAMES = {
    "": "",
    "sort": "`np.sort(scores)`",
    "argsort": "`np.argsort(scores)`",
    "sort of continuous": "`np.sort` of continuous scores",
    "sklearn auc": "scikit-learn",
    "sklearn roc_curve": "scikit-learn",
    "sklearn weighted": "scikit-learn",
    "mannwhitneyu": "`scipy.stats.mannwhitneyu`",
    "all pairs": "all m⁺m⁻ pairs, compiled",
    **bootstrap_contests.NAMES,
    **label_contests.NAMES,
}


def assert_agree(left: Any, right: Any) -> None:
    """Assert that two answers, numbers or tuples of arrays, agree up to rounding."""
    lefts, rights = (a if isinstance(a, tuple) else (a,) for a in (left, right))
    for mine, theirs in zip(lefts, rights, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=TOLERANCE, atol=1e-12)


def run_contest(row: Target, most_rows: int) -> Measured:
    """Check the answer, warm up, and take turns with the yardstick."""
    data = make(row.spec.scaled(most_rows))
    work = WORKS[row.work](data)
    answer = work()  # compiles
    CHECKS[row.work](data, answer)
    if not row.yardstick:
        return measure(stopwatch(work), None).scaled(row.scale)
    if row.yardstick in YARDSTICKS:
        yardstick = YARDSTICKS[row.yardstick](data)
        slow = seconds(yardstick) > SLOW_SECONDS / 2
        theirs = slow_stopwatch(yardstick) if slow else stopwatch(yardstick)
        measured = measure(stopwatch(work), theirs, at_least=row.at_least)
        return measured.scaled(row.scale)
    peer = PEERS[row.yardstick](data)
    answers: list[Any] = []
    first = seconds(lambda: answers.append(peer()))
    assert_agree(answer, answers[0])
    if first > SLOW_SECONDS / 2:  # two rounds only: ours is called several times in each
        return measure(stopwatch(work, 5), slow_stopwatch(peer), at_least=row.at_least)
    return measure(stopwatch(work), stopwatch(peer), at_least=row.at_least)
