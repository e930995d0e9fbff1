"""Partition rows into ordered buckets, on all cores (see ``_kernels/buckets.py``)."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.rows import BinaryRows
from fastmetrics._kernels import buckets as kernels
from fastmetrics._threads.workers import run
from fastmetrics.tables.ordering.plan import Plan, plan_buckets

#: Rows in a part, the unit of work of the scattering pass, at least: a millisecond or more.
PART_ROWS = 1 << 17
#: A part also has this many times the rows that its buffers hold, so that these cost little.
PART_FILLS = 16
#: Bytes of pool memory that are kept for the next call: fresh pages cost a tenth of an AUC.
MOST_SPARE_BYTES = 128 << 20

_NO_LABELS: Final = np.empty(0, np.int8)
_LARGEST: Final = float(np.finfo(np.float64).max)
#: Rows whose numbers take four bytes.
MOST_SHORT = 2**31 - 1


class _SparePool:
    """The pool of the last partition, kept for the next one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._memory: NDArray[np.uint8] | None = None

    def take(self, n_bytes: int) -> NDArray[np.uint8]:
        """Return uninitialised memory: the spare one where it is large enough."""
        with self._lock:
            memory, self._memory = self._memory, None
        return np.empty(n_bytes, np.uint8) if memory is None or len(memory) < n_bytes else memory

    def give(self, memory: NDArray[np.uint8]) -> None:
        """Keep memory that nothing refers to any more."""
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
class Partition:
    """The rows in their streams: what the kernels of ``_kernels/buckets.py`` read.

    With labels, bucket b has stream 2 b of negatives and 2 b + 1 of positives, else stream b.
    """

    plan: Plan
    pool: NDArray[Any]
    carried_pool: NDArray[Any]
    block_starts: NDArray[np.int64]
    block_order: NDArray[np.int32]
    buffers: NDArray[Any]
    carried_buffers: NDArray[Any]
    fill: NDArray[np.uint16]
    rows: NDArray[np.int64]
    is_clean: bool
    memory: NDArray[np.uint8]

    def release(self) -> None:
        """Give the pool back; the partition must not be used afterwards."""
        _spare.give(self.memory)

    def gather(self, stream: int) -> NDArray[Any]:
        """Return a copy of one stream's scores, in the order of the rows."""
        return self._gathered(stream, self.pool, self.buffers)

    def gather_carried(self, stream: int) -> NDArray[Any]:
        """Return a copy of what one stream's scores carry: weights, or numbers of rows."""
        return self._gathered(stream, self.carried_pool, self.carried_buffers)

    def columns(self, positive: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return copies of the scores of a class, bucket after bucket, and of what they carry."""
        n = int(self.rows[positive::2].sum())
        own, carried = (self.pool, self.buffers), (self.carried_pool, self.carried_buffers)
        found = []
        for pool, buffers in (own, carried):
            out = np.empty(n if pool.size else 0, pool.dtype)
            if len(out):
                index = self.block_starts, self.block_order
                kernels.gather_class(positive, pool, *index, buffers, self.fill, out)
            found.append(out)
        return found[0], found[1]

    def _gathered(self, stream: int, pool: NDArray[Any], buffers: NDArray[Any]) -> NDArray[Any]:
        out = np.empty(self.rows[stream], pool.dtype)
        kernels.gather(stream, pool, self.block_starts, self.block_order, buffers, self.fill, out)
        return out


def partition_rows(scores: NDArray[Any]) -> Partition:
    """Scatter scores of no class into buckets; they carry the numbers of their rows.

    ``is_clean`` says whether all are finite.
    """
    return partition(BinaryRows(_NO_LABELS, 0, scores, None, False, False), with_numbers=True)


def partition(
    rows: BinaryRows, *, with_numbers: bool = False, plan: Plan | None = None
) -> Partition:
    """Scatter the rows into buckets by class, of a plan of their own; scores carry their weights.

    If asked for, they carry the numbers of their rows instead. One pass over scores and labels,
    which also verifies labels and finiteness: ``is_clean`` says whether all was as promised.
    Memory: one copy of the scores, and of what they carry; about 1 % for buffers.
    """
    scores, labels = rows.scores, rows.labels
    inclusive_max = np.inf if rows.allow_inf else _LARGEST
    plan = plan_buckets(scores) if plan is None else plan
    weights, carried = np.empty(0), None
    if with_numbers:
        carried = np.dtype(np.int32 if len(scores) <= MOST_SHORT else np.int64)
    elif rows.weights is not None:
        weights, carried = rows.weights, rows.weights.dtype
    n, block = len(scores), kernels.BLOCK
    of_bucket = 2 if len(labels) else 1
    n_streams = of_bucket * plan.n_buckets
    stream_of_cell = of_bucket * plan.bucket_of_cell
    n_parts = max(1, n // max(PART_ROWS, PART_FILLS * n_streams * block))
    cuts = np.array([n * k // n_parts for k in range(n_parts + 1)], np.int64)
    first_block = cuts[:-1] // block + np.arange(n_parts)
    n_blocks = n // block + n_parts
    carried_kind = np.dtype(np.int32) if carried is None else carried
    cut = n_blocks * block * scores.itemsize
    end = cut + (0 if carried is None else n_blocks * block * carried_kind.itemsize)
    memory = _spare.take(end)
    pool = memory[:cut].view(scores.dtype).reshape(n_blocks, block)
    carried_pool = memory[cut:end].view(carried_kind).reshape(-1, block)
    owner = np.empty(n_blocks, np.uint16)
    buffers = np.empty((n_parts, n_streams, block), scores.dtype)
    carried_buffers = np.empty((n_parts, 0 if carried is None else n_streams, block), carried_kind)
    fill = np.zeros((n_parts, n_streams), np.uint16)

    def scatter_part(k: int) -> tuple[int, int, bool]:
        part = slice(int(cuts[k]), int(cuts[k + 1]))
        result: tuple[int, int, bool] = kernels.scatter(
            *(scores[part], labels[part], rows.negative, plan.by_range, plan.low, plan.scale),
            *(stream_of_cell, plan.splitters, plan.tree, inclusive_max),
            *(pool, first_block[k], owner, buffers[k], fill[k]),
            *(part.start, weights[part], carried_pool, carried_buffers[k]),
        )
        return result

    parts = run([partial(scatter_part, k) for k in range(n_parts)])
    block_starts = np.zeros(n_streams * n_parts + 1, np.int64)
    block_order = np.empty(n_blocks, np.int32)
    next_block = np.array([part[0] for part in parts], np.int64)
    kernels.index_blocks(owner, first_block, next_block, block_starts, block_order)
    in_stream = np.diff(block_starts[::n_parts]) * block + fill.sum(axis=0, dtype=np.int64)
    n_labelled = sum(part[1] for part in parts) + int(in_stream[1::2].sum())
    all_labelled = n_labelled == n or not len(labels)
    return Partition(
        plan=plan,
        pool=pool,
        carried_pool=carried_pool,
        block_starts=block_starts,
        block_order=block_order,
        buffers=buffers,
        carried_buffers=carried_buffers,
        fill=fill,
        rows=in_stream,
        is_clean=all_labelled and not any(part[2] for part in parts),
        memory=memory,
    )
