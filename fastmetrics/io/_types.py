"""Which DuckDB type each wanted column is read as, over all the files together.

Columns of CSV and JSON are scanned as they are written. What a value is follows from its spelling,
in every row: ``7`` is an integer, ``007`` is a text beside names and the number 7 beside scores.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import reduce
from operator import or_
from typing import Any, Final, NamedTuple

from fastmetrics.errors import FileError
from fastmetrics.io._session import quote_name, rows_of
from fastmetrics.io.formats import Source

#: Bits of the kinds of values that a column holds. An odd number is one for `float` alone: 007, +7,
#: an integer beyond 64 bits. Only JSON has quoted texts.
_NEGATIVE, _INTEGER, _UNSIGNED, _BOOLEAN, _FLOAT, _ODD, _QUOTED, _TEXT = (1 << k for k in range(8))
_INTEGERS: Final = _NEGATIVE | _INTEGER
#: Spelling of a number that is no integer and has no superfluous zero in front.
_PLAIN_FLOAT: Final = r"^\s*-?(0|[1-9][0-9]*)?[.eE]|(?i)^\s*[-+]?(nan|inf)"
_SIGNED_TYPES: Final = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT"})
_UNSIGNED_TYPES: Final = frozenset({"UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"})
FLOAT_TYPES: Final = frozenset({"FLOAT", "DOUBLE"})
#: Every decimal of so many digits has a float64 of its own, in the same order.
_EXACT_DIGITS: Final = 15


class Picked(NamedTuple):
    """SQL of a wanted column as its type, null of what is not one; and that type."""

    sql: str
    target: str


def kinds_of(connection: Any, source: Source, wanted: Sequence[str], n_rows: int) -> dict[str, int]:
    """Return the kinds of values of each wanted column in the first rows of a text file.

    ``n_rows`` of -1 means all. Where the file cannot be read, reading it will say why: {}.
    """
    import duckdb

    texts = [_spelling(source, source.inner_name(column)) for column in wanted]
    limit = "" if n_rows < 0 else f" LIMIT {n_rows}"
    columns = ", ".join(f"{text} AS t{k}" for k, text in enumerate(texts))
    kinds = ", ".join(f"bit_or({_kind(f't{k}')})" for k in range(len(texts)))
    query = f"SELECT {kinds} FROM (SELECT {columns} FROM {source.relation(lenient=True)}{limit})"
    try:
        return dict(zip(wanted, (kind or 0 for kind in rows_of(connection, query)[0]), strict=True))
    except duckdb.Error:
        return {}


def common_types(
    sources: Iterable[Source], wanted: Iterable[str], names: Collection[str]
) -> dict[str, str]:
    """Return the type to read each wanted column as.

    A FileError says that a column cannot be read as numbers, unless it is among ``names``, or has
    different types in two Parquet files, or holds texts and numbers in JSON.
    """
    sources = list(sources)
    result = {}
    for column in wanted:
        stated = _parquet_type(sources, column)
        kinds = [source.kinds.get(column, 0) for source in sources if source.kind != "parquet"]
        if stated is not None:
            parquet = next(source for source in sources if source.kind == "parquet")
            kind = _stated_kind(parquet, column, stated, column in names)
            if not any(kinds):
                decimal = stated.startswith("DECIMAL")
                enum = stated.startswith("ENUM")
                result[column] = "DOUBLE" if decimal else "VARCHAR" if enum else stated
                continue
            kinds.append(kind)
        kind = reduce(or_, kinds, 0)
        result[column] = _name_type(kind) if column in names else _number_type(kind)
        if result[column] == "VARCHAR":
            _check_quotes(sources, column)
    return result


def typed(source: Source, types: dict[str, str], names: Collection[str]) -> dict[str, Picked]:
    """Return how each wanted column is read, by inner name."""
    return {
        source.inner_name(column): Picked(_typed(source, column, target, column in names), target)
        for column, target in types.items()
    }


def _spelling(source: Source, inner: str) -> str:
    """Return the SQL of a column of a text file as it is written; JSON has its quotes."""
    name = quote_name(inner)
    return f"CAST({name} AS VARCHAR)" if source.kind == "json" else name


def _kind(text: str) -> str:
    """Return the SQL of the kind of a value; branches are in the order of what is frequent."""
    return (
        f"CASE WHEN {text} IS NULL THEN 0 "
        f"WHEN contains({text}, '.') AND {_number(text)} IS NOT NULL "
        f"THEN CASE WHEN regexp_matches({text}, '{_PLAIN_FLOAT}') THEN {_FLOAT} ELSE {_ODD} END "
        f"WHEN {_integer(text, 'BIGINT')} IS NOT NULL "
        f"THEN CASE WHEN contains({text}, '-') THEN {_NEGATIVE} ELSE {_INTEGER} END "
        f"WHEN {_integer(text, 'UBIGINT')} IS NOT NULL THEN {_UNSIGNED} "
        f"WHEN lower({text}) IN ('true', 'false') THEN {_BOOLEAN} "
        f"WHEN {_number(text)} IS NULL "
        f"THEN CASE WHEN starts_with({text}, '\"') THEN {_QUOTED} ELSE {_TEXT} END "
        f"WHEN regexp_matches({text}, '{_PLAIN_FLOAT}') THEN {_FLOAT} ELSE {_ODD} END"
    )


def _integer(text: str, target: str) -> str:
    """Return the SQL of an integer that is written as Python writes it; null of all else."""
    number = f"TRY_CAST({text} AS {target})"
    written = f"CAST({number} AS VARCHAR)"
    return f"CASE WHEN {written} = {text} OR {written} = trim({text}) THEN {number} END"


def _number(text: str) -> str:
    """Return the SQL of a number as `float` reads it, but for 1_000; +-1 is none either."""
    odd = f"contains({text}, '_') OR contains({text}, '+-')"
    return f"CASE WHEN NOT ({odd}) THEN TRY_CAST({text} AS DOUBLE) END"


def _exact_number(text: str) -> str:
    """Return the SQL of a number; null of an integer too, where a float64 would round it."""
    whole = f"TRY_CAST({text} AS HUGEINT)"
    is_exact = f"TRY_CAST(TRY_CAST({text} AS DOUBLE) AS HUGEINT) = {whole}"
    return (
        f"CASE WHEN strlen({text}) <= {_EXACT_DIGITS} OR contains({text}, '.') "
        f"OR NOT regexp_full_match({text}, '\\s*[-+]?[0-9]+\\s*') OR coalesce({is_exact}, false) "
        f"THEN {_number(text)} END"
    )


def _number_type(kind: int) -> str:
    if kind and not kind & ~_INTEGERS:
        return "BIGINT"
    if kind and not kind & ~(_INTEGER | _UNSIGNED):
        return "UBIGINT"
    return "BOOLEAN" if kind == _BOOLEAN else "DOUBLE"


def _name_type(kind: int) -> str:
    """Return the type of labels, groups, queries and names: text wherever a number loses some."""
    number = _number_type(kind)
    if number != "DOUBLE":
        return number
    return "DOUBLE" if kind & _FLOAT and not kind & ~(_INTEGERS | _UNSIGNED | _FLOAT) else "VARCHAR"


def _stated_kind(source: Source, column: str, stated: str, is_name: bool) -> int:
    """Return the kinds of values that a Parquet type has, or raise where it cannot be read."""
    if stated in _SIGNED_TYPES:
        return _INTEGERS
    if stated in _UNSIGNED_TYPES:
        return _INTEGER | _UNSIGNED
    if stated == "BOOLEAN":
        return _BOOLEAN
    decimal = re.fullmatch(r"DECIMAL\((\d+),\s*\d+\)", stated)
    if decimal and int(decimal[1]) > _EXACT_DIGITS:
        raise _unreadable(source, column, stated, "float64 would round it; cast it yourself")
    if decimal or stated in FLOAT_TYPES:
        return _FLOAT
    if not is_name:
        raise _unreadable(source, column, stated, "scores and weights must be numbers")
    if stated != "VARCHAR" and not stated.startswith("ENUM"):
        rule = "labels and groups must be numbers, booleans or text"
        raise _unreadable(source, column, stated, rule)
    return _TEXT


def _unreadable(source: Source, column: str, stated: str, rule: str) -> FileError:
    return FileError(f"{source.path}: column {column!r} is {stated}: {rule}")


def _parquet_type(sources: list[Source], column: str) -> str | None:
    """Return the type of a column in the Parquet files; two that differ are not one data set."""
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
    return None if first is None else first.types[first.inner_name(column)]


def _check_quotes(sources: list[Source], column: str) -> None:
    """Raise where JSON has texts and numbers in one column: "7" beside 7."""
    for source in sources:
        kind = source.kinds.get(column, 0)
        if source.kind == "json" and kind & _QUOTED and kind & ~(_QUOTED | _TEXT):
            raise FileError(
                f"{source.path}: column {column!r} holds texts and numbers or booleans: "
                "write all of them with quotes, or none"
            )


def _typed(source: Source, column: str, target: str, is_name: bool) -> str:
    inner = source.inner_name(column)
    name, text = quote_name(inner), _spelling(source, inner)
    if source.kind == "parquet":
        return name if source.types[inner] == target else f"CAST({name} AS {target})"
    if target == "VARCHAR":
        if source.kind == "csv":
            return name
        is_quoted = f"starts_with({text}, '\"')"
        if source.kinds.get(column, 0) & _QUOTED:
            return f"CASE WHEN {is_quoted} THEN {name} ->> '$' END"
        return f"CASE WHEN NOT {is_quoted} THEN {text} END"
    if target == "BOOLEAN":
        return f"CASE lower({text}) WHEN 'true' THEN true WHEN 'false' THEN false END"
    if target in ("BIGINT", "UBIGINT"):
        return _integer(text, target)
    number = _exact_number(text)
    if not is_name:
        return number
    is_plain = f"regexp_matches({text}, '{_PLAIN_FLOAT}')"
    return f"CASE WHEN {is_plain} OR {_integer(text, 'HUGEINT')} IS NOT NULL THEN {number} END"
