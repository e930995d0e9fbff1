"""``Grid``: the texts of a table, as text, HTML and Markdown all show them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from fastmetrics._display.numbers import DASH, decimals_of, limits, number, pvalue, text, threshold
from fastmetrics._display.table import Table

#: Columns of what has a name, which may be a number.
_NAMES: Final = ("model", "name", "predicted", "true")
#: Columns of p-values that are adjusted for their number.
_ADJUSTED: Final = ("pvalue_holm", "pvalue_max_t")


class Column(NamedTuple):
    """The texts of a column, and which of the table's it is of."""

    name: str
    head: str
    cells: list[str]
    is_left: bool


class Grid(NamedTuple):
    """Columns of texts, without heads where rows are read downwards, and a line below."""

    columns: list[Column]
    has_heads: bool = True
    more: str = ""

    @property
    def heads(self) -> list[str]:
        """The heads, empty if there are none."""
        return [column.head for column in self.columns] if self.has_heads else []

    @property
    def rows(self) -> list[list[str]]:
        """The rows below the heads."""
        return [list(row) for row in zip(*(column.cells for column in self.columns), strict=True)]


def grid(table: Table) -> Grid:
    """Return the texts of a table."""
    n = len(table) if table.across else min(len(table), table.most)
    values = {name: _first(column, n) for name, column in table.columns.items()}
    columns = list(_columns(table, values))
    if table.across:
        return Grid(_spread(table, values, columns))
    columns = _without_echo(columns, is_of_pairs="minus_model" in values)
    if table.is_record:
        heads = [column.head for column in columns]
        cells = [column.cells[0] or DASH for column in columns]
        return Grid([Column("", "", heads, True), Column("", "", cells, True)], has_heads=False)
    labels = columns[0].cells
    if columns[0].name == "metric":
        labels[1:] = ["" if label == above else label for above, label in pairwise(labels)]
    n_more = len(table) - table.most
    more = f"… {n_more:,} {'row' if n_more == 1 else 'rows'} more" if n_more > 0 else ""
    return Grid(columns, more=f"{more}: `to_frame()` has all." if more and table.framed else more)


def _first(values: Any, n: int) -> list[Any]:
    first: list[Any] = values[:n].tolist() if isinstance(values, np.ndarray) else list(values[:n])
    return [value.item() if isinstance(value, np.generic) else value for value in first]


def _columns(table: Table, values: Mapping[str, list[Any]]) -> Iterator[Column]:
    owner = table.owner()
    has_intervals = any(each is not None for each in values.get("confidence_interval", ()))
    percent = "" if table.level is None else f"{100 * table.level:.6g} % "
    for name, column in values.items():
        if name in ("minus_model", *table.unseen) or (name == "confidence_interval" and owner):
            continue
        head = table.head(name)
        if name == "confidence_interval":
            head = f"{percent}interval"
        if name == "model" and "minus_model" in values:
            pairs = zip(column, values["minus_model"], strict=True)
            head = table.words.get("minus_model", "difference")
            yield Column(name, head, [f"{text(a)} − {text(b)}" for a, b in pairs], True)
        elif name == owner and has_intervals:
            cells = _with_limits(column, values)
            yield Column(name, f"{head} [{percent}interval]", cells, True)
        else:
            cells = _cells(name, column, values)
            if name == next(iter(values)):
                cells = [table.words.get(str(each), cells[i]) for i, each in enumerate(column)]
            is_text = not all(isinstance(each, int | float | None) for each in column)
            yield Column(name, head, cells, is_text or _are_names(name, column))


def _without_echo(columns: list[Column], *, is_of_pairs: bool) -> list[Column]:
    """Return the columns but for those that repeat: adjusted p like p itself, and a single pair."""
    cells = {column.name: column.cells for column in columns}
    if "pvalue" in cells:
        adjusted = [name for name in _ADJUSTED if cells.get(name) == cells["pvalue"]]
        columns = [column for column in columns if column.name not in adjusted]
    first, *others = columns
    if is_of_pairs and first.name == "metric" and len(set(cells["model"])) == 1:
        others = [column for column in others if column.name != "model"]
        return [first._replace(head=cells["model"][0]), *others]
    return columns


def _kinds(values: Mapping[str, list[Any]]) -> list[tuple[Any, list[int]]]:
    """Return each measure and its rows, which share decimals."""
    n = len(next(iter(values.values()), ()))
    rows: dict[Any, list[int]] = {}
    for row, metric in enumerate(values.get("metric", [None] * n)):
        rows.setdefault(metric, []).append(row)
    return list(rows.items())


def _with_limits(column: list[Any], values: Mapping[str, list[Any]]) -> list[str]:
    """Return numbers with their intervals, the numbers one below the other."""
    firsts, seconds = [""] * len(column), [""] * len(column)
    for metric, rows in _kinds(values):
        around = {row: values["confidence_interval"][row] for row in rows}
        around = {row: interval for row, interval in around.items() if interval is not None}
        floats = [column[row] for row in rows if isinstance(column[row], float)]
        decimals = decimals_of(floats, around.values())
        for row in rows:
            firsts[row] = _cell(metric, column[row], decimals)
            seconds[row] = limits(around[row], decimals) if row in around else ""
    room = max(map(len, firsts), default=0) if any("−" in each for each in firsts) else 0
    return [f"{a:>{room}} {b}".rstrip() for a, b in zip(firsts, seconds, strict=True)]


def _cells(name: str, column: list[Any], values: Mapping[str, list[Any]]) -> list[str]:
    if _are_names(name, column):
        return [text(str(value)) for value in column]
    if name.startswith("pvalue"):
        return [pvalue(value) for value in column]
    cells = [""] * len(column)
    intervals = values.get("confidence_interval", []) if name in ("standard_error", "bias") else []
    kinds = _kinds(values)
    for metric, rows in kinds:
        around = [intervals[row] for row in rows if intervals and intervals[row] is not None]
        floats = [column[row] for row in rows if isinstance(column[row], float)]
        decimals = decimals_of(floats, around, as_are=len(kinds) == 1)
        for row in rows:
            kind = name if name == "threshold" else metric if name == "estimate" else None
            cells[row] = _cell(kind, column[row], decimals)
    return cells


def _are_names(name: str, column: list[Any]) -> bool:
    """Return whether a column is of names or of labels, which are whole if they are numbers."""
    return name in _NAMES and not any(isinstance(each, float) and each % 1 for each in column)


def _cell(kind: Any, value: Any, decimals: int) -> str:
    if kind == "threshold":
        return threshold(value)
    return number(value, decimals) if isinstance(value, float) else text(value)


def _spread(table: Table, values: Mapping[str, list[Any]], columns: list[Column]) -> list[Column]:
    """Return a row for each key, and a column for each value of the column that goes across."""
    keys = columns[0]
    places = [text(str(value)) for value in values[table.across]]
    values_of = (table.owner(), "count", "limits")
    shown = next(column for column in reversed(columns) if column.name in values_of)
    found = dict(zip(zip(keys.cells, places, strict=True), shown.cells, strict=True))
    rows = list(dict.fromkeys(keys.cells))
    spread = [keys._replace(cells=rows)]
    for head in dict.fromkeys(places):
        cells = [found.get((row, head), DASH) for row in rows]
        spread.append(Column(head, head, cells, shown.is_left))
    return spread
