"""The thread pool: Python threads over kernels that release the GIL, and its progress bar.

The number of threads of a call is set once, at its entry point (`at_most`), and holds for all
calls inside.

Which rows form a job depends on the data only, never on the number of threads, so results do not
either. The calling thread works too: an interrupt (Ctrl-C) reaches it between two jobs, no job
takes longer than some tens of milliseconds, and nothing can deadlock when the pool is busy.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, partial, wraps
from typing import Any, TypeVar, cast

from fastmetrics.errors import InputError, InputTypeError

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

#: Environment variable that caps the number of threads where ``n_threads`` is not given.
N_THREADS_VARIABLE = "FASTMETRICS_NUM_THREADS"

#: Below so many rows, two jobs of a row's work take less time than handing one to another thread.
FEW_ROWS = 10_000
#: Rows of a block of columns: what is made of it stays in cache.
BLOCK_ROWS = 1 << 16

#: What the call around was asked for.
_limit: ContextVar[int | None] = ContextVar("limit", default=None)


def available_processors() -> int:
    """Return the number of processors this process may use (its CPU affinity)."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def thread_count() -> int:
    """Return the number of threads to use: by default every processor the process may use."""
    return _requested_threads() or available_processors()


@contextmanager
def at_most(n_threads: int | None) -> Iterator[None]:
    """Limit all calls inside to so many threads; None changes nothing."""
    if n_threads is None:
        yield
        return
    if isinstance(n_threads, bool) or not hasattr(n_threads, "__index__"):
        raise InputTypeError(f"`n_threads` must be an integer: got {n_threads!r}")
    if n_threads.__index__() < 1:
        raise InputError(f"`n_threads` must be at least 1: got {n_threads}")
    token = _limit.set(n_threads.__index__())
    try:
        yield
    finally:
        _limit.reset(token)


def with_threads(function: F) -> F:
    """Let a method's ``n_threads``, where it is given, hold for all that it calls."""

    @wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        if options.get("n_threads") is None:
            return function(*arguments, **options)
        with at_most(options["n_threads"]):
            return function(*arguments, **options)

    return cast(F, call)


def _requested_threads() -> int | None:
    """Return the number of threads requested by the outer call or the environment, if any."""
    if (count := _limit.get()) is not None:
        return count
    text = os.environ.get(N_THREADS_VARIABLE, "").strip()
    if not text:
        return None
    if not text.isdecimal() or int(text) < 1:
        raise InputError(f"{N_THREADS_VARIABLE} must be a whole number >= 1, got {text!r}")
    return int(text)


@cache
def _executor() -> ThreadPoolExecutor:
    """Return this process's pool; after a fork the child makes its own."""
    workers = max(1, (os.cpu_count() or 1) - 1)
    return ThreadPoolExecutor(workers, thread_name_prefix="fastmetrics")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_executor.cache_clear)


def run(jobs: Sequence[Callable[[], T]], n_rows: int = FEW_ROWS) -> list[T]:
    """Run the jobs on up to `thread_count` threads and return their results in order.

    ``n_rows`` is how many rows they are about: of few they are run here. What jobs run in turn
    shares the threads with them. The first exception stops the rest and is raised here, after the
    jobs under way have ended.
    """
    requested = _requested_threads()
    if len(jobs) == 1:
        return [jobs[0]()]
    limit = (requested or available_processors()) if n_rows >= FEW_ROWS else 1
    threads = min(limit, len(jobs))
    if threads <= 1:
        return [job() for job in jobs]
    threads_of_job = max(limit // threads, 1)
    lock = threading.Lock()
    left = iter(range(len(jobs)))
    results: list[Any] = [None] * len(jobs)
    failures: list[BaseException] = []

    def work() -> None:
        try:
            with at_most(threads_of_job):
                while not failures:
                    with lock:
                        index = next(left, None)
                    if index is None:
                        return
                    results[index] = jobs[index]()
        except BaseException as error:  # raised in the thread of the caller
            failures.append(error)

    helpers: list[Future[None]] = []
    try:
        executor = _executor()
        with contextlib.suppress(RuntimeError):  # at interpreter exit, or out of threads
            helpers.extend(executor.submit(work) for _ in range(threads - 1))
        work()
    except BaseException as error:
        failures.append(error)
    finally:
        for helper in helpers:
            if not helper.cancel():
                helper.result()
    if failures:
        raise failures.pop(0)  # a traceback that holds itself would keep the data
    return results


def by_blocks(n_rows: int, job: Callable[[slice], T]) -> list[T]:
    """Run a job on each block of so many rows; return its results in the order of the rows."""
    blocks = range(0, n_rows, BLOCK_ROWS)
    if len(blocks) == 1:
        return [job(slice(0, BLOCK_ROWS))]
    return run([partial(job, slice(start, start + BLOCK_ROWS)) for start in blocks], n_rows)


#: Seconds until a bar that was neither asked for nor forbidden is shown.
_PATIENCE = 2.0


def _is_watched() -> bool:
    """Return whether a bar would be seen: on a terminal, or in a notebook."""
    if sys.stderr is not None and sys.stderr.isatty():
        return True
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and "IPKernelApp" in shell.config


def _tqdm(progress: bool | None) -> Any:
    """Return tqdm; None where no bar is to be shown."""
    if progress not in (None, True, False):
        raise InputTypeError(f"`progress` must be True, False or None: got {progress!r}")
    if not (_is_watched() if progress is None else progress):
        return None
    try:
        from tqdm import tqdm
    except ImportError as error:
        if progress is None:
            return None
        raise ImportError(
            "progress=True needs tqdm: pip install 'fastmetrics-eval[cli]'"
        ) from error
    return tqdm


@contextmanager
def progress_bar(
    progress: bool | None, total: int, description: str, unit: str
) -> Iterator[Callable[[int], object] | None]:
    """Yield a function that advances the bar; None where none is shown.

    ``progress`` True shows it in any case, False never; None where it is watched, and takes long.
    """
    tqdm = _tqdm(progress)
    if tqdm is None:
        yield None
        return
    delay = _PATIENCE if progress is None else 0.0
    with tqdm(total=total, desc=description, unit=f" {unit}", leave=False, delay=delay) as bar:
        yield bar.update


def run_batches(
    job: Callable[[int, int], object],
    starts: range,
    *,
    progress: bool | None,
    description: str,
    unit: str,
) -> None:
    """Run ``job(start, count)`` for each step of a range; see `progress_bar` for the bar."""
    batches = [(start, min(starts.step, starts.stop - start)) for start in starts]
    lock = threading.Lock()
    with progress_bar(progress, starts.stop - starts.start, description, unit) as update:

        def counted(start: int, count: int) -> None:
            job(start, count)
            if update is not None:
                with lock:
                    update(count)

        run([partial(counted, *batch) for batch in batches])
