"""Naive twins of the kernels that add up errors: the same sums by NumPy, a pass for each.

Pairs of calls as in ``table_twins.py``; the scores are the predictions, and the targets near them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import SEED, Data
from benchmarks.table_twins import Pair
from fastmetrics._kernels import errors as kernels

Floats = NDArray[np.float64]

EVERYTHING = kernels.ASK_RELATIVE | kernels.ASK_LARGEST | kernels.ASK_TARGET | kernels.ASK_ERROR
SUMS = (kernels.WEIGHT, kernels.UNDER, kernels.OVER, kernels.SQUARED, kernels.RELATIVE)
CENTRED = (kernels.TARGET_MEAN, kernels.ERROR_MEAN, kernels.TARGET_SQUARES, kernels.ERROR_SQUARES)


def _targets(data: Data) -> NDArray[Any]:
    noise = np.random.default_rng(SEED).normal(size=len(data.scores))
    return (data.scores + noise).astype(data.scores.dtype)


def _read(sums: Floats) -> tuple[Any, ...]:
    """Return what an output's sums say, with the rests of sums and means added."""
    columns = [sums[column] + sums[column + 1] for column in SUMS + CENTRED]
    return (*columns, sums[kernels.ROWS], sums[kernels.LARGEST])


def _by_numpy(y: NDArray[Any], p: NDArray[Any], w: Floats) -> tuple[Any, ...]:
    y = y.astype(np.float64)
    e = y - p
    relative = np.abs(e) / np.maximum(np.abs(y), kernels.EPSILON)
    sums = (w.sum(), w @ np.maximum(e, 0), w @ np.maximum(-e, 0), w @ e**2, w @ relative)
    means = [np.average(values, weights=w) for values in (y, e)]
    squares = [w @ (values - mean) ** 2 for values, mean in zip((y, e), means, strict=True)]
    return (*sums, *means, *squares, len(y), np.abs(e).max())


def error_sums(data: Data) -> Pair:
    """Cover every kernel that a row passes through; weighted, all that can be asked for."""
    y, w = _targets(data), data.weights

    def ours() -> tuple[Any, ...]:
        sums = np.zeros((1, kernels.N_SUMS))
        kernels.error_sums(y, data.scores, 1, w, EVERYTHING, sums)
        return _read(sums[0])

    return ours, lambda: _by_numpy(y, data.scores, w)


def merge_error_sums(data: Data) -> Pair:
    """Join the sums of many short pieces."""
    y, w, size = _targets(data), data.weights, max(1, len(data.scores) // 50)
    pieces = []
    for first in range(0, len(y), size):
        rows = slice(first, first + size)
        pieces.append(np.zeros((1, kernels.N_SUMS)))
        kernels.error_sums(y[rows], data.scores[rows], 1, w[rows], EVERYTHING, pieces[-1])

    def ours() -> tuple[Any, ...]:
        total = np.zeros((1, kernels.N_SUMS))
        for piece in pieces:
            kernels.merge_error_sums(total, piece)
        return _read(total[0])

    return ours, lambda: _by_numpy(y, data.scores, w)


#: The kernels covered by each pair of calls, and whether the twin visits every pair of rows.
ERROR_TWINS: dict[Callable[[Data], Pair], tuple[tuple[str, ...], bool]] = {
    error_sums: (
        tuple(f"errors:{name}" for name in ("error_sums", "folded", "largest_weighed", "centred")),
        False,
    ),
    merge_error_sums: (
        tuple(f"errors:{name}" for name in ("merge_error_sums", "add_row", "two_sum")),
        False,
    ),
}
