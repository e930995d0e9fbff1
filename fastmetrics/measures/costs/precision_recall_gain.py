"""The precision-recall-gain curve and its area (Flach & Kull 2015)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._plots._style import label_of
from fastmetrics._plots.curves import PLOTTED, Curve, Guide, draw_curves
from fastmetrics._results import OneNumber, OwnArrays
from fastmetrics.tables.scores.both_classes import BOTH_CLASSES, lacks_one
from fastmetrics.tables.scores.score_table import SCORED_BINARY, Floats, ScoreTable, as_table


@dataclass(frozen=True, slots=True, repr=False)
class PrecisionRecallGain(OwnArrays, OneNumber):
    """Precision gain against recall gain, from recall gain 0 on, and the area under it.

    Attributes
    ----------
    recall_gain : ndarray of shape (n_points,)
        From 0 to 1; read-only.
    precision_gain : ndarray of shape (n_points,)
        At most 1, negative where precision is below the prevalence; read-only.
    thresholds : ndarray of shape (n_points,)
        The distinct scores, descending; the first point, where recall equals the prevalence, has
        that of the tie or of the next score, through which the curve gets there. Read-only.
    area : float
        Under the curve between recall gains 0 and 1; negative precision gains count as such.
    """

    _number = "area"

    recall_gain: Floats
    precision_gain: Floats
    thresholds: NDArray[Any]
    area: float

    @documented(PLOTTED)
    def plot(self, ax: Any = None, *, name: str | None = None, **line_options: Any) -> Any:
        """Draw precision gain, down to -1, against recall gain."""
        label = label_of(name, f"area {self.area:.3f}")
        curve = Curve(self.recall_gain, self.precision_gain, label)
        guides = [
            Guide((0.0, 1.0), (0.0, 0.0), "always positive", ":"),
            Guide((0.0, 1.0), (1.0, 0.0), "F1 of always positive"),
        ]
        labels = ("recall gain", "precision gain")
        return draw_curves([curve], guides, labels, ax, depth=1.0, options=line_options)


@documented(SCORED_BINARY, BOTH_CLASSES)
def precision_recall_gain_curve(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> PrecisionRecallGain:
    """Compute precision gain and recall gain at every threshold, and the area under the curve.

    Returns
    -------
    PrecisionRecallGain
        The points from recall gain 0 on, and the area.

    Notes
    -----
    ``precision gain = (precision - p) / ((1 - p) precision)`` with p the prevalence, recall gain
    the same of recall: 0 at the prevalence, where the classifier that calls all positive is, 1 at
    best. On this scale F-scores average as arithmetic means do, points are joined by straight
    lines, and areas of different data sets compare. The first point is where the expected curve
    (linear in TP and FP between thresholds) has recall = p, computed exactly.

    One sort, then O(distinct scores).

    References
    ----------
    Flach, P. & Kull, M. (2015). Precision-recall-gain curves: PR analysis done right. Advances in
    Neural Information Processing Systems 28.

    Examples
    --------
    >>> found = precision_recall_gain_curve([1, 1, 0, 0, 1, 0], [0.8, 0.8, 0.6, 0.4, 0.4, 0.2])
    >>> found.recall_gain, found.precision_gain
    (array([0. , 0.5, 0.5, 1. , 1. ]), array([1.        , 1.        , 0.5       , 0.33333333,
           0.        ]))
    >>> round(found.area, 12)
    0.708333333333
    """
    table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    if lacks_one(table.n_positive > 0, table.n_negative > 0, "the precision-recall-gain curve"):
        nothing = np.empty(0)
        return PrecisionRecallGain(nothing, nothing, nothing, math.nan)
    tp, fp = table.true_positives, table.false_positives
    n_positive, n_negative = table.n_positive, table.n_negative
    least = _exact(n_positive) ** 2 / (_exact(n_positive) + _exact(n_negative))
    row = int(np.searchsorted(tp, float(least)))  # the first threshold whose recall may be p
    while row and _exact(tp[row - 1]) >= least:
        row -= 1
    while _exact(tp[row]) < least:
        row += 1
    before = (_exact(tp[row - 1]), _exact(fp[row - 1])) if row else (0, 0)
    gained = _exact(tp[row]) - before[0]
    share = (least - before[0]) / gained
    first_fp = before[1] + share * (_exact(fp[row]) - before[1])
    odds = _exact(n_positive) / _exact(n_negative)
    last = tp[row:].astype(np.float64)
    missed, false = n_positive - tp[row:], fp[row:].astype(np.float64)
    scale = n_positive / n_negative
    recall_gain = np.concatenate(([0.0], 1.0 - scale * (missed / last)))
    precision_gain = np.concatenate(
        ([float(1 - odds * first_fp / least)], 1.0 - scale * (false / last))
    )
    precision_gain[-1] = 0.0  # all are called positive
    thresholds = np.concatenate((table.scores[row : row + 1], table.scores[row:]))
    if _exact(tp[row]) == least:  # the point itself is a threshold
        recall_gain, precision_gain = recall_gain[1:], precision_gain[1:]
        recall_gain[0], thresholds = 0.0, thresholds[1:]
    area = float(np.sum(np.diff(recall_gain) * (precision_gain[1:] + precision_gain[:-1])) / 2.0)
    return PrecisionRecallGain(recall_gain, precision_gain, thresholds, area)


def _exact(value: Any) -> Fraction:
    return Fraction(value.item() if isinstance(value, np.generic) else value)
