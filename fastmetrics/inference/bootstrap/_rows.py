"""Rows in orders of their own, whatever order they came in, as the resampling kernels read them.

They are built once for all replicates.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.rows import BinaryRows
from fastmetrics._kernels import replicates as kernels
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
    weights : ndarray, or None
        Weight of each row: float64, or int64 where it is a frequency.
    """

    n: int
    masks: Bytes
    ends: Bytes
    anchors: NDArray[np.int64]
    ties: NDArray[np.int64]
    distinct: NDArray[Any]
    counted: tuple[Codes, Codes]
    weights: NDArray[Any] | None = None
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
        counts = np.stack((p, q), axis=1).ravel()
        is_positive = np.tile(np.array([255, 0], np.uint8), len(p))
        stops = np.cumsum(p + q) + row
        masks[row : stops[-1]] = np.repeat(is_positive, counts)
        ends[stops - 1] = 1
        ties.append(_mixed(p, p + q, stops))
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
    weights: NDArray[Any] | None = None
    if rows.weights is not None:
        weights = rows.weights[order]
        if rows.integer_weights:  # which functions in Python see as repeated rows
            weights = weights.astype(np.int64)
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
    return _sorted_rows(n, masks, ends, ties, distinct, (positives, negatives), weights)


def _sorted_rows(
    n: int,
    masks: Bytes,
    ends: Bytes,
    ties: NDArray[np.int64],
    distinct: NDArray[Any],
    counted: tuple[Codes, Codes],
    weights: NDArray[np.float64] | None = None,
) -> SortedRows:
    segments = np.arange(-(-padded(n) // kernels.SEGMENT))
    fresh = np.ones(len(segments), np.bool_)
    fresh[1:] = ends[segments[1:] * kernels.SEGMENT - 1] > 0
    anchors = np.maximum.accumulate(np.where(fresh, segments, 0))
    return SortedRows(n, masks, ends, anchors, ties, distinct, counted, weights)


def check_rows(n: int) -> None:
    """Raise if so many rows cannot be written out, before the memory is asked for."""
    if n > MAX_ROWS:
        raise MemoryError(
            f"{n:,} rows would be resampled one by one, which takes {3 * n / 1e9:,.0f} GB or more: "
            f"they can be resampled by cells where a score has {ROWS_OF_A_CELL} rows, round the "
            "scores; but not for functions of your own, groups or `resampling='bayesian'`"
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
    kernels.take(values, places, found)
    return found


def lone_positives(
    masks: Bytes, ends: Bytes, anchors: NDArray[np.int64]
) -> tuple[Bytes, NDArray[np.uint16], NDArray[np.int64]]:
    """Return which segments have no ties, the places of their positives, and where they start."""
    whole = len(masks) // kernels.SEGMENT
    lone, n_positive = np.zeros(len(anchors), np.uint8), np.zeros(len(anchors) + 1, np.int64)
    in_segments = (whole, kernels.SEGMENT)
    ends, masks = (
        column[: whole * kernels.SEGMENT].reshape(in_segments) for column in (ends, masks)
    )
    lone[:whole] = ends.all(axis=1) & (anchors[:whole] == np.arange(whole))
    places = [np.empty(0, np.uint16)]
    for start in range(0, whole, _PART // kernels.SEGMENT):
        some = slice(start, min(start + _PART // kernels.SEGMENT, whole))
        listed = masks[some] & (lone[some, None] * np.uint8(255))
        places.append((np.flatnonzero(listed) % kernels.SEGMENT).astype(np.uint16))
        n_positive[start + 1 : some.stop + 1] = np.count_nonzero(listed, axis=1)
    return lone, np.concatenate(places), np.cumsum(n_positive)
