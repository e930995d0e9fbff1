"""Order rows by score: partition them into buckets, on all cores, and sort these in the cache."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.containers import narrow_bits
from fastmetrics._input.rows import BinaryRows
from fastmetrics._kernels import buckets, merges
from fastmetrics._threads.workers import by_blocks, run

#: Rows aimed at in a bucket: its two streams and their leaves then stay in a 1 MiB L2 cache.
BUCKET_ROWS = 32_768
#: More buckets than this and their buffers no longer fit the L2 cache while scattering.
MOST_BUCKETS = 256
#: Cells of the range map: uint16 entries that stay in the L1 cache.
N_CELLS = 8_192
#: A cell with more than this many times the sample rows of a bucket calls for splitters.
HEAVY_CELL = 3
SAMPLE_ROWS = 16_384
#: The golden ratio times 2**32: its multiples, modulo 2**32, are evenly spread.
_WEYL = np.uint32(2_654_435_769)


@dataclass(frozen=True, slots=True, eq=False)
class BucketMap:
    """Map of scores to buckets; ``lows`` and ``highs`` are the approximate ends of each bucket."""

    by_range: bool
    low: float
    scale: float
    bucket_of_cell: NDArray[np.uint16]
    splitters: NDArray[Any]
    tree: NDArray[Any]
    lows: NDArray[np.float64]
    highs: NDArray[np.float64]
    holds_one_score: NDArray[np.bool_]

    @property
    def n_buckets(self) -> int:
        """Number of buckets, empty ones included."""
        return len(self.lows)


def _sorted_sample(scores: NDArray[Any]) -> NDArray[Any]:
    """Return sorted sample rows at even, jittered indices: a function of the data alone."""
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


def map_buckets(scores: NDArray[Any]) -> BucketMap:
    """Return the bucket map for these scores (from ``BUCKET_ROWS`` rows up)."""
    n_buckets = min(MOST_BUCKETS, max(2, len(scores) // BUCKET_ROWS))
    sample = _sorted_sample(scores)
    return _map_by_range(sample, n_buckets) or _map_by_splitters(sample, n_buckets)


def _map_by_range(sample: NDArray[Any], n_buckets: int) -> BucketMap | None:
    """Return the map by even ranges, or None if too many rows would share one cell."""
    if len(sample) < n_buckets:
        return None
    as_float = sample.astype(np.float64)
    low = float(as_float[0])
    span = float(as_float[-1]) - float(as_float[0])
    if not 0.0 < span < np.inf or not np.isfinite(N_CELLS / span):
        return None
    scale = N_CELLS / span
    cell = np.clip((as_float - low) * scale, 0, N_CELLS - 1).astype(np.int64)
    in_cell = np.bincount(cell, minlength=N_CELLS)
    before = np.cumsum(in_cell) - in_cell
    if in_cell.max() > HEAVY_CELL * len(sample) / n_buckets:
        return None
    bucket = np.minimum(before * n_buckets // len(sample), n_buckets - 1)
    ends = low + np.searchsorted(bucket, np.arange(n_buckets + 1)) / scale
    return BucketMap(
        by_range=True,
        low=low,
        scale=scale,
        bucket_of_cell=bucket.astype(np.uint16),
        splitters=sample[:1],
        tree=sample[:1],
        lows=ends[:-1],
        highs=ends[1:],
        holds_one_score=np.zeros(n_buckets, np.bool_),
    )


def _map_by_splitters(sample: NDArray[Any], n_buckets: int) -> BucketMap:
    """Return the map by splitters; odd buckets hold the scores equal to a splitter."""
    if len(sample) == 0:  # nothing finite: any one splitter serves
        sample = np.zeros(1, sample.dtype)
    size = (1 << int(n_buckets - 1).bit_length()) - 1
    quantiles = np.unique(sample[(np.arange(1, size + 1) * len(sample)) // (size + 1)])
    splitters = np.concatenate([quantiles, np.repeat(quantiles[-1:], size - len(quantiles))])
    ends = np.empty(2 * size + 2)
    ends[1:-1:2] = splitters
    ends[2::2] = splitters
    ends[[0, -1]] = sample[[0, -1]]
    single = np.zeros(2 * size + 1, np.bool_)
    single[1::2] = True
    return BucketMap(
        by_range=False,
        low=0.0,
        scale=0.0,
        bucket_of_cell=np.arange(2 * size + 1, dtype=np.uint16),
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


#: Least rows of a chunk, the unit of work of the scattering pass: a millisecond or more.
PART_ROWS = 1 << 17
#: A chunk also has this many times the rows that its buffers hold, so that these cost little.
PART_FILLS = 16
#: Bytes of pool memory that are kept for the next call: fresh pages cost a tenth of an AUC.
MOST_SPARE_BYTES = 128 << 20

_NO_LABELS: Final = np.empty(0, np.int8)
_LARGEST: Final = float(np.finfo(np.float64).max)
#: Rows whose numbers take four bytes.
MOST_SHORT = 2**31 - 1


#: The pool of the last partition, kept for the next one.
_spare: list[NDArray[np.uint8]] = []


def _take_pool(n_bytes: int) -> NDArray[np.uint8]:
    """Return uninitialised memory: the spare pool if it is large enough."""
    try:
        memory = _spare.pop()  # by one thread alone
    except IndexError:
        return np.empty(n_bytes, np.uint8)
    return memory if len(memory) >= n_bytes else np.empty(n_bytes, np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """The rows in their streams, as the kernels of ``_kernels/buckets.py`` read them.

    With labels, bucket b has stream 2 b of negatives and 2 b + 1 of positives, else stream b.
    """

    bucket_map: BucketMap
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
        if self.memory.nbytes <= MOST_SPARE_BYTES:
            _spare[:] = [self.memory]

    def gather(self, stream: int) -> NDArray[Any]:
        """Return a copy of one stream's scores, in the order of the rows."""
        return self._gather_columns(stream, self.pool, self.buffers)

    def gather_carried(self, stream: int) -> NDArray[Any]:
        """Return a copy of the weights or row numbers that one stream's scores carry."""
        return self._gather_columns(stream, self.carried_pool, self.carried_buffers)

    def bucket(self, b: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return copies of a bucket's scores, negatives first, and of the values they carry."""
        scores = self._gather_columns(2 * b, self.pool, self.buffers, 2)
        return scores, self._gather_columns(2 * b, self.carried_pool, self.carried_buffers, 2)

    def _gather_columns(
        self, stream: int, pool: NDArray[Any], buffers: NDArray[Any], n_streams: int = 1
    ) -> NDArray[Any]:
        sizes = self.rows[stream : stream + n_streams].tolist()
        out = np.empty(sum(sizes), pool.dtype)
        start = 0
        index = self.block_starts, self.block_order, buffers, self.fill
        for k, size in enumerate(sizes):
            buckets.gather(stream + k, pool, *index, out[start : start + size])
            start += size
        return out


def partition_rows(scores: NDArray[Any]) -> Partition:
    """Scatter scores without classes into buckets; they carry the numbers of their rows.

    ``is_clean`` says whether all are finite.
    """
    return partition(BinaryRows(_NO_LABELS, 0, scores, None, False, False), with_numbers=True)


def partition(rows: BinaryRows, *, with_numbers: bool = False) -> Partition:
    """Scatter the rows into buckets by class; scores carry their weights.

    Or, ``with_numbers``, the numbers of their rows. One pass over scores and labels, which also
    verifies labels and finiteness: ``is_clean`` says whether all are valid. Memory: one copy of the
    scores and of their weights or numbers; about 1 % for buffers.
    """
    labels, negative, scores = rows.unverified
    inclusive_max = np.inf if rows.allow_inf else _LARGEST
    bucket_map = map_buckets(scores)
    weights = np.empty(0)
    carried = None
    if with_numbers:
        carried = np.dtype(np.int32 if len(scores) <= MOST_SHORT else np.int64)
    elif rows.weights is not None:
        weights = rows.weights
        carried = rows.weights.dtype
    n = len(scores)
    block = buckets.BLOCK
    streams_per_bucket = 2 if len(labels) else 1
    n_streams = streams_per_bucket * bucket_map.n_buckets
    stream_of_cell = streams_per_bucket * bucket_map.bucket_of_cell
    n_chunks = max(1, n // max(PART_ROWS, PART_FILLS * n_streams * block))
    cuts = np.array([n * k // n_chunks for k in range(n_chunks + 1)], np.int64)
    first_block = cuts[:-1] // block + np.arange(n_chunks)
    n_blocks = n // block + n_chunks
    carried_kind = np.dtype(np.int32) if carried is None else carried
    cut = n_blocks * block * scores.itemsize
    end = cut + (0 if carried is None else n_blocks * block * carried_kind.itemsize)
    memory = _take_pool(end)
    pool = memory[:cut].view(scores.dtype).reshape(n_blocks, block)
    carried_pool = memory[cut:end].view(carried_kind).reshape(-1, block)
    owner = np.empty(n_blocks, np.uint16)
    buffers = np.empty((n_chunks, n_streams, block), scores.dtype)
    carried_buffers = np.empty((n_chunks, 0 if carried is None else n_streams, block), carried_kind)
    fill = np.zeros((n_chunks, n_streams), np.uint16)

    def scatter_chunk(k: int) -> tuple[int, int, bool]:
        one = slice(int(cuts[k]), int(cuts[k + 1]))
        rows_of_chunk: tuple[int, int, bool] = buckets.scatter(
            scores[one],
            labels[one],
            negative,
            bucket_map.by_range,
            bucket_map.low,
            bucket_map.scale,
            stream_of_cell,
            bucket_map.splitters,
            bucket_map.tree,
            inclusive_max,
            pool,
            first_block[k],
            owner,
            buffers[k],
            fill[k],
            one.start,
            weights[one],
            carried_pool,
            carried_buffers[k],
        )
        return rows_of_chunk

    results = run([partial(scatter_chunk, k) for k in range(n_chunks)])
    block_starts = np.zeros(n_streams * n_chunks + 1, np.int64)
    block_order = np.empty(n_blocks, np.int32)
    next_block = np.array([one[0] for one in results], np.int64)
    buckets.index_blocks(owner, first_block, next_block, block_starts, block_order)
    in_stream = np.diff(block_starts[::n_chunks]) * block + fill.sum(axis=0, dtype=np.int64)
    n_labelled = sum(one[1] for one in results) + int(in_stream[1::2].sum())
    all_labelled = n_labelled == n or not len(labels)
    return Partition(
        bucket_map=bucket_map,
        pool=pool,
        carried_pool=carried_pool,
        block_starts=block_starts,
        block_order=block_order,
        buffers=buffers,
        carried_buffers=carried_buffers,
        fill=fill,
        rows=in_stream,
        is_clean=all_labelled and not any(one[2] for one in results),
        memory=memory,
    )


#: Leaves of a bucket for each of its values, and at most: their numbers take two bytes.
_LEAVES_A_ROW: Final = 2
_MOST_LEAVES: Final = 1 << 16
#: Bits of the distance between floats of both signs: leaves would be of what is between them.
_OF_BOTH_SIGNS: Final = 62
#: Fewer or more values are sorted as soon without leaves.
LEAST_IN_LEAVES: Final = 2_048
_MOST_IN_LEAVES: Final = 4 * _MOST_LEAVES


def sort_bucket(values: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]:
    """Return the finite values of a bucket in ascending order; their memory may be reused.

    Values that are spread smoothly are put into leaves: 5 ns each, where ``numpy.sort`` takes 6 to
    40, by its processor.
    """
    n = len(values)
    if LEAST_IN_LEAVES <= n <= _MOST_IN_LEAVES:
        placed = np.empty_like(values) if out is None else out
        n_leaves = min(_LEAVES_A_ROW * n, _MOST_LEAVES)
        scratch = np.empty(n, np.uint16), np.empty(n_leaves + 1, np.int32)
        if buckets.sort_leaves(values, *scratch, placed):
            return placed
    values.sort()
    if out is None:
        return values
    out[:] = values
    return out


def sort_in_buckets(scores: NDArray[Any]) -> None:
    """Sort scores in place, many floats by way of buckets; memory: one copy."""
    if scores.dtype.kind != "f" or len(scores) < ONE_BUCKET_ROWS:
        scores.sort()
        return
    parted = partition(BinaryRows(_NO_LABELS, 0, scores, None, False, allow_inf=True))
    ends = np.cumsum(parted.rows).tolist()

    def sort(b: int) -> None:
        values = parted.gather(b)
        sort_bucket(values, scores[ends[b] - len(values) : ends[b]])

    run([partial(sort, b) for b in range(parted.bucket_map.n_buckets)])


Ints = NDArray[np.int32] | NDArray[np.int64]

_SIGN: Final = np.uint64(1 << 63)

#: Up to so many rows a plain stable argsort is sooner done.
_FEW: Final = 1_000
#: Below this many rows, one bucket beats a partition.
ONE_BUCKET_ROWS = 1 << 16
#: Rows of a job that walks through an order.
_JOB_ROWS: Final = 1 << 15


@dataclass(frozen=True, slots=True, eq=False)
class RowOrder:
    """Rows in ascending order of their scores, those of equal scores in the order of the rows.

    ``scores[rows]`` ascends; numbers of rows are int32, int64 beyond 2**31 - 1 rows. ``starts``
    says where the rows of each distinct score start, and last n: ``scores[rows[starts[:-1]]]`` are
    the distinct scores, ``starts[:-1] + starts[1:] + 1`` twice the mean ranks, from 1 on.
    ``is_finite`` says whether all scores are, for floats that were not checked before.
    """

    rows: Ints
    starts: Ints
    is_finite: bool

    @property
    def n_distinct(self) -> int:
        """Number of distinct scores; -0.0 and 0.0 are one."""
        return len(self.starts) - 1

    def spread(self, by_score: NDArray[Any]) -> NDArray[Any]:
        """Return the entry of each row's score, in the order of the data.

        Of ``numpy.arange(n_distinct)``, for instance, the rank of its score among the distinct
        ones; of ``starts[:-1]``, the number of rows that score less.
        """
        out = np.empty(len(self.rows), by_score.dtype)
        write = partial(merges.spread, self.rows, self.starts)
        run([partial(write, *job, by_score, out) for job in self.jobs()])
        return out

    def spread_by_class(
        self,
        labels: NDArray[np.int8],
        negative_entries: NDArray[Any],
        positive_entries: NDArray[Any],
    ) -> NDArray[Any]:
        """Return the entry of each row's class and score, entries being by descending score."""
        out = np.empty(len(self.rows), positive_entries.dtype)
        n = self.n_distinct

        def write(first: int, stop: int) -> None:
            here = slice(n - stop, n - first)
            columns = (each[here][::-1].copy() for each in (negative_entries, positive_entries))
            merges.spread_by_class(self.rows, self.starts, first, stop, labels, *columns, out)

        run([partial(write, *job) for job in self.jobs()])
        return out

    def jobs(self) -> list[tuple[int, int]]:
        """Return ranges of distinct scores with about equally many rows, for threads."""
        return split_jobs(self.starts, _JOB_ROWS)


@dataclass(frozen=True, slots=True, eq=False)
class NarrowOrder:
    """Rows of scores of 16 bits, whose ``distinct`` scores, descending, are known."""

    scores: NDArray[Any]
    distinct: NDArray[np.float32]

    def spread_by_class(
        self,
        labels: NDArray[np.int8],
        negative_entries: NDArray[Any],
        positive_entries: NDArray[Any],
    ) -> NDArray[Any]:
        """Return the entry of each row's class and score, as `RowOrder` does."""
        by_bits = np.empty((2, 1 << 16), positive_entries.dtype)
        at = narrow_bits(self.distinct, self.scores.dtype)
        by_bits[0, at] = negative_entries
        by_bits[1, at] = positive_entries
        by_bits[:, 1 << 15] = by_bits[:, 0]  # of -0.0
        bits = self.scores.view(np.uint16)
        out = np.empty(len(bits), by_bits.dtype)

        def write(here: slice) -> None:
            codes = (labels[here] == 1).astype(np.int64) << 16
            codes |= bits[here]
            by_bits.take(codes, out=out[here], mode="clip")

        by_blocks(len(bits), write)
        return out


def split_jobs(starts: Ints, size: int) -> list[tuple[int, int]]:
    """Return ranges of runs, given by their starts and the end, of about ``size`` rows each."""
    steps = np.arange(int(starts[0]) + size, int(starts[-1]), size, dtype=starts.dtype)
    edges = [0, *np.searchsorted(starts, steps).tolist(), len(starts) - 1]
    return [(start, stop) for start, stop in pairwise(edges) if start < stop]


def row_order(scores: NDArray[Any]) -> RowOrder:
    """Return the rows in the order of their scores, as ``numpy.argsort(scores, kind="stable")``.

    The scores are checked, but may be infinite; the position of nan is undefined. O(n log n) time
    in sorts that fit the cache, about twice that of ``numpy.sort`` on one thread; O(n) where the
    scores ascend already. Memory: 12 bytes a row beside the result, 8 bytes a row.
    """
    n = len(scores)
    kind = np.dtype(np.int32 if n <= MOST_SHORT else np.int64)
    if n <= _FEW:
        rows = np.argsort(scores, kind="stable").astype(kind)
        return RowOrder(rows, _starts_of_runs(scores[rows], kind), _is_finite(scores))
    if merges.ascends(scores):
        starts = _starts_of_runs(scores, kind)
        return RowOrder(np.arange(n, dtype=kind), starts, _is_finite(scores))
    rows = np.empty(n, kind)
    starts = np.zeros(n + 1, kind)
    if n < ONE_BUCKET_ROWS:
        size = _order_bucket(scores, np.arange(n, dtype=kind), 0, rows, starts[1:])
        return RowOrder(rows, _trim(starts, size + 1), _is_finite(scores))
    parted = partition_rows(scores)
    first = np.concatenate(([0], np.cumsum(parted.rows))).tolist()
    n_distinct = [0] * parted.bucket_map.n_buckets

    def order(b: int) -> None:
        stretch = slice(first[b], first[b + 1])
        numbers = parted.gather_carried(b)
        if parted.bucket_map.holds_one_score[b]:
            rows[stretch] = numbers
            starts[1:][stretch][:1] = first[b + 1]
            n_distinct[b] = int(len(numbers) > 0)
            return
        n_distinct[b] = _order_bucket(
            parted.gather(b), numbers, first[b], rows[stretch], starts[1:][stretch]
        )

    run([partial(order, b) for b in range(parted.bucket_map.n_buckets)])
    parted.release()
    at = 1
    for b, size in enumerate(n_distinct):
        if at != first[b] + 1:
            starts[at : at + size] = starts[first[b] + 1 : first[b] + 1 + size]
        at += size
    return RowOrder(rows, _trim(starts, at), parted.is_clean)


def _is_finite(scores: NDArray[Any]) -> bool:
    return scores.dtype.kind != "f" or bool(np.isfinite(scores).all())


def _starts_of_runs(ordered: NDArray[Any], kind: np.dtype[Any]) -> Ints:
    """Return the starts of the runs of equal values, and the end of the last."""
    is_start = np.ones(len(ordered) + 1, np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_start[1:-1])
    return np.flatnonzero(is_start).astype(kind)


def _order_bucket(scores: NDArray[Any], numbers: Ints, start: int, rows: Ints, ends: Ints) -> int:
    """Write the ordered rows of a bucket and the ends of its distinct scores; return their number.

    ``numbers`` are those of the rows, ascending.
    """
    if len(scores) == 0:
        return 0

    def write(words: NDArray[np.uint64], index_bits: np.uint64, keys: NDArray[np.uint64]) -> int:
        return int(merges.unpack(words, index_bits, keys, numbers, start, rows, ends))

    return walk_in_order(scores, write)


def walk_in_order(
    scores: NDArray[Any], walk: Callable[[NDArray[np.uint64], np.uint64, NDArray[np.uint64]], int]
) -> int:
    """Run ``walk`` on the indices of scores in sorted order; ties keep the order of indices.

    Its arguments are sorted words, the number of index bits at the end of each, and the keys. If
    bits that the words lack would change the order, it returns -1 and is called again.
    """
    keys, least, greatest = _ordered_keys(scores)
    index_bits = np.uint64(len(keys).bit_length())
    key_bits = (int(greatest) - int(least)).bit_length()
    shift = np.uint64(max(0, key_bits + int(index_bits) - 64))
    words = np.empty(len(keys), np.uint64)
    merges.pack(keys, least, shift, index_bits, words)
    if key_bits < _OF_BOTH_SIGNS:
        words = sort_bucket(words)
    else:
        words.sort()
    result = walk(words, index_bits, keys)
    if result < 0:
        result = walk(_ordered_twice(keys, least, shift, index_bits), index_bits, keys)
    return result


def _ordered_twice(
    keys: NDArray[np.uint64], least: np.uint64, shift: np.uint64, index_bits: np.uint64
) -> NDArray[np.uint64]:
    """Return the indices in the order of all bits: by the last bits, then by those before."""
    mask = (np.uint64(1) << index_bits) - np.uint64(1)
    words = np.empty(len(keys), np.uint64)
    last = keys - least & (np.uint64(1) << shift) - np.uint64(1)
    merges.pack(last, np.uint64(0), np.uint64(0), index_bits, words)
    by_last = sort_bucket(words) & mask
    merges.pack(keys[by_last], least, shift, index_bits, words)
    return np.asarray(by_last[sort_bucket(words) & mask])


def _trim(starts: Ints, size: int) -> Ints:
    """Cut unused entries off; copy where that frees much memory."""
    return starts[:size] if size > 0.75 * len(starts) else starts[:size].copy()


def _ordered_keys(scores: NDArray[Any]) -> tuple[NDArray[np.uint64], np.uint64, np.uint64]:
    """Return numbers in the order of the scores, equal where these are, and the ends of both."""
    if scores.dtype.kind == "f":
        keys = np.array(scores, np.float64).view(np.uint64)
        least, greatest = merges.order_floats(keys)
        return keys, np.uint64(least), np.uint64(greatest)
    keys = scores.view(np.uint64)
    if scores.dtype.kind == "i":
        keys = keys ^ _SIGN
    return keys, keys.min(initial=2**64 - 1), keys.max(initial=0)
