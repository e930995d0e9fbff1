"""Sums of products of counts, against Python's integers."""

from __future__ import annotations

from fractions import Fraction
from operator import mul

import numpy as np
import pytest

from fastmetrics.tables.scores import pairs

CHUNK = pairs._CHUNK


@pytest.mark.parametrize("size", [0, 1, 5, CHUNK, CHUNK + 1, 2 * CHUNK + 3])
@pytest.mark.parametrize("most", [9, 2**31, 2**40])
def test_integers_are_exact_however_large(rng, size: int, most: int) -> None:
    """The sum of both columns is that of counts: below 2**63."""
    left, right = rng.integers(0, most, (2, size))
    assert pairs.exact_dot(left, right) == sum(map(mul, left.tolist(), right.tolist()))


def test_one_chunk_is_large_and_the_others_are_not() -> None:
    left = np.ones(2 * CHUNK + 1, np.int64)
    right = left.copy()
    left[[0, -1]], right[[0, -1]] = 2**61, (2**60, 3)
    assert pairs.exact_dot(left, right) == 2**121 + 3 * 2**61 + 2 * CHUNK - 1


def test_the_bound_of_int64_is_not_reached() -> None:
    left = np.array([2**62, 2**61])
    assert pairs.exact_dot(left, np.array([1, 1])) == 3 * 2**61
    assert pairs.exact_dot(left, np.array([2, 1])) == 2**63 + 2**61


def test_floats_are_within_the_bound(rng) -> None:
    left, right = rng.random((2, 1_000))
    terms = [Fraction(a) * Fraction(b) for a, b in zip(left.tolist(), right.tolist(), strict=True)]
    found = pairs.exact_dot(left, right)
    assert abs(Fraction(found) - sum(terms)) <= sum(terms) * Fraction(12 + 1, 2**53)
    assert pairs.exact_dot(np.arange(4), np.full(4, 0.5)) == 3.0


def test_what_stands_above_a_row() -> None:
    assert pairs.above(np.array([2, 2, 7])).tolist() == [0, 2, 2]
