"""The upper convex hull of the ROC curve, and the area under it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._plots._style import label_of
from fastmetrics._plots.curves import PLOTTED, Curve
from fastmetrics._plots.score_curves import draw_roc
from fastmetrics._results import OneNumber, OwnArrays
from fastmetrics.tables.scores.both_classes import BOTH_CLASSES, lacks_a_class
from fastmetrics.tables.scores.hull import Hull, upper_hull
from fastmetrics.tables.scores.score_table import SCORED_BINARY, ScoreTable, as_table

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RocConvexHull(OwnArrays, OneNumber):
    """The vertices of the ROC curve's upper convex hull, and the area under it.

    Attributes
    ----------
    false_positive_rate, true_positive_rate : ndarray of shape (n_vertices,)
        From (0, 0) to (1, 1); slopes fall strictly. Read-only.
    thresholds : ndarray of shape (n_vertices,)
        Falling; the first is inf, where nothing is called positive. Read-only.
    auc : float
        Area under the hull, at least that under the curve; nan where a class is missing.
    """

    _number = "auc"

    false_positive_rate: Floats = field(repr=False)
    true_positive_rate: Floats = field(repr=False)
    thresholds: Floats = field(repr=False)
    auc: float

    @documented(PLOTTED)
    def plot(self, ax: Any = None, *, name: str | None = None, **line_options: Any) -> Any:
        """Draw the hull in the ROC square; on the axes of `plot_roc`, above the curve itself."""
        label = label_of(name, f"convex hull, area {self.auc:.4g}")
        curve = Curve(self.false_positive_rate, self.true_positive_rate, label, has_markers=True)
        return draw_roc([curve], ax, options=line_options)


@documented(SCORED_BINARY, BOTH_CLASSES)
def roc_convex_hull(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> RocConvexHull:
    """Compute the upper convex hull of the ROC curve: the thresholds that are best at some costs.

    Returns
    -------
    RocConvexHull
        Its vertices with their thresholds, and its area. Where a class is missing, no vertex and
        an area of nan.

    Notes
    -----
    One sort, then O(distinct scores). A threshold that is no vertex is beaten at every ratio of
    costs. The edges are the blocks of isotonic regression (Fawcett & Niculescu-Mizil 2007). Points
    in the middle of an edge are left out. Counts are compared exactly, and the area is the double
    nearest to the rational; weights whose odds differ by less than 2^-40, relatively, are on one
    edge.

    References
    ----------
    Provost & Fawcett (2001), Robust classification for imprecise environments, Machine Learning
    42(3). Fawcett & Niculescu-Mizil (2007), PAV and the ROC convex hull, Machine Learning 68(1).

    Examples
    --------
    >>> y_true = [1, 0, 1, 1, 0, 0, 1, 0]
    >>> y_score = [0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.23, 0.15]
    >>> hull = roc_convex_hull(y_true, y_score)
    >>> hull.false_positive_rate.tolist(), hull.true_positive_rate.tolist()
    ([0.0, 0.0, 0.75, 1.0], [0.0, 0.25, 1.0, 1.0])
    >>> hull.thresholds.tolist()
    [inf, 0.77, 0.23, 0.15]
    >>> hull.auc
    0.71875
    """
    table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    if lacks_a_class(table, "the convex hull"):
        return RocConvexHull(np.empty(0), np.empty(0), np.empty(0), math.nan)
    hull = upper_hull(table)
    thresholds = np.append(math.inf, table.scores[hull.ends].astype(np.float64))
    tp, fp = hull.true_positives, hull.false_positives
    return RocConvexHull(fp / float(fp[-1]), tp / float(tp[-1]), thresholds, area_of(hull))


@documented(SCORED_BINARY, BOTH_CLASSES)
def roc_hull_auc(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> float:
    """Compute the area under the upper convex hull of the ROC curve.

    Returns
    -------
    float
        In [0.5, 1]; nan where a class is missing.

    Notes
    -----
    The AUC of the scores after isotonic regression on the same data. It is biased upwards, and by
    more the fewer rows there are: scores without any information have one above 0.5. See
    `roc_convex_hull`.

    Examples
    --------
    >>> roc_hull_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.875
    """
    table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    if lacks_a_class(table, "the area under the convex hull"):
        return math.nan
    return area_of(upper_hull(table))


def area_of(hull: Hull) -> float:
    """Return the area under a hull of both classes: of counts the double nearest to it."""
    blocks = zip(hull.positives.tolist(), hull.negatives.tolist(), strict=True)
    if hull.positives.dtype.kind == "f":
        tp, fp = hull.true_positives, hull.false_positives
        doubled = math.fsum(hull.negatives * (tp[:-1] + tp[1:]))
        return min(float(doubled / tp[-1] / fp[-1] / 2.0), 1.0)
    above = twice = n_negative = 0
    for positives, negatives in blocks:
        twice += negatives * (2 * above + positives)
        above += positives
        n_negative += negatives
    return twice / (2 * above * n_negative)
