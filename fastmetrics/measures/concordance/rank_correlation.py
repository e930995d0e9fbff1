"""Rank correlation by pairs of rows: Kendall's tau, Somers' D, Goodman and Kruskal's gamma."""

from __future__ import annotations

from math import nan, sqrt
from typing import Any, Final, Literal

from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_choice, check_same_length
from fastmetrics._input.scores import check_scores_array
from fastmetrics.errors import UndefinedMetricWarning, warn_user
from fastmetrics.tables.concordance import correlate_ranks, count_pairs

#: What measures of concordance take, and say alike.
PAIRED: Final = """
Parameters
----------
y_true : array-like of shape (n_samples,)
    Outcomes: numbers, or labels 0 and 1.
y_score : array-like of shape (n_samples,)
    Predictions; they matter by their order alone.

Returns
-------
float
    In [-1, 1].

Raises
------
TypeError, ValueError
    If lengths differ, or a value is no finite number.

Warns
-----
UndefinedMetricWarning
    If no pair of rows can tell; the value is then nan.

Notes
-----
O(n log n): two sorts, and ranks counted digit by digit; pairs are integers of any size, divided
once.
"""


def check_paired(y_true: Any, y_score: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return outcomes and predictions, canonical and finite."""
    outcome, score = check_scores_array(y_true, "y_true"), check_scores_array(y_score, "y_score")
    check_same_length(y_true=outcome, y_score=score)
    return outcome, score


def _ratio(excess: int, pairs: float, what: str, why: str) -> float:
    if pairs > 0:
        return excess / pairs
    warn_user(f"{what} is undefined: {why}; set to nan", UndefinedMetricWarning)
    return nan


@documented(PAIRED)
def kendall_tau(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    variant: Literal["a", "b", "c"] = "b",
    n_threads: int | None = None,
) -> float:
    """Compute Kendall's tau: concordant pairs less discordant ones, over all of some kind.

    Parameters
    ----------
    variant : {"a", "b", "c"}, default="b"
        Over all pairs; over the geometric mean of those that do not tie in one and in the other;
        or, for tables of different width and height, over the most that there can be.

    References
    ----------
    Kendall (1938), A new measure of rank correlation, Biometrika 30. Stuart (1953), The estimation
    and comparison of strengths of association in contingency tables, Biometrika 40.

    Examples
    --------
    >>> kendall_tau([1, 2, 3, 4], [0.1, 0.3, 0.2, 0.9])
    0.6666666666666666
    """
    check_choice("variant", variant, ("a", "b", "c"))
    found = count_pairs(*check_paired(y_true, y_score))
    if variant == "a":
        return _ratio(found.excess, found.total, "Kendall's tau-a", "there is one row")
    if variant == "b":
        apart = (found.apart_in_score, found.apart_in_outcome)
        pairs = sqrt(apart[0] * apart[1])  # of the product: equal ones give the very number
        return _ratio(found.excess, pairs, "Kendall's tau-b", "all values of one side tie")
    least = min(found.n_scores, found.n_outcomes)
    if least < 2:
        return _ratio(0, 0, "Kendall's tau-c", "all values of one side tie")
    return 2 * least * found.excess / (found.n_rows**2 * (least - 1))


@documented(PAIRED)
def somers_d(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    given: Literal["outcome", "score", "neither"] = "outcome",
    n_threads: int | None = None,
) -> float:
    """Compute Somers' D: how a score orders the pairs whose outcomes differ.

    Parameters
    ----------
    given : {"outcome", "score", "neither"}, default="outcome"
        Over pairs that differ in outcome, the accuracy of a prediction: of two classes it is
        2 AUC - 1. Over pairs that differ in score. Or symmetric, over the mean of both numbers.

    See Also
    --------
    gini_coefficient : The same of two classes, 2 AUC - 1, rounded once.

    References
    ----------
    Somers (1962), A new asymmetric measure of association for ordinal variables, American
    Sociological Review 27.

    Examples
    --------
    >>> somers_d([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.5
    """
    check_choice("given", given, ("outcome", "score", "neither"))
    found = count_pairs(*check_paired(y_true, y_score))
    if given == "neither":
        doubled = found.apart_in_outcome + found.apart_in_score
        return _ratio(2 * found.excess, doubled, "Somers' D", "all values tie")
    pairs = found.apart_in_outcome if given == "outcome" else found.apart_in_score
    return _ratio(found.excess, pairs, "Somers' D", f"all values of the {given} tie")


@documented(PAIRED)
def goodman_kruskal_gamma(
    y_true: ArrayLike, y_score: ArrayLike, *, n_threads: int | None = None
) -> float:
    """Compute Goodman and Kruskal's gamma: over the pairs that tie nowhere.

    References
    ----------
    Goodman & Kruskal (1954), Measures of association for cross classifications, Journal of the
    American Statistical Association 49.

    Examples
    --------
    >>> goodman_kruskal_gamma([1, 2, 2, 3], [1, 2, 3, 3])
    1.0
    """
    found = count_pairs(*check_paired(y_true, y_score))
    pairs = found.concordant + found.discordant
    return _ratio(found.excess, pairs, "gamma", "every pair ties")


@documented(PAIRED)
def spearman_rho(y_true: ArrayLike, y_score: ArrayLike, *, n_threads: int | None = None) -> float:
    """Compute Spearman's rho: the correlation of ranks, those of equal values being their mean.

    References
    ----------
    Spearman (1904), The proof and measurement of association between two things, American Journal
    of Psychology 15.

    Examples
    --------
    >>> spearman_rho([1, 2, 3, 4], [0.1, 0.3, 0.2, 0.9])
    0.8
    """
    of_outcome, of_score, products = correlate_ranks(*check_paired(y_true, y_score))
    spread = sqrt(of_outcome * of_score)
    return _ratio(products, spread, "Spearman's rho", "all values of one side tie")
