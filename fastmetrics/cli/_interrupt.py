"""Ctrl-C that ends the work soon, whatever the work is about.

It waits until machine code is loaded (``fastmetrics/_interrupt.py``), but not for long, and it
comes again where C code that called a function back has dropped it.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue

from fastmetrics._interrupt import listeners
from fastmetrics.cli._messages import say

#: Exit status that a shell reports for a process that Ctrl-C has ended.
INTERRUPTED = 130
#: Seconds to the next try, where what was raised had no effect.
_LATER = 0.5
#: Seconds after which a compiler that is still at work is not waited for.
_PATIENCE = 0.8


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

    def waits() -> None:
        told.put(True)

    def handle(*_: object) -> None:
        nonlocal raised
        if not ended:
            told.put(False)
            raised = True
            raise KeyboardInterrupt

    watcher = threading.Thread(target=_watch, args=(told,), daemon=True)
    watcher.start()
    listeners.append(waits)
    signal.signal(signal.SIGINT, handle)
    try:
        yield
    except Exception as error:
        if raised:  # C code, or Python in the midst of a class, made another error of it
            raise KeyboardInterrupt from error
        raise
    finally:
        ended = True
        listeners.remove(waits)
        told.put(None)
        watcher.join()  # so that nothing comes after this
        signal.signal(signal.SIGINT, signal.default_int_handler)


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
            waiting = told.get(timeout=_PATIENCE if waiting else _LATER)
        except Empty:
            if not waiting:
                _interrupt_main_thread()


def _interrupt_main_thread() -> None:
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, signal.SIGINT)  # it wakes a thread that waits for a lock
    else:
        signal.raise_signal(signal.SIGINT)
