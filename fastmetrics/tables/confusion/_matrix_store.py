"""Where the counts of a confusion matrix lie: int64, or float64 with what rounding took away."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.weights import Weights
from fastmetrics._kernels import cells as kernels
from fastmetrics.tables.confusion._counting import Margins, add_compensated


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
