"""Ranks of the relevant items of each query among its scores, and values of rankings.

A query's ranking is kept as its relevant items alone: how many items score higher (``above``), how
many score the same, the item itself included (``tied``). No metric needs more, and counting is
cheaper than sorting where few items are relevant. Items of a query stand by ``above``, then by
relevance, the highest first. An item that was never retrieved stands last, with ``tied`` 0.
"""

import numpy as np

from fastmetrics._kernels._compile import kernel

#: Comparisons up to which each relevant item of a query is held against all of its scores; where
#: there would be more, sorting is cheaper, and no kernel does it.
EACH_AGAINST_ALL = 1 << 16


@kernel
def gather_queries(codes, free, order):
    """Write the rows in the order of their queries; ``free[q]`` is the next index of query q."""
    for i in range(codes.size):
        code = codes[i]
        order[free[code]] = i
        free[code] += 1


@kernel
def count_relevant(relevance, starts, first, last, counts):
    """Count the items of the queries whose relevance is not 0 or nan; return the unjudged ones."""
    unjudged = 0
    for q in range(first, last):
        count = 0
        for i in range(starts[q], starts[q + 1]):
            grade = relevance[i]
            count += np.int64((grade != 0) & (grade == grade))
            unjudged += np.int64(not grade >= 0)
        counts[q] = count
    return unjudged


@kernel
def locate_relevant(relevance, scores, starts, first, last, item_starts, rows, grades, above, tied):
    """Write the relevant items of the queries; return how many scores are not finite.

    Of queries with too many comparisons (`EACH_AGAINST_ALL`) only rows and grades are written.
    ``rows`` may be empty: then they are not written.
    """
    longest = np.int64(0)
    most = np.int64(0)
    for q in range(first, last):
        count = item_starts[q + 1] - item_starts[q]
        size = starts[q + 1] - starts[q]
        most = max(most, count)
        if count * size <= EACH_AGAINST_ALL:
            longest = max(longest, size)
    firsts = np.empty(longest + 1, np.int64)
    indices = np.empty(most + 1, np.int64)
    positions = np.empty(most + 1, np.int64)
    worth = np.empty(most)
    greater = np.empty(most, np.int64)
    equal = np.empty(most, np.int64)
    keeps_rows = rows.size > 0
    unruly = 0
    for q in range(first, last):
        start = starts[q]
        n = item_starts[q + 1] - item_starts[q]
        row = scores[start : starts[q + 1]]
        put = np.int64(0)
        for i in range(row.size):
            unruly += np.int64(not np.isfinite(row[i]))
        for i in range(row.size):  # half the items may be relevant: nothing branches
            grade = relevance[start + i]
            positions[put] = i
            put += np.int64((grade != 0) & (grade == grade))
        is_short = n * row.size <= EACH_AGAINST_ALL
        for item in range(n):
            worth[item] = relevance[start + positions[item]]
            indices[item] = item
            if is_short:
                own_score = row[positions[item]]
                higher = np.int64(0)
                same = np.int64(0)
                for i in range(row.size):
                    higher += np.int64(row[i] > own_score)
                    same += np.int64(row[i] == own_score)
                greater[item] = higher
                equal[item] = same
        if is_short:
            order_items(row.size, n, greater, worth, firsts, indices)
        for item in range(n):
            put = item_starts[q] + indices[item]
            grades[put] = worth[item]
            if is_short:
                above[put] = greater[item]
                tied[put] = equal[item]
            if keeps_rows:
                rows[put] = start + positions[item]
    return unruly


@kernel
def order_items(size, n, above, grades, firsts, indices):
    """Write the index of each item by ``above``, then by relevance, the highest first.

    Counting how many items share a value of ``above`` (below ``size``) puts them in order at once;
    only items of one tie are compared.
    """
    for i in range(size + 1):
        firsts[i] = 0
    for item in range(n):
        firsts[above[item] + 1] += 1
    has_ties = False
    for i in range(1, size + 1):
        has_ties |= firsts[i] > 1
        firsts[i] += firsts[i - 1]
    if not has_ties:
        for item in range(n):
            indices[item] = firsts[above[item]]
        return
    for item in range(n):
        before = np.int64(0)
        for other in range(n):
            better = (grades[other] > grades[item]) | (
                (grades[other] == grades[item]) & (other < item)
            )
            before += np.int64((above[other] == above[item]) & better)
        indices[item] = firsts[above[item]] + before


@kernel
def count_unjudged(relevance, scores, starts, first, last, item_starts, rows, above, tied):
    """Write how many unjudged items (nan, or negative) score higher than each relevant item.

    Queries with too many comparisons are left out, as in `locate_relevant`.
    """
    for q in range(first, last):
        low, high = item_starts[q], item_starts[q + 1]
        if (high - low) * (starts[q + 1] - starts[q]) > EACH_AGAINST_ALL:
            continue
        for item in range(low, high):
            above[item] = 0
            tied[item] = 0
            own_score = scores[rows[item]]
            for i in range(starts[q], starts[q + 1]):
                if not relevance[i] >= 0:
                    above[item] += np.int64(scores[i] > own_score)
                    tied[item] += np.int64(scores[i] == own_score)


@kernel
def positions_by_name(
    relevance, scores, names, starts, first, last, item_starts, rows, positions, unjudged
):
    """Write the position of each relevant item where ties go by name, the last name first.

    ``unjudged`` becomes the number of unjudged items before it. Queries with too many comparisons
    are left out, as in `locate_relevant`.
    """
    for q in range(first, last):
        low, high = item_starts[q], item_starts[q + 1]
        if (high - low) * (starts[q + 1] - starts[q]) > EACH_AGAINST_ALL:
            continue
        for item in range(low, high):
            positions[item] = 0
            unjudged[item] = 0
            row = rows[item]
            for i in range(starts[q], starts[q + 1]):
                before = np.int64(scores[i] > scores[row]) | (
                    np.int64(scores[i] == scores[row]) & np.int64(names[i] > names[row])
                )
                positions[item] += before
                if not relevance[i] >= 0:
                    unjudged[item] += before


# --- values of binary relevance ------------------------------------------------------------------
#
# Metrics of each query: the mean over all orders of its ties.
#
# Items of a query stand by ``above``, then by relevance; those never retrieved
# stand last, with ``tied`` 0. Where a rule has decided the ties, ``tied`` is 1 throughout. All
# write of the queries from ``first`` to ``last``.


@kernel
def relevant_counts(first, last, item_starts, grades, level, out):
    """Write how many items are relevant, retrieved or not."""
    for q in range(first, last):
        count = 0
        for i in range(item_starts[q], item_starts[q + 1]):
            count += np.int64(grades[i] >= level)
        out[q] = count


@kernel
def expected_hits(first, last, item_starts, grades, above, tied, level, cutoffs, out):
    """Write how many relevant items stand among the first ``cutoffs[q]``, on average over ties."""
    for q in range(first, last):
        k = cutoffs[q]
        hits = 0.0
        for i in range(item_starts[q], item_starts[q + 1]):
            if grades[i] >= level and tied[i] > 0 and above[i] < k:
                hits += min(1.0, np.float64(k - above[i]) / np.float64(tied[i]))
        out[q] = hits


@kernel
def expected_first(first, last, item_starts, grades, above, tied, level, k, reciprocal, out):
    """Write the mean of 1/rank of the first relevant item, or the chance that it is in the first k.

    Of ``size`` items in random order, ``relevant`` of them relevant, the first relevant one stands
    at position j with the chance of none before, times that of one there.
    """
    for q in range(first, last):
        out[q] = 0.0
        low, high = item_starts[q], item_starts[q + 1]
        while low < high and not (grades[low] >= level):
            low += 1
        if low == high or tied[low] == 0:
            continue
        start = above[low]
        size = tied[low]
        relevant = 0
        while low < high and above[low] == start:
            relevant += np.int64(grades[low] >= level)
            low += 1
        none_before = 1.0
        total = 0.0
        for position in range(size):
            if start + position >= k:
                break
            here = none_before * relevant / (size - position)
            if reciprocal:
                total += here / np.float64(start + position + 1)
            if size - position == relevant:
                none_before = 0.0
                break
            none_before *= np.float64(size - position - relevant) / np.float64(size - position)
        if reciprocal:
            out[q] = total
        elif start < k:
            out[q] = 1.0 - none_before


@kernel
def expected_precision_sums(first, last, item_starts, grades, above, tied, level, k, out):
    """Write the sum of the precisions at the relevant items among the first k, averaged over ties.

    McSherry & Najork (2008): in a tie of ``size`` items, ``relevant`` of them relevant, an item at
    position j is relevant with chance relevant / size, and then (j - 1)(relevant - 1) / (size - 1)
    relevant ones are expected before it in the tie.
    """
    for q in range(first, last):
        total = 0.0
        before = 0
        low, high = item_starts[q], item_starts[q + 1]
        while low < high:
            start = above[low]
            size = tied[low]
            if size == 0 or start >= k:
                break
            relevant = 0
            while low < high and above[low] == start:
                relevant += np.int64(grades[low] >= level)
                low += 1
            if relevant == 0:
                continue
            if size == relevant:
                for position in range(min(size, k - start)):
                    total += np.float64(before + position + 1) / np.float64(start + position + 1)
            else:
                chance = np.float64(relevant) / np.float64(size)
                more = np.float64(relevant - 1) / np.float64(size - 1)
                for position in range(min(size, k - start)):
                    ahead = np.float64(before + 1) + more * np.float64(position)
                    total += chance * ahead / np.float64(start + position + 1)
            before += relevant
        out[q] = total


@kernel
def expected_reading(first, last, item_starts, grades, above, tied, level, k, powers, weights, out):
    """Write the gain of a reader who goes on from each of the first k items with a chance p.

    ``powers[j]`` is p**j, and ``weights[j]`` is 1 - p**j: the worth of j positions in a row, before
    the first of them is reached.
    """
    for q in range(first, last):
        total = 0.0
        for i in range(item_starts[q], item_starts[q + 1]):
            if grades[i] >= level and tied[i] > 0 and above[i] < k:
                here = min(tied[i], k - above[i])
                total += powers[above[i]] * weights[here] / np.float64(tied[i])
        out[q] = total


@kernel
def expected_preference(
    first, last, item_starts, grades, above, tied, unjudged_above, unjudged_tied, level, judged,
    out,
):  # fmt: skip
    """Write bpref: how few judged non-relevant items stand above each relevant one.

    ``judged`` counts the judged items of each query. The number of the tied non-relevant items that
    come first is uniform: a relevant item is equally likely at any position among them.
    """
    for q in range(first, last):
        low, high = item_starts[q], item_starts[q + 1]
        n_relevant = 0
        for i in range(low, high):
            n_relevant += np.int64(grades[i] >= level)
        bound = min(n_relevant, judged[q] - n_relevant)
        total = 0.0
        before = 0
        while low < high:
            start = above[low]
            size = tied[low]
            if size == 0:
                break
            hidden = unjudged_above[low] if unjudged_above.size > 0 else 0
            hidden_here = unjudged_tied[low] if unjudged_above.size > 0 else 0
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
        out[q] = total / n_relevant if n_relevant > 0 else np.nan


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
            start = above[low]
            size = tied[low]
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


# --- values of graded relevance: arguments are those of binary relevance -------------------------


@kernel
def expected_gains(first, last, item_starts, gains, above, tied, k, discounts, out):
    """Write the discounted gains of the first k items, averaged over ties.

    ``discounts[j]`` is the sum of the discounts of the first j positions.
    """
    for q in range(first, last):
        total = 0.0
        low, high = item_starts[q], item_starts[q + 1]
        while low < high:
            start = above[low]
            size = tied[low]
            if size == 0 or start >= k:
                break
            gain = 0.0
            while low < high and above[low] == start:
                gain += gains[low]
                low += 1
            total += gain * (discounts[min(k, start + size)] - discounts[start]) / np.float64(size)
        out[q] = total


@kernel
def ideal_gains(first, last, item_starts, gains, k, discounts, out):
    """Write the discounted gains of the best order: the highest gains first."""
    ordered = np.empty(gains.size)
    for q in range(first, last):
        low = item_starts[q]
        n = item_starts[q + 1] - item_starts[q]
        equal = True
        for i in range(n):
            ordered[i] = gains[low + i]
            equal &= ordered[i] == ordered[0]
        best = min(k, n)
        if equal:
            out[q] = ordered[0] * discounts[best] if best > 0 else 0.0
            continue
        sort_down(ordered, n)
        total = 0.0
        for position in range(best):
            total += ordered[position] * (discounts[position + 1] - discounts[position])
        out[q] = total


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
            value = values[i]
            j = i
            while j >= gap and values[j - gap] < value:
                values[j] = values[j - gap]
                j -= gap
            values[j] = value
        gap //= 3


@kernel
def expected_cascade(first, last, item_starts, chances, above, tied, k, out):
    """Write the expected reciprocal rank at which a reader stops, averaged over ties.

    ``chances`` is that of an item to end the search. How many relevant items of a tie stand among
    its first j is hypergeometric (``probabilities``); which ones they are does not depend on it.
    """
    most = np.int64(0)
    for q in range(first, last):
        most = max(most, item_starts[q + 1] - item_starts[q])
    means = np.empty(most + 2)
    probabilities = np.empty(most + 2)
    for q in range(first, last):
        total = 0.0
        left = 1.0
        low, high = item_starts[q], item_starts[q + 1]
        while low < high:
            start = above[low]
            size = tied[low]
            if size == 0 or start >= k:
                break
            stop = low
            while stop < high and above[stop] == start:
                stop += 1
            relevant = stop - low
            longest = min(size, k - start)
            most = mean_products(chances, low, min(relevant, longest), stop, means)
            low = stop
            probabilities[0] = 1.0
            for count in range(1, most + 1):
                probabilities[count] = 0.0
            for position in range(longest):
                others = np.float64(size - position)
                ends = 0.0
                for count in range(min(position, most), -1, -1):
                    chance = probabilities[count] * (np.float64(relevant - count) / others)
                    ends += chance * (means[count] - means[count + 1])
                    probabilities[count] -= chance
                    if count < most:
                        probabilities[count + 1] += chance
                total += left * ends / np.float64(start + position + 1)
            stays = 0.0
            for count in range(most + 1):
                stays += probabilities[count] * means[count]
            left *= stays
        out[q] = total


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
            fraction = np.float64(j) / np.float64(count)
            means[j] = (1.0 - fraction) * means[j] + fraction * means[j - 1] * stays
    means[most + 1] = 0.0
    return most
