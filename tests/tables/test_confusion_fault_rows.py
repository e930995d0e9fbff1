"""One parametrised test a row of the table of faults that concerns confusion matrices."""

from __future__ import annotations

import decimal
import fractions
import io
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from confusion_samples import state

from fastmetrics import (
    ConfusionMatrix,
    InputError,
    InputTypeError,
    balanced_accuracy_score,
    matthews_corrcoef,
)
from fastmetrics.errors import DataConversionWarning, UndefinedMetricWarning

Y, P = [0, 1, 2, 1], [0, 2, 2, 1]
RIGHT = [[1, 0, 0], [0, 1, 1], [0, 0, 1]]
NAN, INF = float("nan"), float("inf")

#: Row, arguments in place of the good ones, error and message.
REFUSED: list[tuple[str, dict[str, Any], type[Exception], str]] = [
    ("01", {"y_true": []}, ValueError, r"`y_true` is empty: shape \(0,\)"),
    ("01", {"y_pred": np.empty(0)}, ValueError, r"`y_pred` is empty: shape \(0,\)"),
    ("02", {"y_pred": P[:3]}, ValueError, "`y_true` has 4 rows, `y_pred` has 3 rows"),
    ("02", {"sample_weight": [1, 1]}, ValueError, "`sample_weight` has 2 rows, `y_true` 4"),
    ("06", {"y_true": [0.0, NAN, 1.0, NAN]}, ValueError, r"2 nulls \(nan\), first at index 1"),
    ("07", {"y_pred": pa.array([0, None, 1, 2])}, ValueError, "`y_pred` contains 1 null"),
    ("08", {"y_pred": pd.Series([0, None, 1, 2])}, ValueError, "`y_pred` contains 1 null"),
    ("08", {"y_true": pl.Series([0, None, 1, None])}, ValueError, "contains 2 nulls"),
    ("08", {"y_true": [0, None, 1, 2]}, ValueError, "`y_true` contains 1 null.* index 1"),
    ("09", {"y_true": np.ma.masked_array(Y, mask=[0, 1, 0, 0])}, ValueError, "1 masked"),
    ("14", {"y_true": [0.0, 0.5, 1.0, 2.0]}, ValueError, "continuous values .0.5 at index 1"),
    ("14", {"y_pred": [0.0, INF, 1.0, 2.0]}, ValueError, "`y_pred` must be finite: inf at"),
    ("18", {"y_pred": [[0.9, 0.1]] * 4}, ValueError, r"`y_pred` must .*: got \(4, 2\)"),
    ("19", {"y_true": 1}, TypeError, "`y_true` must be an array.*scalar 1"),
    ("19", {"y_pred": np.array(1)}, TypeError, "`y_pred` must be an array"),
    ("19", {"y_pred": None}, TypeError, "`y_pred` must be an array: got None"),
    ("20", {"y_true": (y for y in Y)}, TypeError, "got generator"),
    ("20", {"y_pred": set(P)}, TypeError, "got set"),
    ("21", {"y_true": np.array(Y) + 0j}, TypeError, "`y_true` must hold numbers.*complex128"),
    ("22", {"y_pred": np.array(P, "M8[D]")}, TypeError, "`y_pred` must hold numbers, booleans"),
    ("24", {"y_true": ["a", object(), "b", "b"]}, TypeError, "mixes text with object at index 1"),
    ("24", {"y_pred": np.array([0, "1", 2, 1], object)}, TypeError, "mixes text with int at"),
    ("25", {"y_true": [decimal.Decimal(1)] * 4}, TypeError, "Decimal"),
    ("25", {"y_pred": [fractions.Fraction(1)] * 4}, TypeError, "Fraction"),
    ("38", {"sample_weight": [1, -2.5, 1, -1]}, ValueError, "negative: -2.5 at index 1, 2 in all"),
    ("39", {"sample_weight": [1, NAN, 1, 1]}, ValueError, "`sample_weight` must be finite: nan"),
    ("39", {"sample_weight": [1, 1, 1, INF]}, ValueError, "finite: inf at index 3"),
    ("40", {"sample_weight": [0, 0, 0, 0]}, ValueError, "`sample_weight` must not be all zero"),
    ("42", {"sample_weight": np.ones((4, 1))}, ValueError, r"must have shape \(4,\): got \(4, 1\)"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [pytest.param(*case[1:], id=f"row-{case[0]}") for case in REFUSED],
)
def test_refused(arguments, error, match) -> None:
    rows = {"y_true": Y, "y_pred": P} | arguments
    if isinstance(rows["y_true"], type(x for x in ())):
        rows["y_true"] = (y for y in Y)
    matrix = ConfusionMatrix()
    matrix.update(Y, P)
    before = state(matrix)
    with pytest.raises(error, match=match) as raised:
        matrix.update(**rows)
    assert type(raised.value) is {TypeError: InputTypeError, ValueError: InputError}[error]
    assert state(matrix) == before
    with pytest.raises(error, match=match):
        ConfusionMatrix.from_labels(**rows)


def structured(values: list[int]) -> np.ndarray:
    records = np.zeros(len(values), dtype=[("flag", "i1"), ("label", "i8")])
    records["label"] = values
    return records["label"]


ACCEPTED: list[tuple[str, Any]] = [
    ("09", np.ma.masked_array),
    ("11", lambda y: ["abc"[k] for k in y]),
    ("13", lambda y: np.array(y, float)),
    ("26", lambda y: np.array(y, np.float16)),
    ("27", lambda y: np.array(y, np.longdouble)),
    ("28", lambda y: np.array(y) + 2**53),
    ("29", lambda y: np.array(y, np.uint64) + np.uint64(2**64 - 3)),
    ("30", lambda y: np.array(y, ">i4")),
    ("31", lambda y: np.repeat(y, 2)[::2]),
    ("31", lambda y: np.array(y)[::-1].copy()[::-1]),
    ("33", structured),
    ("34", lambda y: [-0.0 if k == 0 else float(k) for k in y]),
]


@pytest.mark.parametrize("make", [pytest.param(each, id=f"row-{row}") for row, each in ACCEPTED])
def test_accepted(make) -> None:
    matrix = ConfusionMatrix()
    matrix.update(make(Y), make(P))
    assert len(matrix.labels) == 3
    assert matrix.counts.tolist() == RIGHT
    assert ConfusionMatrix.from_labels(make(Y), make(P)).counts.tolist() == RIGHT


def test_row_01_a_stream_without_rows() -> None:
    for measure in (balanced_accuracy_score, matthews_corrcoef):
        with pytest.warns(UndefinedMetricWarning):
            assert np.isnan(measure(ConfusionMatrix()))


@pytest.mark.parametrize("row", ["17", "24"])
def test_converted(row) -> None:
    y = np.array(Y)[:, None] if row == "17" else np.array(Y, object)
    matrix = ConfusionMatrix()
    match = "`y_true` is a column" if row == "17" else "`y_true` has dtype object"
    with pytest.warns(DataConversionWarning, match=match) as caught:
        matrix.update(y, P)
    assert caught[0].filename == __file__, "the warning points at the caller's line"
    assert matrix.counts.tolist() == RIGHT


def test_row_41_a_class_of_weight_0_is_absent() -> None:
    matrix = ConfusionMatrix()
    matrix.update(Y, Y, [1, 0, 1, 0])
    assert matrix.labels == (0, 2)


@pytest.mark.parametrize(
    "power", [pytest.param(1000, id="row-43"), pytest.param(-1070, id="row-44")]
)
def test_weights_that_would_overflow_or_vanish(power) -> None:
    matrix = ConfusionMatrix()
    for _ in range(2):  # batches of one scale
        matrix.update(Y, P, np.ldexp([0.5, 1, 1.5, 2], power))
    back = np.ldexp(matrix.counts, -matrix.weight_exponent)
    assert back.tolist() == np.ldexp([[1.0, 0, 0], [0, 4, 2], [0, 0, 3]], power).tolist()
    before = state(matrix)
    with pytest.raises(ValueError, match="differently scaled weights"):
        matrix.update(Y, P)
    assert state(matrix) == before


def test_row_45_integer_weights_above_2_to_53() -> None:
    matrix = ConfusionMatrix([0, 1])
    for _ in range(1_000):  # each of them is exact, and so is what they come to
        matrix.update([1, 1], [1, 0], [2**53 - 1, 1])
    assert (matrix.tp, matrix.fn) == (1_000 * (2**53 - 1), 1_000)
    assert matrix.counts.dtype == np.int64
    matrix.update([1, 0], [1, 0], [2**53, 2**53])  # their sum is not
    assert matrix.is_weighted


def test_row_46_weights_far_apart() -> None:
    weights = np.tile([1e16, 1e-16, 1.0, 1e8], 500)
    exact = sum(map(fractions.Fraction, weights.tolist()))
    matrix = ConfusionMatrix([0, 1])
    for start in range(0, 2_000, 50):
        some = weights[start : start + 50]
        matrix.update([1] * 50, [1] * 50, some)
    assert abs(fractions.Fraction(matrix.tp) - exact) <= exact * fractions.Fraction(50, 2**53)


def test_row_49_more_than_2_to_31_rows() -> None:
    matrix = ConfusionMatrix([0, 1])
    matrix.merge(ConfusionMatrix.from_counts([[2**40, 2**33], [2**31, 2**32 - 1]]))
    matrix.update(np.array([1, 0]), np.array([1, 1]))
    matrix.update([1] * 2_000, [0] * 2_000)
    assert matrix.counts.tolist() == [[2**40, 2**33 + 1], [2**31 + 2_000, 2**32]]
    assert matrix.n == 2**40 + 2**33 + 2**31 + 2**32 + 2_001


@pytest.mark.parametrize(
    ("other", "match"),
    [
        (ConfusionMatrix([0, 1, 3]), "2 only in the first; 3 only in the second"),
        (ConfusionMatrix([2, 1, 0]), "their order differs"),
        (ConfusionMatrix.from_labels([7], [0]), "7 only in the second"),
        (ConfusionMatrix.from_labels(Y, P, sample_weight=[1e308] * 4), "differently scaled"),
    ],
)
def test_row_76_a_merge_names_the_difference(other, match) -> None:
    matrix = ConfusionMatrix([0, 1, 2])
    matrix.update(Y, P)
    before = state(matrix)
    with pytest.raises(ValueError, match=match):
        matrix.merge(other)
    with pytest.raises(ValueError, match=match):
        _ = sum([matrix, other])
    assert state(matrix) == before


def test_row_76_a_file_of_another_version() -> None:
    file = io.BytesIO()
    np.savez(file, kind=np.str_("ConfusionMatrix"), format=np.int64(9))
    file.seek(0)
    with pytest.raises(ValueError, match="format 9, this version reads format 1"):
        ConfusionMatrix.load(file)


@pytest.mark.parametrize(
    "empty",
    [
        ConfusionMatrix(),
        ConfusionMatrix([0, 1, 2], new_labels="extend"),
    ],
)
def test_row_78_an_empty_partition_is_the_identity(empty) -> None:
    matrix = ConfusionMatrix.from_labels(Y, P)
    assert matrix + empty == matrix
    assert (empty + matrix).counts.tolist() == RIGHT
    for weights in (None, [1e308] * 4, [0.5] * 4):
        matrix = ConfusionMatrix.from_labels(Y, P, sample_weight=weights)
        total = sum([empty, matrix, empty, empty])
        assert total.counts.tolist() == matrix.counts.tolist()
        assert total.weight_exponent == matrix.weight_exponent
