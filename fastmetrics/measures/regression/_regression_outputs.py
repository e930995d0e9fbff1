"""From the values of each output to what is returned: one number, or all of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics.errors import UndefinedMetricWarning, warn_user

Floats = NDArray[np.float64]


class Outputs(NamedTuple):
    """A value for each output, and for scores what "variance_weighted" weighs them by."""

    values: Floats
    spread: Floats | None = None


def errors_of(name: str, values: Floats) -> Outputs:
    """Return errors, having warned of those that are too large for a double."""
    if not np.isfinite(values).all():
        warn_user(f"{name} exceeds the range of float64", UndefinedMetricWarning)
        values = np.where(np.isfinite(values), values, np.inf)
    return Outputs(values)


def explained(name: str, loss: Floats, spread: Floats, force_finite: bool) -> Outputs:
    """Return one less the ratio of a loss to that of the best constant.

    Where the constant has no loss the ratio is undefined: with ``force_finite`` a perfect
    prediction then scores 1 and any other 0, without it nan and -inf.
    """
    if not (np.isfinite(loss).all() and np.isfinite(spread).all()):
        warn_user(f"{name} exceeds the range of float64 on the way", UndefinedMetricWarning)
    is_constant = spread == 0
    with np.errstate(all="ignore"):
        values = 1.0 - loss / spread
    if force_finite:
        values = np.where(is_constant, np.where(loss == 0, 1.0, 0.0), values)
    elif is_constant.any():
        text = f"{name} is not defined for constant targets: set to nan, or -inf"
        warn_user(text, UndefinedMetricWarning)
    return Outputs(values, spread)


def averaged(outputs: Outputs, multioutput: str | Floats | None) -> float | Floats:
    """Return all values, or their mean under the weights asked for."""
    if isinstance(multioutput, str) and multioutput == "raw_values":
        return outputs.values
    weights = None if isinstance(multioutput, str) else multioutput
    if isinstance(multioutput, str) and multioutput == "variance_weighted":
        spread = outputs.spread
        weights = spread if spread is not None and spread.any() else None
    with np.errstate(all="ignore"):
        return float(np.average(outputs.values, weights=weights))
