"""SQL that reads rows: as which type, under which condition, and where the first bad one is.

Columns of CSV and JSON are scanned as they are written. What a value is follows from its spelling,
in every row: ``7`` is an integer, ``007`` is a text beside names and the number 7 beside scores.
"""

from __future__ import annotations

import csv
import gzip
import json
import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import islice
from operator import or_
from typing import Any, Final

from fastmetrics.errors import FileError
from fastmetrics.io._session import (
    COMPRESSED,
    LONG_LINE,
    Source,
    fetch_rows,
    lacks_memory,
    lines_function,
    quote_name,
    reason,
    shorten,
)

#: Bits of the kinds of values that a column holds. An odd number is one for `float` alone: 007, +7,
#: an integer beyond 64 bits. Only JSON has quoted texts.
_NEGATIVE, _INTEGER, _UNSIGNED, _BOOLEAN, _FLOAT, _ODD, _QUOTED, _TEXT = (1 << k for k in range(8))
_INTEGERS: Final = _NEGATIVE | _INTEGER
#: Spelling of a number that is no integer and has no superfluous zero in front.
_PLAIN_FLOAT: Final = r"^\s*-?(0|[1-9][0-9]*)?[.eE]|(?i)^\s*[-+]?(nan|inf)"
_SIGNED_TYPES: Final = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT"})
_UNSIGNED_TYPES: Final = frozenset({"UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"})
FLOAT_TYPES: Final = frozenset({"FLOAT", "DOUBLE"})
#: SQL of each wanted column as its type, null of what is not one; and that type: by inner name.
Picked = Mapping[str, tuple[str, str]]
#: Every decimal of so many digits has a float64 of its own, in the same order.
_EXACT_DIGITS: Final = 15


def value_kinds(
    connection: Any, source: Source, wanted: Sequence[str], n_rows: int
) -> dict[str, int]:
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
        return dict(
            zip(wanted, (kind or 0 for kind in fetch_rows(connection, query)[0]), strict=True)
        )
    except duckdb.Error as error:
        if lacks_memory(error):
            raise FileError(f"{source.path}: {reason(error)}") from None
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


def pick_types(source: Source, types: dict[str, str], names: Collection[str]) -> Picked:
    """Return how each wanted column is read, by inner name."""
    return {
        source.inner_name(column): (_typed(source, column, target, column in names), target)
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
    name = quote_name(inner)
    text = _spelling(source, inner)
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


# --- the condition: one boolean expression over the columns --------------------------------------
#
# DuckDB's own parser judges the text. The session is locked besides (`Session`): this check
# refuses early and clearly what the lock would stop late, and what it would let pass.


#: Kinds of parsed expression that only compute a value from the columns of the row.
_ALLOWED = frozenset(
    "BETWEEN CASE CAST COLLATE COLUMN_REF COMPARISON CONJUNCTION CONSTANT FUNCTION LAMBDA "
    "OPERATOR TYPE".split()
)
_REFUSED = {
    "SUBQUERY": "a subquery",
    "WINDOW": "a window function",
    "STAR": "a star",
    "PARAMETER": "a parameter",
    "POSITIONAL_REFERENCE": "a column position",
}


def check_where(connection: Any, where: str) -> None:
    """Raise ValueError unless ``where`` is a single expression that only reads the row.

    The connection is used for its parser and its catalogue of functions; no statement of the user
    runs.
    """
    if not where.strip():
        raise _refusal("it is empty")
    if "\0" in where:
        raise _refusal("it contains a NUL character")
    # The line break ends a trailing comment, so that it cannot swallow what follows.
    bare = _parse(connection, f"SELECT {where}\n")
    wrapped = _parse(connection, f"SELECT ({where}\n)")
    # Alone and in parentheses it must mean the same: this is what `1) OR (1` does not do.
    if bare.get("alias") or _shape(bare) != _shape(wrapped):
        raise _refusal("it is not one complete expression")
    nodes = list(_expressions(bare))
    for node in nodes:
        kind = node["class"]
        if kind not in _ALLOWED:
            raise _refusal(f"it contains {_REFUSED.get(kind, 'a ' + kind.lower())}")
    _check_functions(connection, {n["function_name"] for n in nodes if n["class"] == "FUNCTION"})


def rows_query(
    source: Source, columns: Picked, where: str | None, *, skip_bad: bool = False, more: str = ""
) -> str:
    """Return the query of the wanted columns, by inner name, of the rows to keep.

    The condition sees wanted columns as they are read. A row with a null among them comes too as
    long as only the first rows of the file were judged; later, with ``skip_bad``, where the
    condition cannot be computed from it: that is a bad row, which is counted. ``more`` are columns
    of the file that come along.
    """
    names = [quote_name(inner) for inner in columns]
    kept = ", ".join(
        f"{f'CAST({name} AS TINYINT)' if target == 'BOOLEAN' else name} AS {name}"
        for name, (_, target) in zip(names, columns.values(), strict=True)
    )
    query = f"SELECT {_replace_columns(columns)}{more} FROM {source.relation(skip_bad=skip_bad)}"
    query = f"SELECT {f'* REPLACE ({kept})' if more else kept} FROM ({query})"
    if where is None:
        return query
    query += f" WHERE ({where}\n)"
    is_null = " OR ".join(f"{name} IS NULL" for name in names)
    if not source.fully_sampled:
        return f"{query} OR {is_null}"
    return f"{query} OR (({where}\n) IS NULL AND ({is_null}))" if skip_bad else query


def _replace_columns(columns: Picked) -> str:
    """Return the SQL of all columns of a file, those wanted as their types."""
    read = (f"{sql} AS {quote_name(name)}" for name, (sql, _) in columns.items())
    return f"* REPLACE ({', '.join(read)})"


def check_condition(connection: Any, source: Source, columns: Picked, where: str) -> None:
    """Raise unless ``where`` is a condition on the columns that this file has."""
    import duckdb

    rows = f"SELECT {_replace_columns(columns)} FROM {source.relation()}"
    try:
        query = f"DESCRIBE SELECT ({where}\n) FROM ({rows})"
        kind = fetch_rows(connection, query)[0][1]
    except duckdb.Error as error:
        raise not_computable(source, error) from None
    if kind != "BOOLEAN":
        raise ValueError(f"where must be a boolean expression: this one is {kind}")


def not_computable(source: Source, error: BaseException) -> FileError:
    """Return the error for a condition that cannot be computed from the columns of a file."""
    missing = re.search(r'Referenced column "(.*?)" not found', str(error))
    text = reason(error).partition(" Candidate ")[0]
    if missing:
        names = ", ".join(map(repr, source.header))
        text = f"there is no column {missing[1]!r}; the columns are {names[:2_000]}"
    return FileError(f"where: {text} ({source.path})")


def _refusal(reason: str) -> ValueError:
    return ValueError(f"where must be one boolean expression over the columns: {reason}")


def _parse(connection: Any, statement: str) -> dict[str, Any]:
    """Return the only expression of ``SELECT expression``, as the parser sees it."""
    answer = fetch_rows(connection, "SELECT json_serialize_sql(?)", [statement])[0][0]
    parsed = json.loads(answer)
    if parsed.get("error"):
        if parsed.get("error_type") == "not implemented":
            raise _refusal("it is a statement")
        raise _refusal(" ".join(str(parsed.get("error_message", "syntax error")).split()))
    statements = parsed["statements"]
    if len(statements) != 1:
        raise _refusal(f"it is {len(statements)} statements")
    node = statements[0]["node"]
    expressions = node.get("select_list") or []
    clauses = (
        *("modifiers", "where_clause", "group_expressions", "group_sets"),
        *("having", "sample", "qualify"),
    )
    if (
        node.get("type") != "SELECT_NODE"
        or (node.get("from_table") or {}).get("type") != "EMPTY"
        or (node.get("cte_map") or {}).get("map")
        or any(node.get(clause) for clause in clauses)
    ):
        raise _refusal("it contains another clause or query")
    if len(expressions) != 1:
        raise _refusal(f"it is {len(expressions)} expressions")
    expression: dict[str, Any] = expressions[0]
    return expression


def _shape(value: Any) -> Any:
    """Return a parsed expression without the places in the text that it came from."""
    if isinstance(value, dict):
        return {k: _shape(v) for k, v in value.items() if not k.startswith("query_location")}
    if isinstance(value, list):
        return [_shape(item) for item in value]
    return value


def _expressions(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every expression inside a parsed one, itself first."""
    if isinstance(value, dict):
        if "class" in value and "type" in value:
            yield value
        for item in value.values():
            yield from _expressions(item)
    elif isinstance(value, list):
        for item in value:
            yield from _expressions(item)


def _check_functions(connection: Any, names: set[str]) -> None:
    """Refuse functions that do more than compute, or that compute differently each time."""
    query = (
        "SELECT function_type, max(stability), bool_or(coalesce(has_side_effects, false)), "
        "bool_or(regexp_matches(coalesce(macro_definition, ''), '(?i)select|error|sleep')) "
        "FROM duckdb_functions() WHERE lower(function_name) = lower(?) GROUP BY function_type"
    )
    for name in sorted(names):
        rows = fetch_rows(connection, query, [name])
        kinds = {row[0] for row in rows}
        if "aggregate" in kinds and "scalar" not in kinds:
            raise _refusal(f"it contains the aggregate {name}()")
        if kinds and not kinds & {"scalar", "macro"}:
            raise _refusal(f"{name}() is not a function of one row")
        if any(
            effects or unsafe or stability == "VOLATILE" for _, stability, effects, unsafe in rows
        ):
            raise _refusal(f"{name}() is not allowed here: it does more than compute from the row")


# --- the first bad row: slow, exact, run only when something is wrong ----------------------------


_NAN: Final = "('nan', '-nan')"
_INFINITE: Final = "('inf', '-inf')"
_NOT_FINITE: Final = "('nan', '-nan', 'inf', '-inf')"


def unreadable(
    connection: Any, source: Source, columns: Picked, error: BaseException, *, skip_bad: bool
) -> FileError:
    """Return the error for a file whose rows could not be read, or not be put to the condition.

    The connection has one thread, so that the first failure is the first in the file.
    """
    import duckdb

    if lacks_memory(error):
        return FileError(f"{source.path}: {reason(error)}")
    wanted = rows_query(source, columns, None, skip_bad=skip_bad)
    try:
        fetch_rows(connection, f"SELECT max(hash(COLUMNS(*))) FROM ({wanted})")
    except duckdb.Error as first:
        error = first
    else:  # every row can be read: it was the condition
        return not_computable(source, error)
    if source.kind == "json" and "malformed json" in str(error).lower():
        return FileError(f"{source.path}: {_first_malformed(connection, source)}{reason(error)}")
    line = re.search(r"\bline:? (\d+)", str(error), flags=re.IGNORECASE)
    text = reason(error, source)
    if text == LONG_LINE and (number := _first_long_line(source)):
        text = text.replace("a line", f"line {number}")
    position = "" if line and f"line {line[1]}" in text else _file_position(source, line)
    return FileError(f"{source.path}: {position}{text}")


def _first_long_line(source: Source) -> int | None:
    """Return the number of the first line beyond DuckDB's megabytes; None of compressed files."""
    if source.path.lower().endswith(COMPRESSED):
        return None
    with open(source.path, "rb") as file:
        return next((k for k, line in enumerate(file, 1) if len(line) > 2_000_000), None)


def _first_malformed(connection: Any, source: Source) -> str:
    """Return the position of the first line that is no JSON; DuckDB names a later one."""
    import duckdb

    query = (
        "SELECT row, line FROM (SELECT line, text, row_number() OVER (ORDER BY line) AS row FROM "
        f"(SELECT row_number() OVER () AS line, text FROM {lines_function(source.address)}) "
        "WHERE trim(text) <> '') WHERE NOT json_valid(text) ORDER BY line LIMIT 1"
    )
    try:
        row, line = fetch_rows(connection, query)[0]
    except (duckdb.Error, IndexError):  # a file that is one document
        return ""
    return f"row {row}: " if row == line else f"row {row} (line {line}): "


def _file_position(source: Source, line: re.Match[str] | None) -> str:
    if line is None:
        return ""
    number = int(line[1])
    if source.kind == "csv":
        return f"row {number - 1} (line {number}): "
    return f"row {number}: "


def bad_row(connection: Any, source: Source, columns: Picked, where: str | None) -> FileError:
    """Return the error for a file in which a wanted value is missing or no finite number."""
    names = [quote_name(inner) for inner in columns]
    row = '"fastmetrics row"'
    texts = [f'"fastmetrics text {k}"' for k in range(len(names))]
    spelled = [f"CAST({name} AS VARCHAR)" for name in names]
    written = spelled if source.kind != "parquet" else ["NULL"] * len(names)
    more = ", ".join(f"{one} AS {text}" for one, text in zip(written, texts, strict=True))
    rows = rows_query(source, columns, where, more=f", row_number() OVER () AS {row}, {more}")
    # As text: a Parquet file's minimum and maximum leave nan out, and DuckDB concludes from them
    # that isnan() holds nowhere.
    is_bad = " OR ".join(
        f"{name} IS NULL" + (f" OR {one} IN {_NOT_FINITE}" if target in FLOAT_TYPES else "")
        for name, one, (_, target) in zip(names, spelled, columns.values(), strict=True)
    )
    query = f"SELECT {', '.join([row, *names, *texts])} FROM ({rows}) WHERE {is_bad}"
    number, *values_here = fetch_rows(connection, f"{query} ORDER BY {row} LIMIT 1")[0]
    values = values_here[: len(names)]
    texts_here = values_here[len(names) :]
    k = next(
        k
        for k, value in enumerate(values)
        if value is None or not (isinstance(value, str) or math.isfinite(value))
    )
    column = source.header[list(source.types).index(list(columns)[k])]
    if values[k] is None and texts_here[k] is not None:
        is_integer = re.fullmatch(r"\s*[-+]?[0-9]+\s*", texts_here[k])
        what = "an integer that float64 would round" if is_integer else "not a number"
        position = f"row {number}{_csv_line(source, number)}: column {column!r}"
        return FileError(f"{source.path}: {position}: {shorten(texts_here[k])} is {what}")
    kind = "null"
    test = f"{names[k]} IS NULL AND {texts[k]} IS NULL"
    if values[k] is not None:
        kind = "nan" if values[k] != values[k] else "infinite value"
        test = f"{spelled[k]} IN {_NAN if kind == 'nan' else _INFINITE}"
    count = fetch_rows(connection, f"SELECT count(*) FROM ({rows}) WHERE {test}")[0][0]
    plural = "" if count == 1 or kind == "nan" else "s"
    where_first = f"row {number}" if count == 1 else f"the first in row {number}"
    return FileError(
        f"{source.path}: column {column!r} contains {count} {kind}{plural}: {where_first}"
    )


def _csv_line(source: Source, row: int) -> str:
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
