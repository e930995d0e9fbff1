"""The area under the steps of precision in replicates: average precision, of every drawn row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels._compile import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]
Places = NDArray[np.uint16]

#: Rows of a segment (as in replicate_pairs), and its words of eight counts.
SEGMENT = 512
_WORDS = 64
_S8, _S16, _S32, _TOP = (np.uint64(shift) for shift in (8, 16, 32, 56))


@kernel
def step_areas(
    counts: Bytes,
    masks: Bytes,
    ends: Bytes,
    lone: Bytes,
    places: Places,
    starts: Ints,
    around: Floats,
    areas: Floats,
) -> None:
    """Add each replicate's area under the steps of precision over TP, row by row.

    ``around[r, :2]`` are TP and FP of what scores higher than these rows, whose area is there.

    In segments in which each row has a score of its own (``lone``) only the positives are looked
    at: their ``places``, those of segment s from ``starts[s]`` on. What is called positive up to a
    row is known from prefix sums of eight counts at once.
    """
    sums = np.empty((2, _WORDS), np.uint64)  # of drawn positives, and of all that is drawn
    before = np.empty((2, _WORDS))
    gains = np.empty(SEGMENT + 1)
    steps = np.empty((2, SEGMENT + 1))
    mask_words = masks.view(np.uint64)
    prefixes = sums.view(np.uint8)
    for r in range(counts.shape[0]):
        drawn = counts[r]
        words = drawn.view(np.uint64)
        area = areas[r]
        tp = np.int64(around[r, 0])
        called = tp + np.int64(around[r, 1])
        gain = np.int64(0)
        for s in range(lone.size):
            first = np.uint64(s * SEGMENT)
            if not lone[s]:
                for i in range(first, min(first + np.uint64(SEGMENT), np.uint64(masks.size))):
                    positive = np.int64(drawn[i] & masks[i])
                    tp += positive
                    called += np.int64(drawn[i])
                    gain += positive
                    end = np.int64(ends[i])
                    area += np.float64(gain * end) * (np.float64(tp) / np.float64(max(called, 1)))
                    gain *= 1 - end
                continue
            word = first // np.uint64(8)
            for i in range(_WORDS):
                count = words[word + np.uint64(i)]
                positive = count & mask_words[word + np.uint64(i)]
                positive += positive << _S8
                positive += positive << _S16
                sums[0, i] = positive + (positive << _S32)
                count += count << _S8
                count += count << _S16
                sums[1, i] = count + (count << _S32)
            for i in range(_WORDS):
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
                steps[0, n] = before[0, place // np.uint64(8)] + np.float64(prefixes[0, place])
                steps[1, n] = before[1, place // np.uint64(8)] + np.float64(prefixes[1, place])
                n += np.uint64(times > 0)
            for k in range(n):
                gains[k] *= steps[0, k] / steps[1, k]
            for k in range(n):
                area += gains[k]
        areas[r] = area
