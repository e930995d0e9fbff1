"""Batches of rows, class by class, and the run that comes of several."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.rows import BinaryRows
from fastmetrics._input.scores import check_finite
from fastmetrics._kernels import merges
from fastmetrics.errors import InputTypeError
from fastmetrics.tables.runs._columns import SortedColumn


def classes_of(rows: BinaryRows) -> list[tuple[NDArray[Any], NDArray[np.int64] | None]]:
    """Return the scores of positives and of negatives, with the rows they stand for if not one."""
    check_finite(rows.scores, "y_score", rows.allow_inf)
    if rows.weights is None:
        n = len(rows.scores)
        split = np.empty(n + 1, rows.scores.dtype), np.empty(n + 1, rows.scores.dtype)
        sizes = merges.split_classes(rows.scores, rows.labels, rows.negative, *split)
        if sum(sizes) != n:
            return classes_of(rows.recheck())
        return [(each[:size].copy(), None) for each, size in zip(split, sizes, strict=True)]
    rows = rows.recheck()
    counts = np.asarray(rows.weights).astype(np.int64)
    has = [(rows.labels == label) & (counts > 0) for label in (1, rows.negative)]
    return [(rows.scores[each], counts[each]) for each in has]


def rows_of(scores: NDArray[Any], counts: NDArray[np.int64] | None) -> int:
    """Return how many rows they are."""
    return len(scores) if counts is None else int(counts.sum())


def sorted_column(
    parts: list[tuple[NDArray[Any], NDArray[np.int64] | None]],
) -> SortedColumn | None:
    """Return the column of the rows of one class that waited; None where there are none."""
    parts = [part for part in parts if len(part[0])]
    if not parts:
        return None
    scores = np.concatenate([part[0] for part in parts])
    if all(counts is None for _, counts in parts):
        return SortedColumn.of_scores(scores)
    counts = [np.ones(len(s), np.int64) if c is None else c for s, c in parts]
    if scores.dtype.kind == "f":
        scores += scores.dtype.type(0)  # -0.0 becomes 0.0
    return SortedColumn.of_counts(scores, np.concatenate(counts))


def common_dtype(mine: np.dtype[Any] | None, theirs: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype of both, or raise where none keeps the order of all scores."""
    if mine is None or mine == theirs:
        return theirs
    if mine.kind != "f" or theirs.kind != "f":
        raise InputTypeError(
            f"scores of {mine} and of {theirs} cannot be merged exactly: take one dtype for all"
        )
    return np.dtype(np.float64)
