"""Sums rounded once, and what means and deviations of many numbers are made of."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from fastmetrics.inference._pvalues import exact_sum, moments


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
