"""Labels of many classes, matrices of scores and indicators, and scalar options."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from fastmetrics._input.classes import check_class_labels, check_multilabel_indicator
from fastmetrics._input.scalars import (
    check_choice,
    check_confidence_level,
    check_fraction,
    check_integer,
    check_positive,
    check_real,
)
from fastmetrics._input.scores import (
    check_score_matrix,
    score_column,
)
from fastmetrics.errors import DataConversionWarning

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    "labels",
    [
        [3, 1, 2, 3],
        [True, False, True],
        [1.0, -2.0, 1.0],
        np.array([1e300, -1e300, 1e300]),
        np.array([255, 0, 128], np.uint8),
        np.array([2**64 - 1, 2**64 - 3, 2**64 - 1], np.uint64),
        np.array([2**63 - 1, -(2**63), 0]),
        np.array([3, 1, 2], ">i4"),
        ["b", "a", "c", "b"],
        np.array(["b", "a"], object),
        np.array(["b", "a"], np.dtypes.StringDType()),
        pd.Series(["b", "a"], dtype="category"),
        pl.Series([7, 5, 7]),
        pa.array(["b", "a"]),
        [str(i) for i in range(100)],
    ],
    ids=lambda labels: repr(labels).split(" at 0x")[0],  # the same in every worker
)
def test_class_labels(labels: Any) -> None:
    plain = np.asarray(labels.to_pylist() if isinstance(labels, pa.Array) else labels)
    if plain.dtype.kind == "T":
        plain = plain.astype(object)
    expected, codes = np.unique(plain, return_inverse=True)
    got = check_class_labels(labels)
    assert got.classes.tolist() == expected.tolist()
    assert got.codes.tolist() == codes.tolist()
    assert got.codes.dtype == np.int64
    assert (got.classes.dtype.kind in "UO") == (plain.dtype.kind in "UO")
    assert got.classes.dtype.isnative


@given(st.lists(st.integers(-(2**62), 2**62) | st.integers(-3, 3), min_size=1))
def test_class_labels_of_integers(labels: list[int]) -> None:
    classes, codes = check_class_labels(np.array(labels))
    assert classes.tolist() == sorted(set(labels))
    assert classes[codes].tolist() == labels


def test_class_labels_over_chunks(rng: np.random.Generator) -> None:
    labels = np.array(["late", "b", "a"])[(rng.random(150_000) < 0.5).astype(int) + 1]
    labels[140_000] = "late"
    classes, codes = check_class_labels(labels)
    assert classes.tolist() == ["a", "b", "late"]
    np.testing.assert_array_equal(classes[codes], labels)


@pytest.mark.parametrize(
    ("labels", "error", "match"),
    [
        ([[1, 2], [3, 4]], ValueError, r"`y_true` must be labels of shape \(n,\): got \(2, 2\)"),
    ],
)
def test_class_labels_refused(labels: Any, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        check_class_labels(labels)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.bool_])
def test_indicator_in_place(dtype: Any) -> None:
    matrix = np.array([[0, 1, 1], [1, 0, 0]], dtype)
    got = check_multilabel_indicator(matrix)
    assert got.dtype == np.int8
    assert np.shares_memory(got, matrix)
    assert np.shares_memory(check_multilabel_indicator(matrix.T), matrix)


@pytest.mark.parametrize(
    "matrix",
    [
        [[0, 1], [1, 0]],
        [[-1, 1], [1, -1]],
        [[0.0, 1.0], [1.0, 0.0]],
        np.array([[0, 1, 5], [1, 0, 5]])[:, :2],
        pd.DataFrame({"a": [0, 1], "b": [1, 0]}),
        pl.DataFrame({"a": [False, True], "b": [True, False]}),
    ],
)
def test_indicator(matrix: Any) -> None:
    got = check_multilabel_indicator(matrix)
    assert got.dtype == np.int8
    assert got.tolist() == [[0, 1], [1, 0]]


def test_indicator_of_objects() -> None:
    with pytest.warns(DataConversionWarning, match="`y_true` has dtype object"):
        got = check_multilabel_indicator(np.array([[0, 1], [1, 0]], object))
    assert got.tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("matrix", "error", "match"),
    [
        ([[0, 2], [1, 0]], ValueError, r"indicator matrix of 0 and 1: got values in \{0, 1, 2\}"),
        ([[0, -1], [1, 0]], ValueError, r"got values in \{-1, 0, 1\}"),
        ([[0.0, NAN], [1, 0]], ValueError, "indicator matrix of 0 and 1"),
    ],
)
def test_indicator_refused(matrix: Any, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        check_multilabel_indicator(matrix)


MATRIX = np.array([[0.5, 0.25], [0.125, 1.0], [0.0, 0.75]])


@pytest.mark.parametrize(
    "matrix",
    [
        MATRIX,
        np.asfortranarray(MATRIX),
        MATRIX[::-1].copy()[::-1],
        MATRIX.astype(">f8"),
        MATRIX.astype(np.float16),
        pd.DataFrame(MATRIX),
        pd.DataFrame(MATRIX).astype("Float64"),
        pd.DataFrame({"a": MATRIX[:, 0], "b": MATRIX[:, 1].astype(np.float32)}),
        pl.DataFrame(MATRIX),
        pa.table({"a": MATRIX[:, 0], "b": MATRIX[:, 1]}),
    ],
)
def test_score_matrix(matrix: Any) -> None:
    got = check_score_matrix(matrix)
    assert got.dtype in (np.float32, np.float64)
    np.testing.assert_array_equal(got, MATRIX)
    for j in range(2):
        column = score_column(got, j)
        assert column.flags.c_contiguous
        assert column.tolist() == MATRIX[:, j].tolist()


def test_score_matrix_in_place() -> None:
    for matrix in (MATRIX, np.asfortranarray(MATRIX), MATRIX[:, ::-1]):
        assert check_score_matrix(matrix) is matrix
    columns = np.asfortranarray(MATRIX)
    assert np.shares_memory(score_column(columns, 1), columns)
    assert np.shares_memory(check_score_matrix(pd.DataFrame(MATRIX, copy=False)), MATRIX)


def test_score_matrix_of_packed_records() -> None:
    records = np.zeros(3, dtype=[("flag", "i1"), ("scores", "f8", (2,))])
    records["scores"] = MATRIX
    got = check_score_matrix(records["scores"])
    assert got.flags.aligned
    np.testing.assert_array_equal(got, MATRIX)


@pytest.mark.parametrize(
    ("matrix", "match"),
    [
        (pd.DataFrame(index=[0, 1]), "`y_score` is empty"),
        (pd.DataFrame({"a": [0.5], "b": [2**53 + 1]}), "mixes floats with integers beyond"),
    ],
)
def test_score_matrix_refused(matrix: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        check_score_matrix(matrix)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: check_real("x", np.float32(0.5)), 0.5),
        (lambda: check_confidence_level(0.95), 0.95),
        (lambda: check_fraction("x", 1, include_high=True), 1.0),
        (lambda: check_fraction("x", 7, high=10), 7.0),
        (lambda: check_positive("x", 2), 2.0),
        (lambda: check_integer("x", np.int64(3), low=3, high=3), 3),
        (lambda: check_choice("x", "b", ("a", "b")), "b"),
        (lambda: check_choice("x", None, ("a", None)), None),
    ],
)
def test_scalars(call: Callable[[], Any], expected: Any) -> None:
    got = call()
    assert got == expected
    assert type(got) is type(expected)
