"""The numbers of tables by name, as trackers of experiments log them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np

from fastmetrics.errors import InputError

_NUMBERS: Final = (int, float, np.integer, np.floating)
#: Columns of a table by name, whether it is one record, and its rows.
Columns = tuple[Mapping[str, Any], bool, int]
#: Columns of what is measured, and of what it is of: anywhere, or as the first column.
_MEASURED: Final = ("metric", "parameter", "benchmark")
_SUBJECTS: Final = ("slice", "output", "algorithm", "model")
_FIRST_SUBJECTS: Final = ("name", "method", "Friedman's test")
#: Columns of a model that is taken from another one.
_PAIRS: Final = {"minus_model": "model", "b": "a", "model_b": "model_a", "baseline": "candidate"}
#: Columns that are the number itself, and those that are about it.
_ITSELF: Final = ("estimate", "difference", "value")
_ABOUT: Final = ("low", "high", "standard_error")
#: Characters that MLflow, Weights & Biases or TensorBoard refuse or replace.
_NOT_IN_NAMES: Final = re.compile(r"[^\w.-]+")
_NOT_IN_PREFIXES: Final = re.compile(r"[^\w./ -]")


def named_numbers(tables: Iterable[Columns], prefix: Any, main: str) -> dict[str, float]:
    """Return the numbers of tables by name; points of curves have no names, and are left out.

    The column `main` has the interval where a row has no metric.
    """
    if not isinstance(prefix, str) or _NOT_IN_PREFIXES.search(prefix):
        raise InputError(f"`prefix` must be of letters, digits, spaces and _-./: got {prefix!r}")
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    named = (*_MEASURED, *_SUBJECTS, *_FIRST_SUBJECTS, *_PAIRS)
    for columns, is_record, n_rows in tables:
        if columns and (is_record or next(iter(columns)) in named):
            for row in range(n_rows):
                cells = {name: column[row] for name, column in columns.items()}
                rows.setdefault(_row_name(columns, row), cells)
    numbers: dict[str, float] = {}
    for (*subjects, measured), cells in rows.items():
        for column, value in cells.items():
            is_number = isinstance(value, _NUMBERS) and not isinstance(value, bool)
            if not is_number or column in named:
                continue
            parts = [*subjects, _number_name(column.removeprefix("limits_"), measured, cells, main)]
            name = prefix + ".".join(_NOT_IN_NAMES.sub("_", part) for part in parts)
            known = numbers.setdefault(name, float(value))
            if known != value and not (math.isnan(known) and math.isnan(value)):
                raise InputError(
                    f"two numbers would be called {name!r}: give models, slices and metrics names "
                    "that differ in letters or digits"
                )
    return numbers


def _row_name(columns: Mapping[str, Any], row: int) -> tuple[str, ...]:
    """Return the subjects of a row, and last its metric, empty if the columns name it."""
    first = next(iter(columns))
    measured = next((name for name in _MEASURED if name in columns), "")
    if first == "name" and "estimate" in columns:
        measured = first
    subjects = [name for name in _SUBJECTS if name in columns]
    if first in _FIRST_SUBJECTS and first != measured:
        subjects.append(first)
    pair = next((name for name in _PAIRS if name in columns), "")
    names = []
    for name in subjects:
        is_only = name in ("model", "name", "method") and len({*columns[name]}) == 1
        said = str(columns[name][row])
        if said and not is_only and _PAIRS.get(pair) != name:
            names.append(said)
    if pair:
        other = columns.get(_PAIRS[pair])
        names.append(f"{other[row] if other else _PAIRS[pair]}_less_{columns[pair][row]}")
    return (*names, str(columns[measured][row]) if measured else "")


def _number_name(column: str, measured: str, cells: Mapping[str, Any], main: str) -> str:
    """Return the last part of a number's name, by its column and what its row measures."""
    if measured:
        return measured if column in _ITSELF else f"{measured}_{column}"
    about = next((name for name in ("estimate", "difference", main) if name in cells), "")
    return f"{about}_{column}" if about and column in _ABOUT else column
