"""The area under a part of the ROC curve, between two FPRs or two TPRs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_flag, check_real
from fastmetrics.errors import InputError, UndefinedMetricWarning, warn_user
from fastmetrics.tables.pairs import exact_dot
from fastmetrics.tables.score_table import SCORED, ScoreTable, as_table, lacks_a_class


@documented(SCORED)
def partial_auc(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    false_positive_rate_range: tuple[float, float] | None = None,
    true_positive_rate_range: tuple[float, float] | None = None,
    standardized: bool = False,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> float:
    """Compute the area under the part of the ROC curve between two FPRs or two TPRs.

    Parameters
    ----------
    false_positive_rate_range : (float, float), optional
        The lowest and highest false positive rate: pROC's focus on specificity, with the
        specificities 1 - high to 1 - low. (0, 1) when no range is given.
    true_positive_rate_range : (float, float), optional
        The lowest and highest true positive rate: pROC's focus on sensitivity.
    standardized : bool, default=False
        Whether the area is rescaled so that the diagonal has .5 and a perfect curve 1.

    Returns
    -------
    float
        The area, at most high - low; nan where a class is missing, or where the corrected area
        is not defined.

    Raises
    ------
    ValueError
        If both ranges are given, a range is not 0 <= low < high <= 1, `standardized` is no bool, or
        the data are not binary labels and finite scores.

    Warns
    -----
    UndefinedMetricWarning
        If only one class is present; or, standardized, if the area is below the diagonal's,
        where the correction is not defined (pROC does the same).

    Notes
    -----
    The raw area is the integral of TPR over FPR for `false_positive_rate_range`, and of 1 - FPR
    over TPR for `true_positive_rate_range`. Ties are diagonals, and the curve is cut inside them at
    the ends of the range.
    McClish's correction is ``(1 + (area - diagonal) / (perfect - diagonal)) / 2`` with
    ``perfect = high - low`` and ``diagonal = (high - low) * (low + high) / 2`` over FPRs,
    ``(high - low) * (2 - low - high) / 2`` over TPRs. From FPR 0 to max_fpr it is the number of
    ``roc_auc_score(max_fpr=)``, which scikit-learn gives below the diagonal too.

    One sort, then a few passes over the distinct scores. Without weights everything is
    rational arithmetic (the ends of the range are taken as the doubles they are), rounded once.

    References
    ----------
    McClish (1989), Analyzing a portion of the ROC curve, Medical Decision Making 9(3).
    Robin et al. (2011), pROC: an open-source package for R and S+ to analyze and compare ROC
    curves, BMC Bioinformatics 12:77.

    Examples
    --------
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> partial_auc(y_true, y_score, false_positive_rate_range=(0, 0.5))
    0.25
    >>> partial_auc(y_true, y_score, true_positive_rate_range=(0.5, 1), standardized=True)
    0.6666666666666666
    """
    over_tpr, low, high = _checked_range(false_positive_rate_range, true_positive_rate_range)
    check_flag("standardized", standardized)
    table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    if lacks_a_class(table, "the partial AUC"):
        return float("nan")
    area = area_between(table, low, high, over_tpr=over_tpr)
    if not standardized:
        return float(area)
    corrected = mcclish(area, low, high, over_tpr=over_tpr)
    if corrected < Fraction(1, 2):
        message = "the corrected partial AUC is not defined for an area below the diagonal's"
        warn_user(message, UndefinedMetricWarning)
        return float("nan")
    return float(corrected)


def _checked_range(
    false_positive_rate_range: Any, true_positive_rate_range: Any
) -> tuple[bool, Fraction, Fraction]:
    """Return whether the range is one of TPRs, and its ends."""
    if false_positive_rate_range is not None and true_positive_rate_range is not None:
        raise InputError("give `false_positive_rate_range` or `true_positive_rate_range`, not both")
    over_tpr = true_positive_rate_range is not None
    name, given = (
        ("true_positive_rate_range", true_positive_rate_range)
        if over_tpr
        else ("false_positive_rate_range", false_positive_rate_range)
    )
    if given is None:
        return False, Fraction(0), Fraction(1)
    try:
        low, high = given
    except (TypeError, ValueError):
        raise InputError(f"`{name}` must be a pair (low, high): got {given!r}") from None
    low, high = check_real(name, low), check_real(name, high)
    if not 0 <= low < high <= 1:
        raise InputError(f"`{name}` must satisfy 0 <= low < high <= 1: got {given!r}")
    return over_tpr, Fraction(low), Fraction(high)


def mcclish(area: Fraction, low: Fraction, high: Fraction, *, over_tpr: bool) -> Fraction:
    """Return the area rescaled so that the diagonal's is 1/2 and the largest is 1."""
    perfect = high - low
    diagonal = perfect * (2 - low - high if over_tpr else low + high) / 2
    return (1 + (area - diagonal) / (perfect - diagonal)) / 2


def area_between(table: ScoreTable, low: Fraction, high: Fraction, *, over_tpr: bool) -> Fraction:
    """Return the area of a table that has both classes; exact when its counts are integers.

    Each row of the table is a piece of curve with a width along the axis of the range, a height
    where it starts (from the worst corner of the other axis) and a rise.
    """
    above, false_alarms = table.true_positives, table.false_positives
    n_positive, n_negative = above[-1].item(), false_alarms[-1].item()
    if over_tpr:
        ends, widths, drops = above, table.positives, table.negatives
        # 1 - FPR falls by the negatives: in counts, n_negative - FP at the end of each row.
        floors = n_negative - false_alarms
    else:
        ends, widths, drops = false_alarms, table.negatives, table.positives
        floors = above - table.positives

    def cut(share: Fraction) -> tuple[int, Fraction]:
        """Return how many rows end by a share of the axis, and twice the area of the next to it."""
        place = share * Fraction(ends[-1].item())
        # Integers: compare with the whole part, which int64 holds. Floats: with the nearest double.
        key = ends.dtype.type(place.__floor__() if ends.dtype.kind == "i" else float(place))
        row = int(np.searchsorted(ends, key, side="right"))
        start = Fraction(ends[row - 1].item()) if row > 0 else Fraction(0)
        depth = max(place - start, Fraction(0))
        if depth == 0 or row == len(ends):
            return row, Fraction(0)
        drop, floor = Fraction(drops[row].item()), Fraction(floors[row].item())
        slope = drop / Fraction(widths[row].item())
        if over_tpr:  # it falls from the higher side
            return row, depth * (2 * (floor + drop) - slope * depth)
        return row, depth * (2 * floor + slope * depth)

    (first, before), (last, behind) = cut(low), cut(high)
    rows = slice(first, last)
    # Twice a trapezoid is its width times (2 * the lower side + the difference of its sides).
    twice = Fraction(
        2 * exact_dot(widths[rows], floors[rows]) + exact_dot(widths[rows], drops[rows])
    )
    area = (twice + behind - before) / (2 * Fraction(n_positive) * Fraction(n_negative))
    return min(max(area, Fraction(0)), high - low)  # sums of weights are rounded
