"""Hits among the k highest scores, beside sorted rows."""

import numpy as np
import pytest

from fastmetrics._kernels import cells as kernels
from reference import probability_oracle as oracle

RULES = {
    "last": kernels.LAST,
    "first": kernels.FIRST,
    "best": kernels.BEST,
    "worst": kernels.WORST,
    "expected": kernels.EXPECTED,
}


@pytest.mark.pairwise
@pytest.mark.parametrize("ties", RULES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.uint64])
@pytest.mark.parametrize("weighted", [False, True])
def test_hits(rng, ties, dtype, weighted):
    codes = rng.integers(0, 4, 20)
    scores = rng.integers(0, 3, (20, 4)).astype(dtype)
    weights = rng.integers(0, 4, 20) / 4 if weighted else np.empty(0)
    for k in (1, 2, 3, 4):
        sums, counts, rows = np.empty(2), np.empty(2, np.int64), np.empty(4, np.int64)
        kernels.top_k_hits(codes - 1, -1, scores, weights, k, RULES[ties], sums, counts, rows)
        given = weights.tolist() if weighted else None
        want = oracle.top_k(codes.tolist(), scores.tolist(), k, ties, given, normalize=False)
        assert sums.sum() == pytest.approx(float(want), rel=1e-14)
        assert counts.tolist() == [20, 0]
        assert rows.tolist() == np.bincount(codes, minlength=4).tolist()


def test_faults_are_counted():
    scores = np.array([[0.1, np.nan, np.inf], [0.1, 0.2, 0.3], [1.0, 0.0, -np.inf]])
    sums, counts, rows = np.empty(2), np.empty(2, np.int64), np.empty(3, np.int64)
    codes = np.array([0, 3, 1])
    with np.errstate(invalid="ignore"):
        kernels.top_k_hits(codes, 0, scores, np.empty(0), 1, kernels.LAST, sums, counts, rows)
    assert counts.tolist() == [2, 3]
    assert rows.tolist() == [1, 1, 0]


def test_large_integers_are_not_rounded():
    scores = np.array([[2**53, 2**53 + 1]])
    sums, counts, rows = np.empty(2), np.empty(2, np.int64), np.empty(2, np.int64)
    for code, hits in ((0, 0.0), (1, 1.0)):
        codes = np.array([code])
        kernels.top_k_hits(codes, 0, scores, np.empty(0), 1, kernels.BEST, sums, counts, rows)
        assert sums[0] == hits
