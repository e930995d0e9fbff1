"""The systems of an evaluation of rankings: a table of each, of the same queries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.containers import as_array
from fastmetrics._input.models import named_scores
from fastmetrics._input.rows import column_count, has_names
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.inference._sample_sizes import effective_groups, warn_of_few_groups
from fastmetrics.tables.ranking.ranking_table import RankingTable


def tables_of(
    relevance: Any, scores: Any, names: Any, rows: dict[str, Any], n_threads: int | None
) -> dict[str, RankingTable]:
    """Return the table of each system."""
    if isinstance(relevance, RankingTable):
        relevance = {"score": relevance}
        is_ready = True
    else:
        is_ready = isinstance(relevance, Mapping)
    if is_ready:
        given = [
            name
            for name, value in {"scores": scores, "names": names, **rows}.items()
            if value is not None
        ]
        if given:
            raise InputTypeError(f"tables hold their scores: pass no `{given[0]}` with them")
        for name, table in relevance.items():
            if not isinstance(table, RankingTable):
                raise InputTypeError(
                    f"`relevance[{name!r}]` must be a RankingTable: got {type(table).__name__}"
                )
        if not relevance:
            raise InputError("`relevance` must name at least one system: got none")
        return {str(name): table for name, table in relevance.items()}
    if scores is None:
        raise InputTypeError("`scores` is missing: it comes with `relevance`, or RankingTables")
    is_one = names is None and not has_names(scores)
    if is_one and as_array(relevance, "relevance").ndim == 1 and column_count(scores) > 1:
        is_one = False
    named = [("score", "scores", scores)] if is_one else named_scores(scores, names)
    found = {}
    for name, argument, score in named:
        try:
            found[name] = RankingTable.from_scores(relevance, score, n_threads=n_threads, **rows)
        except InputError as error:
            raise error.renamed({"score": argument}) from error
    return found


def check_aligned(tables: Mapping[str, RankingTable]) -> NDArray[Any] | None:
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


def group_codes(groups: Any, queries: NDArray[Any] | None, n_queries: int) -> NDArray[np.int64]:
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


def groups_of_queries(groups: NDArray[Any], query: NDArray[Any]) -> NDArray[Any]:
    """Return the group of each query, in the order of sorted queries, from those of its rows."""
    codes = check_class_labels(query, "query").codes
    found = np.empty(int(codes.max()) + 1, groups.dtype)
    found[codes] = groups
    torn = np.unique(codes[found[codes] != groups])
    if len(torn):
        raise InputError(
            f"`groups` must have one group for all items of a query: {len(torn):,} queries have "
            "several"
        )
    return found
