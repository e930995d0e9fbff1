"""Limits of a curve at given places: each function takes a curve whose y is asked for at x.

The true y at x belongs to a threshold whose rates on the sample, x' and y', deviate from x and y.
The sample's curve passes through (x', y'), so that a bound on both deviations bounds y.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastmetrics._results import ConfidenceInterval
from fastmetrics.inference.bands._band_curve import (
    Curve,
    population_rate,
    sample_rate,
    scaled_population,
    scaled_sample,
)

Floats = NDArray[np.float64]
Limits = tuple[Floats, Floats]
Sizes = tuple[float, float]


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
    least, most = _of_proportions(y, of_y, z)
    low = y - np.hypot(y - least, y - before)
    high = y + np.hypot(most - y, after - y)
    return np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)


def _of_proportions(rates: Floats, size: float, z: float) -> Limits:
    """Return Agresti and Coull's limits: those of Wilson fail for rates just below 1."""
    centre = (rates * size + z * z / 2.0) / (size + z * z)
    half = z * np.sqrt(centre * (1.0 - centre) / (size + z * z))
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)


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


def outer_product(of_x: Limits, of_y: ConfidenceInterval) -> Limits:
    """Return limits of a product that hold wherever those of both factors do."""
    return of_x[0] * of_y.low, of_x[1] * of_y.high
