"""``fastmetrics compare-benchmarks``: two files of pytest-benchmark in, decisions out."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any, Final

from fastmetrics.cli._options import level, number_of

if TYPE_CHECKING:
    from fastmetrics.comparison.samples.timings import TimingComparison
    from fastmetrics.inference._pvalues import Moments

HELP: Final = """\
Decide of each benchmark in two JSON files of pytest-benchmark whether it became slower by more than
a margin: worse, not worse, or undecided, and then how many more rounds would decide. Rounds count
one by one where both files have them (--benchmark-json, --benchmark-save-data), else mean and
standard deviation do. The two files are of two runs, so what was different about the machine
between them looks like a change.

exit status: 0 nothing is worse, 1 something is, 2 the files cannot be compared, 3 undecided"""

EXAMPLES: Final = """\
examples:
  pytest --benchmark-json=before.json
  fastmetrics compare-benchmarks before.json after.json
  fastmetrics compare-benchmarks before.json after.json --margin 10% --format markdown
"""
_COLUMNS: Final = (
    *("name", "estimate", "low", "high", "standard_error", "decision", "more_rounds"),
    *("n_before", "n_after", "pvalue_worse", "pvalue_not_worse"),
)
_Benchmarks = dict[str, dict[str, Any]]


def add_options(command: argparse.ArgumentParser) -> None:
    """Add what the command takes beside a format."""
    add = command.add_argument
    add("before", metavar="BEFORE.json", help="what pytest-benchmark saved before the change")
    add("after", metavar="AFTER.json", help="and after it")
    add(
        "--margin",
        type=_margin,
        default=0.05,
        metavar="P",
        help="the largest growth of a time that does not matter: 5%% (default) or 0.05",
    )
    add(
        "--confidence-level",
        type=level,
        default=0.95,
        metavar="P",
        help="chance of calling nothing worse that is not, of all benchmarks together (default "
        "0.95)",
    )


def run(options: argparse.Namespace) -> str:
    """Read the two files, decide, set the exit status, and return the output."""
    from fastmetrics.cli._layout import csv_text, json_text, markdown_text, table_text
    from fastmetrics.comparison.samples.timings import decided, unpaired_change

    before, after = _read(options.before), _read(options.after)
    shared = _shared(before, after, options)
    changes = [
        unpaired_change(name, *_moments(before[name], after[name], name, options))
        for name in shared
    ]
    found = decided(changes, options.margin, options.confidence_level, paired=False)
    options.exit_status = found.exit_status
    if options.format == "json":
        return json_text({"decision": found.decision, **found.to_dict()})
    if options.format == "csv":
        return csv_text(_COLUMNS, _records(found))
    shown = found._shown()
    return markdown_text(shown) if options.format == "markdown" else table_text(shown)


def _records(found: TimingComparison) -> list[dict[str, Any]]:
    return [
        {name: value for name, value in row.to_dict().items() if name in _COLUMNS}
        | row.confidence_interval.to_dict()
        for row in found
    ]


def _margin(text: str) -> float:
    """Return a share: 5% or 0.05."""
    share = number_of(text.removesuffix("%"))
    if share is None or not 0 < share < float("inf"):
        raise argparse.ArgumentTypeError(f"must be above 0, as 5% or 0.05: got {text!r}")
    return share / (100 if text.endswith("%") else 1)


def _read(path: str) -> _Benchmarks:
    """Return the statistics of each benchmark of a file by its full name."""
    with open(path, encoding="utf-8") as file:
        try:
            content = json.load(file)
        except ValueError as error:
            raise ValueError(f"{path}: no JSON: {error}") from None
    try:
        benchmarks = {each["fullname"]: each["stats"] for each in content["benchmarks"]}
        for stats in benchmarks.values():
            _ = stats["mean"], stats["stddev"], stats["rounds"]
    except (TypeError, KeyError):
        raise ValueError(
            f"{path}: not what pytest-benchmark saves: it must hold `benchmarks`, each with "
            "`fullname` and `stats`, and those with `mean`, `stddev` and `rounds`"
        ) from None
    if not benchmarks:
        raise ValueError(f"{path}: holds no benchmarks")
    return benchmarks


def _shared(before: _Benchmarks, after: _Benchmarks, options: argparse.Namespace) -> list[str]:
    """Return the names in both files; those in one are said, where others can be compared."""
    from fastmetrics.cli._messages import print_warning

    shared = [name for name in before if name in after]
    if not shared:
        raise ValueError(
            f"{options.before} and {options.after} share no benchmark: the first of one is "
            f"{next(iter(before))!r}, of the other {next(iter(after))!r}"
        )
    for path, these, those in (
        (options.before, before, after),
        (options.after, after, before),
    ):
        lone = [name for name in these if name not in those]
        if lone:
            print_warning(
                f"only {path} has {', '.join(map(repr, lone[:5]))}"
                f"{f' and {len(lone) - 5} more' if len(lone) > 5 else ''}: not compared"
            )
    return shared


def _moments(
    before: dict[str, Any], after: dict[str, Any], name: str, options: argparse.Namespace
) -> tuple[Moments, Moments]:
    """Return mean and deviation of the logarithms: of the rounds where both files have them."""
    from fastmetrics.comparison.samples.timings import log_moments, log_moments_of_summary

    pair = (options.before, before), (options.after, after)
    found = []
    for path, stats in pair:
        try:
            if all(each.get("data") for _, each in pair):
                found.append(log_moments(stats["data"], name))
            else:
                summary = stats["mean"], stats["stddev"], stats["rounds"]
                found.append(log_moments_of_summary(*summary, name))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
    return found[0], found[1]
