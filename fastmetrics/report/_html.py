"""An evaluation as HTML, for notebooks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fastmetrics._results import ConfidenceInterval, html_table
from fastmetrics.report.footnotes import Footnotes

if TYPE_CHECKING:
    from fastmetrics.report.evaluation_result import Evaluation, ModelEvaluation


def evaluation_html(evaluation: Evaluation) -> str:
    """Return tables of the measures, of the bootstrap's intervals, and of the differences."""
    level = f"{100 * evaluation.confidence_level:g} %"
    heads = (
        *("model", "n+", "n−", "ROC AUC", f"{level} interval", "average precision"),
        *("break-even point", "KS", "threshold", "TPR", "FPR"),
    )
    methods = dict.fromkeys(m.interval_method for m in evaluation if m.interval_method)
    said = [f"interval: {method}" for method in methods]
    if evaluation.weights_are is not None:
        said.append(f"weights are {evaluation.weights_are}")
    caption = "; ".join(said) or None
    tables = [html_table(heads, [_cells(model) for model in evaluation], caption=caption)]
    if evaluation.bootstrap is not None:
        tables.append(_of_bootstrap(evaluation, level))
    if evaluation.differences is not None:
        tables.append(_of_differences(evaluation, level))
    return "".join(tables)


def _of_bootstrap(evaluation: Evaluation, level: str) -> str:
    heads = ("model", "measure", "estimate", f"{level} interval", "standard error", "failed")
    notes = Footnotes(evaluation)
    rows = [
        (
            *(model.name, metric + notes.marks(metric), _number(result.estimate)),
            *(
                _limits(result.confidence_interval),
                _number(result.standard_error),
                str(result.n_failed),
            ),
        )
        for model in evaluation
        for metric, result in (model.bootstrap or {}).items()
    ]
    return html_table(heads, rows, caption=" ".join(notes.texts) or None)


def _of_differences(evaluation: Evaluation, level: str) -> str:
    heads = ("measure", "models", "difference", f"{level} interval", "p", "p (Holm)")
    rows = [
        (
            *(metric, f"{pair.model_a} − {pair.model_b}", _number(pair.difference)),
            *(_limits(pair.confidence_interval), _number(pair.pvalue), _number(pair.pvalue_holm)),
        )
        for metric, pairs in (evaluation.differences or {}).items()
        for pair in pairs
    ]
    return html_table(heads, rows)


def _cells(model: ModelEvaluation) -> tuple[str, ...]:
    return (
        model.name,
        *(f"{count:,}" for count in (model.n_positive, model.n_negative)),
        _number(model.roc_auc),
        _limits(model.confidence_interval),
        *map(_number, (model.average_precision, model.break_even_point, model.ks_statistic)),
        "–" if math.isnan(model.threshold) else f"{model.threshold:.6g}",
        *map(_number, (model.true_positive_rate, model.false_positive_rate)),
    )


def _limits(interval: ConfidenceInterval) -> str:
    return "–" if math.isnan(interval.low) else f"{interval.low:.4f} to {interval.high:.4f}"


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.4f}"
