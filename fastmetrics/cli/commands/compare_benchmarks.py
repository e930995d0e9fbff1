"""``fastmetrics compare-benchmarks``: files of benchmarks in, decisions out."""

from __future__ import annotations

import argparse
import glob
from typing import TYPE_CHECKING, Any, Final

from fastmetrics.cli._options import level, number_of

if TYPE_CHECKING:
    from fastmetrics.comparison.timings.files import TimingRun
    from fastmetrics.comparison.timings.timings_result import TimingComparison

HELP: Final = """\
Decide of each benchmark whether it became slower by more than a margin: worse, not worse, or
undecided, and then how many more runs would decide. Each file is one run, of pytest-benchmark,
pyperf, hyperfine or asv; runs are what varies, so that several a side are needed: with one a side
nothing is decided, unless --single-run says that its rounds are to be taken for all there is. Runs
on other machines, processors, interpreters or versions are refused.

exit status: 0 nothing is worse, 1 something is, 2 the files cannot be compared, 3 undecided"""

EXAMPLES: Final = """\
examples:
  for i in 1 2 3 4 5; do pytest --benchmark-json=before$i.json; done
  fastmetrics compare-benchmarks --before 'before*.json' --after 'after*.json'
  fastmetrics compare-benchmarks --before b*.json --after a*.json --margin 10% --margin 'io*=25%'
  fastmetrics compare-benchmarks --before old.json --after new.json --single-run --format markdown
"""
_COLUMNS: Final = (
    *("name", "estimate", "low", "high", "standard_error", "decision", "margin", "more_needed"),
    *("detectable", "n_before", "n_after", "pvalue_worse", "pvalue_not_worse"),
)


def add_options(command: argparse.ArgumentParser) -> None:
    """Add what the command takes beside a format."""
    add = command.add_argument
    for name, what in (("before", "before the change"), ("after", "after it")):
        add(
            f"--{name}",
            nargs="+",
            required=True,
            action="extend",
            metavar="FILE",
            help=f"the runs {what}: files, or glob patterns",
        )
    add(
        "--margin",
        type=_margin,
        action="append",
        metavar="[NAME=]P",
        help="the largest growth of a time that does not matter: 5%% (default) or 0.05; of one "
        "benchmark, or of a pattern as 'sort*', with its name; may be repeated",
    )
    add(
        "--paired",
        action="store_true",
        help="the runs were taken in turns, the first before with the first after and so on",
    )
    add(
        "--single-run",
        action="store_true",
        help="take the rounds of one run a side for what varies",
    )
    add(
        "--correction",
        choices=("holm", "fdr"),
        default="holm",
        help="bound the chance of any false alarm (default), or the share of false ones",
    )
    add(
        "--allow-different",
        action="extend",
        nargs="+",
        default=[],
        metavar="WHAT",
        help="what may differ between the runs, as the error names it, or all",
    )
    add(
        "--confidence-level",
        type=level,
        default=0.95,
        metavar="P",
        help="chance of calling nothing worse that is not, of all benchmarks together (default "
        "0.95)",
    )
    add("--junit", metavar="FILE", help="write the decisions as JUnit XML too")


def run(options: argparse.Namespace) -> str:
    """Read the files, decide, set the exit status, and return the output."""
    from fastmetrics.cli._layout import csv_text, json_text, markdown_text, table_text
    from fastmetrics.cli._session import in_words
    from fastmetrics.comparison.timings.compare_timings import compare_timings

    before, after = _shared(_read(options.before), _read(options.after))
    margins = dict(options.margin or ())
    margins |= {"*": margins.pop("*", 0.05)}  # the last: the first that fits is taken
    names = {"single_run": "--single-run", "allow_different": "--allow-different"}
    with in_words(names | {"before": "--before", "after": "--after"}):
        found = compare_timings(
            before,
            after,
            margin=margins,
            paired=options.paired,
            single_run=options.single_run,
            correction=options.correction,
            allow_different=options.allow_different,
            confidence_level=options.confidence_level,
        )
    options.exit_status = found.exit_status
    if options.junit is not None:
        _write_junit(found, options.junit)
    if options.format == "json":
        return json_text({"decision": found.decision, **found.to_dict()})
    if options.format == "csv":
        return csv_text(_COLUMNS, _records(found))
    shown = found._shown()
    return markdown_text(shown) if options.format == "markdown" else table_text(shown)


def _write_junit(found: TimingComparison, path: str) -> None:
    """Write a test case for each benchmark: what is undecided is an error."""
    from fastmetrics.cli._junit import Case, write_junit

    cases = []
    for row in found:
        outcome: Any = {"worse": "failure", "undecided": "error"}.get(row.decision, "")
        low, high = row.confidence_interval
        said = f"{row.decision}: {row.estimate:.4g} times as long [{low:.4g}, {high:.4g}]"
        cases.append(Case("benchmarks", row.name, outcome, said))
    write_junit(path, "fastmetrics compare-benchmarks", cases, repr(found))


def _records(found: TimingComparison) -> list[dict[str, Any]]:
    return [
        {name: value for name, value in row.to_dict().items() if name in _COLUMNS}
        | row.confidence_interval.to_dict()
        for row in found
    ]


def _margin(text: str) -> tuple[str, float]:
    """Return the pattern of names and a share: 5% or 0.05."""
    name, equals, own = text.rpartition("=")
    share = number_of(own.removesuffix("%"))
    if share is None or not 0 < share < float("inf") or (equals and not name):
        raise argparse.ArgumentTypeError(f"must be above 0, as 5% or 0.05: got {text!r}")
    return name or "*", share / (100 if own.endswith("%") else 1)


def _read(patterns: list[str]) -> list[TimingRun]:
    """Return the runs of files, each once."""
    from fastmetrics.comparison.timings.files import read_timings

    paths: dict[str, None] = {}
    for pattern in patterns:
        paths |= dict.fromkeys(sorted(glob.glob(pattern)) or [pattern])
    return [read_timings(path) for path in paths]


def _shared(
    before: list[TimingRun], after: list[TimingRun]
) -> tuple[list[TimingRun], list[TimingRun]]:
    """Return the runs with the benchmarks that all have; the others are said."""
    from dataclasses import replace

    from fastmetrics.cli._messages import print_warning

    runs = [*before, *after]
    shared = [name for name in runs[0] if all(name in run for run in runs)]
    if not shared:
        raise ValueError(
            f"{runs[0].source} and {runs[-1].source} share no benchmark with all others: the "
            f"first of one is {next(iter(runs[0]))!r}, of the other {next(iter(runs[-1]))!r}"
        )
    lone = list(dict.fromkeys(name for run in runs for name in run if name not in shared))
    if lone:
        more = f" and {len(lone) - 5} more" if len(lone) > 5 else ""
        print_warning(f"not every file has {', '.join(map(repr, lone[:5]))}{more}: not compared")

    def kept(run: TimingRun) -> TimingRun:
        return replace(run, rounds={name: run[name] for name in shared})

    return list(map(kept, before)), list(map(kept, after))
