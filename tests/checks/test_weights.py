"""Weights: verified whole, counts told from importances, extremes brought into range."""

import contextlib
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastmetrics as fm

SAFE = 250


class Weights(NamedTuple):
    values: Any
    are_counts: bool
    exponent: int


def read(weights: Any) -> Weights:
    """Return the weights, those of 0 left out, that a table has of rows of different scores."""
    n = len(weights)
    table = fm.ScoreTable.from_scores(np.ones(n), -np.arange(n), sample_weight=weights)
    return Weights(table.positives, not table.is_weighted, table.weight_exponent)


def exact(values: Any) -> list[Fraction]:
    return [Fraction(value) for value in values if value]


@pytest.mark.parametrize(
    ("dtype", "are_counts"),
    [
        *((dtype, True) for dtype in (np.bool_, np.int8, np.int64, np.uint64)),
        *((dtype, False) for dtype in (np.float16, np.float32, np.float64, np.longdouble)),
    ],
)
def test_integer_dtypes_are_counts_and_floats_importances_even_when_whole(
    dtype: Any, are_counts: bool
) -> None:
    weights = read(np.array([1, 0, 1], dtype))
    assert weights.are_counts is are_counts
    assert weights.values.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("values", "are_counts"),
    [
        ([2**53, 1], False),
        ([2**53 - 1, 1], True),
        ([2**52, 2**52 + 1], False),
        ([2**63 - 1] * 4, False),
        (np.array([2**64 - 1, 1], np.uint64), False),  # whose sum would wrap
        (np.array([2**53 - 70_000] + [1] * 70_000, np.uint64), True),
    ],
    ids=lambda each: str(each)[:30],
)
def test_integer_sums(values: Any, are_counts: bool) -> None:
    weights = read(values)
    assert weights.are_counts is are_counts
    for actual, value in zip(weights.values.tolist(), map(int, values), strict=True):
        assert abs(Fraction(actual) - value) <= Fraction(value, 2**53)


@pytest.mark.parametrize("at", [65_535, 65_536])
@pytest.mark.parametrize(
    ("bad", "match"),
    [(-1e-300, "negative: -1e-300"), (np.nan, "finite: nan"), (np.inf, "finite: inf")],
)
def test_faults_are_found_in_every_chunk(at: int, bad: float, match: str) -> None:
    weights = np.ones(150_000)
    weights[at] = bad
    with pytest.raises(ValueError, match=f"`sample_weight` must .*{match} at index {at}, 1 in all"):
        read(weights)


@pytest.mark.parametrize("values", [[1e-60, 1e60], [-0.0, 1e-70], [2.0**247], [2.0**-250]])
def test_ordinary_weights_stay_as_they_are(values: list[float]) -> None:
    weights = read(values)
    assert weights.exponent == 0
    assert weights.values.tolist() == [value for value in values if value]


def assert_scaled(values: list[float]) -> Weights:
    """Assert that weights are scaled by a power of two, exactly, to a sum that is in range."""
    weights = read(values)
    assert [Fraction(2) ** weights.exponent * value for value in exact(values)] == exact(
        weights.values.tolist()
    )
    assert weights.values.sum() <= 2.0**SAFE
    return weights


@pytest.mark.parametrize(
    "values", [[1e308, 1e308, 0.5e308], [1e308, 1.0, 0.0], [5e-324, 0.3, 0.7], [1e-200] * 3]
)
def test_extreme_weights_are_scaled_by_a_power_of_two(values: list[float]) -> None:
    scaled, are_counts, exponent = assert_scaled(values)
    assert exponent != 0
    assert not are_counts
    # products of sums neither overflow nor lose bits
    assert np.isfinite(scaled.sum() ** 4)
    assert Fraction(scaled.min() * scaled.max()) > Fraction(2) ** -1022


def test_too_wide_a_range() -> None:
    for weights in ([5e-324, 1e308], [0.0, 5e-324, 1e308]):
        with pytest.raises(
            ValueError, match=r"`sample_weight` spans too wide .* 5e-324 to 1e\+308$"
        ):
            read(weights)


@given(st.lists(st.floats(0, allow_infinity=False), min_size=1, max_size=9))
def test_scaling_is_exact_or_refused(values: list[float]) -> None:
    positive = [value for value in values if value]
    if positive and min(positive) < 1e-75 and max(positive) > 1e75:
        with contextlib.suppress(ValueError):
            read(values)
    elif positive:
        assert_scaled(values)
