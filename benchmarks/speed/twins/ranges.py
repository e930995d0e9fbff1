"""Naive twins of the kernels that walk a range of a table, by NumPy and fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from benchmarks.speed.data import Data
from benchmarks.speed.twins.curves import Pair, columns
from fastmetrics._kernels import range_kernels


def gap_ends(data: Data) -> Pair:
    _, positives, negatives = columns(data)
    totals = int(positives.sum()), int(negatives.sum())
    ends = np.empty(6, np.int64)

    def ours() -> tuple[Any, ...]:
        range_kernels.gap_ends(positives, negatives, *totals, ends)
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
        range_kernels.add_precisions(positives, negatives, 0, 0, terms, limbs)
        return (sum(limb << 32 * k for k, limb in enumerate(limbs.tolist())),)

    def twin() -> tuple[Any, ...]:
        tp, fp = np.cumsum(positives), np.cumsum(negatives)
        precisions = positives * (tp / (tp + fp))
        return (int(sum(map(Fraction, precisions.tolist())) * 2**128),)

    return ours, twin


TWINS = {
    gap_ends: (("range_kernels:gap_ends",), False),
    add_precisions: (("range_kernels:add_precisions",), False),
}
