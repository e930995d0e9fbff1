"""Calibration errors in bins by their definitions, in rational numbers.

A problem is a list of rows (outcomes, probabilities, weight): outcomes and probabilities are
vectors, of one element for two classes. A bin is any number or vector that names it.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

Row = tuple[tuple[int, ...], tuple[Fraction, ...], Fraction]
Problem = list[Row]


def rows_of(true: Sequence[int], chances: Sequence[Any], weights: Sequence[Any] | None) -> Problem:
    """Return the rows of the positive class that have a weight."""
    row_weights = [1] * len(true) if weights is None else weights
    return [
        ((int(y),), (Fraction(p),), Fraction(w))
        for y, p, w in zip(true, chances, row_weights, strict=True)
        if w
    ]


def problems(
    form: str, codes: Sequence[int], rows: Sequence[Sequence[Any]], weights: Sequence[Any] | None
) -> list[Problem]:
    """Return the problems of two classes that a form makes of columns."""
    if form == "class-wise":
        return [
            rows_of([c == k for c in codes], [row[k] for row in rows], weights)
            for k in range(len(rows[0]))
        ]
    if form == "top-label":
        tops = [max(range(len(row)), key=lambda k: (row[k], -k)) for row in rows]
        hits = [top == code for top, code in zip(tops, codes, strict=True)]
        return [rows_of(hits, [row[top] for row, top in zip(rows, tops, strict=True)], weights)]
    row_weights = [1] * len(codes) if weights is None else weights
    k = len(rows[0])
    return [
        [
            (tuple(int(j == c) for j in range(k)), tuple(map(Fraction, row)), Fraction(w))
            for c, row, w in zip(codes, rows, row_weights, strict=True)
            if w
        ]
    ]


def uniform(problem: Problem, n_bins: int) -> list[Problem]:
    """Return the rows of each non-empty bin (k / B, (k + 1) / B], the first one closed."""

    def bin_of(p: Fraction) -> int:
        return next(k for k in range(n_bins) if p <= Fraction(k + 1, n_bins))

    return _group(problem, lambda row: tuple(map(bin_of, row[1])))


def uniform_left_closed(problem: Problem, n_bins: int) -> list[Problem]:
    """Return the rows of each non-empty bin [k / B, (k + 1) / B), the last one closed."""

    def bin_of(p: Fraction) -> int:
        return next(k for k in reversed(range(n_bins)) if p >= Fraction(k, n_bins))

    return _group(problem, lambda row: tuple(map(bin_of, row[1])))


def quantile(problem: Problem, n_bins: int) -> list[Problem]:
    """Return the rows of each bin (edge, next edge]; weights are numbers of rows.

    The first bin is closed. Edges are percentiles, linear between rows, as doubles.
    """
    every = sorted(p for _, (p,), w in problem for _ in range(int(w)))
    edges = []
    for k in range(1, n_bins):
        position = Fraction(k * (len(every) - 1), n_bins)
        low, high = every[int(position)], every[min(int(position) + 1, len(every) - 1)]
        edges.append(float(low + (high - low) * (position - int(position))))
    return _group(problem, lambda row: sum(row[1][0] > edge for edge in edges))


def equal_count(problem: Problem, n_bins: int) -> list[Problem]:
    """Return the rows of bins of equal weight: the bin follows from the weight below."""
    total = sum(row[2] for row in problem)

    def bin_of(row: Row) -> int:
        below = sum((w for _, p, w in problem if p < row[1]), Fraction(0))
        return int(below * n_bins / total)

    return _group(problem, bin_of)


def _group(problem: Problem, bin_of: Callable[[Row], Any]) -> list[Problem]:
    groups: dict[Any, Problem] = {}
    for row in problem:
        groups.setdefault(bin_of(row), []).append(row)
    return list(groups.values())


def weight_of(rows: Problem) -> Fraction:
    return sum((w for _, _, w in rows), Fraction(0))


def gaps(rows: Problem) -> list[Fraction]:
    """Return the mean outcome less the mean probability, element by element."""
    total = weight_of(rows)
    return [
        sum((w * (y[k] - p[k]) for y, p, w in rows), Fraction(0)) / total
        for k in range(len(rows[0][0]))
    ]


def distance(rows: Problem) -> Fraction:
    mean_gaps = gaps(rows)
    length = sum(map(abs, mean_gaps), Fraction(0))
    return length if len(mean_gaps) == 1 else length / 2


def expected(bins: list[Problem]) -> Fraction:
    total = sum(map(weight_of, bins))
    return sum((weight_of(rows) / total * distance(rows) for rows in bins), Fraction(0))


def maximum(bins: list[Problem]) -> Fraction:
    return max(map(distance, bins))


def mean_square(bins: list[Problem], estimator: str) -> Fraction:
    """Return the mean squared gap, less its bias; weights are numbers of rows there."""
    total = sum(map(weight_of, bins))
    total_square = Fraction(0)
    for rows in bins:
        n = weight_of(rows)
        squared = sum(gap * gap for gap in gaps(rows))
        if estimator == "plug-in":
            total_square += n / total * squared
        elif n > 1:
            total_square += n / total * (squared - _variance(rows, estimator) / (n - 1))
    return total_square


def _variance(rows: Problem, estimator: str) -> Fraction:
    """Return the variance of outcomes, or of outcomes less probabilities, all elements added."""
    n = weight_of(rows)
    variance = Fraction(0)
    for k in range(len(rows[0][0])):
        values = [(y[k] - (p[k] if estimator == "sun" else 0), w) for y, p, w in rows]
        mean = sum((w * v for v, w in values), Fraction(0)) / n
        variance += sum((w * (v - mean) ** 2 for v, w in values), Fraction(0)) / n
    return variance
