"""Labels and scores of any number of rows, kept exactly as sorted runs in the memory given."""

from __future__ import annotations

import dataclasses
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import starmap
from typing import Any, Final, NamedTuple, Never

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Shown, Table
from fastmetrics._docs import documented
from fastmetrics._input.rows import BinaryRows, check_binary, check_same_index
from fastmetrics._input.scalars import check_memory_size
from fastmetrics._threads.workers import run, thread_count, with_threads
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.tables._mergeable import Merging
from fastmetrics.tables.key_counter import CountedKeys, KeyCounter, make_counter, to_bits
from fastmetrics.tables.pairs import merge_classes
from fastmetrics.tables.score_table import ROWS, ScoreTable
from fastmetrics.tables.sorted_columns import (
    BLOCK,
    Batch,
    Part,
    Side,
    SortedColumn,
    SpillFile,
    count_bytes,
    count_rows,
    merge_counts,
    merge_equal,
    row_counts,
    sort_column,
    split_batch,
)

#: A position between two scores: before ("left") or after all entries of one.
Cut = tuple[Any, Side]


@dataclass(frozen=True, slots=True)
class AllRows:
    """The columns of both classes, positives first, of every run; and the counted keys."""

    columns: tuple[Sequence[SortedColumn], Sequence[SortedColumn]]
    keys: CountedKeys | None

    @property
    def size(self) -> int:
        """Entries of columns, and positions of keys."""
        return sum(column.size for each in self.columns for column in each) + self.n_positions

    @property
    def n_positions(self) -> int:
        """Number of scores that may be counted."""
        return 0 if self.keys is None else self.keys.size

    def count_rows(self, where: RunRange) -> tuple[int, int]:
        """Return the number of rows of either class in a range."""
        positives, negatives = (
            sum(column.rows(*span) for column, span in zip(each, spans, strict=True))
            for each, spans in zip(self.columns, where.spans, strict=True)
        )
        if self.keys is None:
            return positives, negatives
        counted = self.keys.rows(*where.positions)
        return positives + counted[0], negatives + counted[1]


class RunRange(NamedTuple):
    """Start and end of a range of scores in each column, positives first, and in positions."""

    spans: tuple[list[tuple[int, int]], list[tuple[int, int]]]
    positions: tuple[int, int]
    #: The score, where there is but one.
    only: Any = None


def split_ranges(rows: AllRows, most: int) -> list[RunRange]:
    """Return consecutive ranges, the highest first, of about ``most`` entries at most each.

    A score with more entries than that is a range of its own.
    """
    cuts = _cuts(rows, most)
    positions = [
        [[0, *(column.position(*cut) for cut in cuts), column.size] for column in each]
        for each in rows.columns
    ]
    keys = rows.keys
    in_keys = [0, *(0 if keys is None else keys.position(*cut) for cut in cuts), rows.n_positions]
    ranges = []
    for k in range(len(cuts), -1, -1):
        spans = tuple([(ends[k], ends[k + 1]) for ends in each] for each in positions)
        is_one = 0 < k < len(cuts) and cuts[k - 1][0] == cuts[k][0]
        only = cuts[k][0] if is_one else None
        between = (in_keys[k], in_keys[k + 1])
        ranges.append(RunRange(spans, between, only))  # type: ignore[arg-type]
    return ranges


def _cuts(rows: AllRows, most: int) -> list[Cut]:
    """Return the cuts, ascending, each precise to a block of entries of each column."""
    if rows.size <= most:
        return []
    marks = [column.index for each in rows.columns for column in each]
    if rows.keys is not None:
        marks.append(rows.keys.marks())
    block = max((column.block for each in rows.columns for column in each), default=BLOCK)
    step = max(most // block, 1)
    values, times = np.unique(np.sort(np.concatenate(marks))[step - 1 :: step], return_counts=True)
    cuts: list[Cut] = []
    for value, count in zip(values, times.tolist(), strict=True):
        cuts.append((value, "left"))
        if count > 1:
            cuts.append((value, "right"))
    return cuts


def range_table(rows: AllRows, where: RunRange) -> ScoreTable:
    """Return the table of a range."""
    if where.only is not None:
        positives, negatives = (np.array([count]) for count in rows.count_rows(where))
        return ScoreTable._from_columns(np.array([where.only]), positives, negatives)
    sorted_rows = _table_of_columns(rows.columns, where)
    if rows.keys is None:
        return sorted_rows
    return rows.keys.table(*where.positions) + sorted_rows


def _table_of_columns(
    columns: tuple[Sequence[SortedColumn], Sequence[SortedColumn]], where: RunRange
) -> ScoreTable:
    classes = [
        [column.read(*span) for column, span in zip(each, spans, strict=True) if span[0] < span[1]]
        for each, spans in zip(columns, where.spans, strict=True)
    ]
    if not any(classes):
        return ScoreTable.from_counts([], [], [])
    kind = np.result_type(*(column.dtype for each in columns for column in each))
    if any(counts is not None for each in classes for _, counts in each):
        return _counted_table(classes, kind)
    positive, negative = (
        np.concatenate([np.empty(0, kind), *(s for s, _ in each)]) for each in classes
    )
    del classes
    positive.sort(kind="stable")  # which merges sorted runs
    negative.sort(kind="stable")
    return ScoreTable._from_columns(*merge_classes(positive, negative))


def _counted_table(
    classes: list[list[tuple[NDArray[Any], NDArray[np.int64] | None]]], kind: np.dtype[Any]
) -> ScoreTable:
    sides = []
    for each in classes:
        scores = [np.empty(0, kind), *(s for s, _ in each)]
        counts = [np.empty(0, np.int64), *starmap(row_counts, each)]
        columns = merge_equal(np.concatenate(scores), np.concatenate(counts))
        sides.append([column[::-1].copy() for column in columns])
    (those_of_p, p), (those_of_n, n) = sides
    positives = ScoreTable._from_columns(those_of_p, p, np.zeros_like(p))
    return positives + ScoreTable._from_columns(those_of_n, np.zeros_like(n), n)


#: Fractions 1/k of the memory: rows not sorted yet; runs kept in memory although there is a folder;
#: all that is kept; pending rows not counted yet, of which those of rare scores are copied, where
#: later tables of ranges are.
_WAITING = 8
_KEPT = 3
_MOST_KEPT = 2
_DEALT = 6
#: Fraction of the kept memory for counts; divisor of the memory for counts beyond 255.
_COUNTS = 0.9
_PASSED = 16
#: Memory that counting takes beside: small arrays, and what is free and not given back.
_BESIDE: Final = 32 << 20
#: Threads that sort rows that wait; each makes a run, and runs should be long.
_SORTED_AT_ONCE: Final = 4
#: Scores with counts are merged in so many times the memory that other rows are sorted in.
_OF_COUNTS: Final = 2
#: A class of rows: few enough to be counted in int64.
_MOST: Final = 2**62


def _sort_into(file: SpillFile | None, batches: list[Part]) -> SortedColumn | None:
    column = sort_column(batches)
    if file is not None and column is not None and not column.has_counts:
        with suppress(InputError):  # a full disk is told once the column is kept, if it must go
            column.spill(file)
    return column


#: Memory at least: less would cut rows into runs of nothing.
LEAST_MEMORY: Final = 10**6
#: Divisor of the memory for the tables of ranges.
_RANGES: Final = 4
#: How many of them there may be at a time, whatever the number of threads, so that sums over ranges
#: have the same bits; and the entries of each, of which fewer are taken where memory is short.
_AT_ONCE: Final = 16
_LEAST_ENTRIES: Final = 1 << 15
#: Bytes an entry of a range takes while its table is made.
_OF_ENTRY: Final = 56
#: Entries of a range where memory is plenty: fewer are read in pieces that are too small.
_IN_CACHE: Final = 1 << 20


class ScoreRange(NamedTuple):
    """The table of a range of scores, and how many rows of either class score higher."""

    table: ScoreTable
    true_positives: int
    false_positives: int


class ScoreRuns(Merging, Shown):
    """Labels and scores of any number of rows, kept exactly, as sorted runs and counts.

    It takes a stream of batches with `update`, in the memory that is given; what goes beyond lies
    in a file of `spill_dir`. `evaluate` takes it in place of labels and scores; `ranges` gives the
    tables of one range of scores after the other, for whatever follows from them.

    Parameters
    ----------
    memory : int or str, default="1GB"
        Bytes that rows may take, at work included: 1 MB or more. A text has a unit: "500MB",
        "1.5GiB".
    spill_dir : str or path-like, optional
        A folder with room for what does not fit: up to 8 bytes a row. None: there is none, and an
        update that does not fit is refused.

    Raises
    ------
    TypeError, ValueError
        If `memory` is no such size, or the folder cannot be written to.

    Notes
    -----
    A batch waits until there are enough rows for a run: the scores of each class, sorted; scores
    that recur are counted. O(n log n) time in all. Where runs that count get many they are merged.
    Beyond a third of the memory runs go to the file. Later each range of scores is gathered of all
    runs, and sorted once more.

    Scores that 32 bits can tell (float32, and whatever would be the same as float32, or as int32)
    are counted instead where they are many, from about 100 MB of memory on: two bytes for each
    number that 32 bits can tell there, in O(n) time, for any number of rows. Rare ones become runs.

    The file has no name (on Linux it never has one): it is gone with the object or the process,
    however that ends. Several threads may update one object. What is refused leaves it as it was.

    Scores of float32 and of float64 together become float64, as do integers below 64 bits; those of
    64 bits stay integers, and merge with no others.

    Examples
    --------
    >>> import numpy as np
    >>> from fastmetrics import evaluate, roc_auc_score
    >>> from fastmetrics.streams import ScoreRuns
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.integers(0, 2, 200_000)
    >>> y_score = rng.normal(size=200_000) + y_true
    >>> runs = ScoreRuns(memory="100MB")
    >>> for start in range(0, 200_000, 50_000):
    ...     runs.update(y_true[start : start + 50_000], y_score[start : start + 50_000])
    >>> evaluate(runs)[0].roc_auc == roc_auc_score(y_true, y_score)
    True
    """

    def __init__(
        self, memory: int | str = "1GB", spill_dir: str | os.PathLike[str] | None = None
    ) -> None:
        self._memory = check_memory_size("memory", memory, low=LEAST_MEMORY)
        if not isinstance(spill_dir, str | os.PathLike | None):
            raise InputTypeError(f"`spill_dir` must be a path: got {type(spill_dir).__qualname__}")
        folder = None if spill_dir is None else os.fsdecode(spill_dir)
        if folder == "":
            raise InputError("`spill_dir` is an empty text: name a folder")
        self._lock = threading.RLock()
        self._folder = folder
        self._file: SpillFile | None = None
        self._kind: np.dtype[Any] | None = None
        self._classes: tuple[list[SortedColumn], ...] = ([], [])
        self._waiting: list[Batch] = []
        self._waiting_bytes = 0
        self._totals = [0, 0]  # of rows that were not counted
        self._counter: KeyCounter | None = None
        self._is_over = False  # runs take more memory than they should, as the disk is full
        if folder is not None:
            SpillFile(folder)  # or raises now, not after an hour

    @documented(ROWS)
    @with_threads
    def update(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        pos_label: Any = None,
        allow_inf: bool = False,
        n_threads: int | None = None,
    ) -> None:
        """Take one more batch, or leave all as it was.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), optional
            Whole numbers: how many rows each row stands for.

        Raises
        ------
        ValueError
            If it does not fit the memory, or the disk is full: it may be passed again once there
            is room.

        Notes
        -----
        O(n log n); a batch is copied, in its own dtype.

        Examples
        --------
        >>> from fastmetrics.streams import ScoreRuns
        >>> runs = ScoreRuns()
        >>> runs.update([0, 1, 1], [0.1, 0.8, 0.4])
        >>> runs.n_positive, runs.n_negative
        (2, 1)
        """
        check_same_index(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
        rows = check_binary(
            y_true,
            y_score,
            sample_weight=sample_weight,
            weights_are="frequencies",
            pos_label=pos_label,
            allow_inf=allow_inf,
        )
        with self._lock:
            if self._count(rows):
                return
        batch = split_batch(rows)
        with self._lock:
            self._keep(batch)

    def _join(self, other: ScoreRuns) -> None:
        with other._lock:
            rows = other._all_rows()
            kind = other._kind
            totals = other._class_totals
        if kind is not None:
            with self._lock:
                self._add(rows, totals, kind)

    @property
    def n_positive(self) -> int:
        """Number of positive rows."""
        return self._class_totals[0]

    @property
    def n_negative(self) -> int:
        """Number of negative rows."""
        return self._class_totals[1]

    @property
    def spilled_bytes(self) -> int:
        """Bytes in the file of `spill_dir`."""
        return 0 if self._file is None else self._file.size

    def __repr__(self) -> str:
        return (
            f"ScoreRuns({self.n_positive:,} positive, {self.n_negative:,} negative, in "
            f"{self._memory / 1e6:,.0f} MB)"
        )

    def _display(self) -> Display:
        values = {"positive": self.n_positive, "negative": self.n_negative}
        values |= {"memory": self._memory, "spilled_bytes": self.spilled_bytes}
        return Display([Table.record(values)], "ScoreRuns")

    def __array__(self, *_: object, **__: object) -> Never:
        """Refuse to be taken for rows by a function of labels and scores."""
        raise InputTypeError(
            "ScoreRuns are for `evaluate`, alone; functions take `to_score_table()`, which must "
            "fit memory"
        )

    def __eq__(self, other: object) -> bool:
        """Return whether the rows are the same; it holds the tables of both in memory."""
        if not isinstance(other, ScoreRuns):
            return NotImplemented
        are_as_many = self._class_totals == other._class_totals
        return are_as_many and self.to_score_table() == other.to_score_table()

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as a table; the copy uses the same folder."""
        return _from_table, (self._memory, self._folder, self.to_score_table())

    def ranges(self) -> Iterator[ScoreRange]:
        """Give the tables of consecutive ranges of scores, the highest first; all rows are in one.

        Returns
        -------
        iterator of (table, true_positives, false_positives)
            The table of a range, and how many rows of either class score higher. A range fits
            the memory; rows that come after the first is asked for are not in them.

        Examples
        --------
        >>> from fastmetrics.streams import ScoreRuns
        >>> runs = ScoreRuns()
        >>> runs.update([0, 1, 1], [0.1, 0.8, 0.4])
        >>> [(len(each.table), each.true_positives) for each in runs.ranges()]
        [(3, 0)]
        """
        rows, ranges, _ = self._ranges()
        tp = fp = 0
        for where in ranges:
            table = range_table(rows, where)
            yield ScoreRange(table, tp, fp)
            tp, fp = tp + int(table.n_positive), fp + int(table.n_negative)

    def to_score_table(self) -> ScoreTable:
        """Return the table of all rows, which must fit memory: 20 to 24 bytes a distinct score."""
        tables = [each.table for each in self.ranges() if len(each.table)]  # of one dtype
        if not tables:
            return ScoreTable.from_counts([], [], [])
        columns = zip(*(table._columns() for table in tables), strict=True)
        scores, positives, negatives = map(np.concatenate, columns)
        return ScoreTable._from_columns(scores, positives, negatives)

    def _ranges(self) -> tuple[AllRows, list[RunRange], int]:
        """Return all rows, their ranges, and how many of these may be processed at a time."""
        with self._lock:
            rows = self._all_rows()
        if not rows.size:
            return rows, [], 1
        n_entries = self._memory // (_RANGES * _OF_ENTRY)
        at_once = min(max(n_entries // _LEAST_ENTRIES, 1), _AT_ONCE)
        most = min(n_entries // at_once, max(_IN_CACHE, 64 * BLOCK * sum(map(len, rows.columns))))
        most = max(most, 1)
        return rows, split_ranges(rows, most), max(1, min(n_entries // most, thread_count()))

    # What follows is called with the lock held. What can fail (a full disk, no memory) is done with
    # the rows that are here before more are taken, so that these are refused whole. An interrupt
    # finds each batch taken or not, and no row twice: what changes together is assigned without a
    # call in between.

    @property
    def _class_totals(self) -> tuple[int, int]:
        """Positive and negative rows."""
        counted = (0, 0) if self._counter is None else self._counter.rows
        return self._totals[0] + counted[0], self._totals[1] + counted[1]

    def _count(self, rows: BinaryRows) -> bool:
        """Count a batch if its scores allow it; return whether they do."""
        counter = self._counter
        if counter is None or rows.weights is not None:
            return False
        kind = self._kind_with(rows.scores.dtype)  # which verifies all rows
        if (bits := to_bits(rows.scores)) is None:
            return False
        self._free_memory(bits.nbytes)
        if self._folder is not None and counter.passed_bytes > self._memory // _PASSED:
            self._stop_counting(counter)
            return False
        if counter.pending.capacity < len(bits):
            self._count_pending(counter)

        def count_pending() -> None:
            with suppress(InputError):  # rows of this batch are here: the next one is refused
                self._count_pending(counter)

        self._kind = kind
        before = sum(counter.rows)
        try:
            counter.take(bits, rows.labels, 0, count_pending)
        except BaseException:  # an interrupt: what is left of the batch waits
            left = slice(sum(counter.rows) - before, None)
            batch = split_batch(rows.replace(labels=rows.labels[left], scores=rows.scores[left]))
            totals = [
                total + len(column[0]) for total, column in zip(self._totals, batch, strict=True)
            ]
            n_bytes = self._waiting_bytes + count_bytes(batch)
            waiting = [*self._waiting, batch]
            self._totals, self._waiting, self._waiting_bytes = totals, waiting, n_bytes
            raise
        return True

    def _keep(self, batch: Batch) -> None:
        """Add a batch to the waiting rows."""
        kind = self._kind_with(batch[0][0].dtype)
        sizes = [count_rows(*column) for column in batch]
        self._check_totals(sizes)
        n_bytes = count_bytes(batch)
        if any(counts is not None for _, counts in batch):  # they are sorted by way of an order
            n_bytes *= _OF_COUNTS
        is_much = self._waiting_bytes + n_bytes > self._memory // _WAITING
        if is_much and self._waiting and not self._start_counting():
            self._sort_waiting()
        self._free_memory(n_bytes)
        self._totals = [total + size for total, size in zip(self._totals, sizes, strict=True)]
        self._kind = kind
        self._waiting_bytes += n_bytes
        self._waiting.append(batch)

    def _add(self, rows: AllRows, totals: tuple[int, int], theirs: np.dtype[Any]) -> None:
        """Take the rows of another store, with scores of dtype ``theirs``."""
        self._check_totals(totals)
        kind = self._kind_with(theirs)
        in_memory = [column for each in rows.columns for column in each]
        is_much = self._spill(in_memory)
        with self._whole_file():
            columns = self._as_columns(rows)
            self._free_memory(sum(c.nbytes for each in columns for c in each))
            if is_much:
                self._move(in_memory)
        classes = tuple([*a, *b] for a, b in zip(self._classes, columns, strict=True))
        both = [a + b for a, b in zip(self._totals, totals, strict=True)]
        self._totals, self._kind, self._classes = both, kind, classes

    def _check_totals(self, more: Sequence[int]) -> None:
        if max(map(sum, zip(more, self._class_totals, strict=True))) >= _MOST:
            raise InputError("fewer than 2**62 rows of a class can be counted")

    def _kind_with(self, theirs: np.dtype[Any]) -> np.dtype[Any]:
        """Return the dtype of all scores with others added; raise where none holds both."""
        if self._kind is None or self._kind == theirs:
            return theirs
        if self._kind.kind == theirs.kind == "f":
            return np.dtype(np.float64)
        raise InputTypeError(
            f"scores of {self._kind} and of {theirs} cannot be merged exactly: take one dtype for "
            "all"
        )

    def _take(self, table: ScoreTable) -> None:
        """Take the rows of a table."""
        self._kind = table.scores.dtype
        for k, counts in enumerate((table.positives, table.negatives)):
            if (has := counts > 0).any():
                self._classes[k].append(SortedColumn.from_counts(table.scores[has], counts[has]))
                self._totals[k] += self._classes[k][-1].total
        self._spill()

    def _all_rows(self) -> AllRows:
        """Return all rows, sorted or counted; later batches do not change them.

        Where the disk is full they stay in memory, and the next batch is refused.
        """
        if self._counter is not None:
            with suppress(InputError):
                self._count_pending(self._counter)
        with suppress(InputError):
            self._sort_waiting()
        positives, negatives = (tuple(map(dataclasses.replace, each)) for each in self._classes)
        keys = None
        if self._counter is not None and self._kind is not None:
            keys = self._counter.view(self._kind)
        return AllRows((positives, negatives), keys)

    def _as_columns(self, rows: AllRows) -> tuple[list[SortedColumn], ...]:
        """Return all rows as columns; counts go to the file if there is a folder."""
        columns = list(rows.columns[0]), list(rows.columns[1])
        for label, column in () if rows.keys is None else rows.keys.columns():
            self._move([column])
            columns[1 - label].append(column)
        return columns

    def _start_counting(self) -> bool:
        """Start to count waiting and later rows if that takes less memory than sorting them."""
        if self._counter is not None or any(c is not None for b in self._waiting for _, c in b):
            return False
        pending = [(to_bits(b[k][0]), 1 - k) for b in self._waiting for k in (0, 1)]
        rows = [(bits, label) for bits, label in pending if bits is not None]
        if len(rows) < len(pending) or (kind := self._kind) is None:
            return False
        left = (self._memory - _BESIDE) // (1 if self._folder is not None else 2)
        kept, for_pending = (max(left // divisor, 0) for divisor in (_MOST_KEPT, _DEALT))
        counter = make_counter([bits for bits, _ in rows], kind, int(_COUNTS * kept), for_pending)
        if counter is None:
            return False
        others: list[Batch] = []

        def count_pending() -> None:
            counter.count()
            others.append(counter.others(kind))
            counter.pending = counter.following()

        for bits, label in rows:
            counter.take(bits, np.empty(0, np.int8), label, count_pending)
        totals = [
            total - n_counted for total, n_counted in zip(self._totals, counter.rows, strict=True)
        ]
        n_bytes = sum(map(count_bytes, others))
        self._totals, self._waiting, self._waiting_bytes = totals, others, n_bytes
        self._counter = counter
        return True

    def _count_pending(self, counter: KeyCounter) -> None:
        """Count the pending rows; those of rare scores wait to be sorted."""
        if self._kind is None:
            return
        counter.count()
        others = counter.others(self._kind)
        following = counter.following()
        more = count_bytes(others)
        waiting = [*self._waiting, others] if more else self._waiting
        more += self._waiting_bytes
        self._waiting, self._waiting_bytes, counter.pending = waiting, more, following
        del others, following, waiting  # they are large
        if self._waiting_bytes > self._memory // _WAITING:
            self._sort_waiting()

    def _stop_counting(self, counter: KeyCounter) -> None:
        """Move all counts to the file, as runs."""
        self._count_pending(counter)
        if self._kind is not None:
            with self._whole_file():
                theirs = self._as_columns(AllRows(((), ()), counter.view(self._kind)))
            classes = tuple([*a, *b] for a, b in zip(self._classes, theirs, strict=True))
            totals = list(self._class_totals)
            self._classes, self._totals, self._counter = classes, totals, None

    def _sort_waiting(self) -> None:
        """Sort the waiting rows into runs, as many as there are threads if they are long enough."""
        if not self._waiting:
            return
        n_runs = min(thread_count(), _SORTED_AT_ONCE)
        groups = [self._waiting[k::n_runs] for k in range(n_runs)]
        # Where there are rows in the file, more go there at once: one thread sorts, another writes.
        file = self._file if self._file is not None and self._file.is_own else None
        jobs = [
            partial(_sort_into, file, [b[of] for b in group]) for of in (0, 1) for group in groups
        ]
        sorted_runs = run(jobs)
        classes = tuple(
            merge_counts([*mine, *(each for each in new if each is not None)])
            for mine, new in zip(
                self._classes, (sorted_runs[:n_runs], sorted_runs[n_runs:]), strict=True
            )
        )
        self._classes, self._waiting, self._waiting_bytes = classes, [], 0
        self._spill()

    def _free_memory(self, more: int) -> None:
        """Make room for ``more`` bytes; raise if there is no folder, or no room in it."""
        if self._is_over:
            self._spill()
        most = self._memory // _MOST_KEPT
        if self._folder is not None or self._bytes() + more <= most:
            return
        if self._counter is not None:
            self._count_pending(self._counter)
        self._sort_waiting()  # what recurs takes less
        if self._bytes() + more > most:
            raise InputError(
                f"rows take more than half of `memory`, {self._memory / 1e6:,.0f} MB: give "
                "`spill_dir`, a folder for the rest, or more memory; `BinnedScoreTable` takes "
                "any number of rows in a megabyte, and measures between limits"
            )

    def _bytes(self) -> int:
        """Return the bytes of all rows, an upper bound for pending ones."""
        counter_bytes = 0
        if self._counter is not None:
            counter_bytes = self._counter.nbytes + 4 * int(self._counter.pending.state[3])
        run_bytes = sum(column.nbytes for each in self._classes for column in each)
        return run_bytes + self._waiting_bytes + counter_bytes

    def _spill(self, more: Sequence[SortedColumn] = ()) -> bool:
        """Move runs to the file if ``more`` would not fit in memory; return whether they moved."""
        columns = [column for each in self._classes for column in each]
        counted = sum(c.nbytes for c in (*columns, *more) if c.has_counts)
        needed = sum(c.nbytes for c in (*columns, *more)) + (_OF_COUNTS - 1) * counted
        most = self._memory // _KEPT
        if self._counter is not None:
            most = min(most, self._memory // _MOST_KEPT - self._counter.kept_bytes)
        is_much = self._is_over = self._folder is not None and needed > most
        if is_much:
            self._move(columns)
            self._is_over = False
        return is_much

    def _move(self, columns: Iterable[SortedColumn]) -> None:
        """Move columns to the file, if there is a folder."""
        if self._folder is not None:
            for column in columns:
                if self._file is None or not self._file.is_own:
                    self._file = SpillFile(self._folder)
                column.spill(self._file)

    @contextmanager
    def _whole_file(self) -> Iterator[None]:
        """Restore the file if its rows are not taken over."""
        file = self._file
        size = 0 if self._file is None else self._file.size
        try:
            yield
        except BaseException:
            if file is not None and self._file is file:
                file.cut(size)
            self._file = file  # one that was begun is gone with its columns
            raise


def _from_table(memory: int, folder: str | None, table: ScoreTable) -> ScoreRuns:
    runs = ScoreRuns(memory, folder)
    if len(table):
        runs._take(table)
    return runs
