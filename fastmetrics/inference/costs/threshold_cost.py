"""How sure the cheapest threshold is, and what it will cost: intervals without a bootstrap."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.scalars import WeightsAre, check_confidence_level, check_weights_are
from fastmetrics._input.weights import check_costs, check_prevalence
from fastmetrics._results import ConfidenceInterval, Result
from fastmetrics.errors import DegenerateDataWarning, warn_user
from fastmetrics.inference._sample_sizes import warn_of_few_groups
from fastmetrics.inference.costs._cost_cells import (
    Cells,
    costed,
    mistaken_when_left_out,
    shares_of,
    variances_of_changes,
)
from fastmetrics.inference.estimate_result import FIELDS
from fastmetrics.inference.reference import NOWHERE, critical_value, interval_of
from fastmetrics.measures.costs.net_benefit import of_shares
from fastmetrics.measures.costs.row_costs import cost_at_half, savings_of
from fastmetrics.tables.cost_table import COSTED, CostTable
from fastmetrics.tables.score_table import (
    BOTH_CLASSES,
    SCORED,
    ScoreTable,
    lacks_one,
    lacks_spread,
    real_threshold,
)

Floats = NDArray[np.float64]
_NAN = math.nan
# Costs this near to one another, relative to their size, may differ by rounding alone.
_ROUNDING = 2.0**-40


@documented(FIELDS)
@dataclass(frozen=True, slots=True, repr=False)
class ThresholdCostInterval(Result):
    """The cheapest threshold and its cost, each with an interval.

    Attributes
    ----------
    threshold : int or float
        The cheapest, or the one that was given: positive is score >= threshold.
    threshold_interval : ConfidenceInterval
        For the threshold that is the cheapest in the population; of a threshold that was given,
        itself twice.
    cost : float
        The expected cost of an example on these data; too low where they chose the threshold.
    left_out_cost : float
        The same where the threshold is chosen anew without each row, or each group, whose cost is
        then counted: an honest estimate for new data. Of a threshold that was given, `cost`.
    confidence_interval : ConfidenceInterval
        For the expected cost on new data.
    cost_at_half : float
        Of the threshold 0.5; nan where scores leave [0, 1].
    cost_all_positive, cost_all_negative : float
        Of calling everything positive, and nothing.
    confidence_level : float
        Of both intervals.
    prevalence : float or None
        The share of positives that was assumed; None for that of the data.
    """

    threshold: int | float
    threshold_interval: ConfidenceInterval
    cost: float
    left_out_cost: float
    confidence_interval: ConfidenceInterval
    cost_at_half: float
    cost_all_positive: float
    cost_all_negative: float
    confidence_level: float
    prevalence: float | None
    weights_are: WeightsAre | None

    @property
    def estimate(self) -> float:
        """What the confidence interval is of: `left_out_cost`."""
        return self.left_out_cost

    @property
    def standard_error(self) -> None:
        """None: the interval is one of ratios, from a limit of one cost to that of another."""

    @property
    def savings(self) -> float:
        """1 - `left_out_cost` / the cost of the cheaper trivial rule."""
        return savings_of(self.left_out_cost, self.cost_all_positive, self.cost_all_negative)


@documented(SCORED, COSTED, BOTH_CLASSES)
def threshold_cost_interval(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    cost_fn: ArrayLike,
    cost_fp: ArrayLike,
    prevalence: float | None = None,
    threshold: float | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    pos_label: Any = None,
    n_threads: int | None = None,
) -> ThresholdCostInterval:
    """Find the cheapest threshold and what it will cost on new data, with intervals of both.

    Parameters
    ----------
    threshold : int or float, optional
        A threshold that was chosen on other data, or by other means: its cost alone is then
        estimated. None: the cheapest on these data. At two prices for all rows, `estimate` and
        `compare` with the metric "expected_cost" say it too, of several models as well.
    groups : array-like of shape (n_samples,), optional
        Which rows belong together (user, patient): groups then vary and are left out, not rows.

    Returns
    -------
    ThresholdCostInterval
        The threshold with its interval; the cost on these data, with each row left out, and its
        interval; what 0.5 and the trivial rules cost.

    Warns
    -----
    SmallSampleWarning
        If groups are worth few.
    DegenerateDataWarning
        If no mistake costs anything: the interval of the cost is then a point.
    UndefinedMetricWarning
        If a class has one row and there is a `prevalence`: the limits of the cost are nan.

    Notes
    -----
    **The bootstrap is wrong for both** (``docs/coverage.md``). The least of many noisy costs is
    biased downwards, and each replicate is so once more; the place of the least converges with the
    cube root of n. Instead:

    - *the threshold*: all thresholds whose cost is not above the least one by more than z standard
      errors of that difference, which rows between the two thresholds alone decide, from the
      lowest to the highest such;
    - *the cost of a given threshold*: a mean, with normal limits on the log scale;
    - *the cost of the cheapest*: from the lower limit of its cost on these data to the upper
      one of the cost with each row left out (their union, where they are apart).

    With few positives of very unequal costs no interval is sure (80 to 94 %): an amount not yet
    seen may outweigh all others. With a ``prevalence``, classes are samples of their own. Rows, or
    groups, must be independent; of groups the quantiles are Student's. One sort, then O(n) time and
    memory, of groups O(n log n) time.

    References
    ----------
    Kim, J. & Pollard, D. (1990). Cube root asymptotics. Annals of Statistics 18, 191-219.
    Abrevaya, J. & Huang, J. (2005). On the bootstrap of the maximum score estimator. Econometrica
    73, 1175-1204.

    Examples
    --------
    >>> y_true = [0, 0, 1, 0, 1, 0, 1, 0, 1, 1]
    >>> y_score = [0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    >>> found = threshold_cost_interval(y_true, y_score, cost_fn=5, cost_fp=1)
    >>> found.threshold, found.cost, found.left_out_cost
    (0.25, 0.3, 0.8)
    >>> found.cost_all_positive, found.cost_all_negative
    (0.5, 2.5)
    """
    level = check_confidence_level(confidence_level)
    read = check_weights_are(sample_weight, weights_are)
    given = None if threshold is None else real_threshold(threshold)
    table, cells = costed(
        y_true,
        y_score,
        (check_costs("cost_fn", cost_fn), check_costs("cost_fp", cost_fp)),
        check_prevalence(prevalence),
        sample_weight=sample_weight,
        weights_are=read,
        pos_label=pos_label,
        groups=groups,
    )
    if lacks_one(table.n_positive > 0, table.n_negative > 0, "the cost of a threshold"):
        undefined = (_NAN, NOWHERE, _NAN, _NAN, NOWHERE, _NAN, _NAN, _NAN)
        return ThresholdCostInterval(*undefined, level, table.prevalence, read)
    units = cells.units(by_class=False)
    df = math.inf if groups is None else units.effective_groups - 1.0
    if groups is not None:
        warn_of_few_groups(units.effective_groups, units.n_units)
    row = table.best() if given is None else table.row_of(given)
    at = table.threshold_of(row) if given is None else given
    here = _mean(cells, np.where(cells.place < row, ~cells.positive, cells.positive), table, level)
    fresh, around = here, ConfidenceInterval(at, at)
    if given is None:
        fresh = _mean(cells, mistaken_when_left_out(table, cells), table, level)
        around = _not_dearer(table, cells, row, critical_value(df, 1.0 - level))
    low, high = min(here[1].low, fresh[1].low), max(here[1].high, fresh[1].high)
    sizes = cells.units(by_class=table.prevalence is not None).units_of_strata
    if len(sizes) > 1 and lacks_spread(sizes[1], sizes[0], "the interval of the cost"):
        low = high = _NAN
    elif high == 0:
        warn_user(
            "the interval of the cost is degenerate: no mistake costs anything on these data, "
            "which do not show how rare they are",
            DegenerateDataWarning,
        )
    return ThresholdCostInterval(
        threshold=at,
        threshold_interval=around,
        cost=float(table.cost_at(row)),
        left_out_cost=float(table.cost_at(row)) if given is not None else fresh[0],
        confidence_interval=ConfidenceInterval(low, high),
        cost_at_half=cost_at_half(table),
        cost_all_positive=float(table.cost_at(-1)),
        cost_all_negative=float(table.cost_at(0)),
        confidence_level=level,
        prevalence=table.prevalence,
        weights_are=read,
    )


def _mean(
    cells: Cells, mistaken: NDArray[np.bool_], table: CostTable, level: float
) -> tuple[float, ConfidenceInterval]:
    """Return the mean cost of the mistakes, with limits on the log scale: costs are skew."""
    losses = np.where(mistaken, cells.costs, 0.0)  # scaled: their squares do not overflow
    value, influences = of_shares(cells.positive, losses, cells.weights, table.prevalence)
    spread = cells.units(by_class=table.prevalence is not None).spread(influences)
    df = math.inf if cells.groups is None else spread.df
    unscaled = [math.ldexp(each, -table.exponent) for each in (float(value), spread.standard_error)]
    interval = interval_of(unscaled[0], unscaled[1], df, level, "log", bounds=(0.0, math.inf))
    return unscaled[0], interval


def _not_dearer(table: CostTable, cells: Cells, row: int, z: float) -> ConfidenceInterval:
    """Return from where to where a threshold's cost is within z errors of the least one."""
    of_positive, of_negative = shares_of(table)
    costs = of_positive * table.missed + of_negative * table.alarms
    errors = np.sqrt(variances_of_changes(table, cells, row))
    kept = np.flatnonzero(costs - costs[row] <= z * errors + _ROUNDING * costs[row])
    lowest = int(kept[-1])  # decides as all thresholds down to the next score
    low = table.scores[lowest].item() if lowest < len(table.scores) else -math.inf
    return ConfidenceInterval(low, table.threshold_of(int(kept[0])))
