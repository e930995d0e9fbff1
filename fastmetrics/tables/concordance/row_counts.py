"""Pairs of rows that all count one, in integers: of each row (`RowCounts`), and in all."""

from __future__ import annotations

from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels import concordance as kernels
from fastmetrics._threads.workers import run
from fastmetrics.tables.concordance.row_sums import (
    Floats,
    Keyed,
    PairTotals,
    Ranked,
    Slopes,
    in_order,
)
from fastmetrics.tables.ordering.row_order import jobs_of, row_order

Integers = NDArray[np.int64]

#: Rows of a job.
_ROWS_OF_A_JOB: Final = 1 << 17
_DIGITS: Final = 1 << kernels.DIGIT


class RowCounts(NamedTuple):
    """Of each row, the number of its partners in pairs of a kind; rows are by rank, then key.

    ``sums`` has the rows of lower rank of which the key is not higher, and 2**32 times those of
    lower rank and key that lead; ``before``, of shape (n_keys + 1, 2), the rows of lower keys, and
    how many of them lead.
    """

    sums: Integers
    by_rank: Keyed
    before: NDArray[np.int32]
    has_tied_keys: bool

    def totals(self) -> PairTotals:
        """Return the number of pairs by kind."""
        n = len(self.sums)
        ends, leads = self.before[1:, 0], np.diff(self.before[:, 1])
        pairs = int((leads * (n - ends.astype(np.int64))).sum())
        concordant = int((self.sums >> 32).sum())
        has_tied_scores = len(self.by_rank.starts) <= n
        tied = self._total((0.0, 0.0, 1.0, 0.0)) if has_tied_scores else 0.0
        tied_keys = self._total((0.0, 0.0, 0.0, 1.0)) if self.has_tied_keys else 0.0
        return PairTotals(concordant, pairs - concordant - tied, tied, tied_keys)

    def every(self, are_rows: bool) -> tuple[float, float]:
        """Return the number of all pairs, and of each row's."""
        del are_rows
        n = len(self.sums)
        return n * (n - 1) / 2, n - 1.0

    def influences(self, slopes: Slopes, besides: Floats | float = 0.0) -> Floats:
        """Return each row's partners by kind, each times a slope, and a constant."""
        rows, keys, starts, _ = self.by_rank
        given, found = np.array([*slopes, besides]), np.empty(len(rows))
        write = partial(kernels.combine_partners, self.sums, keys, rows, starts)
        jobs = jobs_of(starts, _ROWS_OF_A_JOB)
        run([partial(write, *job, self.before, given, found) for job in jobs])
        return found

    def _total(self, slopes: Slopes) -> float:
        return float(self.influences(slopes).sum()) / 2


def count_rows(keys: Ranked, scores: Ranked, is_lead: NDArray[np.bool_] | None = None) -> RowCounts:
    """Count the partners of each row.

    ``is_lead`` says whether pairs count whose lower key is the row's: the same for all of a key.

    Rows in the order of their keys, of equal ones the highest rank first, are sorted by ranks digit
    by digit; on its way each row learns how many rows before it have a lower rank: O(n log n). Rows
    of lower rank with the same key come after it, and are added beforehand.
    """
    n = len(keys.ranks)
    by_key, by_rank = in_order(keys, scores.turned()), in_order(scores, keys)
    leads = np.ones(n, np.bool_) if is_lead is None else is_lead
    before = np.zeros((keys.n_ranks + 1, 2), np.int32)
    sizes = np.diff(by_key.starts)
    firsts = by_key.rows[by_key.starts[:-1]]
    of_key = keys.ranks[firsts] + 1
    before[of_key, 0] = sizes
    before[of_key, 1] = sizes * leads[firsts]
    for column in before.T:
        np.cumsum(column, out=column)
    codes = (scores.n_ranks - 1 - by_key.ranks).astype(np.uint32)
    codes <<= 1
    codes |= leads[by_key.rows]
    bits = (scores.n_ranks - 1).bit_length()
    sums = _sorted_sums(codes, _lower_of_key(by_key), bits)
    return RowCounts(sums, by_rank, before, len(sizes) < n)


def _lower_of_key(by_key: Keyed) -> Integers:
    """Return how many rows of a row's key have a lower rank; ranks fall within keys."""
    n = len(by_key.rows)
    if len(by_key.starts) == n + 1:
        return np.zeros(n, np.int64)
    is_end = np.append(by_key.ranks[1:] != by_key.ranks[:-1], True)
    is_end[by_key.starts[1:] - 1] = True
    ends = np.flatnonzero(is_end) + 1
    ends = np.repeat(ends, np.diff(ends, prepend=0))
    return np.asarray(np.repeat(by_key.starts[1:], np.diff(by_key.starts)) - ends)


def _sorted_sums(codes: NDArray[np.uint32], sums: Integers, bits: int) -> Integers:
    """Return the sums of rows before, by rank; both arrays are used up."""
    rest = max(0, bits - kernels.DIGIT)
    shift = rest + 1
    counts, jobs = _digit_jobs(len(codes))
    run([partial(kernels.lower_by_digit, codes, *job[:2], shift, sums, job[2]) for job in jobs])
    starts, places = _places(counts & 0xFFFFFFFF)
    earlier = np.cumsum(counts, axis=0) - counts  # rows of earlier jobs
    more = np.cumsum(earlier, axis=1) - earlier
    ordered, ordered_sums = np.empty_like(codes), np.empty_like(sums)
    run(
        [
            partial(
                kernels.scatter_with_sums,
                *(codes, sums, low, high, shift, _DIGITS - 1),
                *(place, add, ordered, ordered_sums),
            )
            for (low, high, _), place, add in zip(jobs, places, more, strict=True)
        ]
    )
    if rest:
        within = partial(kernels.lower_in_segments, ordered, ordered_sums, codes, sums, starts)
        run([partial(within, *part, rest) for part in jobs_of(starts, _ROWS_OF_A_JOB)])
    return ordered_sums


def _digit_jobs(n: int) -> tuple[Integers, list[tuple[int, int, Integers]]]:
    """Return counters of digits, and ranges of n rows, each with its own row of counters."""
    edges = [*range(0, n, _ROWS_OF_A_JOB), n]
    counts = np.zeros((len(edges) - 1, _DIGITS), np.int64)
    return counts, list(zip(edges[:-1], edges[1:], counts, strict=True))


def _places(sizes: Integers) -> tuple[Integers, Integers]:
    """Return where digits begin, and where the rows of each job go, by the sizes in all jobs."""
    starts = np.append(0, np.cumsum(sizes.sum(axis=0)))
    return starts, starts[:-1] + np.cumsum(sizes, axis=0) - sizes


class PairCounts(NamedTuple):
    """Pairs of n rows, each of which is one of five kinds; Python integers, of any size."""

    n_rows: int
    n_scores: int
    n_outcomes: int
    concordant: int
    discordant: int
    tied_in_score: int
    tied_in_outcome: int
    tied_in_both: int

    @property
    def excess(self) -> int:
        """Concordant pairs less discordant ones."""
        return self.concordant - self.discordant

    @property
    def apart_in_score(self) -> int:
        """Pairs whose scores differ."""
        return self.total - self.tied_in_score - self.tied_in_both

    @property
    def apart_in_outcome(self) -> int:
        """Pairs whose outcomes differ."""
        return self.total - self.tied_in_outcome - self.tied_in_both

    @property
    def total(self) -> int:
        """All pairs."""
        return self.n_rows * (self.n_rows - 1) // 2


def count_pairs(outcome: NDArray[Any], score: NDArray[Any]) -> PairCounts:
    """Count the pairs of rows by kind, of fewer than 2**31 finite numbers.

    Two sorts, then the ranks of one variable in the order of the other, counted digit by digit:
    O(n log n), in integers.
    """
    by_score, by_outcome = row_order(score), row_order(outcome)
    n, highest = len(score), by_outcome.n_distinct - 1
    ranks = by_outcome.spread(np.arange(highest + 1, dtype=np.int32))[by_score.rows]
    score_ties, outcome_ties = _pairs_in(by_score.starts), _pairs_in(by_outcome.starts)
    both_ties = 0
    if score_ties:
        # rows that tie in score, the highest outcome first: no pair of them is rising
        runs = np.arange(by_score.n_distinct)
        keys = np.repeat(runs, np.diff(by_score.starts)) << 32 | (highest - ranks)
        keys.sort()
        changes = np.concatenate(([True], keys[1:] != keys[:-1], [True]))
        both_ties = _pairs_in(np.flatnonzero(changes))
        ranks = (highest - (keys & 0xFFFFFFFF)).astype(np.int32)
    concordant = _rising(ranks, highest)
    tied_somewhere = score_ties + outcome_ties - both_ties
    return PairCounts(
        n,
        by_score.n_distinct,
        by_outcome.n_distinct,
        concordant,
        n * (n - 1) // 2 - tied_somewhere - concordant,
        score_ties - both_ties,
        outcome_ties - both_ties,
        both_ties,
    )


def correlate_ranks(outcome: NDArray[Any], score: NDArray[Any]) -> tuple[int, int, int]:
    """Return what Spearman's rho is made of, in integers, each four times itself: O(n log n).

    Sums of squares of the outcome's mid-ranks, less their mean, of the score's, and of products.
    """
    centred = []  # twice the mid-rank of each row, less n + 1
    for order in map(row_order, (outcome, score)):
        starts = order.starts.astype(np.int64)
        centred.append(order.spread(starts[:-1] + starts[1:] - len(order.rows)))
    y, x = centred
    return _exact_dot(y, y), _exact_dot(x, x), _exact_dot(y, x)


def _exact_dot(left: NDArray[np.int64], right: NDArray[np.int64]) -> int:
    """Return the sum of products of numbers below n, chunk by chunk that cannot overflow."""
    n = len(left)
    size = max(1, 2**62 // (n * n))
    return sum(int(left[i : i + size] @ right[i : i + size]) for i in range(0, n, size))


def _pairs_in(bounds: NDArray[Any]) -> int:
    """Return the pairs of rows within runs, of which each begins where the one before ends."""
    if len(bounds) > bounds[-1]:
        return 0
    sizes = bounds[1:].astype(np.int64) - bounds[:-1]
    if int(sizes.max(initial=0)) > 1 << 20:  # squares whose sum may not fit
        return sum(size * (size - 1) // 2 for size in sizes.tolist())
    return int((sizes * (sizes - 1) // 2).sum())


def _rising(ranks: NDArray[np.int32], largest: int) -> int:
    """Return the pairs i < j with ``ranks[i] < ranks[j]``; ``ranks`` is used up."""
    shift = max(0, largest.bit_length() - kernels.DIGIT)
    counts, jobs = _digit_jobs(len(ranks))
    count = partial(kernels.rising_by_digit, ranks)
    total = sum(map(int, run([partial(count, *job[:2], shift, job[2]) for job in jobs])))
    before = np.zeros(_DIGITS, np.int64)
    for row in counts:  # pairs of rows in two jobs
        below = np.append(0, np.cumsum(before))[:-1]
        total += sum(map(int.__mul__, below.tolist(), row.tolist()))
        before += row
    if shift == 0:
        return total
    starts, places = _places(counts)
    ordered, scratch = np.empty_like(ranks), ranks
    scatter = partial(kernels.scatter_by_digit, ranks)
    both = zip(jobs, places, strict=True)
    run([partial(scatter, *job[:2], shift, put, ordered) for job, put in both])
    within = partial(kernels.rising_in_segments, ordered, scratch, starts)
    rest = max(0, shift - kernels.DIGIT)
    found = run([partial(within, *part, rest) for part in jobs_of(starts, _ROWS_OF_A_JOB)])
    return total + sum(map(int, found))
