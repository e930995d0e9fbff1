"""Which rows vary independently: from influences to a covariance and its degrees of freedom."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels.range_kernels import add_products
from fastmetrics._threads.workers import run
from fastmetrics.inference._sample_sizes import effective_groups

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Reference = Literal["contributions", "kurtosis", "student"]
#: What a measure is of, one by one.
SamplesAre = Literal["rows", "queries", "items"]

#: What is smaller than so much of what it was made of is left by rounding.
ROUNDING: Final = 4.0 * float(np.finfo(np.float64).eps)
#: Rows of a block: what is made of it stays in cache.
_BLOCK: Final = 1 << 15


class Spread(NamedTuple):
    """A variance, and the degrees of freedom that it is known with."""

    variance: float
    df: float

    @property
    def standard_error(self) -> float:
        """The root of the variance."""
        return math.sqrt(self.variance)

    @classmethod
    def of(cls, variance: float, second: float, fourth: float, most: float) -> Spread:
        """Return a variance with the number of contributions c that carry it.

        ``second`` and ``fourth`` are sums of powers of c.
        """
        is_known = variance > 0.0
        return cls(variance, min(second * second / fourth, most) if is_known else math.nan)

    @classmethod
    def of_strata(cls, sizes: Floats, sums: Floats, seconds: Floats, fourth: float) -> Spread:
        """Return that of rows that stand for themselves, by sums over each stratum."""
        with np.errstate(divide="ignore", invalid="ignore"):
            factors = np.where(sizes > 1, sizes / (sizes - 1.0), np.nan)
            variance = float(np.sum(factors * np.maximum(seconds - sums * sums / sizes, 0.0)))
        return cls.of(variance, float(seconds.sum()), fourth, float(sizes.sum()) - len(sizes))


@dataclass(frozen=True, eq=False)
class Units:
    """Rows, or groups of them, that vary independently of one another.

    Attributes
    ----------
    n_points : int
        Places of an array of influences: a row each, or rows of one class and score.
    counts : ndarray of shape (n_points,), or None
        How many rows a point stands for: of frequencies, and of points of many rows.
    weights : ndarray of float64, shape (n_points,), or None
        How much a row matters, being one row all the same: importances.
    groups : ndarray of int64, shape (n_points,), or None
        The group of each row, from 0: groups are then what varies.
    strata : ndarray of int64, shape (n_points,), or None
        What was sampled apart, or can be taken so: means are removed, and factors are of each.
    sizes : ndarray of float64, shape (n_strata,), or None
        Rows of each stratum, where that is known; counted by default.

    Notes
    -----
    With psi the influence of a row, w its weight and c = w psi (of a group, the sum over its
    rows), the variance is the sum over strata h of f_h sum (c - mean c)^2, where f = m / (m - 1)
    for m units; of importances f = 1 / (1 - 2 sum p^3 / sum p^2 + sum p^2), p their shares, which
    is that very number where they are equal and unbiased where they do not tell of the influences.
    Means are removed in strata alone: without them the sum of c is 0 for any measure that does not
    change with the scale of the weights.

    Groups of importances that matter more than their rows do have a greater factor, by the same
    formula of their shares. Groups that have rows in several strata, as in both classes, keep their
    products: with f_h of the groups that have rows in h and f of all, the variance is
    sum f_h sum c_h^2 + f sum over h other than l of sum c_h c_l (Obuchowski 1997).

    References
    ----------
    Jaeckel (1972), The infinitesimal jackknife, Bell Laboratories MM 72-1215-11. Efron & Tibshirani
    (1993), An introduction to the bootstrap, chapter 21. Obuchowski (1997), Biometrics 53:567-578.
    Satterthwaite (1946), Biometrics Bulletin 2:110-114.
    """

    n_points: int
    counts: NDArray[Any] | None = None
    weights: Floats | None = None
    groups: Ints | None = None
    strata: Ints | None = None
    sizes: Floats | None = None

    @cached_property
    def without_groups(self) -> Units:
        """The same rows, as if they were independent."""
        return replace(self, groups=None)

    @cached_property
    def n_units(self) -> int:
        """Rows of a weight, or groups that have one."""
        if self.groups is not None:
            return int(self._groups_present.any(axis=0).sum())
        if self.counts is not None:
            return int(self.sizes_of_strata.sum())
        return int(np.count_nonzero(self._present))

    @property
    def n_rows(self) -> float:
        """Rows of a weight; the sum of counts."""
        return float(self.n_units if self.groups is None else self.without_groups.n_units)

    @cached_property
    def n_strata(self) -> int:
        """Strata that have a row of a weight; 1 without any."""
        return int(np.count_nonzero(self.sizes_of_strata))

    @cached_property
    def _present(self) -> NDArray[np.bool_]:
        weights = self.counts if self.weights is None else self.weights
        return np.ones(self.n_points, np.bool_) if weights is None else weights > 0

    @cached_property
    def sizes_of_strata(self) -> Floats:
        """Rows of a weight in each stratum."""
        if self.sizes is not None:
            return self.sizes
        if self.counts is not None:
            return self._by_stratum(self.counts)
        return self._by_stratum(None if self.weights is None else self._present)

    @cached_property
    def _worth(self) -> Floats:
        """How many rows of equal weight those of each stratum are worth (Kish 1965)."""
        if self.weights is None:
            return self.sizes_of_strata
        squares = self._by_stratum(self.weights * self.weights)
        return self._by_stratum(self.weights) ** 2 / np.where(squares > 0.0, squares, 1.0)

    @cached_property
    def units_of_strata(self) -> Floats:
        """Rows of a weight in each stratum, or groups that have one there."""
        if self.groups is None:
            return self.sizes_of_strata
        return np.asarray(self._groups_present.sum(axis=1), np.float64)

    def class_sizes(self) -> tuple[float, float]:
        """Return what the rows of the last stratum, and of the first, are worth."""
        codes = np.flatnonzero(self.sizes_of_strata)
        return float(self._worth[codes[-1]]), float(self._worth[codes[0]])

    def _by_stratum(self, values: Any) -> Floats:
        """Return the sum of the values in each stratum; of ones by default."""
        if self.strata is None:
            return np.array([self.n_points if values is None else np.sum(values)], np.float64)
        return np.asarray(np.bincount(self.strata, values), np.float64)

    def covariance(self, influences: Floats) -> Floats:
        """Return the covariance of K measures with influences of shape (K, n_points): (K, K).

        nan where a stratum has one unit alone.
        """
        if self.groups is not None:
            return self._between_groups(self.sums_of_groups(influences))
        k = len(influences)
        sums = np.zeros((k, k, len(self.sizes_of_strata), 3))
        for i, j in zip(*np.tril_indices(k), strict=True):
            sums[i, j] = self.sums_of_products(influences[i], influences[j])
        return self.covariance_of_sums(sums)

    def covariance_of_sums(self, sums: Floats) -> Floats:
        """Return the covariance by the sums of products of every two: (K, K, n_strata, 3).

        Those of a measure with a later one are not read.
        """
        found = np.empty(sums.shape[:2])
        for i, j in zip(*np.tril_indices(len(sums)), strict=True):
            found[i, j] = found[j, i] = self._by_strata(sums[i, j], sums[j, j]).sum()
        return found

    def _by_strata(self, sums: Floats, of_other: Floats) -> Floats:
        """Return what each stratum adds to the covariance of two measures, by their sums."""
        products = sums[:, 0]
        if self.strata is None:
            return np.asarray(self.factors * products)
        with np.errstate(invalid="ignore"):  # a stratum without a row
            left = products - sums[:, 1] * of_other[:, 1] / self.sizes_of_strata
        if np.shares_memory(of_other, sums):
            left = np.maximum(left, 0.0)
        return np.asarray(np.where(self.sizes_of_strata > 0, self.factors * left, 0.0))

    def sums_of_products(self, one: Floats, other: Floats) -> Floats:
        """Return of each stratum the sums of c d, of c and of (c d)^2.

        In blocks that stay in cache, on all threads; their sums are added in one order.
        """
        columns = self._columns

        def add_up(start: int) -> Floats:
            here = slice(start, start + _BLOCK)
            sums = np.zeros((len(self.sizes_of_strata), 3))
            add_products(one[here], other[here], *(column[here] for column in columns), sums)
            return sums

        jobs = [partial(add_up, start) for start in range(0, self.n_points, _BLOCK)]
        found = [job() for job in jobs] if len(jobs) < 4 else run(jobs)
        return np.asarray(np.sum(found, axis=0))

    @cached_property
    def _columns(self) -> tuple[Floats, Floats, Ints]:
        """Counts, weights and strata, empty where there are none."""
        none = np.empty(0)
        counts = none if self.counts is None else np.ascontiguousarray(self.counts, np.float64)
        weights = none if self.weights is None else np.ascontiguousarray(self.weights, np.float64)
        strata = np.empty(0, np.int64) if self.strata is None else self.strata
        return counts, weights, np.ascontiguousarray(strata)

    def spread(self, influences: Floats, reference: Reference = "contributions") -> Spread:
        """Return the variance of one measure with its degrees of freedom.

        ``reference`` says which, of sums over m units c: "contributions", the number of units that
        carry the variance, (sum c^2)^2 / sum c^4; "kurtosis", what the variance of a variance
        says, 2 (sum c^2)^2 / (sum c^4 - (sum c^2)^2 / m); "student", (sum v_h)^2 / sum v_h^2 /
        (m_h - 1) over the variances v of strata (Welch and Satterthwaite), m - 1 without, m being
        what weights leave of units (Kish 1965); of groups so many less the strata. All are at most
        m less the number of strata.
        """
        if self.groups is None:
            return self.spread_of_sums(self.sums_of_products(influences, influences), reference)
        sums = self.sums_of_groups(influences[None, :])
        variance = float(self._between_groups(sums)[0, 0])
        if reference == "student" and variance > 0.0:
            return Spread(variance, self.effective_groups - self.n_strata)
        squares = sums[0].sum(axis=0) ** 2
        second, fourth = float(squares.sum()), float(np.sum(squares * squares))
        return self._referred(variance, second, fourth, reference)

    def spread_of_sums(self, sums: Floats, reference: Reference = "contributions") -> Spread:
        """Return that of rows by what `sums_of_products` returns of a measure and itself."""
        parts = self._by_strata(sums, sums)
        variance, second, fourth = (float(each.sum()) for each in (parts, sums[:, 0], sums[:, 2]))
        if reference == "student" and variance > 0.0:
            over = float(np.sum(parts[parts > 0] ** 2 / (self._worth[parts > 0] - 1.0)))
            return Spread(variance, variance * variance / over)
        return self._referred(variance, second, fourth, reference)

    def _referred(
        self, variance: float, second: float, fourth: float, reference: Reference
    ) -> Spread:
        if not variance > 0.0:
            return Spread(variance, math.nan)
        m, most = self.n_units, float(self.n_units - self.n_strata)
        if reference == "contributions":
            return Spread.of(variance, second, fourth, most)
        excess = fourth / (second * second) - 1.0 / m
        return Spread(variance, min(2.0 / excess, most) if excess > 0.0 else most)

    @cached_property
    def effective_groups(self) -> float:
        """How many groups of equal weight they are worth (Kish 1965)."""
        weights = self.counts if self.weights is None else self.weights
        return effective_groups(np.asarray(self.groups), weights)

    @property
    def n_equal(self) -> float:
        """How many rows of equal weight those of importances are worth (Kish 1965)."""
        weights = np.asarray(self.weights)
        ratios = weights / weights.max()
        return float(ratios.sum() ** 2 / np.sum(ratios * ratios))

    @cached_property
    def factors(self) -> Floats:
        """What makes up for the mean that was fitted in each stratum; nan of one row."""
        sizes = self.sizes_of_strata
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.weights is None:
                return np.where(sizes > 1, sizes / (sizes - 1.0), np.nan)
            squares = self.weights * self.weights
            powers = self.weights, squares, squares * self.weights
            first, second, third = (self._by_stratum(each) for each in powers)
            left = 1.0 - 2.0 * third / (first * second) + second / first**2
        return np.where(left > 1.0e-9, 1.0 / np.where(left > 1.0e-9, left, 1.0), np.nan)

    def sums_of_groups(self, influences: Floats) -> Floats:
        """Return the sums over the rows of each stratum and group: (K, n_strata, n_groups)."""
        weights = self.weights if self.counts is None else self.counts
        codes, shape = self._codes
        found = np.empty((len(influences), shape[0] * shape[1]))
        for row, own in zip(found, influences, strict=True):
            added = own if weights is None else own * weights
            row[:] = np.bincount(codes, added, len(row))
            row[np.abs(row) <= ROUNDING * np.abs(added).sum()] = 0.0  # they cancel in the group
        return found.reshape(len(influences), *shape)

    def ranges(self, influences: Floats) -> tuple[Floats, Floats]:
        """Return of each stratum its units, and how far apart their contributions are."""
        if self.groups is not None:
            sums, present = self.sums_of_groups(influences[None, :])[0], self._groups_present
            low = np.where(present, sums, np.inf).min(axis=1)
            high = np.where(present, sums, -np.inf).max(axis=1)
        else:
            moved = influences if self.weights is None else influences * self.weights
            strata = np.zeros(self.n_points, np.int64) if self.strata is None else self.strata
            low, high = np.full((2, len(self.sizes_of_strata)), [[np.inf], [-np.inf]])
            np.minimum.at(low, strata[self._present], moved[self._present])
            np.maximum.at(high, strata[self._present], moved[self._present])
        sizes = self.units_of_strata
        steps = np.where(sizes > 0.0, high - low, 0.0)
        return sizes, np.where(steps > ROUNDING * np.abs(influences).max(), steps, 0.0)

    @cached_property
    def _codes(self) -> tuple[Ints, tuple[int, int]]:
        """The stratum and group of each point as one number, and how many there are of both."""
        if self.groups is None:
            raise ValueError("there are no groups")
        n_groups = int(self.groups.max()) + 1
        if self.strata is None:
            return self.groups, (1, n_groups)
        return self.strata * n_groups + self.groups, (int(self.strata.max()) + 1, n_groups)

    @cached_property
    def _groups_present(self) -> NDArray[np.bool_]:
        """Which groups have a row of a weight in which stratum: (n_strata, n_groups)."""
        return np.asarray(self.sums_of_groups(np.ones((1, self.n_points)))[0] > 0)

    def _between_groups(self, sums: Floats) -> Floats:
        """Return the covariance of sums over groups, factors by the groups that each has."""
        present = self._groups_present
        in_each, of_all = present.sum(axis=1), _ratio(self.n_units)
        factors = [_ratio(int(n)) for n in in_each]
        if self.weights is not None:
            codes, shape = self._codes
            columns = self._present.astype(np.float64), self.weights
            rows, weights = (
                np.bincount(codes, each, present.size).reshape(shape).astype(np.float64)
                for each in columns
            )
            factors = [
                factor * max(1.0, _left(of_rows) / _left(of_weight)) if factor > 0.0 else factor
                for factor, of_rows, of_weight in zip(factors, rows, weights, strict=True)
            ]
        if self.strata is not None:
            means = sums.sum(axis=2) / np.maximum(in_each, 1)
            sums = sums - np.where(present, means[:, :, None], 0.0)
        found = np.zeros((len(sums), len(sums)))
        for h in range(sums.shape[1]):
            found += factors[h] * _products(sums[:, h], sums[:, h])
            for other in range(h):
                shared = _products(sums[:, h], sums[:, other])
                found += of_all * (shared + shared.T)
        return found


def _ratio(n: int) -> float:
    return n / (n - 1.0) if n > 1 else math.nan


def _products(left: Floats, right: Floats) -> Floats:
    """Return the sums of products of every row with every row, by pairwise summation."""
    return np.array([[np.sum(one * other) for other in right] for one in left])


def _left(sums: Floats) -> float:
    """Return 1 - 2 sum p^3 / sum p^2 + sum p^2 of shares p: what fitting a mean leaves."""
    shares = sums / sums.sum()
    squares = float(np.sum(shares * shares))
    return float(np.sum(shares * shares * ((1.0 - shares) ** 2 + squares - shares**2))) / squares
