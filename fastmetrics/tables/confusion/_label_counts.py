"""Rows of two label columns counted without a sort: into the cells of a matrix, or into margins.

`label_cells` is the strict form, of `ConfusionMatrix`: a row of weight 0 is absent. `label_matrix`
and `label_counts` are what scikit-learn's functions see: every label that occurs, in such rows too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import ClassLabels
from fastmetrics._input.label_columns import LabelColumns, check_label_columns
from fastmetrics._input.labels import show_labels
from fastmetrics._input.weights import Weights, check_weights
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.tables.confusion._counting import (
    Margins,
    cells_in_range,
    cells_of_plain,
    count_cells,
    count_margins,
    margins_in_range,
    weigh_cells,
    weigh_margins,
)

#: Whole-number labels that span at most this much are their own codes: no search for classes.
SPAN: Final = 1 << 11

#: Up to this many classes the cells are counted, and the margins are their sums.
_FEW: Final = 64

#: Whole-number labels that span at most this much are their own codes where margins are counted.
_MARGIN_SPAN: Final = 1 << 16

#: A table has at most so many cells, or this many for each row: it is cleared and looked through.
_CELLS: Final = 1 << 12
_CELLS_PER_ROW: Final = 8

#: A dense matrix of more classes would take gigabytes.
MOST_CLASSES: Final = 1 << 14

Labels = tuple[Any, ...]
NewLabels = Literal["extend", "raise"]
Refusal = Callable[[Labels], InputError]


class Cells(NamedTuple):
    """``counts`` (K, K) int64 or float64, true class by predicted class, and the K labels."""

    counts: NDArray[Any]
    labels: Labels


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


def label_cells(
    y_true: Any,
    y_pred: Any,
    labels: Labels | None,
    sample_weight: Any,
    more_than_two: Refusal | None = None,
) -> tuple[Cells, int]:
    """Count each pair (true label, predicted label); also return the weights' exponent.

    ``labels``, checked, are the classes and their order; None takes those of the rows that have a
    weight, sorted. ``more_than_two`` gives the error to raise where these are many, before any
    matrix of them is made.
    """
    columns = check_label_columns(y_true, y_pred)
    if labels is not None:
        check_kind(columns, labels)
    weights = None if sample_weight is None else check_weights(sample_weight, columns.n_rows)
    found = count_columns(columns, weights, more_than_two)
    if labels is None:
        found = seen_cells(found, columns.label_type)
    else:
        check_known(found, labels, columns)
    exponent = 0 if weights is None else weights.exponent
    return (found if labels is None else arranged(found, labels)), exponent


def count_columns(
    columns: LabelColumns, weights: Weights | None, more_than_two: Refusal | None = None
) -> Cells:
    """Count the pairs of labels; some of the classes may have no row at all."""
    if columns.true.kind != columns.predicted.kind:
        columns = columns.clean()
    found = None
    if columns.kind != "U":
        span = SPAN if more_than_two is None else _FEW
        found = _cells_of_integers(columns, weights, span)
    if found is not None:
        return found
    return _cells_of_classes(columns, weights, more_than_two)


def seen_cells(found: Cells, label_type: type) -> Cells:
    """Return the classes that some row with a weight has, as Python labels of that type."""
    filled = found.counts != 0
    seen = np.flatnonzero(filled.any(axis=0) | filled.any(axis=1))
    labels = tuple(label_type(found.labels[k]) for k in seen.tolist())
    if len(seen) == len(found.labels):
        return Cells(found.counts, labels)
    return Cells(found.counts[np.ix_(seen, seen)], labels)


def completed(cells: Cells) -> Cells:
    """Return the cells of half a pair as those of the pair: see `completed_labels`."""
    pair = completed_labels(cells.labels)
    return cells if pair == cells.labels else arranged(cells, pair)


def completed_labels(labels: Labels) -> Labels:
    """Return half of a known pair, {0, 1}, {-1, 1} or {False, True}, as the pair."""
    if len(labels) == 1 and not isinstance(labels[0], str) and labels[0] in (-1, 0, 1):
        kind = type(labels[0])
        return kind(min(labels[0], 0)), kind(1)
    return labels


def check_kind(columns: LabelColumns, labels: Labels) -> None:
    """Raise if labels are text where the columns are numbers, or the other way round."""
    is_text = columns.kind == "U"
    if labels and isinstance(labels[-1], str) != is_text:
        kinds = ("numbers", "text") if is_text else ("text", "numbers")
        raise InputTypeError(f"`labels` holds {kinds[0]}, `y_true` and `y_pred` hold {kinds[1]}")


def check_known(found: Cells, labels: Labels, columns: LabelColumns) -> None:
    """Raise if a row with a weight has a label that is not among ``labels``."""
    known = set(labels)
    for column, axis in ((columns.true, 1), (columns.predicted, 0)):
        is_seen = (found.counts != 0).any(axis=axis).tolist()
        for label, seen in zip(found.labels, is_seen, strict=True):
            if seen and label not in known:
                raise unknown_label(column.name, label, column.first(label), labels)


def unknown_label(name: str, label: Any, first: int, labels: Labels) -> InputError:
    """Return the error that names a label which is not among those known."""
    shown = show_labels(np.array(labels, dtype=object))
    return InputError(
        f"`{name}` holds the label {label!r}, first at index {first}, which is not in "
        f"`labels`, {shown}"
    )


def arranged(found: Cells, labels: Labels) -> Cells:
    """Return the counts in the order of ``labels``, 0 where the data have no such label."""
    if labels == found.labels:
        return Cells(found.counts, labels)
    at = {label: k for k, label in enumerate(found.labels)}
    there = [k for k, label in enumerate(labels) if label in at]
    source = [at[labels[k]] for k in there]
    counts = np.zeros((len(labels), len(labels)), dtype=found.counts.dtype)
    counts[np.ix_(there, there)] = found.counts[np.ix_(source, source)]
    return Cells(counts, labels)


def _cells_of_integers(columns: LabelColumns, weights: Weights | None, span: int) -> Cells | None:
    """Count whole numbers that lie close together; None if they do not."""
    true, predicted = columns.true.values, columns.predicted.values
    widest = min(span, math.isqrt(max(_CELLS, _CELLS_PER_ROW * len(true))))
    if weights is None and all(may_guess(y.dtype) for y in (true, predicted)):
        low, width = guessed_range(true, predicted)
        if width <= widest:
            counts = count_cells(true, predicted, low, width)
            if counts is not None:
                return Cells(counts, tuple(range(low, low + width)))
    columns = columns.clean()
    true, predicted = columns.true.values, columns.predicted.values
    low, width = exact_range(true, predicted)
    is_float = "f" in (true.dtype.kind, predicted.dtype.kind)
    if width > widest or (is_float and max(low + width, -low) >= 2**63):
        return None
    if weights is not None:
        return Cells(
            weigh_cells(true, predicted, low, width, weights), tuple(range(low, low + width))
        )
    counts = cells_in_range(true, predicted, low, width)
    return Cells(counts, tuple(range(low, low + width)))


def may_guess(dtype: np.dtype[Any]) -> bool:
    """Return whether labels are integers that int64 holds: none can wrap into the range."""
    return dtype.kind in "bi" or (dtype.kind == "u" and dtype.itemsize < 8)


def guessed_range(true: NDArray[Any], predicted: NDArray[Any]) -> tuple[int, int]:
    """Return the least label and the width of a range that probably holds all of them.

    A thousand rows are looked at; whoever counts finds out whether the guess was right.
    """
    low, high = 0, 1
    for y in (true, predicted):
        some = (y[: 1 << 9], y[:: len(y) // (1 << 9) + 1])
        low = min(low, *(int(part.min()) for part in some))
        high = max(high, *(int(part.max()) for part in some))
    more = (high - low) // 16 if high - low >= 32 else 0
    return low - (more if low < 0 else 0), high - low + 1 + more + (more if low < 0 else 0)


def exact_range(true: NDArray[Any], predicted: NDArray[Any]) -> tuple[int, int]:
    """Return the least label and the width of the range of both columns."""
    low = min(int(true.min()), int(predicted.min()))
    return low, max(int(true.max()), int(predicted.max())) - low + 1


def _cells_of_classes(
    columns: LabelColumns, weights: Weights | None, more_than_two: Refusal | None
) -> Cells:
    """Count labels of any kind by the numbers of their classes."""
    true, predicted = columns.true.coded(), columns.predicted.coded()
    rows, names = true.classes.tolist(), predicted.classes.tolist()
    labels = tuple(sorted(set(rows) | set(names)))
    if more_than_two is not None and len(labels) > 2:
        seen = {label for each in (true, predicted) for label in _weighing(each, weights).tolist()}
        if len(seen) > 2:
            raise more_than_two(tuple(map(columns.label_type, sorted(seen))))
    if len(labels) > MOST_CLASSES:
        raise InputError(
            f"`y_true` and `y_pred` hold {len(labels):,} labels, at most {MOST_CLASSES:,} make a "
            f"matrix: one cell a pair would take {8 * len(labels) ** 2 / 2**30:.0f} GiB; are they "
            "scores or identifiers?"
        )
    width = max(len(rows), len(names))  # each column keeps its own codes: no row is recoded
    if weights is None:
        found: NDArray[Any] = cells_in_range(true.codes, predicted.codes, 0, width)
    else:
        found = weigh_cells(true.codes, predicted.codes, 0, width, weights)
    at = {label: k for k, label in enumerate(labels)}
    counts = np.zeros((len(labels), len(labels)), dtype=found.dtype)
    places = np.ix_([at[label] for label in rows], [at[label] for label in names])
    counts[places] = found[: len(rows), : len(names)]
    return Cells(counts, labels)


def _weighing(labels: ClassLabels, weights: Weights | None) -> NDArray[Any]:
    """Return the classes that a row with a weight has."""
    values = None if weights is None else weights.values
    return labels.classes[np.bincount(labels.codes, values, len(labels.classes)) > 0]


def label_counts(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> LabelCounts:
    """Return the margins of what `label_matrix` returns."""
    plain = _plain_matrix(y_true, y_pred, sample_weight)
    if plain is not None:
        cells = plain.counts
        return LabelCounts(plain.labels, np.diagonal(cells), cells.sum(axis=1), cells.sum(axis=0))
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

    It is int64, or float64 of weights that are not whole (or too large for int64).
    """
    plain = _plain_matrix(y_true, y_pred, sample_weight)
    if plain is not None:
        return plain
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


def _plain_matrix(y_true: Any, y_pred: Any, sample_weight: Any) -> LabelMatrix | None:
    """Return the matrix of plain arrays that hold 0 and 1, both of them; None of others."""
    plain = None if sample_weight is not None else cells_of_plain(y_true, y_pred)
    if plain is None or not any(plain[:3]) or not any(plain[1:]):
        return None
    return LabelMatrix(np.arange(2, dtype=y_true.dtype), np.array(plain).reshape(2, 2))


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
    elif width <= _MARGIN_SPAN:
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
        if width <= _MARGIN_SPAN and not (is_float and max(low + width, -low) >= 2**63):
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
