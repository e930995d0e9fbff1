"""The upper concave hull of a table's ROC points, which are the blocks of isotonic regression."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels import hulls
from fastmetrics._threads.workers import run
from fastmetrics.tables.scores.pairs import INT64_BOUND
from fastmetrics.tables.scores.score_table import ScoreTable

#: Odds of weights nearer than this, relative to themselves, are equal: each is a quotient of two
#: sums, and thousands of terms move a sum by less.
EQUAL_ODDS: Final = 2.0**-40
#: Rows whose hull is one job; the hull of what those leave is another one.
CHUNK_ROWS: Final = 2**18

#: Ends, positives and negatives of blocks.
_Blocks = tuple[NDArray[np.int64], NDArray[Any], NDArray[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Hull:
    """Runs of rows of a table, by descending score, whose share of positives falls strictly.

    Block by block, the edges of the upper concave hull of the ROC curve, from (0, 0) to (1, 1); and
    what pooling adjacent violators leaves of the labels: a row's isotonic fit is ``positives /
    (positives + negatives)`` of its block. ``ends`` has the last row of each block, behind which a
    vertex of the hull lies; ``positives`` and ``negatives`` are what its rows hold: int64 counts,
    or float64 weights.
    """

    ends: NDArray[np.int64]
    positives: NDArray[Any]
    negatives: NDArray[Any]

    @property
    def true_positives(self) -> NDArray[Any]:
        """Positives above each vertex, from 0: shape (n_blocks + 1,)."""
        return _from_zero(self.positives)

    @property
    def false_positives(self) -> NDArray[Any]:
        """Negatives above each vertex, from 0: shape (n_blocks + 1,)."""
        return _from_zero(self.negatives)


def upper_hull(table: ScoreTable) -> Hull:
    """Return the blocks of the upper concave hull in O(rows) after the table's sort.

    Points in the middle of an edge are no vertices. Counts are compared exactly, whatever their
    size. Of weights, edges whose odds differ by less than ``EQUAL_ODDS``, relatively, are one.
    A table without rows has no block, one of a single class has one.
    """
    columns = table.positives, table.negatives
    pool: Callable[..., int]
    if table.is_weighted:
        pool = partial(_with_tolerance, hulls.upper_hull_of_weights)
    elif int(table.n_positive) * int(table.n_negative) < INT64_BOUND:
        pool = hulls.upper_hull
    else:
        pool = hulls.upper_hull_of_large_counts
    starts = range(0, len(table), CHUNK_ROWS)
    parts = run([partial(_pooled, pool, *columns, start) for start in starts])
    if len(parts) == 0:
        return Hull(np.empty(0, np.int64), *columns)
    if len(parts) == 1:
        ends, positives, negatives = parts[0]
    else:
        rows, *pooled = (np.concatenate(column) for column in zip(*parts, strict=True))
        ends, positives, negatives = _blocks(pool, *pooled)
        ends = rows[ends]
    if table.is_weighted:  # what was pooled one by one has rounding of its own
        for column, sums in zip(columns, (positives, negatives), strict=True):
            hulls.sums_of_blocks(column, ends, sums)
    return Hull(ends, positives, negatives)


def _with_tolerance(pool: Callable[..., int], *arrays: NDArray[Any]) -> int:
    return pool(*arrays, EQUAL_ODDS)


def _pooled(
    pool: Callable[..., int], positives: NDArray[Any], negatives: NDArray[Any], start: int
) -> _Blocks:
    rows = slice(start, start + CHUNK_ROWS)
    ends, *pooled = _blocks(pool, positives[rows], negatives[rows])
    return ends + start, pooled[0], pooled[1]


def _blocks(pool: Callable[..., int], positives: NDArray[Any], negatives: NDArray[Any]) -> _Blocks:
    n = len(positives)
    columns = np.empty(n, np.int64), np.empty(n, positives.dtype), np.empty(n, positives.dtype)
    count = pool(positives, negatives, *columns)
    ends, pooled_positives, pooled_negatives = (column[:count].copy() for column in columns)
    return ends, pooled_positives, pooled_negatives


def _from_zero(counts: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate((np.zeros(1, counts.dtype), np.cumsum(counts)))
