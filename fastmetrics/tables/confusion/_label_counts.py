"""What scikit-learn's functions of labels need: cells or margins over every label that occurs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.label_columns import LabelColumns, check_label_columns
from fastmetrics._input.weights import Weights, check_weights
from fastmetrics.tables.confusion._cells import (
    arranged,
    count_columns,
    exact_range,
    guessed_range,
    may_guess,
)
from fastmetrics.tables.confusion._counting import (
    Margins,
    count_cells,
    count_margins,
    margins_in_range,
    weigh_margins,
)

#: Up to this many classes the cells are counted, and the margins are their sums.
_FEW: Final = 64

#: Whole-number labels that span at most this much are their own codes.
_SPAN: Final = 1 << 16


class LabelCounts(NamedTuple):
    """``labels`` (K,) sorted; how often each is true, predicted and both, each of shape (K,)."""

    labels: NDArray[Any]
    hits: NDArray[Any]
    true: NDArray[Any]
    predicted: NDArray[Any]


class LabelMatrix(NamedTuple):
    """``labels`` (K,) sorted; ``counts`` (K, K), true class by predicted class."""

    labels: NDArray[Any]
    counts: NDArray[Any]


def label_counts(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> LabelCounts:
    """Return the margins of the matrix of every label that occurs, also in rows of weight 0.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels of any type.
    sample_weight : array-like of shape (n,), optional
        Frequencies or importances.

    Returns
    -------
    LabelCounts
        int64, or float64 of weights that are not whole (or too large for int64).
    """
    columns = check_label_columns(y_true, y_pred)
    weights = None if sample_weight is None else check_weights(sample_weight, columns.n_rows)
    if weights is None and columns.kind != "U":
        found = _by_guess(columns)
        if found is not None:
            return found
    coded = _coded(columns)
    margins = margins_in_range(*coded.codes, coded.low, len(coded.labels))
    if weights is None:
        return _present(coded.labels, margins, margins)
    weighed = weigh_margins(*coded.codes, coded.low, len(coded.labels), weights)
    return _present(coded.labels, margins, Margins(*(_unscaled(each, weights) for each in weighed)))


def label_matrix(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> LabelMatrix:
    """Return the matrix of every label that occurs, also in rows of weight 0.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels of any type.
    sample_weight : array-like of shape (n,), optional
        Frequencies or importances.

    Returns
    -------
    LabelMatrix
        int64, or float64 of weights that are not whole (or too large for int64).
    """
    columns = check_label_columns(y_true, y_pred)
    weights = None if sample_weight is None else check_weights(sample_weight, columns.n_rows)
    found = count_columns(columns, None)
    filled = found.counts != 0
    seen = np.flatnonzero(filled.any(axis=0) | filled.any(axis=1))
    counts = found.counts
    if weights is not None:
        counts = _unscaled(arranged(count_columns(columns, weights), found.labels).counts, weights)
    if len(seen) < len(found.labels):
        counts = counts[np.ix_(seen, seen)]
    return LabelMatrix(_as_labels([found.labels[k] for k in seen.tolist()], columns), counts)


class _Coded(NamedTuple):
    codes: tuple[NDArray[Any], NDArray[Any]]
    low: int
    labels: NDArray[Any]


def _by_guess(columns: LabelColumns) -> LabelCounts | None:
    """Count integers in the range that a few of them suggest; None if there are others."""
    true, predicted = columns.true.values, columns.predicted.values
    if not (may_guess(true.dtype) and may_guess(predicted.dtype)):
        return None
    low, width = guessed_range(true, predicted)
    labels = range(low, low + width)
    if width <= _FEW:
        cells = count_cells(true, predicted, low, width)
        if cells is None:
            return None
        margins = Margins(np.diagonal(cells), cells.sum(axis=1), cells.sum(axis=0))
    elif width <= _SPAN:
        found = count_margins(true, predicted, low, width)
        if found is None:
            return None
        margins = found
    else:
        return None
    return _present(_as_labels(labels, columns), margins, margins)


def _coded(columns: LabelColumns) -> _Coded:
    """Return columns of whole numbers in a range, each standing for a label."""
    columns = columns.clean()
    true, predicted = columns.true.values, columns.predicted.values
    if columns.kind != "U":
        low, width = exact_range(true, predicted)
        is_float = "f" in (true.dtype.kind, predicted.dtype.kind)
        if width <= _SPAN and not (is_float and max(low + width, -low) >= 2**63):
            return _Coded((true, predicted), low, _as_labels(range(low, low + width), columns))
    found = columns.true.coded(), columns.predicted.coded()
    own = [each.classes.tolist() for each in found]
    labels = sorted(set(own[0]) | set(own[1]))
    at = {label: k for k, label in enumerate(labels)}
    true, predicted = (
        np.array([at[label] for label in names], dtype=np.int64)[each.codes]
        for names, each in zip(own, found, strict=True)
    )
    return _Coded((true, predicted), 0, _as_labels(labels, columns))


def _present(labels: NDArray[Any], counted: Margins, margins: Margins) -> LabelCounts:
    """Return the margins of the labels that occur."""
    occurs = (counted.true != 0) | (counted.predicted != 0)
    if occurs.all():
        return LabelCounts(labels, *margins)
    return LabelCounts(labels[occurs], *(each[occurs] for each in margins))


def _as_labels(labels: Sequence[Any], columns: LabelColumns) -> NDArray[Any]:
    """Return labels in the dtype of the columns."""
    if columns.kind == "U":
        return np.array(labels, dtype=np.str_)
    if columns.kind == "b":
        return np.array(labels, dtype=np.bool_)
    if columns.kind == "f":
        return np.array(labels, dtype=np.float64)
    dtypes = [each.values.dtype for each in columns if each.values.dtype.kind in "iu"]
    dtype = np.result_type(*dtypes) if dtypes else np.dtype(np.int64)
    is_safe = dtype.kind in "iu" and all(
        np.iinfo(dtype).min <= label <= np.iinfo(dtype).max for label in (labels[0], labels[-1])
    )
    return np.array(labels, dtype=dtype if is_safe else None)


def _unscaled(sums: NDArray[Any], weights: Weights) -> NDArray[Any]:
    """Return sums of weights in the units of the user's weights: inf beyond float64."""
    if not weights.exponent:
        return sums
    with np.errstate(over="ignore"):
        return np.asarray(np.ldexp(sums, -weights.exponent))
