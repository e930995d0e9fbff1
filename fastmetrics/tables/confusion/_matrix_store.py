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


class _Store:
    """``sums``: int64 counts in one layer; or float64 weights, and what rounding took, in two."""

    sums: NDArray[Any]
    n_classes: int

    @property
    def is_weighted(self) -> bool:
        return len(self.sums) == 2

    def summed(self) -> NDArray[Any]:
        """Return the counts as they lie, with what rounding took away."""
        return np.asarray(self.sums[0] + self.sums[1] if self.is_weighted else self.sums[0])

    def total(self) -> int | float:
        number: int | float = self.summed().sum().item()
        return number

    def _layers(self, sums: NDArray[np.float64]) -> NDArray[Any]:
        return layers(sums if self.is_weighted else sums.astype(np.int64))


class DenseStore(_Store):
    """Counts of shape (K, K)."""

    is_sparse = False

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

    def copy(self) -> DenseStore:
        """Return the same counts in memory of their own."""
        return DenseStore(self.sums.copy())

    def as_float(self) -> DenseStore:
        return self if self.is_weighted else DenseStore(_as_float(self.sums))

    def arranged(self, places: NDArray[np.int64], n_classes: int) -> DenseStore:
        """Return the counts of K' classes, class k being number ``places[k]`` now."""
        sums = np.zeros((len(self.sums), n_classes, n_classes), self.sums.dtype)
        sums[:, places[:, np.newaxis], places] = self.sums
        return DenseStore(sums)

    def add(self, other: Store) -> None:
        """Add the counts of the same classes, both integers or both weights, in place."""
        if self.is_weighted:
            self.sums = _added(self.sums.copy(), other.dense().sums)
        else:
            self.sums += other.dense().sums

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
        cells[:, keys] = _added(cells[:, keys], self._layers(sums))

    def public(self) -> NDArray[Any]:
        return self.summed()

    def margins(self) -> Margins:
        return Margins.of(self.summed())

    def dense(self) -> DenseStore:
        return self

    def sparse(self) -> SparseStore:
        rows, columns = np.nonzero(self.summed())
        keys = (rows.astype(np.int64) << _HALF) | columns
        return SparseStore(keys, self.sums[:, rows, columns], self.n_classes)


class SparseStore(_Store):
    """Counts of shape (n,), of the pairs ``keys``, which rise."""

    is_sparse = True

    def __init__(self, keys: NDArray[np.int64], sums: NDArray[Any], n_classes: int) -> None:
        self.keys = keys
        self.sums = sums
        self.n_classes = n_classes

    @classmethod
    def empty(cls, n_classes: int) -> Self:
        return cls(np.empty(0, np.int64), np.empty((1, 0), np.int64), n_classes)

    def copy(self) -> SparseStore:
        """Return itself: its arrays are replaced, never written to."""
        return SparseStore(self.keys, self.sums, self.n_classes)

    def as_float(self) -> SparseStore:
        if self.is_weighted:
            return self
        return SparseStore(self.keys, _as_float(self.sums), self.n_classes)

    def arranged(self, places: NDArray[np.int64], n_classes: int) -> SparseStore:
        keys = (places[self.keys >> _HALF] << _HALF) | places[self.keys & _LOW]
        order = np.argsort(keys, kind="stable")
        return SparseStore(keys[order], self.sums[:, order], n_classes)

    def add(self, other: Store) -> None:
        """Add the counts of the same classes, both integers or both weights."""
        more = other.sparse()
        keys = np.union1d(self.keys, more.keys)
        self.keys, self.sums = keys, _added(self._along(keys), more._along(keys))

    def add_codes(
        self, rows: NDArray[np.int64], columns: NDArray[np.int64], weights: Weights | None
    ) -> None:
        keys, sums = _sums((rows << _HALF) | columns, weights)
        self.add(SparseStore(keys, self._layers(sums), self.n_classes))

    def public(self) -> Any:
        from scipy.sparse import csr_array

        shape = (self.n_classes, self.n_classes)
        return csr_array((self.summed(), (self.keys >> _HALF, self.keys & _LOW)), shape=shape)

    def margins(self) -> Margins:
        rows, columns, values = self.keys >> _HALF, self.keys & _LOW, self.summed()
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
        sums = np.zeros((len(self.sums), self.n_classes, self.n_classes), self.sums.dtype)
        sums[:, self.keys >> _HALF, self.keys & _LOW] = self.sums
        return DenseStore(sums)

    def sparse(self) -> SparseStore:
        return self

    def _along(self, keys: NDArray[np.int64]) -> NDArray[Any]:
        """Return the layers for all of ``keys``, 0 where there are none."""
        sums = np.zeros((len(self.sums), len(keys)), self.sums.dtype)
        sums[:, np.searchsorted(keys, self.keys)] = self.sums
        return sums


Store = DenseStore | SparseStore


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
