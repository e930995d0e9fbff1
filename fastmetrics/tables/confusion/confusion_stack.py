"""``ConfusionMatrixStack``: n confusion matrices of two classes, to be measured together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Table
from fastmetrics._input.containers import as_array
from fastmetrics._input.scalars import check_integer
from fastmetrics.errors import InputError, InputTypeError, no_such
from fastmetrics.tables._mergeable import Frozen
from fastmetrics.tables.confusion._label_counts import Cells
from fastmetrics.tables.confusion._matrix_checks import (
    check_distinct,
    check_total,
    checked_labels,
    owned_counts,
)
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ConfusionMatrixStack(Frozen):
    """Several confusion matrices of two classes: n runs, n data sets, or K classes one-vs-rest.

    Macro- and micro-averages are defined over them (`macro_micro`), and `count_measure`
    gives any count measure of each matrix in one call. Make one with `from_matrices`, `one_vs_rest`
    or `from_counts`; the constructor checks and copies as `from_counts` does.

    Attributes
    ----------
    counts : ndarray of shape (n, 2, 2)
        ``counts[k]`` is [[TN, FP], [FN, TP]] of matrix k: int64, or float64 where they are weights;
        read-only.
    names : tuple of n names
        What each matrix is of: a run, a data set, a class.
    labels : tuple of two labels
        The negative and the positive label that all matrices share; (0, 1) where they share none.
    weight_exponent : int
        The counts are the weights times ``2**weight_exponent``, as in `ConfusionMatrix`.

    Notes
    -----
    Memory is 32 bytes a matrix.

    Examples
    --------
    >>> from fastmetrics.streams import ConfusionMatrixStack
    >>> stack = ConfusionMatrixStack.from_counts([[[3, 1], [2, 4]], [[5, 0], [1, 2]]])
    >>> stack
    ConfusionMatrixStack(2 matrices 0, 1; n=18)
    >>> stack.tp
    array([4, 2])
    >>> stack.sum()
    ConfusionMatrix(tp=6, fp=1, fn=3, tn=8, labels=(0, 1))
    """

    counts: Array
    names: tuple[Any, ...]
    labels: tuple[Any, ...] = (0, 1)
    weight_exponent: int = 0

    def __post_init__(self) -> None:
        scaled = check_integer("weight_exponent", self.weight_exponent, low=-(2**12), high=2**12)
        counts, exponent = _checked_counts(self.counts)
        names = _checked_names(self.names, len(counts))
        self._set(counts, names, checked_labels(self.labels, 2), scaled + exponent)

    @classmethod
    def from_matrices(
        cls,
        matrices: Iterable[ConfusionMatrix] | Mapping[Any, ConfusionMatrix],
        *,
        names: Iterable[Any] | None = None,
    ) -> Self:
        """Put matrices of two classes on one another.

        Parameters
        ----------
        matrices : iterable of ConfusionMatrix, or mapping from a name to one
            At least one; of each the last label is the positive one.
        names : iterable, optional
            A name for each, all different; 0, 1, ... by default, the keys of a mapping.

        Returns
        -------
        ConfusionMatrixStack
            Of integers where all matrices are.

        Raises
        ------
        TypeError, ValueError
            If one is no ConfusionMatrix or not of two classes, two have the same labels in another
            order, their weights are scaled differently, or the names do not fit.

        Examples
        --------
        >>> from fastmetrics import ConfusionMatrix
        >>> from fastmetrics.streams import ConfusionMatrixStack
        >>> runs = {"monday": ConfusionMatrix.binary(tp=4, fp=1, fn=2, tn=3)}
        >>> ConfusionMatrixStack.from_matrices(runs).names
        ('monday',)
        """
        if isinstance(matrices, Mapping):
            if names is not None:
                raise InputTypeError("a mapping names its matrices: pass no `names` with it")
            names = tuple(matrices)
            matrices = matrices.values()
        stacked = list(matrices)
        if not stacked:
            raise InputError("`matrices` is empty: at least one is needed")
        for k, matrix in enumerate(stacked):
            if not isinstance(matrix, ConfusionMatrix):
                kind = type(matrix).__name__
                raise InputTypeError(
                    f"`matrices` must hold ConfusionMatrix objects: got {kind} at {k}"
                )
        now = [Cells.of(matrix) for matrix in stacked]
        for k, matrix in enumerate(now):
            if len(matrix.labels) != 2:
                raise InputError(
                    f"`matrices` must be of two classes, and the one at {k} has "
                    f"{len(matrix.labels):,}: see ConfusionMatrixStack.one_vs_rest"
                )
        labels = _shared_labels([matrix.labels for matrix in now])
        exponents = {matrix.exponent for matrix in now if matrix.counts.any()}
        if len(exponents) > 1:
            raise InputError(
                "matrices of differently scaled weights cannot be stacked: weight_exponent "
                f"{', '.join(map(str, sorted(exponents)))}"
            )
        counts = np.stack([matrix.counts for matrix in now])
        if counts.dtype.kind != "f":
            check_total(sum(counts.ravel().tolist()))
        return cls._of(counts, _checked_names(names, len(counts)), labels, *exponents or (0,))

    @classmethod
    def one_vs_rest(cls, matrix: ConfusionMatrix) -> Self:
        """Take a matrix of K classes apart: each class, as the positive one, against the rest.

        Parameters
        ----------
        matrix : ConfusionMatrix
            Of any number of classes.

        Returns
        -------
        ConfusionMatrixStack
            Of K matrices, named by the labels.

        Raises
        ------
        TypeError
            If it is no ConfusionMatrix.

        Notes
        -----
        O(K²). No cell is found by subtraction: weights lose nothing where one class has almost
        all of them.

        Examples
        --------
        >>> from fastmetrics import ConfusionMatrix
        >>> from fastmetrics.streams import ConfusionMatrixStack
        >>> matrix = ConfusionMatrix.from_labels(["a", "b", "c", "c"], ["a", "c", "c", "b"])
        >>> ConfusionMatrixStack.one_vs_rest(matrix).counts[2]
        array([[1, 1],
               [1, 1]])
        """
        if not isinstance(matrix, ConfusionMatrix):
            raise InputTypeError(f"`matrix` must be a ConfusionMatrix: got {matrix!r}")
        counted = Cells.of(matrix)
        cells = counted.counts.copy()
        tp = cells.diagonal().copy()
        tn = _sum_beside(cells)
        np.fill_diagonal(cells, 0)
        fp, fn = cells.sum(axis=0), cells.sum(axis=1)
        counts = np.stack([tn, fp, fn, tp], axis=-1).reshape(-1, 2, 2)
        return cls._of(counts, counted.labels, (0, 1), counted.exponent)

    @classmethod
    def from_counts(cls, counts: ArrayLike, *, names: Iterable[Any] | None = None) -> Self:
        """Make a stack of counts (or weights) that are already at hand.

        Parameters
        ----------
        counts : array-like of shape (n, 2, 2)
            [[TN, FP], [FN, TP]] of each matrix: integers (counts, exact) or floats (weights) >= 0.
        names : iterable, optional
            A name for each, all different; 0, 1, ... by default.

        Raises
        ------
        TypeError, ValueError
            If the shape is another, a count is negative or not finite, the counts sum to 2**63
            or more, or the names do not fit.

        Examples
        --------
        >>> from fastmetrics.streams import ConfusionMatrixStack
        >>> ConfusionMatrixStack.from_counts([[[50, 10], [5, 35]]], names=["first run"]).fn
        array([5])
        """
        array, exponent = _checked_counts(counts)
        return cls._of(array, _checked_names(names, len(array)), (0, 1), exponent)

    @property
    def is_weighted(self) -> bool:
        """Whether the counts are float64 weights rather than int64 counts."""
        return self.counts.dtype.kind == "f"

    @property
    def tp(self) -> Array:
        """True positives of each matrix."""
        return self.counts[:, 1, 1]

    @property
    def fp(self) -> Array:
        """False positives of each matrix."""
        return self.counts[:, 0, 1]

    @property
    def fn(self) -> Array:
        """False negatives of each matrix."""
        return self.counts[:, 1, 0]

    @property
    def tn(self) -> Array:
        """True negatives of each matrix."""
        return self.counts[:, 0, 0]

    def sum(self) -> ConfusionMatrix:
        """Return the sum of all matrices, from which micro measures follow."""
        return self._matrix(self.counts.sum(axis=0))

    def __len__(self) -> int:
        return len(self.counts)

    def __iter__(self) -> Iterator[ConfusionMatrix]:
        return map(self._matrix, self.counts)

    def __getitem__(self, name: Any) -> ConfusionMatrix:
        if name not in self.names:
            raise no_such(name, "matrices", self.names)
        return self._matrix(self.counts[self.names.index(name)])

    def __repr__(self) -> str:
        scaled = f", weight_exponent={self.weight_exponent}" if self.weight_exponent else ""
        matrices = "matrix" if len(self) == 1 else "matrices"
        names, n = _shown(self.names), self.counts.sum().item()
        return f"ConfusionMatrixStack({len(self):,} {matrices} {names}; n={n:.10g}{scaled})"

    def _shown(self) -> Display:
        columns = {"name": self.names, "tp": self.tp, "fp": self.fp, "fn": self.fn, "tn": self.tn}
        title = repr(self).partition("(")[2].removesuffix(")")
        return Display([Table(columns)], title, [f"Positive: {self.labels[1]!r}."])

    def _matrix(self, counts: Array) -> ConfusionMatrix:
        cells = Cells(counts.copy(), self.labels, self.weight_exponent)
        return ConfusionMatrix._of_cells(cells)


def _sum_beside(cells: Array) -> Array:
    """Return for each class the sum of the cells in neither its row nor its column, by adding.

    They lie in four corners around the diagonal, which running sums from each corner hold.
    """
    k = len(cells)
    beside = np.zeros(k, dtype=cells.dtype)
    for rows in (slice(None), slice(None, None, -1)):
        for columns in (slice(None), slice(None, None, -1)):
            corner = np.zeros((k + 1, k + 1), dtype=cells.dtype)
            corner[1:, 1:] = cells[rows, columns].cumsum(axis=0).cumsum(axis=1)
            before = np.arange(k)
            beside += corner[before[rows], before[columns]]
    return beside


def _shared_labels(all_labels: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Return the labels that every matrix has; (0, 1) if they differ in more than their order."""
    first = all_labels[0]
    for k, labels in enumerate(all_labels):
        if labels == first[::-1]:
            raise InputError(
                f"matrices of one positive label are needed: it is {first[1]!r} at 0 and "
                f"{labels[1]!r} at {k}; pass the same `labels` to all"
            )
    return first if all(labels == first for labels in all_labels) else (0, 1)


def _checked_counts(counts: Any) -> tuple[Array, int]:
    """Return a copy of counts (n, 2, 2), int64 or float64, and the exponent of its scale."""
    array = as_array(counts, "counts")
    if array.ndim != 3 or array.shape[1:] != (2, 2) or array.size == 0:
        raise InputError(f"`counts` must have shape (n, 2, 2), n >= 1: got {array.shape}")
    return owned_counts(array)


def _checked_names(names: Iterable[Any] | None, n: int) -> tuple[Any, ...]:
    own = tuple(range(n)) if names is None else tuple(names)
    if len(own) != n:
        raise InputError(f"`names` must name {n:,} matrices: got {len(own):,}")
    check_distinct("names", own)
    return own


def _shown(names: tuple[Any, ...]) -> str:
    return ", ".join(map(repr, names) if len(names) <= 5 else [*map(repr, names[:4]), "..."])
