"""Sums under choices of signs, from the bits of the generator, and max-T p-values of them."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from fastmetrics._input.scalars import seed_key
from fastmetrics._kernels.replicates import resampling
from fastmetrics.comparison import sign_flip_test
from fastmetrics.comparison.samples._signed_sums import (
    BATCH,
    max_t_pvalues,
    padded,
    random_sums,
    sums_of_random_signs,
    sums_of_signs,
)

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
    values = rng.integers(-1000, 1000, (n, 2)).astype(np.float64)
    for batch in (0, 3):
        found = sums_of_random_signs(padded(values), KEY, batch)
        assert (found == (signs(n, batch) @ values).T).all()


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


def test_threads_change_no_bit(rng, monkeypatch):
    values = rng.normal(size=10_000)
    found = random_sums(values, 3_000, KEY)
    monkeypatch.setenv("FASTMETRICS_NUM_THREADS", "1")
    assert (random_sums(values, 3_000, KEY) == found).all()


def test_every_choice_of_signs():
    values = np.array([[1.0], [10.0], [100.0]])
    found = sums_of_signs(padded(values), np.arange(8))
    assert found[0].tolist() == [-111, -109, -91, -89, 89, 91, 109, 111]


def by_brute_force(columns: list[list[int]]) -> list[float]:
    """Return Westfall and Young's step-down p-values by going through all signs.

    Statistics are compared as their squares, sum^2 / sum of squares, which are rational.
    """
    n = len(columns[0])
    sizes = [sum(d * d for d in column) for column in columns]

    def squared(j: int, signs: tuple[int, ...]) -> Fraction:
        total = sum(s * d for s, d in zip(signs, columns[j], strict=True))
        return Fraction(total * total, sizes[j])

    varying = [j for j, size in enumerate(sizes) if size]
    flips = list(itertools.product((1, -1), repeat=n))
    observed = {j: squared(j, (1,) * n) for j in varying}
    order = sorted(varying, key=lambda j: -observed[j])
    found, last = [1.0] * len(columns), Fraction(0)
    for place, j in enumerate(order):
        extreme = sum(
            max(squared(i, signs) for i in order[place:]) >= observed[j] for signs in flips
        )
        last = max(last, Fraction(extreme, len(flips)))
        found[j] = float(last)
    return found


@pytest.mark.parametrize("seed", range(20))
def test_all_signs_of_few_units(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 9)), int(rng.integers(1, 5))
    columns = rng.integers(-3, 4 if seed % 2 else 6, (n, m))
    if seed % 5 == 0:
        columns[:, 0] = 0
    expected = by_brute_force(columns.T.tolist())
    found = max_t_pvalues(columns.astype(np.float64), 9999, KEY)
    assert found == pytest.approx(expected, abs=1e-15)


def test_one_column_is_the_sign_flip_test() -> None:
    values = np.random.default_rng(2).normal(0.4, 1.0, 12)
    one = sign_flip_test(values, higher_is_better=True, method="exact").pvalue
    assert max_t_pvalues(values[:, None], 9999, KEY)[0] == pytest.approx(one, abs=1e-15)


def test_random_signs_come_near_all_of_them() -> None:
    values = np.random.default_rng(3).normal(0.35, 1.0, (14, 4))
    every, some = (np.array(max_t_pvalues(values, n, KEY)) for n in (2**13, 2**13 - 1))
    assert (every != some).any()
    assert np.abs(every - some).max() < 5 * np.sqrt(0.25 / 2**13)


def test_a_copy_costs_nothing_and_an_unlike_column_does() -> None:
    rng = np.random.default_rng(4)
    one = rng.normal(0.6, 1.0, (12, 1))
    alone = max_t_pvalues(one, 9999, KEY)[0]
    twice = max_t_pvalues(np.column_stack([one, 3 * one]), 9999, KEY)
    assert twice == pytest.approx([alone, alone], abs=1e-15)
    beside = max_t_pvalues(np.column_stack([one, rng.normal(0, 1, (12, 1))]), 9999, KEY)
    assert alone < min(beside)


def test_the_key_draws_the_same_signs_and_zeros_are_one() -> None:
    values = np.random.default_rng(5).normal(0.1, 1.0, (50, 3))
    values[:, 1] = 0.0
    first, again = (max_t_pvalues(values, 999, KEY) for _ in range(2))
    assert first == again
    assert first[1] == 1.0
    assert max_t_pvalues(values, 999, seed_key(9)) != first
    assert max_t_pvalues(np.zeros((5, 2)), 999, KEY) == [1.0, 1.0]


def test_units_without_a_part_change_nothing() -> None:
    values = np.random.default_rng(6).normal(0.5, 1.0, (9, 2))
    more = np.concatenate([values, np.zeros((30, 2))])
    assert max_t_pvalues(more, 9999, KEY) == max_t_pvalues(values, 9999, KEY)
