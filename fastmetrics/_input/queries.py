"""Rankings of many queries: relevance and scores of items, gathered query by query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_class_labels, label_vector
from fastmetrics._input.containers import as_array, as_vector
from fastmetrics._input.rows import check_same_index
from fastmetrics._input.scalars import check_same_length, check_same_shape
from fastmetrics._input.scores import canonical_scores, contiguous
from fastmetrics._kernels.ranking import gather_queries
from fastmetrics.errors import InputError, InputTypeError

#: Whole numbers and texts of fixed width: arrays in which runs of one query are seen at once.
_KINDS_OF_IDS: Final = ("i", "u", "U")


class QueryRows(NamedTuple):
    """Items of all queries, those of one query together.

    ``relevance`` (n,) int8 or float64, nan where it was not judged; ``scores`` (n,) in a canonical
    dtype, nan and infinities not yet looked for; ``starts`` int64 (n_queries + 1,); ``queries``
    (n_queries,) sorted ids, or None where queries are numbered; ``ids`` int64 (n,), numbers of the
    items' ids in their order, or None.
    """

    relevance: NDArray[Any]
    scores: NDArray[Any]
    starts: NDArray[np.int64]
    queries: NDArray[Any] | None
    ids: NDArray[np.int64] | None

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return len(self.starts) - 1


def check_queries(
    relevance: Any, score: Any, query: Any = None, indptr: Any = None, ids: Any = None
) -> QueryRows:
    """Return the items of all queries in canonical form, those of one query together.

    Relevance and scores are flat with ``query``, that of each item in any order, or with
    ``indptr``: query q has the items ``indptr[q]`` to ``indptr[q + 1]``. Without, a row is a query,
    and a vector is one query. ``ids`` are what the items are called, each name once in a query.
    There is no copy where rows are canonical and queries stand together.
    """
    check_same_index(relevance=relevance, score=score, query=query, ids=ids)
    grades = as_array(relevance, "relevance")
    scores = as_array(score, "score")
    check_same_shape(relevance=grades, score=scores)
    if grades.ndim not in (1, 2) or grades.size == 0:
        raise InputError(
            "`relevance` must be a vector, or a matrix with a row for each query, and not empty: "
            f"got shape {grades.shape}"
        )
    if query is not None and indptr is not None:
        raise InputError("`query` and `indptr` say the same: pass one of them")
    if grades.ndim == 2 and not (query is None and indptr is None):
        raise InputError("a matrix has a row for each query: pass no `query`, no `indptr`")
    width = grades.shape[-1]
    grades = _grades(grades.ravel())
    scores = canonical_scores(scores.ravel(), "score")
    names = None
    if ids is not None:
        called = as_array(ids, "ids")
        if called.size != len(grades):
            came = f"got {called.size:,}"
            raise InputError(f"`ids` must name each of the {len(grades):,} items: {came}")
        names = check_class_labels(called.ravel(), "ids").codes
    queries: NDArray[Any] | None = None
    if query is not None:
        starts, queries, order = gather_rows(query, len(grades))
        if order is not None:
            grades, scores = (column[order] for column in (grades, scores))
            names = names if names is None else names[order]
    elif indptr is not None:
        starts = _starts(indptr, len(grades))
    else:
        starts = np.arange(0, len(grades) + 1, width, dtype=np.int64)
    if names is not None:
        _check_distinct_ids(names, starts)
    return QueryRows(grades, scores, starts, queries, names)


def check_totals(n_relevant: Any, rows: QueryRows) -> NDArray[np.int64]:
    """Return the number of relevant items of each query, retrieved or not."""
    if isinstance(n_relevant, Mapping):
        if rows.queries is None:
            raise InputTypeError("`n_relevant` by name needs `query`, which says the names")
        unknown = [name for name in rows.queries.tolist() if name not in n_relevant]
        if unknown:
            raise InputError(f"`n_relevant` has no number for query {unknown[0]!r}")
        n_relevant = [n_relevant[name] for name in rows.queries.tolist()]
    totals = as_vector(n_relevant, "n_relevant")
    check_same_length(n_relevant=totals, queries=rows.starts[1:])
    if totals.dtype.kind not in "iu" or totals.min() < 0:
        raise InputError("`n_relevant` must be counts, whole numbers not below 0, one a query")
    return totals.astype(np.int64, copy=False)


def _grades(relevance: NDArray[Any]) -> NDArray[Any]:
    kind = relevance.dtype.kind
    if kind == "b":
        return contiguous(relevance).view(np.int8)
    if kind in "iu":
        if relevance.dtype == np.int8:
            return contiguous(relevance)
        small = relevance.min() >= -128 and relevance.max() < 128
        return contiguous(relevance).astype(np.int8 if small else np.float64)
    if kind == "f":
        grades = contiguous(relevance.astype(np.float64, copy=False))
        if np.isinf(grades).any():
            raise InputError("`relevance` must be finite, or nan where nobody judged")
        return grades
    raise InputTypeError(f"`relevance` must be numbers: got {relevance.dtype}")


def gather_rows(
    query: Any, n_rows: int
) -> tuple[NDArray[np.int64], NDArray[Any], NDArray[np.int64] | None]:
    """Return the starts of queries, their sorted ids, and the order of rows (None: as they are)."""
    lengths = None
    if getattr(getattr(query, "dtype", None), "kind", "") in _KINDS_OF_IDS:
        query = label_vector(query, "query")
        firsts = np.concatenate([[0], np.flatnonzero(query[1:] != query[:-1]) + 1])
        ids = query[firsts]
        if len(query) == n_rows and (ids[1:] > ids[:-1]).all():  # each in one piece, in order
            ids = ids.astype(ids.dtype.newbyteorder("="))
            return np.append(firsts, n_rows).astype(np.int64), ids, None
        if len(firsts) <= len(query) // 2:
            lengths = np.diff(np.append(firsts, len(query)))
            query = ids
    queries, codes = check_class_labels(query, "query")
    if lengths is not None:
        codes = np.repeat(codes, lengths)
    if len(codes) != n_rows:
        raise InputError(
            f"`query` must have as many rows as `relevance`: got {len(codes):,} and {n_rows:,}"
        )
    starts = np.zeros(len(queries) + 1, np.int64)
    np.cumsum(np.bincount(codes, minlength=len(queries)), out=starts[1:])
    order = np.empty(n_rows, np.int64)
    gather_queries(codes, starts[:-1].copy(), order)
    return starts, queries, order


def _starts(indptr: Any, n_rows: int) -> NDArray[np.int64]:
    starts = as_vector(indptr, "indptr")
    whole = starts.dtype.kind in "iu" and len(starts) > 1
    if not whole or starts[0] != 0 or starts[-1] != n_rows or (starts[1:] < starts[:-1]).any():
        raise InputError(
            f"`indptr` must be whole numbers that never fall, from 0 to {n_rows:,}, the number of "
            "items"
        )
    return starts.astype(np.int64, copy=False)


def _check_distinct_ids(names: NDArray[np.int64], starts: NDArray[np.int64]) -> None:
    """Raise if a query has an item twice; two passes of counting, no sort."""
    steps = np.diff(names)
    steps[starts[1:-1] - 1] = 1
    if (steps > 0).all():
        return
    order = np.empty(len(names), np.int64)
    by_query = np.empty(len(names), np.int64)
    query = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    counts = np.bincount(names)
    gather_queries(names, np.cumsum(counts) - counts, order)
    gather_queries(query[order], starts[:-1].copy(), by_query)
    order = order[by_query]
    steps = np.diff(names[order])
    steps[starts[1:-1] - 1] = 1
    if not (steps > 0).all():
        raise InputError(
            "`ids` must name an item once in a query: query number "
            f"{query[order[np.argmin(steps)]]} has one twice, {np.count_nonzero(steps <= 0):,} in "
            "all"
        )
