"""The labels of a file, and which of them is the positive one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics.io import TextColumn


def labels_of(
    column: NDArray[Any] | TextColumn, name: str, pos_label: str | None
) -> tuple[NDArray[Any], Any]:
    """Return the labels, and the positive label in their own type."""
    if isinstance(column, TextColumn):
        return _text_labels(column, name, pos_label), None
    if pos_label is None:
        return column, None
    for convert in (int, float):
        try:
            value = convert(pos_label)
        except ValueError:
            continue
        if value == value and (convert is int or column.dtype.kind == "f"):
            return column, value
    if pos_label.lower() in ("true", "false") and column.dtype == np.int8:
        return column, int(pos_label.lower() == "true")
    raise ValueError(
        f"--pos-label {pos_label!r} cannot be a label: column {name!r} holds {column.dtype} numbers"
    )


def _text_labels(column: TextColumn, name: str, pos_label: str | None) -> NDArray[np.int8]:
    """Return 1 for the positive text and 0 for the other."""
    values = column.values
    shown = ", ".join(map(repr, sorted(values)[:10])) + (", …" if len(values) > 10 else "")
    if pos_label is None:
        raise ValueError(
            f"column {name!r} holds text ({shown}): name the positive one with --pos-label"
        )
    if len(values) > 2:
        raise ValueError(f"column {name!r} must hold two classes: got {len(values)} ({shown})")
    if pos_label not in values:
        if len(values) > 1:
            raise ValueError(f"--pos-label {pos_label!r} is none of the labels {shown}")
        return np.zeros(len(column.codes), dtype=np.int8)
    positive: NDArray[np.bool_] = column.codes == values.index(pos_label)
    return positive.view(np.int8)
