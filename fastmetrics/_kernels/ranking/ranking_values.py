"""What measures of rankings are of each query: the mean over all orders of its ties.

Items of a query stand by ``above``, then by relevance (see `rankings`); those never retrieved stand
last, with ``tied`` 0. Where a rule has decided the ties, ``tied`` is 1 throughout. All write of the
queries from ``first`` to ``last``.
"""

import numpy as np

from fastmetrics._kernels._compile import kernel


@kernel
def relevant_counts(first, last, item_starts, grades, level, found):
    """Write how many items are relevant, retrieved or not."""
    for q in range(first, last):
        count = 0
        for i in range(item_starts[q], item_starts[q + 1]):
            count += np.int64(grades[i] >= level)
        found[q] = count


@kernel
def expected_hits(first, last, item_starts, grades, above, tied, level, cutoffs, found):
    """Write how many relevant items stand among the first ``cutoffs[q]``, on average over ties."""
    for q in range(first, last):
        k = cutoffs[q]
        hits = 0.0
        for i in range(item_starts[q], item_starts[q + 1]):
            if grades[i] >= level and tied[i] > 0 and above[i] < k:
                hits += min(1.0, np.float64(k - above[i]) / np.float64(tied[i]))
        found[q] = hits


@kernel
def expected_first(first, last, item_starts, grades, above, tied, level, k, reciprocal, found):
    """Write the mean of 1/rank of the first relevant item, or the chance that it is in the first k.

    Of ``size`` items in random order, ``relevant`` of them relevant, the first relevant one stands
    at place j with the chance of none before, times that of one there.
    """
    for q in range(first, last):
        found[q] = 0.0
        low, high = item_starts[q], item_starts[q + 1]
        while low < high and not (grades[low] >= level):
            low += 1
        if low == high or tied[low] == 0:
            continue
        start, size = above[low], tied[low]
        relevant = 0
        while low < high and above[low] == start:
            relevant += np.int64(grades[low] >= level)
            low += 1
        none_before = 1.0
        total = 0.0
        for place in range(size):
            if start + place >= k:
                break
            here = none_before * relevant / (size - place)
            if reciprocal:
                total += here / np.float64(start + place + 1)
            if size - place == relevant:
                none_before = 0.0
                break
            none_before *= np.float64(size - place - relevant) / np.float64(size - place)
        if reciprocal:
            found[q] = total
        elif start < k:
            found[q] = 1.0 - none_before


@kernel
def expected_precision_sums(first, last, item_starts, grades, above, tied, level, k, found):
    """Write the sum of the precisions at the relevant items among the first k, averaged over ties.

    McSherry & Najork (2008): in a tie of ``size`` items, ``relevant`` of them relevant, an item at
    place j is relevant with chance relevant / size, and then (j - 1)(relevant - 1) / (size - 1)
    relevant ones are expected before it in the tie.
    """
    for q in range(first, last):
        total = 0.0
        before = 0
        low, high = item_starts[q], item_starts[q + 1]
        while low < high:
            start, size = above[low], tied[low]
            if size == 0 or start >= k:
                break
            relevant = 0
            while low < high and above[low] == start:
                relevant += np.int64(grades[low] >= level)
                low += 1
            if relevant == 0:
                continue
            if size == relevant:
                for place in range(min(size, k - start)):
                    total += np.float64(before + place + 1) / np.float64(start + place + 1)
            else:
                chance = np.float64(relevant) / np.float64(size)
                more = np.float64(relevant - 1) / np.float64(size - 1)
                for place in range(min(size, k - start)):
                    ahead = np.float64(before + 1) + more * np.float64(place)
                    total += chance * ahead / np.float64(start + place + 1)
            before += relevant
        found[q] = total


@kernel
def expected_reading(
    first, last, item_starts, grades, above, tied, level, k, powers, shares, found
):
    """Write what a reader finds who goes on from each of the first k items with a chance p.

    ``powers[j]`` is p**j, and ``shares[j]`` is 1 - p**j: what j places in a row are worth, before
    the first of them is reached.
    """
    for q in range(first, last):
        total = 0.0
        for i in range(item_starts[q], item_starts[q + 1]):
            if grades[i] >= level and tied[i] > 0 and above[i] < k:
                here = min(tied[i], k - above[i])
                total += powers[above[i]] * shares[here] / np.float64(tied[i])
        found[q] = total


@kernel
def expected_preference(
    first, last, item_starts, grades, above, tied, unjudged_above, unjudged_tied, level, judged,
    found,
):  # fmt: skip
    """Write bpref: how few judged non-relevant items stand above each relevant one.

    ``judged`` counts the judged items of each query. The number of the tied non-relevant items that
    come first is uniform: any place among them is as likely for a relevant item as any other.
    """
    for q in range(first, last):
        low, high = item_starts[q], item_starts[q + 1]
        n_relevant = 0
        for i in range(low, high):
            n_relevant += np.int64(grades[i] >= level)
        n_others = judged[q] - n_relevant
        bound = min(n_relevant, n_others)
        total = 0.0
        before = 0
        while low < high:
            start, size = above[low], tied[low]
            if size == 0:
                break
            hidden, hidden_here = 0, 0
            if unjudged_above.size > 0:
                hidden, hidden_here = unjudged_above[low], unjudged_tied[low]
            relevant = 0
            while low < high and above[low] == start:
                relevant += np.int64(grades[low] >= level)
                low += 1
            ahead = start - before - hidden
            here = size - relevant - hidden_here
            if relevant > 0:
                if bound == 0:
                    total += relevant
                else:
                    # the mean of min(ahead + u, bound) over u = 0 ... here
                    free = min(max(bound - ahead, 0), here + 1)  # values of u below the bound
                    rising = np.float64(ahead) * free + np.float64(free) * (free - 1) / 2
                    mean = (rising + np.float64(bound) * (here + 1 - free)) / (here + 1)
                    total += relevant * (1.0 - mean / bound)
            before += relevant
        found[q] = total / n_relevant if n_relevant > 0 else np.nan


@kernel
def concordant_items(
    first, last, item_starts, grades, above, tied, level, sizes, relevant_items, doubled
):
    """Write twice the pairs of a relevant item above another of its query; a tie is half a pair."""
    for q in range(first, last):
        low, high = item_starts[q], item_starts[q + 1]
        n_relevant = 0
        for i in range(low, high):
            n_relevant += np.int64(grades[i] >= level and tied[i] > 0)
        n_others = sizes[q] - n_relevant
        total = 0
        before = 0
        while low < high:
            start, size = above[low], tied[low]
            if size == 0:
                break
            relevant = 0
            while low < high and above[low] == start:
                relevant += np.int64(grades[low] >= level)
                low += 1
            ahead = start - before
            here = size - relevant
            total += relevant * (2 * (n_others - ahead) - here)
            before += relevant
        doubled[q] = total
        relevant_items[q] = n_relevant
