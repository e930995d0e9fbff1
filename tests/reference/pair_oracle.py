"""Distinct scores and pairs, counted exactly: ``np.unique``, Python integers and Fractions.

Nothing of fastmetrics is used here. ``np.unique`` compares scores in their own dtype, so integers
of any size keep their order and -0.0 is 0.0.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Row = tuple[float | int, Any, Any]


def counted(is_positive: Any, scores: NDArray[Any]) -> list[Row]:
    """Return (score, positives, negatives), highest first, in Python integers."""
    is_positive = np.asarray(is_positive, dtype=bool)
    distinct, at = np.unique(scores, return_inverse=True)
    positives = np.bincount(at[is_positive], minlength=len(distinct))
    negatives = np.bincount(at[~is_positive], minlength=len(distinct))
    return list(
        zip(
            distinct[::-1].tolist(), positives[::-1].tolist(), negatives[::-1].tolist(), strict=True
        )
    )


def weighed(is_positive: Any, scores: NDArray[Any], weights: Iterable[Any]) -> list[Row]:
    """Return (score, positive weight, negative weight), highest first, without weights of 0."""
    cells: dict[float | int, list[Fraction]] = {}
    for label, score, weight in zip(is_positive, scores.tolist(), weights, strict=True):
        exact = Fraction(weight)
        if exact:
            cells.setdefault(score, [Fraction(0), Fraction(0)])[0 if label else 1] += exact
    return [(score, *cells[score]) for score in sorted(cells, reverse=True)]


def totals(table: Sequence[Row]) -> tuple[Any, Any]:
    """Return all positives and all negatives."""
    return sum(row[1] for row in table), sum(row[2] for row in table)


def twice_concordant(table: Sequence[Row]) -> Any:
    """Return twice the pairs whose positive scores higher, plus those that tie."""
    twice = 0
    below = 0
    for _, positives, negatives in reversed(table):
        twice += positives * (2 * below + negatives)
        below += negatives
    return twice


def auc(table: Sequence[Row]) -> Fraction:
    """Return the area under the ROC curve as a rational number."""
    n_positive, n_negative = totals(table)
    return Fraction(twice_concordant(table)) / (2 * n_positive * n_negative)


def rank_loss(table: Sequence[Row]) -> Fraction:
    """Return the rank loss, from its own pairs."""
    n_positive, n_negative = totals(table)
    twice = 0
    above = 0
    for _, positives, negatives in table:
        twice += positives * (2 * above + negatives)
        above += negatives
    return Fraction(twice) / (2 * n_positive * n_negative)
