"""`evaluate` of classes, labels, numbers and rankings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_class_labels, in_class_order
from fastmetrics._input.containers import as_array, column_count
from fastmetrics._input.rows import NamedScores
from fastmetrics._input.scalars import check_same_length
from fastmetrics._report.evaluation_result import Evaluation, Task
from fastmetrics._report.score_evaluation import OF_INTERVALS, OF_ROWS, EvaluateOptions, measure_all
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import InputError
from fastmetrics.inference.comparison_result import Comparison
from fastmetrics.inference.estimate_result import Estimate
from fastmetrics.inference.proportions import proportion_limits
from fastmetrics.inference.samples import request_metrics, without_value
from fastmetrics.metrics.asking import MetricsLike
from fastmetrics.metrics.registry import DEFAULTS

#: Quantiles of the absolute errors of plain rows.
_QUANTILES: Final = {"median_absolute_error": 0.5, "absolute_error_quantile_90": 0.9}


def evaluate_task(
    task: Task, y_true: Any, models: Sequence[NamedScores], options: EvaluateOptions
) -> Evaluation:
    """Return the metrics of each model, with intervals, and how the models differ."""
    models = [each._replace(values=as_array(each.values, each.argument)) for each in models]
    by_model: dict[str, dict[str, Estimate]] = {model.name: {} for model in models}
    pairs: dict[str, Comparison] = {}
    directions: dict[str, bool | None] = {}
    notes: list[str] = []
    level = options.confidence_level
    metrics = options.metrics
    given = options.given("query", *OF_INTERVALS, *OF_ROWS)
    if task != "labels":
        given["pos_label"] = None
    labels: Sequence[NamedScores] = models
    if task == "multiclass":
        labels = [each._replace(values=most_probable(y_true, each)) for each in models]
    for predictions, wanted in _requests(task, y_true, models, labels, metrics, given["pos_label"]):
        for one in request_metrics(wanted, None, options.query):
            directions[one.label] = one.higher_is_better
        by_position, compared = measure_all(y_true, predictions, wanted, **given)
        for model, each in zip(models, by_position, strict=True):
            by_model[model.name] |= each
        pairs |= compared or {}
    if task in ("labels", "multiclass"):
        notes += _about_classes(y_true, labels, level)
    is_plain = options.groups is options.sample_weight is None
    if task == "values" and metrics is None and is_plain:
        truth = as_array(y_true, "y_true").astype(np.float64)
        for model in models:
            errors = np.abs(truth - model.values)
            for name, quantile in _QUANTILES.items():
                by_model[model.name][name] = _quantile(name, errors, quantile, level)
        directions |= dict.fromkeys(_QUANTILES, False)
    if task != "rankings":
        for name, estimates in by_model.items():
            notes += dict.fromkeys(f"{name}: {one.note}." for one in estimates.values() if one.note)
        return Evaluation.from_estimates(task, by_model, pairs, level, directions, notes)
    n_queries = len(check_class_labels(options.query, "query").classes)
    first = next(iter(by_model.values()))
    left_out = {name: n_queries - int(one.n_samples) for name, one in first.items()}
    for n in dict.fromkeys(filter(None, left_out.values())):
        names = ", ".join(name for name, count in left_out.items() if count == n)
        notes.append(f"{without_value(n)} ({names}).")
    result = Evaluation.from_estimates(task, by_model, pairs, level, directions, notes)
    return replace(result, n_samples=float(n_queries), n_left_out=left_out)


def _requests(
    task: Task,
    y_true: Any,
    models: Sequence[NamedScores],
    labels: Sequence[NamedScores],
    metrics: MetricsLike | None,
    pos_label: Any,
) -> list[tuple[Sequence[NamedScores], Any]]:
    """Return predictions with their metrics: of classes those of ``labels`` and probabilities."""
    if task == "multiclass":
        if metrics is None:
            return [(labels, DEFAULTS["labels"]), (models, DEFAULTS["multiclass"])]
        label_metrics: dict[str, Any] = {}
        matrix_metrics: dict[str, Any] = {}
        for one in request_metrics(metrics, None, None):
            is_of_labels = one.metric is not None and one.metric.needs == "labels"
            named = label_metrics if is_of_labels else matrix_metrics
            named[one.label] = (one.name, one.parameters)
        return [each for each in ((labels, label_metrics), (models, matrix_metrics)) if each[1]]
    if metrics is not None:
        return [(models, metrics)]
    if task == "labels" and pos_label is not None:
        columns = [as_array(y_true, "y_true"), *(model.values for model in models)]
        if len(set().union(*(np.unique(each).tolist() for each in columns))) <= 2:
            return [(models, DEFAULTS["labels of two"])]
    return [(models, DEFAULTS[task])]


def by_class(y_true: Any, models: Sequence[NamedScores]) -> list[NamedScores]:
    """Return models whose columns are in the order of the classes, where frames name them."""
    return [
        each._replace(values=in_class_order(each.values, y_true, name=each.argument))
        for each in models
    ]


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


def _about_classes(y_true: Any, models: Sequence[NamedScores], level: float) -> list[str]:
    """Return notes on the accuracy of the largest class alone, and each model's worst class."""
    truth = check_class_labels(y_true)
    classes = np.asarray(truth.classes).tolist()
    counts = np.bincount(truth.codes)
    most = int(np.argmax(counts))
    accuracy = 100 * counts[most] / len(truth.codes)
    notes = [f"Always predicting {classes[most]!r} scores {accuracy:.1f} %."]
    if len(classes) < 3:
        return notes
    tail = 1.0 - (1.0 - level) / len(classes)
    right = np.asarray(y_true, dtype=object)
    for model in models:
        hits = np.bincount(truth.codes, np.asarray(model.values, dtype=object) == right)
        worst = int(np.argmin(hits / np.maximum(counts, 1)))
        low, high = proportion_limits(hits[worst], counts[worst], tail, "wilson", "two-sided")
        notes.append(
            f"{model.name}: {classes[worst]!r} has the lowest recall of {len(classes)} classes, "
            f"{hits[worst] / counts[worst]:.4f} [{low:.4f}, {high:.4f}] (corrected; "
            f"{hits[worst]:,.0f} of {counts[worst]:,} rows)."
        )
    return notes


def _quantile(name: str, values: NDArray[np.float64], order: float, level: float) -> Estimate:
    """Return a quantile of independent numbers between two of them.

    The number of values below the quantile is binomial: the limits are order statistics that leave
    at most half of what the level leaves on either side (Conover 1999, 3.2), infinite where there
    are too few; exact for continuous values, and cautious where there are ties.
    """
    from scipy.stats import binom

    n = len(values)
    tail = (1.0 - level) / 2.0
    ordered = np.sort(values)
    lower = int(binom.ppf(tail, n, order))  # the least k with P(X <= k) >= tail
    upper = int(binom.ppf(1.0 - tail, n, order)) + 1
    low = float(ordered[lower - 1]) if lower >= 1 else 0.0
    high = float(ordered[upper - 1]) if upper <= n else math.inf
    return Estimate(
        metric=name,
        estimate=float(np.quantile(values, order)),
        standard_error=math.nan,
        confidence_interval=ConfidenceInterval(low, high),
        df=math.inf,
        confidence_level=level,
        method="order statistics",
        scale="identity",
        n_samples=float(n),
    )
