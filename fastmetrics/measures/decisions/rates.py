"""Rates of two classes that scikit-learn has no function for, and Youden's J."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics.measures.decisions import _count_formulas as formulas
from fastmetrics.measures.decisions._matrix_input import defined, four_cells
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix

_TWO_CLASSES: Final = """
Parameters
----------
y_true : array-like of shape (n_samples,) or ConfusionMatrix
    Labels of two classes; or a matrix of two, and then `y_pred` is left out.
y_pred : array-like of shape (n_samples,), optional
    Predicted labels.
pos_label : int, float, bool or str, optional
    The positive label; {0, 1}, {-1, 1} and booleans need none, and of a matrix it is the last.

Raises
------
TypeError, ValueError
    If the data are not labels of two classes, or `pos_label` is needed or none of them.

Notes
-----
O(n) to count, O(1) from a matrix.
"""


def _measured(
    formula: Callable[[Any], Any],
    y_true: Any,
    y_pred: Any,
    pos_label: Any,
    sample_weight: Any,
    reason: str,
) -> float:
    cells = four_cells(y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight)
    return defined(formula(cells), reason)


@documented(_TWO_CLASSES)
def specificity_score(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the share of negative examples that are called negative.

    Returns
    -------
    float
        TN / (TN + FP), the true negative rate; nan where there is no negative example.

    Warns
    -----
    UndefinedMetricWarning
        If there is no negative example.

    Notes
    -----
    It is the recall of the negative class.

    References
    ----------
    Fawcett, T. (2006). An introduction to ROC analysis. Pattern Recognition Letters 27(8).

    Examples
    --------
    >>> specificity_score([0, 0, 0, 1, 1], [0, 0, 1, 1, 0])
    0.6666666666666666
    """
    reason = "the specificity is not defined: there is no negative example"
    return _measured(formulas.specificity, y_true, y_pred, pos_label, sample_weight, reason)


@documented(_TWO_CLASSES)
def negative_predictive_value(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the share of examples called negative that are negative.

    Returns
    -------
    float
        TN / (TN + FN); nan where no example is called negative.

    Warns
    -----
    UndefinedMetricWarning
        If no example is called negative.

    Notes
    -----
    It is the precision of the negative class, and like precision it depends on how common the
    classes are.

    References
    ----------
    Altman, D. & Bland, J. (1994). Diagnostic tests 2: predictive values. BMJ 309, 102.

    Examples
    --------
    >>> negative_predictive_value([0, 0, 0, 1, 1], [0, 0, 1, 1, 0])
    0.6666666666666666
    """
    reason = "the negative predictive value is not defined: no example is called negative"
    return _measured(formulas.npv, y_true, y_pred, pos_label, sample_weight, reason)


@documented(_TWO_CLASSES)
def false_positive_rate(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the share of negative examples that are called positive.

    Returns
    -------
    float
        FP / (FP + TN); nan where there is no negative example.

    Warns
    -----
    UndefinedMetricWarning
        If there is no negative example.

    Notes
    -----
    The x axis of the ROC curve; counted, not 1 - specificity.

    References
    ----------
    Fawcett, T. (2006). An introduction to ROC analysis. Pattern Recognition Letters 27(8).

    Examples
    --------
    >>> false_positive_rate([0, 0, 0, 1, 1], [0, 0, 1, 1, 0])
    0.3333333333333333
    """
    reason = "the false positive rate is not defined: there is no negative example"
    return _measured(formulas.false_positive_rate, y_true, y_pred, pos_label, sample_weight, reason)


@documented(_TWO_CLASSES)
def false_negative_rate(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the share of positive examples that are called negative.

    Returns
    -------
    float
        FN / (FN + TP); nan where there is no positive example.

    Warns
    -----
    UndefinedMetricWarning
        If there is no positive example.

    Notes
    -----
    The miss rate; counted, not 1 - recall.

    References
    ----------
    Fawcett, T. (2006). An introduction to ROC analysis. Pattern Recognition Letters 27(8).

    Examples
    --------
    >>> false_negative_rate([0, 0, 0, 1, 1], [0, 0, 1, 1, 0])
    0.5
    """
    reason = "the false negative rate is not defined: there is no positive example"
    return _measured(formulas.false_negative_rate, y_true, y_pred, pos_label, sample_weight, reason)


@documented(_TWO_CLASSES)
def youden_j(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute Youden's J, the true positive rate less the false positive rate.

    Returns
    -------
    float
        TPR - FPR = recall + specificity - 1, in [-1, 1], also called informedness; nan where a
        class has no example.

    Warns
    -----
    UndefinedMetricWarning
        If a class has no example.

    Notes
    -----
    One fraction, (TP TN - FP FN) / (m+ m-): no difference of rounded rates. 0 is chance, whatever
    the class ratio.

    References
    ----------
    Youden, W. (1950). Index for rating diagnostic tests. Cancer 3(1), 32-35.

    Examples
    --------
    >>> youden_j([0, 0, 0, 1, 1], [0, 0, 1, 1, 0])
    0.16666666666666666
    """
    reason = "Youden's J is not defined: one class has no example"
    return _measured(formulas.informedness, y_true, y_pred, pos_label, sample_weight, reason)
