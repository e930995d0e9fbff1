"""``nemenyi_test``: every pair of algorithms, by the difference of their mean ranks."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence

from numpy.typing import ArrayLike

from fastmetrics._input.scalars import check_fraction
from fastmetrics.comparison.tables._rank_post_hoc import (
    compared,
    post_hoc_test,
    rank_difference,
    standard_error,
)
from fastmetrics.comparison.tables._rank_table import RankTable, rank_table
from fastmetrics.comparison.tables.post_hoc_result import PostHocTest


def nemenyi_test(
    scores: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    higher_is_better: bool | None = None,
    ranks: ArrayLike | None = None,
    alpha: float = 0.05,
    names: Sequence[str] | None = None,
) -> PostHocTest:
    """Compare every pair of algorithms over data sets by their mean ranks (Nemenyi).

    Parameters
    ----------
    scores : array-like of shape (N, k), data frame, or mapping of str to array-like of shape (N,)
        One row a data set, one column for each of k >= 2 algorithms.
    higher_is_better : bool
        Whether the greater score is the better; required with `scores`.
    ranks : array-like of shape (N, k), optional
        In place of `scores`: ranks from 1, the best, to k; tied algorithms have their mean rank.
    alpha : float, default=0.05
        Level of all comparisons together.
    names : sequence of str, optional
        Of the algorithms; by default the names of the columns, or "0", "1" ...

    Returns
    -------
    PostHocTest
        The critical difference, a p-value for every pair, and the groups left together. The
        statistic of a pair is its difference of mean ranks in standard errors.

    Raises
    ------
    TypeError
        If both or none of `scores` and `ranks` are given, or `higher_is_better` is missing.
    ValueError
        If there are fewer than two algorithms, a number is missing or infinite, `ranks` are no
        ranks, or `alpha` lies outside (0, 1).

    Notes
    -----
    Two algorithms differ if their mean ranks do by CD = q sqrt(k (k + 1) / 6N) or more, q the
    quantile of the studentized range of k with infinite degrees of freedom, divided by sqrt(2):
    for any k and alpha, from its distribution and no table. P-values are good to an absolute
    1e-13. Ties are not allowed for, as nowhere in the literature on this test, which errs on the
    safe side.

    References
    ----------
    Nemenyi (1963), Distribution-free multiple comparisons, Princeton. Demsar (2006), Statistical
    comparisons of classifiers over multiple data sets, JMLR 7:1-30.

    Examples
    --------
    >>> ranks = [[1, 2, 3], [1, 2.5, 2.5], [1, 2, 3], [1, 2, 3]]
    >>> test = nemenyi_test(ranks=ranks, names=["A", "B", "C"])
    >>> test
    PostHocTest(Nemenyi at 0.05: critical difference 1.65725, groups {A, B}, {B, C})
    >>> round(test["A", "C"].pvalue, 6)
    0.021837
    """
    level = check_fraction("alpha", alpha)
    return nemenyi_of(rank_table(scores, ranks, higher_is_better, names), level)


def nemenyi_of(table: RankTable, alpha: float) -> PostHocTest:
    """Return the test of ranks that are checked."""
    k = len(table.names)
    error = standard_error(table)
    q = nemenyi_quantile(k, alpha)
    difference = q * error

    def measured(a: int, b: int) -> tuple[float, float, bool]:
        apart = rank_difference(table, a, b)
        pvalue = _pvalue(abs(apart) / error, k)
        return apart / error, pvalue, abs(apart) >= difference

    return post_hoc_test(
        "Nemenyi", table, alpha, None, compared(table, None), measured, (q, difference)
    )


@functools.lru_cache(maxsize=256)
def nemenyi_quantile(k: int, alpha: float) -> float:
    """Return the upper quantile of the range of k standard normals, over sqrt(2)."""
    from scipy.stats import studentized_range

    return float(studentized_range.isf(alpha, k, math.inf)) / math.sqrt(2.0)


@functools.lru_cache(maxsize=4096)
def _pvalue(z: float, k: int) -> float:
    from scipy.stats import studentized_range

    if z == 0:
        return 1.0
    return min(1.0, max(0.0, float(studentized_range.sf(z * math.sqrt(2.0), k, math.inf))))
