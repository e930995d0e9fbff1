"""What `evaluate` returns of two classes: the measures of each model, and how they differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from fastmetrics._display import Display
from fastmetrics._input.scalars import WeightsAre
from fastmetrics._report.model_evaluation import (
    LEAST_COST,
    NO_INTERVAL,
    PROBABILITIES,
    ModelEvaluation,
    costs_of,
    evaluate_table,
    figures_of,
    has_losses,
    plain_of,
)
from fastmetrics._report.slices import ARROWS, Slices
from fastmetrics._report.task_evaluation import (
    NAMES_OF_SCORES,
    Evaluated,
    of_methods,
    percent,
    raised,
)
from fastmetrics._results import Result
from fastmetrics.inference.comparison_result import Comparisons
from fastmetrics.inference.estimate_result import METHODS, WEIGHTS
from fastmetrics.inference.range_summary import RangeSummary
from fastmetrics.measures.registry import MEASURES
from fastmetrics.tables.score_table import ScoreTable

#: Fields of a model of two classes, and their measures in a bootstrap.
FIELDS: Final = {
    "n_positive": "n_positive",
    "n_negative": "n_negative",
    "roc_auc": "roc_auc",
    "average_precision": "average_precision",
    "break_even_point": "break_even_point",
    "ks_statistic": "ks_statistic",
    "threshold": "threshold",
    "tpr_at_best_threshold": "true_positive_rate",
    "fpr_at_best_threshold": "false_positive_rate",
}
#: The same in a table in which the best threshold stands above.
_BELOW_IT: Final = {"tpr_at_best_threshold": "TPR at it", "fpr_at_best_threshold": "FPR at it"}
#: Which way is better, of what is no measure of the registry by this name.
_UPWARDS: Final = {"tpr_at_best_threshold": True, "fpr_at_best_threshold": False, "threshold": None}

_OF_ONE_PAIR: Final = (
    *("a", "b", "estimate", "confidence_interval", "standard_error"),
    *("pvalue", "pvalue_holm", "better"),
)


@dataclass(frozen=True, slots=True, repr=False)
class EvaluationBootstrap(Result):
    """How the bootstrap of an evaluation was made.

    Attributes
    ----------
    method : str or None
        That was asked for; None where each measure has its own, which its result names.
    n_resamples : int
        Replicates.
    stratified : bool
        Whether each class was drawn by itself.
    n_groups : int or None
        How many groups there were to draw from; None where rows were drawn.
    effective_n_groups : float or None
        How many of equal size they are worth: below about 30 intervals cover too little.
    threshold : int, float or None
        From which score on the measures of counts call an example positive.
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
class Evaluation(Evaluated[ModelEvaluation]):
    """The measures of one or several models on the same examples.

    Attributes
    ----------
    models : tuple of ModelEvaluation
        In the order given.
    confidence_level : float
        Of the confidence intervals.
    weights_are : {"importances", "frequencies"} or None
        How weights were read; None where there were none.
    bootstrap : EvaluationBootstrap or None
        How the intervals were made, where a bootstrap made them.
    comparisons : Comparisons or None
        By measure, every pair of models; None with one model, or with tables alone.
    notes : tuple of str
        What was taken for granted, as that scores are probabilities.
    slices : Slices or None
        Measures of slices of the rows, where columns were given.
    """

    _names = NAMES_OF_SCORES
    _optional = ("bootstrap", "slices", "notes")
    _pairs_are = "differences"
    models: tuple[ModelEvaluation, ...]
    confidence_level: float
    weights_are: WeightsAre | None = None
    bootstrap: EvaluationBootstrap | None = None
    comparisons: Comparisons | None = field(default=None, hash=False)
    notes: tuple[str, ...] = ()
    slices: Slices | None = None

    @classmethod
    def of_tables(
        cls,
        tables: Mapping[str, ScoreTable | RangeSummary],
        confidence_level: float,
        weights_are: WeightsAre | None = None,
    ) -> Evaluation:
        """Return that of models by their tables: losses where all scores may be probabilities."""
        have_losses = all(map(has_losses, tables.values()))
        models = [evaluate_table(*each, confidence_level, have_losses) for each in tables.items()]
        notes = (PROBABILITIES,) if have_losses else ()
        return cls(tuple(models), confidence_level, weights_are, notes=notes)

    def _by_name(self) -> Mapping[str, ModelEvaluation]:
        return {model.name: model for model in self.models}

    def _plain_pairs(self, comparisons: Comparisons) -> dict[str, Any]:
        return {
            metric: [plain_of(pair, _OF_ONE_PAIR) for pair in one]
            for metric, one in comparisons.items()
        }

    def __repr__(self) -> str:
        aucs = ", ".join(f"{model.name}: roc_auc={model.roc_auc:.6g}" for model in self.models)
        return f"Evaluation({aucs})"

    def _shown(self) -> Display:
        of_models = {model.name: _rows(model) for model in self.models}
        metrics = dict.fromkeys(metric for rows in of_models.values() for metric in rows)
        rows = [(m, name, *own[m]) for m in metrics for name, own in of_models.items()]
        marks, texts = _footnotes(self)
        words = {
            m: (NAMES_OF_SCORES | _BELOW_IT).get(m, m) + _arrow(m) + marks.get(m, "")
            for m in metrics
        }
        tables = [self._measures(rows, words)]
        if any(model.costs is not None for model in self.models):
            tables.append(self._measures(*costs_of(self.models)))
        return self._described(tables, _notes(self, texts))


# --- what is printed ----------------------------------------------------------------------------


def _arrow(metric: str) -> str:
    """Return which way a measure is better; nothing where none is, or nobody knows."""
    known = metric in MEASURES and metric not in _UPWARDS
    return ARROWS[MEASURES[metric].direction({}) if known else _UPWARDS.get(metric)]


def _rows(model: ModelEvaluation) -> dict[str, tuple[Any, ...]]:
    """Return the value, the interval and the standard error of each measure."""
    found: dict[str, tuple[Any, ...]] = {
        metric: (getattr(model, field), None, None) for metric, field in FIELDS.items()
    }
    found["roc_auc"] = (model.roc_auc, model.confidence_interval, None)
    for metric, one in figures_of(model).items():
        found[metric] = (one.estimate, one.confidence_interval, one.standard_error)
    return found


def _notes(evaluation: Evaluation, footnotes: list[str]) -> list[str]:
    """Return how the intervals were made, how weights were read, what the rows mean."""
    bootstrap, metrics = evaluation.bootstrap, figures_of(evaluation[0])
    if bootstrap is None:
        of_method = of_methods((model.interval_method, model.name) for model in evaluation)
        which = "" if evaluation[0].estimates else " of the AUC"
        notes = []
        if of_method:
            of_gaps = f"; of KS: {METHODS['band']}" if "ks_statistic" in metrics else ""
            notes.append(f"[{percent(evaluation)} interval]{which}: {_by(of_method)}{of_gaps}.")
    else:
        of_method = of_methods(
            (one.method, evaluation._name(metric))
            for model in evaluation
            for metric, one in figures_of(model).items()
            if one.details is not None
        )
        notes = [
            f"[{percent(evaluation)} interval]: {_by(of_method, ' bootstrap')}, "
            f"{bootstrap.n_resamples:,} resamples of {_drawn(bootstrap)}; "
            f"`rng={bootstrap.key!r}` draws them again."
        ]
    notes += [*WEIGHTS[evaluation.weights_are], *evaluation.notes]
    notes.append("Best threshold: largest TPR − FPR. Positive means score ≥ threshold.")
    if bootstrap is None and metrics:
        notes[-1] += (
            " That threshold, the rates at it and the break-even point have intervals by a "
            "bootstrap alone (`n_resamples`)."
        )
    if bootstrap is not None:
        if _BELOW_IT.keys() & metrics.keys():
            notes[-1] += " Each resample chooses its own."
        notes += _of_bootstrap(evaluation, bootstrap, footnotes)
    if any(model.costs is not None for model in evaluation):
        notes.append(LEAST_COST)
        if bootstrap is not None and bootstrap.n_groups is not None:
            notes.append(NO_INTERVAL)
    notes += [f"{model.name}: {each.verdict}." for model in evaluation for each in model.guarantees]
    return notes + [f"{model.name}: {model.note}." for model in evaluation if model.note]


def _footnotes(evaluation: Evaluation) -> tuple[dict[str, str], list[str]]:
    """Return the marks of measures whose bootstrap intervals have notes, and the notes marked.

    With several models a note names those that it is about, unless it is all.
    """
    about: dict[str, dict[str, None]] = {}
    marks: dict[str, dict[str, None]] = {}
    for model in evaluation:
        for metric, one in (model.bootstrap or {}).items():
            if one.note:
                about.setdefault(one.note, {})[model.name] = None
                mark = raised([*about].index(one.note) + 1)
                marks.setdefault(metric, {})[mark] = None
    texts = []
    for number, (note, names) in enumerate(about.items(), start=1):
        of = "" if len(names) == len(evaluation) else f"{', '.join(names)}: "
        texts.append(f"{raised(number)} {of}{note}.")
    return {metric: f" {','.join(own)}" for metric, own in marks.items()}, texts


def _by(of_method: Mapping[str, list[str]], noun: str = "") -> str:
    """Return the methods, the commonest first, and of several what each is of."""
    (first, names), *others = sorted(of_method.items(), key=lambda item: -len(item[1]))
    whose = f" ({', '.join(names)})" if others and not noun else ""
    said = [f"{method}: {', '.join(of)}" for method, of in others]
    return f"{first}{noun}{whose}" + (f" ({'; '.join(said)})" if said else "")


def _drawn(bootstrap: EvaluationBootstrap) -> str:
    if bootstrap.n_groups is not None:
        return f"whole groups, of which there are {bootstrap.n_groups:,}"
    return "rows of each class by themselves" if bootstrap.stratified else "rows"


def _of_bootstrap(
    evaluation: Evaluation, bootstrap: EvaluationBootstrap, footnotes: list[str]
) -> list[str]:
    notes = []
    if bootstrap.threshold is not None:
        notes.append(f"Measures of counts: positive means score ≥ {bootstrap.threshold:g}.")
    notes += footnotes
    if any(one.details is None for one in figures_of(evaluation[0]).values()):
        notes.append("KS: limits of the largest of many gaps, without resamples.")
    if evaluation.comparisons is not None:
        n_pairs = len(next(iter(evaluation.comparisons.values())))
        adjusted = f"; p (Holm) is adjusted for the {n_pairs} pairs" if n_pairs > 1 else ""
        drawn = [
            (one.method.removesuffix(" bootstrap"), evaluation._name(metric))
            for metric, one in evaluation.comparisons.items()
            if one.pairs[0].details is not None
        ]
        notes.append(
            f"Differences: {_by(of_methods(drawn), ' intervals')}, on the same resamples; p under "
            f"no difference{adjusted}."
        )
    return notes
