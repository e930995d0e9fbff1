"""Intervals of published numbers: a proportion, an AUC.

Limits are of k successes and m failures, and the error probability left outside a limit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, Literal, get_args

from fastmetrics._input.scalars import (
    Alternative,
    check_alternative,
    check_choice,
    check_confidence_level,
    check_fraction,
    check_positive,
)
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import InputError, UndefinedMetricWarning, warn_user
from fastmetrics.inference.estimate_result import Estimate
from fastmetrics.inference.reference import NOWHERE, auc_limits, normal_quantile, outside, within

ProportionMethod = Literal["wilson", "clopper-pearson", "jeffreys"]

_Probability = Callable[[float], float]


def proportion_limits(
    successes: float, n: float, level: float, method: ProportionMethod, alternative: Alternative
) -> ConfidenceInterval:
    """Return the limits for checked arguments; nan where ``n`` is 0."""
    if n == 0:
        return NOWHERE
    failures = n - successes
    tail = outside(1.0 - level, alternative)
    if method == "wilson":
        low, high = wilson_limits(successes, failures, -normal_quantile(tail))
    else:
        low, high = _beta_limits(successes, failures, tail, method)
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

    The rarer outcome is counted: near 1 doubles are too far apart, and both limits are mirrored.
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

    Of "jeffreys" P(p <= t) and P(p >= t) for p of the distribution Beta(k + 1/2, m + 1/2).
    """
    from scipy.special import betainc, betaincc

    if method == "jeffreys":
        return lambda t: betainc(k + 0.5, m + 0.5, t), lambda t: betaincc(k + 0.5, m + 0.5, t)
    return lambda t: betainc(k, m + 1.0, t), lambda t: betaincc(k + 1.0, m, t)


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


#: Beyond, doubles are no longer counts, and the incomplete beta function loses its digits.
_LARGEST_COUNT: Final = 2.0**53


def proportion_interval(
    successes: float,
    n: float,
    *,
    confidence_level: float = 0.95,
    method: ProportionMethod = "wilson",
    alternative: Alternative = "two-sided",
) -> Estimate:
    """Compute a confidence interval for the proportion behind a number of successes.

    Parameters
    ----------
    successes : int or float
        Successes, between 0 and `n`. They need not be whole (an effective number, see
        `effective_sample_size`).
    n : int or float
        Independent trials.
    confidence_level : float, default=0.95
        Coverage aimed at, in (0, 1); at least 0.5 for a bound alone.
    method : {"wilson", "clopper-pearson", "jeffreys"}, default="wilson"
        See Notes.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "less": an upper bound alone, the lower limit is 0. "greater": a lower bound alone, the
        upper limit is 1. As in `scipy.stats.binomtest`.

    Returns
    -------
    Estimate
        With the standard error sqrt(p (1 - p) / n), 0 where p is 0 or 1, which no limits use.

    Raises
    ------
    TypeError
        If an argument is not a number.
    ValueError
        If an argument is out of range.

    Warns
    -----
    UndefinedMetricWarning
        If `n` is 0: estimate and limits are nan.

    See Also
    --------
    effective_sample_size : What to pass as `n` for weighted rows.
    estimate : Precision, recall, F1 and MCC of labels or a confusion matrix.

    Notes
    -----
    Coverage is that of exact enumeration at the level 0.95, n from 5 to 300, p on a fine grid:

    - "wilson" inverts the score test. Right on average over p (0.950 to 0.955); at worst 0.83,
      where n p or n (1 - p) is near 0.18.
    - "clopper-pearson" inverts the exact binomial test in each tail: never below the level,
      and the widest.
    - "jeffreys" takes quantiles of the posterior under the prior Beta(1/2, 1/2), with the limits 0
      and 1 at 0 and n successes. Right on average; at worst 0.868 (n p near 2.5).

    Constant time. The trials have to be independent: rows of few patients or users are not, and
    then all of these are too narrow.

    References
    ----------
    Wilson (1927), JASA 22:209-212. Clopper & Pearson (1934), Biometrika 26:404-413. Brown, Cai &
    DasGupta (2001), Interval estimation for a binomial proportion, Statistical Science
    16:101-133 (Jeffreys and the comparison).

    Examples
    --------
    >>> proportion_interval(8, 9).confidence_interval
    ConfidenceInterval(low=0.565, high=0.980109)
    >>> proportion_interval(8, 9, method="clopper-pearson").confidence_interval
    ConfidenceInterval(low=0.517503, high=0.997191)

    No failure in 300 trials: the failure rate is below one per cent.

    >>> proportion_interval(0, 300, method="clopper-pearson", alternative="less")
    Estimate(proportion: 0 [0, 0.00993608], clopper-pearson)
    """
    trials, count = (
        check_fraction(name, value, high=_LARGEST_COUNT, include_low=True, include_high=True)
        for name, value in (("n", n), ("successes", successes))
    )
    if count > trials:
        raise InputError(f"`successes` must be at most `n`: got {successes!r} of {trials:,.17g}")
    level = check_confidence_level(confidence_level)
    check_alternative(alternative)
    if alternative != "two-sided" and level < 0.5:  # the bound would be on the wrong side
        raise InputError(
            "`confidence_level` of a one-sided bound must be at least 0.5: "
            f"got {confidence_level!r} with alternative={alternative!r}"
        )
    check_choice("method", method, get_args(ProportionMethod))
    if trials == 0:
        warn_user("the proportion is not defined: `n` is 0", UndefinedMetricWarning)
    estimate = count / trials if trials else math.nan
    return Estimate(
        metric="proportion",
        estimate=estimate,
        standard_error=math.sqrt(estimate * (1.0 - estimate) / trials) if trials else math.nan,
        confidence_interval=proportion_limits(count, trials, level, method, alternative),
        df=math.inf,
        confidence_level=level,
        method=method,
        alternative=alternative,
        n_samples=trials,
    )


def newcombe_interval(
    auc: float, n_positive: float, n_negative: float, *, confidence_level: float = 0.95
) -> ConfidenceInterval:
    """Compute Newcombe's score-type interval for an AUC from the AUC and the class sizes alone.

    Parameters
    ----------
    auc : float
        The AUC, in [0, 1].
    n_positive, n_negative : int
        Positives and negatives that it was computed from; at least 1 each.
    confidence_level : float, default=0.95
        Coverage aimed at, in (0, 1).

    Returns
    -------
    ConfidenceInterval
        `low` and `high`, inside [0, 1]; never a single point.

    Raises
    ------
    TypeError
        If an argument is not a number.
    ValueError
        If an argument is out of range.

    Notes
    -----
    The limits are the values t with |auc - t| = z sqrt(V(t)), where

        V(t) = t (1 - t) / (m n) * [1 + k ((1 - t) / (2 - t) + t / (1 + t))],  k = (m + n)/2 - 1,

    the Hanley & McNeil (1982) variance with both class sizes replaced by k + 1 in the brackets.

    References
    ----------
    Newcombe (2006), Confidence intervals for an effect size measure based on the Mann-Whitney
    statistic, part 2, Statistics in Medicine 25:559-573, method 5.

    Examples
    --------
    >>> newcombe_interval(1.0, 10, 20)
    ConfidenceInterval(low=0.848921, high=1)
    """
    auc = check_fraction("auc", auc, include_low=True, include_high=True)
    m, n = check_positive("n_positive", n_positive), check_positive("n_negative", n_negative)
    if min(m, n) < 1:
        raise InputError(f"`n_positive` and `n_negative` must be at least 1: got {m:g} and {n:g}")
    level = check_confidence_level(confidence_level)
    z_squared = normal_quantile((1.0 - level) / 2.0) ** 2
    return ConfidenceInterval(*auc_limits(auc, m, n, z_squared))
