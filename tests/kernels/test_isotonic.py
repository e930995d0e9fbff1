"""Squares that isotonic recalibration saves, by the definition."""

import numpy as np
import pytest

from fastmetrics._kernels import hulls as kernels


@pytest.mark.parametrize("n_blocks", [1, 7, 40])
def test_squares_lost(rng, n_blocks):
    """Of each row, the squared errors of its probability less those of its block's share."""
    p, rows = rng.integers(0, 9, 40) / 8, rng.integers(1, 5, 40)
    positives = rng.integers(0, rows + 1)
    ends = np.append(np.sort(rng.choice(39, n_blocks - 1, replace=False)), 39)
    shares = rng.integers(0, 9, n_blocks) / 8  # eighths: all is exact
    lost = np.empty(40)
    kernels.squares_lost(p, rows, positives, ends, shares, lost)
    share = np.repeat(shares, np.diff(ends, prepend=-1))
    negatives = rows - positives
    both = [positives * (1 - one) ** 2 + negatives * one**2 for one in (p, share)]
    assert lost.tolist() == (both[0] - both[1]).tolist()
