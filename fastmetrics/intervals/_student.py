"""Student's t from a mean and its standard error, in the degenerate cases too."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import Alternative
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import DegenerateDataWarning, UndefinedMetricWarning, warn_user


class Moments(NamedTuple):
    """Mean and standard deviation (n - 1) of n numbers; the latter nan for one number."""

    n: int
    mean: float
    deviation: float


class StudentTest(NamedTuple):
    """A t statistic, and what follows from it."""

    statistic: float
    pvalue: float
    critical_value: float
    interval: ConfidenceInterval


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
    centre = math.fsum(scaled.ravel().tolist()) / n
    squares = math.fsum(((scaled - centre) ** 2).ravel().tolist())
    mean = math.ldexp(centre, exponent)
    deviation = math.ldexp(math.sqrt(squares / (n - 1)), exponent)
    return Moments(n, 0.0 if abs(mean) <= rounding else mean, deviation)


def student_test(
    difference: float,
    standard_error: float,
    df: int,
    alpha: float,
    alternative: Alternative,
    *,
    warn: bool = True,
) -> StudentTest:
    """Test that a difference is 0 by t = difference / standard error.

    Where the error is 0, t is 0 with p 1 for a difference of 0, else +-inf; where it is nan, so is
    all else.
    """
    if math.isnan(standard_error):
        if warn:
            message = "the t statistic is not defined: one number has no variance"
            warn_user(message, UndefinedMetricWarning)
        nan = math.nan
        return StudentTest(nan, nan, nan, ConfidenceInterval(nan, nan))
    critical = critical_t(df, alpha, alternative)
    half = abs(critical) * standard_error
    low = -math.inf if alternative == "less" else difference - half
    high = math.inf if alternative == "greater" else difference + half
    interval = ConfidenceInterval(low, high)
    if standard_error > 0:
        statistic = difference / standard_error
        return StudentTest(statistic, t_pvalue(statistic, df, alternative), critical, interval)
    if difference == 0:
        if warn:
            message = "all differences are 0: the statistic is 0 and p is 1"
            warn_user(message, DegenerateDataWarning)
        return StudentTest(0.0, 1.0, critical, interval)
    statistic = math.copysign(math.inf, difference)
    pvalue = t_pvalue(statistic, df, alternative)
    if warn:
        message = f"differences other than 0 do not vary: the statistic is {statistic}"
        warn_user(f"{message} and p is {pvalue:g}", DegenerateDataWarning)
    return StudentTest(statistic, pvalue, critical, interval)


def critical_t(df: int, alpha: float, alternative: Alternative) -> float:
    """Return the t from which on the test rejects; negative for "less"."""
    from scipy.special import stdtrit

    tail = float(stdtrit(df, alpha / 2 if alternative == "two-sided" else alpha))
    return tail if alternative == "less" else -tail


def t_pvalue(statistic: float, df: int, alternative: Alternative) -> float:
    """Return the probability of a t at least as extreme, infinite ones included."""
    from scipy.special import stdtr

    if alternative == "two-sided":
        return 2.0 * float(stdtr(df, -abs(statistic)))
    return float(stdtr(df, statistic if alternative == "less" else -statistic))
