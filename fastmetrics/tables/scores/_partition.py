"""Partition checked rows into ordered buckets, on all cores (see ``_kernels/buckets.py``).

A sample of the scores decides how: an even range map where the scores are spread well enough,
else the sample's quantiles as splitters, each with a bucket of its own for the scores equal to
it, which makes the partition immune to any distribution.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.rows import BinaryRows
from fastmetrics._kernels import buckets as kernels
from fastmetrics._threads.workers import run

#: Rows aimed at in a bucket: its two streams and their leaves then stay in a 1 MiB L2 cache.
BUCKET_ROWS = 32_768
#: More buckets than this and their buffers no longer fit the L2 cache while scattering.
MOST_BUCKETS = 256
#: Cells of the range map: uint16 entries that stay in the L1 cache.
N_CELLS = 8_192
#: A cell with more than this many times a bucket's share of the sample calls for splitters.
HEAVY_CELL = 3
#: Rows in a part, the unit of work of the scattering pass, at least: a millisecond or more.
PART_ROWS = 1 << 17
#: A part also has this many times the rows that its buffers hold, so that these cost little.
PART_FILLS = 16
SAMPLE_ROWS = 16_384
#: The golden ratio times 2**32: its multiples, modulo 2**32, are evenly spread.
_WEYL = np.uint32(2_654_435_769)


#: Bytes of pool memory that are kept for the next call: fresh pages cost a tenth of an AUC.
MOST_SPARE_BYTES = 128 << 20


class _SparePool:
    """The pool of the last partition, kept for the next one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._memory: NDArray[np.uint8] | None = None

    def take(self, n_blocks: int, dtype: np.dtype[Any]) -> NDArray[Any]:
        """Return an uninitialised pool: the spare memory where it is large enough."""
        n_bytes = n_blocks * kernels.BLOCK * dtype.itemsize
        with self._lock:
            memory, self._memory = self._memory, None
        if memory is None or len(memory) < n_bytes:
            memory = np.empty(n_bytes, np.uint8)
        return memory[:n_bytes].view(dtype).reshape(n_blocks, kernels.BLOCK)

    def give(self, pool: NDArray[Any]) -> None:
        """Keep the memory of a pool that nothing refers to any more."""
        memory = pool
        while isinstance(memory.base, np.ndarray):
            memory = memory.base
        if memory.nbytes <= MOST_SPARE_BYTES:
            with self._lock:
                self._memory = memory

    def renew_lock(self) -> None:
        """A thread of the parent may have held the lock at a fork; the child starts afresh."""
        self._lock = threading.Lock()


_spare = _SparePool()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_spare.renew_lock)


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """How scores map to buckets; ``lows`` and ``highs`` are the rough ends of each bucket."""

    by_range: bool
    low: float
    scale: float
    stream_of_cell: NDArray[np.uint16]
    splitters: NDArray[Any]
    tree: NDArray[Any]
    lows: NDArray[np.float64]
    highs: NDArray[np.float64]
    holds_one_score: NDArray[np.bool_]

    @property
    def n_buckets(self) -> int:
        """Number of buckets, empty ones included."""
        return len(self.lows)


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """The rows in their streams: what the kernels of ``_kernels/buckets.py`` read."""

    plan: Plan
    pool: NDArray[Any]
    weight_pool: NDArray[np.float64]
    block_starts: NDArray[np.int64]
    block_order: NDArray[np.int32]
    buffers: NDArray[Any]
    weight_buffers: NDArray[np.float64]
    fill: NDArray[np.uint16]
    rows: NDArray[np.int64]
    is_clean: bool

    def release(self) -> None:
        """Give the pool back; the partition must not be used afterwards."""
        _spare.give(self.pool)

    def gather(self, stream: int) -> NDArray[Any]:
        """Return a copy of one stream's scores."""
        out = np.empty(self.rows[stream], self.pool.dtype)
        kernels.gather(
            stream, self.pool, self.block_starts, self.block_order, self.buffers, self.fill, out
        )
        return out

    def gather_weights(self, stream: int) -> NDArray[np.float64]:
        """Return a copy of one stream's weights, in the order of ``gather``."""
        out = np.empty(self.rows[stream], np.float64)
        kernels.gather(
            stream,
            self.weight_pool,
            self.block_starts,
            self.block_order,
            self.weight_buffers,
            self.fill,
            out,
        )
        return out


def _sorted_sample(scores: NDArray[Any]) -> NDArray[Any]:
    """Return evenly spread, jittered and sorted sample rows: a function of the data alone."""
    n = len(scores)
    size = min(n, SAMPLE_ROWS, max(1_024, n // 32))
    steps = np.arange(size, dtype=np.uint32)
    jitter = (steps * _WEYL) * 2.0**-32
    at = ((steps + jitter) * (n / size)).astype(np.int64)
    sample = scores[np.minimum(at, n - 1)]
    if sample.dtype.kind == "f":
        sample = sample[np.isfinite(sample)]
    sample.sort()
    return sample


def plan_buckets(scores: NDArray[Any]) -> Plan:
    """Return the bucket map for these scores (from ``BUCKET_ROWS`` rows up)."""
    sample = _sorted_sample(scores)
    n_buckets = min(MOST_BUCKETS, max(2, len(scores) // BUCKET_ROWS))
    return _range_plan(sample, n_buckets) or _splitter_plan(sample, n_buckets, scores.dtype)


def _range_plan(sample: NDArray[Any], n_buckets: int) -> Plan | None:
    """Return the even range map, or None where it would leave too much in one cell."""
    if len(sample) < n_buckets:
        return None
    as_float = sample.astype(np.float64)
    low, span = float(as_float[0]), float(as_float[-1]) - float(as_float[0])
    if not 0.0 < span < np.inf or not np.isfinite(N_CELLS / span):
        return None
    scale = N_CELLS / span
    cell = np.clip((as_float - low) * scale, 0, N_CELLS - 1).astype(np.int64)
    in_cell = np.bincount(cell, minlength=N_CELLS)
    before = np.cumsum(in_cell) - in_cell
    if in_cell.max() > HEAVY_CELL * len(sample) / n_buckets:
        return None
    bucket = np.minimum(before * n_buckets // len(sample), n_buckets - 1)
    edges = np.searchsorted(bucket, np.arange(n_buckets + 1))
    ends = low + edges / scale
    return Plan(
        by_range=True,
        low=low,
        scale=scale,
        stream_of_cell=(2 * bucket).astype(np.uint16),
        splitters=sample[:1],
        tree=sample[:1],
        lows=ends[:-1],
        highs=ends[1:],
        holds_one_score=np.zeros(n_buckets, np.bool_),
    )


def _splitter_plan(sample: NDArray[Any], n_buckets: int, dtype: np.dtype[Any]) -> Plan:
    """Return the map by splitters; odd buckets hold the scores equal to a splitter."""
    if len(sample) == 0:  # nothing finite: any one splitter serves
        sample = np.zeros(1, dtype)
    size = (1 << int(n_buckets - 1).bit_length()) - 1
    quantiles = np.unique(sample[(np.arange(1, size + 1) * len(sample)) // (size + 1)])
    splitters = np.concatenate([quantiles, np.repeat(quantiles[-1:], size - len(quantiles))])
    ends = np.empty(2 * size + 2)
    ends[1:-1:2] = splitters
    ends[2::2] = splitters
    ends[0], ends[-1] = sample[0], sample[-1]
    single = np.zeros(2 * size + 1, np.bool_)
    single[1::2] = True
    return Plan(
        by_range=False,
        low=0.0,
        scale=0.0,
        stream_of_cell=(2 * np.arange(2 * size + 1)).astype(np.uint16),
        splitters=np.append(splitters, splitters[-1]),
        tree=_search_tree(splitters),
        lows=ends[:-1].copy(),
        highs=ends[1:].copy(),
        holds_one_score=single,
    )


def _search_tree(splitters: NDArray[Any]) -> NDArray[Any]:
    """Return sorted splitters, a power of two less one, as an implicit tree rooted at index 1."""
    size = len(splitters) + 1
    tree = np.empty(size, splitters.dtype)
    tree[0] = splitters[0]
    width = 1
    while width < size:
        step = size // (2 * width)
        tree[width : 2 * width] = splitters[step - 1 :: 2 * step]
        width *= 2
    return tree


def partition(rows: BinaryRows, n_threads: int | None = None) -> Partition:
    """Scatter the rows into buckets: one pass over labels, scores and weights.

    The pass also verifies labels and finiteness: ``is_clean`` says whether all was as promised.
    Memory: one copy of the scores (and weights), about 1 % for buffers.
    """
    scores = rows.scores
    plan = plan_buckets(scores)
    n, n_streams, block = len(scores), 2 * plan.n_buckets, kernels.BLOCK
    weights = rows.weights if rows.weights is not None else np.empty(0, np.float64)
    n_parts = max(1, n // max(PART_ROWS, PART_FILLS * n_streams * block))
    cuts = np.array([n * k // n_parts for k in range(n_parts + 1)], np.int64)
    first_block = cuts[:-1] // block + np.arange(n_parts)
    n_blocks = n // block + n_parts
    weighted_blocks = n_blocks if len(weights) else 0
    weighted_parts = n_parts if len(weights) else 0
    pool = _spare.take(n_blocks, scores.dtype)
    weight_pool = np.empty((weighted_blocks, block), np.float64)
    owner = np.empty(n_blocks, np.uint16)
    buffers = np.empty((n_parts, n_streams, block), scores.dtype)
    weight_buffers = np.empty((weighted_parts, n_streams, block), np.float64)
    no_buffers = np.empty((0, block), np.float64)
    fill = np.zeros((n_parts, n_streams), np.uint16)

    def scatter_part(k: int) -> tuple[int, int, bool]:
        part = slice(cuts[k], cuts[k + 1])
        result: tuple[int, int, bool] = kernels.scatter(
            scores[part],
            rows.labels[part],
            weights[part] if len(weights) else weights,
            rows.negative,
            plan.by_range,
            plan.low,
            plan.scale,
            plan.stream_of_cell,
            plan.splitters,
            plan.tree,
            np.inf if rows.allow_inf else np.finfo(np.float64).max,
            pool,
            weight_pool,
            first_block[k],
            owner,
            buffers[k],
            weight_buffers[k] if len(weights) else no_buffers,
            fill[k],
        )
        return result

    parts = run([partial(scatter_part, k) for k in range(n_parts)], n_threads)
    block_starts = np.zeros(n_streams + 1, np.int64)
    block_order = np.empty(n_blocks, np.int32)
    next_block = np.array([part[0] for part in parts], np.int64)
    kernels.index_blocks(owner, first_block, next_block, block_starts, block_order)
    in_stream = np.diff(block_starts) * block + fill.sum(axis=0, dtype=np.int64)
    n_negative = sum(part[1] for part in parts)
    n_positive = int(in_stream[1::2].sum())
    return Partition(
        plan=plan,
        pool=pool,
        weight_pool=weight_pool,
        block_starts=block_starts,
        block_order=block_order,
        buffers=buffers,
        weight_buffers=weight_buffers,
        fill=fill,
        rows=in_stream,
        is_clean=n_positive + n_negative == n and not any(part[2] for part in parts),
    )
