"""Where in a file the first bad row is: slow, exact, and run only when something is wrong."""

from __future__ import annotations

import csv
import gzip
import math
import re
from collections.abc import Mapping
from itertools import islice
from typing import Any, Final

from fastmetrics.errors import FileError
from fastmetrics.io._session import quote_name, rows_of
from fastmetrics.io._types import FLOAT_TYPES, Picked
from fastmetrics.io._where import not_computable, rows_query
from fastmetrics.io.formats import (
    COMPRESSED,
    LONG_LINE,
    Source,
    lines_of,
    reason,
    shortened,
)

_NAN: Final = "('nan', '-nan')"
_INFINITE: Final = "('inf', '-inf')"
_NOT_FINITE: Final = "('nan', '-nan', 'inf', '-inf')"


def unreadable(
    connection: Any,
    source: Source,
    columns: Mapping[str, Picked],
    error: BaseException,
    *,
    skip_bad: bool,
) -> FileError:
    """Return the error for a file whose rows could not be read, or not be put to the condition.

    The connection has one thread, so that the first failure is the first in the file.
    """
    import duckdb

    wanted = rows_query(source, columns, None, skip_bad=skip_bad)
    try:
        rows_of(connection, f"SELECT max(hash(COLUMNS(*))) FROM ({wanted})")
    except duckdb.Error as first:
        error = first
    else:  # every row can be read: it was the condition
        return not_computable(source, error)
    if source.kind == "json" and "malformed json" in str(error).lower():
        return FileError(f"{source.path}: {_first_malformed(connection, source)}{reason(error)}")
    line = re.search(r"\bline:? (\d+)", str(error), flags=re.IGNORECASE)
    said = reason(error, source)
    if said == LONG_LINE and (number := _first_long_line(source)):
        said = said.replace("a line", f"line {number}")
    place = "" if line and f"line {line[1]}" in said else _place(source, line)
    return FileError(f"{source.path}: {place}{said}")


def _first_long_line(source: Source) -> int | None:
    """Return the number of the first line beyond DuckDB's megabytes; None of compressed files."""
    if source.path.lower().endswith(COMPRESSED):
        return None
    with open(source.path, "rb") as file:
        return next((k for k, line in enumerate(file, 1) if len(line) > 2_000_000), None)


def _first_malformed(connection: Any, source: Source) -> str:
    """Return the place of the first line that is no JSON; DuckDB names one behind it."""
    import duckdb

    query = (
        "SELECT row, line FROM (SELECT line, text, row_number() OVER (ORDER BY line) AS row FROM "
        f"(SELECT row_number() OVER () AS line, text FROM {lines_of(source.address)}) "
        "WHERE trim(text) <> '') WHERE NOT json_valid(text) ORDER BY line LIMIT 1"
    )
    try:
        row, line = rows_of(connection, query)[0]
    except (duckdb.Error, IndexError):  # a file that is one document
        return ""
    return f"row {row}: " if row == line else f"row {row} (line {line}): "


def _place(source: Source, line: re.Match[str] | None) -> str:
    if line is None:
        return ""
    number = int(line[1])
    if source.kind == "csv":
        return f"row {number - 1} (line {number}): "
    return f"row {number}: "


def bad_row(
    connection: Any, source: Source, columns: Mapping[str, Picked], where: str | None
) -> FileError:
    """Return the error for a file in which a wanted value is missing or no finite number."""
    names = [quote_name(inner) for inner in columns]
    row, texts = '"fastmetrics row"', [f'"fastmetrics text {k}"' for k in range(len(names))]
    spelled = [f"CAST({name} AS VARCHAR)" for name in names]
    written = spelled if source.kind != "parquet" else ["NULL"] * len(names)
    more = ", ".join(f"{one} AS {text}" for one, text in zip(written, texts, strict=True))
    rows = rows_query(source, columns, where, more=f", row_number() OVER () AS {row}, {more}")
    # As text: a Parquet file's minimum and maximum leave nan out, and DuckDB concludes from them
    # that isnan() holds nowhere.
    is_bad = " OR ".join(
        f"{name} IS NULL" + (f" OR {one} IN {_NOT_FINITE}" if column.target in FLOAT_TYPES else "")
        for name, one, column in zip(names, spelled, columns.values(), strict=True)
    )
    query = f"SELECT {', '.join([row, *names, *texts])} FROM ({rows}) WHERE {is_bad}"
    number, *found = rows_of(connection, f"{query} ORDER BY {row} LIMIT 1")[0]
    values, texts_here = found[: len(names)], found[len(names) :]
    is_fine = [isinstance(value, str) or _is_finite(value) for value in values]
    k = is_fine.index(False)
    column = source.header[list(source.types).index(list(columns)[k])]
    if values[k] is None and texts_here[k] is not None:
        what = (
            "an integer that float64 would round" if _is_integer(texts_here[k]) else "not a number"
        )
        place = f"row {number}{_line_of(source, number)}: column {column!r}"
        return FileError(f"{source.path}: {place}: {shortened(texts_here[k])} is {what}")
    kind, test = "null", f"{names[k]} IS NULL AND {texts[k]} IS NULL"
    if values[k] is not None:
        kind = "nan" if values[k] != values[k] else "infinite value"
        test = f"{spelled[k]} IN {_NAN if kind == 'nan' else _INFINITE}"
    count = rows_of(connection, f"SELECT count(*) FROM ({rows}) WHERE {test}")[0][0]
    plural = "" if count == 1 or kind == "nan" else "s"
    where_first = f"row {number}" if count == 1 else f"the first in row {number}"
    return FileError(
        f"{source.path}: column {column!r} contains {count} {kind}{plural}: {where_first}"
    )


def _is_finite(value: Any) -> bool:
    return value is not None and math.isfinite(value)


def _is_integer(text: str) -> bool:
    return re.fullmatch(r"\s*[-+]?[0-9]+\s*", text) is not None


def _line_of(source: Source, row: int) -> str:
    """Return the line of a CSV file that a row ends in, as messages have it; "" if unknown."""
    if source.kind != "csv" or source.path.lower().endswith(".zst"):
        return ""
    start = gzip.open if source.path.lower().endswith(".gz") else open
    with start(source.path, "rt", encoding="utf-8", errors="replace", newline="") as file:
        reader = csv.reader(file, delimiter=source.delimiter)
        try:
            next(islice(filter(None, reader), row, None))  # blank lines are no rows
        except (csv.Error, StopIteration):
            return ""
        return f" (line {reader.line_num})"
