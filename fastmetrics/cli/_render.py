"""An evaluation as a table, JSON, CSV or Markdown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from fastmetrics.cli._layout import (
    DASH,
    THRESHOLD_NOTE,
    column_blocks,
    csv_text,
    decimals_of,
    json_text,
    markdown_table,
    printed,
    rich_table,
    short,
    table_width,
    weights_notes,
)
from fastmetrics.cli._render_costs import (
    FIELDS,
    NOTE,
    cost_heads,
    cost_layout,
    cost_rows,
    csv_fields,
    has_costs,
)
from fastmetrics.cli._render_intervals import render_intervals
from fastmetrics.report import Evaluation, ModelEvaluation

_BROKEN = {
    "average precision": "average\nprecision",
    "break-even point": "break-\neven",
    "best threshold": "best\nthreshold",
}

_CSV_FIELDS = (
    *("model", "n_positive", "n_negative", "roc_auc", "roc_auc_low", "roc_auc_high"),
    "interval_method",
    *("average_precision", "break_even_point", "ks_statistic", "threshold"),
    *("true_positive_rate", "false_positive_rate", "weights_are", "note"),
)


def require_renderer(output_format: str) -> None:
    """Raise an ImportError that helps, before any work, if the table cannot be drawn."""
    if output_format != "table":
        return
    try:
        import rich  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "--format table needs rich: pip install 'fastmetrics-eval[cli,io]' "
            "(or choose --format json, csv or markdown)"
        ) from error


def render(
    evaluation: Evaluation,
    output_format: str,
    *,
    title: str = "",
    captions: Sequence[str] = (),
    counts: dict[str, int] | None = None,
) -> str:
    """Return the whole output as text that ends in a line break.

    Parameters
    ----------
    evaluation : Evaluation
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
        return json_text({**(counts or {}), **evaluation.to_dict()})
    if evaluation.bootstrap is not None:
        return render_intervals(evaluation, output_format, title=title, captions=captions)
    if output_format == "csv":
        return _csv(evaluation)
    if output_format == "markdown":
        tables = [markdown_table(_heads(evaluation), _rows(evaluation), align="---:")]
        if has_costs(evaluation):
            tables.append(
                markdown_table(cost_heads(evaluation), cost_rows(evaluation), align="---:")
            )
        return "\n".join([*tables, *(f"{caption}\n" for caption in _captions(evaluation))])
    return _table(evaluation, title, captions)


def _csv(evaluation: Evaluation) -> str:
    lines = []
    for model in evaluation:
        interval = model.confidence_interval
        limits = {"roc_auc_low": interval.low, "roc_auc_high": interval.high}
        fields = {"model": model.name, **limits, **model.to_dict()}
        fields["weights_are"] = evaluation.weights_are or ""
        row = {name: fields[name] for name in _CSV_FIELDS}
        lines.append(row if model.costs is None else row | csv_fields(model.costs))
    columns = (*_CSV_FIELDS, *FIELDS) if has_costs(evaluation) else _CSV_FIELDS
    return csv_text(columns, lines)


def _heads(evaluation: Evaluation) -> list[str]:
    level = f"{100 * evaluation.confidence_level:.6g} %"
    return [
        *("model", "n+", "n−", "AUC", f"{level} interval", "average precision"),
        *("break-even point", "KS", "best threshold", "TPR", "FPR"),
    ]


def _cells(model: ModelEvaluation, decimals: int) -> list[str]:
    def number(value: float) -> str:
        return DASH if math.isnan(value) else f"{value:.{decimals}f}"

    interval = model.confidence_interval
    limits = DASH if math.isnan(interval.low) else f"{number(interval.low)}–{number(interval.high)}"
    threshold = DASH if math.isnan(model.threshold) else short(model.threshold)
    return [
        model.name,
        short(model.n_positive),
        short(model.n_negative),
        number(model.roc_auc),
        limits,
        number(model.average_precision),
        number(model.break_even_point),
        number(model.ks_statistic),
        threshold,
        number(model.true_positive_rate),
        number(model.false_positive_rate),
    ]


def _rows(evaluation: Evaluation) -> list[list[str]]:
    decimals = decimals_of(model.confidence_interval for model in evaluation)
    return [_cells(model, decimals) for model in evaluation]


def _table(evaluation: Evaluation, title: str, captions: Sequence[str]) -> str:
    def layout(width: int) -> list[Any]:
        tables = _layout(_heads(evaluation), _rows(evaluation), width)
        return tables + cost_layout(evaluation, width) if has_costs(evaluation) else tables

    return printed(layout, title, (*captions, *_captions(evaluation), THRESHOLD_NOTE))


def _captions(evaluation: Evaluation) -> list[str]:
    """Return which interval the AUC of each model has, and how weights were read."""
    of_method: dict[str, list[str]] = {}
    for model in evaluation:
        if model.interval_method:
            of_method.setdefault(model.interval_method, []).append(model.name)
    captions = weights_notes(evaluation.weights_are)
    if of_method:
        methods = [
            method if len(of_method) == 1 else f"{method} ({', '.join(names)})"
            for method, names in of_method.items()
        ]
        captions.insert(0, f"Interval of the AUC: {'; '.join(methods)}.")
    if has_costs(evaluation):
        captions.append(NOTE)
    return captions


def _layout(heads: list[str], rows: list[list[str]], width: int) -> list[Any]:
    """Return one table with a row a model or, where that is too wide, a column a model."""
    short = [_BROKEN.get(head, head) for head in heads]
    if table_width(short, rows) <= width:
        return [rich_table(short, rows)]
    down = [list(line) for line in zip(heads, *rows, strict=True)]
    return column_blocks(down[0], down[1:], width)
