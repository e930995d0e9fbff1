"""Dual numbers: the value is that of plain arrays, the slope that of a small step to both sides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fastmetrics.measures.decisions import _dual
from fastmetrics.measures.decisions._dual import Dual

FORMULAS: dict[str, Callable[[Any, Any], Any]] = {
    "sum and difference": lambda x, y: (x + y) + (2.0 + x) - (y - 3.0) + (1.0 - y),
    "product": lambda x, y: x * y * 2.0 + 3.0 * x,
    "ratio": _dual.ratio,
    "ratio of an array": lambda x, _: _dual.ratio(np.ones(x.shape), x),
    "ratio by an array": lambda x, _: _dual.ratio(x, np.full(x.shape, 4.0)),
    "square root": lambda x, _: _dual.power(x, 0.5),
    "cube root": lambda x, _: _dual.power(x, 1 / 3),
    "zeros": lambda x, y: _dual.zero_where(np.arange(4) % 2 == 0, x) * y,
    "geometric mean": lambda x, _: _dual.geometric_mean(x),
    "others": lambda x, y: _dual.sum_of_others(x) * y,
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
    found = _dual.zero_where(is_absent, Dual(np.array([np.nan, 5.0]), np.array([np.inf, 2.0])))
    assert (found.value.tolist(), found.slope.tolist()) == ([0.0, 5.0], [0.0, 2.0])
    assert _dual.zero_where(is_absent, np.array([np.nan, 5.0])).tolist() == [0.0, 5.0]


def test_what_is_undefined_stays_so() -> None:
    found = _dual.ratio(Dual(np.array([1.0, 1.0]), np.array([2.0, 2.0])), np.array([0.0, 2.0]), 7.0)
    assert (found.value.tolist(), found.slope.tolist()) == ([7.0, 0.5], [0.0, 1.0])


def test_slopes_at_zero() -> None:
    x = Dual(np.array([0.0, 0.0, 4.0]), np.array([1.0, 0.0, 1.0]))
    assert _dual.power(x, 0.5).slope.tolist() == [np.inf, 0.0, 0.25]
    rows = np.array([[0.0, 2.0], [0.0, 2.0], [0.0, 0.0], [0.0, 2.0]])
    slopes = np.array([[1.0, 0.0], [-1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    assert _dual.geometric_mean(Dual(rows, slopes)).slope.tolist() == [np.inf, -np.inf, 0.0, 0.0]


def test_a_mean_of_many_factors() -> None:
    """More shares of counts than have a product that float64 holds."""
    numbers = np.full((2, 100), 1e-18)
    numbers[1, ::2] = 1.0
    np.testing.assert_allclose(_dual.geometric_mean(numbers), [1e-18, 1e-9], rtol=1e-13)
