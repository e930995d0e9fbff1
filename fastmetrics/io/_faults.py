"""Where in a file the first bad row is: slow, exact, and run only when something is wrong."""

from __future__ import annotations

import re
from typing import Any

from fastmetrics.errors import FileError
from fastmetrics.io._session import quote_name, rows_of
from fastmetrics.io._where import not_computable
from fastmetrics.io.formats import (
    COMPRESSED,
    LONG_LINE,
    Source,
    lines_of,
    reason,
    select_list,
    shortened,
)

_KINDS = {"BIGINT": "an integer of 64 bits", "UBIGINT": "an integer from 0 to 2^64 - 1"}


def unreadable(
    connection: Any,
    source: Source,
    targets: dict[str, str],
    error: BaseException,
    *,
    skip_bad: bool,
) -> FileError:
    """Return the error for a file whose rows could not be read, or not be put to the condition.

    ``targets`` are the types to read the wanted columns as, by their inner names. The connection
    has one thread, so that the first failure is the first in the file.
    """
    import duckdb

    wanted = f"SELECT {select_list(source, targets)} FROM {source.relation(skip_bad=skip_bad)}"
    try:
        rows_of(connection, f"SELECT max(hash(COLUMNS(*))) FROM ({wanted})")
    except duckdb.Error as first:
        error = first
    else:  # every row can be read: it was the condition
        return not_computable(source, error)
    if source.kind == "json" and "malformed json" in str(error).lower():
        return FileError(f"{source.path}: {_first_malformed(connection, source)}{reason(error)}")
    line = re.search(r"\bline:? (\d+)", str(error), flags=re.IGNORECASE)
    value = _first_unconvertible(connection, source, targets) if source.kind == "csv" else None
    if value is not None:
        row, column, text, target = value
        where = f"row {row}" + (f" (line {line[1]})" if line else "")
        return FileError(
            f"{source.path}: {where}: column {column!r}: {shortened(text)} is not "
            f"{_KINDS.get(target, 'a number')}"
        )
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


def _first_unconvertible(
    connection: Any, source: Source, targets: dict[str, str]
) -> tuple[int, str, str, str] | None:
    """Return row, column, text and wanted type of the first value that does not convert."""
    import duckdb

    raw = source.with_types(dict.fromkeys(source.types, "VARCHAR"))
    best: tuple[int, str, str, str] | None = None
    for column in targets:
        name, target = quote_name(column), source.types[column]
        query = (
            f"SELECT number, value FROM (SELECT row_number() OVER () AS number, {name} AS value "
            f"FROM {raw.relation()}) WHERE value IS NOT NULL AND TRY_CAST(value AS {target}) "
            "IS NULL ORDER BY number LIMIT 1"
        )
        try:
            rows = rows_of(connection, query)
        except duckdb.Error:
            return None  # the file does not even split into columns
        if rows and (best is None or rows[0][0] < best[0]):
            best = (int(rows[0][0]), column, str(rows[0][1]), target)
    return best


def missing_values(
    connection: Any, source: Source, targets: dict[str, str], where: str | None
) -> FileError:
    """Return the error for a file in which a wanted value is null, nan or infinite."""
    number = "number"
    while number in source.types:
        number += "_"
    condition = f"({where}\n)" if where else "true"
    found = []
    for column, target in targets.items():
        name = quote_name(column)
        kinds = {"null": f"{name} IS NULL"}
        if target in ("FLOAT", "DOUBLE"):
            # As text: a Parquet file's minimum and maximum leave nan out, and DuckDB concludes
            # from them that isnan() holds nowhere.
            text = f"CAST({name} AS VARCHAR)"
            kinds |= {"nan": f"{text} = 'nan'", "infinite value": f"{text} IN ('inf', '-inf')"}
        for kind, test in kinds.items():
            ((count, first),) = rows_of(
                connection,
                f"SELECT count(*), min({number}) FROM (SELECT row_number() OVER () AS {number}, * "
                f"FROM {source.relation()}) WHERE {condition} AND {test}",
            )
            if count:
                found.append((first, count, column, kind))
    if not found:
        return FileError(f"{source.path}: a label, score, weight or group is null, nan or infinite")
    first, count, column, kind = min(found)
    plural = "" if count == 1 or kind == "nan" else "s"
    where_first = f"row {first}" if count == 1 else f"the first in row {first}"
    return FileError(
        f"{source.path}: column {column!r} contains {count} {kind}{plural}: {where_first}"
    )
