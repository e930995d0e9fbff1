"""Two classes from any labels: which rows are positive, under four rules."""

from __future__ import annotations

import numbers
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.containers import (
    as_array,
    as_vector,
    null_message,
    plain_texts,
    refuse_nulls,
)
from fastmetrics._input.scores import CHUNK, contiguous, real_numbers
from fastmetrics.errors import InputError, InputTypeError

ARGMAX: Final = "where each column is a class take the argmax, `classes[columns.argmax(axis=1)]`"

RULES: Final = ("strict", "curve", "sorted", "average_precision")
"""``strict`` is ours; each other is that of scikit-learn 1.9: ``curve`` of roc_curve and its kin,
``sorted`` of roc_auc_score (the greater of any two labels is positive), ``average_precision`` of
average_precision_score (``pos_label`` is 1 unless given, and one of two labels)."""

OF_REGRESSION: Final = "its measures have names such as 'mean_squared_error'"

_MANY: Final = 20
"""More numbers than this are seldom classes of a measure for two."""

_FEW: Final = 16
_SHOWN: Final = 8


class BinaryLabels(NamedTuple):
    """``values`` int8: 1 a positive, ``negative`` a negative; only a guess if not ``verified``."""

    values: NDArray[np.int8]
    negative: int
    verified: bool


def encode_labels(y: NDArray[Any], pos_label: Any, rule: str, *, defer: bool) -> BinaryLabels:
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
        unit = _unit_view(y, defer) if y.dtype.itemsize == 1 else _unit_encoded(y)
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
    shown = ", ".join(map(repr, classes[:_SHOWN].tolist()))
    return f"{{{shown}}}" if len(classes) <= _SHOWN else f"{{{shown}, ...}}"


def check_label_values(y: NDArray[Any], name: str) -> None:
    """Raise unless float labels are whole numbers: no nan, no inf, no soft label."""
    if y.dtype.kind != "f":
        return
    for start in range(0, len(y), CHUNK):
        chunk = y[start : start + CHUNK]
        if not (np.rint(chunk) == chunk).all() or np.isinf(chunk).any():
            raise InputError(_float_label_fault(y, name))


def label_vector(values: Any, name: str) -> NDArray[Any]:
    """Return a non-empty vector of labels, not yet read: a matrix is told what to take of it."""
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


def _unit_view(y: NDArray[Any], defer: bool) -> BinaryLabels | None:
    """Return one-byte labels in place if they are (or, deferred, seem) {0, 1} or {-1, 1}."""
    values: NDArray[np.int8] = contiguous(y).view(np.int8)
    if defer:
        is_minus = y.dtype.kind == "i" and b"\xff" in y[:: len(y) // 64 + 1].tobytes()
        return BinaryLabels(values, -1 if is_minus else 0, False)
    negative = -1 if y.dtype.kind == "i" and y.min() < 0 else 0
    if np.count_nonzero(values == 1) + np.count_nonzero(values == negative) == len(values):
        return BinaryLabels(values, negative, True)
    if y.dtype.kind == "b":  # a byte such as 2, from a buffer that was viewed as booleans
        return BinaryLabels((values != 0).view(np.int8), 0, True)
    return None


def _unit_encoded(y: NDArray[Any]) -> BinaryLabels | None:
    """Return labels that are {0, 1} or {-1, 1} as 1 and 0, in one pass; None if they are not."""
    n = len(y)
    if n <= CHUNK:  # plain operators: on small data each call counts
        ones = y == 1
        return None if _negative_of(y, ones, None) is None else _verified(ones)
    ones, negative = np.empty(n, dtype=np.bool_), None
    for start in range(0, n, CHUNK):
        chunk, out = y[start : start + CHUNK], ones[start : start + CHUNK]
        np.equal(chunk, 1, out=out)
        found = _negative_of(chunk, out, negative)
        if found is None:
            return None
        negative = None if found == 1 else found
    return _verified(ones)


def _negative_of(y: NDArray[Any], ones: NDArray[np.bool_], known: int | None) -> int | None:
    """Return the one label beside 1: 0 or -1, ``known`` or 1 if there is none; None if others."""
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


def _verified(ones: NDArray[np.bool_]) -> BinaryLabels:
    return BinaryLabels(ones.view(np.int8), 0, True)


def _encode_general(y: NDArray[Any], pos_label: Any, rule: str) -> BinaryLabels:
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
        return BinaryLabels(np.zeros(len(y), dtype=np.int8), 0, True)
    return _verified(np.asarray(y == positive))


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
        f"`y_true` has {len(classes):,} classes, {show_labels(classes)}, and this measure is for "
        f"two: {advice}"
    )


def _float_label_fault(y: NDArray[Any], name: str) -> str:
    nan = np.isnan(y)
    if nan.any():
        count = int(np.count_nonzero(nan))
        return null_message(name, count, int(np.argmax(nan)), " (nan)")
    inf = np.isinf(y)
    if inf.any():
        return f"`{name}` must be finite: inf at index {np.argmax(inf)}"
    first = int(np.argmax(np.rint(y) != y))
    where = f"({y[first].item()!r} at index {first})"
    if name in ("labels", "groups"):
        return f"`{name}` must hold whole numbers or text: got continuous values {where}"
    if y.min() < 0 or y.max() > 1:
        held, advice = "continuous values", f"is this regression ({OF_REGRESSION}), or"
        advice += " are the arguments swapped?"
    elif name == "y_true":
        held, advice = "probabilities", "are the arguments swapped? A soft label p becomes two"
        advice += " rows, labels 1 and 0, with `sample_weight` p and 1 - p"
    else:
        held, advice = "probabilities", "threshold them with `predict_at_threshold`, or are the"
        advice += " arguments swapped?"
    return f"`{name}` holds {held} {where} where labels are needed: {advice}"
