"""Pairs of rows by rank, beside every pair."""

import numpy as np
import pytest

from fastmetrics._kernels import concordance as kernels


def rising(ranks, differ=None) -> int:
    """Return the pairs i < j with a lower rank at i, of those whose ranks `differ` so."""
    actual = 0
    for j in range(len(ranks)):
        for i in range(j):
            if ranks[i] < ranks[j] and (differ is None or differ(int(ranks[i]), int(ranks[j]))):
                actual += 1
    return actual


@pytest.mark.parametrize("shift", [0, 8])
def test_pairs_that_differ_in_a_digit(rng, shift) -> None:
    ranks = (rng.integers(0, 256, 120) << shift).astype(np.int32)
    counts = np.zeros(256, np.int64)
    assert kernels.rising_by_digit(ranks, 20, 110, shift, counts) == rising(ranks[20:110])
    assert counts.tolist() == np.bincount(ranks[20:110] >> shift, minlength=256).tolist()


def test_rows_go_where_their_digit_goes_in_their_order(rng) -> None:
    ranks = rng.integers(0, 1 << 16, 90).astype(np.int32)
    counts = np.bincount(ranks >> 8, minlength=256)
    places = np.cumsum(counts) - counts
    out = np.empty_like(ranks)
    kernels.scatter_by_digit(ranks, 0, 90, 8, places, out)
    assert out.tolist() == ranks[np.argsort(ranks >> 8, kind="stable")].tolist()
    assert places.tolist() == np.cumsum(counts).tolist()


@pytest.mark.parametrize("values", [3, 200, 1 << 15])
def test_pairs_inside_segments(rng, values) -> None:
    ranks = rng.integers(0, values, 260).astype(np.int32)
    starts = np.array([0, 10, 10, 210, 260])
    want = [rising(ranks[low:high]) for low, high in ((0, 10), (10, 210), (210, 260))]
    actual = kernels.rising_in_segments(ranks.copy(), np.empty_like(ranks), starts, 0, 4, 8)
    assert actual == sum(want)
    assert (
        kernels.rising_in_segments(ranks.copy(), np.empty_like(ranks), starts, 2, 4, 8)
        == want[1] + want[2]
    )


def test_weights_of_later_groups(rng) -> None:
    n = 60
    ranks = rng.integers(0, 9, n).astype(np.int32)
    groups = np.sort(rng.integers(0, 25, n))
    starts = np.append(np.flatnonzero(np.diff(groups, prepend=-1)), n)
    weights = rng.integers(0, 5, n) / 4
    asked = rng.random(n) < 0.7
    below, tied = np.zeros((2, n))
    kernels.sums_of_later(ranks, starts, weights, asked, np.zeros(9), np.zeros(9), below, tied)
    for i in range(n):
        later = groups > groups[i]
        right = (
            weights[later & (ranks < ranks[i])].sum(),
            weights[later & (ranks == ranks[i])].sum(),
        )
        assert (below[i], tied[i]) == (right if asked[i] else (0.0, 0.0))
