"""The scores of a baseline in another file, put into the order of the candidate's rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._report.gate._ledger import hash_of
from fastmetrics._report.gate.packed import said_of
from fastmetrics.io.columns import TextColumn
from fastmetrics.io.formats import file_format
from fastmetrics.io.reader import read_columns


def values_of(column: NDArray[Any] | TextColumn) -> NDArray[Any]:
    """Return the values of a column, texts as texts."""
    return column if isinstance(column, np.ndarray) else column.to_numpy()


def matched(
    ids: NDArray[Any], own: NDArray[Any], path: str, column: str, id_column: str, label: str
) -> NDArray[Any]:
    """Return a column of a file in the order of ``ids``, which it must have, with the labels.

    ``own`` are the labels of the ids. A file that `pack` wrote has columns of its own names.
    """
    said = said_of(path) if file_format(path) == "parquet" else {}
    id_column, label = ("id", "label") if said else (id_column, label)
    if said and column not in said["models"]:
        raise ValueError(f"{path}: no model {column!r}; it has {', '.join(said['models'])}")
    other = read_columns([path], label, [column], named=[id_column])
    known, labels = values_of(other.named[id_column]), values_of(other.labels)
    if said and hash_of(labels, known) != said["data"]:
        raise ValueError(f"{path}: ids and labels are not those it was packed with: pack it anew")
    if (ids.dtype.kind == "O") != (known.dtype.kind == "O"):
        raise ValueError(f"ids are texts in one file and numbers in the other: {path}")
    order, of_other = np.argsort(ids, kind="stable"), np.argsort(known, kind="stable")
    for name, values in (("the files", ids[order]), (path, known[of_other])):
        twice = np.flatnonzero(values[1:] == values[:-1])
        if len(twice):
            raise ValueError(f"{name}: id {values[twice[0]]!r} is there more than once")
    if len(ids) != len(known) or not (ids[order] == known[of_other]).all():
        lone = np.setxor1d(ids, known)
        raise ValueError(
            f"{path}: {len(lone):,} ids are in one file alone, {lone[0]!r} for one: models are "
            "compared on the same rows"
        )
    differ = np.flatnonzero(own[order] != labels[of_other])
    if len(differ):
        raise ValueError(
            f"{path}: {len(differ):,} labels differ, that of id {ids[order][differ[0]]!r} for one"
        )
    found = np.empty(len(ids), other.scores[column].dtype)
    found[order] = other.scores[column][of_other]
    return found
