"""What measures of rankings share: their table, checks, sums by query, and the mean of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.containers import as_array
from fastmetrics._input.scalars import check_flag, check_fraction, check_integer, check_real
from fastmetrics._kernels import ranking as kernels
from fastmetrics._threads.workers import run
from fastmetrics.errors import InputError, InputTypeError, UndefinedMetricWarning, warn_user
from fastmetrics.tables.ordering import jobs_of
from fastmetrics.tables.ranking import RankingTable, Ties

Values = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Stands for "all items" where a cut-off is not given.
ALL: Final = np.iinfo(np.int64).max

#: The least relevance above 0.
TINY: Final = math.ulp(0.0)

#: Places that are looked at, at most: some gigabytes.
_MOST_PLACES: Final = 1 << 28

#: Relevant items of a job: a millisecond of work.
_ITEMS_OF_A_JOB: Final = 1 << 17

#: What measures of rankings take, beside the data, and say alike.
RANKED: Final = """
Parameters
----------
k : int, optional
    How many items are looked at, from the first; None means all.
relevant_from : float, default=1
    The least relevance that counts as relevant, where grades are made yes or no. Must be positive.
gain : {"linear", "exponential"}, default="linear"
    What an item is worth: its relevance r, or ``2**r - 1``.
ties : {"expected", "optimistic", "pessimistic", "trec_eval"}, default="expected"
    What becomes of items that score the same: the mean over all their orders, in closed form; the
    best order; the worst; or by name, the last name first, which needs `ids` (and compares scores
    as 32-bit floats, as trec_eval does).
no_relevant : float, default=nan
    The value of a query without relevant items, where the measure divides by their number. nan
    leaves the query out of the mean; trec_eval counts 0.
per_query : bool, default=False
    Whether to return the value of each query, in the order of their sorted ids, and no mean.

Warns
-----
UndefinedMetricWarning
    If no query has what the measure needs; the mean is then nan.
"""

#: What most of them return.
MEAN: Final = """
Returns
-------
float or ndarray of shape (n_queries,)
    Mean over queries that have relevant items, in [0, 1].
"""


def ranked(relevance: Any, score: Any, query: Any, ties: Ties) -> RankingTable:
    """Return the table of the data, or ``relevance`` if it is one, its ties decided."""
    if isinstance(relevance, RankingTable):
        if score is not None or query is not None:
            raise InputTypeError("a RankingTable comes alone: pass no `score`, `query` with it")
        return relevance.settled(ties)
    if score is None:
        if hasattr(relevance, "__array__"):
            as_array(relevance, "relevance")  # bins of groups say what they have in place of this
        raise InputTypeError("`score` is missing: it comes with `relevance`, or a RankingTable")
    table = RankingTable.from_scores(relevance, score, query=query)
    return table.settled(ties)


def check_cutoff(k: Any) -> int:
    """Return how many items are looked at."""
    return ALL if k is None else check_integer("k", k, low=1)


def check_level(relevant_from: Any) -> float:
    """Return the least relevance that counts as relevant."""
    level = check_real("relevant_from", relevant_from)
    if not level > 0:
        raise InputError(f"`relevant_from` must be positive: got {relevant_from!r}")
    return level


def check_no_relevant(no_relevant: Any) -> float:
    """Return the value of a query without relevant items: nan, or in [0, 1]."""
    if isinstance(no_relevant, float) and math.isnan(no_relevant):
        return no_relevant
    return check_fraction("no_relevant", no_relevant, include_low=True, include_high=True)


def of_queries(
    kernel: Callable[..., None], table: RankingTable, *arguments: Any, dtype: Any = np.float64
) -> NDArray[Any]:
    """Return what a kernel writes of each query, on several threads where there are many items."""
    found = np.empty(table.n_queries, dtype)
    jobs = jobs_of(table.item_starts, _ITEMS_OF_A_JOB)
    run([partial(kernel, *job, table.item_starts, *arguments, found) for job in jobs])
    return found


def n_relevant(table: RankingTable, level: float) -> Ints:
    """Return how many items of each query are relevant, retrieved or not."""
    return of_queries(kernels.relevant_counts, table, table.grades, level, dtype=np.int64)


def ranks(table: RankingTable) -> tuple[Any, ...]:
    """Return the columns that say what the relevant items are, and where they stand."""
    return table.grades, table.above, table.tied


def hits(table: RankingTable, level: float, cutoffs: Ints) -> Values:
    """Return how many relevant items of each query stand among its first ones."""
    return of_queries(kernels.expected_hits, table, *ranks(table), level, cutoffs)


def over(values: Values, divisors: NDArray[Any], otherwise: float) -> Values:
    """Return quotients, and ``otherwise`` where there is nothing to divide by."""
    out = np.full(len(values), otherwise)
    np.divide(values, divisors, out=out, where=divisors > 0)
    return out


def first_hits(
    table: RankingTable, k: int | None, relevant_from: float, no_relevant: float, reciprocal: bool
) -> Values:
    """Return 1/rank of the first relevant item, or the chance that it is among the first k."""
    level, otherwise = check_level(relevant_from), check_no_relevant(no_relevant)
    more = (level, check_cutoff(k), reciprocal)
    found = of_queries(kernels.expected_first, table, *ranks(table), *more)
    found[n_relevant(table, level) == 0] = otherwise
    return found


def n_places(table: RankingTable, k: int) -> int:
    """Return how many of the first k places the longest query has, or would by its relevant items.

    So many numbers are kept at work.
    """
    longest = max(table.sizes.max(initial=0), np.diff(table.item_starts).max(initial=0))
    if min(k, longest) > _MOST_PLACES:
        raise InputError(f"a query has {longest:,} items: pass `k`, {_MOST_PLACES:,} at most")
    return int(min(k, longest))


def mean_of(values: Values, ties: Ties) -> float:
    """Return the mean; by trec_eval's rule as trec_eval adds up, whose last bit may be printed."""
    return float(np.cumsum(values)[-1] / len(values) if ties == "trec_eval" else values.mean())


def averaged(values: Values, per_query: bool, ties: Ties, what: str) -> Any:
    """Return the values of the queries, or their mean over those where it is defined."""
    if check_flag("per_query", per_query):
        return values
    defined = ~np.isnan(values)
    if not defined.any():
        warn_user(
            f"{what} is undefined: no query has what it needs; set to nan", UndefinedMetricWarning
        )
        return math.nan
    return mean_of(values[defined], ties)
