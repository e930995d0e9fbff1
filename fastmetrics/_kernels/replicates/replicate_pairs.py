"""Sums over the counts of rows: pairs of the two classes, areas of steps, weighted columns.

Counts are bytes, rows sorted by descending score and, inside a tie, positives first. A mask byte
is 255 for a positive, else 0. Eight neighbouring counts must sum to less than 256: of draws that
fall on each row once on average, more do so with a probability below 1e-30.
Units and places are numbered in int32; sums are int64, or float64 where terms are no counts.
"""

import numpy as np

from fastmetrics._kernels._compile import kernel

#: Rows of a segment, whose class totals are kept; and its words of eight counts.
SEGMENT = 512
_SEGMENT_WORDS = 64
#: Rows whose sums are taken by themselves, in lanes.
BLOCK = 4096
_LANES = 64
_64, _MASK_64, _ONE = np.uint64(6), np.uint64(63), np.uint64(1)
_S8, _S16, _S32, _TOP = (np.uint64(shift) for shift in (8, 16, 32, 56))
_BYTE = np.uint64(255)


@kernel
def gather_counts(drawn, units, counts):
    """Fill ``counts[r, i]`` with ``drawn[r, units[i]]``: what is drawn are units, not rows."""
    for r in range(counts.shape[0]):
        some = drawn[r]
        for i in range(units.size):
            counts[r, i] = some[np.uint32(units[i])]


@kernel
def take(values, places, found):
    """Fill ``found[i]`` with ``values[places[i]]``."""
    for i in range(places.size):
        found[i] = values[np.uint32(places[i])]


@kernel
def exchange_rows(coins, units, second, of_first, of_second):
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
def byte_products(a, b, n):
    """Return the sum of a[i] * b[i]; 32 bits wide, so that it runs in vector lanes."""
    total = np.uint32(0)
    for i in range(n):
        total = np.uint32(total + np.uint32(np.uint32(a[i]) * np.uint32(b[i])))
    return np.int64(total)


@kernel
def pair_counts(
    counts, masks, pieces, counts_by_row, scratch, scratch_bytes, state, segment_positives,
    segment_negatives,
):  # fmt: skip
    """Count, on through a part of the rows of each replicate, the pairs that a positive wins.

    ``counts`` are words of eight rows, ``counts_by_row`` the same memory. ``state[r]`` is
    [positives, negatives, doubled pairs won (a tie is one), positives of the open tie], and goes
    on where the part before it ended. ``pieces`` lists the ties of both classes inside this part:
    (first row, first negative, end, whether the tie ends here). ``scratch`` has two segments, as
    words and as bytes: a view in a kernel takes a tenth of a second to compile.
    """
    prefixes = scratch[0]
    negatives = scratch[1]
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
            won += byte_products(scratch_bytes[0], scratch_bytes[1], 8 * size)
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
def column_sums(drawn, columns, sums):
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


@kernel
def step_areas(counts, words, masks, mask_words, ends, lone, places, starts, around, areas):
    """Add each replicate's area under the steps of precision over TP, row by row.

    ``around[r, :2]`` are TP and FP of what scores higher than these rows, whose area is there.

    In segments in which each row has a score of its own (``lone``) only the positives are looked
    at: their ``places``, those of segment s from ``starts[s]`` on. What is called positive up to a
    row is known from prefix sums of eight counts at once: ``words`` and ``mask_words`` are the same
    memory as counts and masks.
    """
    sums = np.empty((2, _SEGMENT_WORDS), np.uint64)  # of drawn positives, and of all that is drawn
    before = np.empty((2, _SEGMENT_WORDS))
    gains = np.empty(SEGMENT + 1)
    steps = np.empty((2, SEGMENT + 1))
    for r in range(counts.shape[0]):
        drawn = counts[r]
        area = areas[r]
        tp = np.int64(around[r, 0])
        called = tp + np.int64(around[r, 1])
        gain = np.int64(0)
        for s in range(lone.size):
            first = np.uint64(s * SEGMENT)
            if not lone[s]:
                for i in range(first, np.uint64(min(s * SEGMENT + SEGMENT, masks.size))):
                    positive = np.int64(drawn[i] & masks[i])
                    tp += positive
                    called += np.int64(drawn[i])
                    gain += positive
                    end = np.int64(ends[i])
                    area += np.float64(gain * end) * (np.float64(tp) / np.float64(max(called, 1)))
                    gain *= 1 - end
                continue
            word = first // np.uint64(8)
            for i in range(_SEGMENT_WORDS):
                count = words[r, word + np.uint64(i)]
                positive = count & mask_words[word + np.uint64(i)]
                positive += positive << _S8
                positive += positive << _S16
                sums[0, i] = positive + (positive << _S32)
                count += count << _S8
                count += count << _S16
                sums[1, i] = count + (count << _S32)
            for i in range(_SEGMENT_WORDS):
                before[0, i] = tp
                before[1, i] = called
                tp += np.int64(sums[0, i] >> _TOP)
                called += np.int64(sums[1, i] >> _TOP)
            n = np.uint64(0)
            some = places[starts[s] : starts[s + 1]]
            for k in range(some.size):
                place = np.uint64(some[k])
                times = drawn[first + place]
                gains[n] = times
                of_eight = place // np.uint64(8)
                shift = place % np.uint64(8) * np.uint64(8)
                steps[0, n] = before[0, of_eight] + np.float64((sums[0, of_eight] >> shift) & _BYTE)
                steps[1, n] = before[1, of_eight] + np.float64((sums[1, of_eight] >> shift) & _BYTE)
                n += np.uint64(times > 0)
            for k in range(n):
                gains[k] *= steps[0, k] / steps[1, k]
            for k in range(n):
                area += gains[k]
        areas[r] = area
