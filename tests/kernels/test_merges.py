"""Orders, buckets, merges and runs."""

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fastmetrics._kernels import buckets as kernels, merges
from reference import pair_oracle as oracle

UNIT = Fraction(1, 2**53)
DTYPES = [np.float64, np.float32, np.int64, np.uint64]
SIZES = [(0, 0), (0, 3), (3, 0), (1, 1), (1, 40), (40, 1), (60, 60), (17, 80)]


def runs(rng, sizes, dtype, distinct: int) -> tuple[Any, Any]:
    """Return two ascending runs with ties inside and between them."""
    steps = [np.sort(rng.integers(0, distinct, size)) for size in sizes]
    if np.dtype(dtype).kind == "f":
        return tuple((step / 8 - 1).astype(dtype) for step in steps)
    high = dtype(2**62 if dtype == np.int64 else 2**63)
    return tuple(step.astype(dtype) + high for step in steps)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", SIZES)
def test_two_runs(rng, dtype, sizes) -> None:
    for distinct in (1, 2, 9, 500):
        positive, negative = runs(rng, sizes, dtype, distinct)
        above = (positive[:, None] > negative).sum()
        tied = (positive[:, None] == negative).sum()
        assert merges.pairs_of_sorted(positive, negative) == 2 * above + tied
        truth = oracle.counted(np.repeat([1, 0], sizes) == 1, np.concatenate([positive, negative]))
        scores = np.empty(sum(sizes), dtype)
        counts = np.full((2, sum(sizes)), -1)
        k = merges.merge_descending(positive, negative, scores, *counts)
        assert k == len(truth)
        assert list(zip(scores[:k].tolist(), *counts[:, :k].tolist(), strict=True)) == truth
        assert (counts[:, k:] == -1).all()


@pytest.mark.pairwise
@pytest.mark.parametrize("kind", [np.int64, np.float64])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", SIZES)
def test_merge_tables(rng, dtype, kind, sizes) -> None:
    tables = []
    truth = {}
    for run in runs(rng, sizes, dtype, 70):
        scores = np.unique(run)[::-1].copy()  # as tables lie: kernels compile for a layout
        counts = (rng.integers(0, 9, (2, len(scores))) / (2 if kind is np.float64 else 1)).astype(
            kind
        )
        tables.append((scores, *counts))
        for score, *both in zip(scores.tolist(), *counts.tolist(), strict=True):
            truth[score] = [a + b for a, b in zip(both, truth.get(score, (0, 0)), strict=True)]
    n = sum(len(table[0]) for table in tables)
    scores = np.empty(n, dtype)
    counts = np.full((2, n), -1, kind)
    k = merges.merge_tables(*tables[0], *tables[1], scores, *counts)
    assert scores[:k].tolist() == sorted(truth, reverse=True)
    assert counts[:, :k].T.tolist() == [truth[score] for score in scores[:k].tolist()]
    assert (counts[:, k:] == -1).all()


@pytest.mark.parametrize("n", [0, 1, 2, 300])
def test_lost_pairs(rng, n: int) -> None:
    positives, negatives = rng.integers(0, 2**20, (2, n))
    table = [(n - i, p, w) for i, (p, w) in enumerate(zip(positives, negatives, strict=True))]
    assert merges.lost_pairs(positives, negatives) == oracle.twice_concordant(table[::-1])


def columns_of(table: list[oracle.Row]) -> tuple[Any, Any]:
    return tuple(np.array([float(row[k]) for row in table]) for k in (1, 2))


@pytest.mark.parametrize("n", [0, 1, 2, 300])
def test_weigh_pairs(rng, n: int) -> None:
    columns = np.exp2(rng.uniform(-53, 53, (2, n))) * (rng.random((2, n)) < 0.7)
    table = [(n - i, Fraction(p), Fraction(w)) for i, (p, w) in enumerate(columns.T.tolist())]
    actual = np.empty(4)
    merges.weigh_pairs(*columns_of(table), actual)
    exact = (
        *oracle.totals(table),
        oracle.twice_concordant(table),
        oracle.twice_concordant(table[::-1]),
    )
    for value, truth in zip(actual.tolist(), exact, strict=True):
        assert abs(Fraction(value) - truth) <= 8 * UNIT * truth


def test_whole_weights_are_weighed_exactly(rng) -> None:
    counts = rng.integers(0, 2**20, (2, 50))
    actual = np.empty(4)
    table = [(50 - i, p, w) for i, (p, w) in enumerate(counts.T.tolist())]
    exact = oracle.twice_concordant(table), oracle.twice_concordant(table[::-1])
    assert max(exact) < 2**53
    merges.weigh_pairs(*counts.astype(np.float64), actual)
    assert tuple(actual[2:]) == exact


def cumulative(weights: np.ndarray) -> np.ndarray:
    out = np.full((2, len(weights)), np.nan)
    merges.cumulative_pair(weights, weights, *out)
    np.testing.assert_array_equal(*out)
    return out[0]


@pytest.mark.parametrize("n", [0, 1, 300])
def test_cumulative_pair(rng, n: int) -> None:
    weights = np.exp2(rng.uniform(-53, 53, n)) * (rng.random(n) < 0.7)
    out = cumulative(weights)
    assert (np.diff(out) >= 0).all()
    total = Fraction(0)
    for weight, value in zip(weights.tolist(), out.tolist(), strict=True):
        total += Fraction(weight)
        assert abs(Fraction(value) - total) <= 4 * UNIT * total


def test_cumulative_weights_keep_what_is_small() -> None:
    assert cumulative(np.array([1.0, *[1e-16] * 1_000]))[-1] == 1 + 1e-13


def test_cumulative_weights_never_fall() -> None:
    """A weight of 0 after a sum that was rounded up: what was lost is more than what comes."""
    unit = float(UNIT)
    out = cumulative(np.array([unit, 1.5 * unit, 1 - unit, 0.0]))
    assert out.tolist() == [unit, 2.5 * unit, 1 + 2 * unit, 1 + 2 * unit]


@pytest.mark.pairwise
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("negative", [0, -1])
@pytest.mark.parametrize("n", [0, 1, 2, 90])
def test_split_classes(rng, dtype, negative: int, n: int) -> None:
    scores = rng.integers(0, 50, n).astype(dtype)
    for values in ([1], [negative], [1, negative], [1, negative, 3]):
        labels = rng.choice(values, n).astype(np.int8)
        ones, others = np.zeros((2, n + 1), dtype)
        p, m = merges.split_classes(scores, labels, negative, ones, others)
        np.testing.assert_array_equal(ones[:p], scores[labels == 1])
        np.testing.assert_array_equal(others[:m], scores[labels == negative])
        assert p + m == np.isin(labels, [1, negative]).sum()


FLOATS = np.int32(2**31 - 1)
INTEGERS = np.int32(0)
SIGN = 1 << 31
BINS = np.array([3, 0x3F80, 0xBF80, 0xBF81, 0xC000])


def key_of(value, flip):
    """Return the key of a score, by arithmetic of Python."""
    bits = int(np.array([value], np.float32 if flip else np.int32).view(np.uint32)[0])
    if flip and bits == SIGN:
        bits = 0
    if flip and bits & SIGN:
        return bits ^ 0xFFFFFFFF
    return bits ^ SIGN


def scores_of(rng, n, flip):
    if flip:
        actual = rng.choice([-2.5, -1.0, -0.0, 0.0, 1e-40, 1.0, 1.5, np.inf, -np.inf], n)
        return np.where(rng.random(n) < 0.5, actual, rng.normal(size=n)).astype(np.float32)
    return rng.integers(-(2**31), 2**31, n).astype(np.int32)


@pytest.mark.parametrize("flip", [FLOATS, INTEGERS])
@pytest.mark.parametrize("label", [None, 0, 1])
def test_keys_are_dealt_in_the_order_of_scores(rng, flip, label):
    scores = scores_of(rng, 700, flip)
    labels = rng.choice([-1, 1], 700).astype(np.int8)
    stream_of_bin = np.zeros(1 << 16, np.uint16)
    stream_of_bin[0x8000:] = 2
    stream_of_bin[0xC000:] = 4
    pool = np.empty((20, kernels.BLOCK), np.uint32)
    owner = np.empty(20, np.uint16)
    buffers = np.empty((6, kernels.BLOCK), np.uint32)
    fill = np.zeros(6, np.uint32)
    state = np.array([2, 10, 20, 30])
    given = labels if label is None else labels[:0]
    kernels.deal(scores.view(np.int32), flip, given, label or 0, stream_of_bin, pool, owner,
                 buffers, fill, state)  # fmt: skip
    is_positive = labels == 1 if label is None else np.full(700, label == 1)
    keys = [key_of(score, flip) for score in scores.tolist()]
    expected = {stream: [] for stream in range(6)}
    for key, positive in zip(keys, is_positive, strict=True):
        expected[int(stream_of_bin[key >> 16]) + int(positive)].append(key)
    actual = {stream: [] for stream in range(6)}
    for block in range(2, state[0]):
        actual[owner[block]] += pool[block].tolist()
    for stream in range(6):
        actual[stream] += buffers[stream, : fill[stream]].tolist()
    assert actual == expected
    assert state[1:].tolist() == [
        10 + int((~is_positive).sum()),
        20 + int(is_positive.sum()),
        30 + len(expected[0]) + len(expected[1]),
    ]
    order = np.argsort(scores + scores.dtype.type(0), kind="stable")
    assert np.array_equal(np.argsort(keys, kind="stable"), order)


def counted(rng, count, room, n_mine):
    """Return cells and what passed 255, of keys in blocks and a buffer, and the keys."""
    lows = rng.choice([0, 1, 77, 0xFFFF], (6, kernels.BLOCK))
    keys = (rng.choice(BINS, (6, kernels.BLOCK)) << 16 | lows).astype(np.uint32)
    buffers = keys[5:6].repeat(2, 0)
    fill = np.array([0, 50], np.uint32)
    slots = np.zeros(1 << 16, np.uint16)
    slots[BINS] = [2, 1, 0, 4, 3]
    cells = np.zeros(5 << 17, np.uint8)
    starts = np.array([0, 0, 5])
    order = np.array([4, 2, 0, 1, 3], np.int32)
    passed = np.zeros(kernels.BLOCK + room, np.int64)
    state = np.zeros(3, np.int64)
    mine = slots[BINS[:n_mine]]
    actual = []
    for _ in range(100):
        count(1, keys, starts, order, buffers, fill, slots, mine, cells, passed, state)
        actual += passed[: state[2]].tolist()
        state[2] = 0
        if state[1]:
            break
    assert state.tolist() == [6, 1, 0]
    all_keys = np.concatenate((keys[:5].ravel(), keys[5, :50]))
    return slots, cells, actual, Counter(all_keys.tolist())


@pytest.mark.parametrize(("room", "n_mine"), [(0, 0), (1, 5), (500, 5)])
def test_keys_are_counted(rng, room, n_mine):
    slots, cells, passed, expected = counted(rng, kernels.count_stream, room, n_mine)
    actual = Counter()
    for cell in np.flatnonzero(cells).tolist():
        slot = cell >> 17
        low = (cell & 0x1FFFF) >> 1
        assert cell & 1
        actual[(int(BINS[slots[BINS] == slot][0]) << 16) + low] += int(cells[cell])
    for each in passed:
        assert each & 1
        actual[each >> 1] += 256
    assert actual == expected


def some_counts(rng):
    cells = np.zeros(6 << 17, np.uint8)
    slots = np.zeros(1 << 16, np.uint16)
    slots[BINS] = [5, 2, 3, 0, 1]
    expected = {}
    for rank, bin_ in enumerate(BINS.tolist()):
        for low in (0, 5, 6, 999, 0xFFFF):
            negatives, positives = rng.integers(0, 255, 2).tolist()
            at = (int(slots[bin_]) << 17) + 2 * low
            cells[at : at + 2] = negatives, positives
            expected[(rank << 16) + low] = [(bin_ << 16) + low, positives, negatives]
    passed = np.array([2 * expected[5][0], 2 * expected[5][0] + 1, 2 * expected[(1 << 16) + 6][0]])
    times = np.array([3, 1, 2])
    expected[5][1] += 256
    expected[5][2] += 3 * 256
    expected[(1 << 16) + 6][2] += 2 * 256
    return cells, slots, passed, times, expected


PLACES = [(0, 1100), (0, 0), (5, 6), (6, 1000), (65000, (1 << 16) + 7), ((5 << 16) - 9, 5 << 16)]


@pytest.mark.parametrize("between", PLACES)
def test_rows_between(rng, between):
    cells, slots, *_, expected = some_counts(rng)
    rows = np.empty(2, np.int64)
    kernels.rows_between(BINS, slots, cells, *between, rows)
    inside = [row for place, row in expected.items() if between[0] <= place < between[1]]
    # those beyond 255 are the caller's
    assert rows.tolist() == [sum(n % 256 for *_, n in inside), sum(p % 256 for _, p, _ in inside)]


@pytest.mark.parametrize("between", PLACES)
def test_the_table_between(rng, between):
    cells, slots, passed, times, expected = some_counts(rng)
    inside = sorted(place for place in expected if between[0] <= place < between[1])
    mine = np.isin(passed >> 1, [expected[place][0] for place in inside])
    n = between[1] - between[0]
    bits = np.empty(n, np.int32)
    positives, negatives = np.empty((2, n), np.int64)
    actual = kernels.table_between(
        BINS,
        slots,
        cells,
        *between,
        INTEGERS,
        passed[mine],
        times[mine],
        bits,
        positives,
        negatives,
    )
    rows = [expected[place] for place in reversed(inside) if sum(expected[place][1:])]
    columns = bits[:actual].astype(np.int64) + SIGN, positives[:actual], negatives[:actual]
    assert [list(row) for row in zip(*(c.tolist() for c in columns), strict=True)] == rows
