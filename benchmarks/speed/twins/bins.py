"""Naive twin of the kernels that count rows into bins: a binary search for each row.

Pairs of calls as in ``curves.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.speed.data import Data
from benchmarks.speed.twins.curves import Pair
from fastmetrics._kernels import buckets
from fastmetrics.streams import BinLayout

N_BINS = 4096
MOST = float(np.finfo(np.float64).max)


def count_rows(data: Data) -> Pair:
    """Cover both kinds of cells: the bins are the same, about the ends or about 0."""
    layout = BinLayout.learn(data.scores[:20_000], n_bins=N_BINS)
    labels = np.ascontiguousarray(data.labels == 1).view(np.int8)
    edges, (_, first_edges, padded) = layout.edges, layout._search
    low, high = float(edges[0]), float(edges[-1])
    half = (len(first_edges) - 1) // 2
    tops = [int(np.float64(reach).view(np.int64)) >> 42 for reach in (high - low, abs(low) + high)]
    cells = [
        np.array([low / 2 + high / 2, low, high, 1.0, 42, tops[0] - half + 1]),
        np.array([0.0, 0.0, 0.0, -1.0, 42, tops[1] - half + 1]),
    ]
    starts = []
    for numbers in cells:
        cell = np.empty(len(edges), np.int32)
        buckets.octave_cells(edges, numbers, 2 * half - 1, np.empty(len(edges)), cell)
        starts.append(np.searchsorted(cell, np.arange(2 * half + 1)).astype(np.uint16))
    no_weights = np.empty(0, np.int64)

    def ours() -> tuple[Any, ...]:
        found = []
        for numbers, first in zip(cells, starts, strict=True):
            counts, seen = np.zeros(2 * layout.n_bins, np.int64), np.full(layout.n_bins, np.nan)
            rest = counts, seen, np.ones(layout.n_bins, np.uint8)
            buckets.count_rows(data.scores, labels, no_weights, numbers, first, padded, *rest)
            found.append(counts)
        return (*found, buckets.is_clean(data.scores, labels, 0, MOST))

    def twin() -> tuple[Any, ...]:
        at = np.searchsorted(edges, data.scores, side="right")
        counts = np.bincount(2 * at + labels, minlength=2 * layout.n_bins)
        return counts, counts, bool(np.isfinite(data.scores).all() and (labels >> 1 == 0).all())

    return ours, twin


def least_precision_sums(data: Data) -> Pair:
    """Cover the sums of precisions: by harmonic numbers, or term by term."""
    layout = BinLayout.learn(data.scores[:20_000], n_bins=64)
    at = layout.bins(data.scores)
    positives, negatives = (
        np.bincount(at[where], minlength=layout.n_bins)[::-1].astype(np.float64)
        for where in (data.labels == 1, data.labels != 1)
    )
    before, others = np.cumsum(positives) - positives, np.cumsum(negatives)

    def ours() -> tuple[Any, ...]:
        out = np.empty(len(positives))
        buckets.least_precision_sums(positives, before, others, out)
        return (out,)

    def twin() -> tuple[Any, ...]:
        sums = []
        for p, a, c in zip(positives, before, others, strict=True):
            i = np.arange(1.0, p + 1)
            sums.append(((a + i) / (a + i + c)).sum())
        return (np.array(sums),)

    return ours, twin


#: The kernels covered by each pair of calls, and whether the twin visits every pair of rows.
TWINS: dict[Callable[[Data], Pair], tuple[tuple[str, ...], bool]] = {
    count_rows: (
        (
            "buckets:count_rows",
            "buckets:bin_numbers",
            "buckets:octave_cells",
            "buckets:is_clean",
        ),
        False,
    ),
    least_precision_sums: (("buckets:least_precision_sums",), False),
}
