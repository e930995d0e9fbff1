"""Scores of one class in ascending order, in memory or in a file."""

from __future__ import annotations

import errno
import os
import tempfile
import threading
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.rows import BinaryRows
from fastmetrics._input.scores import check_finite
from fastmetrics.errors import InputError
from fastmetrics.tables.ordering import sort_in_buckets
from fastmetrics.tables.pairs import split_by_class
from fastmetrics.tables.score_table import first_indices

#: A disk without room, a quota, a limit of the size of files.
_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class SpillFile:
    """Arrays one after the other in one file; threads may read at once.

    Linux makes it without a name, other systems take the name away or remove it when it is closed:
    no error, interrupt or kill leaves it behind. A fork of the process may read it while others
    do, but not write to it (`is_own`).
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._process = os.getpid()
        self.size = 0
        try:
            self._file = tempfile.TemporaryFile(  # noqa: SIM115 - closed with the object
                dir=folder, buffering=0, prefix="fastmetrics-"
            )
        except OSError as error:
            raise InputError(f"`spill_dir` {folder!r} cannot be used: {error.strerror}") from error

    @property
    def is_own(self) -> bool:
        """True if this process made the file; a fork does not know later arrays."""
        return self._process == os.getpid()

    def append(self, array: NDArray[Any]) -> int:
        """Append an array and return its offset; a full disk changes nothing."""
        data = np.ascontiguousarray(array).view(np.uint8).data
        with self._lock:
            start = at = self.size
            try:
                self._file.seek(start)
                while at < start + len(data):
                    at += self._file.write(data[at - start :])
            except OSError as error:
                if error.errno not in _FULL:
                    raise
                self.cut(start)
                raise InputError(
                    f"no room in `spill_dir` {self._folder!r} after {start / 1e9:.3g} GB "
                    f"({os.strerror(error.errno or 0)}): name a folder with more room"
                ) from error
            self.size = at
        return start

    def cut(self, size: int) -> None:
        """Truncate the file to ``size`` bytes."""
        self._file.truncate(size)
        self.size = size

    def read(self, start: int, out: NDArray[Any]) -> None:
        """Fill an array from the bytes at an offset."""
        data = out.view(np.uint8).data
        at = 0
        while at < len(data):
            if not (got := self._read_at(start + at, data[at:])):
                raise OSError(errno.EIO, "a spill file is shorter than it was", self._folder)
            at += got

    def _read_at(self, start: int, data: memoryview) -> int:
        """Read from an offset, without moving the file position that forks share."""
        if hasattr(os, "preadv"):
            return os.preadv(self._file.fileno(), [data], start)
        with self._lock:  # of Windows and old macOS
            self._file.seek(start)
            return self._file.readinto(data)

    def __del__(self) -> None:
        """Close the file once no column uses it."""
        if file := getattr(self, "_file", None):
            file.close()


#: Of a column in a file, every so many scores one stays in memory.
BLOCK: Final = 1024
#: Equal scores are counted where that leaves a third of the entries, or fewer: a count has 8 bytes.
RECURS: Final = 3

Side = Literal["left", "right"]
#: Scores of one class, and how many rows each stands for; None: one.
Part = tuple[NDArray[Any], NDArray[np.int64] | None]
#: Of positives, and of negatives.
Batch = tuple[Part, Part]


@dataclass(slots=True, eq=False)
class SortedColumn:
    """Ascending scores, and how many rows have each; one each where there are no counts.

    ``size`` counts entries, ``total`` rows; ``index`` has the first score of each ``block`` of
    entries. ``scores`` and ``counts`` (int64) are None once they are in a file.
    """

    size: int
    total: int
    dtype: np.dtype[Any]
    has_counts: bool
    index: NDArray[Any]
    scores: NDArray[Any] | None
    counts: NDArray[np.int64] | None
    _file: SpillFile | None = None
    _at: tuple[int, int] = (0, 0)
    block: int = BLOCK

    @classmethod
    def from_scores(cls, scores: NDArray[Any]) -> SortedColumn:
        """Return the column of scores, one a row, which are sorted in place."""
        sort_in_buckets(scores)
        scores += 0  # -0.0 becomes 0.0
        n = len(scores)
        if n >= RECURS:
            is_first = scores[1:] != scores[:-1]
            if RECURS * (1 + int(np.count_nonzero(is_first))) <= n:
                starts = np.concatenate(([0], np.flatnonzero(is_first) + 1))
                return cls.of_sorted(scores[starts], np.diff(starts, append=n))
        return cls.of_sorted(scores)

    @classmethod
    def from_counts(cls, scores: NDArray[Any], counts: NDArray[np.int64]) -> SortedColumn:
        """Return the column of scores, so many rows of each, in any order."""
        return cls.of_sorted(*merge_equal(scores, counts))

    @classmethod
    def of_sorted(
        cls, scores: NDArray[Any], counts: NDArray[np.int64] | None = None, block: int = BLOCK
    ) -> SortedColumn:
        """Return the column of ascending scores; ``index`` has one of each block."""
        total = len(scores) if counts is None else int(counts.sum())
        given = scores.dtype, counts is not None, scores[::block].copy(), scores, counts
        return cls(len(scores), total, *given, block=block)

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        held = (self.scores, self.counts, self.index)
        return sum(each.nbytes for each in held if each is not None)

    def spill(self, file: SpillFile) -> None:
        """Move the entries to a file; nothing changes if it is full."""
        if self.scores is None:
            return
        at = file.append(self.scores)
        counts_at = 0 if self.counts is None else file.append(self.counts)
        self._file, self._at = file, (at, counts_at)
        self.scores = self.counts = None

    def read(self, start: int, stop: int) -> tuple[NDArray[Any], NDArray[np.int64] | None]:
        """Return scores and counts of these entries."""
        if self.scores is not None:
            scores = self.scores[start:stop]
        else:
            scores = self._from_file(self._at[0], start, stop, self.dtype)
        return scores, self._counts(start, stop) if self.has_counts else None

    def rows(self, start: int, stop: int) -> int:
        """Return the number of rows of some entries."""
        if stop - start == self.size:
            return self.total
        return int(self._counts(start, stop).sum()) if self.has_counts else stop - start

    def _counts(self, start: int, stop: int) -> NDArray[np.int64]:
        if self.counts is not None:
            return self.counts[start:stop]
        return self._from_file(self._at[1], start, stop, np.dtype(np.int64))

    def _from_file(self, at: int, start: int, stop: int, dtype: np.dtype[Any]) -> NDArray[Any]:
        out = np.empty(stop - start, dtype)
        if self._file is not None and stop > start:
            self._file.read(at + start * dtype.itemsize, out)
        return out

    def position(self, score: Any, side: Side) -> int:
        """Return the number of entries below a score; with "right", not above it."""
        if self.scores is not None:
            return int(np.searchsorted(self.scores, score, side))
        block = int(np.searchsorted(self.index, score, side))
        if block == 0:
            return 0
        start = (block - 1) * self.block
        scores = self._from_file(self._at[0], start, min(start + self.block, self.size), self.dtype)
        return start + int(np.searchsorted(scores, score, side))


def merge_equal(
    scores: NDArray[Any], counts: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return distinct scores, ascending, with the sum of the counts of each."""
    order = np.argsort(scores, kind="stable")
    scores = scores[order]
    counts = counts[order]
    starts = first_indices(scores)
    if len(starts) == len(scores):
        return scores, counts
    return scores[starts], np.add.reduceat(counts, starts)


def split_batch(rows: BinaryRows) -> Batch:
    """Return the scores of positives and of negatives, with counts where some are not 1."""
    if rows.weights is None:
        check_finite(rows.unverified[2], "y_score", rows.allow_inf)
        positives, negatives = split_by_class(rows)
        if not rows.accept(len(positives) + len(negatives) == len(rows)):
            return split_batch(rows)
        return (positives, None), (negatives, None)
    counts = np.asarray(rows.weights).astype(np.int64)
    positive, negative = ((rows.labels == one) & (counts > 0) for one in (1, rows.negative))
    return (rows.scores[positive], counts[positive]), (rows.scores[negative], counts[negative])


def row_counts(scores: NDArray[Any], counts: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """Return the number of rows of each score."""
    return np.ones(len(scores), np.int64) if counts is None else counts


def count_rows(scores: NDArray[Any], counts: NDArray[np.int64] | None) -> int:
    """Return the number of rows."""
    return len(scores) if counts is None else int(counts.sum())


def count_bytes(batch: Batch) -> int:
    """Return the bytes of all arrays."""
    return sum(each.nbytes for column in batch for each in column if each is not None)


def sort_column(batches: list[Part]) -> SortedColumn | None:
    """Return the column of the rows of one class that waited; None where there are none."""
    batches = [batch for batch in batches if len(batch[0])]
    if not batches:
        return None
    scores = np.concatenate([batch[0] for batch in batches])
    if all(counts is None for _, counts in batches):
        return SortedColumn.from_scores(scores)
    scores += 0  # -0.0 becomes 0.0
    return SortedColumn.from_counts(
        scores, np.concatenate([row_counts(*batch) for batch in batches])
    )


def merge_counts(columns: list[SortedColumn]) -> list[SortedColumn]:
    """Merge columns of counts if the smaller ones together match the largest.

    So each entry is merged once for each doubling of sizes, and recurring scores are stored once.
    """
    held = [column for column in columns if column.scores is not None and column.has_counts]
    sizes = sorted(column.size for column in held)
    if len(held) < 2 or sum(sizes[:-1]) < sizes[-1]:
        return columns
    scores = np.concatenate([c.scores for c in held if c.scores is not None])
    counts = np.concatenate([c.counts for c in held if c.counts is not None])
    others = [column for column in columns if column.scores is None or not column.has_counts]
    return [*others, SortedColumn.from_counts(scores, counts)]
