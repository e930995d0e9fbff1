"""Which column of the scores a row's label stands for; integer labels are read where they are.

Most labels are integers 0, 1, ... of few classes. A guess from some rows says which they are, the
kernel that reads the labels counts those that are none of them, and only if there are any (or a
class is missing) are the labels looked at in full.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import (
    check_class_labels,
    check_label_values,
    distinct,
    show_labels,
    text_or_numbers,
)
from fastmetrics._input.containers import as_array
from fastmetrics._input.scores import canonical_scores
from fastmetrics.errors import InputError, InputTypeError, warn_user

_SAMPLE: Final = 64

#: What the docstrings of the room share.
LABELS: Final = """
Parameters
----------
y_true : array-like of shape (n_samples,)
    Class labels.
labels : array-like of shape (n_classes,), optional
    The classes, sorted; needed when one has no row. Those of `y_true` unless given.

Raises
------
TypeError
    If an argument is of the wrong kind.
"""


class TwoClasses(NamedTuple):
    """Labels as the kernels read them, and the two values they may take."""

    labels: NDArray[Any]
    negative: int
    positive: int


class Columns(NamedTuple):
    """Labels as the kernels read them; column j of the scores belongs to ``first + j``."""

    labels: NDArray[Any]
    first: int


def readable(values: Any, name: str) -> NDArray[Any]:
    """Return scores of a dtype that holds real numbers, in place if a job can convert its rows."""
    array = as_array(values, name)
    if array.ndim == 0:
        raise InputTypeError(f"`{name}` must be an array: got a scalar (0-d array)")
    if array.size == 0:
        raise InputError(f"`{name}` is empty: shape {array.shape}, at least one row is needed")
    if array.dtype.kind in "biuf" and array.dtype.char != "g":
        return array
    return canonical_scores(array, name)


def integers_in_place(y: NDArray[Any]) -> NDArray[Any] | None:
    """Return labels that a kernel can read without a copy of them all; None if there is none."""
    if y.dtype.kind == "b":
        return y.view(np.int8)
    if y.dtype.kind not in "iu" or (y.dtype.kind == "u" and y.dtype.itemsize == 8):
        return None
    return y


def guess_two_classes(y: NDArray[Any], positive: int | None = None) -> TwoClasses | None:
    """Return the two classes that some of the rows suggest; None if they suggest others."""
    labels = integers_in_place(y)
    if labels is None:
        return None
    values = sorted(set(labels[:: len(y) // _SAMPLE + 1].tolist()))
    if positive is None:
        if len(values) == 2:
            return TwoClasses(labels, *values)
        guess = {0: (0, 1), -1: (-1, 1), 1: (0, 1)}.get(values[0])
        return TwoClasses(labels, *guess) if guess and len(values) == 1 else None
    others = [value for value in values if value != positive]
    if len(others) > 1:
        return None
    return TwoClasses(labels, others[0] if others else int(positive == 0), positive)


def guess_columns(y: NDArray[Any], classes: NDArray[Any] | None) -> Columns | None:
    """Return integer labels whose classes may be consecutive numbers; None if they are not."""
    labels = integers_in_place(y)
    if labels is None:
        return None
    if classes is None:
        return Columns(labels, int(labels.min()))
    if classes.dtype.kind not in "biu":
        return None
    first = int(classes[0])
    consecutive = classes.tolist() == list(range(first, first + len(classes)))
    return Columns(labels, first) if consecutive else None


def distinct_labels(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the labels as numbers or text, and their distinct values, sorted."""
    plain = text_or_numbers(y, "y_true")
    check_label_values(plain, "y_true")
    return plain, distinct(plain)


def one_against_other(y: NDArray[Any], positive: Any) -> TwoClasses:
    """Return verified labels as 1 and 0, a byte a row; ``positive`` None is no label at all."""
    if positive is None:
        return TwoClasses(np.zeros(len(y), dtype=np.int8), 0, 1)
    return TwoClasses(np.asarray(y == positive).view(np.int8), 0, 1)


def column_codes(
    y: NDArray[Any], classes: NDArray[Any] | None, n_columns: int
) -> tuple[Columns, int]:
    """Return each row's column and the number of classes, whatever the labels are.

    A label that is none of ``classes`` is an error.
    """
    if n_columns == 2:
        plain, seen = distinct_labels(y)
        known = seen if classes is None else classes
        check_members(seen, known)
        positive = known.tolist()[1] if len(known) == 2 else None
        return Columns(one_against_other(plain, positive).labels, 0), len(known)
    found = check_class_labels(y)
    if classes is None:
        return Columns(found.codes, 0), len(found.classes)
    check_members(found.classes, classes)
    column = {label: j for j, label in enumerate(classes.tolist())}
    columns = np.array([column[label] for label in found.classes.tolist()], dtype=np.int64)
    return Columns(columns[found.codes], 0), len(classes)


def check_members(seen: NDArray[Any], classes: NDArray[Any]) -> None:
    """Raise ValueError unless every label seen is one of the classes."""
    known = set(classes.tolist())
    foreign = [label for label in seen.tolist() if label not in known]
    if foreign:
        raise InputError(
            f"`y_true` contains {foreign[0]!r}, which is not in `labels`: {show_labels(classes)}"
        )


def check_labels(labels: Any, *, ordered: bool = True) -> NDArray[Any]:
    """Return the classes given by name, sorted; raise if one stands twice.

    That they are not sorted is an error with ``ordered``, else a UserWarning.
    """
    found = check_class_labels(labels, "labels")
    if len(found.classes) != len(found.codes):
        raise InputError(f"Parameter 'labels' must be unique: got {show_labels(found.classes)}")
    if (found.codes == np.arange(len(found.codes))).all():
        return found.classes
    said = "[" + ", ".join(map(repr, found.classes.tolist()[:10])) + "]"
    if ordered:
        raise InputError(f"Parameter 'labels' must be ordered: sorted, they are {said}")
    passed = labels.tolist() if isinstance(labels, np.ndarray) else labels
    warn_user(
        f"Labels passed were {passed}. But this function assumes labels are ordered "
        f"lexicographically. Pass the ordered labels={said} and ensure that the columns of y_prob "
        "correspond to this ordering.",
        UserWarning,
    )
    return found.classes
