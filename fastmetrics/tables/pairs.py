"""Merge the two classes in the order of scores: distinct scores with counts, and pair counts."""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from functools import partial
from operator import mul
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.containers import widened
from fastmetrics._input.device import DeviceCounts
from fastmetrics._input.rows import BinaryRows
from fastmetrics._input.scores import narrow_infinity
from fastmetrics._kernels import buckets, cells, merges
from fastmetrics._threads.workers import BLOCK_ROWS, by_blocks, run
from fastmetrics.tables.ordering import (
    LEAST_IN_LEAVES,
    MOST_SHORT,
    Partition,
    RowOrder,
    partition,
    row_order,
    sort_bucket,
)

#: Scores, positives and negatives.
Columns = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
#: Below this many rows, splitting, sorting and merging beats the set-up of a partition.
PLAIN_ROWS = 40_000
#: Rows of a job that counts scores of 16 bits: 0.2 ms.
NARROW_JOB = 1 << 18
#: The zeroed table of a call, kept for the next one: fresh pages cost as much as 10⁶ rows.
_spare_tables: list[NDArray[np.uint32]] = []
#: Number of jobs of buckets: enough to balance the load, few enough to cost nothing.
BUCKET_JOBS = 32


def distinct_scores(
    rows: BinaryRows | DeviceCounts,
) -> tuple[Columns, tuple[int, int] | tuple[()]]:
    """Return the distinct scores, descending, and the positive and negative weight at each.

    Also return the rows of both classes, which need no pass, or () for weighted rows. Counts are
    int64 where rows are unweighted or their weights are integers, else float64. Time O(n log n)
    with sorts that fit the cache; memory beyond the result: one copy of the scores and weights.
    """
    if isinstance(rows, DeviceCounts):
        return rows.columns(), ()
    if rows.is_countable:
        columns = _distinct_narrow(rows)
        rows.accept(columns is not None)
        if columns is None:
            return distinct_scores(rows)
        if rows.weights is not None:
            return columns, ()
        scores, positives, negatives = columns
        totals = int(positives.sum()), int(negatives.sum())
    elif len(rows) >= PLAIN_ROWS:
        parted = partition(rows)
        if not rows.accept(parted.is_clean):
            return distinct_scores(rows)
        scores, positives, negatives = _distinct_partitioned(parted)
        parted.release()
        totals = int(parted.rows[1::2].sum()), int(parted.rows[0::2].sum())
    elif rows.weights is None:
        positive, negative = sorted_classes(rows)
        scores, positives, negatives = merge_classes(positive, negative)
        totals = len(positive), len(negative)
    else:
        scores, positives, negatives = _distinct_weighted(rows)
    if rows.weights is None:
        return (scores, positives, negatives), totals
    if not rows.weights.all():
        kept = (positives > 0.0) | (negatives > 0.0)  # else a score is as good as absent
        scores, positives, negatives = (each[kept] for each in (scores, positives, negatives))
    if rows.integer_weights:
        positives, negatives = positives.astype(np.int64), negatives.astype(np.int64)
    return (scores, positives, negatives), ()


def _distinct_narrow(rows: BinaryRows) -> Columns | None:
    """Return the columns of scores of 16 bits from one pass, or None if some row is not valid."""
    scores = rows.unwidened[2]
    tables, are_labels_valid = _count_narrow(rows)
    lanes = [lane.reshape(2, -1) for table in tables for lane in table]
    counts = lanes[0]  # of negatives and of positives, by bits
    for lane in lanes[1:]:
        counts += lane
    columns = None
    not_finite = counts.reshape(2, 2, -1)[:, :, narrow_infinity(scores) + rows.allow_inf :]
    if are_labels_valid and not not_finite.any():
        counts[:, 0] += counts[:, 1 << 15]  # -0.0 is 0.0
        counts[:, 1 << 15] = 0
        bits = np.flatnonzero((counts[0] > 0) | (counts[1] > 0))
        is_signed = bits >= 1 << 15
        bits = np.concatenate([bits[~is_signed][::-1], bits[is_signed]])
        positives, negatives = (counts[label][bits].astype(np.int64) for label in (1, 0))
        columns = widened(bits.astype(np.uint16).view(scores.dtype)), positives, negatives
    if counts.dtype == np.uint32:
        tables[0].fill(0)
        _spare_tables[:] = tables[:1]
    return columns


def _count_narrow(rows: BinaryRows) -> tuple[list[NDArray[Any]], bool]:
    """Count rows by the bits of their scores, and by class, in a table for each thread.

    Also return whether all labels are valid. Doubles sum whole weights exactly, in any order.
    """
    if rows.weights is not None:
        rows.verify()  # a row of weight 0 leaves no trace
    weights = np.empty(0) if rows.weights is None else rows.weights
    labels, negative, scores = rows.unwidened
    bits = scores.view(np.uint16)
    is_short = rows.weights is None and len(bits) <= MOST_SHORT
    tables: list[NDArray[Any]] = []

    def take_table() -> NDArray[Any]:
        for stack in (tables, _spare_tables) if is_short else (tables,):
            with contextlib.suppress(IndexError):  # what is popped is of one thread alone
                return stack.pop()
        return np.zeros((2, 1 << 17), np.uint32 if is_short else np.float64)

    def count(start: int) -> int:
        table = take_table()
        job = slice(start, start + NARROW_JOB)
        columns = bits[job], labels[job], negative, weights[job]
        n_valid: int = cells.count_narrow_scores(*columns, table)
        tables.append(table)
        return n_valid

    n_valid = sum(run([partial(count, start) for start in range(0, len(bits), NARROW_JOB)]))
    return tables, n_valid == len(bits)


def merge_classes(positive: NDArray[Any], negative: NDArray[Any]) -> Columns:
    """Return the distinct scores of two ascending runs, descending, with the count of each."""
    n = len(positive) + len(negative)
    columns = np.empty(n, positive.dtype), np.empty(n, np.int64), np.empty(n, np.int64)
    return _trim(columns, merges.merge_descending(positive, negative, *columns))


def _distinct_weighted(rows: BinaryRows) -> Columns:
    scores = rows.unverified[2]
    order = row_order(scores)
    if not order.is_finite:
        rows.verify()
    n = order.n_distinct
    columns = np.empty(n, scores.dtype), np.empty(n), np.empty(n)
    if not rows.accept(weigh_runs(rows, order, 0, n, *columns) == len(rows)):
        return _distinct_weighted(rows)
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
    """Write the distinct scores ``first`` to ``stop``, descending, and the weight of each class.

    Rows without weights count one. Returns how many rows are labelled as they should be.
    """
    labels, negative, keys = rows.unverified
    weights = np.empty(0) if rows.weights is None else rows.weights
    runs = order.rows, order.starts, first, stop
    n_valid: int = merges.weigh_runs(
        *runs, keys, labels, negative, weights, scores, positives, negatives
    )
    return n_valid


def _trim(columns: Columns, n_distinct: int) -> Columns:
    """Cut columns without views to their rows, which gives memory back without a copy."""
    for column in columns:
        column.resize(n_distinct, refcheck=False)
    return columns


def sorted_classes(rows: BinaryRows) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the positives' and the negatives' scores, each ascending, verified on the way."""
    positive, negative = split_by_class(rows)
    if len(rows) < LEAST_IN_LEAVES:  # of few rows each call counts
        positive.sort()
        negative.sort()
    else:
        positive, negative = sort_bucket(positive), sort_bucket(negative)
    are_right = (
        len(positive) + len(negative) == len(rows)
        and _ends_allowed(positive, rows.allow_inf)
        and _ends_allowed(negative, rows.allow_inf)
    )
    return (positive, negative) if rows.accept(are_right) else sorted_classes(rows)


def split_by_class(rows: BinaryRows) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the scores of the positives and of the negatives, without rows that are neither."""
    labels, negative, scores = rows.unverified
    p = n = len(scores)
    if p >= PLAIN_ROWS:  # memory of its own size counts, and a pass does not
        p = int(np.count_nonzero(labels == 1))
        n -= p
    positives = np.empty(p + 1, scores.dtype)
    negatives = np.empty(n + 1, scores.dtype)
    n_positive, n_negative = merges.split_classes(scores, labels, negative, positives, negatives)
    return positives[:n_positive], negatives[:n_negative]


def _ends_allowed(ascending: NDArray[Any], allow_inf: bool) -> bool:
    """Return whether the sorted scores are allowed: nan is last, infinities are at the ends."""
    if len(ascending) == 0 or ascending.dtype.kind != "f":
        return True
    low, high = float(ascending[0]), float(ascending[-1])
    return not math.isnan(high) if allow_inf else math.isfinite(low) and math.isfinite(high)


def bucket_jobs(n_buckets: int) -> list[tuple[int, int]]:
    """Return the ranges of buckets that make up the jobs."""
    jobs = min(BUCKET_JOBS, n_buckets)
    return list(itertools.pairwise([n_buckets * k // jobs for k in range(jobs + 1)]))


def _distinct_partitioned(parted: Partition) -> Columns:
    """Sort and merge each bucket into its slice of the columns, then close the gaps."""
    n_buckets = parted.bucket_map.n_buckets
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
                scores, weights = parted.bucket(b)
                labels = np.repeat(np.array([0, 1], np.int8), parted.rows[2 * b : 2 * b + 2])
                rows = BinaryRows(labels, 0, scores, weights, False, True)
                order = row_order(scores)
                size = order.n_distinct
                weigh_runs(rows, order, 0, size, *(column[:size] for column in mine))
            else:
                negative = sort_bucket(parted.gather(2 * b))
                positive = sort_bucket(parted.gather(2 * b + 1))
                size = int(merges.merge_descending(positive, negative, *mine))
            n_distinct[b] = size

    run([partial(fill, *job) for job in bucket_jobs(n_buckets)])
    at = 0
    for b in range(n_buckets - 1, -1, -1):
        size = int(n_distinct[b])
        if at != starts[b]:
            for column in columns:
                column[at : at + size] = column[starts[b] : starts[b] + size]
        at += size
    return _trim(columns, at)


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Concordant pairs of one positive and one negative row.

    ``n_positive`` and ``n_negative`` are the rows of each class, or their weight;
    ``twice_concordant`` is twice the (weight of the) pairs whose positive scores higher, plus that
    of tied pairs, ``twice_discordant`` the same for pairs whose positive scores lower.
    """

    n_positive: int | float
    n_negative: int | float
    twice_concordant: int | float
    twice_discordant: int | float

    @classmethod
    def of(cls, n_positive: int | float, n_negative: int | float, twice: int | float) -> Self:
        """Return the counts of all pairs from ``twice`` the concordant ones."""
        return cls(n_positive, n_negative, twice, 2 * n_positive * n_negative - twice)

    @property
    def auc(self) -> float:
        """Area under the ROC curve; nan if a class is empty.

        Divided once: exact counts give the double nearest to the rational number.
        """
        return _ratio(self.twice_concordant, self.twice_discordant, self)

    @property
    def rank_loss(self) -> float:
        """Rank loss, the fraction of wrongly ordered pairs (ties half); nan if a class is empty."""
        return _ratio(self.twice_discordant, self.twice_concordant, self)


def _ratio(twice: int | float, others: int | float, pairs: PairCounts) -> float:
    n_positive, n_negative = pairs.n_positive, pairs.n_negative
    if n_positive == 0 or n_negative == 0:
        return math.nan
    if isinstance(twice, int):
        return twice / (2 * n_positive * n_negative)
    # Weights are rounded: without others all are exactly 1.
    return min(twice / n_positive / n_negative / 2.0, 1.0) if others > 0.0 else 1.0


def count_pairs(rows: BinaryRows | DeviceCounts) -> PairCounts:
    """Return the pair counts of checked rows: exact integers, or compensated weights.

    Time O(n) expected with a partition (from ``PLAIN_ROWS`` rows), O(n log n) below; memory one
    copy of the scores and weights.
    """
    if isinstance(rows, DeviceCounts):
        counts = PairCounts.of(*rows.pair_sums())
        if 2 * counts.n_positive * counts.n_negative < INT64_BOUND:
            return counts
        return pairs_of_weights(*rows.columns()[1:])
    if rows.weights is not None or rows.is_narrow:
        columns, totals = distinct_scores(rows)
        return pairs_of_weights(*columns[1:], totals or None)
    if len(rows) < PLAIN_ROWS:
        return pairs_of_sorted(*sorted_classes(rows))
    parted = partition(rows)
    if not rows.accept(parted.is_clean):
        return count_pairs(rows)
    bucket_map = parted.bucket_map
    # Twice the concordant pairs plus the tied ones inside each bucket of several scores.
    inside = np.zeros(bucket_map.n_buckets, np.int64)

    def count(first: int, stop: int) -> None:
        streams = parted.pool, parted.block_starts, parted.block_order, parted.buffers, parted.fill
        limits = bucket_map.lows, bucket_map.highs, bucket_map.holds_one_score
        buckets.count_buckets(first, stop, *streams, *limits, parted.rows, inside)
        for b in (np.flatnonzero(inside[first:stop] < 0) + first).tolist():
            negative, positive = parted.gather(2 * b), parted.gather(2 * b + 1)
            negative.sort()
            positive.sort()
            inside[b] = merges.pairs_of_sorted(positive, negative)

    run([partial(count, *job) for job in bucket_jobs(bucket_map.n_buckets)])
    parted.release()
    n_negative = n_positive = twice = 0
    for negatives, positives, pairs, ties in zip(
        parted.rows[0::2].tolist(),
        parted.rows[1::2].tolist(),
        inside.tolist(),
        bucket_map.holds_one_score.tolist(),
        strict=True,
    ):
        twice += 2 * positives * n_negative + (positives * negatives if ties else pairs)
        n_negative += negatives
        n_positive += positives
    return PairCounts.of(n_positive, n_negative, twice)


def pairs_of_sorted(positive: NDArray[Any], negative: NDArray[Any]) -> PairCounts:
    """Return the pair counts of the scores of two classes, each ascending and checked."""
    twice = int(merges.pairs_of_sorted(positive, negative))
    return PairCounts.of(len(positive), len(negative), twice)


def pairs_of_weights(
    positives: NDArray[Any],
    negatives: NDArray[Any],
    totals: tuple[int | float, int | float] | None = None,
) -> PairCounts:
    """Return the pair counts of a table's two columns, highest score first, of these sums.

    int64 columns give exact integers of any size; float64 ones compensated sums, each relative
    error below ``8 * 2**-53`` plus terms of second order in the number of rows.
    """
    if positives.dtype.kind == "f":
        return _weigh_pairs(positives, negatives)
    n_positive, n_negative = map(int, totals or (positives.sum(), negatives.sum()))
    pairs = 2 * n_positive * n_negative
    if pairs < INT64_BOUND and len(positives) <= BLOCK_ROWS:
        lost = int(merges.lost_pairs(positives, negatives))
        return PairCounts(n_positive, n_negative, pairs - lost, lost)
    if pairs < INT64_BOUND:

        def count(here: slice) -> tuple[int, int, int]:
            p, n = positives[here], negatives[here]
            return int(merges.lost_pairs(p, n)), int(p.sum()), int(n.sum())

        lost = higher = 0
        for lost_here, p, n in by_blocks(len(positives), count):
            lost += lost_here + 2 * p * higher
            higher += n
        return PairCounts(n_positive, n_negative, pairs - lost, lost)
    below = n_negative - np.cumsum(negatives)
    twice = int(2 * exact_dot(positives, below) + exact_dot(positives, negatives))
    return PairCounts.of(n_positive, n_negative, twice)


def _weigh_pairs(positives: NDArray[np.float64], negatives: NDArray[np.float64]) -> PairCounts:
    """Return the pair counts within blocks of rows, plus those between two blocks."""

    def weigh(here: slice) -> NDArray[np.float64]:
        sums = np.empty(4)
        merges.weigh_pairs(positives[here], negatives[here], sums)
        return sums

    blocks = by_blocks(len(positives), weigh)
    if len(blocks) < 2:
        return PairCounts(*(blocks[0] if blocks else np.zeros(4)).tolist())
    return _join_weighed(np.array(blocks))


def join_pairs(ranges: Sequence[PairCounts]) -> PairCounts:
    """Return the pair counts of consecutive ranges of scores, the highest first."""
    if len(ranges) == 1:
        return ranges[0]
    if all(isinstance(one.twice_concordant, int) for one in ranges):
        positives = higher = concordant = discordant = 0
        negatives = sum(int(one.n_negative) for one in ranges)
        for one in ranges:
            p, n = int(one.n_positive), int(one.n_negative)
            concordant += int(one.twice_concordant) + 2 * p * (negatives - higher - n)
            discordant += int(one.twice_discordant) + 2 * p * higher
            positives += p
            higher += n
        return PairCounts(positives, negatives, concordant, discordant)
    return _join_weighed(np.array([astuple(one) for one in ranges]))


def _join_weighed(sums: NDArray[np.float64]) -> PairCounts:
    p, n, concordant, discordant = sums.T.copy()
    from_top, from_bottom = np.empty((2, len(n)))
    merges.cumulative_pair(n, n[::-1].copy(), from_top, from_bottom)
    higher = 2.0 * p[1:] * from_top[:-1]
    lower = 2.0 * p[:-1] * from_bottom[-2::-1]
    columns = p, n, np.append(concordant, lower), np.append(discordant, higher)
    return PairCounts(*map(math.fsum, columns))


#: Integer products below this bound are exact in int64; above it Python integers take over.
INT64_BOUND = 2**63

_CHUNK = 1 << 16


def above(ends: NDArray[Any]) -> NDArray[Any]:
    """Return the counts above each row of a table, from the cumulative counts at its end."""
    before = np.zeros_like(ends)
    before[1:] = ends[:-1]
    return before


def exact_dot(left: NDArray[Any], right: NDArray[Any]) -> int | float:
    """Return the sum of ``left * right``, both non-negative: exact for int64, else float64.

    Integers go through int64 where the sum is known to fit, through Python integers where it
    may not. Floats are summed pairwise: every term has one sign, so that the relative error is
    below ``(log2(n) + 2) * 2**-53`` plus that of the terms.
    """
    if left.dtype.kind == "f" or right.dtype.kind == "f":
        return float((left * right).sum())
    if left.size == 0:
        return 0
    if int(left.sum()) * int(right.max()) < INT64_BOUND:
        return int(np.dot(left, right))
    if left.size <= _CHUNK:
        return int(sum(map(mul, left.tolist(), right.tolist())))
    chunks = (slice(start, start + _CHUNK) for start in range(0, left.size, _CHUNK))
    return sum(exact_dot(left[chunk], right[chunk]) for chunk in chunks)
