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


def delong(data: Data) -> tuple[float, float]:
    """Return the AUC and its variance by the placements' definition (DeLong et al. 1988)."""
    positive, negative = map(np.sort, split(data))

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
