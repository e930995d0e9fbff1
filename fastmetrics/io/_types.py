"""Which DuckDB type each wanted column is read as, over all the files together."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics.errors import FileError
from fastmetrics.io._session import quote_name, rows_of
from fastmetrics.io.formats import COMPRESSED, Source, is_odd, texts_of

_INTEGERS = frozenset("TINYINT SMALLINT INTEGER BIGINT UTINYINT USMALLINT UINTEGER UBIGINT".split())
_FLOATS = frozenset({"FLOAT", "DOUBLE"})
#: Every decimal of so many digits has a float64 of its own, in the same order.
_EXACT_DIGITS = 15
_TEXT = "VARCHAR"
_BLOCK: Final = 1 << 18
#: Up to here every integer is a float64.
_EXACT_FLOATS: Final = 2.0**53
_INTEGER_DTYPES: Final = {"BIGINT": np.int64, "UBIGINT": np.uint64}


class NotIntegersError(Exception):
    """Floats where integers were expected, or integers too large to be told from floats."""


def common_types(
    sources: Iterable[Source], wanted: Iterable[str], may_be_text: Collection[str]
) -> dict[str, str]:
    """Return the type to read each wanted column as.

    ``sources`` are those that have rows. A FileError says that a column cannot be read as numbers,
    unless it ``may_be_text``, or has different types in two Parquet files.
    """
    sources = list(sources)
    result = {}
    for column in wanted:
        _check_parquet_agreement(sources, column)
        result[column] = _common({_target(source, column, may_be_text) for source in sources})
    return result


def with_odd(
    connection: Any, source: Source, numbers: Iterable[str], texts: Iterable[str], *, skip_bad: bool
) -> Source:
    """Return a source that knows its odd columns; raise where one must hold numbers.

    With ``skip_bad`` none is raised: the rows are bad ones.
    """
    if source.kind != "csv" or not _may_be_odd(source.path):
        return source
    import duckdb

    names = {column: source.inner_name(column) for column in (*numbers, *texts)}
    asked = ", ".join(f"bool_or({is_odd(quote_name(name))})" for name in names.values())
    try:
        answers = rows_of(connection, f"SELECT {asked} FROM {texts_of(source)}")[0]
        odd = [column for column, answer in zip(names, answers, strict=True) if answer]
        for column in () if skip_bad else [column for column in odd if column in numbers]:
            query = (
                "SELECT number, value FROM (SELECT row_number() OVER () AS number, "
                f"{quote_name(names[column])} AS value FROM {texts_of(source)}) "
                f"WHERE {is_odd('value')} ORDER BY number LIMIT 1"
            )
            number, text = rows_of(connection, query)[0]
            raise FileError(
                f"{source.path}: row {number}: column {column!r}: {text!r} is not a number"
            )
    except duckdb.Error:  # reading will say what is wrong
        return source
    return replace(source, odd=frozenset(names[column] for column in odd))


def _may_be_odd(path: str) -> bool:
    """Return whether 1_, 0x or 0b stand anywhere behind the first line of a file."""
    if path.lower().endswith(COMPRESSED):
        return True
    with open(path, "rb") as file:
        file.readline()
        last = b"\n"
        while block := file.read(_BLOCK):
            codes = np.frombuffer(last + block, np.uint8)
            before, after = codes[:-1], codes[1:]
            is_number = (before - ord("0") < 10) | (before == ord("."))  # unsigned: it wraps around
            lower = after | 0x20
            is_prefix = (before == ord("0")) & ((lower == ord("x")) | (lower == ord("b")))
            if (is_prefix | (is_number & (after == ord("_")))).any():
                return True
            last = block[-1:]
    return False


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
    if column in may_be_text and source.inner_name(column) in source.odd:
        return _TEXT
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


def reading_types(
    source: Source, types: dict[str, str]
) -> tuple[dict[str, str], dict[str, np.dtype[Any]]]:
    """Return the types by inner name, and for guesses at integers the dtype they should have.

    DuckDB rounds ``0.5`` when it is told that a column holds integers. Where only the first
    rows of a text file say so, floats are read, and turned into integers if they are some.
    """
    targets = {source.inner_name(column): target for column, target in types.items()}
    if source.kind == "parquet" or source.fully_sampled:
        return targets, {}
    guessed = {i: np.dtype(_INTEGER_DTYPES[t]) for i, t in targets.items() if t in _INTEGER_DTYPES}
    return {i: "DOUBLE" if i in guessed else t for i, t in targets.items()}, guessed


def as_integers(
    values: NDArray[Any], missing: NDArray[np.bool_] | None, dtype: np.dtype[Any]
) -> NDArray[Any]:
    """Return floats that are integers as such; raise `NotIntegersError` if one is not."""
    if missing is not None:
        values = np.where(missing, 0.0, values)
    lowest = 0.0 if dtype.kind == "u" else -_EXACT_FLOATS
    if not ((values < _EXACT_FLOATS) & (values >= lowest)).all():
        raise NotIntegersError
    integers = values.astype(dtype)
    if not (integers == values).all():
        raise NotIntegersError
    return integers
