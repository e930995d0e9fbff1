"""Progress bars, for those who ask for one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from fastmetrics._threads.workers import run

T = TypeVar("T")


@contextmanager
def progress_bar(total: int, description: str, unit: str) -> Iterator[Callable[[int], object]]:
    try:
        from tqdm import tqdm
    except ImportError as error:
        raise ImportError(
            'progress=True needs tqdm: pip install "fastmetrics-eval[cli]"'
        ) from error
    with tqdm(total=total, desc=description, unit=f" {unit}", leave=False) as bar:
        yield bar.update


def run_with_progress(
    jobs: Sequence[Callable[[], T]],
    sizes: Sequence[int],
    *,
    n_threads: int | None,
    progress: bool,
    description: str,
    unit: str,
) -> list[T]:
    """Run jobs on threads, with a bar that counts their sizes if ``progress``."""
    if not progress:
        return run(jobs, n_threads)
    lock = threading.Lock()
    with progress_bar(sum(sizes), description, unit) as update:

        def counted(job: Callable[[], T], size: int) -> Callable[[], T]:
            def run_one() -> T:
                result = job()
                with lock:
                    update(size)
                return result

            return run_one

        return run([counted(*pair) for pair in zip(jobs, sizes, strict=True)], n_threads)
