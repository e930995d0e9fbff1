"""Naive twins of the kernels that leave rows out, and add up what that makes of a measure.

Pairs of calls as in ``curves.py``: the same values and sums by NumPy, a pass for each step.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.speed.data import Data
from benchmarks.speed.twins.curves import Pair
from fastmetrics._kernels.replicates import replicate_pairs


def affine(data: Data) -> Pair:
    own, found = (data.labels == 1).astype(np.int64), np.empty(len(data.labels))
    ends = np.cumsum(own)

    def ours() -> tuple[Any, ...]:
        replicate_pairs.affine(own, ends, -1.0, 1e9, 0.25, 1e-9, found)
        return (found,)

    return ours, lambda: ((1e9 + 0.25 - ends - own / 2) * 1e-9,)


def best_of_two(data: Data) -> Pair:
    keys = np.cumsum(np.where(data.labels == 1, 3, -1))
    other = np.append(0, keys[:-1])
    best = np.empty(len(keys) - 1, np.int64)

    def ours() -> tuple[Any, ...]:
        replicate_pairs.best_of_two(keys, other, best)
        return (np.where(best > len(best), other[best - len(keys)], keys[best % len(keys)]),)

    def twin() -> tuple[Any, ...]:
        from_end = np.maximum.accumulate(other[:0:-1])[::-1]
        return (np.maximum(np.maximum.accumulate(keys)[:-1], from_end),)

    return ours, twin


def gaps(data: Data) -> Pair:
    tp, fp = np.cumsum(data.labels == 1), np.cumsum(data.labels != 1)
    found = np.empty(len(tp))

    def ours() -> tuple[Any, ...]:
        replicate_pairs.gaps(tp, fp, int(tp[-1]), int(fp[-1]), found)
        return (found,)

    return ours, lambda: (np.abs(tp / tp[-1] - fp / fp[-1]),)


def steps_without(data: Data) -> Pair:
    tp, fp = np.cumsum(data.labels == 1), np.cumsum(data.labels != 1)
    found = np.empty((2, len(tp)))
    mean = float(np.sum((data.labels == 1) * (tp / (tp + fp)))) / float(tp[-1])

    def ours() -> tuple[Any, ...]:
        replicate_pairs.steps_without(tp, fp, mean, False, *found)
        return (found,)

    def twin() -> tuple[Any, ...]:
        called, gain = (tp + fp).astype(np.float64), np.diff(tp, prepend=0)
        rest = np.maximum(called * (called - 1.0), 1.0)
        changes = (np.where(called > 1, part / rest, 1.0 - tp) for part in (-fp, tp))
        of_p, of_n = (np.cumsum((gain * change)[::-1])[::-1] for change in changes)
        own = np.where(called > 1, (tp - 1) / np.maximum(called - 1.0, 1.0), 1.0)
        return (np.stack((mean - own + of_p, of_n)),)

    return ours, twin


def extent(data: Data) -> Pair:
    """Leave-one-out values of the weights' size, those of one class counting once."""
    values, counts = data.weights, (data.labels == 1).astype(np.int64)

    def ours() -> tuple[Any, ...]:
        found = np.array([math.inf, -math.inf, 0.0, 0.0])
        replicate_pairs.extent(values, counts, 0.5, found)
        return (found,)

    def twin() -> tuple[Any, ...]:
        less = values[counts > 0] - 0.5
        return (np.array([less.min(), less.max(), less.sum(), len(less)]),)

    return ours, twin


def central_sums(data: Data) -> Pair:
    values, counts = data.weights, (data.labels == 1).astype(np.int64)

    def ours() -> tuple[Any, ...]:
        found = np.zeros(2)
        replicate_pairs.central_sums(values, counts, 0.5, 3.0, 0.1, found)
        return (found,)

    def twin() -> tuple[Any, ...]:
        u = 0.1 * (3.5 - values)
        return (np.array([(counts * u**2).sum(), (counts * u**3).sum()]),)

    return ours, twin


TWINS: dict[Callable[[Data], Pair], tuple[tuple[str, ...], bool]] = {
    affine: (("replicate_pairs:affine",), False),
    best_of_two: (("replicate_pairs:best_of_two",), False),
    gaps: (("replicate_pairs:gaps",), False),
    steps_without: (("replicate_pairs:steps_without",), False),
    extent: (("replicate_pairs:extent",), False),
    central_sums: (("replicate_pairs:central_sums",), False),
}
