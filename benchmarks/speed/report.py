"""What is published: the table in Markdown, the stored ratios, the machine."""

from __future__ import annotations

import functools
import json
import os
import platform
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import date
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.speed.contests import BY_KEY, COMPARISONS, CONTEXT, NAMES, TARGETS
from benchmarks.speed.timing import FULL_ROWS, RATIO, Measured, Target

START, END = "<!-- benchmarks:start -->\n", "<!-- benchmarks:end -->"
STORED, DOCUMENT, README = "docs/benchmarks.json", "docs/benchmarks.md", "README.md"
_LIBRARIES = (
    *("numpy", "numba", "scikit-learn", "scipy"),
    *("torchmetrics", "polars-ds", "duckdb", "lightgbm"),
)
_MODULES = {"scikit-learn": "sklearn", "polars-ds": "polars_ds"}
#: Rows measured elsewhere or on another day that are named, at most.
NAMED = 3


@dataclass(frozen=True)
class Row:
    """One measured row, as it is stored; `machine` and `day` say where and when."""

    key: str
    unit: str
    at_least: bool
    median: float
    best: float
    rounds: int
    met: bool | None
    machine: str = ""
    day: str = ""


def row_of(target: Target, measured: Measured) -> Row:
    """Return what is stored of a measurement, rounded to four digits."""
    median, best = (float(f"{value:.4g}") for value in (measured.median, measured.best))
    met = target.is_met(median)
    rounds, day = len(measured.values), date.today().isoformat()
    return Row(target.key, target.unit, target.at_least, median, best, rounds, met, machine(), day)


def _cpu() -> tuple[str, str]:
    """Return the model of the processor and its widest vector instructions, if known."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine(), ""
    model = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    flags = re.search(r"^flags\s*:\s*(.+)$", text, re.MULTILINE)
    known = {"avx512f": "AVX-512", "avx2": "AVX2"}
    present = set(flags[1].split()) if flags else set()
    widest = next((name for flag, name in known.items() if flag in present), "")
    return (model[1] if model else platform.machine()), widest


@functools.cache
def machine() -> str:
    """Describe where the figures come from: no names, no paths."""
    model, vectors = _cpu()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    parts = [model, f"{cores} cores", vectors, f"Python {platform.python_version()}"]
    parts += [
        f"{name} {version(name)}" for name in _LIBRARIES if find_spec(_MODULES.get(name, name))
    ]
    return ", ".join(part for part in parts if part)


def show(value: float, unit: str) -> str:
    """Write a value with three digits and its unit."""
    number = f"{value:.0f}" if value >= 100 else f"{value:#.2g}" if value < 0.1 else f"{value:.3g}"
    return f"{number} {unit}"


def show_bound(target: Target) -> str:
    """Write the bound, or a dash where nothing was promised."""
    if target.bound is None:
        return "–"
    return f"{'≥' if target.at_least else '≤'} {target.bound:g} {target.unit}"


def show_row(row: Row) -> str:
    """Write one line: what, yardstick, target, measured, met."""
    target = BY_KEY[row.key]
    what = target.what + (" (speed-up)" if target.at_least else "")
    measured = show(row.median, row.unit)
    if row.rounds > 1:
        measured += f" (best {show(row.best, '').strip()})"
    met = "–" if row.met is None else "yes" if row.met else "**no**"
    yardstick = NAMES[target.yardstick] or "–"
    return f"| {what} | {yardstick} | {show_bound(target)} | {measured} | {met} |"


def show_table(rows: Iterable[Row]) -> str:
    """Write the rows under their headings."""
    lines = ["| what | yardstick | target | measured | met |", "|---|---|---|---|---|"]
    return "\n".join([*lines, *map(show_row, rows)]) + "\n"


def show_comparison(row: Row) -> str:
    """Write one line: task, what it is compared with, how many times as fast it is."""
    target = BY_KEY[row.key]
    factor = row.median if target.at_least else 1 / row.median
    return f"| {target.what} | {NAMES[target.yardstick]} | {show(factor, RATIO)} |"


def origin(rows: Iterable[Row]) -> str:
    """Say where and when rows were measured: most of them, then the others."""
    groups: dict[tuple[str, str], list[Target]] = {}
    for row in rows:
        groups.setdefault((row.machine, row.day), []).append(BY_KEY[row.key])
    said = []
    for (where, day), targets in sorted(groups.items(), key=lambda pair: -len(pair[1])):
        named = [f"{each.what} ({NAMES[each.yardstick] or each.unit})" for each in targets]
        which = ", ".join(named) if len(named) <= NAMED else f"{len(named)} rows"
        said.append(f"{which}: {where}, {day}" if said else f"{where}, {day}")
    return "; ".join(said) + "."


def comparisons(rows: dict[str, Row], n_rows: int) -> str:
    """Return the table of times against the naive algorithm and the libraries that people use."""
    shown = [rows[key] for key in COMPARISONS if key in rows]
    lines = ["| task | compared with | times as fast |", "|---|---|---|"]
    table = "\n".join([*lines, *map(show_comparison, shown)])
    return (
        f"{_size(n_rows)} rows unless the line says otherwise; all cores; median of rounds in "
        f"turns.\n\n{table}\n\n{origin(shown)}\n"
    )


def readme_block(rows: dict[str, Row], n_rows: int) -> str:
    """Return the README's table between its markers."""
    return f"{START}{comparisons(rows, n_rows)}{END}"


def _size(n_rows: int) -> str:
    return "10⁷" if n_rows == FULL_ROWS else f"At most {n_rows:,}"


def block(rows: dict[str, Row], n_rows: int) -> str:
    """Return the table of targets between its markers."""
    intro = (
        f"{_size(n_rows)} rows, float64 scores, int8 labels, 30 % positive, all cores, unless "
        "the row says otherwise; time over that of the yardstick (`np.sort` runs on one thread), "
        "or the yardstick's time over ours where it says speed-up; median of interleaved rounds.\n"
    )
    shown = [rows[target.key] for target in TARGETS if target.key in rows]
    return f"{START}{intro}\n{show_table(shown)}\n{origin(shown)}\n{END}"


def _misses(rows: dict[str, Row]) -> str:
    """Say of each missed target by how much, and what its note says."""
    lines = []
    for row in rows.values():
        target = BY_KEY[row.key]
        if row.met is not False or target.bound is None:
            continue
        share = abs(row.median / target.bound - 1)
        lines.append(
            f"- {target.what} ({NAMES[target.yardstick] or target.unit}): "
            f"{show(row.median, row.unit)}, target {show_bound(target)}, missed by "
            f"{share:.0%}. {target.note}".rstrip()
        )
    return "\n".join(lines) or "None."


def document(rows: dict[str, Row], n_rows: int, further: str = "") -> str:
    """Return ``docs/benchmarks.md``; `further` are sections of what no target is set for."""
    context = show_table(rows[target.key] for target in CONTEXT if target.key in rows)
    return f"""# Benchmarks

![Time against rows, ours and scikit-learn's](figures/benchmarks.png)

Seconds on all cores of the machine below; dashed lines are scikit-learn's.

Written by `python -m benchmarks.publish`, which checks each answer before it takes a time. Work and
yardstick take turns in one run, so that a slower phase of the machine meets both. Targets were set
on an AMD EPYC of two cores: on another processor `np.sort`, memory and files have other ratios, and
what is missed there says as much of the processor. Versions are compared by `benchmarks.against`.

## Against the naive algorithm and other libraries

{comparisons(rows, n_rows)}
## Targets

{block(rows, n_rows)}

## Targets that are missed

{_misses(rows)}

## For orientation

Nothing was promised here.

{context}
{further}## How it is measured

- Every answer is compared with one that NumPy alone computes: an AUC with the double nearest to
  the true rational number, a table and a curve element by element, a weighted AUC with a sum in
  extended precision. Answers of other libraries must agree to 10⁻⁹, that of torchmetrics, which
  sums in single precision, to 10⁻⁶.
- Compilation is not part of a row, save those that say "first call".
- Memory is the growth of the peak resident size, in a process of its own that has loaded the
  data and has used the kernels on small data before.
- Imports are timed inside new interpreters; "fresh process" is all of it, from start to exit.
- The stored figures are in [benchmarks.json](benchmarks.json); `python -m benchmarks.publish
  --check` measures again and fails when a ratio is worse than the stored one by more than an
  allowance. Seconds are not compared: they belong to the machine. A ratio to a peer belongs to it
  too, in part: `python -m benchmarks.against REV` takes a revision and the working tree in turns in
  one run, on any machine, and says of each row whether it is worse, not worse, or undecided.
- `python -m pytest benchmarks -m bench` runs the series by size, distribution and dtype, against
  all pairs, scikit-learn and scipy.
"""


def stored(
    rows: dict[str, Row],
    n_rows: int,
    further: dict[str, Any] | None = None,
) -> str:
    """Return ``docs/benchmarks.json``: a row says where and when only if that is not the usual."""
    where, day = Counter((row.machine, row.day) for row in rows.values()).most_common(1)[0][0]
    usual = {"machine": where, "day": day}
    measured = [
        {name: value for name, value in asdict(row).items() if usual.get(name, row) != value}
        for row in rows.values()
    ]
    content = {"rows": n_rows, **usual, "measured": measured} | (further or {})
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def load(path: Path) -> tuple[int, dict[str, Row]]:
    """Return the number of rows and the stored measurements."""
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    usual = {name: content[name] for name in ("machine", "day")}
    return content["rows"], {row["key"]: Row(**usual | row) for row in content["measured"]}


def with_block(readme: str, new: str) -> str:
    """Return the README with its block replaced.

    Raises
    ------
    ValueError
        Unless it has the two markers, once each.
    """
    if readme.count(START) != 1 or readme.count(END) != 1:
        raise ValueError(f"{README} needs one line {START.strip()} and one {END}")
    before, rest = readme.split(START)
    return before + new + rest.split(END)[1]


def complaints(old: dict[str, Row], new: dict[str, Row], allowance: float) -> dict[str, str]:
    """Return the rows of `new` that are worse than stored by more than the allowance.

    A ratio below about 0.2 may also change by 0.05: there the noise of the yardstick counts.
    Seconds are left alone: they say more about the machine than about the change.
    """
    found = {}
    for key, row in new.items():
        if row.unit not in {RATIO, "bytes a row"}:
            continue
        if key not in old:
            found[key] = "is not stored: publish again"
            continue
        before, now = old[key].median, row.median
        if row.at_least:
            is_worse = now * (1 + allowance) < before
        else:
            slack = 0.05 if row.unit == RATIO else 0.5
            is_worse = now > before + max(allowance * before, slack)
        if is_worse:
            found[key] = f"{show(now, row.unit)}, stored {show(before, row.unit)}"
    return found
