"""The limits of a binomial proportion by five methods, for checked arguments.

Of k successes and m failures, and the error probability left outside a limit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, Literal

from fastmetrics._input.scalars import (
    Alternative,
    check_alternative,
    check_confidence_level,
)
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import InputError
from fastmetrics.inference.reference import NOWHERE, normal_quantile, outside, within

ProportionMethod = Literal["wilson", "clopper-pearson", "jeffreys", "agresti-coull", "mid-p"]

#: What the docstrings of all these intervals share.
BOUNDED: Final = """
Parameters
----------
confidence_level : float, default=0.95
    Coverage aimed at, in (0, 1); at least 0.5 for a bound alone.
"""

_Probability = Callable[[float], float]


def check_level(confidence_level: float, alternative: Alternative) -> float:
    """Return the level; a bound alone needs a half, below which it is on the wrong side."""
    level = check_confidence_level(confidence_level)
    check_alternative(alternative)
    if alternative != "two-sided" and level < 0.5:
        raise InputError(
            "`confidence_level` of a one-sided bound must be at least 0.5: "
            f"got {confidence_level!r} with alternative={alternative!r}"
        )
    return level


def proportion_limits(
    successes: float, n: float, level: float, method: ProportionMethod, alternative: Alternative
) -> ConfidenceInterval:
    """Return the limits for checked arguments; nan where ``n`` is 0."""
    if n == 0:
        return NOWHERE
    k, m, tail = successes, n - successes, outside(1.0 - level, alternative)
    z = -normal_quantile(tail)
    if method == "wilson":
        low, high = wilson_limits(k, m, z)
    elif method == "agresti-coull":
        total = k + m + z * z
        centre = (k + z * z / 2.0) / total
        half = z * math.sqrt(centre * (1.0 - centre) / total)
        low, high = centre - half, centre + half
    elif method == "mid-p" and (k == 0 or m == 0):  # (1 - t)^n / 2 = tail
        root = 0.0 - math.expm1(math.log(2.0 * tail) / (k + m))
        low, high = (0.0, root) if k == 0 else (1.0 - root, 1.0)
    else:
        low, high = _beta_limits(k, m, tail, method)
    return within(low, high, alternative, (0.0, 1.0))


def wilson_limits(k: float, m: float, z: float) -> tuple[float, float]:
    """Return the roots of (k - n t)^2 = z^2 n t (1 - t), n = k + m, neither by a difference."""
    n = k + m
    z_squared = z * z
    top = 2.0 * k + z_squared + z * math.sqrt(z_squared + 4.0 * k * (m / n))
    low = 2.0 * k * (k / n) / top if k > 0 else 0.0
    high = top / (2.0 * (n + z_squared)) if m > 0 else 1.0
    return min(low, 1.0), min(high, 1.0)


def _beta_limits(k: float, m: float, tail: float, method: ProportionMethod) -> tuple[float, float]:
    """Return the t where the rising, and where the falling probability equals ``tail``.

    They are found from the side where the rarer outcome is counted: near 1, doubles are too far
    apart, and both limits mirror those of the failures.
    """
    if k > m:
        low, high = _beta_limits(m, k, tail, method)
        return 1.0 - high, 1.0 - low
    rising, falling = _probabilities(k, m, method)
    near_low, near_high = wilson_limits(k, m, -normal_quantile(tail))
    low = _solve(lambda t: rising(t) - tail, near_low) if k > 0 else 0.0
    return low, _solve(lambda t: tail - falling(t), near_high)


def _probabilities(
    k: float, m: float, method: ProportionMethod
) -> tuple[_Probability, _Probability]:
    """Return P(X >= k; t) and P(X <= k; t) of k + m trials, as functions of t.

    Of "mid-p" with half of P(X = k; t) in either; of "jeffreys" P(p <= t) and P(p >= t) for p of
    the distribution Beta(k + 1/2, m + 1/2).
    """
    from scipy.special import betainc, betaincc

    if method == "jeffreys":
        a, b = k + 0.5, m + 0.5
        return lambda t: betainc(a, b, t), lambda t: betaincc(a, b, t)
    if method == "clopper-pearson":
        return lambda t: betainc(k, m + 1.0, t), lambda t: betaincc(k + 1.0, m, t)
    return (
        lambda t: (betainc(k, m + 1.0, t) + betainc(k + 1.0, m, t)) / 2.0,
        lambda t: (betaincc(k, m + 1.0, t) + betaincc(k + 1.0, m, t)) / 2.0,
    )


def _solve(excess: _Probability, guess: float) -> float:
    """Return the root of a rising function of [0, 1], to the last bits.

    scipy's inverse, betaincinv, is not used: for few successes in 10^7 trials or more it stops
    early, and returns limits on the wrong side of the estimate (scipy 1.17: k = 1000 of 10^9).
    """
    from scipy.optimize import brentq

    start = stop = guess if guess > 0.0 else 0.5  # 0 at no success and a level that makes z 0
    while excess(start) > 0.0:
        start /= 2.0
    while excess(stop) < 0.0:
        stop = min(1.0, 2.0 * stop)
    if start == stop:
        return start
    return float(brentq(excess, start, stop, xtol=1e-300, rtol=2.0**-50))
