"""``fastmetrics compare-benchmarks``: files of benchmarks in, decisions out."""

from __future__ import annotations

import argparse
import glob
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from fastmetrics.cli._options import as_options, number_of

if TYPE_CHECKING:
    from fastmetrics.comparison.timings import TimingComparison, TimingRun

ABOUT: Final = "decide from files of benchmarks whether anything became slower"
FORMATS: Final = ("table", "json", "csv", "markdown")
HELP: Final = """\
Decide of each benchmark whether it became slower by more than a margin: worse, not worse, or
undecided, and then how many more runs would decide. Each file is one run, of pytest-benchmark,
pyperf, hyperfine or asv; runs are what varies, so that several a side are needed: with one a side
nothing is decided, unless --single-run says that its rounds are to be taken for all there is. Runs
on other machines, processors, interpreters or versions, and runs that failed, are refused.

exit status: 0 nothing is worse, 1 something is, 2 the files cannot be compared, 3 undecided"""

EXAMPLES: Final = """\
examples:
  for i in 1 2 3 4 5; do pytest --benchmark-json=before$i.json; done
  fastmetrics compare-benchmarks --before 'before*.json' --after 'after*.json'
  fastmetrics compare-benchmarks --before b*.json --after a*.json --margin 10% --margin 'io*=25%'
  fastmetrics compare-benchmarks --before old.json --after new.json --single-run --format markdown
"""
OPTIONS: Final = """
--before FILE ...  the runs before the change: files, or glob patterns
--after FILE ...  the runs after it: files, or glob patterns
[--paired]  the runs were taken in turns, the first before with the first after and so on
[--single-run]  take the rounds of one run a side for what varies
[--margin [NAME=]P]...  the largest growth of a time that does not matter: 5%% (default) or 0.05; of
    one benchmark, or of a pattern as 'sort*', with its name; may be repeated
[--correction {holm,fdr}]  bound the chance of any false alarm (default), or the share of false ones
[--allow-different WHAT ...]  what may differ between the runs, as the error names it, or all
[--confidence-level P]  chance of calling nothing worse that is not, of all benchmarks together
    (default 0.95)
[--junit]
"""
_COLUMNS: Final = (
    *("name", "estimate", "low", "high", "standard_error", "decision", "margin", "more_needed"),
    *("detectable", "n_before", "n_after", "pvalue_worse", "pvalue_not_worse"),
)


def margin(text: str) -> tuple[str, float]:
    """Return the pattern of names and a share: 5% or 0.05."""
    name, equals, own = text.rpartition("=")
    share = number_of(own.removesuffix("%"))
    if share is None or not 0 < share < float("inf") or (equals and not name):
        raise argparse.ArgumentTypeError(f"must be above 0, as 5% or 0.05: got {text!r}")
    return name or "*", share / (100 if own.endswith("%") else 1)


TYPES: Final = {"margin": margin}
DEFAULTS: Final = {"correction": "holm", "allow_different": [], "confidence_level": 0.95}


def run(options: argparse.Namespace) -> str:
    """Read the files, decide, set the exit status, and return the output."""
    from fastmetrics.cli._layout import in_format
    from fastmetrics.cli._messages import tell
    from fastmetrics.cli._session import in_words
    from fastmetrics.comparison.timings import compare_timings

    margins = dict(options.margin or ())
    margins |= {"*": margins.pop("*", 0.05)}  # the last: the first that fits is taken
    with in_words(as_options("single_run", "allow_different", "before", "after")) as texts:
        before, after = _shared(_read(options.before), _read(options.after))
        found = compare_timings(
            before,
            after,
            paired=options.paired,
            single_run=options.single_run,
            margin=margins,
            correction=options.correction,
            allow_different=options.allow_different,
            confidence_level=options.confidence_level,
        )
    for _, text in texts:
        tell("warning", text)
    options.exit_status = found.exit_status
    if options.junit is not None:
        _write_junit(found, options.junit)
    fields = {"decision": found.decision, **found.to_dict()}
    rows = [
        {name: value for name, value in row.to_dict().items() if name in _COLUMNS}
        | row.confidence_interval.to_dict()
        for row in found
    ]
    return in_format(options.format, fields, found._shown(), lambda: (_COLUMNS, rows))


def _read(patterns: list[str]) -> list[TimingRun]:
    """Return the runs of files, each once."""
    from fastmetrics.comparison.timings import read_timings

    paths: dict[str, str] = {}
    for pattern in patterns:
        for path in sorted(glob.glob(pattern)) or [pattern]:
            paths.setdefault(os.path.realpath(path), path)
    return [read_timings(path) for path in paths.values()]


def _shared(
    before: Sequence[TimingRun], after: Sequence[TimingRun]
) -> tuple[list[TimingRun], list[TimingRun]]:
    """Return the runs with the benchmarks that all have; the others are named."""
    from dataclasses import replace

    from fastmetrics.cli._messages import tell

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
        tell("warning", f"not every run has {', '.join(map(repr, lone[:5]))}{more}: not compared")

    def kept(run: TimingRun) -> TimingRun:
        return replace(run, rounds={name: run[name] for name in names})

    return list(map(kept, before)), list(map(kept, after))


def _write_junit(found: TimingComparison, path: str) -> None:
    """Write a test case for each benchmark: an undecided one is an error."""
    from fastmetrics.cli._layout import Case, write_junit

    outcomes: dict[str, Any] = {"worse": "failure", "undecided": "error"}
    cases = []
    for row in found:
        low, high = row.confidence_interval
        said = f"{row.decision}: {row.estimate:.4g} times as long [{low:.4g}, {high:.4g}]"
        cases.append(Case("benchmarks", row.name, outcomes.get(row.decision, ""), said))
    write_junit(path, "fastmetrics compare-benchmarks", cases, repr(found))
