"""Rows of two label columns counted without a sort: into the cells of a matrix, or into margins.

`label_cells` is strict, for `ConfusionMatrix`: a row of weight 0 is absent. `label_matrix` and
`label_counts` count as scikit-learn does: every label that occurs, in such rows too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import (
    ClassLabels,
    LabelColumn,
    LabelColumns,
    check_label_columns,
    show_labels,
)
from fastmetrics._input.containers import as_vector
from fastmetrics._input.rows import BinaryRows, check_binary, check_same_index
from fastmetrics._input.scores import CHUNK, Weights, check_weights
from fastmetrics._kernels import cells as kernels
from fastmetrics._threads import workers as _workers
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.tables.score_table import ScoreTable, as_table, is_called_positive, real_threshold

Counts = NDArray[np.int64]

#: Rows between two looks at whether to stop: some milliseconds.
_JOB: Final = 1 << 20

#: Fewer rows than this are not worth a second thread.
_SPLIT: Final = 1 << 17

#: The labels that kernels read as they are; others are converted by the chunk.
_NATIVE: Final = (np.dtype(np.int64), np.dtype(np.int32), np.dtype(np.int8))

#: Up to this width four interleaved tables stay in the first-level cache.
_LANES_WIDTH: Final = 32

#: Up to this many classes the cells are counted, and the margins are their sums.
_FEW: Final = 64

#: Rows between two compensated additions: a cell's rounding error is at most
#: ``max(WEIGHTED_CHUNK, K**2) * 2**-53`` of it.
WEIGHTED_CHUNK: Final = 1 << 13


class Margins(NamedTuple):
    """Counts of each class as true, predicted, and both; each of shape (K,)."""

    hits: NDArray[Any]
    true: NDArray[Any]
    predicted: NDArray[Any]

    @classmethod
    def of(cls, cells: NDArray[Any]) -> Margins:
        return cls(cells.diagonal().copy(), cells.sum(axis=1), cells.sum(axis=0))


def cells_of_plain(y_true: Any, y_pred: Any) -> tuple[int, int, int, int] | None:
    """Return TN, FP, FN and TP of two plain arrays of 0 and 1, in one kernel call.

    None for containers, other dtypes, layouts or labels, and for so many rows that threads pay.
    A call in a training loop is answered here, in a few microseconds.
    """
    if not are_plain(y_true, y_pred, _SPLIT - 1):
        return None
    sums = np.empty(3, np.int64)
    if kernels.count_two(y_true, y_pred, 0, sums) not in (0, 1):
        return None
    true, called, both = sums.tolist()
    return y_true.size - true - called + both, called - both, true - both, both


def are_plain(y_true: Any, y_pred: Any, most: int) -> bool:
    """Return whether these are arrays of up to so many rows, read as they are by kernels."""
    return (
        type(y_true) is np.ndarray
        and type(y_pred) is np.ndarray
        and y_true.ndim == 1
        and y_true.shape == y_pred.shape
        and 0 < y_true.size <= most
        and _are_native(y_true, y_pred)
    )


def _are_native(true: NDArray[Any], predicted: NDArray[Any]) -> bool:
    if true.dtype != predicted.dtype or true.dtype not in _NATIVE:
        return False
    one = true.flags
    other = predicted.flags
    return one.c_contiguous and one.aligned and other.c_contiguous and other.aligned


def count(
    true: NDArray[Any], predicted: NDArray[Any], low: int, width: int, *, margins: bool = False
) -> NDArray[Any] | None:
    """Return the (width, width) counts of pairs of whole numbers, or their margins, (3, width).

    None if a label is outside [low, low + width): nothing is counted wrongly. Labels are of any
    integer or boolean dtype, or whole floats inside the range. Margins are hits, true and predicted
    labels, as in `Margins`.
    """
    low = int(_wrap_int64(low))
    if not margins:
        return _cells(true, predicted, low, width)
    if width <= _FEW:
        cells = _cells(true, predicted, low, width)
        return None if cells is None else np.array(Margins.of(cells))

    def count(rows: NDArray[Any], columns: NDArray[Any], sums: NDArray[Any]) -> bool:
        lines = sums.reshape(3, width)
        return bool(kernels.count_margins(rows, columns, low, width, *lines) == len(rows))

    sums = _on_threads(count, true, predicted, 3 * width)
    return None if sums is None else sums.reshape(3, width)


def tally(
    true: NDArray[Any],
    predicted: NDArray[Any],
    low: int,
    width: int,
    weights: Weights | None,
    *,
    margins: bool = False,
) -> NDArray[Any]:
    """Count pairs of labels in range, in int64, or sum their weights in compensated float64."""
    if weights is None:
        counts = count(true, predicted, low, width, margins=margins)
        if counts is None:
            raise RuntimeError("`y_true` or `y_pred` was modified while it was counted")
        return counts
    total = np.zeros((3, width) if margins else (1, width * width))
    lost = np.zeros_like(total)
    step = max(WEIGHTED_CHUNK, total.shape[1])
    chunks = _offsets(true, predicted, int(_wrap_int64(low)), step)
    for start, (rows, columns) in zip(range(0, len(true), step), chunks, strict=True):
        weight = weights.values[start : start + step]
        for k, (codes, here) in enumerate(_cell_indices(rows, columns, width, margins)):
            chunk_sums = np.bincount(codes, weights=weight[here], minlength=total.shape[1])
            add_compensated(total[k], lost[k], np.asarray(chunk_sums, dtype=np.float64))
    total += lost
    return (total.astype(np.int64) if weights.is_integer else total).reshape(-1, width)


def _cell_indices(
    rows: Counts, columns: Counts, width: int, margins: bool
) -> list[tuple[Counts, NDArray[np.bool_] | slice]]:
    """Return, for each line of a table, the cell index of rows, and a mask of these rows."""
    every = slice(None)
    if not margins:
        return [(rows * width + columns, every)]
    is_hit = rows == columns
    return [(rows[is_hit], is_hit), (rows, every), (columns, every)]


def _cells(true: NDArray[Any], predicted: NDArray[Any], low: int, width: int) -> Counts | None:
    """Return (width, width) counts: 8 width² bytes beside them for each thread."""
    if width == 2:
        return _cells_of_two(true, predicted, low)
    lanes = 4 if width <= _LANES_WIDTH else 1

    def count(rows: NDArray[Any], columns: NDArray[Any], table: NDArray[Any]) -> bool:
        return bool(kernels.count_cells(rows, columns, low, width, lanes, table) == len(rows))

    total = _on_threads(count, true, predicted, width * width * lanes, np.int32)
    if total is None:
        return None
    return np.asarray(total.reshape(width * width, lanes).sum(axis=1).reshape(width, width))


def add_compensated(
    total: NDArray[np.float64], lost: NDArray[np.float64], more: NDArray[np.float64]
) -> None:
    """Add ``more`` to ``total``, and the rounding error to ``lost`` (Neumaier 1974)."""
    added = total + more
    lost += np.where(total >= more, (total - added) + more, (more - added) + total)
    total[:] = added


def _cells_of_two(true: NDArray[Any], predicted: NDArray[Any], low: int) -> Counts | None:
    def count(rows: NDArray[Any], columns: NDArray[Any], sums: NDArray[Any]) -> bool:
        chunk_sums = np.empty(3, np.int64)
        fits = kernels.count_two(rows, columns, low, chunk_sums) in (0, 1)
        sums += chunk_sums
        return fits

    sums = _on_threads(count, true, predicted, 3)
    if sums is None:
        return None
    ones, called, both = sums.tolist()
    return np.array([[len(true) - ones - called + both, called - both], [ones - both, both]])


def _on_threads(
    count: Callable[[NDArray[Any], NDArray[Any], NDArray[Any]], bool],
    true: NDArray[Any],
    predicted: NDArray[Any],
    size: int,
    dtype: type[Any] = np.int64,
) -> Counts | None:
    """Return the sum of tables to which ``count`` adds rows of each thread; None if it refuses any.

    Counts are integers: their sum does not depend on the number of chunks.
    """
    n = len(true)
    # A table for each thread pays where there are several rows a cell.
    n_chunks = max(1, min(_workers.thread_count(), n // max(_SPLIT, 4 * size)))
    n_chunks = max(n_chunks, -(-n // 2**30))  # a table of int32 cannot overflow
    edges = [n * k // n_chunks for k in range(n_chunks + 1)]

    def count_chunk(start: int, stop: int) -> NDArray[Any] | None:
        table = np.zeros(size, dtype)
        pieces = _pieces(true, predicted, start, stop)
        return table if all(count(*piece, table) for piece in pieces) else None

    total = np.zeros(size, np.int64)
    for table in _workers.run([partial(count_chunk, *k) for k in pairwise(edges)]):
        if table is None:
            return None
        total += table
    return total


def _pieces(
    true: NDArray[Any], predicted: NDArray[Any], start: int, stop: int
) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Yield rows of both columns in one of the dtypes that kernels know, contiguous."""
    if true.dtype.kind == "b" and predicted.dtype.kind == "b":
        true, predicted = true.view(np.int8), predicted.view(np.int8)
    is_native = _are_native(true, predicted)
    step = _JOB if is_native else CHUNK
    for first in range(start, stop, step):
        here = slice(first, min(first + step, stop))
        if is_native:
            yield true[here], predicted[here]
        else:
            yield true[here].astype(np.int64), predicted[here].astype(np.int64)


def _offsets(
    true: NDArray[Any], predicted: NDArray[Any], low: int, step: int
) -> Iterator[tuple[Counts, Counts]]:
    """Yield chunks of both columns less ``low``, modulo 2**64: right where they are in range."""
    if true.dtype.kind == "b":
        true = true.view(np.int8)
    if predicted.dtype.kind == "b":
        predicted = predicted.view(np.int8)
    for start in range(0, len(true), step):
        here = slice(start, start + step)
        yield true[here].astype(np.int64) - low, predicted[here].astype(np.int64) - low


def _wrap_int64(number: int) -> np.int64:
    """Return the number modulo 2**64, as int64 wraps."""
    return np.uint64(number % 2**64).astype(np.int64)


def score_cells(
    y_true: Any, y_score: Any, threshold: Any, pos_label: Any, sample_weight: Any
) -> Cells:
    """Count the cells of the decision score >= threshold, from rows or a table."""
    threshold = real_threshold(threshold)
    if isinstance(y_true, ScoreTable):
        table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
        columns = table.negatives, table.positives
        called = int(
            np.count_nonzero(is_called_positive(table.scores, threshold))
        )  # they come first
        cells = [[column[called:].sum(), column[:called].sum()] for column in columns]
        return Cells(np.array(cells, dtype=table.positives.dtype), (0, 1), table.weight_exponent)
    check_same_index(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    y = as_vector(y_true, "y_true")
    rows = check_binary(y, y_score, sample_weight=sample_weight, pos_label=pos_label)
    labels = _two_labels(y, np.asarray(rows.labels == 1), pos_label)
    return Cells(cells_of_rows(rows, threshold), labels, rows.weight_exponent)


def cells_of_rows(rows: BinaryRows, threshold: Any) -> NDArray[Any]:
    """Return [[TN, FP], [FN, TP]] of the decision score >= threshold of verified rows."""
    is_positive = np.asarray(rows.labels == 1)
    called = is_called_positive(rows.scores, threshold)
    weights = None
    if rows.weights is not None:
        weights = Weights(rows.weights, rows.integer_weights, rows.weight_exponent)
    return tally(is_positive, called, 0, 2, weights)


def _two_labels(y: NDArray[Any], is_positive: NDArray[np.bool_], pos_label: Any) -> Labels:
    """Return the negative and the positive label of the data, or those that they imply."""
    first = int(np.argmax(is_positive))
    other = int(np.argmin(is_positive))
    if not is_positive[first]:
        negative = _label(y[other])
        return negative, type(negative)(1) if pos_label is None else _label(pos_label)
    positive = _label(y[first])
    if not is_positive[other]:
        return _label(y[other]), positive
    if isinstance(positive, bool):
        return not positive, positive
    return (type(positive)(0) if positive == 1 else None), positive


def _label(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


if TYPE_CHECKING:
    from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix

#: Whole-number labels that span at most this much are their own codes: no search for classes.
SPAN: Final = 1 << 11

#: The same, where more than two classes are an error.
_FEW_LABELS: Final = 64

#: Whole-number labels that span at most this much are their own codes where margins are counted.
_MARGIN_SPAN: Final = 1 << 16

#: A table has at most so many cells, or this many for each row: it is cleared and looked through.
_CELLS: Final = 1 << 12
_CELLS_PER_ROW: Final = 8

#: A dense matrix of more classes would take gigabytes.
MOST_CLASSES: Final = 1 << 14

Labels = tuple[Any, ...]
Refusal = Callable[[Labels], InputError]


class Cells(NamedTuple):
    """``counts`` (K, K), true class by predicted class, and the K labels, of one moment.

    int64, or float64 of weights, which are times ``2**exponent``.
    """

    counts: NDArray[Any]
    labels: Labels
    exponent: int = 0

    @classmethod
    def of(cls, matrix: ConfusionMatrix) -> Cells:
        """Return a snapshot of a matrix that another thread may update.

        A matrix without rows and labels counts as one of {0, 1} without examples.
        """
        now = matrix.copy()
        if not now.labels:
            return cls(np.zeros((2, 2), np.int64), (0, 1))
        return cls(now.counts, now.labels, now.weight_exponent)

    def reversed(self) -> Cells:
        """Return the classes in reverse order: of two, the other one is positive."""
        counts = np.ascontiguousarray(self.counts[::-1, ::-1])
        return Cells(counts, self.labels[::-1], self.exponent)

    def arrange(self, labels: Labels) -> Cells:
        """Return the counts in the order of ``labels``, 0 where the data have no such label."""
        if labels == self.labels:
            return Cells(self.counts, labels, self.exponent)
        at = {label: k for k, label in enumerate(self.labels)}
        there = [k for k, label in enumerate(labels) if label in at]
        source = [at[labels[k]] for k in there]
        counts = np.zeros((len(labels), len(labels)), dtype=self.counts.dtype)
        counts[np.ix_(there, there)] = self.counts[np.ix_(source, source)]
        return Cells(counts, labels, self.exponent)


def merged_labels(columns: Iterable[ClassLabels], label_type: type | None = None) -> Labels:
    """Return the classes of both columns, sorted, as Python values of that type."""
    labels = sorted({label for each in columns for label in each.classes.tolist()})
    return tuple(labels if label_type is None else map(label_type, labels))


def number_labels(column: ClassLabels, numbers: Mapping[Any, int]) -> Counts:
    """Return the number of each row's label."""
    numbers_of_classes = [numbers[label] for label in column.classes.tolist()]
    if numbers_of_classes == list(range(len(numbers_of_classes))):
        return column.codes
    return np.array(numbers_of_classes, np.int64)[column.codes]


def label_cells(
    y_true: Any,
    y_pred: Any,
    labels: Labels | None,
    sample_weight: Any,
    more_than_two: Refusal | None = None,
) -> Cells:
    """Count each pair (true label, predicted label).

    ``labels``, checked, are the classes and their order; None takes those of the rows that have a
    weight, sorted. ``more_than_two`` gives the error to raise where these are many, before any
    matrix of them is made.
    """
    columns, weights = _check_columns(y_true, y_pred, sample_weight)
    if labels is not None:
        check_kind(columns, labels)
    counts = count_columns(columns, weights, more_than_two)
    if labels is None:
        return counts
    known = set(labels)
    for column, axis in ((columns.true, 1), (columns.predicted, 0)):
        is_seen = (counts.counts != 0).any(axis=axis).tolist()
        for label, seen in zip(counts.labels, is_seen, strict=True):
            if seen and label not in known:
                raise unknown_label(column, label, labels)
    return counts.arrange(labels)


def count_columns(
    columns: LabelColumns, weights: Weights | None, more_than_two: Refusal | None = None
) -> Cells:
    """Count the pairs of labels that some row with a weight has."""
    span = min(
        SPAN if more_than_two is None else _FEW_LABELS,
        math.isqrt(max(_CELLS, _CELLS_PER_ROW * columns.n_rows)),
    )
    exponent = 0 if weights is None else weights.exponent
    labels, counts = _count_integers(columns, weights, span) or _count_classes(
        columns, weights, more_than_two
    )
    filled = counts != 0
    seen = np.flatnonzero(filled.any(axis=0) | filled.any(axis=1)).tolist()
    if len(seen) < len(labels):
        counts = counts[np.ix_(seen, seen)]
    return Cells(counts, tuple(columns.label_type(labels[k]) for k in seen), exponent)


def _check_columns(
    y_true: Any, y_pred: Any, sample_weight: Any
) -> tuple[LabelColumns, Weights | None]:
    columns = check_label_columns(y_true, y_pred)
    return columns, None if sample_weight is None else check_weights(sample_weight, columns.n_rows)


def complete_pair(cells: Cells) -> Cells:
    """Return cells of one label of a known pair with both labels: see `completed_labels`."""
    pair = completed_labels(cells.labels)
    return cells if pair == cells.labels else cells.arrange(pair)


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


def unknown_label(column: LabelColumn, label: Any, labels: Labels) -> InputError:
    """Return the error that names a label which is not among those known."""
    return InputError(
        f"`{column.name}` holds the label {label!r}, first at index {column.first(label)}, which "
        f"is not in `labels`, {show_labels(np.array(labels, dtype=object))}"
    )


def _count_integers(
    columns: LabelColumns, weights: Weights | None, widest: int, *, margins: bool = False
) -> tuple[range, NDArray[Any]] | None:
    """Return the range of close whole numbers and their counts; None for other labels."""
    if columns.true.classes is not None:  # codes of texts
        return None
    true, predicted = columns.true.values, columns.predicted.values
    if true.dtype.kind != predicted.dtype.kind:
        true, predicted = (each.values for each in columns.clean())
    if weights is None and may_guess(true.dtype) and may_guess(predicted.dtype):
        low, width = guessed_range(true, predicted)
        if width <= widest:
            guessed = count(true, predicted, low, width, margins=margins)
            if guessed is not None:
                return range(low, low + width), guessed
    true, predicted = (each.values for each in columns.clean())
    low = min(int(true.min()), int(predicted.min()))
    width = max(int(true.max()), int(predicted.max())) - low + 1
    is_float = "f" in (true.dtype.kind, predicted.dtype.kind)
    if width > widest or (is_float and max(low + width, -low) >= 2**63):
        return None
    return range(low, low + width), tally(true, predicted, low, width, weights, margins=margins)


def may_guess(dtype: np.dtype[Any]) -> bool:
    """Return whether labels are integers that int64 holds: none can wrap into the range."""
    return dtype.kind in "bi" or (dtype.kind == "u" and dtype.itemsize < 8)


def guessed_range(true: NDArray[Any], predicted: NDArray[Any]) -> tuple[int, int]:
    """Guess the least label and the width of the range from a thousand rows; counting verifies."""
    low, high = 0, 1
    for y in (true, predicted):
        some = (y[: 1 << 9], y[:: len(y) // (1 << 9) + 1])
        low = min(low, *(int(labels.min()) for labels in some))
        high = max(high, *(int(labels.max()) for labels in some))
    more = (high - low) // 16 if high - low >= 32 else 0
    return low - (more if low < 0 else 0), high - low + 1 + more + (more if low < 0 else 0)


def _count_classes(
    columns: LabelColumns, weights: Weights | None, more_than_two: Refusal | None
) -> tuple[Labels, NDArray[Any]]:
    """Count pairs of labels of any kind by the numbers of their classes."""
    true, predicted = (each.coded() for each in columns.clean())
    labels = merged_labels((true, predicted))
    if more_than_two is not None and len(labels) > 2:
        values = None if weights is None else weights.values
        seen: set[Any] = set()
        for each in (true, predicted):
            weigh = np.bincount(each.codes, values, len(each.classes)) > 0
            seen.update(each.classes[weigh].tolist())
        if len(seen) > 2:
            raise more_than_two(tuple(map(columns.label_type, sorted(seen))))
    if len(labels) > MOST_CLASSES:
        raise InputError(
            f"`y_true` and `y_pred` hold {len(labels):,} labels, at most {MOST_CLASSES:,} make a "
            f"matrix: one cell a pair would take {8 * len(labels) ** 2 / 2**30:.0f} GiB; are they "
            "scores or identifiers?"
        )
    numbers = {label: k for k, label in enumerate(labels)}
    codes = number_labels(true, numbers), number_labels(predicted, numbers)
    return labels, tally(*codes, 0, len(labels), weights)


def label_counts(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None
) -> tuple[NDArray[Any], Margins, int]:
    """Return the labels, margins and exponent of what `label_matrix` returns."""
    plain = _plain_matrix(y_true, y_pred, sample_weight)
    if plain is not None:
        return np.arange(2, dtype=y_true.dtype), Margins.of(plain.counts), 0
    columns, weights = _check_columns(y_true, y_pred, sample_weight)
    names, margins = _margins(columns, weights)
    occurs = (margins[1] != 0) | (margins[2] != 0)
    if weights is not None and not weights.values.all():  # rows of no weight have labels too
        others, counted = _margins(columns, None)
        is_there = (counted[1] | counted[2]).tolist()
        known = {name for name, there in zip(others, is_there, strict=True) if there}
        occurs = np.array([name in known for name in names])
    if not occurs.all():
        margins = margins[:, occurs]
        names = [names[k] for k in np.flatnonzero(occurs).tolist()]
    exponent = 0 if weights is None else weights.exponent
    return _as_labels(names, columns), Margins(*margins), exponent


def _margins(columns: LabelColumns, weights: Weights | None) -> tuple[Sequence[Any], NDArray[Any]]:
    """Return labels, and how often each is both, true and predicted: (3, K)."""
    counts = _count_integers(columns, weights, _MARGIN_SPAN, margins=True)
    if counts is not None:
        return counts
    coded = [each.coded() for each in columns.clean()]
    labels = merged_labels(coded)
    numbers = {label: k for k, label in enumerate(labels)}
    true, predicted = (number_labels(each, numbers) for each in coded)
    return labels, tally(true, predicted, 0, len(labels), weights, margins=True)


def label_matrix(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> Cells:
    """Return the matrix of every label that occurs, also in rows of weight 0."""
    plain = _plain_matrix(y_true, y_pred, sample_weight)
    if plain is not None:
        return plain
    columns, weights = _check_columns(y_true, y_pred, sample_weight)
    counts = count_columns(columns, weights)
    if weights is None or weights.values.all():
        return counts
    return counts.arrange(count_columns(columns, None).labels)


def _plain_matrix(y_true: Any, y_pred: Any, sample_weight: Any) -> Cells | None:
    """Return the matrix of plain arrays that hold 0 and 1, both of them; None of others."""
    plain = None if sample_weight is not None else cells_of_plain(y_true, y_pred)
    if plain is None or not any(plain[:3]) or not any(plain[1:]):
        return None
    return Cells(np.array(plain).reshape(2, 2), (0, 1))


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
