"""`evaluate` of rows that have several labels: means over labels, their errors, differences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np

from fastmetrics._display import with_limits
from fastmetrics._input.models import NamedScores, pairs_of
from fastmetrics._report._beside import few_values, of_each_model
from fastmetrics._report.diagnosis import DOUBTS, SURE, doubt_of
from fastmetrics._report.model_evaluation import said_in_notes
from fastmetrics._report.multilabel.label_bias import excess_of, with_excess
from fastmetrics._report.multilabel.labelled_rows import Labelled, Of, asked_of_labels
from fastmetrics._report.slices.slices_result import first_of
from fastmetrics._report.task_evaluation import NAMES, TaskEvaluation
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import InputError
from fastmetrics.inference.compare import Chosen, compared
from fastmetrics.inference.comparison_result import Comparison
from fastmetrics.inference.estimate import estimate, metric_of
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
    comparisons: dict[str, Comparison] = {}
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
        comparisons[shown.label] = with_excess(comparison, excess) if each.is_biased else comparison
    found = dict(zip(names, of_each_model(comparisons), strict=True))
    notes = [*_of_labels(rows, asked), *_doubts(rows, by_label)]
    notes += _worst(rows, by_label, confidence_level)
    for name, of_model in found.items():
        notes += dict.fromkeys(f"{name}: {one.note}." for one in of_model.values() if one.note)
    directions = {each.base.label: each.base.higher_is_better for each in asked}
    pairs = comparisons if len(names) > 1 else {}
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


# --- rare, doubtful and worst labels --------------------------------------------------------------

#: Rows of a class of a label below which no interval is sure.
_FEW: Final = 30


def _of_labels(rows: Labelled, asked: Sequence[Of]) -> Iterator[str]:
    """Yield what must be known of the labels."""
    k = len(rows.names)
    if (rows.labels.sum(axis=1) == 1).all():
        yield (
            "Each row has one label: of classes that exclude one another pass the class of each "
            "row as `y_true`."
        )
    lone = first_of(rows.named(rows.sizes == 0))
    if lone and any(each.how == "macro" and not each.takes_one_class for each in asked):
        kept = ", ".join(
            NAMES.get(each.base.label, each.base.label)
            for each in asked
            if each.takes_one_class or each.how != "macro"
        )
        rest = f"; {kept} count them" if kept else ""
        yield f"Of one class in all rows, and left out of means over the {k} labels: {lone}{rest}."
    few = first_of(rows.named((rows.sizes > 0) & (rows.sizes < _FEW)))
    if few:
        yield f"Fewer than {_FEW} rows of a class, so that no interval is sure: {few}."
    if rows.threshold is not None and not rows.are_decisions:
        yield f"Decisions: a label is called at score ≥ {rows.threshold:g}."


def _doubts(rows: Labelled, by_label: Mapping[Of, Floats]) -> Iterator[str]:
    """Yield a line on labels whose scores make no sense; nothing of healthy ones."""
    auc = next((each for each in by_label if each.is_auc), None)
    if auc is None or rows.are_decisions:
        return
    said = []
    for k, model in enumerate(rows.models):
        found: dict[str, list[str]] = {}
        for j in np.flatnonzero(rows.sizes).tolist():
            value, limits = by_label[auc][k, j], ConfidenceInterval(0.0, 1.0)
            if value < 0.5:
                level = 1.0 - (1.0 - SURE) / len(rows.names)
                limits = _of_label(rows, auc, k, j, level).confidence_interval
            doubt = doubt_of(few_values(model.values[j]), value, limits, len(rows.labels))
            if doubt is not None:
                found.setdefault(DOUBTS[doubt[0]], []).append(rows.names[j])
        of_kinds = [f"{kind} ({first_of(names)})" for kind, names in found.items()]
        said += [f"{model.name}: {', '.join(of_kinds)}"] * bool(of_kinds)
    if said:
        yield f"Doubtful: {'; '.join(said)}. `doctor` of one label says more."


def _worst(rows: Labelled, by_label: Mapping[Of, Floats], level: float) -> Iterator[str]:
    """Yield the worst label of each model by the first mean, with limits that hold for all."""
    of_means = [each for each in by_label if each.how == "macro" and each.base.higher_is_better]
    for first in of_means[:1]:
        for k, (model, values) in enumerate(zip(rows.models, by_label[first], strict=True)):
            known = np.flatnonzero(~np.isnan(values))
            if len(known) < 2:
                continue
            worst = int(known[np.argmin(values[known])])
            one = _of_label(rows, first, k, worst, 1.0 - (1.0 - level) / len(known))
            name = NAMES.get(first.base.name, first.base.name)
            yield (
                f"{model.name}: the worst of {len(known)} labels is {rows.names[worst]}: {name} "
                f"{with_limits(one.estimate, one.confidence_interval)}, adjusted for all of them."
            )


def _of_label(rows: Labelled, each: Of, model: int, label: int, level: float) -> Estimate:
    """Return what `estimate` says of one label."""
    options = dict(rows.options)
    if each.is_of_decisions:
        options["threshold"] = rows.threshold
    with said_in_notes():
        (found,) = estimate(
            rows.labels[:, label],
            rows.columns(label)[model].values,
            metrics={each.base.label: metric_of(each.base)},
            confidence_level=level,
            **options,
        ).values()
    return found
