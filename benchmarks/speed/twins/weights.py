"""Naive twins of the kernels that weigh the rows of a replicate: the same numbers by NumPy.

Pairs of calls as in ``curves.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.speed.data import Data
from benchmarks.speed.twins.curves import Pair
from benchmarks.speed.twins.replicates import KEY, WORDS, _names, _philox, _Rows
from fastmetrics._kernels import replicates, resampling


def exponentials(data: Data) -> Pair:
    """Cover ``words_of_rows`` too."""
    n = len(data.scores)
    weights = np.empty((1, n))

    def ours() -> tuple[Any, ...]:
        sums = np.zeros(1)
        resampling.words_of_rows(KEY, 2, 0, weights.view(np.uint64))
        replicates.exponentials(weights.view(np.uint64), n, sums)
        return weights, sums

    def twin() -> tuple[Any, ...]:
        blocks = [
            _philox(0, block, 2, resampling.WEIGHTS, WORDS // 2) for block in range(-(-n // WORDS))
        ]
        words = np.concatenate(blocks)[:n] >> np.uint64(12)
        found = -np.log((words.astype(np.float64) + 0.5) * 2.0**-52)
        return found[None, :], found.sum(keepdims=True)

    return ours, twin


def weighted_pairs(data: Data) -> Pair:
    """Cover ``pairs_of_replicate``, ``split_block`` and ``weigh_rows`` too."""
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
        count = replicates.weighted_points(
            data.weights, rows.masks[:n], rows.ends[:n], 2.0, tp, fp, at
        )
        return tp[: count + 1], fp[: count + 1], at[:count]

    def twin() -> tuple[Any, ...]:
        positive = np.where(rows.masks[:n] > 0, data.weights, 0.0)
        curves = (np.cumsum(c)[rows.last_rows] for c in (positive, data.weights - positive))
        return *(np.append(0.0, 2.0 * curve) for curve in curves), rows.last_rows

    return ours, twin


TWINS: dict[Callable[[Data], Pair], tuple[tuple[str, ...], bool]] = {
    exponentials: (
        (*_names("resampling", "words_of_rows"), *_names("replicates", "exponentials")),
        False,
    ),
    weighted_pairs: (
        _names(
            "replicates",
            *("weighted_pairs", "pairs_of_replicate", "split_block", "weigh_rows"),
        ),
        False,
    ),
    weighted_points: (_names("replicates", "weighted_points"), False),
}
