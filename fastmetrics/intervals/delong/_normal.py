"""A difference and its standard error: z, p-value and interval, in the degenerate cases too."""

from __future__ import annotations

import math
from typing import NamedTuple

from fastmetrics._input.scalars import Alternative
from fastmetrics._results import ConfidenceInterval


class NormalTest(NamedTuple):
    """The statistic, its p-value and the interval of the difference."""

    statistic: float
    pvalue: float
    interval: ConfidenceInterval


def normal_test(
    difference: float, standard_error: float, level: float, alternative: Alternative
) -> NormalTest:
    """Test that a difference of two AUCs is 0, taking it as normal.

    Parameters
    ----------
    difference, standard_error : float
        In [-1, 1], and >= 0 or nan.
    level : float
        Of the interval.
    alternative : {"two-sided", "less", "greater"}
        Whether the difference is other than 0, below 0 or above 0.

    Returns
    -------
    NormalTest
        All nan where the standard error is. Where it is 0: z = 0 and p = 1 for a difference of
        0, else z = +-inf with p 0 or 1; the interval is the difference (and beyond, one-sided).
    """
    if math.isnan(standard_error):
        return NormalTest(math.nan, math.nan, ConfidenceInterval(math.nan, math.nan))
    from scipy.special import ndtr, ndtri

    share = (1.0 - level) / 2.0 if alternative == "two-sided" else 1.0 - level
    half = -float(ndtri(share)) * standard_error
    low = -1.0 if alternative == "less" else max(-1.0, difference - half)
    high = 1.0 if alternative == "greater" else min(1.0, difference + half)
    interval = ConfidenceInterval(low, high)
    if standard_error == 0:
        if difference == 0:
            return NormalTest(0.0, 1.0, interval)
        statistic = math.copysign(math.inf, difference)
    else:
        statistic = difference / standard_error
    if alternative == "two-sided":
        return NormalTest(statistic, 2.0 * float(ndtr(-abs(statistic))), interval)
    tail = -statistic if alternative == "greater" else statistic
    return NormalTest(statistic, float(ndtr(tail)), interval)
