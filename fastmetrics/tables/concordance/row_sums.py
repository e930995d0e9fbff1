"""``RowSums``: with how much weight each row takes part in pairs of each kind, in O(n log n)."""

from __future__ import annotations

from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels import concordance as kernels
from fastmetrics._threads.workers import run
from fastmetrics.tables.ordering.row_order import row_order

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
    """Of each row, the weight of its partners in pairs of a kind.

    That is how far the weight of all pairs of the kind (`PairTotals`) moves when the row's own
    weight does. ``rows`` says where each stood.
    """

    concordant: Floats
    discordant: Floats
    tied_in_score: Floats
    tied_in_outcome: Floats
    weights: Floats
    rows: NDArray[np.int32]

    def totals(self) -> PairTotals:
        """Return the weight of all pairs by kind: that of each row, of which a pair has two."""
        return PairTotals(*(sum_of(self.weights * partners) / 2 for partners in self[:4]))

    def every(self, are_rows: bool) -> tuple[float, Floats | float]:
        """Return the weight of all pairs, and of each row's; a row of frequency w is w of them."""
        of_rows = self.weights.sum() - (1.0 if are_rows else self.weights)
        return sum_of(self.weights * of_rows) / 2, of_rows

    def influences(self, slopes: Slopes, besides: Floats | float = 0.0) -> Floats:
        """Return the weight of each row times its partners by kind, each times a slope."""
        moved = np.zeros(len(self.weights))
        for partners, slope in zip(self[:4], slopes, strict=True):
            if slope != 0.0:
                moved += partners * slope
        found = np.empty_like(moved)
        found[self.rows] = self.weights * (moved + besides)
        return found


def sum_of(values: Floats) -> float:
    """Return the sum of values, which does not depend on their order: of the least ones first."""
    return float(np.sort(values).sum())


class Ranked(NamedTuple):
    """Rows by rank, from 0 on, which equal values share.

    ``rows`` are in ascending order; None where ranks are shared.
    """

    ranks: NDArray[np.int32]
    n_ranks: int
    rows: NDArray[np.int32] | None

    def turned(self) -> Ranked:
        """Return the ranks from the other end."""
        rows = None if self.rows is None else np.ascontiguousarray(self.rows[::-1])
        return Ranked(np.int32(self.n_ranks - 1) - self.ranks, self.n_ranks, rows)


class Keyed(NamedTuple):
    """Rows in ascending order of keys, and of scores where keys are equal.

    ``rows`` says where each stood, ``ranks`` are of the scores; ``starts`` are those of the groups
    of equal keys, and the end of the last.
    """

    rows: NDArray[np.int32]
    ranks: NDArray[np.int32]
    starts: NDArray[np.int64]
    n_ranks: int


def ranked(values: NDArray[Any]) -> Ranked:
    """Return the rank of each value among the distinct ones; of fewer than 2**31."""
    order = row_order(values)
    ranks = order.spread(np.arange(order.n_distinct, dtype=np.int32))
    distinct = order.n_distinct == len(values)
    return Ranked(ranks, order.n_distinct, order.rows if distinct else None)  # type: ignore[arg-type]


def in_order(keys: Ranked, scores: Ranked) -> Keyed:
    """Return rows by key, then by rank of the score."""
    if keys.rows is not None:
        starts = np.arange(len(keys.rows) + 1)
        return Keyed(keys.rows, scores.ranks[keys.rows], starts, scores.n_ranks)
    bits = scores.n_ranks.bit_length()
    codes = keys.ranks.astype(np.int64) << bits | scores.ranks
    rows: Any = row_order(codes).rows
    ordered = keys.ranks[rows]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    return Keyed(rows, scores.ranks[rows], np.append(starts, len(rows)), scores.n_ranks)


def sum_rows(keyed: Keyed, weights: Floats, leads: Floats | None = None) -> RowSums:
    """Sum the weights of each row's partners, of the rows in order.

    ``weights`` are of the rows as they stood, and so are ``leads``: what a pair whose lower key is
    this row's is multiplied by (1 by default); 0 where the row makes none, as one that was censored
    makes none with rows of longer times.

    One pass from the highest key down knows the partners of higher keys, one upwards those of
    lower ones, each with a Fenwick tree over the ranks: O(n log n) time, O(n) memory.
    """
    own = weights[keyed.rows]
    factors = None if leads is None else leads[keyed.rows]
    leading = own if factors is None else own * factors
    back = keyed._replace(
        ranks=np.ascontiguousarray(keyed.ranks[::-1]),
        starts=np.ascontiguousarray((len(own) - keyed.starts)[::-1]),
    )
    reverse = np.ascontiguousarray(leading[::-1])
    jobs = (keyed, own, leading != 0.0), (back, reverse, None)
    up, down = run([partial(_later, *job) for job in jobs], len(own))
    factor = np.float64(1.0) if factors is None else factors
    return RowSums(
        factor * up.above + down.below[::-1],
        factor * up.below + down.above[::-1],
        factor * up.tied + down.tied[::-1],
        _tied_keys(keyed, own),
        own,
        keyed.rows,
    )


class _Later(NamedTuple):
    """The weight of the rows of later groups whose rank is lower, equal, higher."""

    below: Floats
    tied: Floats
    above: Floats


def _later(keyed: Keyed, weights: Floats, is_asked: NDArray[np.bool_] | None) -> _Later:
    """Return the sums of the rows asked, by default of all.

    Whole weights are subtracted from their total. Of others that would leave rounding where there
    is nothing: those above are added up too.
    """
    asked = np.ones(len(weights), np.bool_) if is_asked is None else is_asked
    below, tied = _lower(keyed, keyed.ranks, weights, asked)
    if weights.sum() < _EXACT and np.array_equal(weights, np.rint(weights)):
        sums = np.add.reduceat(weights, keyed.starts[:-1])
        after = np.append(np.cumsum(sums[:0:-1])[::-1], 0.0)
        beyond = np.repeat(after, np.diff(keyed.starts))
        return _Later(below, tied, np.where(asked, beyond - below - tied, 0.0))
    turned = np.subtract(keyed.n_ranks - 1, keyed.ranks, dtype=np.int32)
    return _Later(below, tied, _lower(keyed, turned, weights, asked)[0])


def _lower(
    keyed: Keyed, ranks: NDArray[np.int32], weights: Floats, asked: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Return the weight of later rows of lower and of equal rank, 0 for rows not asked."""
    below, tied = np.zeros(len(weights)), np.zeros(len(weights))
    tree, here = np.zeros(keyed.n_ranks), np.zeros(keyed.n_ranks)
    kernels.sums_of_later(ranks, keyed.starts, weights, asked, tree, here, below, tied)
    return below, tied


def _tied_keys(keyed: Keyed, weights: Floats) -> Floats:
    """Return the weight of the rows of a row's group whose scores differ from its own."""
    if len(keyed.starts) == len(weights) + 1:
        return np.zeros(len(weights))
    changes = np.concatenate(([True], keyed.ranks[1:] != keyed.ranks[:-1]))
    changes[keyed.starts[:-1]] = True
    runs = np.append(np.flatnonzero(changes), len(weights))
    alike = np.repeat(np.add.reduceat(weights, runs[:-1]), np.diff(runs))
    groups = np.repeat(np.add.reduceat(weights, keyed.starts[:-1]), np.diff(keyed.starts))
    all_alike = np.add.reduceat(changes, keyed.starts[:-1], dtype=np.int64) == 1
    return np.where(np.repeat(all_alike, np.diff(keyed.starts)), 0.0, groups - alike)
