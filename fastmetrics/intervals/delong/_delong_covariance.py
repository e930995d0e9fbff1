"""DeLong's and Obuchowski's covariance of several AUCs, as exact ratios of whole numbers.

Of rows that have importances, `_weighted_covariance` has the covariance, in floats.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.models import CheckedModels
from fastmetrics._threads.workers import run
from fastmetrics.intervals.delong._placements import doubled_placements, sums_of_groups
from fastmetrics.intervals.delong._weighted_covariance import (
    WeightedCovariance,
    weighted_covariance,
)
from fastmetrics.intervals.delong._whole_numbers import exact_gram, quadratic_form
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
    """The rows of one class, how often each counts, and its doubled placement by each model."""

    name: str
    rows: NDArray[np.intp]
    counts: NDArray[np.int64] | None
    placements: NDArray[np.int64]  # (K, number of rows)

    @property
    def size(self) -> int:
        """Number of examples."""
        return len(self.rows) if self.counts is None else int(self.counts.sum())


Classes = tuple[_Class, _Class]
"""The positives and the negatives."""


def auc_covariance(
    models: CheckedModels, n_threads: int | None = None
) -> AucCovariance | WeightedCovariance:
    """Return the AUCs and their covariances: O(K n log n + K^2 n) time, O(K n) memory.

    Without importances they depend on the examples alone, neither on the order of the rows nor on
    the threads: all sums are of whole numbers.
    """
    classes = _classes(models)
    groups = None if models.groups is None else [models.groups[part.rows] for part in classes]
    fault = _fault(classes, groups)
    if models.rows.weights is not None and not models.rows.integer_weights:
        return weighted_covariance(models, fault, n_threads)
    m, n = classes[0].size, classes[1].size
    n_groups = None if models.groups is None else int(models.groups.max()) + 1
    undefined = AucCovariance(m, n, n_groups, (0,) * len(models.names), None, 1, fault)
    if not (m and n):
        return undefined
    _place(models, classes, n_threads)
    twice = tuple(_sum(values, classes[0].counts) for values in classes[0].placements)
    if fault:
        return dataclasses.replace(undefined, twice_pairs=twice)
    if groups is None:
        numerators, denominator = _by_example(classes, twice, n_threads)
    else:
        numerators, denominator = _by_group(classes, twice, groups)
    return AucCovariance(m, n, n_groups, twice, numerators, denominator)


def _classes(models: CheckedModels) -> Classes:
    rows = models.rows
    is_positive = rows.labels == 1
    counts = (
        rows.weights.astype(np.int64) if rows.integer_weights and rows.weights is not None else None
    )

    def part(name: str, is_there: NDArray[np.bool_]) -> _Class:
        at = np.flatnonzero(is_there)
        placements = np.empty((len(models.names), len(at)), np.int64)
        return _Class(name, at, None if counts is None else counts[at], placements)

    return part("positive", is_positive), part("negative", ~is_positive)


def _place(models: CheckedModels, classes: Classes, n_threads: int | None) -> None:
    """Fill in the placements, one model after the other."""
    for k in range(len(models.names)):
        placed = doubled_placements(models.rows_of(k), n_threads)
        takes = [partial(np.take, placed, part.rows, out=part.placements[k]) for part in classes]
        run(takes, n_threads)


def _sum(values: NDArray[np.int64], counts: NDArray[np.int64] | None) -> int:
    return int(values.sum() if counts is None else exact_dot(counts, values))


def _fault(classes: Classes, groups: list[NDArray[np.int64]] | None) -> str:
    """Return why the spread within a class, or between groups, cannot be estimated."""
    for part in classes:
        if not part.size:
            return f"there is no {part.name} example (one class only)"
    for k, part in enumerate(classes):
        if groups is None and part.size < 2:
            return f"there is one {part.name} example only, and the spread within a class needs two"
        if groups is not None and _count_groups(groups[k]) < 2:
            return f"all {part.name} examples are in one group, and the spread needs two"
    return ""


def _count_groups(groups: NDArray[np.int64]) -> int:
    """Return how many groups there are among some rows."""
    return int(np.count_nonzero(np.bincount(groups)))


def _by_example(
    classes: Classes, twice: tuple[int, ...], n_threads: int | None
) -> tuple[NDArray[Any], int]:
    """Return DeLong's covariances, S10/m + S01/n, times their common denominator.

    With the doubled placements a and A = sum a, S10 is
    (m sum a_k a_l - A_k A_l) / (4 m n^2 (m - 1)), and S01 the same with m and n exchanged: A is
    the same over either class.
    """
    m, n = classes[0].size, classes[1].size
    sums = np.array(twice, object)
    grams = run([partial(exact_gram, part.placements, part.counts) for part in classes], n_threads)
    spread_positive, spread_negative = (
        part.size * gram - np.multiply.outer(sums, sums)
        for part, gram in zip(classes, grams, strict=True)
    )
    numerators = spread_positive * (n - 1) + spread_negative * (m - 1)
    return numerators, 4 * m * m * n * n * (m - 1) * (n - 1)


def _by_group(
    classes: Classes, twice: tuple[int, ...], groups: list[NDArray[np.int64]]
) -> tuple[NDArray[Any], int]:
    """Return Obuchowski's covariances, S10/m + S01/n + (S11 + S11')/(m n), the same way.

    Group i has m_i positives whose doubled placements sum to x_i, and n_i negatives, y_i. With
    p_i = m x_i - m_i A and q_i = n y_i - n_i A, the deviations of Obuchowski's (1997) sums of
    structural components from m_i AUC and n_i AUC are p_i / (2 m n) and q_i / (2 m n).
    """
    m, n = classes[0].size, classes[1].size
    k = len(twice)
    i = 1 + max(int(codes.max()) for codes in groups)
    i10, i01 = map(_count_groups, groups)
    totals = [_totals(part, codes, i) for part, codes in zip(classes, groups, strict=True)]
    gram = exact_gram(np.concatenate(totals))  # of x, m_i, y, n_i
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


def _totals(part: _Class, groups: NDArray[np.int64], n_groups: int) -> NDArray[Any]:
    """Return, of each group, the sum of the placements by each model, and last its size."""
    sizes = np.ones((1, len(part.rows)), np.int64)
    return np.concatenate(
        [
            sums_of_groups(values, groups, n_groups, part.counts)
            for values in (part.placements, sizes)
        ]
    )
