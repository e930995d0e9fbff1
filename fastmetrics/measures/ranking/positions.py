"""Measures of where the relevant items of each query stand: MAP, MRR, RBP, bpref."""

from __future__ import annotations

from math import nan
from typing import Any

from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics.measures.ranking._by_query import (
    RANKED,
    average_precisions,
    averaged,
    biased_precisions,
    preferences,
    ranked,
    reciprocal_ranks,
)
from fastmetrics.tables.ranking.ranking_table import RANKINGS, RankingTable, Ties


@documented(RANKINGS, RANKED)
def mean_average_precision(
    relevance: ArrayLike | RankingTable,
    score: ArrayLike | None = None,
    *,
    query: ArrayLike | None = None,
    k: int | None = None,
    relevant_from: float = 1,
    ties: Ties = "expected",
    no_relevant: float = nan,
    per_query: bool = False,
    n_threads: int | None = None,
) -> Any:
    """Compute the mean average precision (MAP): precision at each relevant item, averaged.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Mean over queries that have relevant items, in [0, 1].

    Notes
    -----
    The precisions are divided by the number of relevant items, with a cut-off too: items beyond
    the first k, and those never retrieved, count 0.

    References
    ----------
    Buckley & Voorhees (2000), Evaluating evaluation measure stability, SIGIR. McSherry & Najork
    (2008), Computing information retrieval performance measures efficiently in the presence of
    tied scores, ECIR.

    Examples
    --------
    >>> from fastmetrics import mean_average_precision
    >>> mean_average_precision([1, 0, 0, 1], [0.9, 0.8, 0.7, 0.6])
    0.75
    """
    table = ranked(relevance, score, query, ties, n_threads)
    values = average_precisions(
        table, k=k, relevant_from=relevant_from, no_relevant=no_relevant, n_threads=n_threads
    )
    return averaged(values, per_query, ties, "average precision")


@documented(RANKINGS, RANKED)
def mean_reciprocal_rank(
    relevance: ArrayLike | RankingTable,
    score: ArrayLike | None = None,
    *,
    query: ArrayLike | None = None,
    k: int | None = None,
    relevant_from: float = 1,
    ties: Ties = "expected",
    no_relevant: float = nan,
    per_query: bool = False,
    n_threads: int | None = None,
) -> Any:
    """Compute the mean reciprocal rank (MRR): 1/rank of the first relevant item.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Mean over queries that have relevant items, in [0, 1].

    References
    ----------
    Voorhees (1999), The TREC-8 question answering track report.

    Examples
    --------
    >>> from fastmetrics import mean_reciprocal_rank
    >>> mean_reciprocal_rank([0, 1, 0], [0.5, 0.5, 0.5])  # (1 + 1/2 + 1/3) / 3
    0.6111111111111112
    """
    table = ranked(relevance, score, query, ties, n_threads)
    values = reciprocal_ranks(
        table, k=k, relevant_from=relevant_from, no_relevant=no_relevant, n_threads=n_threads
    )
    return averaged(values, per_query, ties, "the reciprocal rank")


@documented(RANKINGS, RANKED)
def rank_biased_precision(
    relevance: ArrayLike | RankingTable,
    score: ArrayLike | None = None,
    *,
    query: ArrayLike | None = None,
    k: int | None = None,
    persistence: float,
    relevant_from: float = 1,
    ties: Ties = "expected",
    per_query: bool = False,
    n_threads: int | None = None,
) -> Any:
    """Compute the rank-biased precision (RBP): what a reader finds who may stop at any item.

    Parameters
    ----------
    persistence : float
        Chance that a reader goes on from an item to the next, in (0, 1).

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Mean over queries, in [0, 1].

    References
    ----------
    Moffat & Zobel (2008), Rank-biased precision for measurement of retrieval effectiveness, ACM
    Transactions on Information Systems 27(1).

    Examples
    --------
    >>> from fastmetrics import rank_biased_precision
    >>> rank_biased_precision([1, 0, 1], [3, 2, 1], persistence=0.5)
    0.625
    """
    table = ranked(relevance, score, query, ties, n_threads)
    values = biased_precisions(
        table, k=k, relevant_from=relevant_from, persistence=persistence, n_threads=n_threads
    )
    return averaged(values, per_query, ties, "rank-biased precision")


@documented(RANKINGS, RANKED)
def bpref(
    relevance: ArrayLike | RankingTable,
    score: ArrayLike | None = None,
    *,
    query: ArrayLike | None = None,
    relevant_from: float = 1,
    ties: Ties = "expected",
    no_relevant: float = nan,
    per_query: bool = False,
    n_threads: int | None = None,
) -> Any:
    """Compute bpref: how seldom items judged not relevant stand above relevant ones.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Mean over queries that have relevant items, in [0, 1].

    Notes
    -----
    Items that nobody judged (nan, or a negative relevance) are passed over. Relevant items that
    were not retrieved count 0.

    References
    ----------
    Buckley & Voorhees (2004), Retrieval evaluation with incomplete information, SIGIR; as
    trec_eval computes it.

    Examples
    --------
    >>> from fastmetrics import bpref
    >>> bpref([1, 0, 1, 0], [4, 3, 2, 1])
    0.75
    """
    table = ranked(relevance, score, query, ties, n_threads)
    values = preferences(
        table, relevant_from=relevant_from, no_relevant=no_relevant, n_threads=n_threads
    )
    return averaged(values, per_query, ties, "bpref")
