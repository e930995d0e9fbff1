"""Two versions of the package in one run: a process for each, which time a row in turns.

A round has a fresh pair of processes, since where the memory of a process happens to lie can make
one of two equal programs faster for as long as it runs. Both run the benchmarks of this checkout.
``python -m benchmarks.speed.turns`` is such a process: JSON lines in, JSON lines out.
"""

from __future__ import annotations

import dataclasses
import gc
import importlib
import json
import math
import os
import random
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.speed.data import Spec, make
from benchmarks.speed.timing import SHORTEST, seconds

ROOT = Path(__file__).resolve().parents[2]
#: Seconds that a row takes in a round, about, and the turns that they are made into.
ROUND_SECONDS, MOST_TURNS = 0.2, 9
#: After a call as long as this none is made to get ready: what was compiled matters little.
LONG_SECONDS = 4.0


@dataclass(frozen=True)
class Work:
    """A row to be timed: the work of a module of benchmarks on data."""

    key: str
    module: str
    work: str
    spec: Spec


@dataclass
class Plan:
    """How often a row is called in a turn, and how many turns a round has."""

    number: int
    turns: int


class FailedError(RuntimeError):
    """A row that a version of the package cannot run."""


class Side:
    """A process that times works with the package in a folder, compiled code beside it."""

    def __init__(self, folder: Path) -> None:
        paths = [str(folder), str(ROOT), os.environ.get("PYTHONPATH", "")]
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "benchmarks.speed.turns", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=folder,
            env={
                **{key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"},
                "PYTHONPATH": os.pathsep.join(path for path in paths if path),
            },
        )

    def ask(self, question: dict[str, Any]) -> None:
        """Send a question, whose answer is read later."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()

    def answer(self) -> float:
        """Return the seconds that were asked for."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"a timing process ended with status {self._process.wait()}")
        found = json.loads(line)
        if "error" in found:
            raise FailedError(found["error"])
        return float(found["seconds"])

    def prepare(self, work: Work, calls: int) -> None:
        """Ask for the data of a row and so many calls."""
        self.ask({"prepare": dataclasses.asdict(work), "calls": calls})

    def time(self, number: int) -> float:
        """Return the seconds of one of `number` calls."""
        self.ask({"time": number})
        return self.answer()

    def close(self) -> None:
        """End the process, which has nothing to read any more."""
        with self._process:
            pass


@contextmanager
def pair(before: Path, after: Path) -> Iterator[tuple[Side, Side]]:
    """Give a process for each folder."""
    with ExitStack() as stack:
        sides = Side(before), Side(after)
        for side in sides:
            stack.callback(side.close)
        yield sides


def prepared(sides: Sequence[Side], work: Work, calls: int) -> float:
    """Let both get ready at once; return the seconds of the slower one's last call."""
    for side in sides:
        side.prepare(work, calls)
    found: list[float | FailedError] = []
    for side in sides:  # both are heard, lest an answer is left for the next question
        try:
            found.append(side.answer())
        except FailedError as error:
            found.append(error)
    for each in found:
        if isinstance(each, FailedError):
            raise each
    return max(each for each in found if isinstance(each, float))


def first_plan(sides: Sequence[Side], work: Work) -> Plan:
    """Return how a row is timed; what has to be compiled for it is compiled."""
    once = prepared(sides, work, 2)  # the first one compiles
    number = max(1, int(SHORTEST / max(once, 1e-9)))
    turns = int(ROUND_SECONDS / max(2 * number * once, 1e-9))
    return Plan(number, max(1, min(MOST_TURNS, turns)))


def one_round(sides: Sequence[Side], work: Work, plan: Plan, rng: random.Random) -> list[float]:
    """Return the seconds of both sides: their ratio is the median of those of the turns."""
    prepared(sides, work, 0 if work.module == "processes" else 1)  # their caches are warm
    taken: list[list[float]] = []
    for _ in range(plan.turns):
        order = rng.sample(range(2), 2)
        turn = [0.0, 0.0]
        for side in order:
            turn[side] = sides[side].time(plan.number)
        taken.append(turn)
    before = statistics.median(turn[0] for turn in taken)
    growth = statistics.median(math.log(turn[1] / turn[0]) for turn in taken)
    return [before, before * math.exp(growth)]


# --- inside such a process -----------------------------------------------------------------------


def _prepared(question: dict[str, Any], folder: Path) -> Callable[[int], float]:
    """Return what times a row, its first calls made."""
    module = importlib.import_module(f"benchmarks.speed.{question['module']}")
    spec = Spec(**question["spec"])
    if question["module"] == "processes":
        from benchmarks.speed.processes import STOPWATCHES, Workshop

        shop = Workshop(folder, spec.rows, compiled=None)
        watch = STOPWATCHES[question["work"]](shop, spec)
        return lambda number: sum(watch() for _ in range(number)) / number
    call = module.WORKS[question["work"]](make(spec))
    return lambda number: seconds(call, number)


def _serve(folder: Path) -> None:
    replies, sys.stdout = sys.stdout, sys.stderr  # what a work prints is no reply
    import fastmetrics

    assert folder in Path(fastmetrics.__file__).resolve().parents, fastmetrics.__file__

    watch: Callable[[int], float] | None = None
    files = folder / "files"  # the processes of later rounds read them too
    files.mkdir(exist_ok=True)
    for line in sys.stdin:
        question, found = json.loads(line), 0.0
        gc.enable()
        try:
            if "prepare" in question:
                watch = None
                watch = _prepared(question["prepare"], files)
                for _ in range(question["calls"]):
                    if found < LONG_SECONDS:
                        found = watch(1)
            else:
                assert watch is not None
                gc.collect()
                gc.disable()
                found = watch(question["time"])
            reply: dict[str, Any] = {"seconds": found}
        except Exception as error:
            reply = {"error": f"{type(error).__name__}: {error}"[:300]}
        print(json.dumps(reply), file=replies, flush=True)


if __name__ == "__main__":
    _serve(Path(sys.argv[1]).resolve())
