"""The order of a stable sort, found by a faster one."""

from __future__ import annotations

import numpy as np
import pytest

from fastmetrics.tables.scores._distinct import stable_order


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.uint64])
@pytest.mark.parametrize("n_distinct", [1, 2, 50, 10**6])
@pytest.mark.parametrize("n", [0, 1, 2, 1000, 40_000])
def test_it_is_that_of_a_stable_sort(rng, n, n_distinct, dtype):
    values = rng.integers(0, n_distinct, n).astype(dtype)
    if dtype in (np.float32, np.float64):
        values *= rng.choice([-1, 1], n).astype(dtype)  # also -0.0
    found = stable_order(values)
    np.testing.assert_array_equal(found, np.argsort(values, kind="stable"))
