"""Rows in the order of their keys: words that hold a shortened key and a place, and back.

A sort of such words by NumPy, which has the vector instructions, is a sort of rows.
"""

from __future__ import annotations

import numpy as np

from fastmetrics._kernels._compile import kernel

_U = np.uint64  # unsigned indices spare the test for negative ones
_SIGN = np.uint64(1 << 63)


@kernel
def ascends(scores):
    """Return whether no score is below the one before it."""
    j = 1
    while j < scores.size and not scores[j] < scores[j - 1]:
        j += 1
    return j >= scores.size


@kernel
def order_floats(keys):
    """Turn the bits of floats, -0.0 as 0.0, into numbers in the floats' order; return the ends."""
    least = ~_U(0)
    greatest = _U(0)
    for j in range(keys.size):
        bits = keys[j]
        bits = bits if bits != _SIGN else _U(0)
        key = bits ^ _SIGN if bits < _SIGN else ~bits
        keys[j] = key
        least = min(least, key)
        greatest = max(greatest, key)
    return least, greatest


@kernel
def pack(keys, base, shift, place_bits, words):
    """Write each key less ``base``, without its last ``shift`` bits, and then its place."""
    for j in range(keys.size):
        words[j] = ((keys[j] - base) >> shift) << place_bits | _U(j)


@kernel
def unpack(words, place_bits, keys, numbers, start, rows, ends):
    """Write the numbers of the rows that sorted words name, and where each run of equal keys ends.

    ``start`` is added to the latter. Returns how many runs there are, or -1 where the bits that
    were cut off would have ordered some rows otherwise.
    """
    mask = (_U(1) << place_bits) - _U(1)
    if words.size == 0:
        return 0
    before = keys[words[0] & mask]
    at = 0
    is_wrong = False
    for i in range(words.size):
        place = words[i] & mask
        key = keys[place]
        rows[i] = numbers[place]
        is_wrong |= key < before
        at += np.int64(key != before)
        ends[at] = start + i + 1
        before = key
    return -1 if is_wrong else at + 1


@kernel
def spread(rows, starts, first, stop, by_run, out):
    """Write to each row of the runs ``first`` to ``stop`` the entry of its run."""
    for k in range(first, stop):
        entry = by_run[k]
        for i in range(starts[k], starts[k + 1]):
            out[rows[i]] = entry
