"""Signed ranks of differences, and the null distribution of their sum."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import Alternative
from fastmetrics.comparison.samples._differences import RankedDifferences, starts_of_ties

Floats = NDArray[np.float64]
ZeroMethod = Literal["wilcox", "pratt", "zsplit"]


class SignedRanks(NamedTuple):
    """Ranks of the differences other than 0 and their signs; ``zeros`` goes to either sum."""

    ranks: Floats
    positive: NDArray[np.bool_]
    zeros: float

    @property
    def plus(self) -> float:
        """Sum of the ranks of positive differences, half the zeros' included."""
        return float(self.ranks[self.positive].sum()) + self.zeros

    @property
    def minus(self) -> float:
        """Sum of the ranks of negative differences, half the zeros' included."""
        return float(self.ranks[~self.positive].sum()) + self.zeros


def signed_ranks(found: RankedDifferences, zero_method: ZeroMethod) -> SignedRanks:
    """Rank the magnitudes, those equal up to rounding sharing their mean rank."""
    values, roundings = found
    if zero_method == "wilcox":
        values, roundings = values[values != 0], roundings[values != 0]
    ranks = _mean_ranks(np.abs(values), roundings)
    zero = values == 0
    half = float(ranks[zero].sum()) / 2 if zero_method == "zsplit" else 0.0
    return SignedRanks(ranks[~zero], values[~zero] > 0, half)


def _mean_ranks(magnitudes: Floats, roundings: Floats) -> Floats:
    order = np.argsort(magnitudes, kind="stable")
    starts = starts_of_ties(magnitudes[order], roundings[order])
    counts = np.diff(starts, append=len(magnitudes))
    ranks = np.empty(len(magnitudes))
    ranks[order] = np.repeat(starts + (counts + 1) / 2, counts)
    return ranks


def exact_pvalue(ranks: SignedRanks, alternative: Alternative) -> float:
    """Return p from the exact distribution, ties and zeros included, by dynamic programming.

    Twice the ranks are whole numbers: the distribution is on 0 ... n (n + 1), and each rank adds
    itself or not. O(n^3) for n differences.
    """
    doubled = np.rint(2 * ranks.ranks).astype(np.int64)
    shares = distribution(doubled)
    plus = int(doubled[ranks.positive].sum())
    minus = len(shares) - 1 - plus
    if alternative == "greater":
        return float(shares[plus:].sum())
    if alternative == "less":
        return float(shares[: plus + 1].sum())
    return min(1.0, 2.0 * float(shares[: min(plus, minus) + 1].sum()))


def distribution(doubled: NDArray[np.int64]) -> Floats:
    """Return the probability of each sum of a random half of whole numbers."""
    shares = np.zeros(int(doubled.sum()) + 1)
    shares[0] = 1.0
    top = 0
    for rank in np.sort(doubled).tolist():
        shares[: top + 1] *= 0.5
        shares[rank : top + rank + 1] += shares[: top + 1].copy()
        top += rank
    return shares


def normal_pvalue(
    ranks: SignedRanks, correction: bool, alternative: Alternative
) -> tuple[float, float]:
    """Return z and p of the normal distribution with the exact mean and variance.

    Given the ranks, the sum has variance sum r^2 / 4: ties need no correction, and zeros, whose
    ranks do not move, do not enter.
    """
    from scipy.special import ndtr

    deviation = 0.5 * math.sqrt(float((ranks.ranks**2).sum()))
    above = (ranks.plus - ranks.minus) / 2
    if correction:
        if alternative == "two-sided":
            above = math.copysign(max(0.0, abs(above) - 0.5), above)
        else:
            above += 0.5 if alternative == "less" else -0.5
    z = above / deviation
    if alternative == "two-sided":
        return z, 2.0 * float(ndtr(-abs(z)))
    return z, float(ndtr(z if alternative == "less" else -z))
