"""Labels of many classes, pairs of columns of labels, and indicator matrices of many labels.

Columns of text that a frame library holds are numbered by that library, not by way of objects.
"""

from __future__ import annotations

import sys
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.containers import as_array, null_message, plain_texts
from fastmetrics._input.labels import (
    ARGMAX,
    check_label_values,
    label_vector,
    show_labels,
    text_or_numbers,
)
from fastmetrics._input.scalars import check_same_length
from fastmetrics._input.scores import contiguous
from fastmetrics._kernels import cells as kernels
from fastmetrics.errors import InputError, InputTypeError

_TABLE: Final = 1 << 16
"""Integer labels that span at most this much, or their number, are coded through a table."""

_DISTINCT: Final = 1 << 14
"""Other labels are hashed as they lie in memory, in a table of at least so many distinct ones."""


class ClassLabels(NamedTuple):
    """``classes`` sorted and distinct; ``codes`` int64, ``classes[codes]`` being the labels."""

    classes: NDArray[Any]
    codes: NDArray[np.int64]


def check_class_labels(y_true: Any, name: str = "y_true") -> ClassLabels:
    """Return the sorted classes of labels, whole numbers, booleans or text, and each row's code."""
    named = dictionary(y_true, name)
    if named is not None:
        return in_order(named.words, named.codes)
    y = text_or_numbers(label_vector(y_true, name), name)
    check_label_values(y, name)
    if y.dtype.kind == "U":
        return _hashed_codes(y)
    if y.dtype.kind == "O":
        values = y.tolist()
        classes = sorted(set(values))
        number = {label: code for code, label in enumerate(classes)}
        codes = np.fromiter(map(number.__getitem__, values), dtype=np.int64, count=len(y))
        return ClassLabels(np.array(classes, dtype=object), codes)
    whole = y
    if y.dtype.kind == "b":
        whole = contiguous(y).view(np.uint8)
    elif y.dtype.kind == "f":
        if float(np.abs(y).max()) >= 2.0**53:
            return _sorted_codes(y)
        whole = y.astype(np.int64)
    found = _integer_codes(whole)
    return found._replace(classes=found.classes.astype(y.dtype.newbyteorder("="), copy=False))


def check_groups(groups: Any, n: int, name: str = "y_true") -> NDArray[np.int64]:
    """Return the number of each of n rows' group, groups being sorted; ``name`` has the rows."""
    found = check_class_labels(groups, "groups")
    check_same_length(**{name: range(n), "groups": found.codes})
    if len(found.classes) < 2:
        raise InputError("`groups` must name at least two groups: got one, of which all rows are")
    return found.codes


def in_order(words: NDArray[Any], codes: NDArray[Any]) -> ClassLabels:
    """Return the words that occur, sorted, and the codes that follow from ``codes`` of words."""
    present = np.flatnonzero(np.bincount(codes, minlength=len(words)))
    order = present[np.argsort(words[present])]
    rank = np.zeros(len(words), np.int64)
    rank[order] = np.arange(len(order))
    return ClassLabels(words[order], rank[codes])


def check_multilabel_indicator(y_true: Any, name: str = "y_true") -> NDArray[np.int8]:
    """Return an indicator matrix (n, k) as int8 {0, 1}, verified; one-byte {0, 1} in place.

    {-1, 1} is accepted and becomes {0, 1}.
    """
    array = as_array(y_true, name)
    if array.ndim != 2:
        raise InputError(f"`{name}` must be an indicator matrix of shape (n, k): got {array.shape}")
    if array.size == 0:
        raise InputError(f"`{name}` is empty: shape {array.shape}")
    if array.dtype.kind == "O":
        array = text_or_numbers(array, name)
    if array.dtype.kind not in "biuf":
        raise InputTypeError(f"`{name}` must be an indicator matrix of 0 and 1: got {array.dtype}")
    ones: NDArray[np.bool_] = array == 1
    others = array.size - np.count_nonzero(ones)
    if array.size - np.count_nonzero(array) == others:
        indicator: NDArray[np.int8] = (array if array.dtype.itemsize == 1 else ones).view(np.int8)
        return indicator
    if array.dtype.kind in "if" and np.count_nonzero(array == -1) == others:
        signs: NDArray[np.int8] = ones.view(np.int8)
        return signs
    values, is_one = np.unique(array), array.shape[1] == 1
    are_scores = array.dtype.kind == "f" and (values % 1 != 0).any()
    rule = "hold 0 and 1" if is_one else "be an indicator matrix of 0 and 1"
    advice = f"; {ARGMAX}" if are_scores and not is_one else ""
    raise InputError(f"`{name}` must {rule}: got values in {show_labels(values)}{advice}")


def _hashed_codes(y: NDArray[Any]) -> ClassLabels:
    """Code integers, or texts of dtype U, by the bytes of each row: no object, no sort of rows.

    The table grows while labels come often, so that a row is read twice at most, or thrice.
    """
    width = y.dtype.itemsize // 4
    y = contiguous(y.astype(y.dtype.newbyteorder("="), copy=False))
    if width == 0:
        return _sorted_codes(y)
    rows, codes = y.view(np.uint32).reshape(len(y), width), np.empty(len(y), np.int32)
    size = _DISTINCT
    while size <= max(_DISTINCT, len(y) // 4):
        firsts, slots = np.empty(size, np.int64), np.full(4 * size, -1, np.int32)
        count = kernels.text_codes(rows, slots, firsts, codes)
        if count >= 0:
            return in_order(y[firsts[:count]], codes)
        size *= 8
    return _sorted_codes(y)


def _sorted_codes(y: NDArray[Any]) -> ClassLabels:
    classes, inverse = np.unique(y, return_inverse=True)
    return ClassLabels(classes, inverse.astype(np.int64, copy=False))


def _integer_codes(y: NDArray[Any]) -> ClassLabels:
    low, high = int(y.min()), int(y.max())
    if high - low >= max(_TABLE, len(y)):
        return _hashed_codes(y)
    if y.dtype.itemsize < 8:
        y = y.astype(np.int64)
    offsets = (y - y.dtype.type(low)).astype(np.int64, copy=False)
    present = np.zeros(high - low + 1, dtype=np.bool_)
    present[offsets] = True
    number = np.cumsum(present) - 1
    classes = np.flatnonzero(present).astype(y.dtype) + y.dtype.type(low)
    return ClassLabels(classes, number[offsets].astype(np.int64, copy=False))


class Dictionary(NamedTuple):
    """``words`` (k,) of dtype object, distinct; ``codes`` (n,) integers: ``words[codes]``."""

    words: NDArray[Any]
    codes: NDArray[Any]


def dictionary(values: Any, name: str) -> Dictionary | None:
    """Return the distinct texts of a column of pandas, polars or Arrow and each row's number.

    None for every other kind of input, for columns of numbers and for empty ones: they are read as
    arrays. Categories that are no text are read as arrays too. Nulls are refused.
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
    if not all(isinstance(word, str) for word in texts):
        return None
    texts = plain_texts(texts, name)
    if codes.min() < 0:
        is_null = codes < 0
        raise InputError(
            null_message(name, int(np.count_nonzero(is_null)), int(np.argmax(is_null)))
        )
    if len(set(texts)) < len(texts):  # Arrow lets a dictionary say the same twice
        number: dict[str, int] = {}
        codes = np.array([number.setdefault(word, len(number)) for word in texts])[codes]
        return Dictionary(np.array(list(number), dtype=object), codes)
    return Dictionary(np.array(texts, dtype=object), codes)


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


class LabelColumn(NamedTuple):
    """``values`` (n,): whole numbers or booleans; of texts their codes, ``classes[codes]``.

    ``classes`` is None for numbers. One-byte booleans may hold bytes other than 0 and 1, which
    mean True: who counts them notices (see `clean`).
    """

    name: str
    values: NDArray[Any]
    classes: NDArray[Any] | None

    @property
    def kind(self) -> str:
        """Kind of the dtype, "b", "i", "u" or "f"; "U" for text."""
        return "U" if self.classes is not None else str(self.values.dtype.kind)

    def clean(self) -> LabelColumn:
        """Return the column with booleans that are 0 or 1."""
        if self.kind != "b":
            return self
        return self._replace(values=np.ascontiguousarray(self.values).view(np.uint8) != 0)

    def coded(self) -> ClassLabels:
        """Return the sorted classes of the column, whatever its kind, and the codes of its rows."""
        if self.classes is not None:
            return ClassLabels(self.classes, self.values)
        return check_class_labels(self.values, self.name)

    def first(self, label: Any) -> int:
        """Return the first row that holds the label."""
        if self.classes is None:
            return int(np.argmax(self.values == label))
        return int(np.argmax(self.values == self.classes.tolist().index(label)))


class LabelColumns(NamedTuple):
    """Both columns, of equal length; see `check_label_columns`."""

    true: LabelColumn
    predicted: LabelColumn

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.true.values)

    @property
    def kind(self) -> str:
        """What both are: "U" for text, "b" or "f" where both are of that kind, else "i"."""
        kind = self.true.kind
        return kind if kind == "U" or (kind in "bf" and kind == self.predicted.kind) else "i"

    @property
    def label_type(self) -> type:
        """What a label is in Python: str, bool, float or int."""
        return {"U": str, "b": bool, "f": float}.get(self.kind, int)

    def clean(self) -> LabelColumns:
        """Return columns whose booleans are 0 or 1."""
        return LabelColumns(self.true.clean(), self.predicted.clean())


def check_label_columns(y_true: Any, y_pred: Any) -> LabelColumns:
    """Return two columns of labels, checked: of one length, both text or both whole numbers."""
    return of_one_kind(check_label_column(y_true, "y_true"), check_label_column(y_pred, "y_pred"))


def of_one_kind(true: LabelColumn, predicted: LabelColumn) -> LabelColumns:
    """Return two checked columns as a pair: of one length, both text or both whole numbers."""
    check_same_length(**{true.name: true.values, predicted.name: predicted.values})
    if (true.classes is None) != (predicted.classes is None):
        kinds = ("numbers", "text") if true.classes is None else ("text", "numbers")
        raise InputTypeError(f"`{true.name}` holds {kinds[0]} and `{predicted.name}` {kinds[1]}")
    return LabelColumns(true, predicted)


def check_label_column(values: Any, name: str) -> LabelColumn:
    """Return one column of labels, checked; see `check_label_columns`."""
    named = None if type(values) is np.ndarray else dictionary(values, name)
    if named is not None:
        coded = in_order(named.words, named.codes)
        return LabelColumn(name, coded.codes, coded.classes)
    y = text_or_numbers(label_vector(values, name), name)
    if y.dtype.kind in "UO":
        coded = check_class_labels(y, name)
        return LabelColumn(name, coded.codes, coded.classes)
    check_label_values(y, name)
    return LabelColumn(name, y, None)
