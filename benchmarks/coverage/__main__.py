"""Simulate how often the intervals cover and the tests reject, and publish the tables.

``python -m benchmarks.coverage`` writes ``docs/coverage.md``, the pages of ``docs/coverage/`` and
``docs/coverage.json``.
``--data-sets N`` makes it shorter; nothing is then written unless ``--output`` says where.
``--text`` writes the pages anew from the stored figures, ``--part`` simulates some parts and keeps
the figures of the others, which do not depend on it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from benchmarks.coverage import (
    calibration,
    concordance,
    estimates,
    every,
    levels,
    multilabel,
    pages,
    recalibration,
)
from benchmarks.coverage.measured import Cost
from benchmarks.coverage.scenes import SCENES
from benchmarks.coverage.study import Study, load, simulate, stored, with_parts

DATA_SETS, RESAMPLES, EXCHANGES, PROCESSES = 2_000, 999, 499, 2
ROOT = Path(__file__).resolve().parents[2]
ALL_SCENES = (
    *SCENES,
    *estimates.SCENES,
    *every.SCENES,
    *levels.SCENES,
    *multilabel.SCENES,
    *calibration.SCENES,
    *recalibration.SCENES,
    *concordance.SCENES,
)
STORED, DOCUMENT = "docs/coverage.json", pages.FRONT


def write(study: Study, folder: Path) -> None:
    """Write the figures and the pages."""
    (folder / "docs" / "coverage").mkdir(parents=True, exist_ok=True)
    (folder / STORED).write_text(stored(study), encoding="utf-8")
    for path, text in pages.documents(study).items():
        (folder / path).write_text(text, encoding="utf-8")


def _arguments(arguments: Iterable[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--data-sets", type=int, default=DATA_SETS, help="of each kind")
    parser.add_argument("--resamples", type=int, default=RESAMPLES, help="of each bootstrap")
    parser.add_argument("--exchanges", type=int, default=EXCHANGES, help="of permutation tests")
    parser.add_argument("--processes", type=int, default=PROCESSES)
    parts = tuple(dict.fromkeys(scene.part for scene in ALL_SCENES))
    parser.add_argument("--part", nargs="+", choices=parts, help="simulate these parts alone")
    parser.add_argument("--text", action="store_true", help="only write the pages anew")
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
        scenes = [scene for scene in ALL_SCENES if not options.part or scene.part in options.part]
        study = simulate(
            scenes, options.data_sets, cost, processes=options.processes, progress=True
        )
    if options.output is None and options.data_sets < DATA_SETS:
        print("nothing is written: fewer data sets than the published table has (see --output)")
        return 0
    if options.part:
        study = with_parts(load(ROOT / STORED), options.part, study)
    write(study, folder)
    print(f"written: {DOCUMENT}, docs/coverage/, {STORED}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
