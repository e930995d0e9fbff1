"""Pairs of rows that a prediction and an outcome order alike, otherwise, or not at all.

Imports the layers below; no other module of tables.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.regression_targets import CensoredTimes
from fastmetrics._kernels import concordance as kernels
from fastmetrics._threads.workers import run
from fastmetrics.errors import InputError
from fastmetrics.tables.ordering import row_order, split_jobs

Floats = NDArray[np.float64]

_EXACT: Final = 2.0**53


class PairTotals(NamedTuple):
    """The weight of all pairs of a kind.

    The lower key has the lower score, the higher one, or an equal one; or keys are equal and scores
    are not.
    """

    concordant: float
    discordant: float
    tied_in_score: float
    tied_in_outcome: float


Slopes = tuple[float, float, float, float]


class RowSums(NamedTuple):
    """Weight of the partners of each row in concordant, discordant and tied pairs.

    They are the derivatives of `PairTotals` by the row's weight. ``rows`` are the original indices.
    """

    concordant: Floats
    discordant: Floats
    tied_in_score: Floats
    tied_in_outcome: Floats
    weights: Floats
    rows: NDArray[np.int32]

    def totals(self) -> PairTotals:
        """Return the weight of all pairs by kind: that of each row, of which a pair has two."""
        return PairTotals(*(stable_sum(self.weights * partners) / 2 for partners in self[:4]))

    def every(self, are_rows: bool) -> tuple[float, Floats | float]:
        """Return the weight of all pairs, and of each row's; a row of frequency w is w of them."""
        partners = self.weights.sum() - (1.0 if are_rows else self.weights)
        return stable_sum(self.weights * partners) / 2, partners

    def influences(self, slopes: Slopes, besides: Floats | float = 0.0) -> Floats:
        """Return the weight of each row times its partners by kind, each times a slope."""
        partner_sums = np.zeros(len(self.weights))
        for partners, slope in zip(self[:4], slopes, strict=True):
            if slope != 0.0:
                partner_sums += partners * slope
        sums = np.empty_like(partner_sums)
        sums[self.rows] = self.weights * (partner_sums + besides)
        return sums


def stable_sum(values: Floats) -> float:
    """Return the sum of values, the smallest first, so that it does not depend on their order."""
    return float(np.sort(values).sum())


class Ranks(NamedTuple):
    """Rank of each row, from 0, the same for equal values; ``rows`` in order where none are."""

    ranks: NDArray[np.int32]
    n_ranks: int
    rows: NDArray[np.int32] | None

    def reverse(self) -> Ranks:
        """Return the ranks in descending order."""
        rows = None if self.rows is None else np.ascontiguousarray(self.rows[::-1])
        return Ranks(np.int32(self.n_ranks - 1) - self.ranks, self.n_ranks, rows)


class KeyOrder(NamedTuple):
    """Rows in ascending order of keys, and of scores where keys are equal.

    ``rows`` says where each stood, ``ranks`` are of the scores; ``starts`` are those of the groups
    of equal keys, and the end of the last.
    """

    rows: NDArray[np.int32]
    ranks: NDArray[np.int32]
    starts: NDArray[np.int64]
    n_ranks: int


def rank_values(values: NDArray[Any]) -> Ranks:
    """Return the rank of each value among the distinct ones, for fewer than 2**31 values."""
    order = row_order(values)
    ranks = order.spread(np.arange(order.n_distinct, dtype=np.int32))
    rows = order.rows if order.n_distinct == len(values) else None
    return Ranks(ranks, order.n_distinct, rows)  # type: ignore[arg-type]


def in_order(keys: Ranks, scores: Ranks) -> KeyOrder:
    """Return rows by key, then by rank of the score."""
    if keys.rows is not None:
        starts = np.arange(len(keys.rows) + 1)
        return KeyOrder(keys.rows, scores.ranks[keys.rows], starts, scores.n_ranks)
    bits = scores.n_ranks.bit_length()
    rows: Any = row_order(keys.ranks.astype(np.int64) << bits | scores.ranks).rows
    ordered = keys.ranks[rows]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    return KeyOrder(rows, scores.ranks[rows], np.append(starts, len(rows)), scores.n_ranks)


def sum_rows(keyed: KeyOrder, weights: Floats, leads: Floats | None = None) -> RowSums:
    """Sum the weights of each row's partners, of the rows in order.

    ``weights`` are of the rows as they stood, and so are ``leads``: what a pair whose lower key is
    this row's is multiplied by (1 by default); 0 where the row makes none, as one that was censored
    makes none with rows of longer times.

    One pass from the highest key down knows the partners of higher keys, one upwards those of
    lower ones, each with a Fenwick tree over the ranks: O(n log n) time, O(n) memory.
    """
    ordered_weights = weights[keyed.rows]
    factors = None if leads is None else leads[keyed.rows]
    leading = ordered_weights if factors is None else ordered_weights * factors
    back = keyed._replace(
        ranks=np.ascontiguousarray(keyed.ranks[::-1]),
        starts=np.ascontiguousarray((len(ordered_weights) - keyed.starts)[::-1]),
    )
    reverse = np.ascontiguousarray(leading[::-1])
    jobs = (keyed, ordered_weights, leading != 0.0), (back, reverse, None)
    up, down = run([partial(_later, *job) for job in jobs], len(ordered_weights))
    lower_up, tied_up, higher_up = up
    lower_down, tied_down, higher_down = down
    factor = np.float64(1.0) if factors is None else factors
    return RowSums(
        factor * higher_up + lower_down[::-1],
        factor * lower_up + higher_down[::-1],
        factor * tied_up + tied_down[::-1],
        _tied_keys(keyed, ordered_weights),
        ordered_weights,
        keyed.rows,
    )


def _later(
    keyed: KeyOrder, weights: Floats, is_requested: NDArray[np.bool_] | None
) -> tuple[Floats, Floats, Floats]:
    """Return the weight of the rows of later groups whose rank is lower, equal, higher.

    Only for requested rows, by default all.

    Whole weights are subtracted from their total. For others the difference would round: higher
    ranks are added up too.
    """
    requested = np.ones(len(weights), np.bool_) if is_requested is None else is_requested
    below, tied = _lower(keyed, keyed.ranks, weights, requested)
    if weights.sum() < _EXACT and np.array_equal(weights, np.rint(weights)):
        sums = np.add.reduceat(weights, keyed.starts[:-1])
        after = np.append(np.cumsum(sums[:0:-1])[::-1], 0.0)
        beyond = np.repeat(after, np.diff(keyed.starts))
        return below, tied, np.where(requested, beyond - below - tied, 0.0)
    turned = np.subtract(keyed.n_ranks - 1, keyed.ranks, dtype=np.int32)
    return below, tied, _lower(keyed, turned, weights, requested)[0]


def _lower(
    keyed: KeyOrder, ranks: NDArray[np.int32], weights: Floats, requested: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Return the weight of later rows of lower and of equal rank, 0 for rows not requested."""
    below = np.zeros(len(weights))
    tied = np.zeros(len(weights))
    tree = np.zeros(keyed.n_ranks)
    here = np.zeros(keyed.n_ranks)
    kernels.sums_of_later(ranks, keyed.starts, weights, requested, tree, here, below, tied)
    return below, tied


def _tied_keys(keyed: KeyOrder, weights: Floats) -> Floats:
    """Return, for each row, the weight of the rows of its group with other scores."""
    if len(keyed.starts) == len(weights) + 1:
        return np.zeros(len(weights))
    changes = np.concatenate(([True], keyed.ranks[1:] != keyed.ranks[:-1]))
    changes[keyed.starts[:-1]] = True
    runs = np.append(np.flatnonzero(changes), len(weights))
    alike = np.repeat(np.add.reduceat(weights, runs[:-1]), np.diff(runs))
    groups = np.repeat(np.add.reduceat(weights, keyed.starts[:-1]), np.diff(keyed.starts))
    all_alike = np.add.reduceat(changes, keyed.starts[:-1], dtype=np.int64) == 1
    return np.where(np.repeat(all_alike, np.diff(keyed.starts)), 0.0, groups - alike)


Integers = NDArray[np.int64]

#: Rows of a job.
_ROWS_OF_A_JOB: Final = 1 << 17
_DIGITS: Final = 1 << kernels.DIGIT


class RowCounts(NamedTuple):
    """Number of partners of each row in pairs of a kind; rows are sorted by rank, then key.

    ``sums`` has the rows of lower rank of which the key is not higher, and 2**32 times those of
    lower rank and key that lead; ``before``, of shape (n_keys + 1, 2), the rows of lower keys, and
    how many of them lead.
    """

    sums: Integers
    by_rank: KeyOrder
    before: NDArray[np.int32]
    has_tied_keys: bool

    def totals(self) -> PairTotals:
        """Return the number of pairs by kind."""
        n = len(self.sums)
        leads = np.diff(self.before[:, 1])
        pairs = int((leads * (n - self.before[1:, 0].astype(np.int64))).sum())
        concordant = int((self.sums >> 32).sum())
        tied = self._total((0.0, 0.0, 1.0, 0.0)) if len(self.by_rank.starts) <= n else 0.0
        tied_keys = self._total((0.0, 0.0, 0.0, 1.0)) if self.has_tied_keys else 0.0
        return PairTotals(concordant, pairs - concordant - tied, tied, tied_keys)

    def every(self, are_rows: bool) -> tuple[float, float]:
        """Return the number of all pairs, and of each row's."""
        del are_rows
        n = len(self.sums)
        return n * (n - 1) / 2, n - 1.0

    def influences(self, slopes: Slopes, besides: Floats | float = 0.0) -> Floats:
        """Return each row's partners by kind, each times a slope, and a constant."""
        rows, keys, starts, _ = self.by_rank
        given = np.array([*slopes, besides])
        influences = np.empty(len(rows))
        write = partial(kernels.combine_partners, self.sums, keys, rows, starts)
        jobs = split_jobs(starts, _ROWS_OF_A_JOB)
        run([partial(write, *job, self.before, given, influences) for job in jobs])
        return influences

    def _total(self, slopes: Slopes) -> float:
        return float(self.influences(slopes).sum()) / 2


def count_rows(keys: Ranks, scores: Ranks, is_lead: NDArray[np.bool_] | None = None) -> RowCounts:
    """Count the partners of each row.

    ``is_lead`` says whether pairs count whose lower key is the row's: the same for all of a key.

    Rows in the order of their keys, of equal ones the highest rank first, are sorted by ranks digit
    by digit; on its way each row learns how many rows before it have a lower rank: O(n log n). Rows
    of lower rank with the same key come after it, and are added beforehand.
    """
    n = len(keys.ranks)
    by_key = in_order(keys, scores.reverse())
    by_rank = in_order(scores, keys)
    leads = np.ones(n, np.bool_) if is_lead is None else is_lead
    before = np.zeros((keys.n_ranks + 1, 2), np.int32)
    sizes = np.diff(by_key.starts)
    firsts = by_key.rows[by_key.starts[:-1]]
    following = keys.ranks[firsts] + 1
    before[following, 0] = sizes
    before[following, 1] = sizes * leads[firsts]
    for column in before.T:
        np.cumsum(column, out=column)
    codes = (scores.n_ranks - 1 - by_key.ranks).astype(np.uint32)
    codes <<= 1
    codes |= leads[by_key.rows]
    sums = _sorted_sums(codes, _lower_of_key(by_key), (scores.n_ranks - 1).bit_length())
    return RowCounts(sums, by_rank, before, len(sizes) < n)


def _lower_of_key(by_key: KeyOrder) -> Integers:
    """Return how many rows of a row's key have a lower rank; ranks fall within keys."""
    n = len(by_key.rows)
    if len(by_key.starts) == n + 1:
        return np.zeros(n, np.int64)
    is_end = np.append(by_key.ranks[1:] != by_key.ranks[:-1], True)
    is_end[by_key.starts[1:] - 1] = True
    ends = np.flatnonzero(is_end) + 1
    ends = np.repeat(ends, np.diff(ends, prepend=0))
    return np.asarray(np.repeat(by_key.starts[1:], np.diff(by_key.starts)) - ends)


def _sorted_sums(codes: NDArray[np.uint32], sums: Integers, bits: int) -> Integers:
    """Return the sums of rows before, by rank; both arrays are used up."""
    rest = max(0, bits - kernels.DIGIT)
    shift = rest + 1
    counts, jobs = _digit_jobs(len(codes))
    run([partial(kernels.lower_by_digit, codes, *job[:2], shift, sums, job[2]) for job in jobs])
    starts, positions = _positions(counts & 0xFFFFFFFF)
    earlier = np.cumsum(counts, axis=0) - counts  # rows of earlier jobs
    more = np.cumsum(earlier, axis=1) - earlier
    ordered = np.empty_like(codes)
    ordered_sums = np.empty_like(sums)
    scatter = partial(kernels.scatter_with_sums, codes, sums)
    run(
        [
            partial(scatter, *job[:2], shift, _DIGITS - 1, position, add, ordered, ordered_sums)
            for job, position, add in zip(jobs, positions, more, strict=True)
        ]
    )
    if rest:
        within = partial(kernels.lower_in_segments, ordered, ordered_sums, codes, sums, starts)
        run([partial(within, *segment, rest) for segment in split_jobs(starts, _ROWS_OF_A_JOB)])
    return ordered_sums


def _digit_jobs(n: int) -> tuple[Integers, list[tuple[int, int, Integers]]]:
    """Return counters of digits, and ranges of n rows, each with its own row of counters."""
    edges = [*range(0, n, _ROWS_OF_A_JOB), n]
    counts = np.zeros((len(edges) - 1, _DIGITS), np.int64)
    return counts, list(zip(edges[:-1], edges[1:], counts, strict=True))


def _positions(sizes: Integers) -> tuple[Integers, Integers]:
    """Return the starts of digits, and each job's target indices, from the sizes in all jobs."""
    starts = np.append(0, np.cumsum(sizes.sum(axis=0)))
    return starts, starts[:-1] + np.cumsum(sizes, axis=0) - sizes


class RankPairs(NamedTuple):
    """Pairs of n rows, each of which is one of five kinds; Python integers, of any size."""

    n_rows: int
    n_scores: int
    n_outcomes: int
    concordant: int
    discordant: int
    tied_in_score: int
    tied_in_outcome: int
    tied_in_both: int

    @property
    def excess(self) -> int:
        """Concordant pairs less discordant ones."""
        return self.concordant - self.discordant

    @property
    def apart_in_score(self) -> int:
        """Pairs whose scores differ."""
        return self.total - self.tied_in_score - self.tied_in_both

    @property
    def apart_in_outcome(self) -> int:
        """Pairs whose outcomes differ."""
        return self.total - self.tied_in_outcome - self.tied_in_both

    @property
    def total(self) -> int:
        """All pairs."""
        return self.n_rows * (self.n_rows - 1) // 2


def count_pairs(outcome: NDArray[Any], score: NDArray[Any]) -> RankPairs:
    """Count the pairs of rows by kind, of fewer than 2**31 finite numbers.

    Two sorts, then the ranks of one variable in the order of the other, counted digit by digit:
    O(n log n), in integers.
    """
    by_score = row_order(score)
    by_outcome = row_order(outcome)
    n = len(score)
    highest = by_outcome.n_distinct - 1
    ranks = by_outcome.spread(np.arange(highest + 1, dtype=np.int32))[by_score.rows]
    score_ties = _pairs_in(by_score.starts)
    outcome_ties = _pairs_in(by_outcome.starts)
    both_ties = 0
    if score_ties:
        # rows that tie in score, the highest outcome first: no pair of them is rising
        runs = np.arange(by_score.n_distinct)
        keys = np.repeat(runs, np.diff(by_score.starts)) << 32 | (highest - ranks)
        keys.sort()
        changes = np.concatenate(([True], keys[1:] != keys[:-1], [True]))
        both_ties = _pairs_in(np.flatnonzero(changes))
        ranks = (highest - (keys & 0xFFFFFFFF)).astype(np.int32)
    concordant = _rising(ranks, highest)
    tied_somewhere = score_ties + outcome_ties - both_ties
    return RankPairs(
        n,
        by_score.n_distinct,
        by_outcome.n_distinct,
        concordant,
        n * (n - 1) // 2 - tied_somewhere - concordant,
        score_ties - both_ties,
        outcome_ties - both_ties,
        both_ties,
    )


def correlate_ranks(outcome: NDArray[Any], score: NDArray[Any]) -> tuple[int, int, int]:
    """Return the sums of Spearman's rho as integers, each times four, in O(n log n).

    Sums of squares of the outcome's mid-ranks, less their mean, of the score's, and of products.
    """
    centred = []  # twice the mid-rank of each row, less n + 1
    for order in map(row_order, (outcome, score)):
        starts = order.starts.astype(np.int64)
        centred.append(order.spread(starts[:-1] + starts[1:] - len(order.rows)))
    y, x = centred
    return _exact_dot(y, y), _exact_dot(x, x), _exact_dot(y, x)


def _exact_dot(left: NDArray[np.int64], right: NDArray[np.int64]) -> int:
    """Return the sum of products of numbers below n, chunk by chunk that cannot overflow."""
    n = len(left)
    size = max(1, 2**62 // (n * n))
    return sum(int(left[i : i + size] @ right[i : i + size]) for i in range(0, n, size))


def _pairs_in(bounds: NDArray[Any]) -> int:
    """Return the pairs of rows within runs, of which each begins where the one before ends."""
    if len(bounds) > bounds[-1]:
        return 0
    sizes = bounds[1:].astype(np.int64) - bounds[:-1]
    if int(sizes.max(initial=0)) > 1 << 20:  # squares whose sum may not fit
        return sum(size * (size - 1) // 2 for size in sizes.tolist())
    return int((sizes * (sizes - 1) // 2).sum())


def _rising(ranks: NDArray[np.int32], largest: int) -> int:
    """Return the pairs i < j with ``ranks[i] < ranks[j]``; ``ranks`` is used up."""
    shift = max(0, largest.bit_length() - kernels.DIGIT)
    counts, jobs = _digit_jobs(len(ranks))
    count = partial(kernels.rising_by_digit, ranks)
    total = sum(map(int, run([partial(count, *job[:2], shift, job[2]) for job in jobs])))
    before = np.zeros(_DIGITS, np.int64)
    for row in counts:  # pairs of rows in two jobs
        below = np.append(0, np.cumsum(before))[:-1]
        total += sum(map(int.__mul__, below.tolist(), row.tolist()))
        before += row
    if shift == 0:
        return total
    starts, positions = _positions(counts)
    ordered = np.empty_like(ranks)
    scatter = partial(kernels.scatter_by_digit, ranks)
    both = zip(jobs, positions, strict=True)
    run([partial(scatter, *job[:2], shift, put, ordered) for job, put in both])
    within = partial(kernels.rising_in_segments, ordered, ranks, starts)
    rest = max(0, shift - kernels.DIGIT)
    rising = run(
        [partial(within, *segment, rest) for segment in split_jobs(starts, _ROWS_OF_A_JOB)]
    )
    return total + sum(map(int, rising))


def _by_time(times: NDArray[Any], is_event: NDArray[np.bool_]) -> tuple[NDArray[Any], Ranks]:
    """Return the distinct times, rising, and censored times as keys.

    A key is twice the rank of a row's time, and one more where it was censored: of equal times,
    events come before censorings.
    """
    by_time = rank_values(times)
    distinct = np.empty(by_time.n_ranks, times.dtype)
    distinct[by_time.ranks] = times
    return distinct, Ranks(2 * by_time.ranks + ~is_event, 2 * by_time.n_ranks, by_time.rows)


def _uncensored_fractions(keys: Ranks, weights: Floats) -> Floats:
    """Return the Kaplan-Meier probability of no censoring, before each key and after the last."""
    leaving = np.bincount(keys.ranks, weights, keys.n_ranks).astype(np.float64, copy=False)
    at_risk = np.cumsum(leaving[::-1])[::-1]
    leaving[::2] = 0.0  # the events
    gone = np.divide(leaving, at_risk, out=np.zeros(keys.n_ranks), where=leaving > 0.0)
    return np.append(1.0, np.cumprod(1.0 - gone))


Weighting = Literal["harrell", "uno", "uno-scikit-survival"]


class CensoredPairs(NamedTuple):
    """Rows by time, ready for the scores of any model.

    ``keys`` are in the order of times; of equal ones, events come before censorings. ``leads`` says
    the weight of a pair whose shorter time is this row's: 0 where it was censored.
    """

    keys: Ranks
    leads: Floats
    weights: Floats

    def sums(self, score: NDArray[Any], higher_is_longer: bool) -> RowSums | RowCounts:
        """Return the sums of each row's partners by the scores of one model."""
        scores = rank_values(score)
        if not higher_is_longer:
            scores = scores.reverse()
        if (self.weights == 1.0).all() and ((self.leads == 0.0) | (self.leads == 1.0)).all():
            return count_rows(self.keys, scores, self.leads > 0.0)
        return sum_rows(in_order(self.keys, scores), self.weights, self.leads)


def compare_times(
    times: NDArray[Any],
    is_event: NDArray[np.bool_],
    weights: Floats,
    weighting: Weighting = "harrell",
    tau: float | None = None,
    others: CensoredTimes | None = None,
) -> CensoredPairs:
    """Order rows by time and weigh the pairs they lead; `others` estimate the censoring."""
    distinct, keys = _by_time(times, is_event)
    leads = is_event.astype(np.float64)
    if tau is not None:
        leads[times >= tau] = 0.0
    if weighting != "harrell":
        leading = leads > 0.0
        seen_times = distinct
        seen = keys
        seen_weights = weights
        if others is not None:
            seen_times, seen = _by_time(*others)
            seen_weights = np.ones(len(others.times))
        # scikit-survival counts the censorings of a time, which come after its events, too
        side: Literal["left", "right"] = "left" if weighting == "uno" else "right"
        indices = 2 * np.searchsorted(seen_times, times[leading], side=side)
        kept = _uncensored_fractions(seen, seen_weights)[indices]
        if others is not None and np.any(kept <= 0.0):
            raise InputError(
                "`censoring` has nobody who is followed up to the last event: pass `tau`, a time "
                "by which some are"
            )
        if np.any(kept <= 0.0):
            raise InputError(
                "`weighting='uno-scikit-survival'` divides by the share not censored up to the "
                "time of each event, and at the last one it is 0: pass `tau`, a time before it"
            )
        leads[leading] /= kept**2
    return CensoredPairs(keys, leads, weights)
