"""Walsh averages, those of all pairs of numbers, by their rank."""

from __future__ import annotations

import math
from functools import partial
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels.differences import count_pair_sums, write_pair_sums
from fastmetrics._threads.workers import run

Floats = NDArray[np.float64]

#: All averages of so few numbers are made.
_FEW: Final = 512
#: One of so many numbers is in the sample that says where to look.
_STEP: Final = 31
#: What is left between the bounds in a sample, in shares of its size, and how far from a rank the
#: bounds are that it proposes: the middles of blocks tell ranks to a tenth of the numbers.
_LEFT: Final = 1 / 16
_MARGIN: Final = 1 / 4


def walsh_averages(values: Floats, *spans: tuple[int, int]) -> list[tuple[float, float]]:
    """Return the first and the last of some ranks, from 1, of the averages (d_i + d_j) / 2, i <= j.

    A sample of the numbers says, by the same search in it, where an average lies among all of them.
    Those up to there are counted, in one walk, and those in between are made. O(n log n), for ties
    and outliers too: where the sample misleads, doubles are halved by counting.
    """
    halves = np.sort(values) / 2  # no sum of two of them overflows
    if len(halves) <= _FEW:
        averages = np.sort(np.concatenate([half + halves[i:] for i, half in enumerate(halves)]))
        return [(float(averages[a - 1]), float(averages[b - 1])) for a, b in spans]
    numbers = _distinct(halves)
    return run([partial(_ranked, halves, numbers, *span) for span in spans])


class _Numbers(NamedTuple):
    """Distinct ascending numbers, and how many there are before each, and in all."""

    values: Floats
    before: NDArray[np.int64]


class _Bracket(NamedTuple):
    """Two numbers: a rank is that of a sum above the lower one, and up to the upper one.

    With each how many pairs have sums up to it, and how many pairs of distinct numbers.
    """

    low: float
    high: float
    below: int
    up_to: int
    distinct_below: int
    distinct_up_to: int

    @property
    def n_distinct(self) -> int:
        """Pairs of distinct numbers with sums in between."""
        return self.distinct_up_to - self.distinct_below

    def at(self, rank: float) -> float:
        """Return about what sum has a rank."""
        share = min(max((rank - self.below) / (self.up_to - self.below), 0.0), 1.0)
        return self.low * (1.0 - share) + self.high * share

    def narrowed(self, numbers: _Numbers, rank: float, low: float, high: float) -> _Bracket:
        """Return the bracket, narrowed by what can be said of two numbers inside it."""
        counts = np.empty(4, np.int64)
        count_pair_sums(*numbers, low, high, counts)
        found = self
        for bound, pairs, distinct in zip((low, high), *counts.reshape(2, 2).tolist(), strict=True):
            if pairs < rank and bound > found.low:
                found = found._replace(low=bound, below=pairs, distinct_below=distinct)
            elif pairs >= rank and bound < found.high:
                found = found._replace(high=bound, up_to=pairs, distinct_up_to=distinct)
        return found


def _distinct(ascending: Floats) -> _Numbers:
    rises = np.concatenate(([True], ascending[1:] != ascending[:-1]))
    starts = np.flatnonzero(rises)
    return _Numbers(ascending[starts], np.append(starts, len(ascending)))


def _ranked(halves: Floats, numbers: _Numbers, first: int, last: int) -> tuple[float, float]:
    """Return the sums of two ranks, equal or neighbours, of the pairs of ascending numbers."""
    n = len(halves)
    found = _bracket(halves, numbers, first, n)
    if found.n_distinct > n:  # as doubles go, one sum
        low, high = found.high, found.high
    else:
        sums, pairs = np.empty(found.n_distinct), np.empty(found.n_distinct, np.int64)
        write_pair_sums(*numbers, found.low, found.high, sums, pairs)
        place, other = first - 1 - found.below, min(last, found.up_to) - 1 - found.below
        if len(numbers.values) == n:
            sums.partition([place, other])
        else:
            order = np.argsort(sums)
            ends = np.cumsum(pairs[order])
            place, other = order[np.searchsorted(ends, [place, other], side="right")]
        low, high = float(sums[place]), float(sums[other])
    if last > found.up_to:
        high = _ranked(halves, numbers, last, last)[1]
    return low, high


def _bracket(halves: Floats, numbers: _Numbers, rank: float, most: float) -> _Bracket:
    """Return bounds with at most so many pairs of distinct numbers, or no double, in between."""
    n, m = len(halves), len(numbers.values)
    lowest, count = math.nextafter(float(2 * halves[0]), -math.inf), n * (n + 1) // 2
    found = _Bracket(lowest, float(2 * halves[-1]), 0, count, 0, m * (m + 1) // 2)
    if n > _FEW * _STEP:
        size = n // _STEP
        sample = halves[np.rint(np.arange(0.5, size) * (n / size) - 0.5).astype(np.int64)]
        # A number and itself are a greater share of the pairs of few.
        scale, selves = (size / n) ** 2, rank / count / 2
        place, margin = (rank - selves * n) * scale + selves * size, _MARGIN * n * scale
        place = min(max(place, 1.0), size * (size + 1) / 2)
        near = _bracket(sample, _distinct(sample), place, _LEFT * size)
        found = found.narrowed(numbers, rank, near.at(place - margin), near.at(place + margin))
    by_ranks = True
    while found.n_distinct > most:
        if by_ranks:
            low, high = found.at(rank - most / 4), found.at(rank + most / 4)
        else:
            low = high = _middle(found.low, found.high)
            if not found.low < low < found.high:
                break
        by_ranks = not by_ranks
        found = found.narrowed(numbers, rank, low, high)
    return found


def _middle(low: float, high: float) -> float:
    """Return the number with as many doubles above ``low`` as below ``high``."""
    middle = (_place(low) + _place(high)) // 2
    return math.copysign(float(np.int64(abs(middle)).view(np.float64)), middle)


def _place(number: float) -> int:
    """Return how many doubles lie between 0 and a number, with its sign."""
    size = int(np.float64(abs(number)).view(np.int64))
    return size if number > 0 else -size
