"""Metrics of confusion matrices: values and derivatives.

Stacks of matrices are computed at once, so that thousands of replicates take one call.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sized
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics.errors import InputError, InputTypeError, UndefinedMetricWarning, warn_user
from fastmetrics.metrics.asking import find_among
from fastmetrics.metrics.decisions._count_formulas import (
    FORMULAS,
    Array,
    Dual,
    Tally,
    Values,
    check_classes,
    checked_parameters,
    cost_coefficients,
    cost_exponent,
    tally,
)
from fastmetrics.tables.confusion._label_counts import (
    Cells,
    Margins,
    Refusal,
    cells_of_plain,
    complete_pair,
    label_cells,
    label_counts,
    label_matrix,
)
from fastmetrics.tables.confusion._matrix_state import checked_labels
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix

#: Shared docstring of metrics of any number of classes.
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

#: Shared docstring of metrics that warn where they are nan.
NAN: Final = """
Warns
-----
UndefinedMetricWarning
    If the value is nan.
"""

#: Products of four counts below 2**200 do not overflow.
_SAFE = 200

#: Pairs of labels whose greater one is positive without `pos_label`.
_PLAIN = ({0, 1}, {-1, 1})


class FourCells(NamedTuple):
    """The cells of two classes as floats, by the names that formulas of two classes use."""

    tn: float
    fp: float
    fn: float
    tp: float


#: The labels of K classes, and their sums for formulas.
ClassSums = tuple[tuple[Any, ...], Tally]


def read_matrix(matrix: ConfusionMatrix, **given: Any) -> Cells:
    """Return the cells of a matrix; raise if other arguments come with it."""
    for name, value in given.items():
        if value is not None:
            raise InputTypeError(f"a ConfusionMatrix comes without `{name}`: it is counted already")
    return Cells.of(matrix)


def drop_in_counts(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, name: str = "y_pred"
) -> Cells:
    """Return the counts of every label that occurs, by scikit-learn's rules.

    ``name`` is the function's parameter of the predictions.
    """
    if isinstance(y_true, ConfusionMatrix):
        return read_matrix(y_true, **{name: y_pred, "sample_weight": sample_weight})
    check_both(y_pred, name)
    cells = label_matrix(y_true, y_pred, sample_weight=sample_weight)
    if cells.counts.dtype.kind == "f" and cells.counts.any():
        exponent = int(np.frexp(cells.counts.max())[1])
        if abs(exponent) > _SAFE:  # so that products of sums are finite
            return cells._replace(counts=np.ldexp(cells.counts, -exponent))
    return cells


def drop_in_sums(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, name: str = "y_pred"
) -> ClassSums:
    """Return the sums of the counts of `drop_in_counts`, of plain rows without a matrix."""
    if isinstance(y_true, ConfusionMatrix) or sample_weight is not None:
        cells = drop_in_counts(y_true, y_pred, sample_weight=sample_weight, name=name)
        return cells.labels, tally(cells.counts.astype(np.float64))
    check_both(y_pred, name)
    labels, margins, _ = label_counts(y_true, y_pred)
    return _tally_margins(labels, margins)


def _tally_margins(labels: NDArray[Any], margins: Margins) -> ClassSums:
    """Return the sums of counted margins, integers whose differences are exact."""
    hits, true, predicted = (np.ascontiguousarray(each, dtype=np.float64) for each in margins)
    return tuple(labels.tolist()), Tally(hits, true - hits, predicted - hits, np.zeros(()))


def select_cells(cells: Cells, labels: Any, y_true: Any, y_pred: Any, name: str) -> Cells:
    """Return the counts of the given labels, in their order; 0 for absent ones.

    Raise if ``y_true``, a parameter ``name``, has none of them, not even with weight 0.
    """
    selected = checked_labels(labels)
    rows = [k for k, label in enumerate(cells.labels) if label in selected]
    is_empty = not isinstance(y_true, ConfusionMatrix) and not cells.counts[rows].any()
    if is_empty and not drop_in_counts(y_true, y_pred).counts[rows].any():
        raise InputError(f"at least one of `labels` must be present in `{name}`: got {selected}")
    return cells.arrange(selected)


def warn_single_label(labels: Sized) -> None:
    """Warn of a single label, with scikit-learn's message for warning filters."""
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

    ``labels`` gives the classes and their order; other labels raise. ``more_than_two`` makes the
    error for more than two classes, which are then not counted.
    """
    if isinstance(y_true, ConfusionMatrix):
        return read_matrix(y_true, y_pred=y_pred, labels=labels, sample_weight=sample_weight)
    check_both(y_pred)
    if labels is None and sample_weight is None:
        plain = cells_of_plain(y_true, y_pred)
        if plain is not None:
            return Cells(np.array(plain).reshape(2, 2), (0, 1))
    known = None if labels is None else checked_labels(labels)
    cells = label_cells(y_true, y_pred, known, sample_weight, more_than_two=more_than_two)
    return cells if known is not None else complete_pair(cells)


def strict_sums(
    y_true: Any, y_pred: Any, *, labels: Any = None, sample_weight: Any = None
) -> ClassSums:
    """Return the sums of the counts of `strict_counts`, of plain rows without a matrix."""
    if not isinstance(y_true, ConfusionMatrix) and labels is None and sample_weight is None:
        check_both(y_pred)
        known, margins, _ = label_counts(y_true, y_pred)
        if len(known) > 1:  # one may be half of a known pair
            return _tally_margins(known, margins)
    counted = strict_counts(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    return counted.labels, tally(counted.counts.astype(np.float64))


def binary_counts(
    y_true: Any, y_pred: Any, *, pos_label: Any = None, sample_weight: Any = None
) -> Cells:
    """Return the counts of two classes, the positive one last, by the strict rule."""
    refusal = partial(_not_two, pos_label)
    cells = strict_counts(y_true, y_pred, sample_weight=sample_weight, more_than_two=refusal)
    return order_binary(cells, pos_label, known=isinstance(y_true, ConfusionMatrix))


def four_cells(
    y_true: Any, y_pred: Any, *, pos_label: Any = None, sample_weight: Any = None
) -> FourCells:
    """Return the counts of `binary_counts` as four floats."""
    if pos_label is None and sample_weight is None:
        plain = cells_of_plain(y_true, y_pred)
        if plain is not None:
            return FourCells(*map(float, plain))
    cells = binary_counts(y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight)
    return FourCells(*cells.counts.astype(np.float64).ravel().tolist())


def order_binary(cells: Cells, pos_label: Any, *, known: bool) -> Cells:
    """Return the counts with the positive class last; raise unless there are two classes.

    With ``known`` the order of the labels was given: the last one is positive.
    """
    if pos_label is not None:
        return put_positive_last(cells, pos_label, known=known)
    if not knows_positive(cells, known=known):
        raise _not_two(None, cells.labels)
    return cells


def knows_positive(cells: Cells, *, known: bool) -> bool:
    """Return True for two classes of which the last is known to be positive."""
    return len(cells.labels) == 2 and (known or set(cells.labels) in _PLAIN)


def check_both(y_pred: Any, name: str = "y_pred") -> None:
    """Raise if labels come without predictions."""
    if y_pred is None:
        raise InputTypeError(f"`{name}` is missing: only a ConfusionMatrix comes alone")


def warn_if_nan(value: Any, reason: str) -> float:
    """Return a value as a float; nan with a warning that gives the reason."""
    number = float(value)
    if math.isnan(number):
        warn_user(reason, UndefinedMetricWarning)
    return number


def _not_two(pos_label: Any, labels: tuple[Any, ...]) -> InputError:
    """Return the error where two classes, one of them positive, are needed."""
    listed = ", ".join(map(repr, labels[:8])) + (", ..." if len(labels) > 8 else "")
    if pos_label is not None:
        return InputError(
            f"`pos_label` is for two classes, and there are {len(labels):,}: for one against "
            "the rest see multilabel_confusion_matrix"
        )
    if len(labels) > 2:
        return InputError(
            f"this metric is for two classes, and there are {len(labels):,}, {{{listed}}}: for one "
            "against the rest see multilabel_confusion_matrix"
        )
    return InputError(
        f"labels take their values in {{{listed}}}: pass `pos_label`, or labels in {{0, 1}} or "
        "{-1, 1}"
    )


def put_positive_last(cells: Cells, pos_label: Any, *, known: bool) -> Cells:
    """Return the counts of two classes with ``pos_label`` last; see `order_binary`."""
    if isinstance(pos_label, np.generic):
        pos_label = pos_label.item()
    if len(cells.labels) == 2 and pos_label in cells.labels:
        return cells if cells.labels[1] == pos_label else cells.reversed()
    if len(cells.labels) > 2:
        raise _not_two(pos_label, cells.labels)
    seen = np.flatnonzero(cells.counts.any(axis=0) | cells.counts.any(axis=1)).tolist()
    if known or len(seen) != 1:
        raise InputError(f"`pos_label`={pos_label!r} is not a label: they are {cells.labels}")
    # One class has all examples; the other one is added.
    label = cells.labels[seen[0]]
    is_positive = label == pos_label
    counts = np.zeros((2, 2), dtype=cells.counts.dtype)
    counts[int(is_positive), int(is_positive)] = cells.counts[seen[0], seen[0]]
    labels = (None, label) if is_positive else (label, pos_label)
    return Cells(counts, labels, cells.exponent)


Floats = NDArray[np.float64]


def value(name: str, counts: ArrayLike, **params: Any) -> Floats:
    """Return the metric of each matrix of a stack; nan, without a warning, where it is undefined.

    ``counts`` (..., K, K) are trusted: finite and not negative. Those above 2**53 are rounded to
    double. O(K²) a matrix.

    >>> value("precision", [[[3, 1], [2, 4]], [[5, 0], [5, 0]]]).tolist()
    [0.8, nan]
    """
    stack, formula, coefficients = prepare(name, counts, params)
    return np.asarray(formula(tally(stack, coefficients)), dtype=np.float64)


def evaluate_sums(name: str, sums: Tally, **params: Any) -> float:
    """Return a metric of one matrix, by its canonical name, from its sums alone."""
    formula, _ = FORMULAS[name]
    with np.errstate(invalid="ignore"):
        return float(formula(sums, **params))


def gradient(name: str, counts: ArrayLike, **params: Any) -> Floats:
    """Return the derivative of the metric by each cell; takes and raises what `value` does.

    It has shape (..., K, K): nan where the metric is undefined, inf where it has no derivative
    (the geometric mean at 0). Dual numbers go through the formula, one pass for each of its 3K + 1
    sums: exact to rounding, O(K²) a matrix (Griewank & Walther 2008, Evaluating Derivatives, 2nd
    ed., chapter 3).

    >>> gradient("accuracy", [[2, 1], [0, 1]]).tolist()
    [[0.0625, -0.1875], [-0.1875, 0.0625]]
    """
    stack, formula, coefficients = prepare(name, counts, params)
    sums = tally(stack, coefficients)

    def slope(kind: str, direction: Floats) -> Floats:
        result = formula(sums._replace(**{kind: Dual(getattr(sums, kind), direction)}))
        if isinstance(result, Dual):
            return np.where(np.isnan(result.value), np.nan, result.slope)
        return np.where(np.isnan(result), np.nan, 0.0)  # the formula does not use this sum

    def slopes(kind: str) -> Floats:
        """Return the derivatives by the hits, misses or alarms of each class."""
        by_class = np.empty(sums.hits.shape)
        for k in range(by_class.shape[-1]):
            direction = np.zeros(by_class.shape)
            direction[..., k] = 1.0
            by_class[..., k] = slope(kind, direction)
        return by_class

    out = slopes("misses")[..., :, np.newaxis] + slopes("alarms")[..., np.newaxis, :]
    diagonal = np.arange(out.shape[-1])
    out[..., diagonal, diagonal] = slopes("hits")
    if coefficients is not None:
        by_sum = slope("linear", np.ones(sums.linear.shape))
        out += by_sum[..., np.newaxis, np.newaxis] * coefficients
    return np.asarray(out, dtype=np.float64)


def row_costs(name: str, codes: NDArray[Any], called: NDArray[Any], **params: Any) -> Floats:
    """Return the loss of each row for a metric that is its mean: 1 for an error, or its cost.

    ``codes`` and ``called`` are codes of true and of predicted classes; parameters are those of
    `value`.
    """
    if name != "cost":
        return np.asarray(codes != called, np.float64)
    costs = checked_parameters(name, find_among(name, "decisions"), params)
    n_classes = 2 if costs["cost_matrix"] is None else len(costs["cost_matrix"])
    cells = np.ldexp(cost_coefficients(n_classes, **costs), -cost_exponent(**costs))
    return np.asarray(cells[codes, called], np.float64)


def count_metric(matrix: ConfusionMatrix, metrics: str, **parameters: Any) -> float:
    """Compute a count metric, by its name, of a matrix.

    Parameters
    ----------
    matrix : ConfusionMatrix
        Of K classes, of two the positive one last.
    metrics : str
        "accuracy", "precision", "f1_macro", "specificity", "matthews_corrcoef", "cohen_kappa",
        "cost" ...: what `classification_metrics` takes.
    **parameters
        Parameters of the metric: `zero_division`, `beta`, `weights`, `cost_matrix`, `cost_fn`,
        `cost_fp`.

    Returns
    -------
    float
        The value; nan where it is undefined.

    Raises
    ------
    TypeError, ValueError
        If `matrix` is none, or the metric has not that name, parameter or number of classes.

    Warns
    -----
    UndefinedMetricWarning
        If the value is undefined.

    Notes
    -----
    The strict form of each metric: 0/0 is nan. O(K²).

    Examples
    --------
    >>> from fastmetrics import ConfusionMatrix
    >>> count_metric(ConfusionMatrix.from_counts([[3, 1], [2, 4]]), "precision")
    0.8
    """
    if not isinstance(matrix, ConfusionMatrix):
        raise InputTypeError(f"`matrix` must be a ConfusionMatrix: got {type(matrix).__name__}")
    result = float(value(metrics, read_matrix(matrix).counts, **parameters))
    if math.isnan(result):
        warn_user(f"`{metrics}` is not defined", UndefinedMetricWarning)
    return result


def prepare(
    name: str, counts: ArrayLike, params: Mapping[str, Any]
) -> tuple[Floats, Callable[[Tally], Values], Array | None]:
    """Return a stack of matrices, the formula with checked parameters, and its coefficients."""
    stack = np.asarray(counts, dtype=np.float64)
    if stack.ndim < 2 or stack.shape[-1] != stack.shape[-2]:
        raise InputError(f"`counts` must have shape (..., K, K): got {stack.shape}")
    n_classes = stack.shape[-1]
    metric = find_among(name, "decisions")
    check_classes(name, metric, n_classes)
    given = checked_parameters(name, metric, params)
    function, coefficients = FORMULAS[metric.name]

    def formula(sums: Tally) -> Values:
        with np.errstate(invalid="ignore"):  # the nan of an undefined class propagates
            return function(sums, **given)

    return stack, formula, None if coefficients is None else coefficients(n_classes, **given)
