"""Macro measures of the textbook: averages over classes, or over matrices of two classes."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from fastmetrics.measures.decisions import _count_formulas as formulas
from fastmetrics.measures.decisions._count_parameters import check_zero_division
from fastmetrics.measures.decisions._matrix_input import defined
from fastmetrics.measures.decisions._matrix_sums import named_sums
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix
from fastmetrics.tables.confusion.confusion_stack import ConfusionMatrixStack


def macro_precision(
    y_true: ArrayLike | ConfusionMatrix | ConfusionMatrixStack,
    y_pred: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    zero_division: float = math.nan,
) -> float:
    """Compute the mean of the precisions of all classes, or of all matrices of a stack.

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
        The arithmetic mean; nan where one precision is undefined.

    Raises
    ------
    TypeError, ValueError
        If the data are neither labels nor counts, or hold a label that `labels` does not name.

    Warns
    -----
    UndefinedMetricWarning
        If a class (or matrix) has no predicted positive, and `zero_division` is nan.

    Notes
    -----
    O(n) to count, O(K²) from a matrix, O(n) from a stack of n. Of a matrix every class is
    positive in turn, of a stack only the positive class of each.

    References
    ----------
    Zhou (2021), Machine Learning, section 2.3.2.

    Examples
    --------
    >>> y_true, y_pred = [0] * 6 + [1] * 4, [0] * 3 + [1] * 7
    >>> macro_precision(y_true, y_pred)
    0.7857142857142857
    """
    found = named_sums(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    zero = check_zero_division("zero_division", zero_division)
    mean = formulas.macro(found.tally, formulas.precision_parts, 1.0, zero)
    return defined(mean, f"macro precision is not defined: {found.without('predicted')}")


def macro_recall(
    y_true: ArrayLike | ConfusionMatrix | ConfusionMatrixStack,
    y_pred: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    zero_division: float = math.nan,
) -> float:
    """Compute the mean of the recalls of all classes, or of all matrices of a stack.

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
        The arithmetic mean; nan where one recall is undefined.

    Raises
    ------
    TypeError, ValueError
        If the data are neither labels nor counts, or hold a label that `labels` does not name.

    Warns
    -----
    UndefinedMetricWarning
        If a class (or matrix) has no true positive example, and `zero_division` is nan.

    Notes
    -----
    O(n) to count, O(K²) from a matrix, O(n) from a stack of n. Of a matrix every class is
    positive in turn, of a stack only the positive class of each.

    References
    ----------
    Zhou (2021), Machine Learning, section 2.3.2.

    Examples
    --------
    >>> y_true, y_pred = [0] * 6 + [1] * 4, [0] * 3 + [1] * 7
    >>> macro_recall(y_true, y_pred)
    0.75
    """
    found = named_sums(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    zero = check_zero_division("zero_division", zero_division)
    mean = formulas.macro(found.tally, formulas.recall_parts, 1.0, zero)
    return defined(mean, f"macro recall is not defined: {found.without('true')}")


def macro_f1_harmonic(
    y_true: ArrayLike | ConfusionMatrix | ConfusionMatrixStack,
    y_pred: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    zero_division: float = math.nan,
) -> float:
    """Compute the textbook's macro-F1, the harmonic mean of macro precision and macro recall.

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
        What 0/0 in a precision or recall counts as.

    Returns
    -------
    float
        In [0, 1], 0 where both means are 0; nan where one of them is undefined.

    Raises
    ------
    TypeError, ValueError
        If the data are neither labels nor counts, or hold a label that `labels` does not name.

    Warns
    -----
    UndefinedMetricWarning
        If a class (or matrix) has no predicted or no true positive, and `zero_division` is nan.

    Notes
    -----
    O(n) to count, O(K²) from a matrix, O(n) from a stack of n. scikit-learn's
    ``f1_score(average="macro")`` is another number, the mean of the F1s: in the example 0.6970.

    References
    ----------
    Zhou (2021), Machine Learning, section 2.3.2.

    Examples
    --------
    >>> y_true, y_pred = [0] * 6 + [1] * 4, [0] * 3 + [1] * 7
    >>> macro_f1_harmonic(y_true, y_pred)
    0.7674418604651163
    """
    found = named_sums(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    zero = check_zero_division("zero_division", zero_division)
    value = formulas.macro_f1_harmonic(found.tally, zero)
    reason = f"{found.without('predicted')}; {found.without('true')}"
    return defined(value, f"the harmonic macro-F1 is not defined: {reason}")
