"""Costs by row from their definition: sums of Fractions over rows, threshold by threshold."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple


class Row(NamedTuple):
    label: int
    score: Any
    cost_fn: Fraction
    cost_fp: Fraction
    weight: Fraction = Fraction(1)

    def loss(self, threshold: Any) -> Fraction:
        called = self.score >= threshold
        if self.label:
            return Fraction(0) if called else self.cost_fn
        return self.cost_fp if called else Fraction(0)


def thresholds(rows: Sequence[Row]) -> list[Any]:
    return [math.inf, *sorted({row.score for row in rows}, reverse=True)]


def cost(rows: Sequence[Row], threshold: Any, prevalence: Fraction | None = None) -> Fraction:
    def mean(of: Sequence[Row]) -> Fraction:
        return sum((r.weight * r.loss(threshold) for r in of), Fraction(0)) / sum(
            r.weight for r in of
        )

    if prevalence is None:
        return mean(rows)
    positives, negatives = ([r for r in rows if r.label == k] for k in (1, 0))
    return prevalence * mean(positives) + (1 - prevalence) * mean(negatives)


def cheapest(rows: Sequence[Row], prevalence: Fraction | None = None) -> tuple[Any, Fraction]:
    """Return the threshold of the least cost, the highest of equally cheap ones, and its cost."""
    return min(((t, cost(rows, t, prevalence)) for t in thresholds(rows)), key=lambda pair: pair[1])


def left_out(rows: Sequence[Row], groups: Sequence[int] | None = None) -> Fraction:
    """Return each row's mean cost at the threshold that is cheapest without it, or its group."""
    total = Fraction(0)
    groups = range(len(rows)) if groups is None else groups
    for row, own_group in zip(rows, groups, strict=True):
        others = [other for other, group in zip(rows, groups, strict=True) if group != own_group]
        best = min(thresholds(rows), key=lambda t: sum(r.weight * r.loss(t) for r in others))
        total += row.weight * row.loss(best)
    return total / sum(row.weight for row in rows)
