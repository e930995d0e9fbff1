"""Sums of pairs of sorted numbers against all of them; sums under signs against products."""

import itertools
import math

import numpy as np
import pytest

from fastmetrics._kernels import concordance as kernels


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


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("n", [1, 2, 70])
@pytest.mark.parametrize(("low", "high"), BOUNDS)
def test_count_pair_sums(rng, n, tied, low, high):
    values, before = sample(rng, n, tied=tied)
    sums, pairs = every_pair(values, before)
    counts = np.full(4, -1)
    kernels.count_pair_sums(values, before, low, high, counts)
    below = [sums <= bound for bound in (low, high)]
    assert counts.tolist() == [*(pairs[part].sum() for part in below), *map(np.sum, below)]


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("n", [1, 2, 70])
@pytest.mark.parametrize(("low", "high"), BOUNDS)
def test_write_pair_sums(rng, n, tied, low, high):
    values, before = sample(rng, n, tied=tied)
    sums, pairs = every_pair(values, before)
    inside = (sums > low) & (sums <= high)
    found = np.full(np.count_nonzero(inside), np.nan), np.full(np.count_nonzero(inside), -1)
    kernels.write_pair_sums(values, before, low, high, *found)
    assert sorted(zip(*found, strict=True)) == sorted(zip(sums[inside], pairs[inside], strict=True))


def test_sums_of_choices(rng):
    values = rng.normal(size=24)
    found = np.full(3 * kernels.CHOICES, np.nan)
    kernels.sums_of_choices(values, found)
    for eight, sums in zip(values.reshape(3, 8), found.reshape(3, -1), strict=True):
        choices = itertools.product((-1, 1), repeat=8)  # the last sign changes first
        want = [math.fsum(np.array(signs[::-1]) * eight) for signs in choices]
        np.testing.assert_allclose(sums, want, atol=1e-14)


@pytest.mark.parametrize("chunks", [1, 3])
def test_add_signed_sums(rng, chunks):
    """Whole numbers: sums are exact."""
    values = rng.integers(-99, 99, chunks * kernels.CHUNK).astype(np.float64)
    words = rng.integers(0, 2**64, (2, chunks, 5), dtype=np.uint64)
    sums = np.full(5, 0.5)
    kernels.add_signed_sums(values, words.ravel(), sums)
    bits = np.unpackbits(words.view(np.uint8).reshape(2, chunks, 5, 8), axis=3, bitorder="little")
    signs = 2.0 * bits.transpose(2, 1, 0, 3).reshape(5, -1) - 1.0
    assert (sums == 0.5 + signs @ values).all()
