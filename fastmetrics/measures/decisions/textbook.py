"""The textbook's macro and micro measures: averages over classes, or over matrices of two.

"Macro" averages the measures, "micro" the counts that they are made of.
"""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics.errors import InputTypeError
from fastmetrics.measures.decisions import _count_formulas as formulas
from fastmetrics.measures.decisions._count_parameters import check_zero_division
from fastmetrics.measures.decisions._matrix_input import defined, strict_counts
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix
from fastmetrics.tables.confusion.confusion_stack import ConfusionMatrixStack

_CLASSES_OR_MATRICES: Final = """
Parameters
----------
y_true : array-like of shape (n_samples,), ConfusionMatrix or ConfusionMatrixStack
    Labels of any number of classes; or a matrix, or a stack of n matrices of two classes, and
    then `y_pred` is left out.
y_pred : array-like of shape (n_samples,), optional
    Predicted labels.
labels : array-like of shape (K,), optional
    The classes; by default those that occur in either column.
zero_division : {0, 1, nan}, default=nan
    What 0/0 counts as.

Raises
------
TypeError, ValueError
    If the data are neither labels nor counts, or hold a label that `labels` does not name.

Notes
-----
O(n) to count, O(K²) from a matrix, O(n) from a stack of n. Of a matrix every class is positive in
turn, of a stack only the positive class of each.

References
----------
Zhou (2021), Machine Learning, section 2.3.2.
"""

_MICRO: Final = """
Notes
-----
Over all classes of one matrix it is the accuracy; averages of the counts have the same ratios as
their sums.
"""


class _Sums(NamedTuple):
    """A `Tally` whose last axis is the class, or the matrix of a stack, with the names of both."""

    tally: formulas.Tally
    kind: str
    names: tuple[Any, ...]

    def without(self, axis: str) -> str:
        """Return which classes or matrices have no "true" or no "predicted" example."""
        empty = np.asarray(getattr(self.tally, axis)) == 0
        found = [name for name, is_empty in zip(self.names, empty, strict=True) if is_empty]
        shown = ", ".join(map(repr, found[:5])) + (", ..." if len(found) > 5 else "")
        what = "a true" if axis == "true" else "a predicted"
        return f"{len(found):,} of {len(empty):,} {self.kind} ({shown}) without {what} positive"


def _sums(y_true: Any, y_pred: Any, labels: Any, sample_weight: Any) -> _Sums:
    """Return the sums of a stack of matrices, of a matrix, or of labels by the strict rule."""
    if isinstance(y_true, ConfusionMatrixStack):
        given = {"y_pred": y_pred, "labels": labels, "sample_weight": sample_weight}
        for name, value in given.items():
            if value is not None:
                raise InputTypeError(f"a ConfusionMatrixStack comes without `{name}`")
        tp, fn, fp = (cell.astype(np.float64) for cell in (y_true.tp, y_true.fn, y_true.fp))
        return _Sums(formulas.Tally(tp, fn, fp, np.zeros(())), "matrices", y_true.names)
    found = strict_counts(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    return _Sums(formulas.tally(found.counts.astype(np.float64)), "classes", found.labels)


@documented(_CLASSES_OR_MATRICES)
def macro_precision(
    y_true: ArrayLike | ConfusionMatrix | ConfusionMatrixStack,
    y_pred: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    zero_division: float = math.nan,
) -> float:
    """Compute the mean of the precisions of all classes, or of all matrices of a stack.

    Returns
    -------
    float
        The arithmetic mean; nan where one precision is undefined.

    Warns
    -----
    UndefinedMetricWarning
        If a class (or matrix) has no predicted positive, and `zero_division` is nan.

    Examples
    --------
    >>> y_true, y_pred = [0] * 6 + [1] * 4, [0] * 3 + [1] * 7
    >>> macro_precision(y_true, y_pred)
    0.7857142857142857
    """
    found = _sums(y_true, y_pred, labels, sample_weight)
    zero = check_zero_division("zero_division", zero_division)
    mean = formulas.macro(found.tally, formulas.precision_parts, 1.0, zero)
    return defined(mean, f"macro precision is not defined: {found.without('predicted')}")


@documented(_CLASSES_OR_MATRICES)
def macro_recall(
    y_true: ArrayLike | ConfusionMatrix | ConfusionMatrixStack,
    y_pred: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    zero_division: float = math.nan,
) -> float:
    """Compute the mean of the recalls of all classes, or of all matrices of a stack.

    Returns
    -------
    float
        The arithmetic mean; nan where one recall is undefined.

    Warns
    -----
    UndefinedMetricWarning
        If a class (or matrix) has no true positive example, and `zero_division` is nan.

    Examples
    --------
    >>> y_true, y_pred = [0] * 6 + [1] * 4, [0] * 3 + [1] * 7
    >>> macro_recall(y_true, y_pred)
    0.75
    """
    found = _sums(y_true, y_pred, labels, sample_weight)
    zero = check_zero_division("zero_division", zero_division)
    mean = formulas.macro(found.tally, formulas.recall_parts, 1.0, zero)
    return defined(mean, f"macro recall is not defined: {found.without('true')}")


@documented(_CLASSES_OR_MATRICES)
def macro_f1_harmonic(
    y_true: ArrayLike | ConfusionMatrix | ConfusionMatrixStack,
    y_pred: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    zero_division: float = math.nan,
) -> float:
    """Compute the textbook's macro-F1, the harmonic mean of macro precision and macro recall.

    Returns
    -------
    float
        In [0, 1], 0 where both means are 0; nan where one of them is undefined.

    Warns
    -----
    UndefinedMetricWarning
        If a class (or matrix) has no predicted or no true positive, and `zero_division` is nan.

    Notes
    -----
    scikit-learn's ``f1_score(average="macro")`` is another number, the mean of the F1s: in the
    example 0.6970.

    Examples
    --------
    >>> y_true, y_pred = [0] * 6 + [1] * 4, [0] * 3 + [1] * 7
    >>> macro_f1_harmonic(y_true, y_pred)
    0.7674418604651163
    """
    found = _sums(y_true, y_pred, labels, sample_weight)
    zero = check_zero_division("zero_division", zero_division)
    value = formulas.macro_f1_harmonic(found.tally, zero)
    reason = f"{found.without('predicted')}; {found.without('true')}"
    return defined(value, f"the harmonic macro-F1 is not defined: {reason}")


@documented(_CLASSES_OR_MATRICES, _MICRO)
def micro_precision(
    y_true: ArrayLike | ConfusionMatrix | ConfusionMatrixStack,
    y_pred: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    zero_division: float = math.nan,
) -> float:
    """Compute the precision of the counts summed over all classes, or all matrices of a stack.

    Returns
    -------
    float
        The sum of TP over the sum of TP + FP.

    Warns
    -----
    UndefinedMetricWarning
        If nothing is predicted positive, and `zero_division` is nan.

    Examples
    --------
    >>> from fastmetrics import ConfusionMatrixStack
    >>> stack = ConfusionMatrixStack.from_counts([[[3, 1], [2, 4]], [[5, 0], [1, 2]]])
    >>> micro_precision(stack)
    0.8571428571428571
    """
    found = _sums(y_true, y_pred, labels, sample_weight)
    zero = check_zero_division("zero_division", zero_division)
    value = formulas.micro(found.tally, formulas.precision_parts, 1.0, zero)
    return defined(value, "micro precision is not defined: nothing is predicted positive")


@documented(_CLASSES_OR_MATRICES, _MICRO)
def micro_recall(
    y_true: ArrayLike | ConfusionMatrix | ConfusionMatrixStack,
    y_pred: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    zero_division: float = math.nan,
) -> float:
    """Compute the recall of the counts summed over all classes, or all matrices of a stack.

    Returns
    -------
    float
        The sum of TP over the sum of TP + FN.

    Warns
    -----
    UndefinedMetricWarning
        If no example is positive, and `zero_division` is nan.

    Examples
    --------
    >>> from fastmetrics import ConfusionMatrixStack
    >>> stack = ConfusionMatrixStack.from_counts([[[3, 1], [2, 4]], [[5, 0], [1, 2]]])
    >>> micro_recall(stack)
    0.6666666666666666
    """
    found = _sums(y_true, y_pred, labels, sample_weight)
    zero = check_zero_division("zero_division", zero_division)
    value = formulas.micro(found.tally, formulas.recall_parts, 1.0, zero)
    return defined(value, "micro recall is not defined: no example is positive")


@documented(_CLASSES_OR_MATRICES, _MICRO)
def micro_f1(
    y_true: ArrayLike | ConfusionMatrix | ConfusionMatrixStack,
    y_pred: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    zero_division: float = math.nan,
) -> float:
    """Compute the F1 of the counts summed over all classes, or all matrices of a stack.

    Returns
    -------
    float
        The sum of 2 TP over the sum of 2 TP + FP + FN.

    Warns
    -----
    UndefinedMetricWarning
        If no example is positive, truly or as predicted, and `zero_division` is nan.

    Examples
    --------
    >>> from fastmetrics import ConfusionMatrixStack
    >>> stack = ConfusionMatrixStack.from_counts([[[3, 1], [2, 4]], [[5, 0], [1, 2]]])
    >>> micro_f1(stack)
    0.75
    """
    found = _sums(y_true, y_pred, labels, sample_weight)
    zero = check_zero_division("zero_division", zero_division)
    value = formulas.micro(found.tally, formulas.fbeta_parts, 1.0, zero)
    return defined(value, "micro F1 is not defined: no example is positive, truly or as predicted")
