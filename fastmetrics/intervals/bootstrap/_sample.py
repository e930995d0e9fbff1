"""What the replicates of one model are made from, and what is asked of each replicate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics.intervals.bootstrap._rows import SortedRows
from fastmetrics.intervals.bootstrap._threshold_metrics import Line

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """The rows of one model, in the order in which their counts are read.

    Attributes
    ----------
    n : int
        Number of rows.
    weights, units : ndarray of shape (n,), or None
        Weight of each row; the unit that it belongs to, where not the rows are drawn.
    rows : SortedRows or None
        The rows by score, for threshold measures.
    cut : int or None
        How many rows (the highest scores) are called positive, for count measures.
    starts : ndarray of int64, or None
        First row of each cell of a K x K confusion matrix, the rows being sorted by cell.
    columns : ndarray of float64, shape (n_columns, n)
        What each row adds to the sums.
    arguments : tuple of ndarray
        What a user's own statistic is called with: targets, predictions.
    """

    n: int
    weights: NDArray[Any] | None = None
    units: NDArray[np.int64] | None = None
    rows: SortedRows | None = None
    cut: int | None = None
    starts: NDArray[np.int64] | None = None
    columns: Floats | None = None
    arguments: tuple[NDArray[Any], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Needs:
    """What every replicate must yield.

    Attributes
    ----------
    lines : tuple of Line
        The programme of the threshold measures.
    statistics : sequence of callables
        The user's own statistics: ``f(sample, weights)``, weights (counts or not) of the rows.
    """

    lines: tuple[Line, ...] = ()
    statistics: Sequence[Callable[[Sample, NDArray[Any]], float]] = ()

    @property
    def programme(self) -> NDArray[np.int64]:
        """Kind and criterion of each line."""
        return np.array([line[:2] for line in self.lines], np.int64).reshape(-1, 2)

    @property
    def bounds(self) -> Floats:
        """The two bounds of each line."""
        return np.array([line[2:] for line in self.lines], np.float64).reshape(-1, 2)


@dataclass(slots=True, eq=False)
class Yield:
    """What some replicates of one model yielded; arrays with one row a replicate."""

    total: Floats
    n_positive: Floats
    n_negative: Floats
    twice_pairs: Floats
    states: Floats
    cells: Floats
    sums: Floats
    statistics: Floats

    @classmethod
    def empty(cls, count: int, sample: Sample, needs: Needs) -> Yield:
        """Return room for the yield of ``count`` replicates."""
        n_columns = 0 if sample.columns is None else len(sample.columns)
        n_cells = 4 if sample.cut is not None else 0
        if sample.starts is not None:
            n_cells = len(sample.starts)
        return cls(
            total=np.zeros(count),
            n_positive=np.zeros(count),
            n_negative=np.zeros(count),
            twice_pairs=np.zeros(count),
            states=np.zeros((count, len(needs.lines), 4)),
            cells=np.zeros((count, n_cells)),
            sums=np.zeros((count, n_columns)),
            statistics=np.zeros((count, len(needs.statistics))),
        )
