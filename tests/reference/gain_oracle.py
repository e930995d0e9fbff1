"""Gains, Lorenz curves and net benefit from their definitions, in Fractions."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

Weights = Sequence[Fraction] | None


def _ties(true: Sequence[Any], given: Sequence[Any], weights: Weights) -> list[tuple[Any, Any]]:
    """Return the weight of positives and of negatives of each score, the highest first."""
    row_weights = weights or [Fraction(1)] * len(true)
    cells: dict[Any, list[Fraction]] = {}
    for label, score, weight in zip(true, given, row_weights, strict=True):
        cells.setdefault(score, [Fraction(0), Fraction(0)])[0 if label else 1] += weight
    return [tuple(cells[score]) for score in sorted(cells, reverse=True) if any(cells[score])]


def gain(true: Any, given: Any, weights: Weights, fraction: Fraction) -> Fraction | None:
    """Return the expected fraction of positives in the top, averaged over orders of ties."""
    ties = _ties(true, given, weights)
    total = sum(p for p, _ in ties)
    if not total:
        return None
    left = fraction * sum(p + q for p, q in ties)
    gained = Fraction(0)
    for p, q in ties:
        taken = min(left, p + q)
        gained += taken * p / (p + q)
        left -= taken
    return gained / total


def gini(true: Any, given: Any, weights: Weights) -> Fraction | None:
    """Return 1 - twice the area under the Lorenz curve by its definition."""
    row_weights = weights or [Fraction(1)] * len(true)
    cells: dict[Any, list[Fraction]] = {}
    for outcome, prediction, weight in zip(true, given, row_weights, strict=True):
        cell = cells.setdefault(prediction, [Fraction(0), Fraction(0)])
        cell[0] += weight
        cell[1] += weight * Fraction(outcome)
    exposure = sum(x for x, _ in cells.values())
    amount = sum(y for _, y in cells.values())
    if not amount:
        return None
    area = height = Fraction(0)
    for prediction in sorted(cells):
        x, y = cells[prediction]
        area += x / exposure * (2 * height + y / amount) / 2
        height += y / amount
    return 1 - 2 * area


def normalized_gini(true: Any, given: Any, weights: Weights) -> Fraction | None:
    """Return the Gini over that of the outcomes themselves."""
    best = gini(true, true, weights)
    return gini(true, given, weights) / best if best else None  # type: ignore[operator]


def net_benefit(true: Any, given: Any, weights: Weights, threshold: Fraction) -> Fraction | None:
    """Return TP/n - FP/n t / (1 - t)."""
    row_weights = weights or [Fraction(1)] * len(true)
    total = sum(row_weights)
    benefit = Fraction(0)
    for label, chance, weight in zip(true, given, row_weights, strict=True):
        if chance >= threshold:
            benefit += weight if label else -weight * threshold / (1 - threshold)
    classes = {label for label, weight in zip(true, row_weights, strict=True) if weight}
    return benefit / total if len(classes) == 2 else None
