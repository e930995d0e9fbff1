"""Tests of the precision and of the cost of one threshold, exact for any population."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from fastmetrics.inference.proportions.proportions import proportion_limits
from fastmetrics.tables.score_table import ScoreTable, is_called_positive

#: Of the level of a test of costs one in so many is spent on the share of misses, of which so many
#: are tried; and what rounding may take from a number of rows.
_PART_OF_LEVEL, _SHARES, _ROUNDING = 50.0, 33, 1e-9


class Prices(NamedTuple):
    """What a missed positive and a false alarm cost."""

    fn: float
    fp: float


class Cells(NamedTuple):
    """TP and FP of a threshold, and how many rows of each class there are."""

    tp: int
    fp: int
    n_positive: int
    n_negative: int

    @property
    def misses(self) -> int:
        """Return FN."""
        return self.n_positive - self.tp

    def cost(self, prices: Prices) -> float:
        """Return what the mistakes cost in all."""
        return prices.fn * self.misses + prices.fp * self.fp


def cells_at(table: ScoreTable, thresholds: Any) -> Iterator[Cells]:
    """Give the counts at each threshold, O(log n) after the first."""
    totals = int(table.n_positive), int(table.n_negative)
    tp, fp, rows = table.true_positives, table.false_positives, range(len(table))
    for threshold in thresholds:

        def is_below(row: int, threshold: Any = threshold) -> bool:
            return not is_called_positive(table.scores[row : row + 1], threshold)[0]

        n = bisect_left(rows, True, key=is_below)
        yield Cells(int(tp[n - 1]) if n else 0, int(fp[n - 1]) if n else 0, *totals)


def precision_pvalue(cells: Cells, bound: float) -> float:
    """Return P(X >= tp) where the precision is the bound: exact, given how many are called."""
    from scipy.special import betainc

    return float(betainc(cells.tp, cells.fp + 1.0, bound)) if cells.tp else 1.0


def cost_pvalue(cells: Cells, bound: float, prices: Prices, level: float) -> float:
    """Return a p-value of "the mean cost is the bound or more", exact but for sums of doubles.

    The largest over the shares of misses that the data allow at a small part of ``level``, which is
    added (Berger and Boos); the share of false alarms is what is then left of the bound.
    """
    n, misses, alarms = cells.n_positive + cells.n_negative, cells.misses, cells.fp
    if cells.cost(prices) >= n * bound:
        return 1.0
    if prices.fn == prices.fp:
        share = bound / prices.fn
        return _at_most(misses + alarms, n, share) if share < 1.0 else 0.0
    spent = level / _PART_OF_LEVEL
    shares = proportion_limits(misses, n, 1.0 - spent, "clopper-pearson", "two-sided")
    high = min(shares.high, bound / prices.fn)
    pvalues = [
        _cost_at_most(cells, prices, share, (bound - prices.fn * share) / prices.fp)
        for share in np.linspace(min(shares.low, high), high, _SHARES).tolist()
    ]
    return max(pvalues) + spent


def _at_most(k: Any, n: Any, probability: Any) -> Any:
    """Return P(X <= k) of n trials."""
    from scipy.special import betaincc

    return np.where(k >= n, 1.0, betaincc(k + 1.0, np.maximum(n - k, 1), probability))[()]


def _cost_at_most(cells: Cells, prices: Prices, misses: float, alarms: float) -> float:
    """Return how likely these rows cost no more than they do, of shares of both mistakes."""
    from scipy.special import gammaln, xlog1py, xlogy

    n, total = cells.n_positive + cells.n_negative, cells.cost(prices)
    if misses + alarms > 1.0:
        return 0.0  # no population is like this
    reach = 9.0 * math.sqrt(n * misses) + 20.0  # less than 1e-18 is beyond
    most = min(total / prices.fn, n * misses + reach) + _ROUNDING
    k = np.arange(max(0, math.floor(n * misses - reach)), math.floor(min(most, n)) + 1)
    others = np.floor(np.maximum(total - prices.fn * k, 0.0) / prices.fp + _ROUNDING)
    ways = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
    of_misses = np.exp(ways + xlogy(k, misses) + xlog1py(n - k, -misses))
    return float(of_misses @ _at_most(others, n - k, min(alarms / (1.0 - misses), 1.0)))
