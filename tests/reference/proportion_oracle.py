"""Slow and obvious: binomial tails in fractions, the delta method."""

import math
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from statistics import NormalDist


def z_of(tail: float) -> float:
    """Return the normal quantile that leaves ``tail`` above it."""
    return -NormalDist().inv_cdf(tail)


def probability(x: int, n: int, t: Fraction) -> Fraction:
    """Return P(X = x) of n trials with success probability t."""
    return math.comb(n, x) * t**x * (1 - t) ** (n - x)


def at_least(k: int, n: int, t: Fraction) -> Fraction:
    """Return P(X >= k)."""
    return sum((probability(x, n, t) for x in range(k, n + 1)), Fraction(0))


def few(k: int, n: int, t: float) -> float:
    """Return P(X <= k) of any number of trials, one term after the other."""
    with localcontext() as context:
        context.prec = 50
        p = Decimal(t)
        term = total = (n * (1 - p).ln()).exp()
        for x in range(k):
            term *= Decimal(n - x) / (x + 1) * p / (1 - p)
            total += term
        return float(total)


def jeffreys_below(k: int, n: int, t: float) -> float:
    """Return P(p <= t) of Beta(k + 1/2, n - k + 1/2), by the substitution p = sin^2.

    The density becomes 2 sin^2k cos^2(n-k) / B, and B is pi times a ratio of binomials. Simpson's
    rule converges fast: the function is smooth.
    """
    m = n - k
    beta = math.pi * math.comb(2 * k, k) * math.comb(2 * m, m) / 4**n / math.comb(n, k)
    steps = 2000
    end = math.asin(math.sqrt(t))
    angles = [end * i / steps for i in range(steps + 1)]
    heights = [2 * math.sin(a) ** (2 * k) * math.cos(a) ** (2 * m) / beta for a in angles]
    terms = [heights[0], heights[-1], *(4 * h for h in heights[1:-1:2])]
    terms += [2 * h for h in heights[2:-1:2]]
    return math.fsum(terms) * end / steps / 3


def wilson(k: float, n: float, z: float) -> tuple[float, float]:
    """Return Wilson's limits as he printed them: centre and half-width."""
    p = k / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return centre - half, centre + half


def f1(tp: Decimal, fp: Decimal, fn: Decimal, tn: Decimal) -> Decimal:
    """Return the harmonic mean of precision and recall."""
    precision = tp / (tp + fp)
    recall = tp / (tp + fn)
    return 2 * precision * recall / (precision + recall)


def mcc(tp: Decimal, fp: Decimal, fn: Decimal, tn: Decimal) -> Decimal:
    """Return Matthews' correlation."""
    product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return (tp * tn - fp * fn) / product.sqrt()


def delta_method(metric: Callable[..., Decimal], cells: Sequence[int]) -> tuple[float, float]:
    """Return a metric and its standard error: g' (diag(p) - p p') g / n, the gradient by steps."""
    with localcontext() as context:
        context.prec = 60
        step = Decimal(10) ** -20
        n = Decimal(sum(cells))
        proportions = [cell / n for cell in cells]
        gradient = []
        for i in range(len(cells)):
            up = list(proportions)
            down = list(proportions)
            up[i] += step
            down[i] -= step
            gradient.append((metric(*up) - metric(*down)) / (2 * step))
        pairs = list(zip(proportions, gradient, strict=True))
        variance = sum(p * g * g for p, g in pairs) - sum(p * g for p, g in pairs) ** 2
        return float(metric(*proportions)), float((variance / n).sqrt())


def coverage(limits: Sequence[tuple[float, float]], t: float) -> float:
    """Return the chance that one of the n + 1 intervals holds ``t``, when t is the truth."""
    n = len(limits) - 1
    inside = (x for x, (low, high) in enumerate(limits) if low <= t <= high)
    return math.fsum(math.comb(n, x) * t**x * (1 - t) ** (n - x) for x in inside)
