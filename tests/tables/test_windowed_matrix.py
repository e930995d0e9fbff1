"""``WindowedConfusionMatrix``: at every moment the matrix of the last rows, and nothing else."""

from __future__ import annotations

import itertools
import threading
from typing import Any

import numpy as np
import pytest
from confusion_samples import KINDS, batches, columns
from hypothesis import given, strategies as st

import engine_sizes
from fastmetrics import ConfusionMatrix, f1_score
from fastmetrics.streams import WindowedConfusionMatrix
from grids import few_examples


def check(last: WindowedConfusionMatrix, rows: list[tuple[Any, Any]], given_: Any = None) -> None:
    """Compare with pairs counted in plain Python."""
    left = rows[-last.window :]
    matrix = last.matrix
    assert (last.n, last.n_seen) == (len(left), len(rows))
    assert matrix.n == len(left)
    labels = tuple(sorted({label for row in left for label in row})) if given_ is None else given_
    if len(labels) == 1 and not isinstance(labels[0], str) and labels[0] in (-1, 0, 1):
        labels = (-1, 1) if labels[0] == -1 else (0, 1)
    assert matrix.labels == labels
    assert matrix.counts.dtype == np.int64
    assert matrix.counts.tolist() == [[left.count((t, p)) for p in labels] for t in labels]


@pytest.mark.parametrize("kind", KINDS)
@few_examples
@given(st.data())
def test_the_last_rows_count(kind, data) -> None:
    labels, make = KINDS[kind]
    last = WindowedConfusionMatrix(data.draw(st.sampled_from([1, 2, 5, 16, 1000])))
    rows: list[Any] = []
    for some in data.draw(batches(labels)):
        y, p, _ = columns(some, make)
        last.update(y, p)
        rows += zip(np.asarray(y).tolist(), np.asarray(p).tolist(), strict=True)
        check(last, rows)
        if last.matrix.labels:
            at_once = ConfusionMatrix.from_labels(*columns([(*r, 1) for r in rows[-last.window :]],
                                                           make)[:2])  # fmt: skip
            assert last.matrix == at_once


@given(batches(st.sampled_from(["c", "a", "b"])), st.permutations(["a", "b", "c", "never"]))
def test_given_labels_stay(some, order) -> None:
    last, rows = WindowedConfusionMatrix(3, labels=order), []
    growing = WindowedConfusionMatrix(3, labels=["a", "never"], new_labels="extend")
    for batch in some:
        y, p, _ = columns(batch)
        last.update(y, p)
        growing.update(y, p)
        rows += zip(y, p, strict=True)
        check(last, rows, tuple(order))
        seen = {label for row in rows[-3:] for label in row}
        check(growing, rows, tuple(sorted({"a", "never", *seen})))
    last.reset()
    check(last, [], tuple(order))


@pytest.mark.parametrize("window", [1, 7, 100, 5_000])
@pytest.mark.parametrize("k", [2, 3, 50])
def test_a_long_stream_round_and_round(rng, window, k) -> None:
    last, y, p = WindowedConfusionMatrix(window), np.empty(0, int), np.empty(0, int)
    for step in range(60):
        n = int(rng.integers(1, 2 * window if step % 9 == 0 else max(2, window // 3)))
        drift = 100 * (step // 20)
        more = rng.integers(0, k, (2, n)) + drift
        last.update(*more.astype([np.int8, np.int64][drift > 0]))
        y, p = (np.concatenate(both)[-window:] for both in ((y, more[0]), (p, more[1])))
        labels = np.unique([y, p])
        wanted = np.zeros((len(labels), len(labels)), int)
        np.add.at(wanted, (np.searchsorted(labels, y), np.searchsorted(labels, p)), 1)
        matrix = last.matrix
        if len(labels) > 1:
            assert matrix.labels == tuple(labels.tolist())
            assert matrix.counts.tolist() == wanted.tolist()
        assert last.n == len(y)


def test_classes_that_leave_make_room(monkeypatch) -> None:
    engine_sizes.put(monkeypatch, window_classes=40)
    last, rows = WindowedConfusionMatrix(15), []
    for step in range(200):  # a new label in every row
        batch = [(f"{step} {k}", f"{step} x") for k in range(1 + step % 4)]
        last.update(*zip(*batch, strict=True))
        rows += batch
        check(last, rows)
        assert len(last._now.counts) <= 40
    before = last.matrix
    labels = [str(k) for k in range(30)]
    with pytest.raises(ValueError, match="labels in the window, at most 40 make a matrix"):
        last.update(labels[:12], labels[12:24])
    assert last.matrix == before
    check(last, rows)


def test_what_is_refused_changes_nothing() -> None:
    last, rows = WindowedConfusionMatrix(4), [(0, 1), (2, 1), (1, 1)]
    fixed = WindowedConfusionMatrix(4, labels=[2, 0, 1])
    for matrix in (last, fixed):
        matrix.update(*zip(*rows, strict=True))
    bad = [
        ([0], [0, 1]),
        ([], []),
        ([0], ["a"]),
        (["a"], ["b"]),
        ([0, np.nan], [0, 1]),
        ([0.5], [0]),
    ]
    for y, p in bad:
        for matrix, labels in ((last, None), (fixed, (2, 0, 1))):
            with pytest.raises((ValueError, TypeError), match=r"`y_|lengths|text"):
                matrix.update(y, p)
            check(matrix, rows, labels)
    for y, p in (([7] + [0] * 9, [0] * 10), ([0], [7])):  # in rows that would not count, too
        with pytest.raises(ValueError, match=r"holds the label 7, first at index 0, .* `labels`"):
            fixed.update(y, p)
        check(fixed, rows, (2, 0, 1))


@pytest.mark.parametrize(
    ("window", "options", "error", "match"),
    [
        (0, {}, ValueError, "`window` must be at least 1"),
        (10**12, {}, ValueError, "`window` must be at most 1,000,000,000: got 1000000000000"),
        (-5, {}, ValueError, "`window`"),
        (2.5, {}, TypeError, "`window` must be an integer"),
        (True, {}, TypeError, "`window` must be an integer"),
        ("5", {}, TypeError, "`window`"),
        (5, {"labels": ["a", "a"]}, ValueError, "'a' comes twice"),
        (5, {"new_labels": "raise"}, ValueError, "needs `labels`"),
        (5, {"labels": [1, 0], "new_labels": "extend"}, ValueError, "must be sorted"),
    ],
)
def test_options_are_judged(window, options, error, match) -> None:
    with pytest.raises(error, match=match):
        WindowedConfusionMatrix(window, **options)


def interrupt() -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("work", ["change", "writing", "reading", "counting"])
def test_an_interrupt_changes_nothing(monkeypatch, work) -> None:
    for after, new in itertools.product((False, True), repeat=2):
        last, rows = WindowedConfusionMatrix(4), [(0, 1), (2, 1), (1, 1), (1, 0)]
        last.update(*zip(*rows, strict=True))
        batch = [(9, 8), (8, 9)] if new else [(2, 2), (0, 0)]
        with monkeypatch.context() as patch:
            if after:
                engine_sizes.noted(patch, f"{work} of a window", then=interrupt)
            else:
                engine_sizes.failing(patch, f"{work} of a window", KeyboardInterrupt())
            with pytest.raises(KeyboardInterrupt):
                last.update(*zip(*batch, strict=True))
        check(last, rows)
        last.update(*zip(*batch, strict=True))
        check(last, rows + batch)


def test_copies_go_on_by_themselves(rng) -> None:
    y, p = rng.integers(0, 3, (2, 40)).tolist()
    rows = list(zip(y, p, strict=True))
    last = WindowedConfusionMatrix(7)
    last.update(y[:20], p[:20])
    other, matrix = last.copy(), last.matrix
    snapshot = matrix.counts.copy()
    last.update(y[20:], p[20:])
    check(last, rows)
    check(other, rows[:20])
    other.update(y[20:25], p[20:25])
    check(other, rows[:25])
    matrix.update([0, 1], [1, 1])  # a matrix of its own
    check(last, rows)
    assert (matrix.counts - snapshot).sum() == 2
    assert repr(last) == "WindowedConfusionMatrix(window=7, n=7, n_seen=40)"
    last.reset()
    check(last, [])
    last.update(["a"], ["b"])  # of any kind again
    check(last, [("a", "b")])


def test_measures_of_the_window() -> None:
    last = WindowedConfusionMatrix(50)
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 2, (2, 300))
    for start in range(0, 300, 12):
        last.update(y[start : start + 12], p[start : start + 12])
    assert f1_score(last.matrix) == f1_score(y[-50:], p[-50:])


def test_threads() -> None:
    last = WindowedConfusionMatrix(1_000)

    def update(label: int) -> None:
        for _ in range(100):
            last.update([label] * 30, [label] * 30)
            assert last.matrix.n in {*range(0, 1_000, 30), 1_000}

    threads = [threading.Thread(target=update, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (last.n, last.n_seen) == (1_000, 12_000)
    assert last.matrix.counts.sum() == last.matrix.margins.hits.sum() == 1_000


def test_memory_of_a_large_window_is_taken_as_it_fills() -> None:
    last = WindowedConfusionMatrix(10**9)
    last.update([0, 1], [1, 1])
    assert last.copy().matrix.n == 2
