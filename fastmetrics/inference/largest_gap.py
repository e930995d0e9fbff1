"""Limits of the largest of many gaps, the Kolmogorov-Smirnov statistic, which is too large."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from fastmetrics._input.scalars import Alternative
from fastmetrics._results import ConfidenceInterval
from fastmetrics.inference.reference import quantile
from fastmetrics.inference.units import Floats
from fastmetrics.tables.score_table import ScoreTable, running_sums

#: The largest gap is seen where chance raises it: the lower limit is that of a test of so many
#: gaps. The upper one may be missed twice as often as the level says, as the gap is too large.
_GAPS: Final = 4.0
_TWICE: Final = 2.0


class Rates(NamedTuple):
    """Both rates at each threshold, and how many rows of equal weight either is of."""

    true_positive: Floats
    false_positive: Floats
    sizes: tuple[float, float]

    @classmethod
    def of_table(cls, table: ScoreTable, sizes: tuple[float, float]) -> Rates:
        """Return those of a table of both classes."""
        tp, fp = running_sums(table)
        return cls(tp / tp[-1], fp / fp[-1], sizes)

    def variance(self, added: float = 0.0) -> float:
        """Return that of the gap where it is largest, so many hits and misses added to each."""
        at = int(np.argmax(np.abs(self.true_positive - self.false_positive)))
        both = zip((self.true_positive[at], self.false_positive[at]), self.sizes, strict=True)
        shrunken = [((rate * n + added) / (n + 2.0 * added), n) for rate, n in both]
        return float(sum(rate * (1.0 - rate) / n for rate, n in shrunken))

    def inflation(self) -> float:
        """Return what makes up for a threshold chosen where the rates look most extreme."""
        plain = self.variance()
        return math.sqrt(self.variance(1.0) / plain) if plain > 0.0 else 1.0


def gap_limits(
    rates: Rates,
    level: float,
    alternative: Alternative,
    *,
    ratio: float = 1.0,
    df: float = math.inf,
) -> ConfidenceInterval:
    """Return limits of max |TPR - FPR|.

    At each threshold the gap of two independent rates has limits by Wilson's of both (Newcombe
    1998): the greatest upper limit holds, as it holds at the threshold of the population, and the
    greatest lower limit of a fourth of the error left outside; 0 where the test of Kolmogorov and
    Smirnov shows no gap. The levels were chosen by simulation (docs/coverage.md).

    ``ratio`` is the variance over that of independent rows, as groups make rows worth fewer, and
    ``df`` are the degrees of freedom of that variance.
    """
    from scipy.special import kolmogorov

    outside = (1.0 - level) / (2.0 if alternative == "two-sided" else 1.0)
    sizes = [n / max(1.0, ratio) for n in rates.sizes]
    gaps = rates.true_positive - rates.false_positive
    largest = float(np.abs(gaps).max())
    far = -quantile(outside / _GAPS, df)
    near = np.abs(gaps) >= largest - _widest(sizes, far)  # no limit of others is the greatest
    both = rates.true_positive[near], rates.false_positive[near]
    low, high = 0.0, 1.0
    worth = math.sqrt(sizes[0] * sizes[1] / (sizes[0] + sizes[1]))
    if alternative != "less" and kolmogorov(worth * largest) <= outside:
        low = max(0.0, max(ends[0] for ends in _ends(both, sizes, far)))
    if alternative != "greater":
        wide = -quantile(min(0.5, _TWICE * outside), df)
        high = min(1.0, max(ends[1] for ends in _ends(both, sizes, wide)))
    return ConfidenceInterval(min(low, largest), max(high, largest))


def _widest(sizes: Sequence[float], far: float) -> float:
    """Return twice as much as the limits of a gap can be from it, so many errors away."""
    return sum(2.0 * far / math.sqrt(n) + 2.0 * far * far / n for n in sizes)


def _ends(rates: tuple[Floats, Floats], sizes: list[float], z: float) -> list[tuple[float, float]]:
    """Return the greatest lower and the greatest upper limit of the gap, and of its negative."""
    (one, low_one, high_one), (other, low_other, high_other) = (
        (rate, *_wilson(rate, n, z)) for rate, n in zip(rates, sizes, strict=True)
    )
    down = np.hypot(one - low_one, high_other - other)
    up = np.hypot(high_one - one, other - low_other)
    gap = one - other
    return [
        (float((gap - down).max()), float((gap + up).max())),
        (float((-gap - up).max()), float((-gap + down).max())),
    ]


def _wilson(rate: Floats, n: float, z: float) -> tuple[Floats, Floats]:
    half = z * np.sqrt(rate * (1.0 - rate) / n + z * z / (4.0 * n * n))
    centre, over = rate + z * z / (2.0 * n), 1.0 + z * z / n
    return (centre - half) / over, (centre + half) / over
