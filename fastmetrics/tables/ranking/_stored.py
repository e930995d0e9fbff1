"""The columns of a ranking table as members of a file, and back, checked."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._files import Members, as_json, of_json
from fastmetrics.errors import InputError

Column = NDArray[np.int64]
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
    if grades.dtype != np.float64 or grades.ndim != 1 or not _have_grades(grades):
        raise InputError("grades are not finite float64, or 0")
    lengths = {name: {n_queries} for name in _OF_QUERIES}
    lengths |= {"item_starts": {n_queries + 1}}
    lengths |= {name: {len(grades)} for name in _OF_ITEMS}
    lengths |= {name: {0, len(grades)} for name in _IF_KNOWN}
    for name, allowed in lengths.items():
        if len(columns[name]) not in allowed or (columns[name] < 0).any():
            raise InputError(f"`{name}` has another length, or is negative")
    if starts[0] != 0 or starts[-1] != len(grades) or (np.diff(starts) < 0).any():
        raise InputError("`item_starts` does not go with grades")
    counts, above, tied = np.diff(starts), columns["above"], columns["tied"]
    if sum(columns["sizes"].tolist()) >= 2**62 or (columns["judged"] < counts).any():
        raise InputError("queries of too many items, or with more than were judged")
    size = np.repeat(columns["sizes"], counts)
    parts = [(above, size), (tied, size - above), (columns["places"], size)]
    parts += [(columns["unjudged_above"], above), (columns["unjudged_tied"], tied)]
    parts += [(columns["unjudged_before"], columns["places"])]
    if any(len(part) and (part > whole).any() for part, whole in parts):
        raise InputError("an item stands below the last one of its query")
    if not _are_in_order(np.repeat(np.arange(n_queries), counts), above, tied):
        raise InputError("items of a query overlap, or are in another order")
    if queries is not None and (
        queries.shape != (n_queries,) or not (queries[1:] > queries[:-1]).all()
    ):
        raise InputError("`queries` do not rise, or are not of the sizes")
    return {"queries": queries, "grades": grades, **columns}


def _have_grades(grades: NDArray[np.float64]) -> bool:
    return bool((np.isfinite(grades) & (grades != 0)).all())


def _are_in_order(query: Column, above: Column, tied: Column) -> bool:
    """Return whether the items of each query follow one another, those of a tie being as many."""
    starts = np.ones(len(query), np.bool_)
    starts[1:] = (query[1:] != query[:-1]) | (above[1:] != above[:-1]) | (tied[1:] != tied[:-1])
    follows = (query[1:] != query[:-1]) | (above[1:] >= above[:-1] + tied[:-1])
    first = np.maximum.accumulate(np.where(starts, np.arange(len(query)), 0))
    is_one_of_tie = (tied == 0) | (np.arange(len(query)) - first < tied)
    return bool((follows | ~starts[1:]).all() and is_one_of_tie.all())
