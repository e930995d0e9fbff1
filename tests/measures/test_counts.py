"""confusion_matrix_at_thresholds and metric_at_thresholds."""

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, strategies as st
from roc_samples import importances, samples

from fastmetrics import ScoreTable, confusion_matrix_at_thresholds, metric_at_thresholds


def assert_same(ours, theirs):
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.dtype == other.dtype
        assert mine.shape == other.shape
        assert (mine == other).all()


@given(samples(both_classes=False), st.sampled_from([np.float64, np.float32]))
def test_counts_are_scikit_learns(sample, dtype):
    y, s, _ = sample
    s = s.astype(dtype)
    theirs = sk.confusion_matrix_at_thresholds(y, s)
    assert_same(confusion_matrix_at_thresholds(y, s), theirs)
    assert_same(confusion_matrix_at_thresholds(ScoreTable.from_scores(y, s)), theirs)


def test_integer_scores_keep_their_order_beyond_float64():
    s = np.array([2**60, 2**60 + 1, 2**60 + 2])
    *_, tps, thresholds = confusion_matrix_at_thresholds([0, 1, 1], s)
    assert thresholds.tolist() == [2**60 + 2, 2**60 + 1, 2**60]
    assert tps.tolist() == [1.0, 2.0, 2.0]


def test_counts_are_the_callers_own():
    table = ScoreTable.from_scores([0, 1, 1], [0.1, 0.2, 0.2])
    for array in confusion_matrix_at_thresholds(table):
        array.fill(-1)
    assert confusion_matrix_at_thresholds(table)[4].tolist() == [0.2, 0.1]


def test_an_empty_table_has_no_thresholds():
    table = ScoreTable.from_counts([], [], [])
    assert [len(column) for column in confusion_matrix_at_thresholds(table)] == [0] * 5


def test_text_labels():
    y, s = ["a", "b", "b"], [0.3, 0.1, 0.5]
    theirs = sk.confusion_matrix_at_thresholds(y, s, pos_label="b")
    assert_same(confusion_matrix_at_thresholds(y, s, pos_label="b"), theirs)


@given(samples())
def test_metric_at_thresholds(sample):
    y, s, _ = sample
    assert_same(
        metric_at_thresholds(y, s, sk.accuracy_score),
        sk.metric_at_thresholds(y, s, sk.accuracy_score),
    )


@given(samples(weights=importances))
def test_metric_at_thresholds_with_weights_and_params(sample):
    y, s, w = sample
    options = {"sample_weight": w, "metric_params": {"beta": 2.0, "zero_division": 0.0}}
    assert_same(
        metric_at_thresholds(y, s, sk.fbeta_score, **options),
        sk.metric_at_thresholds(y, s, sk.fbeta_score, **options),
    )


def test_metric_gets_the_rows_that_scikit_learns_gets():
    y = np.array(["x", "y", "z", "x", "y"])
    s, w = [0.5, 0.1, 0.5, 0.9, 0.1], [1, 2, 0, 4, 5]
    ours, theirs = [], []
    for module, seen in ((metric_at_thresholds, ours), (sk.metric_at_thresholds, theirs)):

        def metric(labels, predictions, sample_weight, seen=seen):
            seen.append(
                (labels.tolist(), predictions.tolist(), predictions.dtype, sample_weight.tolist())
            )
            return 1.0, 2.0

        values, _ = module(y, s, metric, sample_weight=w)
        assert values.shape == (3, 2)
    assert ours == theirs


def test_each_call_has_its_own_predictions():
    kept = []
    metric_at_thresholds([0, 1, 1], [1, 2, 3], lambda y, p: kept.append(p) or 0.0)
    assert [p.tolist() for p in kept] == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]


def test_metric_at_thresholds_refuses():
    with pytest.raises(TypeError, match="ScoreTable has none"):
        metric_at_thresholds(ScoreTable.from_scores([0, 1], [1, 2]), None, sk.accuracy_score)
    with pytest.raises(TypeError, match="callable"):
        metric_at_thresholds([0, 1], [1, 2], "accuracy")
    with pytest.raises(ValueError, match="negative"):
        metric_at_thresholds([0, 1], [1, 2], sk.accuracy_score, sample_weight=[1, -1])
