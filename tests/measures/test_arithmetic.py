"""Arithmetic below measures: sums that are rounded once, quantiles, logarithms, and slopes."""

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from operator import mul
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fastmetrics.inference.reference import exact_sum, moments, normal_quantile
from fastmetrics.measures.costs.cost_curve import rounded_sum
from fastmetrics.measures.curves.precision_recall import _log1p_and_rest
from fastmetrics.measures.decisions import _count_formulas
from fastmetrics.measures.decisions._count_formulas import Dual
from fastmetrics.tables import pairs

CHUNK = pairs._CHUNK


@pytest.mark.parametrize("size", [0, 1, 5, CHUNK, CHUNK + 1, 2 * CHUNK + 3])
@pytest.mark.parametrize("most", [9, 2**31, 2**40])
def test_integers_are_exact_however_large(rng, size: int, most: int) -> None:
    """The sum of both columns is that of counts: below 2**63."""
    left, right = rng.integers(0, most, (2, size))
    assert pairs.exact_dot(left, right) == sum(map(mul, left.tolist(), right.tolist()))


def test_one_chunk_is_large_and_the_others_are_not() -> None:
    left = np.ones(2 * CHUNK + 1, np.int64)
    right = left.copy()
    left[[0, -1]], right[[0, -1]] = 2**61, (2**60, 3)
    assert pairs.exact_dot(left, right) == 2**121 + 3 * 2**61 + 2 * CHUNK - 1


def test_the_bound_of_int64_is_not_reached() -> None:
    left = np.array([2**62, 2**61])
    assert pairs.exact_dot(left, np.array([1, 1])) == 3 * 2**61
    assert pairs.exact_dot(left, np.array([2, 1])) == 2**63 + 2**61


def test_floats_are_within_the_bound(rng) -> None:
    left, right = rng.random((2, 1_000))
    terms = [Fraction(a) * Fraction(b) for a, b in zip(left.tolist(), right.tolist(), strict=True)]
    found = pairs.exact_dot(left, right)
    assert abs(Fraction(found) - sum(terms)) <= sum(terms) * Fraction(12 + 1, 2**53)
    assert pairs.exact_dot(np.arange(4), np.full(4, 0.5)) == 3.0


def test_what_stands_above_a_row() -> None:
    assert pairs.above(np.array([2, 2, 7])).tolist() == [0, 2, 2]


@given(st.lists(st.tuples(st.integers(1, 2**70), st.integers(1, 2**70)), max_size=8))
def test_sums_of_fractions_are_rounded_once(terms) -> None:
    assert rounded_sum(terms) == float(sum((Fraction(*term) for term in terms), Fraction(0)))


def test_a_sum_in_the_middle_of_two_doubles() -> None:
    middle = 2**53 + 1, 2**54  # a half and a last bit, cut in three
    third = (middle[0], 3 * middle[1])
    assert rounded_sum([third] * 3) == float(Fraction(*middle))


@pytest.mark.parametrize("n", [1, 999, 1_000, 5_000])
@pytest.mark.parametrize("size", [1.0, 4.0, 1e-5])
def test_a_sum_is_rounded_once(rng, n, size):
    for _ in range(50):
        values = rng.uniform(-1, 1, n) * size
        assert exact_sum(values) == math.fsum(values.tolist())
        assert exact_sum(np.abs(values)) == math.fsum(np.abs(values).tolist())


def test_a_sum_that_cancels(rng):
    half = rng.uniform(-1, 1, 2_000) * 10.0 ** rng.uniform(-20, 0, 2_000)
    values = np.concatenate((half, -half, [1e-20]))
    assert exact_sum(rng.permutation(values)) == pytest.approx(1e-20, abs=1e-29)
    assert exact_sum(np.concatenate((half, -half))) == pytest.approx(0.0, abs=1e-29)


def test_moments_of_many(rng):
    for shift, size in ((0.0, 1.0), (1e6, 1e-3), (-1e200, 1e190)):
        values = shift + size * rng.normal(size=3_000)
        exact = [Fraction(value) for value in values.tolist()]
        mean = sum(exact) / len(exact)
        squares = sum((value - mean) ** 2 for value in exact) / (len(exact) - 1)
        found = moments(values)
        assert found.mean == pytest.approx(float(mean), rel=2.0**-52)
        right = math.sqrt(squares / Fraction(size) ** 2) * size
        assert found.deviation == pytest.approx(right, rel=1e-9)


def test_log_parts() -> None:
    values = [1e-300, 1e-20, 1e-9, 1e-3, 0.1, 0.4999999, 0.5, 0.5000001, 1.0, 1e9, 1e300]
    log_part, rest = _log1p_and_rest(np.array(values))
    np.testing.assert_array_equal(log_part, np.log1p(values))
    with localcontext() as context:
        context.prec = 700
        exact = [float(Decimal(x) - (1 + Decimal(x)).ln()) for x in values]
    np.testing.assert_allclose(rest, exact, rtol=5e-16 * 3, atol=0)


def shares() -> np.ndarray:
    """Return shares of the middle, of both tails, and at the ends of each."""
    rng = np.random.default_rng(0)
    ends = np.array([0.5, math.exp(-2.0), 1.0 - math.exp(-2.0), math.exp(-32.0), 0.025, 0.975])
    return np.concatenate(
        [
            *(np.nextafter(ends, side) for side in (0.0, 0.5, 1.0)),
            rng.random(2_000),
            10.0 ** -rng.uniform(0.0, 308.0, 2_000),
            1.0 - 10.0 ** -rng.uniform(0.0, 16.0, 2_000),
            [5e-324, np.nextafter(1.0, 0.0)],
        ]
    )


def test_it_is_scipys() -> None:
    from scipy.special import ndtri

    inside = shares()
    found = np.array([normal_quantile(share) for share in inside.tolist()])
    np.testing.assert_array_max_ulp(found, ndtri(inside), maxulp=8)


def test_it_is_the_inverse_of_the_distribution() -> None:
    normal = NormalDist()
    for share in shares().tolist():
        if 1e-300 < share < 1.0 - 1e-12:
            assert normal.cdf(normal_quantile(share)) == pytest.approx(share, rel=5e-13)


@pytest.mark.parametrize(
    ("share", "expected"),
    [(0.0, -math.inf), (1.0, math.inf), (0.5, 0.0), (-0.1, math.nan), (1.1, math.nan)],
)
def test_the_ends_and_beyond(share, expected) -> None:
    assert normal_quantile(share) == pytest.approx(expected, nan_ok=True)


def test_nan_stays_nan() -> None:
    assert math.isnan(normal_quantile(math.nan))


FORMULAS: dict[str, Callable[[Any, Any], Any]] = {
    "sum and difference": lambda x, y: (x + y) + (2.0 + x) - (y - 3.0) + (1.0 - y),
    "product": lambda x, y: x * y * 2.0 + 3.0 * x,
    "ratio": _count_formulas.ratio,
    "ratio of an array": lambda x, _: _count_formulas.ratio(np.ones(x.shape), x),
    "ratio by an array": lambda x, _: _count_formulas.ratio(x, np.full(x.shape, 4.0)),
    "square root": lambda x, _: _count_formulas.power(x, 0.5),
    "cube root": lambda x, _: _count_formulas.power(x, 1 / 3),
    "zeros": lambda x, y: _count_formulas.zero_where(np.arange(4) % 2 == 0, x) * y,
    "geometric mean": lambda x, _: _count_formulas.geometric_mean(x),
    "others": lambda x, y: _count_formulas.sum_of_others(x) * y,
    "sum": lambda x, y: (x * y).sum(axis=-1),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_values_and_slopes(rng, name: str) -> None:
    formula = FORMULAS[name]
    (x, y), (along_x, along_y) = rng.uniform(1.0, 2.0, (2, 3, 4)), rng.normal(size=(2, 3, 4))
    found = formula(Dual(x, along_x), Dual(y, along_y))
    np.testing.assert_array_equal(found.value, formula(x, y))
    step = 1e-6
    above = formula(x + step * along_x, y + step * along_y)
    below = formula(x - step * along_x, y - step * along_y)
    np.testing.assert_allclose(found.slope, (above - below) / (2 * step), rtol=1e-7, atol=1e-8)


def test_zeros_stand_still() -> None:
    is_absent = np.array([True, False])
    found = _count_formulas.zero_where(
        is_absent, Dual(np.array([np.nan, 5.0]), np.array([np.inf, 2.0]))
    )
    assert (found.value.tolist(), found.slope.tolist()) == ([0.0, 5.0], [0.0, 2.0])
    assert _count_formulas.zero_where(is_absent, np.array([np.nan, 5.0])).tolist() == [0.0, 5.0]


def test_what_is_undefined_stays_so() -> None:
    found = _count_formulas.ratio(
        Dual(np.array([1.0, 1.0]), np.array([2.0, 2.0])), np.array([0.0, 2.0]), 7.0
    )
    assert (found.value.tolist(), found.slope.tolist()) == ([7.0, 0.5], [0.0, 1.0])


def test_slopes_at_zero() -> None:
    x = Dual(np.array([0.0, 0.0, 4.0]), np.array([1.0, 0.0, 1.0]))
    assert _count_formulas.power(x, 0.5).slope.tolist() == [np.inf, 0.0, 0.25]
    rows = np.array([[0.0, 2.0], [0.0, 2.0], [0.0, 0.0], [0.0, 2.0]])
    slopes = np.array([[1.0, 0.0], [-1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    assert _count_formulas.geometric_mean(Dual(rows, slopes)).slope.tolist() == [
        np.inf,
        -np.inf,
        0.0,
        0.0,
    ]


def test_a_mean_of_many_factors() -> None:
    """More shares of counts than have a product that float64 holds."""
    numbers = np.full((2, 100), 1e-18)
    numbers[1, ::2] = 1.0
    np.testing.assert_allclose(_count_formulas.geometric_mean(numbers), [1e-18, 1e-9], rtol=1e-13)
