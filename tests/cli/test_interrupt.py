"""Ctrl-C: not in the compiler, not lost, and once."""

import ctypes
import os
import signal
import threading
import time

import pytest
from processes import python

from fastmetrics._interrupt import deferred_interrupt, listeners
from fastmetrics.cli._terminal import insistent_interrupt

POSIX = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")


def press_ctrl_c(seconds):
    threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT)).start()


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

    start = time.perf_counter()
    press_ctrl_c(0.1)
    with pytest.raises(KeyboardInterrupt), insistent_interrupt():
        work()
    assert 0.4 < time.perf_counter() - start < 4
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

    start = time.perf_counter()
    press_ctrl_c(0.1)
    with pytest.raises(KeyboardInterrupt), insistent_interrupt():
        work()
    assert 0.4 < time.perf_counter() - start < 4
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

    start = time.perf_counter()
    press_ctrl_c(0.1)
    with pytest.raises(KeyboardInterrupt), insistent_interrupt():
        work()
    assert time.perf_counter() - start < 4


@POSIX
def test_an_interrupt_that_arrives_comes_once():
    def work():
        for _ in range(200):
            time.sleep(0.05)

    press_ctrl_c(0.1)
    with pytest.raises(KeyboardInterrupt), insistent_interrupt():
        work()
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
    found = []

    def elsewhere():
        with insistent_interrupt():
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert found == [before]


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
