"""The commands and their options."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, Final, NoReturn

from fastmetrics.cli._messages import tell, write
from fastmetrics.cli._options import declare
from fastmetrics.cli.commands import (
    compare,
    compare_benchmarks,
    compare_table,
    demo,
    doctor,
    evaluate,
    gate,
    metrics,
    plot,
    report,
    sql,
    warmup,
)

#: The modules of commands. Each has a `run` and, in a line, `ABOUT`; it may have `FORMATS`, `HELP`,
#: `EXAMPLES`, `OPTIONS` with `TYPES` and `DEFAULTS` (see `declare`), and `add_options` for what a
#: text does not tell.
_COMMANDS: Final[Sequence[Any]] = (
    *(
        demo,
        evaluate,
        report,
        doctor,
        gate,
        compare,
        compare_table,
        compare_benchmarks,
    ),
    *(plot, sql, metrics, warmup),
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
    """Return the parser; each command sets ``command``, which returns the text to print."""
    parser = _Parser(
        prog="fastmetrics",
        description="Exact, fast evaluation of labels and scores.",
        epilog="Start with: fastmetrics demo",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, help="print the version and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in _COMMANDS:
        command = commands.add_parser(
            module.__name__.rpartition(".")[2].replace("_", "-"),
            help=module.ABOUT,
            description=getattr(module, "HELP", module.ABOUT),
            epilog=getattr(module, "EXAMPLES", None),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        if hasattr(module, "add_options"):
            module.add_options(command)
        declare(command, getattr(module, "OPTIONS", ""), **getattr(module, "TYPES", {}))
        formats = getattr(module, "FORMATS", ())
        if formats:
            command.add_argument(
                "--format", choices=formats, default="table", help="of the output (default table)"
            )
        command.set_defaults(command=module.run, **getattr(module, "DEFAULTS", {}))
    return parser
