"""From the items of all queries to the columns of a `RankingTable`."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.queries import QueryRows
from fastmetrics._input.scores import check_finite
from fastmetrics._kernels.ranking import rankings as kernels
from fastmetrics._threads.workers import run
from fastmetrics.tables.ordering.row_order import jobs_of

#: Items of a job: some milliseconds of work.
_ROWS_OF_A_JOB: Final = 1 << 18

Ints = NDArray[np.int64]


def placed(rows: QueryRows) -> tuple[NDArray[Any], ...] | None:
    """Return the columns of a `RankingTable`, from `sizes` on; None where items were not retrieved.

    The score of such an item is minus infinity.
    """
    starts, sizes = rows.starts, np.diff(rows.starts)
    jobs = jobs_of(starts, _ROWS_OF_A_JOB)
    counts = np.empty(rows.n_queries, np.int64)
    count = partial(kernels.count_relevant, rows.relevance, starts)
    has_unjudged = any(run([partial(count, *job, counts) for job in jobs]))
    item_starts = np.zeros(rows.n_queries + 1, np.int64)
    np.cumsum(counts, out=item_starts[1:])
    n_items = int(item_starts[-1])
    long = np.flatnonzero(counts * sizes > kernels.EACH_AGAINST_ALL)
    needs_rows = has_unjudged or rows.ids is not None or len(long)
    which = np.empty(n_items if needs_rows else 0, np.int64)
    grades, above, tied = np.empty(n_items), *(np.empty(n_items, np.int64) for _ in range(2))
    place = partial(kernels.place_relevant, rows.relevance, rows.scores, starts)
    into = (item_starts, which, grades, above, tied)
    if any(run([partial(place, *job, *into) for job in jobs])):
        if np.isneginf(rows.scores).any():
            return None
        check_finite(rows.scores, "score")
    sorted_ones = [
        (slice(starts[q], starts[q + 1]), slice(item_starts[q], item_starts[q + 1]))
        for q in long.tolist()
    ]
    for query, items in sorted_ones:  # as the kernel does of short ones
        greater, equal = _ranks(rows.scores[query], rows.scores[which[items]])
        order = np.lexsort((-grades[items], greater))
        which[items], grades[items] = which[items][order], grades[items][order]
        above[items], tied[items] = greater[order], equal[order]
    hidden = named = (np.empty(0, np.int64),) * 2
    if rows.ids is not None:
        named = np.empty(n_items, np.int64), np.empty(n_items, np.int64)
        single = rows.scores.astype(np.float32)  # as trec_eval holds them
        find = partial(kernels.places_by_name, rows.relevance, single, rows.ids, starts)
        run([partial(find, *job, item_starts, which, *named) for job in jobs])
        for query, items in sorted_ones:  # the last name first
            order = np.lexsort((-rows.ids[query], -single[query]))
            stands = np.empty(len(order), np.int64)
            stands[order] = np.arange(len(order))
            unknown = np.append(0, np.cumsum(~(rows.relevance[query][order] >= 0)))
            named[0][items] = stands[which[items] - query.start]
            named[1][items] = unknown[named[0][items]]
        _order_by_name(item_starts, (*into[1:], *named))
    judged = sizes
    if has_unjudged:
        unjudged = np.append(0, np.cumsum(~(rows.relevance >= 0)))
        judged = sizes - np.diff(unjudged[starts])
        hidden = np.empty(n_items, np.int64), np.empty(n_items, np.int64)
        count = partial(kernels.count_unjudged, rows.relevance, rows.scores, starts)
        run([partial(count, *job, item_starts, which, *hidden) for job in jobs])
        for query, items in sorted_ones:
            unknown, own = ~(rows.relevance[query] >= 0), rows.scores[which[items]]
            hidden[0][items], hidden[1][items] = _ranks(rows.scores[query][unknown], own)
    return sizes, judged, item_starts, grades, above, tied, *hidden, *named


def _ranks(scores: NDArray[Any], own: NDArray[Any]) -> tuple[Ints, Ints]:
    """Return how many scores are higher than each of some, and how many the same."""
    ordered = np.sort(scores)
    left, right = (np.searchsorted(ordered, own, side=side) for side in ("left", "right"))
    return len(ordered) - right, right - left


def _order_by_name(item_starts: Ints, columns: tuple[NDArray[Any], ...]) -> None:
    """Order equal items of a tie by their names: else they would stand in the order of rows."""
    _, grades, above, tied, places, _ = columns
    if not (tied > 1).any():
        return
    query = np.repeat(np.arange(len(item_starts) - 1), np.diff(item_starts))
    order = np.lexsort((places, -grades, above, query))
    for column in columns:
        column[:] = column[order]
