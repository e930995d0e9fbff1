"""A row of the table of targets, and how it is measured: ratios of two times taken in one run.

The yardstick and the work take turns, so that a slower phase of the machine meets both; the median
of the rounds' ratios is what counts.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from benchmarks.speed.data import Spec

FULL_ROWS = 10_000_000
#: Units of a measured value. Only ratios and bytes are compared with the stored ones.
RATIO, BYTES, SECONDS = "×", "bytes a row", "s"
NANOSECONDS, MICROSECONDS = "ns a row", "µs a call"

#: A way to do something once (or some times over) and say how many seconds one took.
Stopwatch = Callable[[], float]

#: Seconds spent on a pair, at most, and the rounds they are made into. A peer that takes a second
#: and more is run in two rounds only.
BUDGET = 3.0
MOST_ROUNDS, SLOW_ROUNDS = 11, 2
SLOW_SECONDS = 1.0
#: A call shorter than this is repeated within a round: the clock and the caches settle.
SHORTEST = 0.01


@dataclass(frozen=True)
class Target:
    """One row: `work` and `yardstick` are names of the subjects' works and yardsticks.

    A ratio is the time of the work over that of its yardstick; where `at_least` is set it is the
    other way round, a speed-up. A row without a bound is context: it is published and compared with
    the last one, and nothing was promised. `scale` multiplies the measured value (a replicate
    against a thousand, nanoseconds a row). `note` says, where the bound is missed, what was tried
    and what stands in the way. `library` names a module that is not among the requirements of the
    tests: without it the row is skipped.
    """

    key: str
    what: str
    work: str
    yardstick: str = ""
    bound: float | None = None
    at_least: bool = False
    unit: str = RATIO
    spec: Spec = Spec()  # noqa: RUF009 (frozen)
    scale: float = 1.0
    note: str = ""
    library: str = ""

    def is_installed(self) -> bool:
        """Whether the library that the yardstick needs beyond the tests' own can be imported."""
        return not self.library or find_spec(self.library) is not None

    def is_met(self, value: float) -> bool | None:
        """Whether a value is within the bound; None without one."""
        if self.bound is None:
            return None
        return value >= self.bound if self.at_least else value <= self.bound


@dataclass(frozen=True)
class Measured:
    """The values of all rounds: ratios, bytes a row or seconds."""

    values: tuple[float, ...]
    at_least: bool = False

    def scaled(self, factor: float) -> Measured:
        """Return the values times a factor."""
        return Measured(tuple(value * factor for value in self.values), self.at_least)

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def best(self) -> float:
        return max(self.values) if self.at_least else min(self.values)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keep the garbage collector out, as ``timeit`` does."""
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def seconds(work: Callable[[], Any], number: int = 1) -> float:
    """Return the seconds of one of `number` calls in a row."""
    calls = range(number)
    start = time.perf_counter()
    for _ in calls:
        work()
    return (time.perf_counter() - start) / number


def stopwatch(work: Callable[[], Any], least_calls: int = 1) -> Stopwatch:
    """Return a stopwatch of a function, warmed up: short calls are repeated.

    The caller has called it before, to check its answer: nothing is compiled here.
    """
    once = seconds(work)
    number = max(least_calls, int(SHORTEST / max(once, 1e-9)))
    return lambda: seconds(work, number)


def slow_stopwatch(work: Callable[[], Any]) -> Stopwatch:
    """Return a stopwatch of a function that is too slow to be called more than needed."""
    return lambda: seconds(work)


def rounds_for(one_round: float, budget: float = BUDGET) -> int:
    """Return how many rounds of that many seconds are made."""
    least = SLOW_ROUNDS if one_round > SLOW_SECONDS else 3
    return max(least, min(MOST_ROUNDS, int(budget / max(one_round, 1e-9))))


def measure(
    ours: Stopwatch,
    yardstick: Stopwatch | None,
    *,
    at_least: bool = False,
    budget: float = BUDGET,
) -> Measured:
    """Take turns: yardstick, ours, yardstick, ours; or the seconds of ours without a yardstick.

    With `at_least` the value is a speed-up, the yardstick's time over ours.
    """
    values: list[float] = []
    n_rounds = 1
    with _no_collection():
        while len(values) < n_rounds:
            start = time.perf_counter()
            theirs = 1.0 if yardstick is None else yardstick()
            mine = ours()
            values.append(theirs / mine if at_least else mine / theirs)
            if len(values) == 1:
                n_rounds = rounds_for(time.perf_counter() - start, budget)
    return Measured(tuple(values), at_least)
