"""The commands and their options."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from typing import Any, NoReturn

from fastmetrics.cli._messages import print_error, write
from fastmetrics.cli._options import level, seed
from fastmetrics.cli.commands import (
    bench,
    compare,
    compare_benchmarks,
    doctor,
    evaluate,
    gate,
    pack,
    plot,
    rank,
    report,
    sql,
)

_FORMATS = ("table", "json", "csv", "markdown")

_COMPARE_HELP = """\
Compare algorithms on several data sets by their ranks: Friedman's test, a post-hoc test, and the
groups inside which no difference is shown. The table, in the same kinds of file as for evaluate,
has a row a data set and a column an algorithm."""

_COMPARE_EXAMPLES = """\
examples:
  fastmetrics compare-table accuracies.csv --datasets name --higher-is-better
  fastmetrics compare-table errors.csv --datasets name --lower-is-better --control baseline
  fastmetrics compare-table auc.parquet --datasets name --higher-is-better --plot diagram.png
"""


_COMPARE_LOGS = "compare models by logs of their evaluations, item by item"
_DOCTOR = "look for what is wrong or doubtful with labels and scores"
_GATE = "decide whether a model may take the place of another: pass, fail or inconclusive"
_BENCH = "run benchmarks of two versions in turns, and decide whether anything became slower"
_COMPARE_BENCHMARKS = "decide from files of benchmarks whether anything became slower"


class _Parser(argparse.ArgumentParser):
    """A parser that says errors on one line, as all the program does, and writes help whole."""

    def error(self, message: str) -> NoReturn:
        print_error(f"{message} (see '{self.prog} --help')")
        raise SystemExit(2)

    def print_help(self, file: Any = None) -> None:
        write(self.format_help())


class _Version(argparse.Action):
    def __init__(self, **options: Any) -> None:
        super().__init__(nargs=0, **options)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        # Reading the metadata of the distribution takes longer than parsing.
        from importlib import metadata

        try:
            version = metadata.version("fastmetrics-eval")
        except metadata.PackageNotFoundError:
            version = "(not installed)"
        write(f"fastmetrics {version}\n")
        parser.exit()


def files_apart(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with files that follow the names of --metrics put before it.

    An option of any number of values takes all that come, a file that was meant as such too.
    """
    found = list(arguments)
    if "--metrics" not in found:
        return found
    from fastmetrics.io.formats import is_readable_name

    at = found.index("--metrics")
    end = at + 1
    while end < len(found) and not found[end].startswith("-"):
        end += 1
    files = [text for text in found[at + 1 : end] if is_readable_name(text)]
    names = [text for text in found[at + 1 : end] if text not in files]
    return [*found[:at], *files, "--metrics", *names, *files_apart(found[end:])]


def build_parser() -> argparse.ArgumentParser:
    """Return the parser; each command sets ``run``, which returns the text to print."""
    parser = _Parser(
        prog="fastmetrics",
        description="Exact, fast evaluation of labels and scores.",
        epilog="Start with: fastmetrics demo",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, help="print the version and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_demo(commands)
    own = partial(_add_own, commands)
    own("evaluate", evaluate, "evaluate scores in CSV, Parquet or JSON-lines files")
    own("report", report, "evaluate scores in files, and write one page about them (HTML)", ())
    own("doctor", doctor, _DOCTOR, ("table", "json", "markdown"))
    own("gate", gate, _GATE, ("table", "json", "markdown"))
    own("pack", pack, "write ids and scores to one Parquet file: a baseline for gate", ())
    own("compare", compare, _COMPARE_LOGS, ("table", "json", "markdown"))
    _add_compare_table(commands)
    own("compare-benchmarks", compare_benchmarks, _COMPARE_BENCHMARKS)
    own("bench", bench, _BENCH)
    own("plot", plot, "draw curves of scores in files: ROC, P-R, DET and others", ())
    own("rank", rank, "evaluate rankings in files, TREC's too, and compare systems")
    own("sql", sql, "print the SQL that counts a database's rows by score and class", ())
    _add_metrics(commands)
    _add_warmup(commands)
    return parser


def _add_demo(commands: Any) -> None:
    text = "evaluate three models on real data that come with the package"
    command = commands.add_parser("demo", help=text, description=text, allow_abbrev=False)
    command.add_argument(
        "--write", metavar="FILE", help="write the data to FILE (CSV) instead of evaluating them"
    )
    _add_format(command)
    command.set_defaults(run=_run_demo)


def _add_compare_table(commands: Any) -> None:
    command = commands.add_parser(
        "compare-table",
        help="compare algorithms on several data sets: Friedman, post-hoc test, groups",
        description=_COMPARE_HELP,
        epilog=_COMPARE_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = command.add_argument
    add("files", nargs="+", metavar="FILE", help="file name or glob pattern")
    add("--datasets", required=True, metavar="COL", help="column that names the data sets")
    add(
        "--algorithm",
        action="append",
        dest="algorithms",
        metavar="COL",
        help="column of an algorithm; may be repeated (default: all columns but --datasets)",
    )
    side = command.add_mutually_exclusive_group(required=True)
    side.add_argument("--higher-is-better", action="store_true", help="the table holds scores")
    side.add_argument("--lower-is-better", action="store_true", help="the table holds errors")
    add(
        "--post-hoc",
        choices=("nemenyi", "bonferroni-dunn", "wilcoxon-holm"),
        help="which algorithms differ: all pairs by mean ranks, all against --control by mean "
        "ranks, or Wilcoxon's test with Holm's adjustment (default: nemenyi, with --control "
        "bonferroni-dunn)",
    )
    add("--control", metavar="NAME", help="the algorithm that the others are compared with")
    add("--confidence-level", type=level, default=0.95, metavar="P", help="of tests (default 0.95)")
    add("--seed", type=seed, metavar="S", help="of Friedman's p-value where it takes permutations")
    add(
        "--on-bad-row",
        choices=("error", "skip"),
        default="error",
        help="what to do with a data set that lacks a number: stop (default), or leave it out",
    )
    _add_format(command)
    add("--plot", metavar="FILE", help="write the critical-difference diagram (.png .pdf .svg)")
    command.set_defaults(run=_run_compare_table)


def _add_own(commands: Any, name: str, module: Any, text: str, formats: Any = _FORMATS) -> None:
    """Add a command whose module has its help, its options and what it does."""
    command = commands.add_parser(
        name,
        help=text,
        description=module.HELP,
        epilog=module.EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    module.add_options(command)
    if formats:
        _add_format(command, formats)
    command.set_defaults(run=module.run)


def _add_metrics(commands: Any) -> None:
    text = "list the measures: what each needs, its direction, its least and greatest value"
    command = commands.add_parser("metrics", help=text, description=text, allow_abbrev=False)
    command.add_argument(
        "--needs",
        choices=("scores", "labels", "probabilities", "values", "rankings", "times"),
        help="those that take one kind of prediction (default all)",
    )
    _add_format(command, ("table", "json"))
    command.set_defaults(run=_run_metrics)


def _add_warmup(commands: Any) -> None:
    text = "compile every kernel ahead, and say how long it took"
    command = commands.add_parser("warmup", help=text, description=text, allow_abbrev=False)
    command.set_defaults(run=_run_warmup)


def _add_format(command: argparse.ArgumentParser, formats: tuple[str, ...] = _FORMATS) -> None:
    command.add_argument(
        "--format", choices=formats, default="table", help="of the output (default table)"
    )


def _run_demo(arguments: argparse.Namespace) -> str:
    from fastmetrics.cli.commands.small import run_demo

    return run_demo(arguments.write, arguments.format)


def _run_metrics(arguments: argparse.Namespace) -> str:
    from fastmetrics.cli.commands.small import run_metrics

    return run_metrics(arguments.needs, arguments.format)


def _run_compare_table(arguments: argparse.Namespace) -> str:
    from fastmetrics.cli.commands.compare_table import run

    return run(arguments)


def _run_warmup(_: argparse.Namespace) -> str:
    from fastmetrics.cli.commands.small import run_warmup

    return run_warmup()
