"""``Evaluation``: the results of `evaluate` for every task, and how they are displayed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from fastmetrics._display import Display, Table
from fastmetrics._input.scalars import WeightsAre
from fastmetrics._number_text import percent_text
from fastmetrics._report.slices import ARROWS, Slices
from fastmetrics._results import ConfidenceInterval, Result, plain_fields
from fastmetrics.errors import by_name
from fastmetrics.inference.comparison_result import Comparisons, Outcome, pairs_table, verdict_text
from fastmetrics.inference.estimate_result import METHODS, WEIGHTS, Estimate, Estimates, Pair
from fastmetrics.inference.guaranteed_threshold import GuaranteedThreshold
from fastmetrics.inference.reference import NOWHERE
from fastmetrics.inference.threshold_cost import ThresholdCostInterval
from fastmetrics.metrics._metric import LARGEST_GAP
from fastmetrics.metrics.registry import DEFAULTS, LOSSES, METRICS

#: Tasks of `evaluate`.
Task = Literal["binary", "multiclass", "labels", "multilabel", "values", "rankings"]
#: Tasks of `evaluate`, or the items of a log that `evaluate_log` evaluates.
EvaluationTask = Task | Literal["items"]

#: Titles of the tasks.
_TITLES: Final[dict[EvaluationTask, str]] = {
    "binary": "Two classes",
    "multiclass": "Several classes, by their probabilities",
    "labels": "Predicted labels",
    "multilabel": "Several labels a row",
    "values": "Numbers",
    "rankings": "Rankings",
    "items": "Items of a log",
}
#: The samples of a task, other than rows.
_SAMPLES: Final[dict[EvaluationTask, str]] = {"rankings": "queries", "items": "items"}
#: Names for readers of metrics of scores of two classes.
NAMES_OF_SCORES: Final = {
    "n_positive": "n+",
    "n_negative": "n−",
    **{name: METRICS[name].title for name in DEFAULTS["scores"]},
    "threshold": "best threshold",
    "tpr_at_best_threshold": "TPR at the best threshold",
    "fpr_at_best_threshold": "FPR at the best threshold",
    **{name: METRICS[name].title for name in LOSSES},
}
#: Names for readers of metrics of any task.
NAMES: Final = (
    NAMES_OF_SCORES
    | {name: metric.title for name, metric in METRICS.items()}
    | {
        "flip_rate": "flip rate of two tries",
        "subset_accuracy": "subset accuracy (all labels right)",
        "roc_auc_macro": "macro AUC",
        "average_precision_macro": "macro average precision",
        "absolute_error_quantile_90": "90th percentile of absolute error",
    }
)
_HEADS: Final = ("metric", "model", "estimate", "confidence_interval", "standard_error")
#: Columns of differences that only data frames have.
_UNSEEN: Final = ("standard_error", "df", "n_failed")
#: Fields of dictionaries: of scores of two classes, and of other tasks.
_SCORES_FIELDS: Final = ("confidence_level", "weights_are", "bootstrap", "notes", "slices")
_TASK_FIELDS: Final = (
    *("task", "names", "models", "confidence_level", "n_samples", "directions", "notes"),
    *("slices", "n_left_out"),
)
#: Fields of a model of two classes, and their metrics in a bootstrap.
FIELDS: Final = {
    "n_positive": "n_positive",
    "n_negative": "n_negative",
    **{name: name for name in DEFAULTS["scores"]},
    "threshold": "threshold",
    "tpr_at_best_threshold": "true_positive_rate",
    "fpr_at_best_threshold": "false_positive_rate",
}
#: The same in a table in which the best threshold stands above.
_BELOW_IT: Final = {"tpr_at_best_threshold": "TPR at it", "fpr_at_best_threshold": "FPR at it"}
#: Directions of columns that are no metrics of the registry by this name.
_UPWARDS: Final = {"tpr_at_best_threshold": True, "fpr_at_best_threshold": False, "threshold": None}

_OF_ONE_PAIR: Final = (
    *("a", "b", "estimate", "confidence_interval", "standard_error"),
    *("pvalue", "pvalue_adjusted", "better"),
)
#: Fields of a bootstrap result that are its own; the rest are those of the whole bootstrap.
_OF_ONE_METRIC = ("estimate", "confidence_interval", "method", "standard_error")
#: The first metric of a model of two classes.
AUC: Final = DEFAULTS["scores"][0]
#: Metrics that have limits from rows in memory, or from their table.
LIMITED: Final = tuple(name for name in DEFAULTS["scores"] if METRICS[name].influences)
#: Metrics with intervals by influence values: all but KS, the largest of many gaps.
SMOOTH: Final = tuple(name for name in LIMITED if METRICS[name].interval != LARGEST_GAP)
#: Fields of the costs, with their names in tables; "threshold" is the best one there.
_COSTS: Final = {
    "cheapest_threshold": "cheapest threshold",
    "cost": "cost on these rows",
    "left_out_cost": "cost on new data (leave-one-out)",
    "cost_at_half": "cost at 0.5",
    "cost_all_positive": "cost, all positive",
    "cost_all_negative": "cost, all negative",
}
_LIMITS: Final = {
    "cheapest_threshold": "threshold_interval",
    "left_out_cost": "confidence_interval",
}
#: The first words of the note on scores that are wrong.
DOUBTFUL: Final = "Doubtful scores: "
#: Note on `LOSSES`.
PROBABILITIES: Final = "Brier score and log loss take scores in [0, 1] as probabilities."


@dataclass(frozen=True, slots=True, repr=False)
class ModelEvaluation(Result):
    """The metrics of one model.

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
        By metric: estimate, error and interval by the influences of rows; None where a bootstrap
        made the intervals, or a class is missing.
    bootstrap : Estimates or None
        By metric: estimate, interval, standard error, replicates.
    costs : ThresholdCostInterval or None
        The cheapest threshold and what it costs, where prices were given; its intervals are nan
        where rows are grouped.
    guarantees : tuple of GuaranteedThreshold
        The threshold that keeps each promise that was asked for.
    """

    name: str
    n_positive: int | float
    n_negative: int | float
    roc_auc: float = math.nan
    confidence_interval: ConfidenceInterval = NOWHERE
    interval_method: str = ""
    standard_error: float = math.nan
    average_precision: float = math.nan
    break_even_point: float = math.nan
    ks_statistic: float = math.nan
    threshold: int | float = math.nan
    true_positive_rate: float = math.nan
    false_positive_rate: float = math.nan
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
            Of the bootstrap, each metric's figures without the replicates; nothing if there
            was none, nothing of costs without prices, and of guarantees where none was asked.
        """
        plain = Result.to_dict(self)
        if self.costs is None:
            plain.pop("costs")
        if not self.guarantees:
            plain.pop("guarantees")
        for name in ("estimates", "bootstrap"):
            nested = plain.pop(name) and getattr(self, name)
            if nested is not None:
                plain[name] = {
                    metric: plain_estimate(one, _OF_ONE_METRIC) for metric, one in nested.items()
                }
        return plain


def get_estimates(model: ModelEvaluation | Estimates) -> Mapping[str, Estimate]:
    """Return the estimates of the bootstrap where there was one, else those by influences."""
    return model if isinstance(model, Estimates) else model.bootstrap or model.estimates or {}


def plain_estimate(one: Estimate | Pair, names: tuple[str, ...]) -> dict[str, Any]:
    """Return an estimate or a difference; of a bootstrap without its replicates."""
    if one.details is None:
        return plain_fields(one, (*names, "df"))
    return plain_fields(one, (*names, "note")) | plain_fields(one.details, ("bias", "n_failed"))


@dataclass(frozen=True, slots=True, repr=False)
class EvaluationBootstrap(Result):
    """Settings of the bootstrap of an evaluation.

    Attributes
    ----------
    method : str or None
        That was asked for; None where each metric has its own, which its result names.
    n_resamples : int
        Replicates.
    stratified : bool
        Whether each class was drawn by itself.
    n_groups : int or None
        How many groups there were to draw from; None where rows were drawn.
    effective_n_groups : float or None
        How many of equal size they are worth: below about 30 intervals cover too little.
    threshold : int, float or None
        From which score on the metrics of counts call an example positive.
    key : str
        Of the random numbers: ``rng=key`` draws the same replicates again.
    """

    method: str | None
    n_resamples: int
    stratified: bool
    n_groups: int | None
    effective_n_groups: float | None
    threshold: int | float | None
    key: str


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation(Result):
    """The metrics of one or several models on the same rows, and how the models differ.

    Attributes
    ----------
    task : {"binary", "multiclass", "labels", "multilabel", "values", "rankings", "items"}
        What was evaluated.
    models : mapping of str to (ModelEvaluation or Estimates)
        By name, in the order given: of scores of two classes a `ModelEvaluation`, of other tasks
        each metric with its error and interval.
    comparisons : Comparisons or None
        By metric, every pair of models; None with one model, or with tables alone.
    confidence_level : float
        Of the confidence intervals.
    n_samples : float
        Rows, of two classes their weight; or queries, those of `n_left_out` included.
    directions : mapping of str to (bool or None)
        By metric, whether higher is better.
    notes : tuple of str
        What a reader must know beside the figures, as that scores are taken for probabilities.
    slices : Slices or None
        Metrics of slices of the rows, where columns were given.
    weights_are : {"importances", "frequencies"} or None
        How weights of scores of two classes were read; None where there were none.
    bootstrap : EvaluationBootstrap or None
        How the intervals were made, where a bootstrap made them.
    n_left_out : mapping of str to int
        Of rankings, by metric, the queries without a value, as those without relevant items; the
        others are what varies.
    baseline : str or None
        The model whose differences are printed; None prints those of the best one.
    """

    task: EvaluationTask
    models: Mapping[str, Any] = field(hash=False)
    comparisons: Comparisons | None = field(hash=False)
    confidence_level: float
    n_samples: float
    directions: Mapping[str, bool | None] = field(hash=False)
    notes: tuple[str, ...] = ()
    slices: Slices | None = None
    weights_are: WeightsAre | None = None
    bootstrap: EvaluationBootstrap | None = None
    n_left_out: Mapping[str, int] = field(default_factory=dict, hash=False)
    baseline: str | None = None

    @classmethod
    def from_scores(
        cls,
        models: Iterable[ModelEvaluation],
        confidence_level: float,
        weights_are: WeightsAre | None,
        comparisons: Comparisons | None = None,
        **more: Any,
    ) -> Evaluation:
        """Return the evaluation of scores of two classes."""
        named = {model.name: model for model in models}
        first = next(iter(named.values()))
        directions = {metric: _direction(metric) for metric in [*FIELDS, *get_estimates(first)]}
        n_samples = float(first.n_positive + first.n_negative)
        rest = (comparisons, confidence_level, n_samples, directions)
        return cls("binary", named, *rest, weights_are=weights_are, **more)

    @classmethod
    def from_estimates(
        cls,
        task: EvaluationTask,
        estimates: Mapping[str, Mapping[str, Estimate]],
        pairs: Mapping[str, Any],
        confidence_level: float,
        directions: Mapping[str, bool | None],
        notes: Iterable[str],
    ) -> Evaluation:
        """Return the evaluation of estimates of each model, and of pairs of several."""
        models = {name: Estimates(each) for name, each in estimates.items()}
        n_samples = next(iter(next(iter(models.values())).values())).n_samples
        comparisons = Comparisons(pairs) if pairs else None
        rest = (comparisons, confidence_level, n_samples, directions)
        return cls(task, models, *rest, notes=tuple(notes))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the models, in the order given."""
        return tuple(self.models)

    @property
    def verdict(self) -> str:
        """The models that are significantly better, and in what; empty of one model."""
        return "" if self.comparisons is None else verdict_text(self.comparisons, NAMES)

    def against(self, baseline: str) -> Evaluation:
        """Return the evaluation, which prints the differences of a baseline.

        Parameters
        ----------
        baseline : str
            The name of a model. p-values stay corrected for all pairs.

        Returns
        -------
        Evaluation
            With this `baseline`.
        """
        by_name(self.models, baseline, "models")
        return replace(self, baseline=baseline)

    def _name(self, metric: str) -> str:
        return NAMES.get(metric, metric)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary of built-in Python objects.

        Returns
        -------
        dict
            Of several models the differences by metric, without replicates, and the `verdict`;
            nothing of what was not asked for.
        """
        is_binary = self.task == "binary"
        plain = plain_fields(self, _SCORES_FIELDS if is_binary else _TASK_FIELDS)
        optional = ("slices", "n_left_out", "bootstrap", *(["notes"] if is_binary else []))
        plain = {name: each for name, each in plain.items() if each or name not in optional}
        if is_binary:
            plain = {"models": [model.to_dict() for model in self], **plain}
        if self.comparisons is None:
            return plain
        if not is_binary:
            return plain | {"comparisons": self.comparisons.to_dict(), "verdict": self.verdict}
        differences = {
            metric: [plain_estimate(pair, _OF_ONE_PAIR) for pair in one]
            for metric, one in self.comparisons.items()
        }
        return plain | {"differences": differences, "verdict": self.verdict}

    def __getitem__(self, model: str | int) -> Any:
        """Return the result of a model, by name or by position."""
        if isinstance(model, int):
            return [*self.models.values()][model]
        return by_name(self.models, model, "models")

    def __iter__(self) -> Iterator[Any]:
        return iter(self.models.values())

    def __len__(self) -> int:
        return len(self.models)

    def __repr__(self) -> str:
        is_binary = self.task == "binary"
        task = "" if is_binary else f"{self.task}; "
        first = AUC if is_binary else next(iter(get_estimates(self[0])), "")
        values = (
            f"{name}: {first}={(model if is_binary else model[first]).estimate:.6g}"
            for name, model in self.models.items()
        )
        return f"Evaluation({task}{', '.join(values)})"

    def _display(self) -> Display:
        by_model = {name: _rows(model) for name, model in self.models.items()}
        metrics = dict.fromkeys(metric for rows in by_model.values() for metric in rows)
        rows = [(m, name, *cells[m]) for m in metrics for name, cells in by_model.items()]
        words = {
            m: _BELOW_IT.get(m, self._name(m)) + ARROWS[self.directions.get(m)] for m in metrics
        }
        tables = [self._table(rows, words)]
        if self.task == "binary" and any(model.costs is not None for model in self):
            tables.append(self._table(list_costs(self), _COSTS))
        answer = [note for note in self.notes if note.startswith(DOUBTFUL)]
        notes = list[str]()
        if self.comparisons is not None:
            more: dict[str, Any] = {"words": NAMES, "level": self.confidence_level}
            tables.append(pairs_table(self.comparisons, self.baseline, unseen=_UNSEEN, **more))
            outcome = Outcome(self.comparisons, NAMES)
            answer += outcome.sentences()
            notes += outcome.notes()
        notes += _cautions(self)
        if self.task == "binary":
            answer += [
                f"{model.name}: {each.verdict}." for model in self for each in model.guarantees
            ]
        if self.slices is not None:
            tables += [replace(each, framed=False) for each in self.slices.tables()]
            answer += self.slices.findings()
            notes += self.slices.notes()
        title = "" if self.task == "binary" else _TITLES[self.task]
        return Display(tables, title, [*notes, *_notes(self)], answer)

    def _table(self, rows: Iterable[tuple[Any, ...]], words: Mapping[str, str]) -> Table:
        """Return a table of rows of a metric, a model, an estimate, its limits, and its error."""
        columns = dict(zip(_HEADS, map(list, zip(*rows, strict=True)), strict=False))
        has_limits = any(each is not None for each in columns["confidence_interval"])
        head = f"[{percent_text(self.confidence_level)} interval]" if has_limits else ""
        words = {"metric": head, **words}
        return Table(columns, words=words, level=self.confidence_level, across="model")


# --- what is printed ----------------------------------------------------------------------------


def _direction(metric: str) -> bool | None:
    """Return which way a metric of two classes is better; None where none is, or nobody knows."""
    known = metric in METRICS and metric not in _UPWARDS
    return METRICS[metric].direction({}) if known else _UPWARDS.get(metric)


def _rows(model: ModelEvaluation | Estimates) -> dict[str, tuple[Any, ...]]:
    """Return the value, the interval and the standard error of each metric."""
    rows: dict[str, tuple[Any, ...]] = {}
    if isinstance(model, ModelEvaluation):
        rows = {metric: (getattr(model, name), None, None) for metric, name in FIELDS.items()}
        rows[AUC] = (model.roc_auc, model.confidence_interval, None)
    for metric, one in get_estimates(model).items():
        rows[metric] = (one.estimate, one.confidence_interval, one.standard_error)
    return rows


def _notes(evaluation: Evaluation) -> Iterator[str]:
    """Yield how rows, weights and scores are read, and how the intervals are made."""
    bootstrap = evaluation.bootstrap
    is_binary = evaluation.task == "binary"
    yield from WEIGHTS[evaluation.weights_are]
    if is_binary:
        yield "Best threshold: largest TPR − FPR. Positive means score ≥ threshold."
    if is_binary and bootstrap is None and evaluation[0].estimates:
        yield "Add `n_resamples=9999` for intervals of the best threshold and the break-even point."
    yield from (note for note in evaluation.notes if not note.startswith(DOUBTFUL))
    if any(model.costs is not None for model in evaluation if is_binary):
        yield (
            "The cost of the cheapest threshold on these rows is optimistic, because the threshold "
            "was chosen on these rows. Leave-one-out: each row takes the threshold that is "
            "cheapest without it."
        )
        if bootstrap is not None and bootstrap.n_groups is not None:
            yield "Costs have no interval with groups: leave-one-out takes rows as independent."
    if bootstrap is not None:
        yield from _bootstrap_notes(bootstrap)
        differences = (evaluation.comparisons or {}).items()
        if differences:
            methods = _methods((one.method, evaluation._name(m)) for m, one in differences)
            yield f"Intervals of differences: {methods}."
    figures = [each for model in evaluation for each in get_estimates(model).items()]
    if methods := _methods((one.method, evaluation._name(m)) for m, one in figures):
        rows = _SAMPLES.get(evaluation.task, "rows")
        level = f"{percent_text(evaluation.confidence_level)} intervals"
        yield f"{evaluation.n_samples:,.10g} {rows}, {level}: {methods}."
    yield "↑: higher is better."


def _cautions(evaluation: Evaluation) -> Iterator[str]:
    """Yield what limits the use of the figures of a model, or of some metrics."""
    if evaluation.task != "binary":
        return
    yield from (f"{model.name}: {model.note}." for model in evaluation if model.note)
    about: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    for model in evaluation:
        for metric, one in (model.bootstrap or {}).items():
            if one.note:
                metrics, models = about.setdefault(one.note, ({}, {}))
                metrics[evaluation._name(metric)] = models[model.name] = None
    for note, (metrics, models) in about.items():
        of = f" of {', '.join(models)}" if len(models) < len(evaluation) else ""
        yield f"{', '.join(metrics)}{of}: {note}."


def _bootstrap_notes(bootstrap: EvaluationBootstrap) -> Iterator[str]:
    """Yield the threshold of decisions, and how resamples are drawn."""
    if bootstrap.threshold is not None:
        yield f"Metrics of counts: positive means score ≥ {bootstrap.threshold:g}."
    rows = "rows of each class" if bootstrap.stratified else "rows"
    if bootstrap.n_groups is not None:
        rows = f"{bootstrap.n_groups:,} groups, each as a whole"
    n = f"{bootstrap.n_resamples:,} resamples of {rows}"
    yield f"Bootstrap: {n}; `rng={bootstrap.key!r}` repeats them."


def _methods(figures: Iterable[tuple[str, str]]) -> str:
    """Return the methods of intervals, each with its metrics in brackets."""
    by_method: dict[str, dict[str, None]] = {}
    for method, metric in figures:
        by_method.setdefault(METHODS.get(method, method), {})[metric] = None
    return "; ".join(f"{method} ({', '.join(names)})" for method, names in by_method.items())


def list_costs(models: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Return the cheapest threshold of each model with its cost, and those of simple rules."""
    rows = []
    for name in _COSTS:
        for model in models:
            interval = getattr(model.costs, _LIMITS.get(name, ""), None)
            field_name = name.removeprefix("cheapest_")
            rows.append((name, model.name, getattr(model.costs, field_name, math.nan), interval))
    return rows
