"""``python -m fastmetrics``, and the program ``fastmetrics``."""

from __future__ import annotations

import gc
import os
import sys

#: Objects before a search for garbage: modules are none, and searches took a tenth of a command.
_OBJECTS = 200_000


def run() -> int:
    """Run the command line and return its exit status; after Ctrl-C end the process at once.

    A thread may still be at work in DuckDB, and would abort the process where Python ends first.
    """
    gc.set_threshold(_OBJECTS)
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
