"""The data of what is timed around the AUC, and the answers: by NumPy, scipy and scikit-learn."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.stats
import sklearn.metrics
from numpy.typing import NDArray

from benchmarks.speed import naive
from benchmarks.speed.data import SEED, Data, Spec

Array = NDArray[Any]

GROUP_ROWS, CLASSES = 1_000, 10


@functools.lru_cache(maxsize=2)
def second(spec: Spec) -> Array:
    """Return noise that makes a second model of the scores, the same in every run."""
    return 0.5 * np.random.default_rng(SEED + 2).standard_normal(spec.rows)


def models(data: Data) -> dict[str, Array]:
    """Return the scores of two models."""
    return {"a": data.scores, "b": data.scores + second(data.spec)}


@functools.lru_cache(maxsize=1)
def classes(rows: int) -> tuple[Array, Array]:
    """Return labels of ten classes, and a score for each class; a row of scores sums to 1."""
    rng = np.random.default_rng(SEED)
    true = rng.integers(0, CLASSES, rows)
    true[:CLASSES] = np.arange(CLASSES)[:rows]
    scores = rng.random((rows, CLASSES))
    scores[np.arange(rows), true] += 0.3
    return true, scores / scores.sum(axis=1, keepdims=True)


@functools.lru_cache(maxsize=1)
def amounts(rows: int) -> tuple[Array, Array]:
    """Return positive targets and predictions."""
    rng = np.random.default_rng(SEED)
    true = 0.1 + rng.gamma(2, size=rows)
    return true, true * rng.gamma(5, size=rows) / 5 + 0.01


def auc(positive: Array, negative: Array) -> float:
    """Return the AUC of two samples by searches in the sorted one."""
    ordered = np.sort(negative)
    twice = np.searchsorted(ordered, positive, "left").sum(dtype=np.int64)
    twice += np.searchsorted(ordered, positive, "right").sum(dtype=np.int64)
    return int(twice) / (2 * len(positive) * len(negative))


def _difference(data: Data) -> float:
    is_positive = data.labels == 1
    found = [auc(s[is_positive], s[~is_positive]) for s in models(data).values()]
    return found[0] - found[1]


def _placements(data: Data, scores: Array) -> tuple[Array, Array]:
    """Return, of each positive and of each negative, the share of the others that it is above."""
    is_positive = data.labels == 1
    positive, negative = scores[is_positive], scores[~is_positive]
    return tuple(  # type: ignore[return-value]
        sum(np.searchsorted(np.sort(there), here, side) for side in ("left", "right"))
        / (2 * len(there))
        for here, there in ((positive, negative), (negative, positive))
    )


def check_delong_test(data: Data, answer: tuple[float, ...]) -> None:
    """DeLong et al. (1988), by placements."""
    (pa, na), (pb, nb) = (_placements(data, s) for s in models(data).values())
    variance = (pa - pb).var(ddof=1) / len(pa) + (na - nb).var(ddof=1) / len(na)
    np.testing.assert_allclose(answer, [variance**0.5, _difference(data)], rtol=1e-8)


def check_difference(data: Data, answer: float) -> None:
    np.testing.assert_allclose(answer, _difference(data), rtol=1e-11)


def check_estimate(right: Callable[[Data], float]) -> Callable[[Data, Any], None]:
    """Check the estimate of a bootstrap; the standard error is a small number above 0."""

    def check(data: Data, answer: tuple[float, ...]) -> None:
        np.testing.assert_allclose(answer[1], right(data), rtol=1e-12)
        assert 0 < answer[0] < 1 + answer[1]

    return check


def _squared_error(data: Data) -> float:
    true, predicted = amounts(data.spec.rows)
    return float(((true - predicted) ** 2).mean())


def _f1(data: Data) -> float:
    called = data.scores >= 0.5
    both = np.count_nonzero(called & (data.labels == 1))
    return 2 * both / (np.count_nonzero(called) + np.count_nonzero(data.labels == 1))


def _many_aucs(data: Data, ways: str) -> float:
    """Return the mean AUC of each class against the rest, or of each two classes."""
    true, scores = classes(data.spec.rows)
    if ways == "ovr":
        found = [auc(scores[true == k, k], scores[true != k, k]) for k in range(CLASSES)]
    else:
        found = [
            auc(scores[true == j, j], scores[true == k, j])
            for j in range(CLASSES)
            for k in range(CLASSES)
            if j != k
        ]
    return float(np.mean(found))


def _close(right: Callable[[Data], Any]) -> Callable[[Data, Any], None]:
    def check(data: Data, answer: Any) -> None:
        expected = right(data)
        both = (x if isinstance(x, tuple) else (x,) for x in (answer, expected))
        for mine, theirs in zip(*both, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-10, atol=1e-13)

    return check


def _crossings(data: Data) -> tuple[float, ...]:
    """Return whether and how often two staircases cross: scores do not tie.

    After k rows a curve stands at some point with fp + tp = k: the higher one there has more tp.
    """
    a, b = (np.cumsum(data.labels[np.argsort(-s)] == 1) for s in models(data).values())
    signs = np.sign(a - b)
    signs = signs[signs != 0]
    turns = int(np.count_nonzero(signs[1:] != signs[:-1]))
    return float(turns > 0), turns


def _signed_ranks(data: Data) -> tuple[float, ...]:
    a, b = models(data).values()
    ranks = scipy.stats.rankdata(np.abs(a - b))
    return float(ranks[a > b].sum()), float(ranks[a < b].sum())


def check_sign_flips(data: Data, answer: tuple[float, ...]) -> None:
    """By the normal distribution, as near as some thousand flips come."""
    a, b = models(data).values()
    z = (a - b).sum() / ((a - b) ** 2).sum() ** 0.5
    assert abs(answer[0] - 2 * scipy.stats.norm.sf(abs(z))) < 0.05
    np.testing.assert_allclose(answer[1], (a - b).mean(), rtol=1e-9)


def _by_sklearn(name: str) -> Callable[[Data, Any], None]:
    return _close(lambda data: getattr(sklearn.metrics, name)(data.labels, data.scores))


def _youden(data: Data) -> float:
    _, positives, negatives = naive.table(data)
    tpr, fpr = (column.cumsum() / column.sum() for column in (positives, negatives))
    return float((tpr - fpr).max())


_estimate = check_estimate(lambda data: naive.exact_auc(data.spec))
CHECKS: dict[str, Callable[[Data, Any], None]] = {
    "DeLong's test": check_delong_test,
    "paired bootstrap, set-up": check_difference,
    "paired bootstrap of five, set-up": check_difference,
    "paired permutations": check_difference,
    "weighted replicates": check_estimate(lambda data: naive.weighted_auc(data, data.weights)),
    "BCa of five, set-up": _estimate,
    "squared-error replicates": check_estimate(_squared_error),
    "F1 replicates": check_estimate(_f1),
    "average precision": _by_sklearn("average_precision_score"),
    "weighted average precision": _close(
        lambda data: sklearn.metrics.average_precision_score(
            data.labels, data.scores, sample_weight=data.weights
        )
    ),
    "precision_recall_curve": _by_sklearn("precision_recall_curve"),
    "det_curve": _by_sklearn("det_curve"),
    "best threshold": _close(_youden),
    "ks_statistic": _close(_youden),
    "break-even point": _close(
        lambda data: naive.per_positive(naive.break_even)(data.labels, data.scores)
    ),
    "dominance": _close(_crossings),
    "one against the rest": _close(lambda data: _many_aucs(data, "ovr")),
    "one against one": _close(lambda data: _many_aucs(data, "ovo")),
    "Wilcoxon": _close(_signed_ranks),
    "sign flips": check_sign_flips,
    "Tweedie deviance": _close(
        lambda data: sklearn.metrics.mean_tweedie_deviance(*amounts(data.spec.rows), power=1.5)
    ),
    "weighted median": _close(
        lambda data: sklearn.metrics.median_absolute_error(
            *amounts(data.spec.rows), sample_weight=data.weights
        )
    ),
}
