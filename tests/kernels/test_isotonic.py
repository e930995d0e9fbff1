"""Pool adjacent violators, by the definition."""

from fractions import Fraction

import numpy as np
import pytest

from fastmetrics._kernels import hulls as kernels
from reference import corp_oracle


@pytest.mark.pairwise
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [1, 2, 5, 60])
def test_pool_adjacent(rng, weighted, n):
    for _ in range(20):
        scores = np.sort(rng.integers(0, n, n)).astype(float)
        values = rng.integers(-3, 4, n) * 0.5
        weights = rng.integers(0, 3, n) * 0.25 + (np.arange(n) == n // 2)
        ties = np.append(False, scores[1:] == scores[:-1])
        first, last = np.full((2, n), -1)
        sums, pooled = np.full((2, n), np.nan)
        given = weights if weighted else np.empty(0)
        count = kernels.pool_adjacent(values, given, ties, first, last, sums, pooled)
        rows = corp_oracle.points(values, scores, weights if weighted else None)
        fit = corp_oracle.isotonic(rows)
        fitted = dict(zip([score for score, _, _ in rows], fit, strict=True))
        starts = {float(scores[i]) for i in first[:count]}
        blocks = {value: [s for s, v in fitted.items() if v == value] for value in set(fit)}
        assert starts == {min(block) for block in blocks.values()}
        assert [float(scores[i]) for i in last[:count]] == sorted(map(max, blocks.values()))
        means = [Fraction(s) / Fraction(w) for s, w in zip(sums, pooled, strict=True) if w == w]
        assert means[:count] == sorted(blocks)


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
