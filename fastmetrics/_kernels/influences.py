"""Moments of leave-one-out values that stand for several rows each: for BCa's acceleration."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels._compile import kernel

Floats = NDArray[np.float64]

_LANES = 64
#: Values that are added up by themselves.
_BLOCK = 4096


@kernel
def extent(values: Floats, counts: NDArray[Any], shift: float, found: Floats) -> None:
    """Widen ``found``, [least, greatest, count * value, count], values being less the shift.

    What is nan, or counts 0, is left out.
    """
    low, high, total, n = np.empty((4, _LANES))
    low[:] = found[0]
    high[:] = found[1]
    for start in range(0, values.size, _BLOCK):
        stop = min(start + _BLOCK, values.size)
        total[:] = 0.0
        n[:] = 0.0
        for first in range(start, stop, _LANES):
            value = values[first : min(first + _LANES, stop)]  # slices: loops run in vectors
            count = counts[first : first + _LANES]
            for i in range(value.size):
                times = np.float64(count[i])
                x = value[i] - shift
                is_there = (times > 0.0) & (x == x)
                low[i] = x if is_there & (x < low[i]) else low[i]
                high[i] = x if is_there & (x > high[i]) else high[i]
                total[i] += times * x if is_there else 0.0
                n[i] += times if is_there else 0.0
        for i in range(_LANES):
            found[2] += total[i]
            found[3] += n[i]
    for i in range(_LANES):
        found[0] = min(found[0], low[i])
        found[1] = max(found[1], high[i])


@kernel
def central_sums(
    values: Floats, counts: NDArray[Any], shift: float, mean: float, scale: float, found: Floats
) -> None:
    """Add the sums of count * u^2 and of count * u^3, u = (mean - (value - shift)) * scale."""
    squares, cubes = np.empty((2, _LANES))
    for start in range(0, values.size, _BLOCK):
        stop = min(start + _BLOCK, values.size)
        squares[:] = 0.0
        cubes[:] = 0.0
        for first in range(start, stop, _LANES):
            value = values[first : min(first + _LANES, stop)]
            count = counts[first : first + _LANES]
            for i in range(value.size):
                times = np.float64(count[i])
                u = (mean - (value[i] - shift)) * scale
                is_there = (times > 0.0) & (u == u)
                weighted = times * u * u if is_there else 0.0
                squares[i] += weighted
                cubes[i] += weighted * u if is_there else 0.0
        for i in range(_LANES):
            found[0] += squares[i]
            found[1] += cubes[i]
