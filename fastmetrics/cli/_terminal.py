"""The terminal: results in each format, written whole; lines on stderr, no traceback; Ctrl-C."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Final, Literal, TextIO

from fastmetrics._interrupt import listeners
from fastmetrics.errors import with_names

if TYPE_CHECKING:
    from argparse import Namespace

    from fastmetrics._display import Display, Table

_NARROWEST: Final = 40
#: Options that stand for arguments in notes.
_OPTIONS: Final = {
    "rng=": "--seed ",
    "to_frame()": "--format csv",
    "explain()": "--verbose",
    "n_resamples=": "--bootstrap ",
}
#: Version of printed JSON: it rises where a field goes, or changes its meaning.
SCHEMA_VERSION: Final = 1


def in_format(options: Namespace, fields: Mapping[str, Any], display: Display) -> str:
    """Return a result as JSON of its fields, CSV of its data frame, or text of its tables."""
    from fastmetrics._display import brief

    if options.format == "json":
        return json_text(fields)
    if options.format == "csv":
        return _csv_text(display)
    display = display if options.verbose else brief(display)
    return _markdown_text(display) if options.format == "markdown" else _table_text(display)


def json_text(content: Mapping[str, Any]) -> str:
    """Return the fields as JSON, the version of their schema first; null of nan and infinities."""
    import json

    fields = {"schema_version": SCHEMA_VERSION, **content}
    return json.dumps(without_nan(fields), indent=2, allow_nan=False) + "\n"


def without_nan(value: Any) -> Any:
    """Return built-in objects with None in the place of nan and infinities."""
    if isinstance(value, float):
        return value if abs(value) < float("inf") else None
    if isinstance(value, dict):
        return {key: without_nan(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_nan(item) for item in value]
    return value


def _csv_text(display: Display) -> str:
    import csv
    import io

    from fastmetrics._display import frame_columns

    columns = frame_columns(display)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def _table_text(display: Display) -> str:
    """Return tables as wide as the terminal, or as `print` has them where there is none."""
    import shutil

    from fastmetrics._display import WIDTH, as_text

    width = shutil.get_terminal_size((WIDTH, 0)).columns if sys.stdout.isatty() else WIDTH
    return with_names(as_text(display, width=max(width, _NARROWEST)), _OPTIONS) + "\n"


def _markdown_text(display: Display) -> str:
    """Return the answer, the tables in Markdown, numbers at the right, and the notes."""
    blocks = [_markdown_words(text) for text in display.answer]
    notes = []
    for table in filter(len, display.tables):
        text, more = _markdown_table(table)
        blocks.append(text)
        notes.append(more)
    notes += [*display.notes, *display.more]
    return "\n".join([*blocks, *map(_markdown_words, filter(None, notes))])


def _markdown_words(text: str) -> str:
    return f"{with_names(text, _OPTIONS)}\n"


def _markdown_table(table: Table) -> tuple[str, str]:
    """Return a table, and a note where it is cut."""
    from fastmetrics._display import grid

    drawn = grid(table)
    sides = [":---" if column.is_left else "---:" for column in drawn.columns]
    lines = [[column.head for column in drawn.columns], ["---", *sides[1:]], *drawn.rows]
    text = "".join("| " + " | ".join(map(_escaped, line)) + " |\n" for line in lines)
    return text, drawn.more


def _escaped(cell: str) -> str:
    return " ".join(cell.replace("\\", "\\\\").replace("|", "\\|").split())


def _xml(text: str) -> str:
    """Return a text without the characters that no XML document may hold."""
    return "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)


def write_junit(
    path: str, title: str, cases: Sequence[tuple[str, str, str, str]], summary: str
) -> None:
    """Write cases, (group, name, outcome or "", text), as JUnit XML; and the summary."""
    from xml.etree import ElementTree as ET

    from fastmetrics._files import writing

    outcomes = [outcome for _, _, outcome, _ in cases]
    counts = {"name": title, "tests": str(len(cases))}
    for outcome, word in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        counts[word] = str(outcomes.count(outcome))
    suite = ET.Element("testsuite", counts)
    for group, name, outcome, text in cases:
        names = {"classname": _xml(group), "name": _xml(name)}
        element = ET.SubElement(suite, "testcase", names, time="0")
        if outcome:
            ET.SubElement(element, outcome, message=_xml(text))
        ET.SubElement(element, "system-out").text = _xml(text)
    ET.SubElement(suite, "system-out").text = _xml(summary)
    with writing(path) as stream:
        stream.write(ET.tostring(suite, encoding="utf-8", xml_declaration=True))


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
    """Describe an error for a user of the command line."""
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


#: Exit status that a shell reports for a process that Ctrl-C has ended.
INTERRUPTED = 130
#: Seconds to the next try, where what was raised had no effect.
_LATER = 0.5
#: Seconds after which a compiler that is still at work is not waited for.
_PATIENCE = 0.8


def say_interrupted() -> None:
    """Print the line that tells of it."""
    say("interrupted")


@contextmanager
def insistent_interrupt() -> Iterator[None]:
    """Raise KeyboardInterrupt at Ctrl-C until the work inside ends, but not in the compiler."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield  # somebody else handles it
        return
    # Its `put` may be called in a signal handler, as a lock or an event may not.
    told: SimpleQueue[bool | None] = SimpleQueue()
    ended = raised = False

    def waits() -> None:
        told.put(True)

    def handle(*_: object) -> None:
        nonlocal raised
        if not ended:
            told.put(False)
            raised = True
            raise KeyboardInterrupt

    watcher = threading.Thread(target=_watch, args=(told,), daemon=True)
    watcher.start()
    listeners.append(waits)
    signal.signal(signal.SIGINT, handle)
    try:
        yield
    except Exception as error:
        if raised:  # C code, or Python in the midst of a class, made another error of it
            raise KeyboardInterrupt from error
        raise
    finally:
        ended = True
        listeners.remove(waits)
        told.put(None)
        watcher.join()  # so that nothing comes after this
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _watch(told: SimpleQueue[bool | None]) -> None:
    """After the first interrupt, send another one now and then until the work has ended.

    What comes is whether an interrupt met the compiler and waits, or None at the end.
    """
    waiting = told.get()
    since = time.monotonic()
    while waiting is not None:
        if waiting and time.monotonic() - since > _PATIENCE:
            say_interrupted()
            os._exit(INTERRUPTED)  # nothing is open but the compiler's own files
        try:
            waiting = told.get(timeout=_PATIENCE if waiting else _LATER)
        except Empty:
            if not waiting:
                _interrupt_main_thread()


def _interrupt_main_thread() -> None:
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, signal.SIGINT)  # it wakes a thread that waits for a lock
    else:
        signal.raise_signal(signal.SIGINT)
