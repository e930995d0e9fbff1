"""Costs of Šidák's level of slices, against a joint level, where slices have rows in common.

A smooth metric is a mean of influences over rows: two slices correlate by their common rows over
the root of the product of their sizes. A joint level takes the quantile of the maximum (max-T);
`evaluate` takes Šidák's for each slice, which needs no seed and no correlations.
"""

from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

#: The values of each column, and whether slices are crossings of two columns too.
LAYOUTS = [
    ([5, 5], False),
    ([10, 10, 10], False),
    ([5, 5], True),
    ([10, 10, 10], True),
    ([4] * 5, True),
    ([2, 2], True),
    ([2, 2, 2], True),
    ([2] * 8, True),
]


def memberships(sizes, crossed):
    """Return which cells of the whole crossing each slice holds."""
    cells = np.array(list(product(*map(range, sizes))))
    single = [[cells[:, k] == value for value in range(size)] for k, size in enumerate(sizes)]
    slices = [each for column in single for each in column]
    if crossed:
        slices += [a & b for one, two in combinations(single, 2) for a in one for b in two]
    return np.array(slices, float)


def nested():
    """Return three regions of five countries of four towns."""
    return np.vstack([np.kron(np.eye(parts), np.ones(60 // parts)) for parts in (3, 15, 60)])


@pytest.mark.parametrize(
    "slices",
    [*(memberships(*layout) for layout in LAYOUTS), nested()],
    ids=[*(f"{sizes} {crossed}" for sizes, crossed in LAYOUTS), "nested"],
)
def test_a_joint_level_would_gain_little(slices):
    """At most 3.4 % of the width, and Šidák's level never covers less than it says."""
    parts = slices / np.sqrt(slices.sum(axis=1, keepdims=True))
    rng = np.random.default_rng(0)
    greatest = np.abs(parts @ rng.standard_normal((parts.shape[1], 10_000))).max(axis=0)
    sidak = stats.norm.isf((1 - 0.95 ** (1 / len(slices))) / 2)
    assert sidak / np.quantile(greatest, 0.95) < 1.05  # 1.034, and what chance adds
    assert (greatest <= sidak).mean() > 0.945
