"""What must be known of labels beside the means over them: rare, doubtful and worst ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fastmetrics._display.numbers import with_limits
from fastmetrics._report._beside import few_values
from fastmetrics._report.diagnosis import DOUBTS, SURE, doubt_of
from fastmetrics._report.model_evaluation import said_in_notes
from fastmetrics._report.multilabel.labelled_rows import Labelled, Of
from fastmetrics._report.task_evaluation import NAMES
from fastmetrics._results import ConfidenceInterval
from fastmetrics.inference.estimate import estimate, metric_of
from fastmetrics.inference.estimate_result import Estimate
from fastmetrics.inference.units import Floats

#: Rows of a class of a label below which no interval is sure, and how many names a note has.
_FEW, _NAMED = 30, 5


def notes_of_labels(rows: Labelled, by_label: Mapping[Of, Floats], level: float) -> list[str]:
    """Return what is said of labels; ``by_label`` has each measure of models and labels."""
    return [
        *_of_labels(rows, [*by_label]),
        *_doubts(rows, by_label),
        *_worst(rows, by_label, level),
    ]


def _of_labels(rows: Labelled, asked: Sequence[Of]) -> Iterator[str]:
    """Yield what must be known of the labels."""
    k = len(rows.names)
    if (rows.labels.sum(axis=1) == 1).all():
        yield (
            "Each row has one label: of classes that exclude one another pass the class of each "
            "row as `y_true`."
        )
    lone = _first_of(rows, rows.sizes == 0)
    if lone and any(each.how == "macro" and not each.takes_one_class for each in asked):
        kept = ", ".join(
            NAMES.get(each.base.label, each.base.label)
            for each in asked
            if each.takes_one_class or each.how != "macro"
        )
        rest = f"; {kept} count them" if kept else ""
        yield f"Of one class in all rows, and left out of means over the {k} labels: {lone}{rest}."
    few = _first_of(rows, (rows.sizes > 0) & (rows.sizes < _FEW))
    if few:
        yield f"Fewer than {_FEW} rows of a class, so that no interval is sure: {few}."
    if rows.threshold is not None and not rows.are_decisions:
        yield f"Decisions: a label is called at score ≥ {rows.threshold:g}."


def _first_of(rows: Labelled, which: NDArray[np.bool_]) -> str:
    return _listed([rows.names[j] for j in np.flatnonzero(which)])


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


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
        of_kinds = [f"{kind} ({_listed(names)})" for kind, names in found.items()]
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
