"""Sums of outcomes and probabilities in bins of a table, which is sorted already.

A bin is a run of rows of the table: its sums are pairwise sums over that run (`np.add.reduceat`),
functions of the table alone. No pass looks for the bin of each row.
"""

from __future__ import annotations

from typing import Any, Final, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import check_choice, check_integer
from fastmetrics.errors import InputError
from fastmetrics.measures.calibration._probability_table import Floats, probabilities
from fastmetrics.tables.scores.score_table import ScoreTable

Strategy = Literal["uniform", "quantile", "equal-count", "uniform-left-closed"]
STRATEGIES: Final = get_args(Strategy)
LEFT_CLOSED: Final = "uniform-left-closed"
#: So many edges, a megabyte or eight, that no data have more to say.
MOST_BINS: Final = 10**6

#: What is the same wherever there are bins.
BINNED: Final = """
Parameters
----------
n_bins : int, default=15
    Number of bins; those without a row are left out.
strategy : {"uniform", "quantile", "equal-count", "uniform-left-closed"}, default="uniform"
    "uniform": (k / n_bins, (k + 1) / n_bins], the first one closed. "quantile": these too are
    closed on the right, and cut at the percentiles of the rows' probabilities; weights must be
    whole numbers, of that many rows. Both are scikit-learn's. "equal-count": a row is in bin
    floor(n_bins * share of rows with a lower probability), equally many rows in each as far as rows
    of one probability, which are never parted, allow. "uniform-left-closed":
    [k / n_bins, (k + 1) / n_bins), the last one closed.
"""


class BinSums(NamedTuple):
    """What the rows of each bin add up to; bins without rows are left out.

    ``gaps`` are outcomes less probabilities: one column for two classes, one a class for several.
    ``squares`` are the squared lengths of each row's own gaps; empty unless they were asked for.
    """

    weight: NDArray[Any]
    gaps: Floats
    outcomes: Floats
    squares: Floats

    @property
    def shares(self) -> Floats:
        """The share of the weight that is in each bin."""
        shares: Floats = self.weight / self.weight.sum()
        return shares

    @property
    def distances(self) -> Floats:
        """How far means of outcomes and of probabilities are apart: half the sum of all classes'.

        That is their total variation; for two classes, the gap of either.
        """
        lengths: Floats = np.abs(self.gaps).sum(axis=1) / self.weight
        return lengths if self.gaps.shape[1] == 1 else lengths / 2


def check_bins(n_bins: Any, strategy: Any) -> tuple[int, Strategy]:
    """Return how many bins there are, and of which kind."""
    chosen: Strategy = check_choice("strategy", strategy, STRATEGIES)
    return check_integer("n_bins", n_bins, low=1, high=MOST_BINS), chosen


def ascending(table: ScoreTable) -> tuple[Floats, NDArray[Any], NDArray[Any]]:
    """Return the probabilities of a table, ascending, the positives at each, and all rows."""
    positives, negatives = table.positives[::-1], table.negatives[::-1]
    return probabilities(table)[::-1], positives, positives + negatives


def bin_sums(
    table: ScoreTable, n_bins: int, strategy: Strategy, *, squares: bool = False
) -> BinSums:
    """Return the sums of a table of probabilities of two classes."""
    p, positives, weight = ascending(table)
    starts = bin_starts(p, weight, n_bins, strategy)
    gaps = weight * p
    np.subtract(positives, gaps, out=gaps)
    of_rows = np.empty(0)
    if squares:
        terms = positives * (1.0 - p) ** 2 + (weight - positives) * (p * p)
        of_rows = np.add.reduceat(terms, starts)
    return BinSums(
        np.add.reduceat(weight, starts),
        np.add.reduceat(gaps, starts)[:, None],
        np.add.reduceat(positives, starts).astype(np.float64)[:, None],
        of_rows,
    )


def uniform_edges(n_bins: int) -> Floats:
    """Return the edges between uniform bins, the doubles of `np.linspace` as in scikit-learn."""
    return np.linspace(0.0, 1.0, n_bins + 1)[1:-1]


def bins_between(edges: Floats, p: Floats, strategy: Strategy) -> NDArray[np.intp]:
    """Return the bin of each probability, given the edges between bins."""
    return np.searchsorted(edges, p, side="right" if strategy == LEFT_CLOSED else "left")


def bin_starts(
    p: Floats, weight: NDArray[Any], n_bins: int, strategy: Strategy
) -> NDArray[np.intp]:
    """Return where bins that have rows begin among ascending probabilities."""
    if strategy == "equal-count":
        # of a probability, the share of the rows below it says the bin
        below = np.cumsum(weight) - weight
        if weight.dtype.kind == "f":
            bins = np.floor(below / weight.sum() * n_bins)
        else:
            bins = below * n_bins // weight.sum()
        return np.flatnonzero(np.diff(bins, prepend=-1))
    edges = _percentiles(p, weight, n_bins) if strategy == "quantile" else uniform_edges(n_bins)
    cuts = np.searchsorted(p, edges, side="left" if strategy == LEFT_CLOSED else "right")
    starts = np.unique(np.concatenate([[0], cuts]))
    return starts[starts < len(p)]


def _percentiles(p: Floats, rows: NDArray[Any], n_bins: int) -> Floats:
    """Return the edges between bins: `np.percentile` of so many rows of each probability.

    The bits are NumPy's, so that rows on an edge lie where scikit-learn has them.
    """
    if rows.dtype.kind == "f":
        raise InputError(
            "`'quantile'` bins are cut at percentiles of rows, and weights that are not whole "
            "numbers do not say how many there are: take 'equal-count'"
        )
    if len(p) == 0:
        return p
    last = np.cumsum(rows)
    place = (last[-1] - 1) * (np.linspace(0.0, 1.0, n_bins + 1) * 100 / 100)[1:-1]
    before = np.floor(place)
    low, high = (p[np.searchsorted(last, each, side="right")] for each in (before, before + 1))
    t, gap = place - before, high - low
    edges: Floats = np.where(t < 0.5, low + gap * t, high - gap * (1 - t))
    return edges
