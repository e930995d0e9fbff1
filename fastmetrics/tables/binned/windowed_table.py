"""``WindowedBinnedScoreTable``: a stream of scores of which only the last rows count."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._files import Members, scalar
from fastmetrics._input.scalars import check_n_rows, check_n_threads
from fastmetrics.errors import InputError
from fastmetrics.tables._streams import Window, check_window, rows_seen
from fastmetrics.tables.binned._bins import Bins, Waiting
from fastmetrics.tables.binned._rows import ROWS, Rows, checked_rows
from fastmetrics.tables.binned._state import (
    FIRST_ROWS,
    MOST_FIRST,
    BinnedState,
    check_first_rows,
    checked_bins,
    checked_first_rows,
)
from fastmetrics.tables.binned._stream import ScoreStream
from fastmetrics.tables.binned.bin_layout import BinLayout
from fastmetrics.tables.binned.binned_score_table import BinnedScoreTable


class _Ring(NamedTuple):
    """Rows of a window in bins: of each `2 * bin + is_positive`, in ``codes``.

    ``at``: where the next row goes, how many rows there are, and how many have come. The kernel
    changes all of it in one call: an interrupt finds a batch counted, or not.
    """

    bins: Bins
    codes: NDArray[np.uint32]
    at: NDArray[np.int64]

    @classmethod
    def empty(cls, layout: BinLayout, window: int) -> _Ring:
        return cls(Bins.empty(layout), np.empty(window, np.uint32), np.zeros(3, np.int64))

    def slide(self, rows: Rows) -> None:
        """Count rows, and let as many leave as are too many."""
        self.bins.slide(rows, self.codes, self.at)

    def in_order(self) -> NDArray[np.uint32]:
        """Return the codes, the oldest row first."""
        place, n = self.at[:2].tolist()
        return self.codes[:n] if n < len(self.codes) else np.roll(self.codes, -place)


class _First(NamedTuple):
    """Rows of a window as they came, the last ones of ``waiting``; ``n_left`` are not there."""

    waiting: Waiting
    n_left: int


class WindowedBinnedScoreTable(Window, ScoreStream):
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

    __slots__ = ("_layout", "_lock", "_now", "_window")

    def __init__(
        self, window: int, layout: BinLayout | None = None, *, first_rows: int = FIRST_ROWS
    ) -> None:
        self._window = check_window(window)
        self._first_rows = check_first_rows(layout, first_rows)
        self._layout = layout
        self._lock = threading.Lock()
        self._now: _Ring | _First = self._empty()

    def _empty(self) -> _Ring | _First:
        if self._layout is not None and self._first_rows == 0:
            return _Ring.empty(self._layout, self._window)
        return _First(Waiting(), 0)

    @property
    def layout(self) -> BinLayout | None:
        """The bins; None until they are learnt."""
        return self._layout

    @property
    def n_seen(self) -> int:
        """Number of rows so far, those that have left included."""
        now = self._now
        return now.n_left + now.waiting.n if isinstance(now, _First) else int(now.at[2])

    @property
    def table(self) -> BinnedScoreTable:
        """The counts at this moment; a table of its own, which later rows do not change."""
        with self._lock:
            state = BinnedState(self._layout, self._first_rows)
            now = self._now
            if isinstance(now, _First):
                state.keep(now.waiting.rows().part(-self._window))
            else:
                state.take(now.bins.copy(), int(now.at[1]))
        return BinnedScoreTable._of(state)

    @documented(ROWS)
    def update(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        pos_label: Any = None,
        allow_inf: bool = False,
        n_threads: int | None = None,
    ) -> None:
        """Count one more batch, the oldest row first, and let as many rows leave as are too many.

        Raises
        ------
        TypeError, ValueError
            As `BinnedScoreTable.update`. Nothing has then changed.

        Notes
        -----
        O(n): some nanoseconds a row. Rows are judged on all cores, and counted one by one.

        Examples
        --------
        >>> from fastmetrics.streams import BinLayout, WindowedBinnedScoreTable
        >>> last = WindowedBinnedScoreTable(2, BinLayout([0.5]), first_rows=0)
        >>> last.update([0, 0, 1], [0.1, 0.4, 0.35])
        >>> last.table.roc_auc()
        Bracket(low=0, high=1)
        """
        n_threads = check_n_threads(n_threads)
        rows = checked_rows(y_true, y_score, None, pos_label, allow_inf, n_threads)
        with self._lock:
            now = self._now
            check_n_rows(self.n_seen + len(rows.labels))
            if not isinstance(now, _First):
                now.slide(rows)
                return
            room = self._first_rows - now.waiting.n
            if self._window < self._first_rows:
                now.waiting.add(rows)
                if now.waiting.n > 2 * self._window:
                    kept = Waiting()
                    kept.add(now.waiting.rows().part(-self._window))
                    self._now = _First(kept, now.n_left + now.waiting.n - kept.n)
            elif len(rows.labels) < room:
                now.waiting.add(rows)
            else:
                before, after = now.waiting.rows(), rows.part(0, room)
                layout = self._layout
                if layout is None:
                    layout = BinLayout.learn(np.concatenate([before.scores, after.scores]))
                ring = _Ring.empty(layout, self._window)
                ring.slide(before)
                ring.slide(rows)
                # No call among these: an interrupt finds both of them done, or none.
                self._layout = layout
                self._now = ring

    def reset(self) -> None:
        """Forget all rows, and keep the layout, given or learnt.

        Examples
        --------
        >>> from fastmetrics.streams import WindowedBinnedScoreTable
        >>> last = WindowedBinnedScoreTable(100)
        >>> last.update([0, 1], [0.2, 0.7])
        >>> last.reset()
        >>> last
        WindowedBinnedScoreTable(window=100, n=0, n_seen=0)
        """
        with self._lock:
            self._now = self._empty()

    def _members(self) -> Members:
        with self._lock:
            now = self._now
            found = {
                "window": np.array(self._window),
                "first_rows": np.array(self._first_rows),
                "n_seen": np.array(self.n_seen),
            }
            if self._layout is not None:
                found["edges"] = self._layout.edges
            if isinstance(now, _First):
                scores, labels, _ = now.waiting.rows().part(-self._window)
                columns = {"scores": scores, "labels": labels}
            else:
                columns = {"codes": now.in_order()}
                columns |= {"seen": now.bins.seen, "watched": now.bins.watched}
            return found | {name: column.copy() for name, column in columns.items()}

    @classmethod
    def _of_members(cls, found: Members) -> Self:
        layout = BinLayout(found["edges"]) if "edges" in found else None
        table = cls(scalar(found, "window"), layout, first_rows=scalar(found, "first_rows"))
        n_seen = rows_seen(found)
        n = min(n_seen, table._window)
        if "codes" not in found:
            columns = found | {"weights": np.ones(found["scores"].shape, np.int64)}
            waiting = Waiting()
            waiting.add(checked_first_rows(columns, MOST_FIRST)._replace(weights=None))
            is_kept = n_seen < table._first_rows or table._window < table._first_rows
            if waiting.n != n or not is_kept:
                raise InputError(f"not the last {n:,} rows")
            table._now = _First(waiting, n_seen - n)
            return table
        codes = found["codes"]
        if layout is None or n_seen < table._first_rows or table._window < table._first_rows:
            raise InputError("rows in bins that are none yet")
        if codes.dtype != np.uint32 or codes.shape != (n,):
            raise InputError(f"`codes` are not those of {n:,} rows")
        if n and codes.max() >= 2 * layout.n_bins:
            raise InputError("a row has a bin that is not there")
        counts = np.bincount(codes, minlength=2 * layout.n_bins)
        bins = checked_bins(found | {"counts": counts, "n_roundings": np.array(0)}, layout)
        ring = np.empty(table._window, np.uint32)
        ring[:n] = codes
        table._now = _Ring(bins, ring, np.array([n % table._window, n, n_seen]))
        return table
