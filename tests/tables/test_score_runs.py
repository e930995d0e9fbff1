"""Sorted runs in memory and on disk: the table of all rows, whatever the batches and the memory."""

import os
import pickle
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from table_samples import KINDS
from travels import in_threads

import evaluations
from fastmetrics import ScoreTable, evaluate, roc_auc_score
from fastmetrics.streams import ScoreRuns

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
        found = evaluate(runs, n_threads=n_threads)[0]
        assert found.average_precision == pytest.approx(expected.average_precision, rel=1e-14)
        assert evaluations.agree(found, expected)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "case", ["rising", "falling", "nine in ten equal", "negatives", "positives"]
)
def test_scores_and_labels_that_help_nobody(rng, tmp_path, case):
    scores, y = rng.normal(size=400_000), rng.integers(0, 2, 400_000)
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
    y, weights = rng.integers(0, 2, n), rng.integers(0, 5, n)
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
        y, scores = rng.integers(0, 2, 100_000), rng.integers(0, 1_000, 100_000)
        runs.update(y, scores)
        tables.append(ScoreTable.from_scores(y, scores))
    assert runs.to_score_table() == sum(tables)


def test_what_fits_no_memory_is_refused_and_nothing_is_lost(rng):
    y, scores = rng.integers(0, 2, 40_000), rng.normal(size=40_000)
    runs = ScoreRuns(memory=SMALL)
    runs.update(y, scores)
    with pytest.raises(ValueError, match=r"more than half of `memory`, 1 MB.*`spill_dir`"):
        runs.update(y, rng.normal(size=40_000))
    agree(runs, y, scores)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs forks")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_forks_read_and_add_on_their_own(rng, tmp_path):
    y, scores = rng.integers(0, 2, 400_000), rng.normal(size=400_000)
    runs = filled(y, scores, memory=SMALL, spill_dir=tmp_path)
    assert runs.spilled_bytes > 0
    found = runs.to_score_table()

    def work(sign):
        for _ in range(4):
            assert runs.to_score_table() == found
        runs.update(y, sign * scores)
        assert runs.to_score_table() == found + ScoreTable.from_scores(y, sign * scores)

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
    y, weights = rng.integers(0, 2, n), rng.integers(0, 3, n) if counted else None
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
        runs, more = ScoreRuns(), ScoreRuns()
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
    y, scores = rng.integers(0, 2, 300_000), rng.normal(size=300_000)
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
    y, scores = rng.integers(0, 2, 200_000), rng.normal(size=200_000)
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
            found = evaluate({"b": ScoreTable.from_scores([0, 1], [1, 2]), "a": empty})
        assert found["b"].roc_auc == 1.0
        assert np.isnan(found["a"].roc_auc)
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
