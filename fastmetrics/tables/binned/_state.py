"""The state of a binned table: first rows, then bins of them; never half changed."""

from __future__ import annotations

import threading
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from fastmetrics._files import Members
from fastmetrics._input.scores import check_finite
from fastmetrics.errors import InputError
from fastmetrics.tables.binned._bins import FIRST_ROWS, Bins, Rows, Waiting
from fastmetrics.tables.binned._bounds import BinColumns
from fastmetrics.tables.binned.bin_layout import BinLayout
from fastmetrics.tables.scores._columns import checked_columns, rescaled
from fastmetrics.tables.scores.score_table import ScoreTable

#: Rows, or whole weights of them, are fewer than this.
_MOST: Final = 2**62
_KINDS: Final = (np.dtype(np.int64), np.dtype(np.float64))


class BinnedState:
    """A lock, and either first rows that wait or bins; see ``BinnedScoreTable``.

    Rows join in one call of a kernel, or a new object takes the place of the old one: an interrupt
    finds a batch counted, or not.
    """

    __slots__ = ("_bound", "bins", "lock", "waiting")

    def __init__(self, layout: BinLayout | None) -> None:
        self.lock = threading.RLock()
        self.waiting = Waiting()
        self.bins = None if layout is None else Bins.empty(layout)
        self._bound = 0

    def update(self, rows: Rows, n_threads: int | None) -> None:
        """Count rows that are right, those with a weight."""
        with self.lock:
            bound = self._new_bound(rows.size)
            bins, waiting = self.bins, self.waiting
            room = FIRST_ROWS - waiting.n
            if bins is not None:
                bins = bins.with_rows(rows, n_threads)
            elif len(rows.labels) < room:
                waiting.add(rows)
            else:
                bins = _learnt(waiting.rows(), rows.part(0, room))
                if len(rows.labels) > room:
                    bins = bins.with_rows(rows.part(room), n_threads)
                waiting = Waiting()
            # No call among these: an interrupt finds all of them done, or none.
            self.bins = bins
            self.waiting = waiting
            self._bound = bound

    def merge(self, other: BinnedState) -> None:
        """Add a state that is not being changed."""
        first = other.waiting.rows()
        with self.lock:
            bound = self._new_bound(other._bound)
            bins, waiting = self.bins, self.waiting
            if bins is not None and other.bins is not None:
                check_same_layout(bins.layout, other.bins.layout)
                bins = bins.merged(other.bins)
            elif bins is not None and other.waiting.n:
                bins = bins.copy().with_rows(first, 1)
            elif other.bins is not None:
                bins = other.bins.copy()
                if waiting.n:
                    bins = bins.with_rows(waiting.rows(), 1)
                waiting = Waiting()
            elif bins is None and waiting.n + other.waiting.n < FIRST_ROWS:
                waiting.add(first)
            elif bins is None:
                bins, waiting = _learnt(waiting.rows(), first), Waiting()
            self.bins = bins
            self.waiting = waiting
            self._bound = bound

    def reset(self) -> None:
        """Forget all rows, and keep the bins."""
        with self.lock:
            bins = None if self.bins is None else Bins.empty(self.bins.layout)
            waiting = Waiting()
            self.bins = bins
            self.waiting = waiting
            self._bound = 0

    def _new_bound(self, more: int) -> int:
        """Return how many rows there will be, or raise where int64 could overflow."""
        if self._bound + more >= _MOST:
            raise InputError(f"a table counts fewer than 2**62 rows: got {self._bound + more:,}")
        return self._bound + more

    def copy(self) -> Self:
        """Return a state of its own."""
        with self.lock:
            other = type(self)(None)
            other._bound = self._bound
            if self.bins is not None:
                other.bins = self.bins.copy()
            else:
                other.waiting.add(self.waiting.rows())
            return other

    def columns(self) -> BinColumns:
        """Return what measures need: bins, or the distinct scores of first rows."""
        with self.lock:
            if self.bins is not None:
                return self.bins.columns()
            table = self.first_table()
        roundings = self.waiting.n if table.is_weighted else None
        is_sure = np.ones(len(table), np.bool_)
        return BinColumns(table.positives, table.negatives, is_sure, roundings)

    def called(self, threshold: float) -> tuple[BinColumns, BinColumns, BinColumns]:
        """Return the columns; those that are surely >= threshold; and those that may be."""
        with self.lock:
            columns = self.columns()
            if self.bins is not None:
                above, inside = self.bins.called(threshold)
            else:
                above = self.first_table().scores >= threshold
                inside = np.zeros(len(above), np.bool_)
        return columns, columns.where(above), columns.where(above | inside)

    def first_table(self) -> ScoreTable:
        """Return the table of first rows."""
        scores, labels, weights = self.sorted_rows()
        return score_table(scores, weights * (labels == 1), weights * (labels != 1))

    def sorted_rows(self) -> tuple[NDArray[Any], NDArray[np.int8], NDArray[Any]]:
        """Return scores, labels and weights of the first rows, in an order of their own."""
        rows = self.waiting.rows()
        weights = np.ones(len(rows.labels), np.int64) if rows.weights is None else rows.weights
        order = np.lexsort((weights, rows.labels, rows.scores))
        return rows.scores[order], rows.labels[order], weights[order]

    # --- files -----------------------------------------------------------------------------

    def members(self) -> Members:
        """Return arrays that hold all of the state, and do not change with it."""
        with self.lock:
            if self.bins is None:
                return dict(zip(("scores", "labels", "weights"), self.sorted_rows(), strict=True))
            bins = self.bins.copy()
        return {
            "edges": bins.layout.edges,
            "counts": bins.counts,
            "seen": bins.seen,
            "watched": bins.watched,
            "n_roundings": np.array(bins.n_roundings),
        }

    @classmethod
    def of_members(cls, found: Members) -> Self:
        """Return the state of such arrays, or raise what is wrong with them."""
        state = cls(None)
        if "edges" not in found:
            rows = _checked_rows(found)
            state.waiting.add(rows)
            state._bound = rows.size
            return state
        state.bins = _checked_bins(found)
        state._bound = sum(state.bins.counts.tolist()) if not state.bins.is_weighted else 0
        if state._bound >= _MOST:
            raise InputError(f"{state._bound:,} rows are too many")
        return state


def score_table(
    scores: NDArray[Any], positives: NDArray[Any], negatives: NDArray[Any]
) -> ScoreTable:
    """Return the table of counts at scores, which may be infinite."""
    columns, exponent = rescaled(checked_columns(scores, positives, negatives, allow_inf=True))
    return ScoreTable._of_columns(*columns, exponent)


def check_same_layout(mine: BinLayout, theirs: BinLayout) -> None:
    """Raise where bins are not the same."""
    if mine != theirs:
        raise InputError(
            f"tables of different bins cannot be merged: {mine!r} and {theirs!r}; make both with "
            "one layout, `BinnedScoreTable(layout)`, as `table.layout` or `BinLayout.of_bits()`"
        )


def _learnt(before: Rows, after: Rows) -> Bins:
    """Return bins that are learnt of first rows, and hold them."""
    scores = np.concatenate([before.scores, after.scores])
    bins = Bins.empty(BinLayout.learn(scores), before.is_weighted or after.is_weighted)
    for rows in (before, after):
        bins.add(rows)
    return bins


def _checked_rows(found: Members) -> Rows:
    scores, labels, weights = found["scores"], found["labels"], found["weights"]
    if scores.dtype != np.float64 or labels.dtype != np.int8 or weights.dtype not in _KINDS:
        raise InputError("scores, labels and weights of other dtypes")
    if not scores.shape == labels.shape == weights.shape or not len(scores) < FIRST_ROWS:
        raise InputError("scores, labels and weights are not columns of first rows")
    check_finite(scores, "scores", allow_inf=True)
    if ((labels != 0) & (labels != 1)).any():
        raise InputError("labels are not 0 and 1")
    if not (np.isfinite(weights) & (weights > 0)).all():
        raise InputError("weights are not positive")
    return Rows(scores, labels, weights)


def _checked_bins(found: Members) -> Bins:
    layout = BinLayout(found["edges"])
    counts, seen, watched = found["counts"], found["seen"], found["watched"]
    roundings = found["n_roundings"]
    n = layout.n_bins
    if counts.dtype not in _KINDS or counts.shape != (2 * n,):
        raise InputError(f"counts are not two of each of {n:,} bins")
    if not (np.isfinite(counts) & (counts >= 0)).all():
        raise InputError("counts are negative, or not finite")
    if (
        seen.dtype != np.float64
        or watched.dtype != np.uint8
        or not seen.shape == watched.shape == (n,)
    ):
        raise InputError("`seen` and `watched` are not of the bins")
    is_watched, has = watched == 1, counts[::2] + counts[1::2] > 0
    known = is_watched & has
    if (watched > 1).any() or (is_watched & layout._holds_one).any():
        raise InputError("`watched` is not 0 and 1, or 1 where a bin has one value at most")
    if (np.isnan(seen) == known).any() or (
        np.searchsorted(layout.edges, seen[known], side="right") != np.flatnonzero(known)
    ).any():
        raise InputError("`seen` does not go with counts")
    if (~is_watched & ~layout._holds_one & ~has).any():
        raise InputError("a bin without rows holds several values")
    if roundings.shape != () or roundings.dtype.kind != "i" or not 0 <= roundings < _MOST:
        raise InputError(f"`n_roundings` must be one number: got {roundings}")
    return Bins(layout, counts, seen, watched, int(roundings))
