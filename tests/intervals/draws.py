"""Counts that the bootstrap drew, for tests that compute its replicates anew."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import seed_key
from fastmetrics.inference.bootstrap._samples import Draws, cell_counts
from fastmetrics.inference.bootstrap.paired import _coins


def times_drawn(key: str, n_units: int, count: int, positive: Any = None) -> NDArray[Any]:
    """Return how often each unit came in each replicate, (count, n_units); strata by `positive`."""
    padded = -(-n_units // 8) * 8
    masks = None
    if positive is not None:
        masks = np.zeros(padded, np.uint8)
        masks[:n_units] = np.where(positive, 255, 0)
    draws = Draws(seed_key(key), n_units, masks)
    counts = np.empty((count, padded), np.uint8)
    draws.counts(0, draws.totals(0, count), np.arange(draws.n_windows), counts)
    return counts[:, :n_units].astype(np.int64)


def cells_drawn(key: str, cells: Any, count: int, **options: Any) -> NDArray[Any]:
    """Return how many rows of each cell came in each replicate."""
    return cell_counts(seed_key(key), cells, 0, count, **options)


def coins_tossed(key: str, count: int, n_units: int) -> NDArray[np.uint8]:
    """Return the coin of each unit in each exchange of a permutation test."""
    words = np.stack([_coins(seed_key(key), r, n_units) for r in range(count)])
    return np.unpackbits(words.view(np.uint8), axis=1, count=n_units, bitorder="little")
