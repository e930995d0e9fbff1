"""Samples that are resampled: a class for each kind of data of one model.

Rows are drawn one by one or by groups: `ScoredRowSample` (labels with scores), plain `RowSample`
(true with predicted classes, or targets with predictions). Cells stand for any number of rows, and
a replicate costs the same whatever that number. A sample measures its replicates, and has the
tables and columns for metrics of the data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels import replicates, resampling
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.inference.units import (
    Sizes,
    effective_groups,
    effective_sample_size,
    warn_few_groups,
    warn_few_rows,
)
from fastmetrics.tables.score_table import ScoreTable

if TYPE_CHECKING:
    from fastmetrics.inference.bootstrap._parse import SortedRows

Floats = NDArray[np.float64]
Bytes = NDArray[np.uint8]
Codes = NDArray[np.int64]
#: Bytes of counts of a batch: they stay in the second-level cache until they are measured.
BATCH_BYTES: Final = 1 << 18


def padded(n: int) -> int:
    """Round n up to a multiple of 8: the bytes of n rows' counts."""
    return -(-n // 8) * 8


Method = Literal["percentile", "basic", "bca"]

#: (kind, criterion, two bounds) of `replicates.measure_curve`.
CurveOp = tuple[int, int, float, float]
#: ``f(arguments of the rows, weights of the rows)``, weights being counts or not.
Statistic = Callable[[tuple[NDArray[Any], ...], NDArray[Any]], float]

WINDOW = resampling.WINDOW
_WEIGHED = 6  # length of the state of weighted pairs; that of counted pairs is 4


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Draws over n units; every number is a function of key, replicate and block.

    ``masks`` have the class of each unit (255 or 0) where each class is drawn by itself.
    """

    key: NDArray[np.uint64]
    n_units: int
    masks: NDArray[np.uint8] | None = None
    _window_sizes: list[NDArray[np.int64]] = field(default_factory=list, init=False)

    @property
    def n_windows(self) -> int:
        """Number of windows of units."""
        return -(-self.n_units // WINDOW)

    def totals(self, first: int, count: int) -> NDArray[np.int64]:
        """Draw the totals of windows: (count, n_windows), or (2, count, n_windows) by class."""
        if not self._window_sizes:  # once for all replicates: counting a class takes a pass
            sizes = np.full(self.n_windows, WINDOW, np.int64)
            sizes[-1] = self.n_units - WINDOW * (self.n_windows - 1)
            strata = [sizes]
            if self.masks is not None:
                is_positive = self.masks[: self.n_units] > 0
                starts = np.arange(0, self.n_units, WINDOW)
                positives = np.add.reduceat(is_positive, starts, dtype=np.int64)
                strata = [positives, sizes - positives]
            self._window_sizes[:] = strata
        totals = np.empty((len(self._window_sizes), count, self.n_windows), np.int64)
        for stratum, sizes in enumerate(self._window_sizes):
            fill_totals(self.key, first, stratum, sizes, totals[stratum])
        return totals[0] if self.masks is None else totals

    def counts(
        self,
        first: int,
        totals: NDArray[np.int64],
        windows: NDArray[np.int64],
        out: NDArray[np.uint8],
    ) -> None:
        """Fill ``out`` with the counts of the listed windows, one row for each replicate."""
        chosen = np.ascontiguousarray(totals[..., windows[0] : windows[-1] + 1])
        if self.masks is None:
            resampling.draw_windows(self.key, first, windows, chosen, self.n_units, out)
        else:
            resampling.draw_windows_by_class(
                self.key, first, windows, chosen, self.masks, self.n_units, out
            )

    def every(self, first: int, count: int) -> NDArray[np.uint8]:
        """Draw the counts of all units, one row for each replicate from number ``first`` on."""
        counts = np.empty((count, padded(self.n_units)), np.uint8)
        self.counts(first, self.totals(first, count), np.arange(self.n_windows), counts)
        return counts


def fill_totals(
    key: NDArray[np.uint64],
    first: int,
    stratum: int,
    sizes: NDArray[np.int64],
    totals: NDArray[np.int64],
) -> None:
    """Fill each row of ``totals`` with sum(sizes) draws over cells of these sizes."""
    if len(sizes) == 1:  # no draw needed, and no second of compilation
        totals[:] = sizes
        return
    count = len(totals)
    streams = np.empty((count, 4), np.int64)
    streams[:] = 0, stratum, 0, resampling.TOTALS
    streams[:, 2] = np.arange(first, first + count)
    words = np.empty((count, 16), np.uint64)
    left = np.full(count, sizes.sum())
    resampling.multinomial_totals(key, sizes, left, streams, words, totals)


def cell_counts(
    key: NDArray[np.uint64], sizes: NDArray[np.int64], first: int, count: int, *, stratum: int = 0
) -> NDArray[np.int64]:
    """Draw the number of rows of each cell: (count, n_cells); cells may be empty."""
    totals = np.zeros((count, len(sizes)), np.int64)
    held = np.flatnonzero(sizes)
    counts = np.empty((count, len(held)), np.int64)
    fill_totals(key, first, stratum, sizes[held], counts)
    totals[:, held] = counts
    return totals


@dataclass(slots=True, eq=False)
class Yield:
    """Counts and sums of some replicates of one model; arrays have one row per replicate.

    `states` are those of the kernels of threshold metrics, `statistics` values of the user's own;
    `score_at` returns the scores at indices that kernels return.
    """

    total: Floats
    n_positive: Floats
    n_negative: Floats
    twice_pairs: Floats
    cells: Floats
    sums: Floats
    score_at: Callable[[NDArray[np.int64]], NDArray[Any]]
    states: dict[CurveOp, Floats] = field(default_factory=dict)
    statistics: dict[str, Floats] = field(default_factory=dict)

    @classmethod
    def empty(cls, count: int, score_at: Any = None, n_columns: int = 0, n_cells: int = 0) -> Yield:
        """Allocate the sums of ``count`` replicates."""
        cells = np.zeros((count, n_cells))
        sums = np.zeros((count, n_columns))
        total, n_positive, n_negative, pairs = np.zeros((4, count))
        return cls(total, n_positive, n_negative, pairs, cells, sums, score_at)

    def close(self, state: NDArray[Any]) -> None:
        """Copy the sums of the kernel of pairs, of counts or of weights."""
        self.n_positive[:] = state[:, 0]
        self.n_negative[:] = state[:, 1]
        self.twice_pairs[:] = state[:, 2]
        if state.shape[1] == _WEIGHED:
            self.twice_pairs -= state[:, 3]
        self.total += self.n_positive + self.n_negative

    def four_cells(self, tp: NDArray[Any], fp: NDArray[Any]) -> Floats:
        """Return TN, FP, FN, TP: the matrix row by row, the positive class last."""
        return np.stack((self.n_negative - fp, fp, self.n_positive - tp, tp), axis=-1)


def called_positive(
    rows: SortedRows, cut: int, counts: Bytes, segments: tuple[NDArray[np.int64], ...]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count TP and FP if the first ``cut`` rows are predicted positive."""
    segment = cut // replicates.SEGMENT
    start = segment * replicates.SEGMENT
    rest = counts[:, start:cut]
    positive = rest & rows.masks[start:cut]
    tp = segments[0][:, :segment].sum(axis=1) + positive.sum(axis=1, dtype=np.int64)
    called = (rest.sum(axis=1, dtype=np.int64)) + sum(
        totals[:, :segment].sum(axis=1) for totals in segments
    )
    return tp, called - tp


def by_cell(
    values: NDArray[np.generic], starts: NDArray[np.int64], dtype: type[np.generic]
) -> NDArray[np.generic]:
    """Sum values by cell; cells may be empty."""
    sums = np.zeros((len(values), len(starts)), dtype)
    held = np.flatnonzero(np.diff(starts, append=values.shape[1]))
    sums[:, held] = np.add.reduceat(values, starts[held], axis=1, dtype=dtype)
    return sums


def weighted_points(rows: SortedRows, weights: Floats) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Compute TP and FP at the end of each tie, after a first 0, and the row of each end."""
    n = len(weights)
    tp, fp = np.empty((2, n + 1))
    at = np.empty(n, np.int64)
    n = replicates.weighted_points(weights, rows.masks[:n], rows.ends[:n], tp, fp, at)
    return tp[: n + 1], fp[: n + 1], at[:n]


def measure_op(rows: SortedRows, op: CurveOp, counts: Bytes, segments: Any) -> Floats:
    """Compute the state of a threshold metric in each replicate: `replicates.measure_curve`."""
    kind, criterion, low, _ = op
    masks = rows.masks
    ends = rows.ends
    states = np.zeros((len(counts), replicates.STATE))
    if kind == replicates.BEST:
        replicates.best_of_rows(counts, masks, ends, *segments, criterion, low, states)
    elif kind == replicates.BREAK_EVEN:
        replicates.break_even_of_rows(counts, masks, ends, rows.anchors, *segments, states)
    elif (kind, criterion) == (replicates.PRECISION_AREA, replicates.STEP):
        # eight rows at a time, as 64-bit integers
        counts8 = counts.view(np.uint64)
        masks8 = masks.view(np.uint64)
        replicates.step_areas(counts, counts8, masks, masks8, ends, *rows.lone_positives, states)
    else:
        replicates.areas_of_rows(counts, masks, ends, rows.anchors, *segments, *op, states)
    return states


Counts = NDArray[np.int64]
#: Rows with equal influences: of a class and a score, of a cell of the matrix, or single rows.
CellsAre = Literal["scores", "decisions", "entries"]

# Relative tolerance at which a sum of weights equals the weight of positives.
_ROUNDING: Final = 2.0**-50
_CELLS_OF_A_BATCH: Final = 1 << 16
_MOST_REPLICATES: Final = 4096  # of a batch


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BootstrapSample:
    """Base class of samples to be resampled.

    Attributes
    ----------
    n_rows, n_units : int
        Numbers of examples, and of units that are drawn: rows or groups.
    fractional : ndarray or None
        Weights of the rows, in any order, where they are fractions.
    columns : ndarray of shape (n_columns, n_cells), or None
        Terms of the sums by row, or by cell: positives of each score, then negatives.
    table : ScoreTable or None
        Class counts at each distinct score, where there are scores.
    counts : ndarray of shape (K, K), or None
        Confusion matrix; with scores that of score >= threshold.
    """

    n_rows: int
    n_units: int
    fractional: Floats | None = None
    columns: Floats | None = None
    table: ScoreTable | None = None
    counts: NDArray[Any] | None = None

    def batch_size(self) -> int:
        """Return the number of replicates of a batch, whatever the number of threads."""
        n_cells = self.matrix().size if self.table is None else 2 * len(self.table)
        return max(1, min(_MOST_REPLICATES, _CELLS_OF_A_BATCH // n_cells))

    def masks(self) -> Bytes:
        """Return 255 for positive units and 0 for negative ones; empty for cells."""
        return np.zeros(0, np.uint8)

    @property
    def is_grouped(self) -> bool:
        """True if groups are drawn, not rows."""
        return False

    def warn_small_sizes(self) -> None:
        """Warn if groups, or rows of importances, are too few for intervals to hold."""
        if self.is_grouped:
            warn_few_groups(self.sizes().effective_n_groups, self.n_units)
        if self.fractional is not None:
            warn_few_rows(self.sizes().effective, self.n_rows)

    def sizes(self) -> Sizes:
        """Return the numbers of rows and groups and their effective numbers."""
        n = float(self.n_rows)
        return Sizes(n, n if self.fractional is None else effective_sample_size(self.fractional))

    def score_table(self) -> ScoreTable:
        """Return the distinct scores of both classes."""
        if self.table is None:
            raise InputTypeError("scores of two classes are needed")
        return self.table

    def matrix(self) -> NDArray[Any]:
        """Return the counts (K, K) of decisions."""
        if self.counts is None:
            raise InputError(
                "a metric of `metrics` counts decisions: pass `threshold` with scores, or "
                "predicted labels"
            )
        return self.counts

    def column_weights(self) -> NDArray[Any] | None:
        """Return the weight of each entry of the columns; None for 1."""
        return None

    def score_at(self, indices: NDArray[np.int64]) -> NDArray[Any]:
        """Return the scores at indices that a kernel returns."""
        return np.asarray(self.score_table().scores[indices])

    def are_alike(self, cells: CellsAre) -> bool:
        """Return True if all sampling units of a cell have the same influence."""
        return True

    def times(self, cells: CellsAre) -> list[NDArray[Any]]:
        """Return the number of sampling units of each cell, an array for each class."""
        if cells == "decisions":
            return list(self.matrix())
        return [self.score_table().positives, self.score_table().negatives]

    def by_class(self, values: Floats) -> list[Floats]:
        """Split the values of entries by class, positives first."""
        return np.split(values, 2)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RowSample(BootstrapSample):
    """Rows in the order in which their counts are read.

    Attributes
    ----------
    weights : ndarray of shape (n,), or None
        Weight of each row: float64, or int64 where it is a frequency.
    units : ndarray of int32, shape (n,), or None
        Index of the unit of each row; None if units are the rows in this order.
    arguments : tuple of ndarray
        Arguments of statistics: targets and predictions in the given order.
    numbers : ndarray of int, shape (n,), or None
        Index of each row in the arguments; None if the order is the same.
    starts : ndarray of int64, shape (K * K,), or None
        First row of each cell of true and predicted classes, if rows are sorted by cell.
    """

    n: int
    weights: NDArray[Any] | None = None
    units: NDArray[np.int32] | None = None
    arguments: tuple[NDArray[Any], ...] = ()
    numbers: NDArray[Any] | None = None
    starts: Codes | None = None

    @property
    def is_grouped(self) -> bool:
        return self.units is not None and self.n_units != self.n

    def sizes(self) -> Sizes:
        sizes = BootstrapSample.sizes(self)
        if self.units is None or not self.is_grouped:
            return sizes
        n_groups = effective_groups(self.units, self.weights)
        return sizes._replace(n_groups=self.n_units, effective_n_groups=n_groups)

    def masks(self) -> Bytes:
        raise InputError(
            "`stratified` needs two classes: there are no labels to draw by, or their rows have "
            "importance weights"
        )

    def batch_size(self) -> int:
        n = max(self.n_units, self.n, 1)  # few groups may have many rows
        return max(1, min(_MOST_REPLICATES, BATCH_BYTES // padded(n)))

    def row_counts(self, unit_counts: Bytes) -> Bytes:
        """Return the counts of rows from the counts of their units."""
        if self.units is None:
            return unit_counts
        counts = np.zeros((len(unit_counts), padded(self.n)), np.uint8)
        replicates.gather_counts(unit_counts, self.units, counts)
        return counts

    def measure(self, ops: Sequence[CurveOp], counts: Bytes) -> Yield:
        """Measure replicates from the counts of all rows."""
        if self.weights is not None:
            return self.weigh(ops, counts[:, : self.n] * self.weights)
        out = self.empty(len(counts))
        state = np.zeros((len(counts), 4), np.int64)
        segments = self.add_counts(counts, 0, state, out)
        out.close(state)
        self._measure(ops, counts, segments, out)
        return out

    def weigh(self, ops: Sequence[CurveOp], weights: NDArray[Any]) -> Yield:
        """Measure replicates from the weights of all rows."""
        out = self.empty(len(weights))
        state = np.zeros((len(weights), _WEIGHED))
        self.add_weights(weights.astype(np.float64, copy=False), 0, state, out)
        out.close(state)
        for r, row_weights in enumerate(weights):
            self._weigh(ops, row_weights, r, out)
        return out

    def empty(self, count: int) -> Yield:
        """Allocate the yield of ``count`` replicates."""
        n_columns = 0 if self.columns is None else len(self.columns)
        return Yield.empty(count, self.score_at, n_columns, self._n_cells())

    def add_counts(self, counts: Bytes, row: int, state: Codes, out: Yield) -> tuple[Codes, ...]:
        """Add rows from ``row`` on; with scores return both class counts by segment."""
        self._add_sums(counts, row, out)
        out.total += counts[:, : self.n - row].sum(axis=1, dtype=np.int64)
        return ()

    def add_weights(self, weights: Floats, row: int, state: Floats, out: Yield) -> None:
        """Add weighted rows from ``row`` on; ``weights`` has a line for each replicate."""
        self._add_sums(weights, row, out)
        replicates.column_sums(weights, np.ones((1, weights.shape[1])), out.total[:, None])

    def _add_sums(self, weights: NDArray[Any], row: int, out: Yield) -> None:
        """Add the rows from ``row`` on to the sums; ``weights`` may be counts."""
        if self.columns is not None:
            chunk = np.ascontiguousarray(self.columns[:, row : row + weights.shape[1]])
            replicates.column_sums(weights, chunk, out.sums)

    def passes_through(self, ops: Sequence[CurveOp]) -> bool:
        """Return True if a replicate can be measured chunk by chunk in one pass."""
        return self.units is None and not (ops or self._n_cells())

    def column_weights(self) -> NDArray[Any] | None:
        return self.weights

    def each(self, function: Statistic, counts: Bytes) -> Floats:
        """Compute a statistic of the user's own for every replicate."""
        weights: NDArray[Any] = counts[:, : self.n]
        if self.weights is not None:
            weights = weights * self.weights
        return np.array([function(self.arguments, self.in_given_order(row)) for row in weights])

    def in_given_order(self, weights: NDArray[Any]) -> NDArray[Any]:
        """Reorder the weights of rows to the order of the arguments."""
        if self.numbers is None:
            return weights
        sums = np.bincount(self.numbers, weights, len(self.arguments[0]))
        return sums if weights.dtype.kind == "f" else sums.astype(np.int64)

    def are_alike(self, cells: CellsAre) -> bool:
        return cells != "entries" and self.weights is None and not self.is_grouped

    def contributions(self, influences: Floats, cells: CellsAre) -> Floats:
        """Sum influences, of rows or cells, to the contributions of sampling units."""
        if cells != "entries":
            influences = influences[self._cell_of_rows(cells)]
        if self.weights is not None:
            influences = influences * self.weights
        if self.units is None:
            return influences
        return np.bincount(self.units, influences, self.n_units).astype(np.float64, copy=False)

    def _cell_of_rows(self, cells: CellsAre) -> NDArray[np.int64]:
        """Return the index of each row's cell."""
        starts = np.zeros(0, np.int64) if self.starts is None else self.starts
        return np.repeat(np.arange(len(starts)), np.diff(starts, append=self.n))

    def _n_cells(self) -> int:
        return 0 if self.starts is None else len(self.starts)

    def _measure(self, ops: Sequence[CurveOp], counts: Bytes, segments: Any, out: Yield) -> None:
        """Measure the metrics that need a second pass over the counts."""
        if self.starts is not None:
            out.cells[:] = by_cell(counts[:, : self.n], self.starts, np.int64)

    def _weigh(self, ops: Sequence[CurveOp], weights: Floats, r: int, out: Yield) -> None:
        """Measure the metrics of replicate r that need a second pass over the weights."""
        if self.starts is not None:
            out.cells[r] = by_cell(weights[None, :], self.starts, np.float64)[0]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ScoredRowSample(RowSample):
    """Labels with scores, by descending score; ``cut`` of them are at the threshold or above."""

    rows: SortedRows
    cut: int | None = None

    def masks(self) -> Bytes:
        return self.rows.masks

    def score_at(self, indices: NDArray[np.int64]) -> NDArray[Any]:
        return self.rows.score_at(indices)

    def by_class(self, values: Floats) -> list[Floats]:
        positive = self.rows.labels == 1
        return [values[positive], values[~positive]]

    def add_counts(self, counts: Bytes, row: int, state: Codes, out: Yield) -> tuple[Codes, ...]:
        self._add_sums(counts, row, out)
        count, size = counts.shape
        segments = tuple(np.empty((2, count, -(-size // replicates.SEGMENT)), np.int64))
        pieces = self.rows.tie_pieces(row, row + size)
        masks = self.rows.masks[row : row + size].view(np.uint64)
        scratch = np.empty((2, replicates.SEGMENT), np.uint8)
        # eight rows at a time, as 64-bit integers
        counts8 = counts.view(np.uint64)
        scratch8 = scratch.view(np.uint64)
        replicates.pair_counts(counts8, masks, pieces, counts, scratch8, scratch, state, *segments)
        return segments

    def add_weights(self, weights: Floats, row: int, state: Floats, out: Yield) -> None:
        self._add_sums(weights, row, out)
        stop = row + weights.shape[1]
        pieces = self.rows.tie_pieces(row, stop)
        replicates.weighted_pairs(weights, self.rows.masks[row:stop], pieces, state)

    def _cell_of_rows(self, cells: CellsAre) -> NDArray[np.int64]:
        if cells == "decisions":
            return 2 * self.rows.labels.astype(np.int64) + (np.arange(self.n) < (self.cut or 0))
        ends = self.rows.ends[: self.n].astype(np.int64)
        scores: NDArray[np.int64] = np.cumsum(ends) - ends
        scores[self.rows.labels == 0] += len(self.score_table())
        return scores

    def _n_cells(self) -> int:
        return 0 if self.cut is None else 4

    def _measure(self, ops: Sequence[CurveOp], counts: Bytes, segments: Any, out: Yield) -> None:
        for op in ops:
            out.states[op] = measure_op(self.rows, op, counts, segments)
        if self.cut is not None:
            out.cells[:] = out.four_cells(*called_positive(self.rows, self.cut, counts, segments))

    def _weigh(self, ops: Sequence[CurveOp], weights: Floats, r: int, out: Yield) -> None:
        if ops:
            *curve, at = weighted_points(self.rows, weights.astype(np.float64))
            slack = _ROUNDING * (curve[0][-1] + curve[1][-1])
            _metric_curve(ops, curve, at, slack, r, out)
        if self.cut is not None:
            positive = self.rows.masks[: self.cut] > 0
            tp = float(weights[: self.cut][positive].sum())
            fp = float(weights[: self.cut].sum()) - tp
            cells = (out.n_negative[r] - fp, fp, out.n_positive[r] - tp, tp)
            out.cells[r] = np.maximum(cells, 0.0)


def _metric_curve(
    ops: Sequence[CurveOp], curve: Any, at: NDArray[np.int64], slack: float, r: int, out: Yield
) -> None:
    """Measure the threshold metrics of replicate r from TP and FP at each point of its curve."""
    for op in ops:
        states = out.states.setdefault(op, np.zeros((len(out.total), replicates.STATE)))
        replicates.measure_curve(*op, *curve, at, slack, states[r])


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TableCells(BootstrapSample):
    """The distinct scores of two classes; ``cut`` of them are at the threshold or above."""

    table: ScoreTable
    cut: int | None = None

    def column_weights(self) -> NDArray[Any]:
        return np.concatenate(self.times("scores"), dtype=np.float64)

    def draw(self, draws: Draws, ops: Sequence[CurveOp], first: int, count: int) -> Yield:
        """Draw ``count`` replicates from number ``first`` on."""
        positives, negatives = self.draw_counts(draws, first, count)
        n_scores = positives.shape[1]
        out = Yield.empty(count, self.score_at, n_cells=0 if self.cut is None else 4)
        tp, fp = cumulative_counts(positives, negatives)
        out.n_positive[:] = tp[:, -1]
        out.n_negative[:] = fp[:, -1]
        out.total[:] = out.n_positive + out.n_negative
        # A positive wins over every negative below it, and half over those of its own score.
        twice = 2.0 * fp[:, -1:] - 2.0 * fp[:, 1:] + negatives
        out.twice_pairs[:] = np.einsum("ij,ij->i", positives.astype(np.float64), twice)
        if self.cut is not None:
            out.cells[:] = out.four_cells(tp[:, self.cut], fp[:, self.cut])
        at = np.arange(n_scores)
        for r in range(count if ops else 0):
            _metric_curve(ops, (tp[r], fp[r]), at, 0.0, r, out)
        if self.columns is not None:
            out.sums = np.empty((count, len(self.columns)))
            for j, column in enumerate(self.columns):  # rounding of BLAS depends on the shape
                positive_sums = (positives * column[:n_scores]).sum(axis=1)
                out.sums[:, j] = positive_sums + (negatives * column[n_scores:]).sum(axis=1)
        return out

    def draw_counts(self, draws: Draws, first: int, count: int) -> tuple[Counts, Counts]:
        """Draw the positives and negatives at each score: two (replicates, scores)."""
        draw = partial(cell_counts, draws.key, first=first, count=count)
        if draws.masks is not None:
            return draw(self.table.positives, stratum=0), draw(self.table.negatives, stratum=1)
        cells = draw(np.stack((self.table.positives, self.table.negatives), axis=1).ravel())
        return cells[:, ::2], cells[:, 1::2]


def cumulative_counts(positives: Counts, negatives: Counts) -> Floats:
    """Sum TP and FP of each replicate from the highest score down: (2, replicates, scores + 1)."""
    curves = np.zeros((2, len(positives), positives.shape[1] + 1))
    np.cumsum(positives, axis=1, out=curves[0, :, 1:])
    np.cumsum(negatives, axis=1, out=curves[1, :, 1:])
    return curves


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MatrixCells(BootstrapSample):
    """A confusion matrix of ``counts`` (K, K), of two classes the positive one last."""

    counts: NDArray[Any]

    @classmethod
    def from_counts(cls, counts: NDArray[Any]) -> MatrixCells:
        """Build the cells of a confusion matrix."""
        n = int(counts.sum())
        return cls(n_rows=n, n_units=n, counts=counts)

    def draw(self, draws: Draws, ops: Sequence[CurveOp], first: int, count: int) -> Yield:
        """Draw ``count`` replicates; where stratified, each true class by itself."""
        out = Yield.empty(count)
        if draws.masks is not None:
            rows = [
                cell_counts(draws.key, row, first, count, stratum=stratum)
                for stratum, row in enumerate(self.counts)
            ]
            out.cells = np.concatenate(rows, axis=1, dtype=np.float64)
        else:
            out.cells = cell_counts(draws.key, self.counts.ravel(), first, count).astype(np.float64)
        out.total = out.cells.sum(axis=1)
        return out
