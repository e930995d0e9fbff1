"""Labels: of two classes and of many, pairs of columns of labels, indicator matrices.

Columns of text that a frame library holds are numbered by that library, not by way of objects.
"""

from __future__ import annotations

import functools
import numbers
import sys
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.containers import (
    as_array,
    as_vector,
    column_count,
    column_names,
    has_names,
    null_message,
    plain_texts,
    refuse_nulls,
)
from fastmetrics._input.scalars import check_same_length, check_same_shape
from fastmetrics._input.scores import CHUNK, contiguous, real_numbers
from fastmetrics._kernels import cells as kernels
from fastmetrics.errors import InputError, InputTypeError

# --- two classes: which rows are positive, under four rules --------------------------------------


ARGMAX: Final = "where each column is a class take the argmax, `classes[columns.argmax(axis=1)]`"

#: ``strict`` is ours; each other is that of scikit-learn 1.9: ``curve`` of roc_curve and its kin,
#: ``sorted`` of roc_auc_score (the greater of any two labels is positive), ``average_precision`` of
#: average_precision_score (``pos_label`` is 1 unless given, and one of two labels).
RULES: Final = ("strict", "curve", "sorted", "average_precision")

OF_REGRESSION: Final = "its metrics have names such as 'mean_squared_error'"

#: More numbers than this are seldom classes of a metric for two.
_MANY: Final = 20

_FEW: Final = 16
_SHOWN: Final = 8


#: Labels as int8, 1 of a positive; that of a negative, 0 or -1; whether this is no guess.
_BinaryLabels = tuple[NDArray[np.int8], int, bool]


def encode_labels(y: NDArray[Any], pos_label: Any, rule: str, *, defer: bool) -> _BinaryLabels:
    """Return a non-empty vector of labels as 1 and ``negative``.

    One-byte labels are viewed in place; with ``defer`` they are not even read, except for a
    handful that tell {-1, 1} from {0, 1}. Others are encoded in one pass that verifies on the way,
    and in two when a label is neither -1, 0 nor 1.
    """
    if rule not in RULES:
        raise InputError(f"`label_rule` must be one of {', '.join(RULES)}: got {rule!r}")
    if isinstance(pos_label, np.generic):
        pos_label = pos_label.item()
    if pos_label is None and rule == "average_precision":
        pos_label = 1
    if not isinstance(pos_label, str | numbers.Real | None):
        raise InputTypeError(f"`pos_label` must be a number, a boolean or text: got {pos_label!r}")
    one_is_positive = pos_label is None or pos_label == 1
    if one_is_positive and y.dtype.kind in "biuf":
        unit = _unit_view(y, defer) if y.dtype.itemsize == 1 else _encode_unit(y)
        if unit is not None:
            return unit
    y = text_or_numbers(y, "y_true", convert=rule == "strict")
    check_label_values(y, "y_true")
    return _encode_general(y, pos_label, rule)


def distinct(y: NDArray[Any]) -> NDArray[Any]:
    """Return the distinct values, sorted; fast where there are few, whatever the order."""
    seen = y[:0]
    for start in range(0, len(y), CHUNK):
        chunk = y[start : start + CHUNK]
        new = np.ones(len(chunk), dtype=np.bool_)
        for value in seen:
            new &= chunk != value
        if new.any():
            seen = np.unique(np.concatenate([seen, chunk[new]]))
        if len(seen) > _FEW:
            return np.unique(y)
    return seen


def show_labels(classes: NDArray[Any]) -> str:
    """Return labels for a message: {0, 1, 2}, cut when there are many."""
    text = ", ".join(map(repr, classes[:_SHOWN].tolist()))
    return f"{{{text}}}" if len(classes) <= _SHOWN else f"{{{text}, ...}}"


def check_label_values(y: NDArray[Any], name: str) -> None:
    """Raise unless float labels are whole numbers: no nan, no inf, no soft label."""
    if y.dtype.kind != "f":
        return
    for start in range(0, len(y), CHUNK):
        chunk = y[start : start + CHUNK]
        if not (np.rint(chunk) == chunk).all() or np.isinf(chunk).any():
            raise InputError(_float_label_fault(y, name))


def label_vector(values: Any, name: str) -> NDArray[Any]:
    """Return a non-empty vector of labels, not yet read; the error for a matrix has advice."""
    array = as_array(values, name)
    if array.ndim == 2 and array.shape[1] > 1:
        advice = "" if name == "groups" else f"; {ARGMAX}"
        raise InputError(f"`{name}` must be labels of shape (n,): got {array.shape}{advice}")
    return as_vector(array, name)


def text_or_numbers(y: NDArray[Any], name: str, *, convert: bool = True) -> NDArray[Any]:
    """Return labels of a kind that compares: numbers, or text (as dtype U or object).

    Objects that are numbers are converted with a warning, or refused without ``convert``.
    """
    if y.dtype.kind in "biufU":
        return y
    if y.dtype.kind == "T":
        y = y.astype(object)
    if y.dtype.kind != "O":
        raise InputTypeError(f"`{name}` must hold numbers, booleans or text: got dtype {y.dtype}")
    values = y.ravel().tolist()
    kinds = set(map(type, values))
    if all(issubclass(kind, str) for kind in kinds):
        texts = plain_texts(values, name)
        return y if texts is values else np.array(texts, dtype=object).reshape(y.shape)
    refuse_nulls(values, name)
    if any(issubclass(kind, str) for kind in kinds):
        first = next(i for i, value in enumerate(values) if not isinstance(value, str))
        raise InputTypeError(
            f"`{name}` mixes text with {type(values[first]).__name__} at index {first}"
        )
    if not convert:
        raise InputError(f"`{name}` has dtype object and holds no text: pass `.astype(int)`")
    return real_numbers(y, name)


def _unit_view(y: NDArray[Any], defer: bool) -> _BinaryLabels | None:
    """Return one-byte labels in place if they are (or, deferred, seem) {0, 1} or {-1, 1}."""
    values: NDArray[np.int8] = contiguous(y).view(np.int8)
    if defer:
        is_minus = y.dtype.kind == "i" and b"\xff" in y[:: len(y) // 64 + 1].tobytes()
        return values, -1 if is_minus else 0, False
    negative = -1 if y.dtype.kind == "i" and y.min() < 0 else 0
    if np.count_nonzero(values == 1) + np.count_nonzero(values == negative) == len(values):
        return values, negative, True
    if y.dtype.kind == "b":  # a byte such as 2, from a buffer that was viewed as booleans
        return (values != 0).view(np.int8), 0, True
    return None


def _encode_unit(y: NDArray[Any]) -> _BinaryLabels | None:
    """Return labels that are {0, 1} or {-1, 1} as 1 and 0, in one pass; None if they are not."""
    n = len(y)
    if n <= CHUNK:  # plain operators: on small data each call counts
        ones = y == 1
        return None if _negative_label(y, ones, None) is None else _as_binary(ones)
    ones = np.empty(n, dtype=np.bool_)
    negative = None
    for start in range(0, n, CHUNK):
        chunk = y[start : start + CHUNK]
        out = ones[start : start + CHUNK]
        np.equal(chunk, 1, out=out)
        seen_negative = _negative_label(chunk, out, negative)
        if seen_negative is None:
            return None
        negative = None if seen_negative == 1 else seen_negative
    return _as_binary(ones)


def _negative_label(y: NDArray[Any], ones: NDArray[np.bool_], known: int | None) -> int | None:
    """Return the only label beside 1, 0 or -1; ``known`` or 1 if there is none; else None."""
    n_ones = np.count_nonzero(ones)
    n_others = len(y) - n_ones
    if n_others == 0:
        return 1 if known is None else known
    # nan is not zero; NumPy counts non-zero booleans and integers fast, floats slowly
    if known != -1 and np.count_nonzero(y if y.dtype.kind in "iu" else y != 0) == n_ones:
        return 0
    if known != 0 and np.count_nonzero(y == -1) == n_others:
        return -1
    return None


def _as_binary(ones: NDArray[np.bool_]) -> _BinaryLabels:
    return ones.view(np.int8), 0, True


def _encode_general(y: NDArray[Any], pos_label: Any, rule: str) -> _BinaryLabels:
    classes = distinct(y)
    is_text = classes.dtype.kind in "UO"
    if pos_label is None:
        pos_label = _implied_positive(classes, is_text, rule)
    elif rule != "curve" and len(classes) > 2:
        raise InputError(_too_many(classes, pos_label))
    positive = None  # as the data have it
    if pos_label is not None and isinstance(pos_label, str) == is_text:
        positive = next((label for label in classes.tolist() if label == pos_label), None)
    if positive is None:
        if pos_label is not None and rule != "curve" and len(classes) == 2:
            raise InputError(
                f"`pos_label`={pos_label!r} is not a label of `y_true`, which takes its values in "
                f"{show_labels(classes)}"
            )
        return np.zeros(len(y), dtype=np.int8), 0, True
    return _as_binary(np.asarray(y == positive))


def _implied_positive(classes: NDArray[Any], is_text: bool, rule: str) -> Any:
    """Return the positive label where none was given, or raise."""
    if rule == "sorted" and len(classes) <= 2:
        return classes.tolist()[1] if len(classes) == 2 else None
    labels = set(classes.tolist())
    if not is_text and (labels <= {0, 1} or labels <= {-1, 1}):
        return 1
    if len(classes) > 2:
        raise InputError(_too_many(classes))
    raise InputError(
        f"`y_true` takes its values in {show_labels(classes)}: pass `pos_label`, or labels "
        "in {0, 1} or {-1, 1}"
    )


def _too_many(classes: NDArray[Any], pos_label: Any = None) -> str:
    label = classes.tolist()[-1] if pos_label is None else pos_label
    advice = (
        f"pass `y_true == {label!r}` for one class against the rest, or see `multi_class` of "
        "roc_auc_score"
    )
    if len(classes) > _MANY and classes.dtype.kind not in "UO":
        advice += f", or is this regression ({OF_REGRESSION})?"
    return (
        f"`y_true` has {len(classes):,} classes, {show_labels(classes)}, and this metric is for "
        f"two: {advice}"
    )


def _float_label_fault(y: NDArray[Any], name: str) -> str:
    nan = np.isnan(y)
    if nan.any():
        return null_message(name, int(np.count_nonzero(nan)), int(np.argmax(nan)), " (nan)")
    inf = np.isinf(y)
    if inf.any():
        return f"`{name}` must be finite: inf at index {np.argmax(inf)}"
    first = int(np.argmax(np.rint(y) != y))
    where = f"({y[first].item()!r} at index {first})"
    if name in ("labels", "groups"):
        return f"`{name}` must hold whole numbers or text: got continuous values {where}"
    held = "probabilities"
    if y.min() < 0 or y.max() > 1:
        held = "continuous values"
        advice = f"is this regression ({OF_REGRESSION}), or"
        advice += " are the arguments swapped?"
    elif name == "y_true":
        advice = "are the arguments swapped? A soft label p becomes two"
        advice += " rows, labels 1 and 0, with `sample_weight` p and 1 - p"
    else:
        advice = "threshold them with `predict_at_threshold`, or are the"
        advice += " arguments swapped?"
    return f"`{name}` holds {held} {where} where labels are needed: {advice}"


#: Integer labels that span at most this much, or their number, are coded through a table.
_TABLE: Final = 1 << 16

#: Other labels are hashed as they lie in memory, in a table of at least so many distinct ones.
_DISTINCT: Final = 1 << 14


class ClassLabels(NamedTuple):
    """``classes`` sorted and distinct; ``codes`` int64, ``classes[codes]`` being the labels."""

    classes: NDArray[Any]
    codes: NDArray[np.int64]


def check_class_labels(y_true: Any, name: str = "y_true") -> ClassLabels:
    """Return the sorted classes of labels, whole numbers, booleans or text, and each row's code."""
    named = _frame_labels(y_true, name)
    if named is not None:
        return named
    y = text_or_numbers(label_vector(y_true, name), name)
    check_label_values(y, name)
    if y.dtype.kind == "U":
        return _hash_codes(y)
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
    encoded = _integer_codes(whole)
    return encoded._replace(classes=encoded.classes.astype(y.dtype.newbyteorder("="), copy=False))


def class_codes(
    y_true: Any, labels: Any, n_columns: int, name: str = "y_score"
) -> NDArray[np.int64]:
    """Return the column of each row's class; ``name`` is what messages call the scores."""
    encoded = check_class_labels(y_true)
    if labels is None:
        if len(encoded.classes) != n_columns:
            raise InputError(
                f"`{name}` must have a column for each class of `y_true`, {len(encoded.classes)}: "
                f"got {n_columns}; pass `labels` if a class has no row"
            )
        return encoded.codes
    given = check_class_labels(labels, "labels")
    if len(given.classes) != len(given.codes):
        raise InputError("Parameter 'labels' must be unique")
    if not np.array_equal(given.codes, np.arange(len(given.codes))):
        raise InputError("Parameter 'labels' must be ordered")
    if len(given.classes) != n_columns:
        raise InputError(
            f"`labels` must name as many classes as `{name}` has columns, {n_columns}: got "
            f"{len(given.classes)}"
        )
    column = {label: code for code, label in enumerate(given.classes.tolist())}
    seen = encoded.classes.tolist()
    foreign = [label for label in seen if label not in column]
    if foreign:
        raise InputError(f"'y_true' contains labels not in parameter 'labels': {foreign[0]!r}")
    return np.array([column[label] for label in seen], dtype=np.int64)[encoded.codes]


def check_groups(groups: Any, n: int, name: str = "y_true") -> NDArray[np.int64]:
    """Return the number of each of n rows' group, groups being sorted; ``name`` has the rows."""
    encoded = check_class_labels(groups, "groups")
    check_same_length(**{name: range(n), "groups": encoded.codes})
    if len(encoded.classes) < 2:
        raise InputError("`groups` must name at least two groups: got one, of which all rows are")
    return encoded.codes


def sort_classes(texts: NDArray[Any], codes: NDArray[Any]) -> ClassLabels:
    """Return the texts that occur, sorted, and their codes, from ``codes`` of all texts."""
    present = np.flatnonzero(np.bincount(codes, minlength=len(texts)))
    order = present[np.argsort(texts[present])]
    rank = np.zeros(len(texts), np.int64)
    rank[order] = np.arange(len(order))
    return ClassLabels(texts[order], rank[codes])


def check_multilabel_indicator(y_true: Any, name: str = "y_true") -> NDArray[np.int8]:
    """Return an indicator matrix (n, k), {0, 1} or {-1, 1}, as int8 {0, 1}, in place if it is."""
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
    values = np.unique(array)
    is_one = array.shape[1] == 1
    are_scores = array.dtype.kind == "f" and (values % 1 != 0).any()
    rule = "hold 0 and 1" if is_one else "be an indicator matrix of 0 and 1"
    advice = f"; {ARGMAX}" if are_scores and not is_one else ""
    raise InputError(f"`{name}` must {rule}: got values in {show_labels(values)}{advice}")


def _hash_codes(y: NDArray[Any]) -> ClassLabels:
    """Code integers, or texts of dtype U, by the bytes of each row: no object, no sort of rows.

    The table grows while labels come often, so that a row is read twice at most, or thrice.
    """
    width = y.dtype.itemsize // 4
    y = contiguous(y.astype(y.dtype.newbyteorder("="), copy=False))
    if width == 0:
        return _sorted_codes(y)
    rows = y.view(np.uint32).reshape(len(y), width)
    codes = np.empty(len(y), np.int32)
    size = _DISTINCT
    while size <= max(_DISTINCT, len(y) // 4):
        firsts = np.empty(size, np.int64)
        count = kernels.text_codes(rows, np.full(4 * size, -1, np.int32), firsts, codes)
        if count >= 0:
            return sort_classes(y[firsts[:count]], codes)
        size *= 8
    return _sorted_codes(y)


def _sorted_codes(y: NDArray[Any]) -> ClassLabels:
    classes, inverse = np.unique(y, return_inverse=True)
    return ClassLabels(classes, inverse.astype(np.int64, copy=False))


def _integer_codes(y: NDArray[Any]) -> ClassLabels:
    low, high = int(y.min()), int(y.max())
    if high - low >= max(_TABLE, len(y)):
        return _hash_codes(y)
    if y.dtype.itemsize < 8:
        y = y.astype(np.int64)
    offsets = (y - y.dtype.type(low)).astype(np.int64, copy=False)
    present = np.zeros(high - low + 1, dtype=np.bool_)
    present[offsets] = True
    number = np.cumsum(present) - 1
    classes = np.flatnonzero(present).astype(y.dtype) + y.dtype.type(low)
    return ClassLabels(classes, number[offsets].astype(np.int64, copy=False))


#: Distinct words (k,) of dtype object, and the number of each row's word (n,), -1 of a null.
_Words = tuple[NDArray[Any], NDArray[Any]]


def _frame_labels(values: Any, name: str) -> ClassLabels | None:
    """Return the texts of a column of pandas, polars or Arrow, coded by its library.

    None for every other kind of input, for columns of numbers and for empty ones: they are read as
    arrays. Categories that are no text are read as arrays too. Nulls are refused.
    """
    library = type(values).__module__.partition(".")[0]
    reader = _READERS.get(library)
    if reader is None or library not in sys.modules or getattr(values, "ndim", 1) != 1:
        return None
    decoded = reader(values)
    if decoded is None or len(decoded[1]) == 0:
        return None
    distinct_texts, codes = decoded
    texts = distinct_texts.tolist()
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
        return sort_classes(np.array(list(number), dtype=object), codes)
    return sort_classes(np.array(texts, dtype=object), codes)


def _pandas_words(values: Any) -> _Words | None:
    pandas = sys.modules["pandas"]
    dtype = getattr(values, "dtype", None)
    if dtype is None or isinstance(dtype, np.dtype):
        return None
    if isinstance(dtype, pandas.CategoricalDtype):
        categorical = values.array if hasattr(values, "array") else values
        return np.asarray(categorical.categories, dtype=object), np.asarray(categorical.codes)
    if not pandas.api.types.is_string_dtype(dtype):
        return None
    if getattr(dtype, "storage", "") == "python" and _ends_texts_at_nul():
        words = np.asarray(values, dtype=object).tolist()
        number = {dtype.na_value: -1}
        codes = np.array([number.setdefault(word, len(number) - 1) for word in words])
        return np.array(list(number)[1:], dtype=object), codes
    codes, uniques = pandas.factorize(values)
    return np.asarray(uniques, dtype=object), codes


@functools.cache
def _ends_texts_at_nul() -> bool:
    r"""Return whether pandas takes "a\0" for "a" as it codes texts, as it does before 3.1."""
    return len(sys.modules["pandas"].unique(np.array(["a", "a\0"], dtype=object))) == 1


def _polars_words(values: Any) -> _Words | None:
    polars = sys.modules["polars"]
    if not isinstance(values, polars.Series) or values.dtype not in (
        polars.String,
        polars.Categorical,
        polars.Enum,
    ):
        return None
    text = values.cast(polars.String)
    texts = text.drop_nulls().unique(maintain_order=True)
    if not len(texts):
        return np.empty(0, dtype=object), np.full(len(text), -1)
    codes = text.replace_strict(texts, np.arange(len(texts)), return_dtype=polars.Int64)
    return texts.to_numpy().astype(object), codes.fill_null(-1).to_numpy()


def _arrow_words(values: Any) -> _Words | None:
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
    return np.array(values.dictionary.to_pylist(), dtype=object), codes


_ARROW_TEXTS = ("string", "large_string", "string_view")
_READERS = {"pandas": _pandas_words, "polars": _polars_words, "pyarrow": _arrow_words}


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
        """Kind of both: "U" for text, "b" or "f" where both are of that kind, else "i"."""
        kind = self.true.kind
        return kind if kind == "U" or (kind in "bf" and kind == self.predicted.kind) else "i"

    @property
    def label_type(self) -> type:
        """Python type of a label: str, bool, float or int."""
        return {"U": str, "b": bool, "f": float}.get(self.kind, int)

    def clean(self) -> LabelColumns:
        """Return columns whose booleans are 0 or 1."""
        return LabelColumns(self.true.clean(), self.predicted.clean())


def check_label_columns(y_true: Any, y_pred: Any) -> LabelColumns:
    """Return two columns of labels, checked: of one length, both text or both whole numbers."""
    return pair_columns(check_label_column(y_true, "y_true"), check_label_column(y_pred, "y_pred"))


def pair_columns(true: LabelColumn, predicted: LabelColumn) -> LabelColumns:
    """Return two checked columns as a pair: of one length, both text or both whole numbers."""
    check_same_length(**{true.name: true.values, predicted.name: predicted.values})
    if (true.classes is None) != (predicted.classes is None):
        kinds = ("numbers", "text") if true.classes is None else ("text", "numbers")
        raise InputTypeError(f"`{true.name}` holds {kinds[0]} and `{predicted.name}` {kinds[1]}")
    return LabelColumns(true, predicted)


def check_label_column(values: Any, name: str) -> LabelColumn:
    """Return one column of labels, checked; see `check_label_columns`."""
    coded = None if type(values) is np.ndarray else _frame_labels(values, name)
    if coded is not None:
        return LabelColumn(name, coded.codes, coded.classes)
    y = text_or_numbers(label_vector(values, name), name)
    if y.dtype.kind in "UO":
        coded = check_class_labels(y, name)
        return LabelColumn(name, coded.codes, coded.classes)
    check_label_values(y, name)
    return LabelColumn(name, y, None)


# --- pairs of targets, by their shape alone: labels or indicator matrices ------------------------


class Ones(NamedTuple):
    """The cells of a sparse indicator that hold a 1, row by row: two integer (m,) arrays."""

    rows: NDArray[Any]
    columns: NDArray[Any]


class Indicators(NamedTuple):
    """Two checked indicator matrices of shape ``shape``, (n, k): boolean, or sparse `Ones`."""

    true: Any
    predicted: Any
    shape: tuple[int, int]
    is_sparse: bool


def check_targets(y_true: Any, y_pred: Any) -> Indicators | None:
    """Return two indicator matrices, sparse ones as they are; None for labels, one column too."""
    matrices = [column_count(values) != 1 for values in (y_true, y_pred)]
    if not any(matrices):
        return None
    if not all(matrices):
        names = ("`y_true`", "`y_pred`") if matrices[0] else ("`y_pred`", "`y_true`")
        raise InputError(f"{names[0]} is a matrix, {names[1]} labels of shape (n,): {ARGMAX}")
    if _is_sparse(y_true) or _is_sparse(y_pred):
        true, shape = _extract_ones(y_true, "y_true")
        predicted, other = _extract_ones(y_pred, "y_pred")
        check_same_shape(y_true=shape, y_pred=other)
        return Indicators(true, predicted, shape, True)
    dense = [
        check_multilabel_indicator(values, name).view(np.bool_)
        for values, name in ((y_true, "y_true"), (y_pred, "y_pred"))
    ]
    check_same_shape(y_true=dense[0], y_pred=dense[1])
    n, k = dense[0].shape
    return Indicators(dense[0], dense[1], (n, k), False)


def _is_sparse(values: Any) -> bool:
    return hasattr(values, "tocsr")


def _extract_ones(values: Any, name: str) -> tuple[Ones, tuple[int, int]]:
    """Return the ones of a sparse or dense indicator, and its shape."""
    if not _is_sparse(values):
        dense = check_multilabel_indicator(values, name)
        n, k = dense.shape
        return Ones(*np.nonzero(dense)), (n, k)
    n, k = values.shape
    if n == 0 or k == 0:
        raise InputError(f"`{name}` is empty: shape {(n, k)}")
    matrix = values.tocsr()
    if not matrix.has_canonical_format:
        matrix = matrix.copy()  # the caller's matrix stays as it is
        matrix.sum_duplicates()
    if matrix.dtype.kind not in "biuf":
        raise InputTypeError(f"`{name}` must be an indicator matrix of 0 and 1: got {matrix.dtype}")
    rows = np.repeat(np.arange(n), np.diff(matrix.indptr))
    is_one = matrix.data == 1
    if is_one.all():
        return Ones(rows, matrix.indices), (n, k)
    if np.count_nonzero(is_one) != np.count_nonzero(matrix.data):
        raise InputError(
            f"`{name}` must be an indicator matrix of 0 and 1: got values in "
            f"{show_labels(np.unique(matrix.data))}"
        )
    return Ones(rows[is_one], matrix.indices[is_one]), (n, k)


# --- columns of a frame that are named as the classes --------------------------------------------


def in_class_order(values: Any, y_true: Any, labels: Any = None, *, name: str = "y_score") -> Any:
    """Return scores of classes with their columns in the order of the classes.

    Arrays, and frames none of whose columns has the name of a class, come back as they are: they
    go by position. The classes are ``labels``, or those of ``y_true`` in sorted order; of an
    indicator matrix the names of its columns.

    Raises
    ------
    InputError
        If some columns are named as classes and others are not.
    """
    if not _is_frame_of_several(values):
        return values
    own_columns = column_names(values)
    is_numbered = own_columns == list(range(len(own_columns))) and all(
        type(each) is int for each in own_columns
    )
    classes = _classes(y_true, labels)
    columns = [*map(_text, own_columns)]
    wanted = [*map(_text, classes)]
    shared = {*columns} & {*wanted}
    if not shared or columns == wanted or (is_numbered and {*columns} != {*wanted}):
        return values
    if sorted(columns) != sorted(wanted):
        raise InputError(
            f"`{name}` has the columns {', '.join(columns[:8])}, and the classes are "
            f"{', '.join(wanted[:8])}: name a column for each class, or pass `.to_numpy()` to go "
            "by position"
        )
    matrix = [as_array(values[own_columns[columns.index(each)]], name) for each in wanted]
    return np.stack(matrix, axis=1)


def are_class_columns(values: Any, y_true: Any) -> bool:
    """Return whether the columns of a frame, two or more, have the names of the classes."""
    if not _is_frame_of_several(values) or column_count(y_true) > 1:
        return False
    return {*map(_text, column_names(values))} == {*map(_text, _classes(y_true, None))}


def _is_frame_of_several(values: Any) -> bool:
    is_frame = not isinstance(values, np.ndarray | list | tuple | Mapping) and has_names(values)
    return is_frame and column_count(values) > 1


def _classes(y_true: Any, labels: Any) -> list[Any]:
    if labels is not None:
        given: list[Any] = as_array(labels, "labels").tolist()
        return given
    if column_count(y_true) > 1:
        return column_names(y_true) if has_names(y_true) else []
    classes: list[Any] = check_class_labels(y_true).classes.tolist()
    return classes


def _text(label: Any) -> str:
    """Return a label as a name; a whole number without its fraction."""
    is_whole = isinstance(label, float | np.floating) and float(label).is_integer()
    return str(int(label) if is_whole else label)
