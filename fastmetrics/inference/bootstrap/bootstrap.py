"""``bootstrap``: intervals from replicates that never sort again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any, Final, Literal, cast, get_args

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
    key_text,
    seed_key,
)
from fastmetrics._kernels import replicates
from fastmetrics._number_text import MonteCarloPValue
from fastmetrics._results import ConfidenceInterval
from fastmetrics._threads.workers import run, run_batches
from fastmetrics.errors import DegenerateDataWarning, InputError, UndefinedMetricWarning, warn_user
from fastmetrics.inference.bootstrap._parse import BootstrapData, check_stratified, parse
from fastmetrics.inference.bootstrap._samples import (
    WINDOW,
    BootstrapSample,
    Draws,
    Floats,
    MatrixCells,
    Method,
    RowSample,
    TableCells,
    Yield,
    padded,
)
from fastmetrics.inference.bootstrap._specs import (
    GATHER,
    RESAMPLED,
    STRATIFY,
    MetricSpec,
    ThresholdSpec,
    UserSpec,
    metric_specs,
)
from fastmetrics.inference.estimate_result import Estimate, Estimates, Replicates
from fastmetrics.inference.reference import NOWHERE
from fastmetrics.inference.units import Sizes, narrowed_level, widened_level
from fastmetrics.metrics.asking import MetricsLike
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
    """Compute bootstrap confidence intervals of one or several metrics on the same replicates.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), ScoreTable or ConfusionMatrix
        Labels or, for metrics of regression, targets; or a table of counts, alone.
    y_score : array-like of shape (n_samples,), optional
        Scores; predicted labels for metrics of counts without `threshold`; predicted values.
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
        A frozen mapping from the metric's name to its `Estimate`, with `Replicates` as `details`.

    Raises
    ------
    TypeError
        For arguments of the wrong kind; for groups with a table, which needs rows.
    ValueError
        For data or options without meaning; for a method that a metric does not have.

    Notes
    -----
    Rows are sorted once. A replicate is a vector of counts in that order: how many draws fall in
    each window of 4,096 rows (a multinomial, by exact binomials), then where inside it, measured
    while it is in cache. The AUC takes about 1.3 ns a row and replicate. A table with few distinct
    scores, a confusion matrix, and rows of which metrics of counts alone are asked, are resampled
    by cells, at a cost that does not depend on n.
    Memory beside the sorted rows: a block for each thread; for best thresholds, crossings and
    groups one byte a row a thread.

    Random numbers are Philox4x32-10 (Salmon et al. 2011), keyed once from `rng` with 64 bits; each
    number is a function of key, replicate and block. Results depend on the seed and on the rows
    as a set: not on threads, nor on the order of rows.

    References
    ----------
    Efron & Tibshirani (1993), An introduction to the bootstrap. Field & Welsh (2007),
    Bootstrapping clustered data, JRSS B 69:369-390.

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
    options = Options.parse(**locals())
    read = options.weights_are
    given = BootstrapData(y_true, y_score, sample_weight, read, pos_label, groups, threshold)
    _, (estimates,) = resample([parse(given, options.specs)], options)
    return estimates


def resample(
    samples: Sequence[BootstrapSample], options: Options
) -> tuple[Engine, list[Estimates]]:
    """Resample models that share their units; return the engine and each model's estimates."""
    specs = options.specs
    method = options.method
    for why in [spec.why_no_bca(sample) for sample in samples for spec in specs]:
        if why and method == "bca":
            raise InputError(why)
    masks = samples[0].masks() if options.stratified else None
    engine = Engine(samples, specs, Draws(options.key, samples[0].n_units, masks))
    values = [[spec.estimate(sample) for spec in specs] for sample in samples]
    samples[0].warn_small_sizes()
    engine.run(options.n_resamples, progress=options.progress)
    methods = [[method or spec.default_method(sample) for spec in specs] for sample in samples]
    by_bca = [
        (model, i)
        for model, model_methods in enumerate(methods)
        for i, one in enumerate(model_methods)
        if one == "bca" and not math.isnan(values[model][i])
    ]
    accelerations = engine.accelerations(by_bca, options.stratified)
    results: list[dict[str, Estimate]] = []
    for model, model_methods in enumerate(methods):
        results.append({})
        for i, spec in enumerate(specs):
            acceleration = accelerations.get((model, i), math.nan)
            given = values[model][i], model_methods[i], acceleration, options
            results[-1][spec.label] = _make_estimate(engine, model, i, *given)
    return engine, [Estimates(one) for one in results]


def count_failures(
    spec: MetricSpec, distribution: Floats, lost_a_class: NDArray[np.bool_], sample: BootstrapSample
) -> tuple[int, str]:
    """Count the undefined replicates of a metric; also return the reason."""
    return failures(
        distribution,
        lost_a_class if isinstance(spec, ThresholdSpec) else None,
        otherwise=spec.undefined_where,
        remedy=GATHER if sample.is_grouped else STRATIFY,
    )


def _make_estimate(
    engine: Engine,
    model: int,
    metric: int,
    estimate: float,
    method: Method,
    acceleration: float,
    options: Options,
) -> Estimate:
    """Build the estimate of one metric of a model, and warn where it is degenerate."""
    spec = engine.specs[metric]
    sample = engine.samples[model]
    sizes = sample.sizes()
    distribution = engine.values[model, metric]
    is_defined = not math.isnan(estimate)
    n_failed, note = count_failures(spec, distribution, engine.lost_a_class[model], sample)
    if is_defined:
        warn_failures(repr(spec.label), n_failed, len(distribution), note)
    elif not isinstance(spec, ThresholdSpec):  # threshold metrics have warned
        message = f"{spec.label!r} is undefined on these data: what it divides by is 0, or is nan"
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
        warn_user(f"the interval of {spec.label!r} is degenerate: {reason}", DegenerateDataWarning)
    mean, error = mean_and_error(distribution)
    return Estimate(
        metric=spec.label,
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
        note=join_notes(spec.note, note) if is_defined else "",
        details=summarize_replicates(distribution, n_failed, sizes, options.key, mean - estimate),
    )


@dataclass(frozen=True, slots=True)
class Options:
    """Validated options of a bootstrap."""

    specs: list[MetricSpec]
    n_resamples: int
    confidence_level: float
    key: NDArray[np.uint64]
    method: Method | None = None
    alternative: Alternative = "two-sided"
    stratified: bool = False
    progress: bool | None = None
    weights_are: WeightsAre | None = None

    @classmethod
    def parse(
        cls,
        *,
        metrics: MetricsLike,
        n_resamples: Any,
        confidence_level: Any,
        method: Any,
        alternative: Any,
        stratified: bool,
        rng: Any,
        progress: bool | None,
        groups: Any,
        sample_weight: Any,
        weights_are: Any,
        n_models: int = 1,
        **_: Any,
    ) -> Options:
        """Validate the arguments of `bootstrap` and of `paired_bootstrap` that are no data."""
        read = check_weights_are(sample_weight, weights_are)
        specs = metric_specs(metrics)
        count = check_integer("n_resamples", n_resamples, low=2)
        check_memory(
            count, len(specs) * n_models, "10,000 determine a 95 % limit to about 2 % of the width"
        )
        level = check_confidence_level(confidence_level)
        if method is not None:
            check_choice("method", method, get_args(Method))
        check_alternative(alternative)
        check_stratified(stratified, groups)
        how = method, alternative, stratified, progress
        return cls(specs, count, level, seed_key(rng), *how, read)


# The engine: from samples and specs of metrics to replicates, limits and p-values.

# Relative tolerance of equal replicates, which are sums over 10^7 rows or more.
_ROUNDING = 2.0**-46

# Tolerance of tied differences, relative to the largest.
_TIE = 1e-12
_ONCE = np.empty(0, np.int64)

ALL_EQUAL = (
    "all replicates are equal, so that they do not show how much the estimate varies: use an "
    "analytic interval (`comparison.newcombe_interval` for an AUC, "
    "`comparison.proportion_interval` for a proportion)"
)
NO_BCA = "; use `method='percentile'`, or an analytic interval"
OUTSIDE = "the estimate is outside its replicates and BCa's bias correction is infinite" + NO_BCA
NO_ACCELERATION = "BCa's acceleration is not defined: no influences of rows that differ" + NO_BCA
TOO_SKEW = "BCa's correction has no finite limit with this bias and acceleration" + NO_BCA
TOO_FEW = "fewer than two replicates are defined"
NO_ESTIMATE = "the estimate is not defined"


def limits(
    distribution: ArrayLike,
    estimate: float,
    *,
    method: Method,
    confidence_level: float,
    alternative: Alternative = "two-sided",
    acceleration: float = math.nan,
    n_groups: float | None = None,
) -> tuple[ConfidenceInterval, str | None]:
    """Compute confidence limits from replicates of an estimate; failed replicates are nan.

    Also return the reason why limits are degenerate: nan or one value; else None. "bca" needs the
    ``acceleration``; the effective number ``n_groups`` widens levels to Student's t.
    Limits are those of ``scipy.stats.bootstrap`` bit for bit. Efron & Tibshirani (1993), 13.3
    (percentile), 14.3 (BCa); Davison & Hinkley (1997), 5.2.1 (basic).
    """
    replicates = np.asarray(distribution, dtype=np.float64)
    if math.isnan(estimate):
        return NOWHERE, NO_ESTIMATE
    defined = replicates[~np.isnan(replicates)]
    if len(defined) < 2:
        return NOWHERE, TOO_FEW
    alpha = (1 - confidence_level) / 2 if alternative == "two-sided" else 1 - confidence_level
    if n_groups is not None:
        alpha = widened_level(alpha, n_groups)
    degenerate = ALL_EQUAL if _are_equal(defined) else None
    if method == "percentile":
        low, high = _quantiles(defined, (alpha, 1 - alpha))
    elif method == "basic":
        high, low = (2 * estimate - end for end in _quantiles(defined, (alpha, 1 - alpha)))
    elif degenerate:
        return NOWHERE, degenerate
    else:
        levels = _bca_levels(defined, estimate, alpha, acceleration)
        if isinstance(levels, str):
            return NOWHERE, levels
        low, high = _quantiles(defined, levels)
    if alternative == "less":
        low = -math.inf
    elif alternative == "greater":
        high = math.inf
    return ConfidenceInterval(low, high), degenerate


def mean_and_error(replicates: Floats) -> tuple[float, float]:
    """Compute mean and standard deviation of scaled values; nan unless finite and two or more."""
    defined = replicates[~np.isnan(replicates)]
    if len(defined) < 2 or not np.isfinite(defined).all():
        return math.nan, math.nan
    exponent = int(np.frexp(np.abs(defined).max())[1])
    scaled = np.ldexp(defined, -exponent)
    mean, error = np.ldexp([scaled.mean(), scaled.std(ddof=1)], exponent).tolist()
    return mean, error


def _are_equal(values: Floats) -> bool:
    """Return True if all values are equal, up to rounding."""
    low, high = float(values.min()), float(values.max())
    if low == high:
        return True
    return math.isfinite(high - low) and high - low <= _ROUNDING * max(abs(low), abs(high))


def _quantiles(values: Floats, levels: tuple[float, float]) -> tuple[float, float]:
    """Compute two linearly interpolated quantiles, by scipy's arithmetic (``method="linear"``)."""
    last = len(values) - 1
    positions = [level * len(values) + (1 - level) for level in levels]
    below = [min(max(math.floor(position) - 1, 0), last) for position in positions]
    above = [min(row + 1, last) for row in below]
    ranked = np.partition(values, sorted({*below, *above}))
    limits = []
    for position, row, next_row in zip(positions, below, above, strict=True):
        fraction = position % 1 if position >= 1 else 0.0
        low, high = float(ranked[row]), float(ranked[next_row])
        # 0 times infinity is nan
        limits.append((1 - fraction) * low + fraction * high if fraction else low)
    return limits[0], limits[1]


def _bca_levels(
    replicates: Floats, estimate: float, alpha: float, acceleration: float
) -> tuple[float, float] | str:
    """Compute the levels of both quantiles (E&T eq. 14.10), or return why they are undefined."""
    from scipy.special import ndtr, ndtri

    # Proportion of replicates below the estimate; ties count half.
    twice = np.count_nonzero(replicates < estimate) + np.count_nonzero(replicates <= estimate)
    bias = float(ndtri(twice / (2 * len(replicates))))
    if math.isinf(bias):
        return OUTSIDE
    if not math.isfinite(acceleration):
        return NO_ACCELERATION
    z = float(ndtri(alpha))
    shifts = [bias + z, bias - z]
    slopes = [1 - acceleration * shift for shift in shifts]
    if min(slopes) <= 0:  # beyond the pole the limits would swap
        return TOO_SKEW
    lower, upper = (
        float(ndtr(bias + shift / slope)) for shift, slope in zip(shifts, slopes, strict=True)
    )
    return lower, upper


def acceleration(
    influences: Sequence[Floats],
    times: Sequence[NDArray[Any]] | None = None,
    *,
    stratified: bool = False,
) -> float:
    """Compute the acceleration of a BCa interval; nan if influences are undefined or all equal.

    ``influences`` are the derivatives of the estimate by the weight of each sampling unit, or of
    each of ``times`` equal ones, an array for each class; ``stratified`` says that each class is
    drawn by itself. With U the influences less their mean, or less that of their class, it is

        a = 1/6 sum U^3 / (sum U^2)^(3/2).

    Efron & Tibshirani (1993), eq. 14.15 with the infinitesimal jackknife (22.19) in place of the
    jackknife; of several samples Davison & Hinkley (1997), 5.3.2.
    """
    counts = [_ONCE] * len(influences) if times is None else [t.astype(np.int64) for t in times]
    each = list(zip(influences, counts, strict=True))
    sums = np.array([replicates.sum_of_values(*one) for one in each])
    size = float(sums[:, 2].max())
    if not 0.0 < size < math.inf:
        return math.nan
    if not stratified:
        sums[:] = sums.sum(axis=0)
    with np.errstate(invalid="ignore"):  # a class without units
        means = sums[:, 1] / sums[:, 0]
    moments = np.array(
        [
            replicates.central_moments(*one, mean, size)
            for one, mean in zip(each, means.tolist(), strict=True)
        ]
    )
    # Moments are of influences over their size: cubes could leave the range of float64.
    if not moments[:, 2].max() > _ROUNDING:
        return math.nan
    squares, cubes, _ = moments.sum(axis=0).tolist()
    return float(cubes / (6.0 * squares**1.5))


def pvalue_from_limits(
    distribution: ArrayLike,
    estimate: float,
    *,
    method: Literal["percentile", "basic"] = "percentile",
    alternative: Alternative = "two-sided",
    n_groups: float | None = None,
) -> float:
    """Compute the p-value of "it is 0": the level at which the interval of `limits` reaches 0.

    The tail is (1 + count) / (B + 1) over B replicates d, counting d <= 0, or d >= 2 estimate for
    "basic". Groups then invert their change of levels. Efron & Tibshirani (1993), 15.4;
    Davison & Hinkley (1997), 4.2; on centring Hall & Wilson (1991), Biometrics 47:757-762.
    """
    replicates = np.asarray(distribution, dtype=np.float64)
    defined = replicates[~np.isnan(replicates)]
    n = len(defined)
    if n == 0:
        return math.nan
    null = slack = 0.0
    if method == "basic":  # rounding must not break ties with twice the estimate
        null = 2.0 * estimate
        slack = _TIE * float(np.max(np.abs(defined)))
    below = int(np.count_nonzero(defined <= null + slack))
    above = int(np.count_nonzero(defined >= null - slack))
    if method == "basic":  # mirrored: the upper quantile gives the lower limit
        below, above = above, below
    lower, upper = ((1 + count) / (n + 1) for count in (below, above))
    lower, upper = (max(narrowed_level(t, n_groups), 0.0) for t in (lower, upper))
    sides = {"greater": (lower, below), "less": (upper, above)}
    tail, count = sides.get(alternative) or min(sides.values())
    tails = 2 if alternative == "two-sided" else 1
    return MonteCarloPValue(min(1.0, tails * tail), count == 0)


#: Proportion of failed replicates above which there is a warning.
MANY_FAILED: Final = 0.05

_BATCH_SECONDS: Final = 0.05  # about, of a batch with a user's own statistic
#: Threads wait for one another between calls of kernels: batches are large, but there are at least
#: so many for the cores to share, and none has more than `_MOST_ROWS` rows.
_BATCHES: Final = 64
_MOST_ROWS: Final = 1 << 24
#: Bytes of a chunk of replicates, and the number of replicates above which larger ones are slower.
_CHUNK_BYTES: Final = 1 << 20
_SIDE_BY_SIDE: Final = 16


class Engine:
    """Draws replicates of samples that share their units, and measures them.

    There is one sample per model; several must be of rows. `values` has shape (models, metrics,
    replicates); `lost_a_class`, of shape (models, replicates), marks replicates without a class.
    """

    def __init__(
        self, samples: Sequence[BootstrapSample], specs: Sequence[MetricSpec], draws: Draws
    ) -> None:
        self.samples = list(samples)
        self.specs = list(specs)
        self.draws = draws
        self.ops = tuple(dict.fromkeys(op for spec in specs for op in spec.ops))
        self.statistics = {s.label: s.statistic for s in specs if isinstance(s, UserSpec)}
        self.values = np.empty((len(samples), len(specs), 0))
        self.lost_a_class = np.empty((len(samples), 0), np.bool_)

    def run(self, n_resamples: int, *, progress: bool | None) -> Engine:
        """Draw and measure replicates 0 to ``n_resamples - 1``."""
        n_models = len(self.samples)
        self.values = np.full((n_models, len(self.specs), n_resamples), np.nan)
        self.lost_a_class = np.zeros((n_models, n_resamples), np.bool_)
        size = self._batch_size(n_resamples)
        if self.statistics:  # of unknown cost, and an interrupt waits for a batch to end
            size = min(size, self._timed_batch_size())
        run_batches(
            self._batch,
            range(2 if self.statistics else 0, n_resamples, size),  # two were timed
            progress=progress,
            description="bootstrap",
            unit="replicates",
        )
        return self

    def accelerations(
        self, wanted: Sequence[tuple[int, int]], stratified: bool
    ) -> dict[tuple[int, int], float]:
        """Compute BCa's acceleration of each (model, metric); nan where it is undefined."""

        def one(model: int, metric: int) -> float:
            sample = self.samples[model]
            spec = self.specs[metric]
            if sample.are_alike(spec.cells):
                times = sample.times(spec.cells)
                return acceleration(spec.influences(sample), times, stratified=stratified)
            rows = cast(RowSample, sample)
            units = rows.contributions(np.concatenate(spec.influences(rows)), spec.cells)
            classes = self.samples[0].by_class(units) if stratified else [units]
            return acceleration(classes, stratified=stratified)

        return dict(zip(wanted, run([partial(one, *each) for each in wanted]), strict=True))

    def _batch_size(self, n_resamples: int) -> int:
        """Return the number of replicates of a batch, whatever the number of threads."""
        size = most = min(sample.batch_size() for sample in self.samples)
        first = self.samples[0]
        if isinstance(first, RowSample):
            most = _CHUNK_BYTES // first.n
            if self._is_streamed():
                most = max(most, min(_SIDE_BY_SIDE, _MOST_ROWS // first.n))
        return max(size, min(most, n_resamples // _BATCHES))

    def _timed_batch_size(self) -> int:
        """Time the second replicate; return the batch size for about `_BATCH_SECONDS`."""
        self._batch(0, 1)
        start = perf_counter()
        self._batch(1, 1)
        return max(1, int(_BATCH_SECONDS / max(perf_counter() - start, 1e-6)))

    def _batch(self, first: int, count: int) -> None:
        here = slice(first, first + count)
        for model, out in enumerate(self._draw_batch(first, count)):
            self.values[model, :, here] = self.metric_values(out)
            self.lost_a_class[model, here] = ~((out.n_positive > 0) & (out.n_negative > 0))

    def metric_values(self, out: Yield) -> Floats:
        """Compute the metrics of replicates from their yield: (metrics, replicates)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.array([spec.values(out) for spec in self.specs])

    def _draw_batch(self, first: int, count: int) -> list[Yield]:
        """Draw ``count`` replicates of each sample from number ``first`` on."""
        sample = self.samples[0]
        if isinstance(sample, TableCells | MatrixCells):
            return [sample.draw(self.draws, self.ops, first, count)]
        samples = cast(list[RowSample], self.samples)
        if self._is_streamed():
            return [_draw_in_chunks(samples[0], self.draws, first, count)]
        counts = self.draws.every(first, count)
        yields = []
        for rows in samples:
            row_counts = rows.row_counts(counts)
            yields.append(rows.measure(self.ops, row_counts))
            for label, statistic in self.statistics.items():
                yields[-1].statistics[label] = rows.each(statistic, row_counts)
        return yields

    def _is_streamed(self) -> bool:
        """Return True if windows are measured as they are drawn, in a single pass."""
        sample = self.samples[0]
        if len(self.samples) > 1 or self.statistics:
            return False
        return cast(RowSample, sample).passes_through(self.ops)


def _draw_in_chunks(rows: RowSample, draws: Draws, first: int, count: int) -> Yield:
    """Draw and measure windows chunk by chunk, in the memory of a chunk."""
    out = rows.empty(count)
    is_weighted = rows.weights is not None
    n_windows = max(1, _CHUNK_BYTES // ((8 if is_weighted else 1) * count * WINDOW))
    n_entries = draws.n_units if is_weighted else padded(draws.n_units)
    most = count * min(n_windows * WINDOW, n_entries)
    all_counts = np.empty(most, np.uint8)
    all_weights = np.empty(most if is_weighted else 0)
    state: Any = np.zeros((count, 6)) if is_weighted else np.zeros((count, 4), np.int64)
    totals = draws.totals(first, count)
    for start in range(0, draws.n_windows, n_windows):
        row = start * WINDOW
        size = min(n_windows * WINDOW, n_entries - row)
        counts = all_counts[: count * size].reshape(count, size)
        windows = np.arange(start, min(start + n_windows, draws.n_windows))
        draws.counts(first, totals, windows, counts)
        if rows.weights is None:
            rows.add_counts(counts, row, state, out)
        else:
            weights = all_weights[: count * size].reshape(count, size)
            replicates.weigh_rows(counts, rows.weights[row : row + size], weights)
            rows.add_weights(weights, row, state, out)
    out.close(state)
    return out


def failures(
    distribution: Floats,
    lost_a_class: NDArray[np.bool_] | None = None,
    *,
    otherwise: str = "",
    remedy: str = STRATIFY,
    what: str = "interval",
) -> tuple[int, str]:
    """Count the replicates that are nan, and write the caveat of the interval.

    ``otherwise`` is the reason of those that have both classes; ``what`` names the result.
    """
    failed = np.isnan(distribution)
    n = int(np.count_nonzero(failed))
    if not n:
        return 0, ""
    lost = 0 if lost_a_class is None else int(np.count_nonzero(failed & lost_a_class))
    causes = [(lost, f"they lost a class ({remedy})")] if lost else []
    if n > lost:
        causes.append((n - lost, otherwise or "the metric has no value there"))
    texts = [f"{cause} ({count:,} of them)" if n > count else cause for count, cause in causes]
    return n, (
        f"undefined in {n:,} of {len(distribution):,} replicates, which are left out: "
        f"{'; '.join(texts)}; the {what} is conditional on the metric being defined"
    )


def warn_failures(subject: str, n_failed: int, n_replicates: int, note: str) -> None:
    """Warn if more than `MANY_FAILED` of the replicates failed."""
    if n_failed > MANY_FAILED * n_replicates:
        warn_user(f"{subject} is {note}", UndefinedMetricWarning)


def join_notes(*notes: str) -> str:
    """Join the notes that are not empty."""
    return "; ".join(note for note in notes if note)


def summarize_replicates(
    distribution: Floats,
    n_failed: int,
    sizes: Sizes,
    key: NDArray[np.uint64],
    bias: float = math.nan,
) -> Replicates:
    """Build the `details` of an estimate or a pair; the replicates become read-only."""
    distribution.flags.writeable = False
    n_groups = sizes.effective_n_groups
    return Replicates(distribution, n_failed, bias, key_text(key), sizes.effective, n_groups)
