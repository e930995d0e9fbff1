"""Targets that are matrices, and the conversion of sparse and dense indicators."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

import fastmetrics as fm

Y = np.array([[1, 0, 1], [0, 0, 0], [0, 1, 1]])
P = np.array([[1, 1, 0], [0, 0, 1], [0, 1, 1]])


@pytest.mark.parametrize(
    ("values", "is_matrix"),
    [
        ([0, 1], False),
        ([[0], [1]], False),
        (((0, 1), (1, 1)), True),
        ([np.array([0, 1]), np.array([1, 1])], True),
        (["ab", "cd"], False),
        (np.zeros((3, 1)), False),
        (np.zeros((3, 2)), True),
        (pd.Series([0, 1]), False),
        (pd.DataFrame({"a": [0, 1]}), False),
        (pd.DataFrame({"a": [0, 1], "b": [0, 1]}), True),
        (pl.DataFrame({"a": [0, 1], "b": [0, 1]}), True),
        (scipy.sparse.eye(3), True),
    ],
)
@pytest.mark.filterwarnings("ignore:.* is a column", "ignore:A single label")
def test_the_shape_decides(values, is_matrix):
    """A matrix of one label has two cells for each of its columns, and no confusion of classes."""
    assert fm.accuracy_score(values, values) == 1.0
    if is_matrix:
        with pytest.raises(ValueError, match="multilabel-indicator"):
            fm.confusion_matrix(values, values)
    else:
        assert fm.confusion_matrix(values, values).trace() > 0


def test_stored_zeros_and_parts_of_a_cell():
    parts = scipy.sparse.coo_matrix(
        ([0.5, 0.5, 1.0, 0.0], ([0, 0, 1, 1], [1, 1, 0, 2])), shape=(2, 3)
    ).tocsr()
    unsorted = scipy.sparse.csr_matrix(
        (np.array([1, 1]), np.array([2, 0]), np.array([0, 2, 2])), shape=(2, 3)
    )
    dense = np.array([[0, 1, 0], [1, 0, 0]]), np.array([[1, 0, 1], [0, 0, 0]])
    for count in (fm.multilabel_confusion_matrix, fm.hamming_loss, fm.accuracy_score):
        np.testing.assert_array_equal(count(parts, unsorted), count(*dense))


def test_the_callers_matrix_is_not_modified():
    repeated = scipy.sparse.csr_matrix(
        (np.array([0.5, 0.5]), np.array([2, 2]), np.array([0, 2, 2])), shape=(2, 3)
    )
    fm.hamming_loss(repeated, np.ones((2, 3)))
    assert repeated.nnz == 2
    assert repeated.data.tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("y_true", "y_pred", "error", "message"),
    [
        (Y, [0, 1, 1], ValueError, "`y_true` is a matrix, `y_pred` labels"),
        ([0, 1, 1], Y, ValueError, "`y_pred` is a matrix, `y_true` labels"),
        (Y, P[:, :2], ValueError, r"must have the same shape: got \(3, 3\) and \(3, 2\)"),
        (Y, scipy.sparse.csr_matrix(P[:2]), ValueError, "must have the same shape"),
        (Y * 2, P, ValueError, r"0 and 1: got values in \{0, 2\}"),
        (scipy.sparse.csr_matrix(Y * 2), P, ValueError, r"`y_true` .* got values in \{2\}"),
        (Y, scipy.sparse.csr_matrix(P * 1j), TypeError, "`y_pred` .* got complex128"),
        (Y.astype(str), P, TypeError, "indicator matrix of 0 and 1: got <U"),
        (scipy.sparse.csr_matrix((0, 3)), np.zeros((0, 3)), ValueError, "`y_true` is empty"),
    ],
)
def test_wrong_targets(y_true, y_pred, error, message):
    with pytest.raises(error, match=message):
        fm.hamming_loss(y_true, y_pred)
