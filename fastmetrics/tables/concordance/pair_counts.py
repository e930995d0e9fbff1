"""``PairCounts``: how many pairs of rows two variables order alike, counted in O(n log n)."""

from __future__ import annotations

import itertools
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels import concordance as kernels
from fastmetrics._threads.workers import run
from fastmetrics.tables.ordering.row_order import RowOrder, row_order

#: Rows of a job of the first pass.
_ROWS_OF_A_JOB: Final = 1 << 18
_DIGITS: Final = 1 << kernels.DIGIT


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


class RankSums(NamedTuple):
    """Sums of squares and of products of mid-ranks, less their mean; each four times itself."""

    of_outcome: int
    of_score: int
    of_products: int


def correlate_ranks(outcome: NDArray[Any], score: NDArray[Any]) -> RankSums:
    """Return what Spearman's rho is made of, in integers: O(n log n)."""
    y, x = (_centred_ranks(row_order(each)) for each in (outcome, score))
    return RankSums(_exact_dot(y, y), _exact_dot(x, x), _exact_dot(y, x))


def _centred_ranks(order: RowOrder) -> NDArray[np.int64]:
    """Return twice the mid-rank of each row, less n + 1."""
    starts = order.starts.astype(np.int64)
    return order.spread(starts[:-1] + starts[1:] - len(order.rows))


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
    n = len(ranks)
    shift = max(0, largest.bit_length() - kernels.DIGIT)
    edges = [*range(0, n, _ROWS_OF_A_JOB), n]
    counts = np.zeros((len(edges) - 1, _DIGITS), np.int64)
    jobs = list(zip(edges[:-1], edges[1:], counts, strict=True))
    total = sum(
        int(found)
        for found in run(
            [partial(kernels.rising_by_digit, ranks, *job[:2], shift, job[2]) for job in jobs]
        )
    )
    before = np.zeros(_DIGITS, np.int64)
    for row in counts:  # pairs of rows in two jobs
        below = np.append(0, np.cumsum(before))[:-1]
        total += sum(map(int.__mul__, below.tolist(), row.tolist()))
        before += row
    if shift == 0:
        return total
    starts = np.append(0, np.cumsum(before))
    places = starts[:-1] + np.cumsum(counts, axis=0) - counts
    ordered, scratch = np.empty_like(ranks), ranks
    scatter = partial(kernels.scatter_by_digit, ranks)
    run(
        [
            partial(scatter, *job[:2], shift, put, ordered)
            for job, put in zip(jobs, places, strict=True)
        ]
    )
    parts = np.unique(np.searchsorted(starts, np.arange(0, n + _ROWS_OF_A_JOB, _ROWS_OF_A_JOB)))
    parts = np.unique(np.concatenate([[0], parts[parts < _DIGITS], [_DIGITS]])).tolist()
    within = partial(kernels.rising_in_segments, ordered, scratch, starts)
    rest = max(0, shift - kernels.DIGIT)
    found = run([partial(within, low, high, rest) for low, high in itertools.pairwise(parts)])
    return total + sum(map(int, found))
