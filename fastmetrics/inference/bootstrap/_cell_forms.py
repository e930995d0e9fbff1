"""Cells that stand for any number of rows: a replicate costs the same whatever that is.

Here too are rows of true and predicted classes, of which cells are made: groups and weights need
the rows themselves.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import LabelColumn, LabelColumns, check_label_column
from fastmetrics._input.containers import as_vector
from fastmetrics._input.models import NamedScores
from fastmetrics._input.weights import Weights
from fastmetrics._kernels import replicates as kernels, resampling
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.inference.bootstrap._draws import Draws, Needs, Yield, by_cell, cell_counts
from fastmetrics.inference.bootstrap._forms import Form, Rows
from fastmetrics.inference.bootstrap._rows import Bytes, Codes, Floats
from fastmetrics.measures.decisions._matrix_input import positive_last
from fastmetrics.tables.confusion._label_counts import (
    Cells as LabelCells,
    completed,
    count_columns,
    seen_cells,
)
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix
from fastmetrics.tables.score_table import ScoreTable

Counts = NDArray[np.int64]

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
    def times(self) -> Counts:
        """Return how many rows each cell stands for."""

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
        return self.times().astype(np.float64)

    def score_at(self, places: NDArray[np.int64]) -> NDArray[Any]:
        scores: NDArray[Any] = self.table.scores[places]
        return scores

    def times(self) -> Counts:
        return np.concatenate((self.table.positives, self.table.negatives))

    def classes(self) -> NDArray[Any]:
        return np.repeat((1, 0), len(self.table))

    def cell_of_rows(self) -> NDArray[np.int64]:
        called = np.arange(len(self.table)) < (self.cut or 0)
        return 2 * self.classes() + np.tile(called, 2)

    def of_scores(self, of_positives: Floats, of_negatives: Floats) -> Floats:
        return np.concatenate((of_positives, of_negatives))

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
                kernels.measure_points(tp[r], fp[r], *given, out.states[r])
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

    def times(self) -> Counts:
        return self.counts.ravel()

    def classes(self) -> NDArray[Any]:
        return np.repeat(np.arange(len(self.counts)), len(self.counts))

    def cell_of_rows(self) -> NDArray[np.int64]:
        return np.arange(self.counts.size)

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
