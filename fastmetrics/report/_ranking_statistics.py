"""Means over queries, their intervals, and tests between systems, from the values of each query."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import key_text
from fastmetrics._results import ConfidenceInterval
from fastmetrics.comparison.samples.binomial import binomial_test
from fastmetrics.comparison.samples.sign_flip import sign_flip_test
from fastmetrics.comparison.samples.wilcoxon import wilcoxon_signed_rank_test
from fastmetrics.errors import DegenerateDataWarning, warn_user
from fastmetrics.inference._sample_sizes import effective_groups
from fastmetrics.inference.bootstrap.bootstrap import bootstrap
from fastmetrics.inference.proportions._proportion_limits import proportion_limits
from fastmetrics.inference.reference import pvalue, quantile
from fastmetrics.measures.ranking._by_query import mean_of
from fastmetrics.tables.ranking.ranking_table import Ties

Floats = NDArray[np.float64]
Method = Literal["t", "percentile", "basic", "bca", "studentized"]
Test = Literal["t", "wilcoxon", "sign", "randomization"]

#: Values so near to one another, relative to the larger, are equal but for rounding.
_ROUNDING: Final = 4.0 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """How intervals and p-values are made.

    Attributes
    ----------
    method : str
        Of the intervals.
    test : str
    confidence_level : float
    n_resamples : int
        Of a bootstrap, and of random sign flips.
    key : ndarray of uint64
        Seed.
    groups : ndarray of int64, shape (n_queries,), or None
        The group of each query, from 0.
    n_threads : int or None
    """

    method: Method
    test: Test
    confidence_level: float
    n_resamples: int
    key: NDArray[np.uint64]
    groups: NDArray[np.int64] | None
    n_threads: int | None

    def groups_of(self, kept: NDArray[np.bool_]) -> NDArray[np.int64] | None:
        """Return the groups of the queries that count, from 0."""
        if self.groups is None:
            return None
        return np.unique(self.groups[kept], return_inverse=True)[1]


class Column(NamedTuple):
    """What one system gets by one measure for the queries that count.

    ``parts`` are values whose plain mean, over the queries, is the mean: a weighted mean to first
    order, so that they vary as it does. ``shares`` add up to the mean over their number, exactly.
    """

    values: Floats
    parts: Floats
    shares: Floats
    mean: float
    weights: Floats | None


#: What a measure gives that no query has what it needs for.
_EMPTY: Final = np.empty(0)
_EMPTY.setflags(write=False)
NOTHING: Final = Column(_EMPTY, _EMPTY, _EMPTY, math.nan, None)


class Interval(NamedTuple):
    """An interval of a mean with its standard error, how it was made, and what is wrong with it."""

    limits: ConfidenceInterval
    standard_error: float
    method: str
    note: str = ""


class Spread(NamedTuple):
    """A mean's standard error between units, and the degrees of freedom of that."""

    standard_error: float
    df: float


def column_of(values: Floats, weights: Floats | None, ties: Ties = "expected") -> Column:
    """Return the values of a measure, and what each contributes to their mean."""
    if weights is None:
        return Column(values, values, values, mean_of(values, ties), None)
    mean = float(np.average(values, weights=weights))
    relative = weights / weights.mean()
    parts = mean + relative * (values - mean)
    return Column(values, parts, relative * values, mean, relative)


def difference_of(a: Column, b: Column) -> Column:
    """Return the differences of two systems, a less b; those equal but for rounding are 0."""

    def less(first: Floats, second: Floats) -> Floats:
        values = first - second
        size = np.maximum(np.abs(first), np.abs(second))
        return np.where(np.abs(values) <= _ROUNDING * size, 0.0, values)

    values = less(a.values, b.values)
    parts, shares = values, values
    if a.weights is not None:
        parts, shares = less(a.parts, b.parts), less(a.shares, b.shares)
    return Column(values, parts, shares, a.mean - b.mean, a.weights)


def interval_of(
    column: Column,
    plan: Plan,
    kept: NDArray[np.bool_],
    name: str,
    *,
    is_difference: bool = False,
) -> Interval:
    """Return the interval of a mean, or of a mean difference.

    Values of 0 and 1 alone, hits, are counted: Wilson's interval of their share covers where they
    are few or nearly all alike, and Student's does not.
    """
    nowhere = ConfidenceInterval(math.nan, math.nan)
    if not len(column.values):
        return Interval(nowhere, math.nan, plan.method, "no query has what the measure needs")
    groups = plan.groups_of(kept)
    error, df = spread_of(column, groups)
    if math.isnan(error):
        what = "query" if groups is None else "group"
        note = f"one {what} alone does not show how much values vary"
        return Interval(nowhere, error, plan.method, note)
    are_hits = bool(((column.values == 0.0) | (column.values == 1.0)).all())
    is_share = plan.method == "t" and not is_difference and groups is None
    if is_share and are_hits and column.weights is None:
        hits, n = float(column.values.sum()), float(len(column.values))
        limits = proportion_limits(hits, n, plan.confidence_level, "wilson", "two-sided")
        return Interval(limits, error, "wilson")
    if error == 0.0:
        if is_difference and column.mean == 0.0:  # systems that differ in no query
            return Interval(ConfidenceInterval(0.0, 0.0), error, plan.method)
        note = "all queries have one value, which does not show how much they vary"
        return Interval(nowhere, error, plan.method, note)
    if plan.method == "t":
        half = -quantile((1.0 - plan.confidence_level) / 2.0, df) * error
        limits = ConfidenceInterval(column.mean - half, column.mean + half)
        return Interval(limits, error, "t")
    found = bootstrap(
        column.parts,
        metrics={name: "mean"},
        method=plan.method,
        n_resamples=plan.n_resamples,
        confidence_level=plan.confidence_level,
        groups=groups,
        rng=key_text(plan.key),
        n_threads=plan.n_threads,
    )[name]
    return Interval(found.confidence_interval, error, found.method, found.note)


def spread_of(column: Column, groups: NDArray[np.int64] | None) -> Spread:
    """Return the standard error of the mean, between queries or between groups of them.

    Of groups it is that of a ratio of sums: Cochran (1977), Sampling techniques, 6.3, with n/(n-1).
    """
    deviations = column.parts - column.mean
    n = len(deviations)
    weights = np.ones(n) if column.weights is None else column.weights
    units = np.arange(n) if groups is None else groups
    effective = effective_groups(units, weights)
    if groups is not None:
        deviations = sums_of_groups(deviations, groups)
    n_units = len(deviations)
    if n_units < 2:
        return Spread(math.nan, 0.0)
    largest = float(np.abs(column.parts).max())
    if float(np.abs(deviations).max()) <= _ROUNDING * n * largest:
        deviations = np.zeros(n_units)
    variance = float((deviations**2).sum()) * n_units / (n_units - 1.0)
    return Spread(math.sqrt(variance) / n, effective - 1.0)


def pvalue_of(difference: Column, plan: Plan, kept: NDArray[np.bool_]) -> float:
    """Return the two-sided p-value of no difference."""
    groups = plan.groups_of(kept)
    if not difference.values.any():
        return 1.0
    if plan.test == "t":
        error, df = spread_of(difference, groups)
        if error == 0.0:
            message = "differences of queries, other than 0, do not vary: p is 0"
            warn_user(message, DegenerateDataWarning)
            return 0.0
        return pvalue(difference.mean / error, df)
    if plan.test == "sign":
        signs = np.sign(difference.values)
        above, below = int((signs > 0).sum()), int((signs < 0).sum())
        return binomial_test(above, above + below, error_rate=0.5, alternative="two-sided").pvalue
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateDataWarning)
        if plan.test == "wilcoxon":
            return wilcoxon_signed_rank_test(difference.values, higher_is_better=True).pvalue
        flipped = sums_of_groups(difference.shares, groups)
        options: dict[str, Any] = {"n_resamples": plan.n_resamples, "rng": key_text(plan.key)}
        return sign_flip_test(flipped, higher_is_better=True, **options).pvalue


def sums_of_groups(values: Floats, groups: NDArray[np.int64] | None) -> Floats:
    """Return the sums over groups of queries, or the values themselves."""
    return values if groups is None else np.bincount(groups, values).astype(np.float64, copy=False)
