"""`evaluate` of rows that have several labels: means over labels, their errors, differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from fastmetrics._input.models import NamedScores, pairs_of
from fastmetrics._report.model_evaluation import said_in_notes
from fastmetrics._report.multilabel.label_bias import excess_of, with_excess
from fastmetrics._report.multilabel.label_notes import notes_of_labels
from fastmetrics._report.multilabel.labelled_rows import Labelled, Of, asked_of_labels
from fastmetrics._report.task_evaluation import TaskEvaluation
from fastmetrics.errors import InputError
from fastmetrics.inference.compare import Chosen, compared
from fastmetrics.inference.comparison_result import Comparison
from fastmetrics.inference.estimate_result import Estimate
from fastmetrics.inference.samples import warn_of_units
from fastmetrics.inference.table_points import Measured, counts_of_share
from fastmetrics.inference.units import Floats
from fastmetrics.measures._influences import RowInfluences
from fastmetrics.measures.asking import MetricsLike, labelled


def evaluate_multilabel(
    y_true: Any,
    models: Sequence[NamedScores],
    *,
    metrics: MetricsLike | None,
    confidence_level: float,
    threshold: float | None,
    **options: Any,
) -> TaskEvaluation:
    """Return means over labels for each model, with intervals, and how the models differ.

    The influence of a row on a mean is the mean of its influences: on the same rows `Units` makes
    the covariance of labels, and of models, from it. ``options`` are weights, how they are read,
    and groups.
    """
    rows = Labelled.checked(y_true, models, threshold, **options)
    asked = [
        asked_of_labels(*each) for each in labelled(rows.usual() if metrics is None else metrics)
    ]
    for each in asked:
        if each.is_of_decisions and rows.threshold is None:
            raise InputError(
                f"`{each.base.label}` is of predicted labels: pass `threshold`, from which on a "
                "score is called positive, or matrices of 0 and 1"
            )
    names, own = tuple(m.name for m in models), rows.design
    units = own.units(len(rows.labels))
    warn_of_units(units, own.weights_are)
    chosen = Chosen(names, pairs_of(names), None, confidence_level, "two-sided")
    found: dict[str, dict[str, Estimate]] = {name: {} for name in names}
    pairs: dict[str, Comparison] = {}
    by_label: dict[Of, Floats] = {}
    for each, influenced, of_labels, excess in _measured(rows, asked):
        by_label[each] = of_labels
        counts: list[Any] = [None] * len(names)
        if each.how == "rows" and own.is_plain:
            n = units.n_rows
            counts = [counts_of_share(one.value * n, n) for one in influenced]
        moved, own_units = [one.influences for one in influenced], units
        if each.how == "macro" and not any(one.any() for one in moved):
            # what unseen rows may do is what they do to the rarest class
            own_units = replace(units, strata=rows.rarest)
        values = tuple(one.value for one in influenced)
        measured = Measured(values, moved, own_units, tuple(counts), units.n_rows)
        shown = each.base if each.how == "rows" else each.shown
        with said_in_notes():
            comparison = compared(shown, measured, chosen, own.weights_are)
        if each.is_biased:
            comparison = with_excess(comparison, excess)
        if comparison.pairs:
            pairs[shown.label] = comparison
        for name, one in zip(names, comparison.models, strict=True):
            found[name][shown.label] = one
    notes = notes_of_labels(rows, by_label, confidence_level)
    for name, of_model in found.items():
        notes += dict.fromkeys(f"{name}: {one.note}." for one in of_model.values() if one.note)
    directions = {each.base.label: each.base.higher_is_better for each in asked}
    return TaskEvaluation.of("multilabel", found, pairs, confidence_level, directions, notes)


def _measured(
    rows: Labelled, asked: Sequence[Of]
) -> Iterator[tuple[Of, list[RowInfluences], Floats, Sequence[float]]]:
    """Yield each measure of every model: influences, values of labels, what it is too large by."""
    n, k = rows.labels.shape
    many = len(rows.models)
    means = [each for each in asked if each.how == "macro"]
    values = {each: np.full((many, k), np.nan) for each in means}
    influences = {each: np.zeros((many, n)) for each in means}
    excess = {each: np.zeros(many) for each in means}
    for label in range(k if means else 0):
        of_label = [each for each in means if rows.sizes[label] or each.takes_one_class]
        sample = rows.of_label(label, of_label)
        for model in range(many):
            for each in of_label:
                found = sample.influenced(each.base, model)
                values[each][model, label] = found.value
                influences[each][model] += found.influences
                if each.is_biased and rows.sizes[label]:
                    excess[each][model] += excess_of(each.base, sample, model)
    for each in asked:
        own = np.full((many, k), np.nan)
        if each.how == "macro":
            own = values[each]
            use = np.ones(k, np.bool_) if each.takes_one_class else rows.sizes > 0
            count = max(1, int(use.sum()))
            mean = own[:, use].mean(axis=1) if use.any() else np.full(many, np.nan)
            moved = zip(mean.tolist(), influences[each] / count, strict=True)
            yield each, [RowInfluences(*one) for one in moved], own, (excess[each] / count).tolist()
        else:
            of = partial(rows.pooled, each) if each.how == "micro" else rows.whole_rows
            yield each, [of(model) for model in range(many)], own, ()
