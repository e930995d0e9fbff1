"""The state of a binned table: first rows, then bins of them; never half changed."""

from __future__ import annotations

import threading
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from fastmetrics._files import Members
from fastmetrics._input.scalars import check_integer, check_n_rows
from fastmetrics._input.scores import check_finite
from fastmetrics._input.weights import check_sums
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.tables.binned._bins import Bins, Rows, Waiting
from fastmetrics.tables.binned._bounds import BinColumns
from fastmetrics.tables.binned.bin_layout import BinLayout, edges_of, layout_of
from fastmetrics.tables.scores._columns import Columns, checked_columns

#: First rows that are kept, by default: two for each bin that is learnt of them.
FIRST_ROWS: Final = 1 << 16
#: At most: some 600 MB.
MOST_FIRST: Final = 1 << 25
#: Weights of rows, and their sums, are at least 2 to this.
_LEAST: Final = -250
_KINDS: Final = (np.dtype(np.int64), np.dtype(np.float64))


def check_first_rows(layout: Any, first_rows: Any) -> int:
    """Return the number of first rows, or raise what is wrong with it or with the layout."""
    if layout is not None and not isinstance(layout, BinLayout):
        raise InputTypeError(
            f"`layout` must be a BinLayout, or None: got {type(layout).__qualname__}"
        )
    least = 1 if layout is None else 0
    return check_integer("first_rows", first_rows, low=least, high=MOST_FIRST)


class BinnedState:
    """A lock, and first rows as they are or, from `first_rows` on, bins; see ``BinnedScoreTable``.

    With a layout it is a function of the rows, whatever their order, batches and merges were.
    Rows join in one call of a kernel, or a new object takes the place of the old one: an interrupt
    finds a batch counted, or not.
    """

    __slots__ = ("_bound", "bins", "first_rows", "layout", "lock", "waiting")
    layout: BinLayout | None
    bins: Bins | None
    waiting: Waiting
    _bound: int

    def __init__(self, layout: BinLayout | None, first_rows: int) -> None:
        self.lock = threading.RLock()
        self.first_rows = first_rows
        self._set(layout, None, Waiting(), 0)
        if layout is not None and first_rows == 0:
            self.bins = Bins.empty(layout)

    def _set(
        self, layout: BinLayout | None, bins: Bins | None, waiting: Waiting, bound: int
    ) -> None:
        # No call among these: an interrupt finds all of them done, or none.
        self.layout = layout
        self.bins = bins
        self.waiting = waiting
        self._bound = bound

    def update(self, rows: Rows) -> None:
        """Count rows that are right, those with a weight."""
        with self.lock:
            bound = check_n_rows(self._bound + rows.size)
            self._take(rows, self.first_rows - self.waiting.n, self.layout, bound)

    def _take(self, rows: Rows, n_first: int, layout: BinLayout | None, bound: int) -> None:
        """Count rows, the first ones of which may have to teach the bins."""
        bins, waiting = self.bins, self.waiting
        if bins is not None:
            bins = bins.with_rows(rows)
        elif waiting.n + len(rows.labels) < self.first_rows:
            waiting.add(rows)
        else:
            bins = _binned(layout, waiting.rows(), rows.part(0, n_first))
            if len(rows.labels) > n_first:
                bins = bins.with_rows(rows.part(n_first))
            waiting = Waiting()
        self._set(layout if bins is None else bins.layout, bins, waiting, bound)

    def merge(self, other: BinnedState) -> None:
        """Add a state that is not being changed."""
        with self.lock:
            layout = common_layout(self.layout, other.layout)
            bound = check_n_rows(self._bound + other._bound)
            self.first_rows = min(self.first_rows, other.first_rows)
            if other.bins is None:
                self._take(other.waiting.rows(), other.waiting.n, layout, bound)
                return
            bins = other.bins
            if self.bins is not None:
                bins = self.bins.merged(bins)
            else:
                bins = bins.copy().with_rows(self.waiting.rows())
            self._set(bins.layout, bins, Waiting(), bound)

    def reset(self) -> None:
        """Forget all rows, and keep the layout."""
        with self.lock:
            empty = BinnedState(self.layout, self.first_rows)
            self._set(self.layout, empty.bins, empty.waiting, 0)

    def copy(self) -> Self:
        with self.lock:
            held = self.waiting.rows() if self.bins is None else self.bins.copy()
            return self.holding(held, self.layout, self.first_rows, self._bound)

    @classmethod
    def holding(
        cls, held: Rows | Bins, layout: BinLayout | None, first_rows: int, bound: int | None = None
    ) -> Self:
        """Return a state of first rows, fewer than ``first_rows``, or of bins, from now on its.

        There are at most ``bound`` of them, if they are counts; None: as many as are counted.
        """
        state = cls(layout, first_rows)
        if isinstance(held, Bins):
            n_rows = 0 if held.is_weighted or bound is not None else int(held.counts.sum())
            state.bins = held
        else:
            n_rows, state.waiting = held.size, Waiting.of(held)
        state._bound = n_rows if bound is None else bound
        return state

    def columns(self) -> BinColumns:
        """Return what measures need: bins, or the distinct scores of first rows."""
        with self.lock:
            if self.bins is not None:
                return self.bins.columns()
            _, positives, negatives = self.first_columns()
            n_rows = self.waiting.n
        roundings = n_rows if positives.dtype.kind == "f" else None
        return BinColumns(positives, negatives, np.ones(len(positives), np.bool_), roundings)

    def called(self, threshold: float) -> tuple[BinColumns, BinColumns, BinColumns]:
        """Return the columns; those that are surely >= threshold; and those that may be."""
        with self.lock:
            columns = self.columns()
            if self.bins is not None:
                above, inside = self.bins.called(threshold)
            else:
                above = self.first_columns()[0] >= threshold
                inside = np.zeros(len(above), np.bool_)
        return columns, columns.where(above), columns.where(above | inside)

    def first_columns(self) -> Columns:
        """Return the distinct scores of first rows, highest first, with both counts."""
        scores, labels, weights = self.sorted_rows()
        is_positive = labels == 1
        counts = weights * is_positive, weights * ~is_positive
        return checked_columns(scores, *counts, allow_inf=True)

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
            found = {"first_rows": np.array(self.first_rows)} | edges_of(self.layout)
            bins = self.bins
            if bins is None:
                names = "scores", "labels", "weights"
                return found | dict(zip(names, self.sorted_rows(), strict=True))
            columns = {"counts": bins.counts, "seen": bins.seen, "watched": bins.watched}
            found |= {name: column.copy() for name, column in columns.items()}
            return found | {"n_roundings": np.array(bins.n_roundings)}

    @classmethod
    def of_members(cls, found: Members) -> Self:
        """Return the state of such arrays, or raise what is wrong with them."""
        first_rows = check_integer("first_rows", found["first_rows"][()], low=0, high=MOST_FIRST)
        layout, held = layout_of(found), None
        if layout is not None and "counts" in found:
            held = _checked_bins(found, layout)
        return cls.holding(held or _checked_first_rows(found, first_rows), layout, first_rows)


def common_layout(mine: BinLayout | None, theirs: BinLayout | None) -> BinLayout | None:
    """Return the layout of two tables, one of which may have none yet, or raise."""
    if mine is None or theirs is None:
        return theirs if mine is None else mine
    if mine != theirs:
        raise InputError(
            f"tables of different bins cannot be merged: {mine!r} and {theirs!r}; make both with "
            "one layout, `streams.BinnedScoreTable(layout)`, as `table.layout` or "
            "`streams.BinLayout.of_bits()`"
        )
    return mine


def _binned(layout: BinLayout | None, before: Rows, after: Rows) -> Bins:
    """Return bins that hold first rows, and are learnt of them unless they are known."""
    if layout is None:
        layout = BinLayout.learn(np.concatenate([before.scores, after.scores]))
    bins = Bins.empty(layout, before.is_weighted or after.is_weighted)
    for rows in (before, after):
        bins.add(rows)
    return bins


def _checked_first_rows(members: Members, first_rows: int) -> Rows:
    """Return fewer than ``first_rows`` rows, or raise what is wrong with such arrays."""
    scores, labels, weights = members["scores"], members["labels"], members["weights"]
    if scores.dtype != np.float64 or labels.dtype != np.int8 or weights.dtype not in _KINDS:
        raise InputError("scores, labels and weights of other dtypes")
    if not scores.shape == labels.shape == weights.shape or not len(scores) < first_rows:
        raise InputError("scores, labels and weights are not columns of first rows")
    check_finite(scores, "scores", allow_inf=True)
    if ((labels != 0) & (labels != 1)).any():
        raise InputError("labels are not 0 and 1")
    if not (np.isfinite(weights) & (weights > 0)).all():
        raise InputError("weights are not positive")
    check_weight(weights)
    return Rows(scores, labels, weights)


def check_weight(counts: NDArray[Any]) -> None:
    """Raise where counts, or sums of weights, are beyond a table's range."""
    if counts.dtype.kind == "f":
        check_sums(counts, _LEAST)
    else:
        check_n_rows(sum(counts.tolist()))


def _checked_bins(found: Members, layout: BinLayout) -> Bins:
    """Return the bins of such arrays, or raise what is wrong with them."""
    counts, seen, watched = found["counts"], found["seen"], found["watched"]
    roundings = found["n_roundings"]
    n = layout.n_bins
    if counts.dtype not in _KINDS or counts.shape != (2 * n,):
        raise InputError(f"counts are not two of each of {n:,} bins")
    if not (np.isfinite(counts) & (counts >= 0)).all():
        raise InputError("counts are negative, or not finite")
    check_weight(counts)
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
    if roundings.shape != () or roundings.dtype.kind != "i" or not 0 <= roundings < 2**62:
        raise InputError(f"`n_roundings` must be one number: got {roundings}")
    return Bins(layout, counts, seen, watched, int(roundings))
