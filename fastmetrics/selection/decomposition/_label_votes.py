"""How often each class is predicted for each example, a block of examples at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.containers import as_array
from fastmetrics._input.labels import check_label_values, distinct, text_or_numbers
from fastmetrics.errors import InputError, InputTypeError

Counts = NDArray[np.int64]

_BLOCK: Final = 1 << 20
"""Labels in a block: with its temporaries it stays in cache."""

_FEW: Final = 32
"""So many classes are counted by comparison with each; more by a table of codes."""

_BYTE: Final = 255
"""Rows whose matches fit a byte, in which NumPy adds them fastest."""


class LabelVotes(NamedTuple):
    """Predictions (models, n) and true labels (replicates, n), and the sorted classes of both.

    Texts are codes of their classes in both matrices; ``classes`` then are the codes.
    """

    predicted: NDArray[Any]
    true: NDArray[Any]
    classes: list[int]

    def blocks(self) -> Iterator[slice]:
        """Yield slices of examples, which depend on the shapes alone."""
        most = max(len(self.predicted), len(self.true), len(self.classes))
        width = max(1, _BLOCK // most)
        n = self.predicted.shape[1]
        return (slice(start, min(start + width, n)) for start in range(0, n, width))

    def tables(self, block: slice) -> tuple[Counts, Counts]:
        """Return two tables (classes, examples): votes of the models, and of the labels."""
        return (
            _counts(self.predicted[:, block], self.classes),
            _counts(self.true[:, block], self.classes),
        )


def check_label_votes(y_true: Any, predictions: Any) -> LabelVotes:
    """Return labels and predictions, checked: both whole numbers or both text, of one length."""
    true = _labels(y_true, "y_true", (1, 2))
    predicted = _labels(predictions, "predictions", (2,))
    check_same_examples(true, predicted)
    texts = [matrix.dtype.kind in "UO" for matrix in (true, predicted)]
    if texts[0] != texts[1]:
        kinds = ("text", "numbers") if texts[0] else ("numbers", "text")
        raise InputTypeError(f"`y_true` holds {kinds[0]} and `predictions` {kinds[1]}")
    if texts[0]:
        true, predicted = _as_codes(true, predicted)
    found = set(_distinct(true)) | set(_distinct(predicted))
    return LabelVotes(predicted, true, sorted(found))


def check_same_examples(true: NDArray[Any], predicted: NDArray[Any]) -> None:
    """Raise unless both matrices have as many columns."""
    if true.shape[1] != predicted.shape[1]:
        raise InputError(
            f"lengths differ: `y_true` has {true.shape[1]:,} examples, `predictions` has "
            f"{predicted.shape[1]:,} columns"
        )


def as_rows(values: Any, name: str, dimensions: tuple[int, ...]) -> NDArray[Any]:
    """Return a matrix that is not empty; a vector, where it is allowed, as its one row."""
    array = as_array(values, name)
    if array.ndim not in dimensions:
        shapes = " or ".join({1: "(n,)", 2: "(rows, n)"}[d] for d in dimensions)
        raise InputError(f"`{name}` must have shape {shapes}: got {array.shape}")
    if array.size == 0:
        raise InputError(f"`{name}` is empty: shape {array.shape}")
    return array[np.newaxis] if array.ndim == 1 else array


def _labels(values: Any, name: str, dimensions: tuple[int, ...]) -> NDArray[Any]:
    matrix = text_or_numbers(as_rows(values, name, dimensions), name)
    if matrix.dtype.kind == "f":
        for i, row in enumerate(matrix):
            check_label_values(row, name if len(matrix) == 1 else f"{name}[{i}]")
    if matrix.dtype.kind == "b":
        return matrix.astype(np.uint8)
    return matrix


def _as_codes(true: NDArray[Any], predicted: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    columns = [
        check_class_labels(matrix.ravel(), name)
        for matrix, name in ((true, "y_true"), (predicted, "predictions"))
    ]
    texts = sorted({text for column in columns for text in column.classes.tolist()})
    number = {text: code for code, text in enumerate(texts)}
    both = []
    for column, matrix in zip(columns, (true, predicted), strict=True):
        codes = np.array([number[text] for text in column.classes.tolist()], np.int64)
        both.append(codes[column.codes].reshape(matrix.shape))
    return both[0], both[1]


def _distinct(matrix: NDArray[Any]) -> list[int]:
    """Return the distinct labels as integers, which Python compares exactly in every dtype."""
    found: set[int] = set()
    for row in matrix:
        found.update(map(int, distinct(row).tolist()))
    return list(found)


def _counts(block: NDArray[Any], classes: list[int]) -> Counts:
    n_rows, n_examples = block.shape
    if len(classes) > _FEW:
        places = np.searchsorted(np.array(classes), block)
        places = places * n_examples + np.arange(n_examples)
        length = len(classes) * n_examples
        return np.bincount(places.ravel(), minlength=length).reshape(len(classes), n_examples)
    counts = np.empty((len(classes), n_examples), np.int64)
    left = np.full(n_examples, n_rows, np.int64)
    for code, label in enumerate(classes[:-1]):
        counts[code] = _matches(block, label)
        left -= counts[code]
    counts[-1] = left  # every label is one of the classes
    return counts


def _matches(block: NDArray[Any], label: int) -> Counts:
    total = np.zeros(block.shape[1], np.int64)
    if block.dtype.kind == "f" and int(block.dtype.type(label)) != label:
        return total  # no float of this size is that integer
    hits = (block == label).view(np.uint8)
    for start in range(0, len(hits), _BYTE):
        total += np.add.reduce(hits[start : start + _BYTE], axis=0, dtype=np.uint8)
    return total
