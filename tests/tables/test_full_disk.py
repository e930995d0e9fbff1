"""A full disk refuses a batch, or runs to be merged, whole; with room again they are taken."""

import contextlib
import re
import sys

import numpy as np
import pytest

import engine_sizes
from fastmetrics import ScoreTable
from fastmetrics.streams import ScoreRuns

resource = pytest.importorskip("resource")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits the size of files")

MEMORY = 4_000_000
NO_ROOM = "^no room in `spill_dir`.*name a folder with more room"
N = 20_000
KINDS = {
    "doubles": lambda rng: rng.normal(size=N),
    "counts": lambda rng: rng.normal(size=N),
    "singles": lambda rng: rng.normal(size=N).astype(np.float32),
    "integers": lambda rng: rng.integers(0, 2**62, N),
}


@contextlib.contextmanager
def files_up_to(size):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "dont_write_bytecode", True)  # Python 3.11 would keep half a module
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture(autouse=True, scope="module")
def _counts_few():
    """Count singles in a little memory, so that most of them are rare and go to the file."""
    with pytest.MonkeyPatch.context() as patch:
        engine_sizes.put(patch, **engine_sizes.COUNT_FEW, waiting_rows=32, dealt_rows=16)
        yield


@pytest.fixture(autouse=True, scope="module")
def _compiles_before(_counts_few, tmp_path_factory):
    """Compile all kernels before files are limited: machine code is kept in files too."""
    rng = np.random.default_rng(1)
    for kind in KINDS:
        runs = ScoreRuns(MEMORY, tmp_path_factory.mktemp("before"))
        for batch, _ in zip(batches(rng, kind), range(10), strict=False):
            runs.update(*batch)
        assert runs.to_score_table() == runs.to_score_table()
    y, scores = rng.integers(0, 2, 20 * N), rng.normal(size=20 * N)
    for kind in (np.float32, np.float64):
        assert ScoreTable.from_scores(y, scores.astype(kind)) == ScoreTable.from_scores(
            y, scores.astype(kind)
        )


def batches(rng, kind):
    while True:
        weights = rng.integers(1, 5, N) if kind == "counts" else None
        yield rng.integers(0, 2, N), KINDS[kind](rng), weights


def what(runs):
    return runs.n_positive, runs.n_negative, runs.to_score_table()


def table_of(batch):
    return ScoreTable.from_scores(*batch[:2], sample_weight=batch[2])


@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_is_refused_whole_and_taken_later(rng, tmp_path, kind):
    runs = ScoreRuns(MEMORY, tmp_path)
    stream = batches(rng, kind)
    taken = []
    refused = []
    with files_up_to(1 << 19):
        while len(refused) < 12:
            batch = next(stream)
            before = (runs.n_positive, runs.n_negative)
            try:
                runs.update(*batch)
                taken.append(table_of(batch))
            except ValueError as error:
                refused.append((str(error), before == (runs.n_positive, runs.n_negative), batch))
        actual = what(runs)
    assert actual == (actual[2].n_positive, actual[2].n_negative, sum(taken))
    assert all(same and re.match(NO_ROOM, said) for said, same, _ in refused)
    assert runs._bytes() < MEMORY, "who goes on all the same fills no memory"
    assert (runs._counter is not None) == (kind == "singles")
    for *_, batch in refused:
        runs.update(*batch)
        taken.append(table_of(batch))
    assert runs.spilled_bytes > 1 << 19
    assert what(runs)[2] == sum(taken)


@pytest.mark.parametrize(
    ("kind", "into"),
    [
        *(("doubles", "nothing"), ("singles", "nothing"), ("singles", "singles")),
        *(("counts", "doubles"), ("doubles", "singles")),
    ],
)
def test_runs_are_refused_whole_and_merged_later(rng, tmp_path, kind, into):
    runs = ScoreRuns(MEMORY, tmp_path)
    other = ScoreRuns(8 * MEMORY)
    stream = batches(rng, kind)
    for _ in range(40 if kind == "singles" else 30):
        other.update(*next(stream))
    if into != "nothing":
        for _, batch in zip(range(3), batches(rng, into), strict=False):
            runs.update(*batch)
    before = what(runs)
    theirs = what(other)
    with files_up_to(1 << 19):
        for _ in range(2):
            with pytest.raises(ValueError, match=NO_ROOM):
                runs.merge(other)
            assert runs.spilled_bytes < 1 << 19
            assert what(runs) == before
            assert what(other) == theirs
    runs.merge(other)
    assert what(runs) == tuple(a + b for a, b in zip(before, theirs, strict=True))


def test_what_is_refused_leaves_no_bytes_behind(rng, tmp_path):
    runs = ScoreRuns(MEMORY, tmp_path)
    other = ScoreRuns(8 * MEMORY)
    for _ in range(30):
        other.update(rng.integers(0, 2, N), rng.normal(size=N))
    runs.merge(other)
    size = runs.spilled_bytes
    assert size > 1 << 20
    for _ in range(3):
        with files_up_to(size + (1 << 20)), pytest.raises(ValueError, match=NO_ROOM):
            runs.merge(other)
        assert runs.spilled_bytes == size


def test_a_batch_larger_than_what_is_dealt_is_taken_or_refused(rng, tmp_path):
    """Counted scores that exceed the memory are neither lost nor counted twice."""
    runs = ScoreRuns(MEMORY, tmp_path)
    stream = batches(rng, "singles")
    for _ in range(10):
        runs.update(*next(stream))
    assert runs._counter is not None
    y = rng.integers(0, 2, 20 * N)
    scores = rng.normal(size=20 * N).astype(np.float32)
    before = what(runs)
    with files_up_to(1 << 10):
        try:
            runs.update(y, scores)
        except ValueError:
            assert what(runs) == before
        else:
            assert what(runs)[2] == before[2] + ScoreTable.from_scores(y, scores)
            with pytest.raises(ValueError, match=NO_ROOM):
                runs.update(y, scores)


def test_reading_needs_no_room(rng, tmp_path):
    runs, twin = ScoreRuns(MEMORY, tmp_path), ScoreRuns(MEMORY, tmp_path)
    y = rng.integers(0, 2, 10 * N)
    scores = rng.normal(size=10 * N)
    runs.update(y, scores)
    twin.update(y, scores)
    assert twin.to_score_table() == ScoreTable.from_scores(y, scores)  # with all kernels compiled
    with files_up_to(1 << 10):
        for _ in range(2):
            assert runs.to_score_table() == ScoreTable.from_scores(y, scores)
        with pytest.raises(ValueError, match=NO_ROOM):
            runs.update(y, scores)


@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), MemoryError()])
def test_other_failures_refuse_a_batch_whole_too(rng, tmp_path, monkeypatch, error):
    runs = ScoreRuns(MEMORY, tmp_path)
    taken = []

    def fill():
        for batch in batches(rng, "doubles"):
            runs.update(*batch)
            taken.append(table_of(batch))

    with monkeypatch.context() as patch:
        engine_sizes.failing(patch, "spilling", error)
        with pytest.raises(type(error)):
            fill()
    assert what(runs)[2] == sum(taken)


def test_refused_integers_leave_small_ones_what_they_were(rng):
    """Floats may come after: nothing became an integer for a batch that was not taken."""
    runs = ScoreRuns(1_000_000)
    small = rng.integers(0, 100, N, dtype=np.int8)
    y = rng.integers(0, 2, N)
    runs.update(y, small)
    before = runs.to_score_table()
    with pytest.raises(TypeError, match="take one dtype for all"):
        runs.update(y, rng.integers(0, 2**60, N))
    assert runs.to_score_table() == before
    runs.update(y, small / 8)
    assert runs.to_score_table() == before + ScoreTable.from_scores(y, small / 8)
