"""Scatter, gather and count, by double loops."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from fastmetrics._kernels import buckets

DTYPES = [np.float64, np.float32, np.int64, np.uint64]
LARGEST = np.finfo(np.float64).max
BLOCK = buckets.BLOCK


@pytest.fixture(autouse=True)
def _numbers_as_in_machine_code():
    """Plain Python warns where machine code gives inf or nan, which these kernels reckon with."""
    with np.errstate(all="ignore"):
        yield


@dataclass
class Map:
    """A map to buckets: a range of scores, or splitters."""

    stream_of_cell: Any
    by_range: bool
    low: float = 0.0
    scale: float = 0.0
    splitters: Any = None
    tree: Any = None


def range_map(n_buckets: int, n_cells: int, low: float, high: float, dtype: Any) -> Map:
    bucket = np.arange(n_cells) * n_buckets // n_cells
    dummy = np.zeros(1, dtype)
    stream = (2 * bucket).astype(np.uint16)
    return Map(stream, True, low, n_cells / (high - low), dummy, dummy)


def splitter_map(splitters: Any) -> Map:
    """Return the map by sorted splitters, 2**k - 1 of them."""
    size = len(splitters) + 1
    tree = np.full(size, splitters[0])

    def fill(node: int, part: Any) -> None:
        if len(part):
            tree[node] = part[len(part) // 2]
            fill(2 * node, part[: len(part) // 2])
            fill(2 * node + 1, part[len(part) // 2 + 1 :])

    fill(1, splitters)
    stream = 2 * np.arange(2 * size - 1)
    padded = np.append(splitters, splitters[-1])
    return Map(stream.astype(np.uint16), False, splitters=padded, tree=tree)


@dataclass
class Streams:
    """Streams, blocks and counters after some rows were scattered in chunks."""

    pool: Any
    number_pool: Any
    block_starts: Any
    block_order: Any
    buffers: Any
    number_buffers: Any
    fill: Any
    n_negative: int
    bad: bool

    @property
    def rows(self) -> Any:
        blocks = np.diff(self.block_starts[:: len(self.fill)])
        return blocks * BLOCK + self.fill.sum(axis=0, dtype=np.int64)


def scattered(
    values, labels, map_: Map, numbers=None, parts: int = 1, most: float = LARGEST,
    weights: Any = None,
) -> Streams:  # fmt: skip
    """Scatter values; ``numbers`` is the dtype of weights or numbers of rows that they carry."""
    weights = np.empty(0) if weights is None else weights
    n = len(values)
    n_streams = int(map_.stream_of_cell.max()) + 2
    cuts = [n * k // parts for k in range(parts + 1)]
    first = np.array([cuts[k] // BLOCK + k for k in range(parts)])
    n_blocks = n // BLOCK + parts
    pool = np.empty((n_blocks, BLOCK), values.dtype)
    owner = np.empty(n_blocks, np.uint16)
    buffers = np.empty((parts, n_streams, BLOCK), values.dtype)
    number_pool = np.empty((n_blocks if numbers else 0, BLOCK), numbers or np.int32)
    number_buffers = np.empty((parts, n_streams if numbers else 0, BLOCK), number_pool.dtype)
    fill = np.zeros((parts, n_streams), np.uint16)
    following = []
    n_negative = 0
    bad = False
    for k in range(parts):
        part = slice(cuts[k], cuts[k + 1])
        free, negatives, is_bad = buckets.scatter(
            values[part], labels[part], 0, map_.by_range, map_.low, map_.scale,
            map_.stream_of_cell, map_.splitters, map_.tree, most, pool, first[k],
            owner, buffers[k], fill[k], cuts[k], weights[part], number_pool, number_buffers[k],
        )  # fmt: skip
        following.append(free)
        n_negative += negatives
        bad |= is_bad
    starts = np.zeros(n_streams * parts + 1, np.int64)
    order = np.empty(n_blocks, np.int32)
    buckets.index_blocks(owner, first, np.array(following, np.int64), starts, order)
    return Streams(
        pool, number_pool, starts, order, buffers, number_buffers, fill, n_negative, bool(bad)
    )


def gathered(streams: Streams, stream: int, numbers: bool = False) -> Any:
    pool = streams.number_pool if numbers else streams.pool
    buffers = streams.number_buffers if numbers else streams.buffers
    out = np.empty(streams.rows[stream], pool.dtype)
    fill = streams.fill
    starts = streams.block_starts
    assert buckets.gather(stream, pool, starts, streams.block_order, buffers, fill, out) == len(out)
    return out


def expected_stream(values: Any, labels: Any, map_: Map) -> Any:
    """Return the stream of each row, found by searching and comparing."""
    if map_.by_range:
        cells = np.floor((values.astype(np.float64) - map_.low) * map_.scale)
        cell = np.clip(cells, 0, len(map_.stream_of_cell) - 1).astype(int)
    else:
        splitters = map_.splitters[:-1]
        below = np.searchsorted(splitters, values, "left")
        cell = 2 * below + (np.append(splitters, splitters[-1:])[below] == values)
        cell[values > splitters[-1]] = 2 * len(splitters)
    return map_.stream_of_cell[cell] + (labels == 1)


def scores_of(rng, n: int, dtype: Any) -> Any:
    if np.dtype(dtype).kind == "f":
        return (rng.integers(-40, 40, n) / 8).astype(dtype)
    return rng.integers(0, 60, n).astype(dtype) + dtype(2**62 if dtype == np.int64 else 2**63)


def maps_of(values: Any) -> list[Map]:
    distinct = np.unique(values)
    at = np.linspace(0, len(distinct) - 1, 3).astype(int)
    ends = float(distinct[0]), float(distinct[-1]) + 1.0
    if ends[0] == ends[1]:  # integers so large that floats tell none of them apart
        ends = 0.0, 2 * ends[0]
    repeated = distinct[[at[1], at[2], at[2]]]
    return [
        range_map(5, 64, *ends, values.dtype),
        splitter_map(distinct[at]),
        splitter_map(repeated),
        splitter_map(distinct[at[1:2]]),
    ]


@pytest.mark.pairwise
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [0, 1, 127, 128, 129, 255, 256, 257, 700])
@pytest.mark.parametrize("parts", [1, 3])
def test_each_stream_holds_its_rows_in_order(rng, dtype, n: int, parts: int) -> None:
    values = scores_of(rng, n, dtype)
    labels = rng.choice([0, 1], n, p=[0.8, 0.2]).astype(np.int8)
    for map_ in maps_of(values) if n else [splitter_map(np.zeros(3, dtype))]:
        expected = expected_stream(values, labels, map_)
        for numbers in (None, np.int32, np.int64, np.float64):
            weights = rng.random(n) if numbers is np.float64 else None
            carried = np.arange(n) if weights is None else weights
            streams = scattered(values, labels, map_, numbers, parts, weights=weights)
            assert streams.n_negative == (labels == 0).sum()
            assert not streams.bad
            assert streams.rows.sum() == n
            for s in range(len(streams.rows)):
                mine = np.flatnonzero(expected == s)
                assert gathered(streams, s).tolist() == values[mine].tolist()
                if numbers:
                    assert gathered(streams, s, True).tolist() == carried[mine].tolist()
        unlabelled = scattered(values, labels[:0], map_, np.int32, parts)
        for s in range(0, len(unlabelled.rows), 2):
            mine = np.flatnonzero(expected // 2 == s // 2)
            assert gathered(unlabelled, s, True).tolist() == mine.tolist()


@pytest.mark.pairwise
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("fault", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("at", [0, 255, 256, 299])
def test_faults_are_noticed(rng, dtype, fault, at: int) -> None:
    values = scores_of(rng, 300, dtype)
    labels = np.zeros(300, np.int8)
    labels[7] = 3
    maps = maps_of(values)
    values[at] = fault
    for map_ in maps:
        streams = scattered(values, labels, map_)
        assert streams.bad
        assert streams.n_negative == 299
        assert scattered(values, labels, map_, most=np.inf).bad is bool(np.isnan(fault))


@pytest.mark.parametrize("dtype", DTYPES)
def test_cells_are_monotone(rng, dtype) -> None:
    values = np.sort(scores_of(rng, 200, dtype))
    cell = np.full(256, -1, np.int32)
    for low, scale in ((float(values[0]), 0.7), (float(values[50]), 1e300), (-1e308, 1e-308)):
        assert not buckets.range_cells(values, low, scale, 32, LARGEST, cell)
        assert (np.diff(cell[:200]) >= 0).all()
        assert cell[:200].min() >= 0
        assert cell[:200].max() < 32
        keys = np.full(200, 999, np.uint32)
        buckets.short_keys(values, low, scale * 2.0**27, keys)  # 32 cells
        np.testing.assert_array_equal(keys >> 27, cell[:200])
        assert (keys[1:] >= keys[:-1]).all()
    for map_ in maps_of(values)[1:]:
        assert not buckets.splitter_cells(values, map_.splitters, map_.tree, LARGEST, cell)
        assert (np.diff(cell[:200]) >= 0).all()
        np.testing.assert_array_equal(cell[:200] % 2 == 1, np.isin(values, map_.splitters))


def test_awkward_values_have_cells() -> None:
    values = np.array([-np.inf, -1e308, -0.0, 0.0, 5e-324, 1e308, np.inf, np.nan])
    cell = np.full(256, -1, np.int32)
    assert buckets.range_cells(values, 0.0, np.inf, 8, LARGEST, cell)
    assert cell[:8].tolist() == [0, 0, 0, 0, 7, 7, 7, 0]
    map_ = splitter_map(np.array([0.0, 0.0, 0.0]))
    assert buckets.splitter_cells(values, map_.splitters, map_.tree, LARGEST, cell)
    assert cell[:8].tolist() == [0, 0, 1, 1, 6, 6, 6, 0]


def bucket_of(dtype: Any, negative: Any, positive: Any) -> tuple[Any, Any]:
    values = np.concatenate([negative, positive]).astype(dtype)
    return values, np.repeat([0, 1], [len(negative), len(positive)]).astype(np.int8)


def counted(streams: Streams, low: float, high: float, single: bool) -> int:
    twice = np.full(1, -9)
    ends = np.array([low]), np.array([high])
    buckets.count_buckets(
        0, 1, streams.pool, streams.block_starts, streams.block_order, streams.buffers,
        streams.fill, *ends, np.array([single]), streams.rows, twice,
    )  # fmt: skip
    return int(twice[0])


@pytest.mark.pairwise
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", [(0, 5), (5, 0), (1, 1), (2, 3), (3, 1), (200, 90), (90, 300)])
def test_count_one_bucket(rng, dtype, sizes) -> None:
    for spread in (1, 4, 1_000):
        high = 0 if np.dtype(dtype).kind == "f" else 2**62
        negative, positive = (rng.integers(0, spread, size) + high for size in sizes)
        values, labels = bucket_of(dtype, negative, positive)
        streams = scattered(values, labels, range_map(1, 4, 0.0, 1.0, values.dtype))
        twice = 2 * (positive[:, None] > negative).sum() + (positive[:, None] == negative).sum()
        actual = counted(streams, float(high), float(high) + spread, False)
        assert actual in (twice, -1)
        if spread == 1 and min(sizes) > buckets.LEAF_LIMIT:
            assert actual == -1
        if spread == 1_000 and high == 0:
            assert actual == twice
        if spread == 1:
            assert counted(streams, 0.0, 1.0, True) == 0  # left to the caller


def test_bounds_of_a_bucket_need_not_be_right(rng) -> None:
    """Rounding, rows that were not sampled and infinities: leaves are clamped, never wrong."""
    negative = rng.standard_normal(40)
    positive = rng.standard_normal(30)
    positive[:2] = (np.inf, -np.inf)
    negative[:2] = (-np.inf, np.inf)
    values, labels = bucket_of(np.float64, negative, positive)
    streams = scattered(values, labels, range_map(1, 4, -1.0, 1.0, values.dtype), most=np.inf)
    twice = 2 * (positive[:, None] > negative).sum() + (positive[:, None] == negative).sum()
    for ends in ((-1.0, 1.0), (5.0, 6.0), (-1e308, 1e308), (0.0, 5e-324), (0.3, 0.3)):
        assert counted(streams, *ends, False) == twice


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_of_one_key_are_compared_by_their_scores(rng, dtype) -> None:
    """Scores that are far closer to one another than a bucket is wide, and some that are equal."""
    base = np.float64(2**16 if dtype == np.float32 else 2**32)
    scores = (base * rng.integers(1, 128, 210) + rng.integers(0, 3, 210)).astype(dtype)
    negative = scores[:120]
    positive = scores[120:]
    values, labels = bucket_of(dtype, negative, positive)
    streams = scattered(values, labels, range_map(1, 4, 0.0, 1.0, values.dtype))
    twice = 2 * (positive[:, None] > negative).sum() + (positive[:, None] == negative).sum()
    key = np.empty(210, np.uint32)
    high = 2.0**50  # so far off that scores of a base share their key
    buckets.short_keys(values, 0.0, 2.0**32 / high, key)
    assert len(np.unique(key)) < len(np.unique(values))
    assert counted(streams, 0.0, 128.0 * base, False) == twice
    assert counted(streams, 0.0, high, False) in (twice, -1)


def test_only_the_buckets_asked_for_are_counted(rng) -> None:
    values = rng.random(600)
    labels = rng.integers(0, 2, 600).astype(np.int8)
    streams = scattered(values, labels, range_map(4, 64, 0.0, 1.0, values.dtype), parts=2)
    ends = np.array([0.0, 0.25, 0.5, 0.75]), np.array([0.25, 0.5, 0.75, 1.0])
    twice = np.full(4, -9)
    for job in ((1, 2), (2, 3), (3, 3)):
        buckets.count_buckets(
            *job, streams.pool, streams.block_starts, streams.block_order, streams.buffers,
            streams.fill, *ends, np.zeros(4, bool), streams.rows, twice,
        )  # fmt: skip
    assert twice[[0, 3]].tolist() == [-9, -9]
    for b in (1, 2):
        here = np.floor(values * 4) == b
        positive = values[here & (labels == 1)]
        assert twice[b] == 2 * (positive[:, None] > values[here & (labels == 0)]).sum()


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint64])
@pytest.mark.parametrize("n", [2, 3, 500, 5 * buckets.SAMPLE])
def test_leaves_are_sorted_where_values_are_even(rng, n, dtype):
    values = rng.normal(size=n) if dtype in (np.float64, np.float32) else rng.random(n) * 2.0**63
    values = values.astype(dtype)
    values[0], values[1] = 1, 2  # two that differ
    out = np.empty_like(values)
    scratch = np.empty(n, np.uint16), np.empty(2 * n + 1, np.int32)
    assert buckets.sort_leaves(values, *scratch, out)
    np.testing.assert_array_equal(out, np.sort(values))


def test_a_leaf_of_equal_values_is_sorted(rng):
    values = rng.integers(0, 7, 700) / 8
    out = np.empty_like(values)
    assert buckets.sort_leaves(values, np.empty(700, np.uint16), np.empty(1401, np.int32), out)
    np.testing.assert_array_equal(out, np.sort(values))


@pytest.mark.parametrize(
    "values",
    [
        np.full(9, 0.5),
        np.array([0.0, np.inf]),
        np.array([0.0, 5e-324]),
        np.array([-1.7e308, 1.7e308]),
        np.array([0.0, np.nan, 1.0]),
        np.append(np.arange(40, 0, -1) * 1e-9, 1.0),
        np.append(np.arange(4 * buckets.SAMPLE) * 1e-9, 1.0),
    ],
    ids=["one", "infinite", "denormal", "too wide", "nan", "uneven", "many and uneven"],
)
def test_leaves_that_are_no_use(values):
    n = len(values)
    before = values.copy()
    scratch = np.empty(n, np.uint16), np.empty(2 * n + 1, np.int32)
    assert not buckets.sort_leaves(values, *scratch, np.empty_like(values))
    np.testing.assert_array_equal(values, before)
