"""How far each row moves a measure of concordance: its standard error, and that of a difference."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.scalars import WeightsAre, check_same_length
from fastmetrics.intervals._sample_sizes import effective_groups
from fastmetrics.tables.concordance.row_counts import RowCounts
from fastmetrics.tables.concordance.row_sums import (
    Floats,
    PairTotals,
    RowSums,
    Slopes,
    sum_of,
)


@dataclass(frozen=True, slots=True, eq=False)
class Influenced:
    """A measure, and what each row adds to its error.

    Attributes
    ----------
    value : float
    influences : ndarray of float64, shape (n,)
        The derivative of the value by the weight of a row, times that weight.
    """

    value: float
    influences: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """What the rows of several models share: weights, how they are read, and groups."""

    weights: Floats
    weights_are: WeightsAre | None
    groups: NDArray[np.int64] | None

    @property
    def n_rows(self) -> int:
        """Rows that there are: those of a weight, or the sum of frequencies."""
        if self.weights_are == "frequencies":
            return int(self.weights.sum())
        return int(np.count_nonzero(self.weights))

    @property
    def n_groups(self) -> int | None:
        """Groups that have a row of a weight; None where each row stands for itself."""
        if self.groups is None:
            return None
        return len(np.unique(self.groups[self.weights > 0]))

    @property
    def effective_groups(self) -> float | None:
        """How many groups of equal size they are worth."""
        return None if self.groups is None else effective_groups(self.groups, self.weights)

    @property
    def effective_rows(self) -> float:
        """How many rows of equal weight they are worth (Kish 1965)."""
        if self.weights_are == "frequencies":
            return float(self.weights.sum())
        ratios = self.weights / self.weights.max()
        return float(ratios.sum() ** 2 / np.sum(ratios * ratios))

    def variance(self, influences: Floats) -> float:
        """Return the variance of what has these influences: the infinitesimal jackknife's."""
        if self.groups is not None:
            summed: Floats = np.bincount(self.groups, influences).astype(np.float64)
            n = self.n_groups or 0
            return sum_of(summed * summed) * n / (n - 1) if n > 1 else math.nan
        squares = influences * influences
        if self.weights_are == "frequencies":  # as many rows, each with its share
            present = self.weights > 0
            squares = squares[present] / self.weights[present]
        return sum_of(squares) if self.n_rows > 1 else math.nan


def checked_rows(weights: Floats, weights_are: WeightsAre | None, groups: Any) -> Rows:
    """Return the rows, with the code of each one's group."""
    codes = None
    if groups is not None:
        codes = check_class_labels(groups, "groups").codes
        check_same_length(y_true=weights, groups=codes)
    return Rows(weights, weights_are, codes)


class _Over(NamedTuple):
    """What a measure divides by, and how that moves with the weight of pairs of each kind."""

    value: float
    slopes: Slopes = (0.0, 0.0, 0.0, 0.0)
    by_row: Floats | float = 0.0
    """How it moves with the weight of each row besides."""


def _geometric(total: PairTotals) -> _Over:
    """Return the geometric mean of the pairs apart in one and in the other."""
    pairs = total.concordant + total.discordant
    score, outcome = pairs + total.tied_in_outcome, pairs + total.tied_in_score
    root = math.sqrt(score * outcome)
    if root == 0.0:
        return _Over(0.0)
    by_score, by_outcome = root / (2 * score), root / (2 * outcome)
    both = by_score + by_outcome
    return _Over(root, (both, both, by_outcome, by_score))


def _over(
    option: Any, sums: RowSums | RowCounts, total: PairTotals, rows: Rows, n_values: int
) -> _Over:
    """Return what a measure of rank correlation divides by."""
    if option == "a":
        pairs, by_row = sums.every(rows.weights_are == "frequencies")
        return _Over(pairs, by_row=by_row)
    if option == "b":
        return _geometric(total)
    if option == "c":  # the most that there can be in a table so narrow
        whole, share = float(rows.weights.sum()), (n_values - 1) / n_values
        return _Over(whole * whole / 2 * share, by_row=whole * share)
    in_score, in_outcome = {"outcome": (1.0, 0.0), "score": (0.0, 1.0), "neither": (0.5, 0.5)}.get(
        option, (0.0, 0.0)
    )
    pairs = total.concordant + total.discordant
    pairs += in_score * total.tied_in_score + in_outcome * total.tied_in_outcome
    return _Over(pairs, (1.0, 1.0, in_score, in_outcome))


def influenced(
    option: Any, sums: RowSums | RowCounts, rows: Rows, n_values: int, n_threads: int | None
) -> Influenced:
    """Return a measure of rank correlation with its influences; nan where it is undefined.

    ``option`` says which: the variant of Kendall's tau, what Somers' D is given, or none for gamma.
    ``n_values`` is the lesser number of distinct values, which tau-c asks for.
    """
    total = sums.totals(n_threads)
    over = _over(option, sums, total, rows, n_values)
    top = total.concordant - total.discordant
    return _ratio(sums, top, (1.0, -1.0, 0.0, 0.0), over, n_threads)


def index_influenced(sums: RowSums | RowCounts, half: bool, n_threads: int | None) -> Influenced:
    """Return the concordance index, with the influence of each row; nan where it is undefined."""
    total, share = sums.totals(n_threads), float(half)
    pairs = total.concordant + total.discordant + share * total.tied_in_score
    top = total.concordant + share / 2 * total.tied_in_score
    over = _Over(pairs, (1.0, 1.0, share, 0.0))
    return _ratio(sums, top, (1.0, 0.0, share / 2, 0.0), over, n_threads)


def _ratio(
    sums: RowSums | RowCounts, top: float, slopes: Slopes, over: _Over, n_threads: int | None
) -> Influenced:
    """Return top / over, with the influence of each row by its partners of each kind."""
    if not over.value > 0.0:
        return Influenced(math.nan, np.full(len(sums[0]), math.nan))
    value = top / over.value
    of_top, of_over = np.array(slopes), np.array(over.slopes)
    moved = (of_top - value * of_over) / over.value
    besides = -value * over.by_row / over.value
    return Influenced(value, sums.influences(tuple(moved.tolist()), besides, n_threads))
