"""The cheapest threshold for prices and a prevalence, and the precision at another prevalence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_fraction
from fastmetrics._results import Result
from fastmetrics.errors import UndefinedMetricWarning, warn_user
from fastmetrics.tables.score_table import (
    SCORED_BINARY,
    ScoreTable,
    as_table,
    is_called_positive,
    real_threshold,
)


@dataclass(frozen=True, slots=True, repr=False)
class OperatingPoint(Result):
    """The cheapest threshold for given prices and prevalence, and what it costs.

    Attributes
    ----------
    threshold : float
        Scores from it on are called positive; inf where none is.
    false_positive_rate, true_positive_rate : float
        The rates there.
    probability_cost : float
        The place on the axis of the cost curve, P(+)cost.
    normalized_cost : float
        The cost as a share of that of the worst decisions.
    expected_cost : float
        The cost of an example, in the unit of the prices.
    trivial_cost : float
        What the cheaper of the two trivial rules costs: to call all positive, or none.
    precision : float
        The share of positives among those called positive, at this prevalence; nan where none is.
    """

    threshold: float
    false_positive_rate: float
    true_positive_rate: float
    probability_cost: float
    normalized_cost: float
    expected_cost: float
    trivial_cost: float
    precision: float


def precision_of_rates(tpr: float, fpr: float, prevalence: float) -> float:
    """Return the precision of two rates where so many examples are positive; nan for 0 / 0."""
    true, false = prevalence * tpr, (1.0 - prevalence) * fpr
    return true / (true + false) if true + false > 0 else math.nan


@documented(SCORED_BINARY)
def prevalence_adjusted_precision(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    threshold: float,
    prevalence: float,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> float:
    """Compute the precision to expect where the share of positives is another one.

    Parameters
    ----------
    threshold : float
        Scores >= threshold are called positive; 1 for predicted labels 0 and 1.
    prevalence : float
        The share p of positives where the classifier will be used, in (0, 1).

    Returns
    -------
    float
        ``p TPR / (p TPR + (1 - p) FPR)``; nan where nothing is called positive, or a class is
        missing.

    Raises
    ------
    TypeError, ValueError
        If the prevalence is not in (0, 1), or the threshold is no number.

    Warns
    -----
    UndefinedMetricWarning
        If it is undefined.

    Notes
    -----
    One sort; O(distinct scores) from a table. The rates are those of the data, whatever share of
    them is positive: data that were sampled by class, or from elsewhere, do.

    Examples
    --------
    >>> y_true, y_pred = [1, 1, 1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 1, 0, 0, 0]
    >>> prevalence_adjusted_precision(y_true, y_pred, threshold=1, prevalence=0.5)
    0.75
    >>> prevalence_adjusted_precision(y_true, y_pred, threshold=1, prevalence=0.1)
    0.25
    """
    share, bound = check_fraction("prevalence", prevalence), real_threshold(threshold)
    table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    called = is_called_positive(table.scores, bound)
    tp, fp = (column[called].sum() for column in (table.positives, table.negatives))
    n_positive, n_negative = table.n_positive, table.n_negative
    precision = math.nan
    if n_positive > 0 and n_negative > 0:
        precision = precision_of_rates(float(tp / n_positive), float(fp / n_negative), share)
    if math.isnan(precision):
        warn_user(
            "the precision is not defined: nothing is called positive, or a class is missing",
            UndefinedMetricWarning,
        )
    return precision
