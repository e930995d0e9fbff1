"""Isotonic fits, components of mean scores, and tests of calibration, from their definitions."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache

Point = tuple[float, Fraction, Fraction]
Weights = Sequence[Fraction] | None


def _exact(number) -> Fraction:
    return Fraction(number.item() if hasattr(number, "item") else number)


def points(targets: Sequence, scores: Sequence, weights: Weights = None) -> list[Point]:
    """Return (score, weighted sum of targets, weight), ascending; scores that tie are one."""
    weights = [Fraction(1)] * len(targets) if weights is None else weights
    cells: dict[float, list[Fraction]] = {}
    for target, score, weight in zip(targets, scores, weights, strict=True):
        weight = _exact(weight)
        if weight:
            cell = cells.setdefault(float(score), [Fraction(0), Fraction(0)])
            cell[0] += weight * _exact(target)
            cell[1] += weight
    return [(score, *cells[score]) for score in sorted(cells)]


def isotonic(rows: list[Point]) -> list[Fraction]:
    """Return the fit at each point: the greatest, over starts up to it, of the least mean of runs
    from there to an end at or behind it (Robertson, Wright & Dykstra 1988, theorem 1.4.4).
    """

    @cache  # asked for once for each point between
    def mean(first: int, last: int) -> Fraction:
        run = rows[first : last + 1]
        return sum(s for _, s, _ in run) / sum(w for _, _, w in run)

    return [
        max(min(mean(first, last) for last in range(k, len(rows))) for first in range(k + 1))
        for k in range(len(rows))
    ]


def brier(label: int, p: Fraction) -> Fraction:
    return (p - label) ** 2


def log_loss(label: int, p: Fraction, eps: float = 2.0**-52) -> float:
    clipped = min(max(p, Fraction(eps)), 1 - Fraction(eps))
    chance = clipped if label else 1 - clipped
    if chance < Fraction(1, 2):
        return math.log(chance.denominator) - math.log(chance.numerator)
    return -math.log1p(float(chance - 1))


def mean_score(score: Callable, rows: list[Point], values: Sequence[Fraction]):
    """Return the mean score of a value for each point."""
    total = sum(w for _, _, w in rows)
    terms = []
    for (_, ones, weight), value in zip(rows, values, strict=True):
        for label, weight_of_label in ((1, ones), (0, weight - ones)):
            if weight_of_label:
                loss = score(label, value)
                terms.append(
                    (weight_of_label if isinstance(loss, Fraction) else float(weight_of_label))
                    * loss
                )
    if all(isinstance(term, Fraction) for term in terms):
        return sum(terms) / total
    return math.fsum(terms) / float(total)


def decomposition(score: Callable, rows: list[Point]) -> tuple:
    """Return the mean score, miscalibration, discrimination and uncertainty."""
    base_rate = sum(ones for _, ones, _ in rows) / sum(w for _, _, w in rows)
    given = mean_score(score, rows, [Fraction(p) for p, _, _ in rows])
    fitted = mean_score(score, rows, isotonic(rows))
    constant = mean_score(score, rows, [base_rate] * len(rows))
    return given, given - fitted, constant - fitted, constant


def spiegelhalter(labels: Sequence, chances: Sequence, weights: Weights = None) -> float:
    """Return Z; weights are importances: squared below."""
    weights = [Fraction(1)] * len(labels) if weights is None else weights
    over = variance = Fraction(0)
    for y, p, w in zip(labels, chances, weights, strict=True):
        w = _exact(w)
        p = _exact(p)
        over += w * (_exact(y) - p) * (1 - 2 * p)
        variance += w**2 * (1 - 2 * p) ** 2 * p * (1 - p)
    return float(over) / math.sqrt(variance) if variance else math.nan


def logistic(labels: Sequence, chances: Sequence, weights: Weights = None) -> tuple[float, ...]:
    """Return slope, intercept, in the large, and their variances (0 < p < 1, classes overlap)."""
    weights = [1.0] * len(labels) if weights is None else [float(w) for w in weights]
    logits = [math.log(float(p)) - math.log1p(-float(p)) for p in chances]
    rows = [(x, int(y), w) for x, y, w in zip(logits, labels, weights, strict=True) if w]

    def derivatives(a: float, b: float):
        terms = []
        for x, y, w in rows:
            m = 1.0 / (1.0 + math.exp(-(a + b * x)))
            v = w * m * (1.0 - m)
            terms.append((w * (y - m), w * (y - m) * x, v, v * x, v * x * x))
        return [math.fsum(column) for column in zip(*terms, strict=True)]

    large = 0.0
    for _ in range(200):
        g, _, v, _, _ = derivatives(large, 1.0)
        large += max(-1.0, min(1.0, g / v))
    variance_large = 1.0 / derivatives(large, 1.0)[2]
    a, b = 0.0, 1.0
    overlap = min(x for x, y, _ in rows if y) < max(x for x, y, _ in rows if not y)
    overlap &= max(x for x, y, _ in rows if y) > min(x for x, y, _ in rows if not y)
    for _ in range(500 if overlap else 0):
        g0, g1, v0, v1, v2 = derivatives(a, b)
        determinant = v0 * v2 - v1 * v1
        step_a = (v2 * g0 - v1 * g1) / determinant
        step_b = (v0 * g1 - v1 * g0) / determinant
        shrink = min(1.0, 0.5 / max(abs(step_a), abs(step_b), 1e-300))
        a, b = a + shrink * step_a, b + shrink * step_b
    _, _, v0, v1, v2 = derivatives(a, b)
    determinant = v0 * v2 - v1 * v1 or math.nan
    return b, a, large, v0 / determinant, v2 / determinant, variance_large


def logistic_where_defined(
    labels: Sequence, chances: Sequence, weights: Weights = None
) -> tuple[float, float, float]:
    """Return slope, intercept and in the large; nan for those that have no finite value."""
    weights = [1] * len(labels) if weights is None else weights
    rows = [row for row in zip(labels, chances, weights, strict=True) if row[2]]
    nothing = (math.nan, math.nan, math.nan)
    if any(p == 1 - y for y, p, _ in rows):
        return nothing
    inside = [row for row in rows if 0 < row[1] < 1]
    ones, zeros = ([p for y, p, _ in inside if y == label] for label in (1, 0))
    if not ones or not zeros:
        return nothing
    estimates = logistic(*zip(*inside, strict=True))
    if min(ones) >= max(zeros) or max(ones) <= min(zeros):
        return math.nan, math.nan, estimates[2]
    return estimates[:3]
