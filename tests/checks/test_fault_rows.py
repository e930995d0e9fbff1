"""What labels, scores and weights are refused, taken as they are, or converted with a warning."""

import decimal
import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from fastmetrics import InputError, InputTypeError
from fastmetrics._input.rows import BinaryRows, check_binary
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
