"""Where the relevant items of each query stand among its scores, and what follows from it.

A query's ranking is kept as its relevant items alone: how many items score higher (``above``), how
many score the same, the item itself included (``tied``). No measure needs more, and counting is
cheaper than sorting where few items are relevant. Items of a query stand by ``above``, then by
relevance, the highest first. An item that was never retrieved stands last, with ``tied`` 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels._compile import kernel

#: Comparisons up to which each relevant item of a query is held against all of its scores; where
#: there would be more, sorting is cheaper, and no kernel does it.
EACH_AGAINST_ALL = 1 << 16


@kernel
def gather_queries(
    codes: NDArray[np.int64], free: NDArray[np.int64], order: NDArray[np.int64]
) -> None:
    """Write the rows in the order of their queries; ``free[q]`` is the next place of query q."""
    for i in range(codes.size):
        code = codes[i]
        order[free[code]] = i
        free[code] += 1


@kernel
def count_relevant(
    relevance: NDArray[np.generic],
    starts: NDArray[np.int64],
    first: int,
    last: int,
    counts: NDArray[np.int64],
) -> None:
    """Count the items of each query from ``first`` to ``last`` whose relevance is not 0 or nan."""
    for q in range(first, last):
        count = 0
        for i in range(starts[q], starts[q + 1]):
            grade = relevance[i]
            count += np.int64((grade != 0) & (grade == grade))
        counts[q] = count


@kernel
def place_relevant(
    relevance: NDArray[np.generic],
    scores: NDArray[np.generic],
    starts: NDArray[np.int64],
    first: int,
    last: int,
    item_starts: NDArray[np.int64],
    rows: NDArray[np.int64],
    grades: NDArray[np.float64],
    above: NDArray[np.int64],
    tied: NDArray[np.int64],
) -> int:
    """Write the relevant items of the queries; return how many scores are not finite.

    Of queries with too many comparisons (`EACH_AGAINST_ALL`) only rows and grades are written.
    """
    unruly = 0
    for q in range(first, last):
        start, stop = starts[q], starts[q + 1]
        row = scores[start:stop]
        for i in range(row.size):
            unruly += np.int64(row[i] - row[i] != 0)
        low, high = item_starts[q], item_starts[q + 1]
        put = low
        for i in range(start, stop):
            grade = relevance[i]
            if (grade != 0) & (grade == grade):
                rows[put] = i
                grades[put] = grade
                put += 1
        if (high - low) * row.size > EACH_AGAINST_ALL:
            continue
        for item in range(low, high):
            own = scores[rows[item]]
            greater = np.int64(0)
            equal = np.int64(0)
            for i in range(row.size):
                greater += np.int64(row[i] > own)
                equal += np.int64(row[i] == own)
            above[item] = greater
            tied[item] = equal
        order_items(low, high, rows, grades, above, tied)
    return unruly


@kernel
def order_items(
    low: int,
    high: int,
    rows: NDArray[np.int64],
    grades: NDArray[np.float64],
    above: NDArray[np.int64],
    tied: NDArray[np.int64],
) -> None:
    """Order the items of one query by ``above``, then by relevance, the highest first.

    Each finds its place by being compared with all: there are few, and nothing branches.
    """
    n = high - low
    if n < 2:
        return
    old_rows, old_grades = rows[low:high].copy(), grades[low:high].copy()
    old_above, old_tied = above[low:high].copy(), tied[low:high].copy()
    for i in range(n):
        rank, grade = old_above[i], old_grades[i]
        before = np.int64(0)
        for j in range(n):
            before += np.int64(old_above[j] < rank)
            before += np.int64((old_above[j] == rank) & (old_grades[j] > grade))
        for j in range(i):
            before += np.int64((old_above[j] == rank) & (old_grades[j] == grade))
        put = low + before
        rows[put], grades[put] = old_rows[i], grade
        above[put], tied[put] = rank, old_tied[i]


@kernel
def count_unjudged(
    relevance: NDArray[np.generic],
    scores: NDArray[np.generic],
    starts: NDArray[np.int64],
    item_starts: NDArray[np.int64],
    rows: NDArray[np.int64],
    above: NDArray[np.int64],
    tied: NDArray[np.int64],
) -> None:
    """Write how many unjudged items (nan, or negative) score higher than each relevant item."""
    for q in range(starts.size - 1):
        for item in range(item_starts[q], item_starts[q + 1]):
            above[item] = 0
            tied[item] = 0
            if rows[item] < 0:
                continue
            own = scores[rows[item]]
            for i in range(starts[q], starts[q + 1]):
                if not relevance[i] >= 0:
                    above[item] += np.int64(scores[i] > own)
                    tied[item] += np.int64(scores[i] == own)


@kernel
def places_by_name(
    relevance: NDArray[np.generic],
    scores: NDArray[np.float32],
    names: NDArray[np.int64],
    starts: NDArray[np.int64],
    item_starts: NDArray[np.int64],
    rows: NDArray[np.int64],
    places: NDArray[np.int64],
    unjudged: NDArray[np.int64],
) -> None:
    """Write the place of each relevant item where ties go by name, the last name first.

    ``unjudged`` becomes the number of unjudged items before it.
    """
    for q in range(starts.size - 1):
        for item in range(item_starts[q], item_starts[q + 1]):
            places[item] = 0
            unjudged[item] = 0
            row = rows[item]
            if row < 0:
                continue
            for i in range(starts[q], starts[q + 1]):
                before = np.int64(scores[i] > scores[row]) | (
                    np.int64(scores[i] == scores[row]) & np.int64(names[i] > names[row])
                )
                places[item] += before
                if not relevance[i] >= 0:
                    unjudged[item] += before


@kernel
def settle_ties(
    item_starts: NDArray[np.int64],
    worst: bool,
    rows: NDArray[np.int64],
    grades: NDArray[np.float64],
    above: NDArray[np.int64],
    tied: NDArray[np.int64],
) -> None:
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
