"""The distribution of Friedman's statistic when each row may stand in any order."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._display.numbers import MonteCarloPValue

#: Arrangements that are looked at, at most, before the exact distribution is given up.
BUDGET = 10**7
#: Arrangements worked on at a time.
_CHUNK = 500_000
#: Numbers that the arrangements of one row may be, all together.
_MOST_NUMBERS = 10**8
#: Numbers drawn at a time.
_DRAWN = 2_000_000
#: Weights up to here are exact whole numbers.
_EXACT = 2.0**52


class ExactDistribution(NamedTuple):
    """Every sum over algorithms of their squared column sum, ascending, and its probability.

    Weights are in proportion to the number of arrangements that give the value.
    """

    values: NDArray[np.int64]
    weights: NDArray[np.float64]

    def tails(self) -> NDArray[np.float64]:
        """Return P(sum >= value) for each value."""
        tails = np.cumsum(self.weights[::-1])[::-1]
        return np.asarray(tails / tails[0])

    def pvalue(self, observed: int) -> float:
        """Return P(sum >= observed)."""
        return float(self.tails()[int(np.searchsorted(self.values, observed))])


def sum_of_squares(centred: NDArray[np.int64]) -> int:
    """Return the sum of the squared column sums, as a whole number."""
    return sum(each * each for each in centred.sum(axis=0).tolist())


def exact_distribution(centred: NDArray[np.int64]) -> ExactDistribution | None:
    """Return the distribution over all arrangements of each row, or None beyond the budget.

    Rows are added one after another. All columns are alike, so only the sorted column sums
    matter: the (k!)^N arrangements collapse to few states, each with the number of ways to it,
    and the first row need not be arranged at all.
    """
    rows = sorted(
        (np.sort(row) for row in centred if row.any()), key=arrangement_count, reverse=True
    )
    if not rows:
        return ExactDistribution(np.zeros(1, np.int64), np.ones(1))
    if _least_work(rows) > BUDGET:
        return None
    counts = [arrangement_count(row) for row in rows]
    if len(rows) > 1 and counts[1] * len(rows[0]) > _MOST_NUMBERS:
        return None
    states, weights, spent = rows[0][np.newaxis, :], np.ones(1), 0
    known: dict[tuple[int, ...], NDArray[np.int64]] = {}
    for i, row in enumerate(rows[1:-1], 1):
        # The states do not become fewer: what is left costs this at least.
        if spent + len(states) * sum(counts[i:]) > BUDGET:
            return None
        spent += len(states) * counts[i]
        states, weights = _with_row(states, weights, arrangements(tuple(row.tolist()), known))
        while weights.sum() > _EXACT:
            weights *= 2.0**-50  # a power of two: nothing is rounded
    if len(rows) == 1:
        return ExactDistribution((states**2).sum(axis=1), weights)
    if spent + len(states) * counts[-1] > BUDGET:
        return None
    return _with_last_row(states, weights, arrangements(tuple(rows[-1].tolist()), known))


def arrangement_count(row: NDArray[np.int64]) -> int:
    """Return in how many different orders the numbers of a row can stand."""
    count = math.factorial(len(row))
    for times in Counter(row.tolist()).values():
        count //= math.factorial(times)
    return count


def arrangements(
    row: tuple[int, ...], known: dict[tuple[int, ...], NDArray[np.int64]]
) -> NDArray[np.int64]:
    """Return the different orders of sorted numbers, shape (count, k); those found are kept.

    Two bytes a number, which is below k: a row with more has too many orders to be asked for.
    """
    if row not in known:
        if row[0] == row[-1]:
            return np.array([row], dtype=np.int16)
        blocks = []
        for first in sorted(set(row)):
            place = row.index(first)
            tail = arrangements(row[:place] + row[place + 1 :], known)
            blocks.append(np.column_stack([np.full(len(tail), first, tail.dtype), tail]))
        known[row] = np.concatenate(blocks)
    return known[row]


def permutation_pvalue(
    centred: NDArray[np.int64], n_resamples: int, key: NDArray[np.uint64]
) -> float:
    """Return the p-value over random arrangements of each row, the observed one counted in."""
    observed = sum_of_squares(centred)
    n, k = centred.shape
    generator = np.random.default_rng(key)
    at_once = max(1, _DRAWN // (n * k))
    as_extreme = 0
    for start in range(0, n_resamples, at_once):
        size = min(at_once, n_resamples - start)
        drawn = generator.permuted(np.broadcast_to(centred, (size, n, k)), axis=2)
        sums = drawn.sum(axis=1)
        as_extreme += int(np.count_nonzero((sums * sums).sum(axis=1) >= observed))
    return MonteCarloPValue.of(as_extreme, n_resamples)


def _least_work(rows: list[NDArray[np.int64]]) -> int:
    """Return a number of arrangements that the rows without ties need at least.

    After n such rows the column sums are the whole points of the permutohedron of k, n times
    enlarged: n^(k-1) k^(k-2) and more, where (k!)^n do not say less.
    """
    k = len(rows[0])
    every = math.factorial(k)
    untied = sum(arrangement_count(row) == every for row in rows)
    work = 0
    for n in range(1, untied):
        ways = min(n, 64)  # beyond, the number of points is the smaller
        states = min(every ** (ways - 1), n ** (k - 1) * k ** (k - 2) // every)
        work += every * max(1, states)
    return work


def _blocks(
    states: NDArray[np.int64], orders: NDArray[np.int64]
) -> Iterator[tuple[slice, NDArray[np.int64]]]:
    """Cut all pairs of a state and an order into blocks: which states, and which orders."""
    for first in range(0, len(orders), _CHUNK):
        some = orders[first : first + _CHUNK]
        at_once = max(1, _CHUNK // len(some))
        for start in range(0, len(states), at_once):
            yield slice(start, start + at_once), some


def _with_row(
    states: NDArray[np.int64], weights: NDArray[np.float64], orders: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the states after one more row, each once, with the number of ways to it."""
    parts, ways = [], []
    for block, some in _blocks(states, orders):
        sums = (states[block, np.newaxis, :] + some).reshape(-1, some.shape[1])
        found, counts = _merged(np.sort(sums, axis=1), np.repeat(weights[block], len(some)))
        parts.append(found)
        ways.append(counts)
    if len(parts) == 1:
        return parts[0], ways[0]
    return _merged(np.concatenate(parts), np.concatenate(ways))


def _merged(
    states: NDArray[np.int64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    _, first, inverse = np.unique(_codes(states), return_index=True, return_inverse=True)
    return states[first], _added(inverse, weights)


def _added(places: NDArray[np.intp], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.bincount(places, weights), dtype=np.float64)


def _codes(states: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return one number a row, equal where rows are: digits, renumbered before they overflow."""
    low = int(states.min())
    base = int(states.max()) - low + 1
    codes, span = np.zeros(len(states), np.int64), 1
    for column in states.T[:-1]:  # the last one follows: a row adds up to 0
        if span * base >= 2**62:
            values, codes = np.unique(codes, return_inverse=True)
            span = len(values)
        codes = codes * base + (column - low)
        span *= base
    return codes


def _with_last_row(
    states: NDArray[np.int64], weights: NDArray[np.float64], orders: NDArray[np.int64]
) -> ExactDistribution:
    """Return the distribution of the sum of squares: no state need be told from another."""
    squares = (states**2).sum(axis=1)
    of_row = int((orders[0].astype(np.int64) ** 2).sum())
    values, ways = [], []
    for block, some in _blocks(states, orders):
        # Small whole numbers: exact as doubles, and multiplied much faster.
        crossed = (states[block].astype(np.float64) @ some.T.astype(np.float64)).astype(np.int64)
        found = (squares[block, np.newaxis] + of_row + 2 * crossed).ravel()
        unique, inverse = np.unique(found, return_inverse=True)
        values.append(unique)
        ways.append(_added(inverse, np.repeat(weights[block], len(some))))
    merged, inverse = np.unique(np.concatenate(values), return_inverse=True)
    return ExactDistribution(merged, _added(inverse, np.concatenate(ways)))
