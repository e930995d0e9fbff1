"""The Kolmogorov-Smirnov distance between the scores of the two classes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._kernels.curve_kernels import gap_ends
from fastmetrics._results import OneNumber
from fastmetrics.measures.curves._pieces import Piece, by_pieces
from fastmetrics.tables.pairs import INT64_BOUND
from fastmetrics.tables.score_table import (
    BOTH_CLASSES,
    SCORED_BINARY,
    ScoreTable,
    as_table,
    lacks_a_class,
)

# Of |tp / n_positive - fp / n_negative| in float64: each count may be rounded, as may each
# quotient (up to 1) and the difference: seven roundings of 2**-53.
_GAP_ERROR = 8 * 2.0**-53


@dataclass(frozen=True, slots=True, repr=False)
class KolmogorovSmirnov(OneNumber):
    """The largest distance between true and false positive rate, and where it lies.

    Attributes
    ----------
    statistic : float
        The largest ``|TPR - FPR|``, in [0, 1].
    threshold : float or int
        The highest threshold (a score) that has it; an int when the scores are integers.
    sign : int
        1 where the positives lie higher (TPR > FPR), -1 where they lie lower, 0 when the
        statistic is 0.
    true_positive_rate, false_positive_rate : float
        The rates at that threshold.

    Examples
    --------
    >>> KolmogorovSmirnov(0.5, 0.35, 1, true_positive_rate=1.0, false_positive_rate=0.5)
    KolmogorovSmirnov(statistic=0.5, threshold=0.35, sign=1, true_positive_rate=1,
    false_positive_rate=0.5)
    """

    _number = "statistic"

    statistic: float
    threshold: float | int
    sign: int
    true_positive_rate: float
    false_positive_rate: float


@documented(SCORED_BINARY, BOTH_CLASSES)
def ks_statistic(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> KolmogorovSmirnov:
    """Compute the two-sided Kolmogorov-Smirnov distance between the classes' scores.

    Returns
    -------
    KolmogorovSmirnov
        The largest ``|TPR - FPR|`` of the decision score >= threshold, the highest threshold
        that has it, the sign of the difference there, and both rates. Every number is nan, and
        the sign 0, where a class is missing.

    Notes
    -----
    One sort, then one pass over the distinct scores. Unweighted gaps are compared as the
    integers ``tp * n_negative - fp * n_positive``, of any size: the threshold is exact, and the
    statistic is the double nearest to the rational. The largest positive gap is Youden's J.

    References
    ----------
    Smirnov (1948), Table for estimating the goodness of fit of empirical distributions, Annals
    of Mathematical Statistics 19(2).

    Examples
    --------
    >>> ks_statistic([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    KolmogorovSmirnov(statistic=0.5, threshold=0.8, sign=1, true_positive_rate=0.5,
    false_positive_rate=0)
    """
    table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    if lacks_a_class(table, "the Kolmogorov-Smirnov statistic"):
        nan = float("nan")
        return KolmogorovSmirnov(nan, nan, 0, nan, nan)
    return ks_of_table(table)


def ks_of_table(table: ScoreTable) -> KolmogorovSmirnov:
    """Return the statistic of a table that has both classes."""
    if not table.is_weighted:
        n_positive, n_negative = int(table.n_positive), int(table.n_negative)
        row, tp, fp = _integer_gap(table, n_positive, n_negative)
        return ks_at(table.scores[row].item(), tp, fp, n_positive, n_negative)
    tprs, fprs = (sums / sums[-1] for sums in (table.true_positives, table.false_positives))
    row = int(np.argmax(np.abs(tprs - fprs)))
    tpr, fpr = float(tprs[row]), float(fprs[row])
    return _ks(table.scores[row].item(), tpr - fpr, tpr, fpr)


def ks_at(
    threshold: int | float, tp: int, fp: int, n_positive: int, n_negative: int
) -> KolmogorovSmirnov:
    """Return the statistic whose threshold is known, with the counts there."""
    gap = (tp * n_negative - fp * n_positive) / (n_positive * n_negative)
    return _ks(threshold, gap, tp / n_positive, fp / n_negative)


def _ks(threshold: int | float, gap: float, tpr: float, fpr: float) -> KolmogorovSmirnov:
    return KolmogorovSmirnov(abs(gap), threshold, (gap > 0) - (gap < 0), tpr, fpr)


def _integer_gap(table: ScoreTable, n_positive: int, n_negative: int) -> tuple[int, int, int]:
    if n_positive * n_negative < INT64_BOUND:

        def ends_of(piece: Piece) -> list[list[int]]:
            ends = np.empty(6, np.int64)
            gap_ends(*piece.columns, n_positive, n_negative, ends)
            above = piece.start, piece.tp, piece.fp
            found: list[list[int]] = np.add(ends.reshape(2, 3), above).tolist()
            return found

        counts = chain.from_iterable(by_pieces(table, ends_of))
    else:
        # The products do not fit: floats tell which rows can be the largest, integers which is.
        tp, fp = table.true_positives, table.false_positives
        nearly = np.abs(tp / n_positive - fp / n_negative)
        rows = np.flatnonzero(nearly >= nearly.max() - 2 * _GAP_ERROR)
        counts = iter(np.stack((rows, tp[rows], fp[rows]), axis=1).tolist())
    # Of equal ones the first: the highest threshold.
    row, *there = max(counts, key=lambda c: (abs(c[1] * n_negative - c[2] * n_positive), -c[0]))
    return row, there[0], there[1]
