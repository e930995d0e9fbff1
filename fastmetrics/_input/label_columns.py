"""Two columns of labels, true and predicted: numbers as they are, texts as codes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import ClassLabels, check_class_labels, dictionary, in_order
from fastmetrics._input.labels import check_label_values, label_vector, text_or_numbers
from fastmetrics._input.scalars import check_same_length
from fastmetrics.errors import InputTypeError


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
