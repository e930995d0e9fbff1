"""``evaluate_rankings``: systems that rank the items of many queries, compared query by query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import inf, nan
from types import MappingProxyType
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.scalars import (
    check_choice,
    check_confidence_level,
    check_integer,
    check_n_threads,
    key_text,
    seed_key,
)
from fastmetrics._results import ConfidenceInterval
from fastmetrics.comparison.samples.max_t import max_t_pvalues
from fastmetrics.errors import InputError, UndefinedMetricWarning, warn_user
from fastmetrics.inference._pvalues import holm
from fastmetrics.measures.asking import Asked, MetricsLike
from fastmetrics.measures.ranking.names import asked_rankings, values_of
from fastmetrics.report._ranking_statistics import (
    NOTHING,
    Column,
    Method,
    Plan,
    Test,
    column_of,
    difference_of,
    interval_of,
    pvalue_of,
    sums_of_groups,
)
from fastmetrics.report._ranking_tables import check_aligned, group_codes, tables_of
from fastmetrics.report.ranking_result import (
    RankingDifference,
    RankingEvaluation,
    RankingMean,
)
from fastmetrics.tables.ranking.ranking_table import TIES, RankingTable, Ties

Adjustment = Literal["holm", "max-t"]
Booleans = NDArray[np.bool_]

METRICS: Final = ("ndcg", "map", "mrr")


@documented()
def evaluate_rankings(
    relevance: ArrayLike | RankingTable | Mapping[str, RankingTable],
    scores: Mapping[str, ArrayLike] | ArrayLike | None = None,
    *,
    query: ArrayLike | None = None,
    metrics: MetricsLike = METRICS,
    k: int | Sequence[int] | None = None,
    names: Sequence[str] | None = None,
    ids: ArrayLike | None = None,
    n_relevant: ArrayLike | Mapping[Any, int] | None = None,
    ties: Ties = "expected",
    relevant_from: float = 1,
    no_relevant: float = nan,
    control: str | None = None,
    groups: ArrayLike | Mapping[Any, Any] | None = None,
    confidence_level: float = 0.95,
    method: Method = "t",
    n_resamples: int = 9999,
    test: Test = "t",
    adjustment: Adjustment = "holm",
    rng: Any = None,
    n_threads: int | None = None,
) -> RankingEvaluation:
    """Evaluate the rankings of one or several systems, and compare them query by query.

    Parameters
    ----------
    relevance : array-like of shape (n_items,) or (n_queries, n_items), or RankingTable(s)
        How relevant each item is: 0 not, greater numbers more so; nan where nobody judged. Or a
        table, or a mapping from systems to tables of the same queries, without `scores`.
    scores : mapping of str to array-like of the shape of `relevance`, data frame, or array-like
        The scores of each system by name; a data frame has one column a system; a single column is
        one system called ``"score"``. The highest stands first.
    query : array-like of shape (n_items,), optional
        The query of each item, in any order. Without it a matrix has a row for each query, and a
        vector is one query.
    metrics : str, callable, (str, dict), or a sequence or mapping of them
        Measures of rankings: ``"ndcg@10"``, ``"map"``, ``("ndcg", {"gain": "exponential"})``,
        ``"P@5"``. A mapping gives labels.
    k : int or sequence of int, optional
        Cut-off of each measure that takes one and has none of its own; of several, the measure is
        computed at each.
    names : sequence of str, optional
        Of the columns of `scores`, where it is an array.
    ids : array-like of the shape of `relevance`, optional
        What the items are called, for ``ties="trec_eval"``.
    n_relevant : array-like of shape (n_queries,) or mapping of query to int, optional
        Relevant items of each query, those that were not retrieved included.
    ties : {"expected", "optimistic", "pessimistic", "trec_eval"}, default="expected"
        What becomes of items that score the same: the mean over all their orders; the best order;
        the worst; or by name, the last name first.
    relevant_from : float, default=1
        The least relevance that counts as relevant, where grades are made yes or no.
    no_relevant : float, default=nan
        The value of a query without relevant items. nan leaves it out, for all systems alike, and
        counts it.
    control : str, optional
        The system that each other is compared with; None compares all pairs.
    groups : array-like of shape (n_queries,) or mapping from query to group, optional
        Queries that belong together (of one user, one session), in the order of sorted queries:
        groups, not queries, are taken for independent.
    method : {"t", "percentile", "basic", "bca", "studentized"}, default="t"
        Intervals: Student's t (of values that are 0 and 1 alone, Wilson's of their share), or of a
        bootstrap of the queries, which covers less where there are few (``docs/coverage.md``).
    n_resamples : int, default=9999
        Of the bootstrap, and of random sign flips.
    test : {"t", "wilcoxon", "sign", "randomization"}, default="t"
        The paired test behind `pvalue`, always two-sided.
    adjustment : {"holm", "max-t"}, default="holm"
        Which adjusted p-value decides whether a system is called better.

    Returns
    -------
    RankingEvaluation
        Values of each query, means with intervals, and each pair's difference.

    Raises
    ------
    TypeError, ValueError
        If lengths or queries differ, a score is nan or infinite, a measure is none of rankings, or
        an option has no meaning.

    Warns
    -----
    UndefinedMetricWarning
        If a measure has no value for any query: its mean is nan.
    SmallSampleWarning
        If `groups` are worth fewer than 30.

    Notes
    -----
    A query counts for a measure if it has a value for every system, so that all are judged by the
    same queries. Intervals and p-values speak of other queries like these. Holm and max-T adjust
    for all pairs by all measures together; max-T flips the signs of a query's differences all at
    once, and so gains from how alike the measures are. A system is called better only where its
    adjusted p-value is at most 1 - `confidence_level` and the interval of the difference leaves 0
    out. Of a weighted mean (`group_auc`) intervals and the t test are to first order.

    One sort of the queries a system; then O(relevant items) a measure, and O(n_queries n_resamples)
    for max-T, which is all signs where these are no more than `n_resamples`.

    References
    ----------
    Smucker, Allan & Carterette (2007), A comparison of statistical significance tests for
    information retrieval evaluation, CIKM. Urbano, Lima & Hanjalic (2019), Statistical significance
    testing in information retrieval, SIGIR.

    Examples
    --------
    >>> from fastmetrics import evaluate_rankings
    >>> clicked = [[0, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 1]]
    >>> new = [[0.1, 0.9, 0.3], [0.8, 0.1, 0.2], [0.2, 0.6, 0.4], [0.3, 0.1, 0.9]]
    >>> old = [[0.5, 0.4, 0.3], [0.8, 0.1, 0.2], [0.7, 0.6, 0.4], [0.3, 0.1, 0.2]]
    >>> found = evaluate_rankings(clicked, {"new": new, "old": old}, metrics=["ndcg@2", "mrr"])
    >>> found.per_query("old", "mrr")
    array([0.5, 1. , 0.5, 0.5])
    >>> found.difference("new", "old", "mrr").estimate
    0.375
    """
    asked = asked_rankings(metrics, k)
    level = check_confidence_level(confidence_level)
    check_choice("ties", ties, TIES)
    check_choice("method", method, get_args(Method))
    check_choice("test", test, get_args(Test))
    check_choice("adjustment", adjustment, get_args(Adjustment))
    count = check_integer("n_resamples", n_resamples, low=1, high=10**8)
    key, threads = seed_key(rng), check_n_threads(n_threads)
    if groups is not None and test in ("wilcoxon", "sign"):
        raise InputError(
            f"`test={test!r}` takes queries for independent, and `groups` says that they are not: "
            "take `test='t'` or `test='randomization'`"
        )
    rows = {"query": query, "ids": ids, "n_relevant": n_relevant}
    tables = tables_of(relevance, scores, names, rows, threads)
    models = tuple(tables)
    if control is not None:
        check_choice("control", control, models)
    queries = check_aligned(tables)
    n_queries = next(iter(tables.values())).n_queries
    codes = None if groups is None else group_codes(groups, queries, n_queries)
    plan = Plan(method, test, level, count, key, codes, threads)
    values, columns, kept = _measured(asked, tables, ties, relevant_from, no_relevant, threads)
    pairs = [pair for pair in combinations(models, 2) if control is None or control in pair]
    if control is not None:
        pairs = [(a, b) if b == control else (b, a) for a, b in pairs]
    differences = _differences(asked, columns, kept, pairs, plan, adjustment)
    return RankingEvaluation(
        models=models,
        metrics=tuple(one.label for one in asked),
        queries=queries,
        values=values,
        means=_means(asked, columns, kept, models, differences, plan),
        differences=differences,
        n_left_out=MappingProxyType({one.label: int((~kept[one.label]).sum()) for one in asked}),
        method=method,
        test=test,
        adjustment=adjustment,
        confidence_level=level,
        n_resamples=count,
        n_groups=None if codes is None else int(codes.max()) + 1,
        ties=ties,
        key=key_text(key),
    )


def _measured(
    asked: Sequence[Asked],
    tables: Mapping[str, RankingTable],
    ties: Ties,
    relevant_from: float,
    no_relevant: float,
    n_threads: int | None,
) -> tuple[NDArray[np.float64], dict[tuple[str, str], Column], dict[str, Booleans]]:
    """Return the values of each query, those that count by system and measure, and which count."""
    n_queries = next(iter(tables.values())).n_queries
    values = np.empty((len(tables), len(asked), n_queries))
    columns: dict[tuple[str, str], Column] = {}
    kept: dict[str, Booleans] = {}
    for j, one in enumerate(asked):
        found = {
            name: values_of(
                one,
                table,
                ties=ties,
                relevant_from=relevant_from,
                no_relevant=no_relevant,
                n_threads=n_threads,
            )
            for name, table in tables.items()
        }
        values[:, j] = [each.values for each in found.values()]
        counts: Booleans = ~np.asarray(np.isnan(values[:, j]).any(axis=0))
        values[:, j, ~counts] = nan
        kept[one.label] = counts
        if not counts.any():
            warn_user(
                f"{one.label!r} is undefined: no query has what it needs; set to nan",
                UndefinedMetricWarning,
            )
            continue
        for i, (name, each) in enumerate(found.items()):
            weights = None if each.weights is None else each.weights[counts].astype(np.float64)
            columns[name, one.label] = column_of(values[i, j, counts], weights, ties)
    values.setflags(write=False)
    return values, columns, kept


def _differences(
    asked: Sequence[Asked],
    columns: Mapping[tuple[str, str], Column],
    kept: Mapping[str, Booleans],
    pairs: Sequence[tuple[str, str]],
    plan: Plan,
    adjustment: Adjustment,
) -> tuple[RankingDifference, ...]:
    """Return each pair's difference by each measure, p-values adjusted for all of them."""
    if not pairs:
        return ()
    labels = [one.label for one in asked]
    bounds = {one.label: one.measure.bounds for one in asked if one.measure is not None}
    compared = [(label, a, b) for label in labels for a, b in pairs]
    found: dict[tuple[str, str, str], Column] = {
        (label, a, b): difference_of(columns[a, label], columns[b, label])
        for label, a, b in compared
        if (a, label) in columns
    }
    pvalues = {
        each: pvalue_of(difference, plan, kept[each[0]]) for each, difference in found.items()
    }
    adjusted = dict(zip(found, holm([pvalues[each] for each in found]), strict=True))
    largest = dict(zip(found, _max_t(found, kept, plan), strict=True))
    decides = adjusted if adjustment == "holm" else largest
    alpha = 1.0 - plan.confidence_level
    results = []
    for each in compared:
        label, a, b = each
        difference = found.get(each, NOTHING)
        interval, error, *_ = interval_of(difference, plan, kept[label], label, is_difference=True)
        low, high = bounds.get(label, (0.0, inf))
        better = None
        if decides.get(each, nan) <= alpha and (interval.low > 0.0 or interval.high < 0.0):
            better = a if difference.mean > 0 else b
        values = difference.values
        values.setflags(write=False)
        results.append(
            RankingDifference(
                metric=label,
                model_a=a,
                model_b=b,
                difference=difference.mean,
                confidence_interval=_within(interval, low - high, high - low),
                standard_error=error,
                pvalue=pvalues.get(each, nan),
                pvalue_holm=adjusted.get(each, nan),
                pvalue_max_t=largest.get(each, nan),
                better=better,
                n_better=int(np.count_nonzero(values > 0)),
                n_worse=int(np.count_nonzero(values < 0)),
                n_equal=int(np.count_nonzero(values == 0)),
                differences=values,
            )
        )
    return tuple(results)


def _max_t(
    found: Mapping[tuple[str, str, str], Column], kept: Mapping[str, Booleans], plan: Plan
) -> list[float]:
    """Return p-values adjusted by the largest statistic of joint sign flips."""
    if not found:
        return []
    n_queries = len(next(iter(kept.values())))
    shares = np.zeros((n_queries, len(found)))
    for column, ((label, _, _), difference) in enumerate(found.items()):
        shares[kept[label], column] = difference.shares
    if plan.groups is not None:
        shares = np.column_stack([sums_of_groups(each, plan.groups) for each in shares.T])
    return max_t_pvalues(shares, plan.n_resamples, plan.key)


def _means(
    asked: Sequence[Asked],
    columns: Mapping[tuple[str, str], Column],
    kept: Mapping[str, Booleans],
    models: Sequence[str],
    differences: Sequence[RankingDifference],
    plan: Plan,
) -> tuple[RankingMean, ...]:
    results = []
    for one in asked:
        for model in models:
            column = columns.get((model, one.label), NOTHING)
            interval, error, made, note = interval_of(column, plan, kept[one.label], one.label)
            bounds = (-inf, inf) if one.measure is None else one.measure.bounds
            worse = tuple(
                pair.model_b if pair.better == pair.model_a else pair.model_a
                for pair in differences
                if pair.metric == one.label and pair.better == model
            )
            results.append(
                RankingMean(
                    metric=one.label,
                    model=model,
                    estimate=column.mean,
                    confidence_interval=_within(interval, *bounds),
                    standard_error=error,
                    n_queries=len(column.values),
                    method=made,
                    cutoff=one.parameters.get("k"),
                    better_than=worse,
                    note=note,
                )
            )
    return tuple(results)


def _within(interval: ConfidenceInterval, low: float, high: float) -> ConfidenceInterval:
    """Return the interval without what lies beyond the least and the greatest value."""
    return ConfidenceInterval(
        *(float(np.clip(limit, low, high)) for limit in (interval.low, interval.high))
    )
