"""Medians and quantiles of regression rows, found by selection: what no table of sums can tell."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.regression_targets import RegressionRows

Floats = NDArray[np.float64]

#: A share of the total weight this far from the level is the level: running sums are rounded.
_TIE: Final = 2.0**-50


def median_absolute_errors(rows: RegressionRows) -> Floats:
    """Return the median absolute error of each output."""
    found = np.empty(rows.n_outputs)
    for j in range(rows.n_outputs):
        y_true, y_pred = _column(rows.y_true, j), _column(rows.y_pred, j)
        with np.errstate(over="ignore"):  # an infinite median is warned of
            error: Floats = np.subtract(y_true, y_pred, dtype=np.float64)
        found[j] = _quantile(np.abs(error, out=error), rows.weights, 0.5)
    return found


def target_quantiles(rows: RegressionRows, level: float) -> Floats:
    """Return the quantile of the targets of each output."""
    found = np.empty(rows.n_outputs)
    for j in range(rows.n_outputs):
        with np.errstate(over="ignore"):  # a longdouble beyond float64 makes the score undefined
            column = _column(rows.y_true, j).astype(np.float64)
        found[j] = _quantile(column, rows.weights, level)
    return found


def _column(array: NDArray[np.generic], j: int) -> NDArray[np.generic]:
    return array if array.ndim == 1 else array[:, j]


def _quantile(values: Floats, weights: Floats | None, level: float) -> float:
    """Return the averaged inverse of the distribution function (Hyndman & Fan 1996, type 2).

    Where the level falls between two values, their mean; ``values`` may be reordered.
    """
    if weights is not None:
        return _weighted_quantile(values, weights, level)
    rank = level * len(values)
    at = max(math.ceil(rank) - 1, 0)
    if rank != at + 1 or at + 1 == len(values):
        values.partition(at)
        return float(values[at])
    values.partition([at, at + 1])
    return _middle(values[at], values[at + 1])


def _weighted_quantile(values: Floats, weights: Floats, level: float) -> float:
    is_there = weights > 0
    values, weights = values[is_there], weights[is_there]
    order = np.argsort(values)
    below = np.cumsum(weights[order])
    rank, slack = level * below[-1], _TIE * below[-1]
    at = min(int(np.searchsorted(below, rank - slack)), len(values) - 1)
    low = values[order[at]]
    if level == 0.0 or at + 1 == len(values) or below[at] > rank + slack:
        return float(low)
    return _middle(low, values[order[at + 1]])


def _middle(low: float, high: float) -> float:
    """Return the mean of two numbers, whose sum may overflow."""
    low, high = float(low), float(high)
    total = low + high
    return total / 2 if math.isfinite(total) else low / 2 + high / 2
