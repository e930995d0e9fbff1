"""Measures of graded relevance: DCG, NDCG, expected reciprocal rank."""

from __future__ import annotations

from math import nan
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_choice, check_real
from fastmetrics._kernels import ranking as kernels
from fastmetrics.errors import InputError
from fastmetrics.measures.ranking import _by_query as by
from fastmetrics.tables.ranking import RANKINGS, RankingTable, Ties

Gain = Literal["linear", "exponential"]


@documented(RANKINGS, by.RANKED)
def dcg(
    relevance: ArrayLike | RankingTable,
    score: ArrayLike | None = None,
    *,
    query: ArrayLike | None = None,
    k: int | None = None,
    gain: Gain = "linear",
    ties: Ties = "expected",
    per_query: bool = False,
    n_threads: int | None = None,
) -> Any:
    """Compute the discounted cumulative gain (DCG): what items are worth, the less the later.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Mean over queries, not below 0.

    Notes
    -----
    The item at place j counts 1/log2(j + 1).

    References
    ----------
    Järvelin & Kekäläinen (2002), Cumulated gain-based evaluation of IR techniques, ACM
    Transactions on Information Systems 20(4).

    Examples
    --------
    >>> from fastmetrics.ranking import dcg
    >>> dcg([3, 0, 1], [3, 2, 1])
    3.5
    """
    table = by.ranked(relevance, score, query, ties)
    discounts = _discounts(table, by.check_cutoff(k))
    values = _discounted(table, _gains_of(table.grades, gain), discounts)
    return by.averaged(values, per_query, ties, "the discounted gain")


@documented(RANKINGS, by.RANKED, by.MEAN)
def ndcg(
    relevance: ArrayLike | RankingTable,
    score: ArrayLike | None = None,
    *,
    query: ArrayLike | None = None,
    k: int | None = None,
    gain: Gain = "linear",
    ties: Ties = "expected",
    no_relevant: float = nan,
    per_query: bool = False,
    n_threads: int | None = None,
) -> Any:
    """Compute the DCG over that of the best order (NDCG).

    Notes
    -----
    The best order has the items that were not retrieved too, where they are known. `ndcg_score`
    is the same by the rules of scikit-learn.

    References
    ----------
    Järvelin & Kekäläinen (2002), Cumulated gain-based evaluation of IR techniques, ACM
    Transactions on Information Systems 20(4). Burges et al. (2005), Learning to rank using
    gradient descent, ICML, for the exponential gain.

    Examples
    --------
    >>> from fastmetrics.ranking import ndcg
    >>> round(ndcg([3, 0, 1], [3, 2, 1]), 4)
    0.9639
    """
    table = by.ranked(relevance, score, query, ties)
    discounts, otherwise = _discounts(table, by.check_cutoff(k)), by.check_no_relevant(no_relevant)
    gains = _gains_of(table.grades, gain)
    ideal = by.of_queries(kernels.ideal_gains, table, gains, len(discounts) - 1, discounts)
    found = _discounted(table, gains, discounts)
    values = np.minimum(by.over(found, ideal, otherwise), 1.0)
    return by.averaged(values, per_query, ties, "the normalized gain")


@documented(RANKINGS, by.RANKED, by.MEAN)
def expected_reciprocal_rank(
    relevance: ArrayLike | RankingTable,
    score: ArrayLike | None = None,
    *,
    query: ArrayLike | None = None,
    k: int | None = None,
    max_relevance: float | None = None,
    ties: Ties = "expected",
    no_relevant: float = nan,
    per_query: bool = False,
    n_threads: int | None = None,
) -> Any:
    """Compute the expected reciprocal rank (ERR) of a reader who stops at what is relevant.

    Parameters
    ----------
    max_relevance : float, optional
        The greatest relevance there can be; by default the greatest there is.

    Notes
    -----
    An item of relevance r ends the search with chance ``(2**r - 1) / 2**max_relevance``. A tie of
    n items takes O(n) for each relevant one, and for no more of them than 46 over their mean
    chance: nobody reads on (the chance is below 1e-20).

    References
    ----------
    Chapelle, Metzler, Zhang & Grinspan (2009), Expected reciprocal rank for graded relevance,
    CIKM.

    Examples
    --------
    >>> from fastmetrics.ranking import expected_reciprocal_rank
    >>> expected_reciprocal_rank([2, 0, 1], [3, 2, 1])
    0.7708333333333334
    """
    table = by.ranked(relevance, score, query, ties)
    places, otherwise = by.check_cutoff(k), by.check_no_relevant(no_relevant)
    largest = float(table.grades.max(initial=0.0))
    top = largest if max_relevance is None else check_real("max_relevance", max_relevance)
    if top < largest:
        raise InputError(f"`max_relevance` must be at least {largest:g}, which occurs: got {top:g}")
    chances = _gains_of(table.grades, "exponential") / np.exp2(top)
    more = (chances, table.above, table.tied, places)
    values = by.of_queries(kernels.expected_cascade, table, *more)
    values[by.n_relevant(table, by.TINY) == 0] = otherwise
    return by.averaged(values, per_query, ties, "the expected reciprocal rank")


def _gains_of(grades: by.Values, gain: Gain) -> by.Values:
    """Return what items of these grades are worth; nothing below 0."""
    check_choice("gain", gain, ("linear", "exponential"))
    if grades.min(initial=0.0) < 0:
        grades = np.maximum(grades, 0.0)
    if gain == "linear":
        return grades
    largest = float(grades.max(initial=0.0))
    if largest > 1000:
        raise InputError(
            f"`relevance` of {largest:g} is too great for exponential gains: 2**1000 is beyond "
            "what adds up"
        )
    return np.exp2(grades) - 1.0


def _discounts(table: RankingTable, k: int) -> by.Values:
    """Return the sum of 1/log2(j + 1) over the first j places, for every j that is looked at."""
    places = np.arange(2, 2 + by.n_places(table, k), dtype=np.float64)
    return np.append(0.0, np.cumsum(1.0 / np.log2(places)))


def _discounted(table: RankingTable, gains: by.Values, discounts: by.Values) -> by.Values:
    more = (gains, table.above, table.tied, len(discounts) - 1, discounts)
    return by.of_queries(kernels.expected_gains, table, *more)
