"""One bootstrap from checked arguments to replicates, for one model or several."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.rng import seed_key
from fastmetrics._input.scalars import (
    Alternative,
    check_alternative,
    check_choice,
    check_confidence_level,
    check_integer,
    check_n_threads,
)
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.intervals.bootstrap._draws import Draws, Resampling
from fastmetrics.intervals.bootstrap._limits import Method
from fastmetrics.intervals.bootstrap._metrics import Asked, CountMetric, UserMetric, resolved
from fastmetrics.intervals.bootstrap._problem import Problem
from fastmetrics.intervals.bootstrap._statistics import callable_of
from fastmetrics.intervals.bootstrap._sum_metrics import SumMetric
from fastmetrics.intervals.bootstrap._threshold_metrics import ThresholdMetric
from fastmetrics.measures.asking import MetricsLike
from fastmetrics.measures.decisions import count_measures

MAX_BYTES = 4 << 30  # of replicates


@dataclass(frozen=True, slots=True)
class Options:
    """The checked options of a bootstrap."""

    asked: list[Asked]
    n_resamples: int
    confidence_level: float
    method: Method | None
    alternative: Alternative
    stratified: bool
    resampling: Resampling
    n_threads: int | None
    progress: bool
    key: NDArray[np.uint64]

    @property
    def by_rows(self) -> bool:
        """Whether cells are not enough: a weight of its own for each row, or a user's function."""
        return self.resampling == "bayesian" or any(
            isinstance(one.metric, UserMetric) for one in self.asked
        )


def checked_options(
    *,
    metrics: MetricsLike,
    n_resamples: Any,
    confidence_level: Any,
    method: Any,
    alternative: Any,
    stratified: bool,
    groups: Any,
    resampling: Any,
    rng: Any,
    n_threads: Any,
    progress: bool,
    n_models: int = 1,
) -> Options:
    """Return the options, or raise before any work."""
    asked = resolved(metrics)
    count = check_integer("n_resamples", n_resamples, low=1)
    if count < 2:
        raise InputError(f"`n_resamples` must be at least 2: got {count}")
    needed = 8 * count * len(asked) * n_models
    if needed > MAX_BYTES:
        gigabytes, most = (size // 10**9 for size in (needed, MAX_BYTES))  # integers of any size
        raise InputError(
            f"`n_resamples` of {count:,} would keep {gigabytes:,} GB of replicates, more than "
            f"{most} GB: 10,000 determine a 95 % limit to about 2 % of the width"
        )
    level = check_confidence_level(confidence_level)
    if method is not None:
        check_choice("method", method, get_args(Method))
    check_alternative(alternative)
    check_choice("resampling", resampling, get_args(Resampling))
    check_choice("stratified", stratified, (False, True))
    if stratified and groups is not None:
        raise InputError(
            "`stratified` and `groups` exclude each other: a group that is drawn brings the rows "
            "of both classes that it has"
        )
    if stratified and resampling != "multinomial":
        raise InputError(f"`stratified` needs resampling='multinomial': got {resampling!r}")
    if method == "studentized":
        _check_has_errors(asked, groups)
    if resampling == "bayesian":
        asked = [_weighted(one) for one in asked]
    threads = check_n_threads(n_threads)
    return Options(
        *(asked, count, level, method, alternative, stratified, resampling, threads),
        progress=bool(progress),
        key=seed_key(rng),
    )


def _weighted(one: Asked) -> Asked:
    if isinstance(one.metric, UserMetric):
        return replace(one, metric=replace(one.metric, weighted=True))
    return one


def _check_has_errors(asked: list[Asked], groups: Any) -> None:
    for one in asked:
        metric = one.metric
        has_one = isinstance(metric, CountMetric) or (
            isinstance(metric, SumMetric) and metric.slope is not None
        )
        if isinstance(metric, ThresholdMetric):
            has_one = metric.pairs
        if not has_one:
            raise InputError(
                f"method='studentized' needs a standard error in each replicate, which "
                f"{one.label!r} has not: take method='bca' or 'percentile'"
            )
    if groups is not None:
        raise InputError(
            "method='studentized' has no standard error of grouped rows: take method='percentile'"
        )


def draws_of(problem: Problem, options: Options) -> Draws:
    """Return the draws over the units of a problem."""
    masks = None
    if options.stratified:
        masks = np.zeros(0, np.uint8)  # cells are drawn by class, and need no masks
        if problem.sample is not None:
            if problem.sample.rows is None:
                raise InputError(
                    "`stratified` needs two classes: there are no labels to draw by, or their "
                    "rows have fractional weights"
                )
            masks = problem.sample.rows.masks
    return Draws(options.key, problem.n_units, options.resampling, masks)


def estimate_of(problem: Problem, one: Asked, columns: slice) -> float:
    """Return a measure of the data themselves, by its public function where it has one."""
    metric = one.metric
    if isinstance(metric, ThresholdMetric) and problem.table is not None:
        return float(metric.estimate(problem.table))
    if isinstance(metric, CountMetric):
        if problem.matrix is None:
            raise InputError(
                f"{one.label!r} counts decisions: pass `threshold` with scores, or predicted labels"
            )
        counts = problem.matrix.counts
        return float(count_measures.value(metric.name, counts, **metric.parameters))
    if isinstance(metric, SumMetric) and problem.columns is not None:
        chosen = problem.columns[columns]
        weights = problem.sample.weights if problem.sample is not None else None
        if problem.sample is None and problem.table is not None:
            cells = np.concatenate((problem.table.positives, problem.table.negatives))
            weights = cells.astype(np.float64)
        return float(metric.finish(np.average(chosen, axis=1, weights=weights)))
    if isinstance(metric, UserMetric) and problem.sample is not None:
        sample = problem.sample
        every = np.ones(sample.n, np.int64) if sample.weights is None else sample.weights
        return callable_of(metric)(sample, every)
    raise InputTypeError(f"{one.label!r} does not follow from these data")
