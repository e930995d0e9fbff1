"""The measures of one model, from one sort."""

from __future__ import annotations

import math
from typing import Any

from numpy.typing import ArrayLike

from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import UndefinedMetricWarning, warn_user
from fastmetrics.intervals.delong.delong import DeLongResult, delong
from fastmetrics.measures.curves._curve_counts import as_given
from fastmetrics.measures.curves.best_threshold import best_threshold
from fastmetrics.measures.curves.break_even import break_even_point
from fastmetrics.measures.curves.kolmogorov_smirnov import ks_statistic
from fastmetrics.measures.curves.precision_recall import average_precision_score
from fastmetrics.measures.curves.roc_auc import roc_auc_score
from fastmetrics.report.evaluation_result import ModelEvaluation
from fastmetrics.tables.scores.score_table import ScoreTable

_NAN = float("nan")
_NOWHERE = ConfidenceInterval(_NAN, _NAN)


def evaluate_model(
    name: str,
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    confidence_level: float | None = 0.95,
    n_threads: int | None = None,
) -> ModelEvaluation:
    """Evaluate one model; see `evaluate`. Without a confidence level there is no interval."""
    table = ScoreTable.from_scores(
        y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, n_threads=n_threads
    )
    del y_score  # the table is all that is needed; a caller may have let go of the column
    return _measured(name, table, confidence_level)


def _measured(name: str, table: ScoreTable, confidence_level: float | None) -> ModelEvaluation:
    n_positive, n_negative = (as_given(n, table) for n in (table.n_positive, table.n_negative))
    if not (n_positive > 0 and n_negative > 0):
        missing = "positive" if not n_positive > 0 else "negative"
        note = f"one class only: no {missing} example, so every measure is undefined"
        warn_user(f"model {name!r}: {note}", UndefinedMetricWarning)
        undefined = (_NAN, _NOWHERE, *(_NAN,) * 6)
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


def _roc_auc(
    table: ScoreTable, confidence_level: float | None
) -> tuple[float, ConfidenceInterval, str]:
    """Return the AUC and its interval, or why there is none."""
    if confidence_level is None:
        return float(roc_auc_score(table)), _NOWHERE, ""
    if table.is_weighted:
        note = "no interval: DeLong's variance is not defined for weights that are not counts"
        return float(roc_auc_score(table)), _NOWHERE, note
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
