"""A rising curve of rates, and limits of it at given places.

Each function of limits takes a curve whose y is asked for at x. The true y at x belongs to a
threshold whose rates on the sample, x' and y', deviate from x and y. The sample's curve passes
through (x', y'), so that a bound on both deviations bounds y.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels import replicates as kernels
from fastmetrics._results import ConfidenceInterval
from fastmetrics.tables.score_table import ScoreTable

Floats = NDArray[np.float64]
Limits = tuple[Floats, Floats]
Sizes = tuple[float, float]

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
        levels = rates * self.x[-1]
        whole = np.rint(levels)  # 0.29 * 100 is 29
        levels = np.where(np.abs(levels - whole) <= _PRODUCT * np.abs(levels), whole, levels)
        kernels.values_along(self.x, self.y, levels, top, self.slack, found)
        rates_of_y: Floats = found / self.y[-1]
        return rates_of_y

    @classmethod
    def of_table(cls, table: ScoreTable) -> Curve:
        """Return false positives (x) and true positives (y), without dividing them."""
        tp, fp = (
            np.concatenate((np.zeros(1), sums))
            for sums in (table.true_positives, table.false_positives)
        )
        return cls.of_weights(tp, fp) if table.is_weighted else cls(fp, tp)

    @classmethod
    def of_weights(cls, tp: Floats, fp: Floats) -> Curve:
        """Return the curve of sums of weights, which are rounded."""
        return cls(fp, tp, _ROUNDING * float(fp[-1]))


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


def equal_precision(curve: Curve, x: Floats, sizes: Sizes, width: float) -> Limits:
    """Return the limits of y when x' and y' deviate by up to ``width`` in the arcsine scale."""
    of_x, of_y = sizes
    place = scaled_population(x, of_x)
    first, last = (sample_rate(place + shift, of_x) for shift in (-width, width))
    low = population_rate(scaled_sample(curve.at(first, top=False), of_y) - width, of_y)
    high = population_rate(scaled_sample(curve.at(last, top=True), of_y) + width, of_y)
    return np.where(first <= 0.0, 0.0, low), np.where(last >= 1.0, 1.0, high)


def fixed_width(curve: Curve, x: Floats, widths: Sizes) -> Limits:
    """Return the limits of y when x' and y' deviate by up to ``widths``, whatever the rates."""
    of_x, of_y = widths
    low = curve.at(x - of_x, top=False) - of_y
    high = curve.at(x + of_x, top=True) + of_y
    low, high = np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)
    return np.where(x - of_x <= 0.0, 0.0, low), np.where(x + of_x >= 1.0, 1.0, high)


def kolmogorov_widths(sizes: Sizes, confidence: float) -> Sizes:
    """Return how far two empirical distributions deviate at most with this probability each."""
    from scipy.stats import kstwo

    return float(kstwo.ppf(confidence, sizes[0])), float(kstwo.ppf(confidence, sizes[1]))


def recovered(curve: Curve, x: Floats, y: Floats, sizes: Sizes, z: float) -> Limits:
    """Return the limits of y at each x from those of its two deviations, as if they added up.

    ``y`` is the curve at x. Alone, y' deviates as a proportion does, and x' lies z around x in the
    arcsine scale.
    """
    of_x, of_y = sizes
    place = scaled_population(x, of_x)
    first = np.minimum(sample_rate(place - z, of_x), x)
    last = np.maximum(sample_rate(place + z, of_x), x)
    before = np.where(first <= 0.0, 0.0, curve.at(first, top=False))
    after = np.where(last >= 1.0, 1.0, curve.at(last, top=True))
    # Agresti and Coull's limits: those of Wilson fail for rates just below 1.
    centre = (y * of_y + z * z / 2.0) / (of_y + z * z)
    half = z * np.sqrt(centre * (1.0 - centre) / (of_y + z * z))
    least, most = np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)
    low = y - np.hypot(y - least, y - before)
    high = y + np.hypot(most - y, after - y)
    return np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)


def product_limits(x: Floats, of_x: Limits, y: float, of_y: ConfidenceInterval) -> Limits:
    """Return limits of a product of two independent estimates from the limits of either.

    The deviations add up in squares, their product included; where a limit of x is 1, the end of
    its scale, x may well be there, and the limits multiply.
    """
    low, high = of_x
    below = np.hypot(y * (x - low), x * (y - of_y.low))
    up, y_up = high - x, of_y.high - y
    above = np.sqrt((y * up) ** 2 + (x * y_up) ** 2 + (up * y_up) ** 2)
    least = np.maximum(x * y - below, low * of_y.low)
    most = np.where(high >= 1.0, high * of_y.high, x * y + above)
    return least, np.minimum(most, high * of_y.high)
