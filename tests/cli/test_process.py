"""The program as a process: start-up, streams, interrupts and what a terminal shows."""

import ctypes
import io
import os
import re
import signal
import sys
import threading
import time
import types
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tqdm

import engine_sizes
from commands import captured, error_of
from fastmetrics._interrupt import deferred_interrupt, listeners
from fastmetrics.cli import _warmup, main
from fastmetrics.cli._terminal import insistent_interrupt
from processes import python, started

EVALUATE = ["evaluate", "x.parquet", "--label", "y", "--score", "s"]


@pytest.fixture
def folder(tmp_path):
    write(tmp_path, 2_000)
    return tmp_path


def write(folder, n):
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.3).astype(np.int8)
    pq.write_table(pa.table({"y": y, "s": rng.normal(size=n) + y}), folder / "x.parquet")


def test_version(capsys):
    assert captured(capsys, "--version").out.startswith("fastmetrics ")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nonsense"],
        ["evaluate"],
        [*EVALUATE, "--format", "xml"],
        [*EVALUATE, "--threads", "0"],
        [*EVALUATE, "--nonsense"],
        ["demo", "extra"],
    ],
)
def test_usage_errors_are_one_line(arguments, capsys):
    assert error_of(capsys, *arguments)


def test_exit_codes_of_the_process(folder):
    run = python("-m", "fastmetrics", *EVALUATE, cwd=folder)
    assert (run.returncode, run.stderr) == (0, "")
    assert "\x1b" not in run.stdout
    run = python("-m", "fastmetrics", *EVALUATE[:-1], "none", cwd=folder)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith("fastmetrics: error: x.parquet: no column 'none'")


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("phase", ["reading", "evaluating"])
def test_interrupt(folder, phase):
    # Held up at a known place, so that the signal arrives there.
    target = {
        "reading": "fastmetrics.io.reader._Reading._append",
        "evaluating": "fastmetrics._report.evaluation.evaluate_scores",
    }[phase]
    code = (
        "import sys, time\nfrom unittest import mock\nfrom fastmetrics.cli import main\n"
        "def held(*arguments, **options):\n"
        "    print('held', file=sys.stderr, flush=True)\n    time.sleep(30)\n"
        f"with mock.patch({target!r}, held):\n    sys.exit(main({EVALUATE!r}))"
    )
    process = started("-c", code, cwd=folder)
    assert process.stderr.readline() == "held\n"
    start = time.perf_counter()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert time.perf_counter() - start < 5
    assert process.returncode == 130
    assert out == ""
    assert err == "fastmetrics: interrupted\n"


@pytest.mark.parametrize("missing", ["duckdb", "pyarrow"])
def test_missing_extras(missing, capsys, monkeypatch, folder):
    monkeypatch.chdir(folder)
    monkeypatch.setitem(sys.modules, missing, None)
    message = error_of(capsys, *EVALUATE)
    assert message.startswith(f"reading files needs duckdb and pyarrow ({missing} is missing)")
    assert "pip install 'fastmetrics-eval[cli,io]'" in message


def test_a_database_that_reads_large_integers_as_floats_is_refused(capsys, monkeypatch, folder):
    monkeypatch.chdir(folder)
    monkeypatch.setattr("duckdb.__version__", "1.5.6")
    assert "needs duckdb 2.0 or newer: 1.5.6 is installed" in error_of(capsys, *EVALUATE)


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def two_files(tmp_path):
    for name in "ab":
        rows = "".join(f"{i % 2},{i % 7}\n" for i in range(2_000))
        (tmp_path / f"{name}.csv").write_text("y,s\n" + rows)
    return ["evaluate", str(tmp_path / "*.csv"), "--label", "y", "--score", "s"]


@pytest.mark.parametrize("patience", [0.0, 60.0])
def test_progress_bar_only_when_it_takes_long(two_files, monkeypatch, patience):
    engine_sizes.put(monkeypatch, patience_with_files=patience)
    monkeypatch.setattr(tqdm, "tqdm", partial(tqdm.tqdm, mininterval=0))  # draw every move
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    assert main(two_files) == 0
    text = terminal.getvalue()
    if patience:
        assert "reading" not in text
    else:
        assert "reading" in text
        assert ",000 rows" in text  # of one file or of both: the end may come before it is drawn


@pytest.mark.parametrize("stream", [io.StringIO, Terminal])
def test_no_progress_bar_when_nobody_is_looking_or_without_tqdm(two_files, monkeypatch, stream):
    engine_sizes.put(monkeypatch, patience_with_files=0.0)
    monkeypatch.setattr(sys, "stderr", terminal := stream())
    if stream is Terminal:
        monkeypatch.setitem(sys.modules, "tqdm", None)
    assert main(two_files) == 0
    assert "reading" not in terminal.getvalue()


def test_every_step_of_warmup_runs(monkeypatch):
    monkeypatch.setattr(_warmup, "_ROWS", (200, 3_000))
    monkeypatch.setattr(_warmup, "_KINDS", (np.float64,))
    names, seconds = zip(*_warmup.compile_all(), strict=True)
    assert len(set(names)) == len(names) > 8
    assert min(seconds) >= 0


def test_warmup_counts_and_times(monkeypatch, capsys):
    warmup = types.ModuleType("fastmetrics.cli._warmup")
    warmup.compile_all = lambda: iter([("one", 0.25), ("two", 0.5)])
    monkeypatch.setitem(sys.modules, "fastmetrics.cli._warmup", warmup)
    out, err = captured(capsys, "warmup")
    assert out.startswith("2 groups of kernels ready in ")
    assert err == ""
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    assert main(["warmup"]) == 0
    assert "two" in terminal.getvalue()


def test_our_own_mistakes_are_not_hidden(monkeypatch):
    def broken(*_):
        raise ImportError("cannot import name 'x'", name="fastmetrics.io")

    monkeypatch.setattr("fastmetrics.cli._warmup.compile_all", broken)
    with pytest.raises(ImportError, match="cannot import name"):
        main(["warmup"])


POSIX = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")


def seconds_until_interrupted(work):
    """Press Ctrl-C soon after work has begun; return when it ended."""
    start = time.perf_counter()
    threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt), insistent_interrupt():
        work()
    return time.perf_counter() - start


@POSIX
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_that_c_code_swallows_comes_again():
    @ctypes.CFUNCTYPE(None)
    def called_by_c():
        time.sleep(0.5)  # ctypes drops what is raised in here

    def work():
        called_by_c()
        for _ in range(100):
            time.sleep(0.05)

    assert 0.4 < seconds_until_interrupted(work) < 4
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@POSIX
def test_an_interrupt_waits_for_the_compiler():
    steps = []

    def work():
        with deferred_interrupt():
            time.sleep(0.4)
            steps.append("done")
        for _ in range(100):
            time.sleep(0.05)

    assert 0.4 < seconds_until_interrupted(work) < 4
    assert steps == ["done"]


@POSIX
def test_a_compiler_that_takes_long_is_not_waited_for():
    code = (
        "import os, signal, threading, time\n"
        "from fastmetrics._interrupt import deferred_interrupt\n"
        "from fastmetrics.cli._terminal import insistent_interrupt\n"
        "threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "with insistent_interrupt(), deferred_interrupt():\n    time.sleep(30)\n"
    )
    start = time.perf_counter()
    run = python("-c", code, timeout=25)
    assert time.perf_counter() - start < 10
    assert (run.returncode, run.stdout, run.stderr) == (130, "", "fastmetrics: interrupted\n")


@POSIX
def test_an_interrupt_wakes_who_waits_for_a_lock_that_nobody_opens():
    lock = threading.Lock()
    lock.acquire()

    def work():
        try:
            time.sleep(30)
        finally:
            lock.acquire()

    assert seconds_until_interrupted(work) < 4


@POSIX
def test_an_interrupt_that_arrives_comes_once():
    def work():
        for _ in range(200):
            time.sleep(0.05)

    seconds_until_interrupted(work)
    time.sleep(0.8)  # nothing follows
    assert not listeners


def test_the_interrupts_of_others_are_left_alone():
    def own(*_):
        raise AssertionError

    before = signal.signal(signal.SIGINT, own)
    try:
        with insistent_interrupt():
            assert signal.getsignal(signal.SIGINT) is own
    finally:
        signal.signal(signal.SIGINT, before)
    handlers = []

    def elsewhere():
        with insistent_interrupt():
            handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert handlers == [before]


@pytest.mark.parametrize("pressed", [True, False])
def test_what_python_makes_of_an_interrupt_is_one(pressed):
    expected = KeyboardInterrupt if pressed else RuntimeError

    def work():
        try:
            if pressed:
                os.kill(os.getpid(), signal.SIGINT)
        finally:
            raise RuntimeError("Error calling __set_name__")

    with pytest.raises(expected) as caught, insistent_interrupt():
        work()
    if pressed:
        assert isinstance(caught.value.__cause__, RuntimeError)


RESAMPLED = [*"evaluate x.parquet --label y --score a --bootstrap 99 --seed 7".split()]


def test_the_bar_is_for_those_who_look(scored, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    engine_sizes.put(monkeypatch, patience=60.0)  # kernels may have to be compiled
    captured(capsys, *RESAMPLED)
    assert "bootstrap" not in terminal.getvalue()
    engine_sizes.put(monkeypatch, patience=0.0)
    out = captured(capsys, *RESAMPLED).out
    assert re.search(r"bootstrap: .*/99 \[", terminal.getvalue())
    monkeypatch.setattr(sys, "stderr", log := io.StringIO())
    assert captured(capsys, *RESAMPLED).out == out
    assert log.getvalue() == ""
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert captured(capsys, *RESAMPLED).out == out
    assert terminal.getvalue() == ""


@POSIX
@pytest.mark.parametrize("models", [("s",), ("s", "t")])
def test_interrupt_while_resampling(tmp_path, models):
    rng = np.random.default_rng(0)
    n = 100_000
    y = (rng.random(n) < 0.3).astype(np.int8)
    scores = {name: rng.normal(size=n) + y for name in "st"}
    pq.write_table(pa.table({"y": y} | scores), tmp_path / "x.parquet")
    # The engine says when it has begun, so that the signal does not come before.
    code = (
        "import os, sys\nfrom unittest import mock\nfrom fastmetrics.cli import main\n"
        "from fastmetrics.inference.bootstrap.bootstrap import Engine\nbatch = Engine._batch\n"
        "from fastmetrics._kernels._compile import notice\nnotice.is_wanted = False\n"
        "def told(*arguments):\n"
        "    batch(*arguments)\n    os.write(2, b'begun\\n')\n"  # whole, from any thread
        "options = ['--bootstrap', '100000', '--metrics', 'roc_auc']\n"
        f"options += {[part for name in models for part in ('--score', name)]!r}\n"
        "with mock.patch.object(Engine, '_batch', told):\n"
        "    sys.exit(main(['evaluate', 'x.parquet', '--label', 'y', *options]))"
    )
    with started("-c", code, cwd=tmp_path) as process:
        try:
            assert process.stderr.readline() == "begun\n"
            start = time.perf_counter()
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert time.perf_counter() - start < 5  # below 1 on an idle machine; minutes if it ran on
    assert process.returncode == 130
    assert out == ""
    assert err.replace("begun\n", "") == "fastmetrics: interrupted\n"
