"""Pairs of rows that two variables order alike, counted digit by digit of the ranks of one.

Rows stand in the order of the first variable; ``ranks`` are those of the second. A pair i < j is
rising where ``ranks[i] < ranks[j]``: the highest digit in which the two differ says so, and pairs
that differ in it are counted in one pass, by counters that hold running sums.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels._compile import kernel

#: Digits of ranks are of eight bits: two halves, of 16 counters each.
DIGIT = 8
_HALF = 16
_VALUES = 256
#: Segments up to this size are compared pair by pair.
_FEW = 24


@kernel
def rising_by_digit(
    ranks: NDArray[np.int32], low: int, high: int, shift: int, counts: NDArray[np.int64]
) -> int:
    """Return the rising pairs of rows low to high that differ in the digit; add up ``counts``.

    ``upper[h]`` is the number of rows so far whose upper half is below h, ``lower[h, d]`` of those
    whose upper half is h and whose lower half is below d: a row is two readings, and two steps over
    16 counters, which the compiler makes single instructions.
    """
    upper = np.zeros(_HALF, np.int32)
    lower = np.zeros((_HALF, _HALF), np.int32)
    total = np.int64(0)
    for i in range(low, high):
        digit = (ranks[i] >> shift) & (_VALUES - 1)
        counts[digit] += 1
        first, second = digit >> 4, digit & (_HALF - 1)
        row = lower[first]
        total += upper[first] + row[second]
        for j in range(_HALF):
            upper[j] += np.int32(j > first)
        for j in range(_HALF):
            row[j] += np.int32(j > second)
    return total


@kernel
def scatter_by_digit(
    ranks: NDArray[np.int32],
    low: int,
    high: int,
    shift: int,
    places: NDArray[np.int64],
    out: NDArray[np.int32],
) -> None:
    """Put rows low to high where rows of their digit go, in their order; move ``places`` on."""
    for i in range(low, high):
        rank = ranks[i]
        digit = (rank >> shift) & (_VALUES - 1)
        out[places[digit]] = rank
        places[digit] += 1


@kernel
def rising_in_segments(
    ranks: NDArray[np.int32],
    scratch: NDArray[np.int32],
    starts: NDArray[np.int64],
    first: int,
    last: int,
    shift: int,
) -> int:
    """Return the rising pairs within each segment; ``ranks`` and ``scratch`` are used up."""
    total = np.int64(0)
    lows, highs = np.empty(4 * _VALUES, np.int64), np.empty(4 * _VALUES, np.int64)
    shifts = np.empty(4 * _VALUES, np.int64)
    counts = np.empty(_VALUES, np.int64)
    places = np.empty(_VALUES, np.int64)
    for segment in range(first, last):
        lows[0], highs[0], shifts[0] = starts[segment], starts[segment + 1], shift
        depth = 1
        while depth > 0:
            depth -= 1
            low, high, digit = lows[depth], highs[depth], shifts[depth]
            if high - low <= _FEW:
                for i in range(low + 1, high):
                    own = ranks[i]
                    for j in range(low, i):
                        total += np.int64(ranks[j] < own)
                continue
            counts[:] = 0
            total += rising_by_digit(ranks, low, high, digit, counts)
            if digit == 0:
                continue
            place = low
            for value in range(_VALUES):
                places[value] = place
                if counts[value] > 1:
                    lows[depth], highs[depth] = place, place + counts[value]
                    shifts[depth] = max(0, digit - DIGIT)
                    depth += 1
                place += counts[value]
            scatter_by_digit(ranks, low, high, digit, places, scratch)
            ranks[low:high] = scratch[low:high]
    return total


@kernel
def sums_of_later(
    ranks: NDArray[np.int32],
    starts: NDArray[np.int64],
    weights: NDArray[np.float64],
    is_asked: NDArray[np.bool_],
    tree: NDArray[np.float64],
    here: NDArray[np.float64],
    below: NDArray[np.float64],
    tied: NDArray[np.float64],
) -> None:
    """Write, for each row asked, the weight of the rows of later groups whose rank is lower, equal.

    Groups of rows begin at ``starts`` and end where the next begins. ``tree`` (Fenwick 1994) and
    ``here`` are of a size with the distinct ranks, and zero: a step of the tree adds the lowest
    bit that is set, or takes it away.
    """
    size = len(tree)
    for group in range(len(starts) - 2, -1, -1):
        first, end = starts[group], starts[group + 1]
        for i in range(first, end):
            if is_asked[i]:
                total, k = 0.0, np.int64(ranks[i])
                while k > 0:
                    total += tree[k - 1]
                    k &= k - 1
                below[i], tied[i] = total, here[ranks[i]]
        for i in range(first, end):
            weight = weights[i]
            if weight != 0.0:
                here[ranks[i]] += weight
                k = np.int64(ranks[i]) + 1
                while k <= size:
                    tree[k - 1] += weight
                    k += k & -k
