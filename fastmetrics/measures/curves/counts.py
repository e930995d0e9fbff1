"""Counts, and any metric of predictions, at every distinct score."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.containers import as_array, as_vector
from fastmetrics._input.scalars import check_same_length
from fastmetrics._input.scores import check_finite, check_scores_array
from fastmetrics._input.weights import as_given, check_weights
from fastmetrics.errors import InputTypeError
from fastmetrics.tables.score_table import SCORED_BINARY, Floats, ScoreTable, as_table


@documented(SCORED_BINARY)
def confusion_matrix_at_thresholds(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    n_threads: int | None = None,
) -> tuple[Floats, Floats, Floats, Floats, NDArray[Any]]:
    """Count true and false negatives and positives at every distinct score.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n_samples,)
        Binary labels, and scores: the greater, the more positive; or a ScoreTable alone.

    Returns
    -------
    tns, fps, fns, tps : ndarray of shape (n_thresholds,)
        Counts (or sums of weights) of the decision score >= threshold, as float64.
    thresholds : ndarray of shape (n_thresholds,)
        The distinct scores, falling.

    Notes
    -----
    One sort of O(n log n), then passes over the distinct scores. A missing class is no error:
    its counts are 0. Counts above 2**53 are rounded to float64; a `ScoreTable` holds them whole.

    Examples
    --------
    >>> counts = confusion_matrix_at_thresholds([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> [column.tolist() for column in counts[:4]]
    [[2.0, 1.0, 1.0, 0.0], [0.0, 1.0, 1.0, 2.0], [1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 2.0, 2.0]]
    >>> counts[4].tolist()
    [0.8, 0.4, 0.35, 0.1]
    """
    table = as_table(
        y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, label_rule="curve"
    )
    tp, fp = table.true_positives, table.false_positives
    tn, fn = fp[-1:] - fp, tp[-1:] - tp  # slices: an empty table has no last row
    exponent = table.weight_exponent
    columns = tuple(
        np.array(as_given(column, exponent), dtype=np.float64) for column in (tn, fp, fn, tp)
    )
    # A copy: a table is frozen, and the caller may write into what a drop-in returns.
    return columns[0], columns[1], columns[2], columns[3], table.scores.copy()


def metric_at_thresholds(
    y_true: ArrayLike,
    y_score: ArrayLike,
    metric_func: Callable[..., Any],
    *,
    sample_weight: ArrayLike | None = None,
    metric_params: Mapping[str, Any] | None = None,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Compute any metric of labels and predictions at every distinct score.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels, handed to `metric_func` as they are, sorted by falling score.
    y_score : array-like of shape (n_samples,)
        Scores; the greater, the more positive.
    metric_func : callable
        ``metric_func(y_true, y_pred, **metric_params)``, where ``y_pred`` is an int32 array of
        ``score >= threshold``; it returns a number, or a collection of one fixed shape.
    sample_weight : array-like of shape (n_samples,), optional
        Weights, not negative, handed to `metric_func` under that name. Rows of weight 0 are
        left out.
    metric_params : mapping, optional
        Further keywords of `metric_func`.

    Returns
    -------
    metric_values : ndarray of shape (n_thresholds,) or (n_thresholds, ...)
        The value at each threshold.
    thresholds : ndarray of shape (n_thresholds,)
        The distinct scores, falling.

    Raises
    ------
    TypeError
        If `metric_func` is not callable, or a `ScoreTable` is given: the metric needs rows.
    ValueError
        If the lengths differ, or a score, label or weight is not finite.

    Notes
    -----
    One call of `metric_func` on n rows for each distinct score, O(n * n_thresholds) as the
    interface demands. What follows from counts alone is had at all thresholds at once from
    `confusion_matrix_at_thresholds`.

    Examples
    --------
    >>> def accuracy(y_true, y_pred):
    ...     return float((y_true == y_pred).mean())
    >>> values, thresholds = metric_at_thresholds([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], accuracy)
    >>> values.tolist(), thresholds.tolist()
    ([0.75, 0.5, 0.75, 0.5], [0.8, 0.4, 0.35, 0.1])
    """
    if isinstance(y_true, ScoreTable):
        raise InputTypeError("`metric_func` is called on rows, and a ScoreTable has none")
    if not callable(metric_func):
        raise InputTypeError(f"`metric_func` must be callable, got {type(metric_func).__name__}")
    labels, scores, weights = _sorted_rows(y_true, y_score, sample_weight)
    keywords = dict(metric_params or {})
    if weights is not None:
        keywords["sample_weight"] = weights
    ends = np.append(np.flatnonzero(scores[1:] != scores[:-1]) + 1, len(scores))
    values = []
    for end in ends.tolist():
        predictions = np.zeros(len(scores), dtype=np.int32)
        predictions[:end] = 1
        values.append(metric_func(labels, predictions, **keywords))
    return np.asarray(values), scores[ends - 1]


def _sorted_rows(
    y_true: ArrayLike, y_score: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]:
    """Return labels, scores and weights by falling score, ties in their order."""
    labels = as_vector(y_true, "y_true")
    scores = check_scores_array(y_score)
    check_same_length(y_true=labels, y_score=scores)
    if labels.dtype.kind == "f":
        check_finite(labels, "y_true")
    order = (len(scores) - 1 - np.argsort(scores[::-1], kind="stable"))[::-1]
    if sample_weight is None:
        return labels[order], scores[order], None
    weights = as_array(sample_weight, "sample_weight")
    check_weights(weights, len(labels))
    order = order[weights[order] != 0]
    return labels[order], scores[order], weights[order]
