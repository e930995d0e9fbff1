"""Metrics and costs of rows in the order of their scores, read range by range from sorted runs.

Two passes over rows with groups or importances: the first one summarizes each range, from which
values follow; the second computes the influence of each row, and sums these, by group too. Of costs
the first one finds the cheapest threshold, as in `threshold_cost_interval`; the second leaves out
each row and compares thresholds with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import groupby
from operator import add
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import WeightsAre
from fastmetrics._kernels.curve_kernels import add_by_code, add_products
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import DegenerateDataWarning, InputError, warn_user
from fastmetrics.inference.measurement import Measurement, measure_groups
from fastmetrics.inference.range_summary import (
    MEASURED,
    Cut,
    Lookup,
    RangeSummary,
    ScoreCells,
    cell_starts,
    final_influences,
    influences_here,
    later_tails,
    summarize_range,
)
from fastmetrics.inference.reference import NOWHERE, critical_value, t_interval
from fastmetrics.inference.threshold_cost import (
    DEGENERATE,
    OF_COST,
    CloseThresholds,
    CostedRows,
    ThresholdCostInterval,
    is_called_without,
)
from fastmetrics.inference.units import Floats, Units
from fastmetrics.metrics._metric import LARGEST_GAP
from fastmetrics.metrics.asking import MetricRequest
from fastmetrics.metrics.curves.influences import gap_influences
from fastmetrics.metrics.registry import OF_RANGES
from fastmetrics.tables.cost_table import FREE, first_least, missed_and_alarms
from fastmetrics.tables.row_runs import RowRuns
from fastmetrics.tables.score_runs import RunRange
from fastmetrics.tables.score_table import ScoreTable, first_indices, lacks_spread


@dataclass(eq=False)
class RowTotals:
    """Sums over all rows by class, the negatives first.

    ``rows`` counts rows; ``powers``, shape (3, 2), has sums of weights, their squares and cubes.
    Weights are importances or frequencies, 1 by default; ``are_whole`` if they
    are integers. ``n_groups`` is 0 without groups.
    """

    weights_are: WeightsAre | None
    n_groups: int = 0
    rows: NDArray[np.int64] = field(default_factory=lambda: np.zeros(2, np.int64))
    powers: Floats = field(default_factory=lambda: np.zeros((3, 2)))
    are_whole: bool = True

    def add(self, positive: NDArray[np.bool_], weights: Floats) -> None:
        """Add rows of positive weight."""
        squares = weights * weights
        for label, here in enumerate((~positive, positive)):
            self.rows[label] += np.count_nonzero(here)
            for power, each in zip(self.powers, (weights, squares, squares * weights), strict=True):
                power[label] += each[here].sum()

    @property
    def kind(self) -> type[np.int64 | np.float64]:
        """The dtype of sums of weights: whole numbers are exact."""
        return np.int64 if self.are_whole and self.powers[0].sum() < 2.0**53 else np.float64

    @property
    def sizes(self) -> tuple[float, float]:
        """Weights of the positives and of the negatives, integers where all weights are."""
        negatives, positives = self.powers[0].astype(self.kind).tolist()
        return positives, negatives

    @property
    def are_importances(self) -> bool:
        """True if weights are not numbers of rows."""
        return self.weights_are == "importances"

    def units(self, is_by_class: bool) -> Units:
        """Return the rows as sampling units: one point, or one per class."""
        rows, powers = self.rows.astype(np.float64), self.powers
        if not is_by_class:
            rows, powers = rows.sum(keepdims=True), powers.sum(axis=1, keepdims=True)
        strata = np.arange(2) if is_by_class else None
        if not self.are_importances:
            return Units(len(rows), powers[0], strata=strata, sizes=powers[0])
        return Units(len(rows), None, powers[0], strata=strata, sizes=rows, powers=powers)


class RowBatch(NamedTuple):
    """Rows of a range, the highest score first."""

    scores: NDArray[Any]
    positive: NDArray[np.bool_]
    weights: Floats
    groups: NDArray[Any] | None = None
    costs: Floats | None = None

    def score_index(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the first row of each score, and the index of each row's score."""
        starts = first_indices(self.scores)
        return starts, np.repeat(np.arange(len(starts)), np.diff(starts, append=len(self.scores)))

    def sums(self, starts: NDArray[np.int64], values: Floats) -> tuple[Floats, Floats]:
        """Sum values of rows by score, of positives and of negatives."""
        of_positives = np.where(self.positive, values, 0.0)
        columns = of_positives, values - of_positives
        if len(starts) < len(values):
            columns = np.add.reduceat(columns[0], starts), np.add.reduceat(columns[1], starts)
        return columns


class ScoredRows:
    """The rows of one model in sorted runs.

    Columns of the runs are weights, as ``signed`` negative for negatives; and codes of ``groups``
    and ``costs``, if there are any.
    """

    def __init__(self, runs: RowRuns, totals: RowTotals) -> None:
        self._runs = runs
        self.totals = totals
        self.ranges: list[RunRange] = runs.ranges()
        #: Tables of ranges of one score, whose rows are too many to be read at once.
        self._tied: dict[int, ScoreTable] = {}

    def batches(self, ranges: Sequence[RunRange] | None = None) -> Iterator[tuple[int, RowBatch]]:
        """Give the rows of ranges, by default of all, with the number of the range."""
        for k, columns in self._runs.read(ranges or self.ranges):
            signed = columns.pop("signed")
            given = {"positive": signed > 0, "weights": np.abs(signed).astype(np.float64)}
            yield k, RowBatch(**columns, **given)

    def summarize(self, n_cells: int = 0) -> RangeSummary:
        """Summarize all ranges of scores, with about ``n_cells`` cells for the lookup of counts."""
        cut = self._cut(n_cells) if n_cells and not self.totals.are_importances else None
        sizes = self.totals.sizes
        summary = RangeSummary(*sizes)
        for k, batches in groupby(self.batches(), key=lambda each: each[0]):
            table = reduce(add, (self._table(batch) for _, batch in batches))
            if self.ranges[k].only is not None:
                self._tied[k] = table
            summary += summarize_range(table, summary.positives, summary.negatives, *sizes, cut)
        units = self.totals.units(True)
        return replace(
            summary,
            n_positive=summary.positives,  # by running sums, of which those of thresholds are parts
            n_negative=summary.negatives,
            tables=self._table_of,
            effective=units.class_sizes() if self.totals.are_importances else None,
        )

    def _cut(self, n_cells: int) -> Cut:
        return n_cells, n_cells // len(self.ranges)

    def _table(self, batch: RowBatch) -> ScoreTable:
        starts = first_indices(batch.scores)
        columns = batch.sums(starts, batch.weights)
        positives, negatives = (each.astype(self.totals.kind) for each in columns)
        return ScoreTable._from_columns(batch.scores[starts], positives, negatives)

    def _table_of(self, k: int) -> ScoreTable:
        """Return the table of a range."""
        if k not in self._tied:
            ((_, batch),) = self.batches([self.ranges[k]])
            return self._table(batch)
        return self._tied[k]

    def measure(
        self, summary: RangeSummary, metrics: Sequence[MetricRequest], n_cells: int = 0
    ) -> tuple[list[Measurement], Lookup | None]:
        """Compute metrics of rows of both classes with influences of rows, or of groups.

        ``n_cells`` requests about that many cells for a lookup of influences, at most twice as
        many.
        """
        totals = self.totals
        n_groups = totals.n_groups
        products = np.zeros((len(metrics), 2, 4))
        sums = np.zeros((len(metrics), 2 * n_groups))
        sizes = np.zeros(len(metrics))
        weights, squares = np.zeros((2, 2 * n_groups))
        influences_at = self._influences(summary, metrics)
        cells: list[ScoreCells] = []
        n_above = 0
        for k, batch in self.batches():
            table = self._tied[k] if k in self._tied else self._table(batch)
            starts, index = batch.score_index()
            by_score = influences_at(k, table)
            if n_cells:
                cells.append(self._cells(batch, starts, by_score, n_above, n_cells))
                n_above += len(index)
            strata = batch.positive.astype(np.int64)
            at = np.where(batch.positive, 0, len(table)) + index
            given = (np.empty(0), batch.weights)[:: 1 if totals.are_importances else -1]
            if batch.groups is not None:
                codes = batch.groups + n_groups * strata
                add_by_code(codes, np.ones(len(codes)), batch.weights, weights)
                add_by_code(codes, batch.weights, batch.weights, squares)
            for m, by_class in enumerate(by_score.values()):
                influences = by_class.ravel()[at]
                add_products(influences, influences, *given, strata, products[m])
                if batch.groups is not None:
                    sizes[m] += add_by_code(codes, influences, batch.weights, sums[m])
        by_group = weights.reshape(2, -1), squares.reshape(2, -1)
        given_squares = by_group[1] if totals.are_importances else None
        measured = []
        for m, one in enumerate(metrics):
            is_by_class = one.entry.is_by_class(one.parameters)
            units = totals.units(is_by_class)
            by_stratum = products[m] if is_by_class else products[m].sum(axis=0, keepdims=True)
            variance = units.variance_from_sums(by_stratum)
            rates = [summary.rates] if one.entry.interval == LARGEST_GAP else []
            each = Measurement(
                (summary.value(one.name),),
                np.empty((1, 0)),
                units,
                (None,),
                units.n_rows,
                rates=tuple(filter(None, rates)),
                variances=(variance,),
            )
            if n_groups:
                of_groups = sums[m].reshape(2, -1), sizes[m], by_group[0]
                each = measure_groups(each, *of_groups, variance, given_squares)
            measured.append(each)
        return measured, _lookup(cells) if n_cells else None

    def _influences(
        self, summary: RangeSummary, metrics: Sequence[MetricRequest]
    ) -> Callable[[int, ScoreTable], dict[str, Floats]]:
        """Return a function that computes influences of both classes at the scores of a range."""
        whole, later = summary.joined, later_tails(summary.blocks)
        values = {one.name: summary.value(one.name) for one in metrics}

        def compute(k: int, table: ScoreTable) -> dict[str, Floats]:
            start = summary.blocks[k].start
            rows, _ = influences_here(table, start, whole.sizes, len(whole.moments))
            here = dict(zip(MEASURED, map(np.asarray, rows), strict=False))
            here["average_precision"] = here["average_precision"] + later[:, k, None]
            return {
                name: final_influences(name, value, here[name], whole)
                if name in here
                else _on_gap(table.scores, summary, whole.sizes)
                for name, value in values.items()
            }

        return compute

    def _cells(
        self,
        batch: RowBatch,
        starts: NDArray[np.int64],
        influences: dict[str, Floats],
        n_above: int,
        n_cells: int,
    ) -> ScoreCells:
        """Compute cells of means by squared weights: the least sum of squares of what rows move."""
        rows = np.diff(starts, append=len(batch.scores))
        scores = batch.scores[starts]
        counted = ScoreTable._from_columns(scores, rows, np.zeros_like(rows))
        heads = cell_starts(counted, n_above, int(self.totals.rows.sum()), self._cut(n_cells))
        squares = np.square(batch.weights)
        least = float(squares.min())
        weighed = ScoreTable._from_columns(scores, *batch.sums(starts, squares / least))
        of_ranges = [each for name, each in influences.items() if name in OF_RANGES]
        cells = ScoreCells.from_table(weighed, of_ranges, heads)
        return cells._replace(rests=cells.rests * least)


def _on_gap(scores: NDArray[Any], summary: RangeSummary, sizes: tuple[float, float]) -> Floats:
    """Compute the influences on the largest gap of rows of either class at some scores."""
    rates = summary.rates
    both = np.stack(gap_influences(scores, summary.largest_gap, sizes))
    return both if rates is None else both * rates.inflation()


def _lookup(cells: Sequence[ScoreCells]) -> Lookup:
    scores, means, rests = ScoreCells.join(cells)
    kept = first_indices(scores)[::-1]  # batches may have the score of the batch before
    return Lookup(scores[kept], means[:, ::-1, kept], rests[:, ::-1])


# --- costs of thresholds -------------------------------------------------------------------------

#: Costs this near to one another, relatively, are one: sums of ranges are rounded more often than
#: those of a table.
_ROUNDING: Final = 2.0**-46


class _Range(NamedTuple):
    """Costs of mistakes at each score, as weights of a table, and the squares of those of rows."""

    table: ScoreTable
    squares: Floats


class RowCosts:
    """Costs of all thresholds of a model's rows; both classes have rows.

    ``costs`` are those of missing a positive and of a false alarm, or None where each row has its
    own. ``largest`` is the largest cost; ``prevalence`` weighs the classes.
    """

    def __init__(
        self,
        rows: ScoredRows,
        costs: tuple[float, float] | None,
        largest: float,
        prevalence: float | None = None,
    ) -> None:
        if not largest > 0.0:
            raise InputError(FREE)
        self._rows = rows
        self._by_class = costs
        self._prevalence = prevalence
        self._are_counts = not rows.totals.are_importances
        self._exponent = -math.frexp(largest)[1]  # squares stay in the range of doubles
        self._tied: dict[int, _Range] = {}
        sums = []
        for k, batches in groupby(self._batches(), key=lambda each: each[0]):
            parts = [self._sum(batch, costed) for _, batch, costed in batches]
            tables, squares = zip(*parts, strict=True)
            here = _Range(reduce(add, tables), np.add.reduce(squares))
            if rows.ranges[k].only is not None:
                self._tied[k] = here
            least = np.add(*missed_and_alarms(here.table))[1:].min()
            columns = here.table.positives, here.table.negatives, here.squares, least
            sums.append([np.sum(each) for each in columns])
        missed, alarms, all_squares, least_here = np.array(sums).T
        self._missed, self._alarms = float(missed.sum()), float(alarms.sum())
        #: Alarms of higher ranges, missed positives of lower ones, squares of higher ones.
        self._above = np.cumsum(alarms) - alarms
        self._below = np.cumsum(missed[::-1])[::-1] - missed
        self._squares = np.cumsum(all_squares) - all_squares
        #: The least cost of thresholds: above all scores, and in each range.
        self._least = np.append(self._missed, least_here + self._below + self._above)
        self._best: tuple[int | float, float, float] = math.inf, self._missed, 0.0
        if (k := first_least(self._least, _ROUNDING) - 1) >= 0:
            here = self._tied.get(k) or self._sum(*next(self._batches(k))[1:])
            at = first_least(self._costs(k, here.table)[1:], _ROUNDING)
            cost, squares = self._costs(k, here.table)[at + 1], here.squares[: at + 1].sum()
            best = here.table.scores[at].item(), float(cost), float(self._squares[k] + squares)
            self._best = best

    def _batches(self, *only: int) -> Iterator[tuple[int, RowBatch, CostedRows]]:
        """Give the rows of ranges, by default of all, with their costs and the range's number."""
        ranges = [self._rows.ranges[k] for k in only]
        for k, batch in self._rows.batches(ranges):
            costs: Any = batch.costs
            if self._by_class is not None:
                costs = np.where(batch.positive, *self._by_class)
            index = batch.score_index()[1]
            scaled = np.ldexp(costs, self._exponent)
            if (p := self._prevalence) is not None:
                m, n = self._rows.totals.sizes
                scaled *= np.where(batch.positive, p * (m + n) / m, (1.0 - p) * (m + n) / n)
            given = index, batch.positive, scaled, batch.weights, self._are_counts
            yield k, batch, CostedRows(*given)

    def _sum(self, batch: RowBatch, rows: CostedRows) -> _Range:
        starts = first_indices(batch.scores)
        lost = rows.costs * batch.weights
        squares = lost * (rows.costs if self._are_counts else lost)
        scores = batch.scores[starts]
        table = ScoreTable._from_columns(scores, *batch.sums(starts, lost))
        return _Range(table, np.add(*batch.sums(starts, squares)))

    def _costs(self, k: int, table: ScoreTable) -> Floats:
        """Compute the cost of a threshold above a range, and at each of its scores."""
        missed, alarms = missed_and_alarms(table)
        return np.asarray((missed + self._below[k]) + (alarms + self._above[k]))

    def cheapest(self, level: float) -> ThresholdCostInterval:
        """Find the cheapest threshold, its cost and that on new data; without groups intervals."""
        totals = self._rows.totals
        threshold, cost, squares = self._best
        weight = sum(totals.sizes)
        sums = np.zeros((2, 1 if self._prevalence is None else 2, 4))
        around = CloseThresholds(critical_value(math.inf, 1.0 - level), cost, self._missed, squares)
        half = 0.0
        ends: list[Any] = []
        last = -1
        for k, batch, rows in self._batches():
            here = self._tied.get(k) or self._sum(batch, rows)
            costs = self._costs(k, here.table)
            if k > last:
                changes = np.abs(self._squares[k] + np.cumsum(here.squares) - squares)
                around.add(here.table.scores, costs[1:], changes)
                last = k
            costs[0] = self._least[: k + 1].min()
            costs = np.append(costs, self._least[k + 2 :].min(initial=math.inf))
            lost = rows.costs * batch.weights
            change = rows.costs if self._are_counts else lost
            left_out = is_called_without(costs, rows, change, _ROUNDING)
            for row, is_called in zip(sums, (batch.scores >= threshold, left_out), strict=True):
                losses = np.where(is_called != batch.positive, rows.costs, 0.0)
                row += self._sum_losses(losses, batch, cost / weight)
            half += float(np.sum(lost[(batch.scores >= 0.5) != batch.positive]))
            ends += batch.scores[lost > 0.0][[0, -1]].tolist() if lost.any() else []
        fitted, fresh = (self._mean(row, cost / weight, level) for row in sums)
        low, high = min(fitted[1].low, fresh[1].low), max(fitted[1].high, fresh[1].high)
        sizes = totals.units(True).stratum_sizes
        if self._prevalence is not None and lacks_spread(sizes[1], sizes[0], OF_COST):
            low = high = math.nan
        elif high == 0.0:
            warn_user(DEGENERATE, DegenerateDataWarning)
        alone = not totals.n_groups
        limits = ConfidenceInterval(self._unscale(low), self._unscale(high))
        return ThresholdCostInterval(
            threshold=threshold,
            threshold_interval=around.interval() if alone else NOWHERE,
            cost=self._unscale(cost / weight),
            left_out_cost=self._unscale(fresh[0]),
            confidence_interval=limits if alone else NOWHERE,
            cost_at_half=math.nan if ends[0] > 1 or ends[-1] < 0 else self._unscale(half / weight),
            cost_all_positive=self._unscale(self._alarms / weight),
            cost_all_negative=self._unscale(self._missed / weight),
            confidence_level=level,
            prevalence=self._prevalence,
            weights_are=totals.weights_are,
        )

    def _unscale(self, cost: float) -> float:
        return math.ldexp(cost, -self._exponent)

    def _sum_losses(self, losses: Floats, batch: RowBatch, centre: float) -> list[list[Any]]:
        """Sum losses times their weights, and squares about a centre, from which they follow.

        Of all rows; with a prevalence of each class.
        """
        squared = batch.weights if self._are_counts else batch.weights * batch.weights
        off = losses - centre
        terms = batch.weights * losses, squared * off * off, squared * off, squared
        members: list[Any] = [slice(None)]
        if self._prevalence is not None:
            members = [~batch.positive, batch.positive]
        return [[np.sum(term[rows]) for term in terms] for rows in members]

    def _mean(self, sums: Floats, centre: float, level: float) -> tuple[float, ConfidenceInterval]:
        """Compute the mean loss, with limits on the log scale."""
        totals = self._rows.totals
        units = totals.units(is_by_class=len(sums) > 1)
        weights = np.array(totals.sizes[::-1]) if len(sums) > 1 else np.array([sum(totals.sizes)])
        total, second, first, zeroth = sums.T
        shift = total / weights - centre
        squares = np.maximum(second - 2.0 * shift * first + shift * shift * zeroth, 0.0)
        mean = float(total.sum() / weights.sum())
        error = math.sqrt(float(np.sum(units.factors * squares))) / float(weights.sum())
        bounds = (0.0, math.inf)
        return mean, t_interval(mean, error, math.inf, level, "log", bounds=bounds)
