"""Kish's effective sample size: the definition in fractions, and weights at the ends of doubles."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fastmetrics.comparison import effective_sample_size

WEIGHTS = st.lists(st.floats(0, 1e6) | st.integers(0, 50), min_size=1, max_size=30)


def kish(weights: Any) -> float:
    exact = [Fraction(w) for w in weights]
    return float(sum(exact) ** 2 / sum(w * w for w in exact))


@given(WEIGHTS.filter(lambda weights: max(weights) > 1e-60))
def test_the_definition(weights: list[float]) -> None:
    weights = [w if w > 1e-60 else 0.0 for w in weights]
    assert effective_sample_size(weights) == pytest.approx(kish(weights), rel=1e-13)


def test_many_rows(rng: np.random.Generator) -> None:
    weights = rng.lognormal(sigma=2, size=200_000)
    expected = math.fsum(weights) ** 2 / math.fsum(weights * weights)
    assert effective_sample_size(weights) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("weight", [1, 0.1, 3.7, 1e308, 5e-324, 2**60])
@pytest.mark.parametrize("n", [1, 7, 100_000])
def test_equal_weights_are_all_worth_one(weight: float, n: int) -> None:
    assert effective_sample_size(np.full(n, weight)) == n
    assert effective_sample_size(np.r_[np.full(n, weight), np.zeros(5)]) == n


@pytest.mark.parametrize("scale", [1e-323, 1e-200, 1e200, 4e307])
def test_the_scale_does_not_matter(scale: float) -> None:
    weights = np.array([1.0, 2.0, 3.0, 4.0]) * scale
    # the least weights are multiples of 5e-324: 2, 4, 6 and 8 of them
    assert effective_sample_size(weights) == pytest.approx(10**2 / 30, rel=1e-14)
