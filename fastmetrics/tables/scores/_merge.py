"""The union of two sets of table columns: what ``ScoreTable + ScoreTable`` is made of."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics.errors import InputTypeError

Columns = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]


def merged_columns(left: Columns, right: Columns) -> Columns:
    """Return the columns of both tables together; equal scores are added up.

    Raises
    ------
    TypeError
        If the scores of one are integers and of the other floats, or int64 and uint64: no
        common dtype keeps their order exactly. float32 and float64 merge to float64.
    OverflowError
        If a class would count 2**63 examples or more.
    """
    if len(left[0]) == 0 or len(right[0]) == 0:
        return left if len(right[0]) == 0 else right
    kinds = left[0].dtype, right[0].dtype
    if kinds[0] != kinds[1] and not all(kind.kind == "f" for kind in kinds):
        raise InputTypeError(
            f"tables with {kinds[0]} and with {kinds[1]} scores cannot be merged exactly: "
            "build both from one dtype"
        )
    weighted = left[1].dtype.kind == "f" or right[1].dtype.kind == "f"
    if not weighted:
        for mine, theirs, name in (
            (left[1], right[1], "positives"),
            (left[2], right[2], "negatives"),
        ):
            if int(mine.sum()) + int(theirs.sum()) >= 2**63:
                raise OverflowError(f"the merged table would count 2**63 {name} or more")
    scores = np.concatenate([left[0], right[0]])
    order = np.argsort(scores, kind="stable")[::-1]  # two sorted runs: a merge, O(n)
    return summed_by_score(
        scores[order],
        np.concatenate([left[1], right[1]])[order],
        np.concatenate([left[2], right[2]])[order],
    )


def summed_by_score(
    scores: NDArray[Any], positives: NDArray[Any], negatives: NDArray[Any]
) -> Columns:
    """Add up rows of equal score in columns sorted by descending score."""
    is_first = np.ones(len(scores), np.bool_)
    is_first[1:] = scores[1:] != scores[:-1]
    starts = np.flatnonzero(is_first)
    if len(starts) == len(scores):
        return scores, positives, negatives
    return scores[starts], np.add.reduceat(positives, starts), np.add.reduceat(negatives, starts)
