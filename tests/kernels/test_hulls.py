"""Pooling rows into the upper hull, against the definition."""

from fractions import Fraction

import numpy as np
import pytest

from fastmetrics._kernels import hulls
from reference.hull_oracle import hull_ends


def pooled(kernel, positives, negatives, *more):
    n = len(positives)
    columns = np.full(n, -7), np.empty_like(positives), np.empty_like(positives)
    count = kernel(positives, negatives, *columns, *more)
    return [column[:count].tolist() for column in columns]


def rows(rng, n, high):
    positives, negatives = rng.integers(0, high, n), rng.integers(0, high, n)
    return positives, negatives + ((positives + negatives) == 0)


def expected(positives, negatives):
    ends = hull_ends(positives.tolist(), negatives.tolist())
    starts = [0, *(end + 1 for end in ends[:-1])]
    return [ends, *(np.add.reduceat(column, starts).tolist() for column in (positives, negatives))]


@pytest.mark.parametrize("n", [1, 2, 3, 64, 65, 200, 700])
@pytest.mark.parametrize("high", [2, 5])
def test_upper_hull(rng, n, high):
    for _ in range(3):
        positives, negatives = rows(rng, n, high)
        assert pooled(hulls.upper_hull, positives, negatives, 1) == expected(positives, negatives)


def test_upper_hull_of_curves_that_bend_either_way():
    rising = np.arange(1, 301)
    convex = pooled(hulls.upper_hull, rising, rising[::-1].copy(), 1)
    assert convex == [[299], [rising.sum()], [rising.sum()]]
    concave = pooled(hulls.upper_hull, rising[::-1].copy(), rising, 1)
    assert concave == [list(range(300)), rising[::-1].tolist(), rising.tolist()]


@pytest.mark.parametrize("n", [1, 2, 3, 200])
def test_upper_hull_of_weights(rng, n):
    positives, negatives = rows(rng, n, 5)
    found = pooled(hulls.upper_hull, positives * 0.1, negatives * 0.1, 1.0 + 2.0**-40)
    want = expected(positives, negatives)
    assert found[0] == want[0]
    np.testing.assert_allclose(found[1:], np.array(want[1:]) * 0.1, rtol=1e-12)


def test_sums_of_blocks(rng):
    weights = rng.random(500) * 10.0 ** rng.integers(-9, 9, 500)
    ends = np.array([0, 3, 250, 499])
    sums = np.full(4, -1.0)
    hulls.sums_of_blocks(weights, ends, sums)
    starts = [0, 1, 4, 251]
    exact = [
        float(sum(map(Fraction, weights[a : b + 1].tolist())))
        for a, b in zip(starts, ends.tolist(), strict=True)
    ]
    np.testing.assert_allclose(sums, exact, rtol=2**-52)
