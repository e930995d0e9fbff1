"""Slow and obvious: tests between models from their definitions, in fractions where they are exact.

Nothing of fastmetrics is used here. Numbers come as ints, Fractions or decimal strings.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import product

HALF = Fraction(1, 2)


def fractions(values: Iterable) -> list[Fraction]:
    """Return the decimals as exact fractions, not as doubles."""
    return [Fraction(str(value)) for value in values]


# --- binomial ------------------------------------------------------------------------------------


def pmf(count: int, n: int, rate: Fraction) -> Fraction:
    return math.comb(n, count) * rate**count * (1 - rate) ** (n - count)


def more_than(count: int, n: int, rate: Fraction) -> Fraction:
    return sum((pmf(i, n, rate) for i in range(max(0, count + 1), n + 1)), Fraction(0))


def critical_count(n: int, rate: Fraction, alpha: Fraction) -> int:
    return next(c for c in range(n + 1) if more_than(c, n, rate) < alpha)


def binomial_pvalue(count: int, n: int, rate: Fraction, alternative: str) -> Fraction:
    if alternative == "greater":
        return more_than(count - 1, n, rate)
    if alternative == "less":
        return 1 - more_than(count, n, rate)
    chance = pmf(count, n, rate)
    return sum((p for i in range(n + 1) if (p := pmf(i, n, rate)) <= chance), Fraction(0))


# --- t -------------------------------------------------------------------------------------------


def t_statistic(values: Sequence[Fraction], ratio: Fraction = Fraction(0)) -> float:
    """Return mean / sqrt((1 / n + ratio) s^2); ratio is n_test / n_train."""
    mean = sum(values, Fraction(0)) / len(values)
    variance = sum(((v - mean) ** 2 for v in values), Fraction(0)) / (len(values) - 1)
    return float(mean) / math.sqrt((Fraction(1, len(values)) + ratio) * variance)


def five_by_two(table: Sequence[Sequence[Fraction]]) -> dict[str, float]:
    variances = Fraction(0)
    for first, second in table:
        mean = (first + second) / 2
        variances += (first - mean) ** 2 + (second - mean) ** 2
    below = math.sqrt(variances / 5)
    return {
        "dietterich": float(table[0][0]) / below,
        "textbook": float((table[0][0] + table[0][1]) / 2) / below,
        "f": float(sum(d**2 for row in table for d in row) / (2 * variances)),
    }


# --- McNemar -------------------------------------------------------------------------------------


def mcnemar_pvalue(e01: int, e10: int, alternative: str, tie_weight: Fraction) -> Fraction:
    """Return the probability of a split as extreme; the observed one has ``tie_weight``."""
    n = e01 + e10
    if alternative == "greater":
        return more_than(e01, n, HALF) + tie_weight * pmf(e01, n, HALF)
    if alternative == "less":
        return more_than(e10, n, HALF) + tie_weight * pmf(e10, n, HALF)
    most = max(e01, e10)
    return min(Fraction(1), 2 * (more_than(most, n, HALF) + tie_weight * pmf(most, n, HALF)))


# --- signs and ranks -----------------------------------------------------------------------------


def sign_choices(n: int) -> Iterator[tuple[int, ...]]:
    return product((1, -1), repeat=n)


def as_extreme(observed: Fraction, null: Sequence[Fraction], alternative: str) -> Fraction:
    if alternative == "greater":
        count = sum(value >= observed for value in null)
    elif alternative == "less":
        count = sum(value <= observed for value in null)
    else:
        count = sum(abs(value) >= abs(observed) for value in null)
    return Fraction(count, len(null))


def sign_flip_pvalue(values: Sequence[Fraction], alternative: str) -> Fraction:
    null = [
        sum((s * v for s, v in zip(signs, values, strict=True)), Fraction(0))
        for signs in sign_choices(len(values))
    ]
    return as_extreme(sum(values, Fraction(0)), null, alternative)


def signed_ranks(values: Sequence[Fraction], zero_method: str) -> list[tuple[Fraction, int]]:
    """Return rank and sign of each difference that counts; sign 0 for one that is split."""
    if zero_method == "wilcox":
        values = [v for v in values if v != 0]
    ranks = []
    for value in values:
        below = sum(abs(other) < abs(value) for other in values)
        equal = sum(abs(other) == abs(value) for other in values)
        ranks.append((Fraction(2 * below + equal + 1, 2), (value > 0) - (value < 0)))
    return [one for one in ranks if one[1] or zero_method == "zsplit"]


def wilcoxon(
    values: Sequence[Fraction], zero_method: str, alternative: str
) -> tuple[Fraction, Fraction, Fraction]:
    """Return the sums of ranks of positive and of negative differences, and the exact p."""
    ranks = signed_ranks(values, zero_method)
    zeros = sum((rank for rank, sign in ranks if sign == 0), Fraction(0)) / 2
    plus = sum((rank for rank, sign in ranks if sign > 0), zeros)
    minus = sum((rank for rank, sign in ranks if sign < 0), zeros)
    moving = [rank for rank, sign in ranks if sign]
    null = [
        sum((s * r for s, r in zip(signs, moving, strict=True)), Fraction(0))
        for signs in sign_choices(len(moving))
    ]
    return plus, minus, as_extreme(plus - minus, null, alternative)


def walsh_averages(values: Sequence[Fraction]) -> list[Fraction]:
    n = len(values)
    return sorted((values[i] + values[j]) / 2 for i in range(n) for j in range(i, n))
