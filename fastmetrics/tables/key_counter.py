"""Count scores that fit in 32 bits: two bytes for each number, whatever the number of rows."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels import buckets
from fastmetrics._threads.workers import run
from fastmetrics.tables.score_table import ScoreTable
from fastmetrics.tables.sorted_columns import BLOCK, RECURS, Batch, Side, SortedColumn, merge_equal

#: Keys of a bin: the last 16 of 32 bits.
OF_BIN: Final = 1 << 16
#: Bytes of a bin: a count of each class at each key.
BIN_BYTES: Final = 2 * OF_BIN
_SIGN: Final = np.uint32(1 << 31)
#: Keys whose intermediate results stay in the cache.
_CHUNK: Final = 1 << 16
#: Bins that become columns at once.
_AT_ONCE: Final = 16


def to_bits(scores: NDArray[Any]) -> NDArray[np.int32] | None:
    """Return scores as 32 bits: float32, or numbers that lose nothing; None for others."""
    if scores.dtype == np.float32:
        return scores.view(np.int32)
    if scores.dtype.kind == "f":
        single = _fitting(scores, np.float32)
        return None if single is None else single.view(np.int32)
    return _fitting(scores, np.int32)


def _fitting(scores: NDArray[Any], kind: type[Any]) -> NDArray[Any] | None:
    """Return scores in a shorter dtype; None if that would change any."""
    for some in (scores[:64], scores):  # of most that do not fit, a few tell
        with np.errstate(over="ignore"):
            short = some.astype(kind)
        if not np.array_equal(short, some):
            return None
    return short


def sign_flip(dtype: np.dtype[Any]) -> np.int32:
    """Return the mask that flips the bits of negative scores: all but the sign of floats."""
    return np.int32(2**31 - 1 if dtype.kind == "f" else 0)


def to_keys(bits: NDArray[np.int32], flip: np.int32) -> NDArray[np.uint32]:
    """Return keys in the order of the scores; -0.0 and 0.0 have different keys."""
    return (bits ^ ((bits >> 31) & flip)).view(np.uint32) ^ _SIGN


def keys_to_scores(keys: NDArray[np.uint32], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the scores of keys; the memory of the keys may be reused."""
    keys ^= _SIGN
    bits = keys.view(np.int32)
    for start in range(0, len(bits), _CHUNK):
        some = bits[start : start + _CHUNK]
        some ^= (some >> 31) & sign_flip(dtype)
    return bits_to_scores(bits, dtype)


def bits_to_scores(bits: NDArray[np.int32], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the scores with these bits."""
    return (bits.view(np.float32) if dtype.kind == "f" else bits).astype(dtype, copy=False)


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class CountedKeys:
    """Counts of the keys of some bins; a *position* is the index of such a key.

    ``bins`` are those with ``slots``, ascending; ``passed`` are the cells that passed 255,
    ascending, and ``times`` how often; ``dtype`` is that of the scores.
    """

    bins: NDArray[np.int64]
    slots: NDArray[np.uint16]
    cells: NDArray[np.uint8]
    passed: NDArray[np.int64]
    times: NDArray[np.int64]
    dtype: np.dtype[Any]

    @property
    def size(self) -> int:
        """Number of scores that are counted."""
        return len(self.bins) * OF_BIN

    def marks(self) -> NDArray[Any]:
        """Return the score of each 1,024th position, without NaN."""
        firsts = ((self.bins[:, None] << 16) + np.arange(0, OF_BIN, BLOCK)).ravel()
        if self.dtype.kind == "f":
            infinite = np.array([-np.inf, np.inf], np.float32).view(np.int32)
            low, high = to_keys(infinite, sign_flip(self.dtype)).tolist()
            firsts = firsts[(low <= firsts) & (firsts <= high)]
        return keys_to_scores(firsts.astype(np.uint32), self.dtype)

    def position(self, score: Any, side: Side) -> int:
        """Return the number of positions below a score; with "right", not above it."""
        if self.dtype.kind == "f":
            with np.errstate(over="ignore"):
                value: Any = np.float32(score)
            if is_between := bool(value != score):
                value = value if value > score else np.nextafter(value, np.float32(np.inf))
            bits = np.array([value + np.float32(0)]).view(np.int32)
        else:
            value = int(score)
            is_between = False
            if not -(2**31) <= value < 2**31:
                return 0 if value < 0 else self.size
            bits = np.array([value], np.int32)
        key = int(to_keys(bits, sign_flip(self.dtype))[0])
        rank = int(np.searchsorted(self.bins, key >> 16))
        if rank == len(self.bins) or self.bins[rank] != key >> 16:
            return rank * OF_BIN
        return rank * OF_BIN + (key & (OF_BIN - 1)) + (side == "right" and not is_between)

    def rows(self, start: int, stop: int) -> tuple[int, int]:
        """Return the positive and the negative rows between two positions."""
        rows = np.zeros(2, np.int64)
        buckets.rows_between(self.bins, self.slots, self.cells, start, stop, rows)
        passed, times = self._passed(start, stop)
        more = int(times[passed & 1 == 1].sum()), int(times[passed & 1 == 0].sum())
        return int(rows[1]) + 256 * more[0], int(rows[0]) + 256 * more[1]

    def table(self, start: int, stop: int) -> ScoreTable:
        """Return the table of the scores between two positions."""
        n = stop - start
        bits = np.empty(n, np.int32)
        counts = np.empty((2, n), np.int64)
        keys = self.bins, self.slots, self.cells, start, stop, sign_flip(self.dtype)
        n_distinct = buckets.table_between(*keys, *self._passed(start, stop), bits, *counts)
        scores = bits_to_scores(bits[:n_distinct], self.dtype)
        return ScoreTable._from_columns(scores, counts[0, :n_distinct], counts[1, :n_distinct])

    def columns(self) -> Iterator[tuple[int, SortedColumn]]:
        """Yield all rows as columns, each with its label: 1 for positives, 0 for negatives."""
        for start in range(0, self.size, _AT_ONCE * OF_BIN):
            table = self.table(start, min(start + _AT_ONCE * OF_BIN, self.size))
            for label, counts in ((1, table.positives), (0, table.negatives)):
                if (has := counts > 0).any():
                    scores = table.scores[has][::-1]
                    times = counts[has][::-1]
                    if times.sum() < RECURS * len(scores):  # a count takes more than its rows
                        yield label, SortedColumn.from_scores(np.repeat(scores, times))
                    else:
                        yield label, SortedColumn.from_counts(scores, times)

    def _passed(self, start: int, stop: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        ends = [2 * self._key(start), 2 * self._key(stop)]
        some = slice(*np.searchsorted(self.passed, ends).tolist())
        return self.passed[some], self.times[some]

    def _key(self, position: int) -> int:
        if position == self.size:
            return 1 << 32
        return (int(self.bins[position >> 16]) << 16) + (position & (OF_BIN - 1))


#: Rows of a bin that are worth a slot.
WORTH: Final = 4096
#: Bins of a group, whose counts fit the second-level cache; groups at most.
_OF_GROUP: Final = 4
_MOST_GROUPS: Final = 512
#: One in so many blocks is looked at to even out the groups.
_LOOK: Final = 64
#: One in so many waiting rows is looked at to decide which bins are worth a slot.
_SAMPLE: Final = 8
#: With fewer distinct scores a row, sorted runs count them; least fraction of rows in bins with
#: slots for which counting pays.
_MOST_RECUR: Final = 1 / RECURS
_LEAST_SHARE: Final = 0.5
#: Counts of 256 that a stream writes down before they are added up.
_PASSED: Final = 1024
#: Keys that are looked at at once, since NumPy makes longer numbers of them.
_COUNTED_AT_ONCE: Final = 1 << 18
#: Jobs that streams are counted in.
_JOBS: Final = 32


class PendingKeys:
    """Keys partitioned into streams, the bins with slots, and how far they are counted."""

    def __init__(
        self,
        slots: NDArray[np.uint16],
        bins: NDArray[np.int64],
        others: NDArray[np.int64],
        stream_of_bin: NDArray[np.uint16],
        n_blocks: int,
        rows: list[int],
    ) -> None:
        n_streams = int(stream_of_bin.max()) + 2
        self.slots = slots
        self.bins = bins
        #: Rows of bins that have no slot so far.
        self.others = others
        self.stream_of_bin = stream_of_bin
        self.pool = np.empty((n_blocks + n_streams, buckets.BLOCK), np.uint32)
        self.owner = np.empty(len(self.pool), np.uint16)
        self.buffers = np.empty((n_streams, buckets.BLOCK), np.uint32)
        self.fill = np.zeros(n_streams, np.uint32)
        #: The next free block; all negative and positive rows so far; rows here without a slot.
        self.state = np.array([0, *rows, 0])
        self.passed = np.empty((n_streams, _PASSED + buckets.BLOCK), np.int64)
        self.progress = np.zeros((n_streams, 3), np.int64)
        #: Blocks of each stream: known once no more rows are added.
        self._blocks: tuple[NDArray[np.int64], NDArray[np.int32]] | None = None

    @property
    def capacity(self) -> int:
        """Number of rows that still fit in."""
        if self._blocks is not None:
            return 0
        # Each stream may fill a block more than the rows would.
        return max(len(self.pool) - self.n_streams - int(self.state[0]), 0) * buckets.BLOCK

    @property
    def n_streams(self) -> int:
        """Number of streams."""
        return len(self.fill)

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        held = (self.pool, self.owner, self.buffers, self.passed, self.slots, self.stream_of_bin)
        return sum(each.nbytes for each in held)

    def take(
        self, bits: NDArray[np.int32], flip: np.int32, labels: NDArray[np.int8], label: int
    ) -> None:
        """Add rows that fit in; without labels all are of the class ``label``."""
        streams = self.stream_of_bin, self.pool, self.owner, self.buffers, self.fill
        buckets.deal(bits, flip, labels, label, *streams, self.state)

    def blocks(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return the starts of streams in the order of blocks, and that order; no rows follow."""
        if self._blocks is None:
            n = int(self.state[0])
            starts = np.zeros(self.n_streams + 1, np.int64)
            order = np.empty(n, np.int32)
            buckets.index_blocks(self.owner, np.zeros(1, np.int64), np.array([n]), starts, order)
            self._blocks = starts, order
        return self._blocks

    def stream_slots(self, stream: int) -> NDArray[np.uint16]:
        """Return the slots of a stream's bins."""
        ends = np.searchsorted(self.stream_of_bin[self.bins], [stream & ~1, (stream & ~1) + 1])
        return self.slots[self.bins[slice(*ends)]]

    def gather(self, stream: int) -> NDArray[np.uint32]:
        """Return the keys of a stream."""
        starts, order = self.blocks()
        blocks = order[starts[stream] : starts[stream + 1]]
        rest = self.buffers[stream, : self.fill[stream]]
        out = np.empty(len(blocks) * buckets.BLOCK + len(rest), np.uint32)
        whole = out[: len(out) - len(rest)]
        np.take(self.pool, blocks, axis=0, out=whole.reshape(-1, buckets.BLOCK), mode="clip")
        out[len(whole) :] = rest
        return out

    def rows_of_bins(self) -> NDArray[np.int64]:
        """Estimate the rows of each bin from a sample."""
        return rows_of_bins(self.pool[: self.state[0] : _LOOK].reshape(-1))


class KeyCounter:
    """Counts of the rows of either class, by key, of the bins that have most rows.

    `take` adds rows until the streams are full; then `count` counts them, and `others` are those of
    other bins. Once these are kept, `following` makes the next `pending`. So an interrupt leaves
    each step done, or to be done again.

    ``rows_of_bins`` is about how many of the first rows each bin has; counts may take ``memory``
    bytes, rows that are not counted yet ``waiting`` bytes.
    """

    def __init__(
        self, dtype: np.dtype[Any], rows_of_bins: NDArray[np.int64], memory: int, waiting: int
    ) -> None:
        self.flip = sign_flip(dtype)
        self._most_bins = min(memory // BIN_BYTES, OF_BIN)
        self._n_blocks = max(waiting // (4 * buckets.BLOCK), 1)
        # Most of it may never be touched, and takes no memory until then.
        self._cells = np.zeros(self._most_bins * BIN_BYTES, np.uint8)
        self._passed: tuple[NDArray[np.int64], NDArray[np.int64]] = (
            np.empty(0, np.int64),
            np.empty(0, np.int64),
        )
        self._views: list[weakref.ref[CountedKeys]] = []
        none = np.zeros(OF_BIN, np.uint16), np.empty(0, np.int64)
        self.pending = self._new_streams(*none, rows_of_bins, rows_of_bins, [0, 0])

    @property
    def rows(self) -> tuple[int, int]:
        """Return the positive and the negative rows taken so far."""
        return int(self.pending.state[2]), int(self.pending.state[1])

    @property
    def nbytes(self) -> int:
        """Bytes, including memory that is not touched yet."""
        return self.kept_bytes + self.pending.nbytes

    @property
    def kept_bytes(self) -> int:
        """Bytes of the counts."""
        return self._cells.nbytes + self.passed_bytes

    @property
    def passed_bytes(self) -> int:
        """Bytes of the counts beyond 255."""
        return 16 * len(self._passed[0])

    def take(
        self,
        bits: NDArray[np.int32],
        labels: NDArray[np.int8],
        label: int,
        free_memory: Callable[[], None],
    ) -> None:
        """Add rows; call ``free_memory`` whenever full. Without labels all are ``label``."""
        before = sum(self.rows)
        while (taken := sum(self.rows) - before) < len(bits):
            if not self.pending.capacity:
                free_memory()
            some = slice(taken, taken + self.pending.capacity)
            self.pending.take(bits[some], self.flip, labels[some], label)

    def count(self) -> None:
        """Count the pending rows of bins with slots."""
        pending = self.pending
        starts, order = pending.blocks()
        if any(view() is not None for view in self._views):
            self._cells = self._cells.copy()
        self._views = []
        cells = self._cells
        keys = pending.pool, starts, order, pending.buffers, pending.fill, pending.slots

        def count_some(streams: list[int]) -> None:
            for stream in streams:
                slots = pending.stream_slots(stream)
                counted = pending.passed[stream], pending.progress[stream]
                buckets.count_stream(stream, *keys, slots, cells, *counted)

        while True:
            passed = self._with_passed(pending)  # those of before an interrupt, too
            self._passed = passed  # no call from here on: both, or none
            pending.progress[:, 2] = 0
            left = [s for s in range(2, pending.n_streams) if not pending.progress[s, 1]]
            if not left:
                return
            size = -(-len(left) // _JOBS)
            size += size % 2  # both classes of a group share their lines of the cache
            run([partial(count_some, left[k : k + size]) for k in range(0, len(left), size)])

    def _with_passed(self, pending: PendingKeys) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        new = [
            each[:n] for each, n in zip(pending.passed, pending.progress[:, 2], strict=True) if n
        ]
        if not new:
            return self._passed
        passed, times = self._passed
        passed = np.concatenate((passed, *new))
        times = np.concatenate((times, np.ones(len(passed) - len(times), np.int64)))
        return merge_equal(passed, times)

    def others(self, dtype: np.dtype[Any]) -> Batch:
        """Return the scores of pending positives and negatives whose bins have no slots."""
        negatives, positives = (
            keys_to_scores(self.pending.gather(stream), dtype) for stream in (0, 1)
        )
        return (positives, None), (negatives, None)

    def following(self) -> PendingKeys:
        """Return streams for the next rows, with slots for bins that have become full enough."""
        pending = self.pending
        others = pending.others.copy()
        for stream in (0, 1):
            others += rows_of_bins(pending.gather(stream))
        rows = pending.state[1:3].tolist()
        return self._new_streams(pending.slots, pending.bins, others, pending.rows_of_bins(), rows)

    def view(self, dtype: np.dtype[Any]) -> CountedKeys:
        """Return the counts so far; later rows do not change them."""
        pending = self.pending
        view = CountedKeys(pending.bins, pending.slots, self._cells, *self._passed, dtype)
        self._views.append(weakref.ref(view))
        return view

    def _new_streams(
        self,
        slots: NDArray[np.uint16],
        bins: NDArray[np.int64],
        others: NDArray[np.int64],
        rows_of_bins: NDArray[np.int64],
        rows: list[int],
    ) -> PendingKeys:
        """Return streams for rows distributed over the bins like those so far."""
        without = np.where(np.isin(np.arange(OF_BIN), bins), 0, others)
        new = np.argsort(-without, kind="stable")[: self._most_bins - len(bins)]
        new = new[without[new] >= WORTH]
        slots = slots.copy()
        slots[new] = len(bins) + np.arange(len(new))
        bins = np.sort(np.concatenate((bins, new)))
        # A group has few bins, and few of the rows.
        fractions = np.cumsum(rows_of_bins[bins] + 1.0)
        fractions = fractions / fractions[-1:] + np.arange(1, len(bins) + 1) / max(len(bins), 1)
        n_groups = min(-(-len(bins) // _OF_GROUP), _MOST_GROUPS)
        groups = np.minimum(fractions / 2 * n_groups, n_groups - 1).astype(np.int64)
        stream_of_bin = np.zeros(OF_BIN, np.uint16)
        stream_of_bin[bins] = 2 + 2 * groups
        return PendingKeys(slots, bins, others, stream_of_bin, self._n_blocks, rows)


def make_counter(
    rows: list[NDArray[np.int32]], dtype: np.dtype[Any], memory: int, waiting: int
) -> KeyCounter | None:
    """Return a counter for rows like these; None where sorted runs need less memory.

    They do where scores recur often, and where half of the rows or more lie in bins of few rows.
    """
    some = np.concatenate([to_keys(bits[::_SAMPLE], sign_flip(dtype)) for bits in rows])
    some.sort()
    if 1 + np.count_nonzero(some[1:] != some[:-1]) <= _MOST_RECUR * len(some):
        return None
    bin_rows = _SAMPLE * rows_of_bins(some)
    counter = KeyCounter(dtype, bin_rows, memory, waiting)
    has_slots = int(bin_rows[counter.pending.bins].sum())
    return counter if has_slots > _LEAST_SHARE * _SAMPLE * len(some) else None


def rows_of_bins(keys: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return the number of these keys in each bin."""
    rows = np.zeros(OF_BIN, np.int64)
    for start in range(0, len(keys), _COUNTED_AT_ONCE):
        rows += np.bincount(keys[start : start + _COUNTED_AT_ONCE] >> 16, minlength=OF_BIN)
    return rows
