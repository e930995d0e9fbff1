"""``ScoreRuns``: labels and scores of any number, exactly, in the memory that is given."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, Never

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._display import Display, Shown, Table
from fastmetrics._docs import documented
from fastmetrics._input.containers import as_vector
from fastmetrics._input.rows import check_binary, check_same_index
from fastmetrics._input.scalars import check_memory_size
from fastmetrics._threads.workers import thread_count, with_threads
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.tables._mergeable import Merging
from fastmetrics.tables.runs._columns import BLOCK, classes_of
from fastmetrics.tables.runs._ranges import AllRows, Range, ranges_of, table_of
from fastmetrics.tables.runs._row_store import RowStore
from fastmetrics.tables.scores.score_table import ROWS, ScoreTable

#: Memory at least: less would cut rows into runs of nothing.
LEAST_MEMORY: Final = 10**6
#: The share of the memory that the tables of ranges take.
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

    Scores of float32 and of float64 together become float64, and so do integers of up to 32 bits,
    unless some of 64 bits are among them: those stay integers, and merge with no floats.

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
        self._store = RowStore(self._memory, folder)
        self._lock = threading.RLock()

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
        y_score = as_vector(y_score, "y_score")
        rows = check_binary(
            y_true,
            y_score,
            sample_weight=sample_weight,
            weights_are="frequencies",
            pos_label=pos_label,
            allow_inf=allow_inf,
        )
        # Of integers that became floats, what they were: others may come.
        came = y_score.dtype if y_score.dtype.kind in "biu" else rows.scores.dtype
        if self._store.counts_keys and rows.weights is None:
            rows = rows.recheck()
            with self._lock:
                if self._store.count(rows, came):
                    return
        parts = classes_of(rows)
        with self._lock:
            self._store.keep(parts, came)

    def _join(self, other: ScoreRuns) -> None:
        with other._lock:
            rows = other._store.all_rows()
            kind, totals, came = other._store.kind, other._store.totals, other._store.came
        if kind is not None:
            with self._lock:
                self._store.add(rows, totals, kind, came)

    @property
    def n_positive(self) -> int:
        """Number of positive rows."""
        return self._store.totals[0]

    @property
    def n_negative(self) -> int:
        """Number of negative rows."""
        return self._store.totals[1]

    @property
    def spilled_bytes(self) -> int:
        """Bytes in the file of `spill_dir`."""
        return 0 if self._store.file is None else self._store.file.size

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
        mine, theirs = self._store.totals, other._store.totals
        return mine == theirs and self.to_score_table() == other.to_score_table()

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as a table; what arrives uses the same folder."""
        return _of_table, (
            self._memory,
            self._store.folder,
            self.to_score_table(),
            self._store.came,
        )

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
            table = table_of(rows, where)
            yield ScoreRange(table, tp, fp)
            tp, fp = tp + int(table.n_positive), fp + int(table.n_negative)

    def to_score_table(self) -> ScoreTable:
        """Return the table of all rows, which must fit memory: 20 to 24 bytes a distinct score."""
        tables = [each.table for each in self.ranges() if len(each.table)]  # of one dtype
        if not tables:
            return ScoreTable.from_counts([], [], [])
        columns = zip(*(table._columns() for table in tables), strict=True)
        scores, positives, negatives = map(np.concatenate, columns)
        return ScoreTable._of_columns(scores, positives, negatives)

    def _ranges(self) -> tuple[AllRows, list[Range], int]:
        """Return all rows, ranges of them, and how many of these may be at work at a time."""
        with self._lock:
            rows = self._store.all_rows()
        if not rows.size:
            return rows, [], 1
        room = self._memory // (_RANGES * _OF_ENTRY)
        at_once = min(max(room // _LEAST_ENTRIES, 1), _AT_ONCE)
        most = min(room // at_once, max(_IN_CACHE, 64 * BLOCK * sum(map(len, rows.columns))))
        most = max(most, 1)
        return rows, ranges_of(rows, most), max(1, min(room // most, thread_count()))


def _of_table(
    memory: int, folder: str | None, table: ScoreTable, came: frozenset[np.dtype[Any]]
) -> ScoreRuns:
    runs = ScoreRuns(memory, folder)
    if len(table):
        runs._store.take(table, table.scores.dtype)
        runs._store.kind, runs._store.came = table.scores.dtype, came
    return runs
