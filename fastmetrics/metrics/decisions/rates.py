"""Rates of two classes that scikit-learn has no function for, Youden's J, likelihood ratios."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_real
from fastmetrics.errors import InputError, UndefinedMetricWarning, warn_user
from fastmetrics.metrics.decisions._count_formulas import BINARY_FORMULAS, tally
from fastmetrics.metrics.decisions.count_metrics import (
    CLASSES,
    NAN,
    drop_in_counts,
    four_cells,
    select_cells,
    warn_if_nan,
)
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix

_TWO_CLASSES: Final = """
Parameters
----------
y_true, y_pred : array-like of shape (n_samples,)
    Labels of two classes; or a ConfusionMatrix of two alone.
pos_label : int, float, bool or str, optional
    The positive label; {0, 1}, {-1, 1} and booleans need none, and of a matrix it is the last.

Raises
------
TypeError, ValueError
    If the data are not labels of two classes, or `pos_label` is needed or none of them.

Notes
-----
O(n) to count, O(1) from a matrix.

References
----------
Fawcett, T. (2006). An introduction to ROC analysis. Pattern Recognition Letters 27(8).
Altman, D. & Bland, J. (1994). Diagnostic tests 2: predictive values. BMJ 309, 102.
Youden, W. (1950). Index for rating diagnostic tests. Cancer 3(1), 32-35.
"""


def _compute(
    name: str, y_true: Any, y_pred: Any, pos_label: Any, sample_weight: Any, reason: str
) -> float:
    cells = four_cells(y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight)
    return warn_if_nan(BINARY_FORMULAS[name](cells), reason)


@documented(_TWO_CLASSES, NAN)
def specificity_score(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the proportion of negative examples that are predicted negative.

    Returns
    -------
    float
        TN / (TN + FP), the true negative rate, or recall of the negative class; nan where there is
        no negative example.

    Examples
    --------
    >>> specificity_score([0, 0, 0, 1, 1], [0, 0, 1, 1, 0])
    0.6666666666666666
    """
    reason = "the specificity is not defined: there is no negative example"
    return _compute("specificity", y_true, y_pred, pos_label, sample_weight, reason)


@documented(_TWO_CLASSES, NAN)
def negative_predictive_value(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the proportion of examples predicted negative that are negative.

    Returns
    -------
    float
        TN / (TN + FN), the precision of the negative class, which depends on how common the classes
        are; nan where no example is called negative.

    Examples
    --------
    >>> negative_predictive_value([0, 0, 0, 1, 1], [0, 0, 1, 1, 0])
    0.6666666666666666
    """
    reason = "the negative predictive value is not defined: no example is called negative"
    return _compute("npv", y_true, y_pred, pos_label, sample_weight, reason)


@documented(_TWO_CLASSES, NAN)
def false_positive_rate(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the proportion of negative examples that are predicted positive.

    Returns
    -------
    float
        FP / (FP + TN), the x axis of the ROC curve: counted, not 1 - specificity; nan where there
        is no negative example.

    Examples
    --------
    >>> false_positive_rate([0, 0, 0, 1, 1], [0, 0, 1, 1, 0])
    0.3333333333333333
    """
    reason = "the false positive rate is not defined: there is no negative example"
    return _compute("false_positive_rate", y_true, y_pred, pos_label, sample_weight, reason)


@documented(_TWO_CLASSES, NAN)
def false_negative_rate(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the proportion of positive examples that are predicted negative.

    Returns
    -------
    float
        FN / (FN + TP), the miss rate: counted, not 1 - recall; nan where there is no positive
        example.

    Examples
    --------
    >>> false_negative_rate([0, 0, 0, 1, 1], [0, 0, 1, 1, 0])
    0.5
    """
    reason = "the false negative rate is not defined: there is no positive example"
    return _compute("false_negative_rate", y_true, y_pred, pos_label, sample_weight, reason)


@documented(_TWO_CLASSES, NAN)
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

    Notes
    -----
    One fraction, (TP TN - FP FN) / (m+ m-): no difference of rounded rates. 0 is chance, whatever
    the class ratio.

    Examples
    --------
    >>> youden_j([0, 0, 0, 1, 1], [0, 0, 1, 1, 0])
    0.16666666666666666
    """
    reason = "Youden's J is not defined: one class has no example"
    return _compute("informedness", y_true, y_pred, pos_label, sample_weight, reason)


@documented(CLASSES)
def class_likelihood_ratios(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: float | Mapping[str, float] = math.nan,
) -> tuple[float, float]:
    """Compute the positive and the negative likelihood ratio of two classes.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Labels of two classes; or a ConfusionMatrix of two alone.
    labels : array-like of shape (2,), optional
        The two classes, the positive one last; by default those that occur, sorted.
    replace_undefined_by : nan, 1.0 or dict, default=nan
        What to return where a ratio is divided by 0: nan or 1 for both, or a dictionary of
        "LR+" (at least 1, or nan) and "LR-" (in [0, 1], or nan).

    Returns
    -------
    tuple of two floats
        LR+ = TPR / FPR and LR- = FNR / TNR: what the odds of the positive class are multiplied by
        after a positive and after a negative prediction. Both are nan where there is no positive
        example, unless their own denominator is 0 too.

    Raises
    ------
    TypeError, ValueError
        If the data are not labels of two classes, or `replace_undefined_by` is none of the above.

    Warns
    -----
    UndefinedMetricWarning
        For each of: no positive example, no false positive, no true negative.

    References
    ----------
    Altman, D. & Bland, J. (1994). Diagnostic tests 4: likelihood ratios. BMJ 329, 168-169.

    Examples
    --------
    >>> class_likelihood_ratios([0, 1, 0, 1, 0], [1, 1, 0, 0, 0])
    (1.5, 0.75)
    """
    on_positive, on_negative = _replacements(replace_undefined_by)
    cells = drop_in_counts(y_true, y_pred, sample_weight=sample_weight)
    if len(cells.labels) > 2:
        raise InputError(
            f"`y_true` and `y_pred` must hold two classes: got {len(cells.labels):,}; see "
            "multilabel_confusion_matrix"
        )
    if labels is not None:
        cells = select_cells(cells, labels, y_true, y_pred, "y_true")
    if len(cells.labels) != 2:
        raise InputError(
            f"two classes are needed, and there is {len(cells.labels)}, {cells.labels}: pass "
            "`labels` of two, the positive one last"
        )
    sums = tally(cells.counts.astype(np.float64))
    ratios = [
        float(BINARY_FORMULAS[f"{sign}_likelihood_ratio"](sums))
        for sign in ("positive", "negative")
    ]
    if sums.true[1] == 0:
        _warn(
            "No samples of the positive class are present in `y_true`. `positive_likelihood_ratio` "
            "and `negative_likelihood_ratio` are both set to `np.nan`"
        )
        ratios = [math.nan, math.nan]
    if sums.fp == 0:
        why = "`positive_likelihood_ratio` is ill-defined and"
        if sums.tp == 0:
            why = (
                "No samples were predicted for the positive class and `positive_likelihood_ratio` "
                "is"
            )
        _warn(f"{why} set to `{_format(on_positive)}`")
        ratios[0] = on_positive
    if sums.tn == 0:
        _warn(f"`negative_likelihood_ratio` is ill-defined and set to `{_format(on_negative)}`")
        ratios[1] = on_negative
    return ratios[0], ratios[1]


def _warn(message: str) -> None:
    advice = "Use the `replace_undefined_by` param to control this behavior."
    warn_user(f"{message}. {advice}", UndefinedMetricWarning)


def _format(number: float) -> str:
    return repr(number) if math.isfinite(number) else f"np.{number}"


def _replacements(setting: Any) -> tuple[float, float]:
    """Return the values of undefined LR+ and LR-."""
    if not isinstance(setting, Mapping):
        number = check_real("replace_undefined_by", setting)
        if not (number == 1.0 or math.isnan(number)):
            raise InputError(
                f"`replace_undefined_by` must be 1.0, nan, or a dictionary of 'LR+' and 'LR-': got "
                f"{setting!r}"
            )
        return number, number
    if not {"LR+", "LR-"} <= set(setting):
        raise InputError(f"`replace_undefined_by` must have both 'LR+' and 'LR-': got {setting!r}")
    positive, negative = (
        _checked(setting[name], name, low, high)
        for name, low, high in (("LR+", 1.0, math.inf), ("LR-", 0.0, 1.0))
    )
    return positive, negative


def _checked(value: Any, name: str, low: float, high: float) -> float:
    number = check_real(f"replace_undefined_by[{name!r}]", value)
    if math.isnan(number) or low <= number <= high:
        return number
    raise InputError(
        f"`replace_undefined_by[{name!r}]` must lie in [{low:g}, {high:g}] or be nan: got {value!r}"
    )
