"""What measures of graded relevance are of each query: the mean over all orders of its ties.

Items stand as in `ranking_values`. All write of the queries from ``first`` to ``last``.
"""

import numpy as np

from fastmetrics._kernels._compile import kernel


@kernel
def expected_gains(first, last, item_starts, gains, above, tied, k, discounts, found):
    """Write the discounted gains of the first k items, averaged over ties.

    ``discounts[j]`` is the sum of the discounts of the first j places.
    """
    for q in range(first, last):
        total = 0.0
        low, high = item_starts[q], item_starts[q + 1]
        while low < high:
            start, size = above[low], tied[low]
            if size == 0 or start >= k:
                break
            gain = 0.0
            while low < high and above[low] == start:
                gain += gains[low]
                low += 1
            here = discounts[min(k, start + size)] - discounts[start]
            total += gain * here / np.float64(size)
        found[q] = total


@kernel
def ideal_gains(first, last, item_starts, gains, k, discounts, found):
    """Write the discounted gains of the best order: the highest gains first."""
    ordered = np.empty(gains.size)
    for q in range(first, last):
        low, n = item_starts[q], item_starts[q + 1] - item_starts[q]
        equal = True
        for i in range(n):
            ordered[i] = gains[low + i]
            equal &= ordered[i] == ordered[0]
        best = min(k, n)
        if equal:
            found[q] = ordered[0] * discounts[best] if best > 0 else 0.0
            continue
        sort_down(ordered, n)
        total = 0.0
        for place in range(best):
            total += ordered[place] * (discounts[place + 1] - discounts[place])
        found[q] = total


@kernel
def sort_down(values, n):
    """Sort the first n values, the highest first.

    Shell's method with Knuth's gaps: NumPy's sort would take numba longer to compile than all else.
    """
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            value, j = values[i], i
            while j >= gap and values[j - gap] < value:
                values[j] = values[j - gap]
                j -= gap
            values[j] = value
        gap //= 3


@kernel
def expected_cascade(first, last, item_starts, chances, above, tied, k, found):
    """Write the expected reciprocal rank at which a reader stops, averaged over ties.

    ``chances`` is that of an item to end the search. How many relevant items of a tie stand among
    its first j is hypergeometric, ``shares``; which ones they are does not depend on it.
    """
    most = np.int64(0)
    for q in range(first, last):
        most = max(most, item_starts[q + 1] - item_starts[q])
    means, shares = np.empty(most + 2), np.empty(most + 2)
    for q in range(first, last):
        total = 0.0
        left = 1.0
        low, high = item_starts[q], item_starts[q + 1]
        while low < high:
            start, size = above[low], tied[low]
            if size == 0 or start >= k:
                break
            stop = low
            while stop < high and above[stop] == start:
                stop += 1
            relevant, longest = stop - low, min(size, k - start)
            most = mean_products(chances, low, min(relevant, longest), stop, means)
            low = stop
            shares[0] = 1.0
            for count in range(1, most + 1):
                shares[count] = 0.0
            for place in range(longest):
                others = np.float64(size - place)
                ends = 0.0
                for count in range(min(place, most), -1, -1):
                    chance = shares[count] * (np.float64(relevant - count) / others)
                    ends += chance * (means[count] - means[count + 1])
                    shares[count] -= chance
                    if count < most:
                        shares[count + 1] += chance
                total += left * ends / np.float64(start + place + 1)
            stays = 0.0
            for count in range(most + 1):
                stays += shares[count] * means[count]
            left *= stays
        found[q] = total


@kernel
def mean_products(chances, low, most, high, means):
    """Write the mean, over all sets of j items, of the product of ``1 - chance``, up to ``most``.

    These are elementary symmetric means: an item more mixes two of them. By Maclaurin's inequality
    the j-th is at most ``(1 - mean chance)**j``: where that is below exp(-46), 0 is as good, and
    its number is returned, or ``most``.
    """
    total = 0.0
    for item in range(low, high):
        total += chances[item]
    if total * most > 46.0 * (high - low):
        most = np.int64(46.0 * (high - low) / total) + 1
    means[0] = 1.0
    for count in range(1, high - low + 1):
        stays = 1.0 - chances[low + count - 1]
        if count <= most:
            means[count] = 0.0
        for j in range(min(count, most), 0, -1):
            share = np.float64(j) / np.float64(count)
            means[j] = (1.0 - share) * means[j] + share * means[j - 1] * stays
    means[most + 1] = 0.0
    return most
