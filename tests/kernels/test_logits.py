"""Terms of rows and moments of runs, by NumPy."""

import math

import numpy as np
import pytest

from fastmetrics._kernels import losses as kernels


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_terms_of_rows(rng, dtype):
    p = np.append(rng.random(50), [1e-12, 1 - 1e-12, 0.5])
    n = len(p)
    ones, zeros, a, b = rng.integers(0, 4, (4, n)).astype(dtype)
    x, terms = np.empty(n), np.empty((5, n))
    kernels.terms_of_rows(p, np.log(p), np.log(1 - p), ones, zeros, a, b, x, terms)
    np.testing.assert_allclose(x, np.log(p) - np.log1p(-p), rtol=1e-14, atol=1e-15)
    right = [
        ones * (1 - p) ** 2 + zeros * p**2,
        -ones * np.log(p) - zeros * np.log1p(-p),
        (ones + zeros) * p,
        (ones - (ones + zeros) * p) * (1 - 2 * p),
        (a + b) * (1 - 2 * p) ** 2 * p * (1 - p),
    ]
    np.testing.assert_allclose(terms, right, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
@pytest.mark.parametrize("width", [1e-300, 0.1, 100.0])
@pytest.mark.parametrize("n", [1, 2, 200])
def test_moments_of_runs(rng, dtype, width, n):
    x = np.sort(rng.normal(0, 2, n))[::-1].copy()
    ones, zeros = rng.integers(0, 4, (2, n)).astype(dtype)
    starts, moments = np.full(n, np.nan), np.full((n, kernels.MOMENTS), np.nan)
    count = kernels.moments_of_runs(x, ones, zeros, width, starts, moments)
    first, runs = np.inf, []
    for i in range(n):
        if not x[i] - first >= -width:
            first = x[i]
            runs.append([])
        runs[-1].append(i)
    assert count == len(runs)
    assert starts[:count].tolist() == [x[rows[0]] for rows in runs]
    for rows, found in zip(runs, moments, strict=False):
        weights, distance = (ones + zeros)[rows], x[rows] - x[rows[0]]
        right = [(weights * distance**k).sum() / math.factorial(k) for k in range(6)]
        right += [(ones[rows] * distance**k).sum() for k in range(2)]
        np.testing.assert_allclose(found, right, rtol=1e-12, atol=1e-300)
    assert np.isnan(starts[count:]).all()
