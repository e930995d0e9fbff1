"""The share of examples given to their class, the share that is not, and that of wrong labels."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.weights import as_given
from fastmetrics.measures.decisions._class_counts import (
    TARGETS,
    by_row,
    checked_flag,
    class_counts,
    total_of,
)
from fastmetrics.measures.decisions._class_scores import share
from fastmetrics.tables.confusion._counting import cells_of_plain
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix

_ONE_PASS: Final = """
Warns
-----
UndefinedMetricWarning
    If a matrix holds no example: nan.

Notes
-----
One pass in O(n), or O(n k). Without weights, or with whole ones, the share is the double nearest to
the ratio of the two counts.
"""


@documented(TARGETS, _ONE_PASS)
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
    y_true, y_pred : array-like of shape (n,) or (n, k), or sparse matrix
        Labels of any kind, or multilabel indicator matrices; or a ConfusionMatrix alone.
    normalize : bool, default=True
        False returns how many are right, or what they weigh.

    Returns
    -------
    float
        The share, or the number, of right predictions; a row of indicators is right as a whole.

    Notes
    -----
    Where classes are of very different size, the share of the largest
    one is the accuracy of always predicting it: look at both.

    Examples
    --------
    >>> accuracy_score([0, 1, 2, 1], [0, 1, 1, 1])
    0.75
    >>> accuracy_score([[1, 0], [1, 1]], [[1, 0], [0, 1]], normalize=False)
    1.0
    """
    normalize = checked_flag("normalize", normalize)
    right, wrong, exponent = _right_and_wrong(y_true, y_pred, sample_weight)
    return _share_or_amount(right, wrong, exponent, "accuracy" if normalize else None)


@documented(TARGETS, _ONE_PASS)
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
    y_true, y_pred : array-like of shape (n,) or (n, k), or sparse matrix
        Labels of any kind, or multilabel indicator matrices; or a ConfusionMatrix alone.
    normalize : bool, default=True
        False returns how many are wrong, or what they weigh.

    Returns
    -------
    float
        The share, or the number, of wrong predictions; a row of indicators is right as a whole.

    Notes
    -----
    Counted: not 1 less a rounded accuracy.

    Examples
    --------
    >>> zero_one_loss([0, 1, 2, 1], [0, 1, 1, 1])
    0.25
    >>> zero_one_loss(["a", "b", "b"], ["a", "a", "b"], sample_weight=[1, 2, 2], normalize=False)
    2.0
    """
    normalize = checked_flag("normalize", normalize)
    right, wrong, exponent = _right_and_wrong(y_true, y_pred, sample_weight)
    return _share_or_amount(wrong, right, exponent, "the error rate" if normalize else None)


@documented(TARGETS, _ONE_PASS)
def hamming_loss(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the Hamming loss: the share of labels that are wrong.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, k), or sparse matrix
        Labels of any kind, or multilabel indicator matrices; or a ConfusionMatrix alone.

    Returns
    -------
    float
        For labels in one dimension the error rate, as `zero_one_loss`; of indicators every cell
        is a label.

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


def _right_and_wrong(y_true: Any, y_pred: Any, sample_weight: Any) -> tuple[Any, Any, int]:
    """Return what right and wrong rows weigh, whole numbers as Python integers; and the exponent.

    The numbers are weights times two to that power.
    """
    if sample_weight is None:
        plain = cells_of_plain(y_true, y_pred)
        if plain is not None:
            return plain[0] + plain[3], plain[1] + plain[2], 0
    counts = class_counts(y_true, y_pred, sample_weight, of_columns=False)
    if counts.indicators is None:
        right, wrong = total_of(counts.hits), max(total_of(counts.true - counts.hits), 0)
        return right, wrong, counts.exponent
    rows, weights = by_row(counts)
    is_right = (rows.true == rows.hits) & (rows.predicted == rows.hits)
    if weights is None:
        right = int(np.count_nonzero(is_right))
        return right, len(is_right) - right, counts.exponent
    return total_of(weights[is_right]), total_of(weights[~is_right]), counts.exponent


def _share_or_amount(part: Any, rest: Any, exponent: int, share_of: str | None) -> float:
    if share_of is not None:
        return share(part, part + rest, share_of)
    return float(as_given(float(part), exponent))
