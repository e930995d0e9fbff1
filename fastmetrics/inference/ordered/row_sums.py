"""Metrics of rows in the order of their scores, read range by range: groups and importances.

Two passes over sorted runs. The first one sums up each range, from which values follow. The second
computes the influence of each row, and sums these, by group too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import WeightsAre
from fastmetrics._kernels.curve_kernels import (
    add_by_code,
    add_products,
    auc_influences,
    cell_means,
    precision_fractions,
    precision_influences,
)
from fastmetrics._kernels.merges import cumulative_pair
from fastmetrics.inference.measurement import Measurement, measure_groups
from fastmetrics.inference.range_summary import Lookup, cell_starts
from fastmetrics.inference.rates import Rates, most_gap
from fastmetrics.inference.units import Floats, Units
from fastmetrics.metrics.asking import MetricRequest
from fastmetrics.metrics.calibration.calibration_summary import ScoreDecomposition, decompose_sum
from fastmetrics.metrics.curves.precision_recall import Balance, find_balance
from fastmetrics.metrics.curves.roc import KolmogorovSmirnov
from fastmetrics.metrics.probabilities.log_loss import row_losses
from fastmetrics.metrics.registry import LOSSES, OF_RANGES
from fastmetrics.tables.pairs import PairCounts, join_pairs, pairs_of_weights
from fastmetrics.tables.row_runs import RowRuns
from fastmetrics.tables.score_runs import RunRange
from fastmetrics.tables.score_table import Hull, ScoreTable, first_indices, upper_hull

#: Relative rounding of the running sums where as many are called positive as there are positives.
_ROUNDING: Final = 2.0**-48


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
    def sizes(self) -> tuple[float, float]:
        """Weights of the positives and of the negatives."""
        return float(self.powers[0, 1]), float(self.powers[0, 0])

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
    """Rows of a range, the highest score first; groups and costs are empty where there are none."""

    scores: NDArray[Any]
    positive: NDArray[np.bool_]
    weights: Floats
    groups: NDArray[Any]
    costs: Floats

    def score_index(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the first row of each score, and the index of each row's score."""
        starts = first_indices(self.scores)
        return starts, np.repeat(np.arange(len(starts)), np.diff(starts, append=len(self.scores)))


class ScoredRows:
    """The rows of one model in sorted runs.

    Columns of the runs are weights, negative for negatives; group codes, if there are any; and
    costs, if ``has_costs``.
    """

    def __init__(self, runs: RowRuns, totals: RowTotals, *, has_costs: bool = False) -> None:
        self._runs = runs
        self._has_costs = has_costs
        self.totals = totals
        self.ranges: list[RunRange] = runs.ranges()

    def batches(self, ranges: Sequence[RunRange] | None = None) -> Iterator[tuple[int, RowBatch]]:
        """Give the rows of ranges, by default of all, with the number of the range."""
        none = np.empty(0)
        for k, (scores, signed, *others) in self._runs.read(ranges or self.ranges):
            groups = others.pop(0) if self.totals.n_groups else none
            costs = others[0] if self._has_costs else none
            yield k, RowBatch(scores, signed > 0, np.abs(signed).astype(float), groups, costs)


def sum_by_score(starts: NDArray[np.int64], n_rows: int, *columns: Floats) -> list[Floats]:
    """Sum columns of rows by score."""
    if len(starts) == n_rows:
        return [*columns]
    return [np.add.reduceat(column, starts) for column in columns]


class _Table(NamedTuple):
    """Weights of each class at each score of a range, the highest first."""

    scores: NDArray[Any]
    positives: Floats
    negatives: Floats

    @classmethod
    def from_batch(cls, batch: RowBatch, starts: NDArray[np.int64]) -> _Table:
        """Add up the rows of each score."""
        by_class = np.where(batch.positive, batch.weights, 0.0)
        columns = by_class, batch.weights - by_class
        return cls(batch.scores[starts], *sum_by_score(starts, len(batch.scores), *columns))

    def running(self, above: tuple[float, float]) -> tuple[Floats, Floats]:
        """Return the weights of both classes at or above each score."""
        tp, fp = np.empty((2, len(self.scores)))
        cumulative_pair(self.positives, self.negatives, tp, fp)
        return above[0] + tp, above[1] + fp


class _Range(NamedTuple):
    """The sums of a range of scores.

    Attributes
    ----------
    above : tuple of float
        Weights of the positives and negatives of higher scores.
    whole : _Table
        All rows as if they had one score, which they have where there are too many to be read.
    pairs : PairCounts
        The pairs of its rows, integers where all weights are.
    precision : float
        The sum over positives of the precision at their score.
    tails : tuple of float
        The sums of `precision_fractions`.
    losses : tuple of float
        Sums of losses.
    highest, lowest : tuple
        Score, TP and FP where TPR - FPR is largest and smallest.
    hull : ndarray of shape (2, n)
        Positives and negatives in blocks of equal recalibrated probability, of probabilities.
    """

    above: tuple[float, float]
    whole: _Table
    pairs: PairCounts
    precision: float
    tails: tuple[float, float]
    losses: tuple[float, ...]
    highest: tuple[Any, float, float]
    lowest: tuple[Any, float, float]
    hull: Floats


class RowCells:
    """Mean influences of rows of importances, in cells of consecutive scores.

    Means are by squared weights: they leave the least sum of squares of what rows move.
    """

    def __init__(self, n_ranges: int, n_cells: int, n_rows: int) -> None:
        self._cut = n_cells, n_cells // n_ranges
        self._n_rows = n_rows
        self._n_above = 0
        self._cells: list[tuple[NDArray[Any], Floats]] = []
        self._rests: Floats | float = 0.0

    def add(self, batch: RowBatch, starts: NDArray[np.int64], influences: list[Floats]) -> None:
        """Add rows of lower scores, with influences of a negative and of a positive at each."""
        scores = batch.scores[starts]
        counts = np.diff(starts, append=len(batch.scores))
        table = ScoreTable._from_columns(scores, counts, np.zeros_like(counts))
        cells = cell_starts(table, self._n_above, self._n_rows, self._cut)
        self._n_above += len(batch.scores)
        squares = np.square(batch.weights)
        least = float(squares.min())
        of_positives = np.where(batch.positive, squares / least, 0.0)
        columns = squares / least - of_positives, of_positives
        by_class = sum_by_score(starts, len(squares), *columns)
        means = np.empty((len(influences), 2, len(cells)))
        rests = np.empty((len(influences), 2))
        for m, one in enumerate(influences):
            for code, (weights, values) in enumerate(zip(by_class, one, strict=True)):
                rests[m, code] = cell_means(weights, values, cells, means[m, code])
        self._cells.append((scores[cells], means))
        self._rests = self._rests + rests * least

    def lookup(self) -> Lookup:
        """Return the influences by score."""
        scores, means = zip(*self._cells, strict=True)
        all_scores, all_means = np.concatenate(scores), np.concatenate(means, axis=2)
        is_first = np.append(True, all_scores[1:] != all_scores[:-1])  # batches of one score
        kept = np.flatnonzero(is_first)[::-1]
        return Lookup(all_scores[kept], all_means[:, :, kept], np.asarray(self._rests))


class _RunRates(Rates):
    """Rates at each threshold of sorted runs; ``table`` is their `RowSums`."""

    __slots__ = ()

    def near(self, width: float, job: Callable[[Floats, Floats], Floats]) -> list[Floats]:
        """Apply a job to both rates where their gap is within ``width`` of the largest."""
        sums: Any = self.table
        m, n = sums.ends
        least = self.gap.statistic - width
        results = []
        for table, above in sums.tables_near(least):
            tp, fp = table.running(above)
            one, other = tp / m, fp / n
            kept = np.abs(one - other) >= least
            if kept.any():
                results.append(job(one[kept], other[kept]))
        return results


class RowSums:
    """Metrics of a model's rows; both classes have rows.

    Attributes
    ----------
    values : dict of str to float
        AUC, average precision, KS; Brier score, log loss and mean error of probabilities.
    gap : KolmogorovSmirnov
        The largest absolute gap between TPR and FPR.
    best : (threshold, TPR, FPR)
        The largest TPR - FPR; infinity where none is positive.
    balance : Balance
        The step in which as many are called positive as there are positives.
    top : list
        The highest three distinct scores.
    """

    def __init__(self, rows: ScoredRows, *, are_probabilities: bool) -> None:
        self.rows = rows
        self._ranges: list[_Range] = []
        self.top: list[Any] = []
        self._losses = (*LOSSES, "mean_error") if are_probabilities else ()
        self._sum_up()
        self._set_values()

    def _sum_up(self) -> None:
        above = (0.0, 0.0)
        balanced: tuple[_Table, tuple[float, float]] | None = None
        totals = self.rows.totals
        for _, batches in groupby(self.rows.batches(), key=lambda each: each[0]):
            tables = [_Table.from_batch(batch, batch.score_index()[0]) for _, batch in batches]
            table = tables[0]
            if len(tables) > 1:  # of one score
                p, n = (sum(each) for each in list(zip(*tables, strict=True))[1:])
                table = _Table(table.scores, np.asarray(p), np.asarray(n))
            tp, fp = table.running(above)
            if balanced is None and tp[-1] + fp[-1] >= totals.sizes[0] * (1.0 - _ROUNDING):
                balanced = table, above
            self.top += table.scores[: 3 - len(self.top)].tolist()
            self._ranges.append(self._sum_range(table, above, tp, fp))
            above = float(tp[-1]), float(fp[-1])
        #: The weights of both classes by running sums, of which those of thresholds are fractions.
        self.ends = above
        if balanced is None:
            raise ValueError("sorted runs do not have all rows")
        self.balance = self._find_balance(*balanced)

    def _find_balance(self, table: _Table, above: tuple[float, float]) -> Balance:
        kind = self._kind
        p, n = self._counts(table)
        higher: Any = tuple(map(kind, above))
        m: Any = kind(self.ends[0])
        return find_balance(ScoreTable._from_columns(table.scores, p, n), m, higher)

    @property
    def _kind(self) -> type[int | float]:
        """The type of sums of weights: whole numbers are exact."""
        are_exact = self.rows.totals.are_whole and sum(self.rows.totals.sizes) < 2.0**53
        return int if are_exact else float

    def _counts(self, table: _Table) -> tuple[NDArray[Any], NDArray[Any]]:
        return table.positives.astype(self._kind), table.negatives.astype(self._kind)

    def _sum_range(
        self, table: _Table, above: tuple[float, float], tp: Floats, fp: Floats
    ) -> _Range:
        scores, p, n = table
        sizes = self.rows.totals.sizes
        one, other = np.empty((2, len(p)))
        tails = precision_fractions(p, n, above, one, other)
        losses = []
        for name in self._losses:
            of_negatives, of_positives = _losses(name, scores)
            losses.append(float(np.sum(n * of_negatives) + np.sum(p * of_positives)))
        gaps = tp * sizes[1] - fp * sizes[0]
        highest, lowest = (
            (scores[at].item(), float(tp[at]), float(fp[at]))
            for at in (int(np.argmax(gaps)), int(np.argmin(gaps)))
        )
        whole = _Table(scores[:1].copy(), p.sum(keepdims=True), n.sum(keepdims=True))
        precision = float(np.sum(p * one))
        pairs = pairs_of_weights(*self._counts(table))
        hull = np.empty((2, 0))
        if losses:
            hull = _pool(ScoreTable._from_columns(scores, p, n))
        return _Range(above, whole, pairs, precision, tails, tuple(losses), highest, lowest, hull)

    def _set_values(self) -> None:
        m, n = self.ends

        def gap(corner: tuple[Any, float, float]) -> float:
            return corner[1] * n - corner[2] * m

        highest = max((each.highest for each in self._ranges), key=gap)  # the first of equal ones
        lowest = min((each.lowest for each in self._ranges), key=gap)
        threshold, tp, fp = both = max((highest, lowest), key=lambda end: (abs(gap(end)), end[0]))
        sign = int(gap(both) > 0) - int(gap(both) < 0)
        self.gap = KolmogorovSmirnov(abs(gap(both)) / (m * n), threshold, sign, tp / m, fp / n)
        self.best = (highest[0], highest[1] / m, highest[2] / n)
        if not gap(highest) > 0:
            self.best = math.inf, 0.0, 0.0
        precision = math.fsum(each.precision for each in self._ranges)
        positives = math.fsum(each.whole.positives[0] for each in self._ranges)
        self.values = {
            "roc_auc": join_pairs([each.pairs for each in self._ranges]).auc,
            "average_precision": precision / positives,
            "ks_statistic": self.gap.statistic,
        }
        m, n = self.rows.totals.sizes
        for k, name in enumerate(self._losses):
            self.values[name] = math.fsum(each.losses[k] for each in self._ranges) / (m + n)

    def decompose_brier_score(self) -> ScoreDecomposition:
        """Decompose the Brier score of probabilities, as of all rows."""
        m, n = self.rows.totals.sizes
        columns = np.concatenate([each.hull for each in self._ranges], axis=1)
        columns = _pool(_table_of_blocks(columns))
        blocks = _table_of_blocks(columns)
        given = self.values["brier_score"] * (m + n)
        return decompose_sum(blocks, Hull(np.arange(len(blocks)), *columns), "brier_score", given)

    def tables_near(self, least: float) -> Iterator[tuple[_Table, tuple[float, float]]]:
        """Give the tables of ranges where a gap may reach ``least``, and the weights above each."""
        m, n = self.rows.totals.sizes
        for where, each in zip(self.rows.ranges, self._ranges, strict=True):
            if most_gap(each.above, [column[0] for column in each.whole[1:]], m, n) < least:
                continue
            table = each.whole
            if where.only is None:
                ((_, batch),) = self.rows.batches([where])
                table = _Table.from_batch(batch, batch.score_index()[0])
            yield table, each.above

    def _rates(self) -> _RunRates:
        sizes = self.rows.totals.units(True).class_sizes()
        return _RunRates(self, self.gap, sizes)  # type: ignore[arg-type]

    # --- the second pass ------------------------------------------------------------------------

    def measure(self, metrics: Sequence[MetricRequest], n_cells: int = 0) -> dict[str, Measurement]:
        """Compute the influences of rows on metrics of `values`, by group; and what they add to.

        ``n_cells`` requests about that many cells for `lookup`, at most twice as many.
        """
        totals = self.rows.totals
        names = [one.name for one in metrics]
        n_groups = totals.n_groups
        products = np.zeros((len(names), 2, 4))
        sums = np.zeros((len(names), 2 * n_groups))
        sizes = np.zeros(len(names))
        weights, squares = np.zeros((2, 2 * n_groups))
        later = self._later()
        rates = self._rates()
        cells = RowCells(len(self._ranges), n_cells, int(totals.rows.sum()))
        for k, batch in self.rows.batches():
            table = self._ranges[k].whole
            starts, index = batch.score_index()
            if self.rows.ranges[k].only is None:
                table = _Table.from_batch(batch, starts)
            strata = batch.positive.astype(np.int64)
            at = strata * len(table.scores) + index
            given = (np.empty(0), batch.weights)[:: 1 if totals.are_importances else -1]
            codes = batch.groups + n_groups * strata if n_groups else index
            if n_groups:
                add_by_code(codes, np.ones(len(codes)), batch.weights, weights)
                add_by_code(codes, batch.weights, batch.weights, squares)
            all_influences = [
                self._influences(name, table, self._ranges[k].above, later[k], rates)
                for name in names
            ]
            if n_cells:
                both = zip(names, all_influences, strict=True)
                cells.add(batch, starts, [each for name, each in both if name in OF_RANGES])
            for m, by_class in enumerate(all_influences):
                influences = by_class.ravel()[at]
                add_products(influences, influences, *given, strata, products[m])
                if n_groups:
                    sizes[m] += add_by_code(codes, influences, batch.weights, sums[m])
        if n_cells:
            self.lookup = cells.lookup()
        return {
            one.label: self._measured(one, products[m], sums[m], sizes[m], weights, squares, rates)
            for m, one in enumerate(metrics)
        }

    def _later(self) -> list[tuple[float, float]]:
        """Return the sums of `precision_fractions` over the ranges below each."""
        sums = [(0.0, 0.0)]
        for each in self._ranges[:0:-1]:
            sums.append((sums[-1][0] + each.tails[0], sums[-1][1] + each.tails[1]))
        return sums[::-1]

    def _influences(
        self,
        name: str,
        table: _Table,
        above: tuple[float, float],
        below: tuple[float, float],
        rates: Rates,
    ) -> Floats:
        """Compute the influence of a negative and of a positive at each score."""
        scores, p, n = table
        sizes = self.rows.totals.sizes
        value = self.values[name]
        result = np.empty((2, len(scores)))
        of_negatives, of_positives = result
        if name == "roc_auc":
            both = of_positives, of_negatives
            auc_influences(p, n, above, sizes, value, *both, np.empty((0, 2)))
        elif name == "average_precision":
            precision_fractions(p, n, above, of_positives, of_negatives)
            precision_influences(sizes[0], value, below, of_positives, of_negatives)
        elif name == "ks_statistic":
            called = (scores >= self.gap.threshold).astype(np.float64)
            factor = self.gap.sign * rates.inflation()
            of_positives[:] = (called - self.gap.true_positive_rate) * (factor / sizes[0])
            of_negatives[:] = (self.gap.false_positive_rate - called) * (factor / sizes[1])
        else:
            result[:] = (np.array(_losses(name, scores)) - value) / sum(sizes)
        return result

    def _measured(
        self,
        one: MetricRequest,
        products: Floats,
        sums: Floats,
        size: float,
        weights: Floats,
        squares: Floats,
        rates: Rates,
    ) -> Measurement:
        totals = self.rows.totals
        is_by_class = one.entry.is_by_class(one.parameters)
        units = totals.units(is_by_class)
        if not is_by_class:
            products = products.sum(axis=0, keepdims=True)
        variance = units.variance_from_sums(products)
        measured = Measurement(
            (self.values[one.name],),
            np.empty((1, 0)),
            units,
            (None,),
            units.n_rows,
            rates=(rates,) if one.name == "ks_statistic" else (),
            row_variances=(variance,),
        )
        if not totals.n_groups:
            return measured
        by_group = (each.reshape(2, -1) for each in (sums, weights, squares))
        sums, weights, squares = by_group
        given = squares if totals.are_importances else None
        return measure_groups(measured, sums, size, weights, variance, given)


def _losses(name: str, scores: NDArray[Any]) -> tuple[Floats, Floats]:
    """Return the loss of a negative and of a positive at each score."""
    if name == "mean_error":
        values = scores.astype(np.float64)
        return values, values - 1.0
    labels = np.zeros(len(scores), np.int8), np.ones(len(scores), np.int8)
    return row_losses(name, labels[0], scores), row_losses(name, labels[1], scores)


def _pool(table: ScoreTable) -> Floats:
    """Return the positives and negatives of each block of equal recalibrated probability."""
    hull = upper_hull(table)
    return np.stack([hull.positives, hull.negatives])


def _table_of_blocks(columns: Floats) -> ScoreTable:
    return ScoreTable._from_columns(np.arange(columns.shape[1], 0.0, -1.0), *columns)
