"""From checked rows to the distinct scores with the weight of each class at them."""

from __future__ import annotations

import itertools
import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.rows import BinaryRows
from fastmetrics._kernels import merges
from fastmetrics._threads.workers import run
from fastmetrics.tables.ordering.partition import Partition, partition

#: Below this many rows, splitting, sorting and merging beats the set-up of a partition.
PLAIN_ROWS = 150_000
#: Jobs the buckets are dealt into: enough to even out the load, few enough to cost nothing.
BUCKET_JOBS = 32

Columns = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]


def distinct_scores(rows: BinaryRows, n_threads: int | None = None) -> Columns:
    """Return the distinct scores, descending, and the positive and negative weight at each.

    Counts are int64 where rows are unweighted or their weights are integers, else float64.
    Time O(n log n) with sorts that fit the cache; memory beyond the result: one copy of the rows.
    """
    if len(rows.scores) < PLAIN_ROWS:
        columns = _distinct_plain(rows)
    else:
        parted = partition(rows, n_threads)
        if not parted.is_clean:
            return distinct_scores(rows.recheck(), n_threads)
        columns = _distinct_partitioned(parted, rows.weights is not None, n_threads)
        parted.release()
    scores, positives, negatives = columns
    if scores.dtype.kind == "f":
        scores += 0.0  # -0.0 becomes 0.0, the score that it ties
    if rows.integer_weights and rows.weights is not None:
        positives, negatives = positives.astype(np.int64), negatives.astype(np.int64)
    return scores, positives, negatives


def _empty_columns(n: int, dtype: np.dtype[Any], is_weighted: bool) -> Columns:
    kind = np.float64 if is_weighted else np.int64
    return np.empty(n, dtype), np.empty(n, kind), np.empty(n, kind)


def _distinct_plain(rows: BinaryRows) -> Columns:
    if rows.weights is None:
        positive, negative = sorted_classes(rows)
        columns = _empty_columns(len(rows.scores), rows.scores.dtype, False)
        n_distinct = merges.merge_descending(positive, negative, *columns)
        return _shortened(columns, n_distinct)
    is_positive = rows.labels == 1
    is_negative = rows.labels == rows.negative
    if np.count_nonzero(is_positive) + np.count_nonzero(is_negative) != len(rows.scores):
        return _distinct_plain(rows.recheck())
    values = np.concatenate([rows.scores[is_negative], rows.scores[is_positive]])
    weights = np.concatenate([rows.weights[is_negative], rows.weights[is_positive]])
    order = stable_order(values)
    if not _ends_allowed(values[order[[0, -1]]], rows.allow_inf):
        return _distinct_plain(rows.recheck())
    return _weighted_columns(values, order, weights, int(np.count_nonzero(is_negative)))


def stable_order(values: NDArray[Any]) -> NDArray[np.int64]:
    """Return what ``np.argsort(values, kind="stable")`` does, in a fraction of its time.

    NumPy's other sorts use vectors and are up to five times as fast; what they leave in any order,
    equal values, is brought back into that of the rows by a sort of integers.
    """
    order = np.argsort(values)
    ordered = values[order]
    is_new = ordered[1:] != ordered[:-1]
    if is_new.all():
        return order
    runs = np.zeros(len(values), np.int64)
    np.cumsum(is_new, out=runs[1:])
    runs *= len(values)
    return np.sort(order + runs) - runs


def _weighted_columns(
    values: NDArray[Any], order: NDArray[np.int64], weights: NDArray[np.float64], n_negative: int
) -> Columns:
    columns = _empty_columns(len(values), values.dtype, True)
    n_distinct = merges.merge_weighted_descending(values, order, weights, n_negative, *columns)
    return _shortened(columns, n_distinct)


def _shortened(columns: Columns, n_distinct: int) -> Columns:
    """Cut columns to their rows, giving memory back where much of it is unused."""
    if n_distinct > 0.75 * len(columns[0]):
        return tuple(column[:n_distinct] for column in columns)  # type: ignore[return-value]
    return tuple(column[:n_distinct].copy() for column in columns)  # type: ignore[return-value]


def sorted_classes(rows: BinaryRows, by_kernel: bool = True) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the positives' and the negatives' scores, each ascending, verified on the way."""
    positive, negative = _split(rows) if by_kernel else _split_by_masks(rows)
    positive.sort()
    negative.sort()
    if len(positive) + len(negative) != len(rows.scores) or not (
        _ends_allowed(positive, rows.allow_inf) and _ends_allowed(negative, rows.allow_inf)
    ):
        return sorted_classes(rows.recheck(), by_kernel)
    return positive, negative


def _split(rows: BinaryRows) -> tuple[NDArray[Any], NDArray[Any]]:
    n = len(rows.scores)
    positive, negative = np.empty(n + 1, rows.scores.dtype), np.empty(n + 1, rows.scores.dtype)
    n_positive, n_negative = merges.split_classes(
        rows.scores, rows.labels, rows.negative, positive, negative
    )
    return positive[:n_positive], negative[:n_negative]


def _split_by_masks(rows: BinaryRows) -> tuple[NDArray[Any], NDArray[Any]]:
    return rows.scores[rows.labels == 1], rows.scores[rows.labels == rows.negative]


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


def distinct_of_bucket(parted: Partition, b: int) -> Columns:
    """Return the weighted columns of one bucket, its scores descending."""
    values = np.concatenate([parted.gather(2 * b), parted.gather(2 * b + 1)])
    weights = np.concatenate([parted.gather_carried(2 * b), parted.gather_carried(2 * b + 1)])
    order = stable_order(values)
    return _weighted_columns(values, order, weights, int(parted.rows[2 * b]))


def _distinct_partitioned(parted: Partition, is_weighted: bool, n_threads: int | None) -> Columns:
    """Sort and merge each bucket into its own stretch of the columns, then close the gaps."""
    n_buckets = parted.plan.n_buckets
    in_bucket = parted.rows.reshape(n_buckets, 2).sum(axis=1)
    n = int(in_bucket.sum())
    starts = n - np.cumsum(in_bucket)  # the highest bucket comes first
    columns = _empty_columns(n, parted.pool.dtype, is_weighted)
    n_distinct = np.zeros(n_buckets, np.int64)

    def fill(first: int, stop: int) -> None:
        for b in range(first, stop):
            stretch = slice(starts[b], starts[b] + in_bucket[b])
            mine = [column[stretch] for column in columns]
            if is_weighted:
                found = distinct_of_bucket(parted, b)
                n_distinct[b] = len(found[0])
                for column, values in zip(mine, found, strict=True):
                    column[: len(values)] = values
                continue
            negative, positive = parted.gather(2 * b), parted.gather(2 * b + 1)
            negative.sort()
            positive.sort()
            n_distinct[b] = merges.merge_descending(positive, negative, *mine)

    run([partial(fill, *job) for job in bucket_jobs(n_buckets)], n_threads)
    at = 0
    for b in range(n_buckets - 1, -1, -1):
        found = int(n_distinct[b])
        if at != starts[b]:
            for column in columns:
                column[at : at + found] = column[starts[b] : starts[b] + found]
        at += found
    return _shortened(columns, at)
