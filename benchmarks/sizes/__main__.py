"""Simulate how often the tests between models reject a hypothesis that is true, and publish it.

``python -m benchmarks.sizes`` writes ``docs/sizes.md`` and ``docs/sizes.json``. ``--part PART``
simulates one table and keeps the others; ``--quick`` is a fiftieth of the data sets, and writes
only where ``--output`` says. ``--text`` writes the document anew from the stored figures.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from tqdm import tqdm

from benchmarks.sizes.report import Row, document, load, stored
from benchmarks.sizes.scenes import NOTES, Scene, scenes
from fastmetrics.errors import DegenerateDataWarning, UndefinedMetricWarning

QUICK = 50
ROOT = Path(__file__).resolve().parents[2]
STORED, DOCUMENT = "docs/sizes.json", "docs/sizes.md"


def simulate(asked: Sequence[Scene], *, quick: bool = False, progress: bool = False) -> list[Row]:
    """Return a row for each test of each scene; it depends on the scene alone."""
    sizes = [max(20, scene.n_data // QUICK) if quick else scene.n_data for scene in asked]
    rows = []
    bar = tqdm(total=sum(sizes), unit=" data sets", disable=not progress)
    with bar, warnings.catch_warnings():  # counted, not told thousands of times
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        warnings.simplefilter("ignore", DegenerateDataWarning)
        for scene, n_data in zip(asked, sizes, strict=True):
            at_five, at_ten, undefined = Counter[str](), Counter[str](), Counter[str]()
            names: dict[str, None] = {}
            for number in range(n_data):
                for test, pvalue in scene.measure(scene.generator(number)).items():
                    names[test] = None
                    at_five[test] += pvalue <= 0.05
                    at_ten[test] += pvalue <= 0.10
                    undefined[test] += bool(np.isnan(pvalue))
                bar.update()
            rows += [
                Row(
                    scene.part,
                    scene.name,
                    test,
                    n_data,
                    at_five[test],
                    at_ten[test],
                    undefined[test],
                )
                for test in names
            ]
    return rows


def replaced(old: Sequence[Row], new: Sequence[Row] = (), part: str = "") -> list[Row]:
    """Return all rows, those of one part being new, in the order of the registry."""
    order = list(NOTES)
    kept = [row for row in old if row.part != part and row.part in order]
    return sorted([*kept, *new], key=lambda row: order.index(row.part))


def write(rows: Sequence[Row], folder: Path) -> None:
    """Write the figures and the document."""
    (folder / "docs").mkdir(exist_ok=True)
    (folder / STORED).write_text(stored(rows), encoding="utf-8")
    (folder / DOCUMENT).write_text(document(rows, NOTES), encoding="utf-8")


def _arguments(arguments: Iterable[str] | None, parts: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sizes", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a fiftieth of the data sets")
    parser.add_argument("--part", choices=parts, help="simulate one table, keep the others")
    parser.add_argument("--text", action="store_true", help="only write the document anew")
    parser.add_argument("--output", type=Path, help="folder that has docs/")
    return parser.parse_args(None if arguments is None else list(arguments))


def main(arguments: Iterable[str] | None = None) -> int:
    """Run the script and return its exit code."""
    registered = scenes()
    options = _arguments(arguments, list(NOTES))
    folder = options.output or ROOT
    if options.text:
        rows = replaced(load(folder / STORED))
    else:
        asked = [one for one in registered if options.part in (None, one.part)]
        rows = simulate(asked, quick=options.quick, progress=True)
        if options.part is not None and (folder / STORED).exists():
            rows = replaced(load(folder / STORED), rows, options.part)
    if options.quick and options.output is None:
        print("nothing is written: fewer data sets than the published tables have (see --output)")
        return 0
    write(rows, folder)
    print(f"written: {DOCUMENT}, {STORED}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
