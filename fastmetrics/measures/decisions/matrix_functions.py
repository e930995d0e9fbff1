"""Confusion matrices as plain arrays: of all classes, or of each class against the rest."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.classes import ARGMAX, is_matrix, show_labels
from fastmetrics._input.scalars import check_choice
from fastmetrics._input.weights import as_given
from fastmetrics.errors import InputError
from fastmetrics.measures.decisions._class_counts import (
    TARGETS,
    check_alone,
    checked_flag,
    checked_labels,
    class_counts,
    picked,
    positions,
    row_counts,
)
from fastmetrics.measures.decisions._class_scores import ratio
from fastmetrics.measures.decisions._matrix_input import warn_single_label
from fastmetrics.tables.confusion._label_counts import Cells, label_counts, label_matrix
from fastmetrics.tables.confusion._matrix_checks import check_distinct
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix

#: Up to here NumPy's division of integers rounds once.
_EXACT = 2**53


def confusion_matrix(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    normalize: Literal["true", "pred", "all"] | None = None,
) -> NDArray[Any]:
    """Count how often each class was taken for each.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels of any kind; or a ConfusionMatrix alone.
    labels : array-like of shape (K,), optional
        The classes, in the order of rows and columns; rows of data with another label are left
        out. By default every label that occurs in either column, sorted.
    sample_weight : array-like of shape (n,), optional
        Weights, not negative. Those of an integer dtype are counts, and stay exact.
    normalize : {"true", "pred", "all"} or None, default=None
        Divide each count by the sum of its row, of its column, or of the matrix; 0/0 is 0.

    Returns
    -------
    ndarray of shape (K, K)
        ``[i, j]`` examples of class i were taken for class j: int64, float64 for weights of a
        float dtype and for shares.

    Raises
    ------
    TypeError, ValueError
        If targets, weights or an option are wrong, a label comes twice, or none of `labels`
        occurs in `y_true`.

    Warns
    -----
    UserWarning
        If the matrix has one class only.

    Notes
    -----
    One pass over labels in O(n), whatever their order; memory 8 K². `ConfusionMatrix` is the same
    with names, and can be merged.

    Examples
    --------
    >>> confusion_matrix([2, 0, 2, 2, 0, 1], [0, 0, 2, 2, 0, 2])
    array([[2, 0, 0],
           [0, 0, 1],
           [1, 0, 2]])
    >>> confusion_matrix(["a", "b", "b"], ["a", "a", "b"], labels=["b", "a"], normalize="true")
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    check_choice("normalize", normalize, ("true", "pred", "all", None))
    if isinstance(y_true, ConfusionMatrix):
        check_alone(y_pred, sample_weight)
        found = Cells.of(y_true)
    elif is_matrix(y_true) or is_matrix(y_pred):
        raise InputError(
            f"`y_true` and `y_pred` must be labels of shape (n,): {ARGMAX}; for "
            "multilabel-indicator targets there is multilabel_confusion_matrix"
        )
    else:
        found = label_matrix(y_true, y_pred, sample_weight=sample_weight)
    cells = found.counts.copy()
    if labels is not None:
        known = np.array(found.labels, dtype=object)
        asked = checked_labels(labels, known, "multiclass")
        check_distinct("labels", asked.tolist())
        where = positions(asked, known)
        occurs = where >= 0
        if not isinstance(y_true, ConfusionMatrix) and not cells[where[occurs]].any():
            rows = label_counts(y_true, y_pred)  # as true ones, whatever the rows weigh
            occurs = np.append(rows.true, 0)[positions(asked, rows.labels)] > 0
        if not occurs.any():
            raise InputError(
                f"`labels`, {show_labels(asked)}, must name at least one label of `y_true`"
            )
        cells = np.pad(found.counts, (0, 1))[np.ix_(where, where)]  # -1 is the 0 at the end
    warn_single_label(cells)
    if normalize is None:
        return np.asarray(as_given(cells, found.exponent))
    if cells.dtype.kind != "f" and int(cells.sum()) > _EXACT:
        cells = cells.astype(object)
    axes: dict[str, int | tuple[int, int]] = {"true": 1, "pred": 0, "all": (0, 1)}
    sums = cells.sum(axis=axes[normalize], keepdims=True)
    return ratio(cells, np.broadcast_to(sums, cells.shape), 0.0)


@documented(TARGETS)
def multilabel_confusion_matrix(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    samplewise: bool = False,
) -> NDArray[Any]:
    """Count each class against the rest: one matrix of two by two a class.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, k), or sparse matrix
        Labels of any kind, or multilabel indicator matrices, each column of which is a class; or a
        ConfusionMatrix alone.
    labels : array-like of shape (n_labels,), optional
        The classes (or numbers of columns), in this order; all by default, sorted.
    samplewise : bool, default=False
        One matrix for each row of an indicator matrix, over its columns.

    Returns
    -------
    ndarray of shape (n_labels, 2, 2) or (n, 2, 2)
        ``[[tn, fp], [fn, tp]]`` of each class, or row: int64, float64 with weights (except for
        rows whose weights are of an integer dtype).

    Notes
    -----
    One pass over labels in O(n), memory O(number of classes).

    Examples
    --------
    >>> multilabel_confusion_matrix(["a", "b", "b"], ["a", "a", "b"]).tolist()
    [[[1, 1], [0, 1]], [[1, 0], [1, 1]]]
    >>> multilabel_confusion_matrix([[1, 0], [1, 1]], [[1, 1], [0, 1]], samplewise=True).tolist()
    [[[0, 1], [0, 1]], [[0, 0], [1, 1]]]
    """
    samplewise = checked_flag("samplewise", samplewise)
    counts = class_counts(y_true, y_pred, sample_weight, of_columns=not samplewise)
    if labels is not None:
        counts = picked(counts, labels)
    if samplewise:
        cells = _two_by_two(*row_counts(counts), len(counts.labels))
        weights = counts.weights
        if weights is None:
            return cells
        weighted: NDArray[Any] = cells * weights.values[:, np.newaxis, np.newaxis]
        if weights.is_integer:
            return weighted.astype(np.int64)
        return np.asarray(as_given(weighted, weights.exponent))
    hits, true, predicted = counts.hits, counts.true, counts.predicted
    return counts.shown(_two_by_two(hits, true, predicted, counts.total))


def _two_by_two(
    hits: NDArray[Any], true: NDArray[Any], predicted: NDArray[Any], total: Any
) -> NDArray[Any]:
    cells = [(total - true) - (predicted - hits), predicted - hits, true - hits, hits]
    # Sums of weights are rounded, and what is left of them may fall below 0.
    return np.asarray(np.maximum(np.stack(cells, axis=1), 0).reshape(len(hits), 2, 2))
