"""Scales and references: from an estimate and its error to limits and p-values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, NamedTuple

from fastmetrics._input.scalars import Alternative
from fastmetrics._results import ConfidenceInterval
from fastmetrics.inference._normal import normal_quantile
from fastmetrics.measures._measure import Scale


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


def quantile(share: float, df: float) -> float:
    """Return the quantile of Student's t; of the normal for infinite degrees of freedom."""
    if math.isinf(df):
        return normal_quantile(share)
    from scipy.special import stdtrit

    return float(stdtrit(df, share)) if df > 0 else math.copysign(math.inf, share - 0.5)


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


def difference_test(
    difference: float,
    standard_error: float,
    df: float,
    confidence_level: float,
    alternative: Alternative = "two-sided",
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> DifferenceTest:
    """Test that a difference is 0, by Student's t; the normal for infinite degrees of freedom.

    All is nan where the error is. Where it is 0, a difference of 0 has a statistic of 0 and a p of
    1, another one of +-inf, and the interval is the difference (one-sided, and beyond).
    """
    if math.isnan(standard_error):
        return DifferenceTest(math.nan, math.nan, ConfidenceInterval(math.nan, math.nan))
    if standard_error > 0.0:
        statistic = difference / standard_error
        interval = limits(
            difference, standard_error, df, confidence_level, "identity", alternative, bounds
        )
        if not df > 0.0:  # nothing is known of the error
            interval = ConfidenceInterval(*bounds)
        return DifferenceTest(statistic, pvalue(statistic, df, alternative), interval)
    low = bounds[0] if alternative == "less" else difference
    high = bounds[1] if alternative == "greater" else difference
    statistic = math.copysign(math.inf, difference) if difference else 0.0
    p = pvalue(statistic, math.inf, alternative) if difference else 1.0
    return DifferenceTest(statistic, p, ConfidenceInterval(low, high))


def limits(
    value: float,
    standard_error: float,
    df: float,
    confidence_level: float,
    scale: Scale = "identity",
    alternative: Alternative = "two-sided",
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> ConfidenceInterval:
    """Return the limits of Student's t on a scale, transformed back, inside the bounds.

    nan where the error or its degrees of freedom are, or the value lies on the edge of the scale.
    """
    nowhere = ConfidenceInterval(math.nan, math.nan)
    if not (standard_error > 0.0 and df > 0.0):
        return nowhere
    mapped = _MAPS[scale]
    try:
        centre, slope = mapped.to(value), mapped.slope(value)
    except (ValueError, ZeroDivisionError):
        return nowhere
    share = (1.0 - confidence_level) / (2.0 if alternative == "two-sided" else 1.0)
    half = -quantile(share, df) * standard_error * slope
    least, most = bounds
    low = least if alternative == "less" else max(least, mapped.back(centre - half))
    high = most if alternative == "greater" else min(most, mapped.back(centre + half))
    return ConfidenceInterval(low, high)


def pvalue(statistic: float, df: float, alternative: Alternative = "two-sided") -> float:
    """Return the probability of a t at least as extreme."""
    if math.isnan(statistic) or math.isnan(df):
        return math.nan
    if alternative == "two-sided":
        return min(1.0, 2.0 * tail(-abs(statistic), df))
    return tail(statistic if alternative == "less" else -statistic, df)
