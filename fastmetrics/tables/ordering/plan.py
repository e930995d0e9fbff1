"""How scores map to ordered buckets: decided by a sample of them.

An even range map where the scores are spread well enough, else the sample's quantiles as
splitters, each with a bucket of its own for the scores equal to it, which makes the map immune to
any distribution.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Rows aimed at in a bucket: its two streams and their leaves then stay in a 1 MiB L2 cache.
BUCKET_ROWS = 32_768
#: More buckets than this and their buffers no longer fit the L2 cache while scattering.
MOST_BUCKETS = 256
#: Cells of the range map: uint16 entries that stay in the L1 cache.
N_CELLS = 8_192
#: A cell with more than this many times a bucket's share of the sample calls for splitters.
HEAVY_CELL = 3
SAMPLE_ROWS = 16_384
#: The golden ratio times 2**32: its multiples, modulo 2**32, are evenly spread.
_WEYL = np.uint32(2_654_435_769)


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """How scores map to buckets; ``lows`` and ``highs`` are the rough ends of each bucket."""

    by_range: bool
    low: float
    scale: float
    bucket_of_cell: NDArray[np.uint16]
    splitters: NDArray[Any]
    tree: NDArray[Any]
    lows: NDArray[np.float64]
    highs: NDArray[np.float64]
    holds_one_score: NDArray[np.bool_]

    @property
    def n_buckets(self) -> int:
        """Number of buckets, empty ones included."""
        return len(self.lows)


def _sorted_sample(scores: NDArray[Any]) -> NDArray[Any]:
    """Return evenly spread, jittered and sorted sample rows: a function of the data alone."""
    n = len(scores)
    size = min(n, SAMPLE_ROWS, max(1_024, n // 32))
    steps = np.arange(size, dtype=np.uint32)
    jitter = (steps * _WEYL) * 2.0**-32
    at = ((steps + jitter) * (n / size)).astype(np.int64)
    sample = scores[np.minimum(at, n - 1)]
    if sample.dtype.kind == "f":
        sample = sample[np.isfinite(sample)]
    sample.sort()
    return sample


def plan_buckets(scores: NDArray[Any]) -> Plan:
    """Return the bucket map for these scores (from ``BUCKET_ROWS`` rows up)."""
    n_buckets = min(MOST_BUCKETS, max(2, len(scores) // BUCKET_ROWS))
    return plan_of_sample(_sorted_sample(scores), n_buckets)


def plan_of_sample(sample: NDArray[Any], n_buckets: int, *, even: bool = True) -> Plan:
    """Return the map to about so many buckets, from a sorted sample; not ``even``: by splitters."""
    plan = _range_plan(sample, n_buckets) if even else None
    return plan or _splitter_plan(sample, n_buckets, sample.dtype)


def _range_plan(sample: NDArray[Any], n_buckets: int) -> Plan | None:
    """Return the even range map, or None where it would leave too much in one cell."""
    if len(sample) < n_buckets:
        return None
    as_float = sample.astype(np.float64)
    low, span = float(as_float[0]), float(as_float[-1]) - float(as_float[0])
    if not 0.0 < span < np.inf or not np.isfinite(N_CELLS / span):
        return None
    scale = N_CELLS / span
    cell = np.clip((as_float - low) * scale, 0, N_CELLS - 1).astype(np.int64)
    in_cell = np.bincount(cell, minlength=N_CELLS)
    before = np.cumsum(in_cell) - in_cell
    if in_cell.max() > HEAVY_CELL * len(sample) / n_buckets:
        return None
    bucket = np.minimum(before * n_buckets // len(sample), n_buckets - 1)
    edges = np.searchsorted(bucket, np.arange(n_buckets + 1))
    ends = low + edges / scale
    return Plan(
        by_range=True,
        low=low,
        scale=scale,
        bucket_of_cell=bucket.astype(np.uint16),
        splitters=sample[:1],
        tree=sample[:1],
        lows=ends[:-1],
        highs=ends[1:],
        holds_one_score=np.zeros(n_buckets, np.bool_),
    )


def _splitter_plan(sample: NDArray[Any], n_buckets: int, dtype: np.dtype[Any]) -> Plan:
    """Return the map by splitters; odd buckets hold the scores equal to a splitter."""
    if len(sample) == 0:  # nothing finite: any one splitter serves
        sample = np.zeros(1, dtype)
    size = (1 << int(n_buckets - 1).bit_length()) - 1
    quantiles = np.unique(sample[(np.arange(1, size + 1) * len(sample)) // (size + 1)])
    splitters = np.concatenate([quantiles, np.repeat(quantiles[-1:], size - len(quantiles))])
    ends = np.empty(2 * size + 2)
    ends[1:-1:2] = splitters
    ends[2::2] = splitters
    ends[0], ends[-1] = sample[0], sample[-1]
    single = np.zeros(2 * size + 1, np.bool_)
    single[1::2] = True
    return Plan(
        by_range=False,
        low=0.0,
        scale=0.0,
        bucket_of_cell=np.arange(2 * size + 1, dtype=np.uint16),
        splitters=np.append(splitters, splitters[-1]),
        tree=_search_tree(splitters),
        lows=ends[:-1].copy(),
        highs=ends[1:].copy(),
        holds_one_score=single,
    )


def _search_tree(splitters: NDArray[Any]) -> NDArray[Any]:
    """Return sorted splitters, a power of two less one, as an implicit tree rooted at index 1."""
    size = len(splitters) + 1
    tree = np.empty(size, splitters.dtype)
    tree[0] = splitters[0]
    width = 1
    while width < size:
        step = size // (2 * width)
        tree[width : 2 * width] = splitters[step - 1 :: 2 * step]
        width *= 2
    return tree
