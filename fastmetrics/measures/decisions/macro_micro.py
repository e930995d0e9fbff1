"""Averages over classes, or over matrices of two: of recalls, of precision, recall and F1."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_choice
from fastmetrics.errors import InputTypeError, UndefinedMetricWarning, warn_user
from fastmetrics.measures.asking import find_among
from fastmetrics.measures.decisions._count_formulas import PARTS, Tally
from fastmetrics.measures.decisions._count_parameters import check_zero_division
from fastmetrics.measures.decisions._dual import ratio
from fastmetrics.measures.decisions._matrix_input import (
    CLASSES,
    NAN,
    ClassSums,
    defined,
    drop_in_sums,
    strict_sums,
    warn_single_label,
)
from fastmetrics.measures.decisions.count_measures import value_of_sums
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix
from fastmetrics.tables.confusion.confusion_stack import ConfusionMatrixStack

#: What none of makes each undefined.
_WITHOUT: Final = {
    "precision": "a predicted positive",
    "recall": "a true positive",
    "f1": "a positive, true or predicted",
}
_NAMES: Final = (
    *(f"{name}_{average}" for average in ("macro", "micro") for name in _WITHOUT),
    "macro_f1_harmonic",
)


def _without(what: str, own: ClassSums, kind: str) -> str:
    """Return which classes, or matrices of a stack, make a measure undefined."""
    empty = PARTS[what](own.sums, 1.0)[1] == 0
    found = [name for name, is_empty in zip(own.labels, empty, strict=True) if is_empty]
    shown = ", ".join(map(repr, found[:5])) + (", ..." if len(found) > 5 else "")
    return f"{len(found):,} of {len(empty):,} {kind} ({shown}) without {_WITHOUT[what]}"


def macro_micro(
    y_true: ArrayLike | ConfusionMatrix | ConfusionMatrixStack,
    y_pred: ArrayLike | None = None,
    *,
    metrics: str,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    zero_division: float = math.nan,
) -> float:
    """Compute precision, recall or F1 over all classes, or over all matrices of a stack.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), ConfusionMatrix or ConfusionMatrixStack
        Labels of any number of classes; or a matrix, or a stack of n matrices of two classes, and
        then `y_pred` is left out.
    y_pred : array-like of shape (n_samples,), optional
        Predicted labels.
    metrics : str
        "precision_macro", "recall_macro" and "f1_macro", the mean of the measures;
        "macro_f1_harmonic", the textbook's F1, the harmonic mean of the first two;
        "precision_micro", "recall_micro" and "f1_micro", the measure of the summed counts: over all
        classes of one matrix the accuracy.
    labels : array-like of shape (K,), optional
        The classes; by default those that occur in either column.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the labels.
    zero_division : {0, 1, nan}, default=nan
        What 0/0 counts as.

    Returns
    -------
    float
        In [0, 1]; nan where something that it is made of is undefined.

    Raises
    ------
    TypeError, ValueError
        If the data are neither labels nor counts, or hold a label that `labels` does not name.

    Warns
    -----
    UndefinedMetricWarning
        If it is nan, with the classes or matrices that it is for.

    Notes
    -----
    O(n) to count, O(K²) from a matrix, O(n) from a stack of n. Of a matrix every class is positive
    in turn, of a stack only the positive class of each. scikit-learn's ``f1_score`` with
    ``average="macro"`` is "f1_macro": in the example 0.6970.

    References
    ----------
    Zhou (2021), Machine Learning, section 2.3.2.

    Examples
    --------
    >>> y_true, y_pred = [0] * 6 + [1] * 4, [0] * 3 + [1] * 7
    >>> macro_micro(y_true, y_pred, metrics="macro_f1_harmonic")
    0.7674418604651163
    >>> from fastmetrics.streams import ConfusionMatrixStack
    >>> stack = ConfusionMatrixStack.from_counts([[[3, 1], [2, 4]], [[5, 0], [1, 2]]])
    >>> macro_micro(stack, metrics="precision_micro")
    0.8571428571428571
    """
    name = find_among(metrics, "decisions").name
    check_choice("metrics", name, _NAMES)
    if isinstance(y_true, ConfusionMatrixStack):
        given = {"y_pred": y_pred, "labels": labels, "sample_weight": sample_weight}
        for other, value in given.items():
            if value is not None:
                raise InputTypeError(f"a ConfusionMatrixStack comes without `{other}`")
        tp, fn, fp = (cell.astype(np.float64) for cell in (y_true.tp, y_true.fn, y_true.fp))
        kind, found = "matrices", ClassSums(y_true.names, Tally(tp, fn, fp, np.zeros(())))
    else:
        kind = "classes"
        found = strict_sums(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    zero = check_zero_division("zero_division", zero_division)
    score = value_of_sums(name, found.sums, zero_division=zero)
    parts = ("precision", "recall") if name == "macro_f1_harmonic" else (name.partition("_")[0],)
    lacking = "; ".join(_without(part, found, kind) for part in parts)
    return defined(score, f"`{name}` is not defined: {lacking}")


@documented(CLASSES)
def balanced_accuracy_score(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    adjusted: bool = False,
) -> float:
    """Compute the mean of the recalls of the classes that occur in the true labels.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Labels of any number of classes; or a ConfusionMatrix alone.
    adjusted : bool, default=False
        Whether to rescale, so that chance is 0 and a perfect classifier 1.

    Returns
    -------
    float
        In [0, 1]; adjusted in [-1 / (K - 1), 1], and nan for a single class.

    Warns
    -----
    UserWarning
        If a predicted class has no true example: it is left out of the mean; and if only one label
        occurs.
    UndefinedMetricWarning
        If `adjusted` meets a single class, or a matrix has no example: nan.

    Notes
    -----
    It is the accuracy where each class has the same weight in
    all. `count_measure` with "balanced_accuracy" is strict instead: nan where a class has no true
    example.

    References
    ----------
    Brodersen, K. et al. (2010). The balanced accuracy and its posterior distribution. ICPR 20.

    Examples
    --------
    >>> balanced_accuracy_score([0, 0, 0, 1, 1], [0, 0, 0, 1, 0])
    0.75
    >>> balanced_accuracy_score([0, 0, 0, 1, 1], [0, 0, 0, 1, 0], adjusted=True)
    0.5
    """
    check_choice("adjusted", adjusted, (True, False))
    labels, sums = drop_in_sums(y_true, y_pred, sample_weight=sample_weight)
    warn_single_label(labels)
    present = sums.true > 0
    if not present.any():
        return defined(np.nan, "the balanced accuracy is not defined: there is no example")
    if not present.all():
        warn_user("y_pred contains classes not in y_true", UserWarning)
    recalls = ratio(sums.hits[present], sums.true[present])
    score = float(recalls.mean())
    if not adjusted:
        return score
    if len(recalls) == 1:
        warn_user(
            "the adjusted balanced accuracy is not defined: only one class is present in y_true",
            UndefinedMetricWarning,
        )
        return float("nan")
    chance = 1.0 / len(recalls)
    return (score - chance) / (1.0 - chance)


@documented(CLASSES, NAN)
def g_mean(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the geometric mean of the recalls of all classes.

    Returns
    -------
    float
        In [0, 1], 0 if one class is never found; nan where a class has no true example.

    Notes
    -----
    Of two classes it is the square root of recall times
    specificity; which of them is positive does not matter.

    References
    ----------
    Kubat, M. & Matwin, S. (1997). Addressing the curse of imbalanced training sets. ICML 14.

    Examples
    --------
    >>> g_mean([0, 0, 0, 0, 1], [0, 0, 0, 0, 1])
    1.0
    >>> g_mean([0, 0, 0, 0, 1], [0, 0, 0, 0, 0])
    0.0
    """
    found = strict_sums(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    reason = "the geometric mean of recalls is not defined: a class has no example in y_true"
    return defined(value_of_sums("g_mean", found.sums), reason)
