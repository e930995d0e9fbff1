"""Naive twins of the kernels that walk sorted runs, tables and resampled curves, by NumPy.

Each function takes the data and returns two calls, the kernel's and the twin's, whose results are
tuples of numbers and arrays that agree.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed import naive
from benchmarks.speed.data import SEED, Data
from fastmetrics._kernels import curve_kernels, merges, replicate_curves

Call = Callable[[], tuple[Any, ...]]
Pair = tuple[Call, Call]
Floats = NDArray[np.float64]
#: Resampled curves of one call; places of a grid, and of one that follows the curve closely.
REPLICATES, PLACES, MANY_PLACES = 4, 101, 2048


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


def merge_tables(data: Data) -> Pair:
    """Merge the table of one half of the rows with that of the other."""
    half = len(data.scores) // 2
    parts = [
        naive.table(dataclasses.replace(data, scores=data.scores[some], labels=data.labels[some]))
        for some in (slice(half), slice(half, None))
    ]
    parts = [[np.ascontiguousarray(column) for column in part] for part in parts]
    n = sum(len(part[0]) for part in parts)

    def ours() -> tuple[Any, ...]:
        columns = [np.empty(n, column.dtype) for column in parts[0]]
        found = merges.merge_tables(*parts[0], *parts[1], *columns)
        return tuple(column[:found] for column in columns)

    return ours, lambda: naive.table(data)


def weighted_columns(data: Data) -> tuple[NDArray[Any], ...]:
    scores, row = np.unique(data.scores, return_inverse=True)
    is_positive = data.labels == 1
    weights = data.weights
    positives, negatives = (np.bincount(row, weights * c) for c in (is_positive, ~is_positive))
    return scores[::-1], positives[::-1], negatives[::-1]


def lost_pairs(data: Data) -> Pair:
    _, positives, negatives = naive.table(data)
    return (
        lambda: (merges.lost_pairs(positives, negatives),),
        lambda: (int(positives @ (2 * np.cumsum(negatives) - negatives)),),
    )


def weigh_pairs(data: Data) -> Pair:
    _, positives, negatives = (np.ascontiguousarray(c) for c in weighted_columns(data))
    found = np.empty(4)
    return (
        lambda: (merges.weigh_pairs(positives, negatives, found), *found[2:])[1:],
        lambda: naive.weighted_pairs_by_broadcast(data, data.weights),
    )


def cumulative_pair(data: Data) -> Pair:
    weights = data.weights
    more = weights[::-1].copy()
    left, right = np.empty((2, len(weights)))

    def ours() -> tuple[Any, ...]:
        merges.cumulative_pair(weights, more, left, right)
        return left, right

    return ours, lambda: (np.cumsum(weights), np.cumsum(more))


def columns(data: Data) -> tuple[NDArray[Any], ...]:
    return tuple(np.ascontiguousarray(column) for column in naive.table(data))


def roc_corners(data: Data) -> Pair:
    """Cover ``corner_count`` and ``write_roc``."""
    scores, positives, negatives = columns(data)
    totals = float(positives.sum()), float(negatives.sum())
    counts, whole = (positives, negatives), (0, len(scores))

    def ours() -> tuple[Any, ...]:
        points = tuple(np.empty(curve_kernels.corner_count(*counts, *whole)) for _ in range(3))
        curve_kernels.write_roc(scores, *counts, *whole, 0, 0, *totals, True, *points)
        return points

    def twin() -> tuple[Any, ...]:
        return tuple(points[1:] for points in naive.roc_corners(scores, positives, negatives))

    return ours, twin


def precision_steps(data: Data) -> Pair:
    """Cover ``write_precision_steps`` and ``write_precision_recall``."""
    _, positives, negatives = columns(data)
    n_positive = float(positives.sum())
    steps, precision, recall = np.empty((3, len(positives)))

    def ours() -> tuple[Any, ...]:
        curve_kernels.write_precision_steps(positives, negatives, 0, 0, n_positive, steps)
        curve_kernels.write_precision_recall(
            positives, negatives, 0, 0, n_positive, precision, recall
        )
        return steps, precision, recall

    def twin() -> tuple[Any, ...]:
        tp, fp = np.cumsum(positives), np.cumsum(negatives)
        precision, recall = tp / (tp + fp), tp / tp[-1]
        return (-np.diff(recall, prepend=0.0) * precision)[::-1], precision[::-1], recall[::-1]

    return ours, twin


def turns_of_lines(data: Data) -> Pair:
    """Where the curve of the first half of the rows comes to lie on the other side of the second's.

    A step of each line is one row: after k rows of each, the one with more positives is above.
    """
    half = len(data.scores) // 2
    lines = []
    for rows in (slice(0, half), slice(half, 2 * half)):
        is_positive = np.append(0, data.labels[rows][np.argsort(-data.scores[rows])] == 1)
        is_positive[0] = 0
        lines.append((np.append(0, np.cumsum(is_positive[1:] == 0)), np.cumsum(is_positive)))
    (ax, ay), (bx, by) = lines

    def ours() -> tuple[Any, ...]:
        turns = np.empty((2 * half + 2, 3), np.int64)
        count = curve_kernels.turns_of_lines(ax, ay, bx, by, 0, half + 1, 0, half + 1, 0, turns)
        return (turns[:count, 2] & 4,)

    def twin() -> tuple[Any, ...]:
        sides = np.sign(ay - by)
        sides = sides[sides != 0]
        return (2 + 2 * sides[np.append(True, sides[1:] != sides[:-1])],)

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


# --- resampled curves --------------------------------------------------------------------------


def _drawn_rows(data: Data) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]:
    """Return counts of each row in each replicate, and which rows are positive and end a tie."""
    order = np.lexsort((data.labels, data.scores))[::-1]
    n = len(order)
    padded = -(-n // 8) * 8
    masks, ends = np.zeros(padded, np.uint8), np.zeros(padded, np.uint8)
    masks[:n] = np.where(data.labels[order] == 1, 255, 0)
    scores = data.scores[order]
    ends[:n] = np.append(scores[1:] != scores[:-1], True)
    counts = np.zeros((REPLICATES, padded), np.uint8)
    counts[:, :n] = np.random.default_rng(SEED).poisson(1.0, (REPLICATES, n))
    return counts, masks, ends


def _points(
    drawn: NDArray[np.uint8], masks: NDArray[np.uint8], ends: NDArray[np.uint8]
) -> tuple[Floats, Floats]:
    positive = drawn & masks
    tp, fp = (
        np.append(0.0, np.cumsum(counts, dtype=np.int64)[ends > 0])
        for counts in (positive, drawn - positive)
    )
    return fp, tp


def _at(x: Floats, y: Floats, levels: Floats) -> Floats:
    """Return y where x is at each level, the last of an upright stretch."""
    after = np.searchsorted(x, levels, side="right").clip(1, len(x) - 1)
    before = after - 1
    share = np.clip((levels - x[before]) / (x[after] - x[before]), 0.0, 1.0)
    return y[before] + share * (y[after] - y[before])


def values_along(data: Data) -> Pair:
    fp, tp = _points(*(column if i else column[0] for i, column in enumerate(_drawn_rows(data))))
    levels = (np.arange(PLACES) + np.sqrt(0.5)) / PLACES * fp[-1]
    out = np.empty(PLACES)

    def ours() -> tuple[Any, ...]:
        replicate_curves.values_along(fp, tp, levels, True, 0.0, out)
        return (out,)

    return ours, lambda: (_at(fp, tp, levels),)


def values_along_the_curve(data: Data) -> Pair:
    """Cover ``values_of_rows`` and its kin where the scaled curve is followed closely."""
    counts, masks, ends = _drawn_rows(data)
    tables = [np.arcsin(np.sqrt(np.linspace(0.0, 1.0, size + 1))) for size in (7_000, 3_000)]
    levels = np.linspace(0.0, np.pi, MANY_PLACES)
    out = np.empty((REPLICATES, MANY_PLACES))

    def ours() -> tuple[Any, ...]:
        replicate_curves.values_of_rows(counts, masks, ends, levels, *tables, out)
        return (out,)

    def twin() -> tuple[Any, ...]:
        values = []
        for drawn in counts:
            x, y = (
                np.interp(sums / sums[-1] * (len(table) - 1), np.arange(len(table)), table)
                for sums, table in zip(_points(drawn, masks, ends), tables, strict=True)
            )
            values.append(np.interp(levels, x + y, y - x))
        return (np.array(values),)

    return ours, twin


_OF_ROWS = tuple(
    f"replicate_curves:{name}"
    for name in ("values_of_rows", "class_totals", "to_lead_and_value", "follow", "entry")
)
#: The kernels covered by each pair of calls, and whether the twin visits every pair of rows.
TWINS: dict[Callable[[Data], Pair], tuple[tuple[str, ...], bool]] = {
    pairs_of_sorted: (("merges:pairs_of_sorted",), True),
    split_classes: (("merges:split_classes",), False),
    merge_descending: (("merges:merge_descending",), False),
    merge_tables: (("merges:merge_tables",), False),
    lost_pairs: (("merges:lost_pairs",), False),
    weigh_pairs: (("merges:weigh_pairs",), True),
    cumulative_pair: (("merges:cumulative_pair",), False),
    roc_corners: (("curve_kernels:corner_count", "curve_kernels:write_roc"), False),
    precision_steps: (
        ("curve_kernels:write_precision_steps", "curve_kernels:write_precision_recall"),
        False,
    ),
    turns_of_lines: (("curve_kernels:turns_of_lines",), False),
    concordant_pairs_by_row: (("curve_kernels:concordant_pairs_by_row",), True),
    values_along: (("replicate_curves:values_along", "replicate_curves:follow"), False),
    values_along_the_curve: (_OF_ROWS, False),
}
