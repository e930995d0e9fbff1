"""The difference of two proportions, independent or paired: Newcombe's hybrid score interval."""

from __future__ import annotations

import math
from math import nan
from typing import Final

from fastmetrics._docs import documented
from fastmetrics._input.scalars import Alternative
from fastmetrics.errors import UndefinedMetricWarning, warn_user
from fastmetrics.inference.estimate_result import Estimate
from fastmetrics.inference.proportions.proportions import (
    BOUNDED,
    check_count,
    check_level,
    check_successes,
    wilson_limits,
)
from fastmetrics.inference.reference import NOWHERE, normal_quantile, outside, within

PAIRED: Final = "Newcombe (1998), paired hybrid score"
_DIFFERENCE: Final = """
Returns
-------
Estimate
    Its standard error is of the shares as they are; no limits use it. `details` has both
    proportions and the trials behind each: `proportion_a`, `proportion_b`, `n_a`, `n_b`.
"""


@documented(BOUNDED, _DIFFERENCE)
def proportion_difference_interval(
    successes_a: float,
    n_a: float,
    successes_b: float,
    n_b: float,
    *,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Estimate:
    """Compute Newcombe's interval for the difference of two independent proportions, a - b.

    Parameters
    ----------
    successes_a, n_a : int or float
        Successes and trials of the first sample; effective numbers need not be whole.
    successes_b, n_b : int or float
        Those of the second sample, which shares no trial with the first.

    Warns
    -----
    UndefinedMetricWarning
        If `n_a` or `n_b` is 0: estimate and limits are nan.

    Notes
    -----
    With Wilson's limits (l, u) of each proportion p, the lower limit is
    p_a - p_b - sqrt((p_a - l_a)^2 + (u_b - p_b)^2), the upper one likewise. No continuity
    correction. The limits stay inside [-1, 1], and the interval is never a single point. Constant
    time.

    References
    ----------
    Newcombe (1998), Interval estimation for the difference between independent proportions:
    comparison of eleven methods, Statistics in Medicine 17:873-890, method 10.

    Examples
    --------
    >>> result = proportion_difference_interval(56, 70, 48, 80)
    >>> round(result.estimate, 4), result.confidence_interval
    (0.2, ConfidenceInterval(low=0.0524315, high=0.333873))
    """
    n_first, n_second = check_count("n_a", n_a), check_count("n_b", n_b)
    first = check_successes("successes_a", successes_a, "n_a", n_first)
    second = check_successes("successes_b", successes_b, "n_b", n_second)
    level = check_level(confidence_level, alternative)
    for name, count in {"n_a": n_first, "n_b": n_second}.items():
        if count == 0:
            warn_user(f"the difference is not defined: `{name}` is 0", UndefinedMetricWarning)
    sides = (first, n_first - first), (second, n_second - second)
    method, sizes, estimate, error = "Newcombe (1998), hybrid score", (n_first, n_second), nan, nan
    if n_first and n_second:
        a, b = first / n_first, second / n_second
        estimate = a - b
        error = math.sqrt(a * (1.0 - a) / n_first + b * (1.0 - b) / n_second)
    return _estimate(method, estimate, error, sides, sizes, 0.0, level, alternative)


@documented(BOUNDED, _DIFFERENCE)
def paired_proportion_difference_interval(
    both: float,
    only_a: float,
    only_b: float,
    neither: float,
    *,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Estimate:
    """Compute Newcombe's interval for the difference of two proportions on the same trials, a - b.

    Parameters
    ----------
    both, only_a, only_b, neither : int or float
        In how many trials both succeed (two models are right), only the first, only the second,
        and neither.

    Warns
    -----
    UndefinedMetricWarning
        If all four counts are 0: estimate and limits are nan.

    Notes
    -----
    The independent interval with the term -2 phi (p_a - l_a)(u_b - p_b) under the root: phi
    estimates the correlation of the two outcomes, (both neither - only_a only_b) over the root
    of the product of the four margins; a positive numerator is lowered by half the number of
    trials, but not below 0, and phi is 0 where a margin is. Models that agree on every row get an
    interval around 0, not a point. Constant time.

    References
    ----------
    Newcombe (1998), Improved confidence intervals for the difference between binomial proportions
    based on paired data, Statistics in Medicine 17:2635-2650, method 10.

    Examples
    --------
    Of 50 rows, both models are right on 36, only the first on 12, only the second on 2.

    >>> result = paired_proportion_difference_interval(36, 12, 2, 0)
    >>> result.estimate, result.confidence_interval
    (0.2, ConfidenceInterval(low=0.0569296, high=0.340428))
    """
    counts = {"both": both, "only_a": only_a, "only_b": only_b, "neither": neither}
    e, f, g, h = (check_count(name, count) for name, count in counts.items())
    level = check_level(confidence_level, alternative)
    n = e + f + g + h
    sides, sizes = ((e + f, g + h), (e + g, f + h)), (n, n)
    if n == 0:
        warn_user("the difference is not defined: all counts are 0", UndefinedMetricWarning)
        return _estimate(PAIRED, nan, nan, sides, sizes, 0.0, level, alternative)
    phi = _correlation(e / n, f / n, g / n, h / n, n)
    # (f + g - (f - g)^2 / n) / n^2 without a difference of nearly equal numbers
    error = math.sqrt((f * (e + 2.0 * g + h) + g * (e + 2.0 * f + h)) / n) / n
    return _estimate(PAIRED, (f - g) / n, error, sides, sizes, phi, level, alternative)


def _estimate(
    method: str,
    estimate: float,
    error: float,
    sides: tuple[tuple[float, float], tuple[float, float]],
    sizes: tuple[float, float],
    phi: float,
    level: float,
    alternative: Alternative,
) -> Estimate:
    """Return a difference whose limits put together the distances of both shares from their own.

    ``sides`` are the successes and failures of both; ``phi`` is how they correlate.
    """
    interval, z = NOWHERE, -normal_quantile(outside(1.0 - level, alternative))
    a, b = (hits / size if size else nan for (hits, _), size in zip(sides, sizes, strict=True))
    if not math.isnan(estimate):
        (low_a, high_a), (low_b, high_b) = (wilson_limits(*side, z) for side in sides)
        low = estimate - _distance(a - low_a, high_b - b, phi)
        high = estimate + _distance(high_a - a, b - low_b, phi)
        interval = within(low, high, alternative, (-1.0, 1.0))
    return Estimate(
        metric="difference of proportions",
        estimate=estimate,
        standard_error=error,
        confidence_interval=interval,
        df=math.inf,
        confidence_level=level,
        method=method,
        alternative=alternative,
        n_samples=sizes[0] if method == PAIRED else sum(sizes),
        details={"proportion_a": a, "proportion_b": b, "n_a": sizes[0], "n_b": sizes[1]},
    )


def _correlation(e: float, f: float, g: float, h: float, n: float) -> float:
    """Return the continuity-corrected phi of a table of shares."""
    margins = (e + f) * (g + h) * (e + g) * (f + h)
    if margins == 0:
        return 0.0
    numerator = e * h - f * g
    if numerator > 0:
        numerator = max(0.0, numerator - 0.5 / n)
    return max(-1.0, numerator / math.sqrt(margins))


def _distance(x: float, y: float, phi: float) -> float:
    """Return sqrt(x^2 - 2 phi x y + y^2), as a sum that rounding cannot make negative."""
    return math.sqrt(max(0.0, (x - y) ** 2 + 2.0 * (1.0 - phi) * x * y))
