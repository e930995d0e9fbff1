"""Averages of one binary metric over the columns (or rows) of a matrix.

``average`` is resolved here, at the boundary: the binary metric below it knows one flat column
of labels and one of scores.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.containers import as_array
from fastmetrics._input.scalars import check_same_length
from fastmetrics._input.scores import check_weights
from fastmetrics.errors import InputError

#: Maps labels, scores and weights (or None) of one column to the value of a metric.
BinaryMetric = Callable[[NDArray[Any], NDArray[Any], Any], float]
#: Maps labels and scores to the values of all rows at once, where that is faster.
RowMetric = Callable[[NDArray[Any], NDArray[Any]], NDArray[np.float64]]

AVERAGES = ("macro", "micro", "samples", "weighted", None)


def binarize(codes: NDArray[np.int64], n_classes: int) -> NDArray[np.int8]:
    """Return the (n, n_classes) matrix with 1 at each row's class code; columns are contiguous."""
    columns = np.empty((n_classes, len(codes)), np.bool_)
    for code, column in enumerate(columns):
        np.equal(codes, code, out=column)
    return columns.view(np.int8).T


def average_metric(
    metric: BinaryMetric,
    y_true: NDArray[Any],
    y_score: NDArray[Any],
    *,
    average: str | None,
    sample_weight: Any = None,
    by_row: RowMetric | None = None,
) -> float | NDArray[np.float64]:
    """Return ``metric`` of an indicator matrix under ``average``, as scikit-learn averages.

    Only the weights are checked here. ``average`` None returns the value of each column.
    """
    check_same_length(y_true=y_true, y_score=y_score)
    if y_true.shape != y_score.shape:
        raise InputError(
            f"`y_true` and `y_score` must have the same shape: got {y_true.shape} "
            f"and {y_score.shape}"
        )
    weights = None if sample_weight is None else as_array(sample_weight, "sample_weight")
    checked = None if weights is None else check_weights(weights, len(y_true)).values
    if average == "micro":
        repeated = None if weights is None else np.repeat(weights, y_true.shape[1])
        return metric(y_true.ravel(), y_score.ravel(), repeated)
    if average == "samples":
        if by_row is not None:
            return _mean(by_row(y_true, y_score), checked)
        pairs = zip(y_true, y_score, strict=True)
        return _mean(np.array([metric(*pair, None) for pair in pairs]), checked)
    support = None
    if average == "weighted":
        positive = y_true == 1
        if checked is None:
            support = np.count_nonzero(positive, axis=0).astype(np.float64)
        else:
            support = checked @ positive
        if not support.any():
            return 0.0
    # Columns get the weights as they came: integers stay counts.
    columns = range(y_true.shape[1])
    values = np.array([metric(y_true[:, k], y_score[:, k], weights) for k in columns])
    return values if average is None else _mean(values, support)


def _mean(values: NDArray[np.float64], weights: NDArray[np.float64] | None) -> float:
    """Return the weighted mean; a value of weight 0, even nan, counts as 0."""
    if weights is None:
        return float(np.mean(values))
    return float(np.average(np.where(weights == 0, 0.0, values), weights=weights))
