"""A replicate: how often each unit is drawn, what measures need it to yield, and what it does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels import replicates, resampling as kernels
from fastmetrics.inference.bootstrap._rows import Bytes, Floats, SortedRows, padded

Resampling = Literal["multinomial", "poisson", "bayesian"]

#: (kind, criterion, two bounds) of `replicates.thresholds_of_rows`.
Line = tuple[int, int, float, float]
#: ``f(arguments of the rows, weights of the rows)``, weights being counts or not.
Statistic = Callable[[tuple[NDArray[Any], ...], NDArray[Any]], float]

WINDOW = kernels.WINDOW


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Draws over n units; every number follows from the key, the replicate and the block.

    ``masks`` have the class of each unit (255 or 0) where each class is drawn by itself.
    """

    key: NDArray[np.uint64]
    n_units: int
    resampling: Resampling = "multinomial"
    masks: NDArray[np.uint8] | None = None
    _of_windows: list[NDArray[np.int64]] = field(default_factory=list, init=False)

    @property
    def n_windows(self) -> int:
        """Number of windows of units."""
        return -(-self.n_units // WINDOW)

    def totals(self, first: int, count: int) -> NDArray[np.int64]:
        """Return the draws of each window: (count, n_windows), or those of each class."""
        if not self._of_windows:  # once for all replicates: counting a class takes a pass
            self._of_windows[:] = self._sizes()
        poisson = self.resampling == "poisson"
        totals = np.empty((len(self._of_windows), count, self.n_windows), np.int64)
        for stratum, sizes in enumerate(self._of_windows):
            fill_totals(self.key, first, stratum, sizes, poisson, totals[stratum])
        return totals[0] if self.masks is None else totals

    def _sizes(self) -> list[NDArray[np.int64]]:
        """Return the units of each window, or its positives and its negatives."""
        sizes = np.full(self.n_windows, WINDOW, np.int64)
        sizes[-1] = self.n_units - WINDOW * (self.n_windows - 1)
        if self.masks is None:
            return [sizes]
        starts = np.arange(self.n_windows) * WINDOW
        of_positives = np.add.reduceat(self.masks[: self.n_units] > 0, starts, dtype=np.int64)
        return [of_positives, sizes - of_positives]

    def counts(
        self,
        first: int,
        totals: NDArray[np.int64],
        windows: NDArray[np.int64],
        out: NDArray[np.uint8],
    ) -> None:
        """Fill ``out`` with the counts of the windows listed, side by side, one row a replicate."""
        chosen = np.ascontiguousarray(totals[..., windows[0] : windows[-1] + 1])
        if self.masks is None:
            kernels.draw_windows(self.key, first, windows, chosen, self.n_units, out)
        else:
            kernels.draw_windows_by_class(
                self.key, first, windows, chosen, self.masks, self.n_units, out
            )

    def every(self, first: int, count: int) -> NDArray[np.uint8]:
        """Return the counts of all units, one row for each replicate from number ``first`` on."""
        found = np.empty((count, padded(self.n_units)), np.uint8)
        self.counts(first, self.totals(first, count), np.arange(self.n_windows), found)
        return found

    def weigh(self, first: int, unit: int, weights: Floats, sums: Floats) -> None:
        """Fill ``weights`` with exponential numbers of the units from ``unit`` on, and their sums.

        One row a replicate; the Bayesian bootstrap's weights are these over their mean.
        """
        words = weights.view(np.uint64)
        kernels.words_of_rows(self.key, first, unit, words)
        replicates.exponentials(words, self.n_units - unit, sums)

    def weights(self, replicate: int) -> tuple[Floats, float]:
        """Return a replicate's exponential numbers of all units, and one over their mean."""
        found, sums = np.empty((1, self.n_units)), np.zeros(1)
        self.weigh(replicate, 0, found, sums)
        return found[0], self.n_units / float(sums[0])


def fill_totals(
    key: NDArray[np.uint64],
    first: int,
    stratum: int,
    sizes: NDArray[np.int64],
    poisson: bool,
    totals: NDArray[np.int64],
) -> None:
    """Fill each row of ``totals`` with as many draws over cells as they have rows in all.

    With ``poisson`` the number of draws is Poisson, and so each cell's, independently.
    """
    count = len(totals)
    streams = np.empty((count, 4), np.int64)
    streams[:] = 0, stratum, 0, kernels.TOTALS
    streams[:, 2] = np.arange(first, first + count)
    words = np.empty((count, 16), np.uint64)
    left = np.full(count, sizes.sum())
    if poisson:
        kernels.poisson_numbers(int(left[0]), key, streams, words, left)
    kernels.multinomial_totals(key, sizes, left, streams, words, totals)


def cell_counts(
    key: NDArray[np.uint64],
    sizes: NDArray[np.int64],
    first: int,
    count: int,
    *,
    poisson: bool = False,
    stratum: int = 0,
) -> NDArray[np.int64]:
    """Return how many of the rows of each cell are drawn: (count, n_cells), whatever the sizes."""
    totals = np.zeros((count, len(sizes)), np.int64)
    held = np.flatnonzero(sizes)
    drawn = np.empty((count, len(held)), np.int64)
    fill_totals(key, first, stratum, sizes[held], poisson, drawn)
    totals[:, held] = drawn
    return totals


@dataclass(frozen=True, slots=True, eq=False)
class Needs:
    """What every replicate must yield: lines of threshold measures, and the user's statistics."""

    lines: tuple[Line, ...] = ()
    statistics: Sequence[Statistic] = ()

    @property
    def programme(self) -> NDArray[np.int64]:
        """Kind and criterion of each line."""
        return np.array([line[:2] for line in self.lines], np.int64).reshape(-1, 2)

    @property
    def line_of_steps(self) -> int | None:
        """Which line asks for the area under the steps of precision."""
        steps = (replicates.PRECISION_AREA, replicates.STEP, 0.0, 0.0)
        return self.lines.index(steps) if steps in self.lines else None

    @property
    def bounds(self) -> Floats:
        """The two bounds of each line."""
        return np.array([line[2:] for line in self.lines], np.float64).reshape(-1, 2)


@dataclass(slots=True, eq=False)
class Yield:
    """What some replicates of one model yielded; arrays with one row a replicate.

    ``score_at`` returns the scores of rows that states name.
    """

    total: Floats
    n_positive: Floats
    n_negative: Floats
    twice_pairs: Floats
    states: Floats
    cells: Floats
    sums: Floats
    statistics: Floats
    score_at: Callable[[NDArray[np.int64]], NDArray[Any]] = np.asarray

    @classmethod
    def empty(cls, count: int, needs: Needs, n_columns: int = 0, n_cells: int = 0) -> Yield:
        """Return room for the yield of ``count`` replicates."""
        return cls(
            total=np.zeros(count),
            n_positive=np.zeros(count),
            n_negative=np.zeros(count),
            twice_pairs=np.zeros(count),
            states=np.zeros((count, len(needs.lines), 4)),
            cells=np.zeros((count, n_cells)),
            sums=np.zeros((count, n_columns)),
            statistics=np.zeros((count, len(needs.statistics))),
        )

    @property
    def means(self) -> Floats:
        """The sums over the rows."""
        return self.sums / self.total[:, None]

    def close(self, state: NDArray[np.int64]) -> None:
        """Take over what the kernel of pairs added up."""
        self.n_positive[:] = state[:, 0]
        self.n_negative[:] = state[:, 1]
        self.twice_pairs[:] = state[:, 2]
        self.total += self.n_positive + self.n_negative

    def close_weights(self, state: Floats) -> None:
        """Take over what the kernel of weighted pairs added up."""
        self.n_positive[:], self.n_negative[:] = state[:, 0], state[:, 1]
        self.twice_pairs[:] = state[:, 2] - state[:, 3]
        self.total += self.n_positive + self.n_negative

    def at(self, r: int) -> Yield:
        """Return what replicate r yields, in the same memory."""
        return Yield(*(getattr(self, one.name)[r : r + 1] for one in fields(self)[:-1]))

    def rescale(self, r: int, factor: float) -> None:
        """Say what replicate r yielded in weights that are so many times as large."""
        for sums in (self.total, self.n_positive, self.n_negative, self.sums):
            sums[r] *= factor
        self.twice_pairs[r] *= factor * factor

    def four_cells(self, tp: NDArray[Any], fp: NDArray[Any]) -> Floats:
        """Return TN, FP, FN, TP: the matrix row by row, the positive class last."""
        return np.stack((self.n_negative - fp, fp, self.n_positive - tp, tp), axis=-1)


def pairs_and_sums(
    rows: SortedRows | None,
    columns: Floats | None,
    counts: Bytes,
    row: int,
    state: NDArray[np.int64],
    out: Yield,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Add what the rows from ``row`` on give to pairs and sums.

    Returns the positives and the negatives of each segment.
    """
    count, size = counts.shape
    shape = (count, -(-size // replicates.SEGMENT))
    segments = np.empty(shape, np.int64), np.empty(shape, np.int64)
    if rows is not None:
        pieces = rows.tie_pieces(row, row + size)
        masks = rows.masks[row : row + size].view(np.uint64)
        scratch = np.empty((2, replicates.SEGMENT), np.uint8)
        words, scratch_words = counts.view(np.uint64), scratch.view(np.uint64)
        replicates.pair_counts(
            words, masks, pieces, counts, scratch_words, scratch, state, *segments
        )
    sum_columns(counts, columns, row, out)
    return segments


def sum_columns(drawn: NDArray[Any], columns: Floats | None, row: int, out: Yield) -> None:
    """Add what the rows from ``row`` on give to the sums: counts or weights, a line a replicate."""
    if columns is not None:
        part = np.ascontiguousarray(columns[:, row : row + drawn.shape[1]])
        replicates.column_sums(drawn, part, out.sums)


def called_positive(
    rows: SortedRows, cut: int, counts: Bytes, segments: tuple[NDArray[np.int64], ...]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return TP and FP of the decision that the first ``cut`` rows are positive."""
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
    """Return the sum of the rows of each cell; cells may be empty."""
    sums = np.zeros((len(values), len(starts)), dtype)
    held = np.flatnonzero(np.diff(starts, append=values.shape[1]))
    sums[:, held] = np.add.reduceat(values, starts[held], axis=1, dtype=dtype)
    return sums


def points_of_weights(
    rows: SortedRows, weights: Floats, scale: float = 1.0
) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Return scaled TP and FP at the end of each tie, after a first 0, and the row of each."""
    n = len(weights)
    tp, fp, at = np.empty(n + 1), np.empty(n + 1), np.empty(n, np.int64)
    n = replicates.weighted_points(weights, rows.masks[:n], rows.ends[:n], scale, tp, fp, at)
    return tp[: n + 1], fp[: n + 1], at[:n]


def measure_lines(
    rows: SortedRows, needs: Needs, counts: Bytes, segments: Any, around: Floats, states: Floats
) -> None:
    """Fill ``states`` with what the lines leave, see `replicates.thresholds_of_rows`.

    The area under steps is added to what is there.
    """
    if not needs.lines:
        return
    masks, ends, line = rows.masks, rows.ends, needs.line_of_steps
    kinds = {kind for j, (kind, *_) in enumerate(needs.lines) if j != line}
    given = counts, masks, ends, rows.anchors, *segments, around, needs.programme, needs.bounds
    if kinds & replicates.THRESHOLDS:
        replicates.thresholds_of_rows(*given, states)
    if kinds - replicates.THRESHOLDS:
        replicates.areas_of_rows(*given, states)
    if line is not None:
        areas = states[:, line, 0].copy()
        words, mask_words = counts.view(np.uint64), masks.view(np.uint64)
        columns = counts, words, masks, mask_words, ends, *rows.lone_positives
        replicates.step_areas(*columns, around, areas)
        states[:, line, 0] = areas
