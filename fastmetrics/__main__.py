"""``python -m fastmetrics``, and the program ``fastmetrics``."""

from __future__ import annotations

import os
import sys


def run() -> int:
    """Run the command line and return its exit status; after Ctrl-C end the process at once.

    A thread may still be at work in DuckDB, and would abort the process where Python ends first.
    """
    status = None
    try:
        from fastmetrics.cli import main

        status = main()
    except KeyboardInterrupt:  # before `main` could hear it
        pass
    from fastmetrics.cli._terminal import INTERRUPTED, say_interrupted

    if status is None:
        say_interrupted()
    if status in (None, INTERRUPTED):
        os._exit(INTERRUPTED)
    return status


if __name__ == "__main__":
    sys.exit(run())
