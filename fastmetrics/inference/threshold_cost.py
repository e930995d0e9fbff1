"""Intervals of the cheapest threshold and of its cost, without a bootstrap."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.classes import check_groups
from fastmetrics._input.rows import check_binary
from fastmetrics._input.scalars import WeightsAre, check_confidence_level, check_weights_are
from fastmetrics._input.scores import Costs, check_costs, check_prevalence, lengths_agree
from fastmetrics._results import ConfidenceInterval, Result
from fastmetrics.errors import DegenerateDataWarning, InputTypeError, warn_user
from fastmetrics.inference.estimate_result import FIELDS
from fastmetrics.inference.reference import NOWHERE, critical_value, t_interval
from fastmetrics.inference.units import Units
from fastmetrics.metrics.costs.operating_point import (
    class_mean_influences,
    cost_at_half,
    relative_savings,
)
from fastmetrics.tables.cost_table import (
    COSTED,
    ROUNDING,
    CostTable,
    costs_of_counts,
    costs_of_rows,
)
from fastmetrics.tables.ordering import row_order
from fastmetrics.tables.score_table import (
    BOTH_CLASSES,
    SCORED,
    ScoreTable,
    as_table,
    lacks_one,
    lacks_spread,
    real_threshold,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
#: Relative tolerance of equal costs.
EQUAL_COSTS: Final = 2.0**-40
OF_COST: Final = "the interval of the cost"
DEGENERATE: Final = (
    "the interval of the cost is degenerate: no mistake costs anything on these data, which do not "
    "show how rare they are"
)


class CostedRows(NamedTuple):
    """Rows, or classes at distinct scores: index of the score, class, cost of a mistake, weight.

    ``costs`` are in the units of the table; ``weights`` are None if each entry is a row, and counts
    of rows if ``are_rows``. ``groups`` are group codes of rows.
    """

    score_index: NDArray[np.int64]
    positive: NDArray[np.bool_]
    costs: Floats
    weights: NDArray[Any] | None
    are_rows: bool
    groups: NDArray[np.int64] | None = None

    def units(self, *, by_class: bool) -> Units:
        """Build the sampling units: rows, or groups of rows."""
        counts, weights = (self.weights, None) if self.are_rows else (None, self.weights)
        strata = self.positive.astype(np.int64) if by_class else None
        return Units(len(self.costs), counts, weights, groups=self.groups, strata=strata)

    def weighted_costs(self, positive_factor: float, negative_factor: float) -> Floats:
        """Compute the cost of each mistake times its weight and the factor of its class."""
        one = self.costs if self.weights is None else self.costs * self.weights
        return np.asarray(one * np.where(self.positive, positive_factor, negative_factor))


def cost_rows(
    y_true: Any,
    y_score: Any,
    costs: tuple[Costs, Costs],
    prevalence: float | None,
    *,
    sample_weight: Any,
    weights_are: WeightsAre | None,
    pos_label: Any,
    groups: Any,
) -> tuple[CostTable, CostedRows]:
    """Compute the costs of all thresholds, and the rows that they sum."""
    are_by_row = groups is not None or any(isinstance(cost, np.ndarray) for cost in costs)
    if isinstance(y_true, ScoreTable):
        as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)  # it alone
        if y_true.is_weighted or are_by_row:
            raise InputTypeError(
                "a ScoreTable has no rows, which importances, groups and costs by row belong to: "
                "pass labels and scores"
            )
        return _cost_table(y_true, costs, prevalence)
    rows = check_binary(
        y_true,
        y_score,
        sample_weight=sample_weight,
        weights_are="frequencies" if weights_are == "frequencies" else None,
        pos_label=pos_label,
    )
    codes = None if groups is None else check_groups(groups, len(rows.scores))
    if rows.weights is None and not are_by_row:
        return _cost_table(ScoreTable.from_rows(rows), costs, prevalence)
    for name, cost in zip(("cost_fn", "cost_fp"), costs, strict=True):
        lengths_agree(name, cost, len(rows.scores))
    table = costs_of_rows(rows, *costs, prevalence)
    order = row_order(rows.scores).rows  # searching and adding up in order is many times as fast
    positive = rows.labels[order] == 1
    ascending = np.searchsorted(table.scores[::-1], rows.scores[order])
    index = np.maximum(len(table.scores) - 1 - ascending, 0)  # scores of no cost may be missing
    row_costs = [cost[order] if isinstance(cost, np.ndarray) else cost for cost in costs]
    cells = CostedRows(
        score_index=index,
        positive=positive,
        costs=np.ldexp(np.where(positive, *row_costs).astype(np.float64), table.exponent),
        weights=None if rows.weights is None else rows.weights[order],
        are_rows=weights_are == "frequencies",
        groups=None if codes is None else codes[order],
    )
    return table, cells


def _cost_table(
    table: ScoreTable, costs: tuple[Costs, Costs], prevalence: float | None
) -> tuple[CostTable, CostedRows]:
    table_of_costs = costs_of_counts(table, *costs, prevalence)
    indices = np.flatnonzero(table.positives), np.flatnonzero(table.negatives)
    sizes = [len(each) for each in indices]
    scaled = [math.ldexp(float(cost), table_of_costs.exponent) for cost in costs]
    return table_of_costs, CostedRows(
        score_index=np.concatenate(indices),
        positive=np.repeat([True, False], sizes),
        costs=np.repeat(scaled, sizes),
        weights=np.concatenate((table.positives[indices[0]], table.negatives[indices[1]])),
        are_rows=True,
    )


def cost_factors(table: CostTable) -> tuple[float, float]:
    """Return the factors of the expected cost for positives and for negatives."""
    if table.prevalence is None:
        each = 1.0 / (table.n_positive + table.n_negative)
        return each, each
    return table.prevalence / table.n_positive, (1.0 - table.prevalence) / table.n_negative


def jackknife_mistakes(table: CostTable, cells: CostedRows) -> NDArray[np.bool_]:
    """Return a mask of rows that the cheapest threshold without them, or a group, gets wrong."""
    factors = (1, 1) if table.prevalence is None else cost_factors(table)
    total = factors[0] * table.missed + factors[1] * table.alarms
    if cells.groups is not None:
        lost = cells.weighted_costs(*factors)
        called = _is_called_without_groups(total, cells, cells.groups, lost)
        return np.asarray(called != cells.positive)
    one = cells.costs if cells.weights is None or cells.are_rows else cells.costs * cells.weights
    lost = one * np.where(cells.positive, *factors)
    return np.asarray(is_called_without(np.append(total, np.inf), cells, lost) != cells.positive)


def is_called_without(
    costs: Floats, rows: CostedRows, lost: Floats, rounding: float = ROUNDING
) -> NDArray[np.bool_]:
    """Return a mask of rows that the cheapest threshold of the other rows calls positive.

    ``costs`` are the least of thresholds above all scores of the rows, those of their scores, and
    the least of lower ones; ``lost`` is what each row's mistake costs. Without a positive all
    thresholds above its score cost less by that, without a negative all up to its score: the
    cheapest of both sides are compared.
    """
    above = np.minimum.accumulate(costs)[:-2][rows.score_index]
    below = np.minimum.accumulate(costs[::-1])[::-1][1:-1][rows.score_index]
    called = below + np.where(rows.positive, lost, 0.0)
    not_called = above + np.where(rows.positive, 0.0, lost)
    return np.asarray(called * (1.0 + rounding) < not_called)


def _is_called_without_groups(
    total: Floats, cells: CostedRows, groups: Ints, lost: Floats
) -> NDArray[np.bool_]:
    """Return a mask of rows called positive by the cheapest threshold without their group.

    Between two rows of a group, the costs of thresholds (``total``) decrease by one number: the sum
    of ``lost`` over the group's mistakes. The cheapest of all stretches decides.
    """
    order = np.lexsort((cells.score_index, groups))
    ends = np.cumsum(np.bincount(groups))
    starts = np.append(0, ends[:-1])
    n_stretches = len(order) + len(ends)  # one more than rows in each group
    opens = starts + np.arange(len(ends))
    after = np.delete(np.arange(n_stretches), opens)  # each row, and the stretch after it
    first, last = np.zeros(n_stretches, np.int64), np.full(n_stretches, len(total) - 1)
    first[after] = cells.score_index[order] + 1
    last[after - 1] = cells.score_index[order]
    # subtract the group's costs: missed positives above, false alarms below
    spared = np.zeros(n_stretches)
    spared[after] = np.where(cells.positive, lost, -lost)[order]
    spared[opens] = np.bincount(groups, np.where(cells.positive, 0.0, lost))
    along = np.cumsum(spared)
    before = along[opens] - spared[opens]
    sizes = np.diff(np.append(opens, n_stretches))
    costs = _least_between(total, first, last) + along - np.repeat(before, sizes)
    least = np.repeat(np.minimum.reduceat(costs, opens), sizes)
    indices = np.arange(n_stretches)
    is_best = costs <= least * (1.0 + EQUAL_COSTS)
    best = np.minimum.reduceat(np.where(is_best, indices, n_stretches), opens)
    called = np.empty(len(order), np.bool_)
    called[order] = after <= np.repeat(best, sizes - 1)
    return called


def _least_between(values: Floats, first: Ints, last: Ints) -> Floats:
    """Compute minima of ranges of values by two overlapping windows; inf if empty."""
    least = np.full(len(first), np.inf)
    lengths = last - first + 1
    width = 1
    while width <= lengths.max():
        fits = (lengths >= width) & (lengths < 2 * width)
        least[fits] = np.minimum(values[first[fits]], values[last[fits] - width + 1])
        values = np.minimum(values[:-width], values[width:])
        width *= 2
    return least


def change_variances(table: CostTable, cells: CostedRows, row: int) -> Floats:
    """Compute the variance of the difference of each threshold's cost from that of ``row``."""
    factors = cost_factors(table)
    n = len(table.scores)
    if cells.groups is None:
        squares = np.zeros(n + 1)
        one = np.square(cells.costs * np.where(cells.positive, *factors))
        if cells.weights is not None:
            one *= cells.weights if cells.are_rows else np.square(cells.weights)
        np.cumsum(np.bincount(cells.score_index, one, minlength=n), out=squares[1:])
        return np.asarray(np.abs(squares - squares[row]))
    changes = cells.weighted_costs(*factors) * np.where(cells.positive, -1.0, 1.0)
    sums = np.zeros(n + 1)
    for side, way in ((cells.score_index >= row, 1), (cells.score_index < row, -1)):
        rows = np.flatnonzero(side)
        rows = rows[np.lexsort((way * cells.score_index[rows], cells.groups[rows]))]
        change = changes[rows]
        along = np.cumsum(change)
        opens = np.flatnonzero(np.diff(cells.groups[rows], prepend=-1))
        before = along - change
        before -= np.repeat(before[opens], np.diff(np.append(opens, len(change))))
        added = np.bincount(cells.score_index[rows], change * (2.0 * before + change), minlength=n)
        if way > 0:
            sums[row + 1 :] = np.cumsum(added[row:])
        else:
            sums[:row] = np.cumsum(added[:row][::-1])[::-1]
    return np.maximum(sums, 0.0)


_NAN = math.nan


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
        """Estimate of the confidence interval: `left_out_cost`."""
        return self.left_out_cost

    @property
    def standard_error(self) -> None:
        """None: the interval is one of ratios, from a limit of one cost to that of another."""

    @property
    def savings(self) -> float:
        """1 - `left_out_cost` / the cost of the cheaper trivial rule."""
        return relative_savings(self.left_out_cost, self.cost_all_positive, self.cost_all_negative)


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
    >>> result = threshold_cost_interval(y_true, y_score, cost_fn=5, cost_fp=1)
    >>> result.threshold, result.cost, result.left_out_cost
    (0.25, 0.3, 0.8)
    >>> result.cost_all_positive, result.cost_all_negative
    (0.5, 2.5)
    """
    level = check_confidence_level(confidence_level)
    read = check_weights_are(sample_weight, weights_are)
    given = None if threshold is None else real_threshold(threshold)
    table, cells = cost_rows(
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
    units.warn_small_samples(None)
    row = table.best() if given is None else table.row_at(given)
    at = table.threshold_at(row) if given is None else given
    here = _mean(
        cells, np.where(cells.score_index < row, ~cells.positive, cells.positive), table, level
    )
    fresh = here
    around = ConfidenceInterval(at, at)
    if given is None:
        fresh = _mean(cells, jackknife_mistakes(table, cells), table, level)
        around = _not_dearer(table, cells, row, critical_value(df, 1.0 - level))
    low, high = min(here[1].low, fresh[1].low), max(here[1].high, fresh[1].high)
    sizes = cells.units(by_class=table.prevalence is not None).units_by_stratum
    if len(sizes) > 1 and lacks_spread(sizes[1], sizes[0], OF_COST):
        low = high = _NAN
    elif high == 0:
        warn_user(DEGENERATE, DegenerateDataWarning)
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
    cells: CostedRows, mistaken: NDArray[np.bool_], table: CostTable, level: float
) -> tuple[float, ConfidenceInterval]:
    """Compute the mean cost of the mistakes, with limits on the log scale: costs are skew."""
    losses = np.where(mistaken, cells.costs, 0.0)  # scaled: their squares do not overflow
    value, influences = class_mean_influences(
        cells.positive, losses, cells.weights, table.prevalence
    )
    variance = cells.units(by_class=table.prevalence is not None).variance(influences)
    df = math.inf if cells.groups is None else variance.df
    unscaled = [
        math.ldexp(each, -table.exponent) for each in (float(value), variance.standard_error)
    ]
    interval = t_interval(unscaled[0], unscaled[1], df, level, "log", bounds=(0.0, math.inf))
    return unscaled[0], interval


def _not_dearer(table: CostTable, cells: CostedRows, row: int, z: float) -> ConfidenceInterval:
    """Return the range of thresholds whose cost is within z errors of the least one."""
    factors = cost_factors(table)
    costs = factors[0] * table.missed + factors[1] * table.alarms
    changes = change_variances(table, cells, row)
    around = CloseThresholds(z, costs[row], costs[0], changes[0])
    around.add(table.scores, costs[1:], changes[1:])
    return around.interval()


class CloseThresholds:
    """Thresholds whose cost is within z errors of the difference from the least one.

    Scores come from the highest down; ``none`` is the cost of calling nothing positive, and
    ``change`` the variance of its difference.
    """

    def __init__(self, z: float, least: float, none: float, change: float) -> None:
        self._z = z
        self._least = least
        self._low: Any = -math.inf
        #: The last threshold so far is close, so that the next score is the lower limit.
        self._is_open = bool(self._are_close(none, change))
        self._high: Any = math.inf if self._is_open else None

    def _are_close(self, costs: Any, changes: Any) -> Any:
        return costs - self._least <= self._z * np.sqrt(changes) + EQUAL_COSTS * self._least

    def add(self, scores: NDArray[Any], costs: Floats, changes: Floats) -> None:
        """Add thresholds at lower scores, with the variances of their differences."""
        if self._is_open:
            self._low = scores[0].item()
        close = np.flatnonzero(self._are_close(costs, changes))
        self._is_open = bool(len(close)) and close[-1] == len(scores) - 1
        if len(close):
            if self._high is None:
                self._high = scores[close[0]].item()
            if not self._is_open:
                self._low = scores[close[-1] + 1].item()

    def interval(self) -> ConfidenceInterval:
        """Return the lowest and the highest, which decides as all down to the next score."""
        return ConfidenceInterval(-math.inf if self._is_open else self._low, self._high)
