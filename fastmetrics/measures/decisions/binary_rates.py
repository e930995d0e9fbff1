"""Rates of two classes that scikit-learn has no function for, and Youden's J."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from fastmetrics.measures.decisions._matrix_input import binary_counts, defined
from fastmetrics.measures.decisions.count_measures import value
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix

_NO_POSITIVE = "there is no positive example"
_NO_NEGATIVE = "there is no negative example"


def _measured(
    name: str, y_true: Any, y_pred: Any, pos_label: Any, sample_weight: Any, reason: str
) -> float:
    found = binary_counts(y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight)
    return defined(value(name, found.counts), reason)


def specificity_score(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the share of negative examples that are called negative.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or ConfusionMatrix
        Labels of two classes; or a matrix of two, and then `y_pred` is left out.
    y_pred : array-like of shape (n_samples,), optional
        Predicted labels.
    pos_label : int, float, bool or str, optional
        The positive label; {0, 1}, {-1, 1} and booleans need none, and of a matrix it is the last.
    sample_weight : array-like of shape (n_samples,), optional
        Weights, not negative.

    Returns
    -------
    float
        TN / (TN + FP), the true negative rate; nan where there is no negative example.

    Raises
    ------
    TypeError, ValueError
        If the data are not labels of two classes, or `pos_label` is needed or none of them.

    Warns
    -----
    UndefinedMetricWarning
        If there is no negative example.

    Notes
    -----
    O(n) to count, O(1) from a matrix. It is the recall of the negative class.

    References
    ----------
    Fawcett, T. (2006). An introduction to ROC analysis. Pattern Recognition Letters 27(8).

    Examples
    --------
    >>> specificity_score([0, 0, 0, 1, 1], [0, 0, 1, 1, 0])
    0.6666666666666666
    """
    reason = f"the specificity is not defined: {_NO_NEGATIVE}"
    return _measured("specificity", y_true, y_pred, pos_label, sample_weight, reason)


def negative_predictive_value(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the share of examples called negative that are negative.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or ConfusionMatrix
        Labels of two classes; or a matrix of two, and then `y_pred` is left out.
    y_pred : array-like of shape (n_samples,), optional
        Predicted labels.
    pos_label : int, float, bool or str, optional
        The positive label; {0, 1}, {-1, 1} and booleans need none, and of a matrix it is the last.
    sample_weight : array-like of shape (n_samples,), optional
        Weights, not negative.

    Returns
    -------
    float
        TN / (TN + FN); nan where no example is called negative.

    Raises
    ------
    TypeError, ValueError
        If the data are not labels of two classes, or `pos_label` is needed or none of them.

    Warns
    -----
    UndefinedMetricWarning
        If no example is called negative.

    Notes
    -----
    O(n) to count, O(1) from a matrix. It is the precision of the negative class, and like precision
    it depends on how common the classes are.

    References
    ----------
    Altman, D. & Bland, J. (1994). Diagnostic tests 2: predictive values. BMJ 309, 102.

    Examples
    --------
    >>> negative_predictive_value([0, 0, 0, 1, 1], [0, 0, 1, 1, 0])
    0.6666666666666666
    """
    reason = "the negative predictive value is not defined: no example is called negative"
    return _measured("npv", y_true, y_pred, pos_label, sample_weight, reason)


def false_positive_rate(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the share of negative examples that are called positive.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or ConfusionMatrix
        Labels of two classes; or a matrix of two, and then `y_pred` is left out.
    y_pred : array-like of shape (n_samples,), optional
        Predicted labels.
    pos_label : int, float, bool or str, optional
        The positive label; {0, 1}, {-1, 1} and booleans need none, and of a matrix it is the last.
    sample_weight : array-like of shape (n_samples,), optional
        Weights, not negative.

    Returns
    -------
    float
        FP / (FP + TN); nan where there is no negative example.

    Raises
    ------
    TypeError, ValueError
        If the data are not labels of two classes, or `pos_label` is needed or none of them.

    Warns
    -----
    UndefinedMetricWarning
        If there is no negative example.

    Notes
    -----
    O(n) to count, O(1) from a matrix. The x axis of the ROC curve; counted, not 1 - specificity.

    References
    ----------
    Fawcett, T. (2006). An introduction to ROC analysis. Pattern Recognition Letters 27(8).

    Examples
    --------
    >>> false_positive_rate([0, 0, 0, 1, 1], [0, 0, 1, 1, 0])
    0.3333333333333333
    """
    reason = f"the false positive rate is not defined: {_NO_NEGATIVE}"
    return _measured("false_positive_rate", y_true, y_pred, pos_label, sample_weight, reason)


def false_negative_rate(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the share of positive examples that are called negative.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or ConfusionMatrix
        Labels of two classes; or a matrix of two, and then `y_pred` is left out.
    y_pred : array-like of shape (n_samples,), optional
        Predicted labels.
    pos_label : int, float, bool or str, optional
        The positive label; {0, 1}, {-1, 1} and booleans need none, and of a matrix it is the last.
    sample_weight : array-like of shape (n_samples,), optional
        Weights, not negative.

    Returns
    -------
    float
        FN / (FN + TP); nan where there is no positive example.

    Raises
    ------
    TypeError, ValueError
        If the data are not labels of two classes, or `pos_label` is needed or none of them.

    Warns
    -----
    UndefinedMetricWarning
        If there is no positive example.

    Notes
    -----
    O(n) to count, O(1) from a matrix. The miss rate; counted, not 1 - recall.

    References
    ----------
    Fawcett, T. (2006). An introduction to ROC analysis. Pattern Recognition Letters 27(8).

    Examples
    --------
    >>> false_negative_rate([0, 0, 0, 1, 1], [0, 0, 1, 1, 0])
    0.5
    """
    reason = f"the false negative rate is not defined: {_NO_POSITIVE}"
    return _measured("false_negative_rate", y_true, y_pred, pos_label, sample_weight, reason)


def youden_j(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute Youden's J, the true positive rate less the false positive rate.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or ConfusionMatrix
        Labels of two classes; or a matrix of two, and then `y_pred` is left out.
    y_pred : array-like of shape (n_samples,), optional
        Predicted labels.
    pos_label : int, float, bool or str, optional
        The positive label; {0, 1}, {-1, 1} and booleans need none, and of a matrix it is the last.
    sample_weight : array-like of shape (n_samples,), optional
        Weights, not negative.

    Returns
    -------
    float
        TPR - FPR = recall + specificity - 1, in [-1, 1], also called informedness; nan where a
        class has no example.

    Raises
    ------
    TypeError, ValueError
        If the data are not labels of two classes, or `pos_label` is needed or none of them.

    Warns
    -----
    UndefinedMetricWarning
        If a class has no example.

    Notes
    -----
    O(n) to count, O(1) from a matrix. One fraction, (TP TN - FP FN) / (m+ m-): no difference of
    rounded rates. 0 is chance, whatever the class ratio.

    References
    ----------
    Youden, W. (1950). Index for rating diagnostic tests. Cancer 3(1), 32-35.

    Examples
    --------
    >>> youden_j([0, 0, 0, 1, 1], [0, 0, 1, 1, 0])
    0.16666666666666666
    """
    reason = "Youden's J is not defined: one class has no example"
    return _measured("informedness", y_true, y_pred, pos_label, sample_weight, reason)
