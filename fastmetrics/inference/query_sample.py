"""Queries with the rankings of one or several systems: what each query is worth is what varies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.models import NamedScores
from fastmetrics._input.scalars import check_same_length
from fastmetrics.errors import InputError, InputTypeError, renamed
from fastmetrics.inference.samples import Design, Sample
from fastmetrics.inference.table_points import Measured, counts_of_share, measure_of
from fastmetrics.inference.units import ROUNDING, Floats, Ints, Units
from fastmetrics.measures._influences import RowInfluences
from fastmetrics.measures.asking import Asked
from fastmetrics.measures.ranking._by_query import mean_of
from fastmetrics.tables.ranking import RankingTable


class ByQuery(NamedTuple):
    """A measure of each query: (n_systems, n_queries), nan where it leaves one out for all systems.

    With what each counts in the mean of a system, if that differs, and which queries count.
    """

    values: Floats
    weights: Floats | None
    counts: NDArray[np.bool_]


def without_value(n: int) -> str:
    """Return the note on queries that do not count."""
    queries = "query has no value and is" if n == 1 else "queries have no value and are"
    return f"{n:,} {queries} left out"


class QuerySample(Sample):
    """Queries with the rankings of systems, and the group of each query."""

    def __init__(
        self,
        tables: Sequence[RankingTable],
        groups: Ints | None = None,
    ) -> None:
        self._tables = tables
        self.n_models = len(tables)
        self.classes = np.zeros(tables[0].n_queries, np.int64)
        self.design = Design(None, None, groups, None)
        self._found: dict[str, ByQuery] = {}

    def by_query(self, one: Asked) -> ByQuery:
        """Return the values of the queries by a measure: those count that all systems have."""
        if one.label not in self._found:
            load = measure_of(one).load_influences()
            each = [load(one, table) for table in self._tables]
            values = np.array([found.values for found in each])
            counts = ~np.isnan(values).any(axis=0)
            values[:, ~counts] = nan
            values.setflags(write=False)
            weights = None
            if each[0].weights is not None:
                weights = np.array([found.weights for found in each], np.float64)
            self._found[one.label] = ByQuery(values, weights, counts)
        return self._found[one.label]

    def measured(self, one: Asked) -> Measured:
        """Return the mean of each system; its points are the queries that count."""
        found = self.by_query(one)
        groups = self.design.groups
        groups = None if groups is None else groups[found.counts]
        n, weights = int(found.counts.sum()), None
        if n == 0:  # one query, of which nothing is known
            nothing = np.full((self.n_models, 1), nan)
            nowhere = (nan,) * self.n_models
            return Measured(nowhere, nothing, Units(1), (None,) * self.n_models, 0.0, "queries")
        shares = np.full((self.n_models, n), 1.0 / n)
        if found.weights is not None:
            shares = found.weights[:, found.counts]
            shares = shares / shares.sum(axis=1, keepdims=True)
            weights = shares.mean(axis=0)
        each = [self._influenced(one, model) for model in range(self.n_models)]
        influences = np.stack([own.influences for own in each]) * shares
        return Measured(
            tuple(own.value for own in each),
            influences if weights is None else influences / weights,
            Units(n, weights=weights, groups=groups),
            tuple(self._hits(found, model) for model in range(self.n_models)),
            float(n),
            "queries",
            note="" if n == len(found.counts) else without_value(len(found.counts) - n),
        )

    def _influenced(self, one: Asked, model: int) -> RowInfluences:
        """Return the mean of a system, and how far each query that counts is from it."""
        found = self.by_query(one)
        values = found.values[model, found.counts]
        if found.weights is None:
            mean = mean_of(values, "expected")
        else:
            mean = float(np.average(values, weights=found.weights[model, found.counts]))
        deviations = values - mean
        if np.abs(deviations).max() <= ROUNDING * len(values) * np.abs(values).max():
            deviations[:] = 0.0
        return RowInfluences(mean, deviations)

    def _hits(self, found: ByQuery, model: int) -> Floats | None:
        """Return hits and misses, where values are these alone and each query is one."""
        values = found.values[model, found.counts]
        are_hits = bool(((values == 0.0) | (values == 1.0)).all())
        if not are_hits or found.weights is not None or self.design.groups is not None:
            return None
        return counts_of_share(float(values.sum()), float(len(values)))


def queries_of(y_true: Any, models: list[NamedScores], given: Mapping[str, Any]) -> QuerySample:
    """Return the queries of rows, or of a table."""
    query, groups = given["query"], given["groups"]
    for name in ("event", "strata", "sample_weight", "threshold", "pos_label"):
        if given[name] is not None:
            raise InputError(f"`{name}` is of rows: rankings are measured query by query")
    if isinstance(y_true, RankingTable):
        rows = {"y_score": models[0].values, "query": query, "groups": groups}
        for name, value in rows.items():
            if value is not None:
                raise InputTypeError(f"a RankingTable comes alone: pass no `{name}` with it")
        return QuerySample([y_true])
    with renamed(relevance="y_true"):
        tables = tables_of_rows(y_true, models, query=query)
    if groups is not None:
        groups = groups_of_queries(check_class_labels(groups, "groups").codes, query)
    return QuerySample(tables, groups)


def tables_of_rows(relevance: Any, models: list[NamedScores], **rows: Any) -> list[RankingTable]:
    """Return the table of each system."""
    tables = []
    for model in models:
        with renamed(score=model.argument):
            tables.append(RankingTable.from_scores(relevance, model.values, **rows))
    return tables


def groups_of_queries(groups: NDArray[Any], query: Any) -> NDArray[Any]:
    """Return the group of each query, in the order of sorted queries, from those of its rows."""
    codes = check_class_labels(query, "query").codes
    check_same_length(query=codes, groups=groups)
    found = np.empty(int(codes.max()) + 1, groups.dtype)
    found[codes] = groups
    torn = np.unique(codes[found[codes] != groups])
    if len(torn):
        raise InputError(
            f"`groups` must have one group for all items of a query: {len(torn):,} queries have "
            "several"
        )
    return found
