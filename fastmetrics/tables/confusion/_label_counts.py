"""Rows of two label columns counted without a sort: into the cells of a matrix, or into margins.

`label_cells` is the strict form, of `ConfusionMatrix`: a row of weight 0 is absent. `label_matrix`
and `label_counts` are what scikit-learn's functions see: every label that occurs, in such rows too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

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
from fastmetrics._input.weights import Weights, check_weights
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.tables.confusion._counting import Margins, cells_of_plain, count, tally
from fastmetrics.tables.score_table import ScoreTable, as_table, is_called_positive, real_threshold


def score_cells(
    y_true: Any, y_score: Any, threshold: Any, pos_label: Any, sample_weight: Any
) -> Cells:
    """Count what score >= threshold does to the rows, or to a table."""
    threshold = real_threshold(threshold)
    if isinstance(y_true, ScoreTable):
        table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
        columns = table.negatives, table.positives
        called = int(
            np.count_nonzero(is_called_positive(table.scores, threshold))
        )  # they come first
        cells = [[column[called:].sum(), column[:called].sum()] for column in columns]
        counts = np.array(cells, dtype=table.positives.dtype)
        return Cells(counts, (0, 1), table.weight_exponent)
    check_same_index(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    y = as_vector(y_true, "y_true")
    rows = check_binary(y, y_score, sample_weight=sample_weight, pos_label=pos_label).recheck()
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
    """Return the negative and the positive label as the data have them, or what they imply."""
    first, other = int(np.argmax(is_positive)), int(np.argmin(is_positive))
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
    """``counts`` (K, K), true class by predicted class, and the K labels, of one moment.

    int64, or float64 of weights, which are times ``2**exponent``.
    """

    counts: NDArray[Any]
    labels: Labels
    exponent: int = 0

    @classmethod
    def of(cls, matrix: ConfusionMatrix) -> Cells:
        """Return what a matrix holds now; another thread may go on to update it.

        One that has seen nothing and knows no label is one of {0, 1} without examples.
        """
        now = matrix.copy()
        counts, labels = now.counts, now.labels
        if not labels:
            return cls(np.zeros((2, 2), np.int64), (0, 1))
        return cls(counts, labels, now.weight_exponent)

    def reversed(self) -> Cells:
        """Return the classes in reverse order: of two, the other one is positive."""
        counts = np.ascontiguousarray(self.counts[::-1, ::-1])
        return Cells(counts, self.labels[::-1], self.exponent)

    def arranged(self, labels: Labels) -> Cells:
        """Return the counts in the order of ``labels``, 0 where the data have no such label."""
        if labels == self.labels:
            return Cells(self.counts, labels, self.exponent)
        at = {label: k for k, label in enumerate(self.labels)}
        there = [k for k, label in enumerate(labels) if label in at]
        source = [at[labels[k]] for k in there]
        counts = np.zeros((len(labels), len(labels)), dtype=self.counts.dtype)
        counts[np.ix_(there, there)] = self.counts[np.ix_(source, source)]
        return Cells(counts, labels, self.exponent)

    def seen(self) -> list[int]:
        """Return which classes some row with a weight has."""
        filled = self.counts != 0
        return np.flatnonzero(filled.any(axis=0) | filled.any(axis=1)).tolist()


class LabelCounts(NamedTuple):
    """``labels`` (K,) sorted; how often each is true, predicted and both, each of shape (K,).

    Weights are times ``2**exponent``.
    """

    labels: NDArray[Any]
    hits: NDArray[Any]
    true: NDArray[Any]
    predicted: NDArray[Any]
    exponent: int = 0


class Coded(NamedTuple):
    """The rows of two columns by the numbers of their own classes, and all classes, sorted."""

    own: tuple[list[Any], list[Any]]
    codes: tuple[NDArray[np.int64], NDArray[np.int64]]
    labels: Labels

    @classmethod
    def of(cls, columns: Iterable[ClassLabels], label_type: type | None = None) -> Coded:
        """Return coded columns, with labels as Python values of that type."""
        true, predicted = columns
        own = true.classes.tolist(), predicted.classes.tolist()
        if label_type is not None:
            own = list(map(label_type, own[0])), list(map(label_type, own[1]))
        return cls(own, (true.codes, predicted.codes), tuple(sorted({*own[0], *own[1]})))

    def numbered(
        self, numbers: Mapping[Any, int] | None = None, dtype: Any = np.int64
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return both columns by numbers of labels: by default their places in `labels`."""
        at = {label: k for k, label in enumerate(self.labels)} if numbers is None else numbers
        true, predicted = (
            np.array([at[label] for label in own], dtype)[codes]
            for own, codes in zip(self.own, self.codes, strict=True)
        )
        return true, predicted


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
    columns, weights = _checked(y_true, y_pred, sample_weight)
    if labels is not None:
        check_kind(columns, labels)
    found = count_columns(columns, weights, more_than_two)
    if labels is None:
        return seen_cells(found, columns.label_type)
    known = set(labels)
    for column, axis in ((columns.true, 1), (columns.predicted, 0)):
        is_seen = (found.counts != 0).any(axis=axis).tolist()
        for label, seen in zip(found.labels, is_seen, strict=True):
            if seen and label not in known:
                raise unknown_label(column, label, labels)
    return found.arranged(labels)


def count_columns(
    columns: LabelColumns, weights: Weights | None, more_than_two: Refusal | None = None
) -> Cells:
    """Count the pairs of labels; some of the classes may have no row at all."""
    span = min(
        SPAN if more_than_two is None else _FEW,
        math.isqrt(max(_CELLS, _CELLS_PER_ROW * columns.n_rows)),
    )
    exponent = 0 if weights is None else weights.exponent
    found = _of_integers(columns, weights, span)
    if found is not None:
        return Cells(found[1], tuple(found[0]), exponent)
    counts, labels = _of_classes(columns, weights, more_than_two)
    return Cells(counts, labels, exponent)


def seen_cells(found: Cells, label_type: type) -> Cells:
    """Return the classes that some row with a weight has, as Python labels of that type."""
    seen = found.seen()
    labels = tuple(label_type(found.labels[k]) for k in seen)
    counts = found.counts
    if len(seen) < len(found.labels):
        counts = counts[np.ix_(seen, seen)]
    return Cells(counts, labels, found.exponent)


def _checked(y_true: Any, y_pred: Any, sample_weight: Any) -> tuple[LabelColumns, Weights | None]:
    columns = check_label_columns(y_true, y_pred)
    return columns, None if sample_weight is None else check_weights(sample_weight, columns.n_rows)


def completed(cells: Cells) -> Cells:
    """Return the cells of half a pair as those of the pair: see `completed_labels`."""
    pair = completed_labels(cells.labels)
    return cells if pair == cells.labels else cells.arranged(pair)


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


def _of_integers(
    columns: LabelColumns, weights: Weights | None, widest: int, *, margins: bool = False
) -> tuple[range, NDArray[Any]] | None:
    """Return the range of whole numbers that lie close together, and counts; None of others."""
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


def _of_classes(
    columns: LabelColumns, weights: Weights | None, more_than_two: Refusal | None
) -> tuple[NDArray[Any], Labels]:
    """Count pairs of labels of any kind by the numbers of their classes."""
    true, predicted = (each.coded() for each in columns.clean())
    (rows, names), codes, labels = Coded.of((true, predicted))
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
    found = tally(*codes, 0, width, weights)
    at = {label: k for k, label in enumerate(labels)}
    counts = np.zeros((len(labels), len(labels)), dtype=found.dtype)
    places = np.ix_([at[label] for label in rows], [at[label] for label in names])
    counts[places] = found[: len(rows), : len(names)]
    return counts, labels


def _weighing(labels: ClassLabels, weights: Weights | None) -> NDArray[Any]:
    """Return the classes that a row with a weight has."""
    values = None if weights is None else weights.values
    return labels.classes[np.bincount(labels.codes, values, len(labels.classes)) > 0]


def label_counts(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> LabelCounts:
    """Return the margins of what `label_matrix` returns."""
    plain = _plain_matrix(y_true, y_pred, sample_weight)
    if plain is not None:
        labels = np.arange(2, dtype=y_true.dtype)
        return LabelCounts(labels, *Margins.of(plain.counts))
    columns, weights = _checked(y_true, y_pred, sample_weight)
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
    hits, true, predicted = margins
    exponent = 0 if weights is None else weights.exponent
    return LabelCounts(_as_labels(names, columns), hits, true, predicted, exponent)


def _margins(columns: LabelColumns, weights: Weights | None) -> tuple[Sequence[Any], NDArray[Any]]:
    """Return labels, and how often each is both, true and predicted: (3, K)."""
    found = _of_integers(columns, weights, _MARGIN_SPAN, margins=True)
    if found is not None:
        return found
    coded = Coded.of(each.coded() for each in columns.clean())
    k = len(coded.labels)
    return coded.labels, tally(*coded.numbered(), 0, k, weights, margins=True)


def label_matrix(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> Cells:
    """Return the matrix of every label that occurs, also in rows of weight 0."""
    plain = _plain_matrix(y_true, y_pred, sample_weight)
    if plain is not None:
        return plain
    columns, weights = _checked(y_true, y_pred, sample_weight)
    found = count_columns(columns, weights)
    if weights is None or weights.values.all():
        return seen_cells(found, columns.label_type)
    return found.arranged(seen_cells(count_columns(columns, None), columns.label_type).labels)


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
