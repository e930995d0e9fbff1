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
from fastmetrics._kernels.replicates import leave_one_out


def affine(data: Data) -> Pair:
    own, found = (data.labels == 1).astype(np.int64), np.empty(len(data.labels))
    ends = np.cumsum(own)

    def ours() -> tuple[Any, ...]:
        leave_one_out.affine(own, ends, -1.0, 1e9, 0.25, 1e-9, found)
        return (found,)

    return ours, lambda: ((1e9 + 0.25 - ends + own / 2) * 1e-9,)


def best_of_two(data: Data) -> Pair:
    keys = np.cumsum(np.where(data.labels == 1, 3, -1))
    other = np.append(0, keys[:-1])
    best = np.empty(len(keys) - 1, np.int64)

    def ours() -> tuple[Any, ...]:
        leave_one_out.best_of_two(keys, other, best)
        return (np.where(best > len(best), other[best - len(keys)], keys[best % len(keys)]),)

    def twin() -> tuple[Any, ...]:
        from_end = np.maximum.accumulate(other[:0:-1])[::-1]
        return (np.maximum(np.maximum.accumulate(keys)[:-1], from_end),)

    return ours, twin


def steps_without(data: Data) -> Pair:
    tp, fp = np.cumsum(data.labels == 1), np.cumsum(data.labels != 1)
    found = np.empty((2, len(tp)))
    mean = float(np.sum((data.labels == 1) * (tp / (tp + fp)))) / float(tp[-1])

    def ours() -> tuple[Any, ...]:
        leave_one_out.steps_without(tp, fp, *found)
        return (found,)

    def twin() -> tuple[Any, ...]:
        called, gain = (tp + fp).astype(np.float64), np.diff(tp, prepend=0)
        rest = np.maximum(called * (called - 1.0), 1.0)
        changes = (np.where(called > 1, part / rest, 1.0 - tp) for part in (-fp, tp))
        of_p, of_n = (np.cumsum((gain * change)[::-1])[::-1] for change in changes)
        own = np.where(called > 1, (tp - 1) / np.maximum(called - 1.0, 1.0), 1.0)
        return (np.stack(((mean - own + of_p) / (tp[-1] - 1), of_n / tp[-1])),)

    return ours, twin


def segments_without(data: Data) -> Pair:
    """The areas of all segments five times: as they are, and with one less at four places."""
    positives, negatives = data.labels == 1, data.labels != 1
    tp, fp = np.cumsum(positives), np.cumsum(negatives)
    found = np.empty((2, len(tp)))

    def ours() -> tuple[Any, ...]:
        leave_one_out.segments_without(tp, fp, *found)
        return (found,)

    def areas(t: Any, f: Any, p: Any, n: Any) -> Any:
        t, f, called = np.maximum(t, 0), np.maximum(f, 0), np.maximum(t, 0) + np.maximum(f, 0)
        x = (p + n) / np.maximum(called, 1)
        share = p / np.maximum(p + n, 1)
        inside = share * (t * np.log1p(x) + share * called * (x - np.log1p(x)))
        return np.where(called > 0, inside, share * p) * (p > 0)

    def twin() -> tuple[Any, ...]:
        t, f, p, n = tp - positives, fp - negatives, positives.astype(float), negatives * 1.0
        terms = areas(t, f, p, n)
        below = (areas(t - 1, f, p, n) - terms, areas(t, f - 1, p, n) - terms)
        of_p, of_n = (np.append(np.cumsum(change[:0:-1])[::-1], 0.0) for change in below)
        lost = terms - areas(t, f, p - 1, n)
        own = np.where(n > 0, areas(t, f, p, n - 1) - terms, 0.0)
        mean = terms.sum() / tp[-1]
        return (np.stack(((mean - lost + of_p) / (tp[-1] - 1), (of_n + own) / tp[-1])),)

    return ours, twin


def extent(data: Data) -> Pair:
    """Leave-one-out values of the weights' size, those of one class counting once."""
    values, counts = data.weights, (data.labels == 1).astype(np.int64)

    def ours() -> tuple[Any, ...]:
        found = np.array([math.inf, -math.inf, 0.0, 0.0])
        leave_one_out.extent(values, counts, 0.5, found)
        return (found,)

    def twin() -> tuple[Any, ...]:
        less = values[counts > 0] - 0.5
        return (np.array([less.min(), less.max(), less.sum(), len(less)]),)

    return ours, twin


def central_sums(data: Data) -> Pair:
    values, counts = data.weights, (data.labels == 1).astype(np.int64)

    def ours() -> tuple[Any, ...]:
        found = np.zeros(2)
        leave_one_out.central_sums(values, counts, 0.5, 3.0, 0.1, found)
        return (found,)

    def twin() -> tuple[Any, ...]:
        u = 0.1 * (3.5 - values)
        return (np.array([(counts * u**2).sum(), (counts * u**3).sum()]),)

    return ours, twin


TWINS: dict[Callable[[Data], Pair], tuple[tuple[str, ...], bool]] = {
    affine: (("leave_one_out:affine",), False),
    best_of_two: (("leave_one_out:best_of_two",), False),
    steps_without: (("leave_one_out:steps_without",), False),
    segments_without: (
        tuple(
            f"leave_one_out:{name}"
            for name in ("segments_without", "segment_area", "continuous_area")
        ),
        False,
    ),
    extent: (("leave_one_out:extent",), False),
    central_sums: (("leave_one_out:central_sums",), False),
}
