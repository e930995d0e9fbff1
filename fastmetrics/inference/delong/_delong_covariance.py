"""DeLong's and Obuchowski's covariance of several AUCs, as exact ratios of whole numbers.

Of rows that have importances, `_weighted_covariance` has the covariance, in floats.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.models import CheckedModels
from fastmetrics._input.rows import BinaryRows
from fastmetrics.inference.delong._weighted_covariance import (
    WeightedCovariance,
    weighted_covariance,
)
from fastmetrics.inference.delong._whole_numbers import exact_gram, quadratic_form
from fastmetrics.measures.curves.placements import doubled_placements, sums_of_groups
from fastmetrics.tables.scores.pairs import exact_dot


@dataclass(frozen=True, slots=True, eq=False)
class AucCovariance:
    """The AUCs of K models on the same examples, and their covariances, exactly.

    Attributes
    ----------
    n_positive, n_negative : int
        Examples of each class.
    n_groups : int or None
        Groups of examples; None where each example stands for itself.
    twice_pairs : tuple of int
        AUC times 2 n_positive n_negative, for each model.
    numerators : ndarray of object, shape (K, K), or None
        The covariances times ``denominator``; None where they are not defined.
    denominator : int
        Of all covariances.
    fault : str
        Why they are not defined, else empty.
    """

    n_positive: int
    n_negative: int
    n_groups: int | None
    twice_pairs: tuple[int, ...]
    numerators: NDArray[Any] | None
    denominator: int
    fault: str = ""

    def auc(self, model: int) -> float:
        """Return the AUC of a model, the double nearest to it; nan where a class is missing."""
        return self._share(self.twice_pairs[model])

    def difference(self, one: int, other: int) -> float:
        """Return the AUC of one model less that of the other, rounded once."""
        return self._share(self.twice_pairs[one] - self.twice_pairs[other])

    def covariance(self, one: int, other: int) -> float:
        """Return the covariance of two AUCs, rounded once; nan where it is not defined."""
        if self.numerators is None:
            return float("nan")
        return float(self.numerators[one, other] / self.denominator)

    def variance_of_difference(self, one: int, other: int) -> float:
        """Return the variance of a difference, rounded once: exactly 0 for identical rankings."""
        if self.numerators is None:
            return float("nan")
        numerators = self.numerators
        own = numerators[one, one] + numerators[other, other]
        return float((own - 2 * numerators[one, other]) / self.denominator)

    def all_equal(self) -> tuple[float, int]:
        """Return the chi-square of "all AUCs are equal", and the rank of its covariance.

        inf where some difference other than 0 has a variance of 0.
        """
        if self.numerators is None:
            return float("nan"), len(self.twice_pairs) - 1
        others = range(1, len(self.twice_pairs))
        c = self.numerators.tolist()
        matrix = [[c[k][j] - c[k][0] - c[0][j] + c[0][0] for j in others] for k in others]
        vector = [self.twice_pairs[k] - self.twice_pairs[0] for k in others]
        form, rank = quadratic_form(matrix, vector)
        if form is None:
            return float("inf"), rank
        return float(form * self.denominator / (2 * self.n_positive * self.n_negative) ** 2), rank

    def _share(self, twice: int) -> float:
        pairs = self.n_positive * self.n_negative
        return twice / (2 * pairs) if pairs else float("nan")


class _Class(NamedTuple):
    """Which rows are of a class, how many of its examples each row is, and how many there are."""

    name: str
    is_there: NDArray[np.bool_]
    counts: NDArray[np.int8] | NDArray[np.int64]
    size: int


Classes = tuple[_Class, _Class]
"""The positives and the negatives."""


def auc_covariance(
    models: CheckedModels, n_threads: int | None = None
) -> AucCovariance | WeightedCovariance:
    """Return the AUCs and their covariances: O(K n log n + K^2 n) time, O(K n) memory.

    Without importances they depend on the examples alone, neither on the order of the rows nor on
    the threads: all sums are of whole numbers.
    """
    classes = _classes(models.rows)
    codes = None
    if models.groups is not None:
        codes = 2 * models.groups + classes[1].is_there
    fault = _fault(classes, codes)
    if models.rows.weights is not None and not models.rows.integer_weights:
        return weighted_covariance(models, fault, n_threads)
    m, n = classes[0].size, classes[1].size
    n_groups = None if models.groups is None else int(models.groups.max()) + 1
    undefined = AucCovariance(m, n, n_groups, (0,) * len(models.names), None, 1, fault)
    if not (m and n):
        return undefined
    placements = np.empty((len(models.names), len(models.rows.labels)), np.int64)
    for k, row in enumerate(placements):
        row[:] = doubled_placements(models.rows_of(k), n_threads)
    twice = tuple(_half_of_sum(row, models.rows.weights) for row in placements)
    if fault:
        return dataclasses.replace(undefined, twice_pairs=twice)
    if codes is None:
        numerators, denominator = _by_example(classes, placements, twice, n_threads)
    else:
        counts = None if models.rows.weights is None else models.rows.weights.astype(np.int64)
        numerators, denominator = _by_group(classes, placements, twice, codes, counts)
    return AucCovariance(m, n, n_groups, twice, numerators, denominator)


def _classes(rows: BinaryRows) -> Classes:
    is_positive = rows.labels == 1

    def part(name: str, is_there: NDArray[np.bool_]) -> _Class:
        counts: NDArray[Any] = is_there.view(np.int8)
        if rows.integer_weights and rows.weights is not None:
            counts = rows.weights.astype(np.int64) * counts
        return _Class(name, is_there, counts, int(counts.sum(dtype=np.int64)))

    return part("positive", is_positive), part("negative", ~is_positive)


def _half_of_sum(placements: NDArray[np.int64], weights: NDArray[np.float64] | None) -> int:
    """Return the sum over either class: it is the same."""
    if weights is None:
        return int(placements.sum()) // 2
    return int(exact_dot(weights.astype(np.int64), placements)) // 2


def _fault(classes: Classes, codes: NDArray[np.int64] | None) -> str:
    """Return why the spread within a class, or between groups, cannot be estimated."""
    for part in classes:
        if not part.size:
            return f"there is no {part.name} example (one class only)"
    if codes is None:
        for part in classes:
            if part.size < 2:
                what = f"there is one {part.name} example only"
                return f"{what}, and the spread within a class needs two"
        return ""
    in_groups = np.bincount(codes)
    for k, part in enumerate(classes):
        if np.count_nonzero(in_groups[k::2]) < 2:
            return f"all {part.name} examples are in one group, and the spread needs two"
    return ""


def _by_example(
    classes: Classes,
    placements: NDArray[np.int64],
    twice: tuple[int, ...],
    n_threads: int | None,
) -> tuple[NDArray[Any], int]:
    """Return DeLong's covariances, S10/m + S01/n, times their common denominator.

    With the doubled placements a and A = sum a, S10 is
    (m sum a_k a_l - A_k A_l) / (4 m n^2 (m - 1)), and S01 the same with m and n exchanged: A is
    the same over either class.
    """
    m, n = classes[0].size, classes[1].size
    sums = np.array(twice, object)
    grams = [exact_gram(placements, part.counts, n_threads) for part in classes]
    spread_positive, spread_negative = (
        part.size * gram - np.multiply.outer(sums, sums)
        for part, gram in zip(classes, grams, strict=True)
    )
    numerators = spread_positive * (n - 1) + spread_negative * (m - 1)
    return numerators, 4 * m * m * n * n * (m - 1) * (n - 1)


def _by_group(
    classes: Classes,
    placements: NDArray[np.int64],
    twice: tuple[int, ...],
    codes: NDArray[np.int64],
    counts: NDArray[np.int64] | None,
) -> tuple[NDArray[Any], int]:
    """Return Obuchowski's covariances, S10/m + S01/n + (S11 + S11')/(m n), the same way.

    Group i has m_i positives whose doubled placements sum to x_i, and n_i negatives, y_i. With
    p_i = m x_i - m_i A and q_i = n y_i - n_i A, the deviations of Obuchowski's (1997) sums of
    structural components from m_i AUC and n_i AUC are p_i / (2 m n) and q_i / (2 m n). Code 2 i is
    that of the positives of group i, 2 i + 1 that of its negatives.
    """
    m, n = classes[0].size, classes[1].size
    k = len(twice)
    i = int(codes.max()) // 2 + 1
    sizes = np.broadcast_to(np.int64(1), (1, len(codes)))
    sums = [sums_of_groups(values, codes, 2 * i, counts) for values in (placements, sizes)]
    totals = np.concatenate(sums)
    i10, i01 = (int(np.count_nonzero(totals[k, of_class::2])) for of_class in (0, 1))
    gram = exact_gram(np.concatenate([totals[:, 0::2], totals[:, 1::2]]))  # of x, m_i, y, n_i
    deviation = np.zeros((2 * k, 2 * k + 2), object)  # takes them to p, q
    for row in range(k):
        deviation[row, [row, k]] = m, -twice[row]
        deviation[k + row, [k + 1 + row, 2 * k + 1]] = n, -twice[row]
    spread = deviation @ gram @ deviation.T
    of_positive, of_negative, both = spread[:k, :k], spread[k:, k:], spread[:k, k:]
    numerators = (
        of_positive * (i10 * (i01 - 1) * (i - 1) * n * n)
        + of_negative * (i01 * (i10 - 1) * (i - 1) * m * m)
        + (both + both.T) * (i * (i10 - 1) * (i01 - 1) * m * n)
    )
    return numerators, 4 * m**4 * n**4 * (i10 - 1) * (i01 - 1) * (i - 1)
