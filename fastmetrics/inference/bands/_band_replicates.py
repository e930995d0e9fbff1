"""Replicates of a whole curve: what each is at a grid, or how far it strays from the data's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels.replicates import replicate_curves as kernels
from fastmetrics._threads.workers import run_batches
from fastmetrics.errors import InputTypeError
from fastmetrics.inference.bands._band_curve import Curve, curve_of_points, scaled_sample
from fastmetrics.inference.bands._band_options import Options
from fastmetrics.inference.bands._band_sizes import Sizes
from fastmetrics.inference.bootstrap._cell_forms import TableCells
from fastmetrics.inference.bootstrap._draws import Draws, padded
from fastmetrics.inference.bootstrap._forms import Form, ScoredRows
from fastmetrics.inference.bootstrap._rows import points_of_weights

Floats = NDArray[np.float64]
Bytes = NDArray[np.uint8]

#: Places along a curve at which a replicate is compared with the data. The curve varies like a
#: random walk between two of them: with a fourth of the places, widths are 1 % smaller.
N_PLACES = 2048

_BATCH_BYTES = 1 << 18  # counts of a batch
_BATCH_VALUES = 1 << 20  # values of a batch, 8 bytes each
_NO_TABLE = np.zeros(2)


@dataclass(frozen=True, slots=True, eq=False)
class Resampled:
    """The replicates of a form: how they are drawn, and on how many threads.

    Attributes
    ----------
    form : ScoredRows or TableCells
    options : Options
    key : ndarray of uint64, shape (2,)
    """

    form: Form
    options: Options
    key: NDArray[np.uint64]

    @property
    def draws(self) -> Draws:
        """The draws over the units of the form."""
        masks = self.form.masks() if self.options.stratified else None
        return Draws(self.key, self.form.n_units, masks=masks)

    def rates(self, grid: Floats, *, over_tpr: bool) -> tuple[Floats, Floats]:
        """Return each replicate's TPR at rates of FPR, or FPR at rates of TPR; nan rows failed.

        On an upright stretch a replicate has its largest TPR, and on a level one its smallest FPR.
        The second array has the number of negatives to a positive.
        """
        n = self.options.n_resamples
        out, odds = np.empty((n, len(grid))), np.empty(n)
        axis = kernels.OVER_TPR if over_tpr else kernels.OVER_FPR

        def of_rows(counts: Bytes, first: int) -> None:
            here = slice(first, first + len(counts))
            self._values(counts, axis, grid, (_NO_TABLE, _NO_TABLE), out[here], odds[here])

        def of_curve(curve: Curve, number: int) -> None:
            line = curve.transposed if over_tpr else curve
            out[number] = line.at(grid, top=not over_tpr)
            odds[number] = curve.x[-1] / curve.y[-1]

        self._run(of_rows, of_curve, len(grid), out)
        return out, odds

    def gaps(self, data: Curve, sizes: Sizes) -> Floats:
        """Return how far each replicate strays from the data along both axes; nan where it failed.

        Rates are in the arcsine scale. From a point of the data's curve one moves along both axes
        by the same length, up and left or down and right, until one meets the replicate's: this
        length, where it is greatest.
        """
        of_x, of_y = sizes.negatives, sizes.positives
        ends = np.array([0.0, 1.0])
        low, high = scaled_sample(ends, of_x) + scaled_sample(ends, of_y)
        places = np.linspace(low, high, N_PLACES)
        tables = (_table(of_x), _table(of_y)) if self._by_rows else (_NO_TABLE, _NO_TABLE)
        out = np.empty((self.options.n_resamples, 1))

        def along_rows(counts: Bytes) -> Floats:
            values = np.empty((len(counts), N_PLACES))
            odds = np.empty(len(counts))
            self._values(counts, kernels.ALONG, places, tables, values, odds)
            return values

        def along(curve: Curve) -> Floats:
            x = scaled_sample(curve.x / curve.x[-1], of_x)
            y = scaled_sample(curve.y / curve.y[-1], of_y)
            values = np.empty(N_PLACES)
            kernels.values_along(x + y, y - x, places, True, 0.0, values)
            return values

        def of_rows(counts: Bytes, first: int) -> None:
            strays = np.abs(along_rows(counts) - expected)
            out[first : first + len(counts), 0] = strays.max(axis=1) / 2.0

        def of_curve(curve: Curve, number: int) -> None:
            out[number, 0] = np.abs(along(curve) - expected).max() / 2.0

        if self._by_rows:
            n = self.form.n_entries
            once = np.zeros((1, padded(n)), np.uint8)
            once[0, :n] = 1
            expected = along_rows(once)[0]
        else:
            expected = along(data)
        self._run(of_rows, of_curve, N_PLACES, out)
        return out[:, 0]

    @property
    def _by_rows(self) -> bool:
        """Whether a replicate is made of counts of rows, not of cells or weights."""
        return isinstance(self.form, ScoredRows) and self.form.weights is None

    def _values(
        self,
        counts: Bytes,
        axis: int,
        levels: Floats,
        tables: tuple[Floats, Floats],
        out: Floats,
        odds: Floats,
    ) -> None:
        rows = _scored(self.form).rows
        kernels.values_of_rows(
            counts,
            rows.masks,
            rows.ends,
            axis,
            axis != kernels.OVER_TPR,
            levels,
            *tables,
            out,
            odds,
        )

    def _run(
        self,
        of_rows: Callable[[Bytes, int], None],
        of_curve: Callable[[Curve, int], None],
        n_values: int,
        out: Floats,
    ) -> None:
        """Draw all replicates batch by batch; a batch depends on the data, not on the threads."""
        form, n_resamples = self.form, self.options.n_resamples
        if isinstance(form, TableCells):
            n_bytes = 16 * len(form.table.scores)
            draw = partial(_draw_cells, self.draws, form, of_curve, out)
        else:
            n_bytes = padded(max(form.n_units, form.n_entries))
            draw = partial(_draw_rows, self.draws, _scored(form), of_rows, of_curve, out)
        size = max(1, min(_BATCH_BYTES // n_bytes, _BATCH_VALUES // n_values))
        run_batches(
            draw,
            range(0, n_resamples, size),
            progress=self.options.progress,
            description="band",
            unit="replicates",
        )


def _draw_rows(
    draws: Draws,
    form: ScoredRows,
    of_rows: Callable[[Bytes, int], None],
    of_curve: Callable[[Curve, int], None],
    out: Floats,
    first: int,
    count: int,
) -> None:
    counts = form.counts_of_rows(draws.every(first, count))
    if form.weights is None:
        of_rows(counts, first)
        return
    for r in range(count):
        weights = (counts[r, : form.n] * form.weights).astype(np.float64, copy=False)
        tp, fp, _ = points_of_weights(form.rows, weights)
        _measure(curve_of_points(tp, fp), of_curve, out, first + r)


def _draw_cells(
    draws: Draws,
    form: TableCells,
    of_curve: Callable[[Curve, int], None],
    out: Floats,
    first: int,
    count: int,
) -> None:
    """Draw the cells of a table of counts: the cost does not depend on their size."""
    positives, negatives = form.drawn(draws, first, count)
    tp, fp = np.zeros((2, count, len(form.table) + 1))
    tp[:, 1:], fp[:, 1:] = positives.cumsum(axis=1), negatives.cumsum(axis=1)
    for r in range(count):
        _measure(Curve(fp[r], tp[r]), of_curve, out, first + r)


def _measure(
    curve: Curve, of_curve: Callable[[Curve, int], None], out: Floats, number: int
) -> None:
    if curve.x[-1] > 0 and curve.y[-1] > 0:
        of_curve(curve, number)
    else:
        out[number] = np.nan


def _table(size: float) -> Floats:
    """Return the arcsine scale at equidistant rates: those of counts, where the size is one."""
    cells = max(1, int(np.ceil(size)))
    return scaled_sample(np.arange(cells + 1) / cells, size)


def _scored(form: Form) -> ScoredRows:
    if not isinstance(form, ScoredRows):
        raise InputTypeError("a curve needs labels with scores")
    return form
