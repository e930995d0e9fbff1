"""Which rows are taken on trust, converted with a warning, or refused: labels, scores, weights."""

import decimal
import functools
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st
from sklearn import metrics as peer

import fastmetrics as fm
from fastmetrics import InputError, InputTypeError
from fastmetrics._input.classes import check_class_labels, check_multilabel_indicator
from fastmetrics._input.regression_targets import check_regression
from fastmetrics._input.rows import BinaryRows, check_binary
from fastmetrics._input.scalars import (
    check_choice,
    check_confidence_level,
    check_fraction,
    check_integer,
    check_positive,
    check_real,
)
from fastmetrics._input.scores import check_score_matrix, contiguous
from fastmetrics.errors import DataConversionWarning

Y = [0, 1, 1, 0]
S = [0.1, 0.4, 0.35, 0.8]
NAN, INF = float("nan"), float("inf")
OBJECTS = np.array([0.1, 0.4, "x", 0.8], dtype=object)


def full(y_true: Any = Y, y_score: Any = S, **options: Any) -> BinaryRows:
    """Return the rows after the deferred part of the verification as well."""
    return check_binary(y_true, y_score, **options).verify()


REFUSED: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"y_score": pa.array([0.1, None, 0.3, 0.4])}, ValueError, "`y_score` contains 1 null,"),
    (
        {"y_score": pd.Series([0.1, None, 0.3, None], dtype="Float64")},
        ValueError,
        "contains 2 nulls, first at index 1",
    ),
    ({"y_true": np.array([0, 1, pd.NA, 1], object)}, ValueError, "`y_true` contains 1 null"),
    ({"y_true": ["a", None, "b", "b"], "pos_label": "b"}, ValueError, "contains 1 null"),
    ({"y_true": np.array(["a", NAN, "b", "b"], object)}, ValueError, "1 null, first at index 1"),
    (
        {"y_score": np.ma.masked_array(S, mask=[0, 0, 1, 0])},
        ValueError,
        r"`y_score` has 1 masked: use `\.compressed\(\)`",
    ),
    ({"y_true": [0, 1, 2, 1]}, ValueError, r"3 classes, \{0, 1, 2\}.*`multi_class`"),
    ({"y_score": [[0.9, 0.1]] * 4}, ValueError, r"got \(4, 2\).*pass \[:, 1\]"),
    ({"y_true": [[1, 0]] * 4}, ValueError, r"`y_true` must .*: got \(4, 2\); of one-hot"),
    ({"y_score": np.zeros((4, 3))}, ValueError, r"must have shape \(n,\): got \(4, 3\)"),
    ({"y_true": np.array(1)}, TypeError, r"`y_true` must be an array.*scalar \(0-d array\)"),
    ({"y_score": None}, TypeError, "`y_score` must be an array: got None"),
    ({"y_score": object()}, TypeError, "must be an array or a sequence: got object"),
    ({"y_true": ["a", object(), "b", "b"]}, TypeError, "mixes text with object at index 1"),
    ({"y_true": np.array([0, 1, "b", 1], object)}, TypeError, "mixes text with int at index 0"),
    ({"y_score": pl.Series([decimal.Decimal("0.1")] * 4)}, TypeError, "holds Decimal"),
    ({"y_score": pa.array([decimal.Decimal("0.1")] * 4)}, TypeError, "holds decimal128"),
]


@pytest.mark.parametrize(("arguments", "error", "match"), REFUSED)
def test_refused(arguments: dict[str, Any], error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match) as raised:
        full(**arguments)
    assert type(raised.value) is {TypeError: InputTypeError, ValueError: InputError}[error]
    assert re.match(r"`\w+`|lengths differ", str(raised.value)), "the parameter comes first"


def long_ties() -> np.ndarray[Any, Any]:
    if np.finfo(np.longdouble).eps == np.finfo(np.float64).eps:
        pytest.skip("longdouble is float64 here")
    return 1 + np.arange(4, dtype=np.longdouble) * np.finfo(np.longdouble).eps


def test_new_ties() -> None:
    with pytest.raises(ValueError, match=r"would tie .*such as 1\.0 and 1\.0{15,}1"):
        full(y_score=long_ties())


def test_overflow() -> None:
    long_ties()
    scores = np.array([1, 2, 3, np.finfo(np.longdouble).max])
    for few in (scores, scores[::-1], -scores[3:]):
        with pytest.raises(ValueError, match=r"`y_score` is longdouble.*such as -?1\.\d+e\+4932\)"):
            full(y_true=Y[: len(few)], y_score=few)


def structured(values: list[float]) -> np.ndarray[Any, Any]:
    """Return a field of packed records: an array that is not aligned."""
    records = np.zeros(len(values), dtype=[("flag", "i1"), ("score", "f8")])
    records["score"] = values
    return records["score"]


# arguments, which field of the rows, what it must be (with dtype)
ACCEPTED: list[tuple[dict[str, Any], str, Any]] = [
    ({"y_true": [1, 1, 1, 1]}, "labels", np.ones(4, np.int8)),
    ({"y_score": [INF, 0, -INF, 1], "allow_inf": True}, "scores",
     np.array([INF, 0, -INF, 1])),
    ({"y_score": np.ma.masked_array(S)}, "scores", np.array(S)),
    ({"y_true": [1, 2, 2, 1], "pos_label": 2}, "labels", np.array(Y, np.int8)),
    ({"y_true": list("abba"), "pos_label": "b"}, "labels", np.array(Y, np.int8)),
    ({"y_true": [1, 2, 2, 1], "pos_label": np.int64(2)}, "labels", np.array(Y, np.int8)),
    ({"y_true": [1, 1, 1, 1], "pos_label": 7}, "labels", np.zeros(4, np.int8)),
    ({"y_true": ["a"] * 4, "pos_label": "b"}, "labels", np.zeros(4, np.int8)),
    ({"y_score": np.array(S, np.float16)}, "scores", np.array(S, np.float16).astype("f4")),
    ({"y_score": np.array(S, np.longdouble)}, "scores", np.array(S)),
    ({"y_score": np.array(S, np.longdouble) + np.finfo(np.longdouble).eps}, "scores",
     (np.array(S, np.longdouble) + np.finfo(np.longdouble).eps).astype(float)),
    ({"y_score": [2**53, 2**53 + 1, 1, 0]}, "scores", np.array([2**53, 2**53 + 1, 1, 0])),
    ({"y_score": [2**64 - 1, 2**64 - 2, 1, 0]}, "scores",
     np.array([2**64 - 1, 2**64 - 2, 1, 0], np.uint64)),
    ({"y_score": np.array(S, ">f8")}, "scores", np.array(S)),
    ({"y_score": np.asfortranarray(np.array([S, S]).T)[:, 1]}, "scores", np.array(S)),
    ({"y_true": np.array([0, 9, 1, 9, 1, 9, 0, 9], np.int8)[::2]}, "labels",
     np.array(Y, np.int8)),
    ({"y_score": structured(S)}, "scores", np.array(S)),
    ({"sample_weight": structured(S)}, "weights", np.array(S)),
    ({"y_score": [0.0, -0.0, 1.0, 2.0]}, "scores", np.array([0.0, -0.0, 1.0, 2.0])),
    ({"y_score": [5e-324, 1e-323, 0, 1]}, "scores", np.array([5e-324, 1e-323, 0, 1])),
    ({"sample_weight": [1, 0, 0, 1]}, "weights", np.array([1.0, 0.0, 0.0, 1.0])),
    ({"sample_weight": [1e-16, 1e16, 1, 1]}, "weights", np.array([1e-16, 1e16, 1, 1])),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "field", "expected"), ACCEPTED)
def test_accepted(arguments: dict[str, Any], field: str, expected: np.ndarray[Any, Any]) -> None:
    got = getattr(full(**arguments), field)
    assert got.dtype == expected.dtype
    assert got.tobytes() == expected.tobytes()  # -0.0 is kept as it came
    assert got.flags.c_contiguous
    assert got.flags.aligned
    assert got.dtype.isnative


CONVERTED: list[tuple[dict[str, Any], str, str, Any]] = [
    ({"y_true": np.array(Y)[:, None]}, r"`y_true` is a column of shape \(4, 1\)",
     "labels", np.array(Y, np.int8)),
    ({"y_score": np.array(S)[:, None]}, r"`y_score` is a column", "scores", np.array(S)),
    ({"y_score": pd.DataFrame({"p": S})}, r"`y_score` is a column", "scores", np.array(S)),
    ({"y_score": np.array(S, object)}, "`y_score` has dtype object: converted to float64",
     "scores", np.array(S)),
    ({"y_score": pd.Series(Y, dtype=object)}, "converted to int64",
     "scores", np.array(Y, np.int64)),
    ({"y_score": np.array([True, False, True, False], object)}, "converted to bool",
     "scores", np.array([1.0, 0.0, 1.0, 0.0])),
    ({"y_score": np.array([np.longdouble(s) for s in S], object)}, "converted to",
     "scores", np.array(S)),
    ({"y_true": np.array(Y, object)}, "`y_true` has dtype object", "labels",
     np.array(Y, np.int8)),
    ({"sample_weight": np.array(S, object)}, "`sample_weight` has dtype object", "weights",
     np.array(S)),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "match", "field", "expected"), CONVERTED)
def test_converted(arguments: dict[str, Any], match: str, field: str, expected: Any) -> None:
    with pytest.warns(DataConversionWarning, match=match) as caught:
        got = getattr(full(**arguments), field)
    assert len(caught) == 1
    assert caught[0].filename == __file__, "the warning points at the caller's line"
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)


RULES = ("strict", "curve", "sorted", "average_precision")


def split_counts(rows: BinaryRows) -> tuple[int, int]:
    """Count as the pass that splits the classes does."""
    labels, negative, _ = rows.unverified
    return int((labels == 1).sum()), int((labels == negative).sum())


def test_rows_are_verified_when_they_are_read() -> None:
    labels, scores = np.zeros(100_000, np.int8), np.zeros(100_000)
    labels[777] = 5
    for name in ("labels", "negative", "scores"):
        rows = check_binary(labels, scores)
        with pytest.raises(ValueError, match=r"values in \{0, 5\}"):
            getattr(rows, name)
    with pytest.raises(ValueError, match=r"values in \{0, 5\}"):
        check_binary(labels, scores).replace(scores=scores)
    with pytest.raises(ValueError, match=r"values in \{0, 5\}"):
        check_binary(labels, scores).accept(False)
    rows = check_binary(labels, scores)
    assert rows.accept(True)
    assert rows.labels is rows.unverified[0]  # a pass over all rows has said so


def test_the_first_look_reads_almost_nothing() -> None:
    """Faults deep in one-byte labels or in scores pass the first look: the split will meet them."""
    labels, scores = np.zeros(100_000, np.int8), np.zeros(100_000)
    labels[777], scores[777] = 5, np.nan
    rows = check_binary(labels, scores)
    assert sum(split_counts(rows)) == 99_999
    with pytest.raises(ValueError, match=r"values in \{0, 5\}"):
        rows.verify()
    labels[777] = 0
    with pytest.raises(ValueError, match=r"^`y_score` must be finite: nan at index 777, 1 in all$"):
        rows.verify()


@pytest.mark.parametrize("rule", RULES)
def test_a_wrong_guess_shows_in_the_counts_and_is_mended(rule: str) -> None:
    labels = np.ones(100_000, np.int8)
    labels[777] = -1  # not among the rows that the guess looks at
    rows = check_binary(labels, np.zeros(len(labels)), label_rule=rule)
    assert rows.unverified[1] == 0
    assert split_counts(rows) == (99_999, 0)
    assert rows.negative == -1
    assert split_counts(rows) == (99_999, 1)
    assert np.shares_memory(rows.labels, labels)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.bool_])
@pytest.mark.parametrize("rule", RULES)
def test_no_byte_passes_for_another(rule: str, dtype: Any) -> None:
    """Whatever two bytes the labels are: the counts miss rows, or they are right as they stand."""
    for low in range(256):
        for high in (0, 1, 2, 127, 128, 254, 255):
            labels = np.array([low, high, high], np.uint8).view(dtype)
            rows = check_binary(labels, np.zeros(3), label_rule=rule)
            if sum(split_counts(rows)) != 3:
                continue
            assert {low, high} <= {0, 1} or (dtype is np.int8 and {low, high} <= {1, 255})
            np.testing.assert_array_equal(rows.labels == 1, labels.view(np.uint8) == 1)


def test_odd_bytes_of_booleans_are_true() -> None:
    labels = np.array([0, 2, 255, 1], np.uint8).view(np.bool_)
    assert check_binary(labels, np.zeros(4)).labels.tolist() == [0, 1, 1, 1]


def test_sorted_rule_encodes_what_the_first_look_left() -> None:
    labels = np.array([5, 7, 5], np.int8)
    rows = check_binary(labels, np.zeros(3), label_rule="sorted")
    assert sum(split_counts(rows)) == 0
    assert split_counts(rows.verify()) == (1, 2)


def test_pos_label_of_one_byte_labels() -> None:
    labels = np.array([0, 1, 2, 1], np.int8)
    assert split_counts(check_binary(labels[:2], np.zeros(2), pos_label=0)) == (1, 1)
    rows = check_binary(labels, np.zeros(4), pos_label=1, label_rule="curve")
    assert sum(split_counts(rows)) == 3
    assert split_counts(rows.verify()) == (2, 2)


def test_labels_come_before_scores() -> None:
    with pytest.raises(ValueError, match="`y_true`"):
        check_binary(np.array([0, 3], np.int8), np.array([np.nan, 0])).verify()


def test_unknown_rule() -> None:
    with pytest.raises(ValueError, match="`label_rule` must be one of strict, curve"):
        check_binary([0, 1], [0.1, 0.2], label_rule="loose")


def frozen(values: np.ndarray) -> np.ndarray:
    values.flags.writeable = False
    return values


def unaligned(values: np.ndarray) -> np.ndarray:
    return np.frombuffer(b"." + values.tobytes(), values.dtype, offset=1)


PLAIN = np.arange(1.0, 9.0)
WIDE = np.arange(1.0, 17.0).reshape(8, 2)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (PLAIN, PLAIN),
        (PLAIN.astype("f4"), PLAIN.astype("f4")),
        (WIDE, WIDE),
        (PLAIN, frozen(PLAIN.copy())),
        (PLAIN, PLAIN[:, np.newaxis]),
        (PLAIN.tolist(), PLAIN),
    ],
)
def test_read_in_place(one, other) -> None:
    for pair in ((one, other), (other, one)):
        assert check_regression(*pair).is_canonical


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (PLAIN, PLAIN.astype("f4")),
        (PLAIN, PLAIN.astype(">f8")),
        (PLAIN.astype("i8"), PLAIN.astype("i8")),
        (PLAIN.astype("f2"), PLAIN.astype("f2")),
        (PLAIN, np.repeat(PLAIN, 2)[::2]),
        (WIDE, np.asfortranarray(WIDE)),
        (PLAIN, unaligned(PLAIN)),
    ],
)
def test_copied_piece_by_piece(one, other) -> None:
    for pair in ((one, other), (other, one)):
        rows = check_regression(*pair)
        assert not rows.is_canonical
        pieces = rows.piece(0, len(rows.y_true))[:2]
        for piece, whole in zip(pieces, pair, strict=True):
            assert piece.dtype == np.float64
            assert piece.flags.c_contiguous
            assert piece.flags.aligned
            np.testing.assert_array_equal(piece, np.asarray(whole).ravel())


@pytest.mark.parametrize("targets", [PLAIN, WIDE])
def test_a_constant_is_not_in_memory_row_by_row(targets) -> None:
    constant = np.arange(1.0, 1.0 + (targets.ndim == 2) + 1)
    rows = check_regression(targets, targets).with_constant(constant)
    assert not rows.is_canonical
    np.testing.assert_array_equal(rows.piece(0, 8)[1], np.resize(constant, targets.size))


NAN_SCALARS, INF_SCALARS = float("nan"), float("inf")


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
    [([[1, 2], [3, 4]], ValueError, r"`y_true` must be labels of shape \(n,\): got \(2, 2\)")],
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
        ([[0.0, NAN_SCALARS], [1, 0]], ValueError, "indicator matrix of 0 and 1"),
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
        column = contiguous(got[:, j])
        assert column.flags.c_contiguous
        assert column.tolist() == MATRIX[:, j].tolist()


def test_score_matrix_in_place() -> None:
    for matrix in (MATRIX, np.asfortranarray(MATRIX), MATRIX[:, ::-1]):
        assert check_score_matrix(matrix) is matrix
    columns = np.asfortranarray(MATRIX)
    assert np.shares_memory(contiguous(columns[:, 1]), columns)
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


N = 6
# No other split of the rows gives the same curve: row i has score 2**i.
SCORES = 2.0 ** np.arange(N)

LABELS: dict[str, Any] = {
    "int 0 1": [0, 1, 1, 0, 1, 0],
    "int -1 1": [-1, 1, 1, -1, 1, -1],
    "int 1 2": [1, 2, 2, 1, 1, 2],
    "int 0 2": [0, 2, 2, 0, 2, 0],
    "int 1 3 of int8": np.array([1, 3, 3, 1, 3, 3], dtype=np.int8),
    "int8 0 1": np.array([0, 1, 1, 0, 1, 0], dtype=np.int8),
    "int8 -1 1": np.array([-1, 1, 1, -1, 1, 1], dtype=np.int8),
    "uint8 0 1": np.array([0, 1, 1, 0, 1, 0], dtype=np.uint8),
    "uint8 1 255": np.array([255, 1, 1, 255, 1, 255], dtype=np.uint8),
    "uint64 1 big": np.array([2**64 - 1, 1, 1, 1, 1, 1], dtype=np.uint64),
    "bool array": np.array([True, False, True, True, False, False]),
    "float 0 1": [0.0, 1.0, 1.0, 0.0, 0.0, 1.0],
    "float -1 1": [-1.0, 1.0, 1.0, -1.0, 1.0, 1.0],
    "float32 0 1": np.array([0, 1, 1, 0, 0, 1], dtype=np.float32),
    "soft": [0.0, 0.5, 1.0, 0.0, 1.0, 1.0],
    "soft two": [0.5, 1.0, 1.0, 0.5, 0.5, 1.0],
    "nan": [0.0, np.nan, 1.0, 0.0, 1.0, 1.0],
    "inf": [0.0, np.inf, np.inf, 0.0, 0.0, 0.0],
    "one class 0": [0] * N,
    "one class 1": [1] * N,
    "one class -1": [-1] * N,
    "one class int8 1": np.ones(N, dtype=np.int8),
    "one class True": [True] * N,
    "one class text": ["a"] * N,
    "three classes": [0, 1, 2, 0, 1, 2],
    "three classes around one": [-1, 0, 1, 0, 1, -1],
    "three classes text": ["a", "b", "c", "a", "b", "c"],
    "text": ["no", "yes", "yes", "no", "no", "yes"],
    "text objects": np.array(["no", "yes", "yes", "no", "no", "yes"], dtype=object),
    "number objects": np.array([0, 1, 1, 0, 0, 1], dtype=object),
    "bytes": np.array([b"a", b"b", b"b", b"a", b"a", b"a"]),
    "pandas category": pd.Series(["no", "yes", "yes", "no", "no", "yes"], dtype="category"),
    "pandas Int64": pd.Series([0, 1, 1, 0, 0, 1], dtype="Int64"),
    "pandas boolean": pd.Series([False, True, True, False, False, True], dtype="boolean"),
    "two columns": [[0, 1]] * N,
}
POS_LABELS = [None, 0, 1, 2, -1, 7, 1.0, True, False, "yes", "a", "1"]


def curve(library: Any, y: Any, pos_label: Any) -> list[bool]:
    """Return which rows a library takes for positive, read off the counts by threshold."""
    tps = library.confusion_matrix_at_thresholds(y, SCORES, pos_label=pos_label)[3]
    return list(np.diff(tps, prepend=0)[::-1] == 1)


def average_precision(library: Any, y: Any, pos_label: Any) -> float:
    options = {} if pos_label is None else {"pos_label": pos_label}
    return float(library.average_precision_score(y, SCORES, **options))


def strict(y: Any, pos_label: Any = None) -> list[bool]:
    """Return the same of a table, which takes nothing for granted."""
    table = fm.ScoreTable.from_scores(y, SCORES, pos_label=pos_label)
    return list(table.positives[::-1] == 1)


def outcome(call: Callable[[], Any]) -> tuple[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return "value", call()
        except (ValueError, TypeError) as error:
            return "TypeError" if isinstance(error, TypeError) else "ValueError", None


@pytest.mark.parametrize("name", LABELS)
def test_curve(name: str) -> None:
    y = LABELS[name]
    for pos in POS_LABELS:
        found = outcome(functools.partial(curve, fm, y, pos))
        assert found == outcome(functools.partial(curve, peer, y, pos)), repr(pos)


@pytest.mark.parametrize("name", LABELS)
def test_average_precision(name: str) -> None:
    y = LABELS[name]
    for pos in POS_LABELS:
        kind, value = outcome(functools.partial(average_precision, peer, y, pos))
        got, found = outcome(functools.partial(average_precision, fm, y, pos))
        assert got == kind, repr(pos)
        if kind == "value":
            assert found == pytest.approx(value, rel=1e-12), repr(pos)


@pytest.mark.parametrize("name", LABELS)
def test_sorted(name: str) -> None:
    y = LABELS[name]
    kind, value = outcome(lambda: peer.roc_auc_score(y, SCORES))
    got, found = outcome(lambda: fm.roc_auc_score(y, SCORES))
    assert got == kind
    if kind == "value":
        assert found == pytest.approx(value, rel=1e-15, nan_ok=True)


@pytest.mark.parametrize("name", LABELS)
def test_strict_is_the_curve_rule_without_surprises(name: str) -> None:
    """What both accept without a positive label they read alike; objects are ours to convert."""
    y = LABELS[name]
    found = outcome(lambda: strict(y))
    theirs = outcome(lambda: curve(peer, y, None))
    assert found == theirs or name == "number objects"


@pytest.mark.parametrize("name", ["text", "text objects", "pandas category"])
def test_strict_text(name: str) -> None:
    expected = [label == "yes" for label in LABELS["text"]]
    assert strict(LABELS[name], "yes") == expected


def test_strict_wants_two_classes() -> None:
    assert strict([5, 7, 7, 5, 5, 7], 5) == [True, False, False, True, True, False]
    with pytest.raises(ValueError, match=r"3 classes, \{0, 1, 2\}.*y_true == 1.*`multi_class`"):
        strict([0, 1, 2, 0, 1, 2], 1)


def test_pos_label_must_be_a_scalar() -> None:
    with pytest.raises(TypeError, match="`pos_label` must be a number, a boolean or text"):
        fm.ScoreTable.from_scores([0, 1], [0.1, 0.2], pos_label=[1])
