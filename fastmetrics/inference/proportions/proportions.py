"""A proportion and its confidence interval, by five methods."""

from __future__ import annotations

import math
from typing import Final, get_args

from fastmetrics._docs import documented
from fastmetrics._input.scalars import Alternative, check_choice, check_fraction
from fastmetrics.errors import InputError, UndefinedMetricWarning, warn_user
from fastmetrics.inference.estimate_result import Estimate
from fastmetrics.inference.proportions._proportion_limits import (
    BOUNDED,
    ProportionMethod,
    check_level,
    proportion_limits,
)

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
        If an argument is out of range, or "mid-p" is asked of counts that are not whole.

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

    Constant time; those of the incomplete beta function take some ten evaluations of it a limit.
    The trials have to be independent: rows of few patients or users are not, and then all of
    these are too narrow.

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
        check_whole(successes=count, n=trials)
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


def check_whole(**counts: float) -> None:
    """Refuse counts that are not whole, for the methods that count outcomes."""
    for name, count in counts.items():
        if not count.is_integer():
            raise InputError(
                f"method 'mid-p' is defined for whole counts: got {name} = {count!r}; 'wilson', "
                "'clopper-pearson', 'jeffreys' and 'agresti-coull' take effective counts"
            )
