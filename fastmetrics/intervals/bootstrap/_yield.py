"""What every replicate must yield, and how counts and weights of rows become it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels import replicate_pairs as pairs, replicate_points as points
from fastmetrics.intervals.bootstrap._rows import SortedRows, padded

Floats = NDArray[np.float64]
Bytes = NDArray[np.uint8]
#: (kind, criterion, two bounds) of `replicate_points.measure_rows`.
Line = tuple[int, int, float, float]
#: A user's own: ``f(targets and predictions, weights of the rows)``, weights being counts or not.
Statistic = Callable[[tuple[NDArray[Any], ...], NDArray[Any]], float]
#: TP and FP at the end of each tie, after a first 0, and the row of each.
Curve = tuple[Floats, Floats, NDArray[np.int64]]

#: Bytes of counts that are drawn before they are measured: they stay in the second-level cache.
BATCH_BYTES: Final = 1 << 18
# Sums of weights this near to the number of positives, relative to all weight, meet it.
_ROUNDING: Final = 2.0**-50
_WHOLE_AREA: Final = (np.array([[points.AREA, 0]], np.int64), np.array([[0.0, 1.0]]))


@dataclass(frozen=True, slots=True, eq=False)
class Needs:
    """What every replicate must yield.

    Attributes
    ----------
    lines : tuple of Line
        The programme of the threshold measures.
    statistics : sequence of callables
        The user's own statistics.
    """

    lines: tuple[Line, ...] = ()
    statistics: Sequence[Statistic] = ()

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
    def empty(cls, count: int, needs: Needs, n_columns: int = 0, n_cells: int = 0) -> Yield:
        """Return room for the yield of ``count`` replicates."""
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

    def close(self, state: NDArray[np.int64]) -> None:
        """Take over what the kernel of pairs added up."""
        self.n_positive[:] = state[:, 0]
        self.n_negative[:] = state[:, 1]
        self.twice_pairs[:] = state[:, 2]
        self.total += self.n_positive + self.n_negative

    def four_cells(self, tp: NDArray[np.int64], fp: NDArray[np.int64]) -> Floats:
        """Return TN, FP, FN, TP: the matrix row by row, the positive class last."""
        return np.stack((self.n_negative - fp, fp, self.n_positive - tp, tp), axis=-1)


def batch_size(n_rows: int) -> int:
    """Return how many replicates make a batch: a number of the data, not of the threads."""
    return max(1, min(4096, BATCH_BYTES // padded(max(n_rows, 1))))


def pairs_and_sums(
    rows: SortedRows | None,
    columns: Floats | None,
    counts: Bytes,
    row: int,
    state: NDArray[np.int64],
    out: Yield,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Add what the rows from ``row`` on give to pairs and sums.

    Returns the positives and the negatives of each segment.
    """
    count, size = counts.shape
    shape = (count, -(-size // pairs.SEGMENT))
    segments = np.empty(shape, np.int64), np.empty(shape, np.int64)
    if rows is not None:
        pieces = rows.tie_pieces(row, row + size)
        masks = rows.masks[row : row + size].view(np.uint64)
        pairs.pair_counts(counts.view(np.uint64), masks, pieces, counts, state, *segments)
    if columns is not None:
        part = np.ascontiguousarray(columns[:, row : row + size])
        pairs.column_sums(counts, part, out.sums)
    return segments


def called_positive(
    rows: SortedRows, cut: int, counts: Bytes, segments: tuple[NDArray[np.int64], ...]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return TP and FP of the decision that the first ``cut`` rows are positive."""
    segment = cut // pairs.SEGMENT
    start = segment * pairs.SEGMENT
    rest = counts[:, start:cut]
    positive = rest & rows.masks[start:cut]
    tp = segments[0][:, :segment].sum(axis=1) + positive.sum(axis=1, dtype=np.int64)
    called = (rest.sum(axis=1, dtype=np.int64)) + sum(
        totals[:, :segment].sum(axis=1) for totals in segments
    )
    return tp, called - tp


def by_cell(
    values: NDArray[np.generic], starts: NDArray[np.int64], dtype: type[np.generic]
) -> NDArray[np.generic]:
    """Return the sum of the rows of each cell; cells may be empty."""
    sums = np.zeros((len(values), len(starts)), dtype)
    held = np.flatnonzero(np.diff(starts, append=values.shape[1]))
    sums[:, held] = np.add.reduceat(values, starts[held], axis=1, dtype=dtype)
    return sums


def measure_curve(curve: Curve, needs: Needs, r: int, out: Yield) -> None:
    """Measure the weighted curve of replicate r."""
    tp, fp, rows = curve
    out.n_positive[r], out.n_negative[r] = tp[-1], fp[-1]
    slack = _ROUNDING * (tp[-1] + fp[-1])
    area = np.zeros((1, points.STATE))
    points.measure_points(tp, fp, rows, 0.0, *_WHOLE_AREA, area)
    out.twice_pairs[r] = area[0, 0]
    if needs.lines:
        points.measure_points(tp, fp, rows, slack, needs.programme, needs.bounds, out.states[r])
