"""Slow and obvious: two models exchanged row by row, in fractions.

What is exchanged on a row are the ranks of the two models' scores (Bandos, Rockette & Gur 2005),
the scores themselves, or the two decisions. Nothing of fastmetrics is used here.
"""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import pairwise, product

Metric = Callable[[Sequence[int], Sequence], Fraction]


def mean_ranks(scores: Sequence) -> list[Fraction]:
    """Return the rank of each score from 1 on, the ranks of a tie being averaged."""
    return [
        Fraction(sum(other < score for other in scores))
        + Fraction(1 + sum(other == score for other in scores), 2)
        for score in scores
    ]


def numbers(scores: Sequence, exchange: str, threshold=None) -> list:
    """Return the values of a model that are exchanged."""
    if exchange == "ranks":
        return mean_ranks(scores)
    if exchange == "decisions":
        return [int(score >= threshold) for score in scores]
    return list(scores)


def auc(labels: Sequence[int], scores: Sequence) -> Fraction:
    positives = [s for label, s in zip(labels, scores, strict=True) if label == 1]
    negatives = [s for label, s in zip(labels, scores, strict=True) if label != 1]
    won = sum(2 * (p > n) + (p == n) for p in positives for n in negatives)
    return Fraction(won, 2 * len(positives) * len(negatives))


def _points(labels: Sequence[int], scores: Sequence) -> list[tuple[int, int]]:
    """Return (TP, FP) of each threshold, the highest first, after that of nobody."""
    pairs = list(zip(labels, scores, strict=True))
    points = [(0, 0)]
    for threshold in sorted(set(scores), reverse=True):
        called = [label for label, score in pairs if score >= threshold]
        points.append((called.count(1), len(called) - called.count(1)))
    return points


def average_precision(labels: Sequence[int], scores: Sequence) -> Fraction:
    points = _points(labels, scores)
    total = Fraction(0)
    for (before, _), (tp, fp) in pairwise(points):
        total += (tp - before) * Fraction(tp, tp + fp)
    return total / points[-1][0]


def kolmogorov_smirnov(labels: Sequence[int], scores: Sequence) -> Fraction:
    points = _points(labels, scores)
    p, n = points[-1]
    return max(abs(Fraction(tp, p) - Fraction(fp, n)) for tp, fp in points)


def accuracy(labels: Sequence[int], decisions: Sequence[int]) -> Fraction:
    right = sum((label == 1) == (d == 1) for label, d in zip(labels, decisions, strict=True))
    return Fraction(right, len(labels))


def f1(labels: Sequence[int], decisions: Sequence[int]) -> Fraction:
    tp = sum(label == 1 and d == 1 for label, d in zip(labels, decisions, strict=True))
    return Fraction(2 * tp, sum(label == 1 for label in labels) + sum(decisions))


def difference(
    labels: Sequence[int], first: Sequence, second: Sequence, coins: Iterable[int], metric: Metric
) -> Fraction:
    """Return the first model's metric less the second's, rows of coin 1 being exchanged."""
    rows = list(zip(first, second, coins, strict=True))
    one = [b if coin else a for a, b, coin in rows]
    return metric(labels, one) - metric(labels, [a if coin else b for a, b, coin in rows])


def every_exchange(
    labels: Sequence[int], first: Sequence, second: Sequence, metric: Metric
) -> list[Fraction]:
    """Return the difference after each of the 2^n exchanges."""
    tosses = product((0, 1), repeat=len(labels))
    return [difference(labels, first, second, coins, metric) for coins in tosses]


def as_extreme(observed: Fraction, null: Sequence[Fraction], alternative: str) -> int:
    """Return the number of differences as extreme as the observed one."""
    if alternative == "greater":
        return sum(value >= observed for value in null)
    if alternative == "less":
        return sum(value <= observed for value in null)
    return sum(abs(value) >= abs(observed) for value in null)
