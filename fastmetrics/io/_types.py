"""Which DuckDB type each wanted column is read as, over all the files together."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from fastmetrics.errors import FileError
from fastmetrics.io._formats import Source

_INTEGERS = frozenset("TINYINT SMALLINT INTEGER BIGINT UTINYINT USMALLINT UINTEGER UBIGINT".split())
_FLOATS = frozenset({"FLOAT", "DOUBLE"})
#: Every decimal of so many digits has a float64 of its own, in the same order.
_EXACT_DIGITS = 15
_TEXT = "VARCHAR"


def common_types(
    sources: Iterable[Source], wanted: Iterable[str], may_be_text: Collection[str]
) -> dict[str, str]:
    """Return the type to read each wanted column as.

    Parameters
    ----------
    sources : iterable of Source
        The files that have rows.
    wanted : iterable of str
        Column names.
    may_be_text : collection of str
        Those that may hold text.

    Raises
    ------
    FileError
        A column cannot be read as numbers, or has different types in two Parquet files.
    """
    sources = list(sources)
    result = {}
    for column in wanted:
        _check_parquet_agreement(sources, column)
        result[column] = _common({_target(source, column, may_be_text) for source in sources})
    return result


def _check_parquet_agreement(sources: list[Source], column: str) -> None:
    """Parquet states its types, so two files that differ are not one data set."""
    first: Source | None = None
    for source in sources:
        if source.kind != "parquet":
            continue
        first = first or source
        here, there = (s.types[s.inner_name(column)] for s in (source, first))
        if here != there:
            raise FileError(
                f"{source.path}: column {column!r} is {here}, but {there} in {first.path}; "
                "all files must have the same types"
            )


def _target(source: Source, column: str, may_be_text: Collection[str]) -> str:
    """Return the type of ``column`` in one file, as it should be read."""
    found = source.types[source.inner_name(column)]
    if found in _INTEGERS or found in _FLOATS:
        return found
    if found == "BOOLEAN":
        return "TINYINT"
    decimal = re.fullmatch(r"DECIMAL\((\d+),\s*\d+\)", found)
    if decimal:
        if int(decimal[1]) > _EXACT_DIGITS:
            raise _unreadable(source, column, found, "float64 would round it; cast it yourself")
        return "DOUBLE"
    is_text_file = source.kind != "parquet"
    if found == "HUGEINT" and is_text_file:
        return "UBIGINT"  # a guess: what does not fit is reported as a bad row
    if column in may_be_text:
        if found == _TEXT or found.startswith("ENUM") or is_text_file:
            return _TEXT
        raise _unreadable(
            source, column, found, "labels and groups must be numbers, booleans or text"
        )
    if source.kind == "csv" or (is_text_file and found in ("JSON", "NULL", '"NULL"')):
        return "DOUBLE"  # so that the first row that is no number is found and shown
    raise _unreadable(source, column, found, "scores and weights must be numbers")


def _unreadable(source: Source, column: str, found: str, rule: str) -> FileError:
    return FileError(f"{source.path}: column {column!r} is {found}: {rule}")


def _common(types: set[str]) -> str:
    """Return the one type that holds values of all ``types`` (guesses from text files)."""
    if len(types) == 1:
        return types.pop()
    if _TEXT in types:
        return _TEXT
    if types & _FLOATS:
        return "DOUBLE"
    return "UBIGINT" if "UBIGINT" in types else "BIGINT"
