"""One model's data in the forms in which they are resampled: a class a form.

Rows are drawn one by one or by groups: `ScoredRows` (labels with scores), `CodedRows` (true and
predicted classes), plain `Rows` (targets with predictions). Cells stand for any number of rows, and
a replicate of them costs the same whatever that is. A form measures its replicates, and knows what
measures of the data follow from.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import LabelColumn, LabelColumns, check_label_column
from fastmetrics._input.containers import as_vector
from fastmetrics._input.models import NamedScores
from fastmetrics._input.weights import Weights
from fastmetrics._kernels import replicates, resampling
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.inference.bootstrap._draws import (
    BATCH_BYTES,
    Bytes,
    Codes,
    Draws,
    Floats,
    Needs,
    SortedRows,
    Statistic,
    Yield,
    by_cell,
    called_positive,
    cell_counts,
    measure_lines,
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
)
from fastmetrics.measures.decisions.count_measures import positive_last
from fastmetrics.tables.confusion._label_counts import (
    Cells as LabelCells,
    completed,
    count_columns,
    seen_cells,
)
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix
from fastmetrics.tables.score_table import ScoreTable

# Sums of weights this near to the number of positives, relative to all weight, meet it.
_ROUNDING: Final = 2.0**-50


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Form(ABC):
    """What all forms have.

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

    @property
    def n_entries(self) -> int:
        """Rows that are written out; 0 for cells."""
        return 0

    @property
    def is_grouped(self) -> bool:
        """Whether groups are drawn, not rows."""
        return False

    def warn_of_sizes(self) -> None:
        """Say where groups, or rows of importances, are too few for an interval to hold."""
        if self.is_grouped:
            warn_of_few_groups(self.effective_n_groups(), self.n_units)
        if self.fractional is not None:
            warn_of_few_rows(self.sizes().effective, self.n_rows)

    def sizes(self) -> Sizes:
        """Return rows and groups, and what they are worth in rows and groups of equal weight."""
        n, fractional = float(self.n_rows), self.fractional
        effective = n if fractional is None else effective_sample_size(fractional)
        n_groups = self.n_units if self.is_grouped else None
        return Sizes(n, effective, n_groups, self.effective_n_groups())

    def effective_n_groups(self) -> float | None:
        """Return what the groups are worth in groups of equal size; None where rows are drawn."""
        return None

    def masks(self) -> Bytes:
        """Return the class of each unit, 255 or 0, for draws by class; empty for cells."""
        raise InputError(
            "`stratified` needs two classes: there are no labels to draw by, or their rows have "
            "importance weights"
        )

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

    def statistic(self, function: Statistic, kept: NDArray[Any] | None = None) -> float:
        """Return a function of the user's of the rows, or of those that are kept."""
        raise InputTypeError("rows are needed")

    def score_at(self, places: NDArray[np.int64]) -> NDArray[Any]:
        """Return the scores at places that a kernel names."""
        raise InputTypeError("scores are needed")

    def are_alike(self, cells: CellsAre) -> bool:
        """Return whether all sampling units of a cell move a metric alike, and are counted."""
        return True

    def times(self, cells: CellsAre) -> list[NDArray[Any]]:
        """Return how many sampling units each cell stands for, an array for each class."""
        if cells == "decisions":
            return list(self.matrix())
        return [self.score_table().positives, self.score_table().negatives]

    def contributions(self, influences: Floats, cells: CellsAre) -> Floats:
        """Return what each sampling unit adds to the error, from the influence of each cell."""
        raise InputTypeError("rows are needed")

    def by_class(self, values: Floats) -> list[Floats]:
        """Return numbers of the entries class by class: those of each are drawn by themselves."""
        raise InputTypeError("entries with classes are needed")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Rows(Form):
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
    """

    n: int
    weights: NDArray[Any] | None = None
    units: NDArray[np.int32] | None = None
    arguments: tuple[NDArray[Any], ...] = ()
    numbers: NDArray[Any] | None = None

    @property
    def n_entries(self) -> int:
        return self.n

    @property
    def is_grouped(self) -> bool:
        return self.units is not None and self.n_units != self.n

    def effective_n_groups(self) -> float | None:
        if self.units is None or not self.is_grouped:
            return None
        return effective_groups(self.units, self.weights)

    def batch_size(self) -> int:
        n = max(self.n_units, self.n, 1)  # few groups may have many rows
        return max(1, min(4096, BATCH_BYTES // padded(n)))

    def counts_of_rows(self, of_units: Bytes) -> Bytes:
        """Return how often each row is drawn, from how often its unit is."""
        if self.units is None:
            return of_units
        counts = np.zeros((len(of_units), padded(self.n)), np.uint8)
        replicates.gather_counts(of_units, self.units, counts)
        return counts

    def measure(self, needs: Needs, counts: Bytes) -> Yield:
        """Measure replicates whose counts of every row are at hand."""
        out = self.empty(len(counts), needs)
        if self.weights is not None:
            for r in range(len(counts)):
                self.weigh(needs, counts[r, : self.n] * self.weights, None, r, out)
            return out
        state = np.zeros((len(counts), 4), np.int64)
        segments = self.part(counts, 0, state, out)
        out.close(state)
        self._finish(needs, counts, segments, out)
        for j, statistic in enumerate(needs.statistics):
            for r in range(len(counts)):
                drawn = self.in_given_order(counts[r, : self.n])
                out.statistics[r, j] = statistic(self.arguments, drawn)
        return out

    def weigh(
        self, needs: Needs, weights: NDArray[Any], scale: float | None, r: int, out: Yield
    ) -> None:
        """Measure replicate r, whose rows have weights, which ``scale`` makes larger."""
        state, here = np.zeros((1, 6)), out.at(r)
        self.part_of_weights(weights.astype(np.float64, copy=False)[None, :], 0, state, here)
        here.close_weights(state)
        if scale is not None:
            out.rescale(r, scale)
        self._weigh(needs, weights, 1.0 if scale is None else scale, r, out)
        scaled = weights if scale is None or not needs.statistics else weights * scale
        for j, statistic in enumerate(needs.statistics):
            out.statistics[r, j] = statistic(self.arguments, self.in_given_order(scaled))

    def part_of_weights(self, weights: Floats, row: int, state: Floats, out: Yield) -> None:
        """Add what the weighted rows from ``row`` on give, a line a replicate."""
        sum_columns(weights, self.columns, row, out)
        replicates.column_sums(weights, np.ones((1, weights.shape[1])), out.total[:, None])

    def empty(self, count: int, needs: Needs) -> Yield:
        n_columns = 0 if self.columns is None else len(self.columns)
        return Yield.empty(count, needs, n_columns, self._n_cells())

    def part(self, counts: Bytes, row: int, state: Codes, out: Yield) -> tuple[Codes, Codes]:
        """Add what the rows from ``row`` on give to pairs and sums; return segments' totals."""
        segments = pairs_and_sums(None, self.columns, counts, row, state, out)
        out.total += counts[:, : self.n - row].sum(axis=1, dtype=np.int64)
        return segments

    def passes_through(self, needs: Needs) -> bool:
        """Return whether parts of a replicate can be forgotten one after the other."""
        return self.units is None and not (needs.lines or needs.statistics or self._n_cells())

    def weights_of_columns(self) -> NDArray[Any] | None:
        return self.weights

    def statistic(self, function: Statistic, kept: NDArray[Any] | None = None) -> float:
        if kept is None:
            ones = np.ones(self.n, np.int64) if self.weights is None else self.weights
            kept = self.in_given_order(ones)
        return function(self.arguments, kept)

    def in_given_order(self, weights: NDArray[Any]) -> NDArray[Any]:
        """Return the weight of each row of the arguments, from those of the rows in this order."""
        if self.numbers is None:
            return weights
        sums = np.bincount(self.numbers, weights, len(self.arguments[0]))
        return sums if weights.dtype.kind == "f" else sums.astype(np.int64)

    def are_alike(self, cells: CellsAre) -> bool:
        return cells != "entries" and self.weights is None and not self.is_grouped

    def contributions(self, influences: Floats, cells: CellsAre) -> Floats:
        if cells == "scores":
            influences = influences[self.score_of_rows()]
        elif cells == "decisions":
            influences = influences[self.cell_of_rows()]
        if self.weights is not None:
            influences = influences * self.weights
        if self.units is None:
            return influences
        return np.bincount(self.units, influences, self.n_units).astype(np.float64, copy=False)

    def cell_of_rows(self) -> NDArray[np.int64]:
        """Return the cell of the confusion matrix that each row is in."""
        raise InputTypeError("rows with classes are needed")

    def score_of_rows(self) -> NDArray[np.int64]:
        """Return the index of each row's score among those of the positives, then negatives."""
        raise InputTypeError("scores of two classes are needed")

    def _n_cells(self) -> int:
        return 0

    def _finish(self, needs: Needs, counts: Bytes, segments: Any, out: Yield) -> None:
        """Measure what needs a second look at the counts."""

    def _weigh(self, needs: Needs, weights: Floats, scale: float, r: int, out: Yield) -> None:
        """Measure what needs a second look at the weights."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ScoredRows(Rows):
    """Labels with scores, by descending score; ``cut`` of them are at the threshold or above."""

    rows: SortedRows
    cut: int | None = None

    def masks(self) -> Bytes:
        return self.rows.masks

    def score_at(self, places: NDArray[np.int64]) -> NDArray[Any]:
        return self.rows.score_at(places)

    def cell_of_rows(self) -> NDArray[np.int64]:
        called = np.arange(self.n) < (self.cut or 0)
        return 2 * self.rows.labels.astype(np.int64) + called

    def by_class(self, values: Floats) -> list[Floats]:
        positive = self.rows.labels == 1
        return [values[positive], values[~positive]]

    def score_of_rows(self) -> NDArray[np.int64]:
        ends = self.rows.ends[: self.n].astype(np.int64)
        scores = np.cumsum(ends) - ends
        below: NDArray[np.int64] = scores + len(self.score_table()) * (self.rows.labels == 0)
        return below

    def part(self, counts: Bytes, row: int, state: Codes, out: Yield) -> tuple[Codes, Codes]:
        return pairs_and_sums(self.rows, self.columns, counts, row, state, out)

    def part_of_weights(self, weights: Floats, row: int, state: Floats, out: Yield) -> None:
        sum_columns(weights, self.columns, row, out)
        stop = row + weights.shape[1]
        pieces = self.rows.tie_pieces(row, stop)
        replicates.weighted_pairs(weights, self.rows.masks[row:stop], pieces, state)

    def _n_cells(self) -> int:
        return 0 if self.cut is None else 4

    def _finish(self, needs: Needs, counts: Bytes, segments: Any, out: Yield) -> None:
        rows = self.rows
        totals = out.n_positive, out.n_negative
        around = np.stack((*np.zeros_like(totals), *totals), axis=1)
        measure_lines(rows, needs, counts, segments, around, out.states)
        if self.cut is not None:
            out.cells[:] = out.four_cells(*called_positive(rows, self.cut, counts, segments))

    def _weigh(self, needs: Needs, weights: Floats, scale: float, r: int, out: Yield) -> None:
        if needs.lines:
            *curve, at = points_of_weights(self.rows, weights.astype(np.float64), scale)
            slack = _ROUNDING * (curve[0][-1] + curve[1][-1])
            programme, bounds = needs.programme, needs.bounds
            replicates.measure_points(*curve, at, slack, programme, bounds, out.states[r])
        if self.cut is not None:
            positive = self.rows.masks[: self.cut] > 0
            tp = scale * float(weights[: self.cut][positive].sum())
            fp = scale * float(weights[: self.cut].sum()) - tp
            cells = (out.n_negative[r] - fp, fp, out.n_positive[r] - tp, tp)
            out.cells[r] = np.maximum(cells, 0.0)


Counts = NDArray[np.int64]
#: What moves a metric alike: rows of a class and a score, of a cell of the matrix, or one entry.
CellsAre = Literal["scores", "decisions", "entries"]

_CELLS_OF_A_BATCH: Final = 1 << 16


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CodedRows(Rows):
    """True and predicted classes, the rows being sorted by their cell; each starts at a row."""

    starts: NDArray[np.int64]

    def cell_of_rows(self) -> NDArray[np.int64]:
        sizes = np.diff(self.starts, append=self.n)
        return np.repeat(np.arange(len(sizes)), sizes)

    def _n_cells(self) -> int:
        return len(self.starts)

    def _finish(self, needs: Needs, counts: Bytes, segments: Any, out: Yield) -> None:
        out.cells[:] = by_cell(counts[:, : self.n], self.starts, np.int64)

    def _weigh(self, needs: Needs, weights: Floats, scale: float, r: int, out: Yield) -> None:
        out.cells[r] = scale * by_cell(weights[None, :], self.starts, np.float64)[0]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Cells(Form):
    """What both kinds of cells have: no masks, and batches of so many cells."""

    def masks(self) -> Bytes:
        return np.zeros(0, np.uint8)

    def batch_size(self) -> int:
        return max(1, min(4096, _CELLS_OF_A_BATCH // self._n_cells()))

    @abstractmethod
    def draw(self, draws: Draws, needs: Needs, first: int, count: int) -> Yield:
        """Return what ``count`` replicates from number ``first`` on yield."""

    @abstractmethod
    def _n_cells(self) -> int: ...


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TableCells(Cells):
    """The distinct scores of two classes; ``cut`` of them are at the threshold or above."""

    table: ScoreTable
    cut: int | None = None

    def draw(self, draws: Draws, needs: Needs, first: int, count: int) -> Yield:
        return self._measured(*self.drawn(draws, first, count), needs)

    def drawn(self, draws: Draws, first: int, count: int) -> tuple[Counts, Counts]:
        """Return the positives and the negatives at each score, (replicates, scores)."""
        draw = partial(cell_counts, draws.key, first=first, count=count)
        if draws.masks is not None:
            return draw(self.table.positives, stratum=0), draw(self.table.negatives, stratum=1)
        both = np.stack((self.table.positives, self.table.negatives), axis=1).ravel()
        cells = draw(both, poisson=draws.resampling == "poisson")
        return cells[:, ::2], cells[:, 1::2]

    def weights_of_columns(self) -> NDArray[Any]:
        return np.concatenate(self.times("scores"), dtype=np.float64)

    def score_at(self, places: NDArray[np.int64]) -> NDArray[Any]:
        scores: NDArray[Any] = self.table.scores[places]
        return scores

    def by_class(self, values: Floats) -> list[Floats]:
        return np.split(values, 2)

    def _n_cells(self) -> int:
        return 2 * len(self.table)

    def _measured(self, positives: Counts, negatives: Counts, needs: Needs) -> Yield:
        """Measure counts of both classes at each score, (replicates, scores)."""
        count, n_scores = positives.shape
        out = Yield.empty(count, needs, n_cells=0 if self.cut is None else 4)
        tp, fp = curves_of(positives, negatives)
        out.n_positive[:], out.n_negative[:] = tp[:, -1], fp[:, -1]
        out.total[:] = out.n_positive + out.n_negative
        # A positive wins over every negative below it, and half over those of its own score.
        twice = 2.0 * fp[:, -1:] - 2.0 * fp[:, 1:] + negatives
        out.twice_pairs[:] = np.einsum("ij,ij->i", positives.astype(np.float64), twice)
        if self.cut is not None:
            out.cells[:] = out.four_cells(tp[:, self.cut], fp[:, self.cut])
        if needs.lines:
            given = np.arange(n_scores), 0.0, needs.programme, needs.bounds
            for r in range(count):
                replicates.measure_points(tp[r], fp[r], *given, out.states[r])
        if self.columns is not None:
            out.sums = np.empty((count, len(self.columns)))
            for j, column in enumerate(self.columns):  # a product of matrices rounds by shape
                of_positives = (positives * column[:n_scores]).sum(axis=1)
                out.sums[:, j] = of_positives + (negatives * column[n_scores:]).sum(axis=1)
        return out


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MatrixCells(Cells):
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

    def draw(self, draws: Draws, needs: Needs, first: int, count: int) -> Yield:
        """Return what ``count`` replicates yield; by class, each true class by itself."""
        sizes = self.counts.ravel()
        if draws.resampling == "bayesian":
            return self._measured(_gamma_weights(draws.key, sizes, first, count))
        if draws.masks is not None:
            rows = [
                cell_counts(draws.key, row, first, count, stratum=stratum)
                for stratum, row in enumerate(self.counts)
            ]
            return self._measured(np.concatenate(rows, axis=1))
        poisson = draws.resampling == "poisson"
        return self._measured(cell_counts(draws.key, sizes, first, count, poisson=poisson))

    def _n_cells(self) -> int:
        return self.counts.size

    def _measured(self, cells: NDArray[Any]) -> Yield:
        out = Yield.empty(len(cells), Needs())
        out.cells = cells.astype(np.float64)
        out.total = out.cells.sum(axis=1)
        return out


def curves_of(positives: Counts, negatives: Counts) -> Floats:
    """Return TP and FP of each replicate before and at each score: (2, replicates, scores + 1)."""
    curves = np.zeros((2, len(positives), positives.shape[1] + 1))
    np.cumsum(positives, axis=1, out=curves[0, :, 1:])
    np.cumsum(negatives, axis=1, out=curves[1, :, 1:])
    return curves


def _gamma_weights(
    key: NDArray[np.uint64], sizes: NDArray[np.int64], first: int, count: int
) -> Floats:
    """Return the Bayesian bootstrap's weight of each cell: gamma with the cell's size as shape."""
    from scipy.special import gammaincinv

    weights = np.zeros((count, len(sizes)))
    words = np.empty(2 * count, np.uint64)
    for cell in np.flatnonzero(sizes):
        resampling.philox(key, first, cell, 0, resampling.WEIGHTS, count, words)
        uniform = ((words[:count] >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52
        weights[:, cell] = gammaincinv(float(sizes[cell]), uniform)
    return weights


def predicted_labels(model: NamedScores, label: str) -> LabelColumn:
    """Return predicted labels; what is wrong with scores is that they are none."""
    if model.values is None:
        raise InputTypeError(f"`{model.argument}` must be given for {label!r}: got None")
    try:
        return check_label_column(model.values, model.argument)
    except InputError:
        values = as_vector(model.values, model.argument)
        if values.dtype.kind == "f" and np.any(np.isfinite(values) & (np.rint(values) != values)):
            raise InputError(
                f"{label!r} counts decisions, and `{model.argument}` holds scores: pass "
                "`threshold`, or predicted labels"
            ) from None
        raise


def codes_among(column: LabelColumn, labels: tuple[Any, ...]) -> Codes:
    """Return the place of each label among those given; 0 for one of no weight."""
    found = column.coded()
    place = {label: k for k, label in enumerate(labels)}
    return np.array([place.get(name, 0) for name in found.classes.tolist()], np.int64)[found.codes]


def matrices_of(
    pairs: Sequence[LabelColumns], weights: Weights | None, pos_label: Any
) -> list[LabelCells]:
    """Return the confusion matrix of each model, all of the same labels."""
    counted = [count_columns(pair, weights) for pair in pairs]
    matrices = [
        completed(seen_cells(cells, pair.label_type))
        for cells, pair in zip(counted, pairs, strict=True)
    ]
    if len(matrices) > 1:
        labels = tuple(sorted({label for matrix in matrices for label in matrix.labels}))
        matrices = [matrix.arranged(labels) for matrix in matrices]
    if pos_label is None:
        return matrices
    return [positive_last(matrix, pos_label, known=False) for matrix in matrices]
