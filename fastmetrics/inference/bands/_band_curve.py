"""A rising curve of rates, read off at given places; and how rates are scaled alike everywhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels.replicates import replicate_curves as kernels
from fastmetrics.tables.scores.score_table import ScoreTable

Floats = NDArray[np.float64]

# Sums of weights this near to one another, relative to all weight, are one place of a curve.
_ROUNDING = 2.0**-45
_PRODUCT = 2.0**-50


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A line from (0, 0) to the totals that never falls, straight between its points.

    Attributes
    ----------
    x, y : ndarray of float64, shape (n_points,)
        Cumulative counts or weights, the first 0.
    slack : float
        How far apart two equal sums of x may be.
    """

    x: Floats
    y: Floats
    slack: float = 0.0

    @property
    def transposed(self) -> Curve:
        """The curve with its axes exchanged."""
        return Curve(self.y, self.x, self.slack * float(self.y[-1] / self.x[-1]))

    def at(self, rates: Floats, *, top: bool) -> Floats:
        """Return the rate of y at rates of x, which rise: 0 before the first, 1 after the last.

        Where the curve is upright, ``top`` says which of its ends is meant.
        """
        found = np.empty(len(rates))
        levels = whole_counts(rates * self.x[-1])
        kernels.values_along(self.x, self.y, levels, top, self.slack, found)
        rates_of_y: Floats = found / self.y[-1]
        return rates_of_y


def curve_of_table(table: ScoreTable) -> Curve:
    """Return false positives (x) and true positives (y), without dividing them."""
    zero = np.zeros(1)
    fp, tp = (
        np.concatenate((zero, sums)) for sums in (table.false_positives, table.true_positives)
    )
    return Curve(fp, tp, _ROUNDING * float(fp[-1]) if table.is_weighted else 0.0)


def curve_of_points(tp: Floats, fp: Floats) -> Curve:
    """Return the curve of weighted points, from (0, 0)."""
    return Curve(fp, tp, _ROUNDING * float(fp[-1]))


def whole_counts(products: Floats) -> Floats:
    """Return the whole numbers that products of a rate and a count stand for (0.29 * 100 = 29)."""
    whole = np.rint(products)
    return np.where(np.abs(products - whole) <= _PRODUCT * np.abs(products), whole, products)


# Bartlett's arcsine scale: a rate of n rows has variance 1 in it, whatever the rate, and Anscombe's
# (1948) form keeps that nearly true down to one or two counts.


def scaled_sample(rates: Floats, size: float) -> Floats:
    """Return 2 sqrt(n + 1/2) arcsin sqrt((n r + 3/8) / (n + 3/4)) of the rates r of a sample."""
    shares = (rates * size + 0.375) / (size + 0.75)
    scaled: Floats = 2.0 * np.sqrt(size + 0.5) * np.arcsin(np.sqrt(np.clip(shares, 0.0, 1.0)))
    return scaled


def scaled_population(rates: Floats, size: float) -> Floats:
    """Return the expectation of `scaled_sample` where the population has the rates given."""
    scaled: Floats = 2.0 * np.sqrt(size + 0.5) * np.arcsin(np.sqrt(rates))
    return scaled


def population_rate(scaled: Floats, size: float) -> Floats:
    """Return the rates whose `scaled_population` is given: 0 and 1 beyond the ends."""
    angle = np.clip(scaled / (2.0 * np.sqrt(size + 0.5)), 0.0, np.pi / 2.0)
    rate: Floats = np.sin(angle) ** 2
    return rate


def sample_rate(scaled: Floats, size: float) -> Floats:
    """Return the rates whose `scaled_sample` is given: below 0 and above 1 beyond the ends."""
    return ((size + 0.75) * population_rate(scaled, size) - 0.375) / size
