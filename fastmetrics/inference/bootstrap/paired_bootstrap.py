"""``paired_bootstrap``: models compared on the same rows, by the same draws."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.models import MODELS, named_scores, pairs_of
from fastmetrics._input.scalars import Alternative, WeightsAre, check_weights_are
from fastmetrics.errors import DegenerateDataWarning, InputError, warn_user
from fastmetrics.inference.bootstrap._draws import Resampling
from fastmetrics.inference.bootstrap._engine import Engine, Failures, joined, replicates_of
from fastmetrics.inference.bootstrap._forms import Form
from fastmetrics.inference.bootstrap._limits import (
    ALL_EQUAL,
    Method,
    acceleration,
    limits,
    mean_and_error,
    pvalue_of_limits,
)
from fastmetrics.inference.bootstrap._parse import Given, parse_models
from fastmetrics.inference.bootstrap._plans import RESAMPLED, Planned
from fastmetrics.inference.bootstrap._threshold_plans import ThresholdPlan
from fastmetrics.inference.bootstrap.bootstrap import (
    Options,
    by_bca,
    check_methods,
    checked_options,
    failures_of,
    results_of,
)
from fastmetrics.inference.comparison_result import Comparison, Comparisons
from fastmetrics.inference.estimate_result import Pair
from fastmetrics.inference.reference import ratio
from fastmetrics.inference.units import Sizes
from fastmetrics.measures.asking import MetricsLike

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
    strata = engine.forms[0].classes() if options.stratified else None
    difference = engine.contributions(a, measure) - engine.contributions(b, measure)
    return acceleration(difference, strata=strata)


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
