"""Micro measures of the textbook: of the counts summed over classes, or over matrices."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from fastmetrics.measures.decisions import _count_formulas as formulas
from fastmetrics.measures.decisions._count_parameters import check_zero_division
from fastmetrics.measures.decisions._matrix_input import defined
from fastmetrics.measures.decisions._matrix_sums import named_sums
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix
from fastmetrics.tables.confusion.confusion_stack import ConfusionMatrixStack


def micro_precision(
    y_true: ArrayLike | ConfusionMatrix | ConfusionMatrixStack,
    y_pred: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    zero_division: float = math.nan,
) -> float:
    """Compute the precision of the counts summed over all classes, or all matrices of a stack.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), ConfusionMatrix or ConfusionMatrixStack
        Labels of any number of classes; or a matrix, or a stack of n matrices of two classes, and
        then `y_pred` is left out.
    y_pred : array-like of shape (n_samples,), optional
        Predicted labels.
    labels : array-like of shape (K,), optional
        The classes; by default those that occur in either column.
    sample_weight : array-like of shape (n_samples,), optional
        Weights, not negative.
    zero_division : {0, 1, nan}, default=nan
        What 0/0 counts as.

    Returns
    -------
    float
        The sum of TP over the sum of TP + FP.

    Raises
    ------
    TypeError, ValueError
        If the data are neither labels nor counts, or hold a label that `labels` does not name.

    Warns
    -----
    UndefinedMetricWarning
        If nothing is predicted positive, and `zero_division` is nan.

    Notes
    -----
    O(n) to count, O(K²) from a matrix, O(n) from a stack of n. Over all classes of
    one matrix it is the accuracy; averages of the counts have the same ratios as their sums.

    References
    ----------
    Zhou (2021), Machine Learning, section 2.3.2.

    Examples
    --------
    >>> from fastmetrics import ConfusionMatrixStack
    >>> stack = ConfusionMatrixStack.from_counts([[[3, 1], [2, 4]], [[5, 0], [1, 2]]])
    >>> micro_precision(stack)
    0.8571428571428571
    """
    found = named_sums(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    zero = check_zero_division("zero_division", zero_division)
    value = formulas.micro(found.tally, formulas.precision_parts, 1.0, zero)
    return defined(value, "micro precision is not defined: nothing is predicted positive")


def micro_recall(
    y_true: ArrayLike | ConfusionMatrix | ConfusionMatrixStack,
    y_pred: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    zero_division: float = math.nan,
) -> float:
    """Compute the recall of the counts summed over all classes, or all matrices of a stack.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), ConfusionMatrix or ConfusionMatrixStack
        Labels of any number of classes; or a matrix, or a stack of n matrices of two classes, and
        then `y_pred` is left out.
    y_pred : array-like of shape (n_samples,), optional
        Predicted labels.
    labels : array-like of shape (K,), optional
        The classes; by default those that occur in either column.
    sample_weight : array-like of shape (n_samples,), optional
        Weights, not negative.
    zero_division : {0, 1, nan}, default=nan
        What 0/0 counts as.

    Returns
    -------
    float
        The sum of TP over the sum of TP + FN.

    Raises
    ------
    TypeError, ValueError
        If the data are neither labels nor counts, or hold a label that `labels` does not name.

    Warns
    -----
    UndefinedMetricWarning
        If no example is positive, and `zero_division` is nan.

    Notes
    -----
    O(n) to count, O(K²) from a matrix, O(n) from a stack of n. Over all classes of
    one matrix it is the accuracy; averages of the counts have the same ratios as their sums.

    References
    ----------
    Zhou (2021), Machine Learning, section 2.3.2.

    Examples
    --------
    >>> from fastmetrics import ConfusionMatrixStack
    >>> stack = ConfusionMatrixStack.from_counts([[[3, 1], [2, 4]], [[5, 0], [1, 2]]])
    >>> micro_recall(stack)
    0.6666666666666666
    """
    found = named_sums(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    zero = check_zero_division("zero_division", zero_division)
    value = formulas.micro(found.tally, formulas.recall_parts, 1.0, zero)
    return defined(value, "micro recall is not defined: no example is positive")


def micro_f1(
    y_true: ArrayLike | ConfusionMatrix | ConfusionMatrixStack,
    y_pred: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    zero_division: float = math.nan,
) -> float:
    """Compute the F1 of the counts summed over all classes, or all matrices of a stack.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), ConfusionMatrix or ConfusionMatrixStack
        Labels of any number of classes; or a matrix, or a stack of n matrices of two classes, and
        then `y_pred` is left out.
    y_pred : array-like of shape (n_samples,), optional
        Predicted labels.
    labels : array-like of shape (K,), optional
        The classes; by default those that occur in either column.
    sample_weight : array-like of shape (n_samples,), optional
        Weights, not negative.
    zero_division : {0, 1, nan}, default=nan
        What 0/0 counts as.

    Returns
    -------
    float
        The sum of 2 TP over the sum of 2 TP + FP + FN.

    Raises
    ------
    TypeError, ValueError
        If the data are neither labels nor counts, or hold a label that `labels` does not name.

    Warns
    -----
    UndefinedMetricWarning
        If no example is positive, truly or as predicted, and `zero_division` is nan.

    Notes
    -----
    O(n) to count, O(K²) from a matrix, O(n) from a stack of n. Over all classes of
    one matrix it is the accuracy; averages of the counts have the same ratios as their sums.

    References
    ----------
    Zhou (2021), Machine Learning, section 2.3.2.

    Examples
    --------
    >>> from fastmetrics import ConfusionMatrixStack
    >>> stack = ConfusionMatrixStack.from_counts([[[3, 1], [2, 4]], [[5, 0], [1, 2]]])
    >>> micro_f1(stack)
    0.75
    """
    found = named_sums(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    zero = check_zero_division("zero_division", zero_division)
    value = formulas.micro(found.tally, formulas.fbeta_parts, 1.0, zero)
    return defined(value, "micro F1 is not defined: no example is positive, truly or as predicted")
