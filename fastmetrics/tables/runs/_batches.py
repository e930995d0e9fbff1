"""Batches of rows, class by class, and the run that comes of several."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.rows import BinaryRows
from fastmetrics._input.scores import check_finite
from fastmetrics.errors import InputTypeError
from fastmetrics.tables.runs._columns import SortedColumn
from fastmetrics.tables.scores._distinct import split_by_class, unsign_zeros

#: Scores of one class, and how many rows each stands for; None: one.
Part = tuple[NDArray[Any], NDArray[np.int64] | None]
#: Of positives, and of negatives.
Batch = tuple[Part, Part]


def classes_of(rows: BinaryRows) -> Batch:
    """Return the scores of positives and of negatives, with the rows they stand for if not one."""
    check_finite(rows.scores, "y_score", rows.allow_inf)
    if rows.weights is None:
        positives, negatives = split_by_class(rows)
        if len(positives) + len(negatives) != len(rows.scores):
            return classes_of(rows.recheck())
        return (positives.copy(), None), (negatives.copy(), None)
    rows = rows.recheck()
    counts = np.asarray(rows.weights).astype(np.int64)
    positive, negative = ((rows.labels == one) & (counts > 0) for one in (1, rows.negative))
    return (rows.scores[positive], counts[positive]), (rows.scores[negative], counts[negative])


def rows_of(scores: NDArray[Any], counts: NDArray[np.int64] | None) -> int:
    """Return how many rows they are."""
    return len(scores) if counts is None else int(counts.sum())


def bytes_of(parts: Batch) -> int:
    """Return the bytes of a batch."""
    return sum(each.nbytes for part in parts for each in part if each is not None)


def sorted_column(parts: list[Part]) -> SortedColumn | None:
    """Return the column of the rows of one class that waited; None where there are none."""
    parts = [part for part in parts if len(part[0])]
    if not parts:
        return None
    scores = np.concatenate([part[0] for part in parts])
    if all(counts is None for _, counts in parts):
        return SortedColumn.of_scores(scores)
    counts = [np.ones(len(s), np.int64) if c is None else c for s, c in parts]
    unsign_zeros(scores)
    return SortedColumn.of_counts(scores, np.concatenate(counts))


@cache
def integers_of(came: frozenset[np.dtype[Any]]) -> np.dtype[Any] | None:
    """Return the dtype of scores that came in these, if it is int64 or uint64; None: of floats.

    Integers of fewer bytes, and booleans, are kept as the floats that they are. Raises where no
    dtype holds all scores.
    """
    found: np.dtype[Any] | None = None
    ordered = sorted(came, key=str)
    for wide in filter(_is_wide, ordered):
        for other in ordered:
            if not _is_wide(found := np.result_type(wide, other)):
                raise InputTypeError(
                    f"scores of {wide} and of {other} cannot be merged exactly: take one dtype "
                    "for all"
                )
    return found


def _is_wide(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "iu" and dtype.itemsize == 8


def of_dtype(parts: Batch, dtype: np.dtype[Any]) -> Batch:
    """Return a batch whose scores, if they are to be integers, are."""
    if dtype.kind == "f":
        return parts
    (one, counts), (other, more) = parts
    return (one.astype(dtype, copy=False), counts), (other.astype(dtype, copy=False), more)


def merged_counts(columns: list[SortedColumn]) -> list[SortedColumn]:
    """Return columns with those of counts merged, if the others of them match the largest.

    So each entry is merged as often as sizes double, and what recurs takes its room once.
    """
    held = [column for column in columns if column.scores is not None and column.has_counts]
    sizes = sorted(column.size for column in held)
    if len(held) < 2 or sum(sizes[:-1]) < sizes[-1]:
        return columns
    scores = np.concatenate([c.scores for c in held if c.scores is not None])
    counts = np.concatenate([c.counts for c in held if c.counts is not None])
    others = [column for column in columns if column.scores is None or not column.has_counts]
    return [*others, SortedColumn.of_counts(scores, counts)]
