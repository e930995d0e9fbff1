"""``paired_permutation_test``: whether models are exchangeable on the rows that both scored."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import MonteCarloPValue
from fastmetrics._docs import documented
from fastmetrics._input.models import MODELS, check_models, named_scores, pairs_of
from fastmetrics._input.rows import BinaryRows
from fastmetrics._input.scalars import (
    Alternative,
    check_alternative,
    check_choice,
    check_confidence_level,
    check_integer,
    seed_key,
)
from fastmetrics._kernels import replicates, resampling as kernels
from fastmetrics._results import ConfidenceInterval
from fastmetrics._threads.workers import run_batches
from fastmetrics.errors import DegenerateDataWarning, InputError, UndefinedMetricWarning, warn_user
from fastmetrics.inference.bootstrap._draws import Draws
from fastmetrics.inference.bootstrap._engine import Engine, Failures, replicates_of
from fastmetrics.inference.bootstrap._forms import ScoredRows
from fastmetrics.inference.bootstrap._plans import CountPlan, Planned, planned
from fastmetrics.inference.bootstrap._rows import inverse_of, order_of, padded, rows_of_arrays
from fastmetrics.inference.bootstrap._threshold_plans import ThresholdPlan
from fastmetrics.inference.bootstrap.bootstrap import Options
from fastmetrics.inference.comparison_result import Comparison, Comparisons
from fastmetrics.inference.estimate_result import Estimate, Pair
from fastmetrics.inference.units import Sizes
from fastmetrics.measures.asking import MetricsLike
from fastmetrics.tables.ordering import row_order
from fastmetrics.tables.score_table import is_called_positive, real_threshold

Exchange = Literal["ranks", "scores"]

_BATCH_BYTES = 1 << 18
_ROUNDING = 1e-12


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
        _pair(one, names, values[i], null[i], options, n) for i, one in enumerate(asked)
    ]


def _coins(key: NDArray[np.uint64], replicate: int, n: int) -> NDArray[np.uint64]:
    """Return a fair coin for each row: bits, the lowest of a word first."""
    half = -(-n // 128)
    words = np.empty(2 * half, np.uint64)
    kernels.philox(key, 0, 0, replicate, kernels.BITS, half, words)
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
    both = replace(first, labels=labels, scores=values, weights=None)
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


def _pair(
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
        slack = _ROUNDING * max(map(abs, values)) if math.isfinite(difference) else 0.0
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
