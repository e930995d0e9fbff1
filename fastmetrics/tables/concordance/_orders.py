"""Rows in ascending order, three times sooner than by an argsort: the sort of one number a row."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

#: Rows of a chunk, whose temporaries stay in cache.
_CHUNK: Final = 1 << 15
#: Fewer rows gain nothing; of more, their numbers leave too few bits to the values.
_FEWEST: Final = 1 << 10
_MOST: Final = 1 << 22
#: Where more than one of so many neighbours is out of order, values are too much alike.
_RARELY: Final = 64
_ALL_BUT_SIGN: Final = 0x7FFFFFFFFFFFFFFF


def ascending(values: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return the rows in ascending order of their values, and those values.

    Notes
    -----
    A float has its bits in the order of its value, but for the sign; a row's number takes the place
    of the lowest of them, and the result is sorted: NumPy sorts numbers four times as fast as it
    sorts places. Rows that differ only in the bits that were lost are put right by a sort that is
    quick where little is out of order. Integers of too wide a range, and values too much alike, go
    by an argsort.
    """
    n = len(values)
    if not _FEWEST <= n <= _MOST or (values.dtype.kind != "f" and not _fits(values)):
        return _by_argsort(values)
    rows = _packed(values, n.bit_length())
    ordered = values[rows]
    wrong = np.count_nonzero(ordered[1:] < ordered[:-1])
    if wrong * _RARELY > n:
        return _by_argsort(values)
    if wrong:
        places = np.argsort(ordered, kind="stable")
        return rows[places], ordered[places]
    return rows, ordered


def _by_argsort(values: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    rows = np.argsort(values)
    return rows, values[rows]


def _fits(values: NDArray[Any]) -> bool:
    """Return whether the range of integers leaves room for the numbers of rows."""
    return (int(values.max()) - int(values.min())).bit_length() + len(values).bit_length() <= 63


def _packed(values: NDArray[Any], bits: int) -> NDArray[np.int64]:
    mask = np.int64((1 << bits) - 1)
    keys = np.empty(len(values), np.int64)
    least = None if values.dtype.kind == "f" else values.min()
    for start in range(0, len(keys), _CHUNK):
        part, chunk = keys[start : start + _CHUNK], values[start : start + _CHUNK]
        if least is None:
            np.add(chunk, 0.0, out=part.view(np.float64))  # -0.0 is 0.0
            sign = part >> 63
            sign &= _ALL_BUT_SIGN
            part ^= sign
            part &= ~mask
        else:
            np.subtract(chunk, least, out=part, casting="unsafe")
            part <<= bits
        part |= np.arange(start, start + len(part))
    keys.sort()
    keys &= mask
    return keys
