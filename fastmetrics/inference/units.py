"""Sampling units: covariance and degrees of freedom from influences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._input.containers import as_array
from fastmetrics._input.scalars import WeightsAre
from fastmetrics._input.scores import check_weights
from fastmetrics._kernels.curve_kernels import add_by_code, add_products
from fastmetrics._threads.workers import by_blocks, run
from fastmetrics.errors import SmallSampleWarning, warn_user
from fastmetrics.inference.reference import normal_quantile, quantile, tail

#: Effective groups below which intervals cover too little (``docs/coverage.md``).
FEW_GROUPS: Final = 30
#: Effective rows of importances below which intervals cover too little.
FEW_ROWS: Final = 30

_CHUNK: Final = 1 << 16  # weights whose ratios are taken at a time


class Sizes(NamedTuple):
    """Numbers of rows and groups, and their effective numbers (Kish); None without groups."""

    n_rows: float
    effective: float
    n_groups: int | None = None
    effective_n_groups: float | None = None


def effective_sample_size(sample_weight: ArrayLike) -> float:
    """Compute Kish's effective sample size of weighted rows, (sum w)^2 / sum w^2.

    Parameters
    ----------
    sample_weight : array-like of shape (n_samples,)
        Weights, not negative; only their ratios matter.

    Returns
    -------
    float
        Between 1 and the number of positive weights, which it reaches when they are all equal.

    Raises
    ------
    TypeError
        If the weights are no real numbers.
    ValueError
        If a weight is negative, nan or infinite, if all are zero, or if the array is empty or not
        one-dimensional.

    Notes
    -----
    A weighted mean of values that do not depend on the weights has the variance of the plain mean
    of this many values. It is the `n` for an interval when the weights are importances; weights
    that count copies of a row need none of it: pass their sum. Where the weights and the outcome
    go together it is an approximation, and a weighted bootstrap of the rows the better choice.

    O(n_samples), one pass over ratios to the largest weight, so that weights of 1e308 or 5e-324
    neither overflow nor vanish; no copy of the weights.

    References
    ----------
    Kish (1965), Survey Sampling, Wiley; Kish (1992), Weighting for unequal Pi, Journal of
    Official Statistics 8:183-200.

    Examples
    --------
    >>> effective_sample_size([1, 1, 1, 3])
    3.0
    """
    array = as_array(sample_weight, "sample_weight")
    weights = check_weights(array, len(array) if array.ndim else 1).values
    largest = float(weights.max())
    sums = []
    squares = []
    for start in range(0, len(weights), _CHUNK):
        ratios = weights[start : start + _CHUNK] / largest
        sums.append(float(ratios.sum()))
        squares.append(float((ratios * ratios).sum()))
    return math.fsum(sums) ** 2 / math.fsum(squares)


def effective_groups(groups: NDArray[Any], weights: NDArray[Any] | None = None) -> float:
    """Compute the effective number of groups, (sum m)^2 / sum m^2 over group sizes m.

    A group's size is the sum of its rows' weights. Kish (1965), Survey Sampling, 8.2.
    """
    sizes = np.sort(np.bincount(groups, weights))  # the sum must not depend on group names
    ratios = sizes / sizes.max()
    return float(ratios.sum() ** 2 / np.sum(ratios * ratios))


def warn_few_groups(effective: float | None, n_groups: int) -> None:
    """Warn if there are too few groups to estimate the variance between them."""
    if effective is not None and effective < FEW_GROUPS:
        worth = "" if effective > 0.99 * n_groups else f", worth {effective:.3g} of equal size"
        warn_user(
            f"there are {n_groups:,} groups{worth}: below about {FEW_GROUPS} intervals cover less "
            "than their level, though Student's t widens them; gather more groups, of like sizes",
            SmallSampleWarning,
        )


def warn_few_rows(effective: float, n_rows: int) -> None:
    """Warn if unequal weights leave few effective rows."""
    if effective < min(FEW_ROWS, 0.999 * n_rows):
        warn_user(
            f"the weights leave {n_rows:,} rows worth {effective:.3g} of equal weight: below about "
            f"{FEW_ROWS} intervals cover less than their level; cap the largest weights, or, if "
            "they count rows, pass `weights_are='frequencies'`",
            SmallSampleWarning,
        )


def widened_level(level: float, effective: float | None) -> float:
    """Widen the level of a quantile of replicates for the effective number of groups.

    A bootstrap of I units has a variance too small by (I - 1)/I, and normal tails instead of
    Student's: the new level is that of the normal quantile sqrt(I / (I - 1)) t(level, I - 1).
    Hesterberg (2015), The American Statistician 69:371-386, 5.3. Unchanged without groups.
    """
    if effective is None:
        return level
    if effective <= 1.0:  # the variance of one group is not known
        return 0.0
    t = quantile(level, effective - 1.0)
    return tail(t * math.sqrt(effective / (effective - 1.0)), math.inf)


def narrowed_level(level: float, effective: float | None) -> float:
    """Invert `widened_level`."""
    if effective is None or not 0.0 < level < 1.0:
        return level
    if effective <= 1.0:
        return 0.5
    t = normal_quantile(level) / math.sqrt(effective / (effective - 1.0))
    return tail(t, effective - 1.0)


Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Reference = Literal["contributions", "kurtosis", "student"]
#: Samples of a metric.
SamplesAre = Literal["rows", "queries", "items"]

#: Results below this fraction of their terms are rounding errors.
ROUNDING: Final = 4.0 * float(np.finfo(np.float64).eps)
#: Binary exponents of variances beyond which fourth powers may leave the range of doubles, and of
#: influences below which they cannot.
_POWERS: Final = 400
_MILD: Final = 100
#: Degrees of freedom added to estimated ones of rows and of groups, as if so many more had equal
#: contributions to the variance. Chosen by simulation (docs/coverage.md).
PRIOR: Final = 5.0
PRIOR_OF_GROUPS: Final = 1.0
#: Contributions that shrink the skewness by half. Chosen by simulation (docs/sizes.md).
PRIOR_OF_SKEWNESS: Final = 3.0
#: Least rows of a job that sums by group: its array of sums must be small beside its rows.
_JOB_ROWS: Final = 1 << 18


class Variance(NamedTuple):
    """An estimated variance, its degrees of freedom, and the skewness of the estimate.

    The skewness is shrunk towards 0 where few contributions carry it; of groups it is 0.
    """

    value: float
    df: float
    skewness: float = 0.0

    @property
    def standard_error(self) -> float:
        """Square root of the variance."""
        return math.sqrt(self.value)

    @property
    def is_extreme(self) -> bool:
        """True if sums of squares or fourth powers may have left the range of doubles."""
        return not 2.0**-_POWERS < self.value < 2.0**_POWERS


def without_rounding(difference: float, size: float, variance: Variance) -> float:
    """Return a difference of values up to ``size``, or 0 if it is a rounding error."""
    is_rounding = variance.value == 0.0 and abs(difference) <= ROUNDING * size
    return 0.0 if is_rounding else difference


@dataclass(frozen=True, eq=False)
class Units:
    """Sampling units: rows, or groups of rows, that are independent of one another.

    Attributes
    ----------
    n_points : int
        Length of an array of influences: a point is a row, or rows of one class and score.
    counts, weights : ndarray of shape (n_points,), or None
        Number of rows of a point; importance weight of a row.
    groups, strata : ndarray of int64, shape (n_points,), or None
        Group code of each row, groups being the sampling units; stratum code of each row. Means
        are removed and factors computed by stratum.
    sizes : ndarray of float64, shape (n_strata,), or None
        Rows of each stratum; counted by default.
    squares, powers : ndarray of float64, shapes (n_points,) and (3, n_strata), or None
        Where a point is several rows of importances, ``weights`` being their sums: the sum of their
        squares, and the sums of weights, squares and cubes of the rows of each stratum.

    Notes
    -----
    With psi the influence of a row, w its weight and c = w psi, the variance is the sum over strata
    h of f_h sum (c - mean c)^2, where f = m / (m - 1) for m rows; of importances
    f = 1 / (1 - 2 sum p^3 / sum p^2 + sum p^2), p their shares, which is that very number where
    they are equal and unbiased where they do not tell of the influences. Means are removed in
    strata alone: without them the sum of c is 0 for any metric that does not change with the
    scale of the weights.

    Of groups c_hg is the sum over the rows of group g in stratum h, less the sum over the stratum
    times the group's share p_hg of its weight, over sqrt(1 - p_hg), which is what fitting the
    stratum's mean leaves of a group's variance where rows are independent (Bell & McCaffrey's CR2,
    of a mean); of importances that is 1 - 2 p + p^2 Q_h / Q_hg, Q being sums of w^2. The variance
    is the sum over groups of (sum over h of c_hg)^2, so that rows of a group in several strata, as
    in both classes, keep their products. Of m equal groups without strata it is m / (m - 1)
    sum c^2, of groups of one row that of rows; of importances in the mean, as rows have one factor
    for all.

    References
    ----------
    Jaeckel (1972), The infinitesimal jackknife, Bell Laboratories MM 72-1215-11. Efron & Tibshirani
    (1993), An introduction to the bootstrap, chapter 21. Bell & McCaffrey (2002), Bias reduction in
    standard errors for linear regression with multi-stage samples, Survey Methodology 28:169-181.
    Satterthwaite (1946), Biometrics Bulletin 2:110-114.
    """

    n_points: int
    counts: NDArray[Any] | None = None
    weights: Floats | None = None
    groups: Ints | None = None
    strata: Ints | None = None
    sizes: Floats | None = None
    squares: Floats | None = None
    powers: Floats | None = None

    @cached_property
    def without_groups(self) -> Units:
        """The same rows, as if they were independent."""
        return replace(self, groups=None)

    @cached_property
    def n_units(self) -> int:
        """Number of rows or groups of positive weight."""
        if self.groups is not None:
            return int(self.group_proportions.any(axis=0).sum())
        return int(self.stratum_sizes.sum())

    @property
    def n_rows(self) -> float:
        """Number of rows of positive weight; the sum of counts."""
        return float(int(self.stratum_sizes.sum()))

    @cached_property
    def n_strata(self) -> int:
        """Number of strata with a row of positive weight; 1 without strata."""
        return int(np.count_nonzero(self.stratum_sizes))

    @cached_property
    def _present(self) -> NDArray[np.bool_]:
        weights = self.counts if self.weights is None else self.weights
        return np.ones(self.n_points, np.bool_) if weights is None else weights > 0

    @cached_property
    def stratum_sizes(self) -> Floats:
        """Rows of positive weight in each stratum."""
        if self.sizes is not None:
            return self.sizes
        if self.counts is not None:
            return self._by_stratum(self.counts)
        return self._by_stratum(None if self.weights is None else self._present)

    @cached_property
    def _effective_sizes(self) -> Floats:
        """Effective number of rows of each stratum (Kish 1965)."""
        if self.weights is None:
            return self.stratum_sizes
        if self.powers is not None:
            first, squares, _ = self.powers
        else:
            squares = self._by_stratum(self.weights * self.weights)
            first = self._by_stratum(self.weights)
        return np.asarray(first**2 / np.where(squares > 0.0, squares, 1.0))

    @cached_property
    def units_by_stratum(self) -> Floats:
        """Rows of positive weight, or groups with such a row, in each stratum."""
        if self.groups is None:
            return self.stratum_sizes
        return np.asarray((self.group_proportions > 0).sum(axis=1), np.float64)

    def class_sizes(self) -> tuple[float, float]:
        """Return the effective numbers of positives and negatives, the odd and even strata."""
        sizes = self._effective_sizes.tolist()
        return sum(sizes[1::2]), sum(sizes[::2])

    def _by_stratum(self, values: Any) -> Floats:
        """Sum values by stratum; None stands for ones."""
        if self.strata is None:
            return np.array([self.n_points if values is None else np.sum(values)], np.float64)
        if values is not None:
            return np.asarray(np.bincount(self.strata, values), np.float64)
        strata = self.strata
        blocks = by_blocks(len(strata), lambda here: np.bincount(strata[here]))
        counts = np.zeros(max(map(len, blocks)))
        for block in blocks:
            counts[: len(block)] += block
        return counts

    def covariance(self, influences: Floats | Sequence[Floats]) -> Floats:
        """Compute the covariance (K, K) of influences (K, n_points); nan for single units."""
        if self.groups is not None:
            sums = self.contributions(influences)
            return np.array([[np.sum(one * other) for other in sums] for one in sums])  # pairwise
        return self.covariance_from_sums(self.product_matrix(influences))

    def product_matrix(self, influences: Floats | Sequence[Floats]) -> Floats:
        """Compute `product_sums` of each of K metrics with itself and those before it.

        Block by block: (K, K, n_strata, 4), of which the upper triangle is 0.
        """
        k = len(influences)
        columns = self._columns

        def add_up(here: slice) -> Floats:
            sums = np.zeros((k, k, len(self.stratum_sizes), 4))
            others = [column[here] for column in columns]
            for i, one in enumerate(influences):
                for j in range(i + 1):
                    add_products(one[here], influences[j][here], *others, sums[i, j])
            return sums

        return np.asarray(sum(by_blocks(self.n_points, add_up)))

    def covariance_from_sums(self, sums: Floats) -> Floats:
        """Compute the covariance of K metrics from `product_sums` (K, K, n_strata, 4) of pairs."""
        covariance = np.empty(sums.shape[:2])
        for i in range(len(sums)):
            for j in range(i + 1):
                other = None if i == j else sums[j, j]
                total = np.add.reduce(self._by_strata(sums[i, j], other))
                covariance[i, j] = covariance[j, i] = total
        return covariance

    def _by_strata(self, sums: Floats, other_sums: Floats | None = None) -> Floats:
        """Compute a covariance by stratum; ``other_sums`` is None for a variance."""
        products = sums[:, 0]
        if self.strata is not None:
            means = (sums if other_sums is None else other_sums)[:, 1] / self._at_least_one
            products = products - sums[:, 1] * means
            if other_sums is None:
                products = np.maximum(products, 0.0)
        return np.asarray(self.factors * products)

    @cached_property
    def _at_least_one(self) -> Floats:
        return np.maximum(self.stratum_sizes, 1.0)

    def product_sums(self, one: Floats, other: Floats) -> Floats:
        """Compute sums of c d, c, (c d)^2, c^2 d by stratum in a fixed order: (n_strata, 4)."""
        columns = self._columns

        def add_up(here: slice) -> Floats:
            sums = np.zeros((len(self.stratum_sizes), 4))
            add_products(one[here], other[here], *(column[here] for column in columns), sums)
            return sums

        return sum(by_blocks(self.n_points, add_up), np.zeros((len(self.stratum_sizes), 4)))

    def difference(
        self, values: Sequence[float], one: Floats, other: Floats, reference: Reference
    ) -> tuple[float, Variance, Variance | None]:
        """Compute the difference, its variance, and that by kurtosis (None for groups)."""
        size = max(map(abs, values))
        columns = self._columns
        by_kurtosis = None

        def add_up(here: slice) -> tuple[Floats, float, float]:
            gaps = one[here] - other[here]
            sums = np.zeros((len(self.stratum_sizes), 4))
            add_products(gaps, gaps, *(column[here] for column in columns), sums)
            return sums, _largest(gaps), max(_largest(one[here]), _largest(other[here]))

        block_sums, gaps, largest = zip(*by_blocks(self.n_points, add_up), strict=True)
        total = float(self.n_points)
        if self.weights is not None:  # influences are per unit of weight
            with np.errstate(over="ignore"):
                total *= float(self.weights.mean())
        is_rounding = max(gaps) <= ROUNDING * (size / total + max(largest))
        if self.groups is not None:
            influences = np.zeros(self.n_points) if is_rounding else one - other
            variance = self.variance(influences, reference)
        else:
            sums = np.add.reduce(block_sums) * (not is_rounding)
            with np.errstate(over="ignore"):
                variance = by_kurtosis = self.variance_from_sums(sums, "kurtosis")
                if reference != "kurtosis":
                    variance = self.variance_from_sums(sums, reference)
            if variance.is_extreme and not is_rounding:
                variance, by_kurtosis = (
                    self.variance(one - other, each) for each in (reference, "kurtosis")
                )
        return without_rounding(values[0] - values[1], size, variance), variance, by_kurtosis

    @cached_property
    def _columns(self) -> tuple[Floats, Floats, Ints]:
        """Counts, weights and strata as contiguous arrays, empty for None."""
        none = np.empty(0)
        counts = none if self.counts is None else np.ascontiguousarray(self.counts, np.float64)
        weights = none if self.weights is None else np.ascontiguousarray(self.weights, np.float64)
        strata = np.empty(0, np.int64) if self.strata is None else self.strata
        return counts, weights, np.ascontiguousarray(strata)

    def variance(self, influences: Floats, reference: Reference = "contributions") -> Variance:
        """Compute the variance of one metric and its degrees of freedom.

        ``reference`` chooses the latter, from contributions c of m units. "contributions": the
        effective number of contributions, (sum c^2)^2 / sum c^4, plus `PRIOR`. "kurtosis": from the
        variance of a variance, 2 (sum c^2)^2 / (sum c^4 - (sum c^2)^2 / m), plus `PRIOR`.
        "student": (sum v_h)^2 / sum v_h^2 / (m_h - 1) over the variances v of strata (Welch and
        Satterthwaite), m_h being effective sizes (Kish 1965); of groups their effective number less
        the strata. At most m less the number of strata. Influences whose powers leave the range of
        doubles are scaled.
        """
        with np.errstate(over="ignore"):
            variance = self._variance(influences, reference)
        exponent = math.frexp(_largest(influences))[1] if variance.is_extreme else 0
        if abs(exponent) < _MILD:
            return variance
        scaled = self._variance(np.ldexp(influences, -exponent), reference)
        value = float(np.ldexp(scaled.value, 2 * exponent))
        return scaled._replace(value=value if 0.0 < value < math.inf else math.nan)

    def _variance(self, influences: Floats, reference: Reference) -> Variance:
        if self.groups is None:
            return self.variance_from_sums(self.product_sums(influences, influences), reference)
        squares = self.contributions(influences[None, :])[0] ** 2
        variance = float(squares.sum())
        if reference == "student" and variance > 0.0:
            return Variance(variance, self.effective_groups - self.n_strata)
        return self._with_df(variance, variance, float(np.sum(squares * squares)), reference)

    def variance_from_sums(self, sums: Floats, reference: Reference = "contributions") -> Variance:
        """Compute the variance of rows from `product_sums` of a metric with itself."""
        by_stratum = self._by_strata(sums)
        variance = float(np.add.reduce(by_stratum))
        second, _, fourth, _ = np.add.reduce(sums).tolist()
        if reference == "student" and variance > 0.0:
            kept = by_stratum > 0
            over = float(np.sum(by_stratum[kept] ** 2 / (self._effective_sizes[kept] - 1.0)))
            return Variance(variance, variance * variance / over if over > 0.0 else math.nan)
        result = self._with_df(variance, second, fourth, reference)
        if reference != "kurtosis" or result.is_extreme or not result.df > 0.0:
            return result  # differences alone are tested with their skewness
        contributions = second * second / fourth
        known = contributions / (contributions + PRIOR_OF_SKEWNESS)
        return result._replace(skewness=known * self._third_moment(sums) / variance**1.5)

    def _third_moment(self, sums: Floats) -> float:
        """Compute the sum of cubes about the mean of each stratum from `product_sums`."""
        cubes = sums[:, 3]
        if self.strata is not None:
            means = sums[:, 1] / self._at_least_one
            cubes = cubes - 3.0 * means * sums[:, 0] + 2.0 * self._at_least_one * means**3
        return float(np.add.reduce(cubes))

    def _with_df(
        self, variance: float, second: float, fourth: float, reference: Reference
    ) -> Variance:
        if not (variance > 0.0 and fourth > 0.0 and second * second > 0.0):
            return Variance(variance, math.nan)
        most = float(self.n_units - self.n_strata)
        prior = PRIOR if self.groups is None else PRIOR_OF_GROUPS
        if reference == "contributions":
            return Variance(variance, min(prior + second * second / fourth, most))
        excess = fourth / (second * second) - 1.0 / self.n_units
        return Variance(variance, min(prior + 2.0 / excess, most) if excess > 0.0 else most)

    def warn_small_samples(self, weights_are: WeightsAre | None) -> None:
        """Warn about few groups, or few rows of importance weights."""
        if self.groups is not None:
            warn_few_groups(self.effective_groups, self.n_units)
        if weights_are == "importances" and self.weights is not None:
            if self.powers is None:
                effective = effective_sample_size(self.weights)
            else:
                first, second, _ = self.powers.sum(axis=1).tolist()
                effective = first**2 / second
            warn_few_rows(effective, self.n_units)

    @cached_property
    def effective_groups(self) -> float:
        """Effective number of groups (Kish 1965)."""
        weights = self.counts if self.weights is None else self.weights
        return effective_groups(np.asarray(self.groups), weights)

    @cached_property
    def factors(self) -> Floats:
        """Small-sample factor m / (m - 1) of each stratum; nan for one row, 0 for none."""
        sizes = self.stratum_sizes
        if self.weights is None:
            return np.where(sizes == 1.0, np.nan, sizes) / np.maximum(sizes - 1.0, 0.5)
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.powers is not None:
                first, second, third = self.powers
            else:
                squares = self.weights * self.weights
                powers = self.weights, squares, squares * self.weights
                first, second, third = (self._by_stratum(each) for each in powers)
            left = 1.0 - 2.0 * third / (first * second) + second / first**2
        left = np.where(left > 1.0e-9, left, np.nan)
        return np.where(sizes > 0.0, 1.0 / left, 0.0)

    def group_sums(self, influences: Floats | Sequence[Floats]) -> Floats:
        """Sum influences over the rows of each stratum and group: (K, n_strata, n_groups)."""
        codes, shape = self._codes
        counts, weights, _ = self._columns
        weights = counts if len(counts) else weights
        group_sums = np.zeros((len(influences), shape[0] * shape[1]))
        step = max(_JOB_ROWS, 4 * group_sums.shape[1])

        def add_up(column: Floats, start: int) -> tuple[Floats, float]:
            here = slice(start, start + step)
            sums = np.zeros(group_sums.shape[1])
            return sums, add_by_code(codes[here], column[here], weights[here], sums)

        for row, one in zip(group_sums, influences, strict=True):
            column = np.ascontiguousarray(one, np.float64)
            jobs = [partial(add_up, column, start) for start in range(0, self.n_points, step)]
            added = run(jobs, self.n_points)
            for sums, _ in added:
                row += sums
            row[np.abs(row) <= ROUNDING * sum(size for _, size in added)] = 0.0  # they cancel
        return group_sums.reshape(len(influences), *shape)

    def ranges(self, influences: Floats) -> tuple[Floats, Floats]:
        """Return the number of units and the range of their contributions, by stratum."""
        if self.groups is not None:
            sums = self.group_sums(influences[None, :])[0]
            present = self.group_proportions > 0
            low = np.where(present, sums, np.inf).min(axis=1)
            high = np.where(present, sums, -np.inf).max(axis=1)
        else:
            weighted = influences if self.weights is None else influences * self.weights
            strata = np.zeros(self.n_points, np.int64) if self.strata is None else self.strata
            low, high = np.full((2, len(self.stratum_sizes)), [[np.inf], [-np.inf]])
            np.minimum.at(low, strata[self._present], weighted[self._present])
            np.maximum.at(high, strata[self._present], weighted[self._present])
        sizes = self.units_by_stratum
        steps = np.where(sizes > 0.0, high - low, 0.0)
        return sizes, np.where(steps > ROUNDING * np.abs(influences).max(), steps, 0.0)

    @cached_property
    def _codes(self) -> tuple[Ints, tuple[int, int]]:
        """Stratum and group of each point as one code, and the numbers of strata and groups."""
        if self.groups is None:
            raise ValueError("there are no groups")
        n_groups = int(self.groups.max()) + 1
        if self.strata is None:
            return self.groups, (1, n_groups)
        return self.strata * n_groups + self.groups, (int(self.strata.max()) + 1, n_groups)

    @cached_property
    def group_proportions(self) -> Floats:
        """Proportion of each stratum's weight in each group: (n_strata, n_groups)."""
        weights = self.group_sums(np.ones((1, self.n_points)))[0]
        totals = weights.sum(axis=1, keepdims=True)
        return np.asarray(weights / np.where(totals > 0.0, totals, 1.0))

    def contributions(self, influences: Floats | Sequence[Floats]) -> Floats:
        """Compute contributions of groups (K, n_groups), whose products sum to the covariance."""
        sums = self.group_sums(influences)
        if self.strata is not None:
            sums -= sums.sum(axis=2, keepdims=True) * self.group_proportions
        proportions = self.group_proportions
        left = 1.0 - proportions  # of a group's variance, once the mean of its stratum is fitted
        if self.weights is not None:
            of_rows = self.weights if self.squares is None else self.squares / self.weights
            squares = self.group_sums(of_rows[None, :])[0]
            ratios = squares.sum(axis=1, keepdims=True) / np.where(squares > 0.0, squares, np.inf)
            left += proportions * (proportions * ratios - 1.0)
        left = np.where(left > 1.0e-9, left, np.nan)
        return np.asarray(np.sum(sums / np.sqrt(left), axis=1))


def _largest(values: Floats) -> float:
    return max(float(np.maximum.reduce(values)), -float(np.minimum.reduce(values)))
