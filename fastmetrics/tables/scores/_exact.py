"""Sums of products over a table that are exact, for integers, whatever their size."""

from __future__ import annotations

from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Integer products below this bound are exact in int64; above it Python integers take over.
INT64_BOUND = 2**63

_CHUNK = 1 << 16


def above(ends: NDArray[Any]) -> NDArray[Any]:
    """Return what stands above each row of a table, from the cumulative counts at its end."""
    before = np.zeros_like(ends)
    before[1:] = ends[:-1]
    return before


def exact_dot(left: NDArray[Any], right: NDArray[Any]) -> int | float:
    """Return the sum of ``left * right``, both non-negative: exact for int64, else float64.

    Integers go through int64 where the sum is known to fit, through Python integers where it
    may not. Floats are summed pairwise: every term has one sign, so that the relative error is
    below ``(log2(n) + 2) * 2**-53`` plus that of the terms.
    """
    if left.dtype.kind == "f" or right.dtype.kind == "f":
        return float((left * right).sum())
    if left.size == 0:
        return 0
    if int(left.sum()) * int(right.max()) < INT64_BOUND:
        return int(np.dot(left, right))
    return sum(
        _chunk_dot(left[start : start + _CHUNK], right[start : start + _CHUNK])
        for start in range(0, left.size, _CHUNK)
    )


def _chunk_dot(left: NDArray[Any], right: NDArray[Any]) -> int:
    if int(left.sum()) * int(right.max()) < INT64_BOUND:
        return int(np.dot(left, right))
    return sum(map(mul, left.tolist(), right.tolist()))
