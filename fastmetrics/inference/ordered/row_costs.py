"""The cheapest threshold of rows in the order of their scores, read range by range.

The figures are those of `threshold_cost_interval`. A first pass sums up each range, from which the
cheapest threshold follows; a second one leaves out each row and compares thresholds with it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import groupby
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels.merges import cumulative_pair
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import DegenerateDataWarning, InputError, warn_user
from fastmetrics.inference.ordered.row_sums import RowBatch, ScoredRows, sum_by_score
from fastmetrics.inference.reference import NOWHERE, critical_value, t_interval
from fastmetrics.inference.threshold_cost import DEGENERATE, EQUAL_COSTS, ThresholdCostInterval
from fastmetrics.inference.units import Floats
from fastmetrics.tables.cost_table import FREE

#: Costs this near to one another, relatively, are one: sums of ranges are rounded more often than
#: those of a table.
_ROUNDING: Final = 2.0**-46


class _Table(NamedTuple):
    """Sums by score of a range, the highest first.

    ``missed`` and ``alarms`` are what the positives and the negatives weigh or cost; ``squares``
    are squared costs of rows.
    """

    scores: NDArray[Any]
    missed: Floats
    alarms: Floats
    squares: Floats


class _Loss:
    """Sums over rows of a loss times the weight, and of its squares about a centre."""

    def __init__(self, centre: float, *, are_counts: bool) -> None:
        self._centre = centre
        self._are_counts = are_counts
        self._sums = np.zeros(4)

    def add(self, losses: Floats, weights: Floats) -> None:
        """Add rows."""
        squared = weights if self._are_counts else weights * weights
        off = losses - self._centre
        terms = weights * losses, squared * off * off, squared * off, squared
        self._sums += [np.sum(term) for term in terms]

    def interval(
        self, weight: float, factor: float, level: float
    ) -> tuple[float, ConfidenceInterval]:
        """Compute the mean loss, with limits on the log scale; ``factor`` is of the variance."""
        total, second, first, zeroth = self._sums.tolist()
        mean = total / weight
        shift = mean - self._centre
        squares = max(second - 2.0 * shift * first + shift * shift * zeroth, 0.0)
        error = math.sqrt(factor * squares) / weight
        bounds = (0.0, math.inf)
        return mean, t_interval(mean, error, math.inf, level, "log", bounds=bounds)


class RowCosts:
    """Costs of all thresholds of a model's rows; both classes have rows.

    ``costs`` are those of missing a positive and of a false alarm, or None where each row has its
    own. ``largest`` is the largest cost.
    """

    def __init__(self, rows: ScoredRows, costs: tuple[float, float] | None, largest: float) -> None:
        if not largest > 0.0:
            raise InputError(FREE)
        self._rows = rows
        self._are_counts = not rows.totals.are_importances
        self._exponent = -math.frexp(largest)[1]  # squares stay in the range of doubles
        self._by_class = None
        self._prices = 1.0, 1.0
        if costs is not None:
            self._prices = self._scale(costs[0]), self._scale(costs[1])
            self._by_class = self._prices
        self._ranges: list[_Table] = []
        self._sum_up()

    def _scale(self, cost: float) -> float:
        return math.ldexp(float(cost), self._exponent)

    def _unscale(self, cost: float) -> float:
        return math.ldexp(cost, -self._exponent)

    def _row_costs(self, batch: RowBatch) -> Floats:
        if self._by_class is not None:
            return np.where(batch.positive, *self._by_class)
        return np.ldexp(batch.costs, self._exponent)

    def _table(self, batch: RowBatch, costs: Floats, starts: NDArray[np.int64]) -> _Table:
        lost = costs * batch.weights
        masses = batch.weights if self._by_class is not None else lost
        missed = np.where(batch.positive, masses, 0.0)
        squares = lost * (costs if self._are_counts else lost)
        columns = missed, masses - missed, squares
        return _Table(batch.scores[starts], *sum_by_score(starts, len(lost), *columns))

    def _batches(self) -> Iterator[tuple[int, _Table, NDArray[np.int64], RowBatch, Floats]]:
        """Give the number of a range and its table; rows, the index of their scores, and costs."""
        for k, batch in self._rows.batches():
            costs = self._row_costs(batch)
            starts, index = batch.score_index()
            if self._ranges and self._rows.ranges[k].only is not None:
                yield k, self._ranges[k], index, batch, costs
            else:
                yield k, self._table(batch, costs, starts), index, batch, costs

    def _sum_up(self) -> None:
        """Sum up each range, and find the cheapest threshold."""
        wholes: list[_Table] = []
        least = []
        for _, batches in groupby(self._batches(), key=lambda each: each[0]):
            tables = [table for _, table, *_ in batches]
            sums = [np.array([np.sum([t[k].sum() for t in tables])]) for k in (1, 2, 3)]
            wholes.append(_Table(tables[0].scores[:1].copy(), *sums))
            table = tables[0] if len(tables) == 1 else wholes[-1]
            least.append(float(self._costs_at(table, 0.0, 0.0).min()))
        missed, alarms, squares = (
            np.concatenate(each) for each in list(zip(*wholes, strict=True))[1:]
        )
        self._missed, self._alarms = float(missed.sum()), float(alarms.sum())
        self._above = np.cumsum(alarms) - alarms
        self._below = np.cumsum(missed[::-1])[::-1] - missed
        self._squares = np.cumsum(squares) - squares
        of_ranges = np.array(least) + self._prices[0] * self._below + self._prices[1] * self._above
        #: The least cost of thresholds: above all scores, and in each range.
        self._least = np.append(self._prices[0] * self._missed, of_ranges)
        self._ranges = wholes
        best = _first_least(self._least) - 1
        self._best: tuple[int | float, float, float] = math.inf, float(self._least[0]), 0.0
        if best < 0:
            return
        table = wholes[best]
        if self._rows.ranges[best].only is None:
            ((_, batch),) = self._rows.batches([self._rows.ranges[best]])
            table = self._table(batch, self._row_costs(batch), batch.score_index()[0])
        costs = self._costs_at(table, float(self._above[best]), float(self._below[best]))
        at = _first_least(costs)
        squares_at = float(self._squares[best] + table.squares[: at + 1].sum())
        self._best = table.scores[at].item(), float(costs[at]), squares_at

    def _costs_at(self, table: _Table, above: float, below: float) -> Floats:
        """Compute the cost of each score of a range as a threshold.

        ``above`` are alarms of higher ranges, ``below`` the missed positives of lower ones. Both
        are summed from their end: a small rest is no difference of two large sums.
        """
        alarms, missed = np.empty((2, len(table.scores)))
        lower = np.append(0.0, table.missed[:0:-1])
        cumulative_pair(table.alarms, lower, alarms, missed)
        return self._prices[0] * (below + missed[::-1]) + self._prices[1] * (above + alarms)

    def cheapest(self, level: float) -> ThresholdCostInterval:
        """Find the cheapest threshold, its cost and that on new data; without groups intervals."""
        totals = self._rows.totals
        threshold, cost, _ = self._best
        weight = sum(totals.sizes)
        fitted, left_out = (_Loss(cost / weight, are_counts=self._are_counts) for _ in range(2))
        around = _CloseThresholds(self._best, self._least[0], level)
        half = 0.0
        ends = [-math.inf, math.inf]
        last = -1
        for k, table, index, batch, costs in self._batches():
            positive, weights = batch.positive, batch.weights
            at_scores = self._costs_at(table, float(self._above[k]), float(self._below[k]))
            if k > last:
                around.add(table.scores, at_scores, self._squares[k] + np.cumsum(table.squares))
                last = k
            lost = costs * weights
            for losses, is_called in (
                (fitted, batch.scores >= threshold),
                (left_out, self._is_called(k, at_scores, index, positive, costs, lost)),
            ):
                losses.add(np.where(is_called != positive, costs, 0.0), weights)
            half += float(np.sum(lost[(batch.scores >= 0.5) != positive]))
            if (priced := batch.scores[lost > 0.0]).size:
                ends = [max(ends[0], priced[0].item()), min(ends[1], priced[-1].item())]
        factor = float(totals.units(False).factors[0])
        _, here = fitted.interval(weight, factor, level)
        mean, fresh = left_out.interval(weight, factor, level)
        low, high = min(here.low, fresh.low), max(here.high, fresh.high)
        if high == 0.0:
            warn_user(DEGENERATE, DegenerateDataWarning)
        alone = not totals.n_groups
        limits = ConfidenceInterval(self._unscale(low), self._unscale(high))

        def of_row(total: float) -> float:
            return self._unscale(total / weight)

        return ThresholdCostInterval(
            threshold=threshold,
            threshold_interval=around.interval() if alone else NOWHERE,
            cost=of_row(cost),
            left_out_cost=self._unscale(mean),
            confidence_interval=limits if alone else NOWHERE,
            cost_at_half=math.nan if ends[0] > 1 or ends[1] < 0 else of_row(half),
            cost_all_positive=of_row(self._prices[1] * self._alarms),
            cost_all_negative=of_row(self._prices[0] * self._missed),
            confidence_level=level,
            prevalence=None,
            weights_are=totals.weights_are,
        )

    def _is_called(
        self,
        k: int,
        at_scores: Floats,
        index: NDArray[np.int64],
        positive: NDArray[np.bool_],
        costs: Floats,
        lost: Floats,
    ) -> NDArray[np.bool_]:
        """Return whether the cheapest threshold of the other rows calls each row positive.

        Without a positive all thresholds above its score cost less by its cost, without a negative
        all up to its score: the cheapest of both sides are compared.
        """
        one = costs if self._are_counts else lost
        higher = np.append(self._least[: k + 1].min(), at_scores[:-1])
        lower = np.append(at_scores, self._least[k + 2 :].min(initial=math.inf))
        above = np.minimum.accumulate(higher)[index]
        below = np.minimum.accumulate(lower[::-1])[::-1][index]
        called = below + np.where(positive, one, 0.0)
        return np.asarray(called * (1.0 + _ROUNDING) < above + np.where(positive, 0.0, one))


class _CloseThresholds:
    """Thresholds whose cost is within z errors of the difference from the least one."""

    def __init__(self, best: tuple[Any, float, float], none: float, level: float) -> None:
        self._z = critical_value(math.inf, 1.0 - level)
        _, self._least, self._squares = best
        self._low: Any = -math.inf
        #: The last threshold so far is close, so that the next score is the lower limit.
        self._is_open = self._are_close(np.array([none]), np.zeros(1))[0]
        self._high: Any = math.inf if self._is_open else None

    def _are_close(self, costs: Floats, squares: Floats) -> NDArray[np.bool_]:
        errors = np.sqrt(np.abs(squares - self._squares))
        limit = self._z * errors + EQUAL_COSTS * self._least
        return np.asarray(costs - self._least <= limit)

    def add(self, scores: NDArray[Any], costs: Floats, squares: Floats) -> None:
        """Add the thresholds at the scores of the next range."""
        if self._is_open:
            self._low = scores[0].item()
        close = np.flatnonzero(self._are_close(costs, squares))
        self._is_open = bool(len(close)) and close[-1] == len(scores) - 1
        if len(close):
            if self._high is None:
                self._high = scores[close[0]].item()
            if not self._is_open:
                self._low = scores[close[-1] + 1].item()

    def interval(self) -> ConfidenceInterval:
        """Return the lowest and the highest, which decides as all down to the next score."""
        return ConfidenceInterval(-math.inf if self._is_open else self._low, self._high)


def _first_least(costs: Floats) -> int:
    """Return the index of the first of the least costs."""
    return int(np.argmax(costs <= costs.min() * (1.0 + _ROUNDING)))
