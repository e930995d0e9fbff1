"""One model's measures: of its rows, or of a table of its scores."""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

from numpy.typing import ArrayLike

from fastmetrics._input.rows import BinaryRows, check_binary
from fastmetrics._input.scalars import WeightsAre
from fastmetrics._results import ConfidenceInterval
from fastmetrics._threads.workers import at_most
from fastmetrics.errors import UndefinedMetricWarning, warn_user
from fastmetrics.inference.bootstrap.effective_size import effective_sample_size
from fastmetrics.inference.delong.auc_interval import AucInterval, auc_interval
from fastmetrics.inference.delong.delong import AucVariance, auc_variance
from fastmetrics.measures.curves._curve_counts import as_given
from fastmetrics.measures.curves.best_threshold import best_threshold
from fastmetrics.measures.curves.break_even import break_even_point
from fastmetrics.measures.curves.kolmogorov_smirnov import ks_statistic
from fastmetrics.measures.curves.precision_recall import average_precision_score
from fastmetrics.measures.curves.roc_auc import roc_auc_score
from fastmetrics.report.evaluation_result import ModelEvaluation
from fastmetrics.tables.scores.score_table import ScoreTable

#: Examples of the smaller class below which coverage hangs on what nobody knows.
_FEW: Final = 30
_NAN = float("nan")
_NOWHERE = ConfidenceInterval(_NAN, _NAN)


def evaluate_model(
    name: str,
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre | None = None,
    pos_label: Any = None,
    confidence_level: float | None = 0.95,
    n_threads: int | None = None,
) -> ModelEvaluation:
    """Evaluate one model; see `evaluate`. Without a confidence level there is no interval."""
    table, found, note = table_and_variance(
        y_true,
        y_score,
        sample_weight=sample_weight,
        weights_are=weights_are,
        pos_label=pos_label,
        has_interval=confidence_level is not None,
        n_threads=n_threads,
    )
    del y_score  # the table is all that is needed; a caller may have let go of the column
    with at_most(n_threads):
        return _measured(name, table, found, confidence_level or math.nan, note)


def evaluate_table(
    name: str, table: ScoreTable, confidence_level: float, n_threads: int | None
) -> ModelEvaluation:
    """Evaluate one model by the table of its scores; fractional weights have no interval."""
    note = note_of_size(float(table.n_positive), float(table.n_negative), None)
    found = None if table.is_weighted else auc_variance(table, None)
    if found is None:
        note = "sums of weights, which do not tell how many rows there were: no interval"
    with at_most(n_threads):
        return _measured(name, table, found, confidence_level, note)


def table_and_variance(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None,
    weights_are: WeightsAre | None,
    pos_label: Any,
    has_interval: bool,
    n_threads: int | None,
) -> tuple[ScoreTable, AucVariance | None, str]:
    """Return the table of a model's scores; for an interval its AUC's variance; and a note."""
    rows = check_binary(
        y_true,
        y_score,
        sample_weight=sample_weight,
        # What importances are worth matters to the interval alone: whole ones are summed exactly.
        weights_are="frequencies" if weights_are == "frequencies" else None,
        pos_label=pos_label,
    )
    table = ScoreTable.from_rows(rows, n_threads=n_threads)
    note = note_of_size(*_effective_sizes(rows, table, weights_are), weights_are)
    del rows
    if not has_interval:
        return table, None, note
    if weights_are != "importances":
        return table, auc_variance(table, None), note
    options: dict[str, Any] = {"sample_weight": sample_weight, "pos_label": pos_label}
    return table, auc_variance(y_true, y_score, **options, n_threads=n_threads), note


class Figures(NamedTuple):
    """What an evaluation says of a model beside its AUC."""

    average_precision: float
    break_even_point: float
    ks_statistic: float
    threshold: int | float
    true_positive_rate: float
    false_positive_rate: float


def _measured(
    name: str, table: ScoreTable, found: AucVariance | None, confidence_level: float, note: str
) -> ModelEvaluation:
    n_positive, n_negative = (as_given(n, table) for n in (table.n_positive, table.n_negative))
    if not (n_positive > 0 and n_negative > 0):
        return undefined_model(name, n_positive, n_negative)
    if found is not None and found.weights_are != "importances":
        roc_auc = found.estimate  # of the same counts, divided once
    else:
        roc_auc = float(roc_auc_score(table))
    largest = ks_statistic(table)
    # Where the largest |TPR - FPR| is a positive one, its threshold is Youden's.
    best = largest if largest.sign > 0 else best_threshold(table, criterion="youden")
    figures = Figures(
        average_precision=float(average_precision_score(table)),
        break_even_point=break_even_point(table).value,
        ks_statistic=largest.statistic,
        threshold=best.threshold,
        true_positive_rate=best.true_positive_rate,
        false_positive_rate=best.false_positive_rate,
    )
    sizes = n_positive, n_negative
    return model_of(name, *sizes, roc_auc, found, figures, confidence_level, note)


def undefined_model(name: str, n_positive: float, n_negative: float) -> ModelEvaluation:
    """Return the evaluation of rows of one class, or of none, and warn of it."""
    missing = "positive" if not n_positive > 0 else "negative"
    found = f"one class only: no {missing} example" if n_positive or n_negative else "no rows"
    note = f"{found}, so every measure is undefined"
    warn_user(f"model {name!r}: {note}", UndefinedMetricWarning)
    undefined = (_NAN, _NOWHERE, "", *(_NAN,) * 7)
    return ModelEvaluation(name, n_positive, n_negative, *undefined, note)


def model_of(
    name: str,
    n_positive: float,
    n_negative: float,
    roc_auc: float,
    found: AucVariance | None,
    figures: Figures,
    confidence_level: float,
    note: str,
) -> ModelEvaluation:
    """Return the evaluation of a model, with the interval of its AUC if the variance is known."""
    limits = AucInterval(_NOWHERE, "") if found is None else auc_interval(found, confidence_level)
    return ModelEvaluation(
        name,
        n_positive,
        n_negative,
        roc_auc,
        limits.interval,
        limits.method,
        _NAN if found is None else math.sqrt(found.variance),
        *figures,
        note,
    )


def _effective_sizes(
    rows: BinaryRows, table: ScoreTable, weights_are: WeightsAre | None
) -> tuple[float, float]:
    """Return the rows of either class; of importances, how many equal ones tell as much."""
    if weights_are != "importances" or rows.weights is None:
        return float(table.n_positive), float(table.n_negative)
    sizes = [
        effective_sample_size(weights) if weights.any() else 0.0
        for weights in (rows.weights[rows.labels == 1], rows.weights[rows.labels == 0])
    ]
    return sizes[0], sizes[1]


def note_of_size(n_positive: float, n_negative: float, weights_are: WeightsAre | None) -> str:
    """Return that the smaller class is small, if it is."""
    size = min(n_positive, n_negative)
    if size >= _FEW:
        return ""
    name = "positive" if n_positive == size else "negative"
    if weights_are == "importances":
        return (
            f"the {name} examples are worth {size:.3g} of equal weight: below about {_FEW} no "
            "interval is sure"
        )
    examples = f"{name} example" + ("s" if size > 1 else "")
    return f"only {size:.0f} {examples}: below about {_FEW} no interval is sure"
