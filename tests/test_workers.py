"""The thread pool: order, failures, limits, interrupts, forks, and pools inside pools."""

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pytest

from fastmetrics import roc_auc_score
from fastmetrics._threads import workers as _workers
from fastmetrics._threads.workers import BLOCK_ROWS, at_most, by_blocks, run, thread_count
from fastmetrics.tables.pairs import PLAIN_ROWS
from processes import python, started

THREADS = [1, 2, 3, 7]
N = 12 * PLAIN_ROWS  # rows enough for several jobs


def data() -> tuple[Any, Any]:
    return (np.arange(N) % 3 == 0), np.arange(N) * 7_919 % 100_003 / 8


def nap(seconds: float, value: Any) -> Any:
    time.sleep(seconds)
    return value


@pytest.mark.parametrize("n_threads", THREADS)
def test_results_come_in_order(n_threads: int) -> None:
    jobs = [partial(nap, (17 * k % 5) / 2_000, k) for k in range(40)]
    with at_most(n_threads):
        assert run(jobs) == list(range(40))
        assert run(jobs[:1]) == [0]
        assert run([]) == []


@pytest.mark.parametrize("n_threads", THREADS)
@pytest.mark.parametrize("n", [0, 1, BLOCK_ROWS, BLOCK_ROWS + 1, 9 * BLOCK_ROWS])
def test_blocks_are_all_rows_in_order(n: int, n_threads: int) -> None:
    rows = np.arange(n)
    with at_most(n_threads):
        blocks = by_blocks(n, lambda here: rows[here])
    assert [len(part) for part in blocks[:-1]] == [BLOCK_ROWS] * (len(blocks) - 1)
    assert (np.concatenate([rows[:0], *blocks]) == rows).all()


def test_no_more_threads_than_asked_for() -> None:
    for n_threads in (1, 2):
        with at_most(n_threads):
            seen = run([lambda: nap(0.001, threading.get_ident())] * 30)
        assert threading.get_ident() in seen  # the caller works too
        assert len(set(seen)) <= n_threads


class JobError(Exception):
    """Raised by a job."""


@pytest.mark.pairwise
@pytest.mark.parametrize("n_threads", THREADS)
@pytest.mark.parametrize("kind", [JobError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("at", [0, 1, 5])
def test_the_first_failure_stops_the_rest(
    n_threads: int, kind: type[BaseException], at: int
) -> None:
    done = []

    def job(k: int) -> None:
        if k == at:
            raise kind("job failed")
        time.sleep(0.001)
        done.append(k)

    with at_most(n_threads), pytest.raises(kind, match="job failed"):
        run([partial(job, k) for k in range(300)])
    count = len(done)
    assert count < 250
    time.sleep(0.01)
    assert len(done) == count  # no job is under way any more
    with at_most(n_threads):
        assert run([partial(nap, 0, k) for k in range(9)]) == list(range(9))


def test_a_failure_in_a_helper_is_raised_in_the_caller() -> None:
    caller = threading.get_ident()

    def job() -> None:
        if threading.get_ident() != caller:
            raise JobError("in a helper")
        time.sleep(0.005)

    with at_most(2), pytest.raises(JobError, match="in a helper"):
        run([job] * 400)


def test_numbers_of_threads(monkeypatch) -> None:
    monkeypatch.delenv(_workers.N_THREADS_VARIABLE, raising=False)
    for count in (3, np.int64(3)):
        with at_most(count):
            assert thread_count() == 3
    with at_most(None):
        assert thread_count() == _workers.available_processors() >= 1


@pytest.mark.parametrize(("text", "count"), [("1", 1), (" 5 ", 5), ("12", 12)])
def test_the_environment_variable(monkeypatch, text: str, count: int) -> None:
    monkeypatch.setenv("FASTMETRICS_NUM_THREADS", text)
    assert thread_count() == count
    with at_most(2):
        assert thread_count() == 2  # what is asked for outright wins
    monkeypatch.setenv("FASTMETRICS_NUM_THREADS", "  ")
    assert thread_count() == _workers.available_processors()


@pytest.mark.parametrize("text", ["0", "-1", "two", "1.5", "1e3", "²"])
def test_a_bad_environment_variable(monkeypatch, text: str) -> None:
    monkeypatch.setenv("FASTMETRICS_NUM_THREADS", text)
    for call in (thread_count, partial(run, [int])):  # judged even where one job needs no second
        with pytest.raises(ValueError, match="FASTMETRICS_NUM_THREADS"):
            call()


def output_of(text: str) -> str:
    run = python("-W", "error", "-c", text, timeout=120)
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


DATA = """
import os, threading, numpy as np
from fastmetrics import ScoreTable, roc_auc_score
from fastmetrics._threads import workers as _workers
from fastmetrics.tables.pairs import PLAIN_ROWS
n = 12 * PLAIN_ROWS
labels, scores = np.arange(n) % 3 == 0, np.arange(n) * 7_919 % 100_003 / 8
"""


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no CPU affinity here")
def test_affinity_is_respected(monkeypatch) -> None:
    monkeypatch.delenv(_workers.N_THREADS_VARIABLE, raising=False)
    program = """
import os
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
from fastmetrics._threads import workers as _workers
with _workers.at_most(4):
    asked = _workers.thread_count()
print(_workers.available_processors(), _workers.thread_count(), asked)
"""
    assert output_of(program) == "1 1 4"


NAPS = """
import time
from fastmetrics._threads import workers as _workers
jobs = [lambda: time.sleep(0.02)] * 5_000
print("ready", flush=True)
try:
    with _workers.at_most({n_threads}):
        _workers.run(jobs)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""
AUC = (
    DATA
    + """
labels, scores = np.tile(labels, 10), np.tile(scores, 10)
roc_auc_score(labels, scores, n_threads={n_threads})
print("ready", flush=True)
try:
    while True:
        roc_auc_score(labels, scores, n_threads={n_threads})
except KeyboardInterrupt:
    print("stopped", flush=True)
print(roc_auc_score(labels, scores, n_threads={n_threads}))
"""
)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("program", [NAPS, AUC], ids=["naps", "auc"])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_interrupt_stops_within_a_second(program: str, n_threads: int) -> None:
    """Later calls are right."""
    process = started("-W", "error", "-c", program.replace("{n_threads}", str(n_threads)))
    try:
        assert process.stdout.readline() == "ready\n", process.stderr.read()
        time.sleep(0.3)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "stopped\n"
        assert time.monotonic() - start < 1.0
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        if program is AUC:
            assert float(out) == roc_auc_score(*data())
    finally:
        process.kill()
        process.communicate()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_right_after_a_fork_and_at_the_end_of_the_interpreter() -> None:
    """The child makes a pool of its own."""
    program = (
        DATA
        + """
import warnings
warnings.simplefilter("ignore", DeprecationWarning)  # 3.12: a fork beside threads
before = roc_auc_score(labels, scores, n_threads=2)
pool = _workers._executor()
child = os.fork()
if child == 0:
    same = roc_auc_score(labels, scores, n_threads=2) == before
    os._exit(0 if same and _workers._executor() is not pool else 1)
_, status = os.waitpid(child, 0)
print(os.waitstatus_to_exitcode(status), roc_auc_score(labels, scores, n_threads=2) == before)
# no new thread can be had at the end of the interpreter: the caller does the work
import atexit
atexit.register(lambda: print(roc_auc_score(labels, scores, n_threads=2) == before))
"""
    )
    assert output_of(program).split() == ["0", "True", "True"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.parametrize(
    "_", [0, *(pytest.param(k, marks=pytest.mark.exhaustive) for k in range(1, 10))]
)
def test_forks_while_other_threads_load_and_use_kernels(_: int) -> None:
    """The first come while numba is being loaded: no child may wait for a thread that it lacks."""
    program = """
import os, signal, threading, time, warnings
import numpy as np
from fastmetrics import average_precision_score, log_loss, roc_auc_score
warnings.simplefilter("ignore", DeprecationWarning)  # 3.12: a fork beside threads
labels, scores = np.arange(4_000) % 2, np.random.default_rng(0).random(4_000)
def work():
    while True:
        for function in (roc_auc_score, average_precision_score, log_loss):
            function(labels, scores)
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
ends = []
for _ in range(50):
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(30)
        roc_auc_score(labels, scores)
        log_loss(labels, scores)
        os._exit(0)
    ends.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(ends.count(0), flush=True)
os._exit(0)
"""
    assert output_of(program) == "50"


def test_from_many_threads_at_once() -> None:
    labels, scores = data()
    truth = roc_auc_score(labels, scores, n_threads=1)
    with ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(roc_auc_score, labels, scores, n_threads=2) for _ in range(16)]
        assert [call.result(timeout=60) for call in calls] == [truth] * 16


def test_runs_inside_jobs() -> None:
    def inner(k: int) -> list[int]:
        return run([partial(nap, 0.001, 10 * k + i) for i in range(6)], 3)

    results = run([partial(inner, k) for k in range(12)], 3)
    assert results == [[10 * k + i for i in range(6)] for k in range(12)]

    def fails(k: int) -> None:
        run([partial(nap, 0.001, 0), partial(divmod, 1, 0)], 2)

    with pytest.raises(ZeroDivisionError, match="by zero"):
        run([partial(fails, k) for k in range(12)], 2)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_inside_joblib(backend: str) -> None:
    joblib = pytest.importorskip("joblib")
    labels, scores = data()
    truth = roc_auc_score(labels, scores)
    calls = [joblib.delayed(roc_auc_score)(labels, scores, n_threads=2) for _ in range(3)]
    assert joblib.Parallel(n_jobs=2, backend=backend)(calls) == [truth] * 3


def test_a_call_inside_takes_what_was_asked_around_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_workers, "available_processors", lambda: 8)
    with _workers.at_most(3):
        assert thread_count() == 3
        with at_most(5):
            assert thread_count() == 5
        with _workers.at_most(None):
            assert thread_count() == 3
        with pytest.raises(ValueError, match="n_threads"), _workers.at_most(0):
            pass
        assert thread_count() == 3
    assert thread_count() == 8


def test_jobs_inside_jobs_share_the_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_workers, "available_processors", lambda: 8)
    inside = partial(run, [thread_count] * 3)
    assert run([thread_count] * 2) == [4, 4]
    assert run([thread_count] * 20) == [1] * 20
    assert run([inside] * 2) == [[1] * 3] * 2
    assert run([thread_count] * 2, n_rows=10) == [8, 8]  # of few rows: here, one after the other
    with at_most(3):
        assert run([thread_count] * 2) == [1, 1]
    assert run([inside]) == [[2] * 3]
    assert thread_count() == 8
