"""Hits, true and predicted examples of each class: all that precision, recall and kin need.

Whatever the targets are (labels, indicator matrices, a `ConfusionMatrix`), they are read once and
become three arrays of one entry a class. ``labels``, ``pos_label`` and ``average`` are resolved
here, on those arrays.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.containers import as_array, as_vector
from fastmetrics._input.labels import check_label_values, show_labels, text_or_numbers
from fastmetrics._input.scalars import check_choice
from fastmetrics._input.targets import Indicators, check_targets
from fastmetrics._input.weights import Weights, check_weights
from fastmetrics.errors import InputError, InputTypeError, warn_user
from fastmetrics.tables.confusion._counting import Margins
from fastmetrics.tables.confusion._indicator_counts import (
    IndicatorCounts,
    counts_by_column,
    counts_by_row,
)
from fastmetrics.tables.confusion._label_counts import LabelCounts, LabelMatrix, label_counts
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix

#: What is the same in the docstrings of scikit-learn's functions of labels.
TARGETS: Final = """
Parameters
----------
y_true : array-like of shape (n,) or (n, k), sparse matrix, or ConfusionMatrix
    True labels of any kind, or a multilabel indicator matrix. Or a matrix of counts, and then
    `y_pred` and `sample_weight` are left out.
y_pred : array-like of shape (n,) or (n, k), or sparse matrix, optional
    Predicted labels, or indicators.
labels : array-like of shape (n_labels,), optional
    The classes (or numbers of columns) to measure, in this order; all by default, sorted. One
    that does not occur counts 0. With `average` "binary" they choose nothing, and must name the
    positive class.
pos_label : label, default=1
    The class measured by ``average="binary"``.
average : {"binary", "micro", "macro", "weighted", "samples"} or None, default="binary"
    None: each class. "binary": the class `pos_label` of two. "micro": of the counts summed over
    the classes. "macro": the mean over the classes. "weighted": that mean weighted by support.
    "samples": the mean over the rows of an indicator matrix.
zero_division : {"warn", 0, 1, nan}, default="warn"
    What stands where a ratio is 0/0; "warn" is 0 with a warning. Averages leave nan out.

Raises
------
TypeError, ValueError
    If an option is unknown or does not go with the targets, or targets or weights are wrong: the
    message names the argument, the rule, what came and where.
"""

#: The same, of those that take an average.
AVERAGED: Final = (
    TARGETS
    + """
Warns
-----
UserWarning
    If `pos_label` is given and `average` is not "binary".

Notes
-----
One pass over labels in O(n), memory O(number of classes); the rest works on the counts. A value of
one class is the ratio of two whole numbers, divided once.
"""
)

AVERAGES: Final = ("binary", "micro", "macro", "weighted", "samples", None)

#: Up to here every integer, and twice it, is a double: NumPy's division of integers rounds once.
_EXACT: Final = 2**52

#: Sums of weights between 2**-_SAFE and 2**_SAFE can be added and multiplied as they are.
_SAFE: Final = 500

_Found = TypeVar("_Found", LabelCounts, LabelMatrix)

Kind = Literal["binary", "multiclass", "multilabel-indicator"]


@dataclass(frozen=True, slots=True, eq=False)
class ClassCounts:
    """Counts (or weights) of K classes, or of the K columns of an indicator matrix.

    Attributes
    ----------
    labels : ndarray of shape (K,)
        The classes, or the numbers of the columns.
    hits, true, predicted : ndarray of shape (K,)
        Examples rightly given to the class, examples of the class, and examples given to it:
        int64, float64 for weights, or Python integers where int64 could overflow.
    total : int or float
        All examples, those of other classes included.
    kind : str
        What the targets are, in the field's words.
    is_weighted : bool
        Whether results that are counts are shown as float64.
    exponent : int
        All numbers are the given weights times ``2**exponent``.
    indicators, weights : optional
        The rows of a multilabel problem, for measures of each row.
    """

    labels: NDArray[Any]
    hits: NDArray[Any]
    true: NDArray[Any]
    predicted: NDArray[Any]
    total: Any
    kind: Kind
    is_weighted: bool = False
    exponent: int = 0
    indicators: Indicators | None = None
    weights: Weights | None = None

    def shown(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return counts as the user gets them: int64, or float64 in the unit of the weights."""
        if not self.is_weighted:
            return values.astype(np.int64)
        with np.errstate(over="ignore"):  # beyond the range of float64 it is inf
            return np.asarray(np.ldexp(values.astype(np.float64), -self.exponent))


def class_counts(
    y_true: Any, y_pred: Any, sample_weight: Any, *, of_columns: bool = True
) -> ClassCounts:
    """Return the counts of all classes that occur; the only place where rows are read.

    Without ``of_columns`` the columns of indicators are not counted, and their counts are 0.
    """
    if isinstance(y_true, ConfusionMatrix):
        check_alone(y_pred, sample_weight)
        return _of_matrix(y_true)
    indicators = check_targets(y_true, y_pred)
    if indicators is not None:
        return _of_indicators(indicators, sample_weight, of_columns)
    found, exponent = counted(label_counts, y_true, y_pred, sample_weight)
    counts = _classes(*found, is_weighted=sample_weight is not None)
    return dataclasses.replace(counts, exponent=exponent) if exponent else counts


def counted(
    count: Callable[..., _Found], y_true: Any, y_pred: Any, sample_weight: Any
) -> tuple[_Found, int]:
    """Return what ``count`` finds, and the power of two by which its weights were multiplied.

    That is 0 unless the sums are so extreme that their products would leave the range of float64:
    then the rows are counted again, with weights in a unit of their own.
    """
    with np.errstate(over="ignore"):
        found = count(y_true, y_pred, sample_weight=sample_weight)
    sums = found[-1]
    if sums.dtype.kind != "f" or 2.0**-_SAFE < float(sums.max()) < 2.0**_SAFE:
        return found, 0
    array = as_array(sample_weight, "sample_weight")
    weights = check_weights(array, len(array))
    return count(y_true, y_pred, sample_weight=weights.values), weights.exponent


def check_alone(y_pred: Any, sample_weight: Any) -> None:
    """Raise if a matrix in place of ``y_true`` comes with rows."""
    for name, value in (("y_pred", y_pred), ("sample_weight", sample_weight)):
        if value is not None:
            raise InputTypeError(f"`{name}` must be left out where `y_true` is a ConfusionMatrix")


def classes_asked(counts: ClassCounts, labels: Any, pos_label: Any, average: Any) -> ClassCounts:
    """Return the counts of the classes that ``average``, ``labels`` and ``pos_label`` select."""
    check_choice("average", average, AVERAGES)
    if average == "binary":
        found = _positive_class(counts, pos_label)
        if labels is not None:
            _check_positive(checked_labels(labels, counts.labels, counts.kind), found.labels[0])
        return found
    if pos_label not in (None, 1):
        warn_user(
            f"Note that pos_label (set to {pos_label!r}) is ignored when average != 'binary' (got "
            f"{average!r}). You may use labels=[pos_label] to specify a single positive class.",
            UserWarning,
        )
    if average == "samples" and counts.indicators is None:
        raise InputError(f"`average`='samples' is for multilabel targets: these are {counts.kind}")
    return counts if labels is None else picked(counts, labels)


def picked(counts: ClassCounts, labels: Any) -> ClassCounts:
    """Return the counts of the labels given, in their order; 0 for those that do not occur."""
    asked = checked_labels(labels, counts.labels, counts.kind)
    return _at(counts, asked, positions(asked, counts.labels))


def pooled(counts: ClassCounts) -> ClassCounts:
    """Return the counts summed over the classes, as those of a single one."""
    hits, true, predicted = map(_sum, (counts.hits, counts.true, counts.predicted))
    return dataclasses.replace(
        counts, labels=counts.labels[:1], hits=hits, true=true, predicted=predicted
    )


def row_counts(counts: ClassCounts) -> IndicatorCounts:
    """Return the counts of every row of a multilabel problem over the columns selected."""
    if counts.indicators is None:
        raise InputError(f"rows are measured in multilabel targets only: got {counts.kind}")
    multiplicity = np.bincount(counts.labels, minlength=counts.indicators.shape[1])
    return counts_by_row(counts.indicators, multiplicity)


def by_row(counts: ClassCounts) -> tuple[ClassCounts, NDArray[np.float64] | None]:
    """Return rows in place of classes, and their weights; those that weigh nothing are left out."""
    hits, true, predicted = row_counts(counts)
    rows = np.arange(len(hits))
    weights = None if counts.weights is None else counts.weights.values
    if weights is not None and not weights.all():
        rows = np.flatnonzero(weights)
        weights = weights[rows]
        hits, true, predicted = hits[rows], true[rows], predicted[rows]
    counts = dataclasses.replace(counts, labels=rows, hits=hits, true=true, predicted=predicted)
    return counts, weights


def checked_labels(labels: Any, found: NDArray[Any], kind: Kind) -> NDArray[Any]:
    """Return ``labels``, checked to be of the kind of those found in the targets."""
    asked = text_or_numbers(as_vector(labels, "labels"), "labels")
    check_label_values(asked, "labels")
    is_text = asked.dtype.kind in "UO"
    if kind == "multilabel-indicator":
        return _checked_columns(asked, is_text, len(found))
    if is_text != any(isinstance(label, str) for label in found.tolist()):
        kinds = ("text", "numbers") if is_text else ("numbers", "text")
        raise InputTypeError(f"`labels` holds {kinds[0]}, `y_true` and `y_pred` hold {kinds[1]}")
    return asked


def checked_flag(name: str, value: Any) -> bool:
    """Return a flag: a boolean, and nothing that is merely true or false."""
    flag = value.item() if isinstance(value, np.bool_) else value
    return bool(check_choice(name, flag, (True, False)))


def total_of(values: NDArray[Any]) -> Any:
    """Return the sum as a Python number: exact for integers, rounded once for floats."""
    if values.dtype.kind == "f":
        return math.fsum(values.tolist())
    return int(values.sum())


def positions(asked: NDArray[Any], found: NDArray[Any]) -> NDArray[np.intp]:
    """Return where each label asked for stands among those found, -1 where it does not."""
    at = {label: k for k, label in enumerate(found.tolist())}
    return np.array([at.get(label, -1) for label in asked.tolist()], dtype=np.intp)


def _checked_columns(asked: NDArray[Any], is_text: bool, n_columns: int) -> NDArray[np.int64]:
    if is_text:
        raise InputTypeError("`labels` of multilabel targets must be numbers of columns: got text")
    for column in asked.tolist():
        if not 0 <= column < n_columns:
            raise InputError(
                f"`labels` of multilabel targets must lie in [0, {n_columns:,}): got {column!r}"
            )
    return asked.astype(np.int64)


def _positive_class(counts: ClassCounts, pos_label: Any) -> ClassCounts:
    if counts.kind != "binary":
        others = "None, 'micro', 'macro', 'weighted'"
        if counts.kind == "multilabel-indicator":
            others += ", 'samples'"
        raise InputError(
            f"`average`='binary' is for two classes, and the targets are {counts.kind} with "
            f"{len(counts.labels):,}: choose one of {others}"
        )
    if isinstance(pos_label, np.generic):
        pos_label = pos_label.item()
    present = counts.labels.tolist()
    if pos_label is None or (pos_label not in present and len(present) > 1):
        raise InputError(
            f"`pos_label`={pos_label!r} is not a label of the targets, which take their values in "
            f"{show_labels(counts.labels)}"
        )
    asked = np.empty(1, dtype=object)
    asked[0] = pos_label
    return _at(counts, asked, positions(asked, counts.labels))


def _check_positive(asked: NDArray[Any], positive: Any) -> None:
    """Raise unless ``labels``, which chooses nothing of two classes, names the positive one."""
    if positive not in asked.tolist():
        raise InputError(
            f"`labels` does not name the positive class, {positive!r}, that `average`='binary' is "
            f"of: got {show_labels(asked)}; for other classes choose another `average`"
        )


def _of_matrix(matrix: ConfusionMatrix) -> ClassCounts:
    now = matrix.copy()  # another thread may go on to update it
    labels, margins = now.labels, now.margins
    if not labels:  # nothing was seen: two classes without examples
        labels, margins = (0, 1), Margins(*np.zeros((3, 2), np.int64))
    found = _classes(np.array(labels, dtype=object), *margins, is_weighted=now.is_weighted)
    return dataclasses.replace(found, exponent=now.weight_exponent)


def _of_indicators(indicators: Indicators, sample_weight: Any, of_columns: bool) -> ClassCounts:
    n, k = indicators.shape
    weights = None if sample_weight is None else check_weights(sample_weight, n)
    found = IndicatorCounts(*np.zeros((3, k), dtype=np.int64))
    if of_columns:
        found = counts_by_column(indicators, weights)
    total: Any = n
    if weights is not None:
        total = total_of(weights.values)
    return ClassCounts(
        np.arange(k),
        *found,
        total,
        "multilabel-indicator",
        weights is not None,
        0 if weights is None else weights.exponent,
        indicators,
        weights,
    )


def _classes(
    labels: NDArray[Any],
    hits: NDArray[Any],
    true: NDArray[Any],
    predicted: NDArray[Any],
    *,
    is_weighted: bool,
) -> ClassCounts:
    kind: Kind = "binary" if len(labels) <= 2 else "multiclass"
    total = total_of(true)
    if true.dtype.kind == "i" and total > _EXACT:
        hits, true, predicted = (each.astype(object) for each in (hits, true, predicted))
    return ClassCounts(labels, hits, true, predicted, total, kind, is_weighted)


def _at(counts: ClassCounts, labels: NDArray[Any], where: NDArray[np.intp]) -> ClassCounts:
    hits, true, predicted = (
        np.append(values, 0)[where]  # -1 is the 0 at the end
        for values in (counts.hits, counts.true, counts.predicted)
    )
    return dataclasses.replace(counts, labels=labels, hits=hits, true=true, predicted=predicted)


def _sum(values: NDArray[Any]) -> NDArray[Any]:
    total = np.empty(1, dtype=values.dtype)
    total[0] = total_of(values)
    return total
