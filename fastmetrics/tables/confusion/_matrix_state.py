"""The state of a confusion matrix: labels and counts that grow, and are never half changed."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from fastmetrics._files import Members, as_json, of_json, scalar
from fastmetrics._input.classes import (
    LabelColumns,
    check_label_columns,
    check_label_values,
    in_order,
    text_or_numbers,
)
from fastmetrics._input.containers import as_array, as_vector
from fastmetrics._input.rows import check_same_index
from fastmetrics._input.scalars import check_choice, check_real
from fastmetrics._input.weights import Weights, check_exponent, check_sums, check_weights
from fastmetrics._kernels import cells as kernels
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.tables.confusion._label_counts import (
    MOST_CLASSES,
    Coded,
    Labels,
    Margins,
    NewLabels,
    add_compensated,
    are_plain,
    check_kind,
    completed_labels,
    count_columns,
    seen_cells,
    unknown_label,
)


def refuse_rows(rows: tuple[Any, ...]) -> None:
    """Raise if a matrix is made of rows as if it were a function of them."""
    if rows:
        raise InputTypeError(
            "`labels` make a ConfusionMatrix that waits for batches: one of rows that are at hand "
            "is `ConfusionMatrix.from_labels(y_true, y_pred)`"
        )


def checked_counts(counts: Any) -> tuple[NDArray[Any], int]:
    """Return a copy of a (K, K) matrix as int64 or float64, and the exponent of its scaling."""
    array = as_array(counts, "counts")
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.size == 0:
        raise InputError(f"`counts` must be a square matrix (K, K), K >= 1: got {array.shape}")
    return owned_counts(array)


def owned_counts(array: NDArray[Any]) -> tuple[NDArray[Any], int]:
    """Return a copy of counts of any shape, int64 or float64, and the exponent of its scaling."""
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


def checked_policy(new_labels: NewLabels | None, labels: Labels, *, is_given: bool) -> NewLabels:
    """Return what a new label does, as it was asked for or as it follows from the labels."""
    if new_labels is None:
        return "raise" if is_given else "extend"
    check_choice("new_labels", new_labels, ("extend", "raise"))
    if new_labels == "raise" and not is_given:
        raise InputError('`new_labels`="raise" needs `labels`: no label would be known')
    if new_labels == "extend" and labels != tuple(sorted(labels)):
        raise InputError(
            f'`labels` must be sorted where `new_labels`="extend", as they stay then: got {labels}'
        )
    return new_labels


def labels_differ(left: Labels, right: Labels) -> str:
    """Return what distinguishes the labels of two matrices, for a message."""
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


class Store:
    """Counts of shape (K, K) in ``sums``.

    They are int64 in one layer; or float64 weights, and what rounding took, in two.
    """

    def __init__(self, sums: NDArray[Any]) -> None:
        self.sums = sums
        self.n_classes = sums.shape[1]
        #: Whether somebody holds a view of the counts: then they must not change in place.
        self.is_shared = False

    @classmethod
    def empty(cls, n_classes: int) -> Self:
        return cls(np.zeros((1, n_classes, n_classes), np.int64))

    @classmethod
    def of(cls, counts: NDArray[Any]) -> Self:
        """Return a store of counts that nobody else holds."""
        return cls(layers(np.ascontiguousarray(counts)))  # cells are also added to by their number

    @property
    def is_weighted(self) -> bool:
        return len(self.sums) == 2

    def summed(self) -> NDArray[Any]:
        """Return the counts with what rounding took away."""
        return np.asarray(self.sums[0] + self.sums[1] if self.is_weighted else self.sums[0])

    def total(self) -> int | float:
        number: int | float = self.summed().sum().item()
        return number

    def margins(self) -> Margins:
        return Margins.of(self.summed())

    def copy(self) -> Store:
        """Return the same counts in memory of their own."""
        return Store(self.sums.copy())

    def as_float(self) -> Store:
        return self if self.is_weighted else Store(_as_float(self.sums))

    def arranged(self, places: NDArray[np.int64], n_classes: int) -> Store:
        """Return the counts of K' classes, class k being number ``places[k]`` now."""
        sums = np.zeros((len(self.sums), n_classes, n_classes), self.sums.dtype)
        sums[:, places[:, np.newaxis], places] = self.sums
        return Store(sums)

    def add(self, other: Store) -> None:
        """Add the counts of the same classes, both integers or both weights, in place."""
        if self.is_weighted:
            self.sums = _added(self.sums.copy(), other.sums)
        else:
            self.sums += other.sums

    def add_codes(
        self, rows: NDArray[np.int64], columns: NDArray[np.int64], weights: Weights | None
    ) -> None:
        """Count pairs of class numbers in place; as `add`, of weights that suit the counts."""
        k = self.n_classes
        if weights is None and not self.is_weighted:
            kernels.count_cells(rows, columns, 0, k, 1, self.sums.reshape(-1))
            return
        keys, sums = _sums(rows * k + columns, weights)
        cells = self.sums.reshape(len(self.sums), -1)
        more = layers(sums if self.is_weighted else sums.astype(np.int64))
        cells[:, keys] = _added(cells[:, keys], more)


def layers(counts: NDArray[Any]) -> NDArray[Any]:
    """Return counts of one layer, or weights of two: of these nothing is lost yet."""
    return _as_float(counts[np.newaxis]) if counts.dtype.kind == "f" else counts[np.newaxis]


def _as_float(sums: NDArray[Any]) -> NDArray[np.float64]:
    both = np.zeros((2, *sums.shape[1:]))
    both[0] = sums[0]
    return both


def _added(sums: NDArray[Any], more: NDArray[Any]) -> NDArray[Any]:
    """Return ``sums``, to which the layers of ``more`` were added in place."""
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
    total, lost = np.zeros(len(distinct)), np.zeros(len(distinct))
    step = 1 << 13
    for start in range(0, len(keys), step):  # partial sums, compensated, as in `tally`
        here = slice(start, start + step)
        part = np.bincount(inverse[here], weights.values[here], minlength=len(distinct))
        add_compensated(total, lost, np.asarray(part, dtype=np.float64))
    return distinct, total + lost


Parts = tuple[Store, Labels, int, NewLabels]


class _Now(NamedTuple):
    """What a change replaces: ``numbers`` are those of the labels, ``low`` the first of a run."""

    store: Store
    labels: Labels
    exponent: int
    numbers: dict[Any, int]
    low: int | None

    @classmethod
    def of(cls, store: Store, labels: Labels, exponent: int) -> _Now:
        numbers = {label: k for k, label in enumerate(labels)}
        return cls(store, labels, exponent, numbers, _first_of_run(labels))


class MatrixState:
    """Labels, counts and a lock; what a new label does. See ``ConfusionMatrix``.

    ``labels`` are those seen so far (or given); the public ones complete half of a pair.
    A store that was handed out is copied before it changes: `counts` are a snapshot, and cost
    nothing. A change of labels, of kind or of scale makes another store; counts are added last, at
    one stroke. What fails on the way, or is interrupted, so leaves the state before it at hand.
    """

    __slots__ = ("_bound", "lock", "new_labels", "now")

    def __init__(self, store: Store, labels: Labels, exponent: int, new_labels: NewLabels) -> None:
        self.lock = threading.RLock()
        self.new_labels: NewLabels = new_labels
        self.now = _Now.of(store, labels, exponent)
        self._bound = store.total()

    # --- reading ---------------------------------------------------------------------------

    def snapshot(self) -> tuple[Labels, NDArray[Any]]:
        """Return the public labels and counts, half of a pair being completed."""
        with self.lock:
            labels, store = self._whole()
            counts = store.summed()
            store.is_shared = not store.is_weighted
        counts.flags.writeable = False
        return labels, counts

    def margins(self) -> Margins:
        with self.lock:
            return self._whole()[1].margins()

    def total(self) -> int | float:
        with self.lock:
            return self.now.store.total()

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
            return store.arranged(np.arange(k)[::-1], k), labels[::-1], self.now.exponent

    def _whole(self) -> tuple[Labels, Store]:
        """Return the public labels and a store of them, which the lock guards."""
        store, labels, *_ = self.now
        pair = completed_labels(labels) if self.new_labels == "extend" else labels
        if pair == labels:
            return labels, store
        return pair, store.arranged(np.array([pair.index(labels[0])]), 2)

    def parts(self) -> Parts:
        """Return a state that does not change with this one."""
        with self.lock:
            store, labels, exponent, *_ = self.now
            return store.copy(), labels, exponent, self.new_labels

    def copy(self) -> MatrixState:
        return MatrixState(*self.parts())

    def members(self) -> Members:
        """Return the pairs that occur, labels, and how the matrix was made."""
        store, labels, exponent, new_labels = self.parts()
        rows, columns = np.nonzero(store.summed())
        return {
            "keys": rows.astype(np.int64) << 32 | columns,
            "values": store.sums[0, rows, columns],
            "lost": store.sums[1, rows, columns] if store.is_weighted else np.zeros(0),
            "labels": as_json(labels),
            "weight_exponent": np.array(exponent),
            "new_labels": np.array(new_labels),
        }

    # --- changing --------------------------------------------------------------------------

    @contextlib.contextmanager
    def _changing(self) -> Iterator[None]:
        """Hold the lock; what is raised before counts are added leaves the state as it was."""
        with self.lock:
            before = self.now
            try:
                yield
            except BaseException:
                self.now = before
                raise

    def update(self, y_true: Any, y_pred: Any, sample_weight: Any) -> None:
        if sample_weight is None and self._count_small(y_true, y_pred):
            return
        check_same_index(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight)
        columns = check_label_columns(y_true, y_pred)
        weights = None if sample_weight is None else check_weights(sample_weight, columns.n_rows)
        exponent = 0 if weights is None else weights.exponent
        k = len(self.now.labels)
        if 4 * columns.n_rows >= k * k:
            found = seen_cells(count_columns(columns, weights), columns.label_type)
            with self._changing():
                places = self.places(found.labels, columns)
                self.add(Store.of(found.counts).arranged(places, len(self.now.labels)), exponent)
            return
        coded = [each.coded() for each in columns.clean()]
        if weights is not None and not weights.values.all():  # rows of weight 0 are absent
            has = weights.values > 0
            coded = [in_order(each.classes, each.codes[has]) for each in coded]
            weights = weights._replace(values=weights.values[has])
        pairs = Coded.of(coded, columns.label_type)
        with self._changing():
            self.places(pairs.labels, columns)
            self._prepare(weights is not None and not weights.is_integer, exponent)
            self._count_in(columns.n_rows if weights is None else float(weights.values.sum()))
            rows, names = pairs.numbered(self.now.numbers)
            self.now.store.add_codes(rows, names, weights)

    def _count_small(self, y_true: Any, y_pred: Any) -> bool:
        """Count a block of plain integers that need no look at anything but their range."""
        low = self.now.low
        if low is None or not are_plain(y_true, y_pred, kernels.BLOCK):
            return False
        n = len(y_true)
        with self.lock:
            store = self.now.store
            if self.now.low != low or store.is_weighted:
                return False
            self._own()
            self._count_in(n)
            store = self.now.store
            k = store.n_classes
            counted: int = kernels.count_cells(y_true, y_pred, low, k, 1, store.sums.reshape(-1))
            return counted == n  # of a single block: all or none

    def merge(self, other: MatrixState) -> None:
        """Add another state, which is not being changed: the caller has made a copy."""
        with self._changing():
            _check_mergeable(self, other)
            places = self.places(other.now.labels, None)
            store = other.now.store.arranged(places, len(self.now.labels))
            self.add(store, other.now.exponent)

    def places(self, labels: Labels, columns: LabelColumns | None) -> NDArray[np.int64]:
        """Return the numbers of labels, after taking in those that are new, or raise."""
        store, known, exponent, numbers, _ = self.now
        if columns is not None:
            check_kind(columns, known)
        unknown = [label for label in labels if label not in numbers]
        if unknown:
            if self.new_labels == "raise" and columns is not None:
                raise _unknown(unknown, columns, known)
            merged = tuple(sorted({*known, *unknown}))
            if len(merged) > MOST_CLASSES:
                raise InputError(
                    f"{len(merged):,} labels, at most {MOST_CLASSES:,} make a matrix: are they "
                    "scores or identifiers?"
                )
            number = {label: k for k, label in enumerate(merged)}
            places = np.array([number[label] for label in known], np.int64)
            self.now = _Now.of(store.arranged(places, len(merged)), merged, exponent)
        return np.array([self.now.numbers[label] for label in labels], np.int64)

    def add(self, more: Store, exponent: int) -> None:
        self._prepare(more.is_weighted, exponent, is_empty=not more.total())
        self._count_in(more.total())
        store = self.now.store
        store.add(more if more.is_weighted == store.is_weighted else more.as_float())

    def _prepare(self, is_weighted: bool, exponent: int, *, is_empty: bool = False) -> None:
        """Make the store ready for counts of that kind, or raise."""
        store, _, own, *_ = self.now
        if exponent != own and not is_empty:
            if store.total():
                raise InputError(
                    "matrices of differently scaled weights cannot be merged: weight_exponent "
                    f"{own} and {exponent}"
                )
            self.now = self.now._replace(exponent=exponent, store=store.copy())
        if is_weighted and not store.is_weighted:
            self.now = self.now._replace(store=store.as_float())
        self._own()

    def reset(self) -> None:
        with self.lock:
            labels = self.now.labels if self.new_labels == "raise" else ()
            self.now, self._bound = _Now.of(Store.empty(len(labels)), labels, 0), 0

    def _own(self) -> None:
        store = self.now.store
        if store.is_shared:
            self.now = self.now._replace(store=store.copy())

    def _count_in(self, more: int | float) -> None:
        """Raise if integer counts would leave int64; what is kept is an upper bound."""
        if self.now.store.is_weighted:
            return
        if self._bound + more >= 2**62:
            self._bound = self.now.store.total()
            check_total(self._bound + int(more))
        self._bound += int(more)


def _first_of_run(labels: Labels) -> int | None:
    """Return the first of labels that are integers one after the other, else None."""
    if not labels or any(type(label) is not int for label in labels):
        return None
    is_run = labels == tuple(range(labels[0], labels[0] + len(labels)))
    return labels[0] if is_run and abs(labels[0]) < 2**62 else None


def _check_mergeable(into: MatrixState, other: MatrixState) -> None:
    """Raise if the labels of one matrix cannot become labels of another."""
    mine, theirs = into.now.labels, other.now.labels
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


def _unknown(unknown: list[Any], columns: LabelColumns, labels: Labels) -> InputError:
    """Return the error for the first row of a label that the matrix does not take."""
    for column in columns:
        own = set(column.coded().classes.tolist())
        for label in unknown:
            if label in own:
                return unknown_label(column, label, labels)
    return InputError(f"labels {unknown} are not in `labels`")


# --- from a file: `members`, judged ---------------------------------------------------------------


def checked_parts(found: Members) -> Parts:
    """Return the state of a confusion matrix, or raise what is wrong with it."""
    labels = stored_labels(found["labels"])
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
        check_sums(values + lost)
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
    if k > MOST_CLASSES:
        raise InputError(f"a matrix of {k:,} classes")
    kept = (values, lost) if values.dtype.kind == "f" else (values,)
    sums = np.zeros((len(kept), k, k), values.dtype)
    sums[:, keys >> 32, keys & (2**32 - 1)] = kept
    return Store(sums), labels, exponent, "extend" if new_labels == "extend" else "raise"


def stored_labels(stored: NDArray[Any]) -> Labels:
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
