"""The share of labels that are wrong."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from fastmetrics.measures.decisions._class_counts import by_row, class_counts, total_of
from fastmetrics.measures.decisions._undefined import share
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix


def hamming_loss(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the Hamming loss: the share of labels that are wrong.

    Parameters
    ----------
    y_true : array-like of shape (n,) or (n, k), sparse matrix, or ConfusionMatrix
        True labels of any kind, or a multilabel indicator matrix, every cell of which is a label.
        Or a matrix of counts, and then `y_pred` and `sample_weight` are left out.
    y_pred : array-like of shape (n,) or (n, k), or sparse matrix, optional
        Predicted labels, or indicators.
    sample_weight : array-like of shape (n,), optional
        Weights, not negative.

    Returns
    -------
    float
        For labels in one dimension the error rate, as `zero_one_loss`.

    Raises
    ------
    TypeError, ValueError
        If targets or weights are wrong, or the kinds of the targets differ.

    Notes
    -----
    One pass in O(n k). Without weights, or with whole ones, the double nearest to the ratio of
    the two counts.

    References
    ----------
    Hamming (1950), Error detecting and error correcting codes, Bell System Technical Journal 29.

    Examples
    --------
    >>> hamming_loss([[1, 0, 1], [0, 1, 1]], [[1, 0, 0], [0, 1, 1]])
    0.16666666666666666
    >>> hamming_loss([1, 2, 3, 4], [2, 2, 3, 4])
    0.25
    """
    counts = class_counts(y_true, y_pred, sample_weight, of_columns=False)
    if counts.indicators is None:
        wrong = max(total_of(counts.true - counts.hits), 0)
        return share(wrong, counts.total, "the Hamming loss")
    rows, weights = by_row(counts)
    differing = (rows.true - rows.hits) + (rows.predicted - rows.hits)
    k = len(counts.labels)
    if weights is None:
        return float(total_of(differing) / (len(differing) * k))
    return float(math.fsum((weights * differing).tolist()) / (counts.total * k))
