"""Is this checkout slower than a revision? Both are timed in turns, in one run.

``python -m benchmarks.against REV`` puts the package of REV beside that of the working tree, each
with compiled code of its own, and times the rows of `benchmarks.publish` with both: every round has
a fresh pair of processes, which take turns in random order. Each row is worse, not worse, or
undecided, by `fastmetrics.comparison.compare_timings` of paired rounds; the exit status is 0 if
none is worse, 1 if one is, 3 if it is undecided, 2 if it cannot be done. ``--aa`` takes REV twice
and prints how often that would be called worse.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from benchmarks.speed import contests, processes
from benchmarks.speed.contests import BY_KEY, ROWS
from benchmarks.speed.timing import FULL_ROWS, Target
from benchmarks.speed.turns import ROOT, FailedError, Plan, Work, first_plan, one_round, pair
from fastmetrics.comparison import compare_timings
from fastmetrics.inference.reference import critical_value

MARGIN, ALPHA, ROUNDS = 0.05, 0.05, 10
#: Sign flips of an A/A run.
FLIPS = 10_000


@dataclass
class Times:
    """Seconds of both sides, a pair for each round, by row; and what could not be run."""

    rounds: dict[str, list[list[float]]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    def side(self, which: int) -> dict[str, list[float]]:
        """Return the seconds of one side by row."""
        return {key: [both[which] for both in each] for key, each in self.rounds.items()}


def works(keys: Sequence[str], most_rows: int) -> list[Work]:
    """Return what is timed for these rows: memory is not, and a work counts once.

    Those of the same data follow one another, so that these are made once.
    """
    found: dict[tuple[str, Any], Work] = {}
    for key in keys:
        row = BY_KEY[key]
        if row.work not in processes.MEMORY:
            spec = row.spec.scaled(most_rows)
            found.setdefault((row.work, spec), Work(key, _module(row), row.work, spec))
    return sorted(found.values(), key=lambda work: repr(work.spec))


def _module(row: Target) -> str:
    subjects = (*contests.SUBJECTS, processes)
    return next(each for each in subjects if row.work in each.WORKS).__name__.rpartition(".")[2]


def install(revision: str | None, folder: Path) -> None:
    """Put the package of a revision, or that of the working tree, into a folder."""
    folder.mkdir()
    if revision is None:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "fastmetrics", folder / "fastmetrics", ignore=ignored)
        return
    command = ["git", "-C", str(ROOT), "archive", revision, "--", "fastmetrics"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        raise ValueError(done.stderr.decode(errors="replace").strip())
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")


def take_turns(asked: Sequence[Work], before: Path, after: Path, n_rounds: int) -> Times:
    """Time the works of both folders, saying so."""
    rng, start, found = random.Random(0), time.perf_counter(), Times()
    plans: dict[str, Plan] = {}

    def say(what: str) -> None:
        tqdm.write(f"{time.perf_counter() - start:5.0f} s  {what}", file=sys.stderr)

    total = (1 + n_rounds) * len(asked)
    with tqdm(total=total, unit=" rows", leave=False, disable=None) as bar:  # None: on a terminal
        with pair(before, after) as sides:
            for work in asked:
                try:
                    plans[work.key] = first_plan(sides, work)
                except FailedError as error:
                    found.failed[work.key] = str(error)
                bar.update()
        say(f"compiled; {len(plans)} of {len(asked)} rows run with both")
        for number in range(1, n_rounds + 1):
            with pair(before, after) as sides:
                for work in asked:
                    if work.key in plans:
                        both = one_round(sides, work, plans[work.key], rng)
                        found.rounds.setdefault(work.key, []).append(both)
                    bar.update()
            say(f"round {number} of {n_rounds}")
    return found


def runs(side: dict[str, list[float]]) -> list[dict[str, list[float]]]:
    """Return the runs of one side: what each row took in each round."""
    return [
        dict(zip(side, ([each] for each in row), strict=True))
        for row in zip(*side.values(), strict=True)
    ]


def alarm_rate(growth: Any, margin: Any, alpha: float) -> float:
    """Return how often any work would be called worse, were the sides of rounds swapped at random.

    ``growth`` has the logarithms of ratios, a row a round and a column a work; all works of a round
    swap together.
    """
    changes = np.asarray(growth, dtype=np.float64)
    n, n_works = changes.shape
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (FLIPS, n))
    means = signs @ changes / n
    squares = (changes**2).sum(axis=0)
    errors = np.sqrt(np.maximum(squares - n * means**2, 0.0) / (n - 1) / n)
    bounds = np.log1p(margin)
    with np.errstate(divide="ignore", invalid="ignore"):
        largest = np.nanmax((means - bounds) / errors, axis=1)
    least = critical_value(n - 1, alpha / n_works, "greater")
    return float(np.mean(largest >= least))  # Holm's first step


def judge(times: Times, options: argparse.Namespace) -> int:
    """Print the decisions, write them where asked, and return the exit status."""
    for key, why in times.failed.items():
        print(f"{key}: not compared, one of the two cannot run it: {why}")
    if not times.rounds:
        print("nothing to compare", file=sys.stderr)
        return 2
    before, after = times.side(0), times.side(1)
    found = compare_timings(  # each round has processes of its own: a run
        runs(before), runs(after), margin=options.margin, paired=True, confidence_level=1 - ALPHA
    )
    print(found)
    content = {"revision": options.revision, **found.to_dict(), "seconds": times.rounds}
    status = found.exit_status
    if options.aa:
        growth = np.log([after[key] for key in after]).T - np.log([before[key] for key in after]).T
        rates = {margin: alarm_rate(growth, margin, ALPHA) for margin in (options.margin, 0.0)}
        content["false_alarms"] = rates[options.margin]
        content["false_alarms_without_margin"] = rates[0.0]
        print(
            f"A/A of {len(after)} rows: {sum(row.decision == 'worse' for row in found)} called "
            f"worse. Rate of false alarms over all rows together, sides swapped {FLIPS:,} times: "
            f"{rates[options.margin]:.1%} at the margin of {options.margin:.0%}, {rates[0.0]:.1%} "
            f"at none (asked: at most {ALPHA:.0%})."
        )
        status = int(rates[options.margin] > ALPHA)
    if options.json is not None:
        options.json.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return status


def _arguments(arguments: Iterable[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.against", description=__doc__)
    parser.add_argument("revision", metavar="REV", help="what git calls it: a branch, tag or hash")
    parser.add_argument("--only", nargs="+", choices=sorted(BY_KEY), metavar="NAME")
    parser.add_argument("--margin", type=float, default=MARGIN, help="0.05 means 5 %%")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="pairs of processes")
    parser.add_argument("--rows", type=int, default=FULL_ROWS, help="most rows of any data set")
    parser.add_argument("--aa", action="store_true", help="REV against itself")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures to FILE")
    options = parser.parse_args(None if arguments is None else list(arguments))
    if options.rounds < 2 or not options.margin > 0:  # found out before minutes are spent
        parser.error("--rounds must be at least 2, and --margin above 0")
    return options


def main(arguments: Iterable[str] | None = None) -> int:
    """Run the script and return its exit code."""
    options = _arguments(arguments)
    asked = works(options.only or [row.key for row in ROWS], options.rows)
    with tempfile.TemporaryDirectory(prefix="fastmetrics-against-") as name:
        before, after = Path(name) / "before", Path(name) / "after"
        try:
            install(options.revision, before)
            install(options.revision if options.aa else None, after)
        except ValueError as error:
            print(f"python -m benchmarks.against: {error}", file=sys.stderr)
            return 2
        return judge(take_turns(asked, before, after, options.rounds), options)


if __name__ == "__main__":
    sys.exit(main())
