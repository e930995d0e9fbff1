"""Statistics of the user's own, called on the rows of a replicate."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels._compile import without_gil
from fastmetrics.intervals.bootstrap._metrics import UserMetric
from fastmetrics.intervals.bootstrap._sample import Sample

#: Of the functions used last: each `without_gil` would compile anew.
_unlocked = lru_cache(maxsize=32)(without_gil)


def callable_of(metric: UserMetric) -> Callable[[Sample, NDArray[Any]], float]:
    """Return ``f(sample, weights of the rows)`` for a user's statistic.

    What numba compiled gets every row with its weight, without the interpreter's lock. A Python
    function gets the drawn rows themselves, and their weights only if these may be fractions.
    What all replicates share is read-only: a function that sorts in place would change the rest.
    """
    function = _unlocked(metric.function) if metric.compiled else metric.function

    def with_weights(sample: Sample, weights: NDArray[Any]) -> float:
        columns = (_read_only(column) for column in sample.arguments)
        return float(function(*columns, weights.astype(np.float64)))

    def with_rows(sample: Sample, weights: NDArray[Any]) -> float:
        if metric.weighted or weights.dtype.kind == "f":
            drawn = weights > 0
            columns = (column[drawn] for column in sample.arguments)
            return float(function(*columns, weights[drawn].astype(np.float64)))
        return float(function(*(np.repeat(column, weights) for column in sample.arguments)))

    return with_weights if metric.compiled else with_rows


def _read_only(column: NDArray[Any]) -> NDArray[Any]:
    view = column.view()
    view.flags.writeable = False
    return view
