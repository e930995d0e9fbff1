"""Naive twins of the kernels that partition rows and count inside buckets, by NumPy.

Pairs of calls as in ``curves.py``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed import naive
from benchmarks.speed.data import Data
from benchmarks.speed.twins.curves import Pair
from fastmetrics._input.rows import check_binary
from fastmetrics._kernels import buckets
from fastmetrics.tables.ordering.partition import Partition, partition

#: Cells of a range map, and leaves of a bucket.
CELLS = 8_192


def compensated_sum(data: Data) -> Pair:
    weights = data.weights
    return lambda: (buckets.compensated_sum(weights),), lambda: (math.fsum(weights),)


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


def leaf_numbers(data: Data) -> Pair:
    values, leaf = data.scores, np.empty(len(data.scores), np.uint16)
    low, scale = _range(values, CELLS)

    def ours() -> tuple[Any, ...]:
        buckets.leaf_numbers(values, low, scale, CELLS, leaf)
        return (leaf,)

    return ours, lambda: (_cells(values, low, scale, CELLS),)


def place(data: Data) -> Pair:
    values, placed = data.scores, np.empty_like(data.scores)
    leaf = _cells(values, *_range(values, CELLS), CELLS).astype(np.uint16)
    starts = np.zeros(CELLS + 2, np.int32)
    starts[2:] = np.cumsum(np.bincount(leaf, minlength=CELLS))
    placed[:] = 0.0  # its memory is read before it is written

    def ours() -> tuple[Any, ...]:
        buckets.place(values, leaf, starts.copy(), placed)
        return (placed,)

    return ours, lambda: (values[np.argsort(leaf, kind="stable")],)


def _bucket_of(parted: Partition, values: NDArray[Any]) -> NDArray[np.int64]:
    plan = parted.plan
    if plan.by_range:
        cell = _cells(values, plan.low, plan.scale, len(plan.bucket_of_cell))
        return plan.bucket_of_cell[cell].astype(np.int64)
    splitters = plan.splitters[:-1]
    below = np.searchsorted(splitters, values)
    return 2 * below + (plan.splitters[below] == values)


def partition_of_rows(data: Data) -> Pair:
    """Cover ``scatter``, ``index_blocks`` and ``gather``: rows in, one array a stream out."""
    rows = check_binary(data.labels, data.scores, sample_weight=data.weights)

    def ours() -> tuple[Any, ...]:
        parted = partition(rows, 1)
        streams = range(len(parted.rows))
        return tuple(
            np.sort(part(s)) for s in streams for part in (parted.gather, parted.gather_carried)
        )

    def twin() -> tuple[Any, ...]:
        weights = data.weights
        stream = 2 * _bucket_of(plan_of_rows, data.scores) + (data.labels == 1)
        order = np.argsort(stream, kind="stable")
        cuts = np.cumsum(np.bincount(stream, minlength=len(plan_of_rows.rows)))[:-1]
        columns = (np.split(values[order], cuts) for values in (data.scores, weights))
        return tuple(np.sort(part) for both in zip(*columns, strict=True) for part in both)

    plan_of_rows = partition(rows, 1)
    return ours, twin


def _by_bucket(data: Data, parted: Partition, count: Callable[..., Any]) -> list[Any]:
    bucket = _bucket_of(parted, data.scores)
    weights = data.weights
    results = []
    for b in range(parted.plan.n_buckets):
        here = bucket == b
        part = Data(data.spec, data.labels[here], data.scores[here])
        results.append(count(part, weights[here]))
    return results


def count_buckets(data: Data) -> Pair:
    parted = partition(check_binary(data.labels, data.scores), 1)
    plan = parted.plan

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


def weigh_buckets(data: Data) -> Pair:
    parted = partition(check_binary(data.labels, data.scores, sample_weight=data.weights), 1)
    plan = parted.plan

    def ours() -> tuple[Any, ...]:
        concordant, discordant = np.zeros((2, plan.n_buckets))
        class_weight = np.zeros(2 * plan.n_buckets)
        buckets.weigh_buckets(
            0,
            plan.n_buckets,
            parted.pool,
            parted.carried_pool,
            parted.block_starts,
            parted.block_order,
            parted.buffers,
            parted.carried_buffers,
            parted.fill,
            plan.lows,
            plan.highs,
            parted.rows,
            concordant,
            discordant,
            class_weight,
        )
        return concordant, discordant

    def twin() -> tuple[Any, ...]:
        found = np.array(_by_bucket(data, parted, naive.weighted_pairs_by_broadcast))
        return found[:, 0], found[:, 1]

    return ours, twin


def running_weights(data: Data) -> Pair:
    weights = data.weights
    n_leaves = max(2, len(weights) // 4)
    ends = (np.arange(n_leaves + 1) * len(weights) // n_leaves).astype(np.int32)
    below, above = np.empty(n_leaves), np.empty(n_leaves)

    def ours() -> tuple[Any, ...]:
        buckets.running_weights(weights, ends, n_leaves, below, above)
        return below, above

    def twin() -> tuple[Any, ...]:
        up_to = np.cumsum(weights)[ends[1:] - 1]
        return np.r_[0.0, up_to[:-1]], up_to[-1] - up_to

    return ours, twin


#: The kernels covered by each pair of calls, and whether the twin visits every pair of rows.
BUCKET_TWINS: dict[Callable[[Data], Pair], tuple[tuple[str, ...], bool]] = {
    compensated_sum: (("buckets:compensated_sum",), False),
    range_cells: (("buckets:range_cells",), False),
    splitter_cells: (("buckets:splitter_cells",), False),
    leaf_numbers: (("buckets:leaf_numbers",), False),
    place: (("buckets:place",), False),
    partition_of_rows: (("buckets:scatter", "buckets:index_blocks", "buckets:gather"), False),
    count_buckets: (("buckets:count_buckets",), True),
    weigh_buckets: (("buckets:weigh_buckets",), True),
    running_weights: (("buckets:running_weights",), False),
}
