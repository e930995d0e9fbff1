"""Confusion matrices in ``.npz`` files, without pickle."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._files import Members, of_json, scalar
from fastmetrics._input.weights import check_exponent, check_sums
from fastmetrics.errors import InputError
from fastmetrics.tables.confusion._label_counts import MOST_CLASSES, Labels
from fastmetrics.tables.confusion._matrix_checks import refuse_bad_counts
from fastmetrics.tables.confusion._matrix_state import Parts
from fastmetrics.tables.confusion._matrix_store import SparseStore, Store


def checked_parts(found: Members) -> Parts:
    """Return the state of a confusion matrix, or raise what is wrong with it."""
    labels = checked_labels(found["labels"])
    keys, values, lost = found["keys"], found["values"], found["lost"]
    k = len(labels)
    if keys.dtype != np.int64 or keys.ndim != 1 or values.shape != keys.shape:
        raise InputError("keys and values are not columns of one length")
    if len(keys) and (keys[0] < 0 or (keys[1:] <= keys[:-1]).any()):
        raise InputError("keys do not rise")
    if len(keys) and max((keys >> 32).max(), (keys & (2**32 - 1)).max()) >= k:
        raise InputError("a pair names a class that is not there")
    if values.dtype not in (np.dtype(np.int64), np.dtype(np.float64)):
        raise InputError(f"values of dtype {values.dtype}")
    refuse_bad_counts(values)
    if values.dtype.kind == "f":
        if lost.dtype != np.float64 or lost.shape != values.shape or not np.isfinite(lost).all():
            raise InputError("`lost` does not go with values")
        check_sums(values + lost, "weights")
    elif len(lost):
        raise InputError("`lost` beside integers")
    new_labels = str(found["new_labels"])
    if new_labels not in ("extend", "raise"):
        raise InputError(f"`new_labels` is {new_labels!r}")
    if new_labels == "extend" and (None in labels or labels != tuple(sorted(labels))):
        raise InputError(f"labels that may become more must be sorted: got {labels}")
    exponent = check_exponent(scalar(found, "weight_exponent"))
    if exponent and values.dtype.kind != "f":
        raise InputError(f"counts that were scaled, by `weight_exponent` {exponent}")
    sparse = SparseStore(keys, values, lost if values.dtype.kind == "f" else None, k)
    is_sparse = bool(found["sparse"])
    if not is_sparse and k > MOST_CLASSES:
        raise InputError(f"a dense matrix of {k:,} classes")
    store: Store = sparse if is_sparse else sparse.dense()
    return store, labels, exponent, "extend" if new_labels == "extend" else "raise"


def checked_labels(stored: NDArray[Any]) -> Labels:
    """Return labels as they were: distinct, all text or all whole numbers, one perhaps None."""
    labels = of_json(stored)
    if type(labels) is not list:
        raise InputError("labels are no list")
    known = labels[1:] if labels[:1] == [None] and len(labels) == 2 else labels
    is_text = {type(label) is str for label in known}
    are_whole = all(
        type(label) in (str, bool, int) or (type(label) is float and label.is_integer())
        for label in known
    )
    if not are_whole or len(is_text) > 1 or len(set(known)) < len(known):
        raise InputError("labels are not distinct texts or whole numbers")
    return tuple(labels)
