"""Where the rows go: ordered buckets, nothing lost, whatever the distribution."""

from typing import Any

import numpy as np
import pytest
from table_samples import KINDS, labels_of, thresholds, unsampled_cluster

from fastmetrics._input.rows import BinaryRows, check_binary
from fastmetrics._kernels import buckets
from fastmetrics.tables.ordering import Partition, partition, partition_rows, plan_buckets


def rows_of(labels: Any, scores: Any) -> BinaryRows:
    return check_binary(labels, scores, allow_inf=True)


def uneven_buckets(parted: Partition) -> int:
    """Return how many buckets the kernel hands back to be sorted."""
    plan = parted.plan
    twice = np.zeros(plan.n_buckets, np.int64)
    buckets.count_buckets(
        0,
        plan.n_buckets,
        parted.pool,
        parted.block_starts,
        parted.block_order,
        parted.buffers,
        parted.fill,
        plan.lows,
        plan.highs,
        plan.holds_one_score,
        parted.rows,
        twice,
    )
    return int(np.count_nonzero(twice == -1))


def assert_holds(parted: Partition, rows: BinaryRows) -> None:
    """Assert that the streams hold the rows, class by class and bucket above bucket."""
    assert parted.is_clean
    assert parted.rows.sum() == len(rows.scores)
    streams = [parted.gather(s) for s in range(2 * parted.plan.n_buckets)]
    below: Any = None
    for b in range(parted.plan.n_buckets):
        bucket = np.concatenate(streams[2 * b : 2 * b + 2])
        if len(bucket) == 0:
            continue
        assert below is None or below < bucket.min()
        below = bucket.max()
        if parted.plan.holds_one_score[b]:
            assert bucket.min() == below
    for of_class, label in ((streams[0::2], rows.negative), (streams[1::2], 1)):
        found = np.concatenate(of_class)
        assert found.dtype == rows.scores.dtype
        np.testing.assert_array_equal(np.sort(found), np.sort(rows.scores[rows.labels == label]))
    assert_rows_are_numbered(parted, rows)


def assert_rows_are_numbered(parted: Partition, rows: BinaryRows) -> None:
    """Without labels the same buckets, in the order of the rows, which travel along."""
    numbered = partition_rows(rows.scores)
    assert numbered.is_clean == bool(np.isfinite(rows.scores).all())
    assert numbered.rows.tolist() == parted.rows.reshape(-1, 2).sum(axis=1).tolist()
    for b in range(numbered.plan.n_buckets):
        numbers = numbered.gather_carried(b)
        assert (np.diff(numbers) > 0).all()
        np.testing.assert_array_equal(numbered.gather(b), rows.scores[numbers])
        for stream, label in ((2 * b, rows.negative), (2 * b + 1, 1)):
            mine = numbers[rows.labels[numbers] == label]
            np.testing.assert_array_equal(parted.gather(stream), rows.scores[mine])


@pytest.mark.parametrize("block", [buckets.BLOCK, buckets.TILE])
@pytest.mark.parametrize("more", [-1, 0, 1])
@pytest.mark.parametrize("times", [1, 2, 5])
def test_sizes_around_blocks_and_tiles(rng, block: int, more: int, times: int) -> None:
    n = block * times + more
    for scores in (rng.random(n), np.zeros(n)):
        for share in (0.0, 0.5):
            rows = rows_of(labels_of(rng, n, share), scores)
            for part_rows in (block, 1 << 20):
                with thresholds(bucket_rows=1 << 20, part_rows=part_rows):
                    assert_holds(partition(rows), rows)


@pytest.mark.parametrize(
    ("kind", "by_range"),
    [
        ("normal", True),
        ("three_decimals", True),
        ("one_ulp_apart", False),
        ("int64_all", True),
        ("uint64_all", True),
        ("float32", True),
        ("infinities_and_normal", True),
        ("clustered", False),
        ("beta", False),
        ("all_equal", False),
        ("huge", False),
        ("exp_100z", False),
        ("subnormals", False),
        ("int64_near_2**62", False),
        ("infinities_only", False),
    ],
)
def test_which_plan(rng, kind: str, by_range: bool) -> None:
    with thresholds(bucket_rows=2_000):
        plan = plan_buckets(KINDS[kind](rng, 40_000))
    assert plan.by_range is by_range


def test_a_heavy_score_calls_for_splitters(rng) -> None:
    scores = np.where(rng.random(20_000) < 0.7, 0.25, rng.random(20_000))
    with thresholds(bucket_rows=1_000):
        plan = plan_buckets(scores)
    assert not plan.by_range
    assert 0.25 in plan.splitters


def test_splitters_take_heavy_scores_out(rng) -> None:
    """Each splitter has a bucket of its own, so that no distribution makes one bucket large."""
    rows = rows_of(labels_of(rng, 20_000, 0.3), KINDS["clustered"](rng, 20_000))
    heavy = rows_of(rows.labels, np.where(rng.random(20_000) < 0.9, 1.0, rows.scores))
    with thresholds(bucket_rows=500):
        for case in (rows, heavy):
            parted = partition(case)
            assert not parted.plan.by_range
            mixed = ~parted.plan.holds_one_score
            assert parted.rows.reshape(-1, 2).sum(axis=1)[mixed].max() < 20 * 500
            assert_holds(parted, case)


def test_uneven_buckets_are_noticed(rng) -> None:
    labels = labels_of(rng, 4_000, 0.3)
    with thresholds(bucket_rows=400, sample_rows=50):
        even = partition(rows_of(labels, rng.random(4_000)))
        crowded = partition(rows_of(labels, unsampled_cluster(rng, 4_000)))
        assert even.plan.by_range
        assert crowded.plan.by_range
        assert uneven_buckets(even) == 0
        assert uneven_buckets(crowded) > 0
    with thresholds(bucket_rows=1_000):
        split = partition(rows_of(labels, KINDS["exp_100z"](rng, 4_000)))
        assert not split.plan.by_range
        assert uneven_buckets(split) > 0


@pytest.mark.parametrize("by_range", [True, False])
@pytest.mark.parametrize("at", [0, 1, 255, 256, 1_234, 2_999])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("allow_inf", [True, False])
def test_faults_that_ride_along(rng, by_range, at, dtype, allow_inf) -> None:
    labels = labels_of(rng, 3_000, 0.3)
    clean = np.where(rng.random(3_000) < (0.0 if by_range else 0.9), 0.5, rng.random(3_000))
    clean = clean.astype(dtype)
    with thresholds(bucket_rows=500, part_rows=900):
        assert plan_buckets(clean).by_range is by_range
        assert partition(check_binary(labels, clean, allow_inf=allow_inf)).is_clean
        for fault in (np.nan, np.inf, -np.inf):
            scores = clean.copy()
            scores[at] = fault
            rows = check_binary(labels, scores, allow_inf=allow_inf)
            assert partition(rows).is_clean is (allow_inf and bool(np.isinf(fault)))
        wrong = labels.copy()
        wrong[at] = 2
        assert not partition(check_binary(wrong, clean)).is_clean
