"""Measures of where the relevant items of each query stand: MAP, MRR, RBP, bpref, the first k."""

from __future__ import annotations

from math import log, nan
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_choice, check_fraction
from fastmetrics._kernels import ranking as kernels
from fastmetrics.measures.ranking import _by_query as by
from fastmetrics.tables.ranking import RANKINGS, RankingTable, Ties

_STABILITY = """
References
----------
Buckley & Voorhees (2000), Evaluating evaluation measure stability, SIGIR.
"""


@documented(RANKINGS, by.RANKED, by.MEAN)
def mean_average_precision(
    relevance: ArrayLike | RankingTable,
    score: ArrayLike | None = None,
    *,
    query: ArrayLike | None = None,
    k: int | None = None,
    divide_by: Literal["relevant", "reachable"] = "relevant",
    relevant_from: float = 1,
    ties: Ties = "expected",
    no_relevant: float = nan,
    per_query: bool = False,
    n_threads: int | None = None,
) -> Any:
    """Compute the mean average precision (MAP): precision at each relevant item, averaged.

    Parameters
    ----------
    divide_by : {"relevant", "reachable"}, default="relevant"
        With a cut-off, divide the sum of the precisions by the number of relevant items, as
        trec_eval and ranx do; or by how many of them k places can hold, min(k, relevant), as
        XGBoost and LightGBM do: a perfect list is then worth 1, whatever k is.

    Notes
    -----
    Items beyond the first k, and relevant ones never retrieved, count 0.

    References
    ----------
    Buckley & Voorhees (2000), Evaluating evaluation measure stability, SIGIR. McSherry & Najork
    (2008), Computing information retrieval performance measures efficiently in the presence of
    tied scores, ECIR.

    Examples
    --------
    >>> from fastmetrics.ranking import mean_average_precision
    >>> mean_average_precision([1, 0, 0, 1], [0.9, 0.8, 0.7, 0.6])
    0.75
    >>> perfect = [1, 1, 1, 0], [0.9, 0.8, 0.7, 0.6]
    >>> mean_average_precision(*perfect, k=2)
    0.6666666666666666
    >>> mean_average_precision(*perfect, k=2, divide_by="reachable")
    1.0
    """
    check_choice("divide_by", divide_by, ("relevant", "reachable"))
    table = by.ranked(relevance, score, query, ties)
    level, otherwise = by.check_level(relevant_from), by.check_no_relevant(no_relevant)
    places, ranks = by.check_cutoff(k), by.ranks(table)
    sums = by.of_queries(kernels.expected_precision_sums, table, *ranks, level, places)
    divisors = by.n_relevant(table, level)
    if divide_by == "reachable":
        divisors = np.minimum(divisors, places)
    values = by.over(sums, divisors, otherwise)
    return by.averaged(values, per_query, ties, "average precision")


@documented(RANKINGS, by.RANKED, by.MEAN)
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

    References
    ----------
    Voorhees (1999), The TREC-8 question answering track report.

    Examples
    --------
    >>> from fastmetrics.ranking import mean_reciprocal_rank
    >>> mean_reciprocal_rank([0, 1, 0], [0.5, 0.5, 0.5])  # (1 + 1/2 + 1/3) / 3
    0.6111111111111112
    """
    table = by.ranked(relevance, score, query, ties)
    values = by.first_hits(table, k, relevant_from, no_relevant, True)
    return by.averaged(values, per_query, ties, "the reciprocal rank")


@documented(RANKINGS, by.RANKED)
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
    >>> from fastmetrics.ranking import rank_biased_precision
    >>> rank_biased_precision([1, 0, 1], [3, 2, 1], persistence=0.5)
    0.625
    """
    table = by.ranked(relevance, score, query, ties)
    level, p = by.check_level(relevant_from), check_fraction("persistence", persistence)
    places = np.arange(by.n_places(table, by.check_cutoff(k)) + 1, dtype=np.float64)
    powers, shares = p**places, -np.expm1(places * log(p))  # 1 - p**j would lose digits
    more = (level, len(places) - 1, powers, shares)
    values = by.of_queries(kernels.expected_reading, table, *by.ranks(table), *more)
    return by.averaged(values, per_query, ties, "rank-biased precision")


@documented(RANKINGS, by.RANKED, by.MEAN)
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
    >>> from fastmetrics.ranking import bpref
    >>> bpref([1, 0, 1, 0], [4, 3, 2, 1])
    0.75
    """
    table = by.ranked(relevance, score, query, ties)
    level, otherwise = by.check_level(relevant_from), by.check_no_relevant(no_relevant)
    more = (table.unjudged_above, table.unjudged_tied, level, table.judged)
    values = by.of_queries(kernels.expected_preference, table, *by.ranks(table), *more)
    values[np.isnan(values)] = otherwise
    return by.averaged(values, per_query, ties, "bpref")


@documented(RANKINGS, by.RANKED, _STABILITY)
def precision_at_k(
    relevance: ArrayLike | RankingTable,
    score: ArrayLike | None = None,
    *,
    query: ArrayLike | None = None,
    k: int,
    relevant_from: float = 1,
    ties: Ties = "expected",
    per_query: bool = False,
    n_threads: int | None = None,
) -> Any:
    """Compute the share of relevant items among the first k of each query.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Mean over queries, in [0, 1]; a query of fewer than k items has the others against it.

    Examples
    --------
    >>> from fastmetrics.ranking import precision_at_k
    >>> precision_at_k([1, 0, 0, 1], [0.9, 0.8, 0.7, 0.6], k=2)
    0.5
    """
    table = by.ranked(relevance, score, query, ties)
    places, level = by.check_cutoff(k), by.check_level(relevant_from)
    cutoffs = table.sizes if places == by.ALL else np.full(table.n_queries, places)
    values = by.over(by.hits(table, level, cutoffs), cutoffs, 0.0)
    return by.averaged(values, per_query, ties, "precision at k")


@documented(RANKINGS, by.RANKED, by.MEAN, _STABILITY)
def recall_at_k(
    relevance: ArrayLike | RankingTable,
    score: ArrayLike | None = None,
    *,
    query: ArrayLike | None = None,
    k: int,
    relevant_from: float = 1,
    ties: Ties = "expected",
    no_relevant: float = nan,
    per_query: bool = False,
    n_threads: int | None = None,
) -> Any:
    """Compute the share of the relevant items of each query that stands among the first k.

    Examples
    --------
    >>> from fastmetrics.ranking import recall_at_k
    >>> recall_at_k([1, 0, 0, 1], [0.9, 0.8, 0.7, 0.6], k=2)
    0.5
    """
    table = by.ranked(relevance, score, query, ties)
    places, level = by.check_cutoff(k), by.check_level(relevant_from)
    found = by.hits(table, level, np.full(table.n_queries, places))
    otherwise = by.check_no_relevant(no_relevant)
    values = by.over(found, by.n_relevant(table, level), otherwise)
    return by.averaged(values, per_query, ties, "recall at k")


@documented(RANKINGS, by.RANKED, by.MEAN)
def f1_at_k(
    relevance: ArrayLike | RankingTable,
    score: ArrayLike | None = None,
    *,
    query: ArrayLike | None = None,
    k: int,
    relevant_from: float = 1,
    ties: Ties = "expected",
    no_relevant: float = nan,
    per_query: bool = False,
    n_threads: int | None = None,
) -> Any:
    """Compute the harmonic mean of precision and recall of the first k items of each query.

    Notes
    -----
    Of h hits and R relevant items it is 2h/(k + R): 0, not undefined, where nothing is hit.

    References
    ----------
    van Rijsbergen (1979), Information Retrieval, chapter 7.

    Examples
    --------
    >>> from fastmetrics.ranking import f1_at_k
    >>> f1_at_k([1, 0, 0, 1], [0.9, 0.8, 0.7, 0.6], k=2)
    0.5
    """
    table = by.ranked(relevance, score, query, ties)
    places, level = by.check_cutoff(k), by.check_level(relevant_from)
    cutoffs = table.sizes if places == by.ALL else np.full(table.n_queries, places)
    relevant = by.n_relevant(table, level)
    values = by.over(2 * by.hits(table, level, cutoffs), cutoffs + relevant, 0.0)
    values[relevant == 0] = by.check_no_relevant(no_relevant)
    return by.averaged(values, per_query, ties, "F1 at k")


@documented(RANKINGS, by.RANKED)
def hit_rate_at_k(
    relevance: ArrayLike | RankingTable,
    score: ArrayLike | None = None,
    *,
    query: ArrayLike | None = None,
    k: int,
    relevant_from: float = 1,
    ties: Ties = "expected",
    no_relevant: float = nan,
    per_query: bool = False,
    n_threads: int | None = None,
) -> Any:
    """Compute the share of queries with a relevant item among the first k.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Mean over queries that have relevant items, in [0, 1]; of each query, by `ties`, 0, 1 or the
        chance of a hit.

    Notes
    -----
    Also called success at k.

    References
    ----------
    Craswell & Hawking (2004), Overview of the TREC-2004 web track.

    Examples
    --------
    >>> from fastmetrics.ranking import hit_rate_at_k
    >>> hit_rate_at_k([[1, 0, 0], [0, 0, 1]], [[3, 2, 1], [3, 2, 1]], k=2)
    0.5
    """
    table = by.ranked(relevance, score, query, ties)
    values = by.first_hits(table, k, relevant_from, no_relevant, False)
    return by.averaged(values, per_query, ties, "the hit rate")


@documented(RANKINGS, by.RANKED, by.MEAN, _STABILITY)
def r_precision(
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
    """Compute the precision at the number of relevant items of each query.

    Examples
    --------
    >>> from fastmetrics.ranking import r_precision
    >>> r_precision([1, 0, 0, 1], [0.9, 0.8, 0.7, 0.6])
    0.5
    """
    table = by.ranked(relevance, score, query, ties)
    level, otherwise = by.check_level(relevant_from), by.check_no_relevant(no_relevant)
    relevant = by.n_relevant(table, level)
    values = by.over(by.hits(table, level, relevant), relevant, otherwise)
    return by.averaged(values, per_query, ties, "R-precision")
