"""scikit-learn's metrics of rankings under its own names: rows of labels, each row a query."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.classes import check_multilabel_indicator, in_class_order
from fastmetrics._input.containers import as_array
from fastmetrics._input.scalars import check_flag, check_integer, check_positive
from fastmetrics._input.scores import check_score_matrix, check_weights
from fastmetrics._kernels.ranking import expected_gains, ideal_gains
from fastmetrics.errors import InputError, renamed
from fastmetrics.metrics.ranking.positions import compute_by_query, ranks, safe_divide
from fastmetrics.tables.ranking import RankingTable

#: Shared docstring of scikit-learn's functions.
_ROWS: Final = """
Parameters
----------
k : int, optional
    How many labels are looked at, from the first; None means all.
ignore_ties : bool, default=False
    Whether equal scores are taken in the order that NumPy's sort leaves them in; else ties are
    averaged.

Returns
-------
float
    Mean over rows.

Raises
------
TypeError, ValueError
    If shapes differ, a score is not finite, or a relevance has no meaning.
"""
_GAINS: Final = """
References
----------
McSherry & Najork (2008), Computing information retrieval performance measures efficiently in the
presence of tied scores, ECIR.
"""
_MULTILABEL: Final = """
References
----------
Tsoumakas, Katakis & Vlahavas (2010), Mining multi-label data.
"""


def _mean(values: NDArray[np.float64], sample_weight: Any) -> float:
    if sample_weight is None:
        return float(values.mean())
    weights, _, _ = check_weights(sample_weight, len(values))
    return float(np.average(values, weights=weights))


def _discounts(length: int, k: int | None, log_base: float) -> NDArray[np.float64]:
    steps = np.log(log_base) / np.log(np.arange(2, length + 2, dtype=np.float64))
    if k is not None:
        steps[check_integer("k", k, low=1) :] = 0
    return np.append(0.0, np.cumsum(steps))


def _gains(
    y_true: Any, y_score: Any, k: int | None, log_base: float, ignore_ties: bool
) -> tuple[RankingTable, NDArray[np.float64], NDArray[np.float64]]:
    grades = as_array(y_true, "y_true")
    scores = check_score_matrix(in_class_order(y_score, y_true))
    if grades.ndim != 2 or grades.shape != scores.shape:
        raise InputError(
            f"`y_true` and `y_score` must be matrices of one shape: got {grades.shape} and "
            f"{scores.shape}"
        )
    discounts = _discounts(grades.shape[1], k, check_positive("log_base", log_base))
    if check_flag("ignore_ties", ignore_ties):  # replace scores by ranks, which have no ties
        order = np.argsort(scores)[:, ::-1]
        scores = np.empty(scores.shape)
        np.put_along_axis(scores, order, -np.arange(grades.shape[1], dtype=float)[None], axis=1)
    with renamed(relevance="y_true"):
        table = RankingTable.from_scores(grades, scores)
    gains = compute_by_query(expected_gains, table, *ranks(table), grades.shape[1], discounts)
    return table, gains, discounts


@documented(_ROWS, _GAINS)
def dcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | None = None,
    log_base: float = 2,
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
) -> float:
    """Compute the discounted cumulative gain by the rules of scikit-learn.

    Parameters
    ----------
    y_true : array-like of shape (n_samples, n_labels)
        Relevance of each label; where only 0 and 1 make sense, an indicator, sparse or not.
    y_score : array-like of shape (n_samples, n_labels)
        What the labels of a row are ranked by, the highest first.
    log_base : float, default=2
        Base of the logarithm of the discount.

    See Also
    --------
    dcg : The same of queries of any length, with exponential gains and other rules for ties.

    Notes
    -----
    A relevance may be negative, and then counts against the sum.

    Examples
    --------
    >>> round(dcg_score([[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]]), 6)
    9.499458
    """
    _, gains, _ = _gains(y_true, y_score, k, log_base, ignore_ties)
    return _mean(gains, sample_weight)


@documented(_ROWS, _GAINS)
def ndcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | None = None,
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
) -> float:
    """Compute the normalized discounted cumulative gain by the rules of scikit-learn.

    Parameters
    ----------
    y_true : array-like of shape (n_samples, n_labels)
        Relevance of each label; where only 0 and 1 make sense, an indicator, sparse or not.
    y_score : array-like of shape (n_samples, n_labels)
        What the labels of a row are ranked by, the highest first.

    See Also
    --------
    ndcg : The same of queries of any length; a query without relevant items has none there.

    Notes
    -----
    A row without relevant labels counts 0.

    Examples
    --------
    >>> round(ndcg_score([[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]]), 6)
    0.695694
    """
    grades = as_array(y_true, "y_true")
    if grades.ndim == 2 and grades.shape[1] <= 1:
        raise InputError(
            "Computing NDCG is only meaningful when there is more than 1 document. Got "
            f"{grades.shape[1]} instead."
        )
    if grades.dtype.kind in "if" and grades.size and grades.min() < 0:
        raise InputError("ndcg_score should not be used on negative y_true values.")
    table, gains, discounts = _gains(grades, y_score, k, 2.0, ignore_ties)
    ideal = compute_by_query(ideal_gains, table, table.grades, grades.shape[1], discounts)
    return _mean(safe_divide(gains, ideal, 0.0), sample_weight)


class _LabelRanks:
    """Ranks of the relevant labels of each row, ties counted against them."""

    def __init__(self, y_true: Any, y_score: Any) -> None:
        dense = y_true.toarray() if hasattr(y_true, "toarray") else y_true
        indicator = check_multilabel_indicator(dense)
        scores = check_score_matrix(in_class_order(y_score, dense))
        if indicator.shape != scores.shape:
            raise InputError(
                f"`y_true` and `y_score` must have the same shape: got {indicator.shape} and "
                f"{scores.shape}"
            )
        table = RankingTable.from_scores(indicator, scores)
        self.starts = table.item_starts
        self.n_labels = indicator.shape[1]
        self.counts = np.diff(table.item_starts)
        self.ranks = table.above + table.tied
        row = np.repeat(np.arange(table.n_queries), self.counts)
        # number of relevant labels at or above each, including its ties
        last = np.append((np.diff(table.above) != 0) | (np.diff(row) != 0), True)
        ends = np.flatnonzero(last[: len(row)])
        tie = np.cumsum(np.append(0, last[: max(len(row) - 1, 0)]))[: len(row)]
        self.relevant = ends[tie] + 1 - table.item_starts[row] if len(row) else row

    def sums(self, items: NDArray[Any]) -> NDArray[np.float64]:
        """Return the sum over the relevant labels of each row."""
        totals = np.zeros(len(self.counts))
        filled = np.flatnonzero(self.counts)
        if len(filled):
            totals[filled] = np.add.reduceat(items, self.starts[filled])
        return totals


@documented(_ROWS, _MULTILABEL)
def label_ranking_average_precision_score(
    y_true: ArrayLike, y_score: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Compute the mean precision at the relevant labels of each row.

    Parameters
    ----------
    y_true : array-like of shape (n_samples, n_labels)
        Relevance of each label; where only 0 and 1 make sense, an indicator, sparse or not.
    y_score : array-like of shape (n_samples, n_labels)
        What the labels of a row are ranked by, the highest first.

    See Also
    --------
    mean_average_precision : The same with ties averaged, and queries of any length.

    Notes
    -----
    Labels that tie count against the relevant ones. A row whose labels are all relevant, or none,
    counts 1.

    Examples
    --------
    >>> round(label_ranking_average_precision_score([[1, 0, 0], [0, 0, 1]],
    ...                                             [[0.75, 0.5, 1], [1, 0.2, 0.1]]), 4)
    0.4167
    """
    labels = _LabelRanks(y_true, y_score)
    values = np.ones(len(labels.counts))
    some = (labels.counts > 0) & (labels.counts < labels.n_labels)
    np.divide(labels.sums(labels.relevant / labels.ranks), labels.counts, out=values, where=some)
    return _mean(values, sample_weight)


@documented(_ROWS, _MULTILABEL)
def coverage_error(
    y_true: ArrayLike, y_score: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Compute the mean rank of the last relevant label of each row.

    Parameters
    ----------
    y_true : array-like of shape (n_samples, n_labels)
        Relevance of each label; where only 0 and 1 make sense, an indicator, sparse or not.
    y_score : array-like of shape (n_samples, n_labels)
        What the labels of a row are ranked by, the highest first.

    Notes
    -----
    Labels that tie are all met together. A row without relevant labels counts 0.

    Examples
    --------
    >>> coverage_error([[1, 0, 0], [0, 1, 1]], [[1, 0, 0], [0, 1, 1]])
    1.5
    """
    labels = _LabelRanks(y_true, y_score)
    values = np.zeros(len(labels.counts))
    filled = np.flatnonzero(labels.counts)
    values[filled] = labels.ranks[labels.starts[filled + 1] - 1]
    return _mean(values, sample_weight)


@documented(_ROWS, _MULTILABEL)
def label_ranking_loss(
    y_true: ArrayLike, y_score: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Compute the proportion of pairs of a relevant and another label in the wrong order.

    Parameters
    ----------
    y_true : array-like of shape (n_samples, n_labels)
        Relevance of each label; where only 0 and 1 make sense, an indicator, sparse or not.
    y_score : array-like of shape (n_samples, n_labels)
        What the labels of a row are ranked by, the highest first.

    See Also
    --------
    group_auc : One minus the share within each query, with a tie as half a pair.

    Notes
    -----
    A tie is a wrong pair. A row whose labels are all relevant, or none, counts 0.

    Examples
    --------
    >>> label_ranking_loss([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]])
    0.75
    """
    labels = _LabelRanks(y_true, y_score)
    pairs = labels.counts * (labels.n_labels - labels.counts)
    wrong = labels.sums(labels.ranks - labels.relevant)
    return _mean(safe_divide(wrong, pairs, 0.0), sample_weight)
