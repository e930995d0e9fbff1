"""Checks of a matrix of counts, and of labels, that come from outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_label_values, text_or_numbers
from fastmetrics._input.containers import as_array, as_vector
from fastmetrics._input.scalars import check_choice, check_real
from fastmetrics._input.weights import check_weights
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.tables.confusion._label_counts import MOST_CLASSES, Labels, NewLabels


def refuse_rows(rows: tuple[Any, ...]) -> None:
    """Raise if a matrix is made of rows as if it were a function of them."""
    if rows:
        raise InputTypeError(
            "`labels` make a ConfusionMatrix that waits for batches: one of rows that are at hand "
            "is `ConfusionMatrix.from_labels(y_true, y_pred)`"
        )


def checked_counts(counts: Any) -> tuple[NDArray[Any], int]:
    """Return a copy of a (K, K) matrix as int64 or float64, and the exponent of its scaling."""
    array = as_array(counts, "counts")
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.size == 0:
        raise InputError(f"`counts` must be a square matrix (K, K), K >= 1: got {array.shape}")
    return owned_counts(array)


def owned_counts(array: NDArray[Any]) -> tuple[NDArray[Any], int]:
    """Return a copy of counts of any shape, int64 or float64, and the exponent of its scaling."""
    if array.dtype.kind not in "iuf":
        raise InputTypeError(
            f"`counts` must be integers (counts) or floats (weights): {array.dtype}"
        )
    refuse_bad_counts(array)
    if array.dtype.kind != "f":
        return array.astype(np.int64), 0
    array = array.astype(np.float64)
    if not array.any():
        return array, 0
    weights = check_weights(array.ravel(), array.size, "counts")
    return weights.values.reshape(array.shape), weights.exponent


def refuse_bad_counts(array: NDArray[Any]) -> None:
    """Raise unless counts are finite, not negative, and integers sum to less than 2**63."""
    if array.dtype.kind == "f":
        _refuse(~np.isfinite(array), array, "must be finite")
    _refuse(array < 0, array, "must not be negative")
    if array.dtype.kind != "f":
        check_total(sum(array.ravel().tolist()))  # Python integers: exact


def check_total(total: int | float) -> None:
    """Raise unless counts sum to less than 2**63."""
    if isinstance(total, int) and total >= 2**63:
        raise InputError(f"the counts must sum to less than 2**63: got {total:,}")


def checked_labels(labels: Any, n_classes: int | None = None) -> Labels:
    """Return distinct labels as Python values in the order given, K of them where K is known."""
    array = text_or_numbers(as_vector(labels, "labels"), "labels")
    check_label_values(array, "labels")
    values = array.tolist()
    check_distinct("labels", values)
    if n_classes is not None and len(values) != n_classes:
        raise InputError(f"`labels` must name {n_classes:,} classes: got {len(values):,}")
    if len(values) > MOST_CLASSES:
        raise InputError(f"`labels` must name at most {MOST_CLASSES:,} classes: {len(values):,}")
    return tuple(str(label) if isinstance(label, str) else label for label in values)


def check_distinct(name: str, values: Sequence[Any]) -> None:
    """Raise if a value comes twice."""
    if len(set(values)) < len(values):
        twice = next(value for k, value in enumerate(values) if value in values[:k])
        raise InputError(f"`{name}` must be distinct: {twice!r} comes twice")


def checked_cell(name: str, value: Any) -> Any:
    """Return one cell of a binary matrix, an integer left as it is."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return int(value)
    return check_real(name, value)


def checked_policy(new_labels: NewLabels | None, labels: Labels, *, is_given: bool) -> NewLabels:
    """Return what a new label does, as it was asked for or as it follows from the labels."""
    if new_labels is None:
        return "raise" if is_given else "extend"
    check_choice("new_labels", new_labels, ("extend", "raise"))
    if new_labels == "raise" and not is_given:
        raise InputError('`new_labels`="raise" needs `labels`: no label would be known')
    if new_labels == "extend" and labels != tuple(sorted(labels)):
        raise InputError(
            f'`labels` must be sorted where `new_labels`="extend", as they stay then: got {labels}'
        )
    return new_labels


def labels_differ(left: Labels, right: Labels) -> str:
    """Return what distinguishes the labels of two matrices, for a message."""
    only = [
        f"{', '.join(map(repr, mine))} only in the {side}"
        for side, mine in (
            ("first", [label for label in left if label not in right]),
            ("second", [label for label in right if label not in left]),
        )
        if mine
    ]
    if not only:
        return f"their order differs, {left} and {right}"
    return "; ".join(only)


def _refuse(is_fault: NDArray[np.bool_], array: NDArray[Any], rule: str) -> None:
    if is_fault.any():
        at = tuple(int(k) for k in np.unravel_index(int(np.argmax(is_fault)), array.shape))
        count = int(np.count_nonzero(is_fault))
        raise InputError(f"`counts` {rule}: {array[at].item()!r} at {at}, {count:,} in all")
