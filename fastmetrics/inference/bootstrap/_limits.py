"""Confidence limits and p-values from the replicates of a bootstrap."""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import MonteCarloPValue
from fastmetrics._input.scalars import Alternative
from fastmetrics._results import ConfidenceInterval
from fastmetrics.inference.units import narrowed_level, widened_level

Method = Literal["percentile", "basic", "bca"]

Floats = NDArray[np.float64]

# A replicate is a sum over up to 10^7 rows or more: values this near to one another, relative to
# their size, are one value. An interval so narrow would say nothing either.
_ROUNDING = 2.0**-46

# Differences of measures this near to one another, relative to the largest, are ties.
_TIE = 1e-12

ALL_EQUAL = (
    "all replicates are equal, so that they do not show how much the estimate varies: use an "
    "analytic interval (`comparison.newcombe_interval` for an AUC, "
    "`comparison.proportion_interval` for a proportion)"
)
NO_BCA = "; use `method='percentile'`, or an analytic interval"
OUTSIDE = "the estimate is outside its replicates and BCa's bias correction is infinite" + NO_BCA
NO_ACCELERATION = "BCa's acceleration is not defined: no influences of rows that differ" + NO_BCA
TOO_SKEW = "BCa's correction has no finite limit with this bias and acceleration" + NO_BCA
TOO_FEW = "fewer than two replicates are defined"
NO_ESTIMATE = "the estimate is not defined"


class Limits(NamedTuple):
    """An interval, and why it is degenerate: nan, or one value; None for a sound one."""

    interval: ConfidenceInterval
    reason: str | None


def limits(
    distribution: ArrayLike,
    estimate: float,
    *,
    method: Method,
    confidence_level: float,
    alternative: Alternative = "two-sided",
    acceleration: float = math.nan,
    n_groups: float | None = None,
) -> Limits:
    """Return the confidence limits that replicates of an estimate give; nan marks a failed one.

    "bca" takes the ``acceleration``; ``n_groups``, effective ones, moves levels out to Student's t.
    Limits are those of ``scipy.stats.bootstrap`` bit for bit. Efron & Tibshirani (1993), 13.3
    (percentile), 14.3 (BCa); Davison & Hinkley (1997), 5.2.1 (basic).
    """
    replicates = np.asarray(distribution, dtype=np.float64)
    if math.isnan(estimate):
        return _undefined(NO_ESTIMATE)
    defined = replicates[~np.isnan(replicates)]
    if len(defined) < 2:
        return _undefined(TOO_FEW)
    alpha = (1 - confidence_level) / 2 if alternative == "two-sided" else 1 - confidence_level
    if n_groups is not None:
        alpha = widened_level(alpha, n_groups)
    degenerate = ALL_EQUAL if _are_equal(defined) else None
    if method == "percentile":
        low, high = _quantiles(defined, (alpha, 1 - alpha))
    elif method == "basic":
        lower, upper = _quantiles(defined, (alpha, 1 - alpha))
        low, high = 2 * estimate - upper, 2 * estimate - lower
    elif degenerate:
        return _undefined(degenerate)
    else:
        levels = _bca_levels(defined, estimate, alpha, acceleration)
        if isinstance(levels, str):
            return _undefined(levels)
        low, high = _quantiles(defined, levels)
    if alternative == "less":
        low = -math.inf
    elif alternative == "greater":
        high = math.inf
    return Limits(ConfidenceInterval(low, high), degenerate)


def mean_and_error(replicates: Floats) -> tuple[float, float]:
    """Return mean and standard deviation; nan where fewer than two are defined, or one is infinite.

    Costs may be as large as doubles get, and their squares are not to be.
    """
    defined = replicates[~np.isnan(replicates)]
    if len(defined) < 2 or not np.isfinite(defined).all():
        return math.nan, math.nan
    exponent = int(np.frexp(np.abs(defined).max())[1])
    scaled = np.ldexp(defined, -exponent)
    mean, error = np.ldexp([scaled.mean(), scaled.std(ddof=1)], exponent).tolist()
    return mean, error


def _undefined(reason: str) -> Limits:
    return Limits(ConfidenceInterval(math.nan, math.nan), reason)


def _are_equal(values: Floats) -> bool:
    """Return whether all values are one, up to the rounding of their sums."""
    low, high = float(values.min()), float(values.max())
    if low == high:
        return True
    return math.isfinite(high - low) and high - low <= _ROUNDING * max(abs(low), abs(high))


def _quantiles(values: Floats, levels: tuple[float, float]) -> tuple[float, float]:
    """Return two linearly interpolated quantiles, by scipy's arithmetic (``method="linear"``)."""
    last = len(values) - 1
    places = [level * len(values) + (1 - level) for level in levels]
    below = [min(max(math.floor(place) - 1, 0), last) for place in places]
    above = [min(row + 1, last) for row in below]
    ranked = np.partition(values, sorted({*below, *above}))
    found = []
    for place, row, next_row in zip(places, below, above, strict=True):
        share = place % 1 if place >= 1 else 0.0
        low, high = float(ranked[row]), float(ranked[next_row])
        # An infinite value that has no share in the quantile must not make it nan.
        found.append((1 - share) * low + share * high if share else low)
    return found[0], found[1]


def _bca_levels(
    replicates: Floats, estimate: float, alpha: float, acceleration: float
) -> tuple[float, float] | str:
    """Return the levels of the two quantiles (E&T eq. 14.10), or why there are none."""
    from scipy.special import ndtr, ndtri

    bias = _bias(replicates, estimate)
    if math.isinf(bias):
        return OUTSIDE
    if not math.isfinite(acceleration):
        return NO_ACCELERATION
    z = float(ndtri(alpha))
    shifts = [bias + z, bias - z]
    slopes = [1 - acceleration * shift for shift in shifts]
    if min(slopes) <= 0:  # beyond the pole the limits would change sides
        return TOO_SKEW
    lower, upper = (
        float(ndtr(bias + shift / slope)) for shift, slope in zip(shifts, slopes, strict=True)
    )
    return lower, upper


def _bias(replicates: Floats, estimate: float) -> float:
    """Return BCa's correction of bias; infinite where the estimate is outside its replicates."""
    from scipy.special import ndtri

    # The share below the estimate, ties counted half.
    twice = np.count_nonzero(replicates < estimate) + np.count_nonzero(replicates <= estimate)
    return float(ndtri(twice / (2 * len(replicates))))


def acceleration(
    influences: Floats, times: NDArray[Any] | None = None, strata: NDArray[Any] | None = None
) -> float:
    """Return the acceleration of a BCa interval; nan where influences are undefined or all equal.

    ``influences`` are the derivatives of the estimate by the weight of each sampling unit, or of
    each of ``times`` equal ones; ``strata`` the sample that each is drawn in, where there are
    several. With U the influences less their mean in the stratum it is

        a = 1/6 sum U^3 / (sum U^2)^(3/2).

    Efron & Tibshirani (1993), eq. 14.15 with the infinitesimal jackknife (22.19) in place of the
    jackknife; of several samples Davison & Hinkley (1997), 5.3.2.
    """
    times = np.ones(len(influences)) if times is None else times
    held = times > 0
    influences, times = influences[held], times[held]
    codes = np.zeros(len(times), np.int64) if strata is None else strata[held]
    centred = np.empty(len(times))
    with np.errstate(invalid="ignore"):  # infinite influences: the largest says so
        for code in np.unique(codes):
            own = codes == code
            centred[own] = influences[own] - np.average(influences[own], weights=times[own])
        largest = np.abs(centred).max()
    if not _ROUNDING * np.abs(influences).max() < largest < math.inf:
        return math.nan
    centred /= largest  # influences of 1/n, say: their cubes could leave the range of float64
    squares = times * centred * centred
    return float((squares * centred).sum() / (6.0 * squares.sum() ** 1.5))


def pvalue_of_limits(
    distribution: ArrayLike,
    estimate: float,
    *,
    method: Method = "percentile",
    alternative: Alternative = "two-sided",
    acceleration: float = math.nan,
    n_groups: float | None = None,
) -> float:
    """Return the p-value of "it is 0": the level at which the interval of `limits` reaches 0.

    Of B replicates d the lower limit reaches 0 at a tail of the share of d <= 0, of "basic" of
    d >= 2 estimate, each count plus one, for the data themselves, and over B + 1; "bca" and groups
    then undo what they do to levels. Efron & Tibshirani (1993), 15.4; Davison & Hinkley (1997),
    4.2; of the centring of "basic" Hall & Wilson (1991), Biometrics 47:757-762.
    """
    replicates = np.asarray(distribution, dtype=np.float64)
    defined = replicates[~np.isnan(replicates)]
    n = len(defined)
    if n == 0:
        return math.nan
    null = slack = 0.0
    if method == "basic":  # what rounding parts from twice the estimate is a tie all the same
        null, slack = 2.0 * estimate, _TIE * float(np.max(np.abs(defined)))
    below = int(np.count_nonzero(defined <= null + slack))
    above = int(np.count_nonzero(defined >= null - slack))
    if method == "basic":  # the mirror: the upper quantile makes the lower limit
        below, above = above, below
    lower, upper = (1 + below) / (n + 1), (1 + above) / (n + 1)
    if method == "bca" and not _are_equal(defined):
        if isinstance(_bca_levels(defined, estimate, 0.025, acceleration), str):
            return math.nan
        bias = _bias(defined, estimate)
        lower, upper = _bca_tail(lower, bias, acceleration), _bca_tail(upper, -bias, -acceleration)
    lower, upper = (max(narrowed_level(t, n_groups), 0.0) for t in (lower, upper))
    sides = {"greater": (lower, below), "less": (upper, above)}
    tail, count = sides.get(alternative) or min(sides.values())
    tails = 2 if alternative == "two-sided" else 1
    return MonteCarloPValue(min(1.0, tails * tail), count == 0)


def _bca_tail(share: float, bias: float, acceleration: float) -> float:
    """Return the tail whose lower BCa limit is the quantile at ``share``."""
    from scipy.special import ndtr, ndtri

    if share >= 1.0:
        return 1.0
    place = float(ndtri(share)) - bias
    return float(ndtr(place / max(1.0 + acceleration * place, 1e-300) - bias))
