"""``evaluate``: the usual measures of one or several models, from one sort a model."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.containers import as_array
from fastmetrics._input.models import NamedScores, named_scores
from fastmetrics._input.rows import (
    column_count,
    has_names,
)
from fastmetrics._input.scalars import WeightsAre, check_confidence_level, check_weights_are
from fastmetrics._report._calibration import said_of_calibration
from fastmetrics._report._costs import checked_prices
from fastmetrics._report._guarantees import checked_promises
from fastmetrics._report._influences import by_influence, measures_beside
from fastmetrics._report._one_model import (
    evaluate_any_table,
    evaluate_model,
    tables_of,
)
from fastmetrics._report.evaluation_result import Evaluation
from fastmetrics._report.slices.slices import slices_of
from fastmetrics._report.tasks.evaluate_task import evaluate_task
from fastmetrics._report.tasks.task_evaluation import TaskEvaluation
from fastmetrics._report.tasks.task_rule import Task, task_of
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.inference.bootstrap._limits import Method
from fastmetrics.inference.comparison_result import Comparisons
from fastmetrics.measures.asking import MetricsLike
from fastmetrics.tables.runs.score_runs import ScoreRuns
from fastmetrics.tables.scores.score_table import ScoreTable

if TYPE_CHECKING:
    from fastmetrics._report._bootstrap import Plan


@documented()
def evaluate(
    y_true: ArrayLike | ScoreTable | ScoreRuns | Mapping[str, ScoreTable | ScoreRuns],
    scores: Mapping[str, ArrayLike] | ArrayLike | None = None,
    *,
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
    slices: Mapping[str, ArrayLike] | None = None,
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
) -> Evaluation | TaskEvaluation:
    """Evaluate the predictions of one or several models, whatever they are of.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), ScoreTable, ScoreRuns, or mapping of str to those
        Labels, numbers, or how relevant items are; or the tables of scores and counts of one or
        several models, or their runs where they fit no memory, which come without `scores` and all
        that belongs to rows: weights, groups, costs, a bootstrap.
    scores : mapping of str to array-like of shape (n_samples,), data frame, or array-like
        The scores of each model by name; a data frame has one column a model; a single column
        is one model called ``"score"``. An array of shape (n_samples, n_models) needs `names`.
        The greater the score, the more positive. Of several classes a matrix for each model, a
        column a class, in their order; or predicted labels; or predicted numbers.
    task : {"binary", "classes", "labels", "values", "rankings"}, optional
        What is evaluated; by default the rule of Notes tells, and what is printed says it.
    query : array-like of shape (n_samples,), optional
        Of rankings, the query of each item.
    names : sequence of str, optional
        Of the columns of `scores`, where it is an array; mappings and data frames have their own.
    sample_weight : array-like of shape (n_samples,), optional
        Weights, not negative. The measures are the same whatever the weights are; the intervals
        are not.
    confidence_level : float, default=0.95
        Of the intervals.
    n_resamples : int, optional
        Replicates of a bootstrap, which gives every measure an interval and, with several
        models, the differences of every pair on the same replicates. None: AUC and average
        precision have the intervals of Notes, and differences of models are tested by them.
    metrics : str, callable, (str, dict), or a sequence or mapping of them, optional
        What is measured with an interval beside the AUC: those with influences of rows, or any
        where there is a bootstrap. By default the average precision and, where all scores lie in
        [0, 1] and may be probabilities, Brier score and log loss; of the bootstrap the measures of
        the evaluation, with the TPR and FPR at the best threshold as ``"tpr_at_best_threshold"``
        and ``"fpr_at_best_threshold"``.
    method : {"percentile", "basic", "bca", "studentized"}, optional
        Of the bootstrap's intervals. None takes "bca" for a model's measure where it is defined,
        else "percentile", as `bootstrap` does; differences have what `paired_bootstrap` takes.
    stratified : bool, default=False
        Whether the bootstrap draws each class by itself.
    groups : array-like of shape (n_samples,), optional
        Group of each row (user, patient): groups then vary, not rows.
    slices : mapping of str to array-like of shape (n_samples,), optional
        Columns whose values are slices of the rows: `slices` of the result then has the measures of
        each, `metrics` or the first of the task, with limits that hold for all of them at once, and
        the gap to the other rows; beyond 10^8 slices times rows of plain rows' sums and AUC alone.
    intersections : int, default=1
        How many columns make a slice: with 2 the pairs of values of two columns too; at most 3.
    min_n : int, default=30
        Rows below which a slice is left out, and named.
    threshold : float, optional
        Measures of counts among `metrics` call a score >= threshold positive.
    cost_fn, cost_fp : int, float or array-like of shape (n_samples,), optional
        What missing a positive and what a false alarm costs, one number or one for each row: the
        models' `costs` then say which threshold is the cheapest and what it costs, as
        `threshold_cost_interval` does.
    prevalence : float, optional
        Share of positives where that threshold will be used, in (0, 1); None: that of the data.
    guarantee : mapping of str to float, optional
        Promises of new data by measure, as ``{"recall": 0.95}``: each model then says which of its
        thresholds keeps each of them, with probability `confidence_level`, as
        `guaranteed_threshold` finds it; that of "expected_cost" is at `cost_fn` and `cost_fp`.
    rng : None, int, numpy Generator or str, optional
        Seed of the bootstrap; or the key of an earlier one, which draws the same replicates.
    n_threads : int, optional
        Threads; None means every processor the process may use.
    progress : bool, optional
        Whether the bootstrap shows a progress bar; None shows one on a terminal or in a notebook
        after two seconds.

    Returns
    -------
    Evaluation or TaskEvaluation
        Frozen. Of two classes one `ModelEvaluation` a model, by position, name or iteration; of
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
        If only one class is present: the measures are nan, and nothing is resampled. If a
        measure is undefined in more than 5 % of the replicates.
    DegenerateDataWarning
        If an interval of the bootstrap is degenerate, as that of an AUC of exactly 1.

    Notes
    -----
    **The task** decides what is measured, each measure with its interval by `estimate` and its
    differences by `compare`. With `query` it is "rankings". A matrix for a model, one column a
    class, makes it "classes"; labels and predictions that are texts make it "labels". Where
    `y_true` has two values (or one) it is "binary"; where it holds other numbers than whole ones,
    or has more than two and predictions that are not whole, it is "values". More than two whole
    numbers with whole predictions may be labels or amounts: that is never guessed. `metrics`
    replaces the usual measures of a task. What follows is of two classes.

    **Without a bootstrap** the AUC and the average precision have the intervals of `estimate`, and
    several models the differences and tests of `compare`, by how far each row moves them: rows may
    have weights and `groups`. Where the rows of the smaller class times the distance of the AUC
    from 1 (or 0) are fewer than 10, its limits are the outer ones of that and of
    `newcombe_interval`. `interval_method` says which it is, and `note` that the smaller class has
    fewer than 30 rows (of importances: rows of equal weight). How these intervals cover is in
    docs/coverage.md. A measure that no row moves, as an average precision of 1, has none: `note`
    says so. The best threshold and the rates at it need the bootstrap; KS is shown with
    limits there, which are those of `estimate`.

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
    """
    level = check_confidence_level(confidence_level)
    read = check_weights_are(sample_weight, weights_are)
    if (tables := tables_of(y_true)) is not None:
        _check_alone(
            type(next(iter(tables.values()))).__name__,
            scores=scores,
            names=names,
            sample_weight=sample_weight,
            pos_label=pos_label,
            n_resamples=n_resamples,
            metrics=metrics,
            method=method,
            stratified=stratified or None,
            groups=groups,
            threshold=threshold,
            rng=rng,
            cost_fn=cost_fn,
            cost_fp=cost_fp,
            prevalence=prevalence,
            guarantee=guarantee,
            slices=slices,
        )
        models = [evaluate_any_table(*each, level) for each in tables.items()]
        return Evaluation(tuple(models), level, None)
    if scores is None:
        for each in y_true.values() if isinstance(y_true, Mapping) else [y_true]:
            if hasattr(each, "__array__"):
                as_array(each, "y_true")  # a table of bins says what it has in place of this
        raise InputTypeError(
            "`scores` is missing: pass labels and scores, or ScoreTables or ScoreRuns alone"
        )
    labels: Any = y_true
    named = models_of(scores, names, task)
    own_task = task_of(labels, named, query, task)
    own = {
        "confidence_level": level,
        "min_n": min_n,
        "intersections": intersections,
        "sample_weight": sample_weight,
        "weights_are": weights_are,
        "groups": groups,
        "threshold": threshold,
        "pos_label": pos_label,
    }
    if own_task != "binary":
        _check_of_two(
            own_task,
            n_resamples=n_resamples,
            method=method,
            stratified=stratified or None,
            threshold=threshold,
            cost_fn=cost_fn,
            cost_fp=cost_fp,
            prevalence=prevalence,
            guarantee=guarantee,
            rng=rng,
        )
        found = evaluate_task(
            own_task,
            labels,
            named,
            metrics=metrics,
            confidence_level=level,
            sample_weight=sample_weight,
            weights_are=weights_are,
            groups=groups,
            query=query,
            pos_label=pos_label,
        )
        if slices is not None:
            cut = partial(slices_of, metrics=metrics or next(iter(found[0])), query=query)
            found = dataclasses.replace(found, slices=cut(labels, named, slices, **own))
        return found
    prices = checked_prices(cost_fn, cost_fp, prevalence)
    promises = checked_promises(
        guarantee, prices, level, grouped=groups is not None, weighted=read is not None
    )
    plan = plan_of(
        n_resamples,
        level,
        len(named),
        metrics=metrics,
        method=method,
        stratified=stratified,
        groups=groups,
        threshold=threshold,
        rng=rng,
        progress=progress,
        weights_are=read,
    )
    rows = {"sample_weight": sample_weight, "groups": groups, "pos_label": pos_label}
    is_alone = len(named) == 1 and groups is None and read != "importances"
    models, brier = [], None if metrics is not None or plan is not None else dict[str, Any]()
    for name, argument, y_score in named:
        try:
            model = evaluate_model(
                name,
                labels,
                y_score,
                sample_weight=sample_weight,
                weights_are=read,
                pos_label=pos_label,
                confidence_level=level if plan is None and is_alone else None,
                promises=promises,
                parts=brier,
            )
            if prices is not None and not math.isnan(model.roc_auc):
                costs = prices.of(
                    labels,
                    y_score,
                    grouped=groups is not None,
                    confidence_level=level,
                    sample_weight=sample_weight,
                    weights_are=weights_are,
                    pos_label=pos_label,
                )
                model = dataclasses.replace(model, costs=costs)
        except InputError as error:  # there may be many scores: say which it was
            raise error.renamed({"y_score": argument}) from error
        models.append(model)
    if plan is not None:
        from fastmetrics._report._bootstrap import bootstrapped

        if slices is not None:
            raise InputError("`slices` have intervals without a bootstrap: leave `n_resamples` out")
        return bootstrapped(models, labels, named, plan, **rows)
    comparisons: Comparisons | None = None
    notes: tuple[str, ...] = ()
    if not any(math.isnan(model.roc_auc) for model in models):
        more, notes = measures_beside(named, metrics)
        options = rows | {"weights_are": weights_are, "confidence_level": level}
        options["threshold"] = threshold
        models, comparisons = by_influence(models, labels, named, more, is_alone, **options)
        if notes:  # scores are taken for probabilities
            notes += said_of_calibration(labels, named, brier or {}, **options)
    parts = None
    if slices is not None:
        parts = slices_of(labels, named, slices, metrics=metrics or "roc_auc", query=None, **own)
    return Evaluation(tuple(models), level, read, None, comparisons, notes, parts)


def _check_of_two(task: Task, **others: Any) -> None:
    given = [f"`{name}`" for name, value in others.items() if value is not None]
    if given:
        raise InputTypeError(
            f"these are {task}, and {', '.join(given)} is of scores of two classes: leave it out, "
            "or pass `task='binary'`"
        )


def _check_alone(kind: str, **others: Any) -> None:
    given = [f"`{name}`" for name, value in others.items() if value is not None]
    if given:
        raise InputTypeError(
            f"a {kind} comes alone, as it does not tell which row was which: pass no "
            f"{', '.join(given)} with it"
        )


#: The parameters of `evaluate` that mean nothing without a bootstrap, and their defaults.
_OF_BOOTSTRAP: Final = {
    "method": None,
    "stratified": False,
    "rng": None,
    "progress": None,
}


def plan_of(n_resamples: Any, confidence_level: float, n_models: int, **given: Any) -> Plan | None:
    """Return the bootstrap's plan, or None without `n_resamples`; raise before any work.

    ``given`` has a value for each of `_OF_BOOTSTRAP`, and how weights are read. Of the groups it
    matters here only whether there are any: the plan is without them. The bootstrap, a good part of
    the package, is loaded where there is one.
    """
    if n_resamples is not None:
        from fastmetrics._report._bootstrap import checked_plan

        return checked_plan(n_resamples, confidence_level, n_models, **given)
    for name, default in _OF_BOOTSTRAP.items():
        value = given[name] or None if name == "progress" else given[name]
        if value is not default and (default is None or value != default):
            raise InputError(f"`{name}` is of the bootstrap: pass `n_resamples` with it")
    if given["threshold"] is not None and given["metrics"] is None:
        raise InputError("`threshold` is for measures of labels: name them by `metrics`")
    return None


def models_of(
    scores: Any, names: Sequence[str] | None, task: Task | None = None
) -> list[NamedScores]:
    """Return each model of ``scores``; one column without a name is called "score"."""
    if task == "classes" and names is None and not isinstance(scores, Mapping):
        return [NamedScores("score", "scores", scores)]
    if names is not None or has_names(scores) or column_count(scores) > 1:
        return named_scores(scores, names)
    return [NamedScores("score", "scores", scores)]
