"""Scales and references: from an estimate and its error to limits and p-values."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import Any, Final, Literal, NamedTuple, SupportsFloat, TypeVar

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import Alternative
from fastmetrics._number_text import MonteCarloPValue, is_bound
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import InputError
from fastmetrics.metrics._metric import Scale

#: No bounds, and no limits.
ALL: Final = (-math.inf, math.inf)
NOWHERE: Final = ConfidenceInterval(math.nan, math.nan)
#: Stands for an infinite factor in Wilson's limit: one plus it is finite.
_MOST: Final = 1.0e300


def _expit(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x)) if x > 0 else math.exp(x) / (1.0 + math.exp(x))


def _exp(x: float) -> float:
    return math.exp(x) if x < 709.0 else math.inf


#: Of each scale the maps to it and back from it, and its slope at a value.
_MAPS: Final[dict[Scale, tuple[Callable[[float], float], ...]]] = {
    "identity": (lambda v: v, lambda x: x, lambda v: 1.0),
    "logit": (lambda v: math.log(v) - math.log1p(-v), _expit, lambda v: 1.0 / (v * (1.0 - v))),
    "log": (math.log, _exp, lambda v: 1.0 / v),
    "lack": (lambda v: -math.log1p(-v), lambda x: -math.expm1(-x), lambda v: 1.0 / (1.0 - v)),
    "atanh": (math.atanh, math.tanh, lambda v: 1.0 / (1.0 - v * v)),
}


_NORMAL: Final = NormalDist()


def normal_quantile(level: float) -> float:
    """Compute the quantile of the normal distribution (Wichura's AS 241), without loading SciPy.

    SciPy takes as long to load as NumPy and DuckDB together, too long for a single interval.
    """
    if 0.0 < level < 1.0:
        return _NORMAL.inv_cdf(level)
    return {0.0: -math.inf, 1.0: math.inf}.get(level, math.nan)


def quantile(level: float, df: float) -> float:
    """Compute the quantile of Student's t; of the normal for infinite degrees of freedom."""
    if math.isinf(df):
        return normal_quantile(level)
    from scipy.special import stdtrit

    return float(stdtrit(df, level)) if df > 0 else math.copysign(math.inf, level - 0.5)


def outside(alpha: float, alternative: Alternative) -> float:
    """Return the error probability outside each limit."""
    return alpha / 2.0 if alternative == "two-sided" else alpha


def critical_value(df: float, alpha: float, alternative: Alternative = "two-sided") -> float:
    """Compute the critical value of Student's t; negative for "less"."""
    q = quantile(outside(alpha, alternative), df)
    return q if alternative == "less" else -q


def tail(statistic: float, df: float) -> float:
    """Compute the distribution function of Student's t."""
    from scipy.special import ndtr, stdtr

    if math.isinf(df):
        return float(ndtr(statistic))
    return float(stdtr(df, statistic)) if df > 0 else 0.5


class DifferenceTest(NamedTuple):
    """Test of a difference by its standard error."""

    statistic: float
    pvalue: float
    interval: ConfidenceInterval


def ratio(difference: float, standard_error: float) -> float:
    """Divide a difference by its error; 0 if both are 0, +-inf if only the error is."""
    if standard_error != 0.0:
        return difference / standard_error
    return math.copysign(math.inf, difference) if difference else 0.0


def without_skewness(statistic: float, skewness: float) -> float:
    """Return Hall's cubic transform of a statistic whose estimate has a skewness.

    t + s t^2 / 3 + s^2 t^3 / 27, which is ((1 + s t / 3)^3 - 1) / s: Hall (1992), On the removal of
    skewness by transformation, Journal of the Royal Statistical Society B 54:221-228, without the
    constant s / 6, so that no difference stays none.
    """
    product = skewness * statistic
    return statistic * (1.0 + product / 3.0 + product * product / 27.0)


def with_skewness(quantile: float, skewness: float) -> float:
    """Invert `without_skewness` at a quantile."""
    if skewness == 0.0:
        return quantile
    root = math.cbrt(1.0 + skewness * quantile)
    return 3.0 * quantile / (root * root + root + 1.0)


def difference_test(
    difference: float,
    standard_error: float,
    df: float,
    confidence_level: float,
    alternative: Alternative = "two-sided",
    bounds: tuple[float, float] = ALL,
    skewness: float = 0.0,
) -> DifferenceTest:
    """Test that a difference is 0, by Student's t; the normal for infinite degrees of freedom.

    Everything is nan if the error is. If the error is 0, p is 1 for a difference of 0, else 0.
    Interval and p-value agree also if the difference has a skewness.
    """
    rule = alternative, bounds, skewness
    interval = t_interval(difference, standard_error, df, confidence_level, "identity", *rule)
    if math.isnan(standard_error):
        return DifferenceTest(math.nan, math.nan, interval)
    statistic = ratio(difference, standard_error)
    if standard_error > 0.0:
        p = pvalue(without_skewness(statistic, skewness), df, alternative)
        return DifferenceTest(statistic, p, interval)
    p = pvalue(statistic, math.inf, alternative) if difference else 1.0
    return DifferenceTest(statistic, p, interval)


def t_interval(
    value: float,
    standard_error: float,
    df: float,
    confidence_level: float,
    scale: Scale = "identity",
    alternative: Alternative = "two-sided",
    bounds: tuple[float, float] = ALL,
    skewness: float = 0.0,
) -> ConfidenceInterval:
    """Return `limits`; the value if the error is 0, the bounds if there are no df."""
    if standard_error == 0.0:
        return within(value, value, alternative, bounds)
    if standard_error > 0.0 and not df > 0.0:
        return ConfidenceInterval(*bounds)
    return limits(value, standard_error, df, confidence_level, scale, alternative, bounds, skewness)


def limits(
    value: float,
    standard_error: float,
    df: float,
    confidence_level: float,
    scale: Scale = "identity",
    alternative: Alternative = "two-sided",
    bounds: tuple[float, float] = ALL,
    skewness: float = 0.0,
) -> ConfidenceInterval:
    """Compute limits by Student's t on a scale; nan for undefined errors and at the scale's end."""
    if not (standard_error > 0.0 and df > 0.0):
        return NOWHERE
    to, back, slope_at = _MAPS[scale]
    try:
        centre = to(value)
        error = standard_error * slope_at(value)
    except (ValueError, ZeroDivisionError):
        return NOWHERE
    q = -quantile(outside(1.0 - confidence_level, alternative), df)
    low = back(centre - with_skewness(q, skewness) * error)
    high = back(centre - with_skewness(-q, skewness) * error)
    return within(low, high, alternative, bounds)


def within(
    low: float, high: float, alternative: Alternative, bounds: tuple[float, float]
) -> ConfidenceInterval:
    """Clip limits to the bounds; a one-sided interval has one bound as its other limit."""
    least, most = bounds
    return ConfidenceInterval(
        least if alternative == "less" else max(least, low),
        most if alternative == "greater" else min(most, high),
    )


def auc_variance(auc: float, m: float, n: float) -> float:
    """Compute Newcombe's (2006) variance of an AUC of m and n rows, after Hanley & McNeil."""
    return auc * (1.0 - auc) * _variance_factor(auc, m, n)


def _variance_factor(auc: float, m: float, n: float) -> float:
    """Compute that variance over auc (1 - auc), which changes little with the AUC."""
    k = (m + n) / 2.0 - 1.0
    return (1.0 + k * (2.0 - 1.0 / (2.0 - auc) - 1.0 / (1.0 + auc))) / m / n


def auc_limits(auc: float, m: float, n: float, factor: float) -> tuple[float, float]:
    """Solve (t - auc)^2 = factor * V(t) for t below and above an AUC, in [0, 1]."""
    # V(t) = V(1 - t): the lower limit is the mirror image of the upper limit of 1 - auc.
    return 1.0 - _limit_above(1.0 - auc, m, n, factor), _limit_above(auc, m, n, factor)


def _limit_above(auc: float, m: float, n: float, factor: float) -> float:
    """Solve (t - auc)^2 = factor * V(t) for t in [auc, 1]: Wilson's limit, time and again.

    With V(t) / (t (1 - t)) held fixed the root is Wilson's. That ratio varies by a third in all:
    each step leaves a tenth of the error or less.
    """
    limit = auc
    if auc == 1.0:
        return limit
    for _ in range(64):
        before = limit
        c = min(factor * _variance_factor(limit, m, n), _MOST)
        start = auc / (1.0 + c)
        half = c / (1.0 + c) / 2.0
        limit = min(start + half + math.sqrt(half * (half + 2.0 * start * (1.0 - auc))), 1.0)
        if abs(limit - before) <= 2.0**-52:
            break
    return limit


def pvalue(statistic: float, df: float, alternative: Alternative = "two-sided") -> float:
    """Compute the probability of a t at least as extreme."""
    if math.isnan(statistic) or math.isnan(df):
        return math.nan
    if alternative == "two-sided":
        return min(1.0, 2.0 * tail(-abs(statistic), df))
    return tail(statistic if alternative == "less" else -statistic, df)


def chi_square_pvalue(statistic: float, rank: int) -> float:
    """Compute the upper tail of a chi-square."""
    if math.isnan(statistic) or math.isinf(statistic):
        return 0.0 if math.isinf(statistic) else statistic
    if rank == 0:
        return 1.0
    from scipy.special import chdtrc

    return float(chdtrc(rank, statistic))


V = TypeVar("V", float, NDArray[np.float64])

#: Fewer numbers are faster with `math.fsum`.
_MANY: Final = 1_000


class Moments(NamedTuple):
    """Mean and standard deviation (n - 1) of n numbers; the latter nan for one number."""

    n: int
    mean: float
    deviation: float


def exact_sum(values: NDArray[np.float64]) -> float:
    """Sum numbers within +-4 with a single rounding.

    Many numbers are split: multiples of 2^-28 and of 2^-56 are added as integers; the sum of the
    rests is rounded below 2^-100.
    """
    if values.size < _MANY:
        return math.fsum(values.ravel().tolist())
    total = 0
    for exponent in (28, 56):
        whole = np.rint(values * 2.0**exponent)
        total += int(whole.astype(np.int64).sum()) << (110 - exponent)
        values = values - whole * 2.0**-exponent
    return (total + round(float(values.sum()) * 2.0**110)) / (1 << 110)


def moments(values: NDArray[np.float64], rounding: float = 0.0) -> Moments:
    """Compute mean and standard deviation; numbers that differ by ``rounding`` are equal."""
    n = values.size
    low, high = float(values.min()), float(values.max())
    if high / 2 - low / 2 <= rounding / 2:
        middle = low / 2 + high / 2
        mean = 0.0 if abs(middle) <= rounding else middle
        return Moments(n, mean, 0.0 if n > 1 else math.nan)
    # Scaled by a power of two, so that no square leaves the range of doubles.
    exponent = math.frexp(max(-low, high))[1]
    scaled = np.ldexp(values, -exponent)
    centre = exact_sum(scaled) / n
    squares = exact_sum((scaled - centre) ** 2)
    mean = math.ldexp(centre, exponent)
    try:
        deviation = math.ldexp(math.sqrt(squares / (n - 1)), exponent)
    except OverflowError:
        raise InputError(
            f"the numbers are too far apart: the standard deviation of {low:g} ... {high:g} is "
            "beyond the range of floats; divide them all by one number"
        ) from None
    return Moments(n, 0.0 if abs(mean) <= rounding else mean, deviation)


def exact_pvalue(
    alternative: Alternative,
    count: int,
    mirrored: int,
    at_most: Callable[[int], SupportsFloat],
    at_least: Callable[[int], SupportsFloat],
) -> float:
    """Compute the p-value of a symmetrically distributed count from both tails."""
    if alternative == "greater":
        return float(at_least(count))
    below = float(at_most(count if alternative == "less" else min(count, mirrored)))
    return below if alternative == "less" else min(1.0, 2.0 * below)


def toward(values: V, alternative: Alternative) -> V:
    """Transform numbers so that greater ones are more extreme under the alternative."""
    if alternative == "two-sided":
        return abs(values)
    return values if alternative == "greater" else -values


def holm(pvalues: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p-values, in the order of ``pvalues``; nan stays nan, a bound a bound.

    Of m defined values, the i-th smallest becomes the largest of (m - j + 1) p_(j) over j <= i, at
    most 1. Holm (1979), Scandinavian Journal of Statistics 6:65-70.
    """
    adjusted = [math.nan] * len(pvalues)
    order = [at for at in np.argsort(pvalues, kind="stable") if not math.isnan(pvalues[at])]
    largest = 0.0
    for left, at in zip(range(len(order), 0, -1), order, strict=True):
        step = min(left * pvalues[at], 1.0)
        if isinstance(pvalues[at], MonteCarloPValue):
            step = MonteCarloPValue(step, bool(is_bound(pvalues[at])))
        if step > largest or (step == largest and not is_bound(step)):
            largest = step
        adjusted[at] = largest
    return adjusted


Floats = NDArray[np.float64]
Adjustment = Literal["holm", "hochberg", "benjamini-hochberg", "bonferroni"]


def adjust(pvalues: Floats, method: Adjustment) -> Floats:
    """Adjust p-values for their number, in the given order; nan stays nan."""
    if method == "holm":
        return np.array(holm(pvalues.tolist()))
    adjusted = np.full(len(pvalues), np.nan)
    known = np.flatnonzero(~np.isnan(pvalues))
    order = known[np.argsort(pvalues[known], kind="stable")]
    m = len(known)
    ranks = np.arange(1, m + 1)
    factors: Any = m / ranks if method == "benjamini-hochberg" else m - ranks + 1
    stepped = (m if method == "bonferroni" else factors) * pvalues[order]
    if method != "bonferroni":
        stepped = np.minimum.accumulate(stepped[::-1])[::-1]
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


#: Error of an adjusted p-value: nothing is integrated to tell apart what is closer than this.
_ADJUSTED_ERROR: Final = 1e-4
#: Up to this rank so many directions keep that error; above it the larger number.
_FEW_DIMENSIONS: Final = 4
_DIRECTIONS: Final = 1 << 11
_MORE_DIRECTIONS: Final = 1 << 14
#: Size of a difference below which it is taken for this one: no chance is left, nor nan.
_LEAST_SIZE: Final = 1e-9
#: Standard error of a difference of models that are the same, in those of the models.
_TIED: Final = 1e-7
#: Proportion of the largest singular value below which a dimension has no variance.
_NO_VARIANCE: Final = 1e-12


def max_t_pvalues(
    pvalues: Sequence[float],
    pairs: Sequence[tuple[int, int]],
    covariance: Floats,
    alternative: Alternative = "two-sided",
) -> list[float]:
    """Compute step-down max-T p-values of differences between jointly normal estimates.

    The smallest p-value becomes the probability that any of the differences is as extreme under
    the hypothesis that all are 0; the next one that of any of the others, and so on. Each p-value
    is turned into a normal score first, whatever its degrees of freedom. An adjusted p-value is
    never below the p-value itself nor above Holm's. Undefined p-values (nan) are not counted.

    Parameters
    ----------
    pvalues : sequence of float
        Unadjusted p-value of each difference.
    pairs : sequence of (int, int)
        Indices of the two estimates of each difference.
    covariance : ndarray of shape (K, K)
        Covariance of the estimates.

    Notes
    -----
    r independent normal numbers are a direction and a length, whose square is chi-square with r
    degrees of freedom. In a direction whose largest difference is m, the probability to exceed z is
    that of chi-square to exceed (z / m)^2; its mean over fixed directions is taken, the same ones
    each time. Errors at a p-value of 5 %, against `scipy.stats.multivariate_normal` and the
    studentized range: below 6e-5 for up to five models, 1e-4 for eight, 4e-4 for ten, and 1e-3
    for more.

    References
    ----------
    Westfall & Young (1993), Resampling-based multiple testing, 2.6. Hothorn, Bretz & Westfall
    (2008), Simultaneous inference in general parametric models, Biometrical Journal 50:346-363.
    """
    adjusted = holm(pvalues)
    defined = [i for i in range(len(pvalues)) if not math.isnan(pvalues[i])]
    order = sorted(defined, key=pvalues.__getitem__)
    sizes: Floats | None = None
    previous = 0.0
    for step, i in enumerate(order):
        least, most = max(previous, pvalues[i]), adjusted[i]
        z = -normal_quantile(outside(pvalues[i], alternative))
        if most - least > _ADJUSTED_ERROR and z > 0.0:
            if sizes is None:
                may_be_tied = np.array([pvalues[j] == 1.0 for j in order])
                sizes, dimensions = _largest_sizes(
                    [pairs[j] for j in order], may_be_tied, covariance, alternative
                )
            chance = float(_chi_square_tail((z / sizes[step]) ** 2, dimensions).mean())
            most = min(max(chance, least), most)
        adjusted[i] = previous = most
    return adjusted


def _largest_sizes(
    pairs: list[tuple[int, int]],
    may_be_tied: NDArray[np.bool_],
    covariance: Floats,
    alternative: Alternative,
) -> tuple[Floats, int]:
    """Compute the largest of the pairs from each row on, by direction; also the even dimension.

    Models that are the same in all rows differ by rounding, which is no dimension.
    """
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    rows = np.array([root[a] - root[b] for a, b in pairs])
    norms = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    rows[may_be_tied & (norms[:, 0] <= _TIED * math.sqrt(max(values[-1], 0.0)))] = 0.0
    np.divide(rows, norms, out=rows, where=norms > 0)
    _, singular, axes = np.linalg.svd(rows, full_matrices=False)
    rank = max(1, int(np.count_nonzero(singular > _NO_VARIANCE * singular[0])))
    directions = _directions((rank + 1) // 2)
    # einsum adds up in one order and on one thread, which BLAS does not promise
    sizes = np.einsum("pr,rd->pd", rows @ axes[:rank].T, directions[:rank])
    if alternative == "two-sided":
        np.abs(sizes, out=sizes)
    np.maximum(sizes, _LEAST_SIZE, out=sizes)
    for row in reversed(range(len(pairs) - 1)):
        np.maximum(sizes[row], sizes[row + 1], out=sizes[row])
    return sizes, len(directions)


def _chi_square_tail(values: Floats, df: int) -> Floats:
    """Compute the upper tail of chi-square with an even number of degrees of freedom."""
    halves = values / 2.0
    term = np.exp(-halves)
    total = term.copy()
    for j in range(1, df // 2):
        term *= halves / j
        total += term
    return total


@lru_cache(maxsize=8)
def _directions(n_planes: int) -> Floats:
    """Return unit vectors spread evenly over the sphere of 2 `n_planes` dimensions, as columns.

    Each pair of coordinates is an angle and a length, the squares of the lengths being uniform on
    the simplex. One square is equally spaced and the other coordinates are Kronecker sequences: on
    the circle these are equal angles, in four dimensions the super-Fibonacci spiral (Alexa 2022,
    Proc. CVPR, 8291-8300).
    """
    n = _DIRECTIONS if 2 * n_planes <= _FEW_DIMENSIONS else _MORE_DIRECTIONS
    steps = np.arange(n) + 0.5
    angles = steps[None, :] / n
    splits = np.empty((0, n))
    if n_planes > 1:
        sequences = np.outer(_irrational(2 * n_planes - 2), steps) % 1.0
        splits = np.vstack([angles, sequences[n_planes:]])
        angles = sequences[:n_planes]
    left = np.ones(n)
    coordinates = []
    for plane in range(n_planes):
        rest = np.zeros(n)
        if plane < n_planes - 1:
            rest = left * splits[plane] ** (1.0 / (n_planes - 1 - plane))
        length = np.sqrt(left - rest)
        angle = 2.0 * math.pi * angles[plane]
        coordinates += [length * np.cos(angle), length * np.sin(angle)]
        left = rest
    directions = np.array(coordinates)
    directions.flags.writeable = False
    return directions


def _irrational(number: int) -> Floats:
    """Return steps of Kronecker sequences that fill the unit cube evenly."""
    if number == 2:
        return np.array([math.sqrt(0.5), 1.0 / 1.533751168755204288])
    base = 2.0
    for _ in range(64):  # the root of x^(d + 1) = x + 1 (Roberts 2018)
        base = (1.0 + base) ** (1.0 / (number + 1))
    return np.asarray(base ** -np.arange(1.0, number + 1))
