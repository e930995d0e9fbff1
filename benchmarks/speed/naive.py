"""What the answers are, the plain way: by the definition, and by NumPy alone.

Nothing of fastmetrics is used here. The functions that visit all m+ times m- pairs are the slow
reference; those that sort are exact as well, and end at ten million rows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed.data import Data, Spec, make

Array = NDArray[Any]

#: Rows up to which visiting every pair ends in well under a second: in plain Python, in NumPy,
#: and compiled.
LOOP_ROWS, BROADCAST_ROWS, COMPILED_ROWS = 1_000, 10_000, 100_000
_BLOCK = 64


def split(data: Data) -> tuple[Array, Array]:
    """Return the positives' and the negatives' scores."""
    is_positive = data.labels == 1
    return data.scores[is_positive], data.scores[~is_positive]


def pairs_by_loop(positive: Array, negative: Array) -> int:
    """Twice the pairs that the positive wins plus the tied ones, by a double loop."""
    twice = 0
    below = negative.tolist()
    for p in positive.tolist():
        for n in below:
            twice += (p > n) + (p >= n)
    return twice


def pairs_by_broadcast(positive: Array, negative: Array) -> int:
    """Count the same, all pairs again, by NumPy."""
    twice = 0
    for start in range(0, len(positive), _BLOCK):
        block = positive[start : start + _BLOCK, None]
        twice += np.count_nonzero(block > negative) + np.count_nonzero(block >= negative)
    return twice


@cache
def compiled_pairs() -> Callable[[Array, Array], int]:
    """Return the double loop as numba compiles it."""
    import numba

    @numba.njit
    def pairs(positive: Array, negative: Array) -> int:
        twice = 0
        for p in positive:
            for n in negative:
                twice += (p > n) + (p >= n)
        return twice

    return pairs


def weighted_pairs_by_broadcast(data: Data, weights: Array) -> tuple[float, float]:
    """Twice the weight of concordant and of discordant pairs, tied ones in both, by all pairs."""
    is_positive = data.labels == 1
    positive, negative = split(data)
    of_positive, of_negative = weights[is_positive], weights[~is_positive]
    concordant = discordant = 0.0
    for start in range(0, len(positive), _BLOCK):
        block = positive[start : start + _BLOCK, None]
        share = of_positive[start : start + _BLOCK]
        concordant += share @ (((block > negative) * 1.0 + (block >= negative)) @ of_negative)
        discordant += share @ (((block < negative) * 1.0 + (block <= negative)) @ of_negative)
    return float(concordant), float(discordant)


@lru_cache(maxsize=64)
def exact_auc(spec: Spec) -> float:
    """Return the double nearest to the AUC: pairs counted in integers after two sorts."""
    positive, negative = split(make(spec))
    positive.sort()
    negative.sort()
    twice = int(np.searchsorted(negative, positive, "left").sum(dtype=np.int64))
    twice += int(np.searchsorted(negative, positive, "right").sum(dtype=np.int64))
    return twice / (2 * len(positive) * len(negative))


def weighted_auc(data: Data, weights: Array) -> float:
    """Return the weighted AUC, summed in extended precision where the machine has it."""
    is_positive = data.labels == 1
    positive, negative = split(data)
    order = np.argsort(negative)
    negative = negative[order]
    of_positive = weights[is_positive]
    running = np.zeros(len(negative) + 1, np.longdouble)
    np.cumsum(weights[~is_positive][order], dtype=np.longdouble, out=running[1:])
    order = np.argsort(positive)  # in order, the searches below find their way in the cache
    positive, of_positive = positive[order], of_positive[order]
    twice = (of_positive * running[np.searchsorted(negative, positive, "left")]).sum()
    twice += (of_positive * running[np.searchsorted(negative, positive, "right")]).sum()
    return float(twice / (2 * of_positive.sum(dtype=np.longdouble) * running[-1]))


def delong(labels: Array, scores: Array) -> tuple[float, float]:
    """Return the AUC and its variance by the placements' definition (DeLong et al. 1988)."""
    positive, negative = (np.sort(scores[labels == k]) for k in (1, 0))

    def placements(of: Array, among: Array) -> Array:
        both = np.searchsorted(among, of, "left") + np.searchsorted(among, of, "right")
        return both / (2 * len(among))

    of_positive, of_negative = placements(positive, negative), placements(negative, positive)
    variance = of_positive.var(ddof=1) / len(positive) + of_negative.var(ddof=1) / len(negative)
    return float(of_positive.mean()), float(variance)


def table(data: Data) -> tuple[Array, Array, Array]:
    """Return the distinct scores, descending, with the count of each class at them."""
    positive, negative = split(data)
    scores = np.unique(data.scores)
    columns = []
    for values in (positive, negative):
        values.sort()
        up_to = np.searchsorted(values, scores, "right")
        columns.append(np.diff(up_to, prepend=0)[::-1])
    return scores[::-1], columns[0], columns[1]


def roc_corners(scores: Array, positives: Array, negatives: Array) -> tuple[Array, Array, Array]:
    """Return FPR, TPR and thresholds of the corners of the ROC curve of a table."""
    tp, fp = np.cumsum(positives), np.cumsum(negatives)
    kept = np.ones(len(scores), np.bool_)
    kept[1:-1] = (np.diff(tp, 2) != 0) | (np.diff(fp, 2) != 0)
    return (
        np.r_[0.0, fp[kept] / fp[-1]],
        np.r_[0.0, tp[kept] / tp[-1]],
        np.r_[np.inf, scores[kept]],
    )


# --- metrics of points: running counts of positives and negatives, from (0, 0) on ---------------


def points(labels: Array, scores: Array) -> tuple[Array, Array, Array]:
    """Return positives and negatives from each score up, and the scores, from infinity down."""
    order = np.argsort(scores)[::-1]
    ordered, is_positive = scores[order], labels[order] == 1
    ends = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), len(order) - 1)
    tp = np.append(0.0, np.cumsum(is_positive)[ends])
    return tp, np.append(0.0, ends + 1.0) - tp, np.append(np.inf, ordered[ends])


#: In the order of the kernels' numbers; the second is that of the other sign.
CRITERIA = (
    "youden - closest-topleft fewest-errors fbeta precision_at_recall recall_at_precision "
    "recall_at_false_positive_rate"
).split()


def objective(criterion: int, bound: float, tp: Array, fp: Array) -> Array:
    """Return what a best threshold maximises, -inf where it may not be."""
    n_p, n_n = tp[-1], fp[-1]
    called = tp + fp
    precision = np.divide(tp, called, out=np.full_like(tp, -np.inf), where=called > 0)
    found: Array = [
        tp * n_n - fp * n_p,
        fp * n_p - tp * n_n,
        -(((n_p - tp) * n_n) ** 2 + (fp * n_p) ** 2),
        tp - fp,
        tp / (bound * n_p + (1 - bound) * called),
        np.where(tp / n_p >= bound, precision, -np.inf),
        np.where(precision >= bound, tp, -np.inf),
        np.where(fp / n_n <= bound, tp, -np.inf),
    ][criterion]
    return found


def best_threshold(labels: Array, scores: Array, name: str, bound: float) -> tuple[float, float]:
    """Return the best value of a criterion, and the highest threshold that has it."""
    tp, fp, thresholds = points(labels, scores)
    values = objective(CRITERIA.index(name), bound, tp, fp)
    i = int(np.argmax(values))
    scale = {
        "youden": fp[-1] * tp[-1],
        "recall_at_precision": tp[-1],
        "recall_at_false_positive_rate": tp[-1],
    }
    value = float(values[i] / scale.get(name, 1.0))
    if name == "closest-topleft":
        value = (-value) ** 0.5 / (fp[-1] * tp[-1])
    return (tp[-1] - value if name == "fewest-errors" else value), float(thresholds[i])


def twice_area(x: Array, y: Array, low: float, high: float) -> float:
    """Return twice the area under a line between two places."""
    left, right = np.clip(x[:-1], low, high), np.clip(x[1:], low, high)
    slope = np.divide(np.diff(y), np.diff(x), out=np.zeros(len(x) - 1), where=np.diff(x) > 0)
    return float(((right - left) * (2 * y[:-1] + slope * (left + right - 2 * x[:-1]))).sum())


def partial_auc(labels: Array, scores: Array, low: float, high: float, over: str) -> float:
    tp, fp, _ = points(labels, scores)
    x, y = (tp, fp[-1] - fp) if over == "tpr" else (fp, tp)
    return twice_area(x, y, low * x[-1], high * x[-1]) / (2 * tp[-1] * fp[-1])


def precision_area(estimator: int, tp: Array, fp: Array) -> float:
    """Return the sum of precision over the positives: steps, trapezoids, or the integral."""
    grew = np.flatnonzero(np.diff(tp) > 0)
    tp0, fp0, tp1, fp1 = tp[grew], fp[grew], tp[grew + 1], fp[grew + 1]
    called = tp0 + fp0
    before = np.divide(tp0, called, out=np.ones_like(tp0), where=called > 0)
    after = tp1 / (tp1 + fp1)
    if estimator < 2:
        return float(((tp1 - tp0) * (after + before if estimator else 2 * after)).sum() / 2)
    share = (tp1 - tp0) / (tp1 + fp1 - called)
    x = np.divide(tp1 + fp1 - called, called, out=np.zeros_like(tp0), where=called > 0)
    inside = tp0 * np.log1p(x) + share * called * (x - np.log1p(x))
    return float((share * np.where(called > 0, inside, tp1 - tp0)).sum())


def break_even(tp: Array, fp: Array) -> float:
    """Return the positives found where as many rows are called positive as are."""
    called = tp + fp
    i = int(np.argmax(called[1:] >= tp[-1]))
    share = (tp[-1] - called[i]) / (called[i + 1] - called[i])
    return float(tp[i] + share * (tp[i + 1] - tp[i]))


def per_positive(metric: Callable[[Array, Array], float]) -> Callable[[Array, Array], float]:
    """Return a metric of labels and scores, from a sum over the positives by points."""

    def of_rows(labels: Array, scores: Array) -> float:
        tp, fp, _ = points(labels, scores)
        return metric(tp, fp) / float(tp[-1])

    return of_rows


# --- metrics of cells ---------------------------------------------------------------------------


def cells(true: Array, predicted: Array) -> Array:
    """Return the confusion matrix of classes 0 ... K-1."""
    k = int(max(true.max(), predicted.max())) + 1
    return np.bincount(true * k + predicted, minlength=k * k).reshape(k, k)


def g_mean(true: Array, predicted: Array) -> float:
    counted = cells(true, predicted)
    return float(np.prod(counted.diagonal() / counted.sum(axis=1)) ** (1 / len(counted)))


def macro_f1_harmonic(true: Array, predicted: Array) -> float:
    counted = cells(true, predicted)
    precision, recall = ((counted.diagonal() / counted.sum(axis=i)).mean() for i in (0, 1))
    return float(2 * precision * recall / (precision + recall))


def mean_cost(true: Array, predicted: Array, costs: Array) -> float:
    return float(costs[true, predicted].mean())
