"""accuracy_score and zero_one_loss."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from label_samples import (
    assert_close,
    indicator_rows,
    quarters,
    whole,
)

import fastmetrics as fm
from reference import classification_oracle as oracle

BOTH = ("accuracy_score", "zero_one_loss")


def check_values(rows, y, p, w):
    right, wrong = oracle.accuracy(rows), oracle.error_rate(rows)
    total = oracle.weight(rows, oracle.anything)
    assert_close(fm.accuracy_score(y, p, sample_weight=w), right)
    assert_close(fm.zero_one_loss(y, p, sample_weight=w), wrong)
    assert_close(fm.accuracy_score(y, p, sample_weight=w, normalize=False), right * total)
    assert_close(fm.zero_one_loss(y, p, sample_weight=w, normalize=False), wrong * total)


@given(indicator_rows(weights=whole) | indicator_rows(weights=quarters))
def test_indicators_against_the_definition(sample):
    y, p, w = sample
    rows = oracle.rows_of_indicators(y.tolist(), p.tolist(), w.tolist())
    for form in (np.asarray, scipy.sparse.csr_matrix, pd.DataFrame):
        check_values(rows, form(y), form(p), w)
    check_values(oracle.rows_of_indicators(y.tolist(), p.tolist()), y, p, None)


def test_counts_beyond_doubles_are_divided_once():
    right, wrong = 2**61 + 1, 2**60 + 1
    matrix = fm.ConfusionMatrix.binary(tp=right, fn=wrong, fp=0, tn=0)
    assert fm.accuracy_score(matrix) == right / (right + wrong)
    assert fm.zero_one_loss(matrix) == wrong / (right + wrong)
    assert fm.zero_one_loss(matrix, normalize=False) == float(wrong)


def test_weights_whose_sums_leave_the_range_of_doubles():
    y, p, w = [0, 1, 1, 0, 2], [0, 1, 0, 1, 2], np.full(5, 1e308)
    options = {"sample_weight": w}
    assert fm.accuracy_score(y, p, **options) == 0.6
    assert fm.accuracy_score(y, p, normalize=False, **options) == np.inf
    assert fm.zero_one_loss(y, p, **options) == fm.hamming_loss(y, p, **options) == 0.4
    plain = fm.precision_recall_fscore_support(y, p)[:3]
    np.testing.assert_array_equal(fm.precision_recall_fscore_support(y, p, **options)[:3], plain)
    np.testing.assert_array_equal(
        fm.jaccard_score(y, p, average=None, **options), fm.jaccard_score(y, p, average=None)
    )
    np.testing.assert_array_equal(
        fm.confusion_matrix(y, p, normalize="all", **options),
        fm.confusion_matrix(y, p, normalize="all"),
    )
    assert fm.confusion_matrix(y, p, **options)[2, 2] == 1e308
    *_, support = fm.precision_recall_fscore_support(y, p, **options)
    assert support.tolist() == [np.inf, np.inf, 1e308]
    ones = np.eye(3, dtype=int)
    assert fm.f1_score(ones, ones, average="macro", sample_weight=w[:3]) == 1.0
    assert fm.hamming_loss(ones, ones[::-1], sample_weight=w[:3]) == 4 / 9


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize(
    ("y_true", "y_pred", "options", "error", "message"),
    [
        ([[0, 1]], [0], {}, ValueError, "`y_true` is a matrix, `y_pred` labels"),
        ([0], [[0, 1]], {}, ValueError, "`y_pred` is a matrix, `y_true` labels"),
        ([[0, 2]], [[0, 1]], {}, ValueError, "indicator matrix of 0 and 1"),
    ],
)
def test_wrong_input(name, y_true, y_pred, options, error, message):
    with pytest.raises(error, match=message):
        getattr(fm, name)(y_true, y_pred, **options)
