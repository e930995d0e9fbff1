"""The cost curve: what the best threshold costs, whatever the prices and the prevalence."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics.measures.costs._blocks import half_harmonic_sum, useful_vertices
from fastmetrics.measures.costs.cost_curve_result import CostCurve, no_curve
from fastmetrics.tables.scores.both_classes import BOTH_CLASSES, lacks_a_class
from fastmetrics.tables.scores.hull import upper_hull
from fastmetrics.tables.scores.score_table import SCORED_BINARY, ScoreTable, as_table


@documented(SCORED_BINARY, BOTH_CLASSES)
def cost_curve(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> CostCurve:
    """Compute the cost curve: the cost of the best threshold at every ratio of costs.

    Returns
    -------
    CostCurve
        The vertices of the lower envelope with the thresholds between them, and its area. Where a
        class is missing, no threshold and an area of nan.

    Notes
    -----
    One sort, then O(distinct scores). The line of a threshold runs from (0, FPR) to (1, FNR); the
    lower envelope of them all is the dual of the ROC curve's convex hull. Each coordinate of a
    vertex is one division of integers; the area of counts is the double nearest to the rational.

    References
    ----------
    Drummond, C. & Holte, R. (2006). Cost curves: an improved method for visualizing classifier
    performance. Machine Learning 65(1), 95-130.

    Examples
    --------
    >>> y_true = [1, 0, 1, 1, 0, 0, 1, 0]
    >>> y_score = [0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.23, 0.15]
    >>> curve = cost_curve(y_true, y_score)
    >>> curve
    CostCurve(expected_total_cost=0.1875, prevalence=0.5)
    >>> curve.probability_cost.tolist(), curve.normalized_cost.tolist()
    ([0.0, 0.5, 1.0], [0.0, 0.375, 0.0])
    >>> curve.thresholds.tolist()
    [0.77, 0.23]
    >>> curve.operating_point(cost_fn=4, cost_fp=1, prevalence=0.2).threshold
    0.77
    """
    table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    if lacks_a_class(table, "the cost curve"):
        return no_curve()
    return curve_of_table(table)


def curve_of_table(table: ScoreTable) -> CostCurve:
    """Return the cost curve of a table with both classes."""
    hull = upper_hull(table)
    best = useful_vertices(table, hull)
    x, y = best.breakpoints()
    return CostCurve(
        expected_total_cost=half_harmonic_sum(hull),
        probability_cost=np.concatenate(([0.0], x, [1.0])),
        normalized_cost=np.concatenate((best.fpr[:1], y, best.fnr[-1:])),
        thresholds=best.thresholds.copy(),
        false_positive_rate=best.fpr,
        true_positive_rate=best.tpr,
        prevalence=float(best.n_positive / (best.n_positive + best.n_negative)),
    )


@documented(SCORED_BINARY, BOTH_CLASSES)
def expected_total_cost(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> float:
    """Compute the area under the lower envelope of the cost curve.

    Returns
    -------
    float
        In [0, 0.25]: the mean normalized cost of the best thresholds, all values of P(+)cost
        alike; nan where a class is missing.

    Notes
    -----
    Its thresholds are the best for these very data: it is biased downwards, and by more the fewer
    rows there are. See `cost_curve`.

    Examples
    --------
    >>> expected_total_cost([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.125
    """
    table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    if lacks_a_class(table, "the expected total cost"):
        return math.nan
    return half_harmonic_sum(upper_hull(table))
