"""Ctrl-C that ends the work soon, whatever the work is about.

Python raises KeyboardInterrupt between any two steps of the main thread; numba and llvmlite do not
expect it. Raised in a function that C code called back it is dropped, and raised while they hold
their lock it leaves the lock locked, for other threads to wait for without end. So it waits until
machine code is loaded, and it comes again where it was dropped.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from types import FrameType

from fastmetrics.cli._messages import say

#: Exit status that a shell reports for a process that Ctrl-C has ended.
INTERRUPTED = 130
#: Seconds to the next try: where the compiler was at work, and where what was raised had no effect.
_SOON, _LATER = 0.05, 0.5
#: Seconds after which a compiler that is still at work is not waited for.
_PATIENCE = 0.8
_COMPILERS = ("numba", "llvmlite")


def say_interrupted() -> None:
    """Print the line that tells of it."""
    say("interrupted")


@contextmanager
def insistent_interrupt() -> Iterator[None]:
    """Raise KeyboardInterrupt at Ctrl-C until the work inside ends, but not in the compiler."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield  # somebody else handles it
        return
    # Its `put` may be called in a signal handler, as a lock or an event may not.
    told: SimpleQueue[bool | None] = SimpleQueue()
    ended = raised = False

    def handle(_: int, frame: FrameType | None) -> None:
        nonlocal raised
        if ended:
            return
        compiling = _is_compiling(frame)
        told.put(compiling)
        if not compiling:
            raised = True
            raise KeyboardInterrupt

    watcher = threading.Thread(target=_watch, args=(told,), daemon=True)
    watcher.start()
    signal.signal(signal.SIGINT, handle)
    try:
        yield
    except Exception as error:
        if raised:  # C code, or Python in the midst of a class, made another error of it
            raise KeyboardInterrupt from error
        raise
    finally:
        ended = True
        told.put(None)
        watcher.join()  # so that nothing comes after this
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _is_compiling(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] in _COMPILERS:
            return True
        frame = frame.f_back
    return False


def _watch(told: SimpleQueue[bool | None]) -> None:
    """After the first interrupt, send another one now and then until the work has ended.

    What comes is whether an interrupt met the compiler and waits, or None at the end.
    """
    waiting = told.get()
    since = time.monotonic()
    while waiting is not None:
        if waiting and time.monotonic() - since > _PATIENCE:
            say_interrupted()
            os._exit(INTERRUPTED)  # nothing is open but the compiler's own files
        try:
            waiting = told.get(timeout=_SOON if waiting else _LATER)
        except Empty:
            _interrupt_main_thread()


def _interrupt_main_thread() -> None:
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, signal.SIGINT)  # it wakes a thread that waits for a lock
    else:
        signal.raise_signal(signal.SIGINT)
