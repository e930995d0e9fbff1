"""Naive twins of the kernels that make or walk a range of a table, by NumPy and fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from benchmarks.speed.data import Data
from benchmarks.speed.twins.curves import Pair, columns
from fastmetrics._kernels import curve_kernels
from fastmetrics.tables.key_counter import KeyCounter, sign_flip, to_bits, to_keys


def gap_ends(data: Data) -> Pair:
    _, positives, negatives = columns(data)
    totals = int(positives.sum()), int(negatives.sum())
    ends = np.empty(6, np.int64)

    def ours() -> tuple[Any, ...]:
        curve_kernels.gap_ends(positives, negatives, *totals, ends)
        return tuple(ends.tolist())

    def twin() -> tuple[Any, ...]:
        tp, fp = np.cumsum(positives), np.cumsum(negatives)
        gaps = tp * totals[1] - fp * totals[0]
        rows = int(np.argmax(gaps)), int(np.argmin(gaps))
        return tuple(int(each) for row in rows for each in (row, tp[row], fp[row]))

    return ours, twin


def add_precisions(data: Data) -> Pair:
    """Sum doubles in whole numbers, against fractions."""
    _, positives, negatives = columns(data)
    terms = np.empty(len(positives))

    def ours() -> tuple[Any, ...]:
        limbs = np.zeros(7, np.int64)
        curve_kernels.add_precisions(positives, negatives, 0, 0, terms, limbs)
        return (sum(limb << 32 * k for k, limb in enumerate(limbs.tolist())),)

    def twin() -> tuple[Any, ...]:
        tp, fp = np.cumsum(positives), np.cumsum(negatives)
        precisions = positives * (tp / (tp + fp))
        return (int(sum(map(Fraction, precisions.tolist())) * 2**128),)

    return ours, twin


def auc_influences(data: Data) -> Pair:
    """What a row of either class moves, against NumPy."""
    _, positives, negatives = columns(data)
    m, n = float(positives.sum()), float(negatives.sum())

    def ours() -> tuple[Any, ...]:
        found = np.empty((2, len(positives)))
        no_sums = np.empty((0, 2))
        above = 0.0, 0.0
        curve_kernels.auc_influences(positives, negatives, above, (m, n), 0.75, *found, no_sums)
        return tuple(found)

    def twin() -> tuple[Any, ...]:
        below = (n - np.cumsum(negatives)) + negatives / 2.0
        above = np.cumsum(positives) - positives / 2.0
        return (below / n - 0.75) / m, (above / m - 0.75) / n

    return ours, twin


def precision_influences(data: Data) -> Pair:
    """The same of average precision; cover ``precision_fractions`` too."""
    _, positives, negatives = columns(data)
    m = float(positives.sum())

    def ours() -> tuple[Any, ...]:
        found = np.empty((2, len(positives)))
        curve_kernels.precision_fractions(positives, negatives, (0.0, 0.0), *found)
        curve_kernels.precision_influences(m, 0.75, (0.0, 0.0), *found)
        return tuple(found)

    def twin() -> tuple[Any, ...]:
        tp, called = np.cumsum(positives), np.cumsum(positives + negatives)
        precision, share = tp / called, positives / called
        below = np.cumsum((share * (1.0 - precision))[::-1])[::-1]
        lost = np.cumsum((share * precision)[::-1])[::-1]
        return (precision - 0.75 + below) / m, -lost / m

    return ours, twin


def add_products(data: Data) -> Pair:
    """Sum products by stratum, against `bincount`."""
    _, positives, negatives = columns(data)
    one, other = positives.astype(np.float64), negatives.astype(np.float64)
    strata, none = positives % 2, np.empty(0)

    def ours() -> tuple[Any, ...]:
        sums = np.zeros((2, 4))
        curve_kernels.add_products(one, other, none, none, strata, sums)
        return (sums,)

    def twin() -> tuple[Any, ...]:
        columns = one * other, one, (one * other) ** 2, one * one * other
        return (np.stack([np.bincount(strata, column, 2) for column in columns], axis=1),)

    return ours, twin


def add_by_code(data: Data) -> Pair:
    """Sum weighted values by code, against `bincount`."""
    _, positives, negatives = columns(data)
    values, weights = positives.astype(np.float64), negatives.astype(np.float64)
    codes = positives % 7

    def ours() -> tuple[Any, ...]:
        sums = np.zeros(7)
        return curve_kernels.add_by_code(codes, values, weights, sums), sums

    def twin() -> tuple[Any, ...]:
        moved = values * weights
        return float(np.abs(moved).sum()), np.bincount(codes, moved, 7)

    return ours, twin


def count_keys(data: Data) -> Pair:
    """Count scores by their bits: against a sort."""
    scores = data.scores.astype(np.float32)
    labels = np.ascontiguousarray(data.labels == 1).view(np.int8)
    bits = to_bits(scores)
    assert bits is not None
    rows = np.bincount(to_keys(bits, sign_flip(scores.dtype)) >> 16, minlength=1 << 16)
    memory = np.count_nonzero(rows) << 17
    rows[rows > 0] += 1 << 12  # so that all get a slot

    def ours() -> tuple[Any, ...]:
        counter = KeyCounter(scores.dtype, rows, memory, 8 * len(scores))
        counter.take(bits, labels, 0, lambda: None)
        counter.count(1)
        view = counter.view(scores.dtype)
        table = view.table(0, view.size)
        return (table.scores, table.positives, table.negatives, view.rows(0, view.size))

    def twin() -> tuple[Any, ...]:
        distinct, at = np.unique(scores, return_inverse=True)
        positives = np.bincount(at, labels).astype(np.int64)[::-1]
        all_rows = np.bincount(at)[::-1]
        totals = int(labels.sum()), int(len(labels) - labels.sum())
        return (distinct[::-1], positives, all_rows - positives, totals)

    return ours, twin


TWINS = {
    count_keys: (
        (
            "buckets:deal",
            "buckets:count_stream",
            "buckets:rows_between",
            "buckets:table_between",
        ),
        False,
    ),
    gap_ends: (("curve_kernels:gap_ends",), False),
    add_precisions: (("curve_kernels:add_precisions",), False),
    auc_influences: (("curve_kernels:auc_influences",), False),
    precision_influences: (
        ("curve_kernels:precision_fractions", "curve_kernels:precision_influences"),
        False,
    ),
    add_products: (("curve_kernels:add_products",), False),
    add_by_code: (("curve_kernels:add_by_code",), False),
}
