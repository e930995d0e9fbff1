"""Where the relevant items of each query stand among its scores, and what follows from it.

A query's ranking is kept as its relevant items alone: how many items score higher (``above``), how
many score the same, the item itself included (``tied``). No measure needs more, and counting is
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
    """Write the rows in the order of their queries; ``free[q]`` is the next place of query q."""
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
def place_relevant(relevance, scores, starts, first, last, item_starts, rows, grades, above, tied):
    """Write the relevant items of the queries; return how many scores are not finite.

    Of queries with too many comparisons (`EACH_AGAINST_ALL`) only rows and grades are written.
    Nobody needs ``rows`` where it has no room.
    """
    longest, most = np.int64(0), np.int64(0)
    for q in range(first, last):
        count, size = item_starts[q + 1] - item_starts[q], starts[q + 1] - starts[q]
        most = max(most, count)
        if count * size <= EACH_AGAINST_ALL:
            longest = max(longest, size)
    firsts, places = np.empty(longest + 1, np.int64), np.empty(most + 1, np.int64)
    found, worth = np.empty(most + 1, np.int64), np.empty(most)
    greater, equal = np.empty(most, np.int64), np.empty(most, np.int64)
    keeps_rows = rows.size > 0
    unruly = 0
    for q in range(first, last):
        start, low, n = starts[q], item_starts[q], item_starts[q + 1] - item_starts[q]
        row = scores[start : starts[q + 1]]
        put = np.int64(0)
        for i in range(row.size):
            unruly += np.int64(not np.isfinite(row[i]))
        for i in range(row.size):  # half the items may be relevant: nothing branches
            grade = relevance[start + i]
            found[put] = i
            put += np.int64((grade != 0) & (grade == grade))
        is_short = n * row.size <= EACH_AGAINST_ALL
        for item in range(n):
            worth[item] = relevance[start + found[item]]
            places[item] = item
            if is_short:
                own = row[found[item]]
                higher, same = np.int64(0), np.int64(0)
                for i in range(row.size):
                    higher += np.int64(row[i] > own)
                    same += np.int64(row[i] == own)
                greater[item], equal[item] = higher, same
        if is_short:
            order_items(row.size, n, greater, worth, firsts, places)
        for item in range(n):
            put = low + places[item]
            grades[put] = worth[item]
            if is_short:
                above[put], tied[put] = greater[item], equal[item]
            if keeps_rows:
                rows[put] = start + found[item]
    return unruly


@kernel
def order_items(size, n, above, grades, firsts, places):
    """Write the place of each item by ``above``, then by relevance, the highest first.

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
            places[item] = firsts[above[item]]
        return
    for item in range(n):
        before = np.int64(0)
        for other in range(n):
            better = (grades[other] > grades[item]) | (
                (grades[other] == grades[item]) & (other < item)
            )
            before += np.int64((above[other] == above[item]) & better)
        places[item] = firsts[above[item]] + before


@kernel
def count_unjudged(relevance, scores, starts, first, last, item_starts, rows, above, tied):
    """Write how many unjudged items (nan, or negative) score higher than each relevant item.

    Queries with too many comparisons are left out, as in `place_relevant`.
    """
    for q in range(first, last):
        low, high = item_starts[q], item_starts[q + 1]
        if (high - low) * (starts[q + 1] - starts[q]) > EACH_AGAINST_ALL:
            continue
        for item in range(low, high):
            above[item] = 0
            tied[item] = 0
            own = scores[rows[item]]
            for i in range(starts[q], starts[q + 1]):
                if not relevance[i] >= 0:
                    above[item] += np.int64(scores[i] > own)
                    tied[item] += np.int64(scores[i] == own)


@kernel
def places_by_name(
    relevance, scores, names, starts, first, last, item_starts, rows, places, unjudged
):
    """Write the place of each relevant item where ties go by name, the last name first.

    ``unjudged`` becomes the number of unjudged items before it. Queries with too many comparisons
    are left out, as in `place_relevant`.
    """
    for q in range(first, last):
        low, high = item_starts[q], item_starts[q + 1]
        if (high - low) * (starts[q + 1] - starts[q]) > EACH_AGAINST_ALL:
            continue
        for item in range(low, high):
            places[item] = 0
            unjudged[item] = 0
            row = rows[item]
            for i in range(starts[q], starts[q + 1]):
                before = np.int64(scores[i] > scores[row]) | (
                    np.int64(scores[i] == scores[row]) & np.int64(names[i] > names[row])
                )
                places[item] += before
                if not relevance[i] >= 0:
                    unjudged[item] += before


@kernel
def settle_ties(item_starts, worst, rows, grades, above, tied):
    """Give each item of a tie a place of its own: the most relevant first, or last (``worst``)."""
    for q in range(item_starts.size - 1):
        low, high = item_starts[q], item_starts[q + 1]
        while low < high and tied[low] > 0:
            start, size = above[low], tied[low]
            stop = low
            while stop < high and tied[stop] > 0 and above[stop] == start:
                stop += 1
            if worst:
                start += size - (stop - low)
                for j in range((stop - low) // 2):
                    one, other = low + j, stop - 1 - j
                    rows[one], rows[other] = rows[other], rows[one]
                    grades[one], grades[other] = grades[other], grades[one]
            for j in range(low, stop):
                above[j] = start + j - low
                tied[j] = 1
            low = stop
