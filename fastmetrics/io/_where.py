"""``--where`` is one boolean expression over the columns: nothing else gets through.

DuckDB's own parser judges the text. The session is locked besides (see ``_session``): this
check refuses early and clearly what the lock would stop late, and what it would let pass.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from fastmetrics.errors import FileError
from fastmetrics.io._session import quote_name, rows_of
from fastmetrics.io._types import Picked
from fastmetrics.io.formats import Source, reason

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
    source: Source,
    columns: Mapping[str, Picked],
    where: str | None,
    *,
    skip_bad: bool = False,
    more: str = "",
) -> str:
    """Return the query of the wanted columns, by inner name, of the rows to keep.

    The condition sees wanted columns as they are read. A row with a null among them comes too as
    long as only the first rows of the file were judged; later, with ``skip_bad``, where the
    condition cannot be computed from it: that is a bad row, which is counted. ``more`` are columns
    of the file that come along.
    """
    names = [quote_name(inner) for inner in columns]
    picked = zip(columns.values(), names, strict=True)
    read = ", ".join(f"{column.sql} AS {name}" for column, name in picked)
    kept = ", ".join(
        f"{f'CAST({name} AS TINYINT)' if column.target == 'BOOLEAN' else name} AS {name}"
        for name, column in zip(names, columns.values(), strict=True)
    )
    query = f"SELECT * REPLACE ({read}){more} FROM {source.relation(skip_bad=skip_bad)}"
    query = f"SELECT {f'* REPLACE ({kept})' if more else kept} FROM ({query})"
    if where is None:
        return query
    query += f" WHERE ({where}\n)"
    is_null = " OR ".join(f"{name} IS NULL" for name in names)
    if not source.fully_sampled:
        return f"{query} OR {is_null}"
    return f"{query} OR (({where}\n) IS NULL AND ({is_null}))" if skip_bad else query


def check_condition(
    connection: Any, source: Source, columns: Mapping[str, Picked], where: str
) -> None:
    """Raise unless ``where`` is a condition on the columns that this file has."""
    import duckdb

    read = ", ".join(f"{column.sql} AS {quote_name(name)}" for name, column in columns.items())
    rows = f"SELECT * REPLACE ({read}) FROM {source.relation()}"
    try:
        query = f"DESCRIBE SELECT ({where}\n) FROM ({rows})"
        kind = rows_of(connection, query)[0][1]
    except duckdb.Error as error:
        raise not_computable(source, error) from None
    if kind != "BOOLEAN":
        raise ValueError(f"where must be a boolean expression: this one is {kind}")


def not_computable(source: Source, error: BaseException) -> FileError:
    """Return the error for a condition that cannot be computed from the columns of a file."""
    missing = re.search(r'Referenced column "(.*?)" not found', str(error))
    said = reason(error).partition(" Candidate ")[0]
    if missing:
        names = ", ".join(map(repr, source.header))
        said = f"there is no column {missing[1]!r}; the columns are {names[:2_000]}"
    return FileError(f"where: {said} ({source.path})")


def _refusal(reason: str) -> ValueError:
    return ValueError(f"where must be one boolean expression over the columns: {reason}")


def _parse(connection: Any, statement: str) -> dict[str, Any]:
    """Return the only expression of ``SELECT expression``, as the parser sees it."""
    answer = rows_of(connection, "SELECT json_serialize_sql(?)", [statement])[0][0]
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
        rows = rows_of(connection, query, [name])
        kinds = {row[0] for row in rows}
        if "aggregate" in kinds and "scalar" not in kinds:
            raise _refusal(f"it contains the aggregate {name}()")
        if kinds and not kinds & {"scalar", "macro"}:
            raise _refusal(f"{name}() is not a function of one row")
        if any(
            effects or unsafe or stability == "VOLATILE" for _, stability, effects, unsafe in rows
        ):
            raise _refusal(f"{name}() is not allowed here: it does more than compute from the row")
