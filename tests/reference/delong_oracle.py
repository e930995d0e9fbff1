"""Slow and obvious: DeLong's variances, of groups too, over all pairs, in fractions."""

from collections.abc import Hashable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction


def won(x, y) -> Fraction:
    """Return the credit of a positive x against a negative y."""
    return Fraction(1) if x > y else Fraction(1, 2) if x == y else Fraction(0)


def auc_and_variance(positives, negatives) -> tuple[Fraction, Fraction]:
    """Return the AUC and DeLong's variance (1988, equations 3 to 6) of two samples of scores."""
    m, n = len(positives), len(negatives)
    v10 = [sum((won(x, y) for y in negatives), Fraction(0)) / n for x in positives]
    v01 = [sum((won(x, y) for x in positives), Fraction(0)) / m for y in negatives]
    auc = sum(v10) / m
    s10 = sum((v - auc) ** 2 for v in v10) / (m - 1)
    s01 = sum((v - auc) ** 2 for v in v01) / (n - 1)
    return auc, s10 / m + s01 / n


def components(labels, scores) -> tuple[Fraction, dict[int, Fraction]]:
    """Return the AUC, and the structural component of each row (DeLong, equations 3 and 4)."""
    positives = [i for i, label in enumerate(labels) if label == 1]
    negatives = [i for i, label in enumerate(labels) if label != 1]
    placements = {}
    for i in positives:
        total = sum((won(scores[i], scores[j]) for j in negatives), Fraction(0))
        placements[i] = total / len(negatives)
    for j in negatives:
        total = sum((won(scores[i], scores[j]) for i in positives), Fraction(0))
        placements[j] = total / len(positives)
    return sum(placements[i] for i in positives) / len(positives), placements


def covariance(labels, one, other) -> Fraction:
    """Return DeLong's covariance of the AUCs of two lists of scores (equations 5 and 6)."""
    auc_one, v_one = components(labels, one)
    auc_other, v_other = components(labels, other)
    total = Fraction(0)
    for label in (1, 0):
        rows = [i for i, each in enumerate(labels) if each == label]
        products = ((v_one[i] - auc_one) * (v_other[i] - auc_other) for i in rows)
        total += sum(products, Fraction(0)) / (len(rows) - 1) / len(rows)
    return total


def variance_of_difference(labels, one, other) -> Fraction:
    """Return the variance of a difference from the differences of the structural components."""
    auc_one, v_one = components(labels, one)
    auc_other, v_other = components(labels, other)
    total = Fraction(0)
    for label in (1, 0):
        rows = [i for i, each in enumerate(labels) if each == label]
        deviations = [v_one[i] - v_other[i] - (auc_one - auc_other) for i in rows]
        total += sum(d * d for d in deviations) / (len(rows) - 1) / len(rows)
    return total


def chi_square(aucs: Sequence[Fraction], covariances: list[list[Fraction]]) -> Fraction | None:
    """Return d' C^-1 d for the differences d of neighbours; None where C is singular."""
    k = len(aucs) - 1
    d = [aucs[j + 1] - aucs[j] for j in range(k)]
    c = covariances
    matrix = [
        [c[i + 1][j + 1] - c[i + 1][j] - c[i][j + 1] + c[i][j] for j in range(k)] for i in range(k)
    ]
    solution = solved(matrix, d)
    return None if solution is None else sum(a * b for a, b in zip(d, solution, strict=True))


def solved(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    """Return the solution of a linear system by Gauss and Jordan; None where it is singular."""
    size = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for j in range(size):
        pivot = next((i for i in range(j, size) if rows[i][j] != 0), None)
        if pivot is None:
            return None
        rows[j], rows[pivot] = rows[pivot], rows[j]
        rows[j] = [entry / rows[j][j] for entry in rows[j]]
        for i in range(size):
            if i != j:
                factor = rows[i][j]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[j], strict=True)]
    return [row[size] for row in rows]


def newcombe_variance(t: float, m: float, n: float) -> float:
    """Return V(t) of Newcombe (2006), method 5: both sizes replaced by their mean."""
    size = (m + n) / 2
    bracket = 1 + (size - 1) * (1 - t) / (2 - t) + (size - 1) * t / (1 + t)
    return t * (1 - t) * bracket / (m * n)


def weighted_components(labels, scores, weights) -> tuple[Fraction, dict[int, Fraction]]:
    """Return the weighted AUC, and the weighted placement of each row."""
    w = [Fraction(weight) for weight in weights]
    classes = [[i for i, label in enumerate(labels) if (label == 1) == side] for side in (1, 0)]
    placements = {}
    for members, others in (classes, classes[::-1]):
        for i in members:
            beats = [
                w[j] * (won(scores[i], scores[j]) if labels[i] == 1 else won(scores[j], scores[i]))
                for j in others
            ]
            placements[i] = sum(beats, Fraction(0)) / sum(w[j] for j in others)
    positives = classes[0]
    auc = sum(w[i] * placements[i] for i in positives) / sum(w[i] for i in positives)
    return auc, placements


def weighted_covariance(labels, one, other, weights) -> Fraction:
    """Return the covariance of two weighted AUCs by the influence of each row.

    The influence of a row with fraction p of its class is p (placement - AUC). A class's squared
    influences, whose expectation is too small for having fitted the AUC, are divided by what that
    leaves: D = sum p^2 (1 - 2 p + sum p^2) / sum p^2.
    """
    total = Fraction(0)
    for side in (True, False):
        weights_in_class, sums = weighted_influences(labels, (one, other), weights, side)
        total += sum(a * b for a, b in zip(*sums, strict=True)) / left([*weights_in_class.values()])
    return total


def weighted_influences(labels, columns, weights, side):
    """Return the fractions of the rows of a class, and their influences on each column's AUC."""
    members = [i for i, label in enumerate(labels) if (label == 1) == side]
    total = sum(Fraction(weights[i]) for i in members)
    fractions = {i: Fraction(weights[i]) / total for i in members}
    sums = []
    for scores in columns:
        auc, placement = weighted_components(labels, scores, weights)
        sums.append([fractions[i] * (placement[i] - auc) for i in members])
    return fractions, sums


def clustered_covariance(labels, one, other, weights, groups: Sequence[Hashable]) -> Decimal:
    """Return the covariance by the influence of each group, to 60 digits.

    That is the sum over both classes of the sum over its rows of the class, over the root of the
    part of that sum's variance that centring leaves where rows are independent: with fractions p
    of rows, and P of the group, 1 - 2 P + P^2 (sum p^2 of all) / (sum p^2 of the group).
    """
    with localcontext() as context:
        context.prec = 60
        sums_by_group = [dict.fromkeys(groups, Decimal(0)) for _ in range(2)]
        for side in (True, False):
            fractions, sums = weighted_influences(labels, (one, other), weights, side)
            left = {}
            for name in {groups[i] for i in fractions}:
                held = [p for i, p in fractions.items() if groups[i] == name]
                ratio = sum(p * p for p in fractions.values()) / sum(p * p for p in held)
                left[name] = 1 - 2 * sum(held) + sum(held) ** 2 * ratio
            for column, influences in zip(sums_by_group, sums, strict=True):
                exact = dict.fromkeys(groups, Fraction(0))
                for i, value in zip(fractions, influences, strict=True):
                    exact[groups[i]] += value
                for name, rest in left.items():
                    column[name] += decimal(exact[name]) / decimal(rest).sqrt()
        return sum(
            (sums_by_group[0][name] * sums_by_group[1][name] for name in sums_by_group[0]),
            Decimal(0),
        )


def decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def left(fractions: Sequence[Fraction]) -> Fraction:
    """Return the fraction of the variance kept by residuals about a weighted mean."""
    squares = sum(p * p for p in fractions)
    return sum(p * p * (1 - 2 * p + squares) for p in fractions) / squares
