"""``wilcoxon_signed_rank_test``: paired differences by the ranks of their magnitudes."""

from __future__ import annotations

import math
from typing import Final, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.scalars import (
    Alternative,
    check_alternative,
    check_choice,
    check_direction,
    check_fraction,
)
from fastmetrics._results import ConfidenceInterval
from fastmetrics.comparison.result import MODELS, ComparisonTest, better_of, check_names
from fastmetrics.comparison.samples._differences import (
    INDEPENDENT,
    PAIRED,
    RankedDifferences,
    check_ranked_differences,
    starts_of_ties,
)
from fastmetrics.errors import DegenerateDataWarning, InputError, warn_user

Floats = NDArray[np.float64]
Method = Literal["auto", "exact", "normal"]
ZeroMethod = Literal["wilcox", "pratt", "zsplit"]

_AUTO: Final = 200
_FEASIBLE: Final = 1_000
"""2^-1000 is a normal double; and the work grows with the cube."""
_PAIRS: Final = 1 << 19
"""So many averages of pairs are looked at one by one."""


@documented(PAIRED, INDEPENDENT, MODELS)
def wilcoxon_signed_rank_test(
    scores_a: ArrayLike,
    scores_b: ArrayLike | None = None,
    *,
    higher_is_better: bool,
    zero_method: ZeroMethod = "wilcox",
    method: Method = "auto",
    correction: bool = True,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    names: tuple[str, str] = ("A", "B"),
) -> ComparisonTest:
    """Test by signed ranks whether paired differences are symmetric about 0.

    Parameters
    ----------
    zero_method : {"wilcox", "pratt", "zsplit"}, default="wilcox"
        Differences of 0 are left out; ranked and then left out; or ranked, half of their ranks
        going to either sum.
    method : {"auto", "exact", "normal"}, default="auto"
        The exact distribution of the ranks at hand, ties included, up to 1,000 differences other
        than 0; or the normal one. "auto" is exact up to 200.
    correction : bool, default=True
        Whether the normal distribution is corrected for continuity.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        Whether A less B is symmetric about another value than 0, one below or one above.

    Returns
    -------
    ComparisonTest
        W: the smaller of the two sums of ranks, one-sided that of the positive differences. The
        effect is Hodges and Lehmann's median of the averages of all pairs of differences, with its
        interval, whose limits are infinite where n is too small for the level. `details` has both
        sums, the rank-biserial correlation (-1 to 1), and z where the normal distribution was used.

    Raises
    ------
    ValueError
        If "exact" is asked for beyond 1,000 differences.

    Warns
    -----
    DegenerateDataWarning
        If all differences are 0: W is 0 and p is 1.

    Notes
    -----
    Differences that are equal up to the rounding of the numbers behind them tie. Given the ranks,
    each sign is a coin: the exact p is that of all 2^n signs, found in O(n^3); the normal one has
    variance sum r^2 / 4 over differences other than 0. The interval holds all differences, zeros
    included. O(n log n) beyond 1,000 differences.

    References
    ----------
    Wilcoxon (1945), Individual comparisons by ranking methods, Biometrics Bulletin 1:80-83. Pratt
    (1959), JASA 54:655-667. Hodges & Lehmann (1963), Annals of Mathematical Statistics 34:598-611.
    Kerby (2014), The simple difference formula, Comprehensive Psychology 3:1 (rank-biserial).

    Examples
    --------
    >>> a = [0.20, 0.31, 0.12, 0.25, 0.19, 0.40]
    >>> b = [0.17, 0.29, 0.13, 0.20, 0.15, 0.33]
    >>> test = wilcoxon_signed_rank_test(a, b, higher_is_better=False)
    >>> test
    ComparisonTest(Wilcoxon signed-rank test, exact: W=1, pvalue=0.0625, do not reject at 0.05,
    ahead: B)
    >>> round(test.effect_size, 4), round(test.details["rank_biserial"], 4)
    (0.035, 0.9048)
    """
    found = check_ranked_differences(scores_a, scores_b)
    zeros: ZeroMethod = check_choice("zero_method", zero_method, get_args(ZeroMethod))
    check_choice("method", method, get_args(Method))
    check_choice("correction", correction, (True, False))
    higher = check_direction(higher_is_better)
    level, side = check_fraction("alpha", alpha), check_alternative(alternative)
    both = check_names(names)
    values, ranks = found.values, _signed_ranks(found, zeros)
    n_nonzero = len(ranks.ranks)
    if method == "exact" and n_nonzero > _FEASIBLE:
        raise InputError(
            f"`method='exact'` is for at most {_FEASIBLE:,} differences other than 0: got "
            f"{n_nonzero:,}"
        )
    is_exact = method == "exact" or (method == "auto" and n_nonzero <= _AUTO)
    details = {
        "n": float(len(values)),
        "n_zero": float(len(values) - n_nonzero),
        "w_plus": ranks.plus,
        "w_minus": ranks.minus,
        "rank_biserial": 0.0,
    }
    if n_nonzero == 0:
        warn_user("all differences are 0: W is 0 and p is 1", DegenerateDataWarning)
        statistic, pvalue = 0.0, 1.0
    else:
        both_sums = ranks.plus + ranks.minus
        details["rank_biserial"] = (ranks.plus - ranks.minus) / both_sums
        statistic = min(ranks.plus, ranks.minus) if side == "two-sided" else ranks.plus
        if is_exact:
            pvalue = _exact_pvalue(ranks, side)
        else:
            details["z"], pvalue = _normal_pvalue(ranks, correction, side)
    averages = _WalshAverages(values)
    return ComparisonTest(
        f"Wilcoxon signed-rank test, {'exact' if is_exact else 'normal'}",
        statistic,
        "W",
        None,
        pvalue,
        level,
        math.nan,
        pvalue <= level,
        side,
        averages.median(),
        "Hodges-Lehmann median difference",
        _walsh_interval(averages, level, side),
        better_of(details["rank_biserial"], both, higher),
        details,
    )


class _SignedRanks(NamedTuple):
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


def _signed_ranks(found: RankedDifferences, zero_method: ZeroMethod) -> _SignedRanks:
    """Rank the magnitudes, those equal up to rounding sharing their mean rank."""
    values, roundings = found
    if zero_method == "wilcox":
        values, roundings = values[values != 0], roundings[values != 0]
    ranks = _mean_ranks(np.abs(values), roundings)
    zero = values == 0
    half = float(ranks[zero].sum()) / 2 if zero_method == "zsplit" else 0.0
    return _SignedRanks(ranks[~zero], values[~zero] > 0, half)


def _mean_ranks(magnitudes: Floats, roundings: Floats) -> Floats:
    order = np.argsort(magnitudes, kind="stable")
    starts = starts_of_ties(magnitudes[order], roundings[order])
    counts = np.diff(starts, append=len(magnitudes))
    ranks = np.empty(len(magnitudes))
    ranks[order] = np.repeat(starts + (counts + 1) / 2, counts)
    return ranks


def _exact_pvalue(ranks: _SignedRanks, alternative: Alternative) -> float:
    """Return p from the exact distribution, ties and zeros included, by dynamic programming.

    Twice the ranks are whole numbers: the distribution is on 0 ... n (n + 1), and each rank adds
    itself or not. O(n^3) for n differences.
    """
    doubled = np.rint(2 * ranks.ranks).astype(np.int64)
    shares = _distribution(doubled)
    plus = int(doubled[ranks.positive].sum())
    minus = len(shares) - 1 - plus
    if alternative == "greater":
        return float(shares[plus:].sum())
    if alternative == "less":
        return float(shares[: plus + 1].sum())
    return min(1.0, 2.0 * float(shares[: min(plus, minus) + 1].sum()))


def _distribution(doubled: NDArray[np.int64]) -> Floats:
    """Return the probability of each sum of a random half of whole numbers."""
    shares = np.zeros(int(doubled.sum()) + 1)
    shares[0] = 1.0
    top = 0
    for rank in np.sort(doubled).tolist():
        shares[: top + 1] *= 0.5
        shares[rank : top + rank + 1] += shares[: top + 1].copy()
        top += rank
    return shares


def _normal_pvalue(
    ranks: _SignedRanks, correction: bool, alternative: Alternative
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


class _WalshAverages:
    """The n (n + 1) / 2 averages (d_i + d_j) / 2, i <= j, by their rank.

    Differences that repeat are held once with their number, so that ties cost nothing.
    """

    def __init__(self, values: Floats) -> None:
        self._values, self._counts = np.unique(values, return_counts=True)
        self._halved = float(np.abs(self._values).max()) >= 2.0**1022  # twice that is no number
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
        if self._halved:
            halves = self._values / 2
            with np.errstate(over="ignore"):
                found = np.searchsorted(halves, value - halves, side="right")
        else:
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


def _walsh_interval(
    averages: _WalshAverages, alpha: float, alternative: Alternative
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
    if n <= _AUTO:
        shares = np.cumsum(_distribution(np.arange(1, n + 1)))
        return int(np.count_nonzero(shares <= tail))
    from scipy.special import ndtri

    mean = n * (n + 1) / 4
    deviation = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return max(0, math.floor(mean + float(ndtri(tail)) * deviation - 0.5) + 1)
