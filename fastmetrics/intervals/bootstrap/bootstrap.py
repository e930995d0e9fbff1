"""``bootstrap``: intervals for any measure, from replicates that never sort again."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.scalars import Alternative, WeightsAre, check_weights_are, key_text
from fastmetrics._results import ConfidenceInterval, OneNumber, html_table
from fastmetrics.errors import DegenerateDataWarning, InputError, UndefinedMetricWarning, warn_user
from fastmetrics.intervals.bootstrap._draws import Resampling
from fastmetrics.intervals.bootstrap._engine import Engine, Replicates
from fastmetrics.intervals.bootstrap._forms import Form
from fastmetrics.intervals.bootstrap._hull_plans import HullPlan
from fastmetrics.intervals.bootstrap._limits import Method, limits
from fastmetrics.intervals.bootstrap._parse import parse
from fastmetrics.intervals.bootstrap._plans import (
    RESAMPLED,
    Options,
    Planned,
    ScorePlan,
    StatisticPlan,
    checked_options,
)
from fastmetrics.measures.asking import MetricsLike
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix
from fastmetrics.tables.scores.score_table import ScoreTable

#: Share of failed replicates above which there is a warning.
MANY_FAILED = 0.05


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
    resampling: Resampling = "multinomial",
    threshold: float | None = None,
    pos_label: Any = None,
    alternative: Alternative = "two-sided",
    rng: Any = None,
    n_threads: int | None = None,
    progress: bool | None = None,
) -> BootstrapResults:
    """Compute bootstrap confidence intervals of one or several measures on the same replicates.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), ScoreTable or ConfusionMatrix
        Labels or, for measures of regression, targets; or a table of counts, alone.
    y_score : array-like of shape (n_samples,), optional
        Scores; predicted labels for measures of counts without `threshold`; predicted values.
    method : {"percentile", "basic", "bca", "studentized"}, optional
        Which interval. None takes "bca", which covers best (``docs/coverage.md``), where it is
        defined, else "percentile": with groups or importances, for statistics of your own,
        and where a correction is infinite; the result's `method` says which. "bca" takes
        leave-one-out values in closed form, no refits. "studentized" is for the AUC, measures of
        counts and means. Measures of the convex hull (`roc_hull_auc`, `expected_total_cost`,
        `h_measure`) have "basic" alone, of the logarithm of what a perfect model lacks.
    pos_label : int, float, bool or str, optional
        The positive label; {0, 1}, {-1, 1} and booleans need none. Of two predicted labels the
        greater is positive if it is not given.

    Returns
    -------
    BootstrapResults
        A frozen mapping from the measure's name to its `BootstrapResult`.

    Raises
    ------
    TypeError
        For arguments of the wrong kind; for groups with a table, which needs rows.
    ValueError
        For data or options without meaning; for a method that a measure does not have.

    Warns
    -----
    UndefinedMetricWarning
        If the measure is undefined on the data, or on more than 5 % of the replicates (those that
        lost a class are left out, never redrawn).
    DegenerateDataWarning
        If the interval says nothing, as where all replicates are equal.

    Notes
    -----
    Rows are sorted once. A replicate is a vector of counts in that order: how many draws fall in
    each window of 4,096 rows (a multinomial, by exact binomials), then where inside it, measured
    while it is in cache. The AUC takes about 1.3 ns a row and replicate. A table with few distinct
    scores, or a confusion matrix, is resampled by cells, at a cost that does not depend on n.
    Memory beside the sorted rows: a block for each thread; for best thresholds, crossings and
    groups one byte a row a thread.

    Random numbers are Philox4x32-10 (Salmon et al. 2011), keyed once from `rng` with 64 bits; each
    number is a function of key, replicate and block. Results depend on the seed and on the rows
    as a set: not on threads, nor on the order of rows.

    Coverage of each method is tabulated in ``docs/coverage.md``.

    References
    ----------
    Efron & Tibshirani (1993), An introduction to the bootstrap. Field & Welsh (2007),
    Bootstrapping clustered data, JRSS B 69:369-390. Rubin (1981), The Bayesian bootstrap,
    Annals of Statistics 9:130-134.

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
    options = checked_options(
        metrics=metrics,
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        method=method,
        alternative=alternative,
        stratified=stratified,
        groups=groups,
        resampling=resampling,
        rng=rng,
        n_threads=n_threads,
        progress=progress,
        weights_are=check_weights_are(sample_weight, weights_are),
    )
    return resampled(
        y_true,
        y_score,
        options,
        sample_weight=sample_weight,
        pos_label=pos_label,
        groups=groups,
        threshold=threshold,
    )


def resampled(y_true: Any, y_score: Any, options: Options, **rows: Any) -> BootstrapResults:
    """Return what `bootstrap` does, from options that are checked; ``rows`` as for `parse`."""
    rows |= {"weights_are": options.weights_are, "n_threads": options.n_threads}
    form = parse(y_true, y_score, options.asked, by_rows=options.by_rows, **rows)
    check_methods(form, options)
    studentized = options.method == "studentized"
    engine = Engine([form], options.asked, options.draws(form), with_errors=studentized)
    estimates = engine.estimates()
    found = engine.run(options.n_resamples, n_threads=options.n_threads, progress=options.progress)
    return results_of(engine, 0, estimates, found, options, method=options.method)


def check_methods(form: Form, options: Options) -> None:
    """Raise, before any work, where a measure does not have the method on these data."""
    if options.method == "bca":
        for one in options.asked:
            one.plan.check_bca(form, one.label)
    if options.method == "studentized" and form.fractional is not None:
        raise InputError(
            "`method='studentized'` has no standard error of importances: take "
            "`method='percentile'`"
        )


def results_of(
    engine: Engine,
    model: int,
    estimates: list[float],
    found: Replicates,
    options: Options,
    *,
    method: Method | None,
    acceleration: Callable[[int], float] | None = None,
) -> BootstrapResults:
    """Return the results of one model, by the default method of each measure if it is None.

    BCa's acceleration of a measure is the one given, or else follows from the model's own data.
    """
    form = engine.forms[model]
    own_errors = engine.errors_of_data() if found.errors is not None else None
    results = {}
    for i, one in enumerate(options.asked):
        extra: dict[str, Any] = {}
        chosen = method or default_method(form, one)
        if chosen == "bca" and not math.isnan(estimates[i]):
            if acceleration is None:
                extra["acceleration"] = engine.acceleration(i, model, options.stratified)
            else:
                extra["acceleration"] = acceleration(i)
        if found.errors is not None and own_errors is not None:
            extra["standard_errors"] = found.errors[model, i]
            extra["standard_error"] = own_errors[i]
        results[one.label] = result_of(
            one,
            estimates[i],
            found.values[model, i],
            options,
            size=form.effective_size(),
            method=chosen,
            is_default=method is None,
            **extra,
        )
    return BootstrapResults(results)


def default_method(form: Form, one: Planned) -> Method:
    """Return the method of a measure where the user has named none."""
    if isinstance(one.plan, StatisticPlan):  # each row would be left out in turn
        return one.plan.default_method
    try:
        one.plan.check_bca(form, one.label)
    except InputError:
        return "percentile"
    return "bca"


def result_of(
    one: Planned,
    estimate: float,
    distribution: NDArray[np.float64],
    options: Options,
    *,
    size: float,
    method: Method,
    is_default: bool = False,
    **extra: Any,
) -> BootstrapResult:
    """Return the result of one measure, with the warnings that it deserves."""
    if math.isnan(estimate) and not isinstance(one.plan, ScorePlan):  # which has warned
        message = f"{one.label!r} is undefined on these data: what it divides by is 0, or is nan"
        warn_user(message, UndefinedMetricWarning)
    distribution.flags.writeable = False
    defined = distribution[~np.isnan(distribution)]
    n_failed = len(distribution) - len(defined)
    if n_failed > MANY_FAILED * len(distribution) and not math.isnan(estimate):
        hint = "; `stratified=True` keeps both" if isinstance(one.plan, ScorePlan) else ""
        message = (
            f"{one.label!r} is undefined in {n_failed:,} of {len(distribution):,} replicates, "
            f"which are left out: they lost a class or what the measure divides by{hint}"
        )
        warn_user(message, UndefinedMetricWarning)
    level: dict[str, Any] = {
        "confidence_level": options.confidence_level,
        "alternative": options.alternative,
    }
    if isinstance(one.plan, HullPlan):
        interval, reason = one.plan.limits(distribution, estimate, **level)
    else:
        interval, reason = limits(distribution, estimate, method=method, **level, **extra)
    if reason is not None and is_default and method == "bca":
        method = "percentile"
        interval, reason = limits(distribution, estimate, method=method, **level)
    if reason is None and interval.low == interval.high:
        reason = "both of its limits are one value"
    if reason is not None and not math.isnan(estimate):
        warn_user(f"the interval of {one.label!r} is degenerate: {reason}", DegenerateDataWarning)
    finite = len(defined) > 1 and bool(np.isfinite(defined).all())
    return BootstrapResult(
        estimate=estimate,
        confidence_interval=interval,
        standard_error=float(defined.std(ddof=1)) if finite else math.nan,
        bias=float(defined.mean()) - estimate if finite else math.nan,
        bootstrap_distribution=distribution,
        n_failed=n_failed,
        metric=one.label,
        method=method,
        alternative=options.alternative,
        confidence_level=options.confidence_level,
        n_resamples=options.n_resamples,
        key=key_text(options.key),
        effective_sample_size=size,
        weights_are=options.weights_are,
    )


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class BootstrapResult(OneNumber):
    """A measure with its bootstrap interval.

    Attributes
    ----------
    estimate : float
        The measure of the data themselves.
    confidence_interval : ConfidenceInterval
        Its two limits, `low` and `high`; nan where they are undefined.
    standard_error : float
        Standard deviation of the replicates.
    bias : float
        Mean of the replicates less the estimate.
    bootstrap_distribution : ndarray of shape (n_resamples,)
        The replicates, in the order of their numbers; nan where one is undefined. Read-only.
    n_failed : int
        Replicates that are undefined, for instance because they lost a class. They are left out.
    metric, method, alternative : str
        What was measured, and which interval this is.
    confidence_level : float
    n_resamples : int
    key : str
        The key of the random numbers: ``rng=key`` draws the same replicates again.
    effective_sample_size : float
        Rows, or with importances the number of equal weights that tell as much (Kish).
    weights_are : {"importances", "frequencies"} or None
        How weights were read; None where there were none.
    """

    estimate: float
    confidence_interval: ConfidenceInterval
    standard_error: float
    bias: float
    bootstrap_distribution: NDArray[np.float64] = field(repr=False)
    n_failed: int
    metric: str
    method: str
    alternative: str
    confidence_level: float
    n_resamples: int
    key: str
    effective_sample_size: float
    weights_are: WeightsAre | None = None

    def __post_init__(self) -> None:
        replicates = self.bootstrap_distribution.view()
        replicates.flags.writeable = False
        object.__setattr__(self, "bootstrap_distribution", replicates)


class BootstrapResults(Mapping[str, BootstrapResult]):
    """The results of one bootstrap by the name of the measure; frozen.

    Parameters
    ----------
    results : mapping of str to BootstrapResult

    Examples
    --------
    >>> from fastmetrics import bootstrap
    >>> results = bootstrap([0, 1, 1, 0, 1], [0.1, 0.8, 0.4, 0.5, 0.9], stratified=True, rng=1)
    >>> list(results), results["roc_auc"].n_resamples
    (['roc_auc'], 9999)
    """

    __slots__ = ("_results",)

    def __init__(self, results: Mapping[str, BootstrapResult]) -> None:
        self._results = dict(results)

    def __getitem__(self, metric: str) -> BootstrapResult:
        try:
            return self._results[metric]
        except KeyError:
            known = ", ".join(map(repr, self._results))
            raise KeyError(f"{metric!r}: the measures are {known}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def to_dict(self) -> dict[str, Any]:
        """Return the results as a dictionary of built-in Python objects.

        Returns
        -------
        dict
            Measure to the dictionary of its result.
        """
        return {metric: result.to_dict() for metric, result in self._results.items()}

    def __repr__(self) -> str:
        inside = ", ".join(
            f"{metric}={result.estimate:.6g} [{result.confidence_interval.low:.6g}, "
            f"{result.confidence_interval.high:.6g}]"
            for metric, result in self._results.items()
        )
        return f"BootstrapResults({inside})"

    def _repr_html_(self) -> str:
        heads = ("measure", "estimate", "low", "high", "standard error", "bias", "failed")
        rows = []
        for metric, one in self._results.items():
            limits = one.confidence_interval
            numbers = (one.estimate, limits.low, limits.high, one.standard_error, one.bias)
            rows.append((metric, *(f"{number:.6g}" for number in numbers), str(one.n_failed)))
        return html_table(heads, rows)
