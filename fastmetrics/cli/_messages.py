"""What goes to stdout: a text, whole. To stderr: one line each, never a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Literal, TextIO


def write(text: str) -> None:
    """Write the whole output at once: all of it or, after an error, nothing."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        plain = {"–": "-", "−": "-", "─": "-", "≥": ">=", "≤": "<=", "…": "..."}
        plain |= {"↑": "^", "↓": "v", "∞": "inf"}
        for character, in_ascii in plain.items():
            text = text.replace(character, in_ascii)
        text = text.encode(encoding, "replace").decode(encoding)
    with _nothing_left(sys.stdout):
        sys.stdout.write(text)
        sys.stdout.flush()


def say(line: str) -> None:
    """Write a line to stderr; the work goes on where it cannot be written."""
    with suppress(OSError), _nothing_left(sys.stderr):
        print(f"fastmetrics: {line}", file=sys.stderr, flush=True)


@contextmanager
def _nothing_left(stream: TextIO) -> Iterator[None]:
    """Drop what could not be written: Python tries again at its end, and fails with it."""
    try:
        yield
    except OSError:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), stream.fileno())
        raise


def print_texts(texts: Iterable[str], about: str) -> None:
    """Print each different warning text once; those that differ in a quoted name as one."""
    others: dict[str, list[str]] = {}
    first: dict[str, str] = {}
    for text in dict.fromkeys(texts):
        before, _, rest = text.partition("'")
        name, _, after = rest.partition("'")
        pattern = f"{before}\0{after}"
        if first.setdefault(pattern, text) is not text:
            others.setdefault(pattern, []).append(f"'{name}'")
    for pattern, text in first.items():
        same = f" (the same: {', '.join(others[pattern])})" if pattern in others else ""
        tell("warning", (text if text.startswith(about) else f"{about}: {text}") + same)


def explain(error: BaseException) -> str:
    """Return what went wrong, in words for a user of the command line."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if isinstance(error, MemoryError):
        return f"out of memory: {error}" if str(error) else "out of memory"
    return str(error)


def tell(kind: Literal["error", "warning", "note"], message: str) -> None:
    """Print a line of stderr."""
    # A file name or a column name may hold what moves the cursor of a terminal.
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in " ".join(message.split()))
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    line = line.encode(encoding, "backslashreplace").decode(encoding)
    say(f"{kind}: {line}")
