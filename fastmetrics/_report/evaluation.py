"""``evaluate``: the usual metrics of one or several models, from one sort a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Final, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.classes import are_class_columns, check_class_labels, show_labels
from fastmetrics._input.columns import take_columns
from fastmetrics._input.containers import as_array, by_names, column_count, has_names
from fastmetrics._input.rows import MODELS, NamedScores
from fastmetrics._input.scalars import (
    WeightsAre,
    check_choice,
    check_confidence_level,
    check_weights_are,
)
from fastmetrics._report.evaluation_result import AUC, Evaluation, Task
from fastmetrics._report.multilabel import evaluate_multilabel
from fastmetrics._report.score_evaluation import (
    OF_INTERVALS,
    OF_ROWS,
    OF_SCORES,
    EvaluateOptions,
    as_models,
    evaluate_scores,
    evaluate_tables,
)
from fastmetrics._report.slices import SLICES, evaluate_slices
from fastmetrics._report.task_evaluation import by_class, evaluate_task
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.inference.bootstrap._samples import Method
from fastmetrics.metrics.asking import MetricsLike
from fastmetrics.tables.score_runs import ScoreRuns
from fastmetrics.tables.score_table import ScoreTable

if TYPE_CHECKING:
    pass


@documented(SLICES, MODELS)
def evaluate(
    y_true: ArrayLike | ScoreTable | ScoreRuns | Mapping[str, ScoreTable | ScoreRuns],
    scores: Mapping[str, ArrayLike] | ArrayLike | None = None,
    *,
    data: Any = None,
    names: Sequence[str] | None = None,
    task: Task | None = None,
    query: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    pos_label: Any = None,
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    metrics: MetricsLike | None = None,
    method: Method | None = None,
    stratified: bool = False,
    groups: ArrayLike | None = None,
    slices: Mapping[str, ArrayLike] | Sequence[str] | None = None,
    intersections: int = 1,
    min_n: int = 30,
    threshold: float | None = None,
    cost_fn: ArrayLike | None = None,
    cost_fp: ArrayLike | None = None,
    prevalence: float | None = None,
    guarantee: Mapping[str, float] | None = None,
    rng: Any = None,
    n_threads: int | None = None,
    progress: bool | None = None,
) -> Evaluation:
    """Evaluate the predictions of one or several models, whatever they are of.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), ScoreTable, ScoreRuns, or mapping of str to those
        Labels, numbers, or how relevant items are; of rows that have several labels at once a
        matrix of 0 and 1, a column a label, or a mapping of labels to columns; or the tables of
        scores and counts of one or several models, or their runs where they fit no memory, which
        come without `scores` and all that belongs to rows: weights, groups, costs, a bootstrap.
    scores : mapping of str to array-like of shape (n_samples,), data frame, or array-like
        The scores of each model by name; a data frame has one column a model; a single column
        is one model called ``"score"``. An array of shape (n_samples, n_models) needs `names`.
        The greater the score, the more positive. Of several classes a matrix for each model, a
        column a class, in their order, or a frame that names them; a matrix alone is one model
        where `task` says so, or its rows sum to 1 and its columns are as many as the classes, or
        named so; or predicted labels; or predicted numbers. Of several labels
        a matrix or such a mapping for each model: scores, or 0 and 1.
    task : {"binary", "multiclass", "labels", "multilabel", "values", "rankings"}, optional
        What is evaluated; by default the rule of Notes tells, and what is printed says it.
    query : array-like of shape (n_samples,), optional
        Of rankings, the query of each item.
    n_resamples : int, optional
        Replicates of a bootstrap, which gives every metric an interval and, with several
        models, the differences of every pair on the same replicates. None: AUC and average
        precision have the intervals of Notes, and differences of models are tested by them.
    metrics : str, callable, (str, dict), or a sequence or mapping of them, optional
        What is measured with an interval beside the AUC and the average precision and, where all
        scores lie in [0, 1] and may be probabilities, Brier score and log loss: metrics with
        influences of rows, or any where there is a bootstrap. By default of the bootstrap the
        metrics of the evaluation, with the TPR and FPR at the best threshold as
        ``"tpr_at_best_threshold"`` and ``"fpr_at_best_threshold"``.
    method : {"percentile", "basic", "bca"}, optional
        Of the bootstrap's intervals. None takes "bca" for a model's metric where it is defined,
        else "percentile", as `bootstrap` does. With None and with "bca", which is of models alone,
        differences have the default of `paired_bootstrap`.
    stratified : bool, default=False
        Whether the bootstrap draws each class by itself.
    groups : array-like of shape (n_samples,), optional
        Group of each row (user, patient): groups then vary, not rows.
    slices : mapping of str to array-like of shape (n_samples,), or names of `data`, optional
        Columns whose values are slices of the rows: `slices` of the result then has the metrics of
        each, `metrics` or the first of the task, with limits that hold for all of them at once, and
        the gap to the other rows; beyond 10^8 slices times rows of plain rows' sums and AUC alone.
    threshold : float, optional
        Metrics of counts among `metrics` call a score >= threshold positive.
    cost_fn, cost_fp : int, float or array-like of shape (n_samples,), optional
        What missing a positive and what a false alarm costs, one number or one for each row: the
        models' `costs` then say which threshold is the cheapest and what it costs, as
        `threshold_cost_interval` does.
    prevalence : float, optional
        Share of positives where that threshold will be used, in (0, 1); None: that of the data.
    guarantee : mapping of str to float, optional
        Promises of new data by metric, as ``{"recall": 0.95}``: each model then says which of its
        thresholds keeps each of them, with probability `confidence_level`, as
        `guaranteed_threshold` finds it.
    rng : None, int, numpy Generator or str, optional
        Seed of the bootstrap; or the key of an earlier one, which draws the same replicates.

    Returns
    -------
    Evaluation
        Frozen. By position, name or iteration one `ModelEvaluation` a model of two classes; of
        other tasks the `Estimates` of each model.

    Raises
    ------
    ValueError
        If the data are not binary labels and finite scores, `scores` names no model, or an
        option has no meaning; if a cost is negative or not finite; also if one of the bootstrap is
        given without `n_resamples`, or a guarantee with weights or groups.

    Warns
    -----
    UndefinedMetricWarning
        If only one class is present: the metrics are nan, and nothing is resampled. If a
        metric is undefined in more than 5 % of the replicates.
    DegenerateDataWarning
        If an interval of the bootstrap is degenerate, as that of an AUC of exactly 1.

    Notes
    -----
    **The task** decides what is measured, each metric with its interval by `estimate` and its
    differences by `compare`. With `query` it is "rankings". A matrix for a model, one column a
    class, makes it "multiclass", and a matrix `y_true` "multilabel"; labels and predictions that
    are texts make it "labels". Where `y_true` has two values (or one) it is "binary"; where it
    holds other numbers than whole ones, or has more than two and predictions that are not whole,
    it is "values". More than two whole numbers with whole predictions may be labels or amounts:
    that is never guessed, nor where predictions lie in [0, 1], or all but one in a hundred rows are
    0 or 1. `metrics` replaces the usual metrics of a task. What follows is of two classes.

    **Several labels** ("multilabel", a matrix `y_true`): means over the labels of what each has
    ("roc_auc_macro", or any metric of one label, of which the mean is taken), counts of all
    ("f1_micro"), "subset_accuracy" (all labels of a row right) and "hamming_loss"; of decisions
    where predictions are 0 and 1, or at `threshold`. How far a row moves a mean is the mean of how
    far it moves each label, so that what labels share is in the error. A label of which all rows
    are of one class is left out of means that need both, and named. The limits of a mean
    average precision take in what it is too large by, as each positive counts itself; those of
    a mean F1 what it is too small by where labels have few positives. How all these intervals
    cover is in docs/coverage/multilabel.md.

    **Without a bootstrap** the AUC and the average precision have the intervals of `estimate`, and
    several models the differences and tests of `compare`, by how far each row moves them: rows may
    have weights and `groups`. `note` says that the smaller class has fewer than 30 rows (of
    importances: rows of equal weight). How these intervals cover is in docs/coverage.md. A metric
    that no row moves, as an average precision of 1, has none: `note` says so. What is so wrong with
    scores that their figures mean nothing (constants, decisions, labels, scores that run backwards)
    is a line of `notes`; `doctor` looks for more, and says more.
    KS has the limits of `estimate`, for the largest of many gaps, with a bootstrap too; models are
    tested by it where `metrics` names it. The break-even point, the best threshold and the rates at
    it need the bootstrap.

    One sort a model (two, with importances), then linear passes over its distinct scores:
    O(n log n) time. The table of one model is freed before the next is built. What the bootstrap
    costs, and what it is wrong for, are under `bootstrap` and `paired_bootstrap`. The best
    threshold is chosen anew in each replicate, so that the intervals of its TPR and FPR include
    the choice.

    Examples
    --------
    >>> y_true = [1, 0, 1, 1, 0, 0, 1, 0]
    >>> result = evaluate(y_true, {"a": [0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.23, 0.15]})
    >>> result
    Evaluation(a: roc_auc=0.65625)
    >>> result["a"].break_even_point
    0.625
    >>> result = evaluate(y_true, [8, 7, 6, 5, 5, 3, 2, 1], n_resamples=999, stratified=True)
    >>> list(result["score"].bootstrap)[:3]
    ['roc_auc', 'average_precision', 'break_even_point']
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"y": y_true, "a": [8, 7, 6, 5, 5, 3, 2, 1], "b": range(8)})
    >>> evaluate("y", ["a", "b"], data=frame)
    Evaluation(a: roc_auc=0.65625, b: roc_auc=0.3125)
    """
    if data is not None:
        return evaluate(**take_columns(locals()))
    given = locals()
    given["confidence_level"] = check_confidence_level(confidence_level)
    check_weights_are(sample_weight, weights_are)
    options = EvaluateOptions(**{each.name: given[each.name] for each in fields(EvaluateOptions)})
    if (tables := _read_tables(y_true)) is not None:
        kind = type(next(iter(tables.values()))).__name__
        why = f"a {kind} comes alone, as it does not tell which row was which: pass no {{}} with it"
        options.refuse((*OF_SCORES, *OF_ROWS, "metrics", "slices"), why, scores=scores, names=names)
        return evaluate_tables(tables, options.confidence_level)
    if scores is None:
        for each in y_true.values() if isinstance(y_true, Mapping) else [y_true]:
            if hasattr(each, "__array__"):
                as_array(each, "y_true")  # a table of bins says what it has in place of this
        raise InputTypeError(
            "`scores` is missing: pass labels and scores, or ScoreTables or ScoreRuns alone"
        )
    labels: Any = y_true
    if task is None and query is None and (column_count(labels) > 1 or isinstance(labels, Mapping)):
        task = "multilabel"
    is_open = task is None and query is None and names is None
    if is_open and not isinstance(scores, Mapping) and are_of_classes(labels, scores):
        task = "multiclass"
    models = as_models(scores, names, task)
    task = find_task(labels, models, query, task)
    if task == "binary":
        result = evaluate_scores(labels, models, options)
    else:
        refused = {*OF_SCORES, "pos_label"} - ({"pos_label"} if task == "labels" else set())
        if task == "multilabel":
            refused = (refused | {"slices"}) - {"threshold"}
        options.refuse(
            [each for each in given if each in refused],
            f"these are {task}, and {{}} is of scores of two classes: leave it out, or pass "
            "`task='binary'`",
        )
        if task == "multilabel":
            return evaluate_multilabel(labels, models, options)
        if task == "multiclass":
            models = by_class(labels, models)
        result = evaluate_task(task, labels, models, options)
    if slices is None:
        return result
    metrics = metrics or (AUC if task == "binary" else next(iter(result[0])))
    cut = options.given("query", "threshold", "min_n", "intersections", *OF_INTERVALS, *OF_ROWS)
    return replace(result, slices=evaluate_slices(labels, models, slices, metrics=metrics, **cut))


def _read_tables(y_true: Any) -> dict[str, ScoreTable | ScoreRuns] | None:
    """Return the tables that came in place of labels; None of labels."""
    if isinstance(y_true, ScoreTable | ScoreRuns):
        return {"score": y_true}
    if not (isinstance(y_true, Mapping) and y_true):
        return None
    are_tables = all(isinstance(each, ScoreTable | ScoreRuns) for each in y_true.values())
    return by_names(y_true, "y_true", "models") if are_tables else None


# --- the task: what predictions are of ----------------------------------------------------------

#: Kinds of arrays that hold texts.
_TEXTS: Final = "UOS"
#: Rows that are looked at for whether there are more than two values.
_LOOK: Final = 4_096
#: More whole numbers than this are seldom classes.
_MANY: Final = 100
#: Rows of other labels than 0 and 1, in proportion, that are slips rather than amounts.
_STRAY: Final = 0.01


def find_task(y_true: Any, models: Sequence[NamedScores], query: Any, task: Any) -> Task:
    """Return the task that was said, or that the rule tells."""
    if task is not None:
        check_choice("task", task, get_args(Task))
        if (task == "rankings") != (query is not None):
            raise InputError("`query` says whose items rows are: it goes with `task='rankings'`")
        given: Task = task
        return given
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
    if k < 3 or column_count(y_true) > 1 or (labels := _read_classes(y_true)) is None:
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


def _read_classes(y_true: Any) -> list[Any] | None:
    """Return the classes of a column that may hold labels, None where it does not."""
    y = as_array(y_true, "y_true")
    if y.ndim != 1 or not len(y) or (y.dtype.kind == "f" and not _is_whole(y)):
        return None
    seen = y[:: max(1, len(y) // _LOOK)]
    if y.dtype.kind in "iuf" and len(np.unique(seen)) > _MANY:
        return None
    classes: list[Any] = check_class_labels(y).classes.tolist()
    return classes


def _refuse_doubtful_values(y: NDArray[Any], models: Sequence[NamedScores]) -> None:
    """Raise where whole numbers and predictions that are not whole may be labels and scores."""
    labels = _read_classes(y) if _is_whole(y) else None
    if labels is None or len(labels) > _MANY:
        return
    columns = [as_array(each.values, each.argument) for each in models]
    if any(each.dtype.kind not in "iuf" or each.shape != y.shape for each in columns):
        return
    text = f"`y_true` holds the whole numbers {show_labels(np.array(labels))}"
    if len(columns) == len(labels) and np.isclose(np.sum(columns, axis=0), 1.0).all():
        raise InputError(
            f"{text}, and the {len(columns)} columns of scores sum to 1 in each row: of one "
            "model's probabilities pass the matrix with `task='multiclass'`, else say "
            "`task='values'`"
        )
    counts = {label: int(np.count_nonzero(y == label)) for label in labels}
    others = sum(n for label, n in counts.items() if label not in (0, 1)) if 0 in counts else len(y)
    are_chances = all(0.0 <= each.min() <= each.max() <= 1.0 for each in columns)
    if are_chances or others <= _STRAY * len(y):
        rare = min(counts, key=counts.__getitem__)
        raise InputError(
            f"{text}, and `{models[0].argument}` scores: are these labels of two classes, and "
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
