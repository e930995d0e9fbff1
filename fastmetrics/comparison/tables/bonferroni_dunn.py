"""``bonferroni_dunn_test``: algorithms against one control, by their mean ranks."""

from __future__ import annotations

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


def bonferroni_dunn_test(
    scores: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    control: str,
    higher_is_better: bool | None = None,
    ranks: ArrayLike | None = None,
    alpha: float = 0.05,
    names: Sequence[str] | None = None,
) -> PostHocTest:
    """Compare algorithms with one control over data sets by their mean ranks (Bonferroni-Dunn).

    Parameters
    ----------
    scores : array-like of shape (N, k), data frame, or mapping of str to array-like of shape (N,)
        One row a data set, one column for each of k >= 2 algorithms.
    control : str
        Name of the algorithm that the others are compared with; choose it before you look.
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
        The critical difference, each of the others against the control, and the group of those
        that do not differ from it. The statistic of a pair is z.

    Raises
    ------
    TypeError
        If both or none of `scores` and `ranks` are given, or `higher_is_better` is missing.
    ValueError
        If `control` is none of the algorithms, there are fewer than two, a number is missing or
        infinite, `ranks` are no ranks, or `alpha` lies outside (0, 1).

    Notes
    -----
    k - 1 comparisons in place of the k (k - 1) / 2 of Nemenyi's test, each by the normal
    distribution: CD = z sqrt(k (k + 1) / 6N), z the quantile at alpha / (2 (k - 1)); p-values are
    multiplied by k - 1.

    References
    ----------
    Dunn (1961), Multiple comparisons among means, JASA 56:52-64. Demsar (2006), Statistical
    comparisons of classifiers over multiple data sets, JMLR 7:1-30.

    Examples
    --------
    >>> ranks = [[1, 2, 3], [1, 2.5, 2.5], [1, 2, 3], [1, 2, 3]]
    >>> bonferroni_dunn_test(ranks=ranks, names=["A", "B", "C"], control="A")
    PostHocTest(Bonferroni-Dunn against A at 0.05: critical difference 1.58491, groups {A, B})
    """
    level = check_fraction("alpha", alpha)
    return bonferroni_dunn_of(rank_table(scores, ranks, higher_is_better, names), level, control)


def bonferroni_dunn_of(table: RankTable, alpha: float, control: str) -> PostHocTest:
    """Return the test of ranks that are checked."""
    from scipy.special import ndtr, ndtri

    pairs = compared(table, control)
    error = standard_error(table)
    q = -float(ndtri(alpha / (2 * len(pairs))))
    difference = q * error

    def measured(a: int, b: int) -> tuple[float, float, bool]:
        apart = rank_difference(table, a, b)
        z = apart / error
        pvalue = min(1.0, len(pairs) * 2.0 * float(ndtr(-abs(z))))
        return z, pvalue, abs(apart) >= difference

    return post_hoc_test("Bonferroni-Dunn", table, alpha, control, pairs, measured, (q, difference))
