"""Ask the tests of each mutant of ``list.toml``: ``python -m benchmarks.mutants``.

Works on copies of the checkout and needs ``pip install -e ".[test]" --group mutants``. All tests
run once, to see which of them run which lines (``--coverage FILE`` takes what ``pytest
--cov=fastmetrics --cov-context=test`` wrote); the tests of a mutant are those that run its line.
``--layer tables`` tries the mutants of one layer, ``--publish`` writes the page, ``--draw 9`` fills
the list up to nine mutants a layer where lines have gone.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from multiprocessing.pool import ThreadPool
from pathlib import Path
from queue import SimpleQueue

from tqdm import tqdm

from benchmarks.mutants.choice import FOLDERS, Choice
from benchmarks.mutants.listed import Mutant, locate, read_mutants, write_mutants
from benchmarks.mutants.report import Tried, publish, share_killed
from benchmarks.mutants.trial import Job, copied, measured, tried

ROOT = Path(__file__).resolve().parents[2]
SEED = "fastmetrics"
#: Bytes that a process of tests may ask for (one test reserves 22 GiB, and touches next to none): a
#: mutant may want all there are.
MEMORY = 30 << 30


def _all(jobs: Sequence[Job], template: Path, scratch: Path, n_jobs: int) -> Iterator[Tried]:
    """Yield the result of each mutant, in order; each thread has a copy of the checkout."""
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


def _fill_up(mutants: Sequence[Mutant], count: int) -> list[Mutant]:
    """Return the mutants whose lines still stand, and new ones up to a count for each layer."""
    from benchmarks.mutants.draw import draw

    kept = [mutant for mutant, _ in locate(mutants, ROOT)[0]]
    for layer in FOLDERS:
        lines = {each.line for each in mutants if each.layer == layer}
        missing = max(count - sum(each.layer == layer for each in kept), 0)
        fresh = (each for each in draw(ROOT, layer, SEED) if each.line not in lines)
        kept += islice(fresh, missing)
    return kept


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the mutants and print those that survive."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    parser.add_argument("--layer", action="append", choices=FOLDERS, help="a layer; default: all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--verbose", action="store_true", help="print what killed each mutant")
    parser.add_argument("--coverage", type=Path, help="what tests run; default: find out")
    parser.add_argument("--publish", action="store_true", help="write docs/mutants.md")
    parser.add_argument("--draw", type=int, metavar="N", help="fill the list up, and try nothing")
    options = parser.parse_args(arguments)
    if options.publish and options.layer:
        parser.error("what is published is of all layers")
    mutants = read_mutants()
    if options.draw:
        write_mutants(_fill_up(mutants, options.draw))
        return 0
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    results, start = list[Tried](), time.perf_counter()
    there, gone = locate(mutants, ROOT)
    for mutant in gone:
        print(f"not once in the package: {mutant.line}")
    layers = options.layer or FOLDERS
    with tempfile.TemporaryDirectory(prefix="fastmetrics-mutants.") as name:
        scratch = Path(name)
        template = copied(ROOT, scratch / "template")
        choice = Choice(ROOT, options.coverage or measured(template))
        jobs = [(m, path, choice.tests_of(m, path)) for m, path in there if m.layer in layers]
        for result in tqdm(_all(jobs, template, scratch, options.jobs), total=len(jobs)):
            results.append(result)
            if options.verbose or result.outcome == "survived":
                tqdm.write(result.text())
    print(f"Killed: {share_killed(results)}.\n{time.perf_counter() - start:.0f} s")
    if options.publish:
        publish(results, ROOT)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
