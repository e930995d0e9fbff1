"""Forms of output: tables as wide as the terminal, Markdown, JSON, CSV, JUnit XML."""

from __future__ import annotations

import csv
import io
import json
import math
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from fastmetrics._display import WIDTH, Display, Grid, as_text, grid
from fastmetrics.errors import with_names

_NARROWEST: Final = 40
#: What notes call arguments is called here.
_OPTIONS: Final = {"rng=": "--seed ", "to_frame()": "--format csv"}


#: Of every JSON that a command prints: it rises where a field goes, or means another thing.
SCHEMA_VERSION: Final = 1


def json_text(content: Mapping[str, Any]) -> str:
    """Return the fields as JSON, the version of their schema first.

    What JSON has no number for (nan, infinities) is null.
    """
    fields = {"schema_version": SCHEMA_VERSION, **content}
    return json.dumps(_without_nan(fields), indent=2, allow_nan=False) + "\n"


def in_format(
    output_format: str,
    fields: Mapping[str, Any],
    shown: Display,
    rows: Callable[[], tuple[Sequence[str], Iterable[Mapping[str, Any]]]] | None = None,
) -> str:
    """Return what was found: its fields as JSON, rows as CSV, or what is shown as a table."""
    if output_format == "json":
        return json_text(fields)
    if output_format == "csv" and rows is not None:
        return csv_text(*rows())
    return markdown_text(shown) if output_format == "markdown" else table_text(shown)


def _without_nan(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_nan(item) for item in value]
    return value


def csv_text(fields: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as CSV below a head of the fields; one that a row lacks is left empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fields, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def table_text(shown: Display) -> str:
    """Return tables as wide as the terminal, or as `print` has them where there is none."""
    width = shutil.get_terminal_size((WIDTH, 0)).columns if sys.stdout.isatty() else WIDTH
    return _in_words(as_text(shown, width=max(width, _NARROWEST))) + "\n"


def markdown_text(shown: Display) -> str:
    """Return the tables in Markdown, numbers at the right, and the notes."""
    drawn = [grid(table) for table in shown.tables if len(table)]
    notes = [*(each.more for each in drawn), *shown.notes]
    parts = [*map(_markdown_table, drawn), *(f"{_in_words(note)}\n" for note in notes if note)]
    return "\n".join(parts)


def _markdown_table(drawn: Grid) -> str:
    sides = [":---" if column.is_left else "---:" for column in drawn.columns]
    lines = [[column.head for column in drawn.columns], ["---", *sides[1:]], *drawn.rows]
    return "".join("| " + " | ".join(map(_escaped, line)) + " |\n" for line in lines)


def _in_words(text: str) -> str:
    """Return a text that speaks of options, not of arguments."""
    return with_names(text, _OPTIONS)


def _escaped(cell: str) -> str:
    return " ".join(cell.replace("\\", "\\\\").replace("|", "\\|").split())


class Case(NamedTuple):
    """A decision: where it belongs, what it is of, how it ended, and what is said of it."""

    group: str
    name: str
    outcome: Literal["", "failure", "error", "skipped"]
    said: str


def _xml(text: str) -> str:
    """Return a text without the characters that no XML document may hold."""
    return "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)


def write_junit(path: str, title: str, cases: Sequence[Case], said: str) -> None:
    """Write decisions as JUnit XML, which build servers show; ``said`` is of all."""
    from xml.etree import ElementTree as ET

    from fastmetrics._files import writing

    own = {"name": title, "tests": str(len(cases))}
    for outcome, word in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        own[word] = str(sum(case.outcome == outcome for case in cases))
    suite = ET.Element("testsuite", own)
    for case in cases:
        names = {"classname": _xml(case.group), "name": _xml(case.name)}
        found = ET.SubElement(suite, "testcase", names, time="0")
        if case.outcome:
            ET.SubElement(found, case.outcome, message=_xml(case.said))
        ET.SubElement(found, "system-out").text = _xml(case.said)
    ET.SubElement(suite, "system-out").text = _xml(said)
    with writing(path) as stream:
        stream.write(ET.tostring(suite, encoding="utf-8", xml_declaration=True))
