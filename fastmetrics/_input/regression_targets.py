"""Regression targets: finite real numbers of shape (n,) or (n, k), of one shape on both sides."""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.containers import as_array
from fastmetrics._input.domains import Domain
from fastmetrics._input.scalars import check_choice, check_same_length
from fastmetrics._input.scores import check_finite, dtype_fault, real_numbers
from fastmetrics._input.weights import check_weights
from fastmetrics.errors import InputError, InputTypeError

Floats = NDArray[np.float64]

_CANONICAL: Final = frozenset(map(np.dtype, (np.float32, np.float64)))
_NONE: Final = np.empty(0)
#: Exponents beyond which sums of squares may leave the range of float64.
_FAR: Final = 400


class RegressionRows(NamedTuple):
    """Rows of a regression problem, of one or more outputs.

    Kind, shape and weights are verified. That the numbers are finite, and lie where a measure is
    defined, is seen by the pass that adds up the errors; what it finds comes back to `recheck`.
    ``is_canonical`` says whether a piece can be read in place: both float64 or both float32.
    """

    y_true: NDArray[Any]
    y_pred: NDArray[Any]
    weights: Floats | None
    weight_exponent: int
    is_canonical: bool

    @property
    def n_samples(self) -> int:
        """The number of rows."""
        return len(self.y_true)

    @property
    def n_outputs(self) -> int:
        """The number of outputs: 1 for vectors."""
        return 1 if self.y_true.ndim == 1 else int(self.y_true.shape[1])

    def with_constant(self, values: Floats) -> RegressionRows:
        """Return the rows with one prediction for all of them, a number for each output."""
        constant = np.broadcast_to(
            values if self.y_true.ndim == 2 else values[0], self.y_true.shape
        )
        return self._replace(y_pred=constant, is_canonical=False)

    def scaled(self, exponent: int) -> RegressionRows:
        """Return the rows with all numbers multiplied by a power of two."""
        true, pred = (np.ldexp(_as_float64(each), exponent) for each in (self.y_true, self.y_pred))
        return self._replace(y_true=true, y_pred=pred, is_canonical=True)

    def piece(self, first: int, last: int) -> tuple[NDArray[Any], NDArray[Any], Floats]:
        """Return the rows from ``first`` to ``last``, flat, with their weights (none: empty)."""
        y_true, y_pred = self.y_true[first:last], self.y_pred[first:last]
        if not self.is_canonical:
            y_true, y_pred = _as_float64(y_true), _as_float64(y_pred)
        weights = _NONE if self.weights is None else self.weights[first:last]
        return y_true.reshape(-1), y_pred.reshape(-1), weights

    def recheck(self) -> None:
        """Raise for what is not finite, naming the argument, the count and the first index."""
        check_finite(self.y_true, "y_true")
        check_finite(self.y_pred, "y_pred")

    def recheck_domain(self, domain: Domain) -> None:
        """Raise for targets or predictions outside a metric's domain."""
        domain.check_true(self.y_true)
        domain.check_predicted(self.y_pred, "y_pred")


def exponent_of(*columns: NDArray[Any]) -> int:
    """Return the power of two that scales columns so that their squares keep their digits.

    It is 0 where they do already: unless the largest number is below 2**-400 or above 2**400.
    """
    largest = max(max(float(each.max()), -float(each.min())) for each in columns)
    exponent = math.frexp(largest)[1]
    return -exponent if abs(exponent) > _FAR else 0


def check_regression(y_true: Any, y_pred: Any, sample_weight: Any = None) -> RegressionRows:
    """Return the rows of a regression problem, kind, shape and weights verified.

    They are the very arrays where these hold real numbers already; (n, 1) is the same as (n,).
    """
    true, pred = _targets(y_true, "y_true"), _targets(y_pred, "y_pred")
    if true.shape != pred.shape:
        check_same_length(y_true=true, y_pred=pred)
        raise InputError(
            "`y_true` and `y_pred` must have as many outputs each: shapes "
            f"{true.shape} and {pred.shape}"
        )
    weights, exponent = None, 0
    if sample_weight is not None:
        weights, _, exponent = check_weights(sample_weight, len(true))
    is_canonical = true.dtype == pred.dtype and true.dtype in _CANONICAL
    for flags in (true.flags, pred.flags):
        is_canonical &= flags.c_contiguous and flags.aligned
    return RegressionRows(true, pred, weights, exponent, is_canonical)


def check_multioutput(
    multioutput: Any, options: tuple[str | None, ...], n_outputs: int
) -> str | Floats | None:
    """Return a way to average over outputs: one of ``options``, or a weight for each output."""
    if type(multioutput) is str and multioutput in options:
        return multioutput
    if multioutput is None or isinstance(multioutput, str):
        named: str | None = check_choice("multioutput", multioutput, options)
        return named
    array = as_array(multioutput, "multioutput")
    if array.ndim != 1 or len(array) != n_outputs:
        raise InputError(
            f"`multioutput` must have a weight for each of the {n_outputs} outputs: "
            f"got shape {array.shape}"
        )
    if n_outputs == 1:
        raise InputError("`multioutput` must be a name where there is one output: got weights")
    if array.dtype.kind not in "iubf":
        raise InputTypeError(
            f"`multioutput` must hold real numbers: got {dtype_fault(array.dtype)}"
        )
    weights: Floats = array.astype(np.float64)
    check_finite(weights, "multioutput")
    if weights.sum() == 0.0:
        raise InputError("`multioutput` must not sum to zero")
    return weights


def _targets(values: Any, name: str) -> NDArray[Any]:
    array: NDArray[Any] = values
    is_plain = type(values) is np.ndarray and values.ndim == 1 and values.dtype.kind in "fiub"
    if is_plain and len(values) > 0:
        return array
    array = as_array(values, name)
    if array.ndim == 0:
        raise InputTypeError(f"`{name}` must be an array of shape (n,) or (n, k): got a scalar")
    if array.ndim > 2:
        raise InputError(f"`{name}` must have shape (n,) or (n, k): got {array.shape}")
    if array.size == 0:
        raise InputError(f"`{name}` is empty: shape {array.shape}, at least one row is needed")
    array = real_numbers(array, name)
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


def _as_float64(array: NDArray[Any]) -> Floats:
    with np.errstate(over="ignore"):  # a longdouble beyond float64: the pass finds an infinity
        return np.require(array, np.float64, ["C", "A"])
