"""``SortedColumn``: the scores of one class in one run, ascending, in memory or in a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from fastmetrics.tables.runs._spill_file import SpillFile
from fastmetrics.tables.scores._columns import first_places
from fastmetrics.tables.scores._distinct import unsign_zeros

#: Of a column in a file, every so many scores one stays in memory.
BLOCK: Final = 1024
#: Equal scores are counted where that leaves a third of the entries, or fewer: a count has 8 bytes.
RECURS: Final = 3

Side = Literal["left", "right"]


@dataclass(slots=True, eq=False)
class SortedColumn:
    """Ascending scores, and how many rows have each; one each where there are no counts.

    Attributes
    ----------
    size : int
        Entries.
    total : int
        Rows.
    index : ndarray
        The score of every 1,024th entry, from the first.
    scores, counts : ndarray or None
        While they are in memory; counts are int64.
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

    @classmethod
    def of_scores(cls, scores: NDArray[Any]) -> SortedColumn:
        """Return the column of scores, one a row, which are sorted in place."""
        scores.sort()
        unsign_zeros(scores)
        n = len(scores)
        if n >= RECURS:
            is_first = scores[1:] != scores[:-1]
            if RECURS * (1 + int(np.count_nonzero(is_first))) <= n:
                starts = np.concatenate(([0], np.flatnonzero(is_first) + 1))
                return cls._of(scores[starts], np.diff(starts, append=n))
        return cls._of(scores, None)

    @classmethod
    def of_counts(cls, scores: NDArray[Any], counts: NDArray[np.int64]) -> SortedColumn:
        """Return the column of scores, so many rows of each, in any order."""
        return cls._of(*counted(scores, counts))

    @classmethod
    def _of(cls, scores: NDArray[Any], counts: NDArray[np.int64] | None) -> SortedColumn:
        total = len(scores) if counts is None else int(counts.sum())
        index = scores[::BLOCK].copy()
        return cls(len(scores), total, scores.dtype, counts is not None, index, scores, counts)

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
        of_counts = 0 if self.counts is None else file.append(self.counts)
        self._file, self._at = file, (at, of_counts)
        self.scores = self.counts = None

    def read(self, start: int, stop: int) -> tuple[NDArray[Any], NDArray[np.int64] | None]:
        """Return some entries."""
        if self.scores is not None:
            return self.scores[start:stop], None if self.counts is None else self.counts[start:stop]
        scores = self._from_file(self._at[0], start, stop, self.dtype)
        if not self.has_counts:
            return scores, None
        return scores, self._from_file(self._at[1], start, stop, np.dtype(np.int64))

    def rows(self, start: int, stop: int) -> int:
        """Return how many rows some entries are."""
        if not self.has_counts or stop - start == self.size:
            return self.total if stop - start == self.size else stop - start
        counts = self.counts
        if counts is not None:
            return int(counts[start:stop].sum())
        at = self._at[1]
        return int(self._from_file(at, start, stop, np.dtype(np.int64)).sum())

    def _from_file(self, at: int, start: int, stop: int, dtype: np.dtype[Any]) -> NDArray[Any]:
        out = np.empty(stop - start, dtype)
        if self._file is not None and stop > start:
            self._file.read(at + start * dtype.itemsize, out)
        return out

    def position(self, score: Any, side: Side) -> int:
        """Return how many entries are below a score; with "right", not above it."""
        if self.scores is not None:
            return int(np.searchsorted(self.scores, score, side))
        block = int(np.searchsorted(self.index, score, side))
        if block == 0:
            return 0
        start = (block - 1) * BLOCK
        scores = self._from_file(self._at[0], start, min(block * BLOCK, self.size), self.dtype)
        return start + int(np.searchsorted(scores, score, side))


def counted(
    scores: NDArray[Any], counts: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return distinct scores, ascending, with the sum of the counts of each."""
    order = np.argsort(scores, kind="stable")
    scores, counts = scores[order], counts[order]
    starts = first_places(scores)
    if len(starts) == len(scores):
        return scores, counts
    return scores[starts], np.add.reduceat(counts, starts)
