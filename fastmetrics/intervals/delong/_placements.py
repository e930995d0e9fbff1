"""The placements of examples, row by row: how many of the other class lie below (above) each."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.rows import BinaryRows
from fastmetrics._kernels import merges
from fastmetrics._threads.workers import run
from fastmetrics.tables.scores.score_table import ScoreTable

_LEAST_CHUNK: Final = 1 << 16
_LARGEST_CHUNK: Final = 1 << 20


def doubled_placements(rows: BinaryRows, n_threads: int | None = None) -> NDArray[np.int64]:
    """Return the doubled placement of each row, ties counting one half: whole numbers.

    A positive's is 2 (negatives below) + (negatives tied), a negative's 2 (positives above) +
    (positives tied).

    Parameters
    ----------
    rows : BinaryRows
        Fully verified; without weights or with counts, none of them 0.
    n_threads : int, optional
        Threads to use.

    Returns
    -------
    ndarray of int64, shape (n,)
        In the order of the rows.
    """
    table = ScoreTable.from_rows(rows, n_threads=n_threads)
    n_distinct = len(table)
    positives, negatives = table.positives[::-1], table.negatives[::-1]
    below, not_above = 2 * np.cumsum(negatives), 2 * np.cumsum(positives)
    by_score = np.empty(2 * n_distinct, np.int64)  # of the negatives, then of the positives
    by_score[:n_distinct] = 2 * int(table.n_positive) - not_above + positives
    by_score[n_distinct:] = below - negatives
    return _looked_up(rows, table, by_score, n_threads)


def weighted_placements(
    rows: BinaryRows, table: ScoreTable, n_threads: int | None = None
) -> NDArray[np.float64]:
    """Return the share of the other class's weight below (above) each row, ties one half.

    ``table`` is that of the rows, whose weights are importances.
    """
    positives, negatives = (
        np.ascontiguousarray(column[::-1], np.float64)
        for column in (table.positives, table.negatives)
    )
    by_score = np.concatenate(
        (_share_before(positives[::-1])[::-1], _share_before(negatives))
    )  # of the negatives, then of the positives
    return _looked_up(rows, table, by_score, n_threads)


def _share_before(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of the weight that stands before each place, and half of its own.

    Sums from the same side: all before is 1 exactly, and nothing is subtracted.
    """
    ends = np.empty(len(weights))
    merges.cumulative_weights(np.ascontiguousarray(weights), ends)
    before = np.concatenate(([0.0], ends[:-1]))
    return np.asarray((before + weights / 2) / ends[-1])


def _looked_up(
    rows: BinaryRows, table: ScoreTable, by_score: NDArray[Any], n_threads: int | None
) -> NDArray[Any]:
    """Return for each row the entry of its score, rising, among those of its class.

    ``by_score`` has the entries of the negatives, then those of the positives. O(n log n) time,
    O(n) memory. A chunk of rows is sorted first, so that its searches walk through the table: the
    denser, the faster (a chunk of a million rows is looked up at four times the speed of unsorted
    rows). A larger chunk would delay an interrupt.
    """
    n_distinct = len(table)
    ascending = np.ascontiguousarray(table.scores[::-1])
    placed = np.empty(len(rows.scores), by_score.dtype)
    size = min(max(len(placed) // 4, _LEAST_CHUNK), _LARGEST_CHUNK)

    def place(start: int) -> None:
        chunk = slice(start, start + size)
        scores = rows.scores[chunk]
        order = np.argsort(scores)
        at = np.searchsorted(ascending, scores[order])
        at += n_distinct * (rows.labels[chunk][order] == 1)
        placed[chunk][order] = np.take(by_score, at)

    run([partial(place, start) for start in range(0, len(placed), size)], n_threads)
    return placed


def sums_of_groups(
    values: NDArray[np.int64],
    groups: NDArray[np.int64],
    n_groups: int,
    counts: NDArray[np.int64] | None,
) -> NDArray[Any]:
    """Return, for each row of ``values`` (k, n), its exact sum in each group: (k, n_groups)."""
    in_all = values.shape[1] if counts is None else int(counts.sum())
    most = int(values.max(initial=0)) * in_all
    kind = np.dtype(np.int64 if most < 2**63 else object)
    sums: NDArray[Any] = np.zeros((len(values), n_groups), kind)
    for row, total in zip(values, sums, strict=True):
        added = row.astype(kind, copy=False)
        np.add.at(total, groups, added if counts is None else added * counts)
    return sums
