"""A difference of paired proportions at a margin: Tango's score statistic and its interval."""

from __future__ import annotations

import math
from typing import NamedTuple

from fastmetrics._results import ConfidenceInterval


class PairedCounts(NamedTuple):
    """Of n examples, how many only A and how many only B gets right."""

    only_a: int
    only_b: int
    n: int

    @property
    def difference(self) -> float:
        """Accuracy of A less that of B."""
        return (self.only_a - self.only_b) / self.n


def score_statistic(counts: PairedCounts, difference: float) -> float:
    """Return z of "the difference of the proportions is `difference`", which lies in (-1, 1).

    The variance takes the probability of "only B" that is likeliest under that hypothesis
    (Tango 1998, Statistics in Medicine 17:891-908), so that no count of 0 makes it vanish.
    """
    b, c, n = counts
    linear = -b - c + (2 * n - b + c) * difference
    constant = -c * difference * (1 - difference)
    root = math.sqrt(max(0.0, linear * linear - 8 * n * constant))
    # Of the two forms of the root, the one that adds.
    likeliest = (root - linear) / (4 * n) if linear <= 0 else -2 * constant / (root + linear)
    variance = n * (2 * likeliest + difference * (1 - difference))
    excess = b - c - n * difference
    if variance <= 0:
        return 0.0 if excess == 0 else math.copysign(math.inf, excess)
    return excess / math.sqrt(variance)


def score_interval(counts: PairedCounts, z: float) -> ConfidenceInterval:
    """Return the differences whose score statistic lies within +-z."""
    return ConfidenceInterval(_limit(counts, z, -1.0), _limit(counts, -z, 1.0))


def _limit(counts: PairedCounts, z: float, end: float) -> float:
    """Return where the statistic, which falls as the difference grows, is z."""
    from scipy.optimize import brentq

    estimate = counts.difference
    if estimate == end:
        return end
    inner = end * (1 - 1e-12)  # at the end itself the variance is 0, and z infinite
    return float(brentq(lambda d: score_statistic(counts, d) - z, *sorted((estimate, inner))))
