"""Cells, bins, pairs of labels and hits."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fastmetrics._kernels import buckets, cells as kernels, concordance
from reference import probability_oracle as oracle

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
    numbers = np.array(cells, np.float64)
    cell = np.empty(len(edges), np.int32)
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
    counts = np.zeros(2 * n, kind)
    held = [set() for _ in range(n)]
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
    values = scores(rng, 600, dtype)
    labels = rng.choice([-1, 1], 600).astype(np.int8)
    weights = rng.integers(1, 5, 600).astype(kind)
    counts = np.zeros(2 * len(edges) + 2, kind)
    seen = np.full(len(edges) + 1, np.nan)
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
    counts = np.zeros(4, np.int64)
    seen = np.full(2, np.nan)
    watched = np.array([0, 1], np.uint8)
    arguments = sought(CELLS["ends"], np.array([0.5]))
    values = np.array([0.1, 0.7])
    labels = np.array([1, 0], np.int8)
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
    values = np.array([0.0, -1e308, 2.0])
    labels = np.array([1, -1, 1], np.int8)
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


RULES = {
    "last": kernels.LAST,
    "first": kernels.FIRST,
    "best": kernels.BEST,
    "worst": kernels.WORST,
    "expected": kernels.EXPECTED,
}


@pytest.mark.pairwise
@pytest.mark.parametrize("ties", RULES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.uint64])
@pytest.mark.parametrize("weighted", [False, True])
def test_hits(rng, ties, dtype, weighted):
    codes = rng.integers(0, 4, 20)
    scores = rng.integers(0, 3, (20, 4)).astype(dtype)
    weights = rng.integers(0, 4, 20) / 4 if weighted else np.empty(0)
    for k in (1, 2, 3, 4):
        sums = np.empty(2)
        counts = np.empty(2, np.int64)
        rows = np.empty(4, np.int64)
        kernels.top_k_hits(codes - 1, -1, scores, weights, k, RULES[ties], sums, counts, rows)
        given = weights.tolist() if weighted else None
        want = oracle.top_k(codes.tolist(), scores.tolist(), k, ties, given, normalize=False)
        assert sums.sum() == pytest.approx(float(want), rel=1e-14)
        assert counts.tolist() == [20, 0]
        assert rows.tolist() == np.bincount(codes, minlength=4).tolist()


def test_faults_are_counted():
    scores = np.array([[0.1, np.nan, np.inf], [0.1, 0.2, 0.3], [1.0, 0.0, -np.inf]])
    sums = np.empty(2)
    counts = np.empty(2, np.int64)
    rows = np.empty(3, np.int64)
    codes = np.array([0, 3, 1])
    with np.errstate(invalid="ignore"):
        kernels.top_k_hits(codes, 0, scores, np.empty(0), 1, kernels.LAST, sums, counts, rows)
    assert counts.tolist() == [2, 3]
    assert rows.tolist() == [1, 1, 0]


def test_large_integers_are_not_rounded():
    scores = np.array([[2**53, 2**53 + 1]])
    sums = np.empty(2)
    counts = np.empty(2, np.int64)
    rows = np.empty(2, np.int64)
    for code, hits in ((0, 0.0), (1, 1.0)):
        codes = np.array([code])
        kernels.top_k_hits(codes, 0, scores, np.empty(0), 1, kernels.BEST, sums, counts, rows)
        assert sums[0] == hits


def coded(rng: np.random.Generator, n: int, n_ranks: int) -> Any:
    return (rng.integers(0, n_ranks, n) << 1 | rng.integers(0, 2, n)).astype(np.uint32)


def before(codes: Any) -> Any:
    """Return the rows before each one of lower rank, and 2**32 times those that lead."""
    ranks = codes >> 1
    leads = codes & 1
    return np.array(
        [
            int((ranks[:i] < ranks[i]).sum()) + (int(leads[:i][ranks[:i] < ranks[i]].sum()) << 32)
            for i in range(len(codes))
        ],
        np.int64,
    )


@pytest.mark.parametrize("shift", [1, 9])
def test_rows_of_a_lower_digit(rng, monkeypatch, shift) -> None:
    codes = coded(rng, 120, 256)
    shifted = (codes >> 1 << shift | codes & 1).astype(np.uint32)
    sums = np.zeros(120, np.int64)
    counts = np.zeros(256, np.int64)
    concordance.lower_by_digit(shifted, 20, 60, shift, sums, counts)
    concordance.lower_by_digit(
        shifted, 60, 110, shift, sums, counts
    )  # which adds the digits counted so far
    assert sums[20:110].tolist() == before(codes[20:110]).tolist()
    assert not sums[:20].any()
    digits = codes[20:110] >> 1
    leads = codes[20:110] & 1
    assert (counts & 0xFFFFFFFF).tolist() == np.bincount(digits, minlength=256).tolist()
    assert (counts >> 32).tolist() == np.bincount(digits, leads, minlength=256).tolist()


def test_more_rows_than_a_block_holds(rng) -> None:
    """Counters have 16 bits: every row leads, and the last ones are higher than all."""
    codes = np.concatenate((np.ones(70_000), np.full(3, 255 << 1 | 1))).astype(np.uint32)
    sums = np.zeros(70_003, np.int64)
    concordance.lower_by_digit(codes, 0, 70_003, 1, sums, np.zeros(256, np.int64))
    assert not sums[:70_000].any()
    assert sums[70_000:].tolist() == [70_000 * (1 + 2**32)] * 3


def test_rows_go_where_their_digit_goes_with_their_sums(rng) -> None:
    codes = coded(rng, 90, 1 << 12)
    sums = rng.integers(0, 99, 90)
    digits = codes >> 5 & 15
    places = np.cumsum(np.bincount(digits, minlength=16)) - np.bincount(digits, minlength=16)
    more = np.arange(16) * 100
    out = np.empty_like(codes)
    sums_out = np.empty_like(sums)
    concordance.scatter_with_sums(codes, sums, 0, 90, 5, 15, places, more, out, sums_out)
    order = np.argsort(digits, kind="stable")
    assert out.tolist() == codes[order].tolist()
    assert sums_out.tolist() == (sums + more[digits])[order].tolist()


@pytest.mark.parametrize("bits", [1, 5, 13])
def test_segments_are_sorted_and_each_row_knows_those_before(rng, bits) -> None:
    codes = coded(rng, 900, 1 << bits)
    starts = np.array([0, 5, 5, 40, 800, 900])
    actual = codes.copy()
    sums = np.zeros(900, np.int64)
    concordance.lower_in_segments(
        actual, sums, np.empty_like(codes), np.empty_like(sums), starts, 0, 5, bits
    )
    for low, high in ((0, 5), (5, 40), (40, 800), (800, 900)):
        order = np.argsort(codes[low:high] >> 1, kind="stable")
        assert actual[low:high].tolist() == codes[low:high][order].tolist()
        assert sums[low:high].tolist() == before(codes[low:high])[order].tolist()


@pytest.mark.parametrize("n_keys", [3, 40])
def test_partners_of_every_kind(rng, n_keys) -> None:
    n = 60
    ranks = rng.integers(0, 12, n)
    keys = rng.integers(0, n_keys, n)
    lead_of_key = rng.random(n_keys) < 0.6
    rows = np.lexsort((keys, ranks)).astype(np.int32)
    starts = np.append(np.flatnonzero(np.diff(ranks[rows], prepend=-1)), n)
    below = np.array(
        [[(keys < k).sum(), (lead_of_key[keys] & (keys < k)).sum()] for k in range(n_keys + 1)]
    )
    lower = ranks[None, :] < ranks[:, None]
    not_later = keys[None, :] <= keys[:, None]
    leading = lead_of_key[keys][None, :] & (keys[None, :] < keys[:, None])
    sums = (lower & not_later).sum(axis=1) + ((lower & leading).sum(axis=1) << 32)
    first = keys[:, None] < keys[None, :]  # the row itself has the lower key
    pairs = (first & lead_of_key[keys][:, None]) | leading
    by_score = np.sign(ranks[None, :] - ranks[:, None]) * np.where(first, 1, -1)
    kinds = [(pairs & (by_score == way)).sum(axis=1) for way in (1, -1, 0)]
    alike = keys[None, :] == keys[:, None]
    kinds.append((alike & (ranks[None, :] != ranks[:, None])).sum(axis=1))
    slopes = np.array([1.0, 100.0, 1e4, 1e6, 0.5])
    out = np.empty(n)
    given = (sums[rows], keys[rows].astype(np.int32), rows, starts)
    concordance.combine_partners(*given, 0, 4, below.astype(np.int32), slopes, out)
    concordance.combine_partners(*given, 4, len(starts) - 1, below.astype(np.int32), slopes, out)
    assert out.tolist() == (slopes[:4] @ np.array(kinds) + 0.5).tolist()
