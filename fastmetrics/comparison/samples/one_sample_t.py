"""``one_sample_t_test``: whether k error rates of one model have a given mean."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from fastmetrics._input.scalars import Alternative, check_alternative, check_real
from fastmetrics._results import ConfidenceInterval
from fastmetrics.comparison._options import check_alpha
from fastmetrics.comparison.result import ComparisonTest
from fastmetrics.comparison.samples._differences import check_differences, check_numbers
from fastmetrics.errors import InputError
from fastmetrics.intervals._student import moments, student_test


def one_sample_t_test(
    error_rates: ArrayLike,
    *,
    error_rate: float,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
) -> ComparisonTest:
    """Test whether the mean of k measured error rates is a given error rate.

    Parameters
    ----------
    error_rates : array-like of shape (k,)
        One measured error rate (or any other measure) of each fold or repetition.
    error_rate : float
        The mean under the null hypothesis.
    alpha : float, default=0.05
        Level of the decision, and 1 - alpha that of the interval.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        Whether the mean is other than, below or above `error_rate`.

    Returns
    -------
    ComparisonTest
        t with k - 1 degrees of freedom. The effect is the mean, with its interval; `details` has
        the standard deviation and Cohen's d.

    Raises
    ------
    TypeError
        If the numbers are no real numbers.
    ValueError
        If they are not of shape (k,), not finite, or an option is out of range.

    Warns
    -----
    DegenerateDataWarning
        If all error rates are equal: t is 0 (p 1) or infinite.
    UndefinedMetricWarning
        If there is one error rate: all is nan.

    Notes
    -----
    t = sqrt(k) (mean - error_rate) / s, s^2 with k - 1 in the denominator, for independent error
    rates. Those of cross-validation share training data, and s is then too small. O(k).

    References
    ----------
    Student (1908), The probable error of a mean, Biometrika 6:1-25.

    Examples
    --------
    >>> one_sample_t_test([0.12, 0.15, 0.11, 0.14, 0.13], error_rate=0.1)
    ComparisonTest(one-sample t test: t(4)=4.24264, pvalue=0.0132356, reject at 0.05)
    """
    rates = check_numbers(error_rates, "error_rates")
    null = check_real("error_rate", error_rate)
    if not math.isfinite(null):
        raise InputError(f"`error_rate` must be finite: got {error_rate!r}")
    level, side = check_alpha(alpha), check_alternative(alternative)
    found = check_differences(rates, rates * 0 + null, "error_rates")
    n, difference, deviation = moments(*found)
    test = student_test(difference, deviation / math.sqrt(n), n - 1, level, side)
    low, high = test.interval.low + null, test.interval.high + null
    cohen_d = difference / deviation if deviation > 0 else test.statistic
    return ComparisonTest(
        "one-sample t test",
        test.statistic,
        "t",
        n - 1,
        test.pvalue,
        level,
        test.critical_value,
        test.pvalue <= level,
        side,
        null + difference,
        "mean",
        ConfidenceInterval(low, high),
        None,
        {
            "error_rate": null,
            "standard_deviation": deviation,
            "cohen_d": cohen_d,
            "n": float(n),
        },
    )
