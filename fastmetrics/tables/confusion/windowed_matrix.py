"""``WindowedConfusionMatrix``: a stream of which only the last rows count."""

from __future__ import annotations

from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._files import Members, as_json, scalar
from fastmetrics._input.classes import in_order
from fastmetrics._input.label_columns import check_label_columns
from fastmetrics._input.rows import check_same_index
from fastmetrics._input.scalars import check_choice, check_integer, check_n_rows
from fastmetrics.errors import InputError
from fastmetrics.tables._streams import Window
from fastmetrics.tables.confusion._label_counts import (
    MOST_CLASSES,
    Coded,
    Labels,
    NewLabels,
    check_kind,
)
from fastmetrics.tables.confusion._matrix_state import checked_labels
from fastmetrics.tables.confusion._matrix_store import DenseStore
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix

#: A row is one number: the true class in the high half, the predicted one in the low half.
_HALF: Final = 16
_LOW: Final = (1 << _HALF) - 1

Rows = NDArray[np.uint32]


class _Now(NamedTuple):
    """The rows of a window in a ring from ``start`` on, by the numbers of their classes.

    It is replaced; ``counts`` change in place, at the same stroke.
    """

    labels: Labels
    numbers: dict[Any, int]
    counts: NDArray[np.int64]
    rows: Rows
    start: int
    n_seen: int

    @classmethod
    def of(cls, labels: Labels, counts: NDArray[np.int64], *others: Any) -> _Now:
        return cls(labels, {label: k for k, label in enumerate(labels)}, counts, *others)


class WindowedConfusionMatrix(Window):
    """How often each class was taken for each among the last `window` rows.

    Rows leave one by one, in the order in which they came, whatever the batches were. `matrix` is
    the `ConfusionMatrix` of the rows that are left, from which every measure follows.

    Parameters
    ----------
    window : int
        The number of rows that count, at most a billion.
    labels : array-like of shape (K,), optional
        The classes, in the order of rows and columns; of two the last is positive. They stay where
        the window has no such row. By default the labels of the rows in the window, sorted, as
        `ConfusionMatrix.from_labels` takes them.
    new_labels : {"extend", "raise"}, optional
        What a label does that is not known: it is a class as long as it is in the window; or its
        batch is refused whole. By default "raise" where `labels` are given, else "extend".

    Raises
    ------
    TypeError, ValueError
        If `window` is no integer from 1 to a billion, or the labels are none that `ConfusionMatrix`
        takes.

    Notes
    -----
    Memory 8 bytes a row of the window, and at most 32 K² bytes. Counts are integers: what is left
    after a long stream is exact. Several threads may update one object; their batches follow one
    another in some order. There is no merge: rows of two streams have no common order. `save` and
    `load`, pickle and `copy` keep all of it, so that a monitor goes on after a restart.

    Examples
    --------
    >>> from fastmetrics import accuracy_score
    >>> from fastmetrics.streams import WindowedConfusionMatrix
    >>> last = WindowedConfusionMatrix(4)
    >>> last.update([0, 1, 1], [1, 0, 1])
    >>> last.update([0, 1], [0, 1])
    >>> last.matrix
    ConfusionMatrix(tp=2, fp=0, fn=1, tn=1, labels=(0, 1))
    >>> accuracy_score(last.matrix)
    0.75
    """

    __slots__ = ("_empty",)
    _now: _Now
    _measured = "matrix"
    _options = ("window",)

    def __init__(
        self,
        window: int,
        *,
        labels: ArrayLike | None = None,
        new_labels: NewLabels | None = None,
    ) -> None:
        self._begin(window)
        self._empty = ConfusionMatrix(labels, new_labels=new_labels)
        self._now = self._cleared()

    def _cleared(self) -> _Now:
        labels = self._empty._state.now.labels
        # Twice the window: a batch is written beside the rows that count, until it counts itself.
        rows = np.empty(2 * self._window, np.uint32)
        return _Now.of(labels, np.zeros((len(labels), len(labels)), np.int64), rows, 0, 0)

    @property
    def new_labels(self) -> NewLabels:
        """What a new label does: "extend" or "raise"."""
        return self._empty.new_labels

    @property
    def n_seen(self) -> int:
        """Number of rows so far, those that have left included."""
        return self._now.n_seen

    @property
    def matrix(self) -> ConfusionMatrix:
        """The counts at this moment; a matrix of its own, which later rows do not change."""
        with self._lock:
            labels, places = self._now.labels, self._occurring()
            if self.new_labels == "extend":
                places = np.array(sorted(places.tolist(), key=lambda k: labels[k]), np.int64)
            counts = self._now.counts[np.ix_(places, places)]
        shown = tuple(labels[k] for k in places.tolist())
        return ConfusionMatrix._of(DenseStore.of(counts), shown, 0, self.new_labels)

    def update(self, y_true: ArrayLike, y_pred: ArrayLike) -> None:
        """Count one more batch, the oldest row first, and let as many rows leave as are too many.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n,)
            Labels: whole numbers, booleans or text, of the sort that the window has. Of more rows
            than `window` the last ones count; all are checked.

        Raises
        ------
        TypeError, ValueError
            As `ConfusionMatrix.update`. Nothing has then changed.

        Notes
        -----
        O(n log n) at worst, and O(n) where the classes are few: at most K² cells for n rows.
        New labels cost O(window + K²) now and then.

        Examples
        --------
        >>> from fastmetrics.streams import WindowedConfusionMatrix
        >>> last = WindowedConfusionMatrix(3, labels=["no", "yes"])
        >>> last.update(["no", "yes", "yes", "no"], ["yes", "yes", "yes", "no"])
        >>> last.matrix
        ConfusionMatrix(tp=2, fp=0, fn=0, tn=1, labels=('no', 'yes'))
        >>> last.n, last.n_seen
        (3, 4)
        """
        check_same_index(y_true=y_true, y_pred=y_pred)
        columns = check_label_columns(y_true, y_pred)
        coded = [each.coded() for each in columns.clean()]
        if self.new_labels == "raise":
            labels = Coded.of(coded, columns.label_type).labels
            self._empty._state.places(labels, columns)
        if columns.n_rows > self._window:
            coded = [in_order(each.classes, each.codes[-self._window :]) for each in coded]
        pairs = Coded.of(coded, columns.label_type)
        m = len(pairs.codes[0])
        with self._lock:
            check_kind(columns, self._now.labels)
            n_seen = check_n_rows(self.n_seen + columns.n_rows)
            now = self._with(pairs.labels)
            true, predicted = pairs.numbered(now.numbers, np.uint32)
            entering = true << np.uint32(_HALF) | predicted
            n_leaving = max(0, self.n + m - self._window)
            leaving = _read(now.rows, now.start, n_leaving)
            _write(now.rows, now.start + self.n, entering)
            cells = now.counts.reshape(-1)
            at, values = _changed(cells, len(now.counts), entering, leaving)
            now = now._replace(start=(now.start + n_leaving) % len(now.rows), n_seen=n_seen)
            # No call among these: an interrupt finds both of them done, or none.
            cells[at] = values
            self._now = now

    def _kept(self) -> Members:
        return {
            "n_given": np.array(len(self._empty._state.now.labels)),
            "labels": as_json(self._now.labels),
            "new_labels": np.array(self.new_labels),
            "rows": _read(self._now.rows, self._now.start, self.n),
        }

    @classmethod
    def _like(cls, found: Members, **options: Any) -> Self:
        labels, policy = checked_labels(found["labels"]), scalar(found, "new_labels")
        check_choice("new_labels", policy, ("extend", "raise"))
        n_given = check_integer("n_given", scalar(found, "n_given"), low=0, high=len(labels))
        given = labels[:n_given]
        if (
            None in labels
            or len(labels) > MOST_CLASSES
            or given != (tuple(sorted(given)) if policy == "extend" else labels)
        ):
            raise InputError(f"labels {labels} are not those of a window")
        stream = cls(**options)
        stream._empty = ConfusionMatrix._of(DenseStore.empty(n_given), given, 0, policy)
        return stream

    def _of_kept(self, found: Members, n_seen: int) -> _Now:
        labels, rows = checked_labels(found["labels"]), found["rows"]
        k, n = len(labels), min(n_seen, self._window)
        if rows.dtype != np.uint32 or rows.shape != (n,):
            raise InputError(f"`rows` are not {n:,} rows")
        true, predicted = (rows >> _HALF).astype(np.int64), (rows & _LOW).astype(np.int64)
        if n and max(true.max(), predicted.max()) >= k:
            raise InputError("a row has a class that is not there")
        counts = np.bincount(true * k + predicted, minlength=k * k).reshape(k, k)
        ring = np.empty(2 * self._window, np.uint32)
        ring[:n] = rows
        return _Now.of(labels, counts, ring, 0, n_seen)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WindowedConfusionMatrix):
            return NotImplemented
        kinds = [(each._window, each.new_labels, each._empty.labels) for each in (self, other)]
        mine, theirs = self._members(), other._members()
        if kinds[0] != kinds[1] or mine["n_seen"] != theirs["n_seen"]:
            return False
        # The same class may have another number, if batches came otherwise.
        number = {label: k for k, label in enumerate(checked_labels(theirs["labels"]))}
        same = [number.get(label, _LOW) for label in checked_labels(mine["labels"])]
        numbers, rows = np.array(same, np.uint32), mine["rows"]
        renamed = numbers[rows >> _HALF] << np.uint32(_HALF) | numbers[rows & _LOW]
        return np.array_equal(renamed, theirs["rows"])

    __hash__ = None  # type: ignore[assignment]

    def _occurring(self) -> NDArray[np.int64]:
        """Return the numbers of the classes that were given, or have a row in the window."""
        occurs = np.logical_or(self._now.counts.any(axis=0), self._now.counts.any(axis=1))
        occurs[: len(self._empty._state.now.labels)] = True
        return np.flatnonzero(occurs)

    def _with(self, labels: Labels) -> _Now:
        """Return what there is, with the classes of ``labels`` too.

        Classes that have left the window are dropped where they have become the greater part.
        """
        now = self._now
        known, _, counts, rows, start, n_seen = now
        new = tuple(label for label in labels if label not in now.numbers)
        if not new:
            return now
        kept = self._occurring()
        if 2 * len(kept) < len(known) or len(known) + len(new) > MOST_CLASSES:
            old = _read(rows, start, self.n)
            rows, start = np.empty_like(rows), 0
            _write(rows, 0, _renumbered(old, kept.tolist(), len(known)))
            known, counts = tuple(known[k] for k in kept.tolist()), counts[np.ix_(kept, kept)]
            still = set(known)
            new = tuple(label for label in labels if label not in still)
        k = len(known) + len(new)
        if k > MOST_CLASSES:
            raise InputError(
                f"{k:,} labels in the window, at most {MOST_CLASSES:,} make a matrix: are they "
                "scores or identifiers?"
            )
        grown = np.zeros((k, k), np.int64)
        grown[: len(known), : len(known)] = counts
        return _Now.of(known + new, grown, rows, start, n_seen)


def _changed(
    cells: NDArray[np.int64], k: int, entering: Rows, leaving: Rows
) -> tuple[Any, NDArray[np.int64]]:
    """Return which cells of K classes change, and what they become."""
    moved = np.concatenate([entering, leaving]).astype(np.int64)
    moved = (moved >> _HALF) * k + (moved & _LOW)
    at: Any = slice(None)
    size = k * k
    if size > 4 * len(moved):
        at, moved = np.unique(moved, return_inverse=True)
        size = len(at)
    m = len(entering)
    more, fewer = (np.bincount(part, minlength=size) for part in (moved[:m], moved[m:]))
    return at, cells[at] + more - fewer


def _renumbered(rows: Rows, kept: list[int], k: int) -> Rows:
    """Return rows of K classes, those ``kept``, in that order, being 0, 1, ... now."""
    number = np.zeros(k, np.uint32)
    number[kept] = np.arange(len(kept), dtype=np.uint32)
    renumbered: Rows = number[rows >> _HALF] << np.uint32(_HALF) | number[rows & _LOW]
    return renumbered


def _read(rows: Rows, start: int, length: int) -> Rows:
    """Return ``length`` rows of the ring from ``start`` on."""
    start %= len(rows)
    first = rows[start : start + length]
    return np.concatenate([first, rows[: length - len(first)]])


def _write(rows: Rows, start: int, values: Rows) -> None:
    """Put values into the ring from ``start`` on."""
    start %= len(rows)
    room = len(rows) - start
    rows[start : start + len(values)] = values[:room]
    if len(values) > room:
        rows[: len(values) - room] = values[room:]
