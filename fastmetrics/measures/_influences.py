"""How far a row moves a mean, or what is made of means: the derivative by the row's weight."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class RowInfluences(NamedTuple):
    """A measure, nan where it is undefined, and the derivative by the weight of each row."""

    value: float
    influences: Floats

    def scaled(self, slope: float, value: float) -> RowInfluences:
        """Return those of a function of the value, by its slope there."""
        return RowInfluences(value, slope * self.influences)


def of_mean(terms: Floats, weights: Floats | None = None) -> RowInfluences:
    """Return the mean of terms with the influence (x - mean) / sum of weights of each row."""
    if weights is None:
        mean, total = float(np.mean(terms)), float(len(terms))
    else:
        total = float(weights.sum())
        mean = float(np.sum(terms * weights)) / total
    return RowInfluences(mean, (terms - mean) / total)


def of_ratio(top: RowInfluences, bottom: RowInfluences) -> RowInfluences:
    """Return the ratio of two measures; nan where the lower one is 0."""
    if bottom.value == 0.0:
        return RowInfluences(float("nan"), np.full(len(top.influences), np.nan))
    value = top.value / bottom.value
    return RowInfluences(value, (top.influences - value * bottom.influences) / bottom.value)
