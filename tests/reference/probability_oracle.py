"""Losses of class probabilities and top-k accuracy by their definitions, in plain Python.

Labels are column numbers, probabilities rows of floats; squares and margins are rational numbers,
logarithms are added by ``math.fsum``.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations

Rows = Sequence[Sequence[float]]
Weights = Sequence[float] | None


def two_columns(positive: Sequence[float]) -> list[list[Fraction]]:
    """Return the probabilities of the negative and of the positive class, unrounded."""
    return [[1 - Fraction(p), Fraction(p)] for p in positive]


def minus_log(p: Fraction | float, eps: float) -> float:
    """Return -ln of a probability clipped to [eps, 1 - eps], accurate near 1."""
    clipped = min(max(Fraction(p), Fraction(eps)), 1 - Fraction(eps))
    if clipped == 0:
        return math.inf
    if clipped < Fraction(1, 2):
        return math.log(clipped.denominator) - math.log(clipped.numerator)
    return -math.log1p(float(clipped - 1))


def _weights(n: int, weights: Weights) -> list[Fraction]:
    return [Fraction(w) for w in weights] if weights is not None else [Fraction(1)] * n


def weighted(terms: Sequence[float], weights: Weights, *, normalize: bool = True) -> float:
    """Return the weighted mean or sum; a row of weight 0 is not there."""
    row_weights = _weights(len(terms), weights)
    total = math.fsum(t * float(w) for t, w in zip(terms, row_weights, strict=True) if w)
    return total / float(sum(row_weights)) if normalize else total


def log_loss(
    codes: Sequence[int],
    rows: Rows,
    weights: Weights = None,
    *,
    eps: float = 2.0**-52,
    normalize: bool = True,
) -> float:
    terms = [minus_log(row[code], eps) for code, row in zip(codes, rows, strict=True)]
    return weighted(terms, weights, normalize=normalize)


def class_shares(codes: Sequence[int], k: int, weights: Weights = None) -> list[Fraction]:
    row_weights = _weights(len(codes), weights)
    total = sum(row_weights)
    return [
        sum((w for c, w in zip(codes, row_weights, strict=True) if c == j), Fraction(0)) / total
        for j in range(k)
    ]


def d2_log_loss(codes: Sequence[int], rows: Rows, weights: Weights = None) -> float:
    null = [class_shares(codes, len(rows[0]), weights)] * len(codes)
    return 1 - log_loss(codes, rows, weights) / log_loss(codes, null, weights)


def brier(codes: Sequence[int], rows: Rows, weights: Weights = None) -> Fraction:
    """Return the mean over the rows of the sum over the classes of the squared error."""
    row_weights = _weights(len(codes), weights)
    terms = [
        w * sum((Fraction(p) - (j == code)) ** 2 for j, p in enumerate(row))
        for code, row, w in zip(codes, rows, row_weights, strict=True)
    ]
    return sum(terms, Fraction(0)) / sum(row_weights)


def d2_brier(codes: Sequence[int], rows: Rows, weights: Weights = None) -> Fraction:
    null = [class_shares(codes, len(rows[0]), weights)] * len(codes)
    return 1 - brier(codes, rows, weights) / brier(codes, null, weights)


def hinge_two(
    codes: Sequence[int], decisions: Sequence[float], weights: Weights = None
) -> Fraction:
    """Return the mean of max(0, 1 - s d), s = 1 for the class 1 and -1 for the class 0."""
    row_weights = _weights(len(codes), weights)
    terms = [
        w * max(Fraction(0), 1 - (2 * code - 1) * Fraction(d))
        for code, d, w in zip(codes, decisions, row_weights, strict=True)
    ]
    return sum(terms, Fraction(0)) / sum(row_weights)


def hinge_many(codes: Sequence[int], rows: Rows, weights: Weights = None) -> Fraction:
    """Return the mean of max(0, 1 - (decision of the class - best of the others))."""
    row_weights = _weights(len(codes), weights)
    total = Fraction(0)
    for code, row, w in zip(codes, rows, row_weights, strict=True):
        others = [Fraction(d) for j, d in enumerate(row) if j != code]
        total += w * max(Fraction(0), 1 - (Fraction(row[code]) - max(others)))
    return total / sum(row_weights)


def hit(code: int, row: Sequence[float], k: int, order: Sequence[int]) -> bool:
    """Return True if a class is among the k best, tied classes in the order given."""
    rank = {column: i for i, column in enumerate(order)}
    ranked = sorted(range(len(row)), key=lambda j: (-Fraction(row[j]), rank[j]))
    return code in ranked[:k]


def hit_value(code: int, row: Sequence[float], k: int, ties: str) -> Fraction:
    """Return the worth of one row, by trying every order of the classes that tie."""
    columns = range(len(row))
    if ties in ("first", "last"):
        return Fraction(hit(code, row, k, columns if ties == "first" else columns[::-1]))
    hits = [hit(code, row, k, order) for order in permutations(columns)]
    if ties == "expected":
        return Fraction(sum(hits), len(hits))
    return Fraction(any(hits) if ties == "best" else all(hits))


def top_k(
    codes: Sequence[int],
    rows: Rows,
    k: int,
    ties: str,
    weights: Weights = None,
    *,
    normalize: bool = True,
) -> Fraction:
    row_weights = _weights(len(codes), weights)
    total = sum(
        (
            w * hit_value(code, row, k, ties)
            for code, row, w in zip(codes, rows, row_weights, strict=True)
        ),
        Fraction(0),
    )
    return total / sum(row_weights) if normalize else total
