"""The columns of a table: checked where they come from outside, and those of two tables united."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.containers import as_vector
from fastmetrics._input.scalars import check_same_length
from fastmetrics._input.scores import check_scores_array, refuse
from fastmetrics._input.weights import check_weights
from fastmetrics._kernels import merges
from fastmetrics.errors import InputError, InputTypeError

#: Scores, positives and negatives.
Columns = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]


def checked_columns(
    scores: Any, positives: Any, negatives: Any, allow_inf: bool = False
) -> Columns:
    """Return columns by descending score, equal scores merged, rows without weight left out."""
    if np.size(scores) == 0 == np.size(positives) == np.size(negatives):
        return _no_columns()
    scores = check_scores_array(scores, "scores", allow_inf=allow_inf)
    positives, negatives = checked_pair(positives, negatives)
    check_same_length(scores=scores, positives=positives, negatives=negatives)
    weighs = (positives != 0) | (negatives != 0)
    if not weighs.any():
        return _no_columns()
    if not weighs.all():
        scores, positives, negatives = scores[weighs], positives[weighs], negatives[weighs]
    if scores.dtype.kind == "f":
        scores = scores + scores.dtype.type(0)  # -0.0 becomes 0.0
    return in_order((scores, positives, negatives))


def rescaled(columns: Columns) -> tuple[Columns, int]:
    """Return columns whose sums and products stay in range, and the power of two that did it."""
    scores, positives, negatives = columns
    if positives.dtype.kind != "f" or not len(scores):
        return columns, 0
    values, _, exponent = check_weights(
        np.concatenate([positives, negatives]), 2 * len(scores), "positives, negatives"
    )
    if exponent == 0:
        return columns, 0
    return (scores, values[: len(scores)], values[len(scores) :]), exponent


def _no_columns() -> Columns:
    """Return the columns of an empty table: one of a kind, whatever did not weigh anything."""
    return np.empty(0), np.empty(0, np.int64), np.empty(0, np.int64)


def checked_pair(positives: Any, negatives: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the counts, or the weights, of both classes in one dtype."""
    p, n = checked_counts(positives, "positives"), checked_counts(negatives, "negatives")
    return (p, n) if p.dtype == n.dtype else (p.astype(np.float64), n.astype(np.float64))


def checked_counts(values: Any, name: str) -> NDArray[Any]:
    """Return counts as int64 or weights as float64."""
    array = as_vector(values, name)
    if array.dtype.kind not in "iuf":
        raise InputTypeError(
            f"`{name}` must be integers (counts) or floats (weights), got {array.dtype}"
        )
    if array.dtype.kind == "f":
        array = array.astype(np.float64)
        refuse(~np.isfinite(array), name, "must be finite:", array)
    refuse(array < 0, name, "must not be negative:", array)
    if array.dtype.kind != "f" and sum(array.tolist()) >= 2**63:  # Python integers: exact
        raise InputError(f"`{name}` must sum to less than 2**63")
    return array if array.dtype.kind == "f" else array.astype(np.int64)


def merged_columns(left: Columns, right: Columns) -> Columns:
    """Return the columns of both tables together; equal scores are added up.

    float32 and float64 merge to float64; of integers and floats, or int64 and uint64, no common
    dtype keeps the order exactly.
    """
    if len(left[0]) == 0 or len(right[0]) == 0:
        return left if len(right[0]) == 0 else right
    kinds = left[0].dtype, right[0].dtype
    if kinds[0] != kinds[1] and not all(kind.kind == "f" for kind in kinds):
        raise InputTypeError(
            f"tables with {kinds[0]} and with {kinds[1]} scores cannot be merged exactly: "
            "build both from one dtype"
        )
    if not (left[1].dtype.kind == "f" or right[1].dtype.kind == "f"):
        for mine, theirs, name in zip(left[1:], right[1:], ("positives", "negatives"), strict=True):
            if int(mine.sum()) + int(theirs.sum()) >= 2**63:
                raise OverflowError(f"the merged table would count 2**63 {name} or more")
    dtypes = [np.result_type(*pair) for pair in zip(left, right, strict=True)]
    both = [
        column.astype(dtype, copy=False)
        for side in (left, right)
        for column, dtype in zip(side, dtypes, strict=True)
    ]
    merged = [np.empty(len(left[0]) + len(right[0]), dtype) for dtype in dtypes]
    found = merges.merge_tables(*both, *merged)
    for column in merged:
        column.resize(found, refcheck=False)  # without a copy
    return merged[0], merged[1], merged[2]


def in_order(columns: Columns) -> Columns:
    """Return rows in the order of falling scores, those of equal ones added up.

    Of equal ones the last comes first. Sorted runs one after the other are merged: O(n).
    """
    order = np.argsort(columns[0], kind="stable")[::-1]
    scores, positives, negatives = (column[order] for column in columns)
    starts = first_places(scores)
    if len(starts) == len(scores):
        return scores, positives, negatives
    return scores[starts], np.add.reduceat(positives, starts), np.add.reduceat(negatives, starts)


def first_places(values: NDArray[Any]) -> NDArray[np.int64]:
    """Return where each distinct value of a sorted array begins."""
    is_first = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=is_first[1:])
    return np.flatnonzero(is_first)
