"""``ConfusionMatrix`` where something fails, and in several threads."""

import itertools
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from confusion_samples import state

from fastmetrics import ConfusionMatrix
from fastmetrics.tables.confusion import _label_counts, _matrix_state, confusion_matrix

N = 200_000
BIG = np.arange(N) % 3
TEXTS = np.array(["a", "b", "c"])[BIG]


def with_last(y: np.ndarray, last: Any, dtype: Any = None) -> np.ndarray:
    changed = np.array(y, dtype=dtype)
    changed[-1] = last
    return changed


def make(kind: str) -> ConfusionMatrix:
    labels = None
    if "given" in kind:
        labels = ["a", "b", "c"] if "text" in kind else [0, 1, 2]
    matrix = ConfusionMatrix(labels)
    rows = (["a", "b"], ["c", "b"]) if "text" in kind else ([0, 1], [2, 1])
    matrix.update(*rows, [0.5, 1.5] if "weights" in kind else None)
    return matrix


KINDS = [
    f"{labels} {policy} {weights}"
    for labels in ("numbers", "text")
    for policy in ("given", "open")
    for weights in ("counts", "weights")
]
EVERY = pytest.mark.parametrize("kind", KINDS)


def numbers_that_are_refused() -> list[tuple[Any, ...]]:
    float_ = BIG.astype(float)
    return [
        (BIG, BIG[:-1]),
        (BIG[:0], BIG[:0]),
        (float_, with_last(float_, np.nan)),
        (with_last(float_, np.inf), float_),
        (with_last(float_, 0.5), float_),
        (BIG, with_last(BIG, None, object)),
        (with_last(BIG, "a", object), BIG),
        (BIG, pd.Series(with_last(float_, 1), dtype="Int64").mask(BIG == 2)),
        (pl.Series([*BIG.tolist()[:-1], None]), BIG),
        (BIG, pa.array([*BIG[:99].tolist(), None])),
        (BIG, TEXTS),
        (BIG.reshape(-1, 2), BIG),
        (BIG + 0j, BIG),
        (BIG, BIG, np.ones(N - 1)),
        (BIG, BIG, np.ones((N, 1))),
        (BIG + 5, BIG, with_last(np.ones(N), -1)),
        (BIG + 5, BIG, with_last(np.ones(N), np.nan)),
        (BIG + 5, BIG, np.zeros(N)),
        (BIG + 5, BIG, ["1"] * N),
        (BIG + 5, BIG, np.full(N, 1e308)),  # scaled otherwise than what is there
        ([7], [8], [1e308]),
        ([7], [8], [5e-324]),
        (np.array([7]), np.array([8]), 1),
    ]


def texts_that_are_refused() -> list[tuple[Any, ...]]:
    objects = TEXTS.astype(object)
    return [
        (TEXTS, TEXTS[1:]),
        (TEXTS, with_last(objects, None)),
        (with_last(objects, np.nan), TEXTS),
        (objects, with_last(objects, 3)),
        (pd.Categorical(with_last(objects, None)), TEXTS),
        (TEXTS, pd.Series(with_last(objects, None), dtype="string")),
        (pl.Series(with_last(objects, None).tolist()), TEXTS),
        (pa.array(with_last(objects, None)).dictionary_encode(), TEXTS),
        (TEXTS, BIG),
        (np.char.add(TEXTS, "!"), TEXTS, np.full(N, 1e308)),
        (["new"], ["newer"], [1e308]),
        (["new"], ["newer"], [1, 1]),
    ]


@EVERY
def test_rows_and_weights_that_are_refused(kind) -> None:
    matrix = make(kind)
    before = state(matrix)
    bad = texts_that_are_refused() if "text" in kind else numbers_that_are_refused()
    if "given" in kind:
        many, one = (TEXTS, "d") if "text" in kind else (BIG, 77)
        bad += [(many, with_last(many, one, object if one == "d" else None)), ([one], [one])]
        bad += [(with_last(many, one, many.dtype), many, np.ones(N))]
    for rows in bad:
        with pytest.raises((ValueError, TypeError), match=r"`y_|`sample|weight_exp|lengths|labels"):
            matrix.update(*rows)
        assert state(matrix) == before, rows
    good = (TEXTS, TEXTS) if "text" in kind else (BIG, BIG)
    matrix.update(*good)
    assert matrix.n == before[4] + N


def interrupted(what: Callable[..., Any], when: int) -> Callable[..., Any]:
    """Return the function, interrupted at a call: before it (even numbers) or right after."""
    calls = itertools.count()

    def call(*args: Any, **options: Any) -> Any:
        number = next(calls)
        if 2 * number == when:
            raise KeyboardInterrupt
        actual = what(*args, **options)
        if 2 * number + 1 == when:
            raise KeyboardInterrupt
        return actual

    return call


#: Where an interrupt may come, all before counts are added for good.
PLACES = [
    (confusion_matrix, "check_label_columns"),
    (confusion_matrix, "count_columns"),
    (ConfusionMatrix, "_take_in"),
    (ConfusionMatrix, "_prepare"),
    (ConfusionMatrix, "_count_in"),
    (ConfusionMatrix, "_unshare"),
    (_matrix_state, "add_compensated"),
    (_matrix_state, "_sums"),
    (_matrix_state.MatrixState, "arrange"),
    (_matrix_state.MatrixState, "as_float"),
    (_label_counts.kernels, "count_cells"),
    (_label_counts.kernels, "count_two"),
]


@pytest.mark.parametrize(
    "kind",
    [
        "numbers given counts",
        "numbers open weights",
        "numbers open counts",
        "text open counts",
        "text given weights",
    ],
)
@pytest.mark.parametrize(("holder", "name"), PLACES, ids=[name for _, name in PLACES])
def test_an_interrupt_anywhere(monkeypatch, kind, holder, name) -> None:
    text = "text" in kind
    is_open = "open" in kind
    batches: list[tuple[Any, ...]] = []
    for n in (1, 300):
        y = np.array(["a", "d" if is_open else "b"] * n) if text else np.array([0, 2 + is_open] * n)
        whole = (y, y, np.arange(len(y)))
        batches += [whole] if n == 1 else [(y, y[::-1].copy()), (y, y, np.full(len(y), 0.5))]
    for rows, shared in itertools.product(batches, (False, True)):
        for when in range(4):
            matrix = make(kind)
            seen = matrix.counts if shared else None
            before = state(matrix) if shared else state(matrix.copy())
            with monkeypatch.context() as patch:
                patch.setattr(holder, name, interrupted(getattr(holder, name), when))
                try:
                    matrix.update(*rows)
                except KeyboardInterrupt:
                    is_last = (name, when % 2) == ("count_cells", 1)  # counted, then interrupted
                    if not is_last:
                        assert state(matrix) == before
                        matrix.update(*rows)
                if seen is not None:
                    assert seen.sum() == before[4], "a snapshot changed"
            wanted = make(kind)
            wanted.update(*rows)
            if matrix.n != before[4]:
                assert state(matrix) == state(wanted)


def test_an_interrupted_merge(monkeypatch) -> None:
    other = ConfusionMatrix.from_labels([5, 1], [5, 5], sample_weight=[0.5, 0.25])
    for (holder, name), when in itertools.product(PLACES[2:-2], range(4)):
        matrix = make("numbers open counts")
        before = state(matrix)
        with monkeypatch.context() as patch:
            patch.setattr(holder, name, interrupted(getattr(holder, name), when))
            try:
                matrix.merge(other)
            except KeyboardInterrupt:
                assert state(matrix) == before
                matrix.merge(other)
        assert matrix.labels == (0, 1, 2, 5)
        assert matrix.counts.tolist() == [[0, 0, 1, 0], [0, 1, 0, 0.25], [0] * 4, [0, 0, 0, 0.5]]


BATCH = 60


def together(*jobs: Callable[[], None], timeout: float = 60.0) -> None:
    """Run the jobs at once; raise what one of them raised, or if they do not end."""
    failures: list[BaseException] = []
    start = threading.Barrier(len(jobs))

    def run(job: Callable[[], None]) -> None:
        try:
            start.wait()
            job()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(job,), daemon=True) for job in jobs]
    for thread in threads:
        thread.start()
    end = time.monotonic() + timeout
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    assert not any(thread.is_alive() for thread in threads), "deadlock"
    if failures:
        raise failures[0]


def batch(number: int, kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Return rows that hit one new class or an old one, in every way that there is to count."""
    y = np.full(BATCH, number % 5)
    p = np.where(np.arange(BATCH) % 2, y, (number + 1) % 5)
    if kind == "text":
        return y.astype("U1"), p.astype("U1"), None
    weights = {"counts": None, "weights": np.full(BATCH, 0.25), "integers": np.full(BATCH, 2)}
    return y, p, weights[kind]


@pytest.mark.parametrize("kind", ["counts", "integers", "weights", "text"])
def test_updates_merges_and_reads(kind) -> None:
    matrix = ConfusionMatrix()
    rounds = 60
    weight = {"weights": 0.25, "integers": 2}.get(kind, 1)
    done = threading.Event()

    def update(first: int) -> None:
        for number in range(first, rounds, 2):
            matrix.update(*batch(number, kind))

    def merge(first: int) -> None:
        for number in range(first, rounds, 2):
            y, p, w = batch(number, kind)
            part = ConfusionMatrix()
            part.update(y, p, w)
            matrix.merge(part)
        done.set()

    def read() -> None:
        while not done.is_set():
            counts = matrix.counts
            copy = matrix.copy()
            n = matrix.n
            total = counts.sum()
            assert total % (BATCH * weight) == 0, "half a batch was seen"
            assert n % (BATCH * weight) == 0
            assert copy.margins.true.sum() == copy.n >= total
            assert matrix.margins.true.sum() % (BATCH * weight) == 0
            before = np.array(copy.counts)
            assert matrix.reversed().n >= copy.n
            assert repr(matrix)
            assert (copy.counts == before).all()
            assert counts.sum() == total, "a snapshot changed"

    together(*(lambda k=k: update(k) for k in range(2)), *(lambda k=k: merge(k) for k in range(2)),
             read)  # fmt: skip
    wanted = np.zeros((5, 5))
    for number in [*range(rounds), *range(rounds)]:
        y, p, _ = batch(number, "counts")
        np.add.at(wanted, (y, p), weight)
    assert matrix.counts.tolist() == wanted.tolist()
    assert list(map(str, matrix.labels)) == list("01234")


def test_merging_each_with_the_other_does_not_deadlock() -> None:
    a, b = (ConfusionMatrix() for _ in range(2))
    a.update([0, 1], [0, 1])
    b.update([1, 2], [2, 2])

    def merge(into: ConfusionMatrix, other: ConfusionMatrix) -> None:
        for _ in range(6):  # each time about twelve times as many: int64 is not infinite
            into.merge(other, other.copy())
            into.merge(into)
            assert into == into.copy() or into.n
            _ = into + other

    for _ in range(30):
        one = a.copy()
        other = b.copy()
        together(lambda: merge(one, other), lambda: merge(other, one))  # noqa: B023
        assert one.labels == other.labels == (0, 1, 2)
        for matrix in (one, other):  # every part is a sum of whole a and whole b
            counts = matrix.counts
            assert counts[0, 0] == counts[1, 1]
            assert counts[1, 2] == counts[2, 2]
            assert counts.sum() == 2 * counts[0, 0] + 2 * counts[2, 2]
        a.reset()
        a.update([0, 1], [0, 1])


def test_resets_among_updates_leave_whole_batches() -> None:
    matrix = ConfusionMatrix()

    def update() -> None:
        for number in range(150):
            matrix.update(*batch(number, "counts"))

    def reset() -> None:
        for _ in range(50):
            matrix.reset()
            assert matrix.n % BATCH == 0

    together(update, update, reset)
    assert matrix.n % BATCH == 0
    matrix.reset()
    assert matrix == ConfusionMatrix()


def test_threads_of_text_and_of_numbers_cannot_both_win() -> None:
    for _ in range(30):
        matrix = ConfusionMatrix()
        refused = []

        def update(labels: list, matrix=matrix, refused=refused) -> None:
            try:
                matrix.update(labels, labels)
            except TypeError as error:
                refused.append(str(error))

        together(lambda: update(["a", "b"]), lambda: update([3, 4]))
        assert matrix.labels in (("a", "b"), (3, 4))
        assert len(refused) == 1
        assert "text" in refused[0]


@pytest.mark.parametrize(
    "read",
    [
        lambda matrix: matrix.n,
        lambda matrix: matrix.counts,
        lambda matrix: matrix.margins,
        lambda matrix: matrix.copy(),
        lambda matrix: matrix.reversed(),
        lambda matrix: matrix + matrix,
        repr,
    ],
    ids="n counts margins copy reversed sum repr".split(),
)
def test_what_is_read_waits_for_an_update_under_way(read) -> None:
    matrix = ConfusionMatrix()
    matrix.update([0, 1], [0, 1], [0.5, 0.25])
    actual: list[object] = []
    reader = threading.Thread(target=lambda: actual.append(read(matrix)), daemon=True)
    with matrix._lock:  # as an update holds it
        reader.start()
        reader.join(0.05)
        assert not actual
    reader.join(10)
    assert len(actual) == 1


class Rows:
    """Very many rows, of which only the number is known."""

    dtype = np.dtype(np.int8)

    def __len__(self) -> int:
        return 2**33


def test_no_cell_of_a_thread_can_overflow(monkeypatch) -> None:
    """All rows may be of one cell, and a thread's cells are int32."""
    parts = []
    monkeypatch.setattr(
        _label_counts._workers, "run", lambda jobs: parts.extend(job.args for job in jobs) or []
    )
    monkeypatch.setenv("FASTMETRICS_NUM_THREADS", "2")
    _label_counts._on_threads(lambda *_: True, Rows(), Rows(), 4)
    assert [parts[0][0], parts[-1][1]] == [0, 2**33]
    assert all(one[1] == other[0] for one, other in itertools.pairwise(parts))
    assert max(stop - start for start, stop in parts) <= np.iinfo(np.int32).max
