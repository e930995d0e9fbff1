"""A confusion matrix at one moment, as plain arrays, and back again."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics.errors import InputError
from fastmetrics.tables.confusion._cells import MOST_CLASSES, Labels
from fastmetrics.tables.confusion._matrix_store import DenseStore
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix


class MatrixSnapshot(NamedTuple):
    """Dense ``counts`` (K, K), the K labels and the exponent of the counts' scale, of one moment.

    A matrix that has seen nothing and knows no label is one of {0, 1} without examples.
    """

    counts: NDArray[Any]
    labels: Labels
    exponent: int = 0

    @classmethod
    def of(cls, matrix: ConfusionMatrix) -> MatrixSnapshot:
        """Return what the matrix holds now; another thread may go on to update it."""
        now = matrix.copy()
        counts, labels = now.counts, now.labels
        if not labels:
            return cls(np.zeros((2, 2), np.int64), (0, 1))
        if now.is_sparse:
            if len(labels) > MOST_CLASSES:
                raise InputError(
                    f"the matrix has {len(labels):,} classes: a measure of the whole matrix takes "
                    f"at most {MOST_CLASSES:,}"
                )
            counts = counts.toarray()
        return cls(np.asarray(counts), labels, now.weight_exponent)

    def matrix(self) -> ConfusionMatrix:
        """Return a matrix of these counts, which takes no other label."""
        return ConfusionMatrix._of(DenseStore.of(self.counts.copy()), self.labels, self.exponent)
