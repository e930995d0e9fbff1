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

from fastmetrics.cli._interrupt import INTERRUPTED, insistent_interrupt, say_interrupted
from fastmetrics.cli._messages import explain, tell, write
from fastmetrics.cli._parser import build_parser, files_apart

#: What a shell reports for a process that a reader who went away has ended.
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
        arguments = build_parser().parse_args(files_apart(given))
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
    if isinstance(error, ImportError) and "pip install" not in str(error):
        raise error
    tell("error", explain(error))
    return BAD_INPUT
