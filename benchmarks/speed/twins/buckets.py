"""Naive twins of the kernels that partition rows and count inside buckets, by NumPy.

Pairs of calls as in ``curves.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed import naive
from benchmarks.speed.data import Data
from benchmarks.speed.twins.curves import Pair
from fastmetrics._input.rows import check_binary
from fastmetrics._kernels import buckets
from fastmetrics.tables.ordering import Partition, partition

#: Cells of a range map, and leaves of a bucket.
CELLS = 8_192


def _range(values: NDArray[Any], n_cells: int) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    return low, n_cells / (high - low)


def _cells(values: NDArray[Any], low: float, scale: float, n_cells: int) -> NDArray[np.int64]:
    return np.clip((values - low) * scale, 0, n_cells - 1).astype(np.int64)


def range_cells(data: Data) -> Pair:
    values, cell = data.scores, np.empty(len(data.scores), np.int32)
    low, scale = _range(values, CELLS)
    largest = np.finfo(np.float64).max

    def ours() -> tuple[Any, ...]:
        return buckets.range_cells(values, low, scale, CELLS, largest, cell) != 0, cell

    def twin() -> tuple[Any, ...]:
        return not np.isfinite(values).all(), _cells(values, low, scale, CELLS)

    return ours, twin


def splitter_cells(data: Data) -> Pair:
    values, cell = data.scores, np.empty(len(data.scores), np.int32)
    splitters = np.quantile(values, np.arange(1, 256) / 256, method="nearest")
    tree = np.empty(256)
    tree[0] = splitters[0]
    for level in range(8):
        width, step = 1 << level, 256 >> (level + 1)
        tree[width : 2 * width] = splitters[step - 1 :: 2 * step]
    padded = np.append(splitters, splitters[-1])
    largest = np.finfo(np.float64).max

    def ours() -> tuple[Any, ...]:
        return buckets.splitter_cells(values, padded, tree, largest, cell) != 0, cell

    def twin() -> tuple[Any, ...]:
        below = np.searchsorted(splitters, values)
        return not np.isfinite(values).all(), 2 * below + (padded[below] == values)

    return ours, twin


def short_keys(data: Data) -> Pair:
    values, keys = data.scores, np.empty(len(data.scores), np.uint32)
    low, scale = _range(values, 2**32)

    def ours() -> tuple[Any, ...]:
        buckets.short_keys(values, low, scale, keys)
        return (keys,)

    return ours, lambda: (_cells(values, low, scale, 2**32),)


def _bucket_of(parted: Partition, values: NDArray[Any]) -> NDArray[np.int64]:
    plan = parted.bucket_map
    if plan.by_range:
        cell = _cells(values, plan.low, plan.scale, len(plan.bucket_of_cell))
        return plan.bucket_of_cell[cell].astype(np.int64)
    splitters = plan.splitters[:-1]
    below = np.searchsorted(splitters, values)
    return 2 * below + (plan.splitters[below] == values)


def partition_of_rows(data: Data) -> Pair:
    """Cover ``scatter``, ``index_blocks`` and ``gather``: rows in, one array a stream out."""
    rows = check_binary(data.labels, data.scores)

    def ours() -> tuple[Any, ...]:
        parted = partition(rows)
        return tuple(parted.gather(s) for s in range(len(parted.rows)))

    def twin() -> tuple[Any, ...]:
        stream = 2 * _bucket_of(plan_of_rows, data.scores) + (data.labels == 1)
        order = np.argsort(stream, kind="stable")
        cuts = np.cumsum(np.bincount(stream, minlength=len(plan_of_rows.rows)))[:-1]
        return tuple(np.split(data.scores[order], cuts))

    plan_of_rows = partition(rows)
    return ours, twin


def _by_bucket(data: Data, parted: Partition, count: Callable[..., Any]) -> list[Any]:
    bucket = _bucket_of(parted, data.scores)
    weights = data.weights
    results = []
    for b in range(parted.bucket_map.n_buckets):
        here = bucket == b
        part = Data(data.spec, data.labels[here], data.scores[here])
        results.append(count(part, weights[here]))
    return results


def count_buckets(data: Data) -> Pair:
    parted = partition(check_binary(data.labels, data.scores))
    plan = parted.bucket_map

    def ours() -> tuple[Any, ...]:
        twice = np.zeros(plan.n_buckets, np.int64)
        buckets.count_buckets(
            0,
            plan.n_buckets,
            parted.pool,
            parted.block_starts,
            parted.block_order,
            parted.buffers,
            parted.fill,
            plan.lows,
            plan.highs,
            plan.holds_one_score,
            parted.rows,
            twice,
        )
        return (twice,)

    def pairs(part: Data, _: Any) -> int:
        return naive.pairs_by_broadcast(*naive.split(part))

    return ours, lambda: (np.array(_by_bucket(data, parted, pairs)),)


#: The kernels covered by each pair of calls, and whether the twin visits every pair of rows.
TWINS: dict[Callable[[Data], Pair], tuple[tuple[str, ...], bool]] = {
    range_cells: (("buckets:range_cells",), False),
    splitter_cells: (("buckets:splitter_cells",), False),
    short_keys: (("buckets:short_keys",), False),
    partition_of_rows: (("buckets:scatter", "buckets:index_blocks", "buckets:gather"), False),
    count_buckets: (("buckets:count_buckets",), True),
}
