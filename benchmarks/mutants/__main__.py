"""Try mutants of a sample of lines: ``python -m benchmarks.mutants`` (the extra ``mutants``).

Works on copies of the checkout. The tests of a mutant are the three files nearest to its module by
imports, and if it survives, the others of its floor. ``--count 5 --floor tables`` looks at the
first five lines of one floor, ``--only TEXT`` at modules whose path contains it; neither publishes.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import cosmic_ray.plugins
from cosmic_ray.mutating import use_mutation
from cosmic_ray.testing import run_tests
from cosmic_ray.work_item import TestOutcome
from tqdm import tqdm

from benchmarks.mutants.choice import Choice, is_kernel
from benchmarks.mutants.report import Tried, equivalents, judged, publish, summary
from benchmarks.mutants.sample import FLOORS, Mutant, sample

ROOT = Path(__file__).resolve().parents[2]
COUNT = 50
#: Seconds for the nearest tests, and for all of a floor: many times what they take.
LIMITS = (120, 900)

Job = tuple[Mutant, tuple[tuple[str, ...], ...]]


def command(tests: Sequence[str], *, plain: bool) -> str:
    """Return the command that runs some files of tests, up to the first failure."""
    words = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider"]
    # Ours is the time limit: Hypothesis need not look for a smaller example.
    words += ["--hypothesis-profile=first_failure", *tests]
    return shlex.join([*(("env", "NUMBA_DISABLE_JIT=1") if plain else ()), *words])


def copied(root: Path, place: Path) -> Path:
    """Copy what tests need, time stamps included: Numba's cache knows kernels by them."""
    for name in ("fastmetrics", "tests", "benchmarks", "docs", "examples", "pyproject.toml"):
        source = root / name
        if source.is_dir():
            shutil.copytree(source, place / name)
        else:
            shutil.copy2(source, place / name)
    return place


def _start(template: str, scratch: str) -> None:
    """Give this process a copy of the checkout of its own."""
    place = Path(scratch) / str(os.getpid())
    place.mkdir()
    os.chdir(copied(Path(template), place))


def tried(job: Job) -> Tried:
    """Apply a mutant to the copy of this process, and run its tests until one fails."""
    mutant, rounds = job
    path = Path(mutant.module)
    stamps = path.stat()
    operator = cosmic_ray.plugins.get_operator(mutant.operator)()
    killed = False
    with use_mutation(path, operator, mutant.occurrence) as (_, mutated):
        if mutated is None:
            raise RuntimeError(f"no such place: {mutant}")
        becomes = mutated.splitlines()[mutant.line - 1].strip()
        for tests, limit in zip(rounds, LIMITS, strict=True):
            if tests and not killed:
                outcome, said = run_tests(command(tests, plain=is_kernel(mutant.module)), limit)
                if outcome is TestOutcome.INCOMPETENT:
                    raise RuntimeError(said)
                killed = outcome is TestOutcome.KILLED
    os.utime(path, ns=(stamps.st_atime_ns, stamps.st_mtime_ns))
    return Tried(mutant, becomes, "killed" if killed else "survived")


def check_unchanged(jobs: Sequence[Job], template: Path) -> None:
    """Run all tests that will be asked on the code as it is: they have to pass, and fill caches."""
    for plain in (True, False):
        own = [rounds for mutant, rounds in jobs if is_kernel(mutant.module) is plain]
        tests = sorted({name for rounds in own for names in rounds for name in names})
        if tests:
            done = subprocess.run(
                shlex.split(command(tests, plain=plain)), cwd=template, check=False
            )
            if done.returncode:
                raise SystemExit("the tests fail without a mutant")


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the sample and publish what became of it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    parser.add_argument("--floor", action="append", help="a floor; by default " + ", ".join(FLOORS))
    parser.add_argument("--count", type=int, default=COUNT, help="lines of each floor")
    parser.add_argument("--only", default="", metavar="TEXT", help="part of a module's path")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    asked = parser.parse_args(arguments)
    choice = Choice(ROOT)
    floors = asked.floor or FLOORS
    jobs = [
        (mutant, choice.tests_of(mutant.module))
        for floor in floors
        for mutant in sample(ROOT, floor, asked.count)
        if asked.only in mutant.module
    ]
    start, found, known = time.perf_counter(), [], equivalents()
    with tempfile.TemporaryDirectory(prefix="fastmetrics-mutants.") as scratch:
        template = Path(scratch) / "template"
        template.mkdir()
        check_unchanged(jobs, copied(ROOT, template))
        context = multiprocessing.get_context("spawn")
        with context.Pool(asked.jobs, _start, (str(template), scratch)) as pool:
            for each in tqdm(pool.imap(tried, jobs), total=len(jobs), unit=" mutants"):
                found.append(judged(each, known))
                if found[-1].outcome != "killed":
                    tqdm.write(f"{found[-1].outcome}: {each.mutant.module}:{each.mutant.line}")
                    tqdm.write(f"    - {each.mutant.text}\n    + {each.becomes}")
    print(summary(found), f"{time.perf_counter() - start:.0f} s", sep="")
    if (asked.only, asked.count, tuple(floors)) == ("", COUNT, FLOORS):
        publish(found, ROOT)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
