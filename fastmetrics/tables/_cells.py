"""Rows of two label columns counted into the cells of a matrix, in chunks and without a sort."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._checks import (
    Weights,
    as_vector,
    check_class_labels,
    check_same_length,
    check_weights,
)
from fastmetrics._labels import check_label_values, show_labels, text_or_numbers
from fastmetrics._scores import CHUNK, contiguous

#: Whole-number labels that span at most this much are their own codes: no search for classes.
_SPAN: Final = 1 << 10

#: Rows between two compensated additions: a cell's rounding error is at most
#: ``max(_WEIGHTED_CHUNK, K**2) * 2**-53`` of it.
_WEIGHTED_CHUNK: Final = 1 << 13

#: A dense matrix of more classes would take gigabytes.
MOST_CLASSES: Final = 1 << 14

Labels = tuple[Any, ...]


class Cells(NamedTuple):
    """``counts`` (K, K) int64 or float64, true class by predicted class, and the K labels."""

    counts: NDArray[Any]
    labels: Labels


def label_cells(
    y_true: Any, y_pred: Any, labels: Labels | None, sample_weight: Any
) -> tuple[Cells, int]:
    """Count each pair (true label, predicted label); also return the weights' exponent.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels of any type.
    labels : tuple of K labels, checked, or None
        The classes and their order; None takes those of the rows that have a weight, sorted.
    sample_weight : array-like of shape (n,) or None
        Frequencies or importances.
    """
    true, predicted = _plain(y_true, "y_true"), _plain(y_pred, "y_pred")
    n = check_same_length(y_true=true, y_pred=predicted)
    kind = _common_kind(true, predicted, labels)
    weights = None if sample_weight is None else check_weights(sample_weight, n)
    found = None if kind == "U" else _cells_of_integers(true, predicted, weights)
    if found is None:
        found = _cells_of_classes(true, predicted, weights)
    if labels is None:
        labels = _labels_seen(found, kind)
    else:
        _check_known(found, labels, true, predicted)
    return _arranged(found, labels), 0 if weights is None else weights.exponent


def count_cells(
    rows: NDArray[Any],
    columns: NDArray[Any],
    width: int,
    low: int,
    weights: Weights | None,
) -> NDArray[Any]:
    """Return the (width, width) counts of pairs of whole numbers in [low, low + width).

    Exact for no weights and for integer ones (int64), else compensated sums (float64).
    """
    n_cells = width * width
    # Modulo 2**64: uint64 labels, the offset and the products may wrap; what is left is in
    # [0, n_cells) again.
    offset = np.uint64((low * width + low) % 2**64).astype(np.int64)
    step = max(CHUNK if weights is None else _WEIGHTED_CHUNK, n_cells)
    exact = np.zeros(n_cells, dtype=np.int64)
    total, lost = np.zeros(n_cells), np.zeros(n_cells)
    for start in range(0, len(rows), step):
        here = slice(start, start + step)
        cell = rows[here].astype(np.int64)
        cell *= width
        cell += columns[here].astype(np.int64)
        cell -= offset
        if weights is None:
            exact += np.bincount(cell, minlength=n_cells)
        else:
            part = np.bincount(cell, weights=weights.values[here], minlength=n_cells)
            _add_compensated(total, lost, np.asarray(part, dtype=np.float64))
    if weights is None:
        return exact.reshape(width, width)
    total += lost
    return (total.astype(np.int64) if weights.is_integer else total).reshape(width, width)


def _add_compensated(
    total: NDArray[np.float64], lost: NDArray[np.float64], part: NDArray[np.float64]
) -> None:
    """Add ``part`` to ``total``, and what rounding takes away to ``lost`` (Neumaier 1974)."""
    added = total + part
    lost += np.where(total >= part, (total - added) + part, (part - added) + total)
    total[:] = added


def _plain(values: Any, name: str) -> NDArray[Any]:
    y = text_or_numbers(as_vector(values, name), name)
    check_label_values(y, name)
    if y.dtype.kind == "b":  # a byte such as 2, viewed as a boolean, is True
        return np.asarray(contiguous(y).view(np.uint8) != 0)
    return y


def _common_kind(true: NDArray[Any], predicted: NDArray[Any], labels: Labels | None) -> str:
    """Return "U" for text, "b" or "f" where both columns are of that kind, else "i"."""
    is_text = true.dtype.kind in "UO"
    if is_text != (predicted.dtype.kind in "UO"):
        kinds = ("text", "numbers") if is_text else ("numbers", "text")
        raise TypeError(f"`y_true` holds {kinds[0]} and `y_pred` {kinds[1]}")
    if labels is not None and isinstance(labels[0], str) != is_text:
        kinds = ("numbers", "text") if is_text else ("text", "numbers")
        raise TypeError(f"`labels` holds {kinds[0]}, `y_true` and `y_pred` hold {kinds[1]}")
    if is_text:
        return "U"
    kind = str(true.dtype.kind)
    return kind if kind in "bf" and kind == predicted.dtype.kind else "i"


def _cells_of_integers(
    true: NDArray[Any], predicted: NDArray[Any], weights: Weights | None
) -> Cells | None:
    """Count whole numbers that lie close together; None if they do not."""
    low = min(int(true.min()), int(predicted.min()))
    high = max(int(true.max()), int(predicted.max()))
    is_float = "f" in (true.dtype.kind, predicted.dtype.kind)
    if high - low >= _SPAN or (is_float and max(high, -low) >= 2**63):
        return None
    width = high - low + 1
    counts = count_cells(true, predicted, width, low, weights)
    return Cells(counts, tuple(range(low, high + 1)))


def _cells_of_classes(
    true: NDArray[Any], predicted: NDArray[Any], weights: Weights | None
) -> Cells:
    """Count labels of any kind by the numbers of their classes."""
    found = check_class_labels(true, "y_true"), check_class_labels(predicted, "y_pred")
    classes = [each.classes.tolist() for each in found]
    labels = tuple(sorted(set(classes[0]) | set(classes[1])))
    if len(labels) > MOST_CLASSES:
        raise ValueError(
            f"`y_true` and `y_pred` hold {len(labels):,} labels, at most {MOST_CLASSES:,} make a "
            f"matrix: one cell a pair would take {8 * len(labels) ** 2 / 2**30:.0f} GiB; are they "
            "scores or identifiers?"
        )
    number = {label: k for k, label in enumerate(labels)}
    rows, columns = (
        np.array([number[label] for label in own])[each.codes]
        for own, each in zip(classes, found, strict=True)
    )
    return Cells(count_cells(rows, columns, len(labels), 0, weights), labels)


def _seen(found: Cells) -> NDArray[np.bool_]:
    """Return which classes some row with a weight has, as true or predicted label."""
    filled = found.counts != 0
    seen: NDArray[np.bool_] = filled.any(axis=0) | filled.any(axis=1)
    return seen


def _labels_seen(found: Cells, kind: str) -> Labels:
    seen = [label for label, is_seen in zip(found.labels, _seen(found), strict=True) if is_seen]
    if kind == "U":
        return tuple(map(str, seen))
    if kind == "b":
        return (False, True)
    if len(seen) == 1 and seen[0] in (-1, 0, 1):  # half of {0, 1} or of {-1, 1}
        seen = [min(seen[0], 0), 1]
    return tuple(map(float if kind == "f" else int, seen))


def _check_known(found: Cells, labels: Labels, true: NDArray[Any], predicted: NDArray[Any]) -> None:
    known = set(labels)
    for name, y, axis in (("y_true", true, 1), ("y_pred", predicted, 0)):
        for label, is_seen in zip(found.labels, (found.counts != 0).any(axis=axis), strict=True):
            if is_seen and label not in known:
                first = int(np.argmax(y == label))
                shown = show_labels(np.array(labels, dtype=object))
                raise ValueError(
                    f"`{name}` holds the label {label!r}, first at index {first}, which is not in "
                    f"`labels`, {shown}"
                )


def _arranged(found: Cells, labels: Labels) -> Cells:
    """Return the counts in the order of ``labels``, 0 where the data have no such label."""
    if labels == found.labels:
        return Cells(found.counts, labels)
    at = {label: k for k, label in enumerate(found.labels)}
    there = [k for k, label in enumerate(labels) if label in at]
    source = [at[labels[k]] for k in there]
    counts = np.zeros((len(labels), len(labels)), dtype=found.counts.dtype)
    counts[np.ix_(there, there)] = found.counts[np.ix_(source, source)]
    return Cells(counts, labels)
