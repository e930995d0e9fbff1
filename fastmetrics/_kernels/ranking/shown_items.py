"""Which items of a ranking are shown, and how alike those are.

Rows of a query stand together, by ``starts``. Where the last place to be shown goes to one of
several items that tie, each has the same chance of it.
"""

import numpy as np

from fastmetrics._kernels._compile import kernel


@kernel
def chances_of_first(scores, starts, first, last, k, by_name, chances):
    """Write the chance of each row to be among the first k; return how many are not finite.

    ``by_name`` gives the places of a tie to its last rows. The k highest scores of a query are kept
    in a heap whose root is the least of them.
    """
    longest = np.int64(1)
    for q in range(first, last):
        longest = max(longest, starts[q + 1] - starts[q])
    heap = np.empty(min(k, longest), scores.dtype)
    unruly = 0
    root = np.int64(0)  # a plain 0 would be compiled for, as a constant
    for q in range(first, last):
        start, size = starts[q], starts[q + 1] - starts[q]
        for row in range(start, start + size):
            unruly += np.int64(not np.isfinite(scores[row]))
            chances[row] = 1.0
        if size <= k:
            continue
        for i in range(k):
            heap[i] = scores[start + i]
        for i in range(k // 2 - 1, -1, -1):
            sift_down(heap, i, k, heap[i])
        for row in range(start + k, start + size):
            if scores[row] > heap[0]:
                sift_down(heap, root, k, scores[row])
        least = heap[0]
        above, tied = 0, 0
        for row in range(start, start + size):
            above += np.int64(scores[row] > least)
            tied += np.int64(scores[row] == least)
        free = k - above
        for row in range(start + size - 1, start - 1, -1):
            if scores[row] < least:
                chances[row] = 0.0
            elif scores[row] == least:
                chances[row] = np.float64(free > 0) if by_name else (k - above) / tied
                free -= 1
    return unruly


@kernel
def sift_down(heap, root, size, value):
    """Put a value at a place of the heap, and let it sink below all that is less."""
    place = root
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= value:
            break
        heap[place] = heap[child]
        place = child
    heap[place] = value


@kernel
def cosines_of_pairs(first, last, starts, items, chances, shown, units, found):
    """Write the mean distance, 1 - cosine, of two shown items; nan where there are no two.

    The cosines of all pairs are half of what the square of the sum of unit vectors has beyond the
    squares of each: once for items that are shown for certain, once for those that tie.
    """
    width = units.shape[1]
    certain, tied = np.empty(width), np.empty(width)
    for q in range(first, last):
        n = shown[q]
        for j in range(width):
            certain[j], tied[j] = 0.0, 0.0
        squares, squares_of_tied = 0.0, 0.0
        n_certain, n_tied = 0, 0
        for row in range(starts[q], starts[q + 1]):
            unit = units[items[row]]
            square = 0.0
            if chances[row] == 1.0:
                n_certain += 1
                for j in range(width):
                    certain[j] += unit[j]
                    square += unit[j] * unit[j]
                squares += square
            else:
                n_tied += 1
                for j in range(width):
                    tied[j] += unit[j]
                    square += unit[j] * unit[j]
                squares_of_tied += square
        if n < 2:
            found[q] = np.nan
            continue
        one = np.float64(n - n_certain) / max(n_tied, 1)
        both = one * (n - n_certain - 1) / max(n_tied - 1, 1)
        within, between, among = -squares, 0.0, -squares_of_tied
        for j in range(width):
            within += certain[j] * certain[j]
            between += certain[j] * tied[j]
            among += tied[j] * tied[j]
        pairs = np.float64(n) * (n - 1)
        found[q] = 1.0 - (within + 2.0 * one * between + both * among) / pairs


@kernel
def distances_of_pairs(first, last, starts, items, chances, shown, distances, found):
    """Write the mean distance of two shown items, in either order; nan where there are no two."""
    for q in range(first, last):
        n = shown[q]
        n_certain, n_tied = 0, 0
        for row in range(starts[q], starts[q + 1]):
            n_certain += np.int64(chances[row] == 1.0)
            n_tied += np.int64(chances[row] < 1.0)
        one = np.float64(n - n_certain) / max(n_tied, 1)
        both = one * (n - n_certain - 1) / max(n_tied - 1, 1)
        total = 0.0
        for row in range(starts[q], starts[q + 1]):
            for other in range(starts[q], starts[q + 1]):
                if other != row:
                    share = 1.0
                    if chances[row] < 1.0 and chances[other] < 1.0:
                        share = both
                    elif chances[row] < 1.0 or chances[other] < 1.0:
                        share = one
                    total += share * distances[items[row], items[other]]
        found[q] = total / (np.float64(n) * (n - 1)) if n > 1 else np.nan
