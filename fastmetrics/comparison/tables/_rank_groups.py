"""Algorithms that do not differ: the bars of a critical-difference diagram."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def groups_on_rank_line(
    mean_ranks: Sequence[float], differs: NDArray[np.bool_]
) -> tuple[tuple[int, ...], ...]:
    """Return the largest runs of algorithms, in the order of their ranks, with no two that differ.

    Parameters
    ----------
    mean_ranks : sequence of k floats
        Positions on the line; of equal ones, the first comes first.
    differs : ndarray of bool, shape (k, k)
        Symmetric: whether two algorithms differ significantly.

    Returns
    -------
    tuple of tuples of int
        Positions in `mean_ranks`, from the best group to the worst; every algorithm is in one
        group at least, alone if need be, and no group is part of another.
    """
    order = np.argsort(np.asarray(mean_ranks), kind="stable")
    k = len(order)
    groups = []
    reached = 0
    for start in range(k):
        end = start + 1
        while end < k and not differs[order[end], order[start:end]].any():
            end += 1
        if end > reached:  # else it lies inside the group before
            groups.append(tuple(order[start:end].tolist()))
            reached = end
    return tuple(groups)
