"""Rows in the order that the resampling kernels read them, built once for all replicates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.rows import BinaryRows
from fastmetrics._kernels.replicate_pairs import SEGMENT
from fastmetrics.tables.scores._threshold import is_called_positive, real_threshold
from fastmetrics.tables.scores.score_table import ScoreTable

Bytes = NDArray[np.uint8]

_PART = 1 << 16  # scores at a time


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
    _known: dict[Any, NDArray[np.int64]] = field(default_factory=dict)

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

    @property
    def scores(self) -> NDArray[Any]:
        """Score of each row."""
        return np.repeat(self.distinct, np.diff(self.tie_stops, prepend=0))

    def score_at(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        """Return the scores of some rows."""
        return self.distinct[np.searchsorted(self.tie_stops, rows, side="right")]

    def called_positive(self, threshold: Any) -> int | None:
        """Return how many rows have a score >= threshold; None without one."""
        if threshold is None:
            return None
        ties = np.count_nonzero(is_called_positive(self.distinct, real_threshold(threshold)))
        return int(self.tie_stops[ties - 1]) if ties else 0


def padded(n: int) -> int:
    """Return how many bytes the counts of n rows take."""
    return -(-n // 8) * 8


def rows_of_table(table: ScoreTable) -> SortedRows:
    """Return one row for each example that a table of counts holds.

    Two bytes an example are kept; the table is read in parts, so that little more is needed.
    """
    held = np.flatnonzero(table.positives + table.negatives != 0) if _has_empty(table) else None
    distinct, positives, negatives = (
        column if held is None else column[held]
        for column in (table.scores, table.positives, table.negatives)
    )
    n = int(table.n_positive) + int(table.n_negative)
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


def rows_of_arrays(
    rows: BinaryRows, *keys: NDArray[Any] | None
) -> tuple[SortedRows, NDArray[np.int64]]:
    """Return the sorted rows of arrays, and the place in the arrays of each.

    The order among equal scores is positives first, then by weight, then by ``keys``, so that it
    depends on the rows, not on where they stood.
    """
    is_positive = rows.labels == 1
    columns: list[NDArray[Any]] = [is_positive, rows.scores]
    if rows.weights is not None:
        columns.insert(0, rows.weights)
    columns = [key for key in reversed(keys) if key is not None] + columns
    order = np.lexsort(columns)[::-1]
    weights: NDArray[Any] | None = None
    if rows.weights is not None:
        weights = rows.weights[order]
        if rows.integer_weights:  # which functions in Python see as repeated rows
            weights = weights.astype(np.int64)
    n = len(order)
    masks, ends = np.zeros(padded(n), np.uint8), np.zeros(padded(n), np.uint8)
    masks[:n] = np.where(is_positive[order], np.uint8(255), np.uint8(0))
    scores = rows.scores[order]
    starts = np.flatnonzero(np.concatenate(([True], scores[1:] != scores[:-1])))
    totals = np.diff(starts, append=n)
    ends[starts + totals - 1] = 1
    positives = np.add.reduceat(masks[:n] > 0, starts, dtype=np.int64)
    ties = _mixed(positives, totals, starts + totals)
    return _sorted_rows(n, masks, ends, ties, scores[starts], weights), order


def _sorted_rows(
    n: int,
    masks: Bytes,
    ends: Bytes,
    ties: NDArray[np.int64],
    distinct: NDArray[Any],
    weights: NDArray[np.float64] | None,
) -> SortedRows:
    segments = np.arange(-(-padded(n) // SEGMENT))
    fresh = np.ones(len(segments), np.bool_)
    fresh[1:] = ends[segments[1:] * SEGMENT - 1] > 0
    anchors = np.maximum.accumulate(np.where(fresh, segments, 0))
    return SortedRows(n, masks, ends, anchors, ties, distinct, weights)
