"""``sign_flip_test``: a permutation test of paired differences."""

from __future__ import annotations

import math
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._input.rng import seed_key
from fastmetrics._input.scalars import Alternative, check_alternative, check_choice, check_integer
from fastmetrics.comparison._options import better_of, check_alpha, check_names
from fastmetrics.comparison.result import ComparisonTest
from fastmetrics.comparison.samples._differences import check_ranked_differences
from fastmetrics.comparison.samples._sign_sums import exact_tail, magnitudes_of, random_sums
from fastmetrics.errors import DegenerateDataWarning, InputError, warn_user

Method = Literal["auto", "exact", "monte-carlo"]

_ROUNDING: Final = 1e-12
"""Sums of many numbers round less than the worst case would have it."""


def sign_flip_test(
    errors_a: ArrayLike,
    errors_b: ArrayLike | None = None,
    *,
    method: Method = "auto",
    n_resamples: int = 9999,
    rng: Any = None,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    higher_is_better: bool = False,
    names: tuple[str, str] = ("A", "B"),
) -> ComparisonTest:
    """Test by flipping signs whether paired differences are symmetric about 0.

    Parameters
    ----------
    errors_a, errors_b : array-like of shape (n,)
        The error of each model on each data set or example. Without `errors_b`, `errors_a` holds
        the differences, A less B.
    method : {"auto", "exact", "monte-carlo"}, default="auto"
        All 2^n signs, or random ones. "auto" is exact where that is feasible: up to 40 differences
        other than 0, and many more where magnitudes repeat, as those of 0-1 losses do.
    n_resamples : int, default=9999
        Random choices of signs, where they are needed.
    rng : None, int, Generator, BitGenerator, SeedSequence or str
        Source of the random signs.
    alpha : float, default=0.05
        Level of the decision.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        Whether the mean of A less B is other than, below or above 0.
    higher_is_better : bool, default=False
        Whether the numbers are scores rather than errors; it decides who is called better.
    names : (str, str), default=("A", "B")
        What the models are called.

    Returns
    -------
    ComparisonTest
        The statistic and the effect are the mean difference.

    Raises
    ------
    TypeError
        If the numbers are no real numbers.
    ValueError
        If shapes differ or numbers are not finite; if "exact" is asked for where it is not
        feasible.

    Warns
    -----
    DegenerateDataWarning
        If all differences are 0: the statistic is 0 and p is 1.

    See Also
    --------
    paired_permutation_test : Exchanges the scores of two models, for AUC and its like.
    wilcoxon_signed_rank_test : The same of the ranks of the differences.

    Notes
    -----
    Under the null hypothesis each difference could as well have the other sign; two-sided, means at
    least as large in absolute value are as extreme. Sums equal up to rounding are equal. The exact
    p goes through the sums of two halves of the differences, some 2^(n/2) of them, rather than
    2^n; random signs give p = (b + 1) / (n_resamples + 1), never 0, at O(n) each.

    References
    ----------
    Fisher (1935), The Design of Experiments, section 21. Phipson & Smyth (2010), Permutation
    p-values should never be zero, SAGMB 9:39.

    Examples
    --------
    >>> a = [0.20, 0.31, 0.12, 0.25, 0.19, 0.40]
    >>> b = [0.17, 0.28, 0.13, 0.20, 0.18, 0.33]
    >>> sign_flip_test(a, b)
    ComparisonTest(sign-flip test, exact: mean=0.03, pvalue=0.09375, do not reject at 0.05, better:
    B)
    """
    found = check_ranked_differences(errors_a, errors_b, "errors")
    check_choice("method", method, get_args(Method))
    level, side = check_alpha(alpha), check_alternative(alternative)
    both = check_names(names)
    count = check_integer("n_resamples", n_resamples, low=1, high=10**8)
    key = seed_key(rng)
    n = len(found.values)
    exponent = math.frexp(float(np.abs(found.values).max()))[1]
    moving = found.values != 0
    nonzero, roundings = (np.ldexp(one[moving], -exponent) for one in found)
    total = math.fsum(nonzero.tolist())
    relative = min(len(nonzero) * np.finfo(np.float64).eps, _ROUNDING)
    slack = relative * float(np.abs(nonzero).sum()) + float(roundings.sum())
    total = 0.0 if abs(total) <= slack else total
    pvalue, how = 1.0, "exact"
    if len(nonzero) == 0:
        warn_user("all differences are 0: the mean is 0 and p is 1", DegenerateDataWarning)
    else:
        least = (
            abs(total) if side == "two-sided" else total if side == "greater" else -total
        ) - slack
        tail = None
        if method != "monte-carlo":
            tail = exact_tail(magnitudes_of(nonzero, roundings), least)
        if tail is None and method == "exact":
            raise InputError(
                f"method='exact' is not feasible for these {len(nonzero):,} differences: use 'auto'"
            )
        if tail is None:
            how = "Monte Carlo"
            sums = random_sums(nonzero, count, np.random.default_rng(key))
            sums = np.abs(sums) if side == "two-sided" else sums if side == "greater" else -sums
            pvalue = (int(np.count_nonzero(sums >= least)) + 1) / (count + 1)
        elif side == "two-sided":
            pvalue = 1.0 if least <= 0 else min(1.0, 2.0 * tail)
        else:
            pvalue = tail
    mean = math.ldexp(total / n, exponent)
    return ComparisonTest(
        f"sign-flip test, {how}",
        mean,
        "mean",
        None,
        pvalue,
        level,
        math.nan,
        pvalue <= level,
        side,
        mean,
        "mean difference",
        None,
        better_of(mean, both, higher_is_better),
        {"n": float(n), "n_zero": float(n - len(nonzero))},
    )
