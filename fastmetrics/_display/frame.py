"""A description as a data frame of pandas or polars."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any, Final, Literal

import numpy as np

from fastmetrics._display.numbers import MonteCarloPValue, is_bound, text
from fastmetrics._display.table import Display, Limits, Table
from fastmetrics.errors import InputError

Library = Literal["pandas", "polars"]

_LIBRARIES: Final[tuple[Library, ...]] = ("pandas", "polars")


def as_frame(shown: Display, library: Library | None) -> Any:
    """Return the rows of the framed tables, one below the other; what one lacks is missing."""
    chosen = _chosen(library)
    framed = shown.frame or [table for table in shown.tables if table.framed]
    tables, lengths = [_flat(table) for table in framed], [len(table) for table in framed]
    columns: dict[str, Any] = {}
    for name in dict.fromkeys(name for table in tables for name in table):
        parts = [t.get(name, [None] * n) for t, n in zip(tables, lengths, strict=True)]
        if len(parts) == 1 and isinstance(parts[0], np.ndarray):
            columns[name] = parts[0]
        else:
            columns[name] = _of_one_kind([_plain(value) for part in parts for value in part])
    import narwhals

    return narwhals.from_dict(columns, backend=chosen).to_native()


def _chosen(library: Any) -> Library:
    """Return the library to use, which is there."""
    if library is not None and library not in _LIBRARIES:
        raise InputError(f"`library` must be one of 'pandas', 'polars': got {library!r}")
    asked = _LIBRARIES if library is None else (library,)
    for is_there in (sys.modules.get, _is_installed):
        for name in asked:
            if is_there(name):
                return name
    if library is None:
        raise ImportError("a data frame needs pandas or polars: pip install pandas")
    raise ImportError(f"`library={library!r}` is not installed: pip install {library}")


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ValueError:  # sys.modules says that it is not there
        return False


def _flat(table: Table) -> dict[str, Any]:
    """Return the columns of plain values: limits apart, collections as text, arrays left out."""
    found: dict[str, Any] = {}
    for name, column in table.columns.items():
        if isinstance(column, np.ndarray):
            found[name] = column
        elif name == "confidence_interval" or any(isinstance(each, Limits) for each in column):
            before = "" if name == "confidence_interval" else f"{name}_"
            for side in ("low", "high"):
                found[before + side] = [getattr(each, side, None) for each in column]
        elif not any(isinstance(each, np.ndarray) for each in column):
            found[name] = column
            if any(isinstance(each, MonteCarloPValue) for each in column):
                found[f"{name}_is_bound"] = [is_bound(each) for each in column]
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return float(value)  # a p-value too, which is more than a number
    return value if value is None or isinstance(value, str | bool | int) else text(value)


def _of_one_kind(column: Iterable[Any]) -> list[Any]:
    """Return a column that polars takes too: all numbers floats if one is, texts if one is."""
    kinds = {type(value) for value in column if value is not None}
    if len(kinds) < 2:
        return list(column)
    kind: type = float if kinds == {int, float} else str
    return [value if value is None else kind(value) for value in column]
