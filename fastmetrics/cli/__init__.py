"""The command line: parses, calls, prints. It owns no numbers.

Nothing but argparse is imported before a command runs, so that ``--help`` answers at once.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr
from typing import Any, Final, NoReturn

from fastmetrics.cli._options import Command, declare
from fastmetrics.cli._terminal import (
    INTERRUPTED,
    explain,
    insistent_interrupt,
    say_interrupted,
    tell,
    write,
)
from fastmetrics.cli.commands.compare import COMPARE, COMPARE_BENCHMARKS, COMPARE_TABLE
from fastmetrics.cli.commands.evaluate import DOCTOR, EVALUATE, REPORT
from fastmetrics.cli.commands.gate import GATE
from fastmetrics.cli.commands.package import DEMO, METRICS, WARMUP
from fastmetrics.cli.commands.sql import SQL

#: In the order of the help.
COMMANDS: Final[Sequence[Command]] = (
    DEMO,
    EVALUATE,
    REPORT,
    DOCTOR,
    GATE,
    COMPARE,
    COMPARE_TABLE,
    COMPARE_BENCHMARKS,
    SQL,
    METRICS,
    WARMUP,
)


class _Parser(argparse.ArgumentParser):
    """A parser that says errors on one line, as all the program does, and writes help whole."""

    def error(self, message: str) -> NoReturn:
        tell("error", f"{message} (see '{self.prog} --help')")
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


def build_parser(chosen: str = "") -> argparse.ArgumentParser:
    """Return the parser of all commands; where one is ``chosen`` the others lack their options."""
    parser = _Parser(
        prog="fastmetrics",
        description="Exact, fast evaluation of labels and scores.",
        epilog="Start with: fastmetrics demo",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, help="print the version and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for each in COMMANDS:
        command = commands.add_parser(
            each.name,
            help=each.about,
            description=each.help or each.about,
            epilog=each.examples,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        if chosen not in ("", each.name):
            continue
        if each.add_options is not None:
            each.add_options(command)
        declare(command, each.options, **each.types)
        if each.formats:
            command.add_argument(
                "--format",
                choices=each.formats,
                default="table",
                help="of the output (default table)",
            )
            command.add_argument(
                "--verbose", action="store_true", help="print all rows, methods and notes"
            )
        command.set_defaults(command=each.run, **each.defaults)
    return parser


#: Exit status that a shell reports for a process whose reader went away.
BROKEN_PIPE = 141
BAD_INPUT = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the program's name; those of the process by default.

    Returns
    -------
    int
        0 fine, 2 bad input, 130 interrupted, 141 nobody reads the output any more; of
        ``compare-benchmarks`` also 1 worse, 3 undecided.
    """
    if sys.stderr is None:  # closed before the start: no file may become descriptor 2 in its place
        with open(os.devnull, "w", encoding="utf-8") as nobody, redirect_stderr(nobody):
            return main(argv)
    try:
        if sys.stdout is None:
            raise OSError(errno.EBADF, "standard output is closed")
        given = sys.argv[1:] if argv is None else argv
        arguments = build_parser(next(iter(given), "")).parse_args(given)
        if hasattr(arguments, "given"):  # to be printed
            arguments.given = given
        with insistent_interrupt():
            output = _run(arguments)
        write(output)
    except SystemExit as stop:  # argparse: after --help, --version, or a usage error
        return stop.code if isinstance(stop.code, int) else BAD_INPUT
    except KeyboardInterrupt:
        say_interrupted()
        return INTERRUPTED
    except BrokenPipeError:
        return BROKEN_PIPE
    except (ValueError, OSError, ImportError, MemoryError) as error:
        return _report(error)
    return int(getattr(arguments, "exit_status", 0))


def _run(arguments: argparse.Namespace) -> str:
    from fastmetrics._threads.workers import at_most

    with at_most(getattr(arguments, "threads", None)):
        output: str = arguments.command(arguments)
    return output


def _report(error: Exception) -> int:
    """Print ``error`` on one line of stderr; raise what is our own mistake."""
    if isinstance(error, ImportError) and (error.name or "").startswith("fastmetrics"):
        raise error
    tell("error", explain(error))
    return BAD_INPUT
