"""Sweeps over a table of counts (highest score first): ROC corners, the largest gap, row pairs.

Counts are int64 and totals stay below 2**63; products are the callers' to bound.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels._compile import kernel


@kernel
def corner_count(positives: NDArray[np.int64], negatives: NDArray[np.int64]) -> int:
    """Return how many table rows are corners of the ROC curve, both ends included.

    The second difference of the cumulative counts at a row is the difference between the next
    row's counts and its own, so that integers are compared, never sums.
    """
    n = positives.size
    if n <= 2:
        return n
    count = 2
    for i in range(1, n - 1):
        count += (positives[i + 1] != positives[i]) | (negatives[i + 1] != negatives[i])
    return count


@kernel
def write_roc(
    scores: NDArray[np.generic],
    positives: NDArray[np.int64],
    negatives: NDArray[np.int64],
    n_positive: float,
    n_negative: float,
    corners_only: bool,
    fpr: NDArray[np.float64],
    tpr: NDArray[np.float64],
    thresholds: NDArray[np.float64],
) -> None:
    """Fill the curve, the point (0, 0) at threshold inf first, in one pass without branches.

    Every row is written; only a corner advances the place, so that the next row overwrites what
    is not one. A branch here would be mispredicted at two rows in five.
    """
    fpr[0] = 0.0
    tpr[0] = 0.0
    thresholds[0] = np.inf
    true_positives = np.int64(0)
    false_positives = np.int64(0)
    place = 1
    last = positives.size - 1
    for i in range(last):
        true_positives += positives[i]
        false_positives += negatives[i]
        fpr[place] = false_positives / n_negative
        tpr[place] = true_positives / n_positive
        thresholds[place] = scores[i]
        place += (
            (not corners_only)
            | (i == 0)
            | (positives[i + 1] != positives[i])
            | (negatives[i + 1] != negatives[i])
        )
    fpr[place] = (false_positives + negatives[last]) / n_negative
    tpr[place] = (true_positives + positives[last]) / n_positive
    thresholds[place] = scores[last]


@kernel
def largest_gap(
    positives: NDArray[np.int64],
    negatives: NDArray[np.int64],
    n_positive: int,
    n_negative: int,
) -> tuple[int, int, int]:
    """Return the first row of the largest ``|tp * n_negative - fp * n_positive|``, with tp and fp.

    ``n_positive * n_negative`` must be below 2**63.
    """
    gap = np.int64(0)
    largest = np.int64(-1)
    row = 0
    true_positives = np.int64(0)
    false_positives = np.int64(0)
    true_positives_there = np.int64(0)
    false_positives_there = np.int64(0)
    for i in range(positives.size):
        true_positives += positives[i]
        false_positives += negatives[i]
        gap += positives[i] * n_negative - negatives[i] * n_positive
        if abs(gap) > largest:
            largest = abs(gap)
            row = i
            true_positives_there = true_positives
            false_positives_there = false_positives
    return row, true_positives_there, false_positives_there


@kernel
def concordant_pairs_by_row(
    labels: NDArray[np.int8],
    scores: NDArray[np.float64],
    n_positive: NDArray[np.int64],
    n_negative: NDArray[np.int64],
    twice_concordant: NDArray[np.int64],
) -> None:
    """Count, in each row sorted by ascending score, the pairs a positive wins, ties as halves."""
    for row in range(labels.shape[0]):
        positives_below = 0
        negatives_below = 0
        twice = 0
        start = 0
        while start < labels.shape[1]:
            end = start
            tied_positives = 0
            while end < labels.shape[1] and scores[row, end] == scores[row, start]:
                tied_positives += labels[row, end] == 1
                end += 1
            tied_negatives = end - start - tied_positives
            twice += tied_positives * (2 * negatives_below + tied_negatives)
            positives_below += tied_positives
            negatives_below += tied_negatives
            start = end
        n_positive[row] = positives_below
        n_negative[row] = negatives_below
        twice_concordant[row] = twice
