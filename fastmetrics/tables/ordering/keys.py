"""Scores as numbers in their order, which can be shortened, packed and sorted; and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels import orders as kernels

_SIGN = np.uint64(1 << 63)


def ordered_keys(scores: NDArray[Any]) -> tuple[NDArray[np.uint64], np.uint64, np.uint64]:
    """Return numbers in the order of the scores, equal where these are, and the ends of both."""
    if scores.dtype.kind == "f":
        keys = np.array(scores, np.float64).view(np.uint64)
        least, greatest = kernels.order_floats(keys)
        return keys, np.uint64(least), np.uint64(greatest)
    keys = scores.view(np.uint64)
    if scores.dtype.kind == "i":
        keys = keys ^ _SIGN
    return keys, keys.min(initial=2**64 - 1), keys.max(initial=0)


def scores_of(keys: NDArray[np.uint64], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the scores of ordered keys, which are written over; zeros are 0.0."""
    if dtype.kind == "f":
        kernels.restore_floats(keys)
        return keys.view(np.float64).astype(dtype, copy=False)
    if dtype.kind == "i":
        keys ^= _SIGN
    return keys.view(dtype)
