"""The one place that decides how kernels are compiled.

A kernel is a plain Python function over contiguous arrays, without annotations: numba types it by
what it is called with. ``@kernel`` wraps it so that

* numba is imported and the function compiled on first use only, never by ``import fastmetrics``;
* until then, a call on small arrays runs the plain Python twin (the same code), or where the
  kernel has one (`in_place_of`) its twin in NumPy, so that a first evaluation of a few hundred
  rows, or a bootstrap of them, does not wait for a compiler;
* machine code is cached on disk; where no cache folder is writable, or what lies there cannot be
  read, it is compiled anew.

Kernels that call one another must share a file: numba's cache looks at that file's time stamp
only (a guard in ``tests/guards`` enforces it).
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
from collections.abc import Callable
from functools import cached_property
from time import perf_counter
from types import FunctionType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._interrupt import deferred_interrupt
from fastmetrics.errors import warn_user

_log = logging.getLogger("fastmetrics")
_lock = threading.RLock()
#: Numba's own lock, once numba is loaded.
_compiler_lock: list[Any] = []


def _lock_for_fork() -> None:
    """Let no fork come while a thread loads numba or compiles: a child would inherit half of it."""
    _lock.acquire()
    for lock in _compiler_lock:
        lock.acquire()


def _unlock_in_parent() -> None:
    for lock in _compiler_lock:
        lock.release()
    _lock.release()


def _unlock_in_child() -> None:
    global _lock
    for lock in _compiler_lock:
        lock.release()
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_lock_for_fork, after_in_parent=_unlock_in_parent, after_in_child=_unlock_in_child
    )

#: Arrays up to this many elements may run the plain Python twin before a kernel is compiled.
TWIN_MAX_ELEMENTS = 2_000
#: Elements a twin may process in all before it is compiled after all.
TWIN_BUDGET = 20_000
#: Rows that NumPy alone may count before the first kernel: loading numba and cached kernels takes
#: as long as that, and compiling them takes ten times as long.
numpy_rows_left = 2_500_000
#: Elements that NumPy may go through in place of kernels that are not loaded: a second or so.
numpy_elements_left = 30_000_000
#: Elements that take as long as the functions of NumPy that a call makes of nothing.
NUMPY_CALL = 2_000
_any_loaded = False


def compile_small_calls() -> None:
    """Let no call of this process, however small, be served by anything but kernels from now on."""
    global TWIN_MAX_ELEMENTS, numpy_rows_left
    TWIN_MAX_ELEMENTS = -1
    numpy_rows_left = 0
    notice.is_wanted = False


def numpy_serves(n_rows: int) -> bool:
    """Return whether NumPy alone should count these rows, being sooner done than a kernel loaded.

    Fewer rows than ``TWIN_MAX_ELEMENTS`` are left to the plain Python twins.
    """
    global numpy_rows_left
    if _any_loaded or not TWIN_MAX_ELEMENTS < n_rows <= numpy_rows_left:
        return False
    numpy_rows_left -= n_rows
    return True


def expect(n_elements: int) -> None:
    """Say how many elements kernels will go through: NumPy does not start what it may not end."""
    global numpy_elements_left
    if n_elements > numpy_elements_left:
        numpy_elements_left = 0


def _largest(args: tuple[Any, ...]) -> int:
    return max((arg.size for arg in args if isinstance(arg, np.ndarray)), default=0)


class _Window:
    """What NumPy needs to see the memory of a read-only array as writable."""

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
        self.in_numpy: Callable[..., Any] | None = None
        self.numpy_cost = 1
        self._dispatcher: Callable[..., Any] | None = None
        self._twin_budget = TWIN_BUDGET

    def __call__(self, *args: Any) -> Any:
        dispatcher = self._dispatcher
        if dispatcher is None:
            if self._numpy_serves(args):
                return self.in_numpy(*args)  # type: ignore[misc]
            if self._twin_serves(args):
                return self.py_func(*args)
            dispatcher = self.compiled()
        return dispatcher(
            *[
                _unlocked(arg) if type(arg) is np.ndarray and not arg.flags.writeable else arg
                for arg in args
            ]
        )

    @property
    def is_compiled(self) -> bool:
        """Whether the next call runs machine code, or compiles the version that it lacks."""
        return self._dispatcher is not None or TWIN_MAX_ELEMENTS < 0

    def __repr__(self) -> str:
        return f"<kernel {self.py_func.__module__}.{self.__name__}>"

    def _numpy_serves(self, args: tuple[Any, ...]) -> bool:
        global numpy_elements_left
        n = max(self.numpy_cost * _largest(args), NUMPY_CALL)
        if self.in_numpy is None or TWIN_MAX_ELEMENTS < 0 or n > numpy_elements_left:
            return False
        if _any_loaded and n > TWIN_BUDGET and self._is_cached:
            return False
        numpy_elements_left -= n
        return True

    @cached_property
    def _is_cached(self) -> bool:
        """Whether machine code lies on disk: with numba there, it is loaded in milliseconds."""
        with _lock, contextlib.suppress(Exception):  # of no cache, or a damaged one
            return bool(_jit(self.py_func)._cache._cache_file._load_index())
        return False

    def _twin_serves(self, args: tuple[Any, ...]) -> bool:
        largest = _largest(args)
        if largest > TWIN_MAX_ELEMENTS:
            return False
        self._twin_budget -= largest
        return self._twin_budget >= 0

    @deferred_interrupt()
    def compiled(self) -> Any:
        """Return numba's dispatcher (the function itself under ``NUMBA_DISABLE_JIT=1``)."""
        global _any_loaded
        with _lock:
            if self._dispatcher is None:
                self._dispatcher = _jit(self.py_func)
                _any_loaded = True
            return self._dispatcher


class _Cache:
    """Numba's cache of a kernel: what is wrong with its files costs a compilation, never a call.

    Damaged files may raise anything when they are unpickled. The index is then emptied, so that the
    next process finds what this one compiles.
    """

    _is_silent = False

    def __init__(self, cache: Any) -> None:
        self._cache = cache

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Load machine code; not, as numba would, first all that typing and lowering need.

        That is half a second, and for compiling alone: the compiler loads it itself.
        """
        from numba.core.runtime.nrt import rtsys

        try:
            rtsys.initialize(context)
            with self._cache._guard_against_spurious_io_errors():
                return self._cache._load_overload(signature, context)
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
        """Say it once in a process: other kernels lie in the same folder."""
        if not _Cache._is_silent:
            _Cache._is_silent = True
            warn_user(
                f"the machine code in {self._cache.cache_path} cannot be {what} "
                f"({type(error).__name__}: {error}): kernels are compiled in memory, which takes "
                "seconds; empty the folder, or name another one in NUMBA_CACHE_DIR",
                RuntimeWarning,
            )


def _jit(function: FunctionType) -> Any:
    import numba
    import numpy.ma  # noqa: F401 - numba would import it in the first call, where a fork may come
    from numba.core import event
    from numba.core.compiler_lock import global_compiler_lock

    if not _compiler_lock:
        _compiler_lock.append(global_compiler_lock)
        event.Listener.register(Notice)
        event.register("numba:compile", notice)  # type: ignore[no-untyped-call]

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
    options: dict[str, Any] = {
        "nogil": True,
        "fastmath": False,
        "error_model": "numpy",
        "no_cfunc_wrapper": True,  # nobody calls kernels from C: a twentieth of compiling them
    }
    try:
        dispatcher = numba.njit(cache=True, **options)(linked)
        if hasattr(dispatcher, "_cache"):  # not under NUMBA_DISABLE_JIT=1
            dispatcher._cache = _Cache(dispatcher._cache)
    except RuntimeError as error:  # numba: "no locator available": nowhere to write a cache
        _log.debug("kernel %s is not cached: %s", function.__name__, error)
        dispatcher = numba.njit(**options)(linked)
    if hasattr(dispatcher, "_compile_for_args"):  # which compiles, or loads, a version
        dispatcher._compile_for_args = deferred_interrupt()(dispatcher._compile_for_args)
    return dispatcher


def kernel(function: Any) -> Kernel:
    """Mark ``function`` as a kernel: compiled on first use, cached, and free of the GIL."""
    return Kernel(function)


def in_place_of(
    replaced: Kernel, cost: int = 1
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let a function of NumPy's serve calls of a kernel that is not loaded yet, bit for bit.

    ``cost`` is about the time that an element takes, that of a few array operations being 1.
    """

    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        replaced.in_numpy, replaced.numpy_cost = function, cost
        return function

    return mark


def without_gil(dispatcher: Any) -> Any:
    """Return a user's numba function compiled so that it lets other threads run."""
    if not dispatcher.targetoptions.get("nogil"):
        import numba

        dispatcher = numba.njit(nogil=True)(dispatcher.py_func)
    return deferred_interrupt()(dispatcher)  # no interrupt ends a call, and the first one compiles


# --- what a terminal shows while kernels are compiled, once in an installation: why one waits -----

#: Seconds of compiling until something is shown.
_PATIENCE: Final = 1.0


class Notice:
    """A listener of numba's: a line on a terminal while it compiles kernels, gone thereafter."""

    def __init__(self) -> None:
        self.is_wanted = True
        self._seconds = self._since = 0.0
        self._depth = self._width = 0

    def notify(self, event: Any) -> None:
        """Take in that numba starts or ends to compile a function, maybe inside of another one."""
        function = event.data["dispatcher"].py_func
        if not str(function.__module__).startswith("fastmetrics."):  # a user's own may have none
            return
        now = perf_counter()
        self._since = self._since if self._depth else now
        self._depth += 1 if event.is_start else -1
        elapsed = self._seconds + now - self._since
        if not self._depth:
            self._seconds = elapsed
        if self.is_wanted and elapsed > _PATIENCE and sys.stderr is not None:
            self._show(f"compiling, once: {elapsed:.0f} s; `fastmetrics warmup` does it ahead")

    def _show(self, text: str) -> None:
        shown = text if self._depth else ""
        if not sys.stderr.isatty() or not (shown or self._width):
            return
        sys.stderr.write("\r" + shown.ljust(self._width) + "\r" * (not shown))
        sys.stderr.flush()
        self._width = len(shown)


#: That of this process.
notice = Notice()
