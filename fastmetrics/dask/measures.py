"""Measures by name on Dask: of predicted labels, numbers, probabilities, scores and rankings.

Rows of a query are brought together by a hash of it, then each query comes whole.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final, Literal

import numpy as np
from dask.delayed import Delayed, delayed
from numpy.typing import ArrayLike, NDArray
from pandas.util import hash_array

from fastmetrics._docs import documented
from fastmetrics._input.containers import as_vector
from fastmetrics.dask._families import (
    Values,
    family_of,
    matrix_of,
    n_rows_of,
    of_labels,
    of_probabilities,
    of_scores,
    of_values,
)
from fastmetrics.dask._partitions import COLUMNS, computed, one_thread, over, partitions, summed
from fastmetrics.errors import InputError, InputTypeError, UndefinedMetricWarning, warn_user
from fastmetrics.measures.asking import Asked, MetricsLike, ask
from fastmetrics.measures.decisions.classification_report import confusion_matrix as of_matrix
from fastmetrics.measures.ranking.positions import ranked
from fastmetrics.tables.ranking import RankingTable, Ties

Columns = tuple[Any, ...]
#: The second column of families, where it is none of predictions; and those of rankings.
_SECOND: Final = {"probabilities": "y_proba", "curves": "y_score"}
_NAMES: Final = ("relevance", "score", "query")


@documented(COLUMNS)
def measures(
    y_true: Any,
    y_pred: Any = None,
    *,
    metrics: MetricsLike,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    threshold: float | None = None,
    query: Any = None,
    ties: Ties = "expected",
) -> Values:
    """Compute measures by name, each family of them from one state a partition.

    Parameters
    ----------
    y_true : Dask column of shape (n,), or list of delayed partitions
        Labels; of predicted numbers targets; of rankings the relevance of each item.
    y_pred : Dask column of shape (n,) or (n, k), or list of delayed partitions, optional
        What the measures take: predicted labels, numbers, probabilities (one column, of the
        positive or greater label, or one a class) or scores.
    metrics : str, (str, dict), or a sequence or mapping of them
        Names of `metrics_table`, with parameters as elsewhere; a mapping gives labels. Of decisions
        all, of predicted numbers all that follow from sums (no medians and quantiles), of
        probabilities `log_loss`, `brier_score` and their D², of scores `roc_auc` and `rank_loss`,
        of rankings the means over queries.
    pos_label : int, float, bool or str, optional
        The positive label, where the measures are of two classes; of predicted labels the greater
        of two by default.
    labels : array-like of shape (n_classes,), optional
        The classes of probabilities, where one of them has no row.
    threshold : float, optional
        Measures of decisions call a score >= threshold positive.
    query : Dask column of shape (n,), optional
        The query of each item: numbers or texts. Rows of a query may be in any partitions.
    ties : {"expected", "optimistic", "pessimistic"}, default="expected"
        What becomes of items of a query that score the same.

    Returns
    -------
    dict of str to float
        By label, in the order asked for. Counts are exact, and so is what is divided of them; sums
        of float numbers are those in memory up to the rounding of a few additions.

    Warns
    -----
    UndefinedMetricWarning
        As the measures asked for.

    Notes
    -----
    A state is small (a table of sums, a confusion matrix), a pure function of its partition, and
    added up in a tree: a task that is run twice counts once. Probabilities are read twice, as all
    labels must be known first; rankings bring the rows of a query together by a hash of it.

    Examples
    --------
    >>> import dask.array as da
    >>> import fastmetrics.dask as fmd
    >>> y_true = da.from_array([0, 1, 1, 0, 1], chunks=2)
    >>> p = da.from_array([0.1, 0.9, 0.6, 0.7, 0.8], chunks=2)
    >>> fmd.measures(y_true, p, metrics=["brier_score", "roc_auc", "accuracy"], threshold=0.5)
    {'brier_score': 0.142, 'roc_auc': 0.8333333333333334, 'accuracy': 0.8}
    >>> fmd.measures(y_true, y_true, metrics=("fbeta", {"beta": 2}))
    {'fbeta': 1.0}
    """
    asked = ask(metrics, of_rankings=True)
    families: dict[str, list[Asked]] = {}
    for one in asked:
        families.setdefault(family_of(one), []).append(one)
    if (query is not None or "ranking" in families) and (query is None or len(families) > 1):
        raise InputTypeError(
            "`query` is for measures of rankings, and they need it: it says which query each item "
            "belongs to"
        )
    values: Values = {}
    for family, some in families.items():
        if family == "ranking":
            parts = partitions(relevance=y_true, score=y_pred, query=query)
            values |= of_rankings(parts, some, ties)
            continue
        is_decided = family == "decisions" and threshold is not None
        second = "y_score" if is_decided else _SECOND.get(family, "y_pred")
        given = {"y_true": y_true, second: y_pred, "sample_weight": sample_weight}
        parts = partitions(**given)
        if family == "regression":
            values |= of_values(parts, some)
        elif family == "decisions":
            values |= of_labels(parts, some, pos_label, threshold)
        elif family == "probabilities":
            values |= of_probabilities(parts, some, labels, pos_label)
        else:
            values |= of_scores(parts, some, pos_label=pos_label)
    return {one.label: values[one.label] for one in asked}


@documented(COLUMNS)
def confusion_matrix(
    y_true: Any,
    y_pred: Any = None,
    *,
    labels: ArrayLike | None = None,
    sample_weight: Any = None,
    normalize: Literal["true", "pred", "all"] | None = None,
) -> NDArray[Any]:
    """Count how often each class was taken for each.

    Parameters
    ----------
    y_pred : Dask column of shape (n,), or list of delayed partitions, optional
        Predicted labels.
    labels : array-like of shape (K,), optional
        The classes, in the order of rows and columns; rows with another label are left out. By
        default every label that occurs in either column, sorted.
    normalize : {"true", "pred", "all"} or None, default=None
        Divide each count by the sum of its row, of its column, or of the matrix; 0/0 is 0.

    Returns
    -------
    ndarray of shape (K, K)
        As `fastmetrics.confusion_matrix`. ``ConfusionMatrix.from_counts`` makes a matrix of it.

    Warns
    -----
    UserWarning
        If the matrix has one class only.

    Notes
    -----
    A matrix a partition, added up in a tree: 8 K² bytes each.

    Examples
    --------
    >>> import dask.array as da
    >>> import fastmetrics.dask as fmd
    >>> y_true = da.from_array([2, 0, 2, 2, 0, 1], chunks=2)
    >>> fmd.confusion_matrix(y_true, da.from_array([0, 0, 2, 2, 0, 2], chunks=2))
    array([[2, 0, 0],
           [0, 0, 1],
           [1, 0, 2]])
    """
    parts = partitions(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight)
    matrix = matrix_of(parts, None, None)
    if labels is None:  # a class that one label alone suggested is there only if it has rows
        counts = matrix.counts
        held = np.flatnonzero(counts.any(axis=0) | counts.any(axis=1)).tolist()
        labels = [matrix.labels[k] for k in held] or None
    return of_matrix(matrix, labels=labels, normalize=normalize)


@documented()
def ranking_table(relevance: Any, score: Any = None, query: Any = None) -> RankingTable:
    """Return where the relevant items of every query stand, of all queries.

    Parameters
    ----------
    relevance : Dask column of shape (n,), or list of delayed partitions
        How relevant each item is; nan where nobody judged.
    score : Dask column of shape (n,), optional
        What the items are ranked by, the highest first.
    query : Dask column of shape (n,), optional
        The query of each item: numbers or texts. Rows of a query may be in any partitions.

    Returns
    -------
    RankingTable
        Here, in memory: 24 bytes a query and 24 a relevant item. Every measure of rankings takes
        it; `measures` with `query` gives means without it.

    Raises
    ------
    TypeError, ValueError
        As `RankingTable.from_scores`.

    Examples
    --------
    >>> import dask.array as da
    >>> import fastmetrics.dask as fmd
    >>> columns = [1, 0, 0, 1], [0.9, 0.4, 0.9, 0.1], [7, 7, 8, 8]
    >>> fmd.ranking_table(*(da.from_array(column, chunks=3) for column in columns))
    RankingTable(2 queries, 4 items, 2 relevant)
    """
    parts = partitions(relevance=relevance, score=score, query=query)
    table: RankingTable | None = computed(summed(tables_by_query(parts)))
    return RankingTable.from_scores([], [], query=[]) if table is None else table


# --- rankings ------------------------------------------------------------------------------------


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
