"""One model's data as they are resampled: a class for each kind of sample.

Rows are drawn one by one or by groups: `ScoredRowSample` (labels with scores), plain `RowSample`
(true with predicted classes, or targets with predictions). Cells stand for any number of rows, and
a replicate of them costs the same whatever that is. A sample measures its replicates, and has what
metrics of the data themselves follow from.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels import replicates
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.inference.bootstrap._draws import (
    BATCH_BYTES,
    Bytes,
    Codes,
    Draws,
    Floats,
    Line,
    SortedRows,
    Statistic,
    Yield,
    by_cell,
    called_positive,
    cell_counts,
    measure_line,
    padded,
    pairs_and_sums,
    points_of_weights,
    sum_columns,
)
from fastmetrics.inference.units import (
    Sizes,
    effective_groups,
    effective_sample_size,
    warn_of_few_groups,
    warn_of_few_rows,
    warn_of_rare_classes,
)
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix
from fastmetrics.tables.score_table import ScoreTable

Counts = NDArray[np.int64]
#: What moves a metric alike: rows of a class and a score, of a cell of the matrix, or one entry.
CellsAre = Literal["scores", "decisions", "entries"]

# Sums of weights this near to the number of positives, relative to all weight, meet it.
_ROUNDING: Final = 2.0**-50
_CELLS_OF_A_BATCH: Final = 1 << 16
_MOST_REPLICATES: Final = 4096  # of a batch


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BootstrapSample(ABC):
    """What all samples have.

    Attributes
    ----------
    n_rows, n_units : int
        Examples; units that are drawn: rows or groups.
    fractional : ndarray or None
        Weights of the rows, in any order, where they are fractions.
    columns : ndarray of shape (n_columns, n_cells), or None
        What each row (or cell: positives of each score, then negatives) adds to the sums.
    table : ScoreTable or None
        The distinct scores of both classes, of data that have them.
    counts : ndarray of shape (K, K), or None
        The confusion matrix; of scores what the decision score >= threshold does.
    """

    n_rows: int
    n_units: int
    fractional: Floats | None = None
    columns: Floats | None = None
    table: ScoreTable | None = None
    counts: NDArray[Any] | None = None

    @abstractmethod
    def batch_size(self) -> int:
        """Return how many replicates make a batch: a number of the data, not of the threads."""

    @abstractmethod
    def masks(self) -> Bytes:
        """Return the class of each unit, 255 or 0, for draws by class; empty for cells."""

    @property
    def is_grouped(self) -> bool:
        """Whether groups are drawn, not rows."""
        return False

    def warn_of_sizes(self) -> None:
        """Warn where groups, or rows of importances, are too few for an interval to hold."""
        if self.is_grouped:
            warn_of_few_groups(self.sizes().effective_n_groups, self.n_units)
        if self.fractional is not None:
            warn_of_few_rows(self.sizes().effective, self.n_rows)

    def sizes(self) -> Sizes:
        """Return rows and groups, and what they are worth in rows and groups of equal weight."""
        n, fractional = float(self.n_rows), self.fractional
        return Sizes(n, n if fractional is None else effective_sample_size(fractional))

    def score_table(self) -> ScoreTable:
        """Return the distinct scores of both classes."""
        if self.table is None:
            raise InputTypeError("scores of two classes are needed")
        return self.table

    def matrix(self) -> NDArray[Any]:
        """Return the counts (K, K) of decisions."""
        if self.counts is None:
            raise InputError(
                "a measure of `metrics` counts decisions: pass `threshold` with scores, or "
                "predicted labels"
            )
        return self.counts

    def weights_of_columns(self) -> NDArray[Any] | None:
        """Return how often each entry of the columns counts; None for once."""
        return None

    def score_at(self, places: NDArray[np.int64]) -> NDArray[Any]:
        """Return the scores at places that a kernel names."""
        scores: NDArray[Any] = self.score_table().scores[places]
        return scores

    def are_alike(self, cells: CellsAre) -> bool:
        """Return whether all sampling units of a cell move a metric alike, and are counted."""
        return True

    def times(self, cells: CellsAre) -> list[NDArray[Any]]:
        """Return how many sampling units each cell stands for, an array for each class."""
        if cells == "decisions":
            return list(self.matrix())
        return [self.score_table().positives, self.score_table().negatives]

    def by_class(self, values: Floats) -> list[Floats]:
        """Return numbers of the entries class by class, positives first."""
        return np.split(values, 2)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RowSample(BootstrapSample):
    """Rows in the order in which their counts are read.

    Attributes
    ----------
    weights : ndarray of shape (n,), or None
        Weight of each row: float64, or int64 where it is a frequency.
    units : ndarray of int32, shape (n,), or None
        The unit that each row belongs to, where the rows themselves are not drawn in this order.
    arguments : tuple of ndarray
        What a statistic is called with: targets, predictions, in the order given.
    numbers : ndarray of int, shape (n,), or None
        The place of each row in the arguments, where that is another one.
    starts : ndarray of int64, shape (K * K,), or None
        The first row of each cell of true and predicted classes, where rows are sorted by these.
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

    def counts_of_rows(self, of_units: Bytes) -> Bytes:
        """Return how often each row is drawn, from how often its unit is."""
        if self.units is None:
            return of_units
        counts = np.zeros((len(of_units), padded(self.n)), np.uint8)
        replicates.gather_counts(of_units, self.units, counts)
        return counts

    def measure(self, lines: Sequence[Line], counts: Bytes) -> Yield:
        """Measure replicates whose counts of every row are at hand."""
        if self.weights is not None:
            return self.weigh(lines, counts[:, : self.n] * self.weights)
        out = self.empty(len(counts))
        state = np.zeros((len(counts), 4), np.int64)
        segments = self.add_counts(counts, 0, state, out)
        out.close(state)
        self._measure(lines, counts, segments, out)
        return out

    def weigh(self, lines: Sequence[Line], weights: NDArray[Any]) -> Yield:
        """Measure replicates whose rows have weights."""
        out, state = self.empty(len(weights)), np.zeros((len(weights), 6))
        self.add_weights(weights.astype(np.float64, copy=False), 0, state, out)
        out.close(state)
        for r, of_rows in enumerate(weights):
            self._weigh(lines, of_rows, r, out)
        return out

    def empty(self, count: int) -> Yield:
        """Return room for the yield of ``count`` replicates."""
        n_columns = 0 if self.columns is None else len(self.columns)
        return Yield.empty(count, self.score_at, n_columns, self._n_cells())

    def add_counts(self, counts: Bytes, row: int, state: Codes, out: Yield) -> tuple[Codes, Codes]:
        """Add what the rows from ``row`` on give to pairs and sums; return segments' totals."""
        segments = pairs_and_sums(None, self.columns, counts, row, state, out)
        out.total += counts[:, : self.n - row].sum(axis=1, dtype=np.int64)
        return segments

    def add_weights(self, weights: Floats, row: int, state: Floats, out: Yield) -> None:
        """Add what the weighted rows from ``row`` on give, a line a replicate."""
        sum_columns(weights, self.columns, row, out)
        replicates.column_sums(weights, np.ones((1, weights.shape[1])), out.total[:, None])

    def passes_through(self, lines: Sequence[Line]) -> bool:
        """Return whether parts of a replicate can be forgotten one after the other."""
        return self.units is None and not (lines or self._n_cells())

    def weights_of_columns(self) -> NDArray[Any] | None:
        return self.weights

    def statistic(self, function: Statistic) -> float:
        """Return a function of the user's of the rows."""
        ones = np.ones(self.n, np.int64) if self.weights is None else self.weights
        return function(self.arguments, self.in_given_order(ones))

    def each(self, function: Statistic, counts: Bytes) -> Floats:
        """Return a function of the user's of every replicate."""
        weights: NDArray[Any] = counts[:, : self.n]
        if self.weights is not None:
            weights = weights * self.weights
        return np.array([function(self.arguments, self.in_given_order(row)) for row in weights])

    def in_given_order(self, weights: NDArray[Any]) -> NDArray[Any]:
        """Return the weight of each row of the arguments, from those of the rows in this order."""
        if self.numbers is None:
            return weights
        sums = np.bincount(self.numbers, weights, len(self.arguments[0]))
        return sums if weights.dtype.kind == "f" else sums.astype(np.int64)

    def are_alike(self, cells: CellsAre) -> bool:
        return cells != "entries" and self.weights is None and not self.is_grouped

    def contributions(self, influences: Floats, cells: CellsAre) -> Floats:
        """Return what each sampling unit adds to the error, from the influence of each cell."""
        if cells != "entries":
            influences = influences[self._cell_of_rows(cells)]
        if self.weights is not None:
            influences = influences * self.weights
        if self.units is None:
            return influences
        return np.bincount(self.units, influences, self.n_units).astype(np.float64, copy=False)

    def _cell_of_rows(self, cells: CellsAre) -> NDArray[np.int64]:
        """Return the index of the cell that each row is in."""
        starts = np.zeros(0, np.int64) if self.starts is None else self.starts
        return np.repeat(np.arange(len(starts)), np.diff(starts, append=self.n))

    def _n_cells(self) -> int:
        return 0 if self.starts is None else len(self.starts)

    def _measure(self, lines: Sequence[Line], counts: Bytes, segments: Any, out: Yield) -> None:
        """Measure what needs a second look at the counts."""
        if self.starts is not None:
            out.cells[:] = by_cell(counts[:, : self.n], self.starts, np.int64)

    def _weigh(self, lines: Sequence[Line], weights: Floats, r: int, out: Yield) -> None:
        """Measure what needs a second look at the weights of replicate r."""
        if self.starts is not None:
            out.cells[r] = by_cell(weights[None, :], self.starts, np.float64)[0]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ScoredRowSample(RowSample):
    """Labels with scores, by descending score; ``cut`` of them are at the threshold or above."""

    rows: SortedRows
    cut: int | None = None

    def masks(self) -> Bytes:
        return self.rows.masks

    def score_at(self, places: NDArray[np.int64]) -> NDArray[Any]:
        return self.rows.score_at(places)

    def by_class(self, values: Floats) -> list[Floats]:
        positive = self.rows.labels == 1
        return [values[positive], values[~positive]]

    def add_counts(self, counts: Bytes, row: int, state: Codes, out: Yield) -> tuple[Codes, Codes]:
        return pairs_and_sums(self.rows, self.columns, counts, row, state, out)

    def add_weights(self, weights: Floats, row: int, state: Floats, out: Yield) -> None:
        sum_columns(weights, self.columns, row, out)
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

    def _measure(self, lines: Sequence[Line], counts: Bytes, segments: Any, out: Yield) -> None:
        for line in lines:
            out.states[line] = measure_line(self.rows, line, counts, segments)
        if self.cut is not None:
            out.cells[:] = out.four_cells(*called_positive(self.rows, self.cut, counts, segments))

    def _weigh(self, lines: Sequence[Line], weights: Floats, r: int, out: Yield) -> None:
        if lines:
            *curve, at = points_of_weights(self.rows, weights.astype(np.float64))
            slack = _ROUNDING * (curve[0][-1] + curve[1][-1])
            _measure_curve(lines, curve, at, slack, r, out)
        if self.cut is not None:
            positive = self.rows.masks[: self.cut] > 0
            tp = float(weights[: self.cut][positive].sum())
            fp = float(weights[: self.cut].sum()) - tp
            cells = (out.n_negative[r] - fp, fp, out.n_positive[r] - tp, tp)
            out.cells[r] = np.maximum(cells, 0.0)


def _measure_curve(
    lines: Sequence[Line], curve: Any, at: NDArray[np.int64], slack: float, r: int, out: Yield
) -> None:
    """Measure the threshold metrics of replicate r from TP and FP at each point of its curve."""
    for line in lines:
        states = out.states.setdefault(line, np.zeros((len(out.total), replicates.STATE)))
        replicates.measure_curve(*line, *curve, at, slack, states[r])


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ClassSample(RowSample):
    """Rows of several classes, whose ``names`` are given; arguments are codes and scores.

    ``problems`` are the binary ones, of each class against the rest ("ovr") or of pairs ("ovo").
    """

    names: Sequence[Any]
    problems: Mapping[str, Sequence[ScoredRowSample]]

    def warn_of_sizes(self) -> None:
        RowSample.warn_of_sizes(self)
        counts = np.bincount(self.arguments[0], minlength=len(self.names))
        warn_of_rare_classes(self.names, counts.tolist())

    def counts_of_rows(self, of_units: Bytes) -> Bytes:
        return of_units  # of which each problem looks up its own

    def measure(self, lines: Sequence[Line], counts: Bytes) -> Yield:
        out = self.empty(len(counts))
        for how, problems in self.problems.items():
            out.problems[how] = [
                problem.measure(lines, problem.counts_of_rows(counts)) for problem in problems
            ]
        return out


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TableCells(BootstrapSample):
    """The distinct scores of two classes; ``cut`` of them are at the threshold or above."""

    table: ScoreTable
    cut: int | None = None

    def batch_size(self) -> int:
        return max(1, min(_MOST_REPLICATES, _CELLS_OF_A_BATCH // (2 * len(self.table))))

    def masks(self) -> Bytes:
        return np.zeros(0, np.uint8)

    def weights_of_columns(self) -> NDArray[Any]:
        return np.concatenate(self.times("scores"), dtype=np.float64)

    def draw(self, draws: Draws, lines: Sequence[Line], first: int, count: int) -> Yield:
        """Return what ``count`` replicates from number ``first`` on yield."""
        positives, negatives = self.drawn(draws, first, count)
        n_scores = positives.shape[1]
        out = Yield.empty(count, self.score_at, n_cells=0 if self.cut is None else 4)
        tp, fp = curves_of(positives, negatives)
        out.n_positive[:], out.n_negative[:] = tp[:, -1], fp[:, -1]
        out.total[:] = out.n_positive + out.n_negative
        # A positive wins over every negative below it, and half over those of its own score.
        twice = 2.0 * fp[:, -1:] - 2.0 * fp[:, 1:] + negatives
        out.twice_pairs[:] = np.einsum("ij,ij->i", positives.astype(np.float64), twice)
        if self.cut is not None:
            out.cells[:] = out.four_cells(tp[:, self.cut], fp[:, self.cut])
        at = np.arange(n_scores)
        for r in range(count if lines else 0):
            _measure_curve(lines, (tp[r], fp[r]), at, 0.0, r, out)
        if self.columns is not None:
            out.sums = np.empty((count, len(self.columns)))
            for j, column in enumerate(self.columns):  # a product of matrices rounds by shape
                of_positives = (positives * column[:n_scores]).sum(axis=1)
                out.sums[:, j] = of_positives + (negatives * column[n_scores:]).sum(axis=1)
        return out

    def drawn(self, draws: Draws, first: int, count: int) -> tuple[Counts, Counts]:
        """Return the positives and the negatives at each score, (replicates, scores)."""
        draw = partial(cell_counts, draws.key, first=first, count=count)
        if draws.masks is not None:
            return draw(self.table.positives, stratum=0), draw(self.table.negatives, stratum=1)
        both = np.stack((self.table.positives, self.table.negatives), axis=1).ravel()
        cells = draw(both)
        return cells[:, ::2], cells[:, 1::2]


def curves_of(positives: Counts, negatives: Counts) -> Floats:
    """Return TP and FP of each replicate before and at each score: (2, replicates, scores + 1)."""
    curves = np.zeros((2, len(positives), positives.shape[1] + 1))
    np.cumsum(positives, axis=1, out=curves[0, :, 1:])
    np.cumsum(negatives, axis=1, out=curves[1, :, 1:])
    return curves


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MatrixCells(BootstrapSample):
    """A confusion matrix of ``counts`` (K, K), of two classes the positive one last."""

    counts: NDArray[Any]

    @classmethod
    def of(cls, counts: NDArray[Any]) -> MatrixCells:
        """Return the cells of a matrix."""
        n = int(counts.sum())
        return cls(n_rows=n, n_units=n, counts=counts)

    @classmethod
    def of_matrix(cls, matrix: ConfusionMatrix) -> MatrixCells:
        """Return a matrix that the user passed alone."""
        if matrix.is_weighted:
            raise InputTypeError(
                "a ConfusionMatrix of fractional weights cannot be resampled, as it does not tell "
                "how many rows a weight is: pass `y_true`, `y_score` and `sample_weight`"
            )
        if int(matrix.n) == 0:
            raise InputError("`y_true` must hold at least one example: got an empty matrix")
        return cls.of(np.asarray(matrix.counts))

    def batch_size(self) -> int:
        return max(1, min(_MOST_REPLICATES, _CELLS_OF_A_BATCH // self.counts.size))

    def masks(self) -> Bytes:
        return np.zeros(0, np.uint8)

    def draw(self, draws: Draws, lines: Sequence[Line], first: int, count: int) -> Yield:
        """Return what ``count`` replicates yield; by class, each true class by itself."""
        key, sizes = draws.key, self.counts.ravel()
        out = Yield.empty(count)
        if draws.masks is not None:
            rows = [
                cell_counts(key, row, first, count, stratum=stratum)
                for stratum, row in enumerate(self.counts)
            ]
            out.cells = np.concatenate(rows, axis=1, dtype=np.float64)
        else:
            cells = cell_counts(key, sizes, first, count)
            out.cells = cells.astype(np.float64)
        out.total = out.cells.sum(axis=1)
        return out
