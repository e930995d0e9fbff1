"""``macro_micro``: precision, recall and F1 averaged over classes, or over matrices of two."""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._input.scalars import check_choice
from fastmetrics.errors import InputTypeError
from fastmetrics.measures.asking import find_among
from fastmetrics.measures.decisions import _count_formulas as formulas
from fastmetrics.measures.decisions._count_parameters import check_zero_division
from fastmetrics.measures.decisions._matrix_input import defined, strict_counts
from fastmetrics.measures.decisions.count_measures import value_of_sums
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix
from fastmetrics.tables.confusion.confusion_stack import ConfusionMatrixStack

#: What each is a ratio of, and what none of makes it undefined.
_PARTS: Final[dict[str, tuple[formulas.Parts, str]]] = {
    "precision": (formulas.precision_parts, "a predicted positive"),
    "recall": (formulas.recall_parts, "a true positive"),
    "f1": (formulas.fbeta_parts, "a positive, true or predicted"),
}
_NAMES: Final = (
    *(f"{name}_{average}" for average in ("macro", "micro") for name in _PARTS),
    "macro_f1_harmonic",
)


class _Sums(NamedTuple):
    """A `Tally` whose last axis is the class, or the matrix of a stack, with the names of both."""

    tally: formulas.Tally
    kind: str
    names: tuple[Any, ...]

    def without(self, what: str) -> str:
        """Return which classes or matrices make a measure undefined."""
        empty = _PARTS[what][0](self.tally, 1.0)[1] == 0
        found = [name for name, is_empty in zip(self.names, empty, strict=True) if is_empty]
        shown = ", ".join(map(repr, found[:5])) + (", ..." if len(found) > 5 else "")
        return f"{len(found):,} of {len(empty):,} {self.kind} ({shown}) without {_PARTS[what][1]}"


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
    found = _sums(y_true, y_pred, labels, sample_weight)
    zero = check_zero_division("zero_division", zero_division)
    value = value_of_sums(name, found.tally, zero_division=zero)
    parts = ("precision", "recall") if name == "macro_f1_harmonic" else (name.partition("_")[0],)
    return defined(value, f"`{name}` is not defined: {'; '.join(map(found.without, parts))}")
