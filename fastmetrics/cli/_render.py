"""What the commands found as a table, JSON, CSV or Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from fastmetrics._display.numbers import is_bound
from fastmetrics._report import Evaluation, EvaluationBootstrap, ModelEvaluation
from fastmetrics._report.tasks.task_evaluation import TaskEvaluation
from fastmetrics.cli._layout import csv_text, json_text, markdown_text, table_text
from fastmetrics.inference.estimate_result import Estimate, Pair

if TYPE_CHECKING:
    from fastmetrics.comparison.tables.compare_table import TableComparison

_FIELDS: Final = (
    *("model", "n_positive", "n_negative", "roc_auc", "roc_auc_low", "roc_auc_high"),
    "interval_method",
    *("average_precision", "break_even_point", "ks_statistic", "threshold"),
    *("true_positive_rate", "false_positive_rate", "weights_are", "note"),
)
_INTERVAL_FIELDS: Final = (
    *("model", "minus_model", "metric", "estimate", "low", "high", "standard_error", "bias"),
    *("pvalue", "pvalue_is_bound", "pvalue_holm", "pvalue_holm_is_bound", "better"),
    *("n_failed", "confidence_level", "method", "n_resamples"),
    *("stratified", "n_groups", "effective_n_groups", "threshold", "key", "weights_are", "note"),
)
#: Fields of a model, and their measures in the bootstrap.
_VALUES: Final = {
    "n_positive": "",
    "n_negative": "",
    "roc_auc": "roc_auc",
    "average_precision": "average_precision",
    "break_even_point": "break_even_point",
    "ks_statistic": "ks_statistic",
    "threshold": "",
    "true_positive_rate": "tpr_at_best_threshold",
    "false_positive_rate": "fpr_at_best_threshold",
}
_PAIR_FIELDS: Final = (
    *("model_a", "model_b", "mean_rank_a", "mean_rank_b", "difference", "statistic"),
    *("pvalue", "reject", "better", "post_hoc", "confidence_level", "critical_difference"),
    *("friedman_chi2", "friedman_pvalue", "friedman_pvalue_is_bound"),
    *("friedman_pvalue_method", "friedman_reject"),
)
_TASK_FIELDS: Final = (
    *("model", "minus_model", "metric", "estimate", "low", "high", "standard_error"),
    *("confidence_level", "method", "pvalue", "pvalue_holm", "better", "n_failed", "note"),
)
#: Fields of the costs as columns of a CSV file.
_COST_FIELDS: Final = (
    *("cheapest_threshold", "cheapest_threshold_low", "cheapest_threshold_high"),
    *("cost", "left_out_cost", "cost_low", "cost_high"),
    *("cost_at_half", "cost_all_positive", "cost_all_negative"),
)


def render(
    found: Evaluation | TaskEvaluation | TableComparison,
    output_format: str,
    *,
    title: str = "",
    captions: Sequence[str] = (),
    counts: dict[str, int] | None = None,
) -> str:
    """Return the whole output as text that ends in a line break.

    Parameters
    ----------
    found : Evaluation or TableComparison
        What to show.
    output_format : {"table", "json", "csv", "markdown"}
        JSON and CSV have the full precision of the floats.
    title : str
        Above a table.
    captions : sequence of str
        Below a table.
    counts : dict of str to int, optional
        Further figures for the head of the JSON object.
    """
    if output_format == "json":
        return json_text({**(counts or {}), **found.to_dict()})
    if output_format == "csv":
        return _csv(found)
    shown = found._shown()
    notes = [*captions, *shown.notes]
    shown = replace(shown, title=title or shown.title, notes=notes)
    return markdown_text(shown) if output_format == "markdown" else table_text(shown)


def _csv(found: Evaluation | TaskEvaluation | TableComparison) -> str:
    if isinstance(found, TaskEvaluation):
        return _csv_of_task(found)
    if not isinstance(found, Evaluation):
        return _csv_of_pairs(found)
    if found.bootstrap is not None:
        return _csv_of_intervals(found, found.bootstrap)
    return _csv_of_models(found)


def _csv_of_task(found: TaskEvaluation) -> str:
    """Return a row for each measure of each model, and for each difference."""
    level = found.confidence_level
    rows: list[dict[str, Any]] = []
    for name in found.names:
        for one in found[name].values():
            rows.append({"model": name, "method": one.method} | _figures(one, level))
    for comparison in (found.comparisons or {}).values():
        for pair in comparison:
            row: dict[str, Any] = {"model": pair.a, "minus_model": pair.b}
            row["method"] = comparison.method
            row |= {"pvalue": pair.pvalue, "pvalue_holm": pair.pvalue_holm}
            rows.append(row | {"better": pair.better or ""} | _figures(pair, level))
    return csv_text(_TASK_FIELDS, rows)


def _figures(one: Estimate | Pair, level: float) -> dict[str, Any]:
    own = {"metric": one.metric, "estimate": one.estimate, "note": one.note}
    return own | {"confidence_level": level} | _shared_fields(one)


def _csv_of_models(evaluation: Evaluation) -> str:
    rows = []
    for model in evaluation:
        interval = model.confidence_interval
        limits = {"roc_auc_low": interval.low, "roc_auc_high": interval.high}
        fields = {"model": model.name, **limits, **model.to_dict()}
        fields["weights_are"] = evaluation.weights_are or ""
        own = _beside(model) | _cost_fields(model.costs) | _guarantee_fields(model)
        rows.append({name: fields[name] for name in _FIELDS} | own)
    has_costs = any(model.costs is not None for model in evaluation)
    promised = dict.fromkeys(name for model in evaluation for name in _guarantee_fields(model))
    return csv_text(
        (*_FIELDS, *_beside(evaluation[0]), *(_COST_FIELDS if has_costs else ()), *promised), rows
    )


def _csv_of_intervals(evaluation: Evaluation, bootstrap: EvaluationBootstrap) -> str:
    """Return a row for each number: counts and thresholds, measures, differences."""
    from fastmetrics.inference.bootstrap._engine import joined

    rows = []
    plan = bootstrap.to_dict() | {"confidence_level": evaluation.confidence_level}
    for name in ("n_groups", "effective_n_groups"):
        plan[name] = "" if plan[name] is None else plan[name]
    plan["weights_are"] = evaluation.weights_are or ""
    plan["threshold"] = "" if bootstrap.threshold is None else bootstrap.threshold
    for model in evaluation:
        results: Mapping[str, Estimate] = model.bootstrap or {}
        for field, metric in _VALUES.items():
            if metric not in results:
                row = {"model": model.name, "metric": field, "estimate": getattr(model, field)}
                rows.append(row | {"note": model.note})
        for metric, result in results.items():
            row = {"model": model.name, "metric": metric, "estimate": result.estimate}
            bias = "" if result.details is None else result.details.bias
            row |= _shared_fields(result) | {"bias": bias, "method": result.method}
            row["note"] = joined(model.note, result.note)
            rows.append(plan | row)
    rows += _rows_of_costs(evaluation)
    for model in evaluation:
        for metric, value in _guarantee_fields(model).items():
            rows.append({"model": model.name, "metric": metric, "estimate": value})
    for metric, pairs in (evaluation.comparisons or {}).items():
        for pair in pairs:
            row = {"model": pair.a, "minus_model": pair.b, "metric": metric}
            row |= {"estimate": pair.estimate} | _shared_fields(pair)
            row |= {"note": pair.note, "better": pair.better or ""}
            row["method"] = pairs.method.removesuffix(" bootstrap")
            for name, p in (("pvalue", pair.pvalue), ("pvalue_holm", pair.pvalue_holm)):
                row |= {name: p, f"{name}_is_bound": is_bound(p)}
            rows.append(plan | row)
    return csv_text(_INTERVAL_FIELDS, rows)


def _beside(model: ModelEvaluation) -> dict[str, Any]:
    """Return the measures beside those of every evaluation, by the columns of a CSV file."""
    found: dict[str, Any] = {}
    for metric, one in (model.estimates or {}).items():
        if metric not in _FIELDS:
            low, high = one.confidence_interval
            found |= {metric: one.estimate, f"{metric}_low": low, f"{metric}_high": high}
    return found


def _cost_fields(costs: Any) -> dict[str, Any]:
    """Return the costs of one model by the columns of a CSV file."""
    if costs is None:
        return {}
    low, high = costs.confidence_interval
    of_threshold = costs.threshold_interval
    return {
        "cheapest_threshold": costs.threshold,
        "cheapest_threshold_low": of_threshold.low,
        "cheapest_threshold_high": of_threshold.high,
        "cost": costs.cost,
        "left_out_cost": costs.left_out_cost,
        "cost_low": low,
        "cost_high": high,
        "cost_at_half": costs.cost_at_half,
        "cost_all_positive": costs.cost_all_positive,
        "cost_all_negative": costs.cost_all_negative,
    }


def _guarantee_fields(model: ModelEvaluation) -> dict[str, Any]:
    """Return the thresholds that keep promises, by the columns of a CSV file."""
    return {f"threshold_for_{each.metric}": each.threshold for each in model.guarantees}


def _rows_of_costs(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return a row for each number, as a bootstrap's CSV file has them."""
    found = []
    for model in evaluation:
        costs = model.costs
        if costs is None:
            continue
        level = {"confidence_level": evaluation.confidence_level, "note": model.note}
        intervals = {
            "cheapest_threshold": costs.threshold_interval,
            "left_out_cost": costs.confidence_interval,
        }
        for name, value in _cost_fields(costs).items():
            if name.endswith(("_low", "_high")):
                continue
            row = {"model": model.name, "metric": name, "estimate": value}
            if name in intervals:
                row |= {"low": intervals[name].low, "high": intervals[name].high} | level
            found.append(row)
    return found


def _shared_fields(result: Any) -> dict[str, Any]:
    interval = result.confidence_interval
    limits = {"low": interval.low, "high": interval.high}
    failed = "" if result.details is None else result.details.n_failed
    return limits | {"standard_error": result.standard_error, "n_failed": failed}


def _csv_of_pairs(comparison: TableComparison) -> str:
    rows = []
    test, friedman = comparison.post_hoc, comparison.friedman
    at = comparison.mean_ranks
    for pair in test:
        a, b = pair.model_a, pair.model_b
        row = (
            *(a, b, at[a], at[b], pair.difference, pair.statistic, pair.pvalue, pair.reject),
            *(pair.better or "", test.method, test.confidence_level, test.critical_difference),
            *(friedman.chi2, friedman.pvalue, is_bound(friedman.pvalue)),
            *(friedman.pvalue_method, friedman.reject),
        )
        rows.append(dict(zip(_PAIR_FIELDS, row, strict=True)))
    return csv_text(_PAIR_FIELDS, rows)
