"""Where the numbers of a metric must lie: one check for its function and for every entry point."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scores import check_unit_interval, refuse
from fastmetrics.errors import InputError


class Bound(NamedTuple):
    """The least number, which itself may be excluded; the greatest is not bounded."""

    least: float
    is_excluded: bool

    def check(self, numbers: NDArray[Any], name: str, metric: str) -> None:
        """Raise InputError for numbers below the bound, with the first index and the count."""
        rule = (
            f"must be greater than {self.least:g}" if self.is_excluded else "must not be negative"
        )
        outside = numbers <= self.least if self.is_excluded else numbers < self.least
        refuse(outside, name, f"{rule} for {metric}:", numbers)


class Domain(NamedTuple):
    """Where true values and predictions of a metric must lie, as its registry entry declares.

    Attributes
    ----------
    true, predicted : Bound or None
        Of numbers; None where any finite number will do.
    metric : str
        What messages call the metric.
    is_unit : bool
        Whether predictions are probabilities in [0, 1].
    sums_to_1 : bool
        Whether the probabilities of the classes sum to 1 in each row of a matrix.
    advice : str
        What ends the message of numbers outside [0, 1].
    """

    true: Bound | None = None
    predicted: Bound | None = None
    metric: str = ""
    is_unit: bool = False
    sums_to_1: bool = False
    advice: str = ""

    def check_true(self, numbers: NDArray[Any], name: str = "y_true") -> None:
        """Raise InputError for true values outside the domain."""
        if self.true is not None:
            self.true.check(numbers, name, self.metric)

    def check_predicted(self, numbers: NDArray[Any], name: str) -> None:
        """Raise InputError for predictions outside the domain."""
        if self.predicted is not None:
            self.predicted.check(numbers, name, self.metric)
        if self.is_unit:
            check_unit_interval(numbers, name, self.advice)
        if self.sums_to_1 and numbers.ndim == 2:
            check_sums(numbers, name)


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
#: Probabilities that are judged as such.
OF_CALIBRATION: Final = Domain(
    is_unit=True, advice="; scores are no probabilities before they are calibrated"
)
#: Scores of several classes, which scikit-learn's `roc_auc_score` takes if they sum to 1.
SHARES: Final = Domain(sums_to_1=True)
_ABOVE_0: Final = Bound(0.0, True)
_ABOVE_MINUS_1: Final = Bound(-1.0, True)
LOGARITHMS: Final = Domain(_ABOVE_MINUS_1, _ABOVE_MINUS_1, "the squared logarithmic error")


def of_power(power: float) -> Domain:
    """Return the domain of a Tweedie deviance; of power 0, the squared error, any number."""
    if power == 0:
        return ANYWHERE
    true = _ABOVE_0 if power >= 2 else Bound(0.0, False) if power >= 1 else None
    return Domain(true, _ABOVE_0, f"the Tweedie deviance of power {power:g}")
