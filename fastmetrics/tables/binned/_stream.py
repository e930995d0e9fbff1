"""What streams of scores have in common: first rows, a layout, and who has measures."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

from numpy.typing import ArrayLike

from fastmetrics._display.shown import Shown
from fastmetrics._docs import documented
from fastmetrics._files import Members
from fastmetrics._threads.workers import with_threads
from fastmetrics.tables._mergeable import ByMembers
from fastmetrics.tables._streams import Recent
from fastmetrics.tables.binned._bins import Bins
from fastmetrics.tables.binned._rows import BINNED, Rows, checked_rows
from fastmetrics.tables.binned.bin_layout import BinLayout, edges_of, layout_of
from fastmetrics.tables.binned.binned_score_table import BinnedScoreTable
from fastmetrics.tables.binned.bracket import Limited
from fastmetrics.tables.scores.score_table import ROWS


class ScoreStream(Limited, ByMembers, Shown):
    """A stream of scores; ``_now`` has a ``layout``."""

    __slots__ = ()
    _first_rows: int
    _lock: Any
    _now: Any

    @abstractmethod
    def _empty(self, layout: BinLayout | None) -> Any:
        """Return what there is before the first row."""

    @abstractmethod
    def _held(self) -> Rows | Bins:
        """Return the first rows, or bins of their own, that `table` is of."""

    def _cleared(self) -> Any:
        return self._empty(self.layout)

    @property
    def layout(self) -> BinLayout | None:
        """The bins; None until they are learnt."""
        layout: BinLayout | None = self._now.layout
        return layout

    @property
    def first_rows(self) -> int:
        """How many rows there are before they are counted in bins."""
        return self._first_rows

    @property
    def table(self) -> BinnedScoreTable:
        """What counts now, of all groups; a table of its own, which later rows do not change."""
        with self._lock:
            return BinnedScoreTable._holding(self._held(), self.layout, self._first_rows)


class RecentScores(ScoreStream, Recent):
    """A stream of scores in order, of which those of late count."""

    __slots__ = ()
    _ASK = "`stream.table.roc_auc()`, of this moment, which is a Bracket"

    @documented(BINNED, ROWS)
    @with_threads
    def update(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        pos_label: Any = None,
        allow_inf: bool = False,
        n_threads: int | None = None,
    ) -> None:
        """Count one more batch, the oldest row first; of a window, as many leave as are too many.

        Notes
        -----
        Rows are judged on all cores, and counted one by one. O(n) with a window: some nanoseconds a
        row. O(n + bins) where rows fade: some twenty, and a tenth of a millisecond a batch.

        Examples
        --------
        >>> from fastmetrics.streams import BinLayout, WindowedBinnedScoreTable
        >>> last = WindowedBinnedScoreTable(2, BinLayout([0.5]), first_rows=0)
        >>> last.update([0, 0, 1], [0.1, 0.4, 0.35])
        >>> last.table.roc_auc()
        Bracket(low=0, high=1)
        >>> from fastmetrics.streams import DecayedBinnedScoreTable
        >>> daily = DecayedBinnedScoreTable(half_life=1, per="batch")
        >>> for y_score in ([0.1, 0.2], [0.5, 0.4], [0.3, 0.9]):
        ...     daily.update([0, 1], y_score)
        >>> daily.table.n_positive
        1.75
        """
        rows = checked_rows(y_true, y_score, None, pos_label, allow_inf)
        with self._lock:
            self._now = self._after(rows)

    @abstractmethod
    def _after(self, rows: Rows) -> Any:
        """Return what there is after a batch, or raise."""

    def _kept(self) -> Members:
        return edges_of(self.layout) | {k: each.copy() for k, each in self._columns().items()}

    @abstractmethod
    def _columns(self) -> Members:
        """Return the columns of first rows, or of bins."""

    @classmethod
    def _like(cls, found: Members, **options: Any) -> Self:
        return super()._like(found, layout=layout_of(found), **options)
