"""roc_curve, det_curve and auc: scikit-learn's bits, and the definition."""

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, strategies as st
from roc_samples import importances, samples

from fastmetrics import ScoreTable, auc, det_curve, roc_curve
from fastmetrics.errors import UndefinedMetricWarning


def assert_same(ours, theirs):
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.dtype == other.dtype
        assert mine.shape == other.shape
        assert (mine == other).all()


@given(samples(), st.booleans(), st.sampled_from([np.float64, np.float32]))
def test_roc_curve_is_scikit_learns_bit_for_bit(sample, drop, dtype):
    y, s, _ = sample
    s = s.astype(dtype)
    assert_same(roc_curve(y, s, drop_intermediate=drop), sk.roc_curve(y, s, drop_intermediate=drop))


@given(samples(weights=importances))
def test_weighted_corners_draw_the_same_curve(sample):
    y, s, w = sample
    fpr, tpr, thresholds = roc_curve(y, s, sample_weight=w)
    full_fpr, full_tpr, full = roc_curve(y, s, sample_weight=w, drop_intermediate=False)
    assert np.isin(thresholds, full).all()
    # Each point of the full curve lies on the segment between the corners around it.
    for x, height in zip(full_fpr, full_tpr, strict=True):
        to_segment = [
            abs((x - x0) * (y1 - y0) - (height - y0) * (x1 - x0))
            + max(0.0, x0 - x, x - x1, y0 - height, height - y1)
            for x0, x1, y0, y1 in zip(fpr[:-1], fpr[1:], tpr[:-1], tpr[1:], strict=True)
        ]
        assert min(to_segment) < 1e-14
    assert len(thresholds) <= len(sk.roc_curve(y, s, sample_weight=w)[2])


@pytest.mark.parametrize("n", [3_000, 50_000])
def test_roc_curve_compiled(rng, n):
    y = rng.integers(0, 2, n)
    for s in (rng.random(n), rng.integers(0, 50, n) / 50, rng.integers(0, n, n)):
        for drop in (True, False):
            assert_same(
                roc_curve(y, s, drop_intermediate=drop), sk.roc_curve(y, s, drop_intermediate=drop)
            )


@pytest.mark.parametrize(
    ("label", "message", "undefined"),
    [(1, "No negative samples", 0), (0, "No positive samples", 1)],
)
@pytest.mark.parametrize("n", [1, 2, 5])
def test_one_class_roc_curve(label, message, undefined, n):
    y, s = np.full(n, label), np.arange(n) / n
    with pytest.warns(UndefinedMetricWarning, match=message) as caught:
        ours = roc_curve(y, s)
    assert caught[0].filename == __file__
    with pytest.warns(sk._ranking.UndefinedMetricWarning):
        theirs = sk.roc_curve(y, s)
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(mine, other)
    assert np.isnan(ours[undefined]).all()


def test_a_class_that_weighs_nothing_is_missing():
    with pytest.warns(UndefinedMetricWarning, match="No positive samples"):
        fpr, tpr, _ = roc_curve([0, 1, 0], [0.1, 0.2, 0.3], sample_weight=[1.5, 0.0, 0.3])
    assert fpr[-1] == 1.0
    assert np.isnan(tpr).all()


def test_roc_curve_of_injected_counts():
    table = ScoreTable(
        np.array([3.0, 2.0, 1.0]),
        np.array([10**12, 0, 10**12], dtype=np.int64),
        np.array([0, 10**12, 3 * 10**12], dtype=np.int64),
    )
    fpr, tpr, thresholds = roc_curve(table)
    assert fpr.tolist() == [0.0, 0.0, 0.25, 1.0]
    assert tpr.tolist() == [0.0, 0.5, 0.5, 1.0]
    assert thresholds.tolist() == [np.inf, 3.0, 2.0, 1.0]


def test_roc_curve_of_an_empty_table():
    with pytest.warns(UndefinedMetricWarning) as caught:
        fpr, tpr, thresholds = roc_curve(ScoreTable.from_counts([], [], []))
    assert [str(warning.message)[:11] for warning in caught] == ["No negative", "No positive"]
    assert np.isnan([fpr, tpr]).all()
    assert thresholds.tolist() == [np.inf]


def test_results_are_the_callers_own(rng):
    y, s = rng.integers(0, 2, 50), rng.random(50)
    table = ScoreTable.from_scores(y, s)
    before = roc_curve(table)
    for array in (*roc_curve(table), *det_curve(table)):
        array.fill(-1)
    assert_same(roc_curve(table), before)


def test_det_curve_of_one_class_raises_as_scikit_learn():
    with pytest.raises(ValueError, match=r"both classes.*\(positives 3, negatives 0\)"):
        det_curve([1, 1, 1], [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="Only one class"):
        sk.det_curve([1, 1, 1], [0.1, 0.2, 0.3])


def test_det_curve_of_one_class_against_two_others():
    fpr, fnr, thresholds = det_curve([1, 2, 3], [0.1, 0.7, 0.4], pos_label=2)
    assert (fpr.tolist(), fnr.tolist(), thresholds.tolist()) == ([0.0], [0.0], [0.7])


@given(st.lists(st.floats(0, 1), min_size=2, max_size=20), st.booleans())
def test_auc_is_scikit_learns_bit_for_bit(values, falling):
    x = np.sort(values)[:: -1 if falling else 1]
    y = np.cos(values)
    assert auc(x, y) == sk.auc(x, y)
    assert auc(x.tolist(), y.tolist()) == sk.auc(x, y)


def test_auc_refuses():
    with pytest.raises(ValueError, match="two points or more: got 1"):
        auc([0.0], [0.1])
    with pytest.raises(ValueError, match="neither increasing nor decreasing"):
        auc([0, 2, 1], [1, 2, 3])
    with pytest.raises(TypeError, match="real numbers"):
        auc(["a", "b"], [1, 2])
    with pytest.raises(ValueError, match="shape"):
        auc([[0, 1], [1, 2]], [1, 2])
