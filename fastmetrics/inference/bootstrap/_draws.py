"""Rows in the order in which kernels read them, how often each is drawn, and what that yields.

The order is built once for all replicates, and does not depend on how the rows came.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.rows import BinaryRows
from fastmetrics._kernels import replicates, resampling
from fastmetrics.tables.ordering import RowOrder, row_order
from fastmetrics.tables.score_table import ScoreTable, is_called_positive, real_threshold

Floats = NDArray[np.float64]
Bytes = NDArray[np.uint8]
Codes = NDArray[np.int64]
#: Four bytes a row: so many rows as do not fit are refused (`check_rows`).
Places = NDArray[np.int32]

#: A table with this many rows to a cell is resampled by cells: drawing a binomial number costs as
#: much as drawing so many rows.
ROWS_OF_A_CELL: Final = 200
#: More rows are not written out one by one.
MAX_ROWS: Final = (1 << 31) - 1
#: Bytes of counts that are drawn before they are measured: they stay in the second-level cache.
BATCH_BYTES: Final = 1 << 18

_PART: Final = 1 << 16  # rows or scores at a time


def padded(n: int) -> int:
    """Return how many bytes the counts of n rows take."""
    return -(-n // 8) * 8


@dataclass(frozen=True, eq=False)
class SortedRows:
    """Examples by descending score, the positives of a tie first.

    Attributes
    ----------
    masks, ends : ndarray of uint8, of n rows and padded with zeros to a multiple of eight
        255 marks a positive; 1 marks the last row of a tie.
    anchors : ndarray of int64, shape (n_segments,)
        For each segment of rows the last one up to it that starts with a new tie.
    ties : ndarray of int64, shape (n_ties, 3)
        First row, first negative and end of each tie that holds both classes.
    distinct, counted : ndarray, and a pair of ndarray of int64
        Score of each tie, descending; its positives and its negatives.
    """

    n: int
    masks: Bytes
    ends: Bytes
    anchors: NDArray[np.int64]
    ties: NDArray[np.int64]
    distinct: NDArray[Any]
    counted: tuple[Codes, Codes]
    _pieces: dict[tuple[int, int], NDArray[np.int64]] = field(default_factory=dict)

    def tie_pieces(self, start: int, stop: int) -> NDArray[np.int64]:
        """Return the parts of ties among the rows from start to stop, as `pair_counts` takes them.

        Every replicate asks for the same few parts, which are made once.
        """
        known = self._pieces.get((start, stop))
        if known is None:
            first = int(np.searchsorted(self.ties[:, 2], start, side="right"))
            last = int(np.searchsorted(self.ties[:, 0], stop, side="left"))
            inside = np.clip(self.ties[first:last], start, stop) - start
            closed = self.ties[first:last, 2:] <= stop
            known = np.ascontiguousarray(np.concatenate((inside, closed), axis=1), dtype=np.int64)
            self._pieces[start, stop] = known
        return known

    @cached_property
    def lone_positives(self) -> tuple[Bytes, NDArray[np.uint16], NDArray[np.int64]]:
        """What `lone_positives` says of these rows."""
        return lone_positives(self.masks, self.ends, self.anchors)

    @property
    def labels(self) -> NDArray[np.int8]:
        """1 for a positive, 0 for a negative."""
        return (self.masks[: self.n] > 0).astype(np.int8)

    @cached_property
    def tie_stops(self) -> NDArray[np.int64]:
        """The row after each tie."""
        return np.flatnonzero(self.ends) + 1

    def table(self) -> ScoreTable:
        """Return the distinct scores with the rows of each class, each row counting once."""
        return ScoreTable._of_columns(self.distinct, *self.counted)

    @property
    def scores(self) -> NDArray[Any]:
        """Score of each row."""
        if self._is_untied:
            return self.distinct
        return np.repeat(self.distinct, np.diff(self.tie_stops, prepend=0))

    def score_at(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        """Return the scores of some rows."""
        if not self._is_untied:
            rows = np.searchsorted(self.tie_stops, rows, side="right")
        found: NDArray[Any] = self.distinct[rows]
        return found

    def called_positive(self, threshold: Any) -> int | None:
        """Return how many rows have a score >= threshold; None without one."""
        if threshold is None:
            return None
        ties = int(np.count_nonzero(is_called_positive(self.distinct, real_threshold(threshold))))
        if self._is_untied or not ties:
            return ties
        return int(self.tie_stops[ties - 1])

    @property
    def _is_untied(self) -> bool:
        """Whether each row has a score of its own, so that ties are rows."""
        return len(self.distinct) == self.n


def rows_of_table(table: ScoreTable) -> SortedRows:
    """Return one row for each example that a table of counts holds.

    Two bytes an example are kept; the table is read in parts, so that little more is needed.
    """
    n = int(table.n_positive) + int(table.n_negative)
    check_rows(n)
    distinct, positives, negatives = table.scores, table.positives, table.negatives
    held = (positives != 0) | (negatives != 0)
    if not held.all():  # the table lists a score that no example has
        distinct, positives, negatives = distinct[held], positives[held], negatives[held]
    masks, ends = np.zeros(padded(n), np.uint8), np.zeros(padded(n), np.uint8)
    ties, row = [np.empty((0, 3), np.int64)], 0
    for start in range(0, len(distinct), _PART):
        p, q = positives[start : start + _PART], negatives[start : start + _PART]
        sizes = p + q
        if sizes.max() == 1:  # nothing is tied
            stop = row + len(p)
            np.multiply(p, 255, out=masks[row:stop], casting="unsafe")
            ends[row:stop] = 1
            row = stop
            continue
        counts = np.stack((p, q), axis=1).ravel()
        is_positive = np.tile(np.array([255, 0], np.uint8), len(p))
        stops = np.cumsum(sizes) + row
        masks[row : stops[-1]] = np.repeat(is_positive, counts)
        ends[stops - 1] = 1
        ties.append(_mixed(p, sizes, stops))
        row = int(stops[-1])
    counted = positives, negatives
    return _sorted_rows(n, masks, ends, np.concatenate(ties), distinct, counted)


def _mixed(
    positives: NDArray[np.int64], totals: NDArray[np.int64], stops: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the ties of both classes among ties of so many positives and rows."""
    mixed = np.flatnonzero((positives > 0) & (positives < totals))
    starts = stops[mixed] - totals[mixed]
    return np.stack((starts, starts + positives[mixed], stops[mixed]), axis=1)


def rows_of_arrays(rows: BinaryRows, *keys: NDArray[Any] | None) -> tuple[SortedRows, Places]:
    """Return the sorted rows of arrays, and the place in the arrays of each; see `descending`."""
    order, edges = descending(rows, *keys)
    return rows_in_order(rows, order, edges), order


def descending(
    rows: BinaryRows, *keys: NDArray[Any] | None
) -> tuple[Places, NDArray[np.int64] | None]:
    """Return the rows in descending order of their scores, and the edges of tied scores, if any.

    Among equal scores positives come first, then by weight, then by ``keys``.
    """
    check_rows(len(rows.scores))
    found = row_order(rows.scores)
    keys = (rows.labels == 1, rows.weights, *keys)
    ascending = refined(found, *keys)
    edges = None
    if found.n_distinct < len(rows.scores):
        edges = np.subtract(len(rows.scores), found.starts[::-1], dtype=np.int64)
    return np.ascontiguousarray(ascending[::-1]), edges


def rows_in_order(rows: BinaryRows, order: Places, edges: NDArray[np.int64] | None) -> SortedRows:
    """Return the sorted rows of arrays whose order is known."""
    n = len(order)
    is_positive = taken(rows.labels, order) == 1
    masks, ends = np.zeros(padded(n), np.uint8), np.zeros(padded(n), np.uint8)
    np.multiply(is_positive.view(np.uint8), np.uint8(255), out=masks[:n])
    ties = np.empty((0, 3), np.int64)
    if edges is None:
        ends[:n] = 1
        positives, negatives = is_positive.astype(np.int64), (~is_positive).astype(np.int64)
    else:
        ends[edges[1:] - 1] = 1
        sizes = np.diff(edges)
        positives = np.add.reduceat(is_positive, edges[:-1], dtype=np.int64)
        negatives = sizes - positives
        ties = _mixed(positives, sizes, edges[1:])
        order = order[edges[:-1]]
    distinct = taken(rows.scores, order)
    if distinct.dtype.kind == "f":
        distinct += 0.0  # of -0.0 makes 0.0
    return _sorted_rows(n, masks, ends, ties, distinct, (positives, negatives))


def _sorted_rows(
    n: int,
    masks: Bytes,
    ends: Bytes,
    ties: NDArray[np.int64],
    distinct: NDArray[Any],
    counted: tuple[Codes, Codes],
) -> SortedRows:
    segments = np.arange(-(-padded(n) // replicates.SEGMENT))
    fresh = np.ones(len(segments), np.bool_)
    fresh[1:] = ends[segments[1:] * replicates.SEGMENT - 1] > 0
    anchors = np.maximum.accumulate(np.where(fresh, segments, 0))
    return SortedRows(n, masks, ends, anchors, ties, distinct, counted)


def check_rows(n: int) -> None:
    """Raise if so many rows cannot be written out, before the memory is asked for."""
    if n > MAX_ROWS:
        raise MemoryError(
            f"{n:,} rows would be resampled one by one, which takes {3 * n / 1e9:,.0f} GB or more: "
            f"they can be resampled by cells where a score has {ROWS_OF_A_CELL} rows, round the "
            "scores; but not for functions of your own, or groups"
        )


def order_of(*columns: NDArray[Any] | None) -> Places:
    """Return what ``numpy.lexsort`` does, the first column deciding first; None is left out."""
    first, *rest = [column for column in columns if column is not None]
    return refined(row_order(_sortable(first)), *rest)


def refined(order: RowOrder, *columns: NDArray[Any] | None) -> Places:
    """Return the rows of an order, in which columns decide, one after the other, what is tied."""
    rows: NDArray[Any] = order.rows
    starts, at = order.starts, None
    for column in columns:
        if column is None:
            continue
        sizes = np.diff(starts)
        if len(sizes) == (len(rows) if at is None else len(at)):  # nothing is tied
            break
        tied = np.repeat(sizes > 1, sizes)
        runs = np.repeat(np.arange(len(sizes)), sizes)[tied]
        at = np.flatnonzero(tied) if at is None else at[tied]
        few = rows[at]
        by_column = row_order(_sortable(column[few]))
        ranks = by_column.spread(np.arange(by_column.n_distinct))
        found = row_order(runs * by_column.n_distinct + ranks)
        rows[at] = few[found.rows]
        starts = found.starts
    return rows


def _sortable(column: NDArray[Any]) -> NDArray[Any]:
    """Return a column of whole numbers in eight bytes, as scores come."""
    if column.dtype.kind in "bi" or column.dtype.itemsize < 4:
        return column.astype(np.int64, copy=False)
    return np.ascontiguousarray(column)


def inverse_of(order: Places) -> Places:
    """Return the place of each row in an order."""
    inverse: Places = np.empty_like(order)
    inverse[order] = np.arange(len(order), dtype=order.dtype)
    return inverse


def taken(values: NDArray[Any], places: Places) -> NDArray[Any]:
    """Return ``values[places]``, for which NumPy would make its own eight-byte places."""
    found = np.empty(len(places), values.dtype)
    replicates.take(values, places, found)
    return found


def lone_positives(
    masks: Bytes, ends: Bytes, anchors: NDArray[np.int64]
) -> tuple[Bytes, NDArray[np.uint16], NDArray[np.int64]]:
    """Return which segments have no ties, the places of their positives, and where they start."""
    whole = len(masks) // replicates.SEGMENT
    lone, n_positive = np.zeros(len(anchors), np.uint8), np.zeros(len(anchors) + 1, np.int64)
    in_segments = (whole, replicates.SEGMENT)
    ends, masks = (
        column[: whole * replicates.SEGMENT].reshape(in_segments) for column in (ends, masks)
    )
    lone[:whole] = ends.all(axis=1) & (anchors[:whole] == np.arange(whole))
    places = [np.empty(0, np.uint16)]
    for start in range(0, whole, _PART // replicates.SEGMENT):
        some = slice(start, min(start + _PART // replicates.SEGMENT, whole))
        listed = masks[some] & (lone[some, None] * np.uint8(255))
        places.append((np.flatnonzero(listed) % replicates.SEGMENT).astype(np.uint16))
        n_positive[start + 1 : some.stop + 1] = np.count_nonzero(listed, axis=1)
    return lone, np.concatenate(places), np.cumsum(n_positive)


Method = Literal["percentile", "basic", "bca"]

#: (kind, criterion, two bounds) of `replicates.measure_curve`.
Line = tuple[int, int, float, float]
#: ``f(arguments of the rows, weights of the rows)``, weights being counts or not.
Statistic = Callable[[tuple[NDArray[Any], ...], NDArray[Any]], float]

WINDOW = resampling.WINDOW
_WEIGHED = 6  # numbers in the state of weighted pairs; that of counted ones has four


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Draws over n units; every number follows from the key, the replicate and the block.

    ``masks`` have the class of each unit (255 or 0) where each class is drawn by itself.
    """

    key: NDArray[np.uint64]
    n_units: int
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
        totals = np.empty((len(self._of_windows), count, self.n_windows), np.int64)
        for stratum, sizes in enumerate(self._of_windows):
            fill_totals(self.key, first, stratum, sizes, totals[stratum])
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
            resampling.draw_windows(self.key, first, windows, chosen, self.n_units, out)
        else:
            resampling.draw_windows_by_class(
                self.key, first, windows, chosen, self.masks, self.n_units, out
            )

    def every(self, first: int, count: int) -> NDArray[np.uint8]:
        """Return the counts of all units, one row for each replicate from number ``first`` on."""
        found = np.empty((count, padded(self.n_units)), np.uint8)
        self.counts(first, self.totals(first, count), np.arange(self.n_windows), found)
        return found


def fill_totals(
    key: NDArray[np.uint64],
    first: int,
    stratum: int,
    sizes: NDArray[np.int64],
    totals: NDArray[np.int64],
) -> None:
    """Fill each row of ``totals`` with as many draws over cells as they have rows in all."""
    if len(sizes) == 1:  # one cell takes them all: the kernel would compile for a second
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
    key: NDArray[np.uint64],
    sizes: NDArray[np.int64],
    first: int,
    count: int,
    *,
    stratum: int = 0,
) -> NDArray[np.int64]:
    """Return how many of the rows of each cell are drawn: (count, n_cells), whatever the sizes."""
    totals = np.zeros((count, len(sizes)), np.int64)
    held = np.flatnonzero(sizes)
    drawn = np.empty((count, len(held)), np.int64)
    fill_totals(key, first, stratum, sizes[held], drawn)
    totals[:, held] = drawn
    return totals


@dataclass(slots=True, eq=False)
class Yield:
    """What some replicates of one model yielded; arrays with one row a replicate.

    `states` are those of the kernels of threshold metrics, `statistics` values of the user's own,
    `problems` what the binary ones of several classes yielded; `score_at` returns the scores at
    indices that kernels name.
    """

    total: Floats
    n_positive: Floats
    n_negative: Floats
    twice_pairs: Floats
    cells: Floats
    sums: Floats
    score_at: Callable[[NDArray[np.int64]], NDArray[Any]]
    states: dict[Line, Floats] = field(default_factory=dict)
    statistics: dict[str, Floats] = field(default_factory=dict)
    problems: dict[str, list[Yield]] = field(default_factory=dict)

    @classmethod
    def empty(cls, count: int, score_at: Any = None, n_columns: int = 0, n_cells: int = 0) -> Yield:
        """Return room for the sums of ``count`` replicates."""
        cells, sums = np.zeros((count, n_cells)), np.zeros((count, n_columns))
        total, n_positive, n_negative, pairs = np.zeros((4, count))
        return cls(total, n_positive, n_negative, pairs, cells, sums, score_at)

    def close(self, state: NDArray[Any]) -> None:
        """Take over what the kernel of pairs, of counts or of weights, added up."""
        self.n_positive[:], self.n_negative[:] = state[:, 0], state[:, 1]
        self.twice_pairs[:] = state[:, 2]
        if state.shape[1] == _WEIGHED:
            self.twice_pairs -= state[:, 3]
        self.total += self.n_positive + self.n_negative

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
    rows: SortedRows, weights: Floats
) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Return TP and FP at the end of each tie, after a first 0, and the row of each."""
    n = len(weights)
    tp, fp, at = np.empty(n + 1), np.empty(n + 1), np.empty(n, np.int64)
    n = replicates.weighted_points(weights, rows.masks[:n], rows.ends[:n], tp, fp, at)
    return tp[: n + 1], fp[: n + 1], at[:n]


def measure_line(rows: SortedRows, line: Line, counts: Bytes, segments: Any) -> Floats:
    """Return what a threshold metric leaves of each replicate, see `replicates.measure_curve`."""
    kind, criterion, low, _ = line
    masks, ends, anchors = rows.masks, rows.ends, rows.anchors
    states = np.zeros((len(counts), replicates.STATE))
    if kind == replicates.BEST:
        replicates.best_of_rows(counts, masks, ends, *segments, criterion, low, states)
    elif kind == replicates.BREAK_EVEN:
        replicates.break_even_of_rows(counts, masks, ends, anchors, *segments, states)
    elif (kind, criterion) == (replicates.PRECISION_AREA, replicates.STEP):
        words = counts.view(np.uint64), masks.view(np.uint64)
        replicates.step_areas(counts, words[0], masks, words[1], ends, *rows.lone_positives, states)
    else:
        replicates.areas_of_rows(counts, masks, ends, anchors, *segments, *line, states)
    return states
