"""``fastmetrics compare-benchmarks``: files of benchmarks in, decisions out."""

from __future__ import annotations

import argparse
import glob
from typing import TYPE_CHECKING, Final

from fastmetrics.cli._timings import add_decision, asked, output, shared

if TYPE_CHECKING:
    from fastmetrics.comparison.timings.files import TimingRun

HELP: Final = """\
Decide of each benchmark whether it became slower by more than a margin: worse, not worse, or
undecided, and then how many more runs would decide. Each file is one run, of pytest-benchmark,
pyperf, hyperfine or asv; runs are what varies, so that several a side are needed: with one a side
nothing is decided, unless --single-run says that its rounds are to be taken for all there is. Runs
on other machines, processors, interpreters or versions are refused. `fastmetrics bench` makes the
runs too.

exit status: 0 nothing is worse, 1 something is, 2 the files cannot be compared, 3 undecided"""

EXAMPLES: Final = """\
examples:
  for i in 1 2 3 4 5; do pytest --benchmark-json=before$i.json; done
  fastmetrics compare-benchmarks --before 'before*.json' --after 'after*.json'
  fastmetrics compare-benchmarks --before b*.json --after a*.json --margin 10% --margin 'io*=25%'
  fastmetrics compare-benchmarks --before old.json --after new.json --single-run --format markdown
"""


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
        "--paired",
        action="store_true",
        help="the runs were taken in turns, the first before with the first after and so on",
    )
    add(
        "--single-run",
        action="store_true",
        help="take the rounds of one run a side for what varies",
    )
    add_decision(add)


def run(options: argparse.Namespace) -> str:
    """Read the files, decide, set the exit status, and return the output."""
    from fastmetrics.cli._session import in_words
    from fastmetrics.comparison.timings.compare_timings import compare_timings

    before, after = shared(_read(options.before), _read(options.after))
    names = {"single_run": "--single-run", "allow_different": "--allow-different"}
    with in_words(names | {"before": "--before", "after": "--after"}):
        found = compare_timings(
            before, after, paired=options.paired, single_run=options.single_run, **asked(options)
        )
    options.exit_status = found.exit_status
    return output(found, found._shown(), options, "compare-benchmarks", {})


def _read(patterns: list[str]) -> list[TimingRun]:
    """Return the runs of files, each once."""
    from fastmetrics.comparison.timings.files import read_timings

    paths: dict[str, None] = {}
    for pattern in patterns:
        paths |= dict.fromkeys(sorted(glob.glob(pattern)) or [pattern])
    return [read_timings(path) for path in paths]
