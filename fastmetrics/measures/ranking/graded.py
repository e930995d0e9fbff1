"""Measures of graded relevance: DCG, NDCG, expected reciprocal rank."""

from __future__ import annotations

from math import nan
from typing import Any

from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics.measures.ranking._by_query import (
    RANKED,
    Gain,
    averaged,
    cascades,
    discounted_gains,
    normalized_gains,
    ranked,
)
from fastmetrics.tables.ranking.ranking_table import RANKINGS, RankingTable, Ties


@documented(RANKINGS, RANKED)
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
    >>> from fastmetrics import dcg
    >>> dcg([3, 0, 1], [3, 2, 1])
    3.5
    """
    table = ranked(relevance, score, query, ties, n_threads)
    values = discounted_gains(table, k=k, gain=gain, n_threads=n_threads)
    return averaged(values, per_query, ties, "the discounted gain")


@documented(RANKINGS, RANKED)
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

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Mean over queries that have relevant items, in [0, 1].

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
    >>> from fastmetrics import ndcg
    >>> round(ndcg([3, 0, 1], [3, 2, 1]), 4)
    0.9639
    """
    table = ranked(relevance, score, query, ties, n_threads)
    values = normalized_gains(table, k=k, gain=gain, no_relevant=no_relevant, n_threads=n_threads)
    return averaged(values, per_query, ties, "the normalized gain")


@documented(RANKINGS, RANKED)
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

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Mean over queries that have relevant items, in [0, 1].

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
    >>> from fastmetrics import expected_reciprocal_rank
    >>> expected_reciprocal_rank([2, 0, 1], [3, 2, 1])
    0.7708333333333334
    """
    table = ranked(relevance, score, query, ties, n_threads)
    values = cascades(
        table, k=k, max_relevance=max_relevance, no_relevant=no_relevant, n_threads=n_threads
    )
    return averaged(values, per_query, ties, "the expected reciprocal rank")
