"""Measures of the first k items of each query: precision, recall, F1, hit rate, R-precision."""

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics.measures.ranking import _by_query as by
from fastmetrics.tables.ranking.ranking_table import RANKINGS, RankingTable, Ties


@documented(RANKINGS, by.RANKED)
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

    References
    ----------
    Buckley & Voorhees (2000), Evaluating evaluation measure stability, SIGIR.

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


@documented(RANKINGS, by.RANKED, by.MEAN)
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

    References
    ----------
    Buckley & Voorhees (2000), Evaluating evaluation measure stability, SIGIR.

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
    Of h by.hits and R relevant items it is 2h/(k + R): 0, not undefined, where nothing is hit.

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


@documented(RANKINGS, by.RANKED, by.MEAN)
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

    References
    ----------
    Buckley & Voorhees (2000), Evaluating evaluation measure stability, SIGIR.

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
