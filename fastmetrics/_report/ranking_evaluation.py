"""``evaluate_rankings``: systems that rank the items of many queries, compared query by query."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isnan, nan
from types import MappingProxyType
from typing import Any, Final, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.containers import as_array
from fastmetrics._input.models import MODELS, NamedScores, named_scores, pairs_of
from fastmetrics._input.rows import column_count, has_names
from fastmetrics._input.scalars import (
    check_choice,
    check_confidence_level,
    check_integer,
    key_text,
    seed_key,
)
from fastmetrics._report.ranking_result import Adjustment, RankingEvaluation, Test
from fastmetrics.comparison.samples._signed_sums import max_t_pvalues
from fastmetrics.comparison.samples.sign_flip import sign_flip_test
from fastmetrics.errors import DegenerateDataWarning, InputError, InputTypeError
from fastmetrics.inference._sample_sizes import effective_groups, warn_of_few_groups
from fastmetrics.inference.compare import Chosen, compared
from fastmetrics.inference.comparison_result import Comparison, Comparisons
from fastmetrics.inference.estimate_result import Pair, decided
from fastmetrics.inference.query_sample import QuerySample, tables_of_rows
from fastmetrics.inference.units import ROUNDING, Floats
from fastmetrics.measures.asking import Asked, MetricsLike
from fastmetrics.measures.ranking.names import asked_rankings
from fastmetrics.tables.ranking.ranking_table import TIES, RankingTable, Ties

METRICS: Final = ("ndcg", "map", "mrr")


@documented(MODELS)
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
    n_resamples : int, default=9999
        Random sign flips, of the randomization test and of max-T.
    test : {"t", "randomization"}, default="t"
        The paired test behind `pvalue`, always two-sided: Student's, or Fisher's by sign flips.
    adjustment : {"holm", "max-t"}, default="holm"
        Which adjusted p-value decides whether a system is called better: Holm's for the pairs of
        one measure, or that of the largest statistic of all pairs by all measures.

    Returns
    -------
    RankingEvaluation
        Values of each query, and by measure what `compare` says: means and each pair's difference.

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
    same queries. Means, intervals and t tests are those of `estimate` and `compare`, and speak of
    other queries like these. max-T flips the signs of a query's differences all at once, and so
    gains from how alike the measures are. A system is called better only where its adjusted p-value
    is below 1 - `confidence_level` and the interval of the difference leaves 0 out; the `verdict`
    says what of it would stand Holm's adjustment over all measures.

    One sort of the queries a system; then O(relevant items) a measure, and O(n_queries n_resamples)
    for max-T, which is all signs where these are no more than `n_resamples`.

    References
    ----------
    Smucker, Allan & Carterette (2007), A comparison of statistical significance tests for
    information retrieval evaluation, CIKM. Urbano, Lima & Hanjalic (2019), Statistical significance
    testing in information retrieval, SIGIR.

    Examples
    --------
    >>> from fastmetrics.ranking import evaluate_rankings
    >>> clicked = [[0, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 1]]
    >>> new = [[0.1, 0.9, 0.3], [0.8, 0.1, 0.2], [0.2, 0.6, 0.4], [0.3, 0.1, 0.9]]
    >>> old = [[0.5, 0.4, 0.3], [0.8, 0.1, 0.2], [0.7, 0.6, 0.4], [0.3, 0.1, 0.2]]
    >>> found = evaluate_rankings(clicked, {"new": new, "old": old}, metrics=["ndcg@2", "mrr"])
    >>> found.per_query("old", "mrr")
    array([0.5, 1. , 0.5, 0.5])
    >>> found["mrr"]["new", "old"].estimate
    0.375
    >>> float(found["mrr"]["old"])
    0.625
    """
    asked = asked_rankings(metrics, k)
    level = check_confidence_level(confidence_level)
    check_choice("ties", ties, TIES)
    check_choice("test", test, get_args(Test))
    check_choice("adjustment", adjustment, get_args(Adjustment))
    count = check_integer("n_resamples", n_resamples, low=1, high=10**8)
    key = seed_key(rng)
    rows = {"query": query, "ids": ids, "n_relevant": n_relevant}
    tables = _tables_of(relevance, scores, names, rows)
    models = tuple(tables)
    if control is not None:
        check_choice("control", control, models)
    queries = _check_aligned(tables)
    codes = None if groups is None else _group_codes(groups, queries, len(tables[models[0]].sizes))
    sample = QuerySample(
        list(tables.values()),
        codes,
        ties=ties,
        relevant_from=relevant_from,
        no_relevant=no_relevant,
    )
    chosen = Chosen(models, pairs_of(models, control), None, level, "two-sided")
    largest: tuple[float, ...] = ()
    found = {one.label: compared(one, sample.measured(one), chosen) for one in asked}
    if len(models) > 1 and (test != "t" or adjustment != "holm"):
        found, largest = _flipped(found, asked, sample, test, adjustment, count, key)
    values = np.stack([sample.by_query(one).values for one in asked], axis=1)
    values.setflags(write=False)
    left_out = {one.label: int((~sample.by_query(one).counts).sum()) for one in asked}
    return RankingEvaluation(
        models=models,
        metrics=tuple(found),
        cutoffs=tuple(one.parameters.get("k") for one in asked),
        queries=queries,
        values=values,
        comparisons=Comparisons(found),
        pvalues_max_t=largest,
        n_left_out=MappingProxyType(left_out),
        test=test,
        adjustment=adjustment,
        confidence_level=level,
        n_resamples=count,
        n_groups=None if codes is None else int(codes.max()) + 1,
        ties=ties,
        key=key_text(key),
    )


def _flipped(
    found: Mapping[str, Comparison],
    asked: Sequence[Asked],
    sample: QuerySample,
    test: Test,
    adjustment: Adjustment,
    n_resamples: int,
    key: NDArray[np.uint64],
) -> tuple[dict[str, Comparison], tuple[float, ...]]:
    """Return comparisons with what sign flips say of their pairs, and p adjusted by max-T."""
    pairs = [(one, pair) for one in asked for pair in found[one.label].pairs]
    shares = [_shares(one, pair, sample, found[one.label].names) for one, pair in pairs]
    pvalues = [pair.pvalue for _, pair in pairs]
    if test == "randomization":
        options: dict[str, Any] = {"n_resamples": n_resamples, "rng": key_text(key)}
        of_pairs = zip(shares, pvalues, strict=True)
        pvalues = [_randomized(own, p, **options) for own, p in of_pairs]
    largest: tuple[float, ...] = ()
    if adjustment == "max-t":
        adjusted = max_t_pvalues(np.column_stack(shares), n_resamples, key)
        largest = tuple(
            nan if isnan(pair.pvalue) else p for p, (_, pair) in zip(adjusted, pairs, strict=True)
        )
    changed: dict[str, Comparison] = {}
    for one in found.values():
        here = slice(len(one.pairs) * len(changed), len(one.pairs) * (len(changed) + 1))
        own = [replace(pair, pvalue=p) for pair, p in zip(one.pairs, pvalues[here], strict=True)]
        decides = decided(own, one.confidence_level, one.higher_is_better, largest[here] or None)
        changed[one.metric] = replace(one, pairs=decides)
    return changed, largest


def _shares(one: Asked, pair: Pair, sample: QuerySample, models: Sequence[str]) -> Floats:
    """Return what queries, or groups of them, add to a difference; 0 where rounding is all."""
    found = sample.by_query(one)
    places = [models.index(pair.a), models.index(pair.b)]
    values = found.values[places][:, found.counts]
    if found.weights is not None and found.counts.any():
        weights = found.weights[places][:, found.counts]
        values = values * weights / weights.mean(axis=1, keepdims=True)
    less = values[0] - values[1]
    less[np.abs(less) <= ROUNDING * np.abs(values).max(axis=0)] = 0.0
    groups = sample.design.groups
    units = np.arange(len(found.counts)) if groups is None else groups
    added = np.bincount(units[found.counts], less, int(units.max()) + 1)
    return np.asarray(added, np.float64)


def _randomized(shares: Floats, pvalue: float, **options: Any) -> float:
    """Return the two-sided p-value of Fisher's randomization test, where there is one of t."""
    if isnan(pvalue) or not shares.any():
        return nan if isnan(pvalue) else 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateDataWarning)
        return sign_flip_test(shares, higher_is_better=True, **options).pvalue


def _tables_of(
    relevance: Any, scores: Any, names: Any, rows: dict[str, Any]
) -> dict[str, RankingTable]:
    """Return the table of each system."""
    if isinstance(relevance, RankingTable):
        relevance = {"score": relevance}
    if isinstance(relevance, Mapping):
        for name, value in {"scores": scores, "names": names, **rows}.items():
            if value is not None:
                raise InputTypeError(f"tables hold their scores: pass no `{name}` with them")
        for name, table in relevance.items():
            if not isinstance(table, RankingTable):
                kind = type(table).__name__
                raise InputTypeError(f"`relevance[{name!r}]` must be a RankingTable: got {kind}")
        if not relevance:
            raise InputError("`relevance` must name at least one system: got none")
        return {str(name): table for name, table in relevance.items()}
    if scores is None:
        raise InputTypeError("`scores` is missing: it comes with `relevance`, or RankingTables")
    is_one = names is None and not has_names(scores)
    if is_one and as_array(relevance, "relevance").ndim == 1 and column_count(scores) > 1:
        is_one = False
    models = [NamedScores("score", "scores", scores)] if is_one else named_scores(scores, names)
    tables = tables_of_rows(relevance, models, **rows)
    return {model.name: table for model, table in zip(models, tables, strict=True)}


def _check_aligned(tables: Mapping[str, RankingTable]) -> NDArray[Any] | None:
    """Return the queries, which are the same for all systems."""
    (first, table), *others = tables.items()
    for name, other in others:
        mine, theirs = table.queries, other.queries
        if mine is None or theirs is None:
            if mine is theirs and table.n_queries == other.n_queries:
                continue
            kinds = ["numbered" if each is None else "named" for each in (mine, theirs)]
            raise InputError(
                f"systems must rank the same queries: {first!r} has {table.n_queries:,} "
                f"{kinds[0]}, {name!r} {other.n_queries:,} {kinds[1]}"
            )
        if not np.array_equal(mine, theirs):
            odd = np.setxor1d(mine, theirs)
            where = first if np.isin(odd[0], mine) else name
            raise InputError(
                f"systems must rank the same queries: {len(odd):,} are of {first!r} or {name!r} "
                f"alone, the first of them {odd.tolist()[0]!r} of {where!r}"
            )
    return table.queries


def _group_codes(groups: Any, queries: NDArray[Any] | None, n_queries: int) -> NDArray[np.int64]:
    if isinstance(groups, Mapping):
        if queries is None:
            raise InputTypeError("`groups` by name needs `query`, which says the names")
        unknown = [name for name in queries.tolist() if name not in groups]
        if unknown:
            raise InputError(f"`groups` has no group for query {unknown[0]!r}")
        groups = [groups[name] for name in queries.tolist()]
    codes = check_class_labels(groups, "groups").codes
    if len(codes) != n_queries:
        raise InputError(
            f"`groups` must name the group of each of the {n_queries:,} queries: got {len(codes):,}"
        )
    codes = codes.astype(np.int64, copy=False)
    warn_of_few_groups(effective_groups(codes), int(codes.max()) + 1)
    return codes
