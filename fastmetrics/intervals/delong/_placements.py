"""The placements of examples, row by row: how many of the other class lie below (above) each."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.rows import BinaryRows
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

    Notes
    -----
    One table of distinct scores, then each row is looked up in it: O(n log n) time, O(n) memory.
    A chunk of rows is sorted first, so that its searches walk through the table: the denser, the
    faster (a chunk of a million rows is looked up at four times the speed of unsorted rows). A
    larger chunk would delay an interrupt.
    """
    table = ScoreTable.from_rows(rows, n_threads=n_threads)
    n_distinct = len(table)
    positives, negatives = table.positives[::-1], table.negatives[::-1]
    below, not_above = 2 * np.cumsum(negatives), 2 * np.cumsum(positives)
    by_score = np.empty(2 * n_distinct, np.int64)  # of the negatives, then of the positives
    by_score[:n_distinct] = 2 * int(table.n_positive) - not_above + positives
    by_score[n_distinct:] = below - negatives
    ascending = np.ascontiguousarray(table.scores[::-1])
    placed = np.empty(len(rows.scores), np.int64)
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
