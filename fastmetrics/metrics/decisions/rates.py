"""Rates of two classes, Youden's J, likelihood ratios, and costs of errors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_fraction, check_real
from fastmetrics.errors import InputError, InputTypeError, UndefinedMetricWarning, warn_user
from fastmetrics.metrics.decisions import _count_formulas as formulas
from fastmetrics.metrics.decisions._count_formulas import BINARY_FORMULAS, tally
from fastmetrics.metrics.decisions.count_metrics import (
    CLASSES,
    NAN,
    binary_counts,
    drop_in_counts,
    four_cells,
    select_cells,
    strict_counts,
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


# --- costs ---------------------------------------------------------------------------------------

_DATA: Final = """
Parameters
----------
y_true, y_pred : array-like of shape (n_samples,)
    Labels (of two classes, unless there is a `cost_matrix`); or a ConfusionMatrix alone.
cost_matrix : array-like of shape (K, K), optional
    ``cost_matrix[i, j]`` is what an example of class i taken for class j costs, in the order of
    the labels; negative costs are gains.
cost_fn, cost_fp : float, optional
    In place of a matrix, for two classes: what a false negative and a false positive cost, both
    >= 0.
labels : array-like of shape (K,), optional
    The classes in the order of `cost_matrix`; by default those that occur, sorted.
pos_label : int, float, bool or str, optional
    The positive label, for `cost_fn` and `cost_fp`; {0, 1}, {-1, 1} and booleans need none, and
    of a matrix it is the last.

Notes
-----
O(n) to count, O(K²) from a matrix.
"""

_COSTS: Final = """
Raises
------
TypeError
    If the costs are not given in one of the two ways, or are no real numbers.
ValueError
    If a cost is not finite, or shapes or labels do not fit.

References
----------
Zhou (2021), Machine Learning, section 2.3.4.
"""


@documented(_DATA, _COSTS, NAN)
def cost_sensitive_error(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    cost_matrix: ArrayLike | None = None,
    cost_fn: float | None = None,
    cost_fp: float | None = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the mean cost of an example, given what each confusion of classes costs.

    Returns
    -------
    float
        The sum of weight times cost over the sum of weights; nan where there is no example.

    Notes
    -----
    With all costs 1 it is the error rate. Multiplying the costs
    by a number multiplies it; adding a constant to row i adds that constant times the share of
    class i, whatever the classifier: neither changes which of two classifiers is cheaper.

    Examples
    --------
    >>> cost_sensitive_error([0, 0, 1, 1], [0, 1, 0, 1], cost_fn=4, cost_fp=1)
    1.25
    >>> costs = [[0, 1, 2], [1, 0, 1], [6, 3, 0]]
    >>> cost_sensitive_error(["a", "b", "c", "c"], ["b", "b", "a", "c"], cost_matrix=costs)
    1.75
    """
    if cost_matrix is None:
        if cost_fn is None or cost_fp is None:
            raise InputTypeError("costs are needed: `cost_matrix`, or `cost_fn` and `cost_fp`")
        if labels is not None:
            raise InputTypeError("`labels` go with `cost_matrix`: pass `pos_label` with `cost_fn`")
        cost_fn = formulas.check_cost("cost_fn", cost_fn)
        cost_fp = formulas.check_cost("cost_fp", cost_fp)
        cells = binary_counts(y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight)
    else:
        if pos_label is not None:
            raise InputTypeError(
                "`pos_label` goes with `cost_fn`: pass `labels` with `cost_matrix`"
            )
        cost_matrix = formulas.check_cost_matrix("cost_matrix", cost_matrix)
        cells = strict_counts(y_true, y_pred, labels=labels, sample_weight=sample_weight)
        if labels is None and len(cells.labels) < len(cost_matrix):
            raise InputError(
                f"`cost_matrix` is of {len(cost_matrix):,} classes, and only "
                f"{len(cells.labels):,} occur, {cells.labels}: pass `labels`, all of them"
            )
    costs: dict[str, Any] = {"cost_matrix": cost_matrix, "cost_fn": cost_fn, "cost_fp": cost_fp}
    coefficients = formulas.cost_coefficients(len(cells.labels), **costs)
    sums = formulas.tally(cells.counts.astype(np.float64), coefficients)
    reason = "the cost is not defined: there is no example"
    return warn_if_nan(formulas.mean_cost(sums, **costs), reason)


@documented(_DATA, NAN)
def expected_cost(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    cost_fn: float,
    cost_fp: float,
    prevalence: float | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the expected cost of an example at a prevalence.

    Parameters
    ----------
    cost_fn, cost_fp : float
        What a false negative and a false positive cost, both >= 0.
    prevalence : float, optional
        The share p of positives, in [0, 1], where the classifier will be used; that of the data by
        default.

    Returns
    -------
    float
        ``cost_fp (1 - p) FPR + cost_fn p FNR``, not normalized; nan where a rate that it needs
        has no example.

    Raises
    ------
    TypeError, ValueError
        If a cost is negative or not finite, the prevalence is outside [0, 1], or the data are not
        labels of two classes.

    Notes
    -----
    O(n) to count, O(1) from a matrix. Without `prevalence` it equals `cost_sensitive_error`, where
    a class may be missing.

    References
    ----------
    Drummond, C. & Holte, R. (2006). Cost curves: an improved method for visualizing classifier
    performance. Machine Learning 65(1), 95-130.

    Examples
    --------
    >>> expected_cost([0, 0, 1, 1], [0, 1, 0, 1], cost_fn=4, cost_fp=1, prevalence=0.2)
    0.8
    """
    cost_fn = formulas.check_cost("cost_fn", cost_fn)
    cost_fp = formulas.check_cost("cost_fp", cost_fp)
    if prevalence is not None:
        prevalence = check_fraction("prevalence", prevalence, include_low=True, include_high=True)
    cells = binary_counts(y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight)
    sums = formulas.tally(cells.counts.astype(np.float64))
    cost = formulas.expected_cost(sums, cost_fn=cost_fn, cost_fp=cost_fp, prevalence=prevalence)
    reason = "the expected cost is not defined: a class that counts has no example"
    return warn_if_nan(cost, reason)
