"""Naive twins of the kernels that weigh the rows of a replicate: the same numbers by NumPy.

Pairs of calls as in ``curves.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.speed.data import Data
from benchmarks.speed.twins.curves import Pair
from benchmarks.speed.twins.replicates import _names, _Rows
from fastmetrics._kernels import replicates


def weighted_pairs(data: Data) -> Pair:
    """Cover ``split_block`` and ``weigh_rows`` too."""
    rows = _Rows(data)
    n = len(data.weights)
    weights = np.empty((1, n))

    def ours() -> tuple[Any, ...]:
        state = np.zeros((1, 6))
        replicates.weigh_rows(rows.counts, data.weights, weights)
        replicates.weighted_pairs(weights, rows.masks[:n], rows.pieces, state)
        return state[:, :2], state[:, 2] - state[:, 3]

    def twin() -> tuple[Any, ...]:
        drawn = rows.counts[0, :n] * data.weights
        positive = np.where(rows.masks[:n] > 0, drawn, 0.0)
        p, q = (np.add.reduceat(c, rows.starts) for c in (positive, drawn - positive))
        return np.array([[p.sum(), q.sum()]]), np.array([(2 * np.cumsum(p) - p) @ q])

    return ours, twin


def weighted_points(data: Data) -> Pair:
    rows = _Rows(data)
    n = len(data.weights)
    tp, fp, at = np.empty(n + 1), np.empty(n + 1), np.empty(n, np.int64)

    def ours() -> tuple[Any, ...]:
        count = replicates.weighted_points(data.weights, rows.masks[:n], rows.ends[:n], tp, fp, at)
        return tp[: count + 1], fp[: count + 1], at[:count]

    def twin() -> tuple[Any, ...]:
        positive = np.where(rows.masks[:n] > 0, data.weights, 0.0)
        curves = (np.cumsum(c)[rows.last_rows] for c in (positive, data.weights - positive))
        return *(np.append(0.0, curve) for curve in curves), rows.last_rows

    return ours, twin


TWINS: dict[Callable[[Data], Pair], tuple[tuple[str, ...], bool]] = {
    weighted_pairs: (
        _names(
            "replicates",
            *("weighted_pairs", "split_block", "weigh_rows"),
        ),
        False,
    ),
    weighted_points: (_names("replicates", "weighted_points"), False),
}
