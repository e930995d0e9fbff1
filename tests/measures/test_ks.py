"""ks_statistic against its definition and scipy."""

from fractions import Fraction

import numpy as np
import pytest

from fastmetrics import ScoreTable, ks_statistic
from reference import roc_oracle


def check(result, rows):
    statistic, threshold, sign = roc_oracle.kolmogorov_smirnov(rows)
    assert result.statistic == float(statistic)
    assert (result.threshold, result.sign) == (threshold, sign)
    fpr, tpr = next((x, y) for t, x, y in roc_oracle.points(rows) if t == threshold)
    assert (result.false_positive_rate, result.true_positive_rate) == (float(fpr), float(tpr))


@pytest.mark.parametrize("size", [10**6, 10**10, 10**12, 2**61 - 1])
def test_injected_counts(size):
    # Two gaps that differ by less than float64 sees: the lower threshold's is the larger.
    positives = np.array([size - 1, 1, 1, size - 1], dtype=np.int64)
    negatives = np.array([0, 0, size, size], dtype=np.int64)
    table = ScoreTable(np.array([4.0, 3.0, 2.0, 1.0]), positives, negatives)
    rows = [
        (score, Fraction(p), Fraction(n))
        for score, p, n in zip(
            (4.0, 3.0, 2.0, 1.0), positives.tolist(), negatives.tolist(), strict=True
        )
    ]
    check(ks_statistic(table), rows)
    assert ks_statistic(table).threshold == 3.0


def test_of_equal_gaps_the_highest_threshold_wins():
    result = ks_statistic([1, 0, 1, 0], [4, 3, 2, 1])
    assert (result.statistic, result.threshold, result.sign) == (0.5, 4, 1)


def test_negative_gap():
    result = ks_statistic([0, 0, 1, 1], [4, 3, 2, 1])
    assert (result.statistic, result.threshold, result.sign) == (1.0, 3, -1)
    assert (result.true_positive_rate, result.false_positive_rate) == (0.0, 1.0)


def test_no_gap():
    result = ks_statistic([0, 1], [2.5, 2.5])
    assert (result.statistic, result.threshold, result.sign) == (0.0, 2.5, 0)
