"""Labels in any container and layout, in one call and as a stream: the same counts."""

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from confusion_samples import check

from fastmetrics import ConfusionMatrix
from fastmetrics.errors import InputError

NUMBERS = np.array([3, -1, 0, 3, 2, 0, -1, 3])
TEXTS = np.array(["b", "ab", "", "b", "a", "é", "\0b", "猫"])


def frozen(y: np.ndarray) -> np.ndarray:
    y = y.copy()
    y.flags.writeable = False
    return y


def unaligned(y: np.ndarray) -> np.ndarray:
    return np.frombuffer(b"\0" + y.tobytes(), y.dtype, offset=1)


def on_disk(y: np.ndarray, path: Any) -> np.ndarray:
    y.tofile(path)
    return np.memmap(path, y.dtype, "r", shape=y.shape)


LAYOUTS: dict[str, Callable[[np.ndarray], Any]] = {
    "list": lambda y: y.tolist(),
    "tuple": lambda y: tuple(y.tolist()),
    "read-only": frozen,
    "strided": lambda y: np.repeat(y, 3)[::3],
    "reversed": lambda y: y[::-1].copy()[::-1],
    "column of a matrix": lambda y: np.stack([y, y], axis=1)[:, 1],
    "big-endian": lambda y: y.astype(y.dtype.newbyteorder(">")),
    "unaligned": unaligned,
    "pandas": pd.Series,
    "pandas with an index": lambda y: pd.Series(y, index=np.arange(len(y))[::-1] * 5),
    "pandas Index": pd.Index,
    "polars": lambda y: pl.Series(y.tolist()),
    "polars in chunks": lambda y: pl.concat(
        [pl.Series(y[:3].tolist()), pl.Series(y[3:].tolist())], rechunk=False
    ),
    "arrow": lambda y: pa.array(y.tolist()),
    "arrow in chunks": lambda y: (
        pa.chunked_array([y[:3].tolist(), [], y[3:].tolist()])
        if y.dtype.kind != "U"
        else pa.chunked_array([y[:3].tolist(), pa.array([], pa.string()), y[3:].tolist()])
    ),
    "arrow slice": lambda y: pa.array([*y[:2].tolist(), *y.tolist()])[2:],
}
OF_NUMBERS = {
    "int8": lambda y: y.astype(np.int8),
    "int16": lambda y: y.astype(np.int16),
    "int32, strided": lambda y: np.repeat(y.astype(np.int32), 2)[::2],
    "float32": lambda y: y.astype(np.float32),
    "float16": lambda y: y.astype(np.float16),
    "long double": lambda y: y.astype(np.longdouble),
    "masked": np.ma.masked_array,
    "field of records": lambda y: np.rec.fromarrays([y % 2, y], names="flag,label")["label"],
    "pandas Int64": lambda y: pd.Series(y, dtype="Int64"),
    "pandas of Arrow": lambda y: pd.Series(y, dtype="int64[pyarrow]"),
    "pandas categories": lambda y: pd.Series(y, dtype="category"),
}
OF_TEXT = {
    "object": lambda y: y.astype(object),
    "wider": lambda y: y.astype("U20"),
    "categorical": pd.Categorical,
    "categories, not sorted": lambda y: pd.Categorical(y, categories=sorted(set(y))[::-1]),
    "ordered categories": lambda y: pd.Categorical(y, sorted(set(y))[::-1], ordered=True),
    "unused categories": lambda y: pd.Series(pd.Categorical(y, ["unused", *sorted(set(y)), "z"])),
    "slice of categories": lambda y: pd.Series(pd.Categorical(["z", *y, "y"])).iloc[1:-1],
    "pandas string": lambda y: pd.Series(y, dtype="string"),
    "pandas string of Arrow": lambda y: pd.Series(y, dtype="string[pyarrow]"),
    "ArrowDtype": lambda y: pd.Series(y.tolist(), dtype=pd.ArrowDtype(pa.string())),
    "ArrowDtype, large": lambda y: pd.Series(y.tolist(), dtype=pd.ArrowDtype(pa.large_string())),
    "categories of Arrow": lambda y: pd.Series(y, dtype="string[pyarrow]").astype("category"),
    "index of categories": pd.CategoricalIndex,
    "polars Categorical": lambda y: pl.Series(y.tolist(), dtype=pl.Categorical),
    "polars Enum": lambda y: pl.Series(
        y.tolist(), dtype=pl.Enum(["unused", *sorted(set(y.tolist()))[::-1]])
    ),
    "polars slice": lambda y: pl.Series(["z", *y.tolist(), "y"])[1:-1],
    "polars Categorical slice": lambda y: pl.Series(["z", *y.tolist()], dtype=pl.Categorical)[1:],
    "arrow large": lambda y: pa.array(y.tolist(), pa.large_string()),
    "arrow view": lambda y: pa.array(y.tolist(), pa.string_view()),
    "dictionary": lambda y: pa.array(y.tolist()).dictionary_encode(),
    "dictionary, large": lambda y: pa.array(y.tolist(), pa.large_string()).dictionary_encode(),
    "dictionary, slice": lambda y: pa.array(["z", *y.tolist(), "y"]).dictionary_encode()[1:-1],
    "dictionary, chunks that differ": lambda y: pa.chunked_array(
        [pa.array(part.tolist()).dictionary_encode() for part in (y[4:5], y[:4], y[4:])]
    )[1:],
    "dictionary, small indices": lambda y: pa.array(
        y.tolist(), pa.dictionary(pa.int8(), pa.string())
    ),
    "dictionary, one text twice": lambda y: pa.DictionaryArray.from_arrays(
        pa.array([k if k % 2 else 2 * len(y) - 1 - k for k in range(len(y))]),
        pa.array([*y.tolist(), *y.tolist()[::-1]]),
    ),
}


def counted(y: Any, p: Any) -> list[ConfusionMatrix]:
    """Return matrices of the rows: at once, as streams of a batch, and over given labels."""
    found = [ConfusionMatrix.from_labels(y, p)]
    found.append(ConfusionMatrix())
    found.append(ConfusionMatrix(found[0].labels))
    for matrix in found[1:]:
        matrix.update(y, p)
    return found


def _check(y: Any, p: Any, true: list[Any], predicted: list[Any]) -> None:
    rows = [(a, b, 1) for a, b in zip(true, predicted, strict=True)]
    for matrix in counted(y, p):
        check(matrix, rows)
        assert matrix.labels == tuple(sorted({*true, *predicted}))


@pytest.mark.parametrize("name", [*LAYOUTS, *OF_NUMBERS])
def test_numbers(name) -> None:
    make = (LAYOUTS | OF_NUMBERS)[name]
    y, p = NUMBERS, NUMBERS[[1, 1, 2, 0, 4, 5, 6, 2]]
    _check(make(y), make(p), y.tolist(), p.tolist())
    _check(make(y), p, y.tolist(), p.tolist())
    _check(y, make(p), y.tolist(), p.tolist())


@pytest.mark.parametrize("name", [*LAYOUTS, *OF_TEXT])
def test_texts(name) -> None:
    make = (LAYOUTS | OF_TEXT)[name]
    y, p = TEXTS, TEXTS[[1, 1, 2, 0, 4, 5, 6, 2]]
    _check(make(y), make(p), y.tolist(), p.tolist())
    _check(make(y), p, y.tolist(), p.tolist())
    _check(p, make(y), p.tolist(), y.tolist())


def test_memory_maps(tmp_path) -> None:
    for y in (NUMBERS, NUMBERS.astype(np.int8), NUMBERS.astype(">i4"), TEXTS):
        p = y[::-1]
        _check(on_disk(y, tmp_path / "y"), p, y.tolist(), p.tolist())


@pytest.mark.parametrize("value", [np.nan, None])
@pytest.mark.parametrize("name", [name for name in OF_TEXT if "twice" not in name])
def test_nulls_among_texts(name, value) -> None:
    if name in ("wider", "index of categories") or "polars" in name:
        value = None
    with contextlib.suppress(TypeError, pa.ArrowInvalid, pa.ArrowTypeError):
        y = OF_TEXT[name](TEXTS)
        texts = pd.Series(TEXTS.astype(object)).where(np.arange(8) % 3 > 0, value)
        if ("arrow" in name.lower() and not isinstance(y, pd.Series)) or "dictionary" in name:
            y = pa.array(texts.tolist(), from_pandas=True).dictionary_encode()
        elif isinstance(y, pl.Series):
            y = pl.Series(texts.tolist(), dtype=y.dtype)
        elif isinstance(y, pd.Series):
            y = texts.astype(y.dtype)
        else:
            y = pd.Categorical(texts)
        matrix = ConfusionMatrix()
        with pytest.raises(ValueError, match="`y_pred` contains 3 nulls, first at index 0"):
            matrix.update(TEXTS, y)
        assert matrix.n == 0


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([None, None], dtype="string"),
        pd.Categorical([None, None]),
        pl.Series([None, None], dtype=pl.String),
        pl.Series([None, None], dtype=pl.Categorical),
        pa.array([None, None], pa.string()),
        pa.array([None, None], pa.string()).dictionary_encode(),
        pa.array([None, None], pa.string()).dictionary_encode(null_encoding="encode"),
        pa.nulls(2),
    ],
    ids=lambda column: f"{type(column).__module__}.{type(column).__name__}",
)
def test_nothing_but_nulls(column) -> None:
    with pytest.raises(ValueError, match="`y_true` contains 2 nulls, first at index 0"):
        ConfusionMatrix.from_labels(column, ["a", "b"])


@pytest.mark.parametrize("make", [np.array, lambda y: np.array(y, object), pl.Series, pa.array])
def test_too_many_texts(make) -> None:
    """More than are hashed as they lie, and more than a matrix takes."""
    texts = [f"{k % 20_011}" for k in range(40_000)]
    with pytest.raises(ValueError, match="20,011 labels, at most 16,384"):
        ConfusionMatrix().update(make(texts), make(texts))


def test_texts_of_colliding_shapes(rng) -> None:
    """Lengths, prefixes and NULs that a careless comparison confuses; both ways of coding."""
    parts = ["", "a", "\0", "aa", "a\0", "\0a", "b", "\0\0a", "a\0a"]
    pool = np.array([x + y + "x" for x in parts for y in parts])
    for n in (100, 30_000):  # sorted, and hashed
        y, p = rng.choice(pool, (2, n))
        labels = sorted({*y.tolist(), *p.tolist()})
        wanted = np.zeros((len(labels), len(labels)), int)
        np.add.at(wanted, tuple(np.searchsorted(labels, each) for each in (y, p)), 1)
        for columns in ((y, p), (y.astype(object), p), (pa.array(y.tolist()), p.astype(object))):
            matrix = ConfusionMatrix.from_labels(*columns)
            assert matrix.labels == tuple(labels)
            assert matrix.counts.tolist() == wanted.tolist()


def test_trailing_nuls_are_counted_or_refused() -> None:
    rows = ["a", "a\0", "a\0\0", "a"]
    for column in (
        np.array(rows, object),
        pd.Series(rows, dtype="string"),
        pl.Series(rows),
        pa.array(rows),
    ):
        with contextlib.suppress(InputError):  # never cut
            assert ConfusionMatrix.from_labels(column, column).labels == ("a", "a\0", "a\0\0")
