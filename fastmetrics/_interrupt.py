"""Ctrl-C that waits where C++ expects none: in numba, as modules start up, in settings of DuckDB.

Python raises KeyboardInterrupt between any two steps of the main thread. A module whose import it
ends is left half loaded; raised in a function that C code called back it is dropped, or becomes
another error; raised while the compiler holds its lock it leaves the lock locked, for other threads
to wait for without end.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: Called with each interrupt that has to wait: whoever cannot wait for long may do something else.
listeners: list[Callable[[], object]] = []


@contextmanager
def deferred_interrupt() -> Iterator[None]:
    """Hold Ctrl-C back, and deliver it to its handler afterwards; also a decorator.

    Nothing is held back in other threads, where none arrives, nor from handlers that are not
    Python's.
    """
    is_main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGINT) if is_main else None
    if not callable(before):
        yield
        return
    arrived: list[int] = []

    def wait(number: int, _: object) -> None:
        arrived.append(number)
        for told in listeners:
            told()

    signal.signal(signal.SIGINT, wait)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if arrived:
            signal.raise_signal(signal.SIGINT)
