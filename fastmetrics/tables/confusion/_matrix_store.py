"""Where the counts of a confusion matrix lie: in a square array, or by the pairs that occurred."""

from __future__ import annotations

from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.weights import Weights
from fastmetrics._kernels import cells as kernels
from fastmetrics.tables.confusion._counting import Margins, add_compensated

#: A pair of class numbers as one: true in the high half, predicted in the low one.
_HALF: Final = 32
_LOW: Final = (1 << _HALF) - 1


class DenseStore:
    """``counts`` (K, K) int64, or float64 with ``lost``, what rounding took away so far."""

    is_sparse = False

    def __init__(self, counts: NDArray[Any], lost: NDArray[np.float64] | None = None) -> None:
        self.counts = counts
        self.lost = lost

    @classmethod
    def empty(cls, n_classes: int) -> Self:
        """Return no counts at all."""
        return cls(np.zeros((n_classes, n_classes), np.int64))

    @classmethod
    def of(cls, counts: NDArray[Any]) -> Self:
        """Return a store of counts that nobody else holds."""
        counts = np.ascontiguousarray(counts)  # cells are also added to by their number
        return cls(counts, np.zeros(counts.shape) if counts.dtype.kind == "f" else None)

    @property
    def is_weighted(self) -> bool:
        """Whether the counts are float64 weights."""
        return self.counts.dtype.kind == "f"

    @property
    def n_classes(self) -> int:
        """The number K of classes."""
        return len(self.counts)

    def copy(self) -> DenseStore:
        """Return the same counts in memory of their own."""
        return DenseStore(self.counts.copy(), None if self.lost is None else self.lost.copy())

    def as_float(self) -> DenseStore:
        """Return the same counts as weights."""
        if self.is_weighted:
            return self
        return DenseStore(self.counts.astype(np.float64), np.zeros(self.counts.shape))

    def arranged(self, places: NDArray[np.int64], n_classes: int) -> DenseStore:
        """Return the counts of K' classes, class k being number ``places[k]`` now."""
        grid = np.ix_(places, places)
        counts = np.zeros((n_classes, n_classes), self.counts.dtype)
        counts[grid] = self.counts
        lost = None
        if self.lost is not None:
            lost = np.zeros((n_classes, n_classes))
            lost[grid] = self.lost
        return DenseStore(counts, lost)

    def add(self, other: Store) -> None:
        """Add the counts of the same classes, both integers or both weights, in place."""
        more = other.dense()
        if self.lost is None:
            self.counts += more.counts
            return
        counts, lost = self.counts.copy(), self.lost.copy()
        add_compensated(counts, lost, more.counts)
        if more.lost is not None:
            lost += more.lost
        self.counts, self.lost = counts, lost

    def add_codes(
        self, rows: NDArray[np.int64], columns: NDArray[np.int64], weights: Weights | None
    ) -> None:
        """Count pairs of class numbers in place; as `add`, of weights that suit the counts."""
        k = self.n_classes
        if weights is None and self.lost is None and kernels.count_cells.is_compiled:
            kernels.count_cells(rows, columns, 0, k, 1, self.counts.reshape(-1))
            return
        keys, sums = _sums(rows * k + columns, weights)
        cells = self.counts.reshape(-1)
        if self.lost is None:
            cells[keys] += sums.astype(np.int64)
            return
        lost_of_cells = self.lost.reshape(-1)
        total, lost = cells[keys], lost_of_cells[keys]
        add_compensated(total, lost, sums)
        cells[keys], lost_of_cells[keys] = total, lost

    def total(self) -> int | float:
        """Return the sum of all counts."""
        number: int | float = self.public().sum().item()
        return number

    def public(self) -> NDArray[Any]:
        """Return the counts, with what rounding took away."""
        return self.counts if self.lost is None else self.counts + self.lost

    def margins(self) -> Margins:
        """Return the diagonal, the sums of rows and those of columns."""
        counts = self.public()
        return Margins(np.diagonal(counts).copy(), counts.sum(axis=1), counts.sum(axis=0))

    def dense(self) -> DenseStore:
        """Return itself."""
        return self

    def sparse(self) -> SparseStore:
        """Return the same counts by the pairs that occurred."""
        rows, columns = np.nonzero(self.public())
        keys = (rows.astype(np.int64) << _HALF) | columns
        lost = None if self.lost is None else self.lost[rows, columns]
        return SparseStore(keys, self.counts[rows, columns], lost, self.n_classes)


class SparseStore:
    """``values`` int64 or float64 of the pairs ``keys``, which rise; ``lost`` as above."""

    is_sparse = True

    def __init__(
        self,
        keys: NDArray[np.int64],
        values: NDArray[Any],
        lost: NDArray[np.float64] | None,
        n_classes: int,
    ) -> None:
        self.keys = keys
        self.values = values
        self.lost = lost
        self.n_classes = n_classes

    @classmethod
    def empty(cls, n_classes: int) -> Self:
        """Return no counts at all."""
        return cls(np.empty(0, np.int64), np.empty(0, np.int64), None, n_classes)

    @property
    def is_weighted(self) -> bool:
        """Whether the counts are float64 weights."""
        return self.values.dtype.kind == "f"

    def copy(self) -> SparseStore:
        """Return itself: its arrays are replaced, never written to."""
        return SparseStore(self.keys, self.values, self.lost, self.n_classes)

    def as_float(self) -> SparseStore:
        """Return the same counts as weights."""
        if self.is_weighted:
            return self
        lost = np.zeros(len(self.keys))
        return SparseStore(self.keys, self.values.astype(np.float64), lost, self.n_classes)

    def arranged(self, places: NDArray[np.int64], n_classes: int) -> SparseStore:
        """Return the counts of K' classes, class k being number ``places[k]`` now."""
        keys = (places[self.keys >> _HALF] << _HALF) | places[self.keys & _LOW]
        order = np.argsort(keys, kind="stable")
        lost = None if self.lost is None else self.lost[order]
        return SparseStore(keys[order], self.values[order], lost, n_classes)

    def add(self, other: Store) -> None:
        """Add the counts of the same classes, both integers or both weights."""
        more = other.sparse()
        keys = np.union1d(self.keys, more.keys)
        values, lost = self._along(keys)
        others, others_lost = more._along(keys)
        if lost is None:
            values += others
        else:
            add_compensated(values, lost, others)
            if others_lost is not None:
                lost += others_lost
        self.keys, self.values, self.lost = keys, values, lost

    def add_codes(
        self, rows: NDArray[np.int64], columns: NDArray[np.int64], weights: Weights | None
    ) -> None:
        """Count pairs of class numbers."""
        keys, sums = _sums((rows << _HALF) | columns, weights)
        if self.lost is None:
            self.add(SparseStore(keys, sums.astype(np.int64), None, self.n_classes))
        else:
            self.add(SparseStore(keys, sums, np.zeros(len(keys)), self.n_classes))

    def total(self) -> int | float:
        """Return the sum of all counts."""
        number: int | float = self._summed().sum().item()
        return number

    def public(self) -> Any:
        """Return the counts as a SciPy sparse array."""
        from scipy.sparse import csr_array

        shape = (self.n_classes, self.n_classes)
        return csr_array((self._summed(), (self.keys >> _HALF, self.keys & _LOW)), shape=shape)

    def margins(self) -> Margins:
        """Return the diagonal, the sums of rows and those of columns."""
        rows, columns, values = self.keys >> _HALF, self.keys & _LOW, self._summed()
        sums = np.zeros((3, self.n_classes), values.dtype)
        is_hit = rows == columns
        for total, at, what in (
            (sums[0], rows[is_hit], values[is_hit]),
            (sums[1], rows, values),
            (sums[2], columns, values),
        ):
            np.add.at(total, at, what)
        return Margins(*sums)

    def dense(self) -> DenseStore:
        """Return the same counts in a square array."""
        places = self.keys >> _HALF, self.keys & _LOW
        counts = np.zeros((self.n_classes, self.n_classes), self.values.dtype)
        counts[places] = self.values
        lost = None
        if self.lost is not None:
            lost = np.zeros(counts.shape)
            lost[places] = self.lost
        return DenseStore(counts, lost)

    def sparse(self) -> SparseStore:
        """Return itself."""
        return self

    def _summed(self) -> NDArray[Any]:
        return self.values if self.lost is None else self.values + self.lost

    def _along(self, keys: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.float64] | None]:
        """Return values and losses of all of ``keys``, 0 where there are none."""
        at = np.searchsorted(keys, self.keys)
        values = np.zeros(len(keys), self.values.dtype)
        values[at] = self.values
        if self.lost is None:
            return values, None
        lost = np.zeros(len(keys))
        lost[at] = self.lost
        return values, lost


Store = DenseStore | SparseStore


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
    for start in range(0, len(keys), step):  # partial sums, compensated, as in `weigh_cells`
        here = slice(start, start + step)
        part = np.bincount(inverse[here], weights.values[here], minlength=len(distinct))
        add_compensated(total, lost, np.asarray(part, dtype=np.float64))
    return distinct, total + lost
