"""The columns of a ranking table as members of a file, and back, checked."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._files import Members, as_json, of_json
from fastmetrics.errors import InputError

Columns = dict[str, NDArray[Any] | None]

_OF_QUERIES: Final = ("sizes", "judged")
#: Of relevant items; those of the second line are empty where all are judged, or have no names.
_OF_ITEMS: Final = ("above", "tied")
_IF_KNOWN: Final = ("unjudged_above", "unjudged_tied", "places", "unjudged_before")


def stored_columns(columns: Columns) -> Members:
    """Return the columns as arrays that need no pickle: texts as JSON, what is None left out."""
    members = {name: column for name, column in columns.items() if column is not None}
    queries = members.get("queries")
    if queries is not None and queries.dtype.kind == "O":
        members["texts"] = as_json(members.pop("queries").tolist())
    return members


def checked_columns(found: Members) -> Columns:
    """Return the columns that such arrays hold, or raise what is wrong with them."""
    queries = found.get("queries")
    if "texts" in found:
        texts = of_json(found["texts"])
        if type(texts) is not list or not all(type(text) is str for text in texts):
            raise InputError("`texts` are no texts")
        queries = np.array(texts, object)
    columns = {name: found[name] for name in (*_OF_QUERIES, "item_starts", *_OF_ITEMS, *_IF_KNOWN)}
    if any(column.dtype != np.int64 or column.ndim != 1 for column in columns.values()):
        raise InputError("columns are not vectors of int64")
    grades, starts, n_queries = found["grades"], columns["item_starts"], len(columns["sizes"])
    if grades.dtype != np.float64 or grades.ndim != 1 or not np.isfinite(grades).all():
        raise InputError("grades are not finite float64")
    lengths = {name: {n_queries} for name in _OF_QUERIES}
    lengths |= {"item_starts": {n_queries + 1}}
    lengths |= {name: {len(grades)} for name in _OF_ITEMS}
    lengths |= {name: {0, len(grades)} for name in _IF_KNOWN}
    for name, allowed in lengths.items():
        if len(columns[name]) not in allowed or (columns[name] < 0).any():
            raise InputError(f"`{name}` has another length, or is negative")
    if starts[0] != 0 or starts[-1] != len(grades) or (np.diff(starts) < 0).any():
        raise InputError("`item_starts` does not go with grades")
    size = np.repeat(columns["sizes"], np.diff(starts))
    ends = [columns["above"] + columns["tied"], columns["places"]]
    if any(len(end) and (end > size).any() for end in ends):
        raise InputError("an item stands below the last one of its query")
    if queries is not None and (
        queries.shape != (n_queries,) or not (queries[1:] > queries[:-1]).all()
    ):
        raise InputError("`queries` do not rise, or are not of the sizes")
    return {"queries": queries, "grades": grades, **columns}
