"""Balanced accuracy against scikit-learn, and the geometric mean of recalls by its definition."""

import math

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, strategies as st
from peer_samples import labels_of, outcome

from fastmetrics import ConfusionMatrix, UndefinedMetricWarning, balanced_accuracy_score, g_mean

rows_of_labels = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=7
).filter(lambda rows: any(w for _, _, w in rows))


@given(rows_of_labels)
def test_small_cases_with_classes_that_are_never_true(rows) -> None:
    y, p, w = zip(*rows, strict=True)
    for sample_weight in (None, w):
        ours = outcome(balanced_accuracy_score, y, p, sample_weight=sample_weight)
        wanted = outcome(sk.balanced_accuracy_score, y, p, sample_weight=sample_weight)
        assert ours[0] == pytest.approx(wanted[0], rel=1e-14)
        assert ours[1] == wanted[1]


def test_adjusted_for_one_class_is_undefined() -> None:
    with (
        pytest.warns(UndefinedMetricWarning, match="only one class"),
        pytest.warns(UserWarning, match="single label"),
    ):
        assert math.isnan(balanced_accuracy_score([3, 3], [3, 3], adjusted=True))


def test_chance_is_zero_when_adjusted() -> None:
    assert balanced_accuracy_score([0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0], adjusted=True) == 0.0


def test_labels_and_a_matrix_without_examples(rng) -> None:
    y, p = labels_of(rng, 90, 4)
    assert g_mean(y, p, labels=[3, 2, 1, 0]) == pytest.approx(g_mean(y, p))
    for function in (balanced_accuracy_score, g_mean):
        with pytest.warns(UndefinedMetricWarning, match="not defined"):
            assert math.isnan(function(ConfusionMatrix()))


def test_g_mean_of_two_classes_is_the_root_of_recall_times_specificity() -> None:
    y, p = np.repeat([0, 0, 1, 1], [30, 10, 3, 7]), np.repeat([0, 1, 0, 1], [30, 10, 3, 7])
    assert g_mean(y, p) == pytest.approx(math.sqrt(0.75 * 0.7), rel=1e-15)
    assert g_mean(1 - y, 1 - p) == g_mean(y, p)


@pytest.mark.parametrize("k", [16, 17, 90])
def test_g_mean_of_many_classes_does_not_vanish(k) -> None:
    counts = np.zeros((k, k), int)
    np.fill_diagonal(counts, 1)
    counts[np.arange(k), np.arange(k) - 1] = 9999
    matrix = ConfusionMatrix.from_counts(counts)
    assert g_mean(matrix) == pytest.approx(1e-4, rel=1e-13)
    assert balanced_accuracy_score(matrix) == pytest.approx(1e-4, rel=1e-13)
    counts[0, 0] = 0
    assert g_mean(ConfusionMatrix.from_counts(counts)) == 0.0


def test_refusals() -> None:
    with pytest.raises(TypeError, match="`y_pred` is missing"):
        balanced_accuracy_score([0, 1])
    with pytest.raises(TypeError, match="without `labels`"):
        g_mean(ConfusionMatrix(), labels=[0, 1])
    with pytest.raises(ValueError, match="holds the label 2"):
        g_mean([0, 2], [0, 1], labels=[0, 1])
