"""``DecayedConfusionMatrix``: a stream in which old rows count ever less."""

from __future__ import annotations

import math
import threading
from fractions import Fraction
from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._files import Members, as_json, of_json, scalar
from fastmetrics._input.label_columns import LabelColumns, check_label_columns
from fastmetrics._input.rows import check_same_index
from fastmetrics._input.scalars import check_n_rows
from fastmetrics._input.weights import Weights
from fastmetrics.errors import InputError
from fastmetrics.tables._streams import (
    FORGOTTEN,
    WHOLE_RANGE,
    Fading,
    check_rate,
    rows_seen,
    weights_at,
)
from fastmetrics.tables.confusion._label_counts import Cells, NewLabels, count_columns, seen_cells
from fastmetrics.tables.confusion._matrix_file import checked_parts, matrix_members
from fastmetrics.tables.confusion._matrix_store import DenseStore
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix


class _Now(NamedTuple):
    """``sums``, the weights times 2**position, 0 <= position < 1; rows seen so far."""

    sums: ConfusionMatrix
    position: Fraction
    n_seen: int


class DecayedConfusionMatrix(Fading):
    """How often each class was taken for each, lately: weights fall by half every `half_life` rows.

    The newest row weighs 1, the row `half_life` before it ½, the one as far before that ¼. `matrix`
    is a `ConfusionMatrix` of those weights, from which every measure follows.

    Parameters
    ----------
    half_life : int or float
        After so many rows (or batches) a row weighs half.
    labels : array-like of shape (K,), optional
        The classes, in the order of rows and columns; of two the last is positive. By default those
        that the batches bring, sorted; a class stays, however old its rows are.
    new_labels : {"extend", "raise"}, optional
        What a label does that is not known: see `ConfusionMatrix`. By default "raise" where
        `labels` are given, else "extend".
    per : {"row", "batch"}, default "row"
        What makes rows older: every row that follows, in the order of the batch; or every
        `update`, the rows of one batch being of one age.

    Raises
    ------
    TypeError, ValueError
        If `half_life` is not positive and finite, or the labels are none that `ConfusionMatrix`
        takes.

    Notes
    -----
    Memory 16 K² bytes. The sums are kept in units of the present that move by whole powers of two,
    which is exact, and are compensated: a cell's relative error is at most about
    ``max(2**13, K**2) * 2**-53``, however long the stream. Cells below 2**-250 are shown as 0.

    Several threads may update one object; their batches follow one another in some order. There is
    no merge, since rows of two streams have no common order; the `matrix` of each stream, taken at
    one time, can be added up. `save` and `load`, pickle and `copy` keep all of it: a monitor goes
    on after a restart.

    Examples
    --------
    >>> from fastmetrics import accuracy_score
    >>> from fastmetrics.streams import DecayedConfusionMatrix
    >>> lately = DecayedConfusionMatrix(half_life=2)
    >>> lately.update([0, 1, 1, 0, 1], [1, 0, 1, 0, 1])
    >>> lately.matrix.counts.round(3)
    array([[0.707, 0.25 ],
           [0.354, 1.5  ]])
    >>> round(accuracy_score(lately.matrix), 3)
    0.785
    """

    __slots__ = ("_half_life", "_lock", "_now", "_per")
    _measured = "matrix"

    def __init__(
        self,
        half_life: float,
        *,
        labels: ArrayLike | None = None,
        new_labels: NewLabels | None = None,
        per: Literal["row", "batch"] = "row",
    ) -> None:
        self._half_life, self._per = check_rate(half_life, per)
        self._lock = threading.Lock()
        self._now = _Now(ConfusionMatrix(labels, new_labels=new_labels), Fraction(0), 0)

    @property
    def new_labels(self) -> NewLabels:
        """What a new label does: "extend" or "raise"."""
        return self._now.sums.new_labels

    @property
    def n_seen(self) -> int:
        """Number of rows so far, each counted as 1."""
        return self._now.n_seen

    @property
    def matrix(self) -> ConfusionMatrix:
        """The weights at this moment; a matrix of its own, which later rows do not change."""
        now = self._now
        store, labels, _, new_labels = now.sums._state.parts()
        if not now.n_seen:
            return now.sums.copy()
        weights = store.dense().public() / math.exp2(now.position)
        weights[weights < FORGOTTEN] = 0.0
        return ConfusionMatrix._of(DenseStore.of(weights), labels, 0, new_labels)

    def update(self, y_true: ArrayLike, y_pred: ArrayLike) -> None:
        """Count one more batch, the oldest row first.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n,)
            Labels: whole numbers, booleans or text, of the sort that came before.

        Raises
        ------
        TypeError, ValueError
            As `ConfusionMatrix.update`. Nothing has then changed.

        Notes
        -----
        O(n + K²).

        Examples
        --------
        >>> from fastmetrics.streams import DecayedConfusionMatrix
        >>> daily = DecayedConfusionMatrix(half_life=1, per="batch")
        >>> for y_pred in ([0, 0], [1, 0], [1, 1]):
        ...     daily.update([1, 1], y_pred)
        >>> daily.matrix
        ConfusionMatrix(tp=2.5, fp=0.0, fn=1.0, tn=0.0, labels=(0, 1))
        """
        check_same_index(y_true=y_true, y_pred=y_pred)
        columns = check_label_columns(y_true, y_pred)
        n = columns.n_rows
        batch = self._weighed(columns)
        steps = n if self._per == "row" else 1
        with self._lock:
            sums, position, n_seen = self._now
            n_seen = check_n_rows(n_seen + n)
            position += Fraction(steps) / Fraction(self._half_life)
            shift = position.numerator // position.denominator
            position -= shift
            sums = _scaled(sums, -min(shift, WHOLE_RANGE))
            places = sums._state.places(batch.labels, columns)
            more = DenseStore(batch.counts * math.exp2(position))
            sums._state.add(more.arranged(places, len(sums._state.labels)), 0)
            self._now = _Now(sums, position, n_seen)

    def reset(self) -> None:
        """Forget all rows, and the labels that were not given.

        Examples
        --------
        >>> from fastmetrics.streams import DecayedConfusionMatrix
        >>> lately = DecayedConfusionMatrix(half_life=100)
        >>> lately.update([0, 1], [0, 0])
        >>> lately.reset()
        >>> lately
        DecayedConfusionMatrix(half_life=100.0, per='row', n_seen=0)
        """
        with self._lock:
            sums = self._now.sums.copy()
            sums.reset()
            self._now = _Now(sums, Fraction(0), 0)

    def _members(self) -> Members:
        sums, position, n_seen = self._now  # which is replaced, never changed
        return {
            "half_life": np.array(self._half_life),
            "per": np.array(self._per),
            "position": as_json(position.as_integer_ratio()),
            "n_seen": np.array(n_seen),
            **matrix_members(*sums._state.parts()),
        }

    @classmethod
    def _of_members(cls, found: Members) -> Self:
        stream = cls(scalar(found, "half_life"), per=scalar(found, "per"))
        store, labels, exponent, new_labels = checked_parts(found)
        n_seen = rows_seen(found)
        position = of_json(found["position"])
        if type(position) is not list or [type(part) for part in position] != [int, int]:
            raise InputError("`position` is no pair of whole numbers")
        if not 0 <= position[0] < position[1]:
            raise InputError("`position` is not between 0 and 1")
        if store.is_sparse or exponent or store.total() > 2.001 * n_seen:  # each weighs below 2
            raise InputError(f"the weights are none of {n_seen:,} rows")
        sums = ConfusionMatrix._of(store, labels, 0, new_labels)
        stream._now = _Now(sums, Fraction(*position), n_seen)
        return stream

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DecayedConfusionMatrix):
            return NotImplemented
        kinds = [(each.half_life, each.per, each.new_labels) for each in (self, other)]
        return kinds[0] == kinds[1] and self._now == other._now

    __hash__ = None  # type: ignore[assignment]

    def _weighed(self, columns: LabelColumns) -> Cells:
        """Return the weights of a batch by cell, its last row weighing 1."""
        weights = None
        if self._per == "row":
            ages = np.arange(columns.n_rows)[::-1]
            weights = Weights(weights_at(ages, self._half_life), False, 0)
        found = seen_cells(count_columns(columns, weights), columns.label_type)
        return Cells(found.counts.astype(np.float64), found.labels)


def _scaled(matrix: ConfusionMatrix, exponent: int) -> ConfusionMatrix:
    """Return a copy whose counts are times ``2**exponent``, exact but for what is all but 0."""
    store, labels, _, new_labels = matrix._state.parts()
    store = store.dense().as_float()
    parts = [part for part in (store.counts, store.lost) if part is not None]
    with np.errstate(under="ignore"):
        scaled: list[NDArray[np.float64]] = [np.ldexp(part, exponent) for part in parts]
    return ConfusionMatrix._of(DenseStore(*scaled), labels, 0, new_labels)
