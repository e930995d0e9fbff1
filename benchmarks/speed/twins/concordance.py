"""Naive twins of the kernels that count pairs of ranks: every pair beside every other.

Pairs of calls as in ``curves.py``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed.data import Data
from benchmarks.speed.twins.curves import Pair
from fastmetrics._kernels import concordance


def _ranks(data: Data) -> NDArray[np.int32]:
    return np.unique(data.scores, return_inverse=True)[1].astype(np.int32)


def rising_pairs(data: Data) -> Pair:
    """Count the pairs of rows whose scores rise, digit by digit, as one segment of all rows."""
    ranks = _ranks(data)
    n = len(ranks)
    starts = np.array([0, n])
    shift = max(0, int(ranks.max()).bit_length() - concordance.DIGIT)

    def ours() -> tuple[Any, ...]:
        own = ranks.copy()
        total = concordance.rising_in_segments(own, np.empty_like(own), starts, 0, 1, shift)
        counts = np.zeros(256, np.int64)
        concordance.rising_by_digit(ranks, 0, n, shift, counts)
        places = np.cumsum(counts) - counts
        out = np.empty_like(ranks)
        concordance.scatter_by_digit(ranks, 0, n, shift, places, out)
        return int(total), out

    def twin() -> tuple[Any, ...]:
        total = int(np.count_nonzero(np.triu(ranks[:, None] < ranks[None, :], 1)))
        return total, ranks[np.argsort(ranks >> shift, kind="stable")]

    return ours, twin


def rows_before(data: Data) -> Pair:
    """Sort rows by their ranks, each counting the rows before it of lower rank, and partners."""
    ranks = _ranks(data)
    n, bits = len(ranks), int(ranks.max()).bit_length()
    codes = (ranks.astype(np.uint32) << 1) | 1
    by_rank = np.argsort(ranks, kind="stable").astype(np.int32)
    starts = np.append(np.flatnonzero(np.diff(ranks[by_rank], prepend=-1)), n)
    places = np.arange(n + 1, dtype=np.int32)  # each row has a key of its own, and leads
    slopes = np.array([1.0, 0.0, 0.0, 0.0, 0.0])
    first, last = np.array([0, n]), max(0, bits - concordance.DIGIT) + 1

    def ours() -> tuple[Any, ...]:
        own, sums = codes.copy(), np.zeros(n, np.int64)
        concordance.lower_in_segments(
            own, sums, codes.copy(), np.empty_like(sums), first, 0, 1, bits
        )
        counts, more, out = np.zeros(256, np.int64), np.zeros(256, np.int64), np.empty_like(codes)
        digit, sums_out = np.zeros(n, np.int64), np.empty_like(sums)
        concordance.lower_by_digit(codes, 0, n, last, digit, counts)
        sizes = counts & 0xFFFFFFFF
        given = (codes, digit, 0, n, last, 255, np.cumsum(sizes) - sizes, more, out, sums_out)
        concordance.scatter_with_sums(*given)
        partners = np.empty(n)
        of_rows = (sums, by_rank, by_rank, starts, 0, len(starts) - 1)
        concordance.combine_partners(*of_rows, np.stack((places, places), axis=1), slopes, partners)
        return sums & 0xFFFFFFFF, out, partners

    def twin() -> tuple[Any, ...]:
        lower = np.tril(ranks[None, :] < ranks[:, None], -1).sum(axis=1)
        higher = np.triu(ranks[None, :] > ranks[:, None], 1).sum(axis=1)
        by_digit = codes[np.argsort(codes >> last, kind="stable")]
        return lower[by_rank], by_digit, (lower + higher).astype(np.float64)

    return ours, twin


def sums_of_later(data: Data) -> Pair:
    """Sum the weights of later rows of lower and of equal rank; rows come in groups of four."""
    ranks = _ranks(data)
    n = len(ranks)
    starts = np.append(np.arange(0, n, 4), n)
    weights = np.arange(n) % 5 / 4.0
    size = int(ranks.max()) + 1
    asked = np.ones(n, np.bool_)

    def ours() -> tuple[Any, ...]:
        below, tied = np.zeros(n), np.zeros(n)
        tree, here = np.zeros(size), np.zeros(size)
        concordance.sums_of_later(ranks, starts, weights, asked, tree, here, below, tied)
        return below, tied

    def twin() -> tuple[Any, ...]:
        group = np.arange(n) // 4
        later = np.where(group[None, :] > group[:, None], weights[None, :], 0.0)
        lower, equal = ranks[None, :] < ranks[:, None], ranks[None, :] == ranks[:, None]
        return (later * lower).sum(axis=1), (later * equal).sum(axis=1)

    return ours, twin


#: By the pair of calls: the kernels, and whether the twin visits every pair of rows.
TWINS = {
    rising_pairs: (
        (
            "concordance:rising_by_digit",
            "concordance:rising_in_segments",
            "concordance:scatter_by_digit",
        ),
        True,
    ),
    rows_before: (
        (
            "concordance:_lower_by_half",
            "concordance:_sort_few",
            "concordance:combine_partners",
            "concordance:lower_by_digit",
            "concordance:lower_in_segments",
            "concordance:scatter_with_sums",
        ),
        True,
    ),
    sums_of_later: (("concordance:sums_of_later",), True),
}
