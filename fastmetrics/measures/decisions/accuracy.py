"""The share of examples given to their class, and the share that is not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics.measures.decisions._class_counts import (
    ClassCounts,
    by_row,
    checked_flag,
    class_counts,
    total_of,
)
from fastmetrics.measures.decisions._undefined import share
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix


def accuracy_score(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    normalize: bool = True,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the share of examples whose predicted label is the true one.

    Parameters
    ----------
    y_true : array-like of shape (n,) or (n, k), sparse matrix, or ConfusionMatrix
        True labels of any kind, or a multilabel indicator matrix, of which a row is right only as
        a whole. Or a matrix of counts, and then `y_pred` and `sample_weight` are left out.
    y_pred : array-like of shape (n,) or (n, k), or sparse matrix, optional
        Predicted labels, or indicators.
    normalize : bool, default=True
        False returns how many are right, or what they weigh.
    sample_weight : array-like of shape (n,), optional
        Weights, not negative.

    Returns
    -------
    float
        The share, or the number, of right predictions.

    Raises
    ------
    TypeError, ValueError
        If targets or weights are wrong, or the kinds of the targets differ.

    Notes
    -----
    One pass in O(n). Without weights, or with whole ones, the share is the double nearest to the
    ratio of the two counts. Where classes are of very different size, the share of the largest
    one is the accuracy of always predicting it: look at both.

    Examples
    --------
    >>> accuracy_score([0, 1, 2, 1], [0, 1, 1, 1])
    0.75
    >>> accuracy_score([[1, 0], [1, 1]], [[1, 0], [0, 1]], normalize=False)
    1.0
    """
    normalize = checked_flag("normalize", normalize)
    counts = class_counts(y_true, y_pred, sample_weight, of_columns=False)
    right, wrong = _right_and_wrong(counts)
    return _share_or_amount(right, wrong, counts, "accuracy" if normalize else None)


def zero_one_loss(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    normalize: bool = True,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the error rate: the share of examples whose predicted label is not the true one.

    Parameters
    ----------
    y_true : array-like of shape (n,) or (n, k), sparse matrix, or ConfusionMatrix
        True labels of any kind, or a multilabel indicator matrix, of which a row is wrong unless
        it is right as a whole. Or a matrix of counts, and then `y_pred` and `sample_weight` are
        left out.
    y_pred : array-like of shape (n,) or (n, k), or sparse matrix, optional
        Predicted labels, or indicators.
    normalize : bool, default=True
        False returns how many are wrong, or what they weigh.
    sample_weight : array-like of shape (n,), optional
        Weights, not negative.

    Returns
    -------
    float
        The share, or the number, of wrong predictions.

    Raises
    ------
    TypeError, ValueError
        If targets or weights are wrong, or the kinds of the targets differ.

    Notes
    -----
    One pass in O(n). Without weights, or with whole ones, the share is the double nearest to the
    ratio of the two counts, not 1 less a rounded accuracy.

    Examples
    --------
    >>> zero_one_loss([0, 1, 2, 1], [0, 1, 1, 1])
    0.25
    >>> zero_one_loss(["a", "b", "b"], ["a", "a", "b"], sample_weight=[1, 2, 2], normalize=False)
    2.0
    """
    normalize = checked_flag("normalize", normalize)
    counts = class_counts(y_true, y_pred, sample_weight, of_columns=False)
    right, wrong = _right_and_wrong(counts)
    return _share_or_amount(wrong, right, counts, "the error rate" if normalize else None)


def _right_and_wrong(counts: ClassCounts) -> tuple[Any, Any]:
    """Return what the right and the wrong rows weigh; whole numbers as Python integers."""
    if counts.indicators is None:
        return total_of(counts.hits), max(total_of(counts.true - counts.hits), 0)
    rows, weights = by_row(counts)
    is_right = (rows.true == rows.hits) & (rows.predicted == rows.hits)
    if weights is None:
        right = int(np.count_nonzero(is_right))
        return right, len(is_right) - right
    return total_of(weights[is_right]), total_of(weights[~is_right])


def _share_or_amount(part: Any, rest: Any, counts: ClassCounts, share_of: str | None) -> float:
    if share_of is not None:
        return share(part, part + rest, share_of)
    with np.errstate(over="ignore"):  # beyond the range of float64 it is inf
        return float(np.ldexp(float(part), -counts.exponent))
