"""Moments of leave-one-out values, against sums that are exact."""

from __future__ import annotations

import math

import numpy as np
import pytest
from kernel_forms import FORMS

from fastmetrics._kernels import influences as kernels

pytestmark = [
    pytest.mark.parametrize("form", FORMS),
    pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 4_097, 9_000]),
    pytest.mark.parametrize("dtype", [np.int64, np.float64]),
]


def sample(rng, n, dtype):
    """Return values, some nan, with counts, some 0; and those that matter."""
    values, counts = rng.normal(3.0, 1e-3, n), rng.integers(0, 3, n).astype(dtype)
    values[rng.random(n) < 0.2] = np.nan
    kept = (counts > 0) & ~np.isnan(values)
    return values, counts, values[kept], counts[kept]


def test_extent(form, rng, n, dtype):
    values, counts, kept, times = sample(rng, n, dtype)
    found = np.array([1e-4, 2e-4, 0.5, 7.0])  # it goes on from other parts
    form(kernels.extent)(values, counts, 3.0, found)
    less = kept - 3.0
    assert found[0] == min([1e-4, *less])
    assert found[1] == max([2e-4, *less])
    assert found[2] == pytest.approx(0.5 + math.fsum(times * less), rel=1e-12)
    assert found[3] == 7.0 + times.sum()


def test_central_sums(form, rng, n, dtype):
    values, counts, kept, times = sample(rng, n, dtype)
    found = np.array([0.25, 4.0])
    form(kernels.central_sums)(values, counts, 3.0, 2e-4, 1e3, found)
    u = (2e-4 - (kept - 3.0)) * 1e3
    assert found[0] == pytest.approx(0.25 + math.fsum(times * u * u), rel=1e-12)
    assert abs(found[1] - 4.0 - math.fsum(times * u**3)) <= 1e-12 * (
        4 + np.sum(times * abs(u) ** 3)
    )
