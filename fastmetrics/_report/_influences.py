"""Intervals of an evaluation without a bootstrap: by how far each row moves a measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fastmetrics._input.containers import as_array
from fastmetrics._input.models import NamedScores
from fastmetrics._report._one_model import SMOOTH, said_in_notes, with_estimates
from fastmetrics._report.model_evaluation import ModelEvaluation
from fastmetrics.errors import InputError
from fastmetrics.inference.compare import compare
from fastmetrics.inference.comparison_result import Comparisons
from fastmetrics.inference.estimate import estimate, metric_of
from fastmetrics.inference.table_points import has_influences
from fastmetrics.measures.asking import MetricsLike, ask

#: Of probabilities.
_OF_PROBABILITIES = ("brier_score", "log_loss")


def measures_beside(
    named: Sequence[NamedScores], metrics: MetricsLike | None
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return what is measured beside `SMOOTH`, by label, and what must be said of it."""
    if metrics is None:
        if not all(may_be_probabilities(model) for model in named):
            return {}, ()
        said = "Scores lie in [0, 1]: taken for probabilities in Brier score and log loss."
        return {name: name for name in _OF_PROBABILITIES}, (said,)
    found: dict[str, Any] = {}
    for one in ask(metrics):
        if not has_influences(one):
            raise InputError(
                f"`{one.label}` has no influences of rows, and an interval from a bootstrap alone: "
                "pass `n_resamples`"
            )
        if one.label not in SMOOTH:
            found[one.label] = metric_of(one)
    return found, ()


def may_be_probabilities(model: NamedScores) -> bool:
    """Return whether scores are fractions from 0 to 1, and not labels."""
    scores = as_array(model.values, model.argument)
    if scores.dtype.kind != "f" or len(scores) == 0:
        return False
    low, high = float(np.min(scores)), float(np.max(scores))
    if not 0.0 <= low <= high <= 1.0:
        return False
    return low < high and bool(((scores > 0.0) & (scores < 1.0)).any())


def by_influence(
    models: list[ModelEvaluation],
    labels: Any,
    named: Sequence[NamedScores],
    more: Mapping[str, Any],
    is_measured: bool,
    **options: Any,
) -> tuple[list[ModelEvaluation], Comparisons | None]:
    """Return models with their errors and intervals, and of several how they differ.

    ``is_measured`` says that `SMOOTH` was measured, of one model.
    """
    metrics = more if is_measured else {name: name for name in SMOOTH} | {**more}
    if len(named) == 1:
        if not metrics:
            return models, None
        (model,) = models
        try:
            with said_in_notes():
                found = dict(estimate(labels, named[0].values, metrics=metrics, **options))
        except InputError as error:
            raise error.renamed({"y_score": named[0].argument}) from error
        return [with_estimates(model, {**(model.estimates or {}), **found})], None
    scores = {model.name: model.values for model in named}
    with said_in_notes():
        pairs = compare(labels, scores, metrics=metrics, **options)
    own = ({metric: one.models[k] for metric, one in pairs.items()} for k in range(len(models)))
    return [with_estimates(*each) for each in zip(models, own, strict=True)], pairs
