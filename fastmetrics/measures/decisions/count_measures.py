"""Measures that follow from a confusion matrix: values and derivatives.

All of them for a stack of matrices at once, so that thousands of replicates cost one call.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics.errors import InputError, InputTypeError, UndefinedMetricWarning, warn_user
from fastmetrics.measures.asking import find_among
from fastmetrics.measures.decisions._count_formulas import Tally, linear_sum, tally
from fastmetrics.measures.decisions._count_parameters import (
    FORMULAS,
    check_classes,
    checked_parameters,
    cost_coefficients,
    cost_exponent,
)
from fastmetrics.measures.decisions._dual import Array, Dual, Values
from fastmetrics.measures.decisions._matrix_input import of_matrix
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix
from fastmetrics.tables.confusion.confusion_stack import ConfusionMatrixStack

Floats = NDArray[np.float64]


def value(name: str, counts: ArrayLike, **params: Any) -> Floats:
    """Return the measure of each matrix of a stack; nan, without a warning, where it is undefined.

    ``counts`` (..., K, K) are trusted: finite and not negative. Those above 2**53 are rounded to
    double. O(K²) a matrix.

    >>> value("precision", [[[3, 1], [2, 4]], [[5, 0], [5, 0]]]).tolist()
    [0.8, nan]
    """
    return _Prepared(name, counts, params).value


def values(names: Iterable[str], counts: ArrayLike, params: Mapping[str, Any]) -> dict[str, Floats]:
    """Return several measures of each matrix of a stack, which is summed up once; see `value`.

    Each parameter goes to every measure that has it; one that none of them has is an error.

    >>> {k: v.item() for k, v in values(("recall", "npv"), [[3, 1], [2, 4]], {}).items()}
    {'recall': 0.6666666666666666, 'npv': 0.6}
    """
    counted = _float_stack(counts)
    measures = {name: find_among(name, "decisions") for name in names}
    for given in params:
        if not any(given in measure.parameters for measure in measures.values()):
            asked = ", ".join(map(repr, measures))
            raise InputTypeError(f"none of the measures {asked} has a parameter {given!r}")
    sums = tally(counted)
    found = {}
    for name, measure in measures.items():
        own = {given: params[given] for given in params if given in measure.parameters}
        prepared = _Prepared(name, counted, own)
        linear = linear_sum(counted, prepared.coefficients)
        found[name] = prepared.of_sums(sums._replace(linear=linear))
    return found


def value_of_sums(name: str, sums: Tally, **params: Any) -> float:
    """Return a measure of one matrix, by its canonical name, from its sums alone."""
    formula, _ = FORMULAS[name]
    with np.errstate(invalid="ignore"):
        return float(formula(sums, **params))


def gradient(name: str, counts: ArrayLike, **params: Any) -> Floats:
    """Return the derivative of the measure by each cell; takes and raises what `value` does.

    It is of shape (..., K, K), nan where the measure is undefined, inf where it is but has no
    derivative (the geometric mean at 0). By dual numbers through the formula, one pass for each of
    the 3K + 1 sums that it is made of: exact to rounding, O(K²) a matrix (Griewank & Walther 2008,
    Evaluating Derivatives, 2nd ed., chapter 3).

    >>> gradient("accuracy", [[2, 1], [0, 1]]).tolist()
    [[0.0625, -0.1875], [-0.1875, 0.0625]]
    """
    return _Prepared(name, counts, params).gradient()


def costs_of_rows(name: str, codes: NDArray[Any], called: NDArray[Any], **params: Any) -> Floats:
    """Return what each row costs, of a measure that is the mean of it: 1 an error, or by cell.

    ``codes`` and ``called`` are numbers of true and of predicted classes; parameters as `value`
    takes them.
    """
    if name != "cost":
        return np.asarray(codes != called, np.float64)
    costs = checked_parameters(name, find_among(name, "decisions"), params)
    n_classes = 2 if costs["cost_matrix"] is None else len(costs["cost_matrix"])
    cells = np.ldexp(cost_coefficients(n_classes, **costs), -cost_exponent(**costs))
    return np.asarray(cells[codes, called], np.float64)


@overload
def count_measure(matrices: ConfusionMatrix, metrics: str, **parameters: Any) -> float: ...


@overload
def count_measure(
    matrices: ConfusionMatrixStack, metrics: str, **parameters: Any
) -> NDArray[np.float64]: ...


def count_measure(
    matrices: ConfusionMatrix | ConfusionMatrixStack, metrics: str, **parameters: Any
) -> float | NDArray[np.float64]:
    """Compute a count measure, by its name, of a matrix or of each matrix of a stack.

    Parameters
    ----------
    matrices : ConfusionMatrix or ConfusionMatrixStack
        One matrix of K classes, of two the positive one last; or n of two classes.
    metrics : str
        "accuracy", "precision", "f1_macro", "specificity", "matthews_corrcoef", "cohen_kappa",
        "cost" ...: what `classification_measures` takes.
    **parameters
        Parameters of the measure: `zero_division`, `beta`, `weights`, `cost_matrix`, `cost_fn`,
        `cost_fp`.

    Returns
    -------
    float, or ndarray of shape (n,)
        The value of the matrix, or of each one of the stack; nan where it is undefined.

    Raises
    ------
    TypeError, ValueError
        If `matrices` are none, or the measure has not that name, parameter or number of classes.

    Warns
    -----
    UndefinedMetricWarning
        If a value is undefined: once, with the names of the matrices.

    Notes
    -----
    The strict form of each measure: 0/0 is nan. O(K²) a matrix, all matrices in one vectorised
    pass.

    Examples
    --------
    >>> from fastmetrics.streams import ConfusionMatrixStack
    >>> stack = ConfusionMatrixStack.from_counts([[[3, 1], [2, 4]], [[5, 0], [1, 2]]])
    >>> count_measure(stack, "precision")
    array([0.8, 1. ])
    >>> count_measure(stack.sum(), "precision")
    0.8571428571428571
    """
    names = None
    if isinstance(matrices, ConfusionMatrixStack):
        counts, names = matrices.counts, matrices.names
    elif isinstance(matrices, ConfusionMatrix):
        counts = of_matrix(matrices).counts
    else:
        raise InputTypeError(
            "`matrices` must be a ConfusionMatrix or a ConfusionMatrixStack: got "
            f"{type(matrices).__name__}"
        )
    values = value(metrics, counts, **parameters)
    undefined = np.isnan(values)
    if undefined.any():
        where = ""
        if names is not None:
            found = [own for own, is_nan in zip(names, undefined, strict=True) if is_nan]
            shown = ", ".join(map(repr, found[:5])) + (", ..." if len(found) > 5 else "")
            where = f" for {len(found):,} of {len(names):,} matrices: {shown}"
        warn_user(f"`{metrics}` is not defined{where}", UndefinedMetricWarning)
    return float(values) if names is None else values


def _float_stack(counts: ArrayLike) -> Floats:
    stack = np.asarray(counts, dtype=np.float64)
    if stack.ndim < 2 or stack.shape[-1] != stack.shape[-2]:
        raise InputError(f"`counts` must have shape (..., K, K): got {stack.shape}")
    return stack


class _Prepared:
    """A measure with checked parameters, before a stack of matrices of float64."""

    def __init__(self, name: str, counts: ArrayLike, params: Mapping[str, Any]) -> None:
        self.counts = _float_stack(counts)
        self.n_classes = self.counts.shape[-1]
        measure = find_among(name, "decisions")
        check_classes(name, measure, self.n_classes)
        self.params = checked_parameters(name, measure, params)
        self.formula, coefficients = FORMULAS[measure.name]
        self.coefficients = None
        if coefficients is not None:
            self.coefficients = coefficients(self.n_classes, **self.params)

    def of(self, counts: Array) -> Floats:
        return self.of_sums(tally(counts, self.coefficients))

    def of_sums(self, sums: Tally) -> Floats:
        return np.asarray(self._formula(sums), dtype=np.float64)

    def _formula(self, sums: Tally) -> Values:
        with np.errstate(invalid="ignore"):  # nan of an undefined class is passed on
            return self.formula(sums, **self.params)

    @property
    def value(self) -> Floats:
        return self.of(self.counts)

    def gradient(self) -> Floats:
        sums = tally(self.counts, self.coefficients)
        hits, misses, alarms = (self._slopes(sums, part) for part in ("hits", "misses", "alarms"))
        out = misses[..., :, np.newaxis] + alarms[..., np.newaxis, :]
        diagonal = np.arange(self.n_classes)
        out[..., diagonal, diagonal] = hits
        if self.coefficients is not None:
            slope = self._slope(sums, "linear", np.ones(sums.linear.shape))
            out += slope[..., np.newaxis, np.newaxis] * self.coefficients
        return np.asarray(out, dtype=np.float64)

    def _slopes(self, sums: Tally, part: str) -> Floats:
        """Return the derivatives by the hits, misses or alarms of each class."""
        found = np.empty(sums.hits.shape)
        for k in range(self.n_classes):
            direction = np.zeros(sums.hits.shape)
            direction[..., k] = 1.0
            found[..., k] = self._slope(sums, part, direction)
        return found

    def _slope(self, sums: Tally, part: str, direction: Floats) -> Floats:
        moved = sums._replace(**{part: Dual(getattr(sums, part), direction)})
        found = self._formula(moved)
        if isinstance(found, Dual):
            return np.where(np.isnan(found.value), np.nan, found.slope)
        return np.where(np.isnan(found), np.nan, 0.0)  # it does not take this sum
