"""Try mutants of a sample of lines: ``python -m benchmarks.mutants`` (the extra ``mutants``).

Works on copies of the checkout. The tests of a mutant are the three files nearest to its module by
imports, and while it survives, the others of its floor and the nearest of other floors.
``--count 5 --floor tables`` looks at the first five lines of one floor, ``--only TEXT`` at modules
whose path contains it, ``--seed TEXT`` at other lines. ``--publish`` writes the page, of a run of
all floors; ``--judge`` writes it anew once survivors have been found to be equivalent.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Iterator, Sequence
from multiprocessing.pool import ThreadPool
from pathlib import Path
from queue import SimpleQueue

from tqdm import tqdm

from benchmarks.mutants.choice import Choice
from benchmarks.mutants.report import Tried, equivalents, judged, keep, kept, publish, summary
from benchmarks.mutants.sample import FLOORS, SEED, sample
from benchmarks.mutants.trial import Job, copied, tried, unchanged

ROOT = Path(__file__).resolve().parents[2]
COUNT = 50
#: Bytes that a process of tests may ask for (one test reserves 22 GiB, and touches next to none): a
#: mutant may want all there are.
MEMORY = 30 << 30


def _all(jobs: Sequence[Job], scratch: Path, n_jobs: int) -> Iterator[Tried]:
    """Yield what becomes of each mutant, in order; each thread has a copy of the checkout."""
    template = copied(ROOT, scratch / "template")
    unchanged(jobs, template)
    places = SimpleQueue[Path]()
    for k in range(n_jobs):
        places.put(copied(template, scratch / str(k)))

    def one(job: Job) -> Tried:
        place = places.get()
        try:
            return tried(job, place)
        finally:
            places.put(place)

    with ThreadPool(n_jobs) as pool:  # the work is done by the processes that they start
        yield from pool.imap(one, jobs)


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the sample and publish what became of it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    parser.add_argument("--floor", action="append", help="a floor; by default " + ", ".join(FLOORS))
    parser.add_argument("--count", type=int, default=COUNT, help="lines of each floor")
    parser.add_argument("--only", default="", metavar="TEXT", help="part of a module's path")
    parser.add_argument("--seed", default=SEED, help="what else decides which lines are drawn")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--verbose", action="store_true", help="say what killed each mutant")
    parser.add_argument("--publish", action="store_true", help="write docs/mutants.md")
    parser.add_argument("--judge", action="store_true", help="write it of what was tried last")
    asked = parser.parse_args(arguments)
    if asked.judge:
        publish([judged(each, equivalents()) for each in kept()], ROOT)
        return 0
    if asked.publish and (asked.only, asked.seed, asked.floor) != ("", SEED, None):
        parser.error("what is published is of all floors and of the version's own lines")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    choice = Choice(ROOT)
    floors = asked.floor or FLOORS
    jobs = [
        (mutant, choice.tests_of(mutant.module))
        for floor in floors
        for mutant in sample(ROOT, floor, asked.count, asked.seed)
        if asked.only in mutant.module
    ]
    start, found, known = time.perf_counter(), list[Tried](), equivalents()
    with tempfile.TemporaryDirectory(prefix="fastmetrics-mutants.") as scratch:
        each_tried = _all(jobs, Path(scratch), asked.jobs)
        for each in tqdm(each_tried, total=len(jobs), unit=" mutants"):
            found.append(each)
            now = judged(each, known)
            if asked.verbose or now.outcome == "survived":
                tqdm.write(now.told())
    print(summary([judged(each, known) for each in found]), end="")
    print(f"{time.perf_counter() - start:.0f} s")
    if asked.publish:
        keep(found)
        publish([judged(each, known) for each in found], ROOT)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
