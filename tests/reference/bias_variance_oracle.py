"""Bias, variance and noise from their definitions, in fractions, one example at a time."""

from collections import Counter
from fractions import Fraction


def columns(matrix):
    return [list(map(_exact, column)) for column in zip(*matrix, strict=True)]


def _exact(value):
    return Fraction(value) if isinstance(value, float) else value


def mean(values):
    values = list(values)
    return sum(values, Fraction(0)) / len(values)


def most_frequent(values):
    """Return the mode, the smallest of equals."""
    counts = Counter(values)
    return min(counts, key=lambda value: (-counts[value], value))


def expected_loss(true, predicted, loss):
    """Average a loss over all pairs of a label and a prediction, and over the examples."""
    return mean(
        mean(Fraction(loss(t, p)) for t in ts for p in ps)
        for ts, ps in zip(columns(true), columns(predicted), strict=True)
    )


def zero_one(t, p):
    return int(t != p)


def square(t, p):
    return Fraction(t - p) ** 2


def squared(true, predicted):
    bias = variance = noise = Fraction(0)
    for ts, ps in zip(columns(true), columns(predicted), strict=True):
        target = mean(ts)
        main = mean(ps)
        bias += (target - main) ** 2
        variance += mean((p - main) ** 2 for p in ps)
        noise += mean((t - target) ** 2 for t in ts)
    n = len(true[0])
    return bias / n, variance / n, noise / n


def domingos(true, predicted):
    """Return bias, net variance, c1 N, unbiased variance, biased variance, N (theorem 2, 2000)."""
    totals = [Fraction(0)] * 6
    for ts, ps in zip(columns(true), columns(predicted), strict=True):
        optimal = most_frequent(ts)
        main = most_frequent(ps)
        bias = Fraction(zero_one(optimal, main))
        variance = mean(Fraction(zero_one(main, p)) for p in ps)
        noise = mean(Fraction(zero_one(t, optimal)) for t in ts)
        # c1 = P(y = y*) - P(y != y*) P(y = t | y* != t, y != y*)
        right = mean(Fraction(p == optimal) for p in ps)
        wrong = [(t, p) for t in ts for p in ps if p != optimal and t != optimal]
        met = mean(Fraction(t == p) for t, p in wrong) if wrong else Fraction(0)
        c1 = right - (1 - right) * met
        # c2 = 1 if ym = y*, else -P(y = y* | y != ym)
        others = [p for p in ps if p != main]
        c2 = Fraction(1)
        if main != optimal:
            c2 = -mean(Fraction(p == optimal) for p in others) if others else Fraction(0)
        unbiased = Fraction(main == optimal)
        values = (bias, c2 * variance, c1 * noise)
        values += (unbiased * variance, (1 - unbiased) * variance, noise)
        totals = [total + value for total, value in zip(totals, values, strict=True)]
    return [total / len(true[0]) for total in totals]


def kohavi_wolpert(true, predicted):
    bias = variance = noise = Fraction(0)
    for ts, ps in zip(columns(true), columns(predicted), strict=True):
        for label in {*ts, *ps}:
            q = Fraction(ts.count(label), len(ts))
            p = Fraction(ps.count(label), len(ps))
            bias += (q - p) ** 2 / 2
            variance -= p**2 / 2
            noise -= q**2 / 2
        variance += Fraction(1, 2)
        noise += Fraction(1, 2)
    n = len(true[0])
    return bias / n, variance / n, noise / n
