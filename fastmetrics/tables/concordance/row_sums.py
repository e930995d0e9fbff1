"""``RowSums``: with how much weight each row takes part in pairs of each kind, in O(n log n)."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels import concordance as kernels
from fastmetrics._threads.workers import run
from fastmetrics.tables.concordance._orders import ascending

Floats = NDArray[np.float64]

_EXACT: Final = 2.0**53


class RowSums(NamedTuple):
    """Of each row, the weight of its partners in pairs of a kind.

    That is how far the weight of all pairs of the kind moves when the row's own weight does.

    Attributes
    ----------
    concordant, discordant, tied_in_score, tied_in_outcome : ndarray of float64, shape (n,)
        The lower key has the lower score, the higher one, or an equal one; and keys are equal but
        scores are not.
    weights : ndarray of float64, shape (n,)
        Of the rows.
    """

    concordant: Floats
    discordant: Floats
    tied_in_score: Floats
    tied_in_outcome: Floats
    weights: Floats

    def total(self, partners: Floats) -> float:
        """Return the weight of all pairs of a kind: that of each row, of which a pair has two.

        Rounded once, so that the order of the rows does not matter.
        """
        products = self.weights * partners
        return math.fsum(products.tolist()) / 2


class Keyed(NamedTuple):
    """Rows in ascending order of keys, and of scores where keys are equal.

    Attributes
    ----------
    rows : ndarray of int64, shape (n,)
        Where each one stood.
    ranks : ndarray of int32, shape (n,)
        Of the scores; equal scores share one, and none is skipped.
    starts : ndarray of int64, shape (n_groups + 1,)
        Of the groups of equal keys, and the end of the last.
    n_ranks : int
    """

    rows: NDArray[np.int64]
    ranks: NDArray[np.int32]
    starts: NDArray[np.int64]
    n_ranks: int


def dense_ranks(values: NDArray[Any]) -> NDArray[np.int64]:
    """Return the rank of each value among the distinct ones, from 0."""
    order, ordered = ascending(values)
    steps = np.empty(len(values), np.int64)
    steps[:1] = 0
    np.cumsum(ordered[1:] != ordered[:-1], out=steps[1:])
    ranks = np.empty_like(steps)
    ranks[order] = steps
    return ranks


def in_order(keys: NDArray[np.int64], ranks: NDArray[np.int64]) -> Keyed:
    """Return rows by key, then by rank of the score; both are below 2**31."""
    bits = int(ranks.max()).bit_length()
    codes = keys << bits | ranks
    rows, codes = ascending(codes)
    ordered = codes >> bits
    starts = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    starts = np.concatenate(([0], starts, [len(rows)])).astype(np.int64)
    return Keyed(rows, (codes & ((1 << bits) - 1)).astype(np.int32), starts, int(ranks.max()) + 1)


def sum_rows(
    keyed: Keyed, weights: Floats, leads: Floats | None = None, n_threads: int | None = None
) -> RowSums:
    """Sum the weights of each row's partners.

    Parameters
    ----------
    keyed : Keyed
    weights : ndarray of float64, shape (n,)
        Of the rows as they stood.
    leads : ndarray of float64, shape (n,), optional
        What a pair whose lower key is this row's is multiplied by; 0 where the row makes none, as
        one that was censored makes none with rows of longer times. 1 by default.
    n_threads : int, optional

    Returns
    -------
    RowSums
        Of the rows as they stood.

    Notes
    -----
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
    up, down = run([partial(_later, *job) for job in jobs], n_threads)
    factor = np.float64(1.0) if factors is None else factors
    found = np.empty((4, len(own)))
    found[:, keyed.rows] = (
        factor * up.above + down.below[::-1],
        factor * up.below + down.above[::-1],
        factor * up.tied + down.tied[::-1],
        _tied_keys(keyed, own),
    )
    return RowSums(found[0], found[1], found[2], found[3], weights)


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
        return _Later(below, tied, np.where(asked, _beyond(keyed, weights) - below - tied, 0.0))
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


def _beyond(keyed: Keyed, weights: Floats) -> Floats:
    """Return the weight of all rows of later groups, for each row."""
    sums = np.add.reduceat(weights, keyed.starts[:-1])
    after = np.append(np.cumsum(sums[:0:-1])[::-1], 0.0)
    return np.repeat(after, np.diff(keyed.starts))


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
