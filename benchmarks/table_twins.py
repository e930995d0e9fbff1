"""Naive twins of the kernels that walk sorted runs and tables: the same result by NumPy.

Each function takes the data and returns two calls, the kernel's and the twin's, whose results are
tuples of numbers and arrays that agree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import naive
from benchmarks.data import Data
from fastmetrics._kernels import curve_kernels, merges

Call = Callable[[], tuple[Any, ...]]
Pair = tuple[Call, Call]


def pairs_of_sorted(data: Data) -> Pair:
    positive, negative = map(np.sort, naive.split(data))
    return (
        lambda: (merges.pairs_of_sorted(positive, negative),),
        lambda: (naive.pairs_by_broadcast(positive, negative),),
    )


def split_classes(data: Data) -> Pair:
    columns = np.empty_like(data.scores), np.empty_like(data.scores)

    def ours() -> tuple[Any, ...]:
        counts = merges.split_classes(data.scores, data.labels, 0, *columns)
        return tuple(column[:count] for column, count in zip(columns, counts, strict=True))

    return ours, lambda: naive.split(data)


def merge_descending(data: Data) -> Pair:
    positive, negative = map(np.sort, naive.split(data))
    n = len(data.scores)

    def ours() -> tuple[Any, ...]:
        columns = np.empty(n, data.scores.dtype), np.empty(n, np.int64), np.empty(n, np.int64)
        found = merges.merge_descending(positive, negative, *columns)
        return tuple(column[:found] for column in columns)

    return ours, lambda: naive.table(data)


def _weighted_columns(data: Data) -> tuple[NDArray[Any], ...]:
    scores, row = np.unique(data.scores, return_inverse=True)
    is_positive = data.labels == 1
    weights = data.weights
    positives, negatives = (np.bincount(row, weights * c) for c in (is_positive, ~is_positive))
    return scores[::-1], positives[::-1], negatives[::-1]


def merge_weighted_descending(data: Data) -> Pair:
    is_positive = data.labels == 1
    keys, weights = (
        np.concatenate([values[~is_positive], values[is_positive]])
        for values in (data.scores, data.weights)
    )
    n, n_negative = len(keys), int(np.count_nonzero(~is_positive))

    def ours() -> tuple[Any, ...]:
        columns = np.empty(n, keys.dtype), np.empty(n), np.empty(n)
        order = np.argsort(keys, kind="stable")
        found = merges.merge_weighted_descending(keys, order, weights, n_negative, *columns)
        return tuple(column[:found] for column in columns)

    return ours, lambda: _weighted_columns(data)


def weigh_pairs(data: Data) -> Pair:
    _, positives, negatives = (np.ascontiguousarray(c) for c in _weighted_columns(data))
    return (
        lambda: (
            merges.weigh_pairs_of_table(positives, negatives),
            merges.weigh_pairs_discordant(positives, negatives),
        ),
        lambda: naive.weighted_pairs_by_broadcast(data, data.weights),
    )


def cumulative_weights(data: Data) -> Pair:
    weights, out = data.weights, np.empty(len(data.scores))
    return (
        lambda: (merges.cumulative_weights(weights, out), out)[1:],
        lambda: (np.cumsum(weights),),
    )


def _columns(data: Data) -> tuple[NDArray[Any], ...]:
    return tuple(np.ascontiguousarray(column) for column in naive.table(data))


def roc_corners(data: Data) -> Pair:
    """Cover ``corner_count`` and ``write_roc``."""
    scores, positives, negatives = _columns(data)
    totals = float(positives.sum()), float(negatives.sum())

    def ours() -> tuple[Any, ...]:
        size = curve_kernels.corner_count(positives, negatives) + 1
        fpr, tpr, thresholds = (np.empty(size) for _ in range(3))
        curve_kernels.write_roc(scores, positives, negatives, *totals, True, fpr, tpr, thresholds)
        return fpr, tpr, thresholds

    return ours, lambda: naive.roc_corners(scores, positives, negatives)


def largest_gap(data: Data) -> Pair:
    _, positives, negatives = _columns(data)
    totals = int(positives.sum()), int(negatives.sum())

    def twin() -> tuple[Any, ...]:
        tp, fp = np.cumsum(positives), np.cumsum(negatives)
        row = int(np.argmax(np.abs(tp * totals[1] - fp * totals[0])))
        return row, tp[row], fp[row]

    return lambda: curve_kernels.largest_gap(positives, negatives, *totals), twin


def placement_sums(data: Data) -> Pair:
    """Sum in int64 halves, against Python integers."""
    _, positives, negatives = _columns(data)
    n_positive, n_negative = int(positives.sum()), int(negatives.sum())
    half = ((2 * max(n_positive, n_negative)).bit_length() + 1) // 2

    def ours() -> tuple[Any, ...]:
        sums = np.zeros(7, np.int64)
        curve_kernels.placement_sums(positives, negatives, n_negative, half, sums)
        total, *squares = sums.tolist()
        of_class = (
            (high << 2 * half) + (cross << half) + low
            for high, cross, low in (squares[:3], squares[3:])
        )
        return total, *of_class

    def twin() -> tuple[Any, ...]:
        below = n_negative - np.cumsum(negatives)
        above = np.cumsum(positives) - positives
        of_positive, of_negative = 2 * below + negatives, 2 * above + positives
        return (
            int(positives @ of_positive),
            sum(p * v * v for p, v in zip(positives.tolist(), of_positive.tolist(), strict=True)),
            sum(n * v * v for n, v in zip(negatives.tolist(), of_negative.tolist(), strict=True)),
        )

    return ours, twin


def precision_steps(data: Data) -> Pair:
    _, positives, negatives = _columns(data)
    steps = np.empty(len(positives))

    def ours() -> tuple[Any, ...]:
        curve_kernels.write_precision_steps(positives, negatives, float(positives.sum()), steps)
        return (steps,)

    def twin() -> tuple[Any, ...]:
        tp, fp = np.cumsum(positives), np.cumsum(negatives)
        return ((-np.diff(tp / tp[-1], prepend=0.0) * (tp / (tp + fp)))[::-1],)

    return ours, twin


def concordant_pairs_by_row(data: Data) -> Pair:
    width = 50
    shape = len(data.scores) // width, width
    labels = np.ascontiguousarray(data.labels[: shape[0] * width].reshape(shape).astype(np.int8))
    scores = data.scores[: shape[0] * width].reshape(shape).astype(np.float64)
    order = np.argsort(scores, axis=1)
    labels, scores = (np.take_along_axis(array, order, axis=1) for array in (labels, scores))

    def ours() -> tuple[Any, ...]:
        found = tuple(np.empty(shape[0], np.int64) for _ in range(3))
        curve_kernels.concordant_pairs_by_row(labels, scores, *found)
        return found

    def twin() -> tuple[Any, ...]:
        n_positive = (labels == 1).sum(axis=1)
        twice = [
            naive.pairs_by_broadcast(row[label == 1], row[label == 0])
            for row, label in zip(scores, labels, strict=True)
        ]
        return n_positive, width - n_positive, np.array(twice)

    return ours, twin


#: The kernels covered by each pair of calls, and whether the twin visits every pair of rows.
TABLE_TWINS: dict[Callable[[Data], Pair], tuple[tuple[str, ...], bool]] = {
    pairs_of_sorted: (("merges:pairs_of_sorted",), True),
    split_classes: (("merges:split_classes",), False),
    merge_descending: (("merges:merge_descending",), False),
    merge_weighted_descending: (("merges:merge_weighted_descending",), False),
    weigh_pairs: (("merges:weigh_pairs_of_table", "merges:weigh_pairs_discordant"), True),
    cumulative_weights: (("merges:cumulative_weights",), False),
    roc_corners: (("curve_kernels:corner_count", "curve_kernels:write_roc"), False),
    largest_gap: (("curve_kernels:largest_gap",), False),
    placement_sums: (("curve_kernels:placement_sums",), False),
    precision_steps: (("curve_kernels:write_precision_steps",), False),
    concordant_pairs_by_row: (("curve_kernels:concordant_pairs_by_row",), True),
}
