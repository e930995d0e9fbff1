"""The placements of examples: how many of the other class lie below (above) each; sums of them."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.rows import BinaryRows
from fastmetrics._kernels import curve_kernels, merges
from fastmetrics._threads.workers import run
from fastmetrics.tables.ordering import ONE_BUCKET_ROWS, partition, row_order, walk_in_order
from fastmetrics.tables.pairs import INT64_BOUND, exact_dot, pairs_of_weights, weigh_runs


def doubled_placements(rows: BinaryRows) -> NDArray[np.int64]:
    """Return the doubled placement of each row, ties counting one half: whole numbers.

    A positive's is 2 (negatives below) + (negatives tied), a negative's 2 (positives above) +
    (positives tied). The rows are fully verified, without weights or with counts, none of them 0.
    """
    n = len(rows.scores)
    counts = np.empty(0, np.int64) if rows.weights is None else rows.weights.astype(np.int64)
    doubled = np.empty(n, np.int64)

    def place(
        scores: NDArray[Any], numbers: NDArray[Any], n_negative: int, above: int, below: int
    ) -> None:
        def walk(*words: Any) -> int:
            of_rows = numbers, n_negative, counts, above, below, doubled
            return int(merges.place_words(*words, *of_rows))

        if len(scores):
            walk_in_order(scores, walk)

    if n < ONE_BUCKET_ROWS:
        by_class = [np.flatnonzero(rows.labels == label) for label in (rows.negative, 1)]
        numbers = np.concatenate(by_class).astype(np.int32)
        positives = by_class[1]
        n_positive = len(positives) if rows.weights is None else int(counts[positives].sum())
        place(rows.scores[numbers], numbers, len(by_class[0]), n_positive, 0)
        return doubled
    parted = partition(rows, with_numbers=True)

    sizes = parted.rows.tolist()
    if rows.weights is not None:

        def examples(stream: int) -> int:
            return int(counts[parted.gather_carried(stream)].sum())

        sizes = run([partial(examples, stream) for stream in range(len(sizes))])

    def place_bucket(b: int, above: int, below: int) -> None:
        scores, numbers = (
            np.concatenate([gather(2 * b), gather(2 * b + 1)])
            for gather in (parted.gather, parted.gather_carried)
        )
        place(scores, numbers, int(parted.rows[2 * b]), above, below)

    above, below = sum(sizes[1::2]), 0
    jobs = []
    for b in range(parted.plan.n_buckets):
        jobs.append(partial(place_bucket, b, above, below))
        above, below = above - sizes[2 * b + 1], below + sizes[2 * b]
    run(jobs)
    parted.release()
    return doubled


def weighted_placements(rows: BinaryRows) -> tuple[NDArray[np.float64], float]:
    """Return the share of the other class's weight below (above) each row, ties one half; the AUC.

    The weights of the rows are importances, none of them 0.
    """
    order = row_order(rows.scores)
    n = order.n_distinct
    positives, negatives = np.empty((2, n))

    def weigh(first: int, stop: int) -> None:
        here = slice(n - stop, n - first)
        weigh_runs(rows, order, first, stop, rows.scores[:0], positives[here], negatives[here])

    run([partial(weigh, *job) for job in order.jobs()])
    auc = pairs_of_weights(positives, negatives).auc
    rising = np.ascontiguousarray(negatives[::-1])
    ends = np.empty((2, n))
    merges.cumulative_pair(positives, rising, *ends)
    of_negatives = _share_before(positives, ends[0])
    of_positives = _share_before(rising, ends[1])[::-1]
    return order.spread_by_class(rows.labels, of_negatives, of_positives), auc


def _share_before(weights: NDArray[np.float64], ends: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of the weight that stands before each place, and half of its own.

    ``ends`` are the sums up to each, from the same side: all before is 1 exactly, and nothing is
    subtracted.
    """
    shares = weights / 2
    shares[1:] += ends[:-1]
    shares /= ends[-1]
    return shares


def placement_sums(
    positives: NDArray[Any], negatives: NDArray[Any], n_positive: int, n_negative: int
) -> tuple[int, int, int]:
    """Return, over doubled placements, their sum and the sums of squares in the two classes.

    The columns are a table's, their sums ``n_positive`` and ``n_negative``; see
    `doubled_placements`. The sum is the same over either class.
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
