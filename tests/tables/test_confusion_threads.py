"""One ``ConfusionMatrix`` in several threads: exact totals, whole views, no deadlock."""

import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

from fastmetrics import ConfusionMatrix

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
    matrix, rounds = ConfusionMatrix(), 60
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
            counts, copy, n = matrix.counts, matrix.copy(), matrix.n
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
        one, other = a.copy(), b.copy()
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
        matrix, refused = ConfusionMatrix(), []

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
    found: list[object] = []
    reader = threading.Thread(target=lambda: found.append(read(matrix)), daemon=True)
    with matrix._lock:  # as an update holds it
        reader.start()
        reader.join(0.05)
        assert not found
    reader.join(10)
    assert len(found) == 1
