"""Means and covariances of net benefit at many thresholds, from counts of who is called when.

Net benefit is a mean over rows: of 1 for a positive that is called, of -t / (1 - t) for a negative
that is. What a row adds at two thresholds follows from how many thresholds call it, so that counts
by that number hold all moments: no pass over the rows for each pair of thresholds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Labels, weights (None where each is 1) and whether a weight is a number of rows."""

    positive: NDArray[np.bool_]
    weights: NDArray[Any] | None
    are_rows: bool

    @property
    def totals(self) -> tuple[float, float]:
        """Return the weight of the positives and of the negatives."""
        return self._sums(self.weights)

    @property
    def squares(self) -> tuple[float, float]:
        """Return what each class adds to a variance whose terms are all 1."""
        return self._sums(self.power)

    @property
    def power(self) -> NDArray[Any] | None:
        """Return the weight of a row in a sum of squares: itself, if it is a number of rows."""
        return self.weights if self.are_rows or self.weights is None else np.square(self.weights)

    def sizes(self) -> tuple[float, float]:
        """Return how many rows each class has."""
        if self.weights is None or self.are_rows:
            return self.totals
        return self._sums((self.weights > 0).astype(np.float64))

    def _sums(self, weights: NDArray[Any] | None) -> tuple[float, float]:
        if weights is None:
            n_positive = int(np.count_nonzero(self.positive))
            return float(n_positive), float(len(self.positive) - n_positive)
        return float(weights[self.positive].sum()), float(weights[~self.positive].sum())


def called_at(rows: Rows, times: NDArray[np.intp], n: int, weights: Any) -> tuple[Floats, Floats]:
    """Return the weight of the positives, and of the negatives, called at each of n thresholds.

    ``times`` says how many of the thresholds call a row: the lowest ones.
    """
    found = []
    for its in (rows.positive, ~rows.positive):
        of_class = None if weights is None else weights[its]
        counts = np.bincount(times[its], of_class, minlength=n + 1)
        found.append(counts[::-1].cumsum()[::-1][1:].astype(np.float64))
    return found[0], found[1]


def called_at_both(
    rows: Rows, one: NDArray[np.intp], other: NDArray[np.intp], n: int
) -> tuple[Floats, Floats]:
    """Return the squared weights called at a threshold by one model, at another by the other."""
    found = []
    for its in (rows.positive, ~rows.positive):
        power = None if rows.power is None else rows.power[its]
        cells = np.bincount(one[its] * (n + 1) + other[its], power, minlength=(n + 1) ** 2)
        square = cells.reshape(n + 1, n + 1)[::-1, ::-1].cumsum(axis=0).cumsum(axis=1)
        found.append(square[::-1, ::-1][1:, 1:].astype(np.float64))
    return found[0], found[1]


@dataclass(frozen=True, slots=True, eq=False)
class NetBenefit:
    """One model's net benefit at each threshold, and what a row's share of it deviates by.

    A positive deviates by ``scale[0] * called - centre[0]``, a negative by
    ``-scale[1] * odds * called - centre[1]``; ``called`` are the squared weights of either class
    that each threshold calls.
    """

    times: NDArray[np.intp]
    called: tuple[Floats, Floats]
    value: Floats
    scale: tuple[float, float]
    centre: tuple[Floats, Floats]


def net_benefit_of(
    rows: Rows,
    times: NDArray[np.intp],
    odds: Floats,
    *,
    prevalence: float | None,
    standardized: bool,
) -> NetBenefit:
    """Return a model's net benefit from how many of the thresholds call each row."""
    tp, fp = called_at(rows, times, len(odds), rows.weights)
    called = tp, fp
    if rows.power is not rows.weights:
        called = called_at(rows, times, len(odds), rows.power)
    n_positive, n_negative = rows.totals
    total = n_positive + n_negative
    zero = np.zeros(len(odds))
    if prevalence is None:
        share = n_positive / total
        value = (tp - odds * fp) / total
        if standardized:
            value = value / share
            each = 1.0 / (total * share)
            return NetBenefit(times, called, value, (each, each), (value * each, zero))
        return NetBenefit(
            times, called, value, (1 / total, 1 / total), (value / total, value / total)
        )
    # Two samples: each class deviates from its own mean.
    unit = prevalence if standardized else 1.0
    a, b = prevalence / unit / n_positive, (1.0 - prevalence) / unit / n_negative
    value = a * tp - b * odds * fp
    return NetBenefit(
        times, called, value, (a, b), (a * tp / n_positive, -b * odds * fp / n_negative)
    )


def covariance(
    rows: Rows, one: NetBenefit, other: NetBenefit, odds: Floats, *, by_class: bool
) -> Floats:
    """Return the covariance of one model's net benefit at each threshold with the other's."""
    n = len(odds)
    if one is other:  # who is called at two thresholds is called at the higher one
        both = tuple(np.minimum.outer(called, called) for called in one.called)
    else:
        both = called_at_both(rows, one.times, other.times, n)
    sizes = rows.sizes()
    total = np.zeros((n, n))
    for k, sign in enumerate((np.ones(n), -odds)):
        a, b = one.scale[k] * sign, other.scale[k] * sign
        g, h = one.centre[k], other.centre[k]
        part = np.outer(a, b) * both[k] + rows.squares[k] * np.outer(g, h)
        part -= np.outer(a * one.called[k], h) + np.outer(g, b * other.called[k])
        size = sizes[k] if by_class else sum(sizes)
        total += part * (size / (size - 1.0) if size > 1 else np.nan)
    return total
