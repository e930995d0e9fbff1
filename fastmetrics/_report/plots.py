"""Figures of scores, from labels and scores: ROC, P-R, metrics against the threshold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.regression_targets import check_regression
from fastmetrics._input.scalars import (
    WeightsAre,
    check_choice,
    check_confidence_level,
    check_weights_are,
)
from fastmetrics._number_text import percent_text
from fastmetrics._plots._style import escape_name, metric_words, model_label
from fastmetrics._plots.curves import (
    PLOTTED,
    Band,
    Guide,
    Mark,
    PlotCurve,
    draw_curves,
    draw_precision_recall,
    draw_roc,
    draw_thresholds,
)
from fastmetrics._report.evaluation_result import AUC
from fastmetrics._report.score_evaluation import as_models, read_table
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import InputError, InputTypeError, renamed
from fastmetrics.inference.bands import PrBand, RocBand, band_to_draw
from fastmetrics.inference.estimate import estimate
from fastmetrics.metrics.asking import MetricsLike, ask
from fastmetrics.metrics.curves.best_threshold import best_threshold
from fastmetrics.metrics.curves.precision_recall import (
    average_precision_score,
    break_even_point,
    curve_of_table,
)
from fastmetrics.metrics.curves.roc import confusion_matrix_at_thresholds, roc_of_table
from fastmetrics.metrics.curves.roc_auc import roc_auc_score
from fastmetrics.metrics.decisions.count_metrics import value
from fastmetrics.metrics.registry import DEFAULTS
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix
from fastmetrics.tables.score_table import ScoreTable, as_table

#: Criteria of `best_threshold` that need no further number.
PlottedCriterion = Literal["youden", "closest-topleft", "fewest-errors", "fbeta"]
OneBand = TypeVar("OneBand", RocBand, PrBand)

_CRITERIA: Final = {
    "youden": "largest TPR − FPR",
    "closest-topleft": "nearest to the ideal point",
    "fewest-errors": "fewest errors",
    "fbeta": "largest $F_1$",
}


def plotted_models(
    y_true: Any,
    scores: Any,
    names: Sequence[str] | None,
    *,
    sample_weight: Any,
    pos_label: Any,
    weights_are: WeightsAre = "importances",
    confidence_level: float | None = None,
) -> list[tuple[str, ScoreTable, ConfidenceInterval | None]]:
    """Return each model's name ("" of a single column), table, and interval of the AUC or None."""
    read = check_weights_are(sample_weight, weights_are)
    rows: dict[str, Any] = {"sample_weight": sample_weight, "pos_label": pos_label}
    if isinstance(y_true, ScoreTable):
        if any(each is not None for each in (scores, names, *rows.values())):
            raise InputTypeError(
                "a ScoreTable comes alone: pass no `scores`, `names`, `sample_weight` or "
                "`pos_label` with it"
            )
        models = [("", y_true, _interval(confidence_level, y_true))]
    else:
        models = []
        for name, argument, y_score in as_models(scores, names):
            with renamed(y_score=argument):  # there may be many scores: say which it was
                table, _ = read_table(y_true, y_score, weights_are=read, **rows)
                if read == "importances":
                    interval = _interval(confidence_level, y_true, y_score, **rows)
                else:
                    interval = _interval(confidence_level, table)
            models.append(("" if argument == "scores" else name, table, interval))
    for _, table, _ in models:
        check_both_classes(table)
    return models


def _interval(level: float | None, *data: Any, **rows: Any) -> ConfidenceInterval | None:
    """Return the interval of the AUC; None without a level, or where rows are not known."""
    if level is None or (len(data) == 1 and data[0].is_weighted):
        return None
    (one,) = estimate(*data, metrics=AUC, confidence_level=level, **rows).values()
    return one.confidence_interval


def check_both_classes(table: ScoreTable) -> None:
    """Raise if one class has no example."""
    if not (table.n_positive > 0 and table.n_negative > 0):
        raise InputError(
            "`y_true` must hold examples of both classes, of positive weight: of one there is no "
            f"curve (positives {table.n_positive:g}, negatives {table.n_negative:g})"
        )


def bands_by_name(
    bands: OneBand | Mapping[str, OneBand] | None, kind: type[OneBand], names: Sequence[str]
) -> dict[str, Band]:
    """Return the bands to draw, by the names of the models."""
    if bands is None:
        return {}
    given = bands if isinstance(bands, Mapping) else {names[0]: bands}
    if not isinstance(bands, Mapping) and len(names) > 1:
        raise InputTypeError("`bands` of several models must be a mapping from their names")
    for name, band in given.items():
        if name not in names:
            raise InputError(
                f"`bands` names {name!r}: the models are {', '.join(map(repr, names))}"
            )
        if not isinstance(band, kind):
            raise InputTypeError(f"`bands` must hold {kind.__name__}s: got {type(band).__name__}")
    return {name: band_to_draw(band, name) for name, band in given.items()}


def recall_and_precision(table: ScoreTable) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return both coordinates of the steps of a precision-recall curve, from recall 1 to 0."""
    precision, recall, _ = curve_of_table(table, drop_intermediate=True)
    precision[-1] = precision[-2]  # the step to recall 0, not a point of precision 1
    return recall, precision


def as_text(threshold: Any) -> str:
    """Return a threshold as text: as it is where that is short, else rounded to six digits."""
    text = str(threshold)
    return text if len(text) <= 8 or isinstance(threshold, int) else f"{threshold:.6g}"


def _decision_on(
    table: ScoreTable, threshold: Any
) -> list[tuple[float, str, tuple[float, float, float]]]:
    """Return a decision, if any: its threshold, its name, and (FPR, TPR, precision)."""
    if threshold is None:
        return []
    point: Any
    if isinstance(threshold, str):
        point = best_threshold(table, criterion=check_choice("threshold", threshold, _CRITERIA))
        name = _CRITERIA[threshold]
        threshold = point.threshold
    else:
        point = ConfusionMatrix.from_scores(table, threshold=threshold)
        name = f"score ≥ {as_text(threshold)}"
    tp, fp = point.tp, point.fp
    rates = fp / (fp + point.tn), tp / (tp + point.fn), tp / (tp + fp) if tp + fp else math.nan
    return [(threshold, name, rates)]


#: Stretches of predictions of equally many rows, at most; and rows of one, at least.
_MOST: Final = 40
_LEAST: Final = 20
_QUANTILES: Final = (0.1, 0.5, 0.9)


@documented(PLOTTED)
def plot_residuals(
    y_true: ArrayLike,
    predictions: Mapping[str, ArrayLike] | ArrayLike,
    *,
    names: Sequence[str] | None = None,
    ax: Any = None,
    **line_options: Any,
) -> Any:
    """Draw what is true less what was predicted, against what was predicted.

    Predictions are cut into stretches of equally many rows. The line is the median residual of
    each, the band holds the middle 80 % of its residuals: a line away from zero is a bias, a band
    that widens is an error that grows.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Numbers.
    predictions : mapping of str to array-like of shape (n_samples,), data frame, or array-like
        Numbers each model predicted, by its name; a single column is one model without a name.
    names : sequence of str, optional
        Of the columns of `predictions`, where it is an array.

    Raises
    ------
    TypeError, ValueError
        If rows are not finite numbers of the same length, or there are fewer than 20.

    Notes
    -----
    A stretch has 20 rows or more, and there are at most 40; equal predictions stay together. One
    sort a model. The band shows how residuals spread, not how well the median is known.

    Examples
    --------
    >>> y_true = [1.0, 2.0, 4.0, 3.0] * 10
    >>> ax = plot_residuals(y_true, {"low": [0.5, 1.5, 3.5, 2.5] * 10})
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('predicted', 'true − predicted')
    """
    curves = []
    for model in as_models(predictions, names):
        rows = check_regression(y_true, model.values)
        if rows.n_outputs > 1:
            raise InputError("`y_true` must have one number a row to draw residuals of")
        rows.recheck()
        true, predicted = (each.astype(np.float64) for each in (rows.y_true, rows.y_pred))
        if len(true) < _LEAST:
            raise InputError(f"residuals need {_LEAST} rows to draw: got {len(true)}")
        x, low, middle, high = _stretches(predicted.reshape(-1), (true - predicted).reshape(-1))
        name = escape_name(model.name)
        curves.append(PlotCurve(x, middle, name, Band(x, low, high), has_markers=True))
    ends = [min(curve.x[0] for curve in curves), max(curve.x[-1] for curve in curves)]
    label = "median of the rows around; band: the middle 80 %"
    return draw_curves(
        curves,
        (Guide(ends, [0.0, 0.0], "_none"),),
        ("predicted", "true − predicted"),
        ax,
        title=label,
        options=line_options,
    )


def _stretches(predicted: NDArray[Any], residuals: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """Return the median prediction of each stretch, and the quantiles of its residuals."""
    order = np.argsort(predicted, kind="stable")
    predicted = predicted[order]
    n = len(predicted)
    starts = np.arange(1, max(1, min(_MOST, n // _LEAST))) * n // min(_MOST, n // _LEAST)
    starts = np.unique(np.searchsorted(predicted, predicted[starts]))  # equal ones stay together
    starts = starts[starts > 0]
    chunks = zip(np.split(predicted, starts), np.split(residuals[order], starts), strict=True)
    bands = [(np.median(each), *np.quantile(errors, _QUANTILES)) for each, errors in chunks]
    return tuple(np.array(bands).T)


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
    threshold: float | PlottedCriterion | None = None,
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
    given = bands_by_name(bands, RocBand, [name for name, *_ in models])
    curves = []
    for name, table, interval in models:
        fpr, tpr, _ = roc_of_table(table)
        text = f"AUC {roc_auc_score(table):.4f}"
        if interval is not None:
            text += f" [{interval.low:.4f}, {interval.high:.4f}]"
        marks = tuple(Mark(x, y, why) for _, why, (x, y, _) in _decision_on(table, threshold))
        curves.append(PlotCurve(fpr, tpr, model_label(name, text), given.get(name), marks))
    title = "" if level is None else f"[{percent_text(level)} interval]"
    return draw_roc(curves, ax, title=title, options=line_options)


@documented(_MODELS, PLOTTED)
def plot_pr(
    y_true: ArrayLike | ScoreTable,
    scores: Mapping[str, ArrayLike] | ArrayLike | None = None,
    *,
    names: Sequence[str] | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    threshold: float | PlottedCriterion | None = None,
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
    given = bands_by_name(bands, PrBand, [name for name, *_ in models])
    curves = []
    for name, table, _ in models:
        recall, precision = recall_and_precision(table)
        even = break_even_point(table).value
        marks = [Mark(even, even, "break-even point", "D")]
        marks += [Mark(x, y, why) for _, why, (_, x, y) in _decision_on(table, threshold)]
        known = tuple(mark for mark in marks if not math.isnan(mark.y))
        label = model_label(name, f"AP {average_precision_score(table):.4f}")
        curves.append(PlotCurve(recall, precision, label, given.get(name), known, "steps-post"))
    table = models[0][1]
    prevalence = table.n_positive / (table.n_positive + table.n_negative)
    return draw_precision_recall(curves, ax, prevalence=prevalence, options=line_options)


@documented(_MODELS, PLOTTED)
def plot_thresholds(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    metrics: MetricsLike = DEFAULTS["thresholds"],
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    threshold: float | PlottedCriterion | None = None,
    n_threads: int | None = None,
    ax: Any = None,
    **line_options: Any,
) -> Any:
    """Draw metrics of the decision score >= threshold over all thresholds, for one model.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or ScoreTable
        Binary labels; or a table, and then `y_score` is left out.
    y_score : array-like of shape (n_samples,), optional
        Scores; the greater, the more positive.
    metrics : str, callable, (str, dict), or a sequence or mapping of them
        Metrics that follow from a confusion matrix of two classes, as `metrics_table` names them;
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
    requests = ask(metrics)
    for one in requests:
        if one.metric is None or one.metric.family != "decisions" or one.is_only_function:
            raise InputError(
                f"`metrics` names {one.label!r}, where metrics of predicted labels can be drawn "
                "over the threshold: those that follow from a confusion matrix"
            )
    table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    check_both_classes(table)
    tn, fp, fn, tp, thresholds = confusion_matrix_at_thresholds(table)
    counts = np.stack((tn, fp, fn, tp), axis=-1).reshape(-1, 2, 2)[::-1]
    rising = thresholds[::-1].astype(np.float64)
    curves = []
    for one in requests:
        heights: NDArray[np.float64] = value(one.name, counts, **one.parameters)
        curves.append(PlotCurve(rising, heights, metric_words(one.label), drawstyle="steps-pre"))
    mark = None
    for at, why, _ in _decision_on(table, threshold):
        mark = at, f"{as_text(at)}: {why}" if isinstance(threshold, str) else why
    return draw_thresholds(curves, ax, mark=mark, options=line_options)
