"""``GroupedBinnedScoreTable``: a stream of scores of many groups, each with counts of its own."""

from __future__ import annotations

import threading
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display.table import Display, Table
from fastmetrics._docs import documented
from fastmetrics._files import Members, scalar
from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.rows import check_same_index
from fastmetrics._input.scalars import check_choice, check_n_rows, check_same_length
from fastmetrics._threads.workers import with_threads
from fastmetrics.errors import InputError
from fastmetrics.tables._mergeable import Mergeable
from fastmetrics.tables.binned._bins import Bins, Waiting
from fastmetrics.tables.binned._bounds import mean_bracket
from fastmetrics.tables.binned._group_state import GroupCells, GroupedState, groups_of
from fastmetrics.tables.binned._rows import BINNED, Rows, checked_rows
from fastmetrics.tables.binned._state import FIRST_ROWS, check_first_rows, common_layout
from fastmetrics.tables.binned._stream import ScoreStream
from fastmetrics.tables.binned.bin_layout import BinLayout, layout_of
from fastmetrics.tables.binned.binned_score_table import BinnedScoreTable
from fastmetrics.tables.binned.bracket import Bracket, GroupAUCBrackets
from fastmetrics.tables.ranking.group_weights import WEIGHTINGS, Weighting, group_weights
from fastmetrics.tables.scores.score_table import ROWS


class GroupedBinnedScoreTable(Mergeable, ScoreStream):
    """How many positives and negatives have their score in each bin, in each of many groups.

    Groups are users, segments, queries: each has its own AUC, between limits that are certain.
    Only what occurs is kept, so that a hundred thousand groups of some rows take little. It merges
    with ``+``, ``sum`` or `merge`.

    Parameters
    ----------
    layout : BinLayout, optional
        The bins, the same for all groups. Tables that are to be merged share a layout; by default
        it is learnt from the first rows.
    first_rows : int, default 65536
        Before there are so many, of all groups, rows are kept as they are, and measures of them
        are exact. 0, with a layout, counts in bins at once.

    Raises
    ------
    TypeError, ValueError
        If `layout` is no `BinLayout`, or `first_rows` no number up to 2**25.

    Notes
    -----
    Memory: 16 bytes for each bin, group and class that occur together, at most 16 a row; as much
    again while they are put in order; some 150 bytes a group, and 25 a bin. A layout of fewer bins
    bounds what a large group takes: at most 32 bytes a bin. Several threads may update one object.

    The AUC of a group is as wide as its pairs within bins: about ``1 / n_bins``, however few its
    rows are; of a group whose rows of either class share no bin, it is exact. A bin with one
    distinct score, of all groups, leaves nothing open.

    Examples
    --------
    >>> from fastmetrics.streams import GroupedBinnedScoreTable
    >>> users = GroupedBinnedScoreTable()
    >>> users.update([1, 0, 0, 1], [0.9, 0.2, 0.5, 0.1], ["a", "a", "a", "b"])
    >>> users.update([0, 1], [0.4, 0.3], ["b", "c"])
    >>> users.group_auc().n_one_class, round(users.group_auc().mean.midpoint, 4)
    (1, 0.6)
    >>> users.table_of("a").roc_auc()
    Bracket(low=1, high=1)
    """

    __slots__ = ("_first_rows", "_lock", "_now")
    _now: GroupedState
    _ASK = "`groups.group_auc()`, or `groups.table.roc_auc()` of all rows, which is a Bracket"

    def __init__(self, layout: BinLayout | None = None, *, first_rows: int = FIRST_ROWS) -> None:
        self._lock = threading.RLock()
        self._first_rows = check_first_rows(layout, first_rows)
        self._now = self._empty(layout)

    def _empty(self, layout: BinLayout | None) -> GroupedState:
        return GroupedState.empty(layout, self._first_rows)

    @property
    def n_groups(self) -> int:
        """The number of groups that have a row."""
        return self._now.n_groups

    @property
    def groups(self) -> NDArray[Any]:
        """The ids of the groups, sorted."""
        return np.array(self._now.sorted_ids()[0])

    def _held(self) -> Rows | Bins:
        now = self._now
        return now.rows()._replace(weights=None) if now.bins is None else now.bins.copy()

    def table_of(self, group: str | int) -> BinnedScoreTable:
        """Return the rows of one group, of which all measures have limits.

        Parameters
        ----------
        group : str or int
            Its id.

        Returns
        -------
        BinnedScoreTable
            A table of its own, which later rows do not change.

        Raises
        ------
        ValueError
            If there is no such group.

        Examples
        --------
        >>> from fastmetrics.streams import GroupedBinnedScoreTable
        >>> users = GroupedBinnedScoreTable()
        >>> users.update([1, 0, 1], [0.9, 0.2, 0.1], [7, 7, 8])
        >>> users.table_of(7).n_positive
        1
        """
        now = self._counted()
        number = now.names.get(group, now.n_groups)
        if number >= now.n_groups:
            raise InputError(f"`group` {group!r} has no row")
        held: Rows | Bins
        if now.bins is None:
            rows = now.rows()
            own = rows.weights == number
            held = Rows(rows.scores[own], rows.labels[own], None)
        else:
            held = now.bins.with_counts(now.cells.of_group(number))
        return BinnedScoreTable._holding(held, now.layout, self._first_rows)

    @documented(BINNED, ROWS)
    @with_threads
    def update(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        groups: ArrayLike,
        *,
        pos_label: Any = None,
        allow_inf: bool = False,
        n_threads: int | None = None,
    ) -> None:
        """Count one more batch, or leave the table as it was.

        Parameters
        ----------
        groups : array-like of shape (n_samples,)
            The group of each row: whole numbers or text, of the sort that came before.

        Raises
        ------
        ValueError
            For ids of another sort.

        Notes
        -----
        O(n log n): some hundred nanoseconds a row, most of it to put rows in the order of groups.

        Examples
        --------
        >>> from fastmetrics.streams import GroupedBinnedScoreTable
        >>> users = GroupedBinnedScoreTable()
        >>> users.update([0, 1, 1], [0.1, 0.8, 0.4], ["a", "a", "b"])
        >>> users.n_groups
        2
        """
        check_same_index(y_true=y_true, y_score=y_score, groups=groups)
        rows = checked_rows(y_true, y_score, None, pos_label, allow_inf)
        coded = check_class_labels(groups, "groups")
        check_same_length(y_true=rows.labels, groups=coded.codes)
        ids = [each if type(each) is str else int(each) for each in coded.classes.tolist()]
        with self._lock:
            now = self._now
            numbers = now.numbers(ids)
            self._take(now, rows._replace(weights=numbers[coded.codes]), self._first_rows)

    def _take(self, now: GroupedState, rows: Rows, n_first: int) -> None:
        """Count rows, with the numbers of their groups; bins are learnt of the first ones."""
        if now.bins is None:
            now.waiting.n = now.n_waiting  # what an interrupt may have left
            now.waiting.add(rows)
            rows = now.waiting.rows()
        if now.bins is not None or len(rows.labels) >= self._first_rows:
            now = now.binned(rows, n_first)
        self._now = now._replace(n_groups=len(now.names), n_waiting=now.waiting.n)

    def _join(self, other: Self) -> None:
        with self._lock:
            now, theirs = self._counted(), other.copy()._now
            layout = common_layout(now.layout, theirs.layout)
            first_rows = min(self._first_rows, other._first_rows)
            check_n_rows(now.n_rows + theirs.n_rows)
            numbers = now.numbers(theirs.ids())
            now = now._replace(n_groups=len(now.names))
            theirs = theirs._replace(layout=layout)
            rows = theirs.rows()
            rows = rows._replace(weights=numbers[groups_of(rows)])
            if theirs.bins is not None and now.bins is None:
                mine, bins = now.rows(), theirs.bins
                cells = GroupCells.empty(bins.layout.n_bins).merged(
                    *theirs.cells.renumbered(numbers)
                )
                now = now._replace(layout=layout, bins=bins, cells=cells, waiting=Waiting())
                rows = mine
            elif theirs.bins is not None and now.bins is not None:
                cells = now.cells.merged(*theirs.cells.renumbered(numbers))
                now = now._replace(bins=now.bins.merged(theirs.bins), cells=cells)
            else:
                now = now._replace(layout=layout)
            self._first_rows = first_rows
            now = now._replace(n_waiting=now.waiting.n)
            self._take(now, rows, now.waiting.n + len(rows.labels))

    def reset(self) -> None:
        """Forget all rows and groups, and keep the layout, given or learnt."""
        with self._lock:
            self._now = self._cleared()

    def copy(self) -> Self:
        """Return a table of the same rows that changes on its own."""
        now, other = self._counted(), type(self)(self._now.layout, first_rows=self._first_rows)
        names = {each: number for number, each in enumerate(now.ids())}
        other._now = now._replace(names=names, waiting=Waiting.of(now.rows()), pending=[])
        return other

    def group_auc(self, query_weighting: Weighting = "items") -> GroupAUCBrackets:
        """Return the limits of the AUC of each group, and of their mean.

        Parameters
        ----------
        query_weighting : {"items", "relevant", "pairs", "queries"}, default="items"
            What weighs a group: its rows, its positives, its pairs of a positive and a negative, or
            nothing: all groups alike.

        Warns
        -----
        UndefinedMetricWarning
            If no group has both classes: the mean is then nan.

        Notes
        -----
        A group of one class has no AUC; it is left out and counted, as `group_auc` does.

        Examples
        --------
        >>> from fastmetrics.streams import GroupedBinnedScoreTable
        >>> users = GroupedBinnedScoreTable()
        >>> users.update([1, 0, 0, 1], [0.9, 0.2, 0.5, 0.1], ["a", "a", "b", "b"])
        >>> users.group_auc("queries").mean.midpoint
        0.5
        """
        check_choice("query_weighting", query_weighting, WEIGHTINGS)
        now = self._counted()
        found = now.limits()
        ids, order = now.sorted_ids()
        low, high, p, n = (each[order] for each in found)
        defined = (p > 0) & (n > 0)
        weights = group_weights(query_weighting, p, n, defined)
        mean = Bracket(np.nan, np.nan)
        if defined.any():
            mean = mean_bracket(low[defined], high[defined], weights[defined])
        n_one_class = int(np.count_nonzero(~defined))
        return GroupAUCBrackets(mean, low, high, weights, p, n, n_one_class, np.array(ids))

    def _counted(self) -> GroupedState:
        """Return what there is, all rows being counted."""
        with self._lock:
            if self._now.n_pending:
                self._now = self._now.counted()
            return self._now

    def _members(self) -> Members:
        with self._lock:
            return {"first_rows": np.array(self._first_rows), **self._counted().members()}

    @classmethod
    def _of_members(cls, found: Members) -> Self:
        layout = layout_of(found)
        table = cls(layout, first_rows=scalar(found, "first_rows"))
        table._now = GroupedState.of_members(found, layout, table._first_rows)
        return table

    def _shown(self) -> Display:
        now = self._counted()
        both = now.limits()
        has_both = (both.positives > 0) & (both.negatives > 0)
        values: dict[str, Any] = {"groups": now.n_groups, "of one class": int((~has_both).sum())}
        if has_both.any():
            values["AUC of groups"] = self.group_auc().mean
        return Display([Table.record(values)], repr(self).partition("(")[2][:-1])

    def __repr__(self) -> str:
        table = self.table
        return (
            f"{type(self).__name__}({self.n_groups:,} groups, {table.n_positive} positive, "
            f"{table.n_negative} negative)"
        )
