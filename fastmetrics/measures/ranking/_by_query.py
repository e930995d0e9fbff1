"""The value of every measure for each query of a table, and what becomes of their mean."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import check_choice, check_fraction, check_integer, check_real
from fastmetrics._kernels import ranking_gains, ranking_values as kernels
from fastmetrics._threads.workers import run
from fastmetrics.errors import InputError, InputTypeError, UndefinedMetricWarning, warn_user
from fastmetrics.tables.ranking._placing import jobs_of
from fastmetrics.tables.ranking.ranking_table import RankingTable, Ties

Values = NDArray[np.float64]
Ints = NDArray[np.int64]
Gain = Literal["linear", "exponential"]

#: Stands for "all items" where a cut-off is not given.
_ALL: Final = np.iinfo(np.int64).max

#: The least relevance above 0.
_TINY: Final = math.ulp(0.0)

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


def ranked(
    relevance: Any, score: Any, query: Any, ties: Ties, n_threads: int | None
) -> RankingTable:
    """Return the table of the data, or ``relevance`` if it is one, its ties decided."""
    if isinstance(relevance, RankingTable):
        if score is not None or query is not None:
            raise InputTypeError("a RankingTable comes alone: pass no `score`, `query` with it")
        return relevance.settled(ties)
    if score is None:
        raise InputTypeError("`score` is missing: it comes with `relevance`, or a RankingTable")
    table = RankingTable.from_scores(relevance, score, query=query, n_threads=n_threads)
    return table.settled(ties)


def _cutoff(k: Any) -> int:
    """Return how many items are looked at."""
    return _ALL if k is None else check_integer("k", k, low=1)


def check_level(relevant_from: Any) -> float:
    """Return the least relevance that counts as relevant."""
    level = check_real("relevant_from", relevant_from)
    if not level > 0:
        raise InputError(f"`relevant_from` must be positive: got {relevant_from!r}")
    return level


def _value_of_none(no_relevant: Any) -> float:
    """Return the value of a query without relevant items: nan, or in [0, 1]."""
    if isinstance(no_relevant, float) and math.isnan(no_relevant):
        return no_relevant
    return check_fraction("no_relevant", no_relevant, include_low=True, include_high=True)


def filled(
    kernel: Callable[..., None], table: RankingTable, n_threads: int | None, *arguments: Any
) -> None:
    """Let a kernel write of all queries, on several threads where there are many items."""
    jobs = jobs_of(table.item_starts, _ITEMS_OF_A_JOB)
    run([partial(kernel, *job, table.item_starts, *arguments) for job in jobs], n_threads)


def n_relevant(table: RankingTable, level: float, n_threads: int | None = None) -> Ints:
    """Return how many items of each query are relevant, retrieved or not."""
    found = np.empty(table.n_queries, np.int64)
    filled(kernels.relevant_counts, table, n_threads, table.grades, level, found)
    return found


def _ranks(table: RankingTable) -> tuple[Any, ...]:
    return table.grades, table.above, table.tied


def _hits(table: RankingTable, level: float, cutoffs: Ints, n_threads: int | None) -> Values:
    found = np.empty(table.n_queries)
    filled(kernels.expected_hits, table, n_threads, *_ranks(table), level, cutoffs, found)
    return found


def _over(values: Values, divisors: NDArray[Any], otherwise: float) -> Values:
    """Return quotients, and ``otherwise`` where there is nothing to divide by."""
    out = np.full(len(values), otherwise)
    np.divide(values, divisors, out=out, where=divisors > 0)
    return out


def precisions(
    table: RankingTable, *, k: int | None, relevant_from: float, n_threads: int | None = None
) -> Values:
    """Return the share of relevant items among the first k; of all items, where k is not given."""
    k = _cutoff(k)
    level = check_level(relevant_from)
    cutoffs = table.sizes if k == _ALL else np.full(table.n_queries, k)
    return _over(_hits(table, level, cutoffs, n_threads), cutoffs, 0.0)


def recalls(
    table: RankingTable,
    *,
    k: int | None,
    relevant_from: float,
    no_relevant: float,
    n_threads: int | None = None,
) -> Values:
    """Return the share of the relevant items that stands among the first k."""
    k = _cutoff(k)
    level = check_level(relevant_from)
    no_relevant = _value_of_none(no_relevant)
    found = _hits(table, level, np.full(table.n_queries, k), n_threads)
    return _over(found, n_relevant(table, level, n_threads), no_relevant)


def f1_values(
    table: RankingTable,
    *,
    k: int | None,
    relevant_from: float,
    no_relevant: float,
    n_threads: int | None = None,
) -> Values:
    """Return the harmonic mean of precision and recall, which is linear in the hits."""
    k = _cutoff(k)
    level = check_level(relevant_from)
    no_relevant = _value_of_none(no_relevant)
    cutoffs = table.sizes if k == _ALL else np.full(table.n_queries, k)
    relevant = n_relevant(table, level, n_threads)
    values = _over(2 * _hits(table, level, cutoffs, n_threads), cutoffs + relevant, 0.0)
    values[relevant == 0] = no_relevant
    return values


def r_precisions(
    table: RankingTable, *, relevant_from: float, no_relevant: float, n_threads: int | None = None
) -> Values:
    """Return the precision at k, the number of relevant items."""
    level = check_level(relevant_from)
    no_relevant = _value_of_none(no_relevant)
    relevant = n_relevant(table, level, n_threads)
    return _over(_hits(table, level, relevant, n_threads), relevant, no_relevant)


def _firsts(
    table: RankingTable,
    k: int | None,
    relevant_from: float,
    no_relevant: float,
    reciprocal: bool,
    n_threads: int | None,
) -> Values:
    k, level, otherwise = _cutoff(k), check_level(relevant_from), _value_of_none(no_relevant)
    found = np.empty(table.n_queries)
    ranks = _ranks(table)
    filled(kernels.expected_first, table, n_threads, *ranks, level, k, reciprocal, found)
    found[n_relevant(table, level, n_threads) == 0] = otherwise
    return found


def hit_rates(
    table: RankingTable,
    *,
    k: int | None,
    relevant_from: float,
    no_relevant: float,
    n_threads: int | None = None,
) -> Values:
    """Return the chance that a relevant item stands among the first k."""
    return _firsts(table, k, relevant_from, no_relevant, False, n_threads)


def reciprocal_ranks(
    table: RankingTable,
    *,
    k: int | None,
    relevant_from: float,
    no_relevant: float,
    n_threads: int | None = None,
) -> Values:
    """Return 1/rank of the first relevant item, 0 if it does not stand among the first k."""
    return _firsts(table, k, relevant_from, no_relevant, True, n_threads)


def average_precisions(
    table: RankingTable,
    *,
    k: int | None,
    relevant_from: float,
    no_relevant: float,
    n_threads: int | None = None,
) -> Values:
    """Return the mean, over the relevant items, of the precision at each; 0 beyond the first k."""
    k = _cutoff(k)
    level = check_level(relevant_from)
    no_relevant = _value_of_none(no_relevant)
    sums = np.empty(table.n_queries)
    filled(kernels.expected_precision_sums, table, n_threads, *_ranks(table), level, k, sums)
    return _over(sums, n_relevant(table, level, n_threads), no_relevant)


def gains_of(grades: Values, gain: Gain) -> Values:
    """Return what items of these grades are worth; nothing below 0."""
    check_choice("gain", gain, ("linear", "exponential"))
    if grades.min(initial=0.0) < 0:
        grades = np.maximum(grades, 0.0)
    if gain == "linear":
        return grades
    largest = float(grades.max(initial=0.0))
    if largest > 1000:
        raise InputError(
            f"`relevance` of {largest:g} is too great for exponential gains: 2**1000 is beyond "
            "what adds up"
        )
    return np.exp2(grades) - 1.0


def _discounts(table: RankingTable, k: int) -> Values:
    """Return the sum of 1/log2(j + 1) over the first j places, for every j that is looked at."""
    places = np.arange(2, 2 + min(k, _longest(table)), dtype=np.float64)
    return np.append(0.0, np.cumsum(1.0 / np.log2(places)))


def _longest(table: RankingTable) -> int:
    """Return how many places the longest query has, or would have by its relevant items."""
    return int(max(table.sizes.max(initial=0), np.diff(table.item_starts).max(initial=0)))


def discounted_gains(
    table: RankingTable, *, k: int | None, gain: Gain, n_threads: int | None = None
) -> Values:
    """Return the discounted cumulative gain of the first k items."""
    k = _cutoff(k)
    return _discounted(table, gains_of(table.grades, gain), _discounts(table, k), n_threads)


def _discounted(
    table: RankingTable, gains: Values, discounts: Values, n_threads: int | None
) -> Values:
    found = np.empty(table.n_queries)
    ranks, k = (gains, table.above, table.tied), len(discounts) - 1
    filled(ranking_gains.expected_gains, table, n_threads, *ranks, k, discounts, found)
    return found


def normalized_gains(
    table: RankingTable,
    *,
    k: int | None,
    gain: Gain,
    no_relevant: float,
    n_threads: int | None = None,
) -> Values:
    """Return the discounted gain over that of the best order."""
    k = _cutoff(k)
    no_relevant = _value_of_none(no_relevant)
    gains = gains_of(table.grades, gain)
    discounts, ideal = _discounts(table, k), np.empty(table.n_queries)
    filled(ranking_gains.ideal_gains, table, n_threads, gains, len(discounts) - 1, discounts, ideal)
    found = _discounted(table, gains, discounts, n_threads)
    return np.minimum(_over(found, ideal, no_relevant), 1.0)


def cascades(
    table: RankingTable,
    *,
    k: int | None,
    max_relevance: float | None,
    no_relevant: float,
    n_threads: int | None = None,
) -> Values:
    """Return the expected reciprocal rank at which a reader who stops at what is relevant stops."""
    k = _cutoff(k)
    no_relevant = _value_of_none(no_relevant)
    largest = float(table.grades.max(initial=0.0))
    top = largest if max_relevance is None else check_real("max_relevance", max_relevance)
    if top < largest:
        raise InputError(f"`max_relevance` must be at least {largest:g}, which occurs: got {top:g}")
    chances = gains_of(table.grades, "exponential") / np.exp2(top)
    found = np.empty(table.n_queries)
    ranks = (chances, table.above, table.tied)
    filled(ranking_gains.expected_cascade, table, n_threads, *ranks, k, found)
    found[n_relevant(table, _TINY, n_threads) == 0] = no_relevant
    return found


def biased_precisions(
    table: RankingTable,
    *,
    k: int | None,
    relevant_from: float,
    persistence: float,
    n_threads: int | None = None,
) -> Values:
    """Return the rank-biased precision: what a reader finds who goes on with chance p."""
    k = _cutoff(k)
    level = check_level(relevant_from)
    p = check_fraction("persistence", persistence)
    places = np.arange(min(k, _longest(table)) + 1, dtype=np.float64)
    powers, shares = p**places, -np.expm1(places * math.log(p))  # 1 - p**j would lose digits
    found = np.empty(table.n_queries)
    ranks, k = _ranks(table), len(places) - 1
    filled(kernels.expected_reading, table, n_threads, *ranks, level, k, powers, shares, found)
    return found


def preferences(
    table: RankingTable, *, relevant_from: float, no_relevant: float, n_threads: int | None = None
) -> Values:
    """Return bpref: how seldom judged non-relevant items stand above the relevant ones."""
    level = check_level(relevant_from)
    no_relevant = _value_of_none(no_relevant)
    found = np.empty(table.n_queries)
    hidden = table.unjudged_above, table.unjudged_tied
    ranks = *_ranks(table), *hidden
    filled(kernels.expected_preference, table, n_threads, *ranks, level, table.judged, found)
    found[np.isnan(found)] = no_relevant
    return found


def areas(
    table: RankingTable, *, relevant_from: float, n_threads: int | None = None
) -> tuple[Values, NDArray[np.int64], NDArray[np.int64]]:
    """Return the AUC of each query, nan of one class alone, and its retrieved items by class."""
    level = check_level(relevant_from)
    doubled, relevant = np.empty(table.n_queries, np.int64), np.empty(table.n_queries, np.int64)
    into = doubled, relevant, table.sizes
    filled(kernels.concordant_items, table, n_threads, *_ranks(table), level, *into)
    others = table.sizes - relevant
    return _over(doubled / 2, relevant * others, math.nan), relevant, others


def mean_of(values: Values, ties: Ties) -> float:
    """Return the mean; by trec_eval's rule as trec_eval adds up, whose last bit may be printed."""
    return float(np.cumsum(values)[-1] / len(values) if ties == "trec_eval" else values.mean())


def averaged(values: Values, per_query: bool, ties: Ties, what: str) -> Any:
    """Return the values of the queries, or their mean over those where it is defined."""
    if per_query:
        return values
    defined = ~np.isnan(values)
    if not defined.any():
        warn_user(
            f"{what} is undefined: no query has what it needs; set to nan", UndefinedMetricWarning
        )
        return math.nan
    return mean_of(values[defined], ties)
