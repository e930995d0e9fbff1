"""Slow and obvious: DeLong's and Obuchowski's variances over all pairs, in fractions."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction


def won(x, y) -> Fraction:
    """Return what a positive x scores against a negative y."""
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
    found = {}
    for i in positives:
        total = sum((won(scores[i], scores[j]) for j in negatives), Fraction(0))
        found[i] = total / len(negatives)
    for j in negatives:
        total = sum((won(scores[i], scores[j]) for i in positives), Fraction(0))
        found[j] = total / len(positives)
    return sum(found[i] for i in positives) / len(positives), found


def covariance(labels, one, other) -> Fraction:
    """Return DeLong's covariance of the AUCs of two lists of scores (equations 5 and 6)."""
    (auc_one, v_one), (auc_other, v_other) = components(labels, one), components(labels, other)
    total = Fraction(0)
    for label in (1, 0):
        rows = [i for i, found in enumerate(labels) if found == label]
        products = ((v_one[i] - auc_one) * (v_other[i] - auc_other) for i in rows)
        total += sum(products, Fraction(0)) / (len(rows) - 1) / len(rows)
    return total


def variance_of_difference(labels, one, other) -> Fraction:
    """Return the variance of a difference from the differences of the structural components."""
    (auc_one, v_one), (auc_other, v_other) = components(labels, one), components(labels, other)
    total = Fraction(0)
    for label in (1, 0):
        rows = [i for i, found in enumerate(labels) if found == label]
        deviations = [v_one[i] - v_other[i] - (auc_one - auc_other) for i in rows]
        total += sum(d * d for d in deviations) / (len(rows) - 1) / len(rows)
    return total


def clustered_covariance(labels, one, other, groups: Sequence[Hashable]) -> Fraction:
    """Return Obuchowski's covariance (1997, section 2) of the AUCs of two lists of scores."""
    (auc_one, v_one), (auc_other, v_other) = components(labels, one), components(labels, other)
    names = set(groups)
    x_one, y_one, x_other, y_other = ({name: Fraction(0) for name in names} for _ in range(4))
    m = dict.fromkeys(names, 0)
    n = dict.fromkeys(names, 0)
    for i, (label, name) in enumerate(zip(labels, groups, strict=True)):
        if label == 1:
            m[name] += 1
            x_one[name] += v_one[i]
            x_other[name] += v_other[i]
        else:
            n[name] += 1
            y_one[name] += v_one[i]
            y_other[name] += v_other[i]
    big_m, big_n = sum(m.values()), sum(n.values())
    i10 = sum(1 for name in names if m[name])
    i01 = sum(1 for name in names if n[name])
    i_all = len(names)

    def total(left, right, left_sizes, right_sizes) -> Fraction:
        return sum(
            (left[g] - left_sizes[g] * auc_one) * (right[g] - right_sizes[g] * auc_other)
            for g in names
        )

    s10 = Fraction(i10, (i10 - 1) * big_m) * total(x_one, x_other, m, m)
    s01 = Fraction(i01, (i01 - 1) * big_n) * total(y_one, y_other, n, n)
    s11 = Fraction(i_all, i_all - 1) * total(x_one, y_other, m, n)
    s11_back = Fraction(i_all, i_all - 1) * total(y_one, x_other, n, m)
    return s10 / big_m + s01 / big_n + (s11 + s11_back) / (big_m * big_n)


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
    """Return the weighted AUC, and of each row the share of the other class that it beats."""
    w = [Fraction(weight) for weight in weights]
    classes = [[i for i, label in enumerate(labels) if (label == 1) == side] for side in (1, 0)]
    found = {}
    for own, other in (classes, classes[::-1]):
        for i in own:
            beats = [
                w[j] * (won(scores[i], scores[j]) if labels[i] == 1 else won(scores[j], scores[i]))
                for j in other
            ]
            found[i] = sum(beats, Fraction(0)) / sum(w[j] for j in other)
    positives = classes[0]
    auc = sum(w[i] * found[i] for i in positives) / sum(w[i] for i in positives)
    return auc, found


def weighted_covariance(labels, one, other, weights, groups=None) -> Fraction:
    """Return the covariance of two weighted AUCs by the influence of each row, or group.

    The influence of a row of share p of its class is p (placement - AUC). A class's squared
    influences, whose expectation is too small for having fitted the AUC, are divided by what that
    leaves: D = sum p^2 (1 - 2 p + sum p^2) / sum p^2.
    """
    names = list(range(len(labels))) if groups is None else groups
    everyone = sorted(set(names), key=str)
    parts, factors = [], []
    for side in (True, False):
        own = [i for i, label in enumerate(labels) if (label == 1) == side]
        total = sum(Fraction(weights[i]) for i in own)
        share = {i: Fraction(weights[i]) / total for i in own}
        sums = []
        for scores in (one, other):
            auc, placement = weighted_components(labels, scores, weights)
            sums.append(
                [
                    sum(
                        (share[i] * (placement[i] - auc) for i in own if names[i] == name),
                        Fraction(0),
                    )
                    for name in everyone
                ]
            )
        parts.append(sums)
        held = [[i for i in own if names[i] == name] for name in everyone]
        held = [rows for rows in held if rows]
        n = len(held)
        of_rows = [Fraction(len(rows), len(own)) for rows in held]
        of_weight = [sum(share[i] for i in rows) for rows in held]
        factors.append(Fraction(n, n - 1) * max(Fraction(1), left(of_rows) / left(of_weight)))
    total = sum(
        factor * sum(a * b for a, b in zip(*sums, strict=True))
        for factor, sums in zip(factors, parts, strict=True)
    )
    if groups is not None:
        n = len(everyone)
        (x_one, x_other), (y_one, y_other) = parts
        cross = sum(a * b for a, b in zip(x_one, y_other, strict=True))
        cross += sum(a * b for a, b in zip(y_one, x_other, strict=True))
        total += Fraction(n, n - 1) * cross
    return total


def left(shares: Sequence[Fraction]) -> Fraction:
    """Return the share of the variance that residuals about a mean by these shares keep."""
    squares = sum(p * p for p in shares)
    return sum(p * p * (1 - 2 * p + squares) for p in shares) / squares
