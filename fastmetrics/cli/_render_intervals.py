"""An evaluation with bootstrap intervals: a row a measure, a column a model, then differences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from fastmetrics._results import ConfidenceInterval
from fastmetrics.cli._layout import (
    DASH,
    FEWEST_DECIMALS,
    THRESHOLD_NOTE,
    column_blocks,
    csv_text,
    decimals_of,
    markdown_table,
    printed,
    rich_table,
    short,
    table_width,
    weights_notes,
)
from fastmetrics.cli._render_costs import (
    NOTE,
    cost_heads,
    cost_layout,
    cost_rows,
    csv_rows,
    has_costs,
)
from fastmetrics.intervals.bootstrap.bootstrap import BootstrapResult
from fastmetrics.intervals.bootstrap.paired_bootstrap import PairedDifference
from fastmetrics.report import Evaluation, EvaluationBootstrap, ModelEvaluation

#: More rows of differences than this are for a program to read.
_MOST_DIFFERENCES = 30
#: What a row of the table is called, the field of the model, and the measure of the bootstrap.
_ROWS = (
    ("n+", "n_positive", ""),
    ("n−", "n_negative", ""),
    ("AUC", "roc_auc", "roc_auc"),
    ("average precision", "average_precision", "average_precision"),
    ("break-even point", "break_even_point", "break_even_point"),
    ("KS", "ks_statistic", "ks_statistic"),
    ("best threshold", "threshold", ""),
    ("TPR at it", "true_positive_rate", "tpr_at_best_threshold"),
    ("FPR at it", "false_positive_rate", "fpr_at_best_threshold"),
)
_NAMES = {metric: name for name, _, metric in _ROWS if metric}
_NAMES |= {"tpr_at_best_threshold": "TPR at the best threshold"}
_NAMES |= {"fpr_at_best_threshold": "FPR at the best threshold"}

_METHODS = {"bca": "BCa"}

_CSV_FIELDS = (
    *("model", "minus_model", "metric", "estimate", "low", "high", "standard_error", "bias"),
    *("pvalue", "pvalue_holm", "n_failed", "confidence_level", "method", "n_resamples"),
    *("stratified", "n_groups", "threshold", "key", "weights_are", "note"),
)


def render_intervals(
    evaluation: Evaluation, output_format: str, *, title: str, captions: Sequence[str]
) -> str:
    """Return the whole output as text: see `render`."""
    bootstrap = evaluation.bootstrap
    if bootstrap is None:
        raise TypeError("an evaluation without a bootstrap has another form")
    if output_format == "csv":
        return _csv(evaluation, bootstrap)
    captions = (*captions, *_captions(evaluation, bootstrap))
    if output_format == "markdown":
        return _markdown(evaluation, captions)
    return printed(lambda width: _tables(evaluation, width), title, captions)


def _csv(evaluation: Evaluation, bootstrap: EvaluationBootstrap) -> str:
    """Return a row for each number: counts and thresholds, measures, differences."""
    rows = []
    plan = bootstrap.to_dict() | {"confidence_level": evaluation.confidence_level}
    plan["method"] = plan.pop("method_of_differences")
    plan["n_groups"] = "" if bootstrap.n_groups is None else bootstrap.n_groups
    plan["weights_are"] = evaluation.weights_are or ""
    plan["threshold"] = "" if bootstrap.threshold is None else bootstrap.threshold
    for model in evaluation:
        for _, field, metric in _ROWS:
            if metric not in _results(model):
                row = {"model": model.name, "metric": field, "estimate": getattr(model, field)}
                rows.append(row | {"note": model.note})
        for metric, result in _results(model).items():
            row = {"model": model.name, "metric": metric, "estimate": result.estimate}
            row |= _shared_fields(result) | {"bias": result.bias, "note": model.note}
            row["method"] = result.method
            rows.append(plan | row)
    rows += csv_rows(evaluation)
    for metric, pairs in (evaluation.differences or {}).items():
        for pair in pairs:
            row = {"model": pair.model_a, "minus_model": pair.model_b, "metric": metric}
            row |= {"estimate": pair.difference, "pvalue": pair.pvalue}
            row |= _shared_fields(pair) | {"pvalue_holm": pair.pvalue_holm}
            rows.append(plan | row)
    return csv_text(_CSV_FIELDS, rows)


def _shared_fields(result: BootstrapResult | PairedDifference) -> dict[str, Any]:
    interval = result.confidence_interval
    limits = {"low": interval.low, "high": interval.high}
    return limits | {"standard_error": result.standard_error, "n_failed": result.n_failed}


def _markdown(evaluation: Evaluation, captions: Sequence[str]) -> str:
    labels, columns = _measures(evaluation, " ")
    down = [list(line) for line in zip(labels, *columns, strict=True)]
    parts = [markdown_table(down[0], down[1:], align=":---")]
    shown = _shown(evaluation)
    if shown:
        heads = ["measure", "difference", _estimate_head(evaluation, " "), "p", "p (Holm)"]
        rows = [
            [_NAMES.get(metric, metric), *_pair_cells(pair, pairs, " ")]
            for metric, pairs in shown.items()
            for pair in pairs
        ]
        parts.append(markdown_table(heads, rows, align=":---"))
    if has_costs(evaluation):
        costs = cost_heads(evaluation), cost_rows(evaluation)
        parts.append(markdown_table(*costs, align=":---"))
    return "\n".join([*parts, *(f"{caption}\n" for caption in captions)])


def _tables(evaluation: Evaluation, width: int) -> list[Any]:
    """Return the measures, then the differences, both within the width if that can be done."""
    labels, columns = _measures(evaluation, " ")
    down = [list(line) for line in zip(labels, *columns, strict=True)]
    if table_width(down[0], down[1:]) > width:
        labels, columns = _measures(evaluation, "\n")
    tables = column_blocks(labels, columns, width, justify="left")
    rows = _differences(evaluation, " ")
    if rows and table_width(rows[0], rows[1:]) > width:
        rows = _differences(evaluation, "\n")
    if rows:
        tables.append(rich_table(rows[0], rows[1:], justify="left", rigid=True))
    return tables + cost_layout(evaluation, width) if has_costs(evaluation) else tables


def _measures(evaluation: Evaluation, between: str) -> tuple[list[str], list[list[str]]]:
    """Return the labels of the rows, and a column a model, each with its head."""
    labels = ["", *(label for label, _, _ in _ROWS), *_further(evaluation)]
    columns = []
    for model in evaluation:
        cells = [_cell(evaluation, model, field, metric, between) for _, field, metric in _ROWS]
        cells += [_interval_cell(evaluation, model, m, between) for m in _further(evaluation)]
        columns.append([model.name, *cells])
    return labels, columns


def _results(model: ModelEvaluation) -> Mapping[str, BootstrapResult]:
    return model.bootstrap if model.bootstrap is not None else {}


def _further(evaluation: Evaluation) -> list[str]:
    """Return the measures that are not of the table."""
    return [metric for metric in _results(evaluation[0]) if metric not in _NAMES]


def _cell(
    evaluation: Evaluation, model: ModelEvaluation, field: str, metric: str, between: str
) -> str:
    if metric in _results(model):
        return _interval_cell(evaluation, model, metric, between)
    value = getattr(model, field)
    if isinstance(value, int) or field in ("n_positive", "n_negative", "threshold"):
        return short(value)
    return _number(value, FEWEST_DECIMALS)


def _interval_cell(
    evaluation: Evaluation, model: ModelEvaluation, metric: str, between: str
) -> str:
    intervals = [_results(model)[metric].confidence_interval for model in evaluation]
    decimals = decimals_of(intervals)
    result = _results(model)[metric]
    return _with_limits(result.estimate, result.confidence_interval, decimals, between)


def _with_limits(value: float, interval: ConfidenceInterval, decimals: int, between: str) -> str:
    limits = f"{_number(interval.low, decimals)}, {_number(interval.high, decimals)}"
    return f"{_number(value, decimals)}{between}[{limits}]"


def _number(value: float, decimals: int) -> str:
    if math.isnan(value):
        return DASH
    return f"{value:.{decimals}f}".replace("-", "−")


def _differences(evaluation: Evaluation, between: str) -> list[list[str]]:
    """Return the rows of differences, the head first; none where there is one model."""
    shown = _shown(evaluation)
    if not shown:
        return []
    one_pair = len(shown["roc_auc"]) == 1
    head = _pair_name(shown["roc_auc"][0]) if one_pair else "difference"
    rows = [[head, _estimate_head(evaluation, between), "p", "p (Holm)"]]
    for metric, pairs in shown.items():
        name = _NAMES.get(metric, metric)
        if not one_pair:
            rows.append([name, "", "", ""])
        for pair in pairs:
            label, *cells = _pair_cells(pair, pairs, between)
            rows.append([name if one_pair else f"  {label}", *cells])
    if any(row[1].startswith("−") for row in rows):
        rows[1:] = [[row[0], _room_for_sign(row[1]), *row[2:]] for row in rows[1:]]
    return [row[:3] for row in rows] if one_pair else rows


def _estimate_head(evaluation: Evaluation, between: str) -> str:
    return f"estimate{between}[{100 * evaluation.confidence_level:.6g} % interval]"


def _pair_cells(
    pair: PairedDifference, pairs: Sequence[PairedDifference], between: str
) -> list[str]:
    """Return a pair's name, difference and p-values; all pairs have the same decimals."""
    decimals = decimals_of([other.confidence_interval for other in pairs])
    estimate = _with_limits(pair.difference, pair.confidence_interval, decimals, between)
    return [_pair_name(pair), estimate, _p(pair.pvalue), _p(pair.pvalue_holm)]


def _pair_name(pair: PairedDifference) -> str:
    return f"{pair.model_a} − {pair.model_b}"


def _room_for_sign(text: str) -> str:
    return text if text.startswith("−") else f" {text}"


def _shown(evaluation: Evaluation) -> dict[str, tuple[PairedDifference, ...]]:
    """Return the differences of every measure or, where these are many, of the AUC alone."""
    differences = dict(evaluation.differences or {})
    if sum(map(len, differences.values())) > _MOST_DIFFERENCES:
        return {"roc_auc": differences["roc_auc"]}
    return differences


def _p(value: float) -> str:
    if math.isnan(value):
        return DASH
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"


def _bootstraps(evaluation: Evaluation) -> str:
    """Return the method of the intervals and, where it is not that of all, whose is another."""
    of_method: dict[str, list[str]] = {}
    for model in evaluation:
        for metric, result in _results(model).items():
            labels = of_method.setdefault(result.method, [])
            label = _NAMES.get(metric, metric)
            if label not in labels:
                labels.append(label)
    (first, _), *others = sorted(of_method.items(), key=lambda item: -len(item[1]))
    text = f"{_METHODS.get(first, first)} bootstrap"
    for method, labels in others:
        text += f" ({_METHODS.get(method, method)}: {', '.join(labels)})"
    return text


def _captions(evaluation: Evaluation, bootstrap: EvaluationBootstrap) -> list[str]:
    level = f"{100 * evaluation.confidence_level:.6g} %"
    drawn = "rows"
    if bootstrap.n_groups is not None:
        drawn = f"whole groups, of which there are {bootstrap.n_groups:,}"
    elif bootstrap.stratified:
        drawn = "rows of each class by themselves"
    captions = [
        f"[{level} interval]: {_bootstraps(evaluation)}, {bootstrap.n_resamples:,} resamples of "
        f"{drawn}; --seed {bootstrap.key} draws them again.",
        *weights_notes(evaluation.weights_are),
        THRESHOLD_NOTE,
    ]
    metrics = _results(evaluation[0])
    if "tpr_at_best_threshold" in metrics or "fpr_at_best_threshold" in metrics:
        captions[-1] += " Each resample chooses its own."
    if has_costs(evaluation):
        captions.append(NOTE)
    if bootstrap.threshold is not None:
        captions.append(f"Measures of counts: positive means score ≥ {bootstrap.threshold:g}.")
    failed = max(r.n_failed for m in evaluation for r in _results(m).values())
    if failed:
        captions.append(
            f"Left out: up to {failed:,} resamples in which a measure is undefined, as without one "
            "of the classes."
        )
    if evaluation.differences is not None:
        n_pairs = len(evaluation.differences["roc_auc"])
        adjusted = f"; p (Holm) is adjusted for the {n_pairs} pairs" if n_pairs > 1 else ""
        method = bootstrap.method_of_differences or ""
        method = _METHODS.get(method, method)
        captions.append(
            f"Differences: {method} intervals, on the same resamples; p of no difference{adjusted}."
        )
        if len(_shown(evaluation)) < len(evaluation.differences):
            captions.append("Those of the other measures: --format json or csv.")
    return captions
