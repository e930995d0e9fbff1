"""Score >= threshold as the real numbers compare, whatever the two types are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import check_real
from fastmetrics.errors import InputError


def real_threshold(threshold: Any) -> Any:
    """Return the threshold as a Python int or float, or raise for nan and what is no number."""
    if isinstance(threshold, int | np.integer) and not isinstance(threshold, bool):
        return int(threshold)
    value = check_real("threshold", threshold)
    if math.isnan(value):
        raise InputError("`threshold` must not be nan")
    return value


def is_called_positive(scores: NDArray[Any], threshold: Any) -> NDArray[np.bool_]:
    """Return score >= threshold, compared as real numbers whatever the two types are."""
    kind = scores.dtype.kind
    if kind == "f":
        return np.asarray(scores >= _float_not_below(threshold, scores.dtype))
    if isinstance(threshold, float) and math.isinf(threshold):  # an int may exceed any float
        return np.full(scores.shape, threshold < 0)
    bound = math.ceil(threshold)
    limits = np.iinfo(scores.dtype)
    if bound > limits.max:
        return np.zeros(scores.shape, dtype=np.bool_)
    return np.asarray(scores >= scores.dtype.type(max(bound, limits.min)))


def _float_not_below(threshold: float, dtype: np.dtype[Any]) -> np.floating[Any]:
    """Return the least value of ``dtype`` that is not below ``threshold``."""
    above = dtype.type(math.inf)
    try:
        with np.errstate(over="ignore"):
            nearest: np.floating[Any] = dtype.type(float(threshold))
    except OverflowError:  # an int beyond the range of float64
        nearest = above if threshold > 0 else -above
    # `.item()` because Python compares int and float exactly, numpy does not.
    if nearest.item() < threshold:
        nearest = np.nextafter(nearest, above)
    return nearest
