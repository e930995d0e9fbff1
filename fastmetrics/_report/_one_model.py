"""One model's measures: of its rows, or of a table of its scores."""

from __future__ import annotations

import dataclasses
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from numpy.typing import ArrayLike

from fastmetrics._input.rows import BinaryRows, check_binary
from fastmetrics._input.scalars import WeightsAre
from fastmetrics._report._guarantees import Promise
from fastmetrics._report.model_evaluation import ModelEvaluation
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import DegenerateDataWarning, UndefinedMetricWarning, warn_user
from fastmetrics.inference.bootstrap.effective_size import effective_sample_size
from fastmetrics.inference.estimate import estimate
from fastmetrics.inference.estimate_result import Estimate, Estimates
from fastmetrics.measures.calibration.score_decomposition import (
    ScoreDecomposition,
    decomposition_of_table,
)
from fastmetrics.measures.curves._curve_counts import as_given
from fastmetrics.measures.curves.best_threshold import best_threshold
from fastmetrics.measures.curves.break_even import break_even_point
from fastmetrics.measures.curves.kolmogorov_smirnov import ks_statistic
from fastmetrics.measures.curves.precision_recall import average_precision_score
from fastmetrics.measures.curves.roc_auc import roc_auc_score
from fastmetrics.tables.runs.score_runs import ScoreRuns
from fastmetrics.tables.scores.score_table import ScoreTable

#: Examples of the smaller class below which coverage hangs on what nobody knows.
_FEW: Final = 30
_NAN = float("nan")
NOWHERE = ConfidenceInterval(_NAN, _NAN)


#: What an evaluation measures by how far each row moves it: these have intervals as they are.
SMOOTH: Final = ("roc_auc", "average_precision")


def evaluate_model(
    name: str,
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre | None = None,
    pos_label: Any = None,
    confidence_level: float | None = None,
    promises: Sequence[Promise] = (),
    parts: dict[str, ScoreDecomposition] | None = None,
) -> ModelEvaluation:
    """Evaluate one model, with intervals if there is a confidence level; see `evaluate`.

    ``parts`` takes the decomposition of its Brier score, if scores lie in [0, 1].
    """
    table, note = table_of(
        y_true, y_score, sample_weight=sample_weight, weights_are=weights_are, pos_label=pos_label
    )
    del y_score  # the table is all that is needed; a caller may have let go of the column
    model = _measured(name, table, confidence_level, note)
    if parts is not None and _are_fractions(table):
        parts[name] = decomposition_of_table(table, "brier_score")
    if not promises or math.isnan(model.roc_auc):
        return model
    return dataclasses.replace(model, guarantees=tuple(each.kept_by(table) for each in promises))


def _are_fractions(table: ScoreTable) -> bool:
    """Return whether the scores lie in [0, 1], which are sorted, and may be probabilities."""
    scores = table.scores
    ends = (float(scores[0]), float(scores[-1])) if len(scores) else (-1.0, -1.0)
    return scores.dtype.kind == "f" and min(ends) >= 0.0 and max(ends) <= 1.0


def evaluate_table(name: str, table: ScoreTable, confidence_level: float) -> ModelEvaluation:
    """Evaluate one model by the table of its scores; fractional weights have no interval."""
    if table.is_weighted:
        note = "sums of weights, which do not tell how many rows there were: no interval"
        level = None
    else:
        note = note_of_size(float(table.n_positive), float(table.n_negative), None)
        level = confidence_level
    return _measured(name, table, level, note)


def table_of(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None,
    weights_are: WeightsAre | None,
    pos_label: Any,
) -> tuple[ScoreTable, str]:
    """Return the table of a model's scores, and a note where the smaller class is small."""
    rows = check_binary(
        y_true,
        y_score,
        sample_weight=sample_weight,
        # What importances are worth matters to intervals alone: whole ones are summed exactly.
        weights_are="frequencies" if weights_are == "frequencies" else None,
        pos_label=pos_label,
    )
    table = ScoreTable.from_rows(rows)
    return table, note_of_size(*_effective_sizes(rows, table, weights_are), weights_are)


def _measured(
    name: str, table: ScoreTable, confidence_level: float | None, note: str
) -> ModelEvaluation:
    n_positive, n_negative = (as_given(n, table) for n in (table.n_positive, table.n_negative))
    if not (n_positive > 0 and n_negative > 0):
        return undefined_model(name, n_positive, n_negative)
    largest = ks_statistic(table)
    # Where the largest |TPR - FPR| is a positive one, its threshold is Youden's.
    best = largest if largest.sign > 0 else best_threshold(table, criterion="youden")
    model = ModelEvaluation(
        name,
        n_positive,
        n_negative,
        roc_auc=float(roc_auc_score(table)),
        confidence_interval=NOWHERE,
        interval_method="",
        standard_error=_NAN,
        average_precision=float(average_precision_score(table)),
        break_even_point=break_even_point(table).value,
        ks_statistic=largest.statistic,
        threshold=best.threshold,
        true_positive_rate=best.true_positive_rate,
        false_positive_rate=best.false_positive_rate,
        note=note,
    )
    if confidence_level is None:
        return model
    with said_in_notes():
        found = estimate(table, metrics=SMOOTH, confidence_level=confidence_level)
    return with_estimates(model, found)


@contextmanager
def said_in_notes() -> Iterator[None]:
    """Leave out warnings of what has no interval: notes of the estimates say so."""
    with warnings.catch_warnings():
        for kind in (DegenerateDataWarning, UndefinedMetricWarning):
            warnings.filterwarnings("ignore", r"`\w+` is|the difference in", kind)
        yield


def with_estimates(model: ModelEvaluation, found: Mapping[str, Estimate]) -> ModelEvaluation:
    """Return the evaluation with the errors and intervals of what varies smoothly."""
    auc = found["roc_auc"]
    return dataclasses.replace(
        model,
        confidence_interval=auc.confidence_interval,
        interval_method=auc.method,
        standard_error=auc.standard_error,
        estimates=Estimates(found),
        note="; ".join(filter(None, [model.note, *(each.note for each in found.values())])),
    )


def undefined_model(name: str, n_positive: float, n_negative: float) -> ModelEvaluation:
    """Return the evaluation of rows of one class, or of none, and warn of it."""
    missing = "positive" if not n_positive > 0 else "negative"
    found = f"one class only: no {missing} example" if n_positive or n_negative else "no rows"
    note = f"{found}, so every measure is undefined"
    warn_user(f"model {name!r}: {note}", UndefinedMetricWarning)
    undefined = (_NAN, NOWHERE, "", *(_NAN,) * 7)
    return ModelEvaluation(name, n_positive, n_negative, *undefined, note)


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


def tables_of(y_true: Any) -> dict[str, ScoreTable | ScoreRuns] | None:
    """Return the tables that came in place of labels; None of labels."""
    if isinstance(y_true, ScoreTable | ScoreRuns):
        return {"score": y_true}
    if not (isinstance(y_true, Mapping) and y_true):
        return None
    tables = {n: each for n, each in y_true.items() if isinstance(each, ScoreTable | ScoreRuns)}
    return tables if len(tables) == len(y_true) else None


def evaluate_any_table(
    name: str, table: ScoreTable | ScoreRuns, confidence_level: float
) -> ModelEvaluation:
    """Evaluate one model by its table, or by its runs."""
    if isinstance(table, ScoreTable):
        return evaluate_table(name, table, confidence_level)
    from fastmetrics._report._of_summary import evaluation_of
    from fastmetrics.inference.streams.range_summary import summary_of_runs

    return evaluation_of(summary_of_runs(table), name, confidence_level)
