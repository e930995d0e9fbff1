"""What labels, scores and weights are refused, taken as they are, or converted with a warning."""

import decimal
import fractions
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
    ({"y_true": [], "y_score": []}, ValueError, r"`y_true` is empty: shape \(0,\)"),
    ({"y_score": S[:3]}, ValueError, "`y_true` has 4 rows, `y_score` has 3 rows"),
    ({"sample_weight": [1, 1]}, ValueError, "`sample_weight` has 2 rows, `y_true` 4"),
    (
        {"y_score": [0.1, NAN, NAN, 0.3]},
        ValueError,
        "^`y_score` must be finite: nan at index 1, 2 in all$",
    ),
    ({"y_score": [0.1, NAN, INF, 0.3], "allow_inf": True}, ValueError, "nan at index 1, 1"),
    ({"y_score": [0.1, 0.2, INF, 0.3]}, ValueError, "inf at index 2, 1 in all.*allow_inf"),
    ({"y_score": [0.1, -INF, INF, 0.3]}, ValueError, "finite: -inf at index 1, 2 in all"),
    ({"y_true": [0.0, 1.0, NAN, NAN]}, ValueError, r"2 nulls \(nan\), first at index 2"),
    ({"y_score": pa.array([0.1, None, 0.3, 0.4])}, ValueError, "`y_score` contains 1 null,"),
    (
        {"y_score": pd.Series([0.1, None, 0.3, None], dtype="Float64")},
        ValueError,
        "contains 2 nulls, first at index 1",
    ),
    ({"y_score": [0.1, None, 0.3, 0.4]}, ValueError, "contains 1 null, first at index 1"),
    ({"y_true": pd.Series([0, 1, None, 1])}, ValueError, "`y_true` contains 1 null"),
    ({"y_true": np.array([0, 1, pd.NA, 1], object)}, ValueError, "`y_true` contains 1 null"),
    ({"y_true": [0, 1, None, 1]}, ValueError, "`y_true` contains 1 null"),
    ({"y_true": ["a", None, "b", "b"], "pos_label": "b"}, ValueError, "contains 1 null"),
    ({"y_true": np.array(["a", NAN, "b", "b"], object)}, ValueError, "1 null, first at index 1"),
    (
        {"y_score": np.ma.masked_array(S, mask=[0, 0, 1, 0])},
        ValueError,
        r"`y_score` has 1 masked: use `\.compressed\(\)`",
    ),
    ({"y_true": [1, 2, 2, 1]}, ValueError, r"values in \{1, 2\}: pass `pos_label`"),
    ({"y_true": np.array([5, 7, 7, 5], dtype=np.int8)}, ValueError, r"\{5, 7\}: pass"),
    ({"y_true": ["no", "yes", "yes", "no"]}, ValueError, r"\{'no', 'yes'\}: pass `pos_label`"),
    ({"y_true": [0.0, 0.5, 1.0, 1.0]}, ValueError, "0.5 at index 1.*soft.*`sample_weight`"),
    ({"y_true": [0, 1, 2, 1]}, ValueError, r"3 classes, \{0, 1, 2\}.*`multi_class`"),
    ({"pos_label": 7}, ValueError, r"`pos_label`=7 is not a label.*\{0, 1\}"),
    ({"y_true": list("abab"), "pos_label": 1}, ValueError, r"not a label.*\{'a', 'b'\}"),
    ({"y_score": [[0.9, 0.1]] * 4}, ValueError, r"got \(4, 2\).*pass \[:, 1\]"),
    ({"y_true": [[1, 0]] * 4}, ValueError, r"`y_true` must .*: got \(4, 2\); of one-hot"),
    ({"y_score": np.zeros((4, 3))}, ValueError, r"must have shape \(n,\): got \(4, 3\)"),
    ({"y_score": 0.5}, TypeError, "`y_score` must be an array.*scalar 0.5"),
    ({"y_true": np.array(1)}, TypeError, r"`y_true` must be an array.*scalar \(0-d array\)"),
    ({"y_score": None}, TypeError, "`y_score` must be an array: got None"),
    ({"sample_weight": 2.0}, TypeError, "`sample_weight` must be an array.*scalar 2.0"),
    ({"y_score": (s for s in S)}, TypeError, "got generator; use the streaming API"),
    ({"y_true": dict(enumerate(Y))}, TypeError, "got dict; use the streaming API"),
    ({"y_score": map(float, S)}, TypeError, "ScoreTable of each piece, added up"),
    ({"y_score": object()}, TypeError, "must be an array or a sequence: got object"),
    ({"y_score": np.array(S) + 0j}, TypeError, "`y_score` must hold real.*complex numbers"),
    ({"y_true": np.array(Y) + 0j}, TypeError, "`y_true` must hold numbers.*complex128"),
    ({"y_score": np.array(Y, "M8[D]")}, TypeError, "`y_score` .* got dates .dtype datetime64"),
    ({"y_score": pd.Series(np.array(Y, "m8[s]"))}, TypeError, "`y_score` .* got durations"),
    (
        {"y_score": ["0.1", "0.4", "0.3", "0.8"]},
        TypeError,
        "`y_score` must hold real numbers: got text; convert",
    ),
    ({"y_score": np.zeros(4, [("p", "f8")])}, TypeError, "`y_score` .* got records"),
    ({"y_true": ["a", object(), "b", "b"]}, TypeError, "mixes text with object at index 1"),
    ({"y_score": OBJECTS}, TypeError, "`y_score` must hold real numbers: str at index 2"),
    ({"y_true": np.array([0, 1, "b", 1], object)}, TypeError, "mixes text with int at index 0"),
    ({"y_score": [decimal.Decimal("0.1")] * 4}, TypeError, "Decimal.*precision.*index 0"),
    ({"y_score": [0.1, fractions.Fraction(1, 3), 0, 1]}, TypeError, "Fraction.* at index 1"),
    ({"y_score": pl.Series([decimal.Decimal("0.1")] * 4)}, TypeError, "holds Decimal"),
    ({"y_score": pa.array([decimal.Decimal("0.1")] * 4)}, TypeError, "holds decimal128"),
    ({"sample_weight": [1, -2.5, 1, -1]}, ValueError, "negative: -2.5 at index 1, 2 in all"),
    ({"sample_weight": [1, NAN, 1, 1]}, ValueError, "`sample_weight` must be finite: nan at"),
    ({"sample_weight": [1, 1, 1, INF]}, ValueError, "finite: inf at index 3, 1 in all"),
    ({"sample_weight": [0, 0, 0, 0]}, ValueError, "`sample_weight` must not be all zero"),
    ({"sample_weight": np.ones((4, 1))}, ValueError, r"must have shape \(4,\): got \(4, 1\)"),
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
