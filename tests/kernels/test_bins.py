"""Counting rows into bins, against a binary search and a loop."""

from fractions import Fraction

import numpy as np
import pytest

from fastmetrics._kernels import buckets

NO_WEIGHTS = {np.int64: np.empty(0, np.int64), np.float64: np.empty(0)}
#: Cell functions: cells about ends, and a centre.
CELLS = {
    "ends": (0.0, -3.0, 3.0, 1.0, 50, 4096 - 31),
    "ends, beyond": (0.5, 0.0, 1.0, 1.0, 50, 4096 - 40),
    "ends, one cell has all": (0.0, -1e6, 1e6, 1.0, 50, 4096),
    "centre": (0.0, 0.0, 0.0, -1.0, 50, 4096 - 31),
}
N_CELLS = 64


def sought(cells, edges):
    """Return the arguments of a search: cells, starts and padded edges."""
    numbers, cell = np.array(cells, np.float64), np.empty(len(edges), np.int32)
    buckets.octave_cells(edges, numbers, N_CELLS - 1, np.empty(len(edges)), cell)
    assert (np.diff(cell) >= 0).all()
    starts = np.searchsorted(cell, np.arange(N_CELLS + 1)).astype(np.uint16)
    return numbers, starts, np.concatenate([edges, np.full(3, np.nan)])


def scores(rng, n, dtype):
    values = rng.normal(size=n)
    values[::7] = rng.choice([0.0, -0.0, 0.5, -np.inf, np.inf, 1e300, 5e-324], len(values[::7]))
    return values.astype(dtype) if dtype == np.float64 else np.clip(values, -9, 9).astype(dtype)


def expected(values, labels, weights, edges, kind):
    """Return counts, the one score of each bin (nan for several) and whether it may be one."""
    n = len(edges) + 1
    counts, held = np.zeros(2 * n, kind), [set() for _ in range(n)]
    for x, label, weight in zip(values.tolist(), labels.tolist(), weights.tolist(), strict=True):
        b = int(np.searchsorted(edges, x, side="right"))
        counts[2 * b + (label == 1)] += weight
        held[b].add(x)
    seen = [each.copy().pop() if len(each) == 1 else np.nan for each in held]
    return counts, np.array(seen), np.array([len(each) < 2 for each in held], np.uint8)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", [np.int64, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("cells", CELLS)
def test_rows_are_counted_in_their_bins(rng, dtype, kind, weighted, cells) -> None:
    edges = np.unique(np.r_[rng.normal(size=40), 0.0, 0.5, np.nextafter(0.5, 1)])
    values, labels = scores(rng, 600, dtype), rng.choice([-1, 1], 600).astype(np.int8)
    weights = rng.integers(1, 5, 600).astype(kind)
    counts, seen = np.zeros(2 * len(edges) + 2, kind), np.full(len(edges) + 1, np.nan)
    watched = np.ones(len(edges) + 1, np.uint8)
    buckets.count_rows(
        values,
        labels,
        weights if weighted else NO_WEIGHTS[kind],
        *sought(CELLS[cells], edges),
        counts,
        seen,
        watched,
    )
    right = expected(values, labels, weights if weighted else np.ones(600, kind), edges, kind)
    for mine, theirs in zip((counts, seen, watched), right, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    assert not np.signbit(seen[seen == 0]).any()


def test_bins_that_nobody_watches_keep_nothing() -> None:
    counts, seen, watched = np.zeros(4, np.int64), np.full(2, np.nan), np.array([0, 1], np.uint8)
    arguments = sought(CELLS["ends"], np.array([0.5]))
    values, labels = np.array([0.1, 0.7]), np.array([1, 0], np.int8)
    buckets.count_rows(values, labels, NO_WEIGHTS[np.int64], *arguments, counts, seen, watched)
    assert counts.tolist() == [0, 1, 1, 0]
    assert seen[1] == 0.7
    assert np.isnan(seen[0])


@pytest.mark.parametrize("n_edges", [0, 1, 2, 3, 300])
@pytest.mark.parametrize("cells", CELLS)
def test_bin_numbers(rng, n_edges, cells) -> None:
    edges = np.unique(rng.normal(size=n_edges))
    values = np.r_[scores(rng, 200, np.float64), edges, np.nextafter(edges, -np.inf)]
    number = np.empty(len(values), np.int32)
    buckets.bin_numbers(values, *sought(CELLS[cells], edges), np.empty(len(values)), number)
    np.testing.assert_array_equal(number, np.searchsorted(edges, values, side="right"))


def test_is_clean() -> None:
    most = np.finfo(float).max
    values, labels = np.array([0.0, -1e308, 2.0]), np.array([1, -1, 1], np.int8)
    assert buckets.is_clean(values, labels, -1, most)
    assert not buckets.is_clean(values, labels, 0, most)
    assert not buckets.is_clean(np.array([np.nan]), labels[:1], -1, np.inf)
    assert not buckets.is_clean(np.array([np.inf]), labels[:1], -1, most)
    assert buckets.is_clean(np.array([-np.inf]), labels[:1], -1, np.inf)
    assert not buckets.is_clean(values, np.array([1, 2, -1], np.int8), -1, most)


@pytest.mark.parametrize("start", [0, 5, 1000, 1023, 1024, 10**6])
def test_least_precision_sums(start) -> None:
    cases = [(0, 3), (1, 0), (1, 1), (2, 7), (40, 1), (1500, 30), (3, 10**9)]
    p, c = (np.array(each, np.float64) for each in zip(*cases, strict=True))
    out = np.empty(len(cases))
    buckets.least_precision_sums(p, np.full(len(cases), float(start)), c, out)
    for (positives, others), mine in zip(cases, out.tolist(), strict=True):
        terms = [Fraction(start + i, start + i + others) for i in range(1, positives + 1)]
        assert mine == pytest.approx(float(sum(terms)), rel=1e-14, abs=1e-14 * positives)
