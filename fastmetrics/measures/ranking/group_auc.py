"""The AUC within groups (queries, users): pairs of one group alone are compared."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Table
from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_choice
from fastmetrics._kernels.ranking import concordant_items
from fastmetrics._results import OneNumber, OwnArrays
from fastmetrics.errors import UndefinedMetricWarning, warn_user
from fastmetrics.measures.ranking import _by_query as by
from fastmetrics.tables.ranking import RANKINGS, RankingTable

Weighting = Literal["items", "relevant", "pairs", "queries"]
WEIGHTINGS: Final = ("items", "relevant", "pairs", "queries")


def group_weights(
    query_weighting: Weighting,
    positives: NDArray[Any],
    negatives: NDArray[Any],
    defined: NDArray[np.bool_],
) -> NDArray[Any]:
    """Return the weight of each group, 0 where its AUC is not defined; warn where none is."""
    if not defined.any():
        warn_user(
            "the AUC of groups is undefined: no group has both classes; set to nan",
            UndefinedMetricWarning,
        )
    if query_weighting == "items":
        weights = positives + negatives
    elif query_weighting == "relevant":
        weights = positives
    else:
        weights = positives * negatives if query_weighting == "pairs" else np.ones_like(positives)
    return np.where(defined, weights, 0)


@dataclass(frozen=True, slots=True, repr=False)
class GroupAUC(OwnArrays, OneNumber):
    """The mean AUC of groups, and what it is the mean of.

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

    def _shown(self) -> Display:
        n = len(self.per_query)
        record = {"AUC": self.estimate, "groups": n, "of one class": self.n_one_class}
        names = np.arange(n) if self.queries is None else self.queries
        columns = {"query": names, "roc_auc": self.per_query, "weight": self.weights}
        tables = [Table.record(record, framed=False), Table(columns)]
        return Display(tables, "Mean AUC of groups")


@documented(RANKINGS, by.RANKED)
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
    >>> found = group_auc(clicked, score, query=["a", "a", "a", "b", "b", "c"])
    >>> found.per_query, found.n_one_class, float(found)
    (array([ 1.,  0., nan]), 1, 0.6)
    """
    check_choice("query_weighting", query_weighting, WEIGHTINGS)
    table = by.ranked(relevance, score, query, "expected")
    relevant = np.empty(table.n_queries, np.int64)
    more = (by.check_level(relevant_from), table.sizes, relevant)
    doubled = by.of_queries(concordant_items, table, *by.ranks(table), *more, dtype=np.int64)
    others = table.sizes - relevant
    values = by.over(doubled / 2, relevant * others, nan)
    defined = ~np.isnan(values)
    weights = group_weights(query_weighting, relevant, others, defined)
    mean = nan
    if defined.any():
        mean = float(np.average(values[defined], weights=weights[defined]))
    return GroupAUC(mean, values, weights, int(np.count_nonzero(~defined)), table.queries)
