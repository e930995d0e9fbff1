"""Metrics of rankings by query: MAP, MRR, RBP, bpref, NDCG, the first k items, AUC of groups."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import log, nan
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Table
from fastmetrics._docs import documented
from fastmetrics._input.containers import as_array
from fastmetrics._input.scalars import (
    check_choice,
    check_flag,
    check_fraction,
    check_integer,
    check_real,
)
from fastmetrics._kernels import ranking as kernels
from fastmetrics._kernels.ranking import concordant_items
from fastmetrics._results import OneNumber, OwnArrays
from fastmetrics._threads.workers import run
from fastmetrics.errors import InputError, InputTypeError, UndefinedMetricWarning, warn_user
from fastmetrics.tables.ordering import split_jobs
from fastmetrics.tables.ranking import RANKINGS, RankingTable, Ties

Values = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Stands for "all items" where a cut-off is not given.
ALL: Final = np.iinfo(np.int64).max
#: The least relevance above 0.
TINY: Final = math.ulp(0.0)
#: Bound on memory: ranks that are evaluated at most.
_MOST_RANKS: Final = 1 << 28
#: Relevant items of a job: a millisecond of work.
_JOB_ITEMS: Final = 1 << 17
#: Shared docstring of metrics of rankings.
RANKED: Final = """
Parameters
----------
k : int, optional
    How many items are looked at, from the first; None means all.
relevant_from : float, default=1
    The least relevance that counts as relevant, where grades are made yes or no. Must be positive.
gain : {"linear", "exponential"}, default="linear"
    What an item is worth: its relevance r, or ``2**r - 1``.
ties : {"expected", "trec_eval"}, default="expected"
    What becomes of items that score the same: the mean over all their orders, in closed form; or
    by name, the last name first, which needs `ids` (and compares scores as 32-bit floats, as
    trec_eval does).
no_relevant : float, default=nan
    The value of a query without relevant items, where the metric divides by their number. nan
    leaves the query out of the mean; trec_eval counts 0.
per_query : bool, default=False
    Whether to return the value of each query, in the order of their sorted ids, and no mean.

Warns
-----
UndefinedMetricWarning
    If no query has what the metric needs; the mean is then nan.
"""

#: Shared docstring of most results.
MEAN: Final = """
Returns
-------
float or ndarray of shape (n_queries,)
    Mean over queries that have relevant items, in [0, 1].
"""


def check_ranking(relevance: Any, score: Any, query: Any, ties: Ties) -> RankingTable:
    """Return the table of the data, or ``relevance`` if it is a table, with ties resolved."""
    if isinstance(relevance, RankingTable):
        if score is not None or query is not None:
            raise InputTypeError("a RankingTable comes alone: pass no `score`, `query` with it")
        return relevance.settle_ties(ties)
    if score is None:
        if hasattr(relevance, "__array__"):
            as_array(relevance, "relevance")  # bins of groups raise their own error
        raise InputTypeError("`score` is missing: it comes with `relevance`, or a RankingTable")
    return RankingTable.from_scores(relevance, score, query=query).settle_ties(ties)


def check_cutoff(k: Any) -> int:
    """Return the number of first items that count."""
    return ALL if k is None else check_integer("k", k, low=1)


def check_level(relevant_from: Any) -> float:
    """Return the lowest relevance that counts as relevant."""
    level = check_real("relevant_from", relevant_from)
    if not level > 0:
        raise InputError(f"`relevant_from` must be positive: got {relevant_from!r}")
    return level


def check_no_relevant(no_relevant: Any) -> float:
    """Return the value of a query without relevant items: nan, or in [0, 1]."""
    if isinstance(no_relevant, float) and math.isnan(no_relevant):
        return no_relevant
    return check_fraction("no_relevant", no_relevant, include_low=True, include_high=True)


def compute_by_query(
    kernel: Callable[..., None], table: RankingTable, *arguments: Any, dtype: Any = np.float64
) -> NDArray[Any]:
    """Return the result of a kernel for each query, on several threads if there are many items."""
    results = np.empty(table.n_queries, dtype)
    jobs = split_jobs(table.item_starts, _JOB_ITEMS)
    run([partial(kernel, *job, table.item_starts, *arguments, results) for job in jobs])
    return results


def n_relevant(table: RankingTable, level: float) -> Ints:
    """Return the number of relevant items of each query, retrieved or not."""
    return compute_by_query(kernels.relevant_counts, table, table.grades, level, dtype=np.int64)


def ranks(table: RankingTable) -> tuple[Any, ...]:
    """Return the grades of the relevant items, the number of items above each, and its ties."""
    return table.grades, table.above, table.tied


def hits(table: RankingTable, level: float, cutoffs: Ints) -> Values:
    """Return the expected number of relevant items among the first ones of each query."""
    return compute_by_query(kernels.expected_hits, table, *ranks(table), level, cutoffs)


def safe_divide(values: Values, divisors: NDArray[Any], otherwise: float) -> Values:
    """Return quotients, and ``otherwise`` where the divisor is 0."""
    out = np.full(len(values), otherwise)
    np.divide(values, divisors, out=out, where=divisors > 0)
    return out


def first_hits(
    table: RankingTable, k: int | None, relevant_from: float, no_relevant: float, reciprocal: bool
) -> Values:
    """Return 1 / rank of the first relevant item, or the chance that it is among the first k."""
    level = check_level(relevant_from)
    otherwise = check_no_relevant(no_relevant)
    options = (level, check_cutoff(k), reciprocal)
    values = compute_by_query(kernels.expected_first, table, *ranks(table), *options)
    values[n_relevant(table, level) == 0] = otherwise
    return values


def count_ranks(table: RankingTable, k: int) -> int:
    """Return the number of ranks up to k of the longest query, with unretrieved items."""
    longest = max(table.sizes.max(initial=0), np.diff(table.item_starts).max(initial=0))
    if min(k, longest) > _MOST_RANKS:
        raise InputError(f"a query has {longest:,} items: pass `k`, {_MOST_RANKS:,} at most")
    return int(min(k, longest))


def mean_over_queries(values: Values, ties: Ties) -> float:
    """Return the mean; for trec_eval by its running sum, whose last bit may be printed."""
    return float(np.cumsum(values)[-1] / len(values) if ties == "trec_eval" else values.mean())


def query_values(one: Any, table: RankingTable) -> tuple[Values, Ints | None]:
    """Return the values of the queries by a requested metric, and their weights or None."""
    if one.entry.read:
        result = one.entry.load()(table, **one.parameters)
        return result.per_query, result.weights
    return one.entry.load()(table, per_query=True, **one.parameters), None


def average_queries(values: Values, per_query: bool, ties: Ties, metric: str) -> Any:
    """Return the values of the queries, or their mean over the queries where it is defined."""
    if check_flag("per_query", per_query):
        return values
    defined = ~np.isnan(values)
    if not defined.any():
        warn_user(
            f"{metric} is undefined: no query has what it needs; set to nan", UndefinedMetricWarning
        )
        return math.nan
    return mean_over_queries(values[defined], ties)


Gain = Literal["linear", "exponential"]


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
    """Compute the discounted cumulative gain (DCG): gains of items, discounted by rank.

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
    table = check_ranking(relevance, score, query, ties)
    discounts = _discounts(table, check_cutoff(k))
    values = _discounted(table, _compute_gains(table.grades, gain), discounts)
    return average_queries(values, per_query, ties, "the discounted gain")


@documented(RANKINGS, RANKED, MEAN)
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
    """Compute the DCG over that of the ideal order (NDCG).

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
    table = check_ranking(relevance, score, query, ties)
    discounts = _discounts(table, check_cutoff(k))
    otherwise = check_no_relevant(no_relevant)
    gains = _compute_gains(table.grades, gain)
    ideal = compute_by_query(kernels.ideal_gains, table, gains, len(discounts) - 1, discounts)
    gained = _discounted(table, gains, discounts)
    values = np.minimum(safe_divide(gained, ideal, otherwise), 1.0)
    return average_queries(values, per_query, ties, "the normalized gain")


@documented(RANKINGS, RANKED, MEAN)
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
    """Compute the expected reciprocal rank (ERR) of a reader who stops at relevant items.

    Parameters
    ----------
    max_relevance : float, optional
        The greatest relevance there can be; by default the greatest there is.

    Notes
    -----
    An item of relevance r ends the search with chance ``(2**r - 1) / 2**max_relevance``. A tie of
    n items takes O(n) for each relevant one, as far as the chance to read on is above 1e-20.

    References
    ----------
    Chapelle et al. (2009), Expected reciprocal rank for graded relevance, CIKM.

    Examples
    --------
    >>> from fastmetrics.ranking import expected_reciprocal_rank
    >>> expected_reciprocal_rank([2, 0, 1], [3, 2, 1])
    0.7708333333333334
    """
    table = check_ranking(relevance, score, query, ties)
    cutoff = check_cutoff(k)
    otherwise = check_no_relevant(no_relevant)
    largest = float(table.grades.max(initial=0.0))
    bound = largest if max_relevance is None else check_real("max_relevance", max_relevance)
    if bound < largest:
        rule = f"`max_relevance` must be at least {largest:g}, which occurs"
        raise InputError(f"{rule}: got {bound:g}")
    chances = _compute_gains(table.grades, "exponential") / np.exp2(bound)
    columns = (chances, table.above, table.tied, cutoff)
    values = compute_by_query(kernels.expected_cascade, table, *columns)
    values[n_relevant(table, TINY) == 0] = otherwise
    return average_queries(values, per_query, ties, "the expected reciprocal rank")


def _compute_gains(grades: Values, gain: Gain) -> Values:
    """Return the gains of items by grade; negative grades have none."""
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


def _discounts(table: RankingTable, k: int) -> Values:
    """Return the sum of 1 / log2(j + 1) over the first j ranks, for every j up to k."""
    j = np.arange(1, 1 + count_ranks(table, k), dtype=np.float64)
    return np.append(0.0, np.cumsum(1.0 / np.log2(j + 1.0)))


def _discounted(table: RankingTable, gains: Values, discounts: Values) -> Values:
    columns = (gains, table.above, table.tied, len(discounts) - 1, discounts)
    return compute_by_query(kernels.expected_gains, table, *columns)


Weighting = Literal["items", "relevant", "pairs", "queries"]
WEIGHTINGS: Final = ("items", "relevant", "pairs", "queries")


@dataclass(frozen=True, slots=True, repr=False)
class GroupAUC(OwnArrays, OneNumber):
    """The mean AUC of groups, with the AUC and weight of each group.

    Attributes
    ----------
    estimate : float
        Weighted mean of the AUCs of the groups that have both classes.
    per_query : ndarray of float64, shape (n_queries,)
        AUC of each group; nan where all its items are of one class.
    weights : ndarray of int64, shape (n_queries,)
        Weight of each group; 0 where it has no AUC.
    n_one_class : int
        Groups that are left out, since their items are of one class.
    queries : ndarray of shape (n_queries,) or None
        Sorted ids of the groups; None where they are numbered.
    """

    estimate: float
    per_query: NDArray[np.float64]
    weights: NDArray[np.int64]
    n_one_class: int
    queries: NDArray[Any] | None = None

    def _display(self) -> Display:
        n = len(self.per_query)
        record = {"AUC": self.estimate, "groups": n, "of one class": self.n_one_class}
        names = np.arange(n) if self.queries is None else self.queries
        columns = {"query": names, "roc_auc": self.per_query, "weight": self.weights}
        return Display([Table.record(record, framed=False), Table(columns)], "Mean AUC of groups")


@documented(RANKINGS, RANKED)
def group_auc(
    relevance: ArrayLike | RankingTable,
    score: ArrayLike | None = None,
    *,
    query: ArrayLike | None = None,
    query_weighting: Weighting = "items",
    relevant_from: float = 1,
    n_threads: int | None = None,
) -> GroupAUC:
    """Compute the AUC of each group, and their mean (GAUC).

    Parameters
    ----------
    query_weighting : {"items", "relevant", "pairs", "queries"}, default="items"
        What weighs a group: its items (impressions), its relevant items (clicks), its pairs of a
        relevant and another item, or nothing: all groups alike.

    Returns
    -------
    GroupAUC
        Works as a number: ``float(group_auc(...))``.

    Notes
    -----
    Items that tie are half a pair in order: a group of equal scores has 1/2. A group of one class
    has no AUC; it is left out and counted. Pairs are counted in integers. Items that nobody judged
    (nan) count as not relevant.

    References
    ----------
    Zhu et al. (2017), Optimized cost per click in Taobao display advertising, KDD.

    Examples
    --------
    >>> from fastmetrics.ranking import group_auc
    >>> clicked, score = [1, 0, 0, 1, 0, 1], [0.9, 0.2, 0.5, 0.1, 0.4, 0.3]
    >>> result = group_auc(clicked, score, query=["a", "a", "a", "b", "b", "c"])
    >>> result.per_query, result.n_one_class, float(result)
    (array([ 1.,  0., nan]), 1, 0.6)
    """
    check_choice("query_weighting", query_weighting, WEIGHTINGS)
    table = check_ranking(relevance, score, query, "expected")
    relevant = np.empty(table.n_queries, np.int64)
    columns = (*ranks(table), check_level(relevant_from), table.sizes, relevant)
    doubled = compute_by_query(concordant_items, table, *columns, dtype=np.int64)
    others = table.sizes - relevant
    values = safe_divide(doubled / 2, relevant * others, nan)
    defined = ~np.isnan(values)
    choices = table.sizes, relevant, relevant * others, np.ones_like(relevant)
    choice = dict(zip(("items", "relevant", "pairs", "queries"), choices, strict=True))
    weights = np.where(defined, choice[query_weighting], 0)
    mean = nan
    if defined.any():
        mean = float(np.average(values[defined], weights=weights[defined]))
    else:
        why = "the AUC of groups is undefined: no group has both classes; set to nan"
        warn_user(why, UndefinedMetricWarning)
    return GroupAUC(mean, values, weights, int(np.count_nonzero(~defined)), table.queries)


_STABILITY = """
References
----------
Buckley & Voorhees (2000), Evaluating evaluation measure stability, SIGIR.
"""


@documented(RANKINGS, RANKED, MEAN)
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
    table = check_ranking(relevance, score, query, ties)
    level = check_level(relevant_from)
    otherwise = check_no_relevant(no_relevant)
    columns = (*ranks(table), level, check_cutoff(k))
    sums = compute_by_query(kernels.expected_precision_sums, table, *columns)
    divisors = n_relevant(table, level)
    if divide_by == "reachable":
        divisors = np.minimum(divisors, check_cutoff(k))
    values = safe_divide(sums, divisors, otherwise)
    return average_queries(values, per_query, ties, "average precision")


@documented(RANKINGS, RANKED, MEAN)
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
    table = check_ranking(relevance, score, query, ties)
    values = first_hits(table, k, relevant_from, no_relevant, True)
    return average_queries(values, per_query, ties, "the reciprocal rank")


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
    """Compute the rank-biased precision (RBP) of a reader who may stop at any item.

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
    table = check_ranking(relevance, score, query, ties)
    level = check_level(relevant_from)
    p = check_fraction("persistence", persistence)
    j = np.arange(count_ranks(table, check_cutoff(k)) + 1, dtype=np.float64)
    weights = -np.expm1(j * log(p))  # 1 - p**j would lose digits
    columns = (*ranks(table), level, len(j) - 1, p**j, weights)
    values = compute_by_query(kernels.expected_reading, table, *columns)
    return average_queries(values, per_query, ties, "rank-biased precision")


@documented(RANKINGS, RANKED, MEAN)
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
    """Compute bpref, which penalizes items judged not relevant above relevant ones.

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
    table = check_ranking(relevance, score, query, ties)
    level = check_level(relevant_from)
    otherwise = check_no_relevant(no_relevant)
    columns = (*ranks(table), table.unjudged_above, table.unjudged_tied, level, table.judged)
    values = compute_by_query(kernels.expected_preference, table, *columns)
    values[np.isnan(values)] = otherwise
    return average_queries(values, per_query, ties, "bpref")


@documented(RANKINGS, RANKED, _STABILITY)
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
    """Compute the proportion of relevant items among the first k of each query.

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
    table = check_ranking(relevance, score, query, ties)
    cutoff = check_cutoff(k)
    level = check_level(relevant_from)
    cutoffs = table.sizes if cutoff == ALL else np.full(table.n_queries, cutoff)
    values = safe_divide(hits(table, level, cutoffs), cutoffs, 0.0)
    return average_queries(values, per_query, ties, "precision at k")


@documented(RANKINGS, RANKED, MEAN, _STABILITY)
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
    """Compute the proportion of the relevant items of each query that are among the first k.

    Examples
    --------
    >>> from fastmetrics.ranking import recall_at_k
    >>> recall_at_k([1, 0, 0, 1], [0.9, 0.8, 0.7, 0.6], k=2)
    0.5
    """
    table = check_ranking(relevance, score, query, ties)
    cutoff = check_cutoff(k)
    level = check_level(relevant_from)
    retrieved = hits(table, level, np.full(table.n_queries, cutoff))
    values = safe_divide(retrieved, n_relevant(table, level), check_no_relevant(no_relevant))
    return average_queries(values, per_query, ties, "recall at k")


@documented(RANKINGS, RANKED, MEAN)
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
    table = check_ranking(relevance, score, query, ties)
    cutoff = check_cutoff(k)
    level = check_level(relevant_from)
    cutoffs = table.sizes if cutoff == ALL else np.full(table.n_queries, cutoff)
    relevant = n_relevant(table, level)
    values = safe_divide(2 * hits(table, level, cutoffs), cutoffs + relevant, 0.0)
    values[relevant == 0] = check_no_relevant(no_relevant)
    return average_queries(values, per_query, ties, "F1 at k")


@documented(RANKINGS, RANKED)
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
    """Compute the proportion of queries with a relevant item among the first k.

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
    table = check_ranking(relevance, score, query, ties)
    values = first_hits(table, k, relevant_from, no_relevant, False)
    return average_queries(values, per_query, ties, "the hit rate")


@documented(RANKINGS, RANKED, MEAN, _STABILITY)
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
    table = check_ranking(relevance, score, query, ties)
    level = check_level(relevant_from)
    otherwise = check_no_relevant(no_relevant)
    relevant = n_relevant(table, level)
    values = safe_divide(hits(table, level, relevant), relevant, otherwise)
    return average_queries(values, per_query, ties, "R-precision")
