"""The one place that decides how kernels are compiled.

A kernel is a plain Python function over contiguous arrays, without annotations: numba types it by
what it is called with. ``@kernel`` wraps it so that

* numba is imported and the function compiled on first use only, never by ``import fastmetrics``;
* the compiled function serves every call, from the first one on;
* machine code is cached on disk; where no cache folder is writable, or its files are damaged,
  kernels are compiled again in memory;
* an interrupt (Ctrl-C) waits until numba has compiled or loaded a kernel, and so does a fork.

``_guarded`` and ``Notice`` need names that numba does not document; under a numba without them
kernels are those of ``njit(cache=True)``.

Kernels that call one another must share a file: numba's cache looks at that file's time stamp
only (a guard in ``tests/guards`` enforces it).
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
from time import perf_counter
from types import FunctionType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._interrupt import deferred_interrupt
from fastmetrics.errors import warn_user

_log = logging.getLogger("fastmetrics")
_lock = threading.RLock()
#: Locks to hold during a fork: ours, and numba's own once numba is loaded.
_locks: list[Any] = [_lock]


def _lock_for_fork() -> None:
    """Delay a fork while a thread loads numba or compiles: a child would inherit half of it."""
    for lock in _locks:
        lock.acquire()


def _unlock_after_fork() -> None:
    for lock in reversed(_locks):
        lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_lock_for_fork, after_in_parent=_unlock_after_fork, after_in_child=_unlock_after_fork
    )


class _Window:
    """Array interface that lets NumPy see the memory of a read-only array as writable."""

    def __init__(self, array: NDArray[Any]) -> None:
        interface = dict(array.__array_interface__)
        interface["data"] = (interface["data"][0], False)
        self.__array_interface__ = interface
        self.owner = array


def _unlocked(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only array as one that numba types as writable, which adds no signature.

    Kernels write to arrays that they are given for output only.
    """
    base = array.base
    if (
        type(base) is np.ndarray
        and base.flags.writeable
        and base.dtype == array.dtype
        and base.shape == array.shape
        and base.strides == array.strides
    ):
        return base  # the columns of a table: views of all of an array that nobody else has
    return np.asarray(_Window(array))


class Kernel:
    """A function compiled by numba on first use; see the module's docstring."""

    def __init__(self, function: FunctionType) -> None:
        self.py_func = function
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__
        self._dispatcher: Any = None

    def __call__(self, *args: Any) -> Any:
        dispatcher = self._dispatcher
        if dispatcher is None:
            dispatcher = self.compiled()
        return dispatcher(
            *[
                _unlocked(arg) if type(arg) is np.ndarray and not arg.flags.writeable else arg
                for arg in args
            ]
        )

    def __repr__(self) -> str:
        return f"<kernel {self.py_func.__module__}.{self.__name__}>"

    @deferred_interrupt()
    def compiled(self) -> Any:
        """Return numba's dispatcher (a plain function under ``NUMBA_DISABLE_JIT=1``)."""
        with _lock:
            if self._dispatcher is None:
                self._dispatcher = _jit(self.py_func)
            return self._dispatcher


def _jit(function: FunctionType) -> Any:
    import numba
    import numpy.ma  # noqa: F401 - numba would import it in the first call, where a fork may come

    notice.listen()
    # Kernels see one another as ``Kernel`` objects in their module; numba must see dispatchers.
    scope = {
        name: value.compiled() if isinstance(value, Kernel) else value
        for name, value in function.__globals__.items()
        if not (isinstance(value, Kernel) and value.py_func is function)
        and (not isinstance(value, Kernel) or name in function.__code__.co_names)
    }
    linked = FunctionType(
        function.__code__, scope, function.__name__, function.__defaults__, function.__closure__
    )
    linked.__module__ = function.__module__
    linked.__qualname__ = function.__qualname__
    options: dict[str, Any] = {"nogil": True, "fastmath": False, "error_model": "numpy"}
    options["no_cfunc_wrapper"] = True  # for C callers, whom kernels have none of: 7 % of the time
    try:
        dispatcher = numba.njit(cache=True, **options)(linked)
    except RuntimeError as error:  # numba: "no locator available": nowhere to write a cache
        _log.debug("kernel %s is not cached: %s", function.__name__, error)
        dispatcher = numba.njit(**options)(linked)
    if isinstance(dispatcher, FunctionType):  # nothing is compiled: be silent as machine code is
        return np.errstate(all="ignore")(dispatcher)
    return _guarded(dispatcher)


def kernel(function: Any) -> Kernel:
    """Mark ``function`` as a kernel: compiled on first use, cached, and free of the GIL."""
    return Kernel(function)


def without_gil(dispatcher: Any) -> Any:
    """Return a user's numba function compiled so that it lets other threads run."""
    if not dispatcher.targetoptions.get("nogil"):
        import numba

        dispatcher = numba.njit(nogil=True)(dispatcher.py_func)
    return deferred_interrupt()(dispatcher)  # no interrupt ends a call, and the first one compiles


# --- the adapter: all that needs names which numba does not document -----------------------------


def _guarded(dispatcher: Any) -> Any:
    """Make a dispatcher's cache survive damage, and interrupts wait while it compiles or loads."""
    try:
        held = deferred_interrupt()(dispatcher._compile_for_args)
        if dispatcher._cache.cache_path is not None:
            dispatcher._cache = _Cache(dispatcher._cache)
        if hasattr(dispatcher.targetdescr.options, "no_cfunc_wrapper"):
            dispatcher.targetoptions["no_cfunc_wrapper"] = True
    except (AttributeError, ImportError) as missing:
        _log.debug("this numba is not known well enough to guard its kernels: %s", missing)
    else:
        dispatcher._compile_for_args = held
    return dispatcher


class _Cache:
    """Numba's cache of a kernel: a damaged or unwritable file costs a compilation, never a call.

    Damaged files may raise anything when they are unpickled. The index is then emptied, so that the
    next process loads what this one compiles.
    """

    _has_warned = False

    def __init__(self, cache: Any) -> None:
        from numba.core.runtime.nrt import rtsys

        self._cache = cache
        self._initialize = rtsys.initialize
        self._load = cache._load_overload
        self._io = cache._guard_against_spurious_io_errors

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Load machine code without all that compiling needs, which would take half a second."""
        try:
            self._initialize(context)
            with self._io():
                return self._load(signature, context)
        except Exception as error:
            self._warn("read", error)
            with contextlib.suppress(Exception):
                self._cache.flush()
            return None

    def save_overload(self, *compiled: Any) -> None:
        try:
            self._cache.save_overload(*compiled)
        except Exception as error:
            self._warn("written", error)

    def _warn(self, what: str, error: Exception) -> None:
        """Warn once in a process: other kernels lie in the same folder."""
        if not _Cache._has_warned:
            _Cache._has_warned = True
            warn_user(
                f"the machine code in {self._cache.cache_path} cannot be {what} "
                f"({type(error).__name__}: {error}): kernels are compiled in memory, which takes "
                "seconds; empty the folder, or name another one in NUMBA_CACHE_DIR",
                RuntimeWarning,
            )


#: Seconds of compiling until the user is told why the call takes so long.
_PATIENCE: Final = 2.0
NOTICE: Final = (
    "fastmetrics is compiling its kernels, which takes seconds and happens once in an "
    "installation; `fastmetrics warmup` does it ahead of time.\n"
)


class Notice:
    """A listener to numba: says once on stderr that kernels are being compiled."""

    def __init__(self) -> None:
        self.is_wanted = True
        self._is_listening = False
        self._seconds = self._since = 0.0
        self._depth = 0

    def listen(self) -> None:
        """Hear from numba when it compiles, and let a fork wait while it does."""
        if self._is_listening:
            return
        self._is_listening = True
        try:
            from numba.core import event
            from numba.core.compiler_lock import global_compiler_lock

            event.Listener.register(Notice)
            event.register("numba:compile", self)  # type: ignore[no-untyped-call]
            _locks.append(global_compiler_lock)
        except (AttributeError, ImportError) as missing:
            _log.debug("this numba does not tell when it compiles: %s", missing)

    def notify(self, event: Any) -> None:
        """Add up the seconds of compiling; a function may be compiled inside of another one."""
        function = getattr(event.data.get("dispatcher"), "py_func", None)
        if not str(getattr(function, "__module__", None)).startswith("fastmetrics."):
            return
        now = perf_counter()
        self._since = self._since if self._depth else now
        self._depth += 1 if event.is_start else -1
        elapsed = self._seconds + now - self._since
        if not self._depth:
            self._seconds = elapsed
        if self.is_wanted and elapsed > _PATIENCE and sys.stderr is not None:
            self.is_wanted = False
            sys.stderr.write(NOTICE)
            sys.stderr.flush()


#: That of this process.
notice = Notice()
