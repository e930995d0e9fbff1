"""BCa's acceleration of each measure, from leave-one-out values in closed form."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.intervals.bootstrap._limits import acceleration
from fastmetrics.intervals.bootstrap._metrics import Asked, CountMetric
from fastmetrics.intervals.bootstrap._problem import Problem
from fastmetrics.intervals.bootstrap._sample import Sample
from fastmetrics.intervals.bootstrap._statistics import callable_of
from fastmetrics.intervals.bootstrap._sum_metrics import SumMetric
from fastmetrics.intervals.bootstrap._threshold_metrics import ThresholdMetric
from fastmetrics.intervals.bootstrap.bca._leave_one_out import leave_one_out
from fastmetrics.measures.decisions import count_measures

Floats = NDArray[np.float64]
Strata = list[tuple[Any, Any]]

#: Rows up to which a user's own statistic is computed anew without each of them.
MAX_REFITS = 10_000


def check_has_acceleration(problem: Problem, one: Asked) -> None:
    """Raise where BCa has no leave-one-out values: before any work."""
    metric = one.metric
    instead = "take method='percentile'"
    if isinstance(metric, SumMetric):
        return
    if problem.weights is not None:
        raise InputError(
            f"method='bca' is not defined for {one.label!r} with fractional weights: {instead}"
        )
    if isinstance(metric, CountMetric):
        return
    if problem.is_grouped:
        raise InputError(f"method='bca' is not defined for {one.label!r} with groups: {instead}")
    if not isinstance(metric, ThresholdMetric) and problem.n_rows > MAX_REFITS:
        raise InputError(
            f"method='bca' needs {one.label!r} without each row in turn, for {MAX_REFITS:,} rows "
            f"at most: got {problem.n_rows:,}; {instead}"
        )


def acceleration_of(problem: Problem, one: Asked, columns: slice, *, stratified: bool) -> float:
    """Return the acceleration of one measure; nan where it is undefined."""
    metric = one.metric
    if isinstance(metric, ThresholdMetric):
        strata = _of_table(problem, metric)
    elif isinstance(metric, CountMetric):
        strata = _of_groups(problem, metric) if problem.is_grouped else _of_cells(problem, metric)
    elif isinstance(metric, SumMetric):
        strata = _of_sums(problem, metric, columns)
    else:
        strata = _of_statistic(problem, one)
    if stratified:
        return acceleration(strata)
    values, multiplicities = (np.concatenate(part) for part in zip(*strata, strict=True))
    return acceleration([(values, multiplicities)])


def _of_table(problem: Problem, metric: ThresholdMetric) -> Strata:
    table = problem.table
    if table is None:
        raise InputTypeError("a threshold measure needs a table")
    given = {name: value for name, value in metric.parameters.items() if value is not None}
    without = leave_one_out(table, metric.name, deviations=True, **given)
    return list(zip(without, (table.positives, table.negatives), strict=True))


def _of_cells(problem: Problem, metric: CountMetric) -> Strata:
    """Return the strata by true class."""
    counts = _matrix(problem)
    name = metric.name
    without = count_measures.leave_one_out(name, counts, **metric.parameters)
    deviations = without - count_measures.value(name, counts, **metric.parameters)
    return list(zip(deviations, counts, strict=True))


def _matrix(problem: Problem) -> NDArray[Any]:
    if problem.matrix is None:
        raise InputTypeError("a count measure needs a matrix")
    counts: NDArray[Any] = problem.matrix.counts
    return counts


def _of_groups(problem: Problem, metric: CountMetric) -> Strata:
    """Return the values without each group, from the groups' own matrices."""
    sample, counts = problem.sample, _matrix(problem)
    if sample is None or sample.units is None:
        raise InputTypeError("groups need rows")
    n_cells = counts.size
    keys = sample.units * n_cells + _cell_of_rows(problem)
    of_groups = np.bincount(keys, sample.weights, minlength=problem.n_units * n_cells)
    without = counts - of_groups.reshape(-1, *counts.shape)
    values = count_measures.value(metric.name, without, **metric.parameters)
    return [(values, np.ones(len(values)))]


def _cell_of_rows(problem: Problem) -> NDArray[np.int64]:
    """Return the cell of the confusion matrix that each row is in."""
    sample = problem.sample
    if sample is not None and sample.starts is not None:
        sizes = np.diff(sample.starts, append=sample.n)
        return np.repeat(np.arange(len(sizes)), sizes)
    if sample is not None and sample.rows is not None:
        called = np.arange(sample.n) < (sample.cut or 0)
        return 2 * sample.rows.labels.astype(np.int64) + called
    raise InputTypeError("count measures need rows with classes")


def _of_sums(problem: Problem, metric: SumMetric, chosen: slice) -> Strata:
    """Return the values without each row, cell or group, by class."""
    values, multiplicities = _deviations_of_sums(problem, metric, chosen)
    positive = _is_positive(problem, len(values))
    return [(values[part], multiplicities[part]) for part in (positive, ~positive) if part.any()]


def _deviations_of_sums(
    problem: Problem, metric: SumMetric, chosen: slice
) -> tuple[Floats, Floats]:
    """Return the values without each row, cell or group, and how many rows each is."""
    if problem.columns is None:
        raise InputTypeError("a sum measure needs columns")
    columns = problem.columns[chosen]
    sample, table = problem.sample, problem.table
    size = np.ones(columns.shape[1])
    multiplicities = size
    if sample is None and table is not None:  # cells: the positives of each score, the negatives
        multiplicities = np.concatenate((table.positives, table.negatives)).astype(np.float64)
        total, n = columns @ multiplicities, multiplicities.sum()
    else:
        if sample is not None and sample.weights is not None:
            size = sample.weights
        columns = columns * size
        if sample is not None and sample.units is not None and problem.is_grouped:
            columns = np.stack([np.bincount(sample.units, column) for column in columns])
            size = np.bincount(sample.units, size).astype(np.float64)
            multiplicities = np.ones(len(size))
        total, n = columns.sum(axis=1), size.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        means = ((total[:, None] - columns) / (n - size)).T
        return metric.finish(means) - metric.finish(total / n), multiplicities


def _is_positive(problem: Problem, n: int) -> NDArray[np.bool_]:
    """Return the class of each row or cell, for stratified draws; all True where there is none."""
    sample, table = problem.sample, problem.table
    if sample is not None and sample.rows is not None and not problem.is_grouped:
        return np.asarray(sample.rows.labels == 1)
    if sample is None and table is not None:
        return np.asarray(np.arange(n) < len(table))
    return np.ones(n, np.bool_)


def _of_statistic(problem: Problem, one: Asked) -> Strata:
    sample = problem.sample
    if sample is None:
        raise InputTypeError("a statistic needs rows")
    values = _values_without(sample, one)
    positive = _is_positive(problem, sample.n)
    return [(values[part], np.ones(part.sum())) for part in (positive, ~positive) if part.any()]


def _values_without(sample: Sample, one: Asked) -> Floats:
    """Return a user's own statistic without each row in turn."""
    function = callable_of(one.metric)  # type: ignore[arg-type]
    kept = np.ones(sample.n, np.int64)
    values = np.empty(sample.n)
    for i in range(sample.n):
        kept[i] = 0
        values[i] = function(sample, kept)
        kept[i] = 1
    return values


def row_deviations(problem: Problem, one: Asked, columns: slice) -> Floats:
    """Return the value without each row, less a number common to all, in the sample's order."""
    metric, sample = one.metric, problem.sample
    if sample is None or problem.is_grouped:
        raise InputError(f"method='bca' is not defined for differences in {one.label!r} of groups")
    if (
        isinstance(metric, ThresholdMetric)
        and problem.table is not None
        and sample.rows is not None
    ):
        (of_positives, _), (of_negatives, _) = _of_table(problem, metric)
        ends = sample.rows.ends[: sample.n]
        score = np.cumsum(ends) - ends  # the number of each row's distinct score
        positive = sample.rows.labels == 1
        return np.asarray(np.where(positive, of_positives[score], of_negatives[score]), np.float64)
    if isinstance(metric, CountMetric):
        deviations = np.concatenate([values for values, _ in _of_cells(problem, metric)])
        return np.asarray(deviations[_cell_of_rows(problem)], np.float64)
    if isinstance(metric, SumMetric):
        return np.asarray(_deviations_of_sums(problem, metric, columns)[0], np.float64)
    return np.asarray(_values_without(sample, one), np.float64)
