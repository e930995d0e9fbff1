"""Loops over a range of the rows of a table: what adds up, or of what the best remains."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels._compile import kernel


@kernel
def gap_ends(
    positives: NDArray[np.int64],
    negatives: NDArray[np.int64],
    n_positive: int,
    n_negative: int,
    ends: NDArray[np.int64],
) -> None:
    """Find where ``tp * n_negative - fp * n_positive``, from 0 above the first row, is at its ends.

    ``ends`` becomes the first row, tp and fp of the largest, then of the smallest. Either class's
    rows here times all rows of the other must be below 2**63.
    """
    tp = np.int64(0)
    fp = np.int64(0)
    largest = np.int64(0)
    smallest = np.int64(0)
    for i in range(positives.size):
        tp += positives[i]
        fp += negatives[i]
        gap = tp * n_negative - fp * n_positive
        if i == 0 or gap > largest:
            largest = gap
            ends[0] = i
            ends[1] = tp
            ends[2] = fp
        if i == 0 or gap < smallest:
            smallest = gap
            ends[3] = i
            ends[4] = tp
            ends[5] = fp


@kernel
def add_precisions(
    positives: NDArray[np.int64],
    negatives: NDArray[np.int64],
    true_positives: int,
    false_positives: int,
    terms: NDArray[np.float64],
    limbs: NDArray[np.int64],
) -> None:
    """Add ``p * tp / (tp + fp)`` of each row, a double, exactly: to limbs of 32 bits from 2**-128.

    ``true_positives`` and ``false_positives`` are those above the first row; ``terms`` is scratch
    of a place a row. Each of the seven limbs is less than ``2**33`` greater after a row.
    """
    tp = np.int64(true_positives)
    fp = np.int64(false_positives)
    for i in range(positives.size):
        tp += positives[i]
        fp += negatives[i]
        terms[i] = positives[i] * (tp / (np.float64(tp) + np.float64(fp)))
    bits = terms.view(np.int64)
    for i in range(positives.size):
        word = bits[i]
        if word > 0:
            mantissa = (word & np.int64(0xFFFFFFFFFFFFF)) | np.int64(0x10000000000000)
            place = (word >> 52) - 947
            limb = place >> 5
            shift = place & 31
            low = (mantissa & np.int64(0xFFFFFFFF)) << shift
            high = (mantissa >> 32) << shift
            limbs[limb] += low & np.int64(0xFFFFFFFF)
            limbs[limb + 1] += (low >> 32) + (high & np.int64(0xFFFFFFFF))
            limbs[limb + 2] += high >> 32
