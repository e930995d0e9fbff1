"""Rows in the order that the resampling kernels read, their groups, and what counts of them yield.

They are built once for all replicates.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.rows import BinaryRows
from fastmetrics._kernels.replicates import (
    replicate_pairs as pairs,
    replicate_points as points,
    replicate_weights as weighing,
)
from fastmetrics.errors import InputError
from fastmetrics.inference.bootstrap._draws import Needs, Yield, padded
from fastmetrics.inference.bootstrap._orders import Places, lone_positives, refined, taken
from fastmetrics.tables.ordering.row_order import row_order
from fastmetrics.tables.scores._threshold import is_called_positive, real_threshold
from fastmetrics.tables.scores.score_table import ScoreTable, running_sum

Floats = NDArray[np.float64]
Bytes = NDArray[np.uint8]
Codes = NDArray[np.int64]

#: A table with this many rows to a cell is resampled by cells: drawing a binomial number costs as
#: much as drawing so many rows.
ROWS_OF_A_CELL: Final = 200
#: More rows are not written out one by one.
MAX_ROWS: Final = (1 << 31) - 1
#: Bytes of counts that are drawn before they are measured: they stay in the second-level cache.
BATCH_BYTES: Final = 1 << 18
# Sums of weights this near to the number of positives, relative to all weight, meet it.
_ROUNDING: Final = 2.0**-50

_PART = 1 << 16  # scores at a time


class _SummedTable(ScoreTable):
    """A table that keeps its running sums, as several measures are to be taken of it."""

    __slots__ = ("_running",)
    _running: tuple[NDArray[Any], NDArray[Any]]

    @classmethod
    def of(cls, table: ScoreTable) -> _SummedTable:
        """Return a table of the same columns."""
        return cls._of_columns(*table._columns(), table.weight_exponent)

    @property
    def true_positives(self) -> NDArray[Any]:
        return self._sums()[0]

    @property
    def false_positives(self) -> NDArray[Any]:
        return self._sums()[1]

    def _sums(self) -> tuple[NDArray[Any], NDArray[Any]]:
        if not hasattr(self, "_running"):
            sums = running_sum(self.positives), running_sum(self.negatives)
            for column in sums:
                column.flags.writeable = False
            object.__setattr__(self, "_running", sums)
        return self._running


@dataclass(frozen=True, slots=True, eq=False)
class SortedRows:
    """Examples by descending score, the positives of a tie first.

    Attributes
    ----------
    n : int
        Rows; the byte columns are padded with zeros to a multiple of eight.
    masks, ends : ndarray of uint8
        255 marks a positive; 1 marks the last row of a tie.
    anchors : ndarray of int64, shape (n_segments,)
        For each segment of rows the last one up to it that starts with a new tie.
    ties : ndarray of int64, shape (n_ties, 3)
        First row, first negative and end of each tie that holds both classes.
    distinct : ndarray
        Score of each tie, descending.
    weights : ndarray, or None
        Weight of each row: float64, or int64 where it is a frequency.
    """

    n: int
    masks: Bytes
    ends: Bytes
    anchors: NDArray[np.int64]
    ties: NDArray[np.int64]
    distinct: NDArray[Any]
    weights: NDArray[Any] | None = None
    _known: dict[Any, Any] = field(default_factory=dict)

    def tie_pieces(self, start: int, stop: int) -> NDArray[np.int64]:
        """Return the parts of ties among the rows from start to stop, as `pair_counts` takes them.

        Every replicate asks for the same few parts, which are made once.
        """
        known = self._known.get((start, stop))
        if known is None:
            first = int(np.searchsorted(self.ties[:, 2], start, side="right"))
            last = int(np.searchsorted(self.ties[:, 0], stop, side="left"))
            inside = np.clip(self.ties[first:last], start, stop) - start
            closed = self.ties[first:last, 2:] <= stop
            known = np.ascontiguousarray(np.concatenate((inside, closed), axis=1), dtype=np.int64)
            self._known[start, stop] = known
        return known

    @property
    def lone_positives(self) -> tuple[Bytes, NDArray[np.uint16], NDArray[np.int64]]:
        """Whether all rows of each segment have a score of their own; the positives of such ones.

        Their places inside their segment, and where those of each segment start.
        """
        known = self._known.get("lone")
        if known is None:
            known = self._known["lone"] = lone_positives(self.masks, self.ends, self.anchors)
        return known

    @property
    def labels(self) -> NDArray[np.int8]:
        """1 for a positive, 0 for a negative."""
        return (self.masks[: self.n] > 0).astype(np.int8)

    @property
    def tie_stops(self) -> NDArray[np.int64]:
        """The row after each tie."""
        known = self._known.get("stops")
        if known is None:
            known = self._known["stops"] = np.flatnonzero(self.ends) + 1
        return known

    def table(self) -> ScoreTable:
        """Return the distinct scores with the rows of each class, each row counting once."""
        return _SummedTable._of_columns(self.distinct, *self._known["columns"])

    @property
    def scores(self) -> NDArray[Any]:
        """Score of each row."""
        return (
            self.distinct
            if self._is_untied
            else np.repeat(self.distinct, np.diff(self.tie_stops, prepend=0))
        )

    def score_at(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        """Return the scores of some rows."""
        return (
            self.distinct[rows]
            if self._is_untied
            else self.distinct[np.searchsorted(self.tie_stops, rows, side="right")]
        )

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
    held = np.flatnonzero(table.positives + table.negatives != 0) if _has_empty(table) else None
    distinct, positives, negatives = (
        column if held is None else column[held]
        for column in (table.scores, table.positives, table.negatives)
    )
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
    return _sorted_rows(n, masks, ends, np.concatenate(ties), distinct, None)


def _has_empty(table: ScoreTable) -> bool:
    """Return whether the table lists a score that no example has."""
    return not np.all((table.positives != 0) | (table.negatives != 0))


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

    The order among equal scores is positives first, then by weight, then by ``keys``, so that it
    depends on the rows, not on where they stood.
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
    in_order = _sorted_rows(n, masks, ends, ties, distinct, weights)
    in_order._known["columns"] = positives, negatives
    if edges is not None:
        in_order._known["stops"] = edges[1:]
    return in_order


def _sorted_rows(
    n: int,
    masks: Bytes,
    ends: Bytes,
    ties: NDArray[np.int64],
    distinct: NDArray[Any],
    weights: NDArray[np.float64] | None,
) -> SortedRows:
    segments = np.arange(-(-padded(n) // pairs.SEGMENT))
    fresh = np.ones(len(segments), np.bool_)
    fresh[1:] = ends[segments[1:] * pairs.SEGMENT - 1] > 0
    anchors = np.maximum.accumulate(np.where(fresh, segments, 0))
    return SortedRows(n, masks, ends, anchors, ties, distinct, weights)


def of_some_weight(weights: Any, groups: Codes) -> tuple[NDArray[np.bool_], Codes]:
    """Return which rows have a frequency above 0, and their groups, which are numbered anew."""
    kept = np.asarray(weights > 0)
    names, codes = np.unique(groups[kept], return_inverse=True)
    if len(names) < 2:
        raise InputError("`groups` must name at least two groups whose rows have a weight: got one")
    return kept, codes


def check_rows(n: int) -> None:
    """Raise if so many rows cannot be written out, before the memory is asked for."""
    if n > MAX_ROWS:
        raise MemoryError(
            f"{n:,} rows would be resampled one by one, which takes {3 * n / 1e9:,.0f} GB or more: "
            f"they can be resampled by cells where a score has {ROWS_OF_A_CELL} rows, round the "
            "scores; but not for functions of your own, groups or `resampling='bayesian'`"
        )


def batch_size(n_rows: int) -> int:
    """Return how many replicates make a batch: a number of the data, not of the threads."""
    return max(1, min(4096, BATCH_BYTES // padded(max(n_rows, 1))))


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
    shape = (count, -(-size // pairs.SEGMENT))
    segments = np.empty(shape, np.int64), np.empty(shape, np.int64)
    if rows is not None:
        pieces = rows.tie_pieces(row, row + size)
        masks = rows.masks[row : row + size].view(np.uint64)
        pairs.pair_counts(counts.view(np.uint64), masks, pieces, counts, state, *segments)
    if columns is not None:
        sum_columns(counts, columns, row, out)
    return segments


def sum_columns(drawn: NDArray[Any], columns: Floats, row: int, out: Yield) -> None:
    """Add what the rows from ``row`` on give to the sums: counts or weights, a line a replicate."""
    part = np.ascontiguousarray(columns[:, row : row + drawn.shape[1]])
    pairs.column_sums(drawn, part, out.sums)


def called_positive(
    rows: SortedRows, cut: int, counts: Bytes, segments: tuple[NDArray[np.int64], ...]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return TP and FP of the decision that the first ``cut`` rows are positive."""
    segment = cut // pairs.SEGMENT
    start = segment * pairs.SEGMENT
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
    n = weighing.weighted_points(weights, rows.masks[:n], rows.ends[:n], scale, tp, fp, at)
    return tp[: n + 1], fp[: n + 1], at[:n]


def measure_curve(
    rows: SortedRows, weights: Floats, scale: float, needs: Needs, states: Floats
) -> None:
    """Measure the curve of the rows of a replicate, whose weights ``scale`` makes larger."""
    tp, fp, at = points_of_weights(rows, weights, scale)
    slack = _ROUNDING * (tp[-1] + fp[-1])
    points.measure_points(tp, fp, at, slack, needs.programme, needs.bounds, states)
