"""``DecayedConfusionMatrix``: a stream in which old rows count ever less."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._files import Members
from fastmetrics._input.label_columns import check_label_columns
from fastmetrics._input.rows import check_same_index
from fastmetrics._input.weights import Weights
from fastmetrics.errors import InputError
from fastmetrics.tables._streams import FORGOTTEN, Clock, Fading
from fastmetrics.tables.confusion._label_counts import NewLabels, count_columns, seen_cells
from fastmetrics.tables.confusion._matrix_state import checked_parts
from fastmetrics.tables.confusion._matrix_store import DenseStore
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix


class _Now(NamedTuple):
    """``sums``, the weights times ``clock.unit``; replaced, never changed."""

    sums: ConfusionMatrix
    clock: Clock


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

    __slots__ = ()
    _now: _Now
    _measured = "matrix"
    _options = "half_life", "per"

    def __init__(
        self,
        half_life: float,
        *,
        labels: ArrayLike | None = None,
        new_labels: NewLabels | None = None,
        per: Literal["row", "batch"] = "row",
    ) -> None:
        self._begin(half_life, per)
        self._now = _Now(ConfusionMatrix(labels, new_labels=new_labels), Clock())

    @property
    def new_labels(self) -> NewLabels:
        """What a new label does: "extend" or "raise"."""
        return self._now.sums.new_labels

    @property
    def matrix(self) -> ConfusionMatrix:
        """The weights at this moment; a matrix of its own, which later rows do not change."""
        sums, clock = self._now
        if not clock.n_seen:
            return sums.copy()
        store, labels, _, new_labels = sums._state.parts()
        weights = store.dense().public() / clock.unit
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
        weights = self._weights(n)
        found = count_columns(columns, None if weights is None else Weights(weights, False, 0))
        batch = seen_cells(found, columns.label_type)
        with self._lock:
            clock, exponent = self._later(n)
            sums = _scaled(self._now.sums, exponent)
            places = sums._state.places(batch.labels, columns)
            more = DenseStore.of(batch.counts * clock.unit)
            sums._state.add(more.arranged(places, len(sums._state.now.labels)), 0)
            self._now = _Now(sums, clock)

    def _cleared(self) -> _Now:
        sums = self._now.sums.copy()
        sums.reset()
        return _Now(sums, Clock())

    def _kept(self) -> Members:
        sums, clock = self._now
        return {"n_steps": np.array(clock.n_steps)} | sums._members()

    def _of_kept(self, found: Members, n_seen: int) -> _Now:
        store, labels, exponent, new_labels = checked_parts(found)
        if store.is_sparse or exponent or store.total() > 2.001 * n_seen:  # each weighs below 2
            raise InputError(f"the weights are none of {n_seen:,} rows")
        sums = ConfusionMatrix._of(store, labels, 0, new_labels)
        return _Now(sums, self._clock_of(found, n_seen))


def _scaled(matrix: ConfusionMatrix, exponent: int) -> ConfusionMatrix:
    """Return a copy whose counts are times ``2**exponent``, exact but for what is all but 0."""
    store, labels, _, new_labels = matrix._state.parts()
    with np.errstate(under="ignore"):
        scaled = np.ldexp(store.dense().as_float().sums, exponent)
    return ConfusionMatrix._of(DenseStore(scaled), labels, 0, new_labels)
