"""Pairs won and column sums of resampled rows, against cells counted one by one."""

import math

import numpy as np
import pytest

from fastmetrics._kernels import replicates as kernels
from reference.replicate_oracle import Rows, twice_pairs_won

SEGMENT = kernels.SEGMENT


def sample(rng, n, kind):
    """Return sorted rows of both classes, as a rule."""
    labels = (rng.random(n) < 0.4).astype(int)
    if kind == "distinct":
        scores = rng.permutation(n)
    elif kind == "tied":
        scores = rng.integers(0, max(2, n // 6), n) + labels
    elif kind == "one long tie":
        scores = np.where(rng.random(n) < 0.15, rng.permutation(n), n // 2)
    else:
        scores = np.zeros(n)
    if kind == "positives only":
        labels[:] = 1
    if kind == "negatives only":
        labels[:] = 0
    return Rows.of(labels, scores)


KINDS = ["distinct", "tied", "one long tie", "all equal", "positives only", "negatives only"]


def drawn(rng, rows, count):
    """Return counts of the rows: small ones, some large, none beyond the last row."""
    counts = np.zeros((count, rows.padded), np.uint8)
    counts[:, : rows.n] = rng.poisson(1.0, (count, rows.n)).clip(0, 7)
    counts[:, : rows.n : 8] *= rng.integers(1, 21, counts[:, : rows.n : 8].shape).astype(np.uint8)
    return counts


def counted(rows, counts, state=None, first=0):
    """Return the state and the segments' totals, going on from ``state`` at row ``first``."""
    last = first + counts.shape[1]
    masks = rows.masks()[first:last]
    state = np.zeros((len(counts), 4), np.int64) if state is None else state
    segments = np.full((2, len(counts), -(-counts.shape[1] // SEGMENT)), -1)
    counts = np.ascontiguousarray(counts)
    kernels.pair_counts(
        counts.view(np.uint64),
        masks.view(np.uint64),
        rows.pieces(first, last),
        counts,
        (scratch := np.empty((2, SEGMENT), np.uint8)).view(np.uint64),
        scratch,
        state,
        *segments,
    )
    return state, segments


def expected(rows, counts):
    found = []
    for row in counts[:, : rows.n].tolist():
        cells = rows.resampled(row)
        totals = [sum(column) for column in zip(*cells, strict=True)]
        found.append([*totals, twice_pairs_won(cells), 0])
    return found


@pytest.mark.pairwise
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 63, 511, 512, 513, 1_030])
def test_pairs_won(rng, n, kind):
    rows = sample(rng, n, kind)
    counts = drawn(rng, rows, 2)
    state, segments = counted(rows, counts)
    assert state.tolist() == expected(rows, counts)
    starts = np.arange(0, rows.padded, SEGMENT)
    for of_class, masks in zip(segments, (rows.masks(), ~rows.masks()), strict=True):
        sums = np.add.reduceat(counts & masks, starts, axis=1, dtype=int)
        assert of_class.tolist() == sums.tolist()


@pytest.mark.parametrize("labels", ["alternating", "positives first", "random"])
def test_eight_counts_may_sum_to_255(rng, labels):
    """The largest sums that a word holds, at every place in it; a segment of nothing else."""
    positive = {
        "alternating": np.arange(1_024) % 2 == 0,
        "positives first": np.arange(1_024) < 512,
        "random": rng.random(1_024) < 0.5,
    }[labels]
    rows = Rows.of(positive, -np.arange(1_024))
    counts = np.zeros((3, 1_024), np.uint8)
    counts[0] = np.tile([31, 31, 31, 31, 31, 31, 31, 38], 128)
    counts[1, rng.integers(0, 8, 128) + 8 * np.arange(128)] = 255
    counts[2] = np.tile([1, 0, 127, 0, 0, 126, 0, 1], 128)
    state, _ = counted(rows, counts)
    assert state.tolist() == expected(rows, counts)


@pytest.mark.pairwise
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", [8, 64, 512, 520])
def test_parts_go_on_where_the_one_before_ended(rng, part, kind):
    rows = sample(rng, 150 if part < 512 else 1_100, kind)
    counts = drawn(rng, rows, 1)
    state = np.zeros((1, 4), np.int64)
    for first in range(0, rows.padded, part):
        counted(rows, counts[:, first : first + part], state, first)
        tie = next(((a, c) for a, b, c in rows.ties() if a < b < c and a < first + part < c), None)
        if tie is None:  # no tie of both classes is open
            assert not state[:, 3].any()
    assert state.tolist() == expected(rows, counts)


def test_a_tie_over_two_parts_is_left_open():
    """Ten positives and six negatives tie; the part ends before, between and after the classes."""
    rows = Rows(((0, 4), (10, 6), (3, 1)))
    counts = np.ones((1, 24), np.uint8)
    assert rows.pieces(0, 8).tolist() == [[4, 8, 8, 0]]
    assert rows.pieces(8, 24).tolist() == [[0, 6, 12, 1], [12, 15, 16, 1]]
    state, _ = counted(rows, counts[:, :8])
    assert state.tolist() == [[4, 4, 0, 4]]
    counted(rows, counts[:, 8:16], state, 8)
    assert state.tolist() == [[10, 6, 20, 10]]  # two of the tied negatives, ten halves each
    counted(rows, counts[:, 16:], state, 16)
    assert state.tolist() == expected(rows, counts) == [[13, 11, 60 + 20 + 3, 0]]


@pytest.mark.parametrize("n", [0, 1, 7, 512])
def test_byte_products(rng, n):
    a, b = rng.integers(0, 256, (2, 512)).astype(np.uint8)
    found = kernels.byte_products(a, b, n)
    assert found == int(a[:n].astype(int) @ b[:n].astype(int))


def test_byte_products_of_the_largest_bytes():
    full = np.full(512, 255, np.uint8)
    assert kernels.byte_products(full, full, 512) == 512 * 255**2


def test_gather_counts(rng):
    of_units = rng.integers(0, 9, (3, 16)).astype(np.uint8)
    units = rng.integers(0, 11, 29, dtype=np.int32)
    counts = np.full((3, 32), 77, np.uint8)
    kernels.gather_counts(of_units, units, counts)
    assert (counts[:, :29] == of_units[:, units]).all()
    assert (counts[:, 29:] == 77).all()


def test_exchanged_rows(rng):
    """Every unit has a row of each model; what is exchanged is one's instead of the other's."""
    units = np.tile(rng.permutation(100).astype(np.int32), 2)
    second = np.zeros(208, np.uint8)
    second[100:200] = 1
    coins = rng.integers(0, 2**64, (3, 2), dtype=np.uint64)
    counts = np.full((2, 3, 208), 9, np.uint8)
    kernels.exchange_rows(coins, units, second, *counts)
    assert (counts[:, :, 200:] == 9).all()
    for r, words in enumerate(coins.tolist()):
        bits = [words[unit // 64] >> unit % 64 & 1 for unit in units.tolist()]
        moved = [bit != own for bit, own in zip(bits, second.tolist(), strict=False)]
        assert counts[1, r, :200].tolist() == moved
        assert counts[0, r, :200].tolist() == [not other for other in moved]


@pytest.mark.parametrize("n", [0, 1, 2, 3, 511, 512, 513, 1_025, 1_500])
def test_column_sums(rng, n):
    counts = rng.integers(0, 200, (2, -(-n // 8) * 8)).astype(np.uint8)
    columns = np.stack((rng.random(n), rng.standard_normal(n) * 1e6, np.ones(n)))
    sums = np.full((2, 3), 0.5)
    kernels.column_sums(counts, columns, sums)
    for r in range(2):
        for j in range(3):
            products = counts[r, :n] * columns[j]
            error = 2.0**-52 * n * float(abs(products).sum() + 1)
            assert abs(sums[r, j] - 0.5 - math.fsum(products)) <= error
    assert sums[:, 2].tolist() == (counts[:, :n].sum(axis=1, dtype=int) + 0.5).tolist()
