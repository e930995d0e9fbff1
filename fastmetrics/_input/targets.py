"""What a pair of targets is, by its shape alone: two columns of labels, or two indicator matrices.

Labels in one dimension are not read here. Whether they are of two classes or of more follows from
the labels that counting finds.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_multilabel_indicator
from fastmetrics._input.labels import ARGMAX, show_labels
from fastmetrics._input.rows import column_count
from fastmetrics._input.scalars import check_same_shape
from fastmetrics.errors import InputError, InputTypeError


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
    matrices = [is_matrix(values) for values in (y_true, y_pred)]
    if not any(matrices):
        return None
    if not all(matrices):
        names = ("`y_true`", "`y_pred`") if matrices[0] else ("`y_pred`", "`y_true`")
        raise InputError(f"{names[0]} is a matrix, {names[1]} labels of shape (n,): {ARGMAX}")
    if _is_sparse(y_true) or _is_sparse(y_pred):
        true, shape = _ones_of(y_true, "y_true")
        predicted, other = _ones_of(y_pred, "y_pred")
        check_same_shape(y_true=shape, y_pred=other)
        return Indicators(true, predicted, shape, True)
    dense = [
        check_multilabel_indicator(values, name).view(np.bool_)
        for values, name in ((y_true, "y_true"), (y_pred, "y_pred"))
    ]
    check_same_shape(y_true=dense[0], y_pred=dense[1])
    n, k = dense[0].shape
    return Indicators(dense[0], dense[1], (n, k), False)


def is_matrix(values: Any) -> bool:
    """Return whether a container has two dimensions and not just one column; no row is read."""
    return column_count(values) != 1


def _is_sparse(values: Any) -> bool:
    return hasattr(values, "tocsr")


def _ones_of(values: Any, name: str) -> tuple[Ones, tuple[int, int]]:
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
