"""``evaluate``: the usual measures of one or several models, from one sort a model."""

from __future__ import annotations

import html
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from fastmetrics._results import ConfidenceInterval, Result
from fastmetrics._scalars import check_confidence_level
from fastmetrics._warn import warn_user
from fastmetrics.errors import UndefinedMetricWarning
from fastmetrics.intervals.delong import DeLongResult, delong
from fastmetrics.measures._curve_counts import as_given
from fastmetrics.measures.best_threshold import best_threshold
from fastmetrics.measures.break_even import break_even_point
from fastmetrics.measures.kolmogorov_smirnov import ks_statistic
from fastmetrics.measures.precision_recall import average_precision_score
from fastmetrics.measures.roc_auc import roc_auc_score
from fastmetrics.tables.score_table import ScoreTable

_NAN = float("nan")


@dataclass(frozen=True, slots=True, repr=False)
class ModelEvaluation(Result):
    """The measures of one model.

    Attributes
    ----------
    name : str
        Of the model.
    n_positive, n_negative : int or float
        Examples (or their weight) of each class.
    roc_auc : float
        Area under the ROC curve.
    confidence_interval : ConfidenceInterval
        DeLong's interval for `roc_auc`; nan where there is none (`note` says why).
    average_precision : float
        Area under the P-R curve by steps; a tie is one step.
    break_even_point : float
        Where precision equals recall.
    ks_statistic : float
        Largest distance between the score distributions of the two classes.
    threshold : int or float
        The threshold of the largest TPR - FPR (Youden); positive means score >= threshold.
    true_positive_rate, false_positive_rate : float
        At `threshold`.
    note : str
        What a reader of the figures must know; usually empty.
    """

    name: str
    n_positive: int | float
    n_negative: int | float
    roc_auc: float
    confidence_interval: ConfidenceInterval
    average_precision: float
    break_even_point: float
    ks_statistic: float
    threshold: int | float
    true_positive_rate: float
    false_positive_rate: float
    note: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation(Result):
    """The measures of one or several models on the same examples.

    Attributes
    ----------
    models : tuple of ModelEvaluation
        In the order given.
    confidence_level : float
        Of the confidence intervals.
    """

    models: tuple[ModelEvaluation, ...]
    confidence_level: float

    def __getitem__(self, model: str | int) -> ModelEvaluation:
        """Return the evaluation of a model, by name or by position."""
        if isinstance(model, int):
            return self.models[model]
        names = [known.name for known in self.models]
        if model not in names:
            raise KeyError(f"{model!r}: the models are {', '.join(map(repr, names))}")
        return self.models[names.index(model)]

    def __iter__(self) -> Iterator[ModelEvaluation]:
        return iter(self.models)

    def __len__(self) -> int:
        return len(self.models)

    def __repr__(self) -> str:
        aucs = ", ".join(f"{model.name}: roc_auc={model.roc_auc:.6g}" for model in self.models)
        return f"Evaluation({aucs})"

    def _repr_html_(self) -> str:
        level = f"{100 * self.confidence_level:g} %"
        heads = (
            *("model", "n+", "n−", "ROC AUC", f"{level} interval", "average precision"),
            *("break-even point", "KS", "threshold", "TPR", "FPR"),
        )
        rows = "".join(_html_row("td", _cells(model)) for model in self.models)
        return f"<table><thead>{_html_row('th', heads)}</thead><tbody>{rows}</tbody></table>"


def _cells(model: ModelEvaluation) -> tuple[str, ...]:
    interval = model.confidence_interval
    return (
        model.name,
        *(f"{count:,}" for count in (model.n_positive, model.n_negative)),
        _number(model.roc_auc),
        "–" if math.isnan(interval.low) else f"{interval.low:.4f} to {interval.high:.4f}",
        *map(_number, (model.average_precision, model.break_even_point, model.ks_statistic)),
        "–" if math.isnan(model.threshold) else f"{model.threshold:.6g}",
        *map(_number, (model.true_positive_rate, model.false_positive_rate)),
    )


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.4f}"


def _html_row(tag: str, cells: tuple[str, ...]) -> str:
    return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def evaluate(
    y_true: ArrayLike,
    scores: Mapping[str, ArrayLike] | ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    confidence_level: float = 0.95,
    n_threads: int | None = None,
) -> Evaluation:
    """Evaluate the scores of one or several models against the labels.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels.
    scores : mapping of str to array-like of shape (n_samples,), data frame, or array-like
        The scores of each model by name; a data frame has one column a model; a single column
        is one model called ``"score"``. The greater the score, the more positive.
    sample_weight : array-like of shape (n_samples,), optional
        Weights, not negative.
    pos_label : int, float, bool or str, optional
        The positive label; {0, 1}, {-1, 1} and booleans need none.
    confidence_level : float, default=0.95
        Of the intervals of the AUC.
    n_threads : int, optional
        Threads of the sort; None means every processor the process may use.

    Returns
    -------
    Evaluation
        Frozen; one `ModelEvaluation` a model, by position, name or iteration.

    Raises
    ------
    ValueError
        If the data are not binary labels and finite scores, `scores` names no model, or
        `confidence_level` is not between 0 and 1.

    Warns
    -----
    UndefinedMetricWarning
        If only one class is present; the measures are nan.
    DegenerateDataWarning
        If an interval is degenerate, as that of an AUC of exactly 1.

    Notes
    -----
    One sort a model, then linear passes over its distinct scores: O(n log n) time. The table
    of one model is freed before the next is built. DeLong's variance is defined for examples
    that count alike: with weights other than counts the AUC stands without an interval.

    Examples
    --------
    >>> y_true = [1, 0, 1, 1, 0, 0, 1, 0]
    >>> result = evaluate(y_true, {"a": [0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.23, 0.15]})
    >>> result
    Evaluation(a: roc_auc=0.65625)
    >>> result["a"].break_even_point
    0.625
    """
    level = check_confidence_level(confidence_level)
    models = []
    for name, argument, y_score in _named(scores):
        try:
            model = evaluate_model(
                name,
                y_true,
                y_score,
                sample_weight=sample_weight,
                pos_label=pos_label,
                confidence_level=level,
                n_threads=n_threads,
            )
        except (TypeError, ValueError) as error:
            # The argument is called otherwise here, and there may be many: say which it was.
            raise type(error)(str(error).replace("`y_score`", f"`{argument}`")) from error
        models.append(model)
    if not models:
        raise ValueError("`scores` must name at least one model: got an empty mapping")
    return Evaluation(tuple(models), level)


def _named(scores: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield each model's name, what its scores are called in messages, and its scores."""
    if isinstance(scores, Mapping):
        names = list(scores)
    elif hasattr(scores, "column_names"):  # an Arrow table, whose `columns` are no names
        names = list(scores.column_names)
    elif hasattr(scores, "columns"):
        names = list(scores.columns)
    else:
        yield "score", "scores", scores
        return
    for name, count in Counter(map(str, names)).items():
        if count > 1:
            raise ValueError(f"`scores` names {count} models {name!r}: their names must differ")
    yield from ((str(name), f"scores[{name!r}]", scores[name]) for name in names)


def evaluate_model(
    name: str,
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    confidence_level: float = 0.95,
    n_threads: int | None = None,
) -> ModelEvaluation:
    """Evaluate one model; see `evaluate`."""
    table = ScoreTable.from_scores(
        y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, n_threads=n_threads
    )
    del y_score  # the table is all that is needed; a caller may have let go of the column
    return _measured(name, table, confidence_level)


def _measured(name: str, table: ScoreTable, confidence_level: float) -> ModelEvaluation:
    n_positive, n_negative = (as_given(n, table) for n in (table.n_positive, table.n_negative))
    if not (n_positive > 0 and n_negative > 0):
        missing = "positive" if not n_positive > 0 else "negative"
        note = f"one class only: no {missing} example, so every measure is undefined"
        warn_user(f"model {name!r}: {note}", UndefinedMetricWarning)
        nowhere = ConfidenceInterval(_NAN, _NAN)
        undefined = (_NAN, nowhere, *(_NAN,) * 6)
        return ModelEvaluation(name, n_positive, n_negative, *undefined, note)
    roc_auc, interval, note = _roc_auc(table, confidence_level)
    best = best_threshold(table, criterion="youden")
    return ModelEvaluation(
        name=name,
        n_positive=n_positive,
        n_negative=n_negative,
        roc_auc=roc_auc,
        confidence_interval=interval,
        average_precision=float(average_precision_score(table)),
        break_even_point=break_even_point(table).value,
        ks_statistic=ks_statistic(table).statistic,
        threshold=best.threshold,
        true_positive_rate=best.true_positive_rate,
        false_positive_rate=best.false_positive_rate,
        note=note,
    )


def _roc_auc(table: ScoreTable, confidence_level: float) -> tuple[float, ConfidenceInterval, str]:
    """Return the AUC and its interval, or why there is none."""
    if table.is_weighted:
        note = "no interval: DeLong's variance is not defined for weights that are not counts"
        return float(roc_auc_score(table)), ConfidenceInterval(_NAN, _NAN), note
    result = delong(table, confidence_level=confidence_level)
    return result.estimate, result.confidence_interval, _note(result)


def _note(result: DeLongResult) -> str:
    """Return what is wrong with an interval, in the words that the warning uses."""
    if math.isnan(result.standard_error):
        single = "positive" if result.n_positive < 2 else "negative"
        return f"DeLong's standard error is not defined: there is one {single} example only"
    if result.standard_error == 0:
        return f"DeLong's standard error is 0 at an AUC of {result.estimate:g}"
    return ""
