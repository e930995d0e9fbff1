"""Is this checkout slower than a revision? Both are timed in turns, in one run.

``python -m benchmarks.against REV`` puts the package of REV beside that of the working tree, each
with compiled code of its own (what the working tree has compiled of a file that is the same in both
is taken along), and times the rows of `benchmarks.publish` with both: every round has a fresh pair
of processes, which take turns in random order. Each row is worse, not worse, or undecided, by
`fastmetrics.comparison.compare_timings` of paired rounds; the exit status is 0 if none is worse, 1
if one is, 3 if it is undecided, 2 if it cannot be done. All of it takes ``--minutes``: rows of
seconds get fewer rounds, and what they cannot decide is said. ``--aa`` takes REV twice and prints
how often that would be called worse.
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
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from benchmarks.speed import contests, processes
from benchmarks.speed.contests import BY_KEY, ROWS
from benchmarks.speed.timing import FULL_ROWS, Target
from benchmarks.speed.turns import ROOT, FailedError, Plan, Work, first_plan, one_round, pair
from fastmetrics.comparison.timings import TimingComparison, TimingRatio, compare_timings
from fastmetrics.inference.reference import adjust, critical_value

MARGIN, ALPHA, ROUNDS = 0.05, 0.05, 10
MINUTES = 12.0
#: Rounds that every row gets before any row gets more; two of them can decide something.
FIRST_ROUNDS, FEWEST_ROUNDS = 3, 2
NO_TIME = "the time was over"
#: Sign flips of an A/A run.
FLIPS = 10_000


@dataclass
class Times:
    """Seconds of both sides, a pair for each round, by row; and why a row has none."""

    rounds: dict[str, list[list[float]]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


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
    """Put the package of a revision, or that of the working tree, into a folder.

    Files that are the same in both keep the code that the working tree has compiled of them.
    """
    package = folder / "fastmetrics"
    shutil.copytree(ROOT / "fastmetrics", package, ignore=shutil.ignore_patterns("*.pyc"))
    if revision is None:
        return
    command = ["git", "-C", str(ROOT), "archive", revision, "--", "fastmetrics"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        raise ValueError(done.stderr.decode(errors="replace").strip())
    files: dict[Path, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        for member in archive:
            read = archive.extractfile(member)
            if read is not None:
                files[folder / member.name] = read.read()
    for path in list(package.rglob("*")):
        if path.is_file() and path.parent.name != "__pycache__" and path not in files:
            path.unlink()
    for path, content in files.items():
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)  # a new time stamp: it is compiled anew


def rounds_that_fit(costs: dict[str, float], seconds: float, most: int) -> dict[str, int]:
    """Return how many more rounds each row gets, one of each being made, which took `costs`.

    The next round goes to a row that has fewest of the first ones, then to the one on which the
    least time is spent.
    """
    rounds = dict.fromkeys(costs, 1)
    waiting = set(costs)
    while waiting:
        key = min(
            waiting, key=lambda each: (min(rounds[each], FIRST_ROUNDS), rounds[each] * costs[each])
        )
        if rounds[key] >= most or costs[key] > seconds:
            waiting.remove(key)
        else:
            rounds[key] += 1
            seconds -= costs[key]
    return {key: number - 1 for key, number in rounds.items()}


def take_turns(
    asked: Sequence[Work], before: Path, after: Path, n_rounds: int, minutes: float
) -> Times:
    """Time the works of both folders, saying so; what would end after `minutes` is not begun."""
    rng, start, found = random.Random(0), time.perf_counter(), Times()
    plans: dict[str, Plan] = {}
    costs: dict[str, float] = {}

    def left() -> float:
        return 60 * minutes - (time.perf_counter() - start)

    def say(what: str) -> None:
        tqdm.write(f"{time.perf_counter() - start:5.0f} s  {what}", file=sys.stderr)

    def make_round(keys: Iterable[str]) -> None:
        with pair(before, after) as sides:
            for work in asked:
                if work.key not in keys or left() < costs.get(work.key, 0.0):
                    continue
                began = time.perf_counter()
                both = one_round(sides, work, plans[work.key], rng)
                costs[work.key] = time.perf_counter() - began
                found.rounds.setdefault(work.key, []).append(both)

    with pair(before, after) as sides:
        for work in tqdm(asked, unit=" rows", leave=False, disable=None):  # None: on a terminal
            if left() < 30 * minutes:  # half of the time is for rounds
                break
            try:
                plans[work.key] = first_plan(sides, work)
            except FailedError as error:
                found.failed[work.key] = f"one of the two cannot run it: {error}"
    say(f"compiled; {len(plans)} of {len(asked)} rows run with both")
    make_round(plans)
    more = rounds_that_fit(costs, left(), n_rounds)
    say(f"round 1; up to {max(more.values(), default=0)} more")
    for number in range(1, max(more.values(), default=0) + 1):
        keys = {key for key, count in more.items() if count >= number}
        if left() < min(costs[key] for key in keys):
            break
        make_round(keys)
        say(f"round {number + 1}")
    for work in asked:
        if work.key not in found.failed and len(found.rounds.get(work.key, ())) < FEWEST_ROUNDS:
            found.rounds.pop(work.key, None)
            found.failed[work.key] = NO_TIME
    return found


def decide(rounds: dict[str, list[list[float]]], margin: float) -> TimingComparison:
    """Return the decisions on all rows together, each of as many rounds as it has."""

    def alone(key: str, alpha: float) -> TimingRatio:
        before, after = ([{key: [both[side]]} for both in rounds[key]] for side in (0, 1))
        return compare_timings(  # each round has processes of its own: a run
            before, after, margin=margin, paired=True, confidence_level=1 - alpha
        ).rows[0]

    rows = [alone(key, ALPHA) for key in rounds]
    worse = adjust(np.array([row.pvalue_worse for row in rows]), "holm")
    found = []
    for row, p in zip(rows, worse.tolist(), strict=True):
        decided = replace(row, pvalue_worse=p)
        if row.decision != "not worse" and row.estimate > 1 + margin and p > ALPHA:
            needed = alone(row.name, ALPHA / len(rows)).more_needed
            decided = replace(decided, decision="undecided", more_needed=needed)
        found.append(decided)
    return TimingComparison(tuple(found), 1 - ALPHA, "holm", True)


def alarm_rate(growth: Any, margin: Any, alpha: float) -> float:
    """Return how often any work would be called worse, were the sides of rounds swapped at random.

    ``growth`` has the logarithms of ratios, a row a round and a column a work, nan where a work had
    no such round; all works of a round swap together.
    """
    changes = np.asarray(growth, dtype=np.float64)
    n_rounds, n_works = changes.shape
    n = np.isfinite(changes).sum(axis=0)
    changes = np.nan_to_num(changes)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (FLIPS, n_rounds))
    means = signs @ changes / n
    squares = (changes**2).sum(axis=0)
    errors = np.sqrt(np.maximum(squares - n * means**2, 0.0) / (n - 1) / n)
    bounds = np.log1p(margin)
    least = np.array([critical_value(k - 1, alpha / n_works, "greater") for k in n.tolist()])
    with np.errstate(divide="ignore", invalid="ignore"):
        beyond = (means - bounds) / errors >= least
    return float(np.mean(beyond.any(axis=1)))  # Holm's first step


def _growth(rounds: dict[str, list[list[float]]]) -> Any:
    """Return the logarithms of ratios, a row a round and a column a work."""
    growth = np.full((max(map(len, rounds.values())), len(rounds)), np.nan)
    for k, each in enumerate(rounds.values()):
        growth[: len(each), k] = np.diff(np.log(each), axis=1)[:, 0]
    return growth


def judge(times: Times, options: argparse.Namespace) -> int:
    """Print the decisions, write them where asked, and return the exit status."""
    for key, why in times.failed.items():
        if why != NO_TIME:
            print(f"{key}: not compared, {why}")
    late = [key for key, why in times.failed.items() if why == NO_TIME]
    if late:
        print(f"not compared, {NO_TIME}: {', '.join(late)}")
    if not times.rounds:
        print("nothing to compare", file=sys.stderr)
        return 2
    found = decide(times.rounds, options.margin)
    print(found)
    few = [row for row in found if row.n_after < options.rounds and row.decision == "undecided"]
    if few:
        print(
            f"The {options.minutes:g} minutes gave {len(few)} of the undecided rows fewer than "
            f"{options.rounds} rounds: {', '.join(f'{row.name} ({row.n_after})' for row in few)}. "
            f"--only {' '.join(row.name for row in few)} gives them more."
        )
    content = {"revision": options.revision, **found.to_dict(), "seconds": times.rounds}
    content["failed"] = times.failed
    status = found.exit_status
    if status == 0 and late:
        status = 3
    if options.aa:
        growth = _growth(times.rounds)
        rates = {margin: alarm_rate(growth, margin, ALPHA) for margin in (options.margin, 0.0)}
        content["false_alarms"] = rates[options.margin]
        content["false_alarms_without_margin"] = rates[0.0]
        print(
            f"A/A of {len(times.rounds)} rows: {sum(row.decision == 'worse' for row in found)} "
            f"called worse. Rate of false alarms over all rows together, sides swapped {FLIPS:,} "
            f"times: {rates[options.margin]:.1%} at the margin of {options.margin:.0%}, "
            f"{rates[0.0]:.1%} at none (asked: at most {ALPHA:.0%})."
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
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="of a row, at most")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="that all of it takes")
    parser.add_argument("--rows", type=int, default=FULL_ROWS, help="most rows of any data set")
    parser.add_argument("--aa", action="store_true", help="REV against itself")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures to FILE")
    options = parser.parse_args(None if arguments is None else list(arguments))
    if options.rounds < 2 or not (options.margin > 0 and options.minutes > 0):
        parser.error("--rounds must be at least 2, and --margin and --minutes above 0")
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
        times = take_turns(asked, before, after, options.rounds, options.minutes)
        return judge(times, options)


if __name__ == "__main__":
    sys.exit(main())
