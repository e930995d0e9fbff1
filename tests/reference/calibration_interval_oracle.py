"""Intervals, bands and tests of calibration by their definitions: pairs, runs, enumeration.

Rows are (outcome, probability); bins are lists of rows.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import permutations, product
from statistics import NormalDist

Rows = Sequence[tuple[int, Fraction]]


def mean_square(bins: Iterable[Rows]) -> Fraction:
    """Return the mean over rows of the mean product of two rows' gaps, of one bin each."""
    bins = [list(rows) for rows in bins]
    total = Fraction(0)
    n = sum(map(len, bins))
    for rows in bins:
        gaps = [y - p for y, p in rows]
        if len(gaps) > 1:
            products = [gaps[i] * gaps[j] for i, j in permutations(range(len(gaps)), 2)]
            total += sum(products, Fraction(0)) / (len(gaps) - 1)
    return total / n


def error_of_gaps(bins: Iterable[Rows]) -> float:
    """Return the standard error of first order (Sun et al. 2024, their code's ``sigma_1``)."""
    bins = [list(rows) for rows in bins]
    n = sum(map(len, bins))
    first = second = Fraction(0)
    for rows in bins:
        gaps = [y - p for y, p in rows]
        mean = Fraction(sum(gaps)) / len(gaps)
        square = Fraction(sum(gap * gap for gap in gaps)) / len(gaps)
        fraction = Fraction(len(gaps), n)
        first += fraction * (4 * mean * square * mean - 3 * mean**4)
        second += fraction * mean**2
    return math.sqrt((first - second**2) / n)


def error_of_pairs(bins: Iterable[Rows]) -> float:
    """Return the standard error of second order, of a mean product of independent gaps."""
    bins = [list(rows) for rows in bins]
    n = sum(map(len, bins))
    variance = Fraction(0)
    for rows in bins:
        k = len(rows)
        if k > 1:
            gaps = [y - p for y, p in rows]
            mean = Fraction(sum(gaps)) / k
            gap_variance = sum((gap - mean) ** 2 for gap in gaps) / (k - 1)
            product_variance = 2 * gap_variance**2 / (k * (k - 1))
            variance += Fraction(k, n) ** 2 * product_variance
    return math.sqrt(variance)


def over_outcomes(
    chances: Sequence[Fraction], value: Callable[[tuple[int, ...]], Fraction]
) -> tuple[Fraction, Fraction]:
    """Return mean and variance of a value over all outcomes, by their probabilities."""
    mean = square = Fraction(0)
    for outcomes in product((0, 1), repeat=len(chances)):
        chance = math.prod(p if y else 1 - p for y, p in zip(outcomes, chances, strict=True))
        result = value(outcomes)
        mean += chance * result
        square += chance * result**2
    return mean, square - mean**2


def limits(
    square: float,
    plug_in: float,
    gap_error: float,
    pair_error: float,
    error_if_calibrated: float,
    level: float,
) -> list[float]:
    """Return the limits of the root: the lower one case by case, the upper one by bisection."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    one = NormalDist().inv_cdf(level)
    above = max(square, 0.0)
    error = math.hypot(gap_error, pair_error)
    low = max(0.0, above - one * error)
    if above >= 2 * one * error:
        low = above / 2
    if above >= 2 * z * error:
        low = above - z * error
    if square <= one * error_if_calibrated:
        low = 0.0
    inside = above
    outside = above + 1e6
    for _ in range(200):
        u = (inside + outside) / 2
        at_u = math.sqrt((gap_error**2 * u / plug_in if plug_in else gap_error**2) + pair_error**2)
        inside, outside = (u, outside) if u - above <= z * at_u else (inside, u)
    return [math.sqrt(low), math.sqrt(inside)]


def clopper_pearson_low(hits: int, n: int, alpha: float) -> float:
    """Return the rate at which ``hits`` or more have probability ``alpha``, by bisection."""
    if hits == 0:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        tail = math.fsum(
            math.comb(n, k) * middle**k * (1 - middle) ** (n - k) for k in range(hits, n + 1)
        )
        low, high = (middle, high) if tail < alpha else (low, middle)
    return low


def band(
    cells: Sequence[tuple[Fraction, Fraction, int, int]], point: Fraction, alpha: float
) -> tuple[float, float]:
    """Return the limits at a point: the best over all runs of cells (low, high, k, n) on a side."""
    m = len(cells)
    level = alpha / (m * (m + 1))
    low, high = 0.0, 1.0
    for i in range(m):
        for j in range(i, m):
            hits = sum(c[2] for c in cells[i : j + 1])
            n = sum(c[3] for c in cells[i : j + 1])
            if cells[j][1] <= point:
                low = max(low, clopper_pearson_low(hits, n, level))
            if cells[i][0] >= point:
                high = min(high, 1 - clopper_pearson_low(n - hits, n, level))
    return low, high


def isotonic(values: Sequence[Fraction], weights: Sequence[int]) -> list[Fraction]:
    """Return the isotonic fit by the min-max formula."""

    def mean(i: int, j: int) -> Fraction:
        total = sum(weights[i : j + 1])
        return sum((values[k] * weights[k] for k in range(i, j + 1)), Fraction(0)) / total

    n = len(values)
    return [max(min(mean(i, j) for j in range(k, n)) for i in range(k + 1)) for k in range(n)]


def miscalibration(outcomes: Sequence[int], chances: Sequence[Fraction]) -> Fraction:
    """Return the Brier score less that of the isotonic fit."""
    distinct = sorted(set(chances))
    of = [[y for y, p in zip(outcomes, chances, strict=True) if p == each] for each in distinct]
    fits = isotonic([Fraction(sum(ys), len(ys)) for ys in of], list(map(len, of)))
    lost = Fraction(0)
    for ys, p, fit in zip(of, distinct, fits, strict=True):
        lost += sum((y - p) ** 2 - (y - fit) ** 2 for y in ys)
    return lost / len(outcomes)


def exact_pvalue(
    outcomes: Sequence[int],
    chances: Sequence[Fraction],
    statistic: Callable[[Sequence[int]], Fraction],
) -> Fraction:
    """Return the chance of a statistic as great if each row's outcome has its probability."""
    observed = statistic(outcomes)
    return over_outcomes(chances, lambda drawn: Fraction(statistic(drawn) >= observed))[0]
