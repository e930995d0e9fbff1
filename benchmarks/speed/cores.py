"""How far more cores would help: what of the work runs on one thread only, and by which function.

`_threads.workers.run` is the one place where work is spread, so it is watched from outside: jobs of
a call of it run on any core, whatever lies between two of them on one. For that all jobs are done
one after another, each timed; then the works are run on one and on two threads in turns.
"""

from __future__ import annotations

import heapq
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

import fastmetrics
from benchmarks.speed.data import Data, Spec, make
from benchmarks.speed.labels import BATCH, pairs
from benchmarks.speed.timing import measure, stopwatch
from fastmetrics._kernels._compile import Kernel
from fastmetrics._threads import workers
from fastmetrics._threads.workers import N_THREADS_VARIABLE

#: Machines for which the speed-up is worked out, and from which share on a section is named.
CORES = 16, 64
NAMED = 0.02
#: Of several traces the least seconds count.
TRACES = 5
_KERNEL_CALL = Kernel.__call__.__code__

Call = Callable[[], Any]


@dataclass(frozen=True)
class Trace:
    """Seconds of one call on one thread: of jobs that may run anywhere, by set; of the rest.

    The jobs of a set wait for nothing but the end of the set before.
    """

    seconds: float
    sets: list[list[float]]

    @property
    def serial_share(self) -> float:
        """What no second core can take over."""
        return max(0.0, 1 - sum(map(sum, self.sets)) / self.seconds)

    def amdahl(self, n_cores: int) -> float:
        """Return the speed-up if jobs could be cut as finely as one likes."""
        serial = self.serial_share
        return 1 / (serial + (1 - serial) / n_cores)

    def speed_up(self, n_cores: int) -> float:
        """Return the speed-up with the jobs as they are cut: each core takes the next one."""
        spread = sum(_length(jobs, n_cores) for jobs in self.sets)
        return self.seconds / (self.seconds * self.serial_share + spread)


def _length(jobs: Sequence[float], n_cores: int) -> float:
    free = [0.0] * min(n_cores, len(jobs))
    for job in jobs:
        heapq.heapreplace(free, free[0] + job)
    return max(free, default=0.0)


def least(traces: Sequence[Trace]) -> Trace:
    """Return the least seconds of each job of several traces of one work, and of the rest."""
    rest = min(each.seconds - sum(map(sum, each.sets)) for each in traces)
    sets = [
        [min(times) for times in zip(*several, strict=True)]
        for several in zip(*(each.sets for each in traces), strict=True)
    ]
    return Trace(rest + sum(map(sum, sets)), sets)


@contextmanager
def watched(replacement: Callable[..., Any]) -> Iterator[None]:
    """Put a function in the place of `run`, in every module that has it."""
    original = workers.run
    holders = [
        module
        for name, module in list(sys.modules.items())
        if name.startswith("fastmetrics.") and getattr(module, "run", None) is original
    ]
    for module in holders:
        module.run = replacement
    try:
        yield
    finally:
        for module in holders:
            module.run = original


def trace(work: Call) -> Trace:
    """Return where the seconds of one call go, its jobs done one after another."""
    sets: list[list[float]] = []

    def timed(jobs: Sequence[Call], n_rows: int = 0) -> list[Any]:
        taken: list[float] = []
        results = []
        for job in jobs:
            start = time.perf_counter()
            results.append(job())
            taken.append(time.perf_counter() - start)
        if len(jobs) > 1:  # a single one is done by whoever asks
            sets.append(taken)
        return results

    with watched(timed):
        start = time.perf_counter()
        work()
        return Trace(time.perf_counter() - start, sets)


def serial_sections(work: Call) -> dict[str, float]:
    """Return the seconds between the sets of jobs by function of ours, kernels by their names."""
    taken: Counter[str] = Counter()
    names: list[str] = ["-"]
    last = time.perf_counter()
    inside = False

    def lap(name: str) -> None:
        nonlocal last
        now = time.perf_counter()
        if not inside:
            taken[name] += now - last
        last = now

    def on_event(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            lap(names[-1])
            names.append(_name(frame, names[-1]))
        elif event == "return" and len(names) > 1:
            lap(names.pop())

    def unseen(jobs: Sequence[Call], n_rows: int = 0) -> list[Any]:
        nonlocal inside
        if len(jobs) == 1:
            return [jobs[0]()]
        lap(names[-1])
        inside = True
        sys.setprofile(None)
        results = [job() for job in jobs]
        sys.setprofile(on_event)
        lap(names[-1])
        inside = False
        # The return from here is reported, the call was: names stay in step.
        return results

    with watched(unseen):
        sys.setprofile(on_event)
        try:
            last = time.perf_counter()
            work()
        finally:
            sys.setprofile(None)
    return dict(taken)


def _name(frame: FrameType, caller: str) -> str:
    """Return what a frame is called: what is not ours goes by the function of ours that called."""
    code: CodeType = frame.f_code
    if code is _KERNEL_CALL:
        return f"kernel `{frame.f_locals['self'].__name__}`"
    module = frame.f_globals.get("__name__", "")
    if not module.startswith("fastmetrics.") or caller.startswith("kernel"):
        return caller
    return f"`{module.removeprefix('fastmetrics.')}.{code.co_qualname}`"


@contextmanager
def _threads(count: int) -> Iterator[None]:
    before = os.environ.get(N_THREADS_VARIABLE)
    os.environ[N_THREADS_VARIABLE] = str(count)
    try:
        yield
    finally:
        if before is None:
            del os.environ[N_THREADS_VARIABLE]
        else:
            os.environ[N_THREADS_VARIABLE] = before


def on_threads(work: Call, count: int) -> Call:
    """Return the work on that many threads."""

    def limited() -> Any:
        with _threads(count):
            return work()

    return limited


def _update(data: Data) -> Call:
    true, predicted = pairs(data.spec.rows, 10)

    def update() -> Any:
        matrix = fastmetrics.ConfusionMatrix(labels=range(10))
        for start in range(0, len(true), BATCH):
            matrix.update(true[start : start + BATCH], predicted[start : start + BATCH])
        return matrix

    return update


_MILLION = Spec(rows=1_000_000)
WORKS: dict[str, tuple[Spec, Callable[[Data], Call]]] = {
    "`roc_auc_score`, 10⁷ rows": (
        Spec(),
        lambda data: lambda: fastmetrics.roc_auc_score(data.labels, data.scores),
    ),
    "`ScoreTable.from_scores`, 10⁷ rows": (
        Spec(),
        lambda data: lambda: fastmetrics.ScoreTable.from_scores(data.labels, data.scores),
    ),
    "`bootstrap`, 10⁶ rows, 1,000 replicates": (
        _MILLION,
        lambda data: (
            lambda: fastmetrics.bootstrap(data.labels, data.scores, n_resamples=1_000, rng=1)
        ),
    ),
    "`ConfusionMatrix.update`, 10⁷ rows in batches of 10⁶": (Spec(), _update),
}


@dataclass(frozen=True)
class Cores:
    """What is published of one work: speed-ups of `CORES`, as Amdahl's law and as jobs allow."""

    work: str
    serial_share: float
    two_threads: float
    amdahl: tuple[float, ...]
    as_cut: tuple[float, ...]
    sections: dict[str, float]


def measure_work(name: str, most_rows: int) -> Cores:
    """Measure one work: its trace with the least serial share of several, and two threads.

    Traces cut jobs as the largest machine would, where their number hangs on that of threads, and
    do them one after another.
    """
    spec, prepare = WORKS[name]
    work = prepare(make(spec.scaled(most_rows)))
    alone, both, many = (on_threads(work, count) for count in (1, 2, CORES[-1]))
    for each in (alone, both, many):
        each()
    best = least([trace(many) for _ in range(TRACES)])
    found = [serial_sections(many) for _ in range(TRACES)]
    sections = {name: min(each.get(name, 0.0) for each in found) for name in found[0]}
    # Watching each call takes time of its own: only what sections are to one another counts.
    scale = best.serial_share / max(sum(sections.values()), 1e-12)
    sections = {name: scale * taken for name, taken in sections.items()}
    named = sorted(sections.items(), key=lambda pair: -pair[1])
    two = measure(stopwatch(both), stopwatch(alone), at_least=True).median
    return Cores(
        name,
        round(best.serial_share, 4),
        round(two, 2),
        tuple(round(best.amdahl(n), 1) for n in CORES),
        tuple(round(best.speed_up(n), 1) for n in CORES),
        {section: round(share, 4) for section, share in named if share >= NAMED},
    )


def table(found: Sequence[Cores]) -> str:
    """Write a table in Markdown."""
    amdahl = " | ".join(f"Amdahl, {n} cores" for n in CORES)
    as_cut = " | ".join(f"as cut, {n}" for n in CORES)
    lines = [
        f"| work | serial share | two threads | {amdahl} | {as_cut} | serial sections |",
        "|---|---|---|" + "---|" * (2 * len(CORES) + 1),
    ]
    for each in found:
        speed_ups = " | ".join(f"{value:.1f} ×" for value in (*each.amdahl, *each.as_cut))
        sections = ", ".join(f"{name} {share:.1%}" for name, share in each.sections.items())
        lines.append(
            f"| {each.work} | {each.serial_share:.1%} | {each.two_threads:.2f} × | {speed_ups} "
            f"| {sections or '–'} |"
        )
    return "\n".join(lines) + "\n"
