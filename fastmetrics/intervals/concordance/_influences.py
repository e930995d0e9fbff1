"""How far each row moves a measure of concordance: its standard error, and that of a difference."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.scalars import WeightsAre, check_same_length
from fastmetrics.intervals._sample_sizes import effective_groups
from fastmetrics.tables.concordance.row_sums import Floats, RowSums


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
            summed = np.bincount(self.groups, influences)
            n = self.n_groups or 0
            return math.fsum((summed * summed).tolist()) * n / (n - 1) if n > 1 else math.nan
        squares = influences * influences
        if self.weights_are == "frequencies":  # as many rows, each with its share
            present = self.weights > 0
            squares = squares[present] / self.weights[present]
        return math.fsum(squares.tolist()) if self.n_rows > 1 else math.nan


def checked_rows(weights: Floats, weights_are: WeightsAre | None, groups: Any) -> Rows:
    """Return the rows, with the code of each one's group."""
    codes = None
    if groups is not None:
        codes = check_class_labels(groups, "groups").codes
        check_same_length(y_true=weights, groups=codes)
    return Rows(weights, weights_are, codes)


#: Partners of a row, by kind, and all of them.
_Denominator = Callable[["_Parts"], tuple[float, Floats]]


class _Parts:
    """Totals of pairs by kind, and the partners of each row."""

    def __init__(self, sums: RowSums, weights_are: WeightsAre | None) -> None:
        self.sums = sums
        self.weights_are = weights_are
        both = sums.concordant + sums.discordant
        self.excess = sums.concordant - sums.discordant
        self.apart_in_outcome = both + sums.tied_in_score
        self.apart_in_score = both + sums.tied_in_outcome
        self.apart_in_both = both

    def total(self, partners: Floats) -> tuple[float, Floats]:
        return self.sums.total(partners), partners

    def every(self) -> tuple[float, Floats]:
        """Return the weight of all pairs; a row of frequency w is w of them."""
        weights = self.sums.weights
        own = 1.0 if self.weights_are == "frequencies" else weights
        return self.total(weights.sum() - own)

    def geometric(self) -> tuple[float, Floats]:
        """Return the geometric mean of the pairs apart in one and in the other."""
        score, outcome = (
            self.sums.total(self.apart_in_score),
            self.sums.total(self.apart_in_outcome),
        )
        root = math.sqrt(score * outcome)
        if root == 0.0:
            return 0.0, self.apart_in_both
        return root, root / 2 * (self.apart_in_score / score + self.apart_in_outcome / outcome)

    def largest_table(self) -> tuple[float, Floats]:
        """Return what tau-c is over, but for the numbers of distinct values."""
        total = float(self.sums.weights.sum())
        return total * total / 2, np.full(len(self.sums.weights), total)


_OVER: Final[Mapping[tuple[str, Any], _Denominator]] = {
    ("kendall_tau", "a"): _Parts.every,
    ("kendall_tau", "b"): _Parts.geometric,
    ("kendall_tau", "c"): _Parts.largest_table,
    ("somers_d", "outcome"): lambda parts: parts.total(parts.apart_in_outcome),
    ("somers_d", "score"): lambda parts: parts.total(parts.apart_in_score),
    ("somers_d", "neither"): lambda parts: parts.total(
        (parts.apart_in_outcome + parts.apart_in_score) / 2
    ),
    ("goodman_kruskal_gamma", None): lambda parts: parts.total(parts.apart_in_both),
}


def influenced(
    name: str, option: Any, sums: RowSums, weights_are: WeightsAre | None, n_values: int
) -> Influenced:
    """Return a measure of rank correlation with its influences; nan where it is undefined.

    ``n_values`` is the lesser number of distinct values, which tau-c asks for.
    """
    parts = _Parts(sums, weights_are)
    over, by_row = _OVER[name, option](parts)
    if option == "c":
        share = (n_values - 1) / n_values
        over, by_row = over * share, by_row * share
    return ratio(sums, sums.total(parts.excess), parts.excess, over, by_row)


def ratio(sums: RowSums, top: float, tops: Floats, over: float, overs: Floats) -> Influenced:
    """Return top / over, with the influence of each row by its parts of both."""
    if not over > 0.0:
        return Influenced(math.nan, np.full(len(tops), math.nan))
    value = top / over
    return Influenced(value, sums.weights * ((tops - value * overs) / over))


def index_influenced(sums: RowSums, half: bool) -> Influenced:
    """Return the concordance index, with the influence of each row; nan where it is undefined."""
    tops, overs = sums.concordant, sums.concordant + sums.discordant
    if half:
        tops, overs = tops + sums.tied_in_score / 2, overs + sums.tied_in_score
    return ratio(sums, sums.total(tops), tops, sums.total(overs), overs)
