"""Runs of scores and their merging, partitions."""

import os
import pickle
import subprocess
import sys
import tracemalloc
from typing import Any

import numpy as np
import pytest
from table_samples import KINDS, labels_of, thresholds, unsampled_cluster
from travels import in_threads

import engine_sizes
import evaluations
from fastmetrics import ScoreTable, evaluate, roc_auc_score
from fastmetrics._input.rows import BinaryRows, check_binary
from fastmetrics._kernels import buckets
from fastmetrics.streams import ScoreRuns
from fastmetrics.tables.ordering import (
    ONE_BUCKET_ROWS,
    Partition,
    map_buckets,
    partition,
    partition_rows,
    sort_in_buckets,
)
from fastmetrics.tables.row_runs import GroupCodes, RowRuns

SMALL = 1 << 20


def batches(y, scores, size, weights=None):
    for start in range(0, len(y), size):
        at = slice(start, start + size)
        yield y[at], scores[at], None if weights is None else weights[at]


def filled(y, scores, size=10_000, weights=None, **options):
    runs = ScoreRuns(**options)
    for batch in batches(y, scores, size, weights):
        runs.update(*batch, allow_inf=True)
    return runs


def agree(runs, y, scores, weights=None):
    table = ScoreTable.from_scores(y, scores, sample_weight=weights, allow_inf=True)
    assert runs.to_score_table() == table
    assert (runs.n_positive, runs.n_negative) == (table.n_positive, table.n_negative)
    tp = fp = 0
    for part, above, false_above in runs.ranges():
        assert (tp, fp) == (above, false_above)
        tp, fp = tp + part.n_positive, fp + part.n_negative
    assert (tp, fp) == (table.n_positive, table.n_negative)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_scores_spilled(rng, tmp_path, kind):
    n = 200_000
    scores = KINDS[kind](rng, n)
    y = rng.integers(0, 2, n)
    runs = filled(y, scores, memory=SMALL, spill_dir=tmp_path)
    agree(runs, y, scores)
    if len(np.unique(scores)) > n / 2:
        assert runs.spilled_bytes > 0
        assert len(list(runs.ranges())) > 10
    expected = evaluate(runs.to_score_table())[0]
    for n_threads in (1, 2):
        model = evaluate(runs, n_threads=n_threads)[0]
        assert model.average_precision == pytest.approx(expected.average_precision, rel=1e-14)
        assert evaluations.agree(model, expected)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "case", ["rising", "falling", "nine in ten equal", "negatives", "positives"]
)
def test_scores_and_labels_that_help_nobody(rng, tmp_path, case):
    scores = rng.normal(size=400_000)
    y = rng.integers(0, 2, 400_000)
    if case in ("rising", "falling"):
        scores = np.sort(scores)[:: 1 if case == "rising" else -1]
        y = (rng.normal(size=len(scores)) < scores).astype(np.int8)
    elif case == "ties":
        scores = np.where(rng.random(len(scores)) < 0.9, 0.25, scores)
    else:
        y = np.full(len(scores), int(case == "positives"))
    agree(filled(y, scores, memory=SMALL, spill_dir=tmp_path), y, scores)


@pytest.mark.parametrize("distinct", [50, 10_000_000])
def test_rows_that_stand_for_several(rng, tmp_path, distinct):
    n = 150_000
    scores = rng.integers(0, distinct, n) / 8.0
    y = rng.integers(0, 2, n)
    weights = rng.integers(0, 5, n)
    runs = filled(y, scores, weights=weights, memory=SMALL, spill_dir=tmp_path)
    agree(runs, y, scores, weights)
    mixed = ScoreRuns(memory=SMALL, spill_dir=tmp_path)
    mixed.update(y, scores)
    mixed.merge(runs)
    agree(mixed, y, scores, weights + 1)


@pytest.mark.parametrize("weights", [None, 3])
def test_work_stays_in_the_memory_that_is_given(rng, tmp_path, weights):
    y = rng.integers(0, 2, 50_000)

    def spilled():
        runs = ScoreRuns("16MB", tmp_path)
        for _ in range(40):
            counts = None if weights is None else rng.integers(1, weights, len(y))
            runs.update(y, rng.normal(size=len(y)), counts)
        evaluate(runs, n_threads=1)
        return runs.spilled_bytes

    assert spilled() > 10e6  # all that is loaded on first use is there now
    tracemalloc.start()
    try:
        spilled()
        assert tracemalloc.get_traced_memory()[1] < 16e6
    finally:
        tracemalloc.stop()


def test_scores_that_recur_stay_in_memory(rng):
    runs = ScoreRuns(memory=4 * SMALL)
    tables = []
    for _ in range(30):
        y = rng.integers(0, 2, 100_000)
        scores = rng.integers(0, 1_000, 100_000)
        runs.update(y, scores)
        tables.append(ScoreTable.from_scores(y, scores))
    assert runs.to_score_table() == sum(tables)


def test_what_fits_no_memory_is_refused_and_nothing_is_lost(rng):
    y = rng.integers(0, 2, 40_000)
    scores = rng.normal(size=40_000)
    runs = ScoreRuns(memory=SMALL)
    runs.update(y, scores)
    with pytest.raises(ValueError, match=r"more than half of `memory`, 1 MB.*`spill_dir`"):
        runs.update(y, rng.normal(size=40_000))
    agree(runs, y, scores)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs forks")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_forks_read_and_add_on_their_own(rng, tmp_path):
    y = rng.integers(0, 2, 200_000)
    scores = rng.normal(size=200_000)
    runs = filled(y, scores, memory=SMALL, spill_dir=tmp_path)
    assert runs.spilled_bytes > 0
    actual = runs.to_score_table()

    def work(sign):
        for _ in range(4):
            assert runs.to_score_table() == actual
        runs.update(y, sign * scores)
        assert runs.to_score_table() == actual + ScoreTable.from_scores(y, sign * scores)

    children = []
    for sign in (2, 3, 4):
        if not (child := os.fork()):
            status = 1
            try:
                work(sign)
                status = 0
            finally:
                os._exit(status)
        children.append(child)
    work(5)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]


def test_functions_of_rows_say_what_takes_runs():
    runs = ScoreRuns()
    runs.update([0, 1], [0.2, 0.7])
    for call in (
        lambda: roc_auc_score(runs),
        lambda: roc_auc_score([0, 1], runs),
        lambda: evaluate([0, 1], runs),
    ):
        with pytest.raises(TypeError, match=r"ScoreRuns are for `evaluate`.*`to_score_table\(\)`"):
            call()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"memory": "1 parsec"}, r"`memory` must be a size such as '1GB'.*'1 parsec'"),
        ({"memory": "999 kB"}, "`memory` must be at least 1,000,000 bytes: got '999 kB'"),
        ({"memory": 1000}, "`memory` must be at least 1,000,000: got 1000"),
        ({"memory": 10**30}, "`memory` must be at most 1,152,921,504,606,846,976: got 1000"),
        ({"memory": "99999999999GB"}, "`memory` must be at most 1,152,921,504,606,846,976 bytes"),
        ({"memory": "9" * 400 + "B"}, "`memory` must be at most 1,152,921,504,606,846,976 bytes"),
        ({"memory": 1.5}, "`memory` must be an integer"),
        ({"spill_dir": 5}, "`spill_dir` must be a path: got int"),
        ({"spill_dir": ""}, "`spill_dir` is an empty text: name a folder"),
        ({"spill_dir": "/nowhere/at/all"}, "`spill_dir` '/nowhere/at/all' cannot be used: No such"),
    ],
)
def test_options_are_judged_at_once(options, said):
    with pytest.raises(ValueError, match=said):
        ScoreRuns(**options)


@pytest.mark.parametrize(
    ("text", "size"), [("1MB", 1_000_000), ("2MB", 2_000_000), ("1.5 MiB", 1_572_864)]
)
def test_sizes(text, size):
    assert ScoreRuns(memory=text)._memory == size


def test_a_wrong_batch_changes_nothing(rng):
    runs = ScoreRuns()
    runs.update([0, 1, 1], [0.1, 0.2, 0.3])
    for y, scores, weight, error, match in (
        ([0, 1], [0.1, np.nan], None, ValueError, "`y_score` must be finite"),
        ([0, 2], [0.1, 0.2], None, ValueError, "pass `pos_label`"),
        ([0, 1], [1, 2], None, TypeError, "merged exactly"),  # integers
        ([0, 1], [0.1, 0.2], [0.5, 1.0], ValueError, "`sample_weight`"),
        ([0, 1], [0.1], None, ValueError, "lengths differ"),
    ):
        with pytest.raises(error, match=match):
            runs.update(y, scores, weight)
    with pytest.raises(TypeError, match="ScoreRuns is needed"):
        runs.merge(ScoreTable.from_scores([0, 1], [1, 2]))
    agree(runs, [0, 1, 1], [0.1, 0.2, 0.3])


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize(
    ("kinds", "dtype"),
    [
        (["int64"], "int64"),
        (["uint64"], "uint64"),
        (["int32", "uint32"], "float64"),
        (["int16", "float32", "bool", "float64"], "float64"),
    ],
)
def test_integers_of_several_sizes(rng, tmp_path, kinds, dtype, counted):
    n = 20_000
    y = rng.integers(0, 2, n)
    weights = rng.integers(0, 3, n) if counted else None
    runs = ScoreRuns(memory=SMALL, spill_dir=tmp_path)
    other = ScoreRuns(memory=SMALL, spill_dir=tmp_path)
    batches = []
    for turn in range(6):
        for kind in kinds:
            few = np.dtype(kind).itemsize < 8
            low = 0 if kind[0] in "ub" else -50
            scores = rng.integers(low, 2 if kind == "bool" else 100, n)
            if not few and kind[0] != "f":  # neighbours are one float64
                scores += np.int64(2**53) - 20
            batches.append(scores.astype(kind))
            (runs, other)[turn % 2].update(y, batches[-1], weights)
    runs.merge(other)
    every = None if weights is None else np.tile(weights, len(batches))
    scores = np.concatenate([batch.astype(dtype) for batch in batches])
    assert runs.to_score_table().scores.dtype == dtype
    agree(runs, np.tile(y, len(batches)), scores, every)
    agree(pickle.loads(pickle.dumps(runs)), np.tile(y, len(batches)), scores, every)


@pytest.mark.parametrize(("one", "other"), [("int64", "float32"), ("uint64", "int64")])
def test_what_no_dtype_holds_is_refused_by_its_name(one, other):
    for first, second in ((one, other), (other, one)):
        runs = ScoreRuns()
        more = ScoreRuns()
        runs.update([0, 1], np.array([0, 1], first))
        more.update([0, 1], np.array([0, 1], second))
        for call in (
            lambda runs=runs, more=more: runs.merge(more),
            lambda runs=runs, second=second: runs.update([0, 1], np.array([0, 1], second)),
        ):
            with pytest.raises(TypeError, match="cannot be merged exactly") as caught:
                call()
            assert {one, other} <= set(str(caught.value).split())
        agree(runs, [0, 1], np.array([0, 1], first))


def test_merging_leaves_the_others(rng, tmp_path):
    y = rng.integers(0, 2, 300_000)
    scores = rng.normal(size=300_000)
    options = {"memory": SMALL, "spill_dir": tmp_path}
    parts = [filled(y[k::3], scores[k::3].copy(), **options) for k in range(3)]
    whole = ScoreRuns(**options)
    whole.merge(*parts)
    whole.merge(ScoreRuns())
    agree(parts[1], y[1::3], scores[1::3])
    del parts
    agree(whole, y, scores)
    assert "300" not in repr(ScoreRuns())


def test_threads_may_update_at_once(rng, tmp_path):
    y = rng.integers(0, 2, 200_000)
    scores = rng.normal(size=200_000)
    runs = ScoreRuns(memory=SMALL, spill_dir=tmp_path)

    def fill(parts):
        for k in parts:
            runs.update(y[k::40], scores[k::40].copy())

    in_threads(fill)
    agree(runs, y, scores)


def test_no_rows():
    assert len(ScoreRuns().to_score_table()) == 0
    assert list(ScoreRuns().ranges()) == []
    for empty in (ScoreRuns(), ScoreTable.from_counts([], [], [])):
        with pytest.warns(
            UserWarning, match="model 'a': no rows, so what needs both classes is undefined"
        ):
            evaluation = evaluate({"b": ScoreTable.from_scores([0, 1], [1, 2]), "a": empty})
        assert evaluation["b"].roc_auc == 1.0
        assert np.isnan(evaluation["a"].roc_auc)
    with pytest.raises(TypeError, match="a ScoreRuns comes alone"):
        evaluate(ScoreRuns(), n_resamples=10)


BOUNDED = """
import resource, sys
import numpy as np
import fastmetrics as fm
rng = np.random.default_rng(0)
def status(name):
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))
few = fm.streams.ScoreRuns(memory="8MB", spill_dir=sys.argv[1])
few.update(rng.integers(0, 2, 500_000), rng.normal(size=500_000))
fm.evaluate(few)  # all is loaded
before = status("VmRSS:")
size = status("VmSize:") + (100 << 20)
resource.setrlimit(resource.RLIMIT_AS, (size, size))
runs = fm.streams.ScoreRuns(memory="40MB", spill_dir=sys.argv[1])
totals = np.zeros(2, int)
for _ in range(150):
    y = rng.integers(0, 2, 100_000)
    runs.update(y, rng.normal(size=100_000) + y)
found = fm.evaluate(runs)[0]
assert found.n_positive + found.n_negative == 15_000_000
assert 0.759 < found.roc_auc < 0.7615, found.roc_auc
print(status("VmHWM:") - before)
"""


@pytest.mark.large
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_is_respected(tmp_path):
    """120 MB of scores in 40 MB: by the limit of the process, and by what it took."""
    few_arenas = {**os.environ, "MALLOC_ARENA_MAX": "2"}  # each one reserves 64 MB
    command = [sys.executable, "-c", BOUNDED, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=few_arenas)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 40e6


def test_a_range_without_rows_rounds_no_integers(monkeypatch):
    engine_sizes.put(monkeypatch, run_entry_bytes=10**6)  # ranges of one entry, and some of none
    whole = ScoreRuns(memory="1MB")
    scores = 2**60 + np.array([1, 2, 3])
    for _ in range(3):
        part = ScoreRuns()
        part.update([0, 1, 1], scores)
        whole.merge(part)
    assert any(len(each.table) == 0 for each in whole.ranges())
    assert whole.to_score_table() == ScoreTable.from_counts(scores, [0, 3, 3], [3, 0, 0])


def test_more_rows_than_int64_counts_are_refused():
    runs = ScoreRuns()
    runs.update([0, 1], [0.5, 0.5], [2**52, 2**51])
    for _ in range(9):
        runs.merge(runs)
    with pytest.raises(ValueError, match="fewer than 2\\*\\*62 rows"):
        runs.merge(runs)
    assert runs.to_score_table() == ScoreTable.from_counts([0.5], [2**60], [2**61])


def rows_of(labels: Any, scores: Any) -> BinaryRows:
    return check_binary(labels, scores, allow_inf=True)


def uneven_buckets(parted: Partition) -> int:
    """Return how many buckets the kernel hands back to be sorted."""
    plan = parted.bucket_map
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
    streams = [parted.gather(s) for s in range(2 * parted.bucket_map.n_buckets)]
    below: Any = None
    for b in range(parted.bucket_map.n_buckets):
        bucket = np.concatenate(streams[2 * b : 2 * b + 2])
        if len(bucket) == 0:
            continue
        assert below is None or below < bucket.min()
        below = bucket.max()
        if parted.bucket_map.holds_one_score[b]:
            assert bucket.min() == below
    for chunks, label in ((streams[0::2], rows.negative), (streams[1::2], 1)):
        actual = np.concatenate(chunks)
        assert actual.dtype == rows.scores.dtype
        np.testing.assert_array_equal(np.sort(actual), np.sort(rows.scores[rows.labels == label]))
    assert_rows_are_numbered(parted, rows)


def assert_rows_are_numbered(parted: Partition, rows: BinaryRows) -> None:
    """Without labels the same buckets, in the order of the rows, which travel along."""
    numbered = partition_rows(rows.scores)
    assert numbered.is_clean == bool(np.isfinite(rows.scores).all())
    assert numbered.rows.tolist() == parted.rows.reshape(-1, 2).sum(axis=1).tolist()
    for b in range(numbered.bucket_map.n_buckets):
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
        plan = map_buckets(KINDS[kind](rng, 40_000))
    assert plan.by_range is by_range


def test_a_heavy_score_calls_for_splitters(rng) -> None:
    scores = np.where(rng.random(20_000) < 0.7, 0.25, rng.random(20_000))
    with thresholds(bucket_rows=1_000):
        plan = map_buckets(scores)
    assert not plan.by_range
    assert 0.25 in plan.splitters


def test_splitters_take_heavy_scores_out(rng) -> None:
    """Each splitter has a bucket of its own, so that no distribution makes one bucket large."""
    rows = rows_of(labels_of(rng, 20_000, 0.3), KINDS["clustered"](rng, 20_000))
    heavy = rows_of(rows.labels, np.where(rng.random(20_000) < 0.9, 1.0, rows.scores))
    with thresholds(bucket_rows=500):
        for case in (rows, heavy):
            parted = partition(case)
            assert not parted.bucket_map.by_range
            mixed = ~parted.bucket_map.holds_one_score
            assert parted.rows.reshape(-1, 2).sum(axis=1)[mixed].max() < 20 * 500
            assert_holds(parted, case)


def test_uneven_buckets_are_noticed(rng) -> None:
    labels = labels_of(rng, 4_000, 0.3)
    with thresholds(bucket_rows=400, sample_rows=50):
        even = partition(rows_of(labels, rng.random(4_000)))
        crowded = partition(rows_of(labels, unsampled_cluster(rng, 4_000)))
        assert even.bucket_map.by_range
        assert crowded.bucket_map.by_range
        assert uneven_buckets(even) == 0
        assert uneven_buckets(crowded) > 0
    with thresholds(bucket_rows=1_000):
        split = partition(rows_of(labels, KINDS["exp_100z"](rng, 4_000)))
        assert not split.bucket_map.by_range
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
        assert map_buckets(clean).by_range is by_range
        assert partition(check_binary(labels, clean, allow_inf=allow_inf)).is_clean
        for fault in (np.nan, np.inf, -np.inf):
            scores = clean.copy()
            scores[at] = fault
            rows = check_binary(labels, scores, allow_inf=allow_inf)
            assert partition(rows).is_clean is (allow_inf and bool(np.isinf(fault)))
        wrong = labels.copy()
        wrong[at] = 2
        assert not partition(check_binary(wrong, clean)).is_clean


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_scores_are_sorted_in_buckets_as_by_numpy(rng, dtype):
    normal = 1e3 * rng.normal(size=2 * ONE_BUCKET_ROWS)
    infinite = normal.copy()
    infinite[::1000] = np.inf
    infinite[1::1000] = -np.inf
    kinds = [normal, np.round(normal, -3), np.sort(normal)[::-1], np.exp(normal / 200)]
    kinds += [np.ones(len(normal)), normal[:ONE_BUCKET_ROWS], normal[:0]]
    if dtype is not np.int64:
        kinds.append(infinite)
    for values in kinds:
        scores = values.astype(dtype)
        expected = np.sort(scores)
        sort_in_buckets(scores)
        np.testing.assert_array_equal(scores, expected)


def test_runs_give_rows_in_the_order_of_their_scores(tmp_path, monkeypatch):
    engine_sizes.put(monkeypatch, row_range_rows=500, row_run_rows=700, row_least_rows=100)
    engine_sizes.put(monkeypatch, row_block=8)
    rng = np.random.default_rng(2)
    scores = np.where(rng.random(20_000) < 0.3, -0.0, rng.normal(size=20_000).round(3))
    runs = RowRuns(500_000, str(tmp_path))
    for start in range(0, len(scores), 777):
        here = slice(start, start + 777)
        runs.add(scores[here], row=np.arange(len(scores))[here])
    ranges = runs.ranges()
    batches = [(k, *columns.values()) for k, columns in runs.read(ranges)]
    order = np.concatenate([rows for _, _, rows in batches])
    assert runs.spilled_bytes > 0
    assert sorted(order) == [*range(len(scores))]
    assert (np.diff(scores[order]) <= 0).all()
    assert (np.concatenate([values for _, values, _ in batches]) == scores[order]).all()
    assert len({k for k, *_ in batches}) == len(ranges) < len(batches)  # zeros are many
    ends = {(k, float(v)) for k, values, _ in batches for v in (values[0], values[-1])}
    assert len({score for _, score in ends}) == len(ends)  # no score is in two ranges


def test_runs_are_too_many_for_the_memory(tmp_path, monkeypatch):
    engine_sizes.put(monkeypatch, row_range_rows=500, row_run_rows=10, row_least_rows=10)
    runs = RowRuns(500_000, str(tmp_path))
    for start in range(50):
        runs.add(np.arange(10.0) + start, row=np.ones(10))
    with pytest.raises(ValueError, match="too little for the order of 500 rows with what belongs"):
        runs.ranges()


@pytest.mark.parametrize("kind", [np.int64, np.uint64, np.int8, np.float64])
def test_codes_of_groups(kind):
    rng = np.random.default_rng(3)
    top = 100 if kind is np.int8 else 200_000
    groups = (rng.integers(0, top, 300_000) * (1 if kind is not np.float64 else 0.25)).astype(kind)
    codes = GroupCodes()
    coded = np.concatenate(
        [codes.encode(groups[k : k + 70_000]) for k in range(0, 300_000, 70_000)]
    )
    _, first, inverse = np.unique(groups, return_index=True, return_inverse=True)
    rank = np.empty(len(first), int)
    rank[np.argsort(first)] = np.arange(len(first))
    assert codes.n_groups == len(first)
    assert (coded == rank[inverse]).all()
