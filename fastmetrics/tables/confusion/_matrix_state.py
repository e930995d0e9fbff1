"""The state of a confusion matrix: labels and counts that grow, and are never half changed."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._files import Members, as_json
from fastmetrics._input.classes import ClassLabels, in_order
from fastmetrics._input.label_columns import LabelColumns, check_label_columns
from fastmetrics._input.rows import check_same_index
from fastmetrics._input.weights import Weights, check_weights
from fastmetrics._kernels import cells as kernels
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.tables.confusion._counting import Margins
from fastmetrics.tables.confusion._label_counts import (
    MOST_CLASSES,
    Labels,
    NewLabels,
    check_kind,
    completed_labels,
    count_columns,
    seen_cells,
    unknown_label,
)
from fastmetrics.tables.confusion._matrix_checks import check_total, labels_differ
from fastmetrics.tables.confusion._matrix_store import DenseStore, SparseStore, Store

Parts = tuple[Store, Labels, int, NewLabels]


class MatrixState:
    """Labels, counts and a lock; what a new label does. See ``ConfusionMatrix``.

    ``labels`` are those seen so far (or given); the public ones complete half of a pair.
    A store that was handed out is copied before it changes: `counts` are a snapshot, and cost
    nothing. A change of labels, of kind or of scale makes another store; counts are added last, at
    one stroke. What fails on the way, or is interrupted, so leaves the state before it at hand.
    """

    __slots__ = (
        "_at",
        "_bound",
        "_low",
        "_shared",
        "exponent",
        "labels",
        "lock",
        "new_labels",
        "store",
    )

    def __init__(self, store: Store, labels: Labels, exponent: int, new_labels: NewLabels) -> None:
        self.lock = threading.RLock()
        self.new_labels: NewLabels = new_labels
        self._set(store, labels, exponent, store.total())

    def _set(self, store: Store, labels: Labels, exponent: int, bound: int | float) -> None:
        at, low = {label: k for k, label in enumerate(labels)}, _first_of_run(labels)
        # No call among these: an interrupt finds all of them done, or none.
        self.store = store
        self.labels = labels
        self.exponent = exponent
        self._bound = bound
        self._shared = False
        self._at = at
        self._low = low

    # --- reading ---------------------------------------------------------------------------

    def snapshot(self) -> tuple[Labels, Any]:
        """Return the public labels and counts, half of a pair being completed."""
        with self.lock:
            labels, store = self._whole()
            counts = store.public()
            if isinstance(store, DenseStore) and counts is store.counts:
                self._shared = True
                counts = counts.view()
        if isinstance(counts, np.ndarray):
            counts.flags.writeable = False
        return labels, counts

    def margins(self) -> Margins:
        with self.lock:
            return self._whole()[1].margins()

    def total(self) -> int | float:
        """Return the sum of all counts."""
        with self.lock:
            return self.store.total()

    def cell(self, name: str, row: int, column: int) -> int | float:
        """Return a cell of two classes, which has that name."""
        labels, counts = self.snapshot()
        if len(labels) != 2:
            raise InputError(
                f"`{name}` is for two classes, and this matrix has {len(labels):,}: "
                "index `counts`, or pass `labels` of two"
            )
        number: int | float = counts[row, column].item()
        return number

    def reversed(self) -> tuple[Store, Labels, int]:
        with self.lock:
            labels, store = self._whole()
            k = len(labels)
            return store.arranged(np.arange(k)[::-1], k), labels[::-1], self.exponent

    def _whole(self) -> tuple[Labels, Store]:
        """Return the public labels and a store of them, which the lock guards."""
        labels, store = self.labels, self.store
        pair = completed_labels(labels) if self.new_labels == "extend" else labels
        if pair == labels:
            return labels, store
        return pair, store.arranged(np.array([pair.index(labels[0])]), 2)

    def parts(self) -> Parts:
        """Return a state that does not change with this one."""
        with self.lock:
            return self.store.copy(), self.labels, self.exponent, self.new_labels

    def copy(self) -> MatrixState:
        return MatrixState(*self.parts())

    def members(self) -> Members:
        """Return the pairs that occur, labels, and how the matrix was made."""
        store, labels, exponent, new_labels = self.parts()
        pairs = store.sparse()
        return {
            "keys": pairs.keys,
            "values": pairs.values,
            "lost": np.zeros(0) if pairs.lost is None else pairs.lost,
            "labels": as_json(labels),
            "weight_exponent": np.array(exponent),
            "new_labels": np.array(new_labels),
            "sparse": np.array(store.is_sparse),
        }

    # --- changing --------------------------------------------------------------------------

    @contextlib.contextmanager
    def _changing(self) -> Iterator[None]:
        """Hold the lock; what is raised before counts are added leaves the state as it was."""
        with self.lock:
            before = self.store, self.labels, self.exponent, self._shared, self._at, self._low
            try:
                yield
            except BaseException:
                (
                    self.store,
                    self.labels,
                    self.exponent,
                    self._shared,
                    self._at,
                    self._low,
                ) = before
                raise

    def update(self, y_true: Any, y_pred: Any, sample_weight: Any) -> None:
        if sample_weight is None and self._count_small(y_true, y_pred):
            return
        check_same_index(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight)
        columns = check_label_columns(y_true, y_pred)
        weights = None if sample_weight is None else check_weights(sample_weight, columns.n_rows)
        exponent = 0 if weights is None else weights.exponent
        k = len(self.labels)
        if not self.store.is_sparse and 4 * columns.n_rows >= k * k:
            found = seen_cells(count_columns(columns, weights), columns.label_type)
            with self._changing():
                places = self.places(found.labels, columns)
                self.add(DenseStore(found.counts).arranged(places, len(self.labels)), exponent)
            return
        coded = [each.coded() for each in columns.clean()]
        if weights is not None:
            coded, weights = _with_weight(coded, weights)
        own = [list(map(columns.label_type, each.classes.tolist())) for each in coded]
        labels = tuple(sorted({*own[0], *own[1]}))
        with self._changing():
            self.places(labels, columns)
            self._prepare(weights is not None and not weights.is_integer, exponent)
            self._count_in(columns.n_rows if weights is None else float(weights.values.sum()))
            rows, names = (
                np.array([self._at[label] for label in classes], np.int64)[each.codes]
                for classes, each in zip(own, coded, strict=True)
            )
            self.store.add_codes(rows, names, weights)

    def _count_small(self, y_true: Any, y_pred: Any) -> bool:
        """Count a block of plain integers that need no look at anything but their range."""
        low = self._low
        if low is None or type(y_true) is not np.ndarray or type(y_pred) is not np.ndarray:
            return False
        n = len(y_true) if y_true.ndim == 1 else 0
        if (
            not 0 < n <= kernels.BLOCK
            or y_true.dtype not in _INTEGERS
            or y_pred.dtype != y_true.dtype
            or y_pred.shape != y_true.shape
            or not (y_true.flags.c_contiguous and y_true.flags.aligned)
            or not (y_pred.flags.c_contiguous and y_pred.flags.aligned)
            or not kernels.count_cells.is_compiled
        ):
            return False
        with self.lock:
            if self._low != low or self.store.is_weighted or self.store.is_sparse:
                return False
            self._own()
            self._count_in(n)
            store = self.store
            k = store.n_classes
            table = store.counts.reshape(-1)  # type: ignore[union-attr]
            counted: int = kernels.count_cells(y_true, y_pred, low, k, 1, table)
            return counted == n  # of a single block: all or none

    def merge(self, other: MatrixState) -> None:
        """Add another state, which is not being changed: the caller has made a copy."""
        with self._changing():
            _check_mergeable(self, other)
            places = self.places(other.labels, None)
            self.add(other.store.arranged(places, len(self.labels)), other.exponent)

    def places(self, labels: Labels, columns: LabelColumns | None) -> NDArray[np.int64]:
        """Return the numbers of labels, after taking in those that are new, or raise."""
        if columns is not None:
            check_kind(columns, self.labels)
        unknown = [label for label in labels if label not in self._at]
        if unknown:
            if self.new_labels == "raise" and columns is not None:
                raise _unknown(unknown, columns, self.labels)
            merged = tuple(sorted({*self.labels, *unknown}))
            if len(merged) > MOST_CLASSES and not self.store.is_sparse:
                raise InputError(
                    f"{len(merged):,} labels, at most {MOST_CLASSES:,} make a dense matrix: are "
                    "they scores or identifiers? If not, make it with `sparse=True`"
                )
            number = {label: k for k, label in enumerate(merged)}
            places = np.array([number[label] for label in self.labels], np.int64)
            store = self.store.arranged(places, len(merged))
            self._set(store, merged, self.exponent, self._bound)
        return np.array([self._at[label] for label in labels], np.int64)

    def add(self, more: Store, exponent: int) -> None:
        self._prepare(more.is_weighted, exponent, is_empty=not more.total())
        self._count_in(more.total())
        self.store.add(more if more.is_weighted == self.store.is_weighted else more.as_float())

    def _prepare(self, is_weighted: bool, exponent: int, *, is_empty: bool = False) -> None:
        """Make the store ready for counts of that kind, or raise."""
        if exponent != self.exponent and not is_empty:
            if self.store.total():
                raise InputError(
                    "matrices of differently scaled weights cannot be merged: weight_exponent "
                    f"{self.exponent} and {exponent}"
                )
            self.exponent, self.store = exponent, self.store.copy()
            self._shared = False
        if is_weighted and not self.store.is_weighted:
            self.store = self.store.as_float()
            self._shared = False
        self._own()

    def reset(self) -> None:
        with self.lock:
            labels = self.labels if self.new_labels == "raise" else ()
            self._set(empty_store(len(labels), self.store.is_sparse), labels, 0, 0)

    def _own(self) -> None:
        if self._shared:
            self.store = self.store.copy()
            self._shared = False

    def _count_in(self, more: int | float) -> None:
        """Raise if integer counts would leave int64; what is kept is an upper bound."""
        if self.store.is_weighted:
            return
        if self._bound + more >= 2**62:
            self._bound = self.store.total()
            check_total(self._bound + int(more))
        self._bound += int(more)


_INTEGERS = (np.dtype(np.int64), np.dtype(np.int32), np.dtype(np.int8))


def empty_store(n_classes: int, sparse: bool) -> Store:
    """Return a store without counts."""
    return SparseStore.empty(n_classes) if sparse else DenseStore.empty(n_classes)


def _first_of_run(labels: Labels) -> int | None:
    """Return the first of labels that are integers one after the other, else None."""
    if not labels or any(type(label) is not int for label in labels):
        return None
    is_run = labels == tuple(range(labels[0], labels[0] + len(labels)))
    return labels[0] if is_run and abs(labels[0]) < 2**62 else None


def _check_mergeable(into: MatrixState, other: MatrixState) -> None:
    """Raise if the labels of one matrix cannot become labels of another."""
    mine, theirs = into.labels, other.labels
    if into.new_labels == "raise":
        is_known = set(theirs) <= set(mine)
        if mine != theirs and (other.new_labels == "raise" or not is_known):
            raise InputError(
                "matrices of different labels cannot be merged: "
                f"{labels_differ(mine, theirs)}; pass the same `labels` to both"
            )
    elif None in theirs and mine != theirs:
        raise InputError(
            f"a matrix of labels {theirs}, one of them not known, and one of labels {mine} "
            "cannot be merged: pass the same `labels` to both"
        )
    if len(_kinds(mine) | _kinds(theirs)) > 1:
        raise InputTypeError("a matrix of text and one of numbers cannot be merged")


def _kinds(labels: Labels) -> set[bool]:
    return {isinstance(label, str) for label in labels if label is not None}


def _with_weight(columns: list[ClassLabels], weights: Weights) -> tuple[list[ClassLabels], Weights]:
    """Return the rows that have a weight, and the classes that they have."""
    has = weights.values > 0
    if has.all():
        return columns, weights
    seen = [in_order(each.classes, each.codes[has]) for each in columns]
    return seen, weights._replace(values=weights.values[has])


def _unknown(unknown: list[Any], columns: LabelColumns, labels: Labels) -> InputError:
    """Return the error for the first row of a label that the matrix does not take."""
    for column in columns:
        own = set(column.coded().classes.tolist())
        for label in unknown:
            if label in own:
                return unknown_label(column.name, label, column.first(label), labels)
    return InputError(f"labels {unknown} are not in `labels`")
