"""``ScoreRuns``: labels and scores of any number, exactly, in the memory that is given."""

from __future__ import annotations

import dataclasses
import os
import threading
from collections.abc import Iterator
from functools import partial
from typing import Any, Final, NamedTuple, Never

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._display.shown import Shown
from fastmetrics._display.table import Display, Table
from fastmetrics._docs import documented
from fastmetrics._input.memory_size import check_memory_size
from fastmetrics._input.rows import check_binary, check_same_index
from fastmetrics._input.scalars import check_n_threads
from fastmetrics._threads.workers import run, thread_count
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.tables.runs._batches import (
    Batch,
    classes_of,
    common_dtype,
    merged_counts,
    rows_of,
    sorted_column,
)
from fastmetrics.tables.runs._columns import BLOCK, SortedColumn
from fastmetrics.tables.runs._ranges import Columns, RangeOfRuns, ranges_of, table_of
from fastmetrics.tables.runs._spill_file import SpillFile
from fastmetrics.tables.scores.score_table import ScoreTable

#: Memory at least: less would cut rows into runs of nothing.
LEAST_MEMORY: Final = 10**6
#: Shares of the memory: rows that are not sorted yet; runs that stay where there is a folder for
#: them, and where there is none; the tables of ranges.
_WAITING, _KEPT, _MOST_KEPT, _RANGES = 8, 3, 2, 4
#: Scores with counts are merged in so many times the memory that other rows are sorted in.
_OF_COUNTS: Final = 2
#: Bytes an entry of a range takes while its table is made.
_OF_ENTRY: Final = 56
#: Entries of a range where memory is plenty: fewer are read in pieces that are too small.
_IN_CACHE: Final = 1 << 20
#: Threads that sort rows that wait; each makes a run, and runs should be long.
_SORTED_AT_ONCE: Final = 4
#: A class of rows: few enough to be counted in int64.
_MOST: Final = 2**62


class ScoreRange(NamedTuple):
    """The table of a range of scores, and how many rows of either class score higher."""

    table: ScoreTable
    true_positives: int
    false_positives: int


class ScoreRuns(Shown):
    """Labels and scores of any number of rows, kept exactly, as sorted runs.

    It takes a stream of batches with `update`, in the memory that is given; what goes beyond lies
    in a file of `spill_dir`. `evaluate` takes it in place of labels and scores; `ranges` gives the
    tables of one range of scores after the other, for whatever follows from them.

    Parameters
    ----------
    memory : int or str, default="1GB"
        Bytes that rows may take, at work included: 1 MB or more. A text has a unit: "500MB",
        "1.5GiB".
    spill_dir : str or path-like, optional
        A folder with room for what does not fit: 4 to 8 bytes a row. None: there is none, and an
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

    The file has no name (on Linux it never has one): it is gone with the object or the process,
    however that ends. Several threads may update one object. What is refused leaves it as it was.

    Scores of float32 and of float64 together become float64; integers stay integers.

    Examples
    --------
    >>> import numpy as np
    >>> from fastmetrics import ScoreRuns, evaluate, roc_auc_score
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
        self._folder = None if spill_dir is None else os.fsdecode(spill_dir)
        self._file: SpillFile | None = None
        if self._folder is not None:
            SpillFile(self._folder)  # or raises now, not after an hour
        self._lock = threading.RLock()
        self._classes: tuple[list[SortedColumn], ...] = ([], [])
        self._waiting: list[Batch] = []
        self._waiting_bytes = 0
        self._totals = [0, 0]
        self._kind: np.dtype[Any] | None = None

    @documented()
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
        y_true : array-like of shape (n_samples,)
            Labels {0, 1}, {-1, 1} or booleans; anything else with `pos_label`.
        y_score : array-like of shape (n_samples,)
            Scores, higher for positives.
        sample_weight : array-like of shape (n_samples,), optional
            Whole numbers: how many rows each row stands for.
        allow_inf : bool, default False
            Whether infinite scores are ranked like any other.

        Raises
        ------
        TypeError, ValueError
            For input of the wrong kind, or with values that have no meaning; if it does not fit
            the memory. If the disk is full: the batch is taken, and all rows are in memory.

        Notes
        -----
        O(n log n); a batch is copied, in its own dtype.

        Examples
        --------
        >>> from fastmetrics import ScoreRuns
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
        parts = classes_of(rows)
        sizes = [rows_of(*part) for part in parts]
        n_bytes = sum(each.nbytes for part in parts for each in part if each is not None)
        if rows.weights is not None:  # they are sorted by way of an order
            n_bytes *= _OF_COUNTS
        with self._lock:
            kind = common_dtype(self._kind, rows.scores.dtype)
            if max(sizes[0] + self._totals[0], sizes[1] + self._totals[1]) >= _MOST:
                raise InputError("fewer than 2**62 rows of a class can be counted")
            self._make_room(n_bytes, n_threads)
            totals = [total + size for total, size in zip(self._totals, sizes, strict=True)]
            # No call among these but the last: an interrupt finds all of them done, or none.
            self._totals, self._kind = totals, kind
            self._waiting_bytes += n_bytes
            self._waiting.append(parts)
            if self._waiting_bytes > self._memory // _WAITING:
                self._sort_waiting(n_threads)

    def merge(self, *others: ScoreRuns) -> None:
        """Take the rows of other runs too, in place; they keep theirs.

        Parameters
        ----------
        *others : ScoreRuns
            What they have in files stays there.

        Raises
        ------
        TypeError, ValueError
            For what is no `ScoreRuns`, has scores of another kind, or does not fit.
        """
        for other in others:
            if not isinstance(other, ScoreRuns):
                raise InputTypeError(f"a ScoreRuns is needed: got {type(other).__qualname__}")
        for other in others:
            with other._lock:
                other._sort_waiting(None)
                kind, totals = other._kind, list(other._totals)
                taken = [[dataclasses.replace(c) for c in each] for each in other._classes]
            if kind is None:
                continue
            with self._lock:
                kind = common_dtype(self._kind, kind)
                self._make_room(sum(c.nbytes for each in taken for c in each), None)
                classes = tuple(
                    [*mine, *theirs] for mine, theirs in zip(self._classes, taken, strict=True)
                )
                totals = [a + b for a, b in zip(self._totals, totals, strict=True)]
                self._totals, self._kind, self._classes = totals, kind, classes
                self._spill()

    @property
    def n_positive(self) -> int:
        """Number of positive rows."""
        return self._totals[0]

    @property
    def n_negative(self) -> int:
        """Number of negative rows."""
        return self._totals[1]

    @property
    def spilled_bytes(self) -> int:
        """Bytes in the file of `spill_dir`."""
        return 0 if self._file is None else self._file.size

    def __repr__(self) -> str:
        return (
            f"ScoreRuns({self.n_positive:,} positive, {self.n_negative:,} negative, in "
            f"{self._memory / 1e6:,.0f} MB)"
        )

    def _shown(self) -> Display:
        values = {"positive": self.n_positive, "negative": self.n_negative}
        values |= {"memory": self._memory, "spilled_bytes": self.spilled_bytes}
        return Display([Table.record(values)], "ScoreRuns")

    def __array__(self, *_: object, **__: object) -> Never:
        """Tell who takes the runs for rows, as a function of labels and scores, what to do."""
        raise InputTypeError(
            "ScoreRuns are for `evaluate`, alone; functions take `to_score_table()`, which must "
            "fit memory"
        )

    def __eq__(self, other: object) -> bool:
        """Return whether the rows are the same; at work it holds the tables of both."""
        if not isinstance(other, ScoreRuns):
            return NotImplemented
        return self._totals == other._totals and self.to_score_table() == other.to_score_table()

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as a table; what arrives uses the same folder."""
        return _of_table, (self._memory, self._folder, self.to_score_table())

    def ranges(self) -> Iterator[ScoreRange]:
        """Give the tables of consecutive ranges of scores, the highest first; all rows are in one.

        Returns
        -------
        iterator of (table, true_positives, false_positives)
            The table of a range, and how many rows of either class score higher. A range fits
            the memory; rows that come after the first is asked for are not in them.

        Examples
        --------
        >>> from fastmetrics import ScoreRuns
        >>> runs = ScoreRuns()
        >>> runs.update([0, 1, 1], [0.1, 0.8, 0.4])
        >>> [(len(each.table), each.true_positives) for each in runs.ranges()]
        [(3, 0)]
        """
        columns, ranges = self._ranges(1)
        tp = fp = 0
        for where in ranges:
            table = table_of(columns, where)
            yield ScoreRange(table, tp, fp)
            tp, fp = tp + int(table.n_positive), fp + int(table.n_negative)

    def to_score_table(self) -> ScoreTable:
        """Return the table of all rows, which must fit memory: 20 to 24 bytes a distinct score.

        Returns
        -------
        ScoreTable
        """
        tables = [each.table for each in self.ranges()]
        if not tables:
            return ScoreTable.from_counts([], [], [])
        return ScoreTable._of_columns(
            np.concatenate([table.scores for table in tables]),
            np.concatenate([table.positives for table in tables]),
            np.concatenate([table.negatives for table in tables]),
        )

    def _ranges(self, n_threads: int | None) -> tuple[Columns, list[RangeOfRuns]]:
        """Return the columns and ranges of them, so small that each thread may have one."""
        with self._lock:
            self._sort_waiting(n_threads)
            columns = Columns(*(tuple(map(dataclasses.replace, each)) for each in self._classes))
        if not any(columns):
            return columns, []
        most = self._memory // (_RANGES * _OF_ENTRY * thread_count(n_threads))
        most = min(most, max(_IN_CACHE, 64 * BLOCK * sum(map(len, columns))))
        return columns, ranges_of(columns, max(most, 1))

    def _sort_waiting(self, n_threads: int | None) -> None:
        """Make runs of the rows that wait: as many as there are threads, if they are worth it."""
        if not self._waiting:
            return
        check_n_threads(n_threads)
        parts = min(thread_count(n_threads), _SORTED_AT_ONCE)
        groups = [self._waiting[k::parts] for k in range(parts)]
        jobs = [partial(sorted_column, [b[of] for b in group]) for of in (0, 1) for group in groups]
        found = run(jobs, n_threads)
        classes = tuple(
            merged_counts([*mine, *(each for each in new if each is not None)])
            for mine, new in zip(self._classes, (found[:parts], found[parts:]), strict=True)
        )
        self._classes, self._waiting, self._waiting_bytes = classes, [], 0
        self._spill()

    def _make_room(self, more: int, n_threads: int | None) -> None:
        """Raise where so many bytes more do not fit, and there is no folder."""
        most = self._memory // _MOST_KEPT
        if self._folder is not None or self._run_bytes() + self._waiting_bytes + more <= most:
            return
        self._sort_waiting(n_threads)  # what recurs takes less
        if self._run_bytes() + more > most:
            raise InputError(
                f"rows take more than half of `memory`, {self._memory / 1e6:,.0f} MB: give "
                "`spill_dir`, a folder for the rest, or more memory; `BinnedScoreTable` takes "
                "any number of rows in a megabyte, and measures between limits"
            )

    def _run_bytes(self) -> int:
        return sum(column.nbytes for each in self._classes for column in each)

    def _spill(self) -> None:
        """Move runs to the file where they take too much memory, and there is a folder."""
        counted = sum(c.nbytes for each in self._classes for c in each if c.has_counts)
        needed = self._run_bytes() + (_OF_COUNTS - 1) * counted
        if self._folder is None or needed <= self._memory // _KEPT:
            return
        if self._file is None or not self._file.is_own:
            self._file = SpillFile(self._folder)
        for each in self._classes:
            for column in each:
                column.spill(self._file)


def _of_table(memory: int, folder: str | None, table: ScoreTable) -> ScoreRuns:
    runs = ScoreRuns(memory, folder)
    for columns, counts in zip(runs._classes, (table.positives, table.negatives), strict=True):
        if (has := counts > 0).any():
            columns.append(SortedColumn.of_counts(table.scores[has], counts[has]))
    if len(table):
        runs._kind = table.scores.dtype
    runs._totals = [int(table.n_positive), int(table.n_negative)]
    return runs
