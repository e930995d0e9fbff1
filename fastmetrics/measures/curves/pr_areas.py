"""The area under the precision-recall curve, by three named estimators."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_choice
from fastmetrics.measures.curves.precision_recall import average_precision_of_table, curve_of_table
from fastmetrics.tables.score_table import (
    BOTH_CLASSES,
    SCORED,
    Floats,
    ScoreTable,
    as_table,
    lacks_a_class,
)

Interpolation = Literal["step", "trapezoid", "continuous"]


# x - log1p(x) = x r - 2 (r^3/3 + r^5/5 + ...) with r = x / (2 + x). For x <= 1/2, r <= 1/5 and
# the first term left out, 2 r^25/25, is below 2^-53 of the sum.
_SERIES = tuple(2.0 / k for k in range(3, 25, 2))
_SERIES_LIMIT = 0.5


@documented(SCORED, BOTH_CLASSES)
def pr_auc(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    interpolation: Interpolation = "continuous",
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    n_threads: int | None = None,
) -> float:
    """Compute the area under the precision-recall curve by a named estimator.

    Parameters
    ----------
    interpolation : {"step", "trapezoid", "continuous"}, default="continuous"
        What joins two thresholds. "step" is average precision, where a tie is one step.
        "trapezoid" joins the points of `precision_recall_curve`, the one at recall 0 and
        precision 1 included, by straight lines: too optimistic. "continuous" goes through the
        points that TP and FP reach in equal shares (Davis & Goadrich 2006), as a tie in random
        order does on average.

    Returns
    -------
    float
        The area, in [0, 1]; nan where a class is missing.

    Raises
    ------
    ValueError
        If `interpolation` is unknown, or the data are not binary labels and finite scores.

    Notes
    -----
    One sort, then O(distinct scores) time and memory. With s = dTP/(dTP + dFP) the precision
    inside a segment that starts at TP positives among n predicted ones and adds dn, and
    x = dn/n, the continuous area of the segment is

        s/P [TP log(1 + x) + s n (x - log(1 + x))],

    the integral of t/(t + FP(t)) dt in closed form, rearranged so that both terms are positive:
    nothing cancels. A segment from the origin has precision s throughout.

    References
    ----------
    Davis & Goadrich (2006), The relationship between precision-recall and ROC curves, ICML,
    section 4 (the interpolation). Boyd, Eng & Page (2013), Area under the precision-recall
    curve, ECML PKDD; Keilwagen, Grosse & Grau (2014), Area under precision-recall curves for
    weighted and unweighted data, PLoS ONE 9(3) e92209 (the continuous form, and weights).

    Examples
    --------
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> [round(pr_auc(y_true, y_score, interpolation=kind), 4)
    ...  for kind in ("step", "trapezoid", "continuous")]
    [0.8333, 0.7917, 0.7973]
    """
    check_choice("interpolation", interpolation, get_args(Interpolation))
    table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    if lacks_a_class(table, "the area under the precision-recall curve"):
        return float("nan")
    if interpolation == "continuous":
        return continuous_area(table)
    if interpolation == "step":
        return average_precision_of_table(table)
    precision, recall, _ = curve_of_table(table)
    return float(-np.trapezoid(precision, recall))


def continuous_area(table: ScoreTable) -> float:
    """Return the area under the continuous interpolation of a table that has both classes."""
    tp_end = table.true_positives.astype(np.float64, copy=False)
    fp_end = table.false_positives.astype(np.float64, copy=False)
    rising = np.flatnonzero(table.positives)  # a row without positives has no width
    gain = table.positives[rising].astype(np.float64, copy=False)
    added = gain + table.negatives[rising]
    tp, fp = np.zeros(len(rising)), np.zeros(len(rising))
    inner = rising > 0
    tp[inner] = tp_end[rising[inner] - 1]
    fp[inner] = fp_end[rising[inner] - 1]
    predicted, share = tp + fp, gain / added
    # Of each segment, with TP, not recall, on the axis.
    areas = share * share * added  # from the origin: precision `share` over `share * added`
    later = predicted > 0
    tp, predicted, added, share = tp[later], predicted[later], added[later], share[later]
    log_part, rest = _log1p_and_rest(added / predicted)
    areas[later] = share * (tp * log_part + share * predicted * rest)
    return min(float(np.sum(areas) / tp_end[-1]), 1.0)


def _log1p_and_rest(x: Floats) -> tuple[Floats, Floats]:
    """Return log(1 + x) and x - log(1 + x), both to a few units in the last place."""
    log_part = np.log1p(x)
    rest = x - log_part
    small = x <= _SERIES_LIMIT  # there the subtraction would cancel
    z = x[small]
    r = z / (2.0 + z)
    square = r * r
    tail = np.zeros_like(r)
    for coefficient in reversed(_SERIES):
        tail = tail * square + coefficient
    rest[small] = r * (z - square * tail)
    return log_part, rest
