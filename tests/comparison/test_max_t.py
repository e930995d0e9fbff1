"""Step-down max-T p-values against all sign flips, one by one, in rational numbers."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from fastmetrics._input.scalars import seed_key
from fastmetrics.comparison import sign_flip_test
from fastmetrics.comparison.samples._signed_sums import max_t_pvalues

KEY = seed_key(1)


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
