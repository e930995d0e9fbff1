"""Labels, scores and weights that are accepted, converted with a warning, or refused."""

import decimal
import functools
import itertools
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn import metrics as peer

import fastmetrics as fm
from fastmetrics import InputError, InputTypeError
from fastmetrics.errors import DataConversionWarning

Y = [0, 1, 1, 0]
S = [0.1, 0.4, 0.35, 0.8]
NAN = float("nan")


def full(y_true: Any = Y, y_score: Any = S, **options: Any) -> fm.ScoreTable:
    """Return the table of rows that are good but for what is given."""
    return fm.ScoreTable.from_scores(y_true, y_score, **options)


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


LONG = np.array(S, np.longdouble) + np.finfo(np.longdouble).eps
#: What is given, and the plain columns that it is read as.
ACCEPTED: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"y_true": [1, 2, 2, 1], "pos_label": 2}, {}),
    ({"y_true": list("abba"), "pos_label": "b"}, {}),
    ({"y_true": [1, 2, 2, 1], "pos_label": np.int64(2)}, {}),
    ({"y_true": np.array([5, 7, 7, 5], np.int8), "pos_label": 7}, {}),
    ({"y_true": [1, 1, 1, 1]}, {"y_true": np.ones(4, np.int8)}),
    ({"y_true": [1, 1, 1, 1], "pos_label": 7}, {"y_true": np.zeros(4, np.int8)}),
    ({"y_true": ["a"] * 4, "pos_label": "b"}, {"y_true": np.zeros(4, np.int8)}),
    ({"y_score": np.ma.masked_array(S)}, {}),
    ({"y_score": np.array(S, np.float16)}, {"y_score": np.array(S, np.float16).astype("f4")}),
    ({"y_score": np.array(S, np.longdouble)}, {}),
    ({"y_score": LONG}, {"y_score": LONG.astype(float)}),
    ({"y_score": structured(S)}, {}),
    ({"sample_weight": structured(S)}, {"sample_weight": np.array(S)}),
]


@pytest.mark.parametrize(("arguments", "plain"), ACCEPTED)
def test_accepted(arguments: dict[str, Any], plain: dict[str, Any]) -> None:
    assert full(**arguments) == full(**plain)


@pytest.mark.parametrize("scores", [[2**53, 2**53 + 1, 1, 0], [2**64 - 1, 2**64 - 2, 1, 0]])
def test_large_integers_are_scores(scores: list[int]) -> None:
    actual = full(y_score=scores).scores
    assert actual.tolist() == sorted(scores, reverse=True)
    assert actual.dtype == (np.int64 if max(scores) < 2**63 else np.uint64)


CONVERTED: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
    ({"y_true": np.array(Y)[:, None]}, r"`y_true` is a column of shape \(4, 1\)", {}),
    ({"y_score": np.array(S)[:, None]}, r"`y_score` is a column", {}),
    ({"y_score": pd.DataFrame({"p": S})}, r"`y_score` is a column", {}),
    ({"y_score": np.array(S, object)}, "`y_score` has dtype object: converted to float64", {}),
    ({"y_score": pd.Series(Y, dtype=object)}, "converted to int64", {"y_score": np.array(Y)}),
    ({"y_score": np.array([y == 1 for y in Y], object)}, "converted to bool",
     {"y_score": np.array(Y, float)}),
    ({"y_score": np.array([np.longdouble(s) for s in S], object)}, "converted to", {}),
    ({"y_true": np.array(Y, object)}, "`y_true` has dtype object", {}),
    ({"sample_weight": np.array(S, object)}, "`sample_weight` has dtype object",
     {"sample_weight": np.array(S)}),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "match", "plain"), CONVERTED)
def test_converted(arguments: dict[str, Any], match: str, plain: dict[str, Any]) -> None:
    with pytest.warns(DataConversionWarning, match=match) as caught:
        actual = full(**arguments)
    assert len(caught) == 1
    assert caught[0].filename == __file__, "the warning points at the caller's line"
    assert actual == full(**plain)


def test_labels_come_before_scores() -> None:
    with pytest.raises(ValueError, match="`y_true`"):
        full(y_true=np.array([0, 3], np.int8), y_score=np.array([np.nan, 0]))


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
        np.where(
            np.arange(150_000) == 140_000, "late", np.array(["b", "a"])[np.arange(150_000) % 2]
        ),
    ],
    ids=lambda labels: repr(labels).split(" at 0x")[0],  # the same in every worker
)
def test_groups_of_any_kind(labels: Any) -> None:
    plain = np.asarray(labels.to_pylist() if isinstance(labels, pa.Array) else labels)
    codes = np.unique(
        plain.astype(object) if plain.dtype.kind == "T" else plain, return_inverse=True
    )[1]
    y = np.arange(len(plain)) % 3 / 2.0

    def estimated(groups: Any) -> Any:
        return fm.estimate(y, y**2 + 1, metrics="mean_squared_error", groups=groups)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert repr(estimated(labels).to_dict()) == repr(estimated(codes).to_dict())
    with pytest.raises(ValueError, match=r"`groups` must be labels of shape \(n,\): got \(2, 2\)"):
        fm.estimate([0.0, 1.0], [1.0, 0.0], metrics="mean_squared_error", groups=[[1, 2], [3, 4]])


INDICATOR = np.array([[0, 1], [1, 0]], np.int8)


@pytest.mark.parametrize(
    "matrix",
    [
        [[0, 1], [1, 0]],
        [[-1, 1], [1, -1]],
        [[0.0, 1.0], [1.0, 0.0]],
        np.array([[0, 1, 5], [1, 0, 5]])[:, :2],
        pd.DataFrame({"a": [0, 1], "b": [1, 0]}),
        pl.DataFrame({"a": [False, True], "b": [True, False]}),
        INDICATOR.T,
        np.array(INDICATOR, object),
    ],
)
@pytest.mark.filterwarnings("ignore:.* has dtype object")
def test_indicator(matrix: Any) -> None:
    scores = [[0.5, 0.25], [0.25, 0.75]]
    assert fm.label_ranking_loss(matrix, scores) == fm.label_ranking_loss(INDICATOR, scores) == 1.0
    with pytest.raises(ValueError, match=r"indicator matrix of 0 and 1: got values in \{0, 1, 2\}"):
        fm.roc_auc_score([[0, 2], [1, 0]], scores)
    with pytest.raises(ValueError, match=r"got values in \{-1, 0, 1\}"):
        fm.roc_auc_score([[0, -1], [1, 0]], scores)


MATRIX = np.array([[0.5, 0.25], [0.125, 1.0], [0.0, 0.75]])
RECORDS = np.zeros(3, dtype=[("flag", "i1"), ("scores", "f8", (2,))])
RECORDS["scores"] = MATRIX


@pytest.mark.parametrize(
    "matrix",
    [
        np.asfortranarray(MATRIX),
        MATRIX[::-1].copy()[::-1],
        MATRIX.astype(">f8"),
        MATRIX.astype(np.float16),
        pd.DataFrame(MATRIX),
        pd.DataFrame(MATRIX).astype("Float64"),
        pd.DataFrame({"a": MATRIX[:, 0], "b": MATRIX[:, 1].astype(np.float32)}),
        pl.DataFrame(MATRIX),
        pa.table({"a": MATRIX[:, 0], "b": MATRIX[:, 1]}),
        RECORDS["scores"],
    ],
)
def test_score_matrix(matrix: Any) -> None:
    y = np.array([[1, 0], [0, 1], [1, 1]])
    actual, right = (fm.average_precision_score(y, each, average=None) for each in (matrix, MATRIX))
    assert actual.tolist() == right.tolist()
    assert fm.dcg_score(y, matrix) == fm.dcg_score(y, MATRIX)


def test_score_matrix_refused() -> None:
    for matrix, match in (
        (pd.DataFrame(index=[0, 1]), "`y_score` is empty"),
        (pd.DataFrame({"a": [0.5, 1], "b": [2**53 + 1] * 2}), "mixes floats with integers beyond"),
    ):
        with pytest.raises(ValueError, match=match):
            fm.average_precision_score(INDICATOR, matrix)


def test_numbers_of_numpy_are_numbers() -> None:
    gain = fm.costs.cumulative_gain
    assert gain(Y, S, fraction=np.float32(0.5)) == gain(Y, S, fraction=0.5)
    assert gain(Y, S, fraction=1) == 1.0
    assert fm.top_k_accuracy_score(Y, S, k=np.int64(1)) == fm.top_k_accuracy_score(Y, S, k=1)


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
    return list(fm.ScoreTable.from_scores(y, SCORES, pos_label=pos_label).positives[::-1] == 1)


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
        actual = outcome(functools.partial(curve, fm, y, pos))
        assert actual == outcome(functools.partial(curve, peer, y, pos)), repr(pos)


@pytest.mark.parametrize("name", LABELS)
def test_average_precision(name: str) -> None:
    y = LABELS[name]
    for pos in POS_LABELS:
        kind, value = outcome(functools.partial(average_precision, peer, y, pos))
        got, actual = outcome(functools.partial(average_precision, fm, y, pos))
        assert got == kind, repr(pos)
        if kind == "value":
            assert actual == pytest.approx(value, rel=1e-12), repr(pos)


@pytest.mark.parametrize("name", LABELS)
def test_sorted(name: str) -> None:
    y = LABELS[name]
    kind, value = outcome(lambda: peer.roc_auc_score(y, SCORES))
    got, actual = outcome(lambda: fm.roc_auc_score(y, SCORES))
    assert got == kind
    if kind == "value":
        assert actual == pytest.approx(value, rel=1e-15, nan_ok=True)


@pytest.mark.parametrize("name", LABELS)
def test_strict_is_the_curve_rule_without_surprises(name: str) -> None:
    """Both read alike the labels that both accept without a positive label, objects apart."""
    y = LABELS[name]
    actual = outcome(lambda: strict(y))
    assert actual == outcome(lambda: curve(peer, y, None)) or name == "number objects"


BYTES = [0, 1, 2, 3, 126, 127, 128, 129, 253, 254, 255]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.bool_])
@pytest.mark.parametrize(
    "read",
    [
        strict,
        functools.partial(curve, fm, pos_label=None),
        functools.partial(average_precision, fm, pos_label=None),
        lambda y: fm.roc_auc_score(y, SCORES),
    ],
)
def test_no_byte_passes_for_another(read: Callable[[Any], Any], dtype: Any) -> None:
    """Whatever two bytes labels are, they are read as wider integers are; odd booleans as True."""
    for low, high in itertools.product(BYTES, (0, 1, 2, 127, 128, 254, 255)):
        labels = np.array([low, high, high] * 2, np.uint8)
        wide = labels != 0 if dtype is np.bool_ else labels.view(dtype)
        actual = outcome(functools.partial(read, labels.view(dtype)))
        right = outcome(functools.partial(read, wide.astype(np.int64)))
        assert repr(actual) == repr(right), (low, high)


@pytest.mark.parametrize("name", ["text", "text objects", "pandas category"])
def test_strict_text(name: str) -> None:
    assert strict(LABELS[name], "yes") == [label == "yes" for label in LABELS["text"]]


def test_strict_wants_two_classes() -> None:
    assert strict([5, 7, 7, 5, 5, 7], 5) == [True, False, False, True, True, False]
    with pytest.raises(ValueError, match=r"3 classes, \{0, 1, 2\}.*y_true == 1.*`multi_class`"):
        strict([0, 1, 2, 0, 1, 2], 1)


def test_pos_label_must_be_a_scalar() -> None:
    with pytest.raises(TypeError, match="`pos_label` must be a number, a boolean or text"):
        fm.ScoreTable.from_scores([0, 1], [0.1, 0.2], pos_label=[1])
