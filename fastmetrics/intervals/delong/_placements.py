"""The placements of examples: how many of the other class lie below (above) each; sums of them."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.rows import BinaryRows
from fastmetrics._kernels import curve_kernels, merges, orders
from fastmetrics._threads.workers import run
from fastmetrics.tables.ordering.row_order import row_order
from fastmetrics.tables.scores._distinct import weigh_runs
from fastmetrics.tables.scores.pairs import INT64_BOUND, exact_dot, pairs_of_weights


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
    order = row_order(rows.scores, n_threads)
    counts = np.empty(0, np.int64) if rows.weights is None else rows.weights.astype(np.int64)
    placed = np.empty(len(rows.scores), np.int64)
    jobs = order.jobs()
    columns = order.rows, order.starts, rows.labels, counts

    def count(first: int, stop: int) -> tuple[int, int]:
        found: tuple[int, int] = orders.class_counts(*columns[:2], first, stop, *columns[2:])
        return found

    found = run([partial(count, *job) for job in jobs], n_threads)
    above, below = sum(positives for positives, _ in found), 0
    places = []
    for job, (positives, negatives) in zip(jobs, found, strict=True):
        arguments = *columns[:2], *job, *columns[2:], above, below, placed
        places.append(partial(orders.place_rows, *arguments))
        above, below = above - positives, below + negatives
    run(places, n_threads)
    return placed


def weighted_placements(
    rows: BinaryRows, n_threads: int | None = None
) -> tuple[NDArray[np.float64], float]:
    """Return the share of the other class's weight below (above) each row, ties one half; the AUC.

    The weights of the rows are importances, none of them 0.
    """
    order = row_order(rows.scores, n_threads)
    n = order.n_distinct
    positives, negatives = np.empty((2, n))

    def weigh(first: int, stop: int) -> None:
        here = slice(n - stop, n - first)
        weigh_runs(rows, order, first, stop, rows.scores[:0], positives[here], negatives[here])

    run([partial(weigh, *job) for job in order.jobs()], n_threads)
    auc = pairs_of_weights(positives, negatives).auc
    of_negatives = np.ascontiguousarray(_share_before(positives)[::-1])
    of_positives = _share_before(np.ascontiguousarray(negatives[::-1]))
    return order.spread_by_class(rows.labels, of_negatives, of_positives, n_threads), auc


def _share_before(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of the weight that stands before each place, and half of its own.

    Sums from the same side: all before is 1 exactly, and nothing is subtracted.
    """
    ends = np.empty(len(weights))
    merges.cumulative_weights(weights, ends)
    before = np.concatenate(([0.0], ends[:-1]))
    return np.asarray((before + weights / 2) / ends[-1])


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


def placement_sums(
    positives: NDArray[Any], negatives: NDArray[Any], n_positive: int, n_negative: int
) -> tuple[int, int, int]:
    """Return, over doubled placements, their sum and the sums of squares in the two classes.

    The columns are a table's, their sums ``n_positive`` and ``n_negative``.

    A positive's doubled placement is 2 (negatives below) + (negatives tied), a negative's
    2 (positives above) + (positives tied). The sum is the same over either class.
    """
    most = max(n_positive, n_negative)
    half = ((2 * most).bit_length() + 1) // 2
    if most << (2 * half + 1) < INT64_BOUND:
        sums = np.empty(7, np.int64)
        curve_kernels.placement_sums(positives, negatives, n_negative, half, sums)
        total, *squares = sums.tolist()
        return total, _joined(squares[:3], half), _joined(squares[3:], half)
    tp, fp = np.cumsum(positives), np.cumsum(negatives)
    if 2 * most >= 2**62:  # beyond the halves of `_sum_of_squares`
        positives, negatives, tp, fp = (
            column.astype(object) for column in (positives, negatives, tp, fp)
        )
    of_positives = 2 * (fp[-1] - fp) + negatives
    of_negatives = 2 * tp - positives
    return (
        int(exact_dot(positives, of_positives)),
        _sum_of_squares(positives, of_positives),
        _sum_of_squares(negatives, of_negatives),
    )


def _sum_of_squares(counts: NDArray[Any], values: NDArray[Any]) -> int:
    """Return sum counts * values^2 exactly, by halves of the bits so that int64 is enough."""
    half = (int(values.max()).bit_length() + 1) // 2
    high, low = values >> half, values & ((1 << half) - 1)
    squares = [
        int(exact_dot(counts, high * high)),
        int(exact_dot(counts, 2 * high * low)),
        int(exact_dot(counts, low * low)),
    ]
    return _joined(squares, half)


def _joined(squares: list[int], half: int) -> int:
    """Put the sums over high^2, 2 high low and low^2 together."""
    return (squares[0] << 2 * half) + (squares[1] << half) + squares[2]
