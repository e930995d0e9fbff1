"""Slow and obvious: limits, p-values and acceleration from replicates; every row left out.

Rational numbers wherever the definition is rational. Nothing of fastmetrics is used here.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from statistics import NormalDist

Cell = tuple[float, int, int]


def quantile(values: Sequence[float], level: float) -> Fraction:
    """Return the quantile that is linear between the order statistics (Hyndman & Fan's 7)."""
    ranked = sorted(Fraction(value) for value in values)
    position = Fraction(level) * (len(ranked) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ranked) - 1)
    return ranked[below] + (position - below) * (ranked[above] - ranked[below])


def levels(confidence_level: float, alternative: str) -> tuple[float, float]:
    tail = 1 - confidence_level
    if alternative == "two-sided":
        tail /= 2
    return tail, 1 - tail


def _one_sided(low: float, high: float, alternative: str) -> tuple[float, float]:
    if alternative == "less":
        return -math.inf, high
    if alternative == "greater":
        return low, math.inf
    return low, high


def percentile(values, confidence_level: float, alternative: str) -> tuple[float, float]:
    low, high = (float(quantile(values, q)) for q in levels(confidence_level, alternative))
    return _one_sided(low, high, alternative)


def basic(values, estimate: float, confidence_level: float, alternative: str):
    """Return the percentile limits reflected in the estimate."""
    low, high = (
        float(2 * Fraction(estimate) - quantile(values, q))
        for q in reversed(levels(confidence_level, alternative))
    )
    return _one_sided(low, high, alternative)


def bca(values, estimate: float, acceleration: float, confidence_level: float, alternative: str):
    """Return Efron & Tibshirani's equation 14.9, a tie with the estimate counting half."""
    normal = NormalDist()
    below = sum(Fraction(v < estimate) + Fraction(v == estimate) / 2 for v in values) / len(values)
    bias = normal.inv_cdf(float(below))

    def corrected(level: float) -> float:
        shift = bias + normal.inv_cdf(level)
        return normal.cdf(bias + shift / (1 - acceleration * shift))

    low, high = (
        float(quantile(values, corrected(q))) for q in levels(confidence_level, alternative)
    )
    return _one_sided(low, high, alternative)


def acceleration(strata: Sequence[Sequence[Fraction]]) -> float:
    """Return a of one or several samples, row by row, from leave-one-out values."""
    cubes = squares = Fraction(0)
    for values in strata:
        n = len(values)
        mean = sum(values, Fraction(0)) / n
        influences = [(n - 1) * (mean - value) for value in values]
        cubes += sum(u**3 for u in influences) / Fraction(n) ** 3
        squares += sum(u**2 for u in influences) / Fraction(n) ** 2
    return float(cubes) / (6 * float(squares) ** 1.5) if squares else math.nan


def pvalue(values, null: float, alternative: str) -> Fraction:
    """Return the p-value of one tail, or twice that of the smaller, the data counted in."""
    count = len(values) + 1
    at_most = Fraction(1 + sum(value <= null for value in values), count)
    at_least = Fraction(1 + sum(value >= null for value in values), count)
    if alternative == "two-sided":
        return min(Fraction(1), 2 * min(at_most, at_least))
    return at_most if alternative == "greater" else at_least


def holm(pvalues: Sequence[float]) -> list[float]:
    """Return the least alpha at which Holm's procedure, step by step, rejects each hypothesis."""
    m = len(pvalues)
    order = sorted(range(m), key=lambda i: pvalues[i])
    adjusted = [0.0] * m
    for rank, i in enumerate(order):
        # Rejected once every p-value up to this one is at most alpha / (number left).
        needed = max(pvalues[order[j]] * (m - j) for j in range(rank + 1))
        adjusted[i] = min(1.0, needed)
    return adjusted


def rows_of(cells: Sequence[Cell]) -> tuple[list[int], list[float]]:
    """Return labels and scores, a row for each example."""
    labels = []
    scores = []
    for score, positives, negatives in cells:
        labels += [1] * positives + [0] * negatives
        scores += [score] * (positives + negatives)
    return labels, scores
