"""Which targets are matrices, and what sparse and dense indicators become."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

from fastmetrics._input.classes import check_targets
from fastmetrics._input.containers import column_count

Y = np.array([[1, 0, 1], [0, 0, 0], [0, 1, 1]])
P = np.array([[1, 1, 0], [0, 0, 1], [0, 1, 1]])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0, 1], False),
        ([[0], [1]], False),
        (((0, 1), (1, 1)), True),
        ([np.array([0, 1])], True),
        (["ab", "cd"], False),
        ([], False),
        (np.zeros((3, 1)), False),
        (np.zeros((3, 2)), True),
        (np.zeros((2, 2, 2)), False),
        (pd.Series([0, 1]), False),
        (pd.DataFrame({"a": [0, 1]}), False),
        (pd.DataFrame({"a": [0, 1], "b": [0, 1]}), True),
        (pl.DataFrame({"a": [0, 1], "b": [0, 1]}), True),
        (scipy.sparse.eye(3), True),
        (scipy.sparse.csr_matrix(np.ones((3, 1))), False),
        (None, False),
        (3, False),
    ],
)
def test_the_shape_decides(values, expected):
    assert (column_count(values) != 1) is expected


def test_labels_are_not_read():
    class Unreadable:
        shape = (3,)

        def __array__(self, *args, **kwargs):
            raise AssertionError("the rows were read")

    assert check_targets(Unreadable(), Unreadable()) is None


@pytest.mark.parametrize(
    "form", [np.asarray, pd.DataFrame, np.asfortranarray, lambda a: a.tolist(), lambda a: a == 1]
)
def test_dense_indicators(form):
    found = check_targets(form(Y), form(P))
    assert found.shape == (3, 3)
    assert not found.is_sparse
    assert found.true.dtype == np.bool_
    np.testing.assert_array_equal(found.true, Y == 1)
    np.testing.assert_array_equal(found.predicted, P == 1)


@pytest.mark.parametrize("form", ["csr_matrix", "csr_array", "csc_array", "coo_array", "dia_array"])
def test_sparse_indicators(form):
    make = getattr(scipy.sparse, form)
    for true, predicted in ((make(Y), make(P)), (make(Y), P), (Y, make(P))):
        found = check_targets(true, predicted)
        assert found.shape == (3, 3)
        assert found.is_sparse
        np.testing.assert_array_equal(found.true, np.nonzero(Y))
        np.testing.assert_array_equal(found.predicted, np.nonzero(P))


def test_stored_zeros_and_parts_of_a_cell():
    parts = scipy.sparse.coo_matrix(
        ([0.5, 0.5, 1.0, 0.0], ([0, 0, 1, 1], [1, 1, 0, 2])), shape=(2, 3)
    ).tocsr()
    unsorted = scipy.sparse.csr_matrix(
        (np.array([1, 1]), np.array([2, 0]), np.array([0, 2, 2])), shape=(2, 3)
    )
    found = check_targets(parts, unsorted)
    assert [each.tolist() for each in found.true] == [[0, 1], [1, 0]]
    assert [each.tolist() for each in found.predicted] == [[0, 0], [0, 2]]


def test_the_callers_matrix_is_not_modified():
    repeated = scipy.sparse.csr_matrix(
        (np.array([0.5, 0.5]), np.array([2, 2]), np.array([0, 2, 2])), shape=(2, 3)
    )
    check_targets(repeated, np.ones((2, 3)))
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
        check_targets(y_true, y_pred)
