"""Regression targets, censored times, and the domains that numbers of a metric must lie in."""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.containers import as_array, as_vector
from fastmetrics._input.scalars import check_choice, check_same_length
from fastmetrics._input.scores import (
    check_finite,
    check_scores_array,
    check_unit_interval,
    check_weights,
    dtype_fault,
    real_numbers,
    refuse,
)
from fastmetrics.errors import InputError, InputTypeError, renamed

# --- domains: one check for a metric and for every entry point -----------------------------------


#: The least number, and whether it is excluded itself.
_Bound = tuple[float, bool]


class Domain(NamedTuple):
    """Where true values and predictions of a metric must lie, as its registry entry declares.

    Attributes
    ----------
    true, predicted : (float, bool) or None
        The least number, and whether it is excluded itself; None where any finite number will do.
    metric : str
        What messages call the metric.
    is_unit : bool
        Whether predictions are probabilities in [0, 1].
    sums_to_1 : bool
        Whether the probabilities of the classes sum to 1 in each row of a matrix.
    advice : str
        What ends the message of numbers outside [0, 1].
    """

    true: _Bound | None = None
    predicted: _Bound | None = None
    metric: str = ""
    is_unit: bool = False
    sums_to_1: bool = False
    advice: str = ""

    def check_true(self, numbers: NDArray[Any]) -> None:
        """Raise InputError for true values outside the domain."""
        self._check_bound(self.true, numbers, "y_true")

    def check_predicted(self, numbers: NDArray[Any], name: str) -> None:
        """Raise InputError for predictions outside the domain."""
        self._check_bound(self.predicted, numbers, name)
        if self.is_unit:
            check_unit_interval(numbers, name, self.advice)
        if self.sums_to_1 and numbers.ndim == 2:
            check_sums(numbers, name)

    def _check_bound(self, bound: _Bound | None, numbers: NDArray[Any], name: str) -> None:
        if bound is None:
            return
        least, is_excluded = bound
        rule = f"must be greater than {least:g}" if is_excluded else "must not be negative"
        outside = numbers <= least if is_excluded else numbers < least
        refuse(outside, name, f"{rule} for {self.metric}:", numbers)


def check_sums(matrix: NDArray[Any], name: str) -> None:
    """Raise InputError with the first row whose probabilities do not sum to 1."""
    sums = matrix.sum(axis=1)
    is_off = ~np.isclose(1, sums)
    if is_off.any():
        row = int(np.argmax(is_off))
        raise InputError(
            f"`{name}` must hold probabilities: row {row} adds up to {sums[row]:g}, not to 1"
        )


ANYWHERE: Final = Domain()
#: Probabilities, of one class or of all.
PROBABILITIES: Final = Domain(is_unit=True, sums_to_1=True)
#: Probabilities whose quality a metric measures.
OF_CALIBRATION: Final = Domain(
    is_unit=True, advice="; scores are no probabilities before they are calibrated"
)
#: Scores of several classes, which scikit-learn's `roc_auc_score` takes if they sum to 1.
SHARES: Final = Domain(sums_to_1=True)
LOGARITHMS: Final = Domain((-1.0, True), (-1.0, True), "the squared logarithmic error")


def power_domain(power: float) -> Domain:
    """Return the domain of a Tweedie deviance; of power 0, the squared error, any number."""
    if power == 0:
        return ANYWHERE
    true = (0.0, power >= 2) if power >= 1 else None
    return Domain(true, (0.0, True), f"the Tweedie deviance of power {power:g}")


# --- times until an event, some of which are censored --------------------------------------------


#: What functions of censored times take.
CENSORED: Final = """
Parameters
----------
time : array-like of shape (n_samples,)
    Until the event, or until a row was last seen without it; finite, not negative.
event : array-like of shape (n_samples,)
    Whether the time is that of an event (1, True), or censored (0, False).
"""


#: Further parameters of functions that weigh by the proportion not censored.
CENSORING: Final = """
Parameters
----------
censoring : (time, event), optional
    Times and events of other rows, as of the training data, whose share that is not censored is to
    be taken, as scikit-survival takes that of its `survival_train`; that of these rows unless
    given. Intervals take it as known.
"""


class CensoredTimes(NamedTuple):
    """Times, and whether each is that of an event."""

    times: NDArray[Any]
    is_event: NDArray[np.bool_]


def check_censored(time: Any, event: Any) -> CensoredTimes:
    """Return times and events of equal length, fully verified."""
    times = check_scores_array(time, "time")
    given = as_vector(event, "event")
    rule = "must hold 0 (censored) and 1 (an event)"
    if given.dtype.kind not in "biuf":
        raise InputTypeError(f"`event` {rule}, or booleans: got dtype {given.dtype}")
    is_event = given == 1
    refuse(~is_event & (given != 0), "event", f"{rule}: got", given)
    check_same_length(time=times, event=is_event)
    refuse(times < 0, "time", "must not be negative:", times)
    return CensoredTimes(times, is_event)


def check_censoring(censoring: Any) -> CensoredTimes | None:
    """Return the times and events of other rows, if there are any."""
    if censoring is None:
        return None
    if not isinstance(censoring, tuple | list) or len(censoring) != 2:
        raise InputTypeError(
            f"`censoring` must be a pair (time, event): got {type(censoring).__name__}"
        )
    with renamed(time="censoring[0]", event="censoring[1]"):
        return check_censored(*censoring)


Floats = NDArray[np.float64]

_CANONICAL: Final = frozenset(map(np.dtype, (np.float32, np.float64)))
_NONE: Final = np.empty(0)
#: Exponents beyond which sums of squares may leave the range of float64.
_FAR: Final = 400


class RegressionRows(NamedTuple):
    """Rows of a regression problem, of one or more outputs.

    Kind, shape and weights are verified. The pass that adds up the errors checks that the numbers
    are finite and in the domain of the metric; `recheck` then raises.
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
        """Raise for numbers that are not finite, naming the argument, the count and first index."""
        check_finite(self.y_true, "y_true")
        check_finite(self.y_pred, "y_pred")

    def recheck_domain(self, domain: Domain) -> None:
        """Raise for targets or predictions outside a metric's domain."""
        domain.check_true(self.y_true)
        domain.check_predicted(self.y_pred, "y_pred")


def scaling_exponent(*columns: NDArray[Any]) -> int:
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
    weights = None
    exponent = 0
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
