"""Naive twins of the kernels that pool neighbours into blocks: convex hulls, isotonic fits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed.data import Data
from benchmarks.speed.twins.curves import Pair, columns
from fastmetrics._kernels import hulls


def _hull_by_numpy(positives: NDArray[Any], negatives: NDArray[Any]) -> tuple[Any, ...]:
    """Return the blocks of the hull: from each vertex on to the last of the steepest points."""
    tp, fp = (np.append(0.0, np.cumsum(column)) for column in (positives, negatives))
    ends = [0]
    while ends[-1] < len(positives):
        here = ends[-1]
        angles = np.arctan2(tp[here + 1 :] - tp[here], fp[here + 1 :] - fp[here])
        ends.append(len(tp) - 1 - int(np.argmax(angles[::-1] >= angles.max() - 1e-15)))
    return np.array(ends[1:]) - 1, np.diff(tp[ends]), np.diff(fp[ends])


def upper_hull(data: Data) -> Pair:
    """Cover the kernels of hulls: of counts, and of weights."""
    _, positives, negatives = columns(data)
    weights = positives.astype(np.float64), negatives.astype(np.float64)

    def blocks(pool: Callable[..., int], *columns: NDArray[Any], more: Any = ()) -> Any:
        n, dtype = len(columns[0]), columns[0].dtype
        found = np.empty(n, np.int64), np.empty(n, dtype), np.empty(n, dtype)
        count = pool(*columns, *found, *more)
        return tuple(column[:count] for column in found)

    def ours() -> tuple[Any, ...]:
        small = blocks(hulls.upper_hull, positives, negatives)
        weighted = blocks(hulls.upper_hull_of_weights, *weights, more=(1.0 + 2.0**-40,))
        for column, sums in zip(weights, weighted[1:], strict=True):
            hulls.sums_of_blocks(column, weighted[0], sums)
        return *small, *weighted

    def twin() -> tuple[Any, ...]:
        return 2 * _hull_by_numpy(positives, negatives)

    return ours, twin


def squares_lost(data: Data) -> Pair:
    n = len(data.labels)
    p, positives = np.arange(n) / n, data.labels.astype(np.int64)
    rows, ends = np.ones(n, np.int64), np.append(np.arange(9, n - 1, 10), n - 1)
    shares = ends / n

    def ours() -> tuple[Any, ...]:
        lost = np.empty(n)
        hulls.squares_lost(p, rows, positives, ends, shares, lost)
        return (lost,)

    def twin() -> tuple[Any, ...]:
        share = np.repeat(shares, np.diff(ends, prepend=-1))
        return ((p - positives) ** 2 - (share - positives) ** 2,)

    return ours, twin


#: The kernels covered by each pair of calls, and whether the twin visits every pair of rows.
TWINS: dict[Callable[[Data], Pair], tuple[tuple[str, ...], bool]] = {
    squares_lost: (("hulls:squares_lost",), False),
    upper_hull: (
        (
            "hulls:upper_hull",
            "hulls:upper_hull_of_weights",
            "hulls:sums_of_blocks",
        ),
        False,
    ),
}
