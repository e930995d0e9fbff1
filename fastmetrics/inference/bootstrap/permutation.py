"""``paired_permutation_test``: whether models are exchangeable on the rows that both scored."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display.numbers import MonteCarloPValue
from fastmetrics._display.table import Display
from fastmetrics._docs import documented
from fastmetrics._input.models import MODELS, check_models, named_scores, pair_of
from fastmetrics._input.rows import BinaryRows
from fastmetrics._input.scalars import (
    Alternative,
    check_alternative,
    check_choice,
    check_integer,
    check_n_threads,
    key_text,
    seed_key,
)
from fastmetrics._kernels.replicates import replicate_pairs, resampling as kernels
from fastmetrics._results import Difference, Result, equals
from fastmetrics._threads.workers import run_batches
from fastmetrics.errors import DegenerateDataWarning, InputError, UndefinedMetricWarning, warn_user
from fastmetrics.inference._pvalues import holm
from fastmetrics.inference.bootstrap._draws import Draws, padded
from fastmetrics.inference.bootstrap._engine import Engine, Failures
from fastmetrics.inference.bootstrap._forms import ScoredRows
from fastmetrics.inference.bootstrap._orders import inverse_of, order_of
from fastmetrics.inference.bootstrap._plans import CountPlan, Planned, planned
from fastmetrics.inference.bootstrap._result_tables import differences_table
from fastmetrics.inference.bootstrap._rows import rows_of_arrays
from fastmetrics.inference.bootstrap._threshold_plans import ThresholdPlan
from fastmetrics.measures.asking import MetricsLike
from fastmetrics.tables.ordering.row_order import row_order
from fastmetrics.tables.scores._threshold import is_called_positive, real_threshold

Exchange = Literal["ranks", "scores"]

_BATCH_BYTES = 1 << 18
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, repr=False)
class PermutedDifference(Difference):
    """A difference between two models, and how it stands among the exchanges.

    Attributes
    ----------
    metric, model_a, model_b : str
    difference : float
        The measure of `model_a` less that of `model_b`.
    pvalue : float
        Share of exchanges, the data themselves among them, that differ at least as much.
        ``pvalue.is_bound`` says that none does: p is at most that.
    pvalue_holm : float
        Adjusted for all pairs of models that were compared by this measure.
    null_distribution : ndarray of shape (n_resamples,)
        The difference after each exchange; nan where one is undefined. Read-only.
    n_failed : int
        Exchanges after which the measure of either is undefined: the p-value is then of the
        others, conditional on both being defined.
    """

    metric: str
    model_a: str
    model_b: str
    difference: float
    pvalue: float
    pvalue_holm: float
    null_distribution: NDArray[np.float64] = field(repr=False)
    n_failed: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class PairedPermutationTest(Result):
    """Models compared by a paired permutation test.

    Attributes
    ----------
    differences : mapping of str to tuple of PermutedDifference
        For each measure, every pair of models in the order given.
    exchange, alternative : str
    n_resamples : int
    key : str
        ``rng=key`` makes the same exchanges again.
    """

    differences: Mapping[str, tuple[PermutedDifference, ...]]
    exchange: Exchange
    alternative: Alternative
    n_resamples: int
    key: str

    def __getitem__(self, asked: str | tuple[str, str, str]) -> PermutedDifference:
        """Return a difference: by the measure, of several pairs by (measure, model, model)."""
        return pair_of(self.differences, asked)

    def __repr__(self) -> str:
        inside = ", ".join(
            f"{pair.metric}: {pair.model_a} - {pair.model_b} = {pair.difference:.6g}, "
            f"pvalue{equals(pair.pvalue)}{pair.pvalue:.6g}"
            for pairs in self.differences.values()
            for pair in pairs
        )
        return f"PairedPermutationTest({inside})"

    def _shown(self) -> Display:
        note = (
            f"p: {self.alternative}, {self.n_resamples:,} exchanges of {self.exchange}; "
            f"`rng={self.key!r}` makes them again."
        )
        return Display([differences_table(self.differences)], type(self).__name__, [note])


@documented(MODELS)
def paired_permutation_test(
    y_true: ArrayLike,
    scores: Mapping[str, ArrayLike] | ArrayLike,
    *,
    names: Sequence[str] | None = None,
    metrics: MetricsLike = "roc_auc",
    n_resamples: int = 9999,
    exchange: Exchange = "ranks",
    threshold: float | None = None,
    pos_label: Any = None,
    alternative: Alternative = "two-sided",
    rng: Any = None,
    n_threads: int | None = None,
    progress: bool | None = None,
) -> PairedPermutationTest:
    """Test, for every pair of models, whether exchanging them row by row could give the difference.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels.
    metrics : as in `bootstrap`
        Threshold measures, and measures of counts with `threshold`.
    n_resamples : int, default=9999
        Number of random exchanges.
    exchange : {"ranks", "scores"}, default="ranks"
        What two models exchange on a row. "ranks": the ranks of their scores (mean ranks in
        ties), which have one scale whatever the scores' (Bandos et al.); with measures of counts,
        their decisions. "scores": the scores as they are, for models on a common scale.
    threshold : float, optional
        Measures of counts call a score >= threshold positive.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        About the first model less the second.

    Returns
    -------
    PairedPermutationTest
        For each measure, every pair of models: difference, p-value, Holm-adjusted p-value.

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
    >>> pair = paired_permutation_test(y, scores, rng=1).differences["roc_auc"][0]
    >>> round(pair.difference, 2), 0 < pair.pvalue < 1
    (0.2, True)
    """
    asked = planned(metrics)
    count = check_integer("n_resamples", n_resamples, low=1, high=10**8)
    check_choice("exchange", exchange, get_args(Exchange))
    check_alternative(alternative)
    _check_metrics(asked, threshold)
    threads = check_n_threads(n_threads)
    key = seed_key(rng)
    models = named_scores(scores, names, at_least=2)
    checked = check_models(y_true, models, pos_label=pos_label)
    found: dict[str, list[dict[str, Any]]] = {one.label: [] for one in asked}
    for a, b in combinations(range(len(checked.names)), 2):
        pair = (checked.rows_of(a), checked.rows_of(b))
        of_pair = (checked.names[a], checked.names[b])
        for group in _by_kind(asked):
            results = _test_pair(
                pair,
                of_pair,
                group,
                key,
                count,
                exchange,
                threshold,
                alternative,
                threads,
                progress,
            )
            for one, result in zip(group, results, strict=True):
                found[one.label].append(result)
    differences = {}
    for label, pairs in found.items():
        adjusted = holm([one["pvalue"] for one in pairs])
        differences[label] = tuple(
            PermutedDifference(**one, pvalue_holm=p) for one, p in zip(pairs, adjusted, strict=True)
        )
    return PairedPermutationTest(differences, exchange, alternative, count, key_text(key))


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


def _by_kind(asked: list[Planned]) -> list[list[Planned]]:
    """Return the measures of scores and those of decisions, which exchange different numbers."""
    counts = [one for one in asked if isinstance(one.plan, CountPlan)]
    others = [one for one in asked if not isinstance(one.plan, CountPlan)]
    return [group for group in (others, counts) if group]


class _Pooled(NamedTuple):
    """Both models' rows in one order, and which of them are the second model's."""

    form: ScoredRows
    second: NDArray[np.uint8]


def _test_pair(
    pair: tuple[BinaryRows, BinaryRows],
    names: tuple[str, str],
    asked: list[Planned],
    key: NDArray[np.uint64],
    n_resamples: int,
    exchange: Exchange,
    threshold: Any,
    alternative: Alternative,
    n_threads: int | None,
    progress: bool | None,
) -> list[dict[str, Any]]:
    decisions = isinstance(asked[0].plan, CountPlan)
    pooled = _pooled(pair, "decisions" if decisions else exchange, threshold, n_threads)
    n = len(pair[0].labels)
    engine = Engine([pooled.form], asked, Draws(key, n))
    size = max(1, _BATCH_BYTES // padded(2 * n))
    null = np.empty((len(asked), n_resamples))
    observed = _values_of_both(engine, pooled, np.zeros((1, -(-n // 64)), np.uint64))[..., 0]

    def job(start: int, count: int) -> None:
        coins = np.stack([_coins(key, start + r, n) for r in range(count)])
        of_first, of_second = _values_of_both(engine, pooled, coins)
        with np.errstate(invalid="ignore"):  # inf - inf, of best thresholds: no difference
            null[:, start : start + count] = of_first - of_second

    run_batches(
        job,
        range(0, n_resamples, size),
        n_threads=n_threads,
        progress=progress,
        description=f"{names[0]} - {names[1]}",
        unit="exchanges",
    )
    return [
        _result(one, names, observed[:, i].tolist(), null[i], alternative)
        for i, one in enumerate(asked)
    ]


def _coins(key: NDArray[np.uint64], replicate: int, n: int) -> NDArray[np.uint64]:
    """Return a fair coin for each row: bits, the lowest of a word first."""
    half = -(-n // 128)
    words = np.empty(2 * half, np.uint64)
    kernels.philox(key, 0, 0, replicate, kernels.BITS, half, words)
    return words


def _mean_ranks(scores: NDArray[Any], n_threads: int | None) -> NDArray[np.float64]:
    found = row_order(scores, n_threads)
    return found.spread((found.starts[:-1] + found.starts[1:] + 1.0) / 2.0, n_threads)


def _pooled(
    pair: tuple[BinaryRows, BinaryRows], exchange: str, threshold: Any, n_threads: int | None
) -> _Pooled:
    """Sort the rows of both models together, by what they exchange."""
    first, second = pair
    n = len(first.labels)
    if exchange == "ranks":
        values = np.concatenate([_mean_ranks(rows.scores, n_threads) for rows in pair])
    elif exchange == "decisions":
        at = real_threshold(threshold)
        called = [is_called_positive(rows.scores, at) for rows in pair]
        values = np.concatenate(called).astype(np.float64)
    else:
        values = np.concatenate((first.scores, second.scores))
    # The coins go with the rows' canonical order, so that they do not depend on how rows came.
    order = order_of(first.scores, first.labels, second.scores, n_threads=n_threads)
    units = np.tile(inverse_of(order), 2)
    labels = np.concatenate((first.labels, second.labels))
    both = replace(first, labels=labels, scores=values, weights=None)
    rows, places = rows_of_arrays(both, n_threads=n_threads)
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
    return _Pooled(form, is_second)


def _values_of_both(
    engine: Engine, pooled: _Pooled, coins: NDArray[np.uint64]
) -> NDArray[np.float64]:
    """Return (models, measures, replicates), rows with coin 1 being exchanged."""
    form = pooled.form
    counts = np.zeros((2, len(coins), padded(form.n)), np.uint8)
    replicate_pairs.exchange_rows(coins, form.units, pooled.second, *counts)
    return np.stack([engine.values(form, form.measure(engine.needs, mine)) for mine in counts])


def _result(
    one: Planned,
    names: tuple[str, str],
    values: list[float],
    null: NDArray[np.float64],
    alternative: Alternative,
) -> dict[str, Any]:
    metric = one.label
    null.flags.writeable = False
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
        if alternative == "two-sided":
            extreme = np.abs(null) >= abs(difference) - slack
        elif alternative == "greater":
            extreme = null >= difference - slack
        else:
            extreme = null <= difference + slack
        defined = len(null) - failures.n
        pvalue = MonteCarloPValue.of(int(np.count_nonzero(extreme)), defined)
        failures.warn(f"{metric!r} of {names[0]!r} or {names[1]!r}")
    return {
        "metric": metric,
        "model_a": names[0],
        "model_b": names[1],
        "difference": difference,
        "pvalue": pvalue,
        "null_distribution": null,
        "n_failed": failures.n,
    }
