"""``wilcoxon_signed_rank_test``: paired differences by the ranks of their magnitudes."""

from __future__ import annotations

import math
from functools import partial
from typing import Final, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.scalars import Alternative, check_choice
from fastmetrics._kernels.concordance import count_pair_sums, write_pair_sums
from fastmetrics._results import ConfidenceInterval
from fastmetrics._threads.workers import run
from fastmetrics.comparison._differences import (
    GROUPS,
    INDEPENDENT,
    PAIRED,
    Differences,
    check_differences,
    starts_of_ties,
    units_of_groups,
)
from fastmetrics.comparison.result import MODELS, ComparisonTest, question
from fastmetrics.errors import DegenerateDataWarning, InputError, warn_user
from fastmetrics.inference import reference
from fastmetrics.inference.reference import exact_pvalue
from fastmetrics.inference.units import Units

Floats = NDArray[np.float64]
Method = Literal["auto", "exact", "normal"]
ZeroMethod = Literal["wilcox", "pratt", "zsplit"]

_AUTO: Final = 200
_FEASIBLE: Final = 1_000
"""2^-1000 is a normal double; and the work grows with the cube."""


@documented(PAIRED, GROUPS, INDEPENDENT, MODELS)
def wilcoxon_signed_rank_test(
    scores_a: ArrayLike,
    scores_b: ArrayLike | None = None,
    *,
    higher_is_better: bool,
    groups: ArrayLike | None = None,
    zero_method: ZeroMethod = "wilcox",
    method: Method = "auto",
    continuity_correction: bool = True,
    confidence_level: float = 0.95,
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
    continuity_correction : bool, default=True
        Whether the normal distribution is corrected for continuity.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        Whether A less B is symmetric about another value than 0, one below or one above.

    Returns
    -------
    ComparisonTest
        W: the smaller of the two sums of ranks, one-sided that of the positive differences. The
        effect is Hodges and Lehmann's median of the averages of all pairs of differences, with its
        interval, whose limits are infinite where n is too small for the level; of groups it has
        none. `details` has both sums, the rank-biserial correlation (-1 to 1), and z where the
        normal distribution was used.

    Raises
    ------
    ValueError
        If "exact" is asked for beyond 1,000 differences.

    Warns
    -----
    DegenerateDataWarning
        If all differences, or all sums of signed ranks of groups, are 0: p is 1.

    Notes
    -----
    Differences that are equal up to the rounding of the numbers behind them tie. Given the ranks,
    each sign is a coin: the exact p is that of all 2^n signs, found in O(n^3); the normal one has
    variance sum r^2 / 4 over differences other than 0. The interval holds all differences, zeros
    included. O(n log n) beyond 1,000 differences.

    Rows of a group change signs together (Rosner, Glynn & Lee): rows are ranked as ever, their
    signed ranks summed by group, and a coin is thrown for each group; the normal distribution has
    variance sum s^2 / 4 over these sums s. Where each row is a group of its own, p is that without
    groups. Beyond 200 differences, p of few
    groups is normal still, which rejects too seldom: `sign_flip_test` is exact.

    References
    ----------
    Wilcoxon (1945), Individual comparisons by ranking methods, Biometrics Bulletin 1:80-83. Pratt
    (1959), JASA 54:655-667. Hodges & Lehmann (1963), Annals of Mathematical Statistics 34:598-611.
    Rosner, Glynn & Lee (2006), The Wilcoxon signed rank test for paired comparisons of clustered
    data, Biometrics 62:185-192. Kerby (2014), The simple difference formula,
    Comprehensive Psychology 3:1 (rank-biserial).

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
    found = check_differences(scores_a, scores_b).ranked()
    zeros: ZeroMethod = check_choice("zero_method", zero_method, get_args(ZeroMethod))
    check_choice("method", method, get_args(Method))
    check_choice("continuity_correction", continuity_correction, (True, False))
    asked = question(confidence_level, alternative, names, higher_is_better)
    side = asked.alternative
    values, ranks = found.values, _signed_ranks(found, zeros, with_rows=groups is not None)
    flipped, by_groups = ranks, ""
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
    if groups is not None:
        units = units_of_groups(groups, len(values), "scores_a")
        flipped, by_groups = ranks.of_groups(units), " by groups"
        details["n_groups"] = float(units.n_units)
    if n_nonzero == 0:
        warn_user("all differences are 0: W is 0 and p is 1", DegenerateDataWarning)
        statistic, pvalue = 0.0, 1.0
    else:
        both_sums = ranks.plus + ranks.minus
        details["rank_biserial"] = (ranks.plus - ranks.minus) / both_sums
        statistic = min(ranks.plus, ranks.minus) if side == "two-sided" else ranks.plus
        if len(flipped.ranks) == 0:
            warn_user("the signed ranks of each group sum to 0: p is 1", DegenerateDataWarning)
            pvalue = 1.0
        elif is_exact:
            pvalue = _exact_pvalue(flipped, side)
        else:
            details["z"], pvalue = _normal_pvalue(flipped, continuity_correction, side)
    estimate, interval = _hodges_lehmann(values, asked.alpha, side)
    return asked.answer(
        f"Wilcoxon signed-rank test{by_groups}, {'exact' if is_exact else 'normal'}",
        ("W", statistic),
        pvalue,
        ("Hodges-Lehmann median difference", estimate),
        lead=details["rank_biserial"],
        confidence_interval=None if by_groups else interval,
        details=details,
    )


class _SignedRanks(NamedTuple):
    """Ascending ranks of the differences other than 0, and their signs.

    ``zeros`` goes to either sum; ``rows`` are those of the differences, where they were asked for.
    """

    ranks: Floats
    positive: NDArray[np.bool_]
    zeros: float
    rows: NDArray[np.int64] | None = None

    def of_groups(self, units: Units) -> _SignedRanks:
        """Return the magnitudes of the sums by group other than 0, and their signs."""
        signed = np.zeros(units.n_points)
        signed[self.rows] = np.where(self.positive, self.ranks, -self.ranks)
        sums = units.sums_of_groups(signed[None, :])[0, 0]
        sums = sums[sums != 0]
        return _SignedRanks(np.abs(sums), sums > 0, self.zeros)

    @property
    def plus(self) -> float:
        """Sum of the ranks of positive differences, half the zeros' included."""
        return float((self.ranks * self.positive).sum()) + self.zeros

    @property
    def minus(self) -> float:
        """Sum of the ranks of negative differences, half the zeros' included."""
        return float((self.ranks * ~self.positive).sum()) + self.zeros


def _signed_ranks(
    found: Differences, zero_method: ZeroMethod, *, with_rows: bool = False
) -> _SignedRanks:
    """Rank the magnitudes, those equal up to rounding sharing their mean rank."""
    values, roundings = found
    n_zero = len(values) - int(np.count_nonzero(values))
    rows = np.arange(len(values)) if with_rows else None
    if n_zero and zero_method == "wilcox":
        rows = np.flatnonzero(values) if with_rows else None
        values, roundings = values[values != 0], roundings[values != 0]
        n_zero = 0
    magnitudes, positive = np.abs(values), values > 0
    # The bits of a magnitude leave one for its sign: one sort, without an order to carry along.
    keys = np.sort(magnitudes.view(np.uint64) << np.uint64(1) | positive)
    ordered = (keys >> np.uint64(1)).view(np.float64)
    if rows is None and np.diff(ordered).min(initial=np.inf) > roundings.max(initial=0.0):
        ranks, positive = np.arange(1.0, len(keys) + 1), (keys & np.uint64(1)).astype(np.bool_)
    else:
        order = np.argsort(magnitudes)
        starts = starts_of_ties(ordered, roundings[order])
        counts = np.diff(starts, append=len(order))
        ranks, positive = np.repeat(starts + (counts + 1) / 2, counts), positive[order]
        rows = None if rows is None else rows[order][n_zero:]
    half = float(ranks[:n_zero].sum()) / 2 if zero_method == "zsplit" else 0.0
    return _SignedRanks(ranks[n_zero:], positive[n_zero:], half, rows)


def _exact_pvalue(ranks: _SignedRanks, alternative: Alternative) -> float:
    """Return p from the exact distribution: twice the ranks are whole numbers, ties included."""
    doubled = np.rint(2 * ranks.ranks).astype(np.int64)
    shares = _distribution(doubled)
    plus = int(doubled[ranks.positive].sum())
    minus = len(shares) - 1 - plus
    return exact_pvalue(
        alternative,
        plus,
        minus,
        at_most=lambda k: shares[: k + 1].sum(),
        at_least=lambda k: shares[k:].sum(),
    )


def _distribution(doubled: NDArray[np.int64]) -> Floats:
    """Return the probability of each sum of a random half of whole numbers, in O(n^3)."""
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
    """Return z and p of the normal distribution with the exact mean and variance, sum r^2 / 4."""
    deviation = 0.5 * math.sqrt(float((ranks.ranks**2).sum()))
    above = (ranks.plus - ranks.minus) / 2
    if correction:
        if alternative == "two-sided":
            above = math.copysign(max(0.0, abs(above) - 0.5), above)
        else:
            above += 0.5 if alternative == "less" else -0.5
    z = above / deviation
    return z, reference.pvalue(z, math.inf, alternative)


def _hodges_lehmann(
    values: Floats, alpha: float, alternative: Alternative
) -> tuple[float, ConfidenceInterval]:
    """Return the median of the Walsh averages, and what the test does not reject at a level.

    A limit that so few differences do not allow is infinite.
    """
    n, count = len(values), len(values) * (len(values) + 1) // 2
    outside = _outside(n, reference.outside(alpha, alternative))
    first, last = max(outside, 1), min(count + 1 - outside, count)
    middle = (count + 1) // 2, count // 2 + 1
    found = walsh_averages(values, middle, (first, first), (last, last))
    (low, high), (lower, _), (upper, _) = found
    return low if low == high else low / 2 + high / 2, ConfidenceInterval(
        -math.inf if alternative == "less" or not outside else lower,
        math.inf if alternative == "greater" or not outside else upper,
    )


def _outside(n: int, tail: float) -> int:
    """Return how many averages a limit may leave out, plus one: the k with P(W < k) <= tail."""
    if n <= _AUTO:
        shares = np.cumsum(_distribution(np.arange(1, n + 1)))
        return int(np.count_nonzero(shares <= tail))
    mean = n * (n + 1) / 4
    deviation = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return max(0, math.floor(mean + reference.normal_quantile(tail) * deviation - 0.5) + 1)


# --- averages of pairs ----------------------------------------------------------------------------


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
