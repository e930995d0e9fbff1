"""What prices and prevalence ask for: a place on the axis of a cost curve, and the precision there.

Here live the checks of what mistakes cost.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_fraction
from fastmetrics._results import Result
from fastmetrics.errors import InputError, UndefinedMetricWarning, warn_user
from fastmetrics.tables.scores._threshold import is_called_positive, real_threshold
from fastmetrics.tables.scores.score_table import SCORED_BINARY, ScoreTable, as_table


class Prices(NamedTuple):
    """What errors cost, and how many examples are positive: checked."""

    prevalence: float
    cost_fn: float
    cost_fp: float

    @property
    def of_positives(self) -> float:
        """What it costs to miss every positive, an example."""
        return self.prevalence * self.cost_fn

    @property
    def of_negatives(self) -> float:
        """What it costs to call every negative positive, an example."""
        return (1.0 - self.prevalence) * self.cost_fp

    @property
    def probability_cost(self) -> float:
        """The share of positives in what all errors together would cost: P(+)cost."""
        largest = max(self.cost_fn, self.cost_fp)  # products of tiny prices would be 0
        positive = self.prevalence * (self.cost_fn / largest)
        return positive / (positive + (1.0 - self.prevalence) * (self.cost_fp / largest))


def check_prices(prevalence: Any, cost_fn: Any, cost_fp: Any) -> Prices:
    """Return prices >= 0, not both 0, and a share of positives strictly between 0 and 1."""
    prices = [
        check_fraction(name, cost, high=math.inf, include_low=True)
        for name, cost in (("cost_fn", cost_fn), ("cost_fp", cost_fp))
    ]
    if not any(prices):
        raise InputError(
            "`cost_fn` and `cost_fp` must not both be 0: every decision would cost the same"
        )
    return Prices(check_fraction("prevalence", prevalence), *prices)


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
