"""Simulate how often the intervals cover and the tests reject, and publish the tables.

``python -m benchmarks.coverage`` writes ``docs/coverage.md`` and ``docs/coverage.json``.
``--data-sets N`` makes it shorter; nothing is then written unless ``--output`` says where.
``--text`` writes the document anew from the stored figures.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tqdm import tqdm

from benchmarks import coverage_report
from benchmarks.coverage_methods import Cost, Measured, measure
from benchmarks.coverage_scenes import SCENES, Scene
from benchmarks.coverage_summary import Study, load, stored, summarise
from fastmetrics._kernels._compile import compile_small_calls

DATA_SETS, RESAMPLES, EXCHANGES, PROCESSES = 2_000, 999, 499, 2
CHUNK = 20
ROOT = Path(__file__).resolve().parents[1]
STORED, DOCUMENT = "docs/coverage.json", "docs/coverage.md"


def measure_chunk(scene: Scene, numbers: Sequence[int], cost: Cost) -> list[Measured]:
    """Measure some data sets of a scene, one after the other."""
    return [measure(scene, number, cost) for number in numbers]


def simulate(
    scenes: Sequence[Scene], n_data: int, cost: Cost, *, processes: int = 1, progress: bool = False
) -> Study:
    """Run the study; its figures depend neither on the processes nor on which scenes there are."""
    jobs = [
        (scene, range(start, min(start + CHUNK, n_data)))
        for scene in scenes
        for start in range(0, n_data, CHUNK)
    ]
    study = Study(n_data, *cost, [], [], [])
    pool: AbstractContextManager[Any] = nullcontext()
    if processes > 1:
        spawn = get_context("spawn")  # a fork would take a lock of Numba's along
        pool = ProcessPoolExecutor(processes, spawn, initializer=compile_small_calls)
    bar = tqdm(total=len(scenes) * n_data, unit=" data sets", disable=not progress)
    with bar, pool as workers:
        each = workers.map if workers is not None else map
        chunks = each(partial(measure_chunk, cost=cost), *zip(*jobs, strict=True))
        measured: list[Measured] = []
        for (scene, numbers), chunk in zip(jobs, chunks, strict=True):
            bar.update(len(chunk))
            measured += chunk
            if numbers.stop == n_data:
                intervals, tests, estimates = summarise(scene, measured)
                study.intervals.extend(intervals)
                study.tests.extend(tests)
                study.estimates.extend(estimates)
                measured = []
    return study


def write(study: Study, folder: Path) -> None:
    """Write the figures and the document."""
    (folder / "docs").mkdir(exist_ok=True)
    (folder / STORED).write_text(stored(study), encoding="utf-8")
    (folder / DOCUMENT).write_text(coverage_report.document(study), encoding="utf-8")


def _arguments(arguments: Iterable[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--data-sets", type=int, default=DATA_SETS, help="of each kind")
    parser.add_argument("--resamples", type=int, default=RESAMPLES, help="of each bootstrap")
    parser.add_argument("--exchanges", type=int, default=EXCHANGES, help="of permutation tests")
    parser.add_argument("--processes", type=int, default=PROCESSES)
    parser.add_argument("--text", action="store_true", help="only write the document anew")
    parser.add_argument("--output", type=Path, help="folder that has docs/")
    return parser.parse_args(None if arguments is None else list(arguments))


def main(arguments: Iterable[str] | None = None) -> int:
    """Run the script and return its exit code."""
    options = _arguments(arguments)
    folder = options.output or ROOT
    if options.text:
        study = load(folder / STORED)
    else:
        cost = Cost(options.resamples, options.exchanges)
        study = simulate(
            SCENES, options.data_sets, cost, processes=options.processes, progress=True
        )
    if options.output is None and study.n_data < DATA_SETS:
        print("nothing is written: fewer data sets than the published table has (see --output)")
        return 0
    write(study, folder)
    print(f"written: {DOCUMENT}, {STORED}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
