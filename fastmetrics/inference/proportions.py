"""Intervals of published numbers: a proportion, a difference of two, an AUC.

Limits are of k successes and m failures, and the error probability left outside a limit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from math import nan
from typing import Final, Literal, get_args

from fastmetrics._docs import documented
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
from fastmetrics.inference.reference import NOWHERE, normal_quantile, outside, within

ProportionMethod = Literal["wilson", "clopper-pearson", "jeffreys", "agresti-coull", "mid-p"]

#: What the docstrings of all these intervals share.
BOUNDED: Final = """
Parameters
----------
confidence_level : float, default=0.95
    Coverage aimed at, in (0, 1); at least 0.5 for a bound alone.
alternative : {"two-sided", "less", "greater"}, default="two-sided"
    "less": an upper bound alone, the lower limit is 0, of a difference -1. "greater": a lower bound
    alone, the upper limit is 1: is the first no worse than the second by more than a margin? As in
    `scipy.stats.binomtest`.

Raises
------
TypeError
    If an argument is not a number.
ValueError
    If an argument is out of range.
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


LARGEST_COUNT: Final = 2.0**53
"""Beyond, doubles are no longer counts, and the incomplete beta function loses its digits."""


@documented(BOUNDED)
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
        `effective_sample_size`), except for `method="mid-p"`.
    n : int or float
        Independent trials.
    method : str, default="wilson"
        One of "wilson", "clopper-pearson", "jeffreys", "agresti-coull", "mid-p"; see Notes.

    Returns
    -------
    Estimate
        With the standard error sqrt(p (1 - p) / n), 0 where p is 0 or 1, which no limits use.

    Raises
    ------
    ValueError
        If "mid-p" is asked of counts that are not whole.

    Warns
    -----
    UndefinedMetricWarning
        If `n` is 0: estimate and limits are nan.

    See Also
    --------
    effective_sample_size : What to pass as `n` for weighted rows.
    estimate : Precision, recall, F1 and MCC of labels or a confusion matrix.
    proportion_difference_interval : The difference of two proportions.

    Notes
    -----
    Coverage is that of exact enumeration at the level 0.95, n from 5 to 300, p on a fine grid:

    - "wilson" inverts the score test. Right on average over p (0.950 to 0.955); at worst 0.83,
      where n p or n (1 - p) is near 0.18.
    - "clopper-pearson" inverts the exact binomial test in each tail: never below the level,
      and the widest.
    - "mid-p" does the same, counting half the probability of what was observed: on average
      0.951 to 0.978, at worst 0.918 (n p near 3).
    - "jeffreys" takes quantiles of the posterior under the prior Beta(1/2, 1/2), with the limits 0
      and 1 at 0 and n successes. Right on average; at worst 0.868 (n p near 2.5).
    - "agresti-coull" takes the normal interval after adding z^2/2 successes and failures, cut off
      at 0 and 1: Wilson's centre, wider; at worst 0.924 from n = 10 on.

    Constant time. The trials have to be independent: rows of few patients or users are not, and
    then all of these are too narrow.

    References
    ----------
    Wilson (1927), JASA 22:209-212. Clopper & Pearson (1934), Biometrika 26:404-413. Brown, Cai &
    DasGupta (2001), Interval estimation for a binomial proportion, Statistical Science
    16:101-133 (Jeffreys, Agresti-Coull and the comparison). Mid-p: Lancaster (1961), JASA
    56:223-234; Newcombe (1998), Statistics in Medicine 17:857-872, method 6.

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
    trials = check_count("n", n)
    count = check_successes("successes", successes, "n", trials)
    level = check_level(confidence_level, alternative)
    check_choice("method", method, get_args(ProportionMethod))
    if method == "mid-p":
        for name, number in {"successes": count, "n": trials}.items():
            if not number.is_integer():
                raise InputError(
                    f"method 'mid-p' is defined for whole counts: got {name} = {number!r}; "
                    "'wilson', 'clopper-pearson', 'jeffreys' and 'agresti-coull' take effective "
                    "counts"
                )
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


def check_count(name: str, value: float) -> float:
    """Return a count, whole or effective, as a float."""
    return check_fraction(name, value, high=LARGEST_COUNT, include_low=True, include_high=True)


def check_successes(name: str, value: float, name_of_n: str, n: float) -> float:
    """Return a number of successes among ``n`` trials as a float."""
    count = check_count(name, value)
    if count > n:
        raise InputError(f"`{name}` must be at most `{name_of_n}`: got {value!r} of {n:,.17g}")
    return count


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
    upper = _limit_above(auc, m, n, z_squared)
    # V(t) = V(1 - t): the lower limit is the mirror image of the upper limit of 1 - auc.
    return ConfidenceInterval(1.0 - _limit_above(1.0 - auc, m, n, z_squared), upper)


def _limit_above(auc: float, m: float, n: float, z_squared: float) -> float:
    """Return the t in [auc, 1] with (t - auc)^2 = z^2 V(t), by bisection to the last bit.

    (t - auc)^2 / V(t) rises from 0 at ``auc`` to infinity at 1: there is one such t.
    """
    low, high, k = auc, 1.0, (m + n) / 2.0 - 1.0
    while True:
        middle = low + (high - low) / 2.0
        if not low < middle < high:
            return high
        inside = 1.0 + k * ((1.0 - middle) / (2.0 - middle) + middle / (1.0 + middle))
        if (middle - auc) ** 2 < z_squared * (middle * (1.0 - middle) / m / n * inside):
            low = middle
        else:
            high = middle
