"""Every container and dtype gives the same rows; canonical input is not copied, none is changed."""

import array
import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from fastmetrics._input.containers import as_array, as_vector
from fastmetrics._input.rows import check_binary
from fastmetrics._input.scores import check_scores_array

Y = np.array([0, 1, 1, 0, 1], dtype=np.int8)
S = np.array([0.5, 0.25, 0.75, 0.125, 2.0])  # exact in float16 too
REAL = [
    np.float16, np.float32, np.float64, np.longdouble, np.int8, np.int16, np.int32, np.int64,
    np.uint8, np.uint16, np.uint32, np.uint64, np.bool_,
]  # fmt: skip


class DLPack:
    """An array that is reached through DLPack only."""

    def __init__(self, values: np.ndarray[Any, Any]):
        self.values = values

    def __dlpack__(self, **options: Any) -> Any:
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


TEXT: dict[str, Callable[[list[str]], Any]] = {
    "list": list,
    "array": np.array,
    "objects": lambda t: np.array(t, dtype=object),
    "StringDType": lambda t: np.array(t, dtype=np.dtypes.StringDType()),
    "pandas": pd.Series,
    "pandas category": lambda t: pd.Series(t, dtype="category"),
    "pandas pyarrow": lambda t: pd.Series(t, dtype=pd.ArrowDtype(pa.string())),
    "polars": pl.Series,
    "polars Categorical": lambda t: pl.Series(t, dtype=pl.Categorical),
    "polars Enum": lambda t: pl.Series(t, dtype=pl.Enum(["no", "yes"])),
    "pyarrow": pa.array,
    "pyarrow chunks": lambda t: pa.chunked_array([t[:2], t[2:]]),
    "pyarrow dictionary": lambda t: pa.array(t).dictionary_encode(),
}


@pytest.mark.parametrize("name", TEXT)
def test_text_labels_of_each_container(name: str) -> None:
    text = ["yes" if label else "no" for label in Y]
    rows = check_binary(TEXT[name](text), S, pos_label="yes").verify()
    np.testing.assert_array_equal(rows.labels, Y)


@pytest.mark.pairwise
@pytest.mark.parametrize(
    ("dtype", "negative"),
    [(d, 0) for d in REAL] + [(d, -1) for d in REAL if np.dtype(d).kind in "if"],
)
@pytest.mark.parametrize("n", [5, 70_000])
def test_labels_of_each_dtype(dtype: Any, negative: int, n: int) -> None:
    is_positive = np.random.default_rng(n).random(n) < 0.3
    labels = np.where(is_positive, 1, negative).astype(dtype)
    scores = np.zeros(n)
    for given in (labels, labels.astype(labels.dtype.newbyteorder()), np.sort(labels)[::-1]):
        rows = check_binary(given, scores).verify()
        np.testing.assert_array_equal(rows.labels == 1, given == 1)
        np.testing.assert_array_equal(rows.labels == rows.negative, given != 1)


def test_a_late_surprise_is_found_in_every_chunk() -> None:
    for n in (3, 65_536, 65_537, 200_000):
        for at in {0, n // 2, n - 1}:
            labels = np.ones(n, dtype=np.int64)
            labels[::2] = -1
            labels[at] = 0
            with pytest.raises(ValueError, match=r"takes its values in|3 classes"):
                check_binary(labels, np.zeros(n)).verify()
            with pytest.raises(ValueError, match=r"takes its values in|3 classes"):
                check_binary(labels.astype(np.int8), np.zeros(n)).verify()


NO_COPY: dict[str, Callable[[np.ndarray[Any, Any]], Any]] = {
    "array": lambda a: a,
    "read-only": lambda a: _view_read_only(a),
    "masked": np.ma.masked_array,
    "pandas": lambda a: pd.Series(a, copy=False),
    "pandas pyarrow": lambda a: pd.Series(pd.arrays.ArrowExtensionArray(pa.array(a))),
    "polars": lambda a: pl.Series(a),
    "pyarrow": pa.array,
    "pyarrow one chunk": lambda a: pa.chunked_array([pa.array(a)]),
    "DLPack": DLPack,
}  # fmt: skip


def _view_read_only(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    view = values.view()
    view.flags.writeable = False
    return view


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.uint64])
@pytest.mark.parametrize("name", NO_COPY)
def test_canonical_scores_are_not_copied(name: str, dtype: Any) -> None:
    values = np.arange(100).astype(dtype)
    scores = check_binary(np.zeros(100, bool), NO_COPY[name](values)).verify().scores
    assert np.shares_memory(scores, values)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.bool_])
def test_one_byte_labels_are_not_copied(dtype: Any) -> None:
    labels = (np.arange(100) % 2).astype(dtype)
    rows = check_binary(labels, np.zeros(100))
    assert np.shares_memory(rows.labels, labels)
    assert np.shares_memory(rows.verify().labels, labels)
    assert np.shares_memory(check_binary(labels, np.zeros(100), pos_label=1).labels, labels)


def test_float64_weights_are_not_copied() -> None:
    weights = np.arange(100.0)
    rows = check_binary(np.zeros(100, bool), np.zeros(100), sample_weight=weights)
    assert np.shares_memory(rows.weights, weights)


def test_memory_map_is_not_copied(tmp_path: Path) -> None:
    np.save(tmp_path / "scores.npy", np.arange(50.0))
    mapped = np.load(tmp_path / "scores.npy", mmap_mode="r")
    rows = check_binary(np.zeros(50, bool), mapped).verify()
    assert np.shares_memory(rows.scores, mapped)
    assert type(rows.scores) is np.ndarray


def test_inputs_are_never_modified() -> None:
    given = [
        np.array([0, 1, -1, 1]), np.array([2.0, -0.0, 1.0, 3.0]), np.array([1e308, 1.0, 2.0, 3.0])
    ]  # fmt: skip
    before = [values.tobytes() for values in given]
    check_binary(np.abs(given[0]), given[1], sample_weight=given[2]).verify()
    with pytest.raises(ValueError, match="3 classes"):
        check_binary(*given[:2], sample_weight=given[2])
    assert [values.tobytes() for values in given] == before


def test_result_does_not_point_into_a_converted_label_array() -> None:
    labels = np.array([0, 1, 1])
    rows = check_binary(labels, np.zeros(3))
    labels[:] = 0
    assert rows.labels.tolist() == [0, 1, 1]


def test_buffers() -> None:
    values = array.array("d", S.tolist())
    assert as_vector(values, "y_score").tolist() == S.tolist()
    assert as_vector(memoryview(values), "y_score").tolist() == S.tolist()
    assert as_vector((ctypes.c_double * 2)(0.5, 0.25), "y_score").tolist() == [0.5, 0.25]
    assert as_vector(range(3), "y_score").tolist() == [0, 1, 2]


def test_lists_keep_integers_exact() -> None:
    assert as_array([2**63, 1], "y_score").tolist() == [2**63, 1]  # float64 to NumPy
    assert as_array([2**53 + 1, 1], "y_score").tolist() == [2**53 + 1, 1]
    assert as_array([1e300, 2**60], "y_score").tolist() == [1e300, 2.0**60]
    with pytest.raises(ValueError, match="mixes floats with the integer 9007199254740993 at ind"):
        as_array([0.5, 2**53 + 1], "y_score")
    with pytest.raises(
        ValueError, match="must fit 64-bit integers: from -1 to 9223372036854775808"
    ):
        as_array([2**63, -1], "y_score")
    with pytest.raises(ValueError, match="must fit 64-bit integers"):
        as_array([2**64, 0], "y_score")


@pytest.mark.parametrize(
    ("values", "error", "match"),
    [
        ([1, "a"], TypeError, "`y` mixes text with int at index 0"),
        ([[1, 2], [3]], ValueError, "`y` is not a rectangular sequence"),
        ("text", TypeError, "`y` must be an array.*scalar 'text'"),
        (pl.LazyFrame({"a": [1]}), TypeError, r"lazy frame: pass `\.collect\(\)`"),
        (pl.Series([1, 2], dtype=pl.Int128), TypeError, "`y` of dtype Int128 cannot be read"),
        (pl.col("a"), TypeError, "`y` must be an array or a sequence: got polars"),
        (pd.array(["a", "b"]), TypeError, "`y` must hold real numbers"),
        (pa.array([None, None]), ValueError, "`y` contains 2 nulls, first at index 0"),
        (np.array([(1, 2.0)], dtype="i4,f8"), TypeError, "`y` must be an array of one plain dtype"),
        (pd.DataFrame({"a": [1, 2]}).groupby("a"), TypeError, "`y` must be an array or a seq"),
    ],
)
def test_strange_containers(values: Any, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        check_scores_array(values, "y")


def test_sparse_matrix() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(TypeError, match=r"sparse matrix: pass `\.toarray\(\)`"):
        as_array(sparse.csr_matrix(np.eye(2)), "y_true")
