"""The rows of many groups: first rows, then cells of groups and bins; never half changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from fastmetrics._files import Members, as_json, of_json
from fastmetrics._input.scalars import check_n_rows
from fastmetrics.errors import InputError
from fastmetrics.tables.binned._bins import Bins, Waiting
from fastmetrics.tables.binned._rows import Rows
from fastmetrics.tables.binned._state import checked_bins, checked_first_rows
from fastmetrics.tables.binned.bin_layout import BinLayout, edges_of
from fastmetrics.tables.scores._columns import first_places

Ints = NDArray[np.int64]

#: Rows, or batches, that are put in order at a time, at least.
_ROWS_IN_ORDER: Final = 1 << 18
_BATCHES_IN_ORDER: Final = 1 << 10
#: Products of totals below this are doubles, and so are twice their sums.
_DOUBLES: Final = 2.0**51


class GroupCells(NamedTuple):
    """Rising ``keys``, ``group * width + 2 * bin + is_positive``, and how often each came."""

    keys: Ints
    counts: Ints
    width: int

    @classmethod
    def empty(cls, n_bins: int) -> Self:
        return cls(np.empty(0, np.int64), np.empty(0, np.int64), 2 * n_bins)

    def with_rows(self, keys: Sequence[Ints]) -> GroupCells:
        """Return cells that count rows too, each by its key."""
        found, counts = np.unique(np.concatenate([*keys, self.keys[:0]]), return_counts=True)
        return self.merged(found, counts)

    def merged(self, keys: Ints, counts: Ints) -> GroupCells:
        """Return cells with other ones, whose keys are distinct, in any order."""
        both = np.concatenate([self.keys, keys])
        order = np.argsort(both, kind="stable")
        both, counts = both[order], np.concatenate([self.counts, counts])[order]
        starts = first_places(both)
        return self._replace(keys=both[starts], counts=np.add.reduceat(counts, starts))

    def renumbered(self, numbers: Ints) -> tuple[Ints, Ints]:
        """Return keys and counts of groups that are numbered otherwise."""
        group, cell = np.divmod(self.keys, self.width)
        return numbers[group] * self.width + cell, self.counts

    def of_group(self, group: int) -> Ints:
        """Return negatives and positives of each bin in turn, of one group."""
        ends = np.searchsorted(self.keys, [group * self.width, (group + 1) * self.width])
        counts = np.zeros(self.width, np.int64)
        counts[self.keys[slice(*ends)] - group * self.width] = self.counts[slice(*ends)]
        return counts


class GroupLimits(NamedTuple):
    """Of each group the limits of its AUC, nan where a class is missing, and its counts."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    positives: NDArray[Any]
    negatives: NDArray[Any]


def group_limits(cells: GroupCells, is_sure: NDArray[np.bool_]) -> GroupLimits:
    """Return the limits of the AUC of each group, which are numbered and all have rows.

    As ``auc_bracket``: pairs across bins are known, those of a bin are all in order at best.
    """
    bins, is_positive = cells.keys >> 1, (cells.keys & 1) == 1
    starts = first_places(bins)
    p, n = (np.add.reduceat(cells.counts * of, starts) for of in (is_positive, ~is_positive))
    group, at = np.divmod(bins[starts], cells.width // 2)
    sure, firsts = is_sure[at], first_places(group)
    all_p, all_n = (np.add.reduceat(each, firsts) for each in (p, n))
    if (all_p.astype(np.float64) * all_n).max(initial=0.0) >= _DOUBLES:
        p, n, all_p, all_n = (each.astype(object) for each in (p, n, all_p, all_n))
    before = np.cumsum(n) - n
    below = before - before[firsts][group]
    twice_low = np.add.reduceat(2 * p * below + p * n * sure, firsts)
    twice_open = np.add.reduceat(2 * p * n * ~sure, firsts)
    defined, whole = (all_p > 0) & (all_n > 0), 2 * all_p * all_n

    def over(twice: NDArray[Any]) -> NDArray[np.float64]:
        values = np.full(len(defined), np.nan)
        values[defined] = twice[defined] / whole[defined]
        return values

    return GroupLimits(over(twice_low), over(twice_low + twice_open), all_p, all_n)


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
