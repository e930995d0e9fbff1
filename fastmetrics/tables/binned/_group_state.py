"""The rows of many groups: first rows, then cells of groups and bins; never half changed."""

from __future__ import annotations

from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from fastmetrics._files import Members, as_json, of_json
from fastmetrics._input.scalars import check_n_rows
from fastmetrics.errors import InputError
from fastmetrics.tables.binned._bins import Bins, Waiting
from fastmetrics.tables.binned._group_cells import GroupCells, GroupLimits, Ints, group_limits
from fastmetrics.tables.binned._rows import Rows
from fastmetrics.tables.binned._state import checked_bins, checked_first_rows
from fastmetrics.tables.binned.bin_layout import BinLayout, edges_of

#: Rows, or batches, that are put in order at a time, at least.
_ROWS_IN_ORDER: Final = 1 << 18
_BATCHES_IN_ORDER: Final = 1 << 10


class GroupedState(NamedTuple):
    """What is replaced, never changed, but for what lies beyond the numbers that stand here.

    Of ``names``, group numbers by id, the first ``n_groups`` count, of ``waiting`` ``n_waiting``
    rows, whose group stands in place of a weight, and of ``pending``, keys of rows that ``cells``
    do not count yet, ``n_pending`` batches: an interrupt finds a batch counted, or not.
    """

    layout: BinLayout | None
    bins: Bins | None
    cells: GroupCells
    names: dict[str | int, int]
    waiting: Waiting
    pending: list[Ints]
    n_groups: int = 0
    n_waiting: int = 0
    n_pending: int = 0
    rows_pending: int = 0

    @classmethod
    def empty(cls, layout: BinLayout | None, first_rows: int) -> Self:
        at_once = layout is not None and first_rows == 0
        bins = Bins.empty(layout) if layout is not None and at_once else None
        cells = GroupCells.empty(1 if bins is None else bins.layout.n_bins)
        return cls(layout, bins, cells, {}, Waiting(), [])

    def rows(self) -> Rows:
        """Return the first rows; their groups stand in place of weights."""
        return self.waiting.rows().part(0, self.n_waiting)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.n_waiting if self.bins is None else int(self.bins.counts.sum())

    def ids(self) -> list[str | int]:
        """Return the ids by their numbers."""
        return list(self.names)[: self.n_groups]

    def counted(self) -> GroupedState:
        """Return the same, all rows being counted."""
        cells = self.cells.with_rows(self.pending[: self.n_pending])
        return self._replace(cells=cells, pending=[], n_pending=0, rows_pending=0)

    def binned(self, rows: Rows, n_first: int) -> GroupedState:
        """Return the same with more rows, in bins, which the first ones may have to teach."""
        layout, bins, n = self.layout, self.bins, len(rows.labels)
        if layout is None:
            layout = BinLayout.learn(rows.scores[:n_first])
        bins = Bins.empty(layout) if bins is None else bins.copy()
        codes = np.empty(n, np.uint32)  # a window in which there is room for all
        bins.slide(rows, codes, np.zeros(3, np.int64))
        cells = self.cells if self.bins is not None else GroupCells.empty(layout.n_bins)
        del self.pending[self.n_pending :]
        self.pending.append(groups_of(rows) * cells.width + codes)
        found = self._replace(
            layout=layout,
            bins=bins,
            cells=cells,
            waiting=Waiting(),
            n_waiting=0,
            n_pending=len(self.pending),
            rows_pending=self.rows_pending + n,
        )
        many = max(_ROWS_IN_ORDER, len(cells.keys))
        is_much = found.rows_pending >= many or found.n_pending >= _BATCHES_IN_ORDER
        return found.counted() if is_much else found

    def numbers(self, ids: list[str | int]) -> Ints:
        """Return the numbers of groups, those that are new being given the next ones."""
        names = self.names
        while len(names) > self.n_groups:  # what an interrupt may have left
            names.popitem()
        if ids and names and type(ids[0]) is not type(next(iter(names))):
            raise InputError(
                "`groups` are whole numbers or text: got one where the other came before"
            )
        return np.array([names.setdefault(each, len(names)) for each in ids], np.int64)

    def limits(self) -> GroupLimits:
        """Return the limits of each group by its number; all rows are counted."""
        return group_limits(*self.cells_and_sure())

    def cells_and_sure(self) -> tuple[GroupCells, NDArray[np.bool_]]:
        """Return the cells of bins, or of distinct first scores, and which of these are sure."""
        if self.bins is not None:
            return self.cells, self.bins.watched.view(np.bool_) | self.bins.layout._holds_one
        rows = self.rows()
        values, codes = np.unique(rows.scores, return_inverse=True)
        cells = GroupCells.empty(len(values))
        keys = groups_of(rows) * cells.width + 2 * codes + (rows.labels == 1)
        return cells.with_rows([keys]), np.ones(len(values), np.bool_)

    def sorted_ids(self) -> tuple[list[Any], list[int]]:
        """Return the ids in their order, and the number of each."""
        ids: list[Any] = self.ids()
        order = sorted(range(len(ids)), key=ids.__getitem__)
        return [ids[k] for k in order], order

    # --- files -----------------------------------------------------------------------------

    def members(self) -> Members:
        """Return arrays that hold all of the state, groups being numbered by their ids."""
        ids, order = self.sorted_ids()
        number = np.empty(len(ids), np.int64)
        number[order] = np.arange(len(ids))
        found = {"groups": as_json(ids)} | edges_of(self.layout)
        if self.bins is None:
            rows = self.rows()
            groups, labels = number[groups_of(rows)], (rows.labels == 1).view(np.int8)
            by = np.lexsort((labels, rows.scores, groups))
            columns = {"scores": rows.scores[by], "labels": labels[by], "numbers": groups[by]}
            return found | columns
        keys, counts = self.cells.renumbered(number)
        by = np.argsort(keys)
        columns = {"keys": keys[by], "counts": counts[by]}
        return found | columns | {"seen": self.bins.seen, "watched": self.bins.watched}

    @classmethod
    def of_members(cls, found: Members, layout: BinLayout | None, first_rows: int) -> Self:
        """Return the state of such arrays, or raise what is wrong with them."""
        ids = of_json(found["groups"])
        kinds = {type(each) for each in ids}
        if type(ids) is not list or not (kinds <= {str} or kinds <= {int}):
            raise InputError("groups are not whole numbers, or texts")
        if sorted(set(ids)) != ids:
            raise InputError("groups do not rise")
        names = {each: number for number, each in enumerate(ids)}
        now = cls.empty(layout, first_rows)._replace(names=names, n_groups=len(ids))
        if "keys" not in found:
            rows = checked_first_rows(found, first_rows, None)
            numbers = found["numbers"]
            if numbers.dtype != np.int64 or numbers.shape != rows.labels.shape:
                raise InputError("numbers are not those of rows")
            if not np.array_equal(np.unique(numbers), np.arange(len(ids))):
                raise InputError("a group has no row, or a row none")
            waiting = Waiting.of(rows._replace(weights=numbers))
            return now._replace(waiting=waiting, n_waiting=waiting.n)
        if layout is None:
            raise InputError("rows in bins that are none")
        keys, counts, width = found["keys"], found["counts"], 2 * layout.n_bins
        if keys.dtype != np.int64 or counts.dtype != np.int64 or keys.shape != counts.shape:
            raise InputError("keys and counts are not columns of whole numbers")
        if (np.diff(keys) <= 0).any() or (counts <= 0).any():
            raise InputError("keys do not rise, or counts are none")
        if not np.array_equal(np.unique(keys // width), np.arange(len(ids))):
            raise InputError("a group has no row, or a row none")
        check_n_rows(sum(counts.tolist()))
        pooled = np.zeros(width, np.int64)
        np.add.at(pooled, keys % width, counts)
        bins = checked_bins(found | {"counts": pooled, "n_roundings": np.array(0)}, layout)
        return now._replace(bins=bins, cells=GroupCells(keys, counts, width))


def groups_of(rows: Rows) -> Ints:
    """Return the numbers of the groups of rows, which stand in place of weights."""
    return np.empty(0, np.int64) if rows.weights is None else rows.weights
