"""Replicates of a whole curve, and how many independent rows its classes are worth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeGuard, cast

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels import replicates as kernels
from fastmetrics._threads.workers import run_batches
from fastmetrics.inference.bands._band_limits import Curve, scaled_sample
from fastmetrics.inference.bootstrap._cell_forms import TableCells, curves_of
from fastmetrics.inference.bootstrap._draws import Draws, points_of_weights
from fastmetrics.inference.bootstrap._forms import Form, ScoredRows
from fastmetrics.inference.bootstrap._rows import padded

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Bytes = NDArray[np.uint8]

#: Places along a curve at which a replicate is compared with the data. The curve varies like a
#: random walk between two of them: with a fourth of the places, widths are 1 % smaller.
N_PLACES = 2048
#: Thresholds whose rates tell how much more than a binomial proportion they vary.
N_THRESHOLDS = 32

_BATCH_BYTES = 1 << 18  # counts of a batch
_BATCH_VALUES = 1 << 20  # values of a batch, 8 bytes each
_NO_TABLE = np.zeros(2)


@dataclass(frozen=True, slots=True, eq=False)
class Resampled:
    """The replicates of labels with scores: how they are drawn, and how many."""

    form: ScoredRows | TableCells
    draws: Draws
    n_resamples: int
    progress: bool | None

    def rates(self, grid: Floats, *, over_tpr: bool) -> tuple[Floats, Floats]:
        """Return each replicate's TPR at rates of FPR, or FPR at rates of TPR; nan rows failed.

        The second array has the number of negatives to a positive.
        """

        def of_curve(curve: Curve) -> Floats:
            return (curve.transposed if over_tpr else curve).at(grid, top=not over_tpr)

        axis = kernels.OVER_TPR if over_tpr else kernels.OVER_FPR
        return self._run(partial(self._of_rows, axis, grid), of_curve, len(grid), len(grid))

    def gaps(self, data: Curve, sizes: Sizes) -> Floats:
        """Return how far each replicate strays from the data along both axes; nan where it failed.

        From a point of the data's curve one moves along both axes by the same length of the arcsine
        scale until one meets the replicate's: this length, where it is greatest.
        """
        of_x, of_y = sizes.negatives, sizes.positives
        ends = np.array([0.0, 1.0])
        low, high = scaled_sample(ends, of_x) + scaled_sample(ends, of_y)
        places = np.linspace(low, high, N_PLACES)

        def along(curve: Curve) -> Floats:
            x = scaled_sample(curve.x / curve.x[-1], of_x)
            y = scaled_sample(curve.y / curve.y[-1], of_y)
            values = np.empty(N_PLACES)
            kernels.values_along(x + y, y - x, places, True, 0.0, values)
            return values

        along_rows = partial(self._of_rows, kernels.ALONG, places)
        if self._by_rows:  # whose rates are looked up, at once
            along_rows = partial(along_rows, tables=(_table(of_x), _table(of_y)))
            once = np.zeros((1, padded(self.form.n_entries)), np.uint8)
            once[0, : self.form.n_entries] = 1
            expected = along_rows(once)[0][0]
        else:
            expected = along(data)

        def farthest(values: Floats) -> Floats:
            far: Floats = np.abs(values - expected).max(axis=-1, keepdims=True) / 2.0
            return far

        def of_rows(counts: Bytes) -> tuple[Floats, Floats]:
            values, odds = along_rows(counts)
            return farthest(values), odds

        return self._run(of_rows, lambda curve: farthest(along(curve)), N_PLACES, 1)[0][:, 0]

    @property
    def _by_rows(self) -> bool:
        """Whether a replicate is made of counts of rows, not of cells or weights."""
        return isinstance(self.form, ScoredRows) and self.form.weights is None

    def _of_rows(
        self,
        axis: int,
        levels: Floats,
        counts: Bytes,
        tables: tuple[Floats, Floats] = (_NO_TABLE, _NO_TABLE),
    ) -> tuple[Floats, Floats]:
        """Return the values of counts of rows, and their numbers of negatives to a positive."""
        rows = cast(ScoredRows, self.form).rows
        found, odds = np.empty((len(counts), len(levels))), np.empty(len(counts))
        top = axis != kernels.OVER_TPR
        kernels.values_of_rows(
            counts, rows.masks, rows.ends, axis, top, levels, *tables, found, odds
        )
        return found, odds

    def _run(
        self,
        of_rows: Callable[[Bytes], tuple[Floats, Floats]],
        of_curve: Callable[[Curve], Floats],
        n_values: int,
        n_kept: int,
    ) -> tuple[Floats, Floats]:
        """Draw all replicates batch by batch; a batch depends on the data, not on the threads."""
        form = self.form
        out, odds = np.full((self.n_resamples, n_kept), np.nan), np.full(self.n_resamples, np.nan)

        def batch(first: int, count: int) -> None:
            if isinstance(form, TableCells):
                curves = self._of_cells(form, first, count)
            else:
                counts = form.counts_of_rows(self.draws.every(first, count))
                if form.weights is None:
                    here = slice(first, first + count)
                    out[here], odds[here] = of_rows(counts)
                    return
                curves = _of_weights(form, counts)
            for number, curve in enumerate(curves, first):
                if curve.x[-1] > 0 and curve.y[-1] > 0:
                    out[number] = of_curve(curve)
                    odds[number] = curve.x[-1] / curve.y[-1]

        if isinstance(form, TableCells):
            n_bytes = 16 * len(form.table.scores)
        else:
            n_bytes = padded(max(form.n_units, form.n_entries))
        size = max(1, min(_BATCH_BYTES // n_bytes, _BATCH_VALUES // n_values))
        run_batches(
            batch,
            range(0, self.n_resamples, size),
            progress=self.progress,
            description="band",
            unit="replicates",
        )
        return out, odds

    def _of_cells(self, form: TableCells, first: int, count: int) -> Iterator[Curve]:
        """Draw the cells of a table of counts: the cost does not depend on their size."""
        tp, fp = curves_of(*form.drawn(self.draws, first, count))
        return map(Curve, fp, tp)


def _of_weights(form: ScoredRows, counts: Bytes) -> Iterator[Curve]:
    for drawn in counts:
        weights = (drawn[: form.n] * form.weights).astype(np.float64, copy=False)
        tp, fp, _ = points_of_weights(form.rows, weights)
        yield Curve.of_weights(tp, fp)


def _table(size: float) -> Floats:
    """Return the arcsine scale at equidistant rates: those of counts, where the size is one."""
    cells = max(1, int(np.ceil(size)))
    return scaled_sample(np.arange(cells + 1) / cells, size)


class Sizes(NamedTuple):
    """Numbers of independent rows: negatives, positives, and for the share of positives."""

    negatives: float
    positives: float
    rows: float


def has_unequal_rows(form: Form) -> TypeGuard[ScoredRows]:
    """Return whether rows are of groups, or have weights of their own."""
    return isinstance(form, ScoredRows) and (form.units is not None or form.weights is not None)


def effective_sizes(form: Form) -> Sizes:
    """Return the sizes of both classes: counts, or those of equal variance.

    The variance of a rate at a threshold over that of a proportion is the design effect (Rao &
    Scott 1992), here pooled over thresholds; a size never exceeds the number of rows.
    """
    if not has_unequal_rows(form):
        table = form.score_table()
        negatives, positives = float(table.n_negative), float(table.n_positive)
        return Sizes(negatives, positives, negatives + positives)
    n = form.n
    weights = np.ones(n) if form.weights is None else form.weights.astype(np.float64)
    units = np.arange(n) if form.units is None else form.units.astype(np.int64)
    is_positive = form.rows.labels == 1
    tie = np.zeros(n, np.int64)
    tie[1:] = np.cumsum(form.rows.ends[: n - 1], dtype=np.int64)
    most = weights
    if form.weights is None or form.weights.dtype.kind != "i":  # an integer is so many rows
        most = (weights > 0).astype(np.float64)
    negatives, positives = (
        min(_of_class(weights[chosen], units[chosen], tie[chosen]), float(most[chosen].sum()))
        for chosen in (~is_positive, is_positive)
    )
    share = _of_share(is_positive * weights, weights, units)
    return Sizes(negatives, positives, min(share, float(most.sum())))


def _of_class(weights: Floats, units: Codes, tie: Codes) -> float:
    """Return how many rows would give the rates of one class the variance that they have."""
    _, units = np.unique(units, return_inverse=True)
    of_unit = np.bincount(units, weights)
    total = float(weights.sum())
    stops = np.flatnonzero(np.diff(tie, append=-1)) + 1
    reached = np.cumsum(weights)[stops - 1]
    wanted = np.arange(1, N_THRESHOLDS + 1) / (N_THRESHOLDS + 1) * total
    binomial, found = 0.0, 0.0
    for stop in np.unique(stops[np.minimum(np.searchsorted(reached, wanted), len(stops) - 1)]):
        above = np.bincount(units[:stop], weights[:stop], minlength=len(of_unit))
        rate = float(above.sum()) / total
        binomial += rate * (1.0 - rate)
        found += _variance(above - rate * of_unit, total)
    if found > 0.0 and binomial > 0.0:
        return 1.0 + binomial / found  # n for n rows, whose rates vary by r (1 - r) / (n - 1)
    return total**2 / float(np.sum(of_unit**2))


def _of_share(positive: Floats, weights: Floats, units: Codes) -> float:
    total = float(weights.sum())
    share = float(positive.sum()) / total
    deviations = np.bincount(units, positive) - share * np.bincount(units, weights)
    variance = _variance(deviations, total)
    return 1.0 + share * (1.0 - share) / variance if variance > 0.0 else np.inf


def _variance(deviations: Floats, total: float) -> float:
    """Return the variance of a ratio from what each unit adds to its error."""
    n = len(deviations)
    return float(np.sum(deviations**2)) / total**2 * n / (n - 1) if n > 1 else 0.0
