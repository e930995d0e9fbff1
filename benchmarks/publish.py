"""Measure every target in one run and publish the table, or compare with the published one.

``python -m benchmarks.publish`` writes ``docs/benchmarks.md`` with its picture,
``docs/benchmarks.json`` and the block of the README, in about fifteen minutes (``--minutes``): a
row for which there is no time or no library keeps the stored figure with its machine and day, as
all others do with ``--only``. ``--check`` writes nothing and fails where a ratio got worse.
``--rows N`` makes all data smaller, to try the script; nothing is then written unless ``--output``
says where.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.speed import contests, growth, processes, report
from benchmarks.speed.contests import BY_KEY, COMPARISONS, ROWS
from benchmarks.speed.further import Further, measure_further
from benchmarks.speed.report import Row
from benchmarks.speed.timing import BUDGET, FULL_ROWS, Target

ALLOWANCE = 0.3
MINUTES, FURTHER_MINUTES = 15.0, 5.0
ROOT = Path(__file__).resolve().parents[1]


def measure_row(target: Target, shop: processes.Workshop, budget: float = BUDGET) -> Row:
    """Measure one row, its answer checked."""
    if target.work in processes.WORKS:
        measured = processes.run_in_processes(target, shop, budget)
    else:
        measured = contests.run_contest(target, shop.most_rows, budget)
    return report.row_of(target, measured)


def measure_all(targets: Sequence[Target], most_rows: int, minutes: float) -> dict[str, Row]:
    """Measure the rows, saying so; a wrong answer or a failed process ends the run.

    A row gets a fair part of the time that is left, half of it to get ready; none is begun when the
    time is over.
    """
    rows: dict[str, Row] = {}
    start = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="fastmetrics-bench-") as folder:
        shop = processes.Workshop(Path(folder), most_rows)
        for number, target in enumerate(targets, 1):
            left = 60 * minutes - (time.perf_counter() - start)
            if left <= 0:
                print(f"no time: {', '.join(each.key for each in targets[number - 1 :])}")
                break
            budget = min(BUDGET, left / (len(targets) - number + 1) / 2)
            rows[target.key] = measure_row(target, shop, budget)
            elapsed = time.perf_counter() - start
            print(f"{elapsed:5.0f} s [{number:2}/{len(targets)}] {target.key:24}", end=" ")
            print(report.show_row(rows[target.key]), flush=True)
    return rows


def check(
    targets: Sequence[Target], most_rows: int, folder: Path, allowance: float, minutes: float
) -> int:
    """Compare with the stored ratios; what looks worse is measured once more before it counts."""
    try:
        n_rows, old = report.load(folder / report.STORED)
    except FileNotFoundError:
        print(f"{report.STORED} is missing: publish first", file=sys.stderr)
        return 2
    if n_rows != most_rows:
        print(f"the stored ratios are of {n_rows} rows: pass --rows {n_rows}", file=sys.stderr)
        return 2
    gone = sorted(old.keys() - BY_KEY.keys())
    targets = [row for row in targets if row.is_installed()]
    worse = report.complaints(old, measure_all(targets, most_rows, minutes), allowance)
    if worse:
        print("once more:")
        again = measure_all([BY_KEY[key] for key in worse], most_rows, minutes)
        worse = report.complaints(old, again, allowance)
    for key, what in worse.items():
        print(f"WORSE {key}: {what}")
    if worse:
        print(
            "A ratio moves with the processor: python -m benchmarks.against REV "
            f"--only {' '.join(worse)} decides on this one."
        )
    for key in gone:
        print(f"GONE {key}: stored, and no longer measured")
    if not worse and not gone:
        print(f"no ratio is worse than stored by more than {allowance:.0%}")
    return 1 if worse or gone else 0


def write(rows: dict[str, Row], further: Further, n_rows: int, folder: Path) -> None:
    """Write the picture and the three files; the README only if there is one."""
    readme = folder / report.README
    text = readme.read_text(encoding="utf-8") if readme.exists() else None
    if text is not None:  # before anything is written: a README without markers is an error
        text = report.with_block(text, report.readme_block(rows, n_rows))
    (folder / "docs").mkdir(exist_ok=True)
    document = report.document(rows, n_rows, further.sections())
    (folder / report.DOCUMENT).write_text(document, encoding="utf-8")
    figures = report.stored(rows, n_rows, further.stored())
    (folder / report.STORED).write_text(figures, encoding="utf-8")
    growth.draw(further.points, folder / growth.FIGURE)
    if text is not None:
        readme.write_text(text, encoding="utf-8")


def _arguments(arguments: Iterable[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.publish", description=__doc__)
    parser.add_argument("--rows", type=int, default=FULL_ROWS, help="most rows of any data set")
    parser.add_argument("--only", nargs="+", choices=sorted(BY_KEY), metavar="KEY")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="of the whole, about")
    parser.add_argument("--check", action="store_true", help="compare with the stored ratios")
    parser.add_argument("--allowance", type=float, default=ALLOWANCE, help="0.3 means 30 %%")
    parser.add_argument("--output", type=Path, help="folder that has docs/ and README.md")
    return parser.parse_args(None if arguments is None else list(arguments))


def main(arguments: Iterable[str] | None = None) -> int:
    """Run the script and return its exit code."""
    options = _arguments(arguments)
    targets = [row for row in ROWS if options.only is None or row.key in options.only]
    folder = options.output or ROOT
    if options.check:
        return check(targets, options.rows, folder, options.allowance, options.minutes)
    readme, stored = folder / report.README, folder / report.STORED
    n_rows, old = report.load(stored) if stored.exists() else (0, {})
    if n_rows != options.rows:
        old = {}
    is_written = bool(options.only is None or old) and (
        options.rows == FULL_ROWS or options.output is not None
    )
    if is_written and readme.exists():  # found out before minutes are spent
        report.with_block(readme.read_text(encoding="utf-8"), "")
    for row in targets:
        if not row.is_installed():
            print(f"skipped: {row.key}, which needs {row.library}")
    targets = [row for row in targets if row.is_installed()]
    targets.sort(key=lambda row: row.key not in COMPARISONS)  # the README's come first
    minutes = options.minutes - (FURTHER_MINUTES if options.only is None else 0)
    new = measure_all(targets, options.rows, minutes)
    missed = [key for key, row in new.items() if row.met is False]
    print(f"missed: {', '.join(missed) or 'none'}")
    if not is_written:
        print("nothing is written: not the full size (see --output), or --only and none is stored")
        return 0
    if options.only is None:
        further = measure_further(options.rows)
    else:
        further = Further.from_stored(json.loads(stored.read_text(encoding="utf-8")))
    write(
        {key: (old | new)[key] for key in BY_KEY if key in old | new}, further, options.rows, folder
    )
    print(f"written: {report.DOCUMENT}, {report.STORED}", end="")
    print(f", {report.README}" if readme.exists() else "; there is no README")
    return 0


if __name__ == "__main__":
    sys.exit(main())
