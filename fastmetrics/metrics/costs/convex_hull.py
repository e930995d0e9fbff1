"""The upper convex hull of the ROC curve, the area under it, and the H-measure."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_positive
from fastmetrics._input.scores import float_thresholds
from fastmetrics._plots._style import model_label
from fastmetrics._plots.curves import PLOTTED, PlotCurve, draw_roc
from fastmetrics._results import OneNumber, OwnArrays
from fastmetrics.errors import InputTypeError
from fastmetrics.tables.score_table import (
    BOTH_CLASSES,
    SCORED_BINARY,
    Floats,
    Hull,
    ScoreTable,
    as_table,
    lacks_a_class,
    upper_hull,
)

_WEIGHTS: Final = ("prevalence", "symmetric")


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
        label = model_label(name, f"convex hull, area {self.auc:.4g}")
        curve = PlotCurve(
            self.false_positive_rate, self.true_positive_rate, label, has_markers=True
        )
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
    thresholds = float_thresholds(table.scores[hull.ends])
    tp, fp = hull.true_positives, hull.false_positives
    return RocConvexHull(fp / float(fp[-1]), tp / float(tp[-1]), thresholds, hull_area(hull))


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
    return hull_area(upper_hull(table))


def hull_area(hull: Hull) -> float:
    """Return the area under a hull of both classes; of counts, correctly rounded."""
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


@documented(SCORED_BINARY, BOTH_CLASSES)
def h_measure(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    cost_weight: str | tuple[float, float] = "prevalence",
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> float:
    """Compute the H-measure: the fraction of a trivial rule's loss that the best thresholds save.

    Parameters
    ----------
    cost_weight : {"prevalence", "symmetric"} or (a, b), default="prevalence"
        How likely each share c is that a false positive has in the price of both errors, as
        Beta(a, b). "prevalence" is Beta(1 + p, 2 - p) with p the share of positives in the data,
        whose mode is p (Hand & Anagnostopoulos 2014); "symmetric" is Beta(2, 2), the same
        for all data (Hand 2009). R's ``hmeasure`` takes Beta(2, 1 / p) by default.

    Returns
    -------
    float
        In [0, 1]: 0 for scores that no threshold makes use of, 1 for perfect ones; nan where a
        class is missing.

    Raises
    ------
    TypeError, ValueError
        If `cost_weight` is none of these, or the data are not binary labels and finite scores.

    Notes
    -----
    1 - L / L_max with L the loss of the best threshold at c, ``c (1 - p) FPR + (1 - c) p FNR``,
    averaged over c, and L_max that of the better trivial rule. One sort; on the hull each block of
    n negatives and p positives loses min(c n, (1 - c) p), whose mean is an incomplete Beta
    function: no quadrature. It is biased upwards, as the hull is.

    References
    ----------
    Hand (2009), Measuring classifier performance: a coherent alternative to the area under the
    ROC curve, Machine Learning 77. Hand & Anagnostopoulos (2014), A better Beta for the H measure
    of classification performance, Pattern Recognition Letters 40.

    Examples
    --------
    >>> y_true = [1, 0, 1, 1, 0, 0, 1, 0]
    >>> y_score = [0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.23, 0.15]
    >>> h_measure(y_true, y_score, cost_weight="symmetric")
    0.25
    """
    from scipy.special import betainc, betaincc

    given = _checked_weight(cost_weight)
    table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    if lacks_a_class(table, "the H-measure"):
        return math.nan
    hull = upper_hull(table)
    n_positive, n_negative = float(table.n_positive), float(table.n_negative)
    positives = np.append(hull.positives, n_positive) / (n_positive + n_negative)
    negatives = np.append(hull.negatives, n_negative) / (n_positive + n_negative)
    prevalence = float(positives[-1])
    parameters = {"symmetric": (2.0, 2.0), "prevalence": (1.0 + prevalence, 2.0 - prevalence)}
    a, b = parameters[given] if isinstance(given, str) else given
    # The mean of min(c n, (1 - c) p) over c from Beta(a, b), for each block.
    turn = positives / (positives + negatives)
    low, high = a / (a + b), b / (a + b)  # the means of c and of 1 - c
    losses: Floats = negatives * low * betainc(a + 1.0, b, turn)
    losses += positives * high * betaincc(a, b + 1.0, turn)
    return float(max(0.0, 1.0 - math.fsum(losses[:-1]) / losses[-1]))


def _checked_weight(cost_weight: Any) -> str | tuple[float, float]:
    """Return the name of a weight, or both parameters of a Beta distribution."""
    if isinstance(cost_weight, str) and cost_weight in _WEIGHTS:
        return cost_weight
    if isinstance(cost_weight, str) or np.shape(cost_weight) != (2,):
        raise InputTypeError(
            "`cost_weight` must be 'prevalence', 'symmetric' or the two parameters of a Beta "
            f"distribution: got {cost_weight!r}"
        )
    a, b = (check_positive("cost_weight", parameter) for parameter in cost_weight)
    return a, b
