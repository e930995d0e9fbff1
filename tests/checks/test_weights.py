"""Weights: verified whole, counts told from importances, extremes brought into range."""

import contextlib
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fastmetrics._input.scores import check_weights

SAFE = 250


def exact(values: Any) -> list[Fraction]:
    return [Fraction(float(value)) for value in values]


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.int64, np.uint64])
def test_integer_dtypes_are_counts(dtype: Any) -> None:
    weights = check_weights(np.array([1, 0, 1], dtype), 3)
    assert weights.is_integer
    assert weights.values.dtype == np.float64
    assert weights.values.tolist() == [1.0, 0.0, 1.0]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble])
def test_float_dtypes_are_importances_even_when_whole(dtype: Any) -> None:
    weights = check_weights(np.array([1, 2, 0], dtype), 3)
    assert not weights.is_integer
    assert weights.values.tolist() == [1.0, 2.0, 0.0]


@pytest.mark.parametrize(
    ("values", "is_integer"),
    [
        ([2**53, 1], False),
        ([2**53 - 1, 1], True),
        ([2**52, 2**52 + 1], False),
        ([2**63 - 1] * 4, False),
    ],
)
def test_integer_sums(values: list[int], is_integer: bool) -> None:
    weights = check_weights(values, len(values))
    assert weights.is_integer is is_integer
    for got, value in zip(exact(weights.values), values, strict=True):
        assert abs(got - value) <= Fraction(value, 2**53)


def test_unsigned_sum_does_not_wrap() -> None:
    assert not check_weights(np.array([2**64 - 1, 1], np.uint64), 2).is_integer
    assert check_weights(np.array([2**53 - 70_000] + [1] * 70_000, np.uint64), 70_001).is_integer


@pytest.mark.parametrize("at", [65_535, 65_536])
@pytest.mark.parametrize(
    ("bad", "match"),
    [(-1e-300, "negative: -1e-300"), (np.nan, "finite: nan"), (np.inf, "finite: inf")],
)
def test_faults_are_found_in_every_chunk(at: int, bad: float, match: str) -> None:
    weights = np.ones(150_000)
    weights[at] = bad
    with pytest.raises(ValueError, match=f"`sample_weight` must .*{match} at index {at}, 1 in all"):
        check_weights(weights, len(weights))


@pytest.mark.parametrize("values", [[1e-60, 1e60], [-0.0, 1e-70], [2.0**247], [2.0**-250]])
def test_ordinary_weights_stay_as_they_are(values: list[float]) -> None:
    weights = check_weights(values, len(values))
    assert weights.exponent == 0
    assert weights.values.tolist() == values


@pytest.mark.parametrize(
    "values", [[1e308, 1e308, 0.5e308], [1e308, 1.0, 0.0], [5e-324, 0.3, 0.7], [1e-200] * 3]
)
def test_extreme_weights_are_scaled_by_a_power_of_two(values: list[float]) -> None:
    scaled, is_integer, exponent = check_weights(values, len(values))
    assert exponent != 0
    assert not is_integer
    assert [Fraction(2) ** exponent * value for value in exact(values)] == exact(scaled)
    assert scaled.sum() <= 2.0**SAFE
    # products of sums neither overflow nor lose bits
    smallest = scaled[scaled > 0].min()
    assert np.isfinite(scaled.sum() ** 4)
    assert exact([smallest * scaled.max()])[0] > Fraction(2) ** -1022


def test_too_wide_a_range() -> None:
    with pytest.raises(ValueError, match=r"`sample_weight` spans too wide .* 5e-324 to 1e\+308$"):
        check_weights([5e-324, 1e308], 2)


@given(st.lists(st.floats(0, allow_infinity=False), min_size=1, max_size=9))
def test_scaling_is_exact_or_refused(values: list[float]) -> None:
    positive = [value for value in values if value]
    if not positive:
        return
    if min(positive) < 1e-75 and max(positive) > 1e75:
        with contextlib.suppress(ValueError):
            check_weights(np.array(values), len(values))
        return
    scaled, _, exponent = check_weights(np.array(values), len(values))
    assert [Fraction(2) ** exponent * value for value in exact(values)] == exact(scaled)
    assert scaled.sum() <= 2.0**SAFE
