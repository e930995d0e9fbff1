"""Ctrl-C while numba is imported, compiles or loads: held back, not lost, and nothing breaks."""

import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numba
import numpy as np
import pytest

from fastmetrics import average_precision_score, bootstrap, roc_auc_score
from fastmetrics._interrupt import deferred_interrupt, listeners
from fastmetrics._kernels._compile import NOTICE

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")


def press_ctrl_c() -> None:
    signal.raise_signal(signal.SIGINT)


def test_an_interrupt_comes_after_the_work_and_once() -> None:
    steps = []
    listeners.append(lambda: steps.append("told"))

    @deferred_interrupt()
    def work() -> None:
        with deferred_interrupt():
            press_ctrl_c()
            steps.append("inner")
        press_ctrl_c()
        steps.append("outer")

    try:
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        del listeners[:]
    assert steps == ["told", "inner", "told", "told", "outer"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_it_comes_where_the_work_fails() -> None:
    @deferred_interrupt()
    def work() -> None:
        press_ctrl_c()
        raise ValueError("of the work")

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt) as caught:
            work()
        assert isinstance(caught.value.__context__, ValueError)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_without_one_nothing_happens() -> None:
    with deferred_interrupt():
        assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    with pytest.raises(ValueError, match="of the work"), deferred_interrupt():
        raise ValueError("of the work")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_handler_of_the_user_gets_it() -> None:
    steps = []

    def own(number: int, frame: object) -> None:
        steps.append(number)

    before = signal.signal(signal.SIGINT, own)
    try:
        with deferred_interrupt():
            press_ctrl_c()
            steps.append("work")
        assert signal.getsignal(signal.SIGINT) is own
    finally:
        signal.signal(signal.SIGINT, before)
    assert steps == ["work", signal.SIGINT]


def test_what_is_not_pythons_is_left_alone() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with deferred_interrupt():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
            press_ctrl_c()
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_hold_nothing_back() -> None:
    actual = []

    @deferred_interrupt()
    def elsewhere() -> None:
        actual.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert actual == [signal.default_int_handler]


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
@pytest.mark.parametrize("nogil", [True, False])
def test_while_the_users_own_statistic_compiles(monkeypatch, nogil) -> None:
    @numba.njit(nogil=nogil)
    def share(score, weights):
        return (weights * (score > 0.5)).sum() / weights.sum()

    compiled = type(share).compile
    actual = []

    def interrupted(self, signature):
        press_ctrl_c()
        actual.append(compiled(self, signature))
        return actual[-1]

    options = {"metrics": {"share": share}, "n_resamples": 9, "method": "percentile", "rng": 1}
    scores = np.linspace(0.0, 1.0, 201)
    with monkeypatch.context() as patch:
        patch.setattr(type(share), "compile", interrupted)
        with pytest.raises(KeyboardInterrupt):
            bootstrap(scores, **options)
    assert actual  # all of it was compiled
    assert float(bootstrap(scores, **options)["share"]) == pytest.approx(100 / 201)


TRY = """
import os, signal, sys, threading, time
import numpy as np
from fastmetrics import average_precision_score, roc_auc_score

y, score = np.arange(400) % 5 < 2, np.arange(400) * 7 % 97 / 97
seconds = float(sys.argv[1])
pressed = threading.Event()

def press():
    time.sleep(seconds)
    os.kill(os.getpid(), signal.SIGINT)
    pressed.set()

def values():
    return [roc_auc_score(y, score), average_precision_score(y, score)]

start = time.monotonic()
try:
    if seconds >= 0:
        threading.Thread(target=press).start()
        while not pressed.is_set():
            values()
        time.sleep(2)
        print("lost")
    else:
        values()
        print(time.monotonic() - start)
except KeyboardInterrupt:
    print("interrupted")
print(*values())
"""


COMMAND = """
import os, signal, sys, threading, time
from fastmetrics.cli import main

seconds = float(sys.argv[1])
if seconds >= 0:
    press = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    press.daemon = True
    press.start()
start = time.monotonic()
status = main([*sys.argv[2:], "--label", "y", "--score", "s", "--format", "json"])
signal.signal(signal.SIGINT, signal.SIG_IGN)  # what comes now is after the end
print(time.monotonic() - start)
sys.exit(status)
"""


def run_in_a_cold_cache(folder: Path, code: str, *arguments: object) -> tuple[int, str, str]:
    """Return the status of a process, what it prints, and what it says of errors."""
    paths = os.pathsep.join(path for path in sys.path if path)
    run = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, "PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(folder)},
    )
    return run.returncode, run.stdout, run.stderr.replace(NOTICE, "")


@pytest.mark.parametrize("n", [1, pytest.param(120, marks=pytest.mark.slow)])
def test_an_interrupt_at_any_time_in_a_cold_cache(tmp_path, n) -> None:
    y = np.arange(400) % 5 < 2
    score = np.arange(400) * 7 % 97 / 97
    values = f"{roc_auc_score(y, score)} {average_precision_score(y, score)}\n"
    status, out, err = run_in_a_cold_cache(tmp_path / "whole", TRY, -1)
    seconds, _, actual = out.partition("\n")
    assert (status, actual, err) == (0, values, "")
    moments = random.Random(n)
    for i in range(n):
        after = moments.uniform(0.0, 1.1 * float(seconds))
        expected = (0, f"interrupted\n{values}", "")
        assert run_in_a_cold_cache(tmp_path / str(i), TRY, after) == expected, after


@pytest.mark.parametrize("n", [pytest.param(n, marks=pytest.mark.slow) for n in (1, 60)])
def test_the_command_line_in_a_cold_cache(tmp_path, n) -> None:
    file = tmp_path / "x.csv"
    file.write_text("y,s\n" + "".join(f"{i % 5 // 3},{i * 7 % 97}\n" for i in range(400)))
    command = ("evaluate", str(file))
    status, whole, err = run_in_a_cold_cache(tmp_path / "whole", COMMAND, -1, *command)
    assert (status, err) == (0, "")
    answer, _, seconds = whole.removesuffix("\n").rpartition("\n")
    moments = random.Random(n)
    for i in range(n):
        after = moments.uniform(0.0, float(seconds))
        folder = tmp_path / str(i)
        status, out, err = run_in_a_cold_cache(folder, COMMAND, after, *command)
        if status == 0:  # it was sooner done
            assert out.startswith(answer), after
        else:
            assert (status, err) == (130, "fastmetrics: interrupted\n"), after
            status, out, err = run_in_a_cold_cache(folder, COMMAND, -1, *command)
            assert (status, err) == (0, ""), after
            assert out.startswith(answer), after
