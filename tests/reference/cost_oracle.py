"""Costs of decisions by definition: row by row, in Fractions, nothing of ours.

A row is (number of the true class, number of the predicted class, weight); ``costs[i][j]`` is what
an example of class i taken for class j costs. None stands for what is undefined.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

Row = tuple[int, int, Any]
Costs = Sequence[Sequence[Any]]


def total(rows: Sequence[Row], costs: Costs) -> Fraction:
    return sum((Fraction(w) * Fraction(costs[t][p]) for t, p, w in rows), Fraction(0))


def weight(rows: Sequence[Row]) -> Fraction:
    return sum((Fraction(w) for _, _, w in rows), Fraction(0))


def mean(rows: Sequence[Row], costs: Costs) -> Fraction | None:
    return total(rows, costs) / weight(rows) if weight(rows) else None


def rate(rows: Sequence[Row], true: int, predicted: int) -> Fraction | None:
    """Return the fraction of class ``true`` predicted as class ``predicted``."""
    class_rows = [row for row in rows if row[0] == true]
    if not weight(class_rows):
        return None
    return weight([row for row in class_rows if row[1] == predicted]) / weight(class_rows)


def expected(rows: Sequence[Row], cost_fn: Any, cost_fp: Any, prevalence: Any = None) -> Any:
    """Return cost_fp (1 - p) FPR + cost_fn p FNR; a term without a factor above 0 is 0."""
    if not weight(rows):
        return None
    positives = weight([row for row in rows if row[0] == 1])
    p = positives / weight(rows) if prevalence is None else Fraction(prevalence)
    result = Fraction(0)
    for factor, (true, predicted) in (
        (Fraction(cost_fp) * (1 - p), (0, 1)),
        (Fraction(cost_fn) * p, (1, 0)),
    ):
        if factor:
            fraction = rate(rows, true, predicted)
            if fraction is None:
                return None
            result += factor * fraction
    return result
