"""``WindowedBinnedScoreTable``: a stream of scores of which only the last rows count."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._files import Members
from fastmetrics._input.scalars import check_n_rows
from fastmetrics.errors import InputError
from fastmetrics.tables._streams import Window
from fastmetrics.tables.binned._bins import Bins, Waiting
from fastmetrics.tables.binned._rows import Rows
from fastmetrics.tables.binned._state import (
    FIRST_ROWS,
    MOST_FIRST,
    check_first_rows,
    checked_bins,
    checked_first_rows,
)
from fastmetrics.tables.binned._stream import RecentScores
from fastmetrics.tables.binned.bin_layout import BinLayout


class _Ring(NamedTuple):
    """Rows of a window in bins: of each `2 * bin + is_positive`, in ``codes``.

    ``at``: where the next row goes, how many rows there are, and how many have come. The kernel
    changes all of it in one call: an interrupt finds a batch counted, or not.
    """

    bins: Bins
    codes: NDArray[np.uint32]
    at: NDArray[np.int64]

    @property
    def layout(self) -> BinLayout:
        return self.bins.layout

    @property
    def n_seen(self) -> int:
        return int(self.at[2])

    @classmethod
    def empty(cls, layout: BinLayout, window: int) -> _Ring:
        return cls(Bins.empty(layout), np.empty(window, np.uint32), np.zeros(3, np.int64))

    def in_order(self) -> NDArray[np.uint32]:
        """Return the codes, the oldest row first."""
        place, n = self.at[:2].tolist()
        return self.codes[:n] if n < len(self.codes) else np.roll(self.codes, -place)


class _First(NamedTuple):
    """Rows of a window as they came, the last ones of ``waiting``; ``n_left`` are not there."""

    layout: BinLayout | None
    waiting: Waiting
    n_left: int = 0

    @property
    def n_seen(self) -> int:
        return self.n_left + self.waiting.n

    def last(self, n: int) -> Rows:
        """Return the last rows, as views."""
        return self.waiting.rows().part(-n)


class WindowedBinnedScoreTable(Window, RecentScores):
    """How many positives and negatives have their score in each bin, among the last `window` rows.

    Rows leave one by one, in the order in which they came, whatever the batches were. `table` is
    the `BinnedScoreTable` of the rows that are left, from which the limits of every measure follow.

    Parameters
    ----------
    window : int
        The number of rows that count, at most a billion.
    layout : BinLayout, optional
        The bins. By default they are learnt from the first rows, for good.
    first_rows : int, default 65536
        Before there are so many, rows are kept as they are; so is a window of fewer, always:
        measures of it are exact. 0, with a layout, counts in bins at once.

    Raises
    ------
    TypeError, ValueError
        If `window` is no integer from 1 to a billion, `layout` no `BinLayout`, or `first_rows` no
        number up to 2**25.

    Notes
    -----
    Memory: 4 bytes a row of the window and 25 bytes a bin; at most 36 bytes a row of a window that
    is kept as it is. Counts are integers: what is left after a long stream is exact. What rows have
    left behind is this alone: a bin that had several distinct scores counts as one that has,
    until none of its rows is in the window. Several threads may update one object; their batches
    follow one another in some order. There is no merge: rows of two streams have no common order.
    The `table` of each stream, taken at one time, can be added up.

    Where scores drift away from the bins, limits stay right and get wide: begin anew, or with a
    layout that covers more.

    Examples
    --------
    >>> from fastmetrics.streams import WindowedBinnedScoreTable
    >>> last = WindowedBinnedScoreTable(4)
    >>> last.update([0, 1, 1], [0.9, 0.2, 0.6])
    >>> last.update([0, 1], [0.3, 0.7])
    >>> last.table.roc_auc()
    Bracket(low=0.6666666667, high=0.6666666667)
    >>> last.n, last.n_seen
    (4, 5)
    """

    __slots__ = ("_first_rows",)
    _options = "window", "first_rows"
    _now: _Ring | _First

    def __init__(
        self, window: int, layout: BinLayout | None = None, *, first_rows: int = FIRST_ROWS
    ) -> None:
        self._begin(window)
        self._first_rows = check_first_rows(layout, first_rows)
        self._now = self._empty(layout)

    def _empty(self, layout: BinLayout | None) -> _Ring | _First:
        if layout is not None and self._first_rows == 0:
            return _Ring.empty(layout, self._window)
        return _First(layout, Waiting())

    @property
    def n_seen(self) -> int:
        """Number of rows so far, those that have left included."""
        return self._now.n_seen

    def _held(self) -> Rows | Bins:
        now = self._now
        return now.bins.copy() if isinstance(now, _Ring) else now.last(self._window)

    def _after(self, rows: Rows) -> _Ring | _First:
        now = self._now
        check_n_rows(now.n_seen + len(rows.labels))
        if isinstance(now, _Ring):
            now.bins.slide(rows, now.codes, now.at)
            return now
        n = now.waiting.n + len(rows.labels)
        if self._window >= self._first_rows and n >= self._first_rows:
            before = now.waiting.rows()
            first = np.concatenate([before.scores, rows.scores[: self._first_rows - now.waiting.n]])
            ring = _Ring.empty(now.layout or BinLayout.learn(first), self._window)
            for batch in (before, rows):
                ring.bins.slide(batch, ring.codes, ring.at)
            return ring
        now.waiting.add(rows)
        if n <= 2 * self._window:
            return now
        return _First(now.layout, Waiting.of(now.last(self._window)), now.n_seen - self._window)

    def _columns(self) -> Members:
        now = self._now
        if isinstance(now, _First):
            scores, labels, _ = now.last(self._window)
            return {"scores": scores, "labels": labels}
        return {"codes": now.in_order(), "seen": now.bins.seen, "watched": now.bins.watched}

    def _of_kept(self, found: Members, n_seen: int) -> _Ring | _First:
        layout, n = self.layout, min(n_seen, self._window)
        is_first = n_seen < self._first_rows or self._window < self._first_rows
        if "codes" not in found:
            waiting = Waiting.of(checked_first_rows(found, MOST_FIRST, None))
            if waiting.n != n or not is_first:
                raise InputError(f"not the last {n:,} rows")
            return _First(layout, waiting, n_seen - n)
        codes = found["codes"]
        if layout is None or is_first:
            raise InputError("rows in bins that are none yet")
        if codes.dtype != np.uint32 or codes.shape != (n,):
            raise InputError(f"`codes` are not those of {n:,} rows")
        if n and codes.max() >= 2 * layout.n_bins:
            raise InputError("a row has a bin that is not there")
        counts = np.bincount(codes, minlength=2 * layout.n_bins)
        bins = checked_bins(found | {"counts": counts, "n_roundings": np.array(0)}, layout)
        ring = np.empty(self._window, np.uint32)
        ring[:n] = codes
        return _Ring(bins, ring, np.array([n % self._window, n, n_seen]))
