"""Curves of the test rows of each fold of scikit-learn's cross-validation, with one band."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.classes import encode_labels
from fastmetrics._input.containers import as_vector
from fastmetrics._input.scalars import check_choice, check_confidence_level, check_same_length
from fastmetrics._plots._style import model_label
from fastmetrics._plots.curves import (
    PLOTTED,
    Band,
    PlotCurve,
    band_title,
    draw_precision_recall,
    draw_roc,
)
from fastmetrics._report.plots import recall_and_precision
from fastmetrics.errors import DegenerateDataWarning, InputError, renamed
from fastmetrics.inference.bands import PrBand, RocBand, band_to_draw, pr_band, roc_band
from fastmetrics.metrics.curves.precision_recall import average_precision_score
from fastmetrics.metrics.curves.roc import roc_of_table
from fastmetrics.metrics.curves.roc_auc import roc_auc_score
from fastmetrics.selection.estimates import mean_over_splits
from fastmetrics.selection.fitting import check_task, predict_rows
from fastmetrics.tables.score_table import ScoreTable, as_table


@documented(PLOTTED)
def from_cv_results(
    cv_results: Mapping[str, Any],
    X: Any,
    y: ArrayLike,
    *,
    kind: Literal["roc", "pr"] = "roc",
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    rng: Any = None,
    ax: Any = None,
    name: str | None = None,
    **line_options: Any,
) -> Any:
    """Draw the curve of each fold's test rows as a thin line, and one curve with a band.

    Parameters
    ----------
    cv_results : dict
        From ``sklearn.model_selection.cross_validate`` of a classifier of two classes, with
        ``return_estimator=True`` and ``return_indices=True``.
    X : array-like of shape (n_samples, n_features)
        The data that were cross-validated, in the same order.
    y : array-like of shape (n_samples,)
        Labels of two classes.
    kind : {"roc", "pr"}, default="roc"
        ROC curves, or precision-recall curves.
    groups : array-like of shape (n_samples,), optional
        Clusters of the rows, for the band of pooled scores.

    Raises
    ------
    TypeError, ValueError
        If `cv_results` lacks estimators or indices, the data are others, `y` has other than two
        classes or texts without `pos_label`, or a fold has test rows of one class.

    Notes
    -----
    If every fold's model gives probabilities and no row is tested twice, test rows are pooled, and
    the band is the simultaneous one of `roc_band` or `pr_band`. It is of the fitted models on new
    rows; it leaves out how models vary over training sets. Otherwise scores of different folds
    cannot be put in one order, or rows would count twice. Then the curve is the mean over folds at
    each point of a grid, with the pointwise interval of Nadeau and Bengio (2003), as
    `selection.evaluate_estimator` has for a metric. The legend says which, and why.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> kept = {"return_estimator": True, "return_indices": True}
    >>> ax = from_cv_results(cross_validate(GaussianNB(), X, y, **kept), X, y, rng=1)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['pooled: AUC 0.9865', '95 % band, simultaneous', '5 folds: AUC 0.9722 to 0.9946']
    """
    is_roc = check_choice("kind", kind, ("roc", "pr")) == "roc"
    level = check_confidence_level(confidence_level)
    models, train, test = _folds(cv_results)
    task = check_task(models[0], X, y, None, None, None)
    if task.classes is None or len(task.classes) != 2:
        raise InputError("`y` must have two classes, and `cv_results` classifiers")
    with renamed(y_true="y"):
        is_positive = encode_labels(task.y, pos_label, "strict", defer=False)[0] == 1
    positive = int(np.searchsorted(task.classes, task.y[np.argmax(is_positive)]))
    rows = np.concatenate(test)
    if max(rows.max(), *(each.max() for each in train)) >= len(task.y):
        raise InputError(f"`cv_results` has rows beyond the {len(task.y):,} of `X` and `y`")
    given = {"sample_weight": sample_weight, "groups": groups}
    columns = {key: as_vector(each, key) for key, each in given.items() if each is not None}
    check_same_length(y=task.y, **columns)
    columns["y_true"] = is_positive
    has_probabilities = all(hasattr(model, "predict_proba") for model in models)
    data: list[dict[str, Any]] = []
    for model, at in zip(models, test, strict=True):
        outputs = predict_rows(task, model, at)
        if has_probabilities:
            scores = outputs.probabilities[:, positive]
        else:
            scores = outputs.scores if positive == 1 else -outputs.scores
        data.append({key: each[at] for key, each in columns.items()} | {"y_score": scores})
    pooled = {key: np.concatenate([each[key] for each in data]) for key in data[0]}
    tables = [
        as_table(each["y_true"], each["y_score"], sample_weight=each.get("sample_weight"))
        for each in (*data, pooled)
    ]
    for k, table in enumerate(tables):
        if not (table.n_positive > 0 and table.n_negative > 0):
            raise InputError(f"`cv_results`: the test rows of fold {k} are of one class")
    area: Any = roc_auc_score if is_roc else average_precision_score
    *areas, whole = [area(table) for table in tables]
    compute: Any = partial(roc_band if is_roc else pr_band, confidence_level=level)
    title = ""
    if has_probabilities and len(np.unique(rows)) == len(rows):
        band = compute(**pooled, rng=rng)
        line = PlotCurve(*_on_grid(band), "pooled", band_to_draw(band, name))
    else:
        with warnings.catch_warnings():  # of limits within a fold, which are not drawn
            warnings.simplefilter("ignore", DegenerateDataWarning)
            curves = [_on_grid(compute(**each, kind="pointwise")) for each in data]
        ratio = len(rows) / sum(len(np.unique(each)) for each in train)
        line = _mean_curve(curves, ratio, level, model_label(name, band_title(level, "pointwise")))
        whole = float(np.mean(areas))
        title = "not pooled: scores are no probabilities"
        if has_probabilities:
            title = "not pooled: rows are tested more than once"
    if ax is not None and ax.get_legend() is not None:  # the models before are described too
        titles = ax.get_legend().get_title().get_text(), title
        title = "; ".join(dict.fromkeys(each for each in titles if each))
    what = "AUC" if is_roc else "AP"
    text = f"{len(test)} folds: {what} {min(areas):.4f} to {max(areas):.4f}"
    folds = tuple(_fold_line(table, text, is_roc) for table in tables[:-1])
    line = line._replace(label=model_label(name, f"{line.label}: {what} {whole:.4f}"), folds=folds)
    if is_roc:
        return draw_roc([line], ax, title=title, options=line_options)
    prevalence = tables[-1].n_positive / (tables[-1].n_positive + tables[-1].n_negative)
    return draw_precision_recall(
        [line], ax, prevalence=prevalence, title=title, options=line_options
    )


def _folds(cv_results: Any) -> tuple[Any, Any, Any]:
    """Return the models of the folds, and the indices of their training and test rows."""
    try:
        indices = cv_results["indices"]
        return cv_results["estimator"], indices["train"], indices["test"]
    except (KeyError, TypeError, IndexError):
        raise InputError(
            "`cv_results` needs 'estimator' and 'indices': call cross_validate with "
            "return_estimator=True and return_indices=True"
        ) from None


def _on_grid(band: RocBand | PrBand) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if isinstance(band, PrBand):
        return band.recall, band.precision
    return band.false_positive_rate, band.true_positive_rate


def _mean_curve(curves: list[Any], ratio: float, level: float, label: str) -> PlotCurve:
    """Return the mean over folds with its band; `ratio` is of test rows to training rows."""
    grid = curves[0][0]
    heights = np.transpose([height for _, height in curves])
    points = [mean_over_splits(each, ratio, level, (0.0, 1.0)) for each in heights]
    means = np.array([point[0] for point in points])
    low, high = np.transpose([interval for _, _, _, interval, _ in points])
    return PlotCurve(grid, means, "mean", Band(grid, low, high, label))


def _fold_line(table: ScoreTable, text: str, is_roc: bool) -> PlotCurve:
    """Return the curve of one fold, as `plot_roc` and `plot_pr` draw it."""
    if is_roc:
        return PlotCurve(*roc_of_table(table)[:2], text)
    return PlotCurve(*recall_and_precision(table), text, drawstyle="steps-post")
