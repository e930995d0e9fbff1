"""``CountedKeys``: how many rows of either class there are at each score of some bins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels import key_counts
from fastmetrics.tables.runs._columns import BLOCK, RECURS, Side, SortedColumn
from fastmetrics.tables.scores.score_table import ScoreTable

#: Keys of a bin: the last 16 of 32 bits.
OF_BIN: Final = 1 << 16
#: Bytes of a bin: a count of each class at each key.
BIN_BYTES: Final = 2 * OF_BIN
_SIGN: Final = np.uint32(1 << 31)
#: Keys whose intermediate results stay in the cache.
_CHUNK: Final = 1 << 16
#: Bins that become columns at once.
_AT_ONCE: Final = 16


def bits_of(scores: NDArray[Any]) -> NDArray[np.int32] | None:
    """Return scores as 32 bits that tell all of them; None where some need more.

    Such are float32, and numbers of 64 bits that would lose nothing.
    """
    if scores.dtype == np.float32:
        return scores.view(np.int32)
    if scores.dtype.kind == "f":
        single = _fitting(scores, np.float32)
        return None if single is None else single.view(np.int32)
    return _fitting(scores, np.int32)


def _fitting(scores: NDArray[Any], kind: type[Any]) -> NDArray[Any] | None:
    """Return scores in a shorter dtype; None where that changes one."""
    for some in (scores[:64], scores):  # of most that do not fit, a few tell
        with np.errstate(over="ignore"):
            short = some.astype(kind)
        if not np.array_equal(short, some):
            return None
    return short


def flip_of(dtype: np.dtype[Any]) -> np.int32:
    """Return what turns the bits of negative scores: all but the sign of floats."""
    return np.int32(2**31 - 1 if dtype.kind == "f" else 0)


def keys_of(bits: NDArray[np.int32], flip: np.int32) -> NDArray[np.uint32]:
    """Return keys, which are ordered as the scores are; -0.0 has one of its own."""
    return (bits ^ ((bits >> 31) & flip)).view(np.uint32) ^ _SIGN


def scores_of(keys: NDArray[np.uint32], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the scores of keys, whose memory they may take."""
    keys ^= _SIGN
    bits = keys.view(np.int32)
    for start in range(0, len(bits), _CHUNK):
        some = bits[start : start + _CHUNK]
        some ^= (some >> 31) & flip_of(dtype)
    return of_bits(bits, dtype)


def of_bits(bits: NDArray[np.int32], dtype: np.dtype[Any]) -> NDArray[Any]:
    return (bits.view(np.float32) if dtype.kind == "f" else bits).astype(dtype, copy=False)


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class CountedKeys:
    """Counts of the keys of some bins; see `key_counts`. A *place* is a number of such a key.

    ``bins`` are those that have ``slots``, ascending; ``passed`` are the cells that passed 255,
    ascending, and ``times`` says how often; ``dtype`` is that of the scores.
    """

    bins: NDArray[np.int64]
    slots: NDArray[np.uint16]
    cells: NDArray[np.uint8]
    passed: NDArray[np.int64]
    times: NDArray[np.int64]
    dtype: np.dtype[Any]

    @property
    def size(self) -> int:
        return len(self.bins) * OF_BIN

    def marks(self) -> NDArray[Any]:
        """Return the score of each 1,024th place, from the first, but of keys that are NaN."""
        firsts = ((self.bins[:, None] << 16) + np.arange(0, OF_BIN, BLOCK)).ravel()
        if self.dtype.kind == "f":
            infinite = np.array([-np.inf, np.inf], np.float32).view(np.int32)
            low, high = keys_of(infinite, flip_of(self.dtype)).tolist()
            firsts = firsts[(low <= firsts) & (firsts <= high)]
        return scores_of(firsts.astype(np.uint32), self.dtype)

    def position(self, score: Any, side: Side) -> int:
        """Return how many places are below a score; with "right", not above it."""
        if self.dtype.kind == "f":
            with np.errstate(over="ignore"):
                value: Any = np.float32(score)
            if is_between := bool(value != score):
                value = value if value > score else np.nextafter(value, np.float32(np.inf))
            bits = np.array([value + np.float32(0)]).view(np.int32)
        else:
            value, is_between = int(score), False
            if not -(2**31) <= value < 2**31:
                return 0 if value < 0 else self.size
            bits = np.array([value], np.int32)
        key = int(keys_of(bits, flip_of(self.dtype))[0])
        rank = int(np.searchsorted(self.bins, key >> 16))
        if rank == len(self.bins) or self.bins[rank] != key >> 16:
            return rank * OF_BIN
        return rank * OF_BIN + (key & (OF_BIN - 1)) + (side == "right" and not is_between)

    def rows(self, start: int, stop: int) -> tuple[int, int]:
        """Return the positive and the negative rows between two places."""
        rows = np.zeros(2, np.int64)
        key_counts.rows_between(self.bins, self.slots, self.cells, start, stop, rows)
        passed, times = self._passed(start, stop)
        more = int(times[passed & 1 == 1].sum()), int(times[passed & 1 == 0].sum())
        return int(rows[1]) + 256 * more[0], int(rows[0]) + 256 * more[1]

    def table(self, start: int, stop: int) -> ScoreTable:
        """Return the table of the scores between two places."""
        n = stop - start
        bits, counts = np.empty(n, np.int32), np.empty((2, n), np.int64)
        found = key_counts.table_between(
            *(self.bins, self.slots, self.cells, start, stop, flip_of(self.dtype)),
            *(*self._passed(start, stop), bits, *counts),
        )
        scores = of_bits(bits[:found], self.dtype)
        return ScoreTable._of_columns(scores, counts[0, :found], counts[1, :found])

    def columns(self) -> Iterator[tuple[int, SortedColumn]]:
        """Give all rows as columns: 1 and one of positives, 0 and one of negatives, and so on."""
        for start in range(0, self.size, _AT_ONCE * OF_BIN):
            table = self.table(start, min(start + _AT_ONCE * OF_BIN, self.size))
            for label, counts in ((1, table.positives), (0, table.negatives)):
                if (has := counts > 0).any():
                    scores, times = table.scores[has][::-1], counts[has][::-1]
                    if times.sum() < RECURS * len(scores):  # a count takes more than its rows
                        yield label, SortedColumn.of_scores(np.repeat(scores, times))
                    else:
                        yield label, SortedColumn.of_counts(scores, times)

    def _passed(self, start: int, stop: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        ends = [2 * self._key(start), 2 * self._key(stop)]
        some = slice(*np.searchsorted(self.passed, ends).tolist())
        return self.passed[some], self.times[some]

    def _key(self, place: int) -> int:
        if place == self.size:
            return 1 << 32
        return (int(self.bins[place >> 16]) << 16) + (place & (OF_BIN - 1))
