"""What the figures of scores have in common: the models' tables, their bands, their decisions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeVar

from fastmetrics._input.scalars import WeightsAre, check_choice, check_weights_are
from fastmetrics._plots.curves import Band
from fastmetrics._report.evaluation import models_of
from fastmetrics._report.model_evaluation import table_of
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import InputError, InputTypeError, renamed
from fastmetrics.inference.bands import PrBand, RocBand, shown_band
from fastmetrics.inference.estimate import estimate
from fastmetrics.measures.curves.best_threshold import best_threshold
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix
from fastmetrics.tables.score_table import ScoreTable

#: Criteria of `best_threshold` that need no further number.
Chosen = Literal["youden", "closest-topleft", "fewest-errors", "fbeta"]
OneBand = TypeVar("OneBand", RocBand, PrBand)

_CRITERIA: Final = {
    "youden": "largest TPR − FPR",
    "closest-topleft": "nearest to the ideal point",
    "fewest-errors": "fewest errors",
    "fbeta": "largest $F_1$",
}


class Model(NamedTuple):
    """A model with its name in messages and in the legend, which has none for a single column."""

    name: str
    table: ScoreTable
    interval: ConfidenceInterval | None


def plotted_models(
    y_true: Any,
    scores: Any,
    names: Sequence[str] | None,
    *,
    sample_weight: Any,
    pos_label: Any,
    weights_are: WeightsAre = "importances",
    confidence_level: float | None = None,
) -> list[Model]:
    """Return the table of each model, with the interval of its AUC if a level is given."""
    read = check_weights_are(sample_weight, weights_are)
    rows: dict[str, Any] = {"sample_weight": sample_weight, "pos_label": pos_label}
    if isinstance(y_true, ScoreTable):
        if any(each is not None for each in (scores, names, *rows.values())):
            raise InputTypeError(
                "a ScoreTable comes alone: pass no `scores`, `names`, `sample_weight` or "
                "`pos_label` with it"
            )
        models = [Model("", y_true, _interval(confidence_level, y_true))]
    else:
        models = []
        for name, argument, y_score in models_of(scores, names):
            with renamed(y_score=argument):  # there may be many scores: say which it was
                table, _ = table_of(y_true, y_score, weights_are=read, **rows)
                if read == "importances":
                    interval = _interval(confidence_level, y_true, y_score, **rows)
                else:
                    interval = _interval(confidence_level, table)
            models.append(Model("" if argument == "scores" else name, table, interval))
    for model in models:
        check_both_classes(model.table)
    return models


def _interval(level: float | None, *data: Any, **rows: Any) -> ConfidenceInterval | None:
    """Return the interval of the AUC; None without a level, or where rows are not known."""
    is_sum = len(data) == 1 and data[0].is_weighted
    if level is None or is_sum:
        return None
    found = estimate(*data, metrics="roc_auc", confidence_level=level, **rows)
    return found["roc_auc"].confidence_interval


def check_both_classes(table: ScoreTable) -> None:
    """Raise if one class has no example."""
    if not (table.n_positive > 0 and table.n_negative > 0):
        raise InputError(
            "`y_true` must hold examples of both classes, of positive weight: of one there is no "
            f"curve (positives {table.n_positive:g}, negatives {table.n_negative:g})"
        )


def bands_by_name(
    bands: OneBand | Mapping[str, OneBand] | None, kind: type[OneBand], models: list[Model]
) -> dict[str, Band]:
    """Return what is drawn of bands by the names of the models."""
    if bands is None:
        return {}
    given = bands if isinstance(bands, Mapping) else {models[0].name: bands}
    if not isinstance(bands, Mapping) and len(models) > 1:
        raise InputTypeError("`bands` of several models must be a mapping from their names")
    names = [model.name for model in models]
    for name, band in given.items():
        if name not in names:
            raise InputError(
                f"`bands` names {name!r}: the models are {', '.join(map(repr, names))}"
            )
        if not isinstance(band, kind):
            raise InputTypeError(f"`bands` must hold {kind.__name__}s: got {type(band).__name__}")
    return {name: shown_band(band, name) for name, band in given.items()}


class Decision(NamedTuple):
    """Where a decision stands on the curves, and its name; none if there is nothing to mark."""

    threshold: float
    fpr: float
    tpr: float
    precision: float
    name: str


def said(threshold: Any) -> str:
    """Return a threshold as it is written where it is short, else rounded to six digits."""
    text = str(threshold)
    return text if len(text) <= 8 or isinstance(threshold, int) else f"{threshold:.6g}"


def decision_on(table: ScoreTable, threshold: Any) -> Decision | None:
    """Return the decision of a threshold, or of the one that a criterion chooses."""
    if threshold is None:
        return None
    if isinstance(threshold, str):
        best = best_threshold(table, criterion=check_choice("threshold", threshold, _CRITERIA))
        rates = (best.false_positive_rate, best.true_positive_rate, best.precision)
        return Decision(best.threshold, *rates, _CRITERIA[threshold])
    matrix = ConfusionMatrix.from_scores(table, threshold=threshold)
    called = matrix.tp + matrix.fp
    return Decision(
        threshold,
        matrix.fp / (matrix.fp + matrix.tn),
        matrix.tp / (matrix.tp + matrix.fn),
        matrix.tp / called if called else math.nan,
        f"score ≥ {said(threshold)}",
    )
