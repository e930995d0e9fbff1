"""From checked rows to the distinct scores with the weight of each class at them."""

from __future__ import annotations

import itertools
import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.rows import BinaryRows
from fastmetrics._kernels import merges, orders
from fastmetrics._threads.workers import run
from fastmetrics.tables.ordering.partition import Partition, partition
from fastmetrics.tables.ordering.row_order import RowOrder, row_order
from fastmetrics.tables.scores._columns import Columns

#: Below this many rows, splitting, sorting and merging beats the set-up of a partition.
PLAIN_ROWS = 40_000
#: Jobs the buckets are dealt into: enough to even out the load, few enough to cost nothing.
BUCKET_JOBS = 32


def distinct_scores(rows: BinaryRows) -> tuple[Columns, tuple[int, ...]]:
    """Return the distinct scores, descending, and the positive and negative weight at each.

    Beside them the rows of both classes, which are known without a pass; nothing where these have
    weights. Counts are int64 where rows are unweighted or their weights are integers, else float64.
    Time O(n log n) with sorts that fit the cache; memory beyond the result: one copy of the scores
    and weights.
    """
    if len(rows.scores) >= PLAIN_ROWS:
        parted = partition(rows)
        if not parted.is_clean:
            return distinct_scores(rows.recheck())
        scores, positives, negatives = _distinct_partitioned(parted)
        parted.release()
        totals = int(parted.rows[1::2].sum()), int(parted.rows[0::2].sum())
    elif rows.weights is None:
        positive, negative = sorted_classes(rows)
        scores, positives, negatives = merged_classes(positive, negative)
        totals = len(positive), len(negative)
    else:
        scores, positives, negatives = _distinct_weighted(rows)
    if rows.weights is None:
        return (scores, positives, negatives), totals
    if not rows.weights.all():
        kept = (positives > 0.0) | (negatives > 0.0)  # else a score is as good as absent
        scores, positives, negatives = scores[kept], positives[kept], negatives[kept]
    if rows.integer_weights:
        positives, negatives = positives.astype(np.int64), negatives.astype(np.int64)
    return (scores, positives, negatives), ()


def merged_classes(positive: NDArray[Any], negative: NDArray[Any]) -> Columns:
    """Return the distinct scores of two ascending runs, descending, with the count of each."""
    n = len(positive) + len(negative)
    columns = np.empty(n, positive.dtype), np.empty(n, np.int64), np.empty(n, np.int64)
    found = merges.merge_descending(positive, negative, *columns)
    unsign_zeros(columns[0][:found])
    return _shortened(columns, found)


def _distinct_weighted(rows: BinaryRows) -> Columns:
    order = row_order(rows.scores)
    if not order.is_finite:
        rows = rows.recheck()
    n = order.n_distinct
    columns = np.empty(n, rows.scores.dtype), np.empty(n), np.empty(n)
    if weigh_runs(rows, order, 0, n, *columns) != len(rows.scores):
        return _distinct_weighted(rows.recheck())
    unsign_zeros(columns[0])
    return columns


def weigh_runs(
    rows: BinaryRows,
    order: RowOrder,
    first: int,
    stop: int,
    scores: NDArray[Any],
    positives: NDArray[np.float64],
    negatives: NDArray[np.float64],
) -> int:
    """Write the weight of each class at the distinct scores ``first`` to ``stop``, descending.

    ``scores`` gets these unless it is empty; rows without weights count one. Returns how many rows
    are labelled as they should be.
    """
    weights = np.empty(0) if rows.weights is None else rows.weights
    found: int = orders.weigh_runs(
        *(order.rows, order.starts, first, stop),
        *(rows.scores, rows.labels, rows.negative, weights, scores, positives, negatives),
    )
    return found


def _shortened(columns: Columns, n_distinct: int) -> Columns:
    """Cut columns, of which nobody has views, to their rows, giving memory back without a copy."""
    for column in columns:
        column.resize(n_distinct, refcheck=False)
    return columns


def sorted_classes(rows: BinaryRows) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the positives' and the negatives' scores, each ascending, verified on the way."""
    positive, negative = split_by_class(rows)
    positive.sort()
    negative.sort()
    if len(positive) + len(negative) != len(rows.scores) or not (
        _ends_allowed(positive, rows.allow_inf) and _ends_allowed(negative, rows.allow_inf)
    ):
        return sorted_classes(rows.recheck())
    return positive, negative


def split_by_class(rows: BinaryRows) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the scores of the positives and of the negatives; of rows that are neither, none."""
    n = len(rows.scores)
    positive, negative = np.empty(n + 1, rows.scores.dtype), np.empty(n + 1, rows.scores.dtype)
    n_positive, n_negative = merges.split_classes(
        rows.scores, rows.labels, rows.negative, positive, negative
    )
    return positive[:n_positive], negative[:n_negative]


def _ends_allowed(ascending: NDArray[Any], allow_inf: bool) -> bool:
    """Sorting put nan last and infinities at the ends: looking there checks all."""
    if len(ascending) == 0 or ascending.dtype.kind != "f":
        return True
    low, high = float(ascending[0]), float(ascending[-1])
    return not math.isnan(high) if allow_inf else math.isfinite(low) and math.isfinite(high)


def bucket_jobs(n_buckets: int) -> list[tuple[int, int]]:
    """Return the ranges of buckets that make up the jobs."""
    jobs = min(BUCKET_JOBS, n_buckets)
    cuts = [n_buckets * k // jobs for k in range(jobs + 1)]
    return list(itertools.pairwise(cuts))


def _distinct_partitioned(parted: Partition) -> Columns:
    """Sort and merge each bucket into its own stretch of the columns, then close the gaps."""
    n_buckets = parted.plan.n_buckets
    in_bucket = parted.rows.reshape(n_buckets, 2).sum(axis=1)
    n = int(in_bucket.sum())
    starts = n - np.cumsum(in_bucket)  # the highest bucket comes first
    is_weighted = parted.carried_pool.size > 0
    kind = np.dtype(np.float64 if is_weighted else np.int64)
    columns = np.empty(n, parted.pool.dtype), np.empty(n, kind), np.empty(n, kind)
    n_distinct = np.zeros(n_buckets, np.int64)

    def fill(first: int, stop: int) -> None:
        for b in range(first, stop):
            stretch = slice(starts[b], starts[b] + in_bucket[b])
            mine: list[NDArray[Any]] = [column[stretch] for column in columns]
            if is_weighted:
                rows, order = ordered_bucket(parted, b)
                found = order.n_distinct
                weigh_runs(rows, order, 0, found, *(column[:found] for column in mine))
            else:
                negative, positive = parted.gather(2 * b), parted.gather(2 * b + 1)
                negative.sort()
                positive.sort()
                found = int(merges.merge_descending(positive, negative, *mine))
            unsign_zeros(mine[0][:found])
            n_distinct[b] = found

    run([partial(fill, *job) for job in bucket_jobs(n_buckets)])
    at = 0
    for b in range(n_buckets - 1, -1, -1):
        found = int(n_distinct[b])
        if at != starts[b]:
            for column in columns:
                column[at : at + found] = column[starts[b] : starts[b] + found]
        at += found
    return _shortened(columns, at)


def ordered_bucket(parted: Partition, b: int) -> tuple[BinaryRows, RowOrder]:
    """Return the weighted rows of a bucket, negatives first, and their order."""
    streams = 2 * b, 2 * b + 1
    scores, weights = (
        np.concatenate([gather(stream) for stream in streams])
        for gather in (parted.gather, parted.gather_carried)
    )
    labels = np.repeat(np.array([0, 1], np.int8), parted.rows[2 * b : 2 * b + 2])
    return BinaryRows(labels, 0, scores, weights, False, True), row_order(scores)


def unsign_zeros(scores: NDArray[Any]) -> None:
    """Turn -0.0 into 0.0, the score that it ties, in place."""
    if scores.dtype.kind == "f":
        scores += scores.dtype.type(0)
