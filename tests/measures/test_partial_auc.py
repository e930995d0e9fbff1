"""partial_auc against polygons cut in rational numbers."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from roc_samples import samples

from fastmetrics import ScoreTable, partial_auc
from fastmetrics.errors import UndefinedMetricWarning
from reference import roc_oracle

RANGES = st.tuples(
    st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.25, 0.5])),
    st.one_of(st.floats(0, 1), st.sampled_from([0.5, 0.75, 1.0])),
).filter(lambda ends: ends[0] < ends[1])

RANGE_OF = {"fpr": "false_positive_rate_range", "tpr": "true_positive_rate_range"}


@given(samples(), RANGES, st.sampled_from(["fpr", "tpr"]))
def test_corrected_area(sample, ends, over):
    y, s, _ = sample
    options = {RANGE_OF[over]: ends, "standardized": True}
    expected = roc_oracle.mcclish(roc_oracle.rows_of(y, s), *ends, over)
    if expected >= Fraction(1, 2):
        assert partial_auc(y, s, **options) == float(expected)
        return
    with pytest.warns(UndefinedMetricWarning, match="below the diagonal") as caught:
        assert np.isnan(partial_auc(y, s, **options))
    assert caught[0].filename == __file__


@pytest.mark.parametrize("size", [10**6, 10**12, 2**61 - 1])
def test_injected_counts(size):
    positives = np.array([size, 1, 0, size // 3], dtype=np.int64)
    negatives = np.array([7, size // 2, 5, size // 2 + 1], dtype=np.int64)
    table = ScoreTable(np.array([4.0, 3.0, 2.0, 1.0]), positives, negatives)
    rows = [
        (score, Fraction(p), Fraction(n))
        for score, p, n in zip((4, 3, 2, 1), positives.tolist(), negatives.tolist(), strict=True)
    ]
    for over in ("fpr", "tpr"):
        for ends in ((0.0, 2.0**-50), (0.1, 0.7), (0.5, 1.0)):
            expected = float(roc_oracle.partial_auc(rows, *ends, over))
            assert partial_auc(table, **{RANGE_OF[over]: ends}) == expected


def test_perfect_and_useless():
    y = [0, 0, 1, 1]
    assert partial_auc(y, [1, 2, 4, 3]) == 1.0
    for over in ("false_positive_rate_range", "true_positive_rate_range"):
        options = {over: (0.2, 0.6), "standardized": True}
        assert partial_auc(y, [1, 2, 3, 4], **options) == 1.0
        assert partial_auc(y, [1, 1, 1, 1], **options) == 0.5
        assert partial_auc(y, [1, 2, 3, 4], **{over: (0.25, 0.75)}) == 0.5


def test_rounded_weights_do_not_exceed_the_range():
    tenths = [11, 11, 1, 1, 7, 3, 7, 1, 11, 3, 11, 11, 7, 1, 11, 1, 7, 3]
    y, s, w = np.arange(18) < 7, -np.arange(18), np.array(tenths) / 10
    for over in ("false_positive_rate_range", "true_positive_rate_range"):
        assert partial_auc(y, s, sample_weight=w, **{over: (0, 1)}) == 1.0
        assert partial_auc(y, -s, sample_weight=w, **{over: (0, 1)}) == 0.0


def test_bad_options():
    with pytest.raises(ValueError, match="not both"):
        partial_auc(
            [0, 1], [0.1, 0.2], false_positive_rate_range=(0, 1), true_positive_rate_range=(0, 1)
        )
