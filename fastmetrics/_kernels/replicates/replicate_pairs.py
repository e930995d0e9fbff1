"""Sums over the counts of rows: pairs of the two classes, weighted columns.

Counts are bytes, rows sorted by descending score and, inside a tie, positives first. A mask byte
is 255 for a positive, else 0. Eight neighbouring counts must sum to less than 256: of draws that
fall on each row once on average, more do so with a probability below 1e-30.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels._compile import kernel

Floats = NDArray[np.float64]

#: Rows of a segment, whose class totals are kept; and its words of eight counts.
SEGMENT = 512
_SEGMENT_WORDS = 64
#: Rows whose sums are taken by themselves, in lanes.
BLOCK = 4096
_LANES = 64
_64, _MASK_64, _ONE = np.uint64(6), np.uint64(63), np.uint64(1)
_S8, _S16, _S32, _TOP = (np.uint64(shift) for shift in (8, 16, 32, 56))


@kernel
def gather_counts(
    drawn: NDArray[np.uint8], units: NDArray[np.int32], counts: NDArray[np.uint8]
) -> None:
    """Fill ``counts[r, i]`` with ``drawn[r, units[i]]``: what is drawn are units, not rows."""
    for r in range(counts.shape[0]):
        some = drawn[r]
        for i in range(units.size):
            counts[r, i] = some[np.uint32(units[i])]


@kernel
def take(values: NDArray[Any], places: NDArray[np.int32], found: NDArray[Any]) -> None:
    """Fill ``found[i]`` with ``values[places[i]]``."""
    for i in range(places.size):
        found[i] = values[np.uint32(places[i])]


@kernel
def exchange_rows(
    coins: NDArray[np.uint64],
    units: NDArray[np.int32],
    second: NDArray[np.uint8],
    of_first: NDArray[np.uint8],
    of_second: NDArray[np.uint8],
) -> None:
    """Count the rows that each of two models has once units have tossed their coins.

    Row i is of the first model, or if ``second[i]`` of the other one; where the coin of its unit,
    a bit, is 1, it goes over.
    """
    for r in range(of_first.shape[0]):
        words = coins[r]
        first = of_first[r]
        other = of_second[r]
        for i in range(units.size):
            unit = np.uint64(units[i])
            coin = np.uint8((words[unit >> _64] >> (unit & _MASK_64)) & _ONE)
            other[i] = coin ^ second[i]
            first[i] = np.uint8(1) ^ other[i]


@kernel
def byte_products(a: NDArray[np.uint8], b: NDArray[np.uint8], n: int) -> int:
    """Return the sum of a[i] * b[i]; 32 bits wide, so that it runs in vector lanes."""
    total = np.uint32(0)
    for i in range(n):
        total = np.uint32(total + np.uint32(np.uint32(a[i]) * np.uint32(b[i])))
    return np.int64(total)


@kernel
def pair_counts(
    counts: NDArray[np.uint64],
    masks: NDArray[np.uint64],
    pieces: NDArray[np.int64],
    counts_by_row: NDArray[np.uint8],
    state: NDArray[np.int64],
    segment_positives: NDArray[np.int64],
    segment_negatives: NDArray[np.int64],
) -> None:
    """Count, on through a part of the rows of each replicate, the pairs that a positive wins.

    ``counts`` are words of eight rows, ``counts_by_row`` the same memory. ``state[r]`` is
    [positives, negatives, doubled pairs won (a tie is one), positives of the open tie], and goes
    on where the part before it ended. ``pieces`` lists the ties of both classes inside this part:
    (first row, first negative, end, whether the tie ends here).
    """
    prefixes = np.empty(_SEGMENT_WORDS, np.uint64)
    negatives = np.empty(_SEGMENT_WORDS, np.uint64)
    prefix_bytes = prefixes.view(np.uint8)
    negative_bytes = negatives.view(np.uint8)
    n_words = masks.size
    for r in range(counts.shape[0]):
        all_positives = state[r, 0]
        all_negatives = state[r, 1]
        won = np.int64(0)
        for segment in range((n_words + _SEGMENT_WORDS - 1) // _SEGMENT_WORDS):
            start = segment * _SEGMENT_WORDS
            size = min(_SEGMENT_WORDS, n_words - start)
            for i in range(size):
                count = counts[r, start + i]
                positive = count & masks[start + i]
                negatives[i] = count ^ positive
                # Prefix sums of the eight bytes: byte j becomes the sum of the bytes up to j.
                positive += positive << _S8
                positive += positive << _S16
                prefixes[i] = positive + (positive << _S32)
            won += byte_products(prefix_bytes, negative_bytes, 8 * size)
            before = np.int64(0)
            below = np.int64(0)
            for i in range(size):
                negative = negatives[i]
                negative += negative << _S8
                negative += negative << _S16
                negative = (negative + (negative << _S32)) >> _TOP
                won += before * np.int64(negative)
                below += np.int64(negative)
                before += np.int64(prefixes[i] >> _TOP)
            won += all_positives * below
            all_positives += before
            all_negatives += below
            segment_positives[r, segment] = before
            segment_negatives[r, segment] = below
        tied = np.int64(0)
        open_positives = state[r, 3]
        for piece in range(pieces.shape[0]):
            for i in range(pieces[piece, 0], pieces[piece, 1]):
                open_positives += counts_by_row[r, i]
            tied_negatives = np.int64(0)
            for i in range(pieces[piece, 1], pieces[piece, 2]):
                tied_negatives += counts_by_row[r, i]
            tied += open_positives * tied_negatives
            if pieces[piece, 3]:
                open_positives = 0
        state[r, 0] = all_positives
        state[r, 1] = all_negatives
        state[r, 2] += 2 * won - tied
        state[r, 3] = open_positives


@kernel
def column_sums(drawn: NDArray[Any], columns: Floats, sums: Floats) -> None:
    """Add to ``sums[r, j]`` the sum over rows i of ``drawn[r, i] * columns[j, i]``.

    Blocks of rows are added up in lanes: parts of a replicate that are whole blocks leave no trace.
    """
    n_rows = columns.shape[1]
    lanes = np.empty(_LANES)
    for r in range(drawn.shape[0]):
        for j in range(columns.shape[0]):
            for start in range(0, n_rows, BLOCK):
                stop = min(start + BLOCK, n_rows)
                whole = stop - (stop - start) % _LANES
                for i in range(_LANES):
                    lanes[i] = 0.0
                for first in range(start, whole, _LANES):
                    some = drawn[r, first : first + _LANES]  # a slice: the loop runs in vectors
                    column = columns[j, first : first + _LANES]
                    for i in range(_LANES):
                        lanes[i] += np.float64(some[i]) * column[i]
                total = 0.0
                for i in range(_LANES):
                    total += lanes[i]
                for i in range(whole, stop):
                    total += np.float64(drawn[r, i]) * columns[j, i]
                sums[r, j] += total
