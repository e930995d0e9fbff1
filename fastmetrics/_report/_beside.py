"""Beside the table of a model: intervals by influences of rows, costs, promises, probabilities."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, Final, NamedTuple

import numpy as np

from fastmetrics._display import with_limits
from fastmetrics._input.containers import as_array
from fastmetrics._input.models import NamedScores
from fastmetrics._input.rows import check_binary
from fastmetrics._input.weights import check_costs, check_prevalence
from fastmetrics._report.diagnosis import DOUBTS, SURE, doubt_of
from fastmetrics._report.model_evaluation import (
    LIMITED,
    SMOOTH,
    ModelEvaluation,
    figures_of,
    said_in_notes,
    with_estimates,
)
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import InputError, InputTypeError, renamed
from fastmetrics.inference.compare import compare
from fastmetrics.inference.comparison_result import Comparison, Comparisons
from fastmetrics.inference.costs.threshold_cost import (
    ThresholdCostInterval,
    threshold_cost_interval,
)
from fastmetrics.inference.estimate import estimate, metric_of
from fastmetrics.inference.estimate_result import Estimate
from fastmetrics.inference.guarantees.guaranteed_threshold import check_promise
from fastmetrics.inference.range_summary import LOSSES
from fastmetrics.inference.reference import NOWHERE, limits
from fastmetrics.inference.table_points import has_influences
from fastmetrics.measures.asking import MetricsLike, ask
from fastmetrics.measures.calibration.score_decomposition import ScoreDecomposition

#: What a reader of the least cost must know.
LEAST_COST: Final = (
    "Cheapest threshold: least expected cost of an example. Its cost here is too low for new data, "
    "on average: it is the least of many. Left out: each row is judged by the threshold that is "
    "the cheapest without it."
)

#: What a reader misses where rows are grouped.
NO_INTERVAL: Final = (
    "Costs have no interval where rows come in groups: each row is left out by itself, as if rows "
    "were independent."
)

#: Fields of the costs, and what readers call them.
_COSTS: Final = {
    "threshold": "cheapest threshold",
    "cost": "its cost here",
    "left_out_cost": "its cost, left out",
    "cost_at_half": "cost at 0.5",
    "cost_all_positive": "cost, all positive",
    "cost_all_negative": "cost, all negative",
}
_LIMITS: Final = {"threshold": "threshold_interval", "left_out_cost": "confidence_interval"}


#: Scores that are looked at for whether there are more than two.
_LOOK: Final = 64
#: What must be said of `LOSSES`.
PROBABILITIES: Final = "Scores lie in [0, 1]: taken for probabilities in Brier score and log loss."


def measures_beside(
    named: Sequence[NamedScores], metrics: MetricsLike | None
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return what is measured beside `SMOOTH`, by label, and what must be said of it."""
    found: dict[str, Any] = {}
    notes: tuple[str, ...] = ()
    if all(may_be_probabilities(model) for model in named):
        found, notes = {name: name for name in LOSSES}, (PROBABILITIES,)
    if metrics is None:
        return found, notes
    for one in ask(metrics):
        if not has_influences(one):
            raise InputError(
                f"`{one.label}` has no influences of rows, and an interval from a bootstrap alone: "
                "pass `n_resamples`"
            )
        is_alias = not (isinstance(metrics, Mapping) or one.parameters)
        name = one.name if is_alias else one.label
        if name not in SMOOTH:
            found[name] = metric_of(one)
    return found, notes


def may_be_probabilities(model: NamedScores) -> bool:
    """Return whether scores are fractions from 0 to 1, and not labels."""
    scores = as_array(model.values, model.argument)
    if scores.dtype.kind != "f" or len(scores) == 0:
        return False
    if not 0.0 <= float(np.min(scores)) <= float(np.max(scores)) <= 1.0:
        return False
    return bool(((scores > 0.0) & (scores < 1.0)).any())


def by_influence(
    models: list[ModelEvaluation],
    labels: Any,
    named: Sequence[NamedScores],
    more: Mapping[str, Any],
    **options: Any,
) -> tuple[list[ModelEvaluation], Comparisons | None]:
    """Return models with their errors and intervals, and of several how they differ.

    What of `LIMITED` their tables gave is not measured again. Of these models differ by `SMOOTH`,
    and by KS where it is asked for: a maximum more is no news of which model is better.
    """
    metrics = {name: name for name in LIMITED if name not in (models[0].estimates or ())} | {**more}
    if not metrics:
        return models, None
    found, pairs = found_of(labels, named, metrics, **options)
    if pairs is not None:
        tested = {*SMOOTH, *more}
        pairs = Comparisons({name: one for name, one in pairs.items() if name in tested})
    return [with_estimates(model, own) for model, own in zip(models, found, strict=True)], pairs


def found_of(
    labels: Any, named: Sequence[NamedScores], metrics: Any, **options: Any
) -> tuple[list[Mapping[str, Estimate]], Comparisons | None]:
    """Return what `estimate` says of one model, or `compare` of each of several and of pairs."""
    with said_in_notes():
        if len(named) == 1:
            with renamed(y_score=named[0].argument):
                return [estimate(labels, named[0].values, metrics=metrics, **options)], None
        scores = {model.name: model.values for model in named}
        pairs = compare(labels, scores, metrics=metrics, **options)
    return of_each_model(pairs), pairs


def of_each_model(pairs: Mapping[str, Comparison]) -> list[Mapping[str, Estimate]]:
    """Return the estimates of each model that was compared, by measure."""
    of_measures = zip(*(one.models for one in pairs.values()), strict=True)
    return [dict(zip(pairs, own, strict=True)) for own in of_measures]


# --- costs, promises, probabilities -------------------------------------------------------------


class Prices(NamedTuple):
    """What mistakes cost, checked; and the share of positives where thresholds will be used."""

    cost_fn: Any
    cost_fp: Any
    prevalence: float | None

    def of(
        self, y_true: Any, y_score: Any, *, groups: Any, **options: Any
    ) -> ThresholdCostInterval:
        """Return the cheapest threshold of a model; without intervals where rows are grouped."""
        found = threshold_cost_interval(y_true, y_score, **self._asdict(), **options)
        if groups is None:
            return found
        return dataclasses.replace(found, threshold_interval=NOWHERE, confidence_interval=NOWHERE)


def checked_prices(cost_fn: Any, cost_fp: Any, prevalence: Any) -> Prices | None:
    """Return the prices, None where there are none, or raise before any work."""
    if cost_fn is None and cost_fp is None:
        if prevalence is not None:
            raise InputError("`prevalence` is of costs: pass `cost_fn` and `cost_fp` with it")
        return None
    for name, cost in (("cost_fn", cost_fn), ("cost_fp", cost_fp)):
        if cost is None:
            raise InputTypeError(f"costs are of both mistakes: pass `{name}` too")
        check_costs(name, cost)
    return Prices(cost_fn, cost_fp, check_prevalence(prevalence))


def costs_of(models: Iterable[Any]) -> tuple[list[tuple[Any, ...]], Mapping[str, str]]:
    """Return the cheapest threshold of each model with its cost, and those of simple rules."""
    found = []
    for name in _COSTS:
        for model in models:
            interval = getattr(model.costs, _LIMITS.get(name, ""), None)
            found.append((name, model.name, getattr(model.costs, name, math.nan), interval))
    return found, _COSTS


def checked_promises(
    guarantee: Mapping[str, float] | None,
    prices: Prices | None,
    level: float,
    *,
    grouped: bool,
    weighted: bool,
) -> list[dict[str, Any]]:
    """Return what `guaranteed_threshold` takes of each promise, or raise before any work."""
    if guarantee is None:
        return []
    if not isinstance(guarantee, Mapping):
        raise InputTypeError(
            f"`guarantee` must be a mapping, as {{'recall': 0.95}}: got {guarantee!r}"
        )
    for name, is_there in (("groups", grouped), ("sample_weight", weighted)):
        if is_there:
            raise InputError(
                f"`guarantee` is of rows that are independent and count alike: not with `{name}`"
            )
    found = []
    for measure, bound in guarantee.items():
        costs = {}
        if measure == "expected_cost" and prices is not None:
            costs = {"cost_fn": prices.cost_fn, "cost_fp": prices.cost_fp}
            for name, cost in costs.items():
                if not isinstance(cost, Real) and as_array(cost, name).size > 1:
                    raise InputError(
                        "a guarantee of 'expected_cost' has one price for all rows: "
                        f"`{name}` has one for each"
                    )
        check_promise({measure: bound}, costs.get("cost_fn"), costs.get("cost_fp"))
        found.append({measure: bound, "delta": 1.0 - level, **costs})
    return found


def said_of_probabilities(
    labels: Any,
    model: NamedScores,
    parts: ScoreDecomposition,
    *,
    sample_weight: Any,
    pos_label: Any,
    **options: Any,
) -> str:
    """Return a sentence on the mean of probabilities, and on the most that recalibration saves.

    The mean has an interval. What is saved has none: of calibrated probabilities it is above zero
    in every sample, so that it is the most that these rows promise.
    """
    weight = sample_weight
    rows = check_binary(labels, model.values, sample_weight=weight, pos_label=pos_label)
    positive, mean = rows.labels == 1, "mean_error"
    found = estimate(positive, rows.scores, metrics=mean, sample_weight=weight, **options)[mean]
    off, (low, high) = found.estimate, found.confidence_interval
    side = 1.0 if off > 0.0 else -1.0
    interval = ConfidenceInterval(*sorted((side * low, side * high)))
    by = with_limits(abs(off), interval)
    way = "high" if off > 0.0 else "low"
    said = f"too {way} on average, by {by}"
    if not (low > 0.0 or high < 0.0):
        said = f"not shown to be off on average (too {way} by {by})"
    return (
        f"{model.name}: probabilities are {said}; recalibration would save at most "
        f"{parts.miscalibration:.2g} of the Brier score of {parts.loss:.4f}."
    )


# --- what `doctor` would say, of what is known anyway -------------------------------------------


def doubts_of(named: Sequence[NamedScores], models: Sequence[ModelEvaluation]) -> tuple[str, ...]:
    """Return a line on models whose scores make no sense; nothing of healthy ones."""
    found = []
    for each, model in zip(named, models, strict=True):
        if math.isnan(model.roc_auc):
            continue
        auc, error = model.roc_auc, model.standard_error
        df = figures_of(model)["roc_auc"].df
        at = limits(auc, error, df, SURE, "logit", "two-sided", (0.0, 1.0))
        high = float(np.fmax(at.high, model.confidence_interval.high))
        n = int(model.n_positive + model.n_negative)
        values = few_values(as_array(each.values, each.argument).ravel())
        doubt = doubt_of(values, auc, ConfidenceInterval(at.low, high), n)
        if doubt is not None:
            found.append(f"{model.name}: {DOUBTS[doubt[0]]}")
    return (f"Doubtful: {'; '.join(found)}. `doctor` says more.",) if found else ()


def few_values(scores: Any) -> list[float]:
    """Return the distinct scores, in order; of more than two three or more of them."""
    seen = np.unique(scores[:: max(1, len(scores) // _LOOK)])
    if len(seen) <= 2:
        seen = np.unique([*seen, scores.min(), scores.max()])
        if len(seen) <= 2 and not ((scores == seen[0]) | (scores == seen[-1])).all():
            return [float(seen[0]), math.nan, float(seen[-1])]
    return [float(each) for each in seen]
