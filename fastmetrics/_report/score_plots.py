"""Figures of scores, from labels and scores: ROC, P-R, DET, measures against the threshold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.scalars import WeightsAre, check_confidence_level
from fastmetrics._plots._style import label_of, shown_name, words
from fastmetrics._plots.curves import (
    PLOTTED,
    Curve,
    Mark,
    draw_det,
    draw_precision_recall,
    draw_roc,
    draw_thresholds,
)
from fastmetrics._report._plotted import (
    Chosen,
    bands_by_name,
    check_both_classes,
    decision_on,
    plotted_models,
    said,
)
from fastmetrics.errors import InputError
from fastmetrics.inference.bands import PrBand, RocBand
from fastmetrics.measures.asking import MetricsLike, ask
from fastmetrics.measures.curves.break_even import break_even_point
from fastmetrics.measures.curves.counts import confusion_matrix_at_thresholds
from fastmetrics.measures.curves.precision_recall import average_precision_score, curve_of_table
from fastmetrics.measures.curves.roc import det_curve, roc_of_table
from fastmetrics.measures.curves.roc_auc import roc_auc_score
from fastmetrics.measures.decisions.count_measures import value
from fastmetrics.tables.score_table import ScoreTable, as_table

_MODELS: Final = """
Parameters
----------
y_true : array-like of shape (n_samples,) or ScoreTable
    Binary labels; or a table, and then `scores` is left out.
scores : mapping of str to array-like of shape (n_samples,), data frame, or array-like
    The scores of each model by name; a data frame has one column a model; a single column is one
    model without a name. An array of shape (n_samples, n_models) needs `names`. The greater the
    score, the more positive.
names : sequence of str, optional
    Of the columns of `scores`, where it is an array; mappings and data frames have their own.
threshold : float or str, optional
    The decision to mark on each curve, score >= threshold: a number, or the criterion by which
    each model has its own, "youden", "closest-topleft", "fewest-errors" or "fbeta" (see
    `best_threshold`).

Raises
------
ValueError
    If the data are not binary labels of both classes and finite scores, or an option has no
    meaning.

Notes
-----
One sort a model. A curve keeps all its points; those are drawn of which a pixel shows something,
whatever the size of the figure: a million points take a fraction of a second.
"""


@documented(_MODELS, PLOTTED)
def plot_roc(
    y_true: ArrayLike | ScoreTable,
    scores: Mapping[str, ArrayLike] | ArrayLike | None = None,
    *,
    names: Sequence[str] | None = None,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    pos_label: Any = None,
    threshold: float | Chosen | None = None,
    confidence_level: float | None = None,
    bands: RocBand | Mapping[str, RocBand] | None = None,
    n_threads: int | None = None,
    ax: Any = None,
    **line_options: Any,
) -> Any:
    """Draw the ROC curves of one or several models, with the AUC of each.

    Parameters
    ----------
    confidence_level : float, optional
        Of intervals of the AUC in the legend, as `evaluate` has them; none by default.
    bands : RocBand or mapping of str to RocBand, optional
        What `roc_band` returned for the model, or for models by name.

    Examples
    --------
    >>> y_true = [1, 0, 1, 1, 0, 0, 1, 0]
    >>> ax = plot_roc(y_true, {"a": [8, 7, 6, 5, 5, 3, 2, 1], "b": [8, 3, 4, 6, 5, 2, 7, 1]})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['a: AUC 0.6562', 'b: AUC 0.9375']
    """
    level = None if confidence_level is None else check_confidence_level(confidence_level)
    models = plotted_models(
        y_true,
        scores,
        names,
        sample_weight=sample_weight,
        weights_are=weights_are,
        pos_label=pos_label,
        confidence_level=level,
    )
    given = bands_by_name(bands, RocBand, models)
    curves = []
    for model in models:
        fpr, tpr, _ = roc_of_table(model.table)
        said = f"AUC {roc_auc_score(model.table):.4f}"
        if model.interval is not None:
            low, high = model.interval
            said += f" [{low:.4f}, {high:.4f}]"
        point = decision_on(model.table, threshold)
        marks = (Mark(point.fpr, point.tpr, point.name),) if point else ()
        label, band = label_of(model.name, said), given.get(model.name)
        curves.append(Curve(fpr, tpr, label, band, marks))
    title = "" if level is None else f"[{100 * level:g} % interval]"
    return draw_roc(curves, ax, title=title, options=line_options)


@documented(_MODELS, PLOTTED)
def plot_pr(
    y_true: ArrayLike | ScoreTable,
    scores: Mapping[str, ArrayLike] | ArrayLike | None = None,
    *,
    names: Sequence[str] | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    threshold: float | Chosen | None = None,
    bands: PrBand | Mapping[str, PrBand] | None = None,
    n_threads: int | None = None,
    ax: Any = None,
    **line_options: Any,
) -> Any:
    """Draw the precision-recall curves of one or several models, with the average precision.

    Lines of equal F1 and the line of equal precision and recall lie below them, and each model's
    break-even point is marked. The area under the steps is the average precision.

    Parameters
    ----------
    bands : PrBand or mapping of str to PrBand, optional
        What `pr_band` returned for the model, or for models by name.

    Warns
    -----
    UndefinedMetricWarning
        If a model has no break-even point; none is marked.

    Examples
    --------
    >>> y_true = [1, 0, 1, 1, 0, 0, 1, 0]
    >>> ax = plot_pr(y_true, [8, 7, 6, 5, 5, 3, 2, 1])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['AP 0.7095', 'positives: 0.5', 'break-even point']
    """
    models = plotted_models(y_true, scores, names, sample_weight=sample_weight, pos_label=pos_label)
    given = bands_by_name(bands, PrBand, models)
    curves = []
    for model in models:
        precision, recall, _ = curve_of_table(model.table, drop_intermediate=True)
        precision[-1] = precision[-2]  # the step to recall 0, not a point of precision 1
        marks: tuple[Mark, ...] = ()
        even = break_even_point(model.table).value
        if not math.isnan(even):
            marks += (Mark(even, even, "break-even point", "D"),)
        point = decision_on(model.table, threshold)
        if point and not math.isnan(point.precision):
            marks += (Mark(point.tpr, point.precision, point.name),)
        said = label_of(model.name, f"AP {average_precision_score(model.table):.4f}")
        curves.append(Curve(recall, precision, said, given.get(model.name), marks, "steps-post"))
    table = models[0].table
    share = table.n_positive / (table.n_positive + table.n_negative)
    return draw_precision_recall(curves, ax, prevalence=share, options=line_options)


@documented(_MODELS, PLOTTED)
def plot_det(
    y_true: ArrayLike | ScoreTable,
    scores: Mapping[str, ArrayLike] | ArrayLike | None = None,
    *,
    names: Sequence[str] | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    threshold: float | Chosen | None = None,
    n_threads: int | None = None,
    ax: Any = None,
    **line_options: Any,
) -> Any:
    """Draw the detection error tradeoff of one or several models: both rates of error.

    The axes are normal deviates, on which the curve of two normal distributions is a straight line.
    The dotted line is that of equal rates. A rate of 0 lies outside of the figure.

    Examples
    --------
    >>> y_true = [1, 0, 1, 1, 0, 0, 1, 0]
    >>> ax = plot_det(y_true, {"a": [8, 7, 6, 5, 5, 3, 2, 1]}, threshold=5)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['a', 'score ≥ 5']
    """
    models = plotted_models(y_true, scores, names, sample_weight=sample_weight, pos_label=pos_label)
    curves = []
    for model in models:
        fpr, fnr, _ = det_curve(model.table, drop_intermediate=True)
        point = decision_on(model.table, threshold)
        marks = (Mark(point.fpr, 1.0 - point.tpr, point.name),) if point else ()
        curves.append(Curve(fpr, fnr, shown_name(model.name) or "_score", marks=marks))
    return draw_det(curves, ax, options=line_options)


@documented(_MODELS, PLOTTED)
def plot_thresholds(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    metrics: MetricsLike = ("precision", "recall", "f1"),
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    threshold: float | Chosen | None = None,
    n_threads: int | None = None,
    ax: Any = None,
    **line_options: Any,
) -> Any:
    """Draw measures of the decision score >= threshold over all thresholds, for one model.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or ScoreTable
        Binary labels; or a table, and then `y_score` is left out.
    y_score : array-like of shape (n_samples,), optional
        Scores; the greater, the more positive.
    metrics : str, callable, (str, dict), or a sequence or mapping of them
        Measures that follow from a confusion matrix of two classes, as `metrics_table` names them;
        a mapping gives the names in the legend.
    threshold : float or str, optional
        Where to draw a line: a number, or a criterion of `best_threshold` that needs no other:
        "youden", "closest-topleft", "fewest-errors" or "fbeta".

    Examples
    --------
    >>> y_true = [1, 0, 1, 1, 0, 0, 1, 0]
    >>> y_score = [8, 7, 6, 5, 5, 3, 2, 1]
    >>> ax = plot_thresholds(y_true, y_score, metrics=["f1", "accuracy"], threshold="fbeta")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['f1', 'accuracy', '2: largest $F_1$']
    """
    asked = ask(metrics)
    for one in asked:
        if one.measure is None or one.measure.family != "decisions" or one.is_only_function:
            raise InputError(
                f"`metrics` names {one.label!r}, where measures of predicted labels can be drawn "
                "over the threshold: those that follow from a confusion matrix"
            )
    table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    check_both_classes(table)
    tn, fp, fn, tp, thresholds = confusion_matrix_at_thresholds(table)
    counts = np.stack((tn, fp, fn, tp), axis=-1).reshape(-1, 2, 2)[::-1]
    rising = thresholds[::-1].astype(np.float64)
    curves = []
    for one in asked:
        heights: NDArray[np.float64] = value(one.name, counts, **one.parameters)
        curves.append(Curve(rising, heights, words(one.label), drawstyle="steps-pre"))
    point, mark = decision_on(table, threshold), None
    if point:
        by = f"{said(point.threshold)}: {point.name}" if isinstance(threshold, str) else point.name
        mark = (point.threshold, by)
    return draw_thresholds(curves, ax, mark=mark, options=line_options)
