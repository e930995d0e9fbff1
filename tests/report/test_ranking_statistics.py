"""Means over queries, groups of them and weights: by definition, and by small steps of a weight."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

import fastmetrics as fm
from fastmetrics._input.scalars import seed_key
from fastmetrics.report._ranking_statistics import (
    Plan,
    column_of,
    difference_of,
    interval_of,
    pvalue_of,
    spread_of,
)

VALUES = st.lists(
    st.tuples(*[st.sampled_from([0.0, 0.1, 0.25, 1 / 3, 0.5, 0.7, 1.0])] * 2),
    min_size=3,
    max_size=25,
)


def plan(**options: Any) -> Plan:
    given: dict[str, Any] = {"method": "t", "test": "t", "confidence_level": 0.9, "groups": None}
    given |= {"n_resamples": 999, "key": seed_key(1), "n_threads": 1}
    return Plan(**given | options)


@given(VALUES)
def test_a_pair_is_scipys_paired_t(pairs: list[tuple[float, float]]) -> None:
    a, b = np.array(pairs).T
    difference = difference_of(column_of(a, None), column_of(b, None))
    kept = np.ones(len(a), np.bool_)
    if np.ptp(difference.values) < 1e-12:
        return
    theirs = stats.ttest_1samp(difference.values, 0.0)
    assert pvalue_of(difference, plan(), kept) == pytest.approx(theirs.pvalue, rel=1e-6, abs=1e-12)
    found = interval_of(difference, plan(), kept, "x", is_difference=True)
    expected = tuple(theirs.confidence_interval(0.9))
    assert tuple(found.limits) == pytest.approx(expected, rel=1e-6, abs=1e-12)


@given(VALUES)
def test_exchanged_systems_have_opposite_differences(pairs: list[tuple[float, float]]) -> None:
    a, b = (column_of(each, None) for each in np.array(pairs).T.copy())
    kept = np.ones(len(pairs), np.bool_)
    one, other = difference_of(a, b), difference_of(b, a)
    np.testing.assert_array_equal(one.values, -other.values)
    for test in ("wilcoxon", "sign", "randomization"):
        first, second = (pvalue_of(each, plan(test=test), kept) for each in (one, other))
        assert first == pytest.approx(second, rel=1e-12)


def test_what_is_equal_but_for_rounding_is_no_difference() -> None:
    a = column_of(np.array([0.1 + 0.2, 0.5, 1.0]), None)
    b = column_of(np.array([0.3, 0.5, 1.0]), None)
    assert difference_of(a, b).values.tolist() == [0.0, 0.0, 0.0]
    assert pvalue_of(difference_of(a, b), plan(), np.ones(3, np.bool_)) == 1.0


def test_groups_by_definition() -> None:
    """The variance of a ratio of sums over groups, written out."""
    rng = np.random.default_rng(1)
    values, groups = rng.random(40), rng.integers(0, 7, 40)
    mean, total = values.mean(), 0.0
    for group in range(7):
        inside = values[groups == group]
        total += (inside.sum() - len(inside) * mean) ** 2
    error, df = spread_of(column_of(values, None), groups)
    assert error == pytest.approx(math.sqrt(7 / 6 * total) / 40, rel=1e-12)
    sizes = np.bincount(groups)
    assert df == pytest.approx(sizes.sum() ** 2 / (sizes**2).sum() - 1, rel=1e-12)


def test_each_query_its_own_group_is_no_group() -> None:
    values = np.random.default_rng(2).random(30)
    column = column_of(values, None)
    assert spread_of(column, np.arange(30)) == pytest.approx(spread_of(column, None), rel=1e-12)
    assert spread_of(column, None).standard_error == pytest.approx(stats.sem(values), rel=1e-12)


def test_parts_of_a_weighted_mean_are_its_derivatives() -> None:
    rng = np.random.default_rng(3)
    values, weights = rng.random(12), rng.integers(1, 9, 12).astype(np.float64)
    column = column_of(values, weights)
    assert column.mean == pytest.approx(float(np.average(values, weights=weights)), rel=1e-15)
    assert column.parts.mean() == pytest.approx(column.mean, rel=1e-14)
    assert column.shares.mean() == pytest.approx(column.mean, rel=1e-14)
    step = 1e-6
    for q in range(12):
        counts = np.ones(12)
        counts[q] += step  # the query, a little more often
        moved = float(np.average(values, weights=weights * counts))
        assert (moved - column.mean) / step * 12 == pytest.approx(
            column.parts[q] - column.mean, abs=1e-5
        )


def test_a_weighted_mean_varies_as_its_bootstrap_does() -> None:
    rng = np.random.default_rng(4)
    weights = rng.integers(1, 20, 300).astype(np.float64)
    values = np.clip(rng.normal(0.6, 0.2, 300) + 0.01 * weights, 0, 1)
    error = spread_of(column_of(values, weights), None).standard_error
    draws = rng.integers(0, 300, (4000, 300))
    means = (weights * values)[draws].sum(axis=1) / weights[draws].sum(axis=1)
    assert error == pytest.approx(means.std(ddof=1), rel=0.06)


def test_one_query_or_group_shows_no_spread() -> None:
    found = fm.evaluate_rankings([[1, 0]], {"a": [[1, 2]], "b": [[2, 1]]}, metrics="map")
    assert math.isnan(found.means[0].confidence_interval.low)
    assert math.isnan(found.differences[0].pvalue)
    assert found.differences[0].better is None
    assert "one query alone" in str(found)
