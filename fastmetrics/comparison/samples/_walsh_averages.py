"""Hodges and Lehmann's estimate: order statistics of the averages of all pairs of differences."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import Alternative
from fastmetrics._results import ConfidenceInterval
from fastmetrics.comparison.samples._signed_ranks import distribution

Floats = NDArray[np.float64]

_PAIRS: Final = 1 << 19
"""So many averages are looked at one by one."""

_EXACT: Final = 200


class WalshAverages:
    """The n (n + 1) / 2 averages (d_i + d_j) / 2, i <= j, by their rank.

    Differences that repeat are held once with their number, so that ties cost nothing.
    """

    def __init__(self, values: Floats) -> None:
        self._values, self._counts = np.unique(values, return_counts=True)
        self._before = np.concatenate(([0], np.cumsum(self._counts)))
        self._numbers = np.arange(len(self._values))
        self.n = len(values)
        self.count = self.n * (self.n + 1) // 2
        lowest = math.nextafter(float(self._values[0]), -math.inf)
        self._known = {lowest: 0, float(self._values[-1]): self.count}

    def ranked(self, rank: int) -> float:
        """Return the average of rank 1 ... count, the smallest first.

        Notes
        -----
        The value is bisected by counting the averages up to it, O(n log n) a step, until few are
        left; what an earlier search counted is known.
        """
        low = max(value for value, total in self._known.items() if total < rank)
        high = min(value for value, total in self._known.items() if total >= rank)
        below, up_to = self._partners(low), self._partners(high)
        while int((up_to - below).sum()) > _PAIRS:
            middle = low / 2 + high / 2
            if not low < middle < high:
                return high
            partners = self._partners(middle)
            self._known[middle] = self._total(partners)
            if self._known[middle] >= rank:
                high, up_to = middle, partners
            else:
                low, below = middle, partners
        averages, weights = self._between(below, up_to)
        order = np.argsort(averages)
        place = np.searchsorted(np.cumsum(weights[order]), rank - self._known[low])
        return float(averages[order[place]])

    def median(self) -> float:
        """Return their median."""
        low = self.ranked((self.count + 1) // 2)
        return low if self.count % 2 else low / 2 + self.ranked(self.count // 2 + 1) / 2

    def _partners(self, value: float) -> NDArray[np.int64]:
        """Return for each i the first j >= i whose average with it is above ``value``."""
        found = np.searchsorted(self._values, 2.0 * value - self._values, side="right")
        return np.maximum(found, self._numbers)

    def _total(self, partners: NDArray[np.int64]) -> int:
        """Return how many averages there are of all i with j before their partners."""
        others = self._before[partners] - self._before[self._numbers + 1]
        own = self._counts * (self._counts + 1) // 2
        return int(np.where(partners > self._numbers, own + self._counts * others, 0).sum())

    def _between(
        self, below: NDArray[np.int64], up_to: NDArray[np.int64]
    ) -> tuple[Floats, NDArray[np.int64]]:
        """Return the averages of all i with below <= j < up_to, and how often each occurs."""
        counts = up_to - below
        first = np.repeat(self._numbers, counts)
        steps = np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts, counts)
        second = np.repeat(below, counts) + steps
        of_first, of_second = self._counts[first], self._counts[second]
        same = of_first * (of_first + 1) // 2
        weights = np.where(first == second, same, of_first * of_second)
        return self._values[first] / 2 + self._values[second] / 2, weights


def walsh_interval(
    averages: WalshAverages, alpha: float, alternative: Alternative
) -> ConfidenceInterval:
    """Return the differences that the signed-rank test does not reject, at a level of 1 - alpha.

    A limit that so few differences do not allow is infinite. Up to 200 differences the exact
    distribution without ties is inverted, beyond the normal one.
    """
    tail = alpha / 2 if alternative == "two-sided" else alpha
    outside = _outside(averages.n, tail)
    low, high = -math.inf, math.inf
    if outside > 0:
        if alternative != "less":
            low = averages.ranked(outside)
        if alternative != "greater":
            high = averages.ranked(averages.count + 1 - outside)
    return ConfidenceInterval(low, high)


def _outside(n: int, tail: float) -> int:
    """Return how many averages a limit may leave out, plus one: the k with P(W < k) <= tail."""
    if n <= _EXACT:
        shares = np.cumsum(distribution(np.arange(1, n + 1)))
        return int(np.count_nonzero(shares <= tail))
    from scipy.special import ndtri

    mean = n * (n + 1) / 4
    deviation = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return max(0, math.floor(mean + float(ndtri(tail)) * deviation - 0.5) + 1)
