"""Scales and references: from an estimate and its error to limits and p-values."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Final, NamedTuple

from fastmetrics._input.scalars import Alternative
from fastmetrics._results import ConfidenceInterval
from fastmetrics.measures._measure import Scale

#: No bounds, and no limits.
ALL: Final = (-math.inf, math.inf)
NOWHERE: Final = ConfidenceInterval(math.nan, math.nan)


class _Map(NamedTuple):
    """A scale: to it, back from it, and its slope at a value."""

    to: Callable[[float], float]
    back: Callable[[float], float]
    slope: Callable[[float], float]


def _expit(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x)) if x > 0 else math.exp(x) / (1.0 + math.exp(x))


def _exp(x: float) -> float:
    return math.exp(x) if x < 709.0 else math.inf


_MAPS: Final[dict[Scale, _Map]] = {
    "identity": _Map(lambda v: v, lambda x: x, lambda v: 1.0),
    "logit": _Map(lambda v: math.log(v) - math.log1p(-v), _expit, lambda v: 1.0 / (v * (1.0 - v))),
    "log": _Map(math.log, _exp, lambda v: 1.0 / v),
    "lack": _Map(lambda v: -math.log1p(-v), lambda x: -math.expm1(-x), lambda v: 1.0 / (1.0 - v)),
    "atanh": _Map(math.atanh, math.tanh, lambda v: 1.0 / (1.0 - v * v)),
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
    """What a difference over its standard error says."""

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
    mapped = _MAPS[scale]
    try:
        centre, slope = mapped.to(value), mapped.slope(value)
    except (ValueError, ZeroDivisionError):
        return NOWHERE
    half = -quantile(outside(1.0 - confidence_level, alternative), df) * standard_error * slope
    return within(mapped.back(centre - half), mapped.back(centre + half), alternative, bounds)


def within(
    low: float, high: float, alternative: Alternative, bounds: tuple[float, float]
) -> ConfidenceInterval:
    """Return limits inside the bounds, one of which is the limit that was not asked for."""
    least, most = bounds
    return ConfidenceInterval(
        least if alternative == "less" else max(least, low),
        most if alternative == "greater" else min(most, high),
    )


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
