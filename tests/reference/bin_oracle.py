"""Limits of metrics of binned scores: every order of every bin, ties included, one by one.

An arrangement is a list of groups (positives, negatives), highest scores first; each group is one
distinct score. Metrics are those of the definitions, in rational numbers.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

Group = tuple[int, int]


def orders(positives: int, negatives: int) -> Iterator[list[Group]]:
    """Yield every partition of the rows of two classes into an ordered list of groups."""
    if positives == negatives == 0:
        yield []
        return
    for p, n in product(range(positives + 1), range(negatives + 1)):
        if p + n:
            for rest in orders(positives - p, negatives - n):
                yield [(p, n), *rest]


def arrangements(bins: list[tuple[int, int, bool]]) -> Iterator[list[Group]]:
    """Yield all groups of rows in bins (positives, negatives, whether one score), highest first."""
    choices = [[[(p, n)]] if sure else list(orders(p, n)) for p, n, sure in bins]
    for chosen in product(*choices):
        yield [group for groups in chosen for group in groups]


def auc(groups: list[Group]) -> Fraction:
    below = sum(n for _, n in groups)
    twice = 0
    for p, n in groups:
        below -= n
        twice += p * (2 * below + n)
    return Fraction(twice, 2 * sum(p for p, _ in groups) * sum(n for _, n in groups))


def curve(groups: list[Group]) -> list[Group]:
    """Return (true positives, false positives) of each threshold, the highest first."""
    points = []
    tp = 0
    fp = 0
    for p, n in groups:
        tp, fp = tp + p, fp + n
        points.append((tp, fp))
    return points


def average_precision(groups: list[Group]) -> Fraction:
    total = Fraction(0)
    for (p, _), (tp, fp) in zip(groups, curve(groups), strict=True):
        total += p * Fraction(tp, tp + fp)
    return total / sum(p for p, _ in groups)


def ks_statistic(groups: list[Group]) -> Fraction:
    p, n = curve(groups)[-1]
    return max(abs(Fraction(tp, p) - Fraction(fp, n)) for tp, fp in curve(groups))


def tpr_at_fpr(groups: list[Group], max_fpr: Fraction) -> Fraction:
    p, n = curve(groups)[-1]
    rates = [Fraction(tp, p) for tp, fp in curve(groups) if Fraction(fp, n) <= max_fpr]
    return max(rates, default=Fraction(0))


def limits(
    bins: list[tuple[int, int, bool]], metric: Callable[[list[Group]], Fraction]
) -> tuple[Fraction, Fraction]:
    """Return the least and the largest value that any rows in these bins have."""
    values = [metric(groups) for groups in arrangements(bins)]
    return min(values), max(values)
