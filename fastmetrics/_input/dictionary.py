"""Columns of text that a frame library holds: numbered by that library, not by way of objects."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.containers import null_message
from fastmetrics.errors import InputError


class Dictionary(NamedTuple):
    """``words`` (k,) of dtype object, distinct; ``codes`` (n,) integers: ``words[codes]``."""

    words: NDArray[Any]
    codes: NDArray[Any]


def dictionary(values: Any, name: str) -> Dictionary | None:
    """Return the distinct texts of a column of pandas, polars or Arrow and each row's number.

    None for every other kind of input, for columns of numbers and for empty ones: they are read
    as arrays. Categories that are no text are read as arrays too.

    Raises
    ------
    ValueError
        If the column has nulls.
    """
    library = type(values).__module__.partition(".")[0]
    reader = _READERS.get(library)
    if reader is None or library not in sys.modules or getattr(values, "ndim", 1) != 1:
        return None
    found = reader(values)
    if found is None or len(found.codes) == 0:
        return None
    words, codes = found
    texts = words.tolist()
    if not all(type(word) is str for word in texts):
        return None
    if codes.min() < 0:
        is_null = codes < 0
        raise InputError(
            null_message(name, int(np.count_nonzero(is_null)), int(np.argmax(is_null)))
        )
    if len(set(texts)) < len(texts):  # Arrow lets a dictionary say the same twice
        number: dict[str, int] = {}
        codes = np.array([number.setdefault(word, len(number)) for word in texts])[codes]
        return Dictionary(np.array(list(number), dtype=object), codes)
    return found


def _of_pandas(values: Any) -> Dictionary | None:
    pandas = sys.modules["pandas"]
    dtype = getattr(values, "dtype", None)
    if dtype is None or isinstance(dtype, np.dtype):
        return None
    if isinstance(dtype, pandas.CategoricalDtype):
        categorical = values.array if hasattr(values, "array") else values
        words = np.asarray(categorical.categories, dtype=object)
        return Dictionary(words, np.asarray(categorical.codes))
    if pandas.api.types.is_string_dtype(dtype):
        codes, uniques = pandas.factorize(values)
        return Dictionary(np.asarray(uniques, dtype=object), codes)
    return None


def _of_polars(values: Any) -> Dictionary | None:
    polars = sys.modules["polars"]
    if not isinstance(values, polars.Series) or values.dtype not in (
        polars.String,
        polars.Categorical,
        polars.Enum,
    ):
        return None
    text = values.cast(polars.String)
    words = text.drop_nulls().unique(maintain_order=True)
    if not len(words):
        return Dictionary(np.empty(0, dtype=object), np.full(len(text), -1))
    codes = text.replace_strict(words, np.arange(len(words)), return_dtype=polars.Int64)
    return Dictionary(words.to_numpy().astype(object), codes.fill_null(-1).to_numpy())


def _of_arrow(values: Any) -> Dictionary | None:
    pyarrow = sys.modules["pyarrow"]
    if not isinstance(values, pyarrow.Array | pyarrow.ChunkedArray):
        return None
    kind = str(values.type)
    if kind.removeprefix("dictionary<values=").split(",")[0] not in _ARROW_TEXTS:
        return None
    if hasattr(values, "combine_chunks"):
        values = values.combine_chunks()
        if hasattr(values, "chunks"):  # older versions return one chunk still chunked
            values = values.chunk(0)
    if not kind.startswith("dictionary"):
        values = values.dictionary_encode()
    codes = values.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return Dictionary(np.array(values.dictionary.to_pylist(), dtype=object), codes)


_ARROW_TEXTS = ("string", "large_string", "string_view")
_READERS = {"pandas": _of_pandas, "polars": _of_polars, "pyarrow": _of_arrow}
