"""What a mistake costs: one number for all rows, or one for each; finite, not negative."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.containers import as_vector
from fastmetrics._input.scalars import check_fraction
from fastmetrics._input.scores import check_scores_array, real_numbers, refuse
from fastmetrics.errors import InputError, InputTypeError

#: Costs of this size or more leave no room for sums of them.
_TOO_LARGE = 2.0**500

Cost = int | float
Costs = Cost | NDArray[Any]


def check_costs(name: str, costs: Any) -> Costs:
    """Return a number, or a vector of integers or doubles, none of them negative.

    Integers stay integers, so that sums of cents are exact.
    """
    if costs is None or isinstance(costs, str | bool | np.bool_):
        raise InputTypeError(f"`{name}` must be a number, or one for each row: got {costs!r}")
    if isinstance(costs, numbers.Real):
        number = check_fraction(name, costs, high=math.inf, include_low=True)
        if number >= _TOO_LARGE:
            raise InputError(f"`{name}` must be below {_TOO_LARGE:.2g}: got {costs!r}")
        is_whole = isinstance(costs, numbers.Integral) and number < 2.0**53
        return int(number) if is_whole else number
    array = real_numbers(as_vector(costs, name), name, "iuf")
    values = array.astype(np.float64)
    refuse(np.isnan(values), name, "must be finite: nan")
    refuse(np.isinf(values), name, "must be finite: inf")
    refuse(values < 0, name, "must not be negative:", values)
    refuse(values >= _TOO_LARGE, name, f"must be below {_TOO_LARGE:.2g}:", values)
    if array.dtype.kind in "iu" and float(values.max()) * len(values) < 2.0**53:
        return array.astype(np.int64)
    return values


def check_prevalence(prevalence: Any) -> float | None:
    """Return a share of positives strictly between 0 and 1, or None for that of the data."""
    return None if prevalence is None else check_fraction("prevalence", prevalence)


def lengths_agree(name: str, costs: Costs, n: int) -> None:
    """Raise unless there is one cost, or one for each of ``n`` rows."""
    if isinstance(costs, np.ndarray) and len(costs) != n:
        raise InputError(f"`{name}` has {len(costs):,} rows, `y_true` {n:,}: lengths differ")


def check_threshold_grid(thresholds: Any) -> NDArray[np.float64]:
    """Return the threshold probabilities, rising inside (0, 1), or raise."""
    if thresholds is None:
        return np.arange(1, 100) / 100.0
    grid = check_scores_array(thresholds, "thresholds").astype(np.float64)
    for what, bad in (
        ("lie in (0, 1)", (grid <= 0) | (grid >= 1)),
        ("rise", np.diff(grid, prepend=-1.0) <= 0),
    ):
        if bad.any():
            at = int(np.argmax(bad))
            raise InputError(f"`thresholds` must {what}: got {grid[at].item()!r} at index {at}")
    return grid
