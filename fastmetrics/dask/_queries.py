"""Rankings: rows of a query are brought together by a hash of it, then each query comes whole."""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from dask.delayed import Delayed, delayed
from numpy.typing import NDArray
from pandas.util import hash_array

from fastmetrics._input.containers import as_vector
from fastmetrics.dask._families import Values, n_rows_of
from fastmetrics.dask._partitions import computed, one_thread, over, summed
from fastmetrics.errors import InputError, UndefinedMetricWarning, warn_user
from fastmetrics.measures.asking import Asked
from fastmetrics.measures.ranking._by_query import ranked
from fastmetrics.tables.ranking.ranking_table import RankingTable, Ties

Columns = tuple[Any, ...]
_NAMES = ("relevance", "score", "query")


def tables_by_query(parts: Sequence[Delayed]) -> list[Delayed]:
    """Return the tables of disjoint queries, as many as partitions; None where there is none."""
    n = len(parts)
    cuts = over(parts, _dealt, n)
    return [delayed(_table)([cut[bucket] for cut in cuts]) for bucket in range(n)]


def of_rankings(parts: Sequence[Delayed], asked: Sequence[Asked], ties: Ties) -> Values:
    """Return means over queries, of values that are found query by query."""
    for one in asked:
        _check(one)
    tables = tables_by_query(parts)
    sums = computed(summed([delayed(_sums)(table, list(asked), ties) for table in tables]))
    if sums is None:
        as_vector(np.empty(0), "relevance")  # which says that at least one row is needed
    values = {}
    for one, (total, n_defined) in zip(asked, sums.tolist(), strict=True):
        if not n_defined:
            message = f"{one.label} is undefined: no query has what it needs; set to nan"
            warn_user(message, UndefinedMetricWarning)
        values[one.label] = total / n_defined if n_defined else math.nan
    return values


def _check(one: Asked) -> None:
    measure = one.measure
    if measure is None or "per_query" not in inspect.signature(measure.load()).parameters:
        raise InputError(
            f"`metrics` names {one.label!r}, which is no mean over queries: take the function of "
            "`fastmetrics` of `fastmetrics.dask.ranking_table(...)`"
        )
    if "max_relevance" in measure.parameters and one.parameters.get("max_relevance") is None:
        raise InputError(
            f"{one.label!r} needs `max_relevance`, the greatest relevance there can be, as no task "
            "sees all: pass it as a parameter, ('expected_reciprocal_rank', {'max_relevance': 3})"
        )


def _dealt(columns: Columns, n_buckets: int) -> list[Columns | None]:
    """Return the rows of each bucket of queries."""
    if n_rows_of(columns, *_NAMES) == 0:
        return [None] * n_buckets
    arrays = [as_vector(column, name) for column, name in zip(columns, _NAMES, strict=True)]
    bucket = _hashed(arrays[2]) % np.uint64(n_buckets)
    order = np.argsort(bucket, kind="stable")
    stops = np.searchsorted(bucket[order], np.arange(n_buckets + 1, dtype=np.uint64))
    dealt: list[Columns | None] = []
    for start, stop in pairwise(stops.tolist()):
        here = order[start:stop]
        dealt.append(tuple(array[here] for array in arrays) if len(here) else None)
    return dealt


def _hashed(query: NDArray[Any]) -> NDArray[np.uint64]:
    """Return a number of each query that is the same in every process, as a hash of text is not."""
    if query.dtype.kind in "biuf":
        return np.asarray(hash_array(query.astype(np.float64) + 0.0))  # 3 and 3.0 are one query
    return np.asarray(hash_array(query.astype(object), categorize=True))


@one_thread
def _table(parts: list[Columns | None]) -> RankingTable | None:
    there = [part for part in parts if part is not None]
    if not there:
        return None
    relevance, score, query = (np.concatenate(columns) for columns in zip(*there, strict=True))
    return RankingTable.from_scores(relevance, score, query=query)


@one_thread
def _sums(table: RankingTable | None, asked: list[Asked], ties: Ties) -> Any:
    """Return the sum of each measure over the queries where it is defined, and their number."""
    if table is None:
        return None
    settled = ranked(table, None, None, ties)
    found = []
    for one in asked:
        if one.measure is not None:
            values = one.measure.load()(settled, per_query=True, **one.parameters)
            defined = values[~np.isnan(values)]
            found.append((math.fsum(defined), float(len(defined))))
    return np.array(found)
