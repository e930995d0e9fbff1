"""``kendall_test``: whether two variables order rows independently of one another."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.scalars import Alternative, check_choice
from fastmetrics.comparison.result import ComparisonTest, question
from fastmetrics.errors import InputError, UndefinedMetricWarning, warn_user
from fastmetrics.inference import reference
from fastmetrics.inference._pvalues import exact_pvalue
from fastmetrics.measures.concordance.rank_correlation import check_paired
from fastmetrics.tables.concordance.row_counts import PairCounts, count_pairs
from fastmetrics.tables.ordering.row_order import row_order

#: Rows without ties up to which the test is exact where nothing else is asked for, and at most.
_EXACT_BY_DEFAULT: Final = 50
_EXACT_AT_MOST: Final = 200


@documented()
def kendall_test(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    method: Literal["auto", "exact", "normal"] = "auto",
    confidence_level: float = 0.95,
    n_threads: int | None = None,
) -> ComparisonTest:
    """Test that a score and an outcome are independent, by concordant less discordant pairs.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Outcomes: numbers, or labels 0 and 1.
    y_score : array-like of shape (n_samples,)
        Predictions; they matter by their order alone.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        What the test is against: that tau is other than 0, below 0 or above 0.
    method : {"auto", "exact", "normal"}, default="auto"
        Count all orders, which takes values without ties and 200 rows at most; or take z as
        normal, its variance being corrected for ties. By default exact up to 50 rows without ties.

    confidence_level : float, default=0.95
        Level of the decision.

    Returns
    -------
    ComparisonTest
        z: concordant less discordant pairs, over their standard deviation without association. The
        effect is Kendall's tau-b.

    Raises
    ------
    TypeError, ValueError
        If lengths differ, a value is no finite number, or "exact" is asked of ties or many rows.

    Warns
    -----
    UndefinedMetricWarning
        If all values of one side tie: nothing can be said, and p is nan.

    Notes
    -----
    Tau-b, tau-c, Somers' D and gamma have the same numerator, and this is the test of all of them.
    It says whether there is an association; how sure its size is, says `estimate`.
    The same p-values as `scipy.stats.kendalltau` by the same method, whose "asymptotic" is "normal"
    here; by default that one stops to be exact at 34 rows, this one at 51. O(n log n).

    References
    ----------
    Kendall (1970), Rank correlation methods, 4th edition, chapters 4 and 5.

    Examples
    --------
    >>> test = kendall_test([1, 2, 3, 4, 5, 6], [2, 1, 3, 5, 4, 6])
    >>> test
    ComparisonTest(Kendall test, exact: z=2.06654, pvalue=0.0555556, do not reject at 0.05)
    >>> round(test.estimate, 4)
    0.7333
    """
    asked = question(confidence_level, alternative)
    check_choice("method", method, ("auto", "exact", "normal"))
    outcome, score = check_paired(y_true, y_score)
    found = count_pairs(outcome, score)
    n = found.n_rows
    has_ties = min(found.n_scores, found.n_outcomes) < n
    if method == "exact" and (has_ties or n > _EXACT_AT_MOST):
        what = "there are ties" if has_ties else f"got {n:,} rows"
        raise InputError(
            f"`method='exact'` takes values without ties and {_EXACT_AT_MOST} rows at most: {what}"
        )
    is_exact = method == "exact" or (method == "auto" and not has_ties and n <= _EXACT_BY_DEFAULT)
    statistic = tau = pvalue = math.nan
    if min(found.n_scores, found.n_outcomes) == 1:
        is_exact = False
        warn_user(
            "Kendall's test is undefined: all values of one side tie; p is nan",
            UndefinedMetricWarning,
        )
    else:
        statistic = found.excess / math.sqrt(_variance(found, outcome, score))
        tau = found.excess / math.sqrt(found.apart_in_score * found.apart_in_outcome)
        pvalue = reference.pvalue(statistic, math.inf, asked.alternative)
    if is_exact:
        pvalue = _exact(found, asked.alternative)
    return asked.answer(
        f"Kendall test, {'exact' if is_exact else 'normal'}",
        ("z", statistic),
        pvalue,
        ("Kendall's tau-b", tau),
        details={"n": float(n)},
    )


def _variance(found: PairCounts, *variables: NDArray[Any]) -> float:
    """Return that of concordant less discordant pairs when every order is equally likely."""
    n, sizes = found.n_rows, [np.diff(row_order(values).starts) for values in variables]
    of_both = [each[each > 1].tolist() for each in sizes]  # rows that share a value
    pairs = n * (n - 1)
    slope = sum(t * (t - 1) * (2 * t + 5) for runs in of_both for t in runs)
    doubled = math.prod(sum(t * (t - 1) for t in runs) for runs in of_both)
    variance = Fraction(pairs * (2 * n + 5) - slope, 18) + Fraction(doubled, 2 * pairs)
    if n > 2:
        tripled = math.prod(sum(t * (t - 1) * (t - 2) for t in runs) for runs in of_both)
        variance += Fraction(tripled, 9 * pairs * (n - 2))
    return float(variance)


def _exact(found: PairCounts, alternative: Alternative) -> float:
    """Return the share of all orders that are as extreme, by their number of discordant pairs."""
    counts = [1]  # orders of one row by discordant pairs
    for rows in range(2, found.n_rows + 1):
        sums = [0, *itertools.accumulate(counts)]
        most = len(counts) - 1
        counts = [
            sums[min(pairs, most) + 1] - sums[max(0, pairs - rows + 1)]
            for pairs in range(most + rows)
        ]
    every = math.factorial(found.n_rows)
    return exact_pvalue(
        alternative,
        found.concordant,
        found.discordant,
        at_most=lambda k: Fraction(sum(counts[: k + 1]), every),
        at_least=lambda k: Fraction(sum(counts[k:]), every),
    )
