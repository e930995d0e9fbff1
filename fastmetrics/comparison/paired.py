"""Paired numbers of two models, and tests of their differences by signs and by signed ranks."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Final, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.classes import check_groups
from fastmetrics._input.containers import as_array
from fastmetrics._input.scalars import Alternative, check_choice, check_integer, seed_key
from fastmetrics._input.scores import canonical_scores, check_finite
from fastmetrics._kernels import resampling
from fastmetrics._kernels.concordance import (
    CHUNK,
    add_signed_sums,
    count_pair_sums,
    write_pair_sums,
)
from fastmetrics._number_text import MonteCarloPValue
from fastmetrics._results import ConfidenceInterval
from fastmetrics._threads.workers import run
from fastmetrics.comparison.result import MODELS, ComparisonTest, question
from fastmetrics.errors import DegenerateDataWarning, InputError, warn_user
from fastmetrics.inference import reference
from fastmetrics.inference.reference import exact_pvalue, exact_sum, toward
from fastmetrics.inference.units import Units

#: Scores within this proportion of the larger one are equal but for rounding (0.1 + 0.2 and 0.3):
#: their difference is 0, and their ranks tie.
_ROUNDING: Final = 4.0 * float(np.finfo(np.float64).eps)
OF_A_TABLE: Final = (
    "; if these are repetitions and folds, they are not independent: see "
    "`comparison.kfold_paired_t_test`"
)

#: Parameters and errors of tests of paired numbers.
PAIRED: Final = """
Parameters
----------
scores_a, scores_b : array-like of shape (n,)
    The score (or error) of each model on each data set or example. Without `scores_b`, `scores_a`
    holds the differences, A less B.
alternative : {"two-sided", "less", "greater"}, default="two-sided"
    Whether the mean of A less B is other than, below or above 0.

Raises
------
TypeError
    If the numbers are no real numbers.
ValueError
    If a shape is wrong, a number is missing or infinite, or an option is out of range.
"""

#: Assumption of tests that cannot allow for correlated numbers.
INDEPENDENT: Final = """
See Also
--------
kfold_paired_t_test : For the folds of cross-validation, repeated or not.

Notes
-----
The differences must be independent: one for each data set, or for each example of a test set. Those
of the folds of one data set share training rows, those of repetitions test rows too: a hundred
numbers of ten times ten folds are worth far fewer, and the test then rejects far too often.
"""


class Differences(NamedTuple):
    """Differences of two models, as float64, and how far rounding may have moved each.

    0.3 - 0.2 and 0.4 - 0.3 are different doubles: differences that are as near to one another as
    the rounding of the numbers behind them are taken as equal.
    """

    values: NDArray[np.float64]
    roundings: NDArray[np.float64]

    @property
    def rounding(self) -> float:
        """The greatest of the roundings."""
        return float(self.roundings.max())

    def snap_to_zero(self) -> Differences:
        """Return the differences to rank; those within their rounding are 0."""
        is_nothing = np.abs(self.values) <= self.roundings
        return Differences(np.where(is_nothing, 0.0, self.values), self.roundings)


def check_numbers(values: Any, name: str, *dimensions: int) -> NDArray[np.float64]:
    """Return finite real numbers of 1 dimension, or of one of those given, as float64."""
    return _check_canonical(values, name, *dimensions).astype(np.float64, copy=False)


def _check_canonical(values: Any, name: str, *dimensions: int) -> NDArray[Any]:
    """Return the same in a canonical dtype: integers stay integers."""
    array = as_array(values, name)
    if array.ndim not in (dimensions or (1,)):
        wanted = " or ".join(f"{d}-dimensional" for d in dimensions or (1,))
        advice = "" if dimensions or array.ndim != 2 else OF_A_TABLE
        raise InputError(f"`{name}` must be {wanted}: got shape {array.shape}{advice}")
    if array.size == 0:
        raise InputError(f"`{name}` is empty: shape {array.shape}")
    numbers = canonical_scores(array, name)
    check_finite(numbers, name)
    return numbers


def check_differences(first: Any, second: Any, *dimensions: int) -> Differences:
    """Return first less second; ``first`` are the differences themselves if ``second`` is None."""
    a = _check_canonical(first, "scores_a", *dimensions)
    if second is None:
        a = a.astype(np.float64, copy=False)
        return Differences(a, _ROUNDING * np.abs(a))
    b = _check_canonical(second, "scores_b", *dimensions)
    if a.shape != b.shape:
        raise InputError(
            f"`scores_a` and `scores_b` must have one shape: got {a.shape} and {b.shape}"
        )
    if a.dtype == b.dtype and a.dtype.kind in "iu":  # exact: the larger less the smaller
        values = (np.maximum(a, b) - np.minimum(a, b)).view(np.uint64).astype(np.float64)
        return Differences(np.where(a >= b, values, -values), np.zeros(a.shape))
    a, b = (each.astype(np.float64, copy=False) for each in (a, b))
    with np.errstate(over="ignore"):
        values = a - b
    check_finite(values, "scores_a - scores_b")
    return Differences(values, _ROUNDING * np.maximum(np.abs(a), np.abs(b)))


def equal_up_to_rounding(first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where two arrays of one dtype are equal, but for rounding."""
    if first.dtype.kind in "iu":
        return np.asarray(first == second)
    with np.errstate(over="ignore"):
        gaps = np.abs(first - second)
    return np.asarray(gaps <= _ROUNDING * np.maximum(np.abs(first), np.abs(second)))


def starts_of_ties(
    ordered: NDArray[np.float64], roundings: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Return where ascending numbers rise by more than the rounding of either neighbour.

    Equal numbers are one neighbour, whose rounding is the greatest of theirs: so the order in which
    they come changes nothing.
    """
    if not len(ordered):
        return np.empty(0, np.int64)
    distinct = np.concatenate(([0], np.flatnonzero(ordered[1:] != ordered[:-1]) + 1))
    largest = roundings
    if len(distinct) < len(ordered):
        ordered = ordered[distinct]
        largest = np.maximum.reduceat(roundings, distinct)
    rises = np.diff(ordered) > np.maximum(largest[1:], largest[:-1])
    return np.concatenate(([0], distinct[1:][rises]))


Floats = NDArray[np.float64]
Words = NDArray[np.uint64]
FlipMethod = Literal["auto", "exact", "monte-carlo"]

_MOST_SUMS: Final = 1 << 20
"""Sums of one half of the magnitudes, at most."""
#: Choices of signs at once, and chunks of numbers: their random bits stay in the L2 cache.
BATCH: Final = 1024
_CHUNKS: Final = 16
#: Sums of many numbers round less than the worst case would have it.
ROUNDING: Final = 1e-12


@documented(PAIRED, INDEPENDENT, MODELS)
def sign_flip_test(
    scores_a: ArrayLike,
    scores_b: ArrayLike | None = None,
    *,
    higher_is_better: bool,
    groups: ArrayLike | None = None,
    method: FlipMethod = "auto",
    n_resamples: int = 9999,
    rng: Any = None,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    names: tuple[str, str] = ("A", "B"),
) -> ComparisonTest:
    """Test by flipping signs whether paired differences are symmetric about 0.

    Parameters
    ----------
    groups : array-like of shape (n,), optional
        Which rows belong together (user, patient), two groups at least: groups then vary, not rows.
    method : {"auto", "exact", "monte-carlo"}, default="auto"
        All 2^n signs, or random ones. "auto" is exact where that is feasible: up to 40 differences
        other than 0, and many more where magnitudes repeat, as those of 0-1 losses do. Of groups
        the same holds of their sums.
    n_resamples : int, default=9999
        Random choices of signs, where they are needed.
    rng : None, int, Generator, BitGenerator, SeedSequence or str
        Source of the random signs.

    Returns
    -------
    ComparisonTest
        The statistic and the effect are the mean difference.

    Raises
    ------
    ValueError
        If "exact" is asked for where it is not feasible; if `groups` names one group only, or has
        another length than the rows.

    Warns
    -----
    DegenerateDataWarning
        If all differences, or all sums of groups, are 0: the statistic is 0 and p is 1.

    See Also
    --------
    paired_permutation_test : Exchanges the scores of two models, for AUC and its like.
    wilcoxon_signed_rank_test : The same of the ranks of the differences.

    Notes
    -----
    Under the null hypothesis each difference could as well have the other sign; two-sided, means at
    least as large in absolute value are as extreme. Sums equal up to rounding are equal. The exact
    p goes through the sums of two halves of the differences, some 2^(n/2) of them, rather than
    2^n; random signs give p = (b + 1) / (n_resamples + 1), never 0, at O(n) each. They go with the
    sorted differences: the order of rows changes nothing.

    Rows of a group change signs together: what flips is the sum of each group, whatever the rows of
    a group have in common, and exactly so of few groups, too; but m groups have no p below
    2^(1 - m), two-sided. Where each row is a group of its own, p is that without groups.

    References
    ----------
    Fisher (1935), The Design of Experiments, section 21. Canay, Romano & Shaikh (2017),
    Randomization tests under an approximate symmetry assumption, Econometrica 85:1013-1030.
    Phipson & Smyth (2010), Permutation p-values should never be zero, SAGMB 9:39.

    Examples
    --------
    >>> a = [0.20, 0.31, 0.12, 0.25, 0.19, 0.40]
    >>> b = [0.17, 0.28, 0.13, 0.20, 0.18, 0.33]
    >>> sign_flip_test(a, b, higher_is_better=False)
    ComparisonTest(sign-flip test, exact: mean=0.03, pvalue=0.09375, do not reject at 0.05, ahead:
    B)
    """
    differences = check_differences(scores_a, scores_b).snap_to_zero()
    check_choice("method", method, get_args(FlipMethod))
    options = question(confidence_level, alternative, names, higher_is_better)
    side = options.alternative
    count = check_integer("n_resamples", n_resamples, low=1, high=10**8)
    key = seed_key(rng)
    n = len(differences.values)
    details = {"n": float(n)}
    by_groups = ""
    differences, exponent = _scale(differences)
    if groups is not None:
        units = Units(n, groups=check_groups(groups, n, "scores_a"))
        values, roundings = units.group_sums(np.array(differences))[:, 0]
        values[np.abs(values) <= roundings] = 0.0
        differences, more = _scale(Differences(values, roundings))
        exponent += more
        details["n_groups"] = float(units.n_units)
        by_groups = " by groups"
    moving = differences.values != 0
    nonzero, roundings = (one[moving] for one in differences)
    details["n_zero"] = float(len(moving) - len(nonzero))
    total = exact_sum(nonzero)
    relative = min(len(nonzero) * np.finfo(np.float64).eps, ROUNDING)
    slack = relative * float(np.abs(nonzero).sum()) + float(roundings.sum())
    total = 0.0 if abs(total) <= slack else total
    pvalue = 1.0
    how = "exact"
    if len(nonzero) == 0:
        what = "sums of groups" if by_groups else "differences"
        warn_user(f"all {what} are 0: the mean is 0 and p is 1", DegenerateDataWarning)
    else:
        least = toward(total, side) - slack
        tail = None
        if method != "monte-carlo":
            tail = _exact_tail(nonzero, roundings, least)
        if tail is None and method == "exact":
            raise InputError(
                f"`method='exact'` is not feasible for these {len(nonzero):,} "
                f"{'groups' if by_groups else 'differences'}: use `method='auto'`"
            )
        if tail is None:
            how = "Monte Carlo"
            # in whatever order rows came
            sums = toward(random_sums(np.sort(nonzero), count, key), side)
            pvalue = MonteCarloPValue.of(int(np.count_nonzero(sums >= least)), count)
        elif side == "two-sided":
            pvalue = 1.0 if least <= 0 else min(1.0, 2.0 * tail)
        else:
            pvalue = tail
    mean = math.ldexp(total / n, exponent)
    return options.answer(
        f"sign-flip test{by_groups}, {how}",
        ("mean", mean),
        pvalue,
        ("mean difference", mean),
        lead=mean,
        details=details,
    )


def _scale(differences: Differences) -> tuple[Differences, int]:
    """Return numbers within +-1, and the power of two that was taken out."""
    exponent = math.frexp(float(np.abs(differences.values).max()))[1]
    return Differences(*(np.ldexp(one, -exponent) for one in differences)), exponent


def _exact_tail(values: Floats, roundings: Floats, least: float) -> float | None:
    """Return P(sum of the numbers with random signs >= ``least``); None if too much work.

    c numbers of one magnitude m sum to m (2 X - c), X ~ Binomial(c, 1/2). The magnitudes are split
    into two halves; for each sum of the one, the tail of the other is looked up.
    """
    order = np.argsort(np.abs(values))
    magnitudes = np.abs(values)[order]
    starts = starts_of_ties(magnitudes, roundings[order])  # those equal up to rounding are one
    counts = np.diff(starts, append=len(magnitudes))
    halves = _halves(counts)
    if halves is None:
        return None
    first, second = (_sums_of_signs(magnitudes[starts][half], counts[half]) for half in halves)
    order = np.argsort(second[0])
    values = second[0][order]
    tails = np.append(np.cumsum(second[1][order][::-1])[::-1], 0.0)
    indices = np.searchsorted(values, least - first[0], side="left")
    return min(1.0, float(first[1] @ tails[indices]))


def _halves(counts: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
    """Split the magnitudes so that both halves have few sums; None if one has too many."""
    if len(counts) > 2 * _MOST_SUMS.bit_length():  # each doubles the sums of a half, at least
        return None
    order = np.argsort(-counts, kind="stable")
    sizes = [1, 1]
    halves: tuple[list[int], list[int]] = ([], [])
    for i in order.tolist():
        smaller = int(sizes[1] < sizes[0])
        sizes[smaller] *= int(counts[i]) + 1
        if sizes[smaller] > _MOST_SUMS:
            return None
        halves[smaller].append(i)
    return np.array(halves[0], np.intp), np.array(halves[1], np.intp)


def _sums_of_signs(magnitudes: Floats, counts: NDArray[np.int64]) -> tuple[Floats, Floats]:
    from scipy.stats import binom

    values = np.zeros(1)
    probabilities = np.ones(1)
    for magnitude, count in zip(magnitudes.tolist(), counts.tolist(), strict=True):
        steps = np.arange(count + 1)
        binomial = binom.pmf(steps, count, 0.5) if count > 1 else np.array([0.5, 0.5])
        values = np.add.outer(values, magnitude * (2.0 * steps - count)).ravel()
        probabilities = np.multiply.outer(probabilities, binomial).ravel()
    return values, probabilities


def random_sums(values: Floats, n_choices: int, key: Words) -> Floats:
    """Return the sum of numbers under each of some random choices of their signs, on all cores.

    The sign of a number in a choice is a function of the key and of the indices of both (Philox,
    see ``resampling``), and a sum adds in the order of the numbers: threads change no bit of it.
    """
    padded = np.zeros(-(-len(values) // CHUNK) * CHUNK)
    padded[: len(values)] = values
    batches = range(-(-n_choices // BATCH))
    sums = run([partial(sums_of_random_signs, padded, key, batch) for batch in batches])
    return np.concatenate(sums)[:n_choices]


def sums_of_random_signs(values: Floats, key: Words, batch: int) -> Floats:
    """Return the sums of numbers, padded to chunks, under choice ``batch * BATCH`` and on."""
    sums = np.zeros(BATCH)
    size = _CHUNKS * CHUNK
    random_words = np.empty(2 * _CHUNKS * BATCH, np.uint64)
    for block, first in enumerate(range(0, len(values), size)):
        chunks = values[first : first + size]
        half = len(chunks) // CHUNK * BATCH
        resampling.philox(key, 0, block, batch, resampling.BITS, half, random_words)
        add_signed_sums(chunks, random_words, sums)
    return sums


RankMethod = Literal["auto", "exact", "normal"]
ZeroMethod = Literal["wilcox", "pratt", "zsplit"]

_AUTO: Final = 200
_FEASIBLE: Final = 1_000
"""2^-1000 is a normal double; and the work grows with the cube."""


@documented(PAIRED, INDEPENDENT, MODELS)
def wilcoxon_signed_rank_test(
    scores_a: ArrayLike,
    scores_b: ArrayLike | None = None,
    *,
    higher_is_better: bool,
    zero_method: ZeroMethod = "wilcox",
    method: RankMethod = "auto",
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
        interval, whose limits are infinite where n is too small for the level. `details` has both
        sums, the rank-biserial correlation (-1 to 1), and z where the normal distribution was used.

    Raises
    ------
    ValueError
        If "exact" is asked for beyond 1,000 differences.

    Warns
    -----
    DegenerateDataWarning
        If all differences are 0: p is 1.

    See Also
    --------
    sign_flip_test : With `groups`, for differences that depend on one another.

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
    Kerby (2014), The simple difference formula,
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
    differences = check_differences(scores_a, scores_b).snap_to_zero()
    zeros: ZeroMethod = check_choice("zero_method", zero_method, get_args(ZeroMethod))
    check_choice("method", method, get_args(RankMethod))
    check_choice("continuity_correction", continuity_correction, (True, False))
    options = question(confidence_level, alternative, names, higher_is_better)
    side = options.alternative
    values = differences.values
    ranks, positive, half = _signed_ranks(differences, zeros)
    plus, minus = (float((ranks * side).sum()) + half for side in (positive, ~positive))
    n_nonzero = len(ranks)
    if method == "exact" and n_nonzero > _FEASIBLE:
        raise InputError(
            f"`method='exact'` is for at most {_FEASIBLE:,} differences other than 0: got "
            f"{n_nonzero:,}"
        )
    is_exact = method == "exact" or (method == "auto" and n_nonzero <= _AUTO)
    details = {
        "n": float(len(values)),
        "n_zero": float(len(values) - n_nonzero),
        "w_plus": plus,
        "w_minus": minus,
        "rank_biserial": 0.0,
    }
    if n_nonzero == 0:
        warn_user("all differences are 0: W is 0 and p is 1", DegenerateDataWarning)
        statistic = 0.0
        pvalue = 1.0
    else:
        details["rank_biserial"] = (plus - minus) / (plus + minus)
        statistic = min(plus, minus) if side == "two-sided" else plus
        if is_exact:
            pvalue = _exact_pvalue(ranks, positive, side)
        else:
            z = _signed_rank_z(ranks, (plus - minus) / 2, continuity_correction, side)
            details["z"] = z
            pvalue = reference.pvalue(z, math.inf, side)
    estimate, interval = _hodges_lehmann(values, options.alpha, side)
    return options.answer(
        f"Wilcoxon signed-rank test, {'exact' if is_exact else 'normal'}",
        ("W", statistic),
        pvalue,
        ("Hodges-Lehmann median difference", estimate),
        lead=details["rank_biserial"],
        confidence_interval=interval,
        details=details,
    )


def _signed_ranks(
    differences: Differences, zero_method: ZeroMethod
) -> tuple[Floats, NDArray[np.bool_], float]:
    """Return mean ranks of nonzero magnitudes, which are positive, and the ranks zeros add."""
    values, roundings = differences
    n_zero = len(values) - int(np.count_nonzero(values))
    if n_zero and zero_method == "wilcox":
        values, roundings = (each[values != 0] for each in differences)
        n_zero = 0
    magnitudes = np.abs(values)
    positive = values > 0
    # The bits of a magnitude leave one for its sign: one sort, without an order to carry along.
    keys = np.sort(magnitudes.view(np.uint64) << np.uint64(1) | positive)
    ordered = (keys >> np.uint64(1)).view(np.float64)
    if np.diff(ordered).min(initial=np.inf) > roundings.max(initial=0.0):
        ranks = np.arange(1.0, len(keys) + 1)
        positive = (keys & np.uint64(1)).astype(np.bool_)
    else:
        order = np.argsort(magnitudes)
        starts = starts_of_ties(ordered, roundings[order])
        counts = np.diff(starts, append=len(order))
        ranks = np.repeat(starts + (counts + 1) / 2, counts)
        positive = positive[order]
    half = float(ranks[:n_zero].sum()) / 2 if zero_method == "zsplit" else 0.0
    return ranks[n_zero:], positive[n_zero:], half


def _exact_pvalue(ranks: Floats, positive: NDArray[np.bool_], alternative: Alternative) -> float:
    """Return p from the exact distribution: twice the ranks are whole numbers, ties included."""
    doubled = np.rint(2 * ranks).astype(np.int64)
    probabilities = _distribution(doubled)
    plus = int(doubled[positive].sum())
    minus = len(probabilities) - 1 - plus
    return exact_pvalue(
        alternative,
        plus,
        minus,
        at_most=lambda k: probabilities[: k + 1].sum(),
        at_least=lambda k: probabilities[k:].sum(),
    )


def _distribution(doubled: NDArray[np.int64]) -> Floats:
    """Return the probability of each sum of a random half of whole numbers, in O(n^3)."""
    probabilities = np.zeros(int(doubled.sum()) + 1)
    probabilities[0] = 1.0
    top = 0
    for rank in np.sort(doubled).tolist():
        probabilities[: top + 1] *= 0.5
        probabilities[rank : top + rank + 1] += probabilities[: top + 1].copy()
        top += rank
    return probabilities


def _signed_rank_z(
    ranks: Floats, above: float, correction: bool, alternative: Alternative
) -> float:
    """Return z, by the exact mean and variance, sum r^2 / 4, of what W is above its mean."""
    deviation = 0.5 * math.sqrt(float((ranks**2).sum()))
    if correction:
        if alternative == "two-sided":
            above = math.copysign(max(0.0, abs(above) - 0.5), above)
        else:
            above += 0.5 if alternative == "less" else -0.5
    return above / deviation


def _hodges_lehmann(
    values: Floats, alpha: float, alternative: Alternative
) -> tuple[float, ConfidenceInterval]:
    """Return the median of the Walsh averages, and its interval, infinite where n is too small."""
    n = len(values)
    count = n * (n + 1) // 2
    outside = _outside(n, reference.outside(alpha, alternative))
    first, last = max(outside, 1), min(count + 1 - outside, count)
    middle = (count + 1) // 2, count // 2 + 1
    limits = walsh_averages(values, middle, (first, first), (last, last))
    (low, high), (lower, _), (upper, _) = limits
    return low if low == high else low / 2 + high / 2, ConfidenceInterval(
        -math.inf if alternative == "less" or not outside else lower,
        math.inf if alternative == "greater" or not outside else upper,
    )


def _outside(n: int, tail: float) -> int:
    """Return the number of averages beyond a limit, plus one: the k with P(W < k) <= tail."""
    if n <= _AUTO:
        cumulative = np.cumsum(_distribution(np.arange(1, n + 1)))
        return int(np.count_nonzero(cumulative <= tail))
    mean = n * (n + 1) / 4
    deviation = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return max(0, math.floor(mean + reference.normal_quantile(tail) * deviation - 0.5) + 1)


# --- averages of pairs ----------------------------------------------------------------------------


#: All averages of so few numbers are made.
_FEW: Final = 512
#: One of so many numbers is in the sample that says where to look.
_STEP: Final = 31
#: Proportions of a sample's size: numbers left between its bounds, and the distance of these bounds
#: from a rank. The middles of blocks tell ranks to a tenth of the numbers.
_LEFT: Final = 1 / 16
_MARGIN: Final = 1 / 4


def walsh_averages(values: Floats, *spans: tuple[int, int]) -> list[tuple[float, float]]:
    """Return the first and the last of some ranks, from 1, of the averages (d_i + d_j) / 2, i <= j.

    The same search in a sample bounds the average. One walk counts the averages up to the bounds,
    and those in between are computed. O(n log n), for ties and outliers too: where the sample
    misleads, doubles are bisected by counting.
    """
    halves = np.sort(values) / 2  # no sum of two of them overflows
    if len(halves) <= _FEW:
        averages = np.sort(np.concatenate([half + halves[i:] for i, half in enumerate(halves)]))
        return [(float(averages[a - 1]), float(averages[b - 1])) for a, b in spans]
    numbers = _distinct(halves)
    return run([partial(_sums_at_ranks, halves, numbers, *span) for span in spans])


#: Distinct ascending numbers; how many there are before each, and in all.
_Counted = tuple[Floats, NDArray[np.int64]]
#: A number, how many pairs have sums up to it, and how many pairs of distinct numbers.
_Bound = tuple[float, int, int]


def _distinct(ascending: Floats) -> _Counted:
    rises = np.concatenate(([True], ascending[1:] != ascending[:-1]))
    starts = np.flatnonzero(rises)
    return ascending[starts], np.append(starts, len(ascending))


def _sums_at_ranks(halves: Floats, numbers: _Counted, first: int, last: int) -> tuple[float, float]:
    """Return the sums of two ranks, equal or neighbours, of the pairs of ascending numbers."""
    n = len(halves)
    (lowest, below, distinct_below), (highest, up_to, distinct_up_to) = _bounds_of_rank(
        halves, numbers, first, n
    )
    n_distinct = distinct_up_to - distinct_below
    if n_distinct > n:  # as doubles go, one sum
        low = high = highest
    else:
        sums = np.empty(n_distinct)
        pairs = np.empty(n_distinct, np.int64)
        write_pair_sums(*numbers, lowest, highest, sums, pairs)
        index, other = first - 1 - below, min(last, up_to) - 1 - below
        if len(numbers[0]) == n:
            sums.partition([index, other])
        else:
            order = np.argsort(sums)
            ends = np.cumsum(pairs[order])
            index, other = order[np.searchsorted(ends, [index, other], side="right")]
        low, high = float(sums[index]), float(sums[other])
    if last > up_to:
        high = _sums_at_ranks(halves, numbers, last, last)[1]
    return low, high


def _bounds_of_rank(
    halves: Floats, numbers: _Counted, rank: float, most: float
) -> tuple[_Bound, _Bound]:
    """Return two numbers: the sum of a rank is above the first, and at most the second.

    Between them are at most so many pairs of distinct numbers, or no double.
    """
    n, m = len(halves), len(numbers[0])
    count = n * (n + 1) // 2
    low: _Bound = (math.nextafter(float(2 * halves[0]), -math.inf), 0, 0)
    high: _Bound = (float(2 * halves[-1]), count, m * (m + 1) // 2)
    if n > _FEW * _STEP:
        size = n // _STEP
        sample = halves[np.rint(np.arange(0.5, size) * (n / size) - 0.5).astype(np.int64)]
        # Pairs of a number and itself are a greater proportion of the pairs of few numbers.
        scale = (size / n) ** 2
        selves = rank / count / 2
        margin = _MARGIN * n * scale
        sample_rank = (rank - selves * n) * scale + selves * size
        sample_rank = min(max(sample_rank, 1.0), size * (size + 1) / 2)
        near = _bounds_of_rank(sample, _distinct(sample), sample_rank, _LEFT * size)
        low, high = _narrow(
            low,
            high,
            numbers,
            rank,
            [_sum_at(*near, sample_rank + step) for step in (-margin, margin)],
        )
    by_ranks = True
    while high[2] - low[2] > most:
        if by_ranks:
            ends = [_sum_at(low, high, rank + step) for step in (-most / 4, most / 4)]
        else:
            middle = _middle(low[0], high[0])
            if not low[0] < middle < high[0]:
                break
            ends = [middle, middle]
        by_ranks = not by_ranks
        low, high = _narrow(low, high, numbers, rank, ends)
    return low, high


def _sum_at(low: _Bound, high: _Bound, rank: float) -> float:
    """Interpolate the sum of a rank between two bounds."""
    fraction = min(max((rank - low[1]) / (high[1] - low[1]), 0.0), 1.0)
    return low[0] * (1.0 - fraction) + high[0] * fraction


def _narrow(
    low: _Bound, high: _Bound, numbers: _Counted, rank: float, ends: list[float]
) -> tuple[_Bound, _Bound]:
    """Return the bounds, narrowed by the counts of two numbers between them."""
    counts = np.empty(4, np.int64)
    count_pair_sums(*numbers, *ends, counts)
    for end, pairs, distinct in zip(ends, *counts.reshape(2, 2).tolist(), strict=True):
        if pairs < rank and end > low[0]:
            low = end, pairs, distinct
        elif pairs >= rank and end < high[0]:
            high = end, pairs, distinct
    return low, high


def _middle(low: float, high: float) -> float:
    """Return the number with as many doubles above ``low`` as below ``high``."""
    middle = (_double_index(low) + _double_index(high)) // 2
    return math.copysign(float(np.int64(abs(middle)).view(np.float64)), middle)


def _double_index(number: float) -> int:
    """Return the number of doubles between 0 and a number, with its sign."""
    size = int(np.float64(abs(number)).view(np.int64))
    return size if number > 0 else -size
