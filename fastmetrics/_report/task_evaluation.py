"""``Evaluation``: what `evaluate` says of a task, and what evaluations of all tasks share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, get_args

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import (
    are_class_columns,
    check_class_labels,
    in_class_order,
    show_labels,
)
from fastmetrics._input.containers import as_array, column_count, has_names
from fastmetrics._input.models import NamedScores
from fastmetrics._input.scalars import check_choice, check_same_length
from fastmetrics._report.evaluation_result import Evaluation, Task
from fastmetrics._report.score_evaluation import found_of
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import InputError
from fastmetrics.inference.comparison_result import Comparison
from fastmetrics.inference.estimate_result import Estimate
from fastmetrics.inference.proportions import proportion_limits
from fastmetrics.inference.samples import asked_of, without_value
from fastmetrics.measures.asking import MetricsLike

#: What is measured of each task where nothing else is asked.
_DEFAULTS: Final[dict[str, tuple[str, ...]]] = {
    "labels": ("accuracy", "balanced_accuracy", "f1_macro"),
    "labels of two": ("accuracy", "balanced_accuracy", "precision", "recall", "f1"),
    "multiclass": ("log_loss", "roc_auc_ovr"),
    "values": ("root_mean_squared_error", "mean_absolute_error", "r2"),
    "rankings": ("ndcg@10", "map", "mrr"),
}
#: Of errors of plain rows: the median, and the one that a tenth of rows exceeds.
_QUANTILES: Final = {"median_absolute_error": 0.5, "absolute_error_quantile_90": 0.9}
#: Kinds of arrays that hold texts.
_TEXTS: Final = "UOS"
#: Rows that are looked at for whether there are more than two values.
_LOOK: Final = 4_096
#: More whole numbers than this are seldom classes.
_MANY: Final = 100
#: Rows of other labels than 0 and 1, in proportion, that are slips rather than amounts.
_STRAY: Final = 0.01


def task_of(y_true: Any, models: Sequence[NamedScores], query: Any, task: Any) -> Task:
    """Return the task that was said, or that the rule tells."""
    if task is not None:
        check_choice("task", task, get_args(Task))
        if (task == "rankings") != (query is not None):
            raise InputError("`query` says whose items rows are: it goes with `task='rankings'`")
        said: Task = task
        return said
    if query is not None:
        return "rankings"
    if any(column_count(model.values) > 1 for model in models):
        return "multiclass"
    y = as_array(y_true, "y_true")
    if y.dtype.kind in _TEXTS and any(
        as_array(model.values, model.argument).dtype.kind in _TEXTS for model in models
    ):
        return "labels"
    if y.ndim != 1 or not _has_many_values(y):
        return "binary"
    if y.dtype.kind not in "iuf":
        raise InputError(
            f"`y_true` has more than two classes, and `{models[0].argument}` one score a row: pass "
            "a matrix for each model, a column a class, or predicted labels"
        )
    columns = [as_array(model.values, model.argument) for model in models]
    if not _is_whole(y) and all(map(_are_labels, columns)):
        raise InputError(
            f"`y_true` holds fractions and `{models[0].argument}` labels of two classes: are the "
            "arguments swapped? If not, pass `task='values'`"
        )
    if not _is_whole(y) or not all(map(_is_whole, columns)):
        _refuse_doubtful_values(y, models)
        return "values"
    raise InputError(
        f"`y_true` and `{models[0].argument}` hold whole numbers, of more than two values, which "
        "may be labels of classes or amounts: pass `task='labels'` or `task='values'`"
    )


def are_of_classes(y_true: Any, scores: Any) -> bool:
    """Return whether the columns of ``scores`` are the probabilities of the classes, three or more.

    A frame's have their names; an array's are as many, of labels, and sum to 1 in each row.

    Raises
    ------
    InputError
        If an array has as many columns as there are classes, and rows of another sum: they may be
        scores of classes, or models.
    """
    k = column_count(scores)
    if k < 3 or column_count(y_true) > 1 or (labels := _classes_of(y_true)) is None:
        return False
    if has_names(scores):
        return are_class_columns(scores, y_true)
    if len(labels) != k:
        return False
    matrix = as_array(scores, "scores")
    if matrix.ndim != 2 or matrix.dtype.kind not in "iuf" or len(matrix) != len(y_true):
        return False  # said in other words
    if np.isclose(matrix.sum(axis=1), 1.0).all():
        return True
    raise InputError(
        f"`scores` has {k} columns, and `y_true` {k} classes: of one model's scores of the classes "
        "say `task='multiclass'`; of models pass {'a': ..., 'b': ...}, or `names`"
    )


def _classes_of(y_true: Any) -> list[Any] | None:
    """Return the classes of a column that may hold labels, None where it does not."""
    y = as_array(y_true, "y_true")
    if y.ndim != 1 or not len(y) or (y.dtype.kind == "f" and not _is_whole(y)):
        return None
    seen = y[:: max(1, len(y) // _LOOK)]
    if y.dtype.kind in "iuf" and len(np.unique(seen)) > _MANY:
        return None
    found: list[Any] = check_class_labels(y).classes.tolist()
    return found


def _refuse_doubtful_values(y: NDArray[Any], models: Sequence[NamedScores]) -> None:
    """Raise where whole numbers and predictions that are not whole may be labels and scores."""
    labels = _classes_of(y) if _is_whole(y) else None
    if labels is None or len(labels) > _MANY:
        return
    columns = [as_array(each.values, each.argument) for each in models]
    if any(each.dtype.kind not in "iuf" or each.shape != y.shape for each in columns):
        return
    said = f"`y_true` holds the whole numbers {show_labels(np.array(labels))}"
    if len(columns) == len(labels) and np.isclose(np.sum(columns, axis=0), 1.0).all():
        raise InputError(
            f"{said}, and the {len(columns)} columns of scores sum to 1 in each row: of one "
            "model's probabilities pass the matrix with `task='multiclass'`, else say "
            "`task='values'`"
        )
    counts = {label: int(np.count_nonzero(y == label)) for label in labels}
    others = sum(n for label, n in counts.items() if label not in (0, 1)) if 0 in counts else len(y)
    are_chances = all(0.0 <= each.min() <= each.max() <= 1.0 for each in columns)
    if are_chances or others <= _STRAY * len(y):
        rare = min(counts, key=counts.__getitem__)
        raise InputError(
            f"{said}, and `{models[0].argument}` scores: are these labels of two classes, and "
            f"{rare!r}, in {counts[rare]:,} of {len(y):,} rows, a slip? Mend them; of numbers say "
            "`task='values'`, and of several classes pass a matrix for each model"
        )


def _has_many_values(y: Any) -> bool:
    """Return whether more than two values are seen on a look over the rows."""
    if y.dtype.kind == "b" or len(y) == 0:
        return False
    seen = y[:: max(1, len(y) // _LOOK)]
    if y.dtype.kind == "f":
        seen = seen[~np.isnan(seen)]
    return len(set(seen.tolist())) > 2


def _are_labels(values: Any) -> bool:
    """Return whether there are two values, and they are labels as they are usually written."""
    if values.dtype.kind == "b":
        return True
    if values.dtype.kind not in "iuf" or values.ndim != 1 or not len(values):
        return False
    low, high = values.min(), values.max()
    return bool(low in (0, -1) and high == 1 and ((values == low) | (values == high)).all())


def _is_whole(values: Any) -> bool:
    if values.dtype.kind != "f":
        return True
    return bool((np.isfinite(values) & (np.rint(values) == values)).all())


def evaluate_task(
    task: Task,
    y_true: Any,
    models: Sequence[NamedScores],
    *,
    metrics: MetricsLike | None,
    confidence_level: float,
    **rows: Any,
) -> Evaluation:
    """Return the measures of each model, with intervals, and how the models differ.

    ``rows`` are weights and how they are read, groups, queries, the positive label.
    """
    models = [each._replace(values=as_array(each.values, each.argument)) for each in models]
    found: dict[str, dict[str, Estimate]] = {model.name: {} for model in models}
    pairs: dict[str, Comparison] = {}
    directions: dict[str, bool | None] = {}
    notes: list[str] = []
    if task != "labels":
        rows = rows | {"pos_label": None}
    options = {"confidence_level": confidence_level, **rows}
    labels: Sequence[NamedScores] = models
    if task == "multiclass":
        labels = [each._replace(values=most_probable(y_true, each)) for each in models]
    for predictions, wanted in _asked(task, y_true, models, labels, metrics, rows["pos_label"]):
        for one in asked_of(wanted, None, rows["query"]):
            directions[one.label] = one.higher_is_better
        own, compared = found_of(y_true, predictions, wanted, **options)
        for model, each in zip(models, own, strict=True):
            found[model.name] |= each
        pairs |= compared or {}
    if task in ("labels", "multiclass"):
        notes += _about_classes(y_true, labels, confidence_level)
    if task == "values" and metrics is None and rows["groups"] is rows["sample_weight"] is None:
        truth = as_array(y_true, "y_true").astype(np.float64)
        for model in models:
            errors = np.abs(truth - model.values)
            for name, share in _QUANTILES.items():
                found[model.name][name] = _quantile(name, errors, share, confidence_level)
        directions |= dict.fromkeys(_QUANTILES, False)
    if task == "rankings":
        return _of_rankings(found, pairs, confidence_level, directions, rows["query"])
    for name, estimates in found.items():
        notes += dict.fromkeys(f"{name}: {one.note}." for one in estimates.values() if one.note)
    return Evaluation.of_task(task, found, pairs, confidence_level, directions, notes)


def _of_rankings(
    found: Mapping[str, Mapping[str, Estimate]],
    pairs: Mapping[str, Comparison],
    confidence_level: float,
    directions: Mapping[str, bool | None],
    query: Any,
) -> Evaluation:
    """Return the evaluation of rankings, with the count of queries without a value."""
    n_queries = len(check_class_labels(query, "query").classes)
    first = next(iter(found.values()))
    left_out = {name: n_queries - int(one.n_samples) for name, one in first.items()}
    metrics: dict[int, list[str]] = {}
    for name, n in left_out.items():
        metrics.setdefault(n, []).append(name)
    notes = [f"{without_value(n)} ({', '.join(of)})." for n, of in metrics.items() if n]
    result = Evaluation.of_task("rankings", found, pairs, confidence_level, directions, notes)
    return replace(result, n_samples=float(n_queries), n_left_out=left_out)


def _asked(
    task: Task,
    y_true: Any,
    models: Sequence[NamedScores],
    labels: Sequence[NamedScores],
    metrics: MetricsLike | None,
    pos_label: Any,
) -> list[tuple[Sequence[NamedScores], Any]]:
    """Return predictions with what is measured of them: of classes ``labels`` and probabilities."""
    if task == "multiclass":
        if metrics is None:
            return [(labels, _DEFAULTS["labels"]), (models, _DEFAULTS["multiclass"])]
        of_labels: dict[str, Any] = {}
        of_matrix: dict[str, Any] = {}
        for one in asked_of(metrics, None, None):
            is_of_labels = one.measure is not None and one.measure.needs == "labels"
            (of_labels if is_of_labels else of_matrix)[one.label] = (one.name, one.parameters)
        return [each for each in ((labels, of_labels), (models, of_matrix)) if each[1]]
    if metrics is not None:
        return [(models, metrics)]
    if task == "labels" and pos_label is not None:
        columns = [as_array(y_true, "y_true"), *(model.values for model in models)]
        if len(set().union(*(np.unique(each).tolist() for each in columns))) <= 2:
            return [(models, _DEFAULTS["labels of two"])]
    return [(models, _DEFAULTS[task])]


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
    """Return what the largest class alone would give, and of each model the worst class."""
    truth = check_class_labels(y_true)
    classes, counts = np.asarray(truth.classes).tolist(), np.bincount(truth.codes)
    most, n = int(np.argmax(counts)), len(truth.codes)
    notes = [f"Always {classes[most]!r} would be right in {counts[most] / n:.4f} of rows."]
    if len(classes) < 3:
        return notes
    tail = 1.0 - (1.0 - level) / len(classes)
    right = np.asarray(y_true, dtype=object)
    for model in models:
        hits = np.bincount(truth.codes, np.asarray(model.values, dtype=object) == right)
        worst = int(np.argmin(hits / np.maximum(counts, 1)))
        low, high = proportion_limits(hits[worst], counts[worst], tail, "wilson", "two-sided")
        notes.append(
            f"{model.name}: the worst class is {classes[worst]!r}, of which {hits[worst]:,.0f} of "
            f"{counts[worst]:,} are found: recall {hits[worst] / counts[worst]:.4f} "
            f"[{low:.4f}, {high:.4f}], adjusted for the {len(classes)} classes."
        )
    return notes


def _quantile(name: str, values: NDArray[np.float64], share: float, level: float) -> Estimate:
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
