"""What `evaluate` returns: the measures of each model, and how they differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from fastmetrics._display.table import Display, Table
from fastmetrics._input.scalars import WeightsAre
from fastmetrics._report._costs import LEAST_COST, NO_INTERVAL, costs_table
from fastmetrics._report.model_evaluation import ModelEvaluation, plain_of
from fastmetrics._report.slices.slices_result import Slices
from fastmetrics._results import Result
from fastmetrics.errors import no_such
from fastmetrics.inference.comparison_result import Comparisons, pairs_table, verdict_of
from fastmetrics.inference.estimate_result import Estimate
from fastmetrics.inference.replicates import METHODS, WEIGHTS
from fastmetrics.measures.registry import MEASURES

_OF_ONE_PAIR = (
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
class Evaluation(Result):
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

    models: tuple[ModelEvaluation, ...]
    confidence_level: float
    weights_are: WeightsAre | None = None
    bootstrap: EvaluationBootstrap | None = None
    comparisons: Comparisons | None = field(default=None, hash=False)
    notes: tuple[str, ...] = ()
    slices: Slices | None = None

    @property
    def verdict(self) -> str:
        """What is shown of the models' differences, in words; empty of one model."""
        if self.comparisons is None:
            return ""
        return verdict_of(self.comparisons, NAMES)

    def __getitem__(self, model: str | int) -> ModelEvaluation:
        """Return the evaluation of a model, by name or by position."""
        if isinstance(model, int):
            return self.models[model]
        names = [known.name for known in self.models]
        if model not in names:
            raise no_such(model, "models", names)
        return self.models[names.index(model)]

    def __iter__(self) -> Iterator[ModelEvaluation]:
        return iter(self.models)

    def __len__(self) -> int:
        return len(self.models)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary of built-in Python objects.

        Returns
        -------
        dict
            Without the replicates; without `bootstrap` where it is None. Of several models
            `differences` by measure, and the `verdict`.
        """
        plain: dict[str, Any] = {
            "models": [model.to_dict() for model in self.models],
            "confidence_level": self.confidence_level,
            "weights_are": self.weights_are,
        }
        if self.bootstrap is not None:
            plain["bootstrap"] = self.bootstrap.to_dict()
        if self.comparisons is not None:
            plain["differences"] = {
                metric: [plain_of(pair, _OF_ONE_PAIR) for pair in one]
                for metric, one in self.comparisons.items()
            }
            plain["verdict"] = self.verdict
        if self.slices is not None:
            plain["slices"] = self.slices.to_dict()
        if self.notes:
            plain["notes"] = list(self.notes)
        return plain

    def __repr__(self) -> str:
        aucs = ", ".join(f"{model.name}: roc_auc={model.roc_auc:.6g}" for model in self.models)
        return f"Evaluation({aucs})"

    def _shown(self) -> Display:
        of_models = [_rows(model) for model in self.models]
        metrics = dict.fromkeys(metric for rows in of_models for metric in rows)
        found = [
            (metric, model.name, *rows[metric])
            for metric in metrics
            for model, rows in zip(self.models, of_models, strict=True)
        ]
        names = ("metric", "model", "estimate", "confidence_interval", "standard_error")
        columns = dict(zip(names, map(list, zip(*found, strict=True)), strict=True))
        marks, level = _Footnotes(self).marks, self.confidence_level
        words = {"metric": ""} | {m: _NAMES.get(m, m) + _arrow(m) + marks(m) for m in metrics}
        tables = [Table(columns, words=words, level=level, across="model")]
        if any(model.costs is not None for model in self.models):
            tables.append(costs_table(self, self.confidence_level))
        if self.comparisons is not None:
            words = {"metric": "measure", **NAMES}
            tables.append(pairs_table(self.comparisons, words=words, level=level, unseen=_UNSEEN))
        notes = _notes(self)
        if self.slices is not None:
            tables += [replace(table, framed=False) for table in self.slices.tables()]
            after = len(self.verdict.split("\n")) if self.verdict else 0
            notes[after:after] = self.slices.notes()
        return Display(tables, notes=notes)


# --- what is printed ----------------------------------------------------------------------------

#: A field of a model, its measure in the bootstrap, and what readers call it.
_ROWS: Final = (
    ("n_positive", "n_positive", "n+"),
    ("n_negative", "n_negative", "n−"),
    ("roc_auc", "roc_auc", "AUC"),
    ("average_precision", "average_precision", "average precision"),
    ("break_even_point", "break_even_point", "break-even point"),
    ("ks_statistic", "ks_statistic", "KS"),
    ("threshold", "threshold", "best threshold"),
    ("true_positive_rate", "tpr_at_best_threshold", "TPR at it"),
    ("false_positive_rate", "fpr_at_best_threshold", "FPR at it"),
)
#: What tables of differences leave to data frames.
_UNSEEN: Final = ("standard_error", "df", "n_failed")
_NAMES: Final = {metric: name for _, metric, name in _ROWS} | {
    "brier_score": "Brier score",
    "log_loss": "log loss",
}
#: Which way is better, of what every evaluation shows; other measures are the registry's.
_OF_ROWS_ONLY: Final = {"n_positive", "n_negative", "threshold"}
_UPWARDS: Final = {"tpr_at_best_threshold": True, "fpr_at_best_threshold": False}
NAMES: Final = _NAMES | {
    "tpr_at_best_threshold": "TPR at the best threshold",
    "fpr_at_best_threshold": "FPR at the best threshold",
}


def _arrow(metric: str) -> str:
    """Return which way a measure is better; nothing where none is, or nobody knows."""
    if metric in _OF_ROWS_ONLY:
        return ""
    upwards = _UPWARDS.get(metric)
    if upwards is None and metric in MEASURES:
        upwards = MEASURES[metric].direction({})
    return {True: " ↑", False: " ↓", None: ""}[upwards]


def _results(model: ModelEvaluation) -> Mapping[str, Estimate]:
    return {} if model.bootstrap is None else model.bootstrap


def _rows(model: ModelEvaluation) -> dict[str, tuple[Any, ...]]:
    """Return the value, the interval and the standard error of each measure."""
    found: dict[str, tuple[Any, ...]] = {
        metric: (getattr(model, field), None, None) for field, metric, _ in _ROWS
    }
    found["roc_auc"] = (model.roc_auc, model.confidence_interval, None)
    for metric, one in (_results(model) or model.estimates or {}).items():
        found[metric] = (one.estimate, one.confidence_interval, one.standard_error)
    return found


def _notes(evaluation: Evaluation) -> list[str]:
    """Return how the intervals were made, how weights were read, what the rows mean."""
    level = f"{100 * evaluation.confidence_level:.6g} %"
    of_method: dict[str, list[str]] = {}
    bootstrap, metrics = evaluation.bootstrap, _results(evaluation[0])
    if bootstrap is None:
        for model in evaluation:
            said = METHODS.get(model.interval_method, model.interval_method)
            of_method.setdefault(said, []).append(model.name)
        of_method.pop("", None)
        which = "" if evaluation[0].estimates else " of the AUC"
        notes = [f"[{level} interval]{which}: {_by(of_method)}."] if of_method else []
    else:
        for model in evaluation:
            for metric, one in _results(model).items():
                if one.details is not None:
                    names = of_method.setdefault(METHODS.get(one.method, one.method), [])
                    names += [] if _name(metric) in names else [_name(metric)]
        notes = [
            f"[{level} interval]: {_by(of_method, ' bootstrap')}, {bootstrap.n_resamples:,} "
            f"resamples of {_drawn(bootstrap)}; `rng={bootstrap.key!r}` draws them again."
        ]
    notes = [*evaluation.verdict.split("\n")] * bool(evaluation.verdict) + notes
    notes += WEIGHTS[evaluation.weights_are]
    notes += evaluation.notes
    notes.append("Best threshold: largest TPR − FPR. Positive means score ≥ threshold.")
    if bootstrap is not None:
        if "tpr_at_best_threshold" in metrics or "fpr_at_best_threshold" in metrics:
            notes[-1] += " Each resample chooses its own."
        notes += _of_bootstrap(evaluation, bootstrap)
    if any(model.costs is not None for model in evaluation):
        notes.append(LEAST_COST)
        if bootstrap is not None and bootstrap.n_groups is not None:
            notes.append(NO_INTERVAL)
    notes += [f"{model.name}: {each.verdict}." for model in evaluation for each in model.guarantees]
    return notes + [f"{model.name}: {model.note}." for model in evaluation if model.note]


_RAISED: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class _Footnotes:
    """The different notes of the bootstrap's intervals, numbered from 1.

    Parameters
    ----------
    evaluation : Evaluation
        Whose intervals a bootstrap made.

    Attributes
    ----------
    texts : list of str
        Mark and note; with several models, the models that a note is about, unless it is all.
    """

    def __init__(self, evaluation: Evaluation) -> None:
        self._of_metric: dict[str, list[str]] = {}
        about: dict[str, list[str]] = {}
        for model in evaluation:
            for metric, result in (model.bootstrap or {}).items():
                if result.note:
                    notes = self._of_metric.setdefault(metric, [])
                    notes += [result.note] * (result.note not in notes)
                    names = about.setdefault(result.note, [])
                    names += [model.name] * (model.name not in names)
        self._mark = {note: str(k).translate(_RAISED) for k, note in enumerate(about, start=1)}
        self.texts: list[str] = []
        for note, names in about.items():
            of = "" if len(names) == len(evaluation) else f"{', '.join(names)}: "
            self.texts.append(f"{self._mark[note]} {of}{note}.")

    def marks(self, metric: str) -> str:
        """Return the marks of a measure's notes, a space before them; usually empty."""
        found = ",".join(self._mark[note] for note in self._of_metric.get(metric, []))
        return f" {found}" if found else ""


def _name(metric: str) -> str:
    return NAMES.get(metric, metric)


def _by(of_method: Mapping[str, Sequence[str]], noun: str = "") -> str:
    """Return the methods, the commonest first, and of several what each is of."""
    (first, names), *others = sorted(of_method.items(), key=lambda item: -len(item[1]))
    whose = f" ({', '.join(names)})" if others and not noun else ""
    said = [f"{method}: {', '.join(of)}" for method, of in others]
    return f"{first}{noun}{whose}" + (f" ({'; '.join(said)})" if said else "")


def _drawn(bootstrap: EvaluationBootstrap) -> str:
    if bootstrap.n_groups is not None:
        return f"whole groups, of which there are {bootstrap.n_groups:,}"
    return "rows of each class by themselves" if bootstrap.stratified else "rows"


def _of_bootstrap(evaluation: Evaluation, bootstrap: EvaluationBootstrap) -> list[str]:
    notes = []
    if bootstrap.threshold is not None:
        notes.append(f"Measures of counts: positive means score ≥ {bootstrap.threshold:g}.")
    notes += _Footnotes(evaluation).texts
    if any(one.details is None for one in _results(evaluation[0]).values()):
        notes.append("KS: limits of the largest of many gaps, without resamples.")
    if evaluation.comparisons is not None:
        n_pairs = len(next(iter(evaluation.comparisons.values())))
        adjusted = f"; p (Holm) is adjusted for the {n_pairs} pairs" if n_pairs > 1 else ""
        of_method: dict[str, list[str]] = {}
        for metric, one in evaluation.comparisons.items():
            if one.pairs[0].details is not None:
                method = one.method.removesuffix(" bootstrap")
                of_method.setdefault(METHODS.get(method, method), []).append(_name(metric))
        notes.append(
            f"Differences: {_by(of_method, ' intervals')}, on the same resamples; p under no "
            f"difference{adjusted}."
        )
    return notes
