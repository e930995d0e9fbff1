"""The usual measures of several classes, labels, numbers and rankings, each with its interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.containers import as_array
from fastmetrics._input.models import NamedScores
from fastmetrics._input.rows import column_count
from fastmetrics._input.scalars import check_same_length
from fastmetrics._report._one_model import said_in_notes
from fastmetrics._report.tasks.task_evaluation import TaskEvaluation
from fastmetrics._report.tasks.task_rule import Task
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import InputError
from fastmetrics.inference.compare import compare
from fastmetrics.inference.comparison_result import Comparison, Comparisons
from fastmetrics.inference.estimate import estimate
from fastmetrics.inference.estimate_result import Estimate, Estimates
from fastmetrics.inference.forms import asked_of
from fastmetrics.inference.proportions.proportions import proportion_limits
from fastmetrics.measures.asking import MetricsLike

#: What is measured of each task where nothing else is asked.
_DEFAULTS: Final[dict[str, tuple[str, ...]]] = {
    "labels": ("accuracy", "balanced_accuracy", "f1_macro"),
    "labels of two": ("accuracy", "balanced_accuracy", "precision", "recall", "f1"),
    "classes": ("log_loss", "roc_auc_ovr"),
    "values": ("root_mean_squared_error", "mean_absolute_error", "r2"),
    "rankings": ("ndcg@10", "map", "mrr"),
}


def evaluate_task(
    task: Task,
    y_true: Any,
    models: Sequence[NamedScores],
    *,
    metrics: MetricsLike | None,
    confidence_level: float,
    **rows: Any,
) -> TaskEvaluation:
    """Return the measures of each model, with intervals, and how the models differ.

    ``rows`` are weights and how they are read, groups, queries, the positive label.
    """
    level = confidence_level
    models = [each._replace(values=as_array(each.values, each.argument)) for each in models]
    found: dict[str, dict[str, Estimate]] = {model.name: {} for model in models}
    pairs: dict[str, Comparison] = {}
    directions: dict[str, bool | None] = {}
    notes: list[str] = []
    if task != "labels":
        rows = rows | {"pos_label": None}
    for predictions, wanted in _asked(task, y_true, models, metrics, rows):
        options = {"metrics": wanted, "confidence_level": level, **rows}
        for one in asked_of(wanted, None, rows["query"]):
            directions[one.label] = one.higher_is_better
        with said_in_notes():
            if len(models) == 1:
                (only,) = models
                found[only.name] |= _estimated(y_true, predictions[only.name], options)
            else:
                own = compare(y_true, predictions, **options)
                pairs |= own
                for k, model in enumerate(models):
                    found[model.name] |= {name: one.models[k] for name, one in own.items()}
        if task in ("labels", "classes") and not notes:
            notes += _about_classes(y_true, predictions, level)
    if task == "values" and metrics is None:
        _add_quantiles(y_true, models, found, directions, level, rows)
    first = next(iter(found[models[0].name].values()))
    notes += dict.fromkeys(
        f"{name}: {one.note}." for name, own in found.items() for one in own.values() if one.note
    )
    return TaskEvaluation(
        task,
        tuple(found),
        {name: Estimates(own) for name, own in found.items()},
        Comparisons(pairs) if pairs else None,
        level,
        first.n_samples,
        directions,
        tuple(notes),
    )


def _estimated(y_true: Any, values: Any, options: Mapping[str, Any]) -> Mapping[str, Estimate]:
    return estimate(y_true, values, **options)


def _asked(
    task: Task,
    y_true: Any,
    models: Sequence[NamedScores],
    metrics: MetricsLike | None,
    rows: Mapping[str, Any],
) -> list[tuple[dict[str, Any], Any]]:
    """Return predictions with what is measured of them: of classes labels and probabilities."""
    given = {model.name: model.values for model in models}
    if task == "classes":
        labels = {model.name: most_probable(y_true, model) for model in models}
        if metrics is None:
            return [(labels, _DEFAULTS["labels"]), (given, _DEFAULTS["classes"])]
        of_labels: dict[str, Any] = {}
        of_matrix: dict[str, Any] = {}
        for one in asked_of(metrics, None, None):
            is_of_labels = one.measure is not None and one.measure.needs == "labels"
            (of_labels if is_of_labels else of_matrix)[one.label] = (one.name, one.parameters)
        return [each for each in ((labels, of_labels), (given, of_matrix)) if each[1]]
    if metrics is not None:
        return [(given, metrics)]
    if task == "labels" and _is_of_two(y_true, models) and rows["pos_label"] is not None:
        return [(given, _DEFAULTS["labels of two"])]
    return [(given, _DEFAULTS[task])]


def _is_of_two(y_true: Any, models: Sequence[NamedScores]) -> bool:
    columns = [as_array(y_true, "y_true"), *(as_array(m.values, m.argument) for m in models)]
    return len(set().union(*(np.unique(each).tolist() for each in columns))) <= 2


def most_probable(y_true: Any, model: NamedScores) -> NDArray[Any]:
    """Return the class of the largest column of each row; the first of equal ones."""
    classes = np.asarray(check_class_labels(y_true).classes)
    matrix = as_array(model.values, model.argument)
    if matrix.ndim != 2 or column_count(matrix) != len(classes):
        raise InputError(
            f"`{model.argument}` must have a column for each class of `y_true`, in their order, "
            f"{len(classes)}: got shape {matrix.shape}"
        )
    check_same_length(**{"y_true": as_array(y_true, "y_true"), model.argument: matrix})
    return np.asarray(classes[np.argmax(matrix, axis=1)])


def _about_classes(y_true: Any, predictions: Mapping[str, Any], level: float) -> list[str]:
    """Return what the largest class alone would give, and of each model the worst class."""
    truth = check_class_labels(y_true)
    classes, counts = np.asarray(truth.classes).tolist(), np.bincount(truth.codes)
    most, n = int(np.argmax(counts)), len(truth.codes)
    notes = [f"Always {classes[most]!r} would be right in {counts[most] / n:.4f} of rows."]
    if len(classes) < 3:
        return notes
    tail = 1.0 - (1.0 - level) / len(classes)
    right = np.asarray(y_true, dtype=object)
    for name, predicted in predictions.items():
        hits = np.bincount(truth.codes, np.asarray(predicted, dtype=object) == right)
        worst = int(np.argmin(hits / np.maximum(counts, 1)))
        low, high = proportion_limits(hits[worst], counts[worst], tail, "wilson", "two-sided")
        notes.append(
            f"{name}: the worst class is {classes[worst]!r}, of which {hits[worst]:,.0f} of "
            f"{counts[worst]:,} are found: recall {hits[worst] / counts[worst]:.4f} "
            f"[{low:.4f}, {high:.4f}], adjusted for the {len(classes)} classes."
        )
    return notes


def _add_quantiles(
    y_true: Any,
    models: Sequence[NamedScores],
    found: dict[str, dict[str, Estimate]],
    directions: dict[str, bool | None],
    level: float,
    rows: Mapping[str, Any],
) -> None:
    """Add the median absolute error, and the one that a tenth of rows exceeds, of plain rows."""
    if rows["groups"] is not None or rows["sample_weight"] is not None:
        return
    truth = as_array(y_true, "y_true").astype(np.float64)
    for model in models:
        errors = np.abs(truth - as_array(model.values, model.argument))
        for name, share in (("median_absolute_error", 0.5), ("absolute_error_quantile_90", 0.9)):
            found[model.name][name] = quantile_estimate(name, errors, share, level)
            directions[name] = False


def quantile_estimate(
    name: str, values: NDArray[np.float64], share: float, level: float
) -> Estimate:
    """Return a quantile of independent numbers between two of them.

    The number of values below the quantile is binomial: the limits are order statistics that leave
    at most half of what the level leaves on either side (Conover 1999, 3.2), infinite where there
    are too few; exact for continuous values, and cautious where there are ties.
    """
    from scipy.stats import binom

    n, tail = len(values), (1.0 - level) / 2.0
    ordered = np.sort(values)
    lower = int(binom.ppf(tail, n, share))  # the least k with P(X <= k) >= tail
    upper = int(binom.ppf(1.0 - tail, n, share)) + 1
    low = float(ordered[lower - 1]) if lower >= 1 else 0.0
    high = float(ordered[upper - 1]) if upper <= n else math.inf
    return Estimate(
        metric=name,
        estimate=float(np.quantile(values, share)),
        standard_error=math.nan,
        confidence_interval=ConfidenceInterval(low, high),
        df=math.inf,
        confidence_level=level,
        method="order statistics",
        scale="identity",
        n_samples=float(n),
    )
