"""``paired_bootstrap`` and ``paired_permutation_test``: models compared on the same rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import MonteCarloPValue
from fastmetrics._docs import documented
from fastmetrics._input.models import MODELS, check_models, named_scores, pairs_of
from fastmetrics._input.rows import BinaryRows
from fastmetrics._input.scalars import (
    Alternative,
    WeightsAre,
    check_alternative,
    check_choice,
    check_confidence_level,
    check_integer,
    check_weights_are,
    seed_key,
)
from fastmetrics._kernels import replicates, resampling
from fastmetrics._results import ConfidenceInterval
from fastmetrics._threads.workers import run_batches
from fastmetrics.errors import DegenerateDataWarning, InputError, UndefinedMetricWarning, warn_user
from fastmetrics.inference.bootstrap._draws import (
    Draws,
    Method,
    Resampling,
    inverse_of,
    order_of,
    padded,
    rows_of_arrays,
)
from fastmetrics.inference.bootstrap._engine import (
    ALL_EQUAL,
    Engine,
    Failures,
    acceleration,
    joined,
    limits,
    mean_and_error,
    pvalue_of_limits,
    replicates_of,
)
from fastmetrics.inference.bootstrap._parse import Given, parse_models
from fastmetrics.inference.bootstrap._samples import Form, ScoredRows
from fastmetrics.inference.bootstrap._specs import (
    RESAMPLED,
    CountPlan,
    Planned,
    ThresholdPlan,
    planned,
)
from fastmetrics.inference.bootstrap.bootstrap import (
    Options,
    by_bca,
    check_methods,
    checked_options,
    failures_of,
    results_of,
)
from fastmetrics.inference.comparison_result import Comparison, Comparisons
from fastmetrics.inference.estimate_result import Estimate, Pair
from fastmetrics.inference.reference import ratio
from fastmetrics.inference.units import Sizes
from fastmetrics.measures.asking import MetricsLike
from fastmetrics.tables.ordering import row_order
from fastmetrics.tables.score_table import is_called_positive, real_threshold

# ``paired_permutation_test``: whether models are exchangeable on the rows that both scored.


Exchange = Literal["ranks", "scores"]

_BATCH_BYTES = 1 << 18
_SLACK = 1e-12


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
        Threshold measures, and measures of counts with `threshold`.
    reference : str, optional
        The model that all others are compared with; every pair by default.
    n_resamples : int, default=9999
        Number of random exchanges.
    exchange : {"ranks", "scores"}, default="ranks"
        What two models exchange on a row. "ranks": the ranks of their scores (mean ranks in
        ties), which have one scale whatever the scores' (Bandos et al.); with measures of counts,
        their decisions. "scores": the scores as they are, for models on a common scale.
    threshold : float, optional
        Measures of counts call a score >= threshold positive.
    confidence_level : float, default=0.95
        A model is `better` where the adjusted p-value is below 1 less this.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        About the first model less the second.

    Returns
    -------
    Comparisons
        A frozen mapping from the measure's name to its `Comparison`, every pair of models with
        difference, p-value and Holm-adjusted p-value; there are no intervals. `details` of a pair
        has the differences after each exchange; `verdict` says in words what is shown.

    Raises
    ------
    TypeError, ValueError
        For arguments without meaning; for measures other than those named above.

    Warns
    -----
    UndefinedMetricWarning
        If a measure is undefined on the data (p is nan), or after more than 5 % of the exchanges,
        which are left out.
    DegenerateDataWarning
        If two models are identical for the test (p is 1).

    Notes
    -----
    Under the hypothesis that the two are exchangeable, each row's two numbers could as well have
    been the other model's. The rows of both are sorted together once; an exchange is a coin for
    each row, and both measures follow from it in one pass each, without sorting. The p-value is
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
    asked = planned(metrics)
    count = check_integer("n_resamples", n_resamples, low=1, high=10**8)
    check_choice("exchange", exchange, get_args(Exchange))
    level = check_confidence_level(confidence_level)
    check_alternative(alternative)
    threshold = None if threshold is None else real_threshold(threshold)
    _check_metrics(asked, threshold)
    key = seed_key(rng)
    models = named_scores(scores, names, at_least=2)
    checked = check_models(y_true, models, pos_label=pos_label)
    places = pairs_of(checked.names, reference)
    options = Options(
        asked=asked,
        n_resamples=count,
        confidence_level=level,
        alternative=alternative,
        key=key,
        progress=progress,
    )
    of_models: dict[tuple[str, int], Estimate] = {}
    n = len(checked.rows.labels)
    pairs: dict[str, list[Pair]] = {one.label: [] for one in asked}
    for a, b in places:
        of_pair = (checked.names[a], checked.names[b])
        for how in (exchange, "decisions"):  # decisions are other numbers than scores
            are_counts = how == "decisions"
            group = [one for one in asked if isinstance(one.plan, CountPlan) == are_counts]
            if not group:
                continue
            both = checked.rows_of(a), checked.rows_of(b)
            pooled = _pooled(both, how, threshold)
            found = _test_pair(pooled, of_pair, group, options)
            for one, values, pair in zip(group, *found, strict=True):
                pairs[one.label].append(pair)
                for model, value in zip((a, b), values, strict=True):
                    of_models[one.label, model] = _estimate(one, value, options, n)
    return Comparisons(
        {
            one.label: Comparison.of(
                [of_models[one.label, k] for k in range(len(checked.names))],
                pairs[one.label],
                one.higher_is_better,
                level,
                names=checked.names,
                alternative=alternative,
                method=f"permutation of {exchange}",
            )
            for one in asked
        }
    )


def _estimate(one: Planned, value: float, options: Options, n: int) -> Estimate:
    """Return the measure of a model, of which exchanges say no error."""
    return Estimate(
        metric=one.label,
        estimate=value,
        standard_error=math.nan,
        confidence_interval=ConfidenceInterval(math.nan, math.nan),
        df=math.inf,
        confidence_level=options.confidence_level,
        method="permutation",
        n_samples=float(n),
    )


def _check_metrics(asked: list[Planned], threshold: Any) -> None:
    for one in asked:
        if isinstance(one.plan, CountPlan):
            if threshold is None:
                raise InputError(f"{one.label!r} counts decisions: pass `threshold`")
        elif not isinstance(one.plan, ThresholdPlan):
            raise InputError(
                f"a permutation test is for threshold measures and measures of counts: got "
                f"{one.label!r}"
            )


def _test_pair(
    pooled: tuple[ScoredRows, NDArray[np.uint8]],
    names: tuple[str, str],
    asked: list[Planned],
    options: Options,
) -> tuple[list[list[float]], list[Pair]]:
    """Return each measure of both models, and how they differ."""
    (form, second), key = pooled, options.key
    n = form.n_units
    engine = Engine([form], asked, Draws(key, n))
    size = max(1, _BATCH_BYTES // padded(2 * n))
    null = np.empty((len(asked), options.n_resamples))

    def of_both(coins: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Return (models, measures, replicates), rows with coin 1 being exchanged."""
        counts = np.zeros((2, len(coins), padded(2 * n)), np.uint8)
        replicates.exchange_rows(coins, form.units, second, *counts)
        return np.stack([engine.values(form, form.measure(engine.needs, one)) for one in counts])

    observed = of_both(np.zeros((1, -(-n // 64)), np.uint64))[..., 0]

    def job(start: int, count: int) -> None:
        coins = np.stack([_coins(key, start + r, n) for r in range(count)])
        of_first, of_second = of_both(coins)
        with np.errstate(invalid="ignore"):  # inf - inf, of best thresholds: no difference
            null[:, start : start + count] = of_first - of_second

    run_batches(
        job,
        range(0, options.n_resamples, size),
        progress=options.progress,
        description=f"{names[0]} - {names[1]}",
        unit="exchanges",
    )
    values = observed.T.tolist()
    return values, [
        _exchanged_pair(one, names, values[i], null[i], options, n) for i, one in enumerate(asked)
    ]


def _coins(key: NDArray[np.uint64], replicate: int, n: int) -> NDArray[np.uint64]:
    """Return a fair coin for each row: bits, the lowest of a word first."""
    half = -(-n // 128)
    words = np.empty(2 * half, np.uint64)
    resampling.philox(key, 0, 0, replicate, resampling.BITS, half, words)
    return words


def _mean_ranks(scores: NDArray[Any]) -> NDArray[np.float64]:
    found = row_order(scores)
    return found.spread((found.starts[:-1] + found.starts[1:] + 1.0) / 2.0)


def _pooled(
    pair: tuple[BinaryRows, BinaryRows], exchange: str, threshold: Any
) -> tuple[ScoredRows, NDArray[np.uint8]]:
    """Return the rows of both models, sorted by what they exchange, and which are the second's."""
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
    # The coins go with the rows' canonical order, so that they do not depend on how rows came.
    order = order_of(first.scores, first.labels, second.scores)
    units = np.tile(inverse_of(order), 2)
    labels = np.concatenate((first.labels, second.labels))
    both = first.replace(labels=labels, scores=values, weights=None)
    rows, places = rows_of_arrays(both)
    form = ScoredRows(
        n_rows=2 * n,
        n_units=n,
        n=2 * n,
        units=units[places],
        rows=rows,
        cut=rows.called_positive(1.0 if exchange == "decisions" else None),
    )
    is_second = np.zeros(padded(2 * n), np.uint8)
    is_second[: 2 * n] = places >= n
    return form, is_second


def _exchanged_pair(
    one: Planned,
    names: tuple[str, str],
    values: list[float],
    null: NDArray[np.float64],
    options: Options,
    n: int,
) -> Pair:
    """Return one pair, its p not yet adjusted, with the warnings that it deserves."""
    metric = one.label
    why = one.plan.undefined_where  # no exchange loses a class
    failures = Failures.of(null, otherwise=why, what="p-value")
    difference = values[0] - values[1]
    if math.isnan(difference):
        message = f"{metric!r} is not defined for {names[0]!r} or {names[1]!r}: nor is the test"
        warn_user(message, UndefinedMetricWarning)
        pvalue = math.nan
    else:
        if not np.any(null) and difference == 0:
            warn_user(
                f"{names[0]!r} and {names[1]!r} do not differ in {metric!r} after any exchange: "
                "p is 1",
                DegenerateDataWarning,
            )
        # Equal differences are as extreme, though their values may be sums that were rounded.
        slack = _SLACK * max(map(abs, values)) if math.isfinite(difference) else 0.0
        if options.alternative == "two-sided":
            extreme = np.abs(null) >= abs(difference) - slack
        elif options.alternative == "greater":
            extreme = null >= difference - slack
        else:
            extreme = null <= difference + slack
        defined = len(null) - failures.n
        pvalue = MonteCarloPValue.of(int(np.count_nonzero(extreme)), defined)
        failures.warn(f"{metric!r} of {names[0]!r} or {names[1]!r}")
    return Pair(
        metric=metric,
        a=names[0],
        b=names[1],
        estimate=difference,
        standard_error=math.nan,
        confidence_interval=ConfidenceInterval(math.nan, math.nan),
        statistic=math.nan,
        df=math.inf,
        pvalue=pvalue,
        pvalue_holm=pvalue,
        better=None,
        note="" if math.isnan(difference) else failures.note,
        details=replicates_of(null, failures, Sizes(float(n), float(n)), options.key),
    )


PairedMethod = Literal["percentile", "basic", "bca"]

#: Of differences, where no method is asked for.
PAIRED_METHOD: Final = "basic"


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
    resampling: Resampling = "multinomial",
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
    method : {"percentile", "basic", "bca"}, optional
        Which interval, of the models and of their differences. None takes "basic" for differences,
        which covers best there (``docs/coverage.md``), "percentile" where each replicate looks for
        a threshold (KS, the best threshold, recall at a precision), and for a model's own measure
        what `bootstrap` takes.
    threshold : float, optional
        Measures of counts call a score >= threshold positive, whatever the model.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        Of the p-values, about the first model less the second; and which limits there are, as in
        `bootstrap`: "greater" has a lower one.

    Returns
    -------
    Comparisons
        A frozen mapping from the measure's name to its `Comparison`: each model's `Estimate`, and
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
    >>> round(pair.difference, 2), pair.pvalue_holm == pair.pvalue
    (0.2, True)
    """
    if method not in (None, "percentile", "basic", "bca"):
        raise InputError(f"`method` must be 'percentile', 'basic' or 'bca': got {method!r}")
    models = named_scores(scores, names, at_least=2)
    pairs_of([model.name for model in models], reference)  # or raise, before any work
    read = check_weights_are(sample_weight, weights_are)
    given = Given(y_true, models, sample_weight, read, pos_label, groups, threshold)
    options = checked_options(
        given,
        metrics=metrics,
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        method=method,
        alternative=alternative,
        stratified=stratified,
        resampling=resampling,
        rng=rng,
        progress=progress,
        n_models=len(models) * (len(models) + 1) // 2,  # each, and every pair
    )
    forms, of_models = parsed_models(given, options), [model.name for model in models]
    return compared(forms, of_models, options, reference=reference, method_of_models=method)


def parsed_models(given: Given, options: Options) -> list[Form]:
    """Return the data of each model in the form in which they are resampled."""
    if options.method == "bca" and given.groups is not None:
        raise InputError(
            "`method='bca'` is not defined for differences of groups: take `method='percentile'`"
        )
    return parse_models(given, options.asked)


def compared(
    forms: Sequence[Form],
    names: Sequence[str],
    options: Options,
    *,
    method_of_models: Method | None,
    reference: str | None = None,
) -> Comparisons:
    """Return what `paired_bootstrap` does, from data and options that are checked.

    ``method_of_models`` is that of their own intervals; None takes what `bootstrap` takes.
    """
    for form in forms:
        check_methods(form, options)
    engine = Engine(forms, options.asked, options.draws(forms[0]))
    estimates = [engine.estimates(m) for m in range(len(names))]
    found = engine.run(options.n_resamples, progress=options.progress)
    due = by_bca(engine, estimates, method_of_models)
    accelerations = engine.accelerations(due, options.stratified)
    own = [
        results_of(engine, m, estimates[m], found, options, accelerations, method_of_models)
        for m in range(len(names))
    ]
    forms[0].warn_of_sizes()
    comparisons = {}
    for i, one in enumerate(options.asked):
        pairs = []
        for a, b in pairs_of(names, reference):
            extra = {}
            if options.method == "bca":
                extra["acceleration"] = _acceleration(engine, options, (a, b), i)
            with np.errstate(invalid="ignore"):  # inf - inf, of best thresholds: no difference
                replicates = found.values[a, i] - found.values[b, i]
            difference = estimates[a][i] - estimates[b][i]
            lost = found.lost_a_class[a] | found.lost_a_class[b]
            failures = failures_of(one, replicates, lost, forms[a], options)
            most = max(own[m][one.label].details.n_failed for m in (a, b))
            if not failures._replace(n=most).are_many:  # else the models have said so
                failures.warn(f"the difference in {one.label!r} of {names[a]!r} and {names[b]!r}")
            sizes = forms[0].sizes()
            of_pair = names[a], names[b]
            pairs.append(
                _pair(one, of_pair, difference, replicates, options, failures, sizes, **extra)
            )
        comparisons[one.label] = Comparison.of(
            [estimates_of_one[one.label] for estimates_of_one in own],
            pairs,
            one.higher_is_better,
            options.confidence_level,
            names=tuple(names),
            alternative=options.alternative,
            method=f"{options.method or paired_method(one)} bootstrap",
        )
    return Comparisons(comparisons)


def paired_method(one: Planned) -> PairedMethod:
    """Return the method of the differences in a measure where the user has named none.

    At thresholds found on the data basic limits tell equal models apart (docs/coverage).
    """
    is_of_a_choice = isinstance(one.plan, ThresholdPlan) and one.plan.is_of_a_choice
    return "percentile" if is_of_a_choice else PAIRED_METHOD


def _acceleration(engine: Engine, options: Options, pair: tuple[int, int], measure: int) -> float:
    """Return the acceleration of a measure of the first model less that of the second."""
    a, b = pair
    difference = engine.contributions(a, measure) - engine.contributions(b, measure)
    classes = engine.forms[0].by_class(difference) if options.stratified else [difference]
    return acceleration(classes, stratified=options.stratified)


def _pair(
    one: Planned,
    names: tuple[str, str],
    difference: float,
    replicates: NDArray[np.float64],
    options: Options,
    failures: Failures,
    sizes: Sizes,
    **extra: float,
) -> Pair:
    """Return one pair, its p not yet adjusted, with the warnings that it deserves."""
    how: dict[str, Any] = {
        "method": options.method or paired_method(one),
        "alternative": options.alternative,
        "n_groups": sizes.effective_n_groups,
        **extra,
    }
    interval, reason = limits(
        replicates, difference, confidence_level=options.confidence_level, **how
    )
    pvalue = math.nan
    if not math.isnan(difference):
        pvalue = pvalue_of_limits(replicates, difference, **how)
        if reason is ALL_EQUAL:
            reason = f"it is {difference:.6g} in every replicate"
        if reason is not None:
            warn_user(
                f"the interval of the difference in {one.label!r} between {names[0]!r} and "
                f"{names[1]!r} is degenerate: {reason}",
                DegenerateDataWarning,
            )
    mean, error = mean_and_error(replicates)
    return Pair(
        metric=one.label,
        a=names[0],
        b=names[1],
        estimate=difference,
        standard_error=error,
        confidence_interval=interval,
        statistic=ratio(difference, error),
        df=math.inf,
        pvalue=pvalue,
        pvalue_holm=pvalue,
        better=None,
        note="" if math.isnan(difference) else joined(one.plan.note, failures.note),
        details=replicates_of(replicates, failures, sizes, options.key, mean - difference),
    )
