"""What `evaluate` says of one model: by the table of its scores, or by a summary of ranges."""

from __future__ import annotations

import dataclasses
import math
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from fastmetrics._display import with_limits
from fastmetrics._input.containers import as_array, column_count, has_names
from fastmetrics._input.models import NamedScores, named_scores
from fastmetrics._input.rows import check_binary
from fastmetrics._input.scalars import WeightsAre
from fastmetrics._input.weights import as_given, check_costs, check_prevalence
from fastmetrics._results import ConfidenceInterval, Result, plain_fields
from fastmetrics.errors import (
    DegenerateDataWarning,
    InputError,
    InputTypeError,
    UndefinedMetricWarning,
    renamed,
    warn_user,
)
from fastmetrics.inference.compare import compare
from fastmetrics.inference.comparison_result import Comparison, Comparisons
from fastmetrics.inference.estimate import estimate, metric_of
from fastmetrics.inference.estimate_result import Estimate, Estimates, Pair
from fastmetrics.inference.guaranteed_threshold import (
    GuaranteedThreshold,
    check_promise,
    guaranteed_threshold,
)
from fastmetrics.inference.range_summary import (
    LOSSES,
    Corner,
    RangeSummary,
    are_fractions,
    average_precision_of,
)
from fastmetrics.inference.reference import NOWHERE, limits
from fastmetrics.inference.table_estimates import of_summary
from fastmetrics.inference.table_points import has_influences
from fastmetrics.inference.threshold_cost import ThresholdCostInterval, threshold_cost_interval
from fastmetrics.inference.units import effective_sample_size
from fastmetrics.measures.asking import MetricsLike, ask
from fastmetrics.measures.calibration.calibration_summary import (
    ScoreDecomposition,
    decomposition_of_table,
)
from fastmetrics.measures.curves.best_threshold import best_threshold
from fastmetrics.measures.curves.precision_recall import (
    average_precision_score,
    break_even_at,
    break_even_point,
)
from fastmetrics.measures.curves.roc import ks_at, ks_statistic
from fastmetrics.measures.curves.roc_auc import roc_auc_score
from fastmetrics.tables.score_table import ScoreTable

#: Fields of a bootstrap result that are its own; the rest are those of the whole bootstrap.
_OF_ONE_MEASURE = ("estimate", "confidence_interval", "method", "standard_error")
#: Examples of the smaller class below which coverage hangs on what nobody knows.
_FEW: Final = 30
_NAN: Final = math.nan
#: What an evaluation measures by how far each row moves it: these have intervals as they are.
SMOOTH: Final = ("roc_auc", "average_precision")
#: What has limits of rows in memory, or of their table: KS, the largest of many gaps, too.
LIMITED: Final = (*SMOOTH, "ks_statistic")


@dataclass(frozen=True, slots=True, repr=False)
class ModelEvaluation(Result):
    """The measures of one model.

    Attributes
    ----------
    name : str
        Of the model.
    n_positive, n_negative : int or float
        Examples (or their weight) of each class.
    roc_auc : float
        Area under the ROC curve.
    confidence_interval : ConfidenceInterval
        For `roc_auc`: the bootstrap's if there was one, else as `evaluate` says; nan where a class
        is missing.
    interval_method : str
        Which interval that is; empty where there is none.
    standard_error : float
        Of `roc_auc`: the bootstrap's if there was one, else as `estimate` has it; nan where a class
        is missing.
    average_precision : float
        Area under the P-R curve by steps; a tie is one step.
    break_even_point : float
        Where precision equals recall.
    ks_statistic : float
        Largest distance between the score distributions of the two classes.
    threshold : int or float
        The threshold of the largest TPR - FPR (Youden); positive means score >= threshold.
    true_positive_rate, false_positive_rate : float
        At `threshold`.
    note : str
        What a reader of the figures must know; usually empty.
    estimates : Estimates or None
        By measure: estimate, error and interval by the influences of rows; None where a bootstrap
        made the intervals, or a class is missing.
    bootstrap : Estimates or None
        By measure: estimate, interval, standard error, replicates.
    costs : ThresholdCostInterval or None
        The cheapest threshold and what it costs, where prices were given; its intervals are nan
        where rows are grouped.
    guarantees : tuple of GuaranteedThreshold
        The threshold that keeps each promise that was asked for.
    """

    name: str
    n_positive: int | float
    n_negative: int | float
    roc_auc: float = _NAN
    confidence_interval: ConfidenceInterval = NOWHERE
    interval_method: str = ""
    standard_error: float = _NAN
    average_precision: float = _NAN
    break_even_point: float = _NAN
    ks_statistic: float = _NAN
    threshold: int | float = _NAN
    true_positive_rate: float = _NAN
    false_positive_rate: float = _NAN
    note: str = ""
    estimates: Estimates | None = field(default=None, hash=False)
    bootstrap: Estimates | None = None
    costs: ThresholdCostInterval | None = None
    guarantees: tuple[GuaranteedThreshold, ...] = ()

    @property
    def estimate(self) -> float:
        """The AUC, by the name that every result with an interval has."""
        return self.roc_auc

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary of built-in Python objects.

        Returns
        -------
        dict
            Of the bootstrap, each measure's figures without the replicates; nothing if there
            was none, nothing of costs without prices, and of guarantees where none was asked.
        """
        plain = Result.to_dict(self)
        if self.costs is None:
            plain.pop("costs")
        if not self.guarantees:
            plain.pop("guarantees")
        for name in ("estimates", "bootstrap"):
            found = plain.pop(name) and getattr(self, name)
            if found is not None:
                plain[name] = {
                    metric: plain_of(one, _OF_ONE_MEASURE) for metric, one in found.items()
                }
        return plain


def figures_of(model: ModelEvaluation | Estimates) -> Mapping[str, Estimate]:
    """Return the estimates of the bootstrap where there was one, else those by influences."""
    return model if isinstance(model, Estimates) else model.bootstrap or model.estimates or {}


def plain_of(one: Estimate | Pair, names: tuple[str, ...]) -> dict[str, Any]:
    """Return an estimate or a difference; of a bootstrap without its replicates."""
    if one.details is None:
        return plain_fields(one, (*names, "df"))
    return plain_fields(one, (*names, "note")) | plain_fields(one.details, ("bias", "n_failed"))


def evaluate_model(
    model: NamedScores,
    y_true: Any,
    *,
    sample_weight: Any = None,
    weights_are: WeightsAre | None = None,
    pos_label: Any = None,
    confidence_level: float | None = None,
    promises: Sequence[Mapping[str, Any]] = (),
    parts: dict[str, ScoreDecomposition] | None = None,
    table: ScoreTable | None = None,
    limited: Sequence[str] = LIMITED,
) -> ModelEvaluation:
    """Evaluate one model, with intervals if there is a confidence level; see `evaluate`.

    ``limited`` are those that the table gives, as it does where rows stand for themselves.
    ``parts`` takes the decomposition of its Brier score. ``table`` is that of the scores, of rows
    without weights, where it exists.
    """
    rows = {"sample_weight": sample_weight, "weights_are": weights_are, "pos_label": pos_label}
    if table is None:
        table, note = table_of(y_true, model.values, **rows)
    else:
        note = _note_of_size(table.n_positive, table.n_negative)
    found = _measured(model.name, table, confidence_level, note, limited)
    if parts is not None:
        parts[model.name] = decomposition_of_table(table, "brier_score")
    if not promises or math.isnan(found.roc_auc):
        return found
    return replace(
        found, guarantees=tuple(guaranteed_threshold(table, **each) for each in promises)
    )


def has_losses(table: ScoreTable | RangeSummary) -> bool:
    """Return whether rows of both classes have scores that may be probabilities."""
    if not (table.n_positive and table.n_negative):
        return False
    if isinstance(table, RangeSummary):
        return set(table.measures) >= {*LOSSES}
    is_inner = any(0.0 < score < 1.0 for score in table.scores[:2])
    return is_inner and are_fractions(table) and not table.is_weighted


def evaluate_table(
    name: str, table: ScoreTable | RangeSummary, confidence_level: float, with_losses: bool
) -> ModelEvaluation:
    """Evaluate one model by its table, or by a summary; fractional weights have no interval."""
    if isinstance(table, RangeSummary):
        return evaluation_of(table, name, confidence_level, with_losses)
    if table.is_weighted:
        note = "sums of weights, which do not tell how many rows there were: no interval"
        return _measured(name, table, None, note)
    note = _note_of_size(table.n_positive, table.n_negative)
    limited = (*LIMITED, *LOSSES) if with_losses else LIMITED
    return _measured(name, table, confidence_level, note, limited)


def evaluation_of(
    summary: RangeSummary, name: str, level: float, with_losses: bool = True
) -> ModelEvaluation:
    """Return what `evaluate` says of the rows of a summary, once all ranges are in.

    That of all rows in memory: counts and what is made of them the same to the bit, the average
    precision without any rounding but that of its terms, standard errors but for roundings.

    Raises
    ------
    ValueError
        If ranges are missing, or were added twice.

    Warns
    -----
    UndefinedMetricWarning
        If only one class is present, or there is no break-even point.
    """
    summary.check_whole()
    m, n = summary.n_positive, summary.n_negative
    if not (m and n):
        return _undefined(name, m, n)
    if summary.highest is None or summary.lowest is None or summary.balance is None:
        raise InputError("ranges of scores are missing")
    gap = max(
        summary.highest,
        summary.lowest,
        key=lambda corner: (abs(summary.gap_at(corner)), corner.threshold),
    )
    best = summary.highest if summary.gap_at(summary.highest) > 0 else Corner(math.inf, 0, 0)
    model = ModelEvaluation(
        name,
        m,
        n,
        roc_auc=summary.pairs.auc,
        average_precision=average_precision_of(summary),
        break_even_point=break_even_at(summary.balance).value,
        ks_statistic=ks_at(*gap, m, n).statistic,
        threshold=best.threshold,
        true_positive_rate=best.tp / m,
        false_positive_rate=best.fp / n,
        note=_note_of_size(m, n),
    )
    with said_in_notes():
        names = summary.measures if with_losses else SMOOTH
        found = {one.label: of_summary(one, summary, level) for one in ask(list(names))}
    return with_estimates(model, found)


def table_of(
    y_true: Any, y_score: Any, *, sample_weight: Any, weights_are: WeightsAre | None, pos_label: Any
) -> tuple[ScoreTable, str]:
    """Return the table of a model's scores, and a note where the smaller class is small."""
    rows = check_binary(
        y_true,
        y_score,
        sample_weight=sample_weight,
        # What importances are worth matters to intervals alone: whole ones are summed exactly.
        weights_are="frequencies" if weights_are == "frequencies" else None,
        pos_label=pos_label,
    )
    table = ScoreTable.from_rows(rows)
    positive, negative = table.n_positive, table.n_negative
    if weights_are == "importances" and rows.weights is not None:
        of_classes = (rows.weights[rows.labels == label] for label in (1, 0))
        # how many of equal weight tell as much
        positive, negative = (effective_sample_size(w) if w.any() else 0.0 for w in of_classes)
    return table, _note_of_size(positive, negative, weights_are)


def _measured(
    name: str,
    table: ScoreTable,
    confidence_level: float | None,
    note: str,
    limited: Sequence[str] = LIMITED,
) -> ModelEvaluation:
    n_positive, n_negative = (
        as_given(n, table.weight_exponent) for n in (table.n_positive, table.n_negative)
    )
    if not (n_positive > 0 and n_negative > 0):
        return _undefined(name, n_positive, n_negative)
    largest = ks_statistic(table)
    # Where the largest |TPR - FPR| is a positive one, its threshold is Youden's.
    best = largest if largest.sign > 0 else best_threshold(table, criterion="youden")
    model = ModelEvaluation(
        name,
        n_positive,
        n_negative,
        roc_auc=float(roc_auc_score(table)),
        average_precision=float(average_precision_score(table)),
        break_even_point=break_even_point(table).value,
        ks_statistic=largest.statistic,
        threshold=best.threshold,
        true_positive_rate=best.true_positive_rate,
        false_positive_rate=best.false_positive_rate,
        note=note,
    )
    if confidence_level is None:
        return model
    with said_in_notes():
        found = estimate(table, metrics=list(limited), confidence_level=confidence_level)
    return with_estimates(model, found)


def with_estimates(model: ModelEvaluation, found: Mapping[str, Estimate]) -> ModelEvaluation:
    """Return the evaluation with more of the errors and intervals that need no bootstrap."""
    notes = filter(None, [model.note, *(each.note for each in found.values())])
    both = {**(model.estimates or {}), **found}
    estimates = {name: both[name] for name in dict.fromkeys([*LIMITED, *both]) if name in both}
    model = replace(model, estimates=Estimates(estimates), note="; ".join(notes))
    if "roc_auc" not in found:
        return model
    auc = found["roc_auc"]
    return replace(
        model,
        confidence_interval=auc.confidence_interval,
        interval_method=auc.method,
        standard_error=auc.standard_error,
    )


@contextmanager
def said_in_notes(names: str = r"\w+") -> Iterator[None]:
    """Leave out warnings of what has no interval: notes of the estimates say so."""
    with warnings.catch_warnings():
        for kind in (DegenerateDataWarning, UndefinedMetricWarning):
            warnings.filterwarnings("ignore", f"`{names}` is|the difference in", kind)
        yield


def _undefined(name: str, n_positive: float, n_negative: float) -> ModelEvaluation:
    """Return the evaluation of rows of one class, or of none, and warn of it."""
    missing = "positive" if not n_positive > 0 else "negative"
    found = f"one class only: no {missing} example" if n_positive or n_negative else "no rows"
    note = f"{found}, so what needs both classes is undefined"
    warn_user(f"model {name!r}: {note}", UndefinedMetricWarning)
    return ModelEvaluation(name, n_positive, n_negative, note=note)


def _note_of_size(
    n_positive: float, n_negative: float, weights_are: WeightsAre | None = None
) -> str:
    """Return that the smaller class is small, if it is."""
    size = min(n_positive, n_negative)
    if size >= _FEW:
        return ""
    name = "positive" if n_positive == size else "negative"
    examples = f"{name} example" + ("s" if size > 1 else "")
    said = f"only {size:.0f} {examples}"
    if weights_are == "importances":
        said = f"the {name} examples are worth {size:.3g} of equal weight"
    return f"{said}: below about {_FEW} no interval is sure"


def models_of(
    scores: Any, names: Sequence[str] | None, task: str | None = None
) -> list[NamedScores]:
    """Return each model of ``scores``; one column without a name is called "score"."""
    if task in ("multiclass", "multilabel") and names is None and not isinstance(scores, Mapping):
        return [NamedScores("score", "scores", scores)]
    if names is not None or has_names(scores) or column_count(scores) > 1:
        return named_scores(scores, names)
    return [NamedScores("score", "scores", scores)]


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


Severity = Literal["error", "warning", "note"]
#: Rows from which on nobody believes an AUC of exactly 1, or 0.
_MANY: Final = 60
#: How sure the interval is that an AUC below 1/2 is one.
SURE: Final = 0.99
#: What is so wrong with scores that `evaluate` says it too, in a word.
DOUBTS: Final = {
    "constant": "all scores are the same",
    "labels as scores": "the scores are the labels themselves",
    "decisions as scores": "there are two scores, as of decisions",
    "perfect": "an AUC of exactly 1",
    "backwards": "greater scores are of negatives",
}


def doubt_of(
    values: Sequence[float], auc: float, limits: ConfidenceInterval, n: int
) -> tuple[str, Severity, str] | None:
    """Return what makes the figures of n scores mean nothing, with its kind; None of healthy ones.

    ``values`` are the distinct scores, or some of them where there are more than two; ``limits``
    those of the AUC at the level `SURE`.
    """
    if len(values) == 1:
        return "constant", "error", f"all scores are {values[0]:g}"
    if len(values) == 2:
        if auc == 1.0:
            return "labels as scores", "error", "the scores are the labels themselves"
        return (
            "decisions as scores",
            "warning",
            f"there are two scores, {values[0]:g} and {values[1]:g}: of decisions there is no "
            "curve; pass what they were decided by, or measure them as labels",
        )
    if auc == 1.0 and n >= _MANY:
        what = "an AUC of exactly 1: do the scores know the labels (leakage)?"
        return "perfect", "warning", what
    if limits.high < 0.5 or (auc == 0.0 and n >= _MANY):
        return (
            "backwards",
            "error",
            f"an AUC of {auc:.4f} [{limits.low:.4f}, {limits.high:.4f}]: greater scores are of "
            "negatives; is it the score of the other class?",
        )
    return None


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
