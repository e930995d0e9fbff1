"""Ranks of Walsh averages against all of them, sorted."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fastmetrics.comparison.paired import _middle, starts_of_ties, walsh_averages

KINDS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "whole": lambda rng, n: np.round(3 * rng.normal(size=n)),
    "decimals": lambda rng, n: np.round(rng.normal(size=n), 3) - np.round(rng.normal(size=n), 3),
    "signs": lambda rng, n: rng.integers(-1, 2, n).astype(np.float64),
    "half zero": lambda rng, n: rng.normal(size=n) * (rng.random(n) < 0.5),
    "lattice": lambda rng, n: rng.permutation(n).astype(np.float64),
    "two clusters": lambda rng, n: rng.integers(0, 2, n) + 1e-9 * rng.normal(size=n),
    "two scales": lambda rng, n: rng.normal(size=n) * 1e20 ** rng.integers(0, 2, n),
    "an outlier": lambda rng, n: np.append(rng.normal(size=n - 1), -1e300),
    "heavy tails": lambda rng, n: np.exp(40 * rng.normal(size=n)),
    "equal": lambda _, n: np.full(n, 0.1),
    "the largest": lambda _, n: np.linspace(-1, 1, n) * np.finfo(np.float64).max,
    "subnormal": lambda _, n: np.linspace(-1, 1, n) * 1e-310,
    "far from 0": lambda rng, n: 2.0**52 + rng.integers(0, 9, n),
}


def all_averages(values):
    """Return them sorted; as sums of halves, none of which overflows."""
    i, j = np.triu_indices(len(values))
    return np.sort(values[i] / 2 + values[j] / 2)


@pytest.mark.parametrize("n", [1, 2, 40, 512, 513, 1500])
@pytest.mark.parametrize("kind", KINDS)
def test_ranks_without_all_averages(kind, n, rng):
    values = KINDS[kind](rng, n)
    want = all_averages(values)
    ranks = {1, 2, len(want) // 3, len(want) // 2, len(want) // 2 + 1, len(want) - 1, len(want)}
    spans = [(rank, rank) for rank in sorted(ranks) if 1 <= rank <= len(want)]
    spans += [(a, b) for (a, _), (b, _) in pairwise(spans) if b == a + 1]
    assert walsh_averages(values, *spans) == [(want[a - 1], want[b - 1]) for a, b in spans]


@pytest.mark.parametrize("kind", KINDS)
def test_ranks_of_many(kind, rng):
    """So many that samples are taken; averages are counted row by row."""
    values = np.sort(KINDS[kind](rng, 6_000))
    count = 6_000 * 6_001 // 2
    halves = values / 2
    for rank in (1, count // 5, count // 2):
        ((value, after),) = walsh_averages(values, (rank, rank + 1))
        below = up_to = 0
        for i, half in enumerate(halves):
            row = half + halves[i:]
            below += np.count_nonzero(row < value)
            up_to += np.count_nonzero(row <= value)
        assert below < rank <= up_to
        assert (after > value) == (rank == up_to)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=12))
def test_medians_of_any_numbers(values):
    values = np.array(values)
    want = all_averages(values)
    middle = (len(want) + 1) // 2, len(want) // 2 + 1
    assert walsh_averages(values, middle) == [(want[middle[0] - 1], want[middle[1] - 1])]


@given(*[st.floats(allow_nan=False)] * 2)
def test_the_middle_of_two_doubles(a, b):
    low, high = sorted((a, b))
    middle = _middle(low, high)
    assert low <= middle <= high
    if math.nextafter(low, math.inf) < high:
        assert low < middle < high


def test_ranks_of_a_hundred_thousand_differences(rng):
    values = rng.normal(0.01, 1, 100_000)
    rank = 100_000 * 100_001 // 8
    ((value, _),) = walsh_averages(values, (rank, rank))
    i, j = rng.integers(0, 100_000, (2, 400_000))
    share = np.mean((values[i] + values[j]) / 2 <= value)
    assert share == pytest.approx(0.25, abs=4 * math.sqrt(0.25 * 0.75 / 200_000))


def test_equal_differences_share_the_greatest_rounding():
    """Whichever comes last: the order of rows changes nothing."""
    ordered = np.array([1.0, 1.0, 1.5, 3.0])
    for roundings in ([1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]):
        assert starts_of_ties(ordered, np.array(roundings)).tolist() == [0, 3]
