"""``wilcoxon_signed_rank_test``: paired differences by the ranks of their magnitudes."""

from __future__ import annotations

import math
from typing import Final, Literal, get_args

from numpy.typing import ArrayLike

from fastmetrics._input.scalars import Alternative, check_alternative, check_choice
from fastmetrics.comparison._options import better_of, check_alpha, check_names
from fastmetrics.comparison.result import ComparisonTest
from fastmetrics.comparison.samples._differences import check_ranked_differences
from fastmetrics.comparison.samples._signed_ranks import (
    ZeroMethod,
    exact_pvalue,
    normal_pvalue,
    signed_ranks,
)
from fastmetrics.comparison.samples._walsh_averages import WalshAverages, walsh_interval
from fastmetrics.errors import DegenerateDataWarning, InputError, warn_user

Method = Literal["auto", "exact", "normal"]

_AUTO: Final = 200
_FEASIBLE: Final = 1_000
"""2^-1000 is a normal double; and the work grows with the cube."""


def wilcoxon_signed_rank_test(
    errors_a: ArrayLike,
    errors_b: ArrayLike | None = None,
    *,
    zero_method: ZeroMethod = "wilcox",
    method: Method = "auto",
    correction: bool = True,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    higher_is_better: bool = False,
    names: tuple[str, str] = ("A", "B"),
) -> ComparisonTest:
    """Test by signed ranks whether paired differences are symmetric about 0.

    Parameters
    ----------
    errors_a, errors_b : array-like of shape (n,)
        The error of each model on each data set. Without `errors_b`, `errors_a` holds the
        differences, A less B.
    zero_method : {"wilcox", "pratt", "zsplit"}, default="wilcox"
        Differences of 0 are left out; ranked and then left out; or ranked, half of their ranks
        going to either sum.
    method : {"auto", "exact", "normal"}, default="auto"
        The exact distribution of the ranks at hand, ties included, up to 1,000 differences other
        than 0; or the normal one. "auto" is exact up to 200.
    correction : bool, default=True
        Whether the normal distribution is corrected for continuity.
    alpha : float, default=0.05
        Level of the decision, and 1 - alpha that of the interval.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        Whether A less B is symmetric about another value than 0, one below or one above.
    higher_is_better : bool, default=False
        Whether the numbers are scores rather than errors; it decides who is called better.
    names : (str, str), default=("A", "B")
        What the models are called.

    Returns
    -------
    ComparisonTest
        W: the smaller of the two sums of ranks, one-sided that of the positive differences. The
        effect is Hodges and Lehmann's median of the averages of all pairs of differences, with its
        interval, whose limits are infinite where n is too small for the level. `details` has both
        sums, the rank-biserial correlation (-1 to 1), and z where the normal distribution was used.

    Raises
    ------
    TypeError
        If the numbers are no real numbers.
    ValueError
        If shapes differ or numbers are not finite; if "exact" is asked for beyond 1,000.

    Warns
    -----
    DegenerateDataWarning
        If all differences are 0: W is 0 and p is 1.

    Notes
    -----
    Differences that are equal up to the rounding of the numbers behind them tie. Given the ranks,
    each sign is a coin: the exact p is that of all 2^n signs, found in O(n^3); the normal one has
    variance sum r^2 / 4 over differences other than 0. The interval holds all differences, zeros
    included. O(n log n) beyond 1,000 differences.

    References
    ----------
    Wilcoxon (1945), Individual comparisons by ranking methods, Biometrics Bulletin 1:80-83. Pratt
    (1959), JASA 54:655-667. Hodges & Lehmann (1963), Annals of Mathematical Statistics 34:598-611.
    Kerby (2014), The simple difference formula, Comprehensive Psychology 3:1 (rank-biserial).

    Examples
    --------
    >>> a = [0.20, 0.31, 0.12, 0.25, 0.19, 0.40]
    >>> b = [0.17, 0.29, 0.13, 0.20, 0.15, 0.33]
    >>> test = wilcoxon_signed_rank_test(a, b)
    >>> test
    ComparisonTest(Wilcoxon signed-rank test, exact: W=1, pvalue=0.0625, do not reject at 0.05,
    better: B)
    >>> round(test.effect_size, 4), round(test.details["rank_biserial"], 4)
    (0.035, 0.9048)
    """
    found = check_ranked_differences(errors_a, errors_b, "errors")
    zeros: ZeroMethod = check_choice("zero_method", zero_method, get_args(ZeroMethod))
    check_choice("method", method, get_args(Method))
    check_choice("correction", correction, (True, False))
    level, side = check_alpha(alpha), check_alternative(alternative)
    both = check_names(names)
    values, ranks = found.values, signed_ranks(found, zeros)
    n_nonzero = len(ranks.ranks)
    if method == "exact" and n_nonzero > _FEASIBLE:
        raise InputError(
            f"method='exact' is for at most {_FEASIBLE:,} differences other than 0: got "
            f"{n_nonzero:,}"
        )
    is_exact = method == "exact" or (method == "auto" and n_nonzero <= _AUTO)
    details = {
        "n": float(len(values)),
        "n_zero": float(len(values) - n_nonzero),
        "w_plus": ranks.plus,
        "w_minus": ranks.minus,
        "rank_biserial": 0.0,
    }
    if n_nonzero == 0:
        warn_user("all differences are 0: W is 0 and p is 1", DegenerateDataWarning)
        statistic, pvalue = 0.0, 1.0
    else:
        both_sums = ranks.plus + ranks.minus
        details["rank_biserial"] = (ranks.plus - ranks.minus) / both_sums
        statistic = min(ranks.plus, ranks.minus) if side == "two-sided" else ranks.plus
        if is_exact:
            pvalue = exact_pvalue(ranks, side)
        else:
            details["z"], pvalue = normal_pvalue(ranks, correction, side)
    averages = WalshAverages(values)
    return ComparisonTest(
        f"Wilcoxon signed-rank test, {'exact' if is_exact else 'normal'}",
        statistic,
        "W",
        None,
        pvalue,
        level,
        math.nan,
        pvalue <= level,
        side,
        averages.median(),
        "Hodges-Lehmann median difference",
        walsh_interval(averages, level, side),
        better_of(details["rank_biserial"], both, higher_is_better),
        details,
    )
