"""Friedman's test and its kin from their definitions, in rational numbers."""

import itertools
import math
from fractions import Fraction


def ranks_of(row, *, higher_is_better):
    """Rank 1 is the best; ties share the mean of the ranks that they span."""
    better = (lambda a, b: a > b) if higher_is_better else (lambda a, b: a < b)
    return [
        1 + sum(better(other, mine) for other in row) + Fraction(row.count(mine) - 1, 2)
        for mine in row
    ]


def chi_square(ranks):
    """Demsar (2006), eq. on page 11: no allowance for ties."""
    n, k = len(ranks), len(ranks[0])
    means = [Fraction(sum(column)) / n for column in zip(*ranks, strict=True)]
    total = sum(mean**2 for mean in means)
    return Fraction(12 * n, k * (k + 1)) * (total - Fraction(k * (k + 1) ** 2, 4))


def tie_corrected(ranks):
    n, k = len(ranks), len(ranks[0])
    ties = sum(row.count(rank) ** 2 - 1 for row in map(list, ranks) for rank in row)
    left = 1 - Fraction(ties, n * k * (k * k - 1))
    return chi_square(ranks) / left if left else Fraction(0)


def iman_davenport(chi2, n, k):
    left = n * (k - 1) - chi2
    return math.inf if left == 0 else (n - 1) * chi2 / left


def exact_pvalue(ranks):
    """List every arrangement of every row."""
    observed = chi_square(ranks)
    every = [list(itertools.permutations(row)) for row in ranks]
    hits = sum(chi_square(table) >= observed for table in itertools.product(*every))
    return Fraction(hits, math.prod(map(len, every)))


def largest_groups(mean_ranks, differs):
    """All sets of algorithms that are runs on the rank line without a difference, and maximal."""
    order = sorted(range(len(mean_ranks)), key=lambda j: (mean_ranks[j], j))
    runs = [
        set(order[i:j])
        for i in range(len(order))
        for j in range(i + 1, len(order) + 1)
        if not any(differs[a][b] for a, b in itertools.combinations(order[i:j], 2))
    ]
    return {frozenset(run) for run in runs if not any(run < other for other in runs)}


def range_tail(q, k, steps=4000):
    """P(range of k standard normals > q), by the trapezoid rule over the largest of them."""
    cdf = lambda x: 0.5 * math.erfc(-x / math.sqrt(2))  # noqa: E731
    width = 20 / steps
    inside = 0.0
    for i in range(steps + 1):
        x = -10 + i * width
        density = math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
        inside += k * density * (cdf(x) - cdf(x - q)) ** (k - 1) * width
    return 1 - inside
