"""``RowStore``: rows that wait, are sorted or counted, and go to a file where they are too many."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Final

import numpy as np

from fastmetrics._input.rows import BinaryRows
from fastmetrics._threads.workers import run, thread_count
from fastmetrics.errors import InputError
from fastmetrics.tables.runs._columns import (
    Batch,
    Part,
    SortedColumn,
    bytes_of,
    classes_of,
    integers_of,
    merged_counts,
    of_dtype,
    rows_of,
    sorted_column,
)
from fastmetrics.tables.runs._counted_keys import bits_of
from fastmetrics.tables.runs._key_counter import KeyCounter, counter_of
from fastmetrics.tables.runs._ranges import AllRows, ranges_of, table_of
from fastmetrics.tables.runs._spill_file import SpillFile
from fastmetrics.tables.scores.score_table import ScoreTable

#: Shares of the memory: rows that are not sorted yet; runs that stay where there is a folder for
#: them; all that stays; rows that are dealt and not counted yet, of which those of rare scores are
#: copied, where later tables of ranges are.
_WAITING, _KEPT, _MOST_KEPT, _DEALT = 8, 3, 2, 6
#: Of what stays, the share that counts may take; of the memory, that of the counts beyond 255.
_COUNTS, _PASSED = 0.9, 16
#: Memory that counting takes beside: small arrays, and what is free and not given back.
_BESIDE: Final = 32 << 20
#: Threads that sort rows that wait; each makes a run, and runs should be long.
_SORTED_AT_ONCE: Final = 4
#: Scores with counts are merged in so many times the memory that other rows are sorted in.
_OF_COUNTS: Final = 2
#: Bytes a score of a range takes, with room for others, while all become integers.
_OF_RANGE: Final = 256
#: A class of rows: few enough to be counted in int64.
_MOST: Final = 2**62


class RowStore:
    """All rows of a `ScoreRuns`, whose lock is held by whoever calls a method.

    What can fail (a full disk, no memory) is done with the rows that are here before more are
    taken, so that these are refused whole. An interrupt finds each batch taken or not, and no row
    twice: what changes together is assigned without a call in between.
    """

    def __init__(self, memory: int, folder: str | None) -> None:
        self.memory = memory
        self.folder = folder
        self.file: SpillFile | None = None
        self.kind: np.dtype[Any] | None = None
        self.came: frozenset[np.dtype[Any]] = frozenset()  # what scores came in: small integers too
        self._classes: tuple[list[SortedColumn], ...] = ([], [])
        self._waiting: list[Batch] = []
        self._waiting_bytes = 0
        self._totals = [0, 0]  # of rows that were not counted
        self._counter: KeyCounter | None = None
        self._is_over = False  # runs take more memory than they should, as the disk is full
        if folder is not None:
            SpillFile(folder)  # or raises now, not after an hour

    @property
    def totals(self) -> tuple[int, int]:
        counted = (0, 0) if self._counter is None else self._counter.rows
        return self._totals[0] + counted[0], self._totals[1] + counted[1]

    @property
    def counts_keys(self) -> bool:
        """Whether scores that 32 bits can tell are counted, not sorted."""
        return self._counter is not None

    def count(self, rows: BinaryRows, came: np.dtype[Any]) -> bool:
        """Take a batch, which is wholly verified, if its scores may be counted."""
        kind, all_came = self._kind_with(rows.scores.dtype, frozenset({came}))
        if kind.kind != "f":
            rows = dataclasses.replace(rows, scores=rows.scores.astype(kind, copy=False))
        counter = self._counter
        if counter is None or rows.weights is not None or self._becomes(kind):
            return False
        if (bits := bits_of(rows.scores)) is None:
            return False
        self._make_room(bits.nbytes)
        if self.folder is not None and counter.passed_bytes > self.memory // _PASSED:
            self._stop_counting(counter)
            return False
        if counter.dealt.room < len(bits):
            self._count_dealt(counter)

        def count_dealt() -> None:
            with suppress(InputError):  # rows of this batch are here: the next one is refused
                self._count_dealt(counter)

        self.kind, self.came = kind, all_came
        before = sum(counter.rows)
        try:
            counter.take(bits, rows.labels, 0, count_dealt)
        except BaseException:  # an interrupt: what is left of the batch waits
            left = slice(sum(counter.rows) - before, None)
            parts = classes_of(
                dataclasses.replace(rows, labels=rows.labels[left], scores=rows.scores[left])
            )
            totals = [total + len(part[0]) for total, part in zip(self._totals, parts, strict=True)]
            n_bytes, waiting = self._waiting_bytes + bytes_of(parts), [*self._waiting, parts]
            self._totals, self._waiting, self._waiting_bytes = totals, waiting, n_bytes
            raise
        return True

    def keep(self, parts: Batch, came: np.dtype[Any]) -> None:
        """Let rows wait to be sorted, or counted."""
        kind, all_came = self._kind_with(parts[0][0].dtype, frozenset({came}))
        parts = of_dtype(parts, kind)
        sizes = [rows_of(*part) for part in parts]
        self._check_totals(sizes)
        n_bytes = bytes_of(parts)
        if any(counts is not None for _, counts in parts):  # they are sorted by way of an order
            n_bytes *= _OF_COUNTS
        is_much = self._waiting_bytes + n_bytes > self.memory // _WAITING
        if is_much and self._waiting and not self._start_counting():
            self._sort_waiting()
        self._make_room(n_bytes)
        self._become(kind)
        totals = [total + size for total, size in zip(self._totals, sizes, strict=True)]
        self._totals, self.kind, self.came = totals, kind, all_came
        self._waiting_bytes += n_bytes
        self._waiting.append(parts)

    def add(
        self,
        rows: AllRows,
        totals: tuple[int, int],
        theirs_kind: np.dtype[Any],
        came: frozenset[np.dtype[Any]],
    ) -> None:
        self._check_totals(totals)
        kind, came = self._kind_with(theirs_kind, came)
        if kind.kind != "f" and kind != theirs_kind:
            rows = self._integers(rows, kind).all_rows()
        in_memory = [column for each in rows.columns for column in each]
        is_much = self._spill(in_memory)
        with self._whole_file():
            theirs = self._columns_of(rows)
            self._make_room(sum(c.nbytes for each in theirs for c in each))
            if is_much:
                self._move(in_memory)
            self._become(kind)
        classes = tuple([*a, *b] for a, b in zip(self._classes, theirs, strict=True))
        both = [a + b for a, b in zip(self._totals, totals, strict=True)]
        self._totals, self.kind, self._classes, self.came = both, kind, classes, came

    def _check_totals(self, more: Sequence[int]) -> None:
        if max(map(sum, zip(more, self.totals, strict=True))) >= _MOST:
            raise InputError("fewer than 2**62 rows of a class can be counted")

    def _kind_with(
        self, theirs: np.dtype[Any], came: frozenset[np.dtype[Any]]
    ) -> tuple[np.dtype[Any], frozenset[np.dtype[Any]]]:
        """Return the dtype of all scores if others come, and what all came in; or raise."""
        came |= self.came
        kind = integers_of(came)
        if kind is None:
            is_one = self.kind is None or self.kind == theirs
            return theirs if is_one else np.dtype(np.float64), came
        return kind, came

    def _becomes(self, kind: np.dtype[Any]) -> bool:
        """Return whether these are the first integers of 64 bits, which small ones here become."""
        return kind.kind != "f" and self.kind is not None and self.kind != kind

    def _become(self, kind: np.dtype[Any]) -> None:
        if self._becomes(kind):
            rows = self._integers(self.all_rows(), kind)
            self.kind, self._totals, self._classes = kind, rows._totals, rows._classes
            self.file, self._counter = rows.file, None

    def _integers(self, rows: AllRows, kind: np.dtype[Any]) -> RowStore:
        """Return a store of rows whose scores are whole floats, as integers."""
        found = RowStore(self.memory, self.folder)
        for where in ranges_of(rows, max(self.memory // _OF_RANGE, 1)):
            found.take(table_of(rows, where), kind)
            found._make_room(0)
        return found

    def take(self, table: ScoreTable, kind: np.dtype[Any]) -> None:
        """Take the rows of a table, in a dtype."""
        for k, counts in enumerate((table.positives, table.negatives)):
            if (has := counts > 0).any():
                scores = table.scores[has].astype(kind, copy=False)
                self._classes[k].append(SortedColumn.of_counts(scores, counts[has]))
                self._totals[k] += self._classes[k][-1].total
        self._spill()

    def all_rows(self) -> AllRows:
        """Return all rows, of which none waits any more; later ones leave them alone.

        Where the disk is full they stay in memory, and the next batch is refused.
        """
        if self._counter is not None:
            with suppress(InputError):
                self._count_dealt(self._counter)
        with suppress(InputError):
            self._sort_waiting()
        positives, negatives = (tuple(map(dataclasses.replace, each)) for each in self._classes)
        keys = None
        if self._counter is not None and self.kind is not None:
            keys = self._counter.view(self.kind)
        return AllRows((positives, negatives), keys)

    def _columns_of(self, rows: AllRows) -> tuple[list[SortedColumn], ...]:
        """Return all as columns; counts go to the file if there is a folder."""
        found = list(rows.columns[0]), list(rows.columns[1])
        for label, column in () if rows.keys is None else rows.keys.columns():
            self._move([column])
            found[1 - label].append(column)
        return found

    def _start_counting(self) -> bool:
        """Count the rows that wait, and those to come, where that takes less than sorting them."""
        if self._counter is not None or any(c is not None for b in self._waiting for _, c in b):
            return False
        found = [(bits_of(b[k][0]), 1 - k) for b in self._waiting for k in (0, 1)]
        rows = [(bits, label) for bits, label in found if bits is not None]
        if len(rows) < len(found) or (kind := self.kind) is None:
            return False
        left = (self.memory - _BESIDE) // (1 if self.folder is not None else 2)
        kept, dealt = (max(left // share, 0) for share in (_MOST_KEPT, _DEALT))
        counter = counter_of([bits for bits, _ in rows], kind, int(_COUNTS * kept), dealt)
        if counter is None:
            return False
        others: list[Batch] = []

        def count_dealt() -> None:
            counter.count()
            others.append(counter.others(kind))
            counter.dealt = counter.following()

        for bits, label in rows:
            counter.take(bits, np.empty(0, np.int8), label, count_dealt)
        totals = [total - part for total, part in zip(self._totals, counter.rows, strict=True)]
        n_bytes = sum(map(bytes_of, others))
        self._totals, self._waiting, self._waiting_bytes = totals, others, n_bytes
        self._counter = counter
        return True

    def _count_dealt(self, counter: KeyCounter) -> None:
        """Count the rows that were dealt; those of rare scores wait to be sorted."""
        if self.kind is None:
            return
        counter.count()
        others, following = counter.others(self.kind), counter.following()
        more = bytes_of(others)
        waiting = [*self._waiting, others] if more else self._waiting
        more += self._waiting_bytes
        self._waiting, self._waiting_bytes, counter.dealt = waiting, more, following
        del others, following, waiting  # they are large
        if self._waiting_bytes > self.memory // _WAITING:
            self._sort_waiting()

    def _stop_counting(self, counter: KeyCounter) -> None:
        """Move all counts to the file, as runs."""
        self._count_dealt(counter)
        if self.kind is not None:
            with self._whole_file():
                theirs = self._columns_of(AllRows(((), ()), counter.view(self.kind)))
            classes = tuple([*a, *b] for a, b in zip(self._classes, theirs, strict=True))
            totals = list(self.totals)
            self._classes, self._totals, self._counter = classes, totals, None

    def _sort_waiting(self) -> None:
        """Make runs of the rows that wait: as many as there are threads, if they are worth it."""
        if not self._waiting:
            return
        parts = min(thread_count(), _SORTED_AT_ONCE)
        groups = [self._waiting[k::parts] for k in range(parts)]
        # Where there are rows in the file, more go there at once: one thread sorts, another writes.
        file = self.file if self.file is not None and self.file.is_own else None
        jobs = [
            partial(_sorted_into, file, [b[of] for b in group]) for of in (0, 1) for group in groups
        ]
        found = run(jobs)
        classes = tuple(
            merged_counts([*mine, *(each for each in new if each is not None)])
            for mine, new in zip(self._classes, (found[:parts], found[parts:]), strict=True)
        )
        self._classes, self._waiting, self._waiting_bytes = classes, [], 0
        self._spill()

    def _make_room(self, more: int) -> None:
        """Raise where so many bytes more do not fit, and there is no folder, or no room in it."""
        if self._is_over:
            self._spill()
        most = self.memory // _MOST_KEPT
        if self.folder is not None or self._bytes() + more <= most:
            return
        if self._counter is not None:
            self._count_dealt(self._counter)
        self._sort_waiting()  # what recurs takes less
        if self._bytes() + more > most:
            raise InputError(
                f"rows take more than half of `memory`, {self.memory / 1e6:,.0f} MB: give "
                "`spill_dir`, a folder for the rest, or more memory; `BinnedScoreTable` takes "
                "any number of rows in a megabyte, and measures between limits"
            )

    def _bytes(self) -> int:
        """Return what all rows take, or may take once those that are dealt are counted."""
        of_counts = 0
        if self._counter is not None:
            of_counts = self._counter.nbytes + 4 * int(self._counter.dealt.state[3])
        of_runs = sum(column.nbytes for each in self._classes for column in each)
        return of_runs + self._waiting_bytes + of_counts

    def _spill(self, more: Sequence[SortedColumn] = ()) -> bool:
        """Move runs to the file where, with more, they are too much for memory; return whether."""
        own = [column for each in self._classes for column in each]
        counted = sum(c.nbytes for c in (*own, *more) if c.has_counts)
        needed = sum(c.nbytes for c in (*own, *more)) + (_OF_COUNTS - 1) * counted
        most = self.memory // _KEPT
        if self._counter is not None:
            most = min(most, self.memory // _MOST_KEPT - self._counter.kept_bytes)
        is_much = self._is_over = self.folder is not None and needed > most
        if is_much:
            self._move(own)
            self._is_over = False
        return is_much

    def _move(self, columns: Iterable[SortedColumn]) -> None:
        """Move columns to the file, if there is a folder."""
        if self.folder is not None:
            for column in columns:
                if self.file is None or not self.file.is_own:
                    self.file = SpillFile(self.folder)
                column.spill(self.file)

    @contextmanager
    def _whole_file(self) -> Iterator[None]:
        """Leave nothing in the file of what fails to become rows."""
        file, size = self.file, 0 if self.file is None else self.file.size
        try:
            yield
        except BaseException:
            if file is not None and self.file is file:
                file.cut(size)
            self.file = file  # one that was begun is gone with its columns
            raise


def _sorted_into(file: SpillFile | None, parts: list[Part]) -> SortedColumn | None:
    column = sorted_column(parts)
    if file is not None and column is not None and not column.has_counts:
        with suppress(InputError):  # a full disk is told once the column is kept, if it must go
            column.spill(file)
    return column
