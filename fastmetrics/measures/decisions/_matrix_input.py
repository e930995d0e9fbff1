"""What a count measure is given, labels or a matrix, as the counts it works on.

Two rules for labels. That of the drop-ins is scikit-learn's: every label that occurs is a class,
in rows of weight 0 too. The strict one is ours, of everything new: it is that of `ConfusionMatrix`,
and a measure of two classes has to know which one is positive.
"""

from __future__ import annotations

import math
from collections.abc import Sized
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics.errors import InputError, InputTypeError, UndefinedMetricWarning, warn_user
from fastmetrics.measures.decisions._count_formulas import Tally, tally
from fastmetrics.tables.confusion._counting import cells_of_plain
from fastmetrics.tables.confusion._label_counts import (
    Cells,
    LabelCounts,
    Refusal,
    completed,
    label_cells,
    label_counts,
    label_matrix,
)
from fastmetrics.tables.confusion._matrix_checks import checked_labels
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix

Array = NDArray[Any]

#: What is the same in the docstrings of measures of any number of classes.
CLASSES: Final = """
Parameters
----------
y_true, y_pred : array-like of shape (n_samples,)
    Labels of any number of classes; or a ConfusionMatrix alone.
labels : array-like of shape (K,), optional
    The classes in their order; by default those that occur in either column, sorted.

Raises
------
TypeError, ValueError
    If the data are not labels of one sort and of equal length, or an option is unknown.

Notes
-----
O(n) to count, O(K²) from a matrix.
"""

#: Of those that warn wherever they are nan.
NAN: Final = """
Warns
-----
UndefinedMetricWarning
    If the value is nan.
"""

#: Counts below 2**200 may be multiplied four at a time.
_SAFE = 200

#: What two labels without `pos_label` must be for the greater one to be positive.
_PLAIN = ({0, 1}, {-1, 1})


class FourCells(NamedTuple):
    """The cells of two classes as floats, under the names that formulas of two classes use."""

    tn: float
    fp: float
    fn: float
    tp: float


class ClassSums(NamedTuple):
    """The labels of K classes, and the sums over the cells of each that formulas use."""

    labels: tuple[Any, ...]
    sums: Tally


def of_matrix(matrix: ConfusionMatrix, **given: Any) -> Cells:
    """Return what a matrix holds, refusing what may not come with it."""
    for name, value in given.items():
        if value is not None:
            raise InputTypeError(f"a ConfusionMatrix comes without `{name}`: it is counted already")
    return Cells.of(matrix)


def drop_in_counts(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, name: str = "y_pred"
) -> Cells:
    """Return the counts of every label that occurs, as scikit-learn's functions see them.

    ``name`` is what the function calls the predictions.
    """
    if isinstance(y_true, ConfusionMatrix):
        return of_matrix(y_true, **{name: y_pred, "sample_weight": sample_weight})
    check_both(y_pred, name)
    found = label_matrix(y_true, y_pred, sample_weight=sample_weight)
    if found.counts.dtype.kind == "f" and found.counts.any():
        exponent = int(np.frexp(found.counts.max())[1])
        if abs(exponent) > _SAFE:  # so that products of sums are finite
            return found._replace(counts=np.ldexp(found.counts, -exponent))
    return found


def drop_in_sums(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, name: str = "y_pred"
) -> ClassSums:
    """Return the sums of what `drop_in_counts` returns: of plain rows, without a matrix."""
    if isinstance(y_true, ConfusionMatrix) or sample_weight is not None:
        found = drop_in_counts(y_true, y_pred, sample_weight=sample_weight, name=name)
        return ClassSums(found.labels, tally(found.counts.astype(np.float64)))
    check_both(y_pred, name)
    return _sums_of(label_counts(y_true, y_pred))


def _sums_of(found: LabelCounts) -> ClassSums:
    """Return counted margins as sums: whole numbers, so that a difference is exact."""
    hits, true, predicted = (
        np.ascontiguousarray(each, dtype=np.float64)
        for each in (found.hits, found.true, found.predicted)
    )
    sums = Tally(hits, true - hits, predicted - hits, np.zeros(()))
    return ClassSums(tuple(found.labels.tolist()), sums)


def picked(found: Cells, labels: Any, y_true: Any, y_pred: Any, name: str) -> Cells:
    """Return the counts of the labels given, in their order; 0 for those that do not occur.

    Raise if ``y_true``, called ``name``, has none of them, not even with weight 0.
    """
    asked = checked_labels(labels)
    rows = [k for k, label in enumerate(found.labels) if label in asked]
    is_empty = not isinstance(y_true, ConfusionMatrix) and not found.counts[rows].any()
    if is_empty and not drop_in_counts(y_true, y_pred).counts[rows].any():
        raise InputError(f"at least one of `labels` must be present in `{name}`: got {asked}")
    return found.arranged(asked)


def warn_single_label(labels: Sized) -> None:
    """Warn, in scikit-learn's words, so that a filter on them still works, of one label only."""
    if len(labels) == 1:
        warn_user(
            "A single label was found in 'y_true' and 'y_pred'. For the confusion matrix to have "
            "the correct shape, use the 'labels' parameter to pass all known labels.",
            UserWarning,
        )


def strict_counts(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    more_than_two: Refusal | None = None,
) -> Cells:
    """Return the counts of any number of classes, by the strict rule.

    ``labels`` names the classes and their order; a label that it does not name is an error.
    ``more_than_two`` gives one for many classes, which are then never counted in a matrix.
    """
    if isinstance(y_true, ConfusionMatrix):
        return of_matrix(y_true, y_pred=y_pred, labels=labels, sample_weight=sample_weight)
    check_both(y_pred)
    if labels is None and sample_weight is None:
        plain = cells_of_plain(y_true, y_pred)
        if plain is not None:
            return Cells(np.array(plain).reshape(2, 2), (0, 1))
    known = None if labels is None else checked_labels(labels)
    found = label_cells(y_true, y_pred, known, sample_weight, more_than_two=more_than_two)
    return found if known is not None else completed(found)


def strict_sums(
    y_true: Any, y_pred: Any, *, labels: Any = None, sample_weight: Any = None
) -> ClassSums:
    """Return the sums of what `strict_counts` returns: of plain rows, without a matrix."""
    if not isinstance(y_true, ConfusionMatrix) and labels is None and sample_weight is None:
        check_both(y_pred)
        found = label_counts(y_true, y_pred)
        if len(found.labels) > 1:  # one may be half of a known pair
            return _sums_of(found)
    counted = strict_counts(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    return ClassSums(counted.labels, tally(counted.counts.astype(np.float64)))


def binary_counts(
    y_true: Any, y_pred: Any, *, pos_label: Any = None, sample_weight: Any = None
) -> Cells:
    """Return the counts of two classes, the positive one last, by the strict rule."""
    refusal = partial(_not_two, pos_label)
    found = strict_counts(y_true, y_pred, sample_weight=sample_weight, more_than_two=refusal)
    return of_two(found, pos_label, known=isinstance(y_true, ConfusionMatrix))


def four_cells(
    y_true: Any, y_pred: Any, *, pos_label: Any = None, sample_weight: Any = None
) -> FourCells:
    """Return what `binary_counts` does, as four floats."""
    if pos_label is None and sample_weight is None:
        plain = cells_of_plain(y_true, y_pred)
        if plain is not None:
            return FourCells(*map(float, plain))
    found = binary_counts(y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight)
    return FourCells(*found.counts.astype(np.float64).ravel().tolist())


def of_two(found: Cells, pos_label: Any, *, known: bool) -> Cells:
    """Return the counts with the positive class last, or raise if there are not two classes.

    ``known`` says that the order of the labels was given, so that the last one is positive.
    """
    if pos_label is not None:
        return positive_last(found, pos_label, known=known)
    if not knows_positive(found, known=known):
        raise _not_two(None, found.labels)
    return found


def knows_positive(found: Cells, *, known: bool) -> bool:
    """Return whether there are two classes, the last of which is known to be the positive one."""
    return len(found.labels) == 2 and (known or set(found.labels) in _PLAIN)


def check_both(y_pred: Any, name: str = "y_pred") -> None:
    """Raise if labels come without predictions."""
    if y_pred is None:
        raise InputTypeError(f"`{name}` is missing: only a ConfusionMatrix comes alone")


def defined(value: Any, reason: str) -> float:
    """Return a value as a float; nan with a warning that gives the reason."""
    number = float(value)
    if math.isnan(number):
        warn_user(reason, UndefinedMetricWarning)
    return number


def _not_two(pos_label: Any, labels: tuple[Any, ...]) -> InputError:
    """Return what is wrong where two classes, one of them positive, are needed."""
    shown = ", ".join(map(repr, labels[:8])) + (", ..." if len(labels) > 8 else "")
    if pos_label is not None:
        return InputError(
            f"`pos_label` is for two classes, and there are {len(labels):,}: for one against "
            "the rest see ConfusionMatrixStack.one_vs_rest"
        )
    if len(labels) > 2:
        return InputError(
            f"this measure is for two classes, and there are {len(labels):,}, {{{shown}}}: for one "
            "against the rest see ConfusionMatrixStack.one_vs_rest"
        )
    return InputError(
        f"labels take their values in {{{shown}}}: pass `pos_label`, or labels in {{0, 1}} or "
        "{-1, 1}"
    )


def positive_last(found: Cells, pos_label: Any, *, known: bool) -> Cells:
    """Return the counts of two classes with the class ``pos_label`` last; see `of_two`."""
    if isinstance(pos_label, np.generic):
        pos_label = pos_label.item()
    if len(found.labels) == 2 and pos_label in found.labels:
        return found if found.labels[1] == pos_label else found.reversed()
    if len(found.labels) > 2:
        raise _not_two(pos_label, found.labels)
    seen = np.flatnonzero(found.counts.any(axis=0) | found.counts.any(axis=1)).tolist()
    if known or len(seen) != 1:
        raise InputError(f"`pos_label`={pos_label!r} is not a label: they are {found.labels}")
    # The only class with examples beside one without.
    label = found.labels[seen[0]]
    is_positive = label == pos_label
    counts = np.zeros((2, 2), dtype=found.counts.dtype)
    counts[int(is_positive), int(is_positive)] = found.counts[seen[0], seen[0]]
    labels = (None, label) if is_positive else (label, pos_label)
    return Cells(counts, labels, found.exponent)
