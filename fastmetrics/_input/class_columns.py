"""Columns of a frame that are named as the classes: matched by their names, never by position."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.containers import as_array
from fastmetrics._input.rows import column_count, has_names
from fastmetrics.errors import InputError


def in_class_order(values: Any, y_true: Any, labels: Any = None, *, name: str = "y_score") -> Any:
    """Return scores of classes with their columns in the order of the classes.

    Arrays, and frames none of whose columns has the name of a class, come back as they are: they
    go by position. The classes are ``labels``, or those of ``y_true`` in sorted order; of an
    indicator matrix the names of its columns.

    Raises
    ------
    InputError
        If some columns are named as classes and others are not.
    """
    if isinstance(values, np.ndarray | list | tuple | Mapping) or not has_names(values):
        return values
    if column_count(values) < 2:
        return values
    own = column_names(values)
    is_numbered = own == list(range(len(own))) and all(type(each) is int for each in own)
    classes = _classes(y_true, labels)
    columns, wanted = [*map(_text, own)], [*map(_text, classes)]
    shared = {*columns} & {*wanted}
    if not shared or columns == wanted or (is_numbered and {*columns} != {*wanted}):
        return values
    if sorted(columns) != sorted(wanted):
        raise InputError(
            f"`{name}` has the columns {', '.join(columns[:8])}, and the classes are "
            f"{', '.join(wanted[:8])}: name a column for each class, or pass `.to_numpy()` to go "
            "by position"
        )
    matrix = [as_array(values[own[columns.index(each)]], name) for each in wanted]
    return np.stack(matrix, axis=1)


def are_class_columns(values: Any, y_true: Any) -> bool:
    """Return whether the columns of a frame, two or more, have the names of the classes."""
    if isinstance(values, np.ndarray | list | tuple | Mapping) or not has_names(values):
        return False
    if column_count(values) < 2 or column_count(y_true) > 1:
        return False
    return {*map(_text, column_names(values))} == {*map(_text, _classes(y_true, None))}


def column_names(frame: Any) -> list[Any]:
    """Return the names of the columns of a frame."""
    names: list[Any] = [*(getattr(frame, "column_names", None) or frame.columns)]
    return names


def _classes(y_true: Any, labels: Any) -> list[Any]:
    if labels is not None:
        given: list[Any] = as_array(labels, "labels").tolist()
        return given
    if column_count(y_true) > 1:
        return column_names(y_true) if has_names(y_true) else []
    found: list[Any] = check_class_labels(y_true).classes.tolist()
    return found


def _text(label: Any) -> str:
    """Return how a label is written as a name; a whole number without its fraction."""
    is_whole = isinstance(label, float | np.floating) and float(label).is_integer()
    return str(int(label) if is_whole else label)
