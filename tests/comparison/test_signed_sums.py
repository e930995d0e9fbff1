"""Sums under random choices of signs, from the bits of the generator."""

import math

import numpy as np
import pytest

from fastmetrics._input.scalars import seed_key
from fastmetrics._kernels import resampling
from fastmetrics.comparison.paired import BATCH, random_sums

KEY = seed_key(1)
BLOCK = 16 * 128


def signs(n: int, batch: int) -> np.ndarray:
    """Return the signs of n numbers in each choice of a batch, from Philox's words."""
    found = np.empty((BATCH, n))
    for block in range(-(-n // BLOCK)):
        words = np.empty(2 * 16 * BATCH, np.uint64)
        resampling.philox(KEY, 0, block, batch, resampling.BITS, 16 * BATCH, words)
        coins = np.unpackbits(words.view(np.uint8), bitorder="little").reshape(2, 16, BATCH, 64)
        of_block = coins.transpose(2, 1, 0, 3).reshape(BATCH, BLOCK)[:, : n - block * BLOCK]
        found[:, block * BLOCK : block * BLOCK + BLOCK] = 2.0 * of_block - 1.0
    return found


@pytest.mark.parametrize("n", [1, 7, 8, 127, 129, BLOCK, BLOCK + 1, 5_000])
def test_sums_are_those_of_the_words_signs(n, rng):
    values = rng.integers(-1000, 1000, n).astype(np.float64)
    found = random_sums(values, 4 * BATCH, KEY).reshape(4, BATCH)
    for batch in (0, 3):
        assert (found[batch] == signs(n, batch) @ values).all()


def test_more_choices_are_the_same_ones_and_others(rng):
    values = rng.normal(size=300)
    found = random_sums(values, 2 * BATCH + 5, KEY)
    assert len(found) == 2 * BATCH + 5
    assert (random_sums(values, BATCH - 1, KEY) == found[: BATCH - 1]).all()
    assert (random_sums(values, 5, seed_key(2)) != found[:5]).all()
    assert len(np.unique(found)) == len(found)


def test_random_sums_are_as_wide_as_signs_make_them():
    values = np.arange(1.0, 1001.0)
    found = random_sums(values, 50_000, KEY)
    deviation = math.sqrt((values**2).sum())
    assert np.all(np.abs(found) <= values.sum())
    assert np.all(found % 2 == values.sum() % 2)
    assert abs(found.mean()) < 4 * deviation / math.sqrt(50_000)
    assert found.std() == pytest.approx(deviation, rel=4 / math.sqrt(2 * 50_000))
