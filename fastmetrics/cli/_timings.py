"""What compare-benchmarks and bench share: options of a decision on times, and its output."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from fastmetrics.cli._options import level, number_of

if TYPE_CHECKING:
    from fastmetrics._display.table import Display
    from fastmetrics.comparison.timings.files import TimingRun
    from fastmetrics.comparison.timings.timings_result import TimingComparison

_COLUMNS: Final = (
    *("name", "estimate", "low", "high", "standard_error", "decision", "margin", "more_needed"),
    *("detectable", "n_before", "n_after", "pvalue_worse", "pvalue_not_worse"),
)


def add_decision(add: Callable[..., Any]) -> None:
    """Add the options that say what counts as slower, and how sure one has to be."""
    add(
        "--margin",
        type=_margin,
        action="append",
        metavar="[NAME=]P",
        help="the largest growth of a time that does not matter: 5%% (default) or 0.05; of one "
        "benchmark, or of a pattern as 'sort*', with its name; may be repeated",
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


def asked(options: argparse.Namespace) -> dict[str, Any]:
    """Return those options as arguments of `compare_timings`."""
    margins = dict(options.margin or ())
    margins |= {"*": margins.pop("*", 0.05)}  # the last: the first that fits is taken
    return {
        "margin": margins,
        "correction": options.correction,
        "allow_different": options.allow_different,
        "confidence_level": options.confidence_level,
    }


def _margin(text: str) -> tuple[str, float]:
    """Return the pattern of names and a share: 5% or 0.05."""
    name, equals, own = text.rpartition("=")
    share = number_of(own.removesuffix("%"))
    if share is None or not 0 < share < float("inf") or (equals and not name):
        raise argparse.ArgumentTypeError(f"must be above 0, as 5% or 0.05: got {text!r}")
    return name or "*", share / (100 if own.endswith("%") else 1)


def shared(
    before: Sequence[TimingRun], after: Sequence[TimingRun]
) -> tuple[list[TimingRun], list[TimingRun]]:
    """Return the runs with the benchmarks that all have; the others are said."""
    from dataclasses import replace

    from fastmetrics.cli._messages import print_warning

    runs = [*before, *after]
    names = [name for name in runs[0] if all(name in run for run in runs)]
    if not names:
        raise ValueError(
            f"{runs[0].source} and {runs[-1].source} share no benchmark with all others: the "
            f"first of one is {next(iter(runs[0]))!r}, of the other {next(iter(runs[-1]))!r}"
        )
    lone = list(dict.fromkeys(name for run in runs for name in run if name not in names))
    if lone:
        more = f" and {len(lone) - 5} more" if len(lone) > 5 else ""
        print_warning(f"not every run has {', '.join(map(repr, lone[:5]))}{more}: not compared")

    def kept(run: TimingRun) -> TimingRun:
        return replace(run, rounds={name: run[name] for name in names})

    return list(map(kept, before)), list(map(kept, after))


def output(
    found: TimingComparison,
    shown: Display,
    options: argparse.Namespace,
    command: str,
    more: dict[str, Any],
) -> str:
    """Return the output in the format that was asked for, and write JUnit's where asked."""
    from fastmetrics.cli._layout import csv_text, json_text, markdown_text, table_text

    if options.junit is not None:
        _write_junit(found, options.junit, command, options.exit_status)
    if options.format == "json":
        return json_text({"decision": found.decision, **found.to_dict(), **more})
    if options.format == "csv":
        return csv_text(_COLUMNS, _records(found))
    return markdown_text(shown) if options.format == "markdown" else table_text(shown)


def _write_junit(found: TimingComparison, path: str, command: str, status: int) -> None:
    """Write a test case for each benchmark: what is undecided is an error.

    With a status of 3 nothing that was found worse is believed.
    """
    from fastmetrics.cli._junit import Case, write_junit

    cases = []
    for row in found:
        outcome: Any = {"worse": "failure", "undecided": "error"}.get(row.decision, "")
        low, high = row.confidence_interval
        said = f"{row.decision}: {row.estimate:.4g} times as long [{low:.4g}, {high:.4g}]"
        if outcome == "failure" and status == 3:
            outcome = "error"
        cases.append(Case("benchmarks", row.name, outcome, said))
    write_junit(path, f"fastmetrics {command}", cases, repr(found))


def _records(found: TimingComparison) -> list[dict[str, Any]]:
    return [
        {name: value for name, value in row.to_dict().items() if name in _COLUMNS}
        | row.confidence_interval.to_dict()
        for row in found
    ]
