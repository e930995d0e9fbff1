"""Slow and obvious: DeLong's variance over all pairs, in fractions."""

from __future__ import annotations

from fractions import Fraction


def auc_and_variance(positives, negatives) -> tuple[Fraction, Fraction]:
    """Return the AUC and DeLong's variance (1988, equations 3 to 6) of two samples of scores."""

    def won(x, y) -> Fraction:
        return Fraction(1) if x > y else Fraction(1, 2) if x == y else Fraction(0)

    m, n = len(positives), len(negatives)
    v10 = [sum((won(x, y) for y in negatives), Fraction(0)) / n for x in positives]
    v01 = [sum((won(x, y) for x in positives), Fraction(0)) / m for y in negatives]
    auc = sum(v10) / m
    s10 = sum((v - auc) ** 2 for v in v10) / (m - 1)
    s01 = sum((v - auc) ** 2 for v in v01) / (n - 1)
    return auc, s10 / m + s01 / n


def newcombe_variance(t: float, m: float, n: float) -> float:
    """Return V(t) of Newcombe (2006), method 5: both sizes replaced by their mean."""
    size = (m + n) / 2
    bracket = 1 + (size - 1) * (1 - t) / (2 - t) + (size - 1) * t / (1 + t)
    return t * (1 - t) * bracket / (m * n)
