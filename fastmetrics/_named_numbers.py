"""The numbers of tables by name, as trackers of experiments log them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np

from fastmetrics.errors import InputError

_NUMBERS: Final = (int, float, np.integer, np.floating)
#: Columns of a table by name, its number of rows, and its caption if it is one record, else None.
Columns = tuple[Mapping[str, Any], int, str | None]
#: Columns of what is measured, and of what it is of: anywhere, or as the first column.
_MEASURED: Final = ("metric", "parameter", "benchmark")
_SUBJECTS: Final = ("slice", "output", "algorithm", "model")
_FIRST_SUBJECTS: Final = ("name", "method", "Friedman's test")
#: Columns of a model that is taken from another one.
_PAIRS: Final = {"minus_model": "model", "b": "a", "model_b": "model_a", "baseline": "candidate"}
#: Columns that are the number itself, and those that are about it.
_ITSELF: Final = ("estimate", "difference", "value")
_ABOUT: Final = ("low", "high", "standard_error")
#: The column with the interval where a row has no metric.
_MAIN: Final = ("estimate", "difference", "effect_size", "left_out_cost", "roc_auc")
#: Characters that MLflow, Weights & Biases or TensorBoard refuse or replace.
_NOT_IN_NAMES: Final = re.compile(r"[^\w.-]+")
_NOT_IN_PREFIXES: Final = re.compile(r"[^\w./ -]")


def named_numbers(tables: Iterable[Columns], prefix: Any) -> dict[str, float]:
    """Return the numbers of tables by name; points of curves have no names, and are left out."""
    if not isinstance(prefix, str) or _NOT_IN_PREFIXES.search(prefix):
        raise InputError(f"`prefix` must be of letters, digits, spaces and _-./: got {prefix!r}")
    named = (*_MEASURED, *_SUBJECTS, *_FIRST_SUBJECTS, *_PAIRS)
    numbers: dict[str, float] = {}
    for columns, n_rows, caption in tables:
        is_named = columns and (caption is not None or next(iter(columns)) in named)
        for row in range(n_rows if is_named else 0):
            cells = {name: column[row] for name, column in columns.items()}
            *subjects, measured = _row_name(columns, row)
            for column, value in cells.items():
                is_number = isinstance(value, _NUMBERS) and not isinstance(value, bool)
                if not is_number or column in named:
                    continue
                parts = [*filter(None, [caption]), *subjects]  # a caption is of a result inside
                parts.append(_number_name(column, measured, cells))
                name = prefix + ".".join(map(_valid, parts))
                number = float(value)
                known = numbers.setdefault(name, number)
                if known != number and not (math.isnan(known) and math.isnan(number)):
                    raise InputError(
                        f"two numbers would be called {name!r}: give models, slices and metrics "
                        "names that differ in letters or digits"
                    )
    return numbers


def _valid(name: str) -> str:
    """Return a name of letters, digits and ``_-.``; pass@2 and pass^2 are two numbers."""
    return _NOT_IN_NAMES.sub("_", name.replace("^", "_hat_"))


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


def _number_name(column: str, measured: str, cells: Mapping[str, Any]) -> str:
    """Return the last part of a number's name, by its column and what its row measures."""
    column = re.sub(r"^limits_|_interval(?=_low$|_high$)", "", column)
    if measured:
        return measured if column in _ITSELF else f"{measured}_{column}"
    about = next((name for name in _MAIN if name in cells), "")
    return f"{about}_{column}" if about and column in _ABOUT else column
