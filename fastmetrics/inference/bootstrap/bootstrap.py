"""``bootstrap``: intervals from replicates that never sort again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.scalars import (
    Alternative,
    WeightsAre,
    check_alternative,
    check_choice,
    check_confidence_level,
    check_integer,
    check_memory,
    check_weights_are,
    seed_key,
)
from fastmetrics.errors import DegenerateDataWarning, InputError, UndefinedMetricWarning, warn_user
from fastmetrics.inference.bootstrap._draws import (
    Draws,
    Method,
)
from fastmetrics.inference.bootstrap._engine import (
    Engine,
    failures,
    joined,
    limits,
    mean_and_error,
    replicates_of,
    warn_of_failures,
)
from fastmetrics.inference.bootstrap._parse import Given, check_stratified, parse
from fastmetrics.inference.bootstrap._samples import BootstrapSample
from fastmetrics.inference.bootstrap._specs import (
    GATHER,
    RESAMPLED,
    STRATIFY,
    MetricSpec,
    ThresholdSpec,
    metric_specs,
)
from fastmetrics.inference.estimate_result import Estimate, Estimates
from fastmetrics.inference.units import Sizes
from fastmetrics.measures.asking import MetricsLike
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix
from fastmetrics.tables.score_table import ScoreTable


@documented(RESAMPLED)
def bootstrap(
    y_true: ArrayLike | ScoreTable | ConfusionMatrix,
    y_score: ArrayLike | None = None,
    *,
    metrics: MetricsLike = "roc_auc",
    n_resamples: int = 9999,
    confidence_level: float = 0.95,
    method: Method | None = None,
    stratified: bool = False,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    threshold: float | None = None,
    pos_label: Any = None,
    alternative: Alternative = "two-sided",
    rng: Any = None,
    n_threads: int | None = None,
    progress: bool | None = None,
) -> Estimates:
    """Compute bootstrap confidence intervals of one or several measures on the same replicates.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), ScoreTable or ConfusionMatrix
        Labels or, for measures of regression, targets; or a table of counts, alone.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), optional
        Scores; predicted labels for measures of counts without `threshold`; predicted values. For
        AUCs of more than two classes, which stand alone ("roc_auc_ovr" and its kin), probabilities
        that add up to 1, one column for each class in sorted order.
    method : {"percentile", "basic", "bca"}, optional
        Which interval. None takes "bca", which covers best (``docs/coverage.md``), where it is
        defined, else "percentile": with groups or importances, for statistics of your own,
        for what jumps from score to score (the break-even point, rates at a threshold chosen anew
        in each replicate), and where a correction is infinite; the result's `method` says which.
        "bca" takes its acceleration from the influences of rows, those of `estimate`.
    pos_label : int, float, bool or str, optional
        The positive label; {0, 1}, {-1, 1} and booleans need none. Of two predicted labels the
        greater is positive if it is not given.

    Returns
    -------
    Estimates
        A frozen mapping from the measure's name to its `Estimate`, with `Replicates` as `details`.

    Raises
    ------
    TypeError
        For arguments of the wrong kind; for groups with a table, which needs rows.
    ValueError
        For data or options without meaning; for a method that a measure does not have.

    Notes
    -----
    Rows are sorted once. A replicate is a vector of counts in that order: how many draws fall in
    each window of 4,096 rows (a multinomial, by exact binomials), then where inside it, measured
    while it is in cache. The AUC takes about 1.3 ns a row and replicate. A table with few distinct
    scores, a confusion matrix, and rows of which measures of counts alone are asked, are resampled
    by cells, at a cost that does not depend on n.
    An AUC of several classes costs as much as n_classes models (one-vs-rest), or as 2 (n_classes -
    1) (one-vs-one); all binary problems see the same draws.
    Memory beside the sorted rows: a block for each thread; for best thresholds, crossings and
    groups one byte a row a thread.

    Random numbers are Philox4x32-10 (Salmon et al. 2011), keyed once from `rng` with 64 bits; each
    number is a function of key, replicate and block. Results depend on the seed and on the rows
    as a set: not on threads, nor on the order of rows.

    References
    ----------
    Efron & Tibshirani (1993), An introduction to the bootstrap. Field & Welsh (2007),
    Bootstrapping clustered data, JRSS B 69:369-390. Of several classes Hand & Till (2001), A simple
    generalisation of the area under the ROC curve, Machine Learning 45:171-186.

    Examples
    --------
    >>> y_true = [1, 0, 1, 1, 0, 0, 1, 0]
    >>> y_score = [0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.23, 0.15]
    >>> r = bootstrap(y_true, y_score, metrics=["roc_auc", "average_precision"], rng=1)
    >>> r["roc_auc"].estimate
    0.65625
    >>> r["roc_auc"].confidence_interval.low < 0.65625 < r["roc_auc"].confidence_interval.high
    True
    """
    read = check_weights_are(sample_weight, weights_are)
    given = Given(y_true, y_score, sample_weight, read, pos_label, groups, threshold)
    options = checked_options(
        given,
        metrics=metrics,
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        method=method,
        alternative=alternative,
        stratified=stratified,
        rng=rng,
        progress=progress,
    )
    _, (estimates,) = resampled([parse(given, options.specs)], options)
    return estimates


def resampled(
    samples: Sequence[BootstrapSample], options: Options
) -> tuple[Engine, list[Estimates]]:
    """Return the replicates of models that share their units, and each model's estimates.

    Raises, before any work, where a metric does not have the method on these data.
    """
    specs, method = options.specs, options.method
    for why in [spec.why_no_bca(sample) for sample in samples for spec in specs]:
        if why and method == "bca":
            raise InputError(why)
    engine = Engine(samples, specs, options.draws(samples[0]))
    values = [engine.estimates(model) for model in range(len(samples))]
    samples[0].warn_of_sizes()
    engine.run(options.n_resamples, progress=options.progress)
    methods = [[method or spec.default_method(sample) for spec in specs] for sample in samples]
    due = [
        (model, i)
        for model, of_model in enumerate(methods)
        for i, one in enumerate(of_model)
        if one == "bca" and not math.isnan(values[model][i])
    ]
    accelerations = engine.accelerations(due, options.stratified)
    results = []
    for model, sample in enumerate(samples):
        estimates = {}
        for i, spec in enumerate(specs):
            distribution, lost = engine.values[model, i], engine.lost_a_class[model]
            estimates[spec.label] = result_of(
                spec,
                values[model][i],
                distribution,
                options,
                sizes=sample.sizes(),
                failed=failures_of(spec, distribution, lost, sample, options),
                method=methods[model][i],
                acceleration=accelerations.get((model, i), math.nan),
            )
        results.append(Estimates(estimates))
    return engine, results


def failures_of(
    spec: MetricSpec,
    distribution: NDArray[np.float64],
    lost_a_class: NDArray[np.bool_],
    sample: BootstrapSample,
    options: Options,
) -> tuple[int, str]:
    """Return how many replicates of a metric are undefined, and why."""
    return failures(
        distribution,
        lost_a_class if isinstance(spec, ThresholdSpec) else None,
        otherwise=spec.undefined_where,
        remedy=GATHER if sample.is_grouped else STRATIFY,
    )


def result_of(
    spec: MetricSpec,
    estimate: float,
    distribution: NDArray[np.float64],
    options: Options,
    *,
    sizes: Sizes,
    failed: tuple[int, str],
    method: Method,
    acceleration: float = math.nan,
) -> Estimate:
    """Return the result of one metric, with the warnings that it deserves."""
    label, is_defined, (n_failed, note) = spec.label, not math.isnan(estimate), failed
    if is_defined:
        warn_of_failures(repr(label), n_failed, len(distribution), note)
    elif not isinstance(spec, ThresholdSpec):  # which has warned
        message = f"{label!r} is undefined on these data: what it divides by is 0, or is nan"
        warn_user(message, UndefinedMetricWarning)
    level: dict[str, Any] = {
        "confidence_level": options.confidence_level,
        "alternative": options.alternative,
        "n_groups": sizes.effective_n_groups,
    }
    interval, reason = limits(
        distribution, estimate, method=method, acceleration=acceleration, **level
    )
    if reason is not None and options.method is None and method == "bca":
        method = "percentile"
        interval, reason = limits(distribution, estimate, method=method, **level)
    if reason is None and interval.low == interval.high:
        reason = "both of its limits are one value"
    if reason is not None and is_defined:
        warn_user(f"the interval of {label!r} is degenerate: {reason}", DegenerateDataWarning)
    mean, error = mean_and_error(distribution)
    return Estimate(
        metric=label,
        estimate=estimate,
        standard_error=error,
        confidence_interval=interval,
        df=math.inf,
        confidence_level=options.confidence_level,
        method=method,
        alternative=options.alternative,
        n_samples=sizes.n_rows,
        n_groups=sizes.n_groups,
        weights_are=options.weights_are,
        note=joined(spec.note, note) if is_defined else "",
        details=replicates_of(distribution, n_failed, sizes, options.key, mean - estimate),
    )


@dataclass(frozen=True, slots=True)
class Options:
    """The checked options of a bootstrap."""

    specs: list[MetricSpec]
    n_resamples: int
    confidence_level: float
    key: NDArray[np.uint64]
    method: Method | None = None
    alternative: Alternative = "two-sided"
    stratified: bool = False
    progress: bool | None = None
    weights_are: WeightsAre | None = None

    def draws(self, sample: BootstrapSample) -> Draws:
        """Return the draws over the units of a sample, which other samples may share."""
        masks = sample.masks() if self.stratified else None
        return Draws(self.key, sample.n_units, masks)


def checked_options(
    given: Given,
    *,
    metrics: MetricsLike,
    n_resamples: Any,
    confidence_level: Any,
    method: Any,
    alternative: Any,
    stratified: bool,
    rng: Any,
    progress: bool | None,
    n_models: int = 1,
) -> Options:
    """Return the options, or raise before any work."""
    specs = metric_specs(metrics)
    count = check_integer("n_resamples", n_resamples, low=1)
    if count < 2:
        raise InputError(f"`n_resamples` must be at least 2: got {count}")
    check_memory(
        count, len(specs) * n_models, "10,000 determine a 95 % limit to about 2 % of the width"
    )
    level = check_confidence_level(confidence_level)
    if method is not None:
        check_choice("method", method, get_args(Method))
    check_alternative(alternative)
    check_stratified(stratified, given.groups)
    how = method, alternative, stratified, progress
    return Options(specs, count, level, seed_key(rng), *how, given.weights_are)
