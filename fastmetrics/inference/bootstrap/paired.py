"""``paired_bootstrap`` and ``paired_permutation_test``: models compared on the same rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.rows import MODELS, BinaryRows, check_models, model_pairs, named_scores
from fastmetrics._input.scalars import (
    Alternative,
    WeightsAre,
    check_alternative,
    check_choice,
    check_confidence_level,
    check_integer,
    seed_key,
)
from fastmetrics._kernels.replicates import exchange_rows
from fastmetrics._kernels.resampling import BITS, philox
from fastmetrics._number_text import MonteCarloPValue
from fastmetrics._results import ConfidenceInterval
from fastmetrics._threads.workers import run_batches
from fastmetrics.errors import DegenerateDataWarning, InputError, UndefinedMetricWarning, warn_user
from fastmetrics.inference.bootstrap._parse import (
    BootstrapData,
    invert_order,
    lexsort_rows,
    parse_models,
    sort_rows,
)
from fastmetrics.inference.bootstrap._samples import BootstrapSample, Draws, ScoredRowSample, padded
from fastmetrics.inference.bootstrap._specs import (
    RESAMPLED,
    CountSpec,
    MetricSpec,
    ThresholdSpec,
    metric_specs,
)
from fastmetrics.inference.bootstrap.bootstrap import (
    ALL_EQUAL,
    MANY_FAILED,
    Engine,
    Options,
    count_failures,
    failures,
    join_notes,
    limits,
    mean_and_error,
    pvalue_from_limits,
    resample,
    summarize_replicates,
    warn_failures,
)
from fastmetrics.inference.comparison_result import Comparison, Comparisons
from fastmetrics.inference.estimate_result import Estimate, Pair, Replicates
from fastmetrics.inference.reference import NOWHERE, ratio
from fastmetrics.inference.units import Sizes
from fastmetrics.metrics.asking import MetricsLike
from fastmetrics.tables.ordering import row_order
from fastmetrics.tables.score_table import is_called_positive, real_threshold

Exchange = Literal["ranks", "scores"]

PairedMethod = Literal["percentile", "basic"]
#: Default method of differences.
PAIRED_METHOD: Final = "basic"

_BATCH_BYTES = 1 << 18
_SLACK = 1e-12


@documented(MODELS, RESAMPLED)
def paired_bootstrap(
    y_true: ArrayLike,
    scores: Mapping[str, ArrayLike] | ArrayLike,
    *,
    names: Sequence[str] | None = None,
    metrics: MetricsLike = "roc_auc",
    reference: str | None = None,
    n_resamples: int = 9999,
    confidence_level: float = 0.95,
    method: PairedMethod | None = None,
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
) -> Comparisons:
    """Compare two or more models on the same rows, by replicates that they share.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels, or targets of a regression.
    scores : mapping of str to array-like of shape (n_samples,), or data frame
        Each model's scores, predicted labels or predicted values by its name; a data frame has one
        column a model. An array of shape (n_samples, n_models) needs `names`.
    reference : str, optional
        The model that all others are compared with; every pair by default.
    method : {"percentile", "basic"}, optional
        Which interval, of the models and of their differences. None takes "basic" for differences,
        which covers best there (``docs/coverage.md``), "percentile" where each replicate looks for
        a threshold (KS, the best threshold, recall at a precision), and for a model's own metric
        what `bootstrap` takes.
    threshold : float, optional
        Metrics of counts call a score >= threshold positive, whatever the model.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        Of the p-values, about the first model less the second; and which limits there are, as in
        `bootstrap`: "greater" has a lower one.

    Returns
    -------
    Comparisons
        A frozen mapping from the metric's name to its `Comparison`: each model's `Estimate`, and
        every pair of models with difference, interval, p-value, and the p-value adjusted by Holm's
        method for all pairs. Each has `Replicates` as `details`; `verdict` says in words what is
        shown.

    Raises
    ------
    TypeError, ValueError
        For arguments without meaning, as in `bootstrap`.

    Notes
    -----
    Counts are drawn in the first model's order of scores and looked up in the others': about 2.5
    times the cost of one model for two, and one byte a row a thread. Intervals of differences are
    far narrower than two separate ones suggest, as what both models find hard cancels.

    The p-value inverts the interval, by its method: both always agree. Of "basic" it is twice the
    smaller share of replicates that are as far from the difference as the difference is from 0,
    on either side, each count plus one (Hall & Wilson 1991). `paired_permutation_test` tests
    exchangeability instead.

    References
    ----------
    Efron & Tibshirani (1993), An introduction to the bootstrap, 15.4 and 16. Hall & Wilson (1991),
    Two guidelines for bootstrap hypothesis testing, Biometrics 47:757-762. Holm (1979), A
    simple sequentially rejective multiple test procedure, Scand. J. Statistics 6:65-70.

    Examples
    --------
    >>> y = [1, 0, 1, 1, 0, 0, 1, 0, 1, 0]
    >>> scores = {"a": [9, 3, 8, 7, 4, 5, 6, 2, 1, 0], "b": [2, 3, 8, 1, 4, 7, 6, 5, 9, 0]}
    >>> result = paired_bootstrap(y, scores, rng=1)
    >>> pair = result["roc_auc"]["a", "b"]
    >>> round(pair.difference, 2), pair.pvalue_adjusted == pair.pvalue
    (0.2, True)
    """
    arguments = locals()
    if method is not None:
        check_choice("method", method, get_args(PairedMethod))
    models = named_scores(scores, names, at_least=2)
    model_names = [model.name for model in models]
    model_pairs(model_names, reference)  # or raise, before any work
    n_models = len(models) * (len(models) + 1) // 2  # each, and every pair
    options = Options.parse(**arguments, n_models=n_models)
    read = options.weights_are
    given = BootstrapData(y_true, models, sample_weight, read, pos_label, groups, threshold)
    samples = parse_models(given, options.specs)
    return compare_replicates(samples, model_names, options, reference=reference)


def compare_replicates(
    samples: Sequence[BootstrapSample],
    names: Sequence[str],
    options: Options,
    *,
    reference: str | None = None,
) -> Comparisons:
    """Run `paired_bootstrap` on validated samples and options."""
    engine, estimates = resample(samples, options)
    comparisons = {}
    for i, spec in enumerate(options.specs):
        metric_estimates = [one[spec.label] for one in estimates]
        comparisons[spec.label] = Comparison.from_pairs(
            metric_estimates,
            [
                _difference(engine, i, (a, b), names, metric_estimates, options)
                for a, b in model_pairs(names, reference)
            ],
            spec.higher_is_better,
            options.confidence_level,
            names=tuple(names),
            alternative=options.alternative,
            method=f"{_pair_method(spec, options)} bootstrap",
        )
    return Comparisons(comparisons)


def _pair_method(spec: MetricSpec, options: Options) -> PairedMethod:
    """Return the method for differences in a metric, given or by default; "bca" is of models alone.

    At re-chosen thresholds "basic" limits reject equal models too often (docs/coverage).
    """
    if options.method is not None and options.method != "bca":
        return options.method
    chooses_threshold = isinstance(spec, ThresholdSpec) and spec.chooses_threshold
    return "percentile" if chooses_threshold else PAIRED_METHOD


def _difference(
    engine: Engine,
    metric: int,
    pair: tuple[int, int],
    names: Sequence[str],
    estimates: Sequence[Estimate],
    options: Options,
) -> Pair:
    """Build the pair of two models, p not yet adjusted; warn where it is degenerate."""
    a, b = pair
    spec = options.specs[metric]
    sizes = engine.samples[0].sizes()
    subject = f"difference in {spec.label!r}"
    with np.errstate(invalid="ignore"):  # inf - inf, of best thresholds: no difference
        distribution = engine.values[a, metric] - engine.values[b, metric]
    difference = estimates[a].estimate - estimates[b].estimate
    lost = engine.lost_a_class[a] | engine.lost_a_class[b]
    n_failed, note = count_failures(spec, distribution, lost, engine.samples[a])
    most = max(estimates[model].details.n_failed for model in pair)
    if most <= MANY_FAILED * len(distribution):  # else the models' warnings say so
        message = f"the {subject} of {names[a]!r} and {names[b]!r}"
        warn_failures(message, n_failed, len(distribution), note)
    how: dict[str, Any] = {
        "method": _pair_method(spec, options),
        "alternative": options.alternative,
        "n_groups": sizes.effective_n_groups,
    }
    interval, reason = limits(
        distribution, difference, confidence_level=options.confidence_level, **how
    )
    pvalue = math.nan
    if not math.isnan(difference):
        pvalue = pvalue_from_limits(distribution, difference, **how)
        if reason is ALL_EQUAL:
            reason = f"it is {difference:.6g} in every replicate"
        if reason is not None:
            warn_user(
                f"the interval of the {subject} between {names[a]!r} and {names[b]!r} is "
                f"degenerate: {reason}",
                DegenerateDataWarning,
            )
    mean, error = mean_and_error(distribution)
    details = summarize_replicates(distribution, n_failed, sizes, options.key, mean - difference)
    note = join_notes(spec.note, note)
    return _pair(spec, (names[a], names[b]), difference, pvalue, note, details, interval, error)


def _pair(
    spec: MetricSpec,
    names: tuple[str, str],
    difference: float,
    pvalue: float,
    note: str,
    details: Replicates,
    interval: ConfidenceInterval = NOWHERE,
    standard_error: float = math.nan,
) -> Pair:
    """Build a pair; its p-value is not adjusted yet."""
    return Pair(
        metric=spec.label,
        a=names[0],
        b=names[1],
        estimate=difference,
        standard_error=standard_error,
        confidence_interval=interval,
        statistic=ratio(difference, standard_error),
        df=math.inf,
        pvalue=pvalue,
        pvalue_adjusted=pvalue,
        better=None,
        note="" if math.isnan(difference) else note,
        details=details,
    )


@documented(MODELS)
def paired_permutation_test(
    y_true: ArrayLike,
    scores: Mapping[str, ArrayLike] | ArrayLike,
    *,
    names: Sequence[str] | None = None,
    metrics: MetricsLike = "roc_auc",
    reference: str | None = None,
    n_resamples: int = 9999,
    exchange: Exchange = "ranks",
    threshold: float | None = None,
    pos_label: Any = None,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    rng: Any = None,
    n_threads: int | None = None,
    progress: bool | None = None,
) -> Comparisons:
    """Test, for every pair of models, whether exchanging them row by row could give the difference.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels.
    metrics : as in `bootstrap`
        Threshold metrics, and metrics of counts with `threshold`.
    reference : str, optional
        The model that all others are compared with; every pair by default.
    n_resamples : int, default=9999
        Number of random exchanges.
    exchange : {"ranks", "scores"}, default="ranks"
        What two models exchange on a row. "ranks": the ranks of their scores (mean ranks in
        ties), which have one scale whatever the scores' (Bandos et al.); with metrics of counts,
        their decisions. "scores": the scores as they are, for models on a common scale.
    threshold : float, optional
        Metrics of counts call a score >= threshold positive.
    confidence_level : float, default=0.95
        A model is `better` where the adjusted p-value is below 1 less this.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        About the first model less the second.

    Returns
    -------
    Comparisons
        A frozen mapping from the metric's name to its `Comparison`, every pair of models with
        difference, p-value and Holm-adjusted p-value; there are no intervals. `details` of a pair
        has the differences after each exchange; `verdict` says in words what is shown.

    Raises
    ------
    TypeError, ValueError
        For arguments without meaning; for metrics other than those named above.

    Warns
    -----
    UndefinedMetricWarning
        If a metric is undefined on the data (p is nan), or after more than 5 % of the exchanges,
        which are left out.
    DegenerateDataWarning
        If two models are identical for the test (p is 1).

    Notes
    -----
    Under the hypothesis that the two are exchangeable, each row's two numbers could as well have
    been the other model's. The rows of both are sorted together once; an exchange is a coin for
    each row, and both metrics follow from it in one pass each, without sorting. The p-value is
    (1 + number as extreme) / (1 + n_resamples), which is valid at any n_resamples (Phipson & Smyth
    2010); two-sided, extreme is meant in absolute value. Cost is O(n) for each exchange.

    References
    ----------
    Bandos, Rockette & Gur (2005), A permutation test sensitive to differences in areas for
    comparing ROC curves from a paired design, Statistics in Medicine 24:2873-2893. Phipson &
    Smyth (2010), Permutation p-values should never be zero, SAGMB 9:39.

    Examples
    --------
    >>> y = [1, 0, 1, 1, 0, 0, 1, 0, 1, 0]
    >>> scores = {"a": [9, 3, 8, 7, 4, 5, 6, 2, 1, 0], "b": [2, 3, 8, 1, 4, 7, 6, 5, 9, 0]}
    >>> pair = paired_permutation_test(y, scores, rng=1)["roc_auc"]["a", "b"]
    >>> round(pair.difference, 2), 0 < pair.pvalue < 1
    (0.2, True)
    """
    specs = metric_specs(metrics)
    count = check_integer("n_resamples", n_resamples, low=1, high=10**8)
    check_choice("exchange", exchange, get_args(Exchange))
    level = check_confidence_level(confidence_level)
    check_alternative(alternative)
    threshold = None if threshold is None else real_threshold(threshold)
    for spec in specs:
        if not isinstance(spec, CountSpec | ThresholdSpec):
            raise InputError(
                f"a permutation test is for threshold metrics and metrics of counts: got "
                f"{spec.label!r}"
            )
        if isinstance(spec, CountSpec) and threshold is None:
            raise InputError(f"{spec.label!r} counts decisions: pass `threshold`")
    options = Options(specs, count, level, seed_key(rng), None, alternative, progress=progress)
    models = named_scores(scores, names, at_least=2)
    checked = check_models(y_true, models, pos_label=pos_label)
    tested = model_pairs(checked.names, reference)
    n = len(checked.rows.labels)
    values: dict[tuple[str, int], float] = {}
    pairs: dict[str, list[Pair]] = {spec.label: [] for spec in specs}
    for a, b in tested:
        pair_names = (checked.names[a], checked.names[b])
        for how in (exchange, "decisions"):  # decisions are other numbers than scores
            are_counts = how == "decisions"
            group = [spec for spec in specs if isinstance(spec, CountSpec) == are_counts]
            if not group:
                continue
            both = checked.model_rows(a), checked.model_rows(b)
            pooled = _pool_models(both, how, threshold)
            observed, null = _run_exchanges(pooled, group, options, " - ".join(pair_names))
            for spec, both_values, distribution in zip(group, observed, null, strict=True):
                pairs[spec.label].append(
                    _test_pair(spec, pair_names, both_values, distribution, options, n)
                )
                values[spec.label, a], values[spec.label, b] = both_values
    n_models = len(checked.names)
    return Comparisons(
        {
            spec.label: Comparison.from_pairs(
                [_estimate(spec, values[spec.label, k], options, n) for k in range(n_models)],
                pairs[spec.label],
                spec.higher_is_better,
                level,
                names=checked.names,
                alternative=alternative,
                method=f"permutation of {exchange}",
            )
            for spec in specs
        }
    )


def _estimate(spec: MetricSpec, value: float, options: Options, n: int) -> Estimate:
    """Build the estimate of a model's metric; exchanges give no standard error."""
    return Estimate(
        metric=spec.label,
        estimate=value,
        standard_error=math.nan,
        confidence_interval=NOWHERE,
        df=math.inf,
        confidence_level=options.confidence_level,
        method="permutation",
        n_samples=float(n),
    )


def _run_exchanges(
    pooled: tuple[ScoredRowSample, NDArray[np.uint8]],
    specs: list[MetricSpec],
    options: Options,
    description: str,
) -> tuple[list[list[float]], NDArray[np.float64]]:
    """Compute each metric of both models, and the differences after exchanges of rows."""
    sample, second = pooled
    n = sample.n_units
    engine = Engine([sample], specs, Draws(options.key, n))
    size = max(1, _BATCH_BYTES // padded(2 * n))
    null = np.empty((len(specs), options.n_resamples))

    def exchange(coins: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Exchange the rows with coin 1; compute values (models, metrics, replicates)."""
        counts = np.zeros((2, len(coins), padded(2 * n)), np.uint8)
        exchange_rows(coins, sample.units, second, *counts)
        return np.stack([engine.metric_values(sample.measure(engine.ops, one)) for one in counts])

    observed = exchange(np.zeros((1, -(-n // 64)), np.uint64))[..., 0]

    def job(start: int, count: int) -> None:
        coins = np.stack([_coins(options.key, start + r, n) for r in range(count)])
        first_values, second_values = exchange(coins)
        with np.errstate(invalid="ignore"):  # inf - inf, of best thresholds: no difference
            null[:, start : start + count] = first_values - second_values

    run_batches(
        job,
        range(0, options.n_resamples, size),
        progress=options.progress,
        description=description,
        unit="exchanges",
    )
    return observed.T.tolist(), null


def _coins(key: NDArray[np.uint64], replicate: int, n: int) -> NDArray[np.uint64]:
    """Draw a fair coin for each row, 64 in an integer, the lowest bit first."""
    half = -(-n // 128)
    bits = np.empty(2 * half, np.uint64)
    philox(key, 0, 0, replicate, BITS, half, bits)
    return bits


def _mean_ranks(scores: NDArray[Any]) -> NDArray[np.float64]:
    order = row_order(scores)
    return order.spread((order.starts[:-1] + order.starts[1:] + 1.0) / 2.0)


def _pool_models(
    pair: tuple[BinaryRows, BinaryRows], exchange: str, threshold: Any
) -> tuple[ScoredRowSample, NDArray[np.uint8]]:
    """Pool the rows of both models, sorted by what they exchange; mark the second's with 1."""
    first, second = pair
    n = len(first.labels)
    if exchange == "ranks":
        values = np.concatenate([_mean_ranks(rows.scores) for rows in pair])
    elif exchange == "decisions":
        at = real_threshold(threshold)
        called = [is_called_positive(rows.scores, at) for rows in pair]
        values = np.concatenate(called).astype(np.float64)
    else:
        values = np.concatenate((first.scores, second.scores))
    # Coins belong to rows in a canonical order, so that the given order does not matter.
    order = lexsort_rows(first.scores, first.labels, second.scores)
    units = np.tile(invert_order(order), 2)
    labels = np.concatenate((first.labels, second.labels))
    both = first.replace(labels=labels, scores=values, weights=None)
    rows, indices = sort_rows(both)
    sample = ScoredRowSample(
        n_rows=2 * n,
        n_units=n,
        n=2 * n,
        units=units[indices],
        rows=rows,
        cut=rows.called_positive(1.0 if exchange == "decisions" else None),
    )
    is_second = np.zeros(padded(2 * n), np.uint8)
    is_second[: 2 * n] = indices >= n
    return sample, is_second


def _test_pair(
    spec: MetricSpec,
    names: tuple[str, str],
    values: list[float],
    null: NDArray[np.float64],
    options: Options,
    n: int,
) -> Pair:
    """Build the tested pair, p not yet adjusted; warn where it is degenerate."""
    either = f"{names[0]!r} or {names[1]!r}"
    # No exchange loses a class.
    n_failed, note = failures(null, otherwise=spec.undefined_where, what="p-value")
    difference = values[0] - values[1]
    pvalue = math.nan
    if math.isnan(difference):
        message = f"{spec.label!r} is not defined for {either}: nor is the test"
        warn_user(message, UndefinedMetricWarning)
    else:
        if not np.any(null) and difference == 0:
            warn_user(
                f"{names[0]!r} and {names[1]!r} do not differ in {spec.label!r} after any "
                "exchange: p is 1",
                DegenerateDataWarning,
            )
        # The slack keeps equal differences as extreme in spite of rounding.
        slack = _SLACK * max(map(abs, values)) if math.isfinite(difference) else 0.0
        if options.alternative == "two-sided":
            extreme = np.abs(null) >= abs(difference) - slack
        elif options.alternative == "greater":
            extreme = null >= difference - slack
        else:
            extreme = null <= difference + slack
        pvalue = MonteCarloPValue.of(int(np.count_nonzero(extreme)), len(null) - n_failed)
        warn_failures(f"{spec.label!r} of {either}", n_failed, len(null), note)
    details = summarize_replicates(null, n_failed, Sizes(float(n), float(n)), options.key)
    return _pair(spec, names, difference, pvalue, note, details)
