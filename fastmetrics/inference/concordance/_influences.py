"""What rows of a measure of concordance are worth: weights, groups, and the variance they give."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.scalars import WeightsAre, check_same_length
from fastmetrics.inference._sample_sizes import effective_groups
from fastmetrics.tables.concordance.row_sums import Floats, sum_of


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
