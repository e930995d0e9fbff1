"""Paired numbers of two models and their differences, parsed once."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.containers import as_array
from fastmetrics._input.scores import canonical_scores, check_finite
from fastmetrics.errors import InputError

_ULPS: Final = 4.0

#: What tests of paired numbers take, and what they refuse.
PAIRED: Final = """
Parameters
----------
errors_a, errors_b : array-like of shape (n,)
    The error of each model on each data set or example. Without `errors_b`, `errors_a` holds the
    differences, A less B.
alternative : {"two-sided", "less", "greater"}, default="two-sided"
    Whether the mean of A less B is other than, below or above 0.

Raises
------
TypeError
    If the numbers are no real numbers.
ValueError
    If a shape is wrong, a number is missing or infinite, or an option is out of range.
"""


class Differences(NamedTuple):
    """Differences of two models, as float64, and how far rounding may have moved each.

    0.3 - 0.2 and 0.4 - 0.3 are different doubles: differences that are as near to one another as
    the rounding of the numbers behind them are taken as equal.
    """

    values: NDArray[np.float64]
    rounding: float


class RankedDifferences(NamedTuple):
    """Differences, and the rounding of each: where they are ranked, small beside large ones count.

    A difference no larger than its rounding is 0.
    """

    values: NDArray[np.float64]
    roundings: NDArray[np.float64]


def check_numbers(values: Any, name: str, *dimensions: int) -> NDArray[np.float64]:
    """Return finite real numbers of 1 dimension, or of one of those given, as float64."""
    array = as_array(values, name)
    if array.ndim not in (dimensions or (1,)):
        wanted = " or ".join(f"{d}-dimensional" for d in dimensions or (1,))
        raise InputError(f"`{name}` must be {wanted}: got shape {array.shape}")
    if array.size == 0:
        raise InputError(f"`{name}` is empty: shape {array.shape}")
    numbers = canonical_scores(array, name)
    check_finite(numbers, name)
    return numbers.astype(np.float64, copy=False)


def check_differences(first: Any, second: Any, name: str, *dimensions: int) -> Differences:
    """Return first less second; ``first`` are the differences themselves if ``second`` is None.

    ``name`` is what the parameters are called, followed by _a and _b.
    """
    a = check_numbers(first, f"{name}_a", *dimensions)
    size = float(np.abs(a).max())
    if second is None:
        return Differences(a, _ULPS * np.finfo(np.float64).eps * size)
    b = check_numbers(second, f"{name}_b", *dimensions)
    if a.shape != b.shape:
        raise InputError(
            f"`{name}_a` and `{name}_b` must have one shape: got {a.shape} and {b.shape}"
        )
    with np.errstate(over="ignore"):
        values = a - b
    check_finite(values, f"{name}_a - {name}_b")
    size = max(size, float(np.abs(b).max()))
    return Differences(values, _ULPS * np.finfo(np.float64).eps * size)


def check_ranked_differences(first: Any, second: Any, name: str) -> RankedDifferences:
    """Return what `check_differences` does for vectors, with the rounding of each difference."""
    values = check_differences(first, second, name).values
    if second is None:
        return RankedDifferences(values, _ULPS * np.finfo(np.float64).eps * np.abs(values))
    sizes = [np.abs(check_numbers(one, name)) for one in (first, second)]
    roundings = _ULPS * np.finfo(np.float64).eps * np.maximum(*sizes)
    return RankedDifferences(np.where(np.abs(values) <= roundings, 0.0, values), roundings)


def starts_of_ties(
    ordered: NDArray[np.float64], roundings: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Return where ascending numbers rise by more than the rounding of either neighbour."""
    rises = np.diff(ordered) > np.maximum(roundings[1:], roundings[:-1])
    return np.flatnonzero(np.concatenate((np.ones(min(1, len(ordered)), np.bool_), rises)))
