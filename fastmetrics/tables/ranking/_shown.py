"""Which items of each list are shown: the first k, or their chance of it where scores tie."""

from __future__ import annotations

from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.item_lists import Catalogue, check_lists
from fastmetrics._input.scalars import check_choice, check_integer
from fastmetrics._input.scores import check_finite
from fastmetrics._kernels.ranking.shown_items import chances_of_first
from fastmetrics._threads.workers import run
from fastmetrics.errors import InputError
from fastmetrics.tables.ranking._placing import jobs_of

#: Items of a job: some milliseconds of work.
_ROWS_OF_A_JOB: Final = 1 << 18


class ShownItems(NamedTuple):
    """Items that may be shown, those of one query together.

    ``items`` int64 (n,), places in ``catalogue.ids``, rising within a query; ``chances`` float64
    (n,) in (0, 1]; ``counts`` int64 (n_queries,): how many of them are shown.
    """

    catalogue: Catalogue
    items: NDArray[np.int64]
    chances: NDArray[np.float64]
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the expected sum over the shown items of each query, by the values of items."""
        return np.add.reduceat(self.chances * values[self.items], self.starts[:-1])


def shown_items(item: Any, score: Any, query: Any, catalogue: Any, k: Any, ties: Any) -> ShownItems:
    """Return what is shown of each query, from the data of a measure of catalogues."""
    if ties in ("optimistic", "pessimistic"):
        raise InputError(
            f"`ties={ties!r}` takes the order that is best or worst for relevant items, and here "
            "none is: take 'expected' or 'trec_eval'"
        )
    check_choice("ties", ties, ("expected", "trec_eval"))
    if k is not None:
        k = check_integer("k", k, low=1)
        if score is None:
            raise InputError("`k` needs `score`, which says the order: or pass the first k alone")
    rows = check_lists(item, score, query, catalogue)
    sizes = np.diff(rows.starts)
    chances = np.ones(len(rows.items))
    if rows.scores is not None:
        scores = rows.scores
        if ties == "trec_eval":
            scores = scores.astype(np.float32)  # as trec_eval holds them
        most = int(sizes.max()) if k is None else min(k, int(sizes.max()))
        write = partial(chances_of_first, scores, rows.starts)
        into = (most, ties == "trec_eval", chances)
        jobs = jobs_of(rows.starts, _ROWS_OF_A_JOB)
        if any(run([partial(write, *job, *into) for job in jobs])):
            check_finite(rows.scores, "score")
        sizes = np.minimum(sizes, most)
    may_be = chances > 0
    starts = np.append(0, np.cumsum(may_be))[rows.starts]
    return ShownItems(rows.catalogue, rows.items[may_be], chances[may_be], starts, sizes)
