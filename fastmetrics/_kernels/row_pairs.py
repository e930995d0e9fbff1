"""Of each row, how many rows before it have a lower rank: counted while rows are sorted by digits.

Rows come in the order of one variable, as codes: twice the rank by the other, and 1 for a row that
leads. Sums are two counts in one number: of all rows, and 2**32 times that of those that lead. Of
two rows the highest digit in which they differ says which is lower, so that each pass over a digit
adds what it knows, and sends rows and sums on to where the digit goes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels._compile import kernel

#: Digits are of eight bits, two halves of 16 counters each; in short segments of four.
DIGIT = 8
_HALF_DIGIT = 4
_HALF = 16
_VALUES = 256
#: Rows whose two counts fit the halves of a counter.
_BLOCK = 32_767
#: Segments up to this size take digits of four bits, and up to this one are sorted by hand.
_SHORT = 512
_FEW = 6


@kernel
def lower_by_digit(
    codes: NDArray[np.uint32],
    low: int,
    high: int,
    shift: int,
    sums: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> None:
    """Add to each row of low to high the rows before it whose digit is lower; add up ``counts``.

    As in ``concordance.rising_by_digit``: ``upper`` and a row of ``lower`` are read, and stepped.
    """
    upper = np.empty(_HALF, np.int32)
    lower = np.empty((_HALF, _HALF), np.int32)
    before = np.empty(_VALUES, np.int64)
    for start in range(low, high, _BLOCK):
        upper[:] = 0
        lower[:] = 0
        so_far = np.int64(0)
        for value in range(_VALUES):
            before[value] = so_far
            so_far += counts[value]
        for i in range(start, min(start + _BLOCK, high)):
            code = np.int64(codes[i])
            digit = (code >> shift) & (_VALUES - 1)
            counts[digit] += 1 | (code & 1) << 32
            first, second = digit >> 4, digit & (_HALF - 1)
            row = lower[first]
            both = np.int64(upper[first] + row[second])
            sums[i] += before[digit] + (both & 0xFFFF) + (both >> 16 << 32)
            one = np.int32(1 | (code & 1) << 16)
            for j in range(_HALF):
                upper[j] += one if j > first else np.int32(0)
            for j in range(_HALF):
                row[j] += one if j > second else np.int32(0)


@kernel
def _lower_by_half(
    codes: NDArray[np.uint32],
    low: int,
    high: int,
    shift: int,
    sums: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> None:
    """Do the same by a digit of four bits, of fewer rows than a block."""
    lower = np.zeros(_HALF, np.int32)
    for i in range(low, high):
        code = np.int64(codes[i])
        digit = (code >> shift) & (_HALF - 1)
        counts[digit] += 1
        both = np.int64(lower[digit])
        sums[i] += (both & 0xFFFF) + (both >> 16 << 32)
        one = np.int32(1 | (code & 1) << 16)
        for j in range(_HALF):
            lower[j] += one if j > digit else np.int32(0)


@kernel
def _sort_few(codes: NDArray[np.uint32], sums: NDArray[np.int64], low: int, high: int) -> None:
    """Sort rows by their ranks, each past those that are higher, and add the lower ones."""
    for i in range(low + 1, high):
        code, own = codes[i], sums[i]
        at = i
        while at > low and codes[at - 1] >> 1 > code >> 1:
            codes[at] = codes[at - 1]
            sums[at] = sums[at - 1]
            at -= 1
        for j in range(low, at):
            if codes[j] >> 1 < code >> 1:
                own += 1 | np.int64(codes[j] & 1) << 32
        codes[at] = code
        sums[at] = own


@kernel
def scatter_with_sums(
    codes: NDArray[np.uint32],
    sums: NDArray[np.int64],
    low: int,
    high: int,
    shift: int,
    mask: int,
    places: NDArray[np.int64],
    more: NDArray[np.int64],
    out: NDArray[np.uint32],
    sums_out: NDArray[np.int64],
) -> None:
    """Put rows low to high where rows of their digit go, in their order, with ``more`` added."""
    for i in range(low, high):
        digit = (np.int64(codes[i]) >> shift) & mask
        at = places[digit]
        places[digit] = at + 1
        out[at] = codes[i]
        sums_out[at] = sums[i] + more[digit]


@kernel
def lower_in_segments(
    codes: NDArray[np.uint32],
    sums: NDArray[np.int64],
    scratch: NDArray[np.uint32],
    scratch_sums: NDArray[np.int64],
    starts: NDArray[np.int64],
    first: int,
    last: int,
    bits: int,
) -> None:
    """Sort the rows of each segment, which differ in the last ``bits`` of their ranks alone."""
    lows, highs = np.empty(4 * _VALUES, np.int64), np.empty(4 * _VALUES, np.int64)
    left = np.empty(4 * _VALUES, np.int64)
    counts = np.empty(_VALUES, np.int64)
    places = np.empty(_VALUES, np.int64)
    nothing = np.zeros(_VALUES, np.int64)
    for segment in range(first, last):
        lows[0], highs[0], left[0] = starts[segment], starts[segment + 1], bits
        depth = 1
        while depth > 0:
            depth -= 1
            low, high, rest = lows[depth], highs[depth], left[depth]
            if high - low <= _FEW:
                _sort_few(codes, sums, low, high)
                continue
            counts[:] = 0
            if high - low > _SHORT:
                values, rest = _VALUES, max(0, rest - DIGIT)
                lower_by_digit(codes, low, high, rest + 1, sums, counts)
            else:
                values, rest = _HALF, max(0, rest - _HALF_DIGIT)
                _lower_by_half(codes, low, high, rest + 1, sums, counts)
            place = low
            for value in range(values):
                places[value] = place
                size = counts[value] & 0xFFFFFFFF
                if rest > 0 and size > 1:
                    lows[depth], highs[depth], left[depth] = place, place + size, rest
                    depth += 1
                place += size
            scatter_with_sums(
                *(codes, sums, low, high, rest + 1, values - 1),
                *(places, nothing, scratch, scratch_sums),
            )
            codes[low:high] = scratch[low:high]
            sums[low:high] = scratch_sums[low:high]


@kernel
def combine_partners(
    sums: NDArray[np.int64],
    keys: NDArray[np.int32],
    rows: NDArray[np.int32],
    starts: NDArray[np.int64],
    first: int,
    last: int,
    before: NDArray[np.int32],
    slopes: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Write for each row its partners by kind of pair, each times a slope, and a constant.

    Kinds are those of ``tables/concordance/row_sums.py``. Rows are by rank, then key; ranks
    ``first`` to ``last`` begin at ``starts``. ``before`` has the rows of lower keys, and how many
    of them lead. ``sums`` are the rows of lower rank of which the key is not higher, and 2**32
    times those of lower rank and key that lead.
    """
    n = np.int64(len(keys))
    for rank in range(first, last):
        start, end = starts[rank], starts[rank + 1]
        equal_leads = np.int64(0)
        i = start
        while i < end:
            key = keys[i]
            stop = i + 1
            while stop < end and keys[stop] == key:
                stop += 1
            leads = np.int64(before[key, 1])
            is_lead = np.int64(before[key + 1, 1] > leads)  # a factor: a branch would wait for it
            later = n - before[key + 1, 0]
            of_key = before[key + 1, 0] - before[key, 0]
            for k in range(i, stop):
                lower_leads, lower = sums[k] >> 32, start - (sums[k] & 0xFFFFFFFF)
                concordant = lower_leads + is_lead * (later - lower - (end - stop))
                discordant = leads - lower_leads - equal_leads + is_lead * lower
                tied_in_score = equal_leads + is_lead * (end - stop)
                tied_in_outcome = of_key - (stop - i)
                out[rows[k]] = (
                    slopes[0] * concordant
                    + slopes[1] * discordant
                    + slopes[2] * tied_in_score
                    + slopes[3] * tied_in_outcome
                    + slopes[4]
                )
            equal_leads += (stop - i) * is_lead
            i = stop
