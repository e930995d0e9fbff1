"""State of a confusion matrix, labels and counts, with the checks of both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fastmetrics._files import Members, from_json, scalar
from fastmetrics._input.classes import LabelColumns, check_label_values, text_or_numbers
from fastmetrics._input.containers import as_array, as_vector
from fastmetrics._input.scalars import check_flag, check_real
from fastmetrics._input.scores import Weights, check_exponent, check_sums, check_weights
from fastmetrics._kernels import cells as kernels
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.tables.confusion._label_counts import (
    MOST_CLASSES,
    Cells,
    Counts,
    Labels,
    add_compensated,
    unknown_label,
)


def checked_counts(counts: Any) -> tuple[NDArray[Any], int]:
    """Return a copy of a (K, K) matrix as int64 or float64, and the exponent of its scaling."""
    array = as_array(counts, "counts")
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.size == 0:
        raise InputError(f"`counts` must be a square matrix (K, K), K >= 1: got {array.shape}")
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


def labels_differ(left: Labels, right: Labels) -> str:
    """Describe how the labels of two matrices differ, for a message."""
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


class MatrixState:
    """Labels, and counts of shape (K, K) in ``sums``; weights are times ``2**exponent``.

    Counts are int64 in one layer; or float64 weights and their rounding errors, in two.
    """

    def __init__(self, sums: NDArray[Any], labels: Labels, exponent: int = 0) -> None:
        self.sums = sums
        self.labels = labels
        self.exponent = exponent
        self.numbers = {label: k for k, label in enumerate(labels)}
        #: The first label, where they are integers one after the other.
        self.low = _first_of_run(labels)
        #: Whether somebody holds a view of the counts: then they must not change in place.
        self.is_shared = False

    @classmethod
    def of(cls, cells: Cells) -> Self:
        """Return the state of counts that are not shared."""
        counts = np.ascontiguousarray(cells.counts)  # cells are also added to by their number
        return cls(layers(counts), cells.labels, cells.exponent)

    @property
    def is_weighted(self) -> bool:
        return len(self.sums) == 2

    def compensated(self) -> NDArray[Any]:
        """Return the counts with their rounding errors added."""
        return np.asarray(self.sums[0] + self.sums[1] if self.is_weighted else self.sums[0])

    def total(self) -> int | float:
        number: int | float = self.compensated().sum().item()
        return number

    def copy(self, exponent: int | None = None) -> MatrixState:
        """Return a copy of the counts, or counts of another scale."""
        exponent = self.exponent if exponent is None else exponent
        return MatrixState(self.sums.copy(), self.labels, exponent)

    def as_float(self) -> MatrixState:
        if self.is_weighted:
            return self
        return MatrixState(_as_float(self.sums), self.labels, self.exponent)

    def arrange(self, indices: NDArray[np.int64], labels: Labels) -> MatrixState:
        """Return the counts by other labels: class k becomes number ``indices[k]``."""
        k = len(labels)
        sums = np.zeros((len(self.sums), k, k), self.sums.dtype)
        sums[:, indices[:, np.newaxis], indices] = self.sums
        return MatrixState(sums, labels, self.exponent)

    def add(self, other: MatrixState) -> None:
        """Add the counts of the same classes, both integers or both weights, in place."""
        if self.is_weighted:
            self.sums = _add_layers(self.sums.copy(), other.sums)
        else:
            self.sums += other.sums

    def add_codes(self, rows: Counts, columns: Counts, weights: Weights | None) -> None:
        """Count pairs of class numbers in place; as `add`, of weights that suit the counts."""
        k = len(self.labels)
        if weights is None and not self.is_weighted:
            kernels.count_cells(rows, columns, 0, k, 1, self.sums.reshape(-1))
            return
        keys, sums = _sums(rows * k + columns, weights)
        cells = self.sums.reshape(len(self.sums), -1)
        more = layers(sums if self.is_weighted else sums.astype(np.int64))
        cells[:, keys] = _add_layers(cells[:, keys], more)


def layers(counts: NDArray[Any]) -> NDArray[Any]:
    """Return counts as one layer, or weights as two, with rounding errors of 0."""
    return _as_float(counts[np.newaxis]) if counts.dtype.kind == "f" else counts[np.newaxis]


def _as_float(sums: NDArray[Any]) -> NDArray[np.float64]:
    both = np.zeros((2, *sums.shape[1:]))
    both[0] = sums[0]
    return both


def _add_layers(sums: NDArray[Any], more: NDArray[Any]) -> NDArray[Any]:
    """Add the layers of ``more`` to ``sums`` in place, and return them."""
    if len(sums) == 1:
        sums += more
    else:
        add_compensated(sums[0], sums[1], more[0])
        sums[1] += more[1]
    return sums


def _sums(
    keys: NDArray[np.int64], weights: Weights | None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the distinct keys, rising, and how often each occurs (or its weight)."""
    if weights is None:
        distinct, counts = np.unique(keys, return_counts=True)
        return distinct, counts.astype(np.float64)
    distinct, inverse = np.unique(keys, return_inverse=True)
    total = np.zeros(len(distinct))
    lost = np.zeros(len(distinct))
    step = 1 << 13
    for start in range(0, len(keys), step):  # partial sums, compensated, as in `tally`
        here = slice(start, start + step)
        chunk_sums = np.bincount(inverse[here], weights.values[here], minlength=len(distinct))
        add_compensated(total, lost, np.asarray(chunk_sums, dtype=np.float64))
    return distinct, total + lost


def _first_of_run(labels: Labels) -> int | None:
    """Return the first of labels that are integers one after the other, else None."""
    if not labels or any(type(label) is not int for label in labels):
        return None
    is_run = labels == tuple(range(labels[0], labels[0] + len(labels)))
    return labels[0] if is_run and abs(labels[0]) < 2**62 else None


def check_mergeable(mine: Labels, theirs: Labels, are_fixed: bool, are_theirs: bool) -> None:
    """Raise if labels, which may be fixed, cannot become labels of another matrix."""
    if are_fixed:
        if mine != theirs and (are_theirs or not set(theirs) <= set(mine)):
            raise InputError(
                "matrices of different labels cannot be merged: "
                f"{labels_differ(mine, theirs)}; pass the same `labels` to both"
            )
    elif None in theirs and mine != theirs:
        raise InputError(
            f"a matrix of labels {theirs}, one of them not known, and one of labels {mine} "
            "cannot be merged: pass the same `labels` to both"
        )
    if len({isinstance(label, str) for label in (*mine, *theirs) if label is not None}) > 1:
        raise InputTypeError("a matrix of text and one of numbers cannot be merged")


def first_unknown(unknown: list[Any], columns: LabelColumns, labels: Labels) -> InputError:
    """Return the error for the first row with a label that the matrix does not take."""
    for column in columns:
        column_labels = set(column.coded().classes.tolist())
        for label in unknown:
            if label in column_labels:
                return unknown_label(column, label, labels)
    return InputError(f"labels {unknown} are not in `labels`")


# --- from a file: `members`, checked --------------------------------------------------------------


def read_state(members: Members) -> tuple[MatrixState, bool]:
    """Return the saved state of a confusion matrix, checked."""
    labels = stored_labels(members["labels"])
    keys = members["keys"]
    values = members["values"]
    lost = members["lost"]
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
        check_sums(values + lost)
    elif len(lost):
        raise InputError("`lost` beside integers")
    is_fixed = check_flag("is_fixed", scalar(members, "is_fixed"))
    if not is_fixed and (None in labels or labels != tuple(sorted(labels))):
        raise InputError(f"labels that may become more must be sorted: got {labels}")
    exponent = check_exponent(scalar(members, "weight_exponent"))
    if exponent and values.dtype.kind != "f":
        raise InputError(f"counts that were scaled, by `weight_exponent` {exponent}")
    if k > MOST_CLASSES:
        raise InputError(f"a matrix of {k:,} classes")
    kept = (values, lost) if values.dtype.kind == "f" else (values,)
    sums = np.zeros((len(kept), k, k), values.dtype)
    sums[:, keys >> 32, keys & (2**32 - 1)] = kept
    return MatrixState(sums, labels, exponent), is_fixed


def stored_labels(stored: NDArray[Any]) -> Labels:
    """Return saved labels: distinct, all text or all whole numbers, one perhaps None."""
    labels = from_json(stored)
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
