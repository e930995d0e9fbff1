"""Newcombe's intervals for a difference of proportions: his tables, his formulas, simulation."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastmetrics as fm
from fastmetrics.comparison import (
    paired_proportion_difference_interval,
    proportion_difference_interval,
)
from fastmetrics.errors import UndefinedMetricWarning
from reference import proportion_oracle as oracle

LEVELS = st.sampled_from([0.5, 0.9, 0.95, 0.999])
SAMPLE = st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
TABLE = st.tuples(*[st.integers(0, 60)] * 4).filter(any)


def ends(result: fm.results.Estimate) -> tuple[float, float]:
    return result.confidence_interval.low, result.confidence_interval.high


@pytest.mark.parametrize(
    ("counts", "low", "high"),
    [
        # Newcombe (1998), Statistics in Medicine 17:873-890, table II, method 10
        ((56, 70, 48, 80), 0.0524, 0.3339),
        ((9, 10, 3, 10), 0.1705, 0.8090),
        ((6, 7, 2, 7), 0.0582, 0.8062),
        ((5, 56, 0, 29), -0.0381, 0.1926),
        ((0, 10, 0, 20), -0.1611, 0.2775),
        ((0, 10, 0, 10), -0.2775, 0.2775),
        ((10, 10, 0, 20), 0.6791, 1.0),
        ((10, 10, 0, 10), 0.6075, 1.0),
    ],
)
def test_published_figures(counts: tuple[int, ...], low: float, high: float) -> None:
    result = proportion_difference_interval(*counts)
    assert ends(result) == pytest.approx((low, high), abs=5.1e-5)
    assert result.estimate == counts[0] / counts[1] - counts[2] / counts[3]
    assert result.method == "Newcombe (1998), hybrid score"


@pytest.mark.parametrize(
    ("table", "low", "high"),
    [
        # Newcombe (1998), Statistics in Medicine 17:2635-2650, table III, method 10
        ((36, 12, 2, 0), 0.0569, 0.3404),
        ((20, 12, 2, 16), 0.0562, 0.3292),
        ((18, 12, 2, 18), 0.0562, 0.3290),
        ((36, 14, 0, 0), 0.1528, 0.4167),
        ((35, 14, 0, 1), 0.1461, 0.4175),
        ((18, 14, 0, 18), 0.1441, 0.3963),
        ((2, 97, 1, 0), 0.8721, 0.9854),
        ((1, 97, 1, 1), 0.8736, 0.9850),  # 0.87367 here: the printed limit is not rounded up
        ((0, 29, 1, 0), 0.6666, 0.9882),
        ((2, 98, 0, 0), 0.9178, 0.9945),
        ((1, 98, 0, 1), 0.9171, 0.9916),
        ((0, 30, 0, 0), 0.8395, 1.0),
        ((54, 0, 0, 0), -0.0664, 0.0664),
        ((53, 0, 0, 1), -0.0729, 0.0729),
        ((30, 0, 0, 24), -0.0358, 0.0358),
        ((27, 0, 0, 27), -0.0351, 0.0351),
        # Fagerland, Lydersen & Laake, Statistical Analysis of Contingency Tables, chapter 8
        ((59, 6, 16, 80), -0.1186, -0.0046),
    ],
)
def test_published_figures_of_pairs(table: tuple[int, ...], low: float, high: float) -> None:
    result = paired_proportion_difference_interval(*table)
    assert ends(result) == pytest.approx((low, high), abs=8e-5)
    assert result.estimate == (table[1] - table[2]) / sum(table)


@given(SAMPLE, SAMPLE, LEVELS)
def test_the_formula(a: tuple[int, int], b: tuple[int, int], level: float) -> None:
    result = proportion_difference_interval(*a, *b, confidence_level=level)
    z = oracle.z_of((1 - level) / 2)
    assert ends(result) == pytest.approx(oracle.newcombe(*a, *b, z), abs=1e-12)
    assert (result.details["n_a"], result.details["n_b"]) == (a[1], b[1])
    swapped = proportion_difference_interval(*b, *a, confidence_level=level)
    assert ends(swapped) == pytest.approx([-limit for limit in ends(result)][::-1], abs=1e-15)
    _check_properties(result)


@given(TABLE, LEVELS)
def test_the_formula_of_pairs(table: tuple[int, int, int, int], level: float) -> None:
    result = paired_proportion_difference_interval(*table, confidence_level=level)
    z = oracle.z_of((1 - level) / 2)
    assert ends(result) == pytest.approx(oracle.newcombe_paired(*table, z), abs=1e-7)
    both, only_a, only_b, neither = table
    swapped = paired_proportion_difference_interval(
        both, only_b, only_a, neither, confidence_level=level
    )
    assert ends(swapped) == pytest.approx([-limit for limit in ends(result)][::-1], abs=1e-15)
    failures = paired_proportion_difference_interval(
        neither, only_a, only_b, both, confidence_level=level
    )
    assert ends(failures) == pytest.approx(ends(result), abs=1e-12)
    _check_properties(result)


def _check_properties(result: fm.results.Estimate) -> None:
    low, high = ends(result)
    assert -1 <= low < high <= 1
    assert low <= result.estimate <= high
    assert result.estimate == pytest.approx(
        result.details["proportion_a"] - result.details["proportion_b"], abs=1e-15
    )


@pytest.mark.parametrize("paired", [False, True])
def test_one_bound(paired: bool) -> None:
    function, counts = (
        (paired_proportion_difference_interval, (36, 12, 2, 5))
        if paired
        else (proportion_difference_interval, (56, 70, 48, 80))
    )
    low, high = ends(function(*counts, confidence_level=0.9))
    upper = function(*counts, alternative="less")
    lower = function(*counts, alternative="greater")
    assert ends(upper) == pytest.approx((-1.0, high), abs=1e-14)
    assert ends(lower) == pytest.approx((low, 1.0), abs=1e-14)
    with pytest.raises(ValueError, match="of a one-sided bound must be"):
        function(*counts, alternative="less", confidence_level=0.3)


def test_agreement_on_every_row_is_no_point() -> None:
    low, high = ends(paired_proportion_difference_interval(80, 0, 0, 20))
    assert low < -0.01
    assert high == -low


def test_correlation_narrows() -> None:
    """The same margins: positively correlated outcomes give a shorter interval."""
    widths = [
        np.diff(ends(paired_proportion_difference_interval(*table)))[0]
        for table in ((70, 10, 5, 15), (60, 20, 15, 5), (55, 25, 20, 0))
    ]
    assert widths == sorted(widths)
    assert widths[0] < 0.8 * widths[1]


@pytest.mark.parametrize(
    ("function", "counts", "match"),
    [
        (proportion_difference_interval, (0, 0, 3, 4), "`n_a` is 0"),
        (proportion_difference_interval, (3, 4, 0, 0), "`n_b` is 0"),
        (paired_proportion_difference_interval, (0, 0, 0, 0), "all counts are 0"),
    ],
)
def test_no_trials(function: Any, counts: tuple[int, ...], match: str) -> None:
    with pytest.warns(UndefinedMetricWarning, match=f"difference is not defined: {match}") as seen:
        result = function(*counts, alternative="less")
    assert seen[0].filename == __file__
    assert math.isnan(result.estimate)
    assert [math.isnan(limit) for limit in ends(result)] == [True, True]


@pytest.mark.parametrize(
    ("function", "counts", "error", "match"),
    [
        (proportion_difference_interval, (5, 4, 1, 2), ValueError, "`successes_a` must be at most"),
        (proportion_difference_interval, (1, 4, 9, 2), ValueError, "`successes_b` .* 9 of 2"),
    ],
)
def test_refused(
    function: Any, counts: tuple[Any, ...], error: type[Exception], match: str
) -> None:
    with pytest.raises(error, match=match):
        function(*counts)
