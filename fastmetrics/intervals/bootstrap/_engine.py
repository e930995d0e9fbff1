"""The bootstrap engine: from problems and measures to the values of every replicate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels import replicate_points, resampling
from fastmetrics._threads.progress import run_with_progress
from fastmetrics.errors import InputTypeError
from fastmetrics.intervals.bootstrap._draws import Draws, cell_counts
from fastmetrics.intervals.bootstrap._metrics import Asked, CountMetric, UserMetric
from fastmetrics.intervals.bootstrap._problem import Problem
from fastmetrics.intervals.bootstrap._replicates import (
    batch_size,
    measure_cells,
    measure_counts,
    replicates,
)
from fastmetrics.intervals.bootstrap._rows import padded
from fastmetrics.intervals.bootstrap._sample import Needs, Sample, Yield
from fastmetrics.intervals.bootstrap._statistics import callable_of
from fastmetrics.intervals.bootstrap._sum_metrics import SumMetric
from fastmetrics.intervals.bootstrap._threshold_metrics import Raw, ThresholdMetric
from fastmetrics.measures.decisions import count_measures

Floats = NDArray[np.float64]

_CELL_BATCH = 1 << 16  # cells of all replicates in a batch
_BATCH_SECONDS = 0.05  # of a batch with a user's own statistic, about


@dataclass(frozen=True, slots=True, eq=False)
class Replicates:
    """Values of every model and measure: (models, measures, replicates), and their errors."""

    values: Floats
    errors: Floats | None


class Engine:
    """Draws replicates of problems that share their units, and measures them.

    Parameters
    ----------
    problems : list of Problem
        One a model; several must have samples.
    asked : list of Asked
        The measures.
    draws : Draws
        How the units are drawn.
    with_errors : bool
        Whether each replicate's standard error is wanted (of measures that have one).
    """

    def __init__(
        self, problems: list[Problem], asked: list[Asked], draws: Draws, *, with_errors: bool
    ) -> None:
        self.problems, self.asked, self.draws = problems, asked, draws
        self.with_errors = with_errors
        lines: list[Any] = []
        self.lines: list[slice] = []
        self.columns: list[slice] = []
        n_columns = 0
        functions = []
        for one in asked:
            metric, start, first = one.metric, len(lines), n_columns
            if isinstance(metric, ThresholdMetric):
                lines.extend(metric.lines)
                if with_errors:
                    lines.append((replicate_points.SQUARES, 0, 0.0, 0.0))
            elif isinstance(metric, SumMetric):
                n_columns += metric.n_columns
            elif isinstance(metric, UserMetric):
                functions.append(callable_of(metric))
            self.lines.append(slice(start, len(lines)))
            self.columns.append(slice(first, n_columns))
        self.n_columns = n_columns
        self.needs = Needs(tuple(lines), tuple(functions))
        self.samples = [self._with_squares(p.sample) for p in problems if p.sample is not None]

    def run(self, n_resamples: int, *, n_threads: int | None, progress: bool) -> Replicates:
        """Return the values of replicates 0 to ``n_resamples - 1``."""
        shape = (len(self.problems), len(self.asked), n_resamples)
        values = np.full(shape, np.nan)
        errors = np.full(shape, np.nan) if self.with_errors else None
        rows = max([self.draws.n_units, *(sample.n for sample in self.samples)])
        size = batch_size(rows)  # of a few groups there may be many rows
        if not self.samples:
            size = max(1, min(4096, _CELL_BATCH // self._n_cells()))
        first = 0
        if self.needs.statistics:  # of unknown cost: an interrupt waits for a batch to end
            size, first = min(size, self._timed(values, errors)), 2
        starts = range(first, n_resamples, size)
        sizes = [min(size, n_resamples - start) for start in starts]
        jobs = [
            partial(self._batch, start, count, values, errors)
            for start, count in zip(starts, sizes, strict=True)
        ]
        run_with_progress(
            jobs,
            sizes,
            n_threads=n_threads,
            progress=progress,
            description="bootstrap",
            unit="replicates",
        )
        return Replicates(values, errors)

    def _timed(self, values: Floats, errors: Floats | None) -> int:
        """Measure the first two replicates; return how many make a batch of a short time.

        The first may wait for a compiler. What a replicate yields does not depend on batches.
        """
        self._batch(0, 1, values, errors)
        start = perf_counter()
        self._batch(1, 1, values, errors)
        return max(1, int(_BATCH_SECONDS / max(perf_counter() - start, 1e-6)))

    def values_of_counts(self, problem: Problem, counts: NDArray[np.uint8]) -> Floats:
        """Return the measures of given counts of the rows: (measures, replicates)."""
        out = Yield.empty(len(counts), self.samples[0], self.needs)
        measure_counts(self.samples[0], self.needs, counts, out)
        return self._values(problem, out)

    def errors_of_data(self, problem: Problem) -> Floats:
        """Return the standard error of each measure on the data: those of a replicate of ones."""
        if self.samples:
            sample = self.samples[0]
            out = Yield.empty(1, sample, self.needs)
            counts = np.zeros((1, padded(sample.n)), np.uint8)
            counts[0, : sample.n] = 1
            measure_counts(sample, self.needs, counts, out)
        elif problem.table is not None:
            table = problem.table
            both = table.positives[None, :], table.negatives[None, :]
            out = self._measured_table(problem, *both)
        else:
            out = Yield.empty(1, Sample(0), Needs())
            if problem.matrix is not None:
                out.cells = problem.matrix.counts.reshape(1, -1).astype(np.float64)
            out.total = out.cells.sum(axis=1)
        return self._errors(out)[:, 0]

    def _batch(self, first: int, count: int, values: Floats, errors: Floats | None) -> None:
        if self.samples:
            found = replicates(self.samples, self.needs, self.draws, first, count)
        elif self.problems[0].table is not None:
            found = [self._of_table(self.problems[0], first, count)]
        else:
            found = [self._of_matrix(self.problems[0], first, count)]
        here = slice(first, first + count)
        for m, out in enumerate(found):
            values[m, :, here] = self._values(self.problems[m], out)
            if errors is not None:
                errors[m, :, here] = self._errors(out)

    def _n_cells(self) -> int:
        problem = self.problems[0]
        if problem.table is not None:
            return 2 * len(problem.table)
        return 1 if problem.matrix is None else problem.matrix.counts.size

    def _with_squares(self, sample: Sample) -> Sample:
        """Return the sample with the squares of its columns, for standard errors."""
        if not self.with_errors or sample.columns is None:
            return sample
        return replace(sample, columns=np.concatenate((sample.columns, sample.columns**2)))

    def _of_table(self, problem: Problem, first: int, count: int) -> Yield:
        """Draw the cells of a table: its cost does not depend on the number of rows."""
        table = problem.table
        if table is None:
            raise InputTypeError("cells need a table")
        draw = partial(cell_counts, self.draws.key, first=first, count=count)
        poisson = self.draws.resampling == "poisson"
        if self.draws.masks is not None:
            positives = draw(table.positives, stratum=0)
            negatives = draw(table.negatives, stratum=1)
        else:
            both = np.stack((table.positives, table.negatives), axis=1).ravel()
            drawn = draw(both, poisson=poisson)
            positives, negatives = drawn[:, ::2], drawn[:, 1::2]
        return self._measured_table(problem, positives, negatives)

    def _measured_table(
        self, problem: Problem, positives: NDArray[np.int64], negatives: NDArray[np.int64]
    ) -> Yield:
        """Measure a table's cells, one row a replicate."""
        out = measure_cells(positives, negatives, self.needs, problem.cut)
        if problem.columns is not None:
            columns = problem.columns
            if self.with_errors:
                columns = np.concatenate((columns, columns**2))
            half = positives.shape[1]
            out.sums = np.empty((len(positives), len(columns)))
            for j, column in enumerate(columns):  # a product of matrices would round by shape
                of_positives = (positives * column[:half]).sum(axis=1)
                out.sums[:, j] = of_positives + (negatives * column[half:]).sum(axis=1)
        return out

    def _of_matrix(self, problem: Problem, first: int, count: int) -> Yield:
        """Draw the cells of a confusion matrix; stratified, each true class by itself."""
        matrix = problem.matrix
        if matrix is None:
            raise InputTypeError("cells need a matrix")
        sizes = matrix.counts.ravel()
        cells: NDArray[Any]
        if self.draws.resampling == "bayesian":
            cells = _gamma_weights(self.draws.key, sizes, first, count)
        elif self.draws.masks is not None:
            rows = [
                cell_counts(self.draws.key, row, first, count, stratum=stratum)
                for stratum, row in enumerate(matrix.counts)
            ]
            cells = np.concatenate(rows, axis=1)
        else:
            poisson = self.draws.resampling == "poisson"
            cells = cell_counts(self.draws.key, sizes, first, count, poisson=poisson)
        out = Yield.empty(count, Sample(0), Needs())
        out.cells = cells.astype(np.float64)
        out.total = out.cells.sum(axis=1)
        return out

    def _raw(self, problem: Problem, out: Yield, lines: slice) -> Raw:
        score_at: Any = None
        if problem.sample is not None and problem.sample.rows is not None:
            score_at = problem.sample.rows.score_at
        elif problem.table is not None:
            score_at = problem.table.scores.__getitem__
        return Raw(out.n_positive, out.n_negative, out.twice_pairs, out.states[:, lines], score_at)

    def _values(self, problem: Problem, out: Yield) -> Floats:
        values = np.full((len(self.asked), len(out.total)), np.nan)
        both = (out.n_positive > 0) & (out.n_negative > 0)
        user = 0
        with np.errstate(divide="ignore", invalid="ignore"):
            means = out.sums / out.total[:, None]
            for i, one in enumerate(self.asked):
                metric = one.metric
                if isinstance(metric, ThresholdMetric):
                    found = metric.finish(self._raw(problem, out, self.lines[i]))
                    values[i] = np.where(both, found, np.nan)
                elif isinstance(metric, CountMetric):
                    values[i] = count_measures.value(
                        metric.name, _matrices(out.cells), **metric.parameters
                    )
                elif isinstance(metric, SumMetric):
                    values[i] = metric.finish(means[:, self.columns[i]])
                else:
                    values[i] = out.statistics[:, user]
                    user += 1
        return values

    def _errors(self, out: Yield) -> Floats:
        """Return each replicate's own standard error, for the studentized interval."""
        errors = np.full((len(self.asked), len(out.total)), np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            means = out.sums / out.total[:, None]
            for i, one in enumerate(self.asked):
                metric = one.metric
                if isinstance(metric, ThresholdMetric):
                    variance = _delong_variance(out, out.states[:, self.lines[i].stop - 1])
                elif isinstance(metric, CountMetric):
                    variance = count_measures.delta_variance(
                        metric.name, _matrices(out.cells), **metric.parameters
                    )
                elif isinstance(metric, SumMetric):
                    chosen = self.columns[i]
                    squares = slice(chosen.start + self.n_columns, chosen.stop + self.n_columns)
                    variance = metric.variance(means[:, chosen], means[:, squares], out.total)
                else:
                    continue
                errors[i] = np.sqrt(np.maximum(variance, 0.0))
        return errors


def _matrices(cells: Floats) -> Floats:
    k = round(cells.shape[1] ** 0.5)
    return cells.reshape(-1, k, k)


def _delong_variance(out: Yield, squares: Floats) -> Floats:
    """Return DeLong's variance of each replicate's AUC from its sums of squared placements."""
    m, n = out.n_positive, out.n_negative
    auc = out.twice_pairs / (2.0 * m * n)
    of_positives = squares[:, 0] / (4.0 * n * n) - m * auc**2
    of_negatives = squares[:, 1] / (4.0 * m * m) - n * auc**2
    return of_positives / (m * (m - 1.0)) + of_negatives / (n * (n - 1.0))


def _gamma_weights(
    key: NDArray[np.uint64], sizes: NDArray[np.int64], first: int, count: int
) -> Floats:
    """Return the Bayesian bootstrap's weight of each cell: gamma with the cell's size as shape."""
    from scipy.special import gammaincinv

    weights = np.zeros((count, len(sizes)))
    words = np.empty(2 * count, np.uint64)
    for cell in np.flatnonzero(sizes):
        resampling.philox(key, first, cell, 0, resampling.WEIGHTS, count, words)
        uniform = ((words[:count] >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52
        weights[:, cell] = gammaincinv(float(sizes[cell]), uniform)
    return weights
