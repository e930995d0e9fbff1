"""Scales and references: from an estimate and its error to limits and p-values."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Any, Final, Literal, NamedTuple, SupportsFloat, TypeVar

import numpy as np
from numpy.typing import NDArray

from fastmetrics._display import MonteCarloPValue, is_bound
from fastmetrics._input.scalars import Alternative
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import InputError
from fastmetrics.metrics._metric import Scale

#: No bounds, and no limits.
ALL: Final = (-math.inf, math.inf)
NOWHERE: Final = ConfidenceInterval(math.nan, math.nan)


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


def normal_quantile(share: float) -> float:
    """Return the number below which the normal distribution has this share (Wichura's AS 241).

    SciPy takes as long to load as NumPy and DuckDB together: a command that asks for one interval
    would pay that for one number.
    """
    if 0.0 < share < 1.0:
        return _NORMAL.inv_cdf(share)
    return {0.0: -math.inf, 1.0: math.inf}.get(share, math.nan)


def quantile(share: float, df: float) -> float:
    """Return the quantile of Student's t; of the normal for infinite degrees of freedom."""
    if math.isinf(df):
        return normal_quantile(share)
    from scipy.special import stdtrit

    return float(stdtrit(df, share)) if df > 0 else math.copysign(math.inf, share - 0.5)


def outside(alpha: float, alternative: Alternative) -> float:
    """Return the error probability that is left outside each limit."""
    return alpha / 2.0 if alternative == "two-sided" else alpha


def critical_value(df: float, alpha: float, alternative: Alternative = "two-sided") -> float:
    """Return the t from which on a test at a level rejects; negative for "less"."""
    found = quantile(outside(alpha, alternative), df)
    return found if alternative == "less" else -found


def tail(statistic: float, df: float) -> float:
    """Return the share of Student's t below a statistic."""
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
    """Return a difference over its error; 0 where both are 0, +-inf where the error alone is."""
    if standard_error != 0.0:
        return difference / standard_error
    return math.copysign(math.inf, difference) if difference else 0.0


def difference_test(
    difference: float,
    standard_error: float,
    df: float,
    confidence_level: float,
    alternative: Alternative = "two-sided",
    bounds: tuple[float, float] = ALL,
) -> DifferenceTest:
    """Test that a difference is 0, by Student's t; the normal for infinite degrees of freedom.

    All is nan where the error is; where it is 0, a difference of 0 has p 1, any other 0.
    """
    interval = interval_of(
        difference, standard_error, df, confidence_level, alternative=alternative, bounds=bounds
    )
    if math.isnan(standard_error):
        return DifferenceTest(math.nan, math.nan, interval)
    statistic = ratio(difference, standard_error)
    if standard_error > 0.0:
        return DifferenceTest(statistic, pvalue(statistic, df, alternative), interval)
    p = pvalue(statistic, math.inf, alternative) if difference else 1.0
    return DifferenceTest(statistic, p, interval)


def interval_of(
    value: float,
    standard_error: float,
    df: float,
    confidence_level: float,
    scale: Scale = "identity",
    alternative: Alternative = "two-sided",
    bounds: tuple[float, float] = ALL,
) -> ConfidenceInterval:
    """Return `limits`; the value where nothing varies, the bounds where no df tell how much."""
    if standard_error == 0.0:
        return within(value, value, alternative, bounds)
    if standard_error > 0.0 and not df > 0.0:
        return ConfidenceInterval(*bounds)
    return limits(value, standard_error, df, confidence_level, scale, alternative, bounds)


def limits(
    value: float,
    standard_error: float,
    df: float,
    confidence_level: float,
    scale: Scale = "identity",
    alternative: Alternative = "two-sided",
    bounds: tuple[float, float] = ALL,
) -> ConfidenceInterval:
    """Return the limits of Student's t on a scale, transformed back, inside the bounds.

    nan where the error or its degrees of freedom are, or the value lies on the edge of the scale.
    """
    if not (standard_error > 0.0 and df > 0.0):
        return NOWHERE
    to, back, slope_at = _MAPS[scale]
    try:
        centre, slope = to(value), slope_at(value)
    except (ValueError, ZeroDivisionError):
        return NOWHERE
    half = -quantile(outside(1.0 - confidence_level, alternative), df) * standard_error * slope
    return within(back(centre - half), back(centre + half), alternative, bounds)


def within(
    low: float, high: float, alternative: Alternative, bounds: tuple[float, float]
) -> ConfidenceInterval:
    """Return limits inside the bounds, one of which is the limit that was not asked for."""
    least, most = bounds
    return ConfidenceInterval(
        least if alternative == "less" else max(least, low),
        most if alternative == "greater" else min(most, high),
    )


def auc_variance(auc: float, m: float, n: float) -> float:
    """Return Hanley & McNeil's variance of an AUC of m and n rows, as Newcombe (2006) has it."""
    k = (m + n) / 2.0 - 1.0
    inside = 1.0 + k * ((1.0 - auc) / (2.0 - auc) + auc / (1.0 + auc))
    return auc * (1.0 - auc) / m / n * inside


def auc_limits(auc: float, m: float, n: float, factor: float) -> tuple[float, float]:
    """Return the t with (t - auc)^2 = factor * V(t) below and above an AUC, in [0, 1]."""
    # V(t) = V(1 - t): the lower limit is the mirror image of the upper limit of 1 - auc.
    return 1.0 - _limit_above(1.0 - auc, m, n, factor), _limit_above(auc, m, n, factor)


def _limit_above(auc: float, m: float, n: float, factor: float) -> float:
    """Return the t in [auc, 1] with (t - auc)^2 = factor * V(t), by bisection to the last bit.

    (t - auc)^2 / V(t) rises from 0 at ``auc`` to infinity at 1: there is one such t.
    """
    low, high = auc, 1.0
    while True:
        middle = low + (high - low) / 2.0
        if not low < middle < high:
            return high
        if (middle - auc) ** 2 < factor * auc_variance(middle, m, n):
            low = middle
        else:
            high = middle


def pvalue(statistic: float, df: float, alternative: Alternative = "two-sided") -> float:
    """Return the probability of a t at least as extreme."""
    if math.isnan(statistic) or math.isnan(df):
        return math.nan
    if alternative == "two-sided":
        return min(1.0, 2.0 * tail(-abs(statistic), df))
    return tail(statistic if alternative == "less" else -statistic, df)


def joint_pvalue(statistic: float, rank: int, df: float) -> float:
    """Return the upper tail of a chi-square; of F by finite degrees of freedom of the errors."""
    if math.isnan(statistic) or math.isinf(statistic):
        return 0.0 if math.isinf(statistic) else statistic
    if rank == 0:
        return 1.0
    from scipy.special import chdtrc, fdtrc

    if math.isinf(df):
        return float(chdtrc(rank, statistic))
    return float(fdtrc(rank, df, statistic / rank)) if df > 0 else 1.0


V = TypeVar("V", float, NDArray[np.float64])

#: Python adds up fewer numbers in less time than NumPy takes them apart.
_MANY: Final = 1_000


class Moments(NamedTuple):
    """Mean and standard deviation (n - 1) of n numbers; the latter nan for one number."""

    n: int
    mean: float
    deviation: float


def exact_sum(values: NDArray[np.float64]) -> float:
    """Return the sum of numbers within +-4, rounded once.

    Many are taken apart: whole multiples of 2^-28 and of 2^-56 are added as integers, and of what
    is left, which is less than that, the sum's own rounding is beyond 2^-100.
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
    """Return mean and standard deviation; numbers within ``rounding`` of one another are equal."""
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
    """Return p of a count whose distribution is that of its mirror image, by its two tails."""
    if alternative == "greater":
        return float(at_least(count))
    below = float(at_most(count if alternative == "less" else min(count, mirrored)))
    return below if alternative == "less" else min(1.0, 2.0 * below)


def toward(values: V, alternative: Alternative) -> V:
    """Return numbers that are the greater, the more they speak for the alternative."""
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


def adjusted(pvalues: Floats, method: Adjustment) -> Floats:
    """Return p-values adjusted for their number, in the order given; nan stays nan."""
    if method == "holm":
        return np.array(holm(pvalues.tolist()))
    found = np.full(len(pvalues), np.nan)
    known = np.flatnonzero(~np.isnan(pvalues))
    order, m = known[np.argsort(pvalues[known], kind="stable")], len(known)
    places = np.arange(1, m + 1)
    factors: Any = m / places if method == "benjamini-hochberg" else m - places + 1
    stepped = (m if method == "bonferroni" else factors) * pvalues[order]
    if method != "bonferroni":
        stepped = np.minimum.accumulate(stepped[::-1])[::-1]
    found[order] = np.minimum(stepped, 1.0)
    return found


#: Directions in which the least and the greatest of jointly normal numbers are looked for.
_DIRECTIONS: Final = 1 << 14
_GOLDEN_ANGLE: Final = math.pi * (3.0 - math.sqrt(5.0))
#: Shares of the largest spread below which there is none.
_NO_SPREAD: Final = 1e-12


def max_t_pvalues(
    pvalues: Sequence[float],
    pairs: Sequence[tuple[int, int]],
    covariance: Floats,
    alternative: Alternative = "two-sided",
) -> list[float]:
    """Return step-down max-T p-values of differences of jointly normal estimates, by their pairs.

    The smallest p becomes the chance that any of the numbers, which correlate as the differences
    do, is as extreme; the next one that of any of the others, and so on. None is below its own p or
    above Holm's. A p of nan is not counted; all are nan if the covariance is.

    With r the rank of the covariance of the differences, r normal numbers are a direction and a
    length that does not depend on it: in a direction where the largest difference is m, the chance
    is that of chi-square with r degrees of freedom to pass (z / m)^2, whose mean over directions is
    taken. Of three models it is right to 1e-8 of itself, of four to 1e-4, of five to ten to some
    1e-3. Westfall & Young (1993), Resampling-based multiple testing, 2.6. Hothorn, Bretz & Westfall
    (2008), Biometrical Journal 50:346-363.
    """
    adjusted = [math.nan] * len(pvalues)
    defined = [i for i in range(len(pvalues)) if not math.isnan(pvalues[i])]
    if np.isnan(covariance).any() or not defined:
        return adjusted
    from scipy.special import chdtrc

    order = sorted(defined, key=pvalues.__getitem__)
    rank, most = _largest([pairs[i] for i in order], covariance, alternative)
    bounds = holm(pvalues)
    largest = 0.0
    for place, i in enumerate(order):
        z, chance = -normal_quantile(outside(pvalues[i], alternative)), pvalues[i]
        if z <= 0.0:
            chance = 1.0
        elif math.isfinite(z):
            with np.errstate(divide="ignore"):
                chance = float(chdtrc(rank, (z / most[:, place]) ** 2).mean())
        largest = max(largest, min(max(chance, pvalues[i]), bounds[i]))
        adjusted[i] = largest
    return adjusted


def _largest(
    pairs: list[tuple[int, int]], covariance: Floats, alternative: Alternative
) -> tuple[int, Floats]:
    """Return the rank of some differences, and how large those from each place on are at most.

    In each direction, as a row.
    """
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    rows = np.array([root[a] - root[b] for a, b in pairs])
    norms = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    np.divide(rows, norms, out=rows, where=norms > 0)
    _, sizes, turned = np.linalg.svd(rows, full_matrices=False)
    rank = max(1, int(np.count_nonzero(sizes > _NO_SPREAD * sizes[0])))
    seen = _directions(rank) @ (rows @ turned[:rank].T).T
    seen = np.abs(seen) if alternative == "two-sided" else np.maximum(seen, 0.0)
    return rank, np.maximum.accumulate(seen[:, ::-1], axis=1)[:, ::-1]


def _directions(rank: int) -> Floats:
    """Return unit vectors that are spread evenly, as rows: the same ones each time.

    Equal angles, Fibonacci's spiral, or a sequence of points that fills the sphere (Roberts 2018).
    """
    number = np.arange(_DIRECTIONS) + 0.5
    if rank == 1:
        return np.array([[1.0], [-1.0]])
    if rank == 2:
        angles = number * (2.0 * math.pi / _DIRECTIONS)
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)
    if rank == 3:
        heights, angles = 1.0 - 2.0 * number / _DIRECTIONS, number * _GOLDEN_ANGLE
        circle = np.stack([np.cos(angles), np.sin(angles)]) * np.sqrt(1.0 - heights**2)
        return np.vstack([circle, heights]).T
    from scipy.special import ndtri

    base = 2.0
    for _ in range(64):  # the root of x^(r + 1) = x + 1
        base = (1.0 + base) ** (1.0 / (rank + 1))
    points = ndtri(np.outer(number, base ** -np.arange(1.0, rank + 1)) % 1.0)
    points /= np.sqrt((points**2).sum(axis=1, keepdims=True))
    return np.asarray(points)
