"""Scores that 32 bits tell, counted rather than sorted: the same rows, whatever comes between."""

from itertools import cycle

import numpy as np
import pytest

import engine_sizes
from fastmetrics import ScoreTable, evaluate
from fastmetrics._kernels import buckets
from fastmetrics.streams import ScoreRuns
from fastmetrics.tables import key_counter

N = 60_000
SIZE = 5_000
MEMORY = 4_000_000

KINDS = {
    "normal": lambda rng: rng.normal(size=N).astype(np.float32),
    "uniform": lambda rng: rng.random(N, dtype=np.float32),
    "singles in doubles": lambda rng: rng.normal(size=N).astype(np.float32).astype(np.float64),
    "integers": lambda rng: rng.integers(-(2**31), 2**31, N),
    "ratings": lambda rng: rng.integers(0, 5, N),
    "signed zeros": lambda rng: rng.choice([-0.0, 0.0, 1e-45, -1e-45], N).astype(np.float32),
    "infinities": lambda rng: np.where(
        rng.random(N) < 0.1, rng.choice([-np.inf, np.inf], N), rng.random(N)
    ).astype(np.float32),
    "one of all": lambda rng: np.where(rng.random(N) < 0.9, 0.5, rng.random(N)).astype(np.float32),
    "sorted": lambda rng: np.sort(rng.normal(size=N)).astype(np.float32),
}


@pytest.fixture(autouse=True)
def _counts_few(monkeypatch):
    """Count from the first thousands of rows on, in bins of some rows."""
    engine_sizes.put(monkeypatch, **engine_sizes.COUNT_FEW, waiting_rows=64, dealt_rows=50)


def filled(y, scores, folder=None, memory=MEMORY, **options):
    runs = ScoreRuns(memory, folder)
    for start in range(0, len(y), SIZE):
        some = slice(start, start + SIZE)
        runs.update(y[some], scores[some], allow_inf=True, **options)
    return runs


def table_of(y, scores):
    return ScoreTable.from_scores(y, scores, allow_inf=True)


def agree(runs, y, scores):
    table = table_of(y, scores)
    assert (runs.n_positive, runs.n_negative) == (table.n_positive, table.n_negative)
    assert runs.to_score_table() == table
    tp = fp = 0
    for part, above, false_above in runs.ranges():
        assert (tp, fp) == (above, false_above)
        tp, fp = tp + part.n_positive, fp + part.n_negative


@pytest.mark.parametrize(("kind", "n_threads"), [*zip(KINDS, cycle([1, 2]), strict=False)])
def test_every_kind(rng, tmp_path, kind, n_threads):
    scores = KINDS[kind](rng)
    y = rng.integers(0, 2, N)
    runs = filled(y, scores, tmp_path, n_threads=n_threads)
    assert runs._counter is not None
    agree(runs, y, scores)
    model = evaluate(runs, n_threads=n_threads)[0]
    assert model.roc_auc == evaluate(table_of(y, scores))[0].roc_auc
    runs.update(y[:SIZE], scores[:SIZE], allow_inf=True)
    agree(runs, np.append(y, y[:SIZE]), np.append(scores, scores[:SIZE]))


def test_counts_beyond_a_byte_and_beyond_their_share(rng, tmp_path, monkeypatch):
    scores = rng.choice(rng.random(50, dtype=np.float32), N)
    y = rng.integers(0, 2, N)
    runs = filled(y, scores, tmp_path)
    assert runs._counter.passed_bytes > 0
    agree(runs, y, scores)
    engine_sizes.put(monkeypatch, passed_bytes=MEMORY)
    runs.update(y, scores)
    agree(runs, np.tile(y, 2), np.tile(scores, 2))
    assert runs._counter is None
    agree(filled(y, scores, tmp_path), y, scores)


def test_scores_that_need_more_bits_are_sorted(rng, tmp_path):
    scores = rng.random(N, dtype=np.float32)
    y = rng.integers(0, 2, N)
    runs = filled(y, scores, tmp_path)
    doubles = rng.random(N)
    doubles[:100] = [np.float32(0.5)] * 50 + [1e300, -1e300] * 25
    runs.update(y, doubles)
    runs.update(y, scores, rng.integers(1, 2, N))  # counts of rows
    assert runs._counter is not None
    all_scores = np.concatenate([scores.astype(float), doubles, scores.astype(float)])
    agree(runs, np.tile(y, 3), all_scores)
    whole = rng.integers(-100, 100, N)
    runs = filled(y, whole, tmp_path)
    far = whole + rng.choice([-(2**40), 0, 2**31 - 100, 2**40], N)
    runs.update(y, far)
    agree(runs, np.tile(y, 2), np.append(whole, far))


def test_a_stream_that_drifts(rng, tmp_path):
    scores = (rng.normal(size=N) + np.linspace(0, 300, N)).astype(np.float32)
    y = rng.integers(0, 2, N)
    runs = filled(y, scores, tmp_path)
    assert runs.spilled_bytes > 0 or len(runs._counter.pending.bins) > 10
    agree(runs, y, scores)


def test_tables_of_ranges_stay_while_rows_come(rng, tmp_path):
    scores = rng.normal(size=N).astype(np.float32)
    y = rng.integers(0, 2, N)
    runs = filled(y, scores, tmp_path)
    ranges = runs.ranges()
    first = next(ranges).table
    runs.update(y, scores)
    runs.to_score_table()
    assert sum([first, *(each.table for each in ranges)]) == table_of(y, scores)
    agree(runs, np.tile(y, 2), np.tile(scores, 2))


def test_merged(rng, tmp_path):
    scores = rng.normal(size=N).astype(np.float32)
    y = rng.integers(0, 2, N)
    parts = [filled(y[k::3], scores[k::3].copy(), tmp_path) for k in range(3)]
    assert all(part._counter is not None for part in parts)
    parts[0].merge(parts[1])
    agree(parts[1], y[1::3], scores[1::3])
    whole = ScoreRuns(MEMORY, tmp_path)
    whole.merge(parts[0], parts[2])
    assert not any(column.has_counts for each in whole._classes for column in each)
    del parts
    agree(whole, y, scores)
    whole.update(y, scores)
    agree(whole, np.tile(y, 2), np.tile(scores, 2))


def test_without_a_folder(rng):
    scores = rng.random(N, dtype=np.float32)
    y = rng.integers(0, 2, N)
    runs = filled(y, scores)
    assert runs._counter is not None
    agree(runs, y, scores)
    with pytest.raises(ValueError, match="more than half of `memory`"):
        runs.update(np.tile(y, 10), rng.normal(size=10 * N).astype(np.float32))
    agree(runs, y, scores)


@pytest.mark.parametrize("at", range(3))
@pytest.mark.parametrize("name", ["count", "_with_passed", "others", "following", "after"])
def test_an_interrupt_loses_no_row_and_counts_none_twice(rng, tmp_path, monkeypatch, name, at):
    scores = np.where(rng.random(N) < 0.5, 0.75, rng.normal(size=N)).astype(np.float32)
    y = rng.integers(0, 2, N)
    calls = []
    where = "count" if name == "after" else name
    original = getattr(key_counter.KeyCounter, where)

    def interrupted(self, *args):
        calls.append(0)
        if len(calls) == (2 * at + 2 if name == "_with_passed" else at + 1):  # all are counted
            if name == "count":
                count_a_few(self)
            if name == "after":
                original(self, *args)
            raise KeyboardInterrupt
        return original(self, *args)

    def count_a_few(self):
        pending = self.pending
        starts, order = pending.blocks()
        for stream in range(2, min(5, pending.n_streams)):
            buckets.count_stream(
                stream,
                pending.pool,
                starts,
                order,
                pending.buffers,
                pending.fill,
                pending.slots,
                pending.stream_slots(stream),
                self._cells,
                pending.passed[stream],
                pending.progress[stream],
            )

    engine_sizes.put(monkeypatch, dealt_rows=200)
    monkeypatch.setattr(key_counter.KeyCounter, where, interrupted)
    runs = ScoreRuns(MEMORY, tmp_path)
    n_interrupts = 0
    for start in range(0, N, SIZE):
        some = slice(start, start + SIZE)
        before = runs.n_positive + runs.n_negative
        try:
            runs.update(y[some], scores[some])
        except KeyboardInterrupt:
            n_interrupts += 1
            if runs.n_positive + runs.n_negative == before:
                runs.update(y[some], scores[some])
    assert n_interrupts == 1
    agree(runs, y, scores)
