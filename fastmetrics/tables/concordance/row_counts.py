"""``RowCounts``: what ``RowSums`` are, of rows that all count one: in integers."""

from __future__ import annotations

import itertools
from functools import partial
from typing import Final, NamedTuple

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
        n, (rows, keys, starts, _) = len(self.sums), self.by_rank
        cuts = np.searchsorted(starts, np.arange(0, n + _ROWS_OF_A_JOB, _ROWS_OF_A_JOB))
        cuts = np.unique(np.minimum(cuts, len(starts) - 1))
        given, found = np.array([*slopes, besides]), np.empty(n)
        write = partial(kernels.combine_partners, self.sums, keys, rows, starts)
        jobs = itertools.pairwise(cuts.tolist())
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
    found: Integers = np.repeat(by_key.starts[1:], np.diff(by_key.starts)) - ends
    return found


def _sorted_sums(codes: NDArray[np.uint32], sums: Integers, bits: int) -> Integers:
    """Return the sums of rows before, by rank; both arrays are used up."""
    n = len(codes)
    rest = max(0, bits - kernels.DIGIT)
    shift = rest + 1
    edges = [*range(0, n, _ROWS_OF_A_JOB), n]
    counts = np.zeros((len(edges) - 1, _DIGITS), np.int64)
    jobs = list(zip(edges[:-1], edges[1:], counts, strict=True))
    run([partial(kernels.lower_by_digit, codes, *job[:2], shift, sums, job[2]) for job in jobs])
    sizes = counts & 0xFFFFFFFF
    starts = np.append(0, np.cumsum(sizes.sum(axis=0)))
    places = starts[:-1] + np.cumsum(sizes, axis=0) - sizes
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
        parts = np.searchsorted(starts, np.arange(0, n + _ROWS_OF_A_JOB, _ROWS_OF_A_JOB))
        parts = np.unique(np.append(np.minimum(parts, _DIGITS), [0, _DIGITS])).tolist()
        within = partial(kernels.lower_in_segments, ordered, ordered_sums, codes, sums, starts)
        run([partial(within, *part, rest) for part in itertools.pairwise(parts)])
    return ordered_sums
