"""Counts of rows by class and by the decisions of several models on them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fastmetrics.inference.measurement import Measurement
from fastmetrics.inference.samples import cell_influences, two_class_counts
from fastmetrics.inference.units import Floats, Units
from fastmetrics.metrics.asking import MetricRequest


class DecisionCounts:
    """Rows of either class that each set of models calls positive, which add up batch by batch.

    Metrics of labels follow from them, of all models at once.
    """

    def __init__(self, n_models: int) -> None:
        self._n_models = n_models
        #: By the class of a row, 1 being positive, and twice the decisions as binary digits.
        self._counts = np.zeros(2 << n_models)

    def add(
        self,
        is_positive: NDArray[np.bool_],
        decisions: Sequence[NDArray[np.bool_]],
        frequencies: NDArray[np.float64] | None = None,
    ) -> None:
        """Add rows with the decision of each model, each row as often as its frequency."""
        cells = is_positive.astype(np.int64)
        for k, decision in enumerate(decisions):
            cells += decision.astype(np.int64) << (k + 1)
        self._counts += np.bincount(cells, frequencies, len(self._counts))

    def measure(self, one: MetricRequest) -> Measurement:
        """Compute a metric of each model; the points are the cells with rows."""
        cells = np.flatnonzero(self._counts)
        rows = self._counts[cells]
        classes = cells & 1
        values: list[float] = []
        influences: list[Floats] = []
        counts: list[Floats | None] = []
        for k in range(self._n_models):
            decided = 2 * classes + (cells >> (k + 1) & 1)
            matrix = np.bincount(decided, rows, 4).reshape(2, 2).astype(np.float64)
            value, slopes = cell_influences(one, matrix)
            values.append(value)
            influences.append(slopes[decided])
            counts.append(two_class_counts(one, matrix))
        strata = classes if one.entry.is_by_class(one.parameters) else None
        units = Units(len(cells), rows, strata=strata)
        return Measurement(tuple(values), influences, units, tuple(counts), units.n_rows)
