"""Sums of pairs of sorted numbers against all of them."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_forms import forms

from fastmetrics._kernels import pair_sums as kernels


def sample(rng, n, *, tied):
    values = np.unique(rng.integers(-50, 50, n) if tied else rng.normal(size=n)).astype(np.float64)
    counts = rng.integers(1, 4 if tied else 2, len(values))
    return values, np.concatenate(([0], np.cumsum(counts)))


def every_pair(values, before):
    """Return the sums of distinct numbers, and of how many pairs each is."""
    i, j = np.triu_indices(len(values))
    counts = np.diff(before)
    pairs = np.where(i == j, counts[i] * (counts[i] + 1) // 2, counts[i] * counts[j])
    return values[i] + values[j], pairs


BOUNDS = [(-1e9, 1e9), (0.0, 0.0), (-3.0, 1.5), (1.5, -3.0), (1e9, -1e9)]


@pytest.mark.parametrize("count_pair_sums", forms(kernels.count_pair_sums))
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("n", [1, 2, 70])
@pytest.mark.parametrize(("low", "high"), BOUNDS)
def test_count_pair_sums(rng, count_pair_sums, n, tied, low, high):
    values, before = sample(rng, n, tied=tied)
    sums, pairs = every_pair(values, before)
    counts = np.full(4, -1)
    count_pair_sums(values, before, low, high, counts)
    below = [sums <= bound for bound in (low, high)]
    assert counts.tolist() == [*(pairs[part].sum() for part in below), *map(np.sum, below)]


@pytest.mark.parametrize("write_pair_sums", forms(kernels.write_pair_sums))
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("n", [1, 2, 70])
@pytest.mark.parametrize(("low", "high"), BOUNDS)
def test_write_pair_sums(rng, write_pair_sums, n, tied, low, high):
    values, before = sample(rng, n, tied=tied)
    sums, pairs = every_pair(values, before)
    inside = (sums > low) & (sums <= high)
    found = np.full(np.count_nonzero(inside), np.nan), np.full(np.count_nonzero(inside), -1)
    write_pair_sums(values, before, low, high, *found)
    assert sorted(zip(*found, strict=True)) == sorted(zip(sums[inside], pairs[inside], strict=True))
