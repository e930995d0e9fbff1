"""An evaluation as a table, JSON, CSV or Markdown."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from typing import Any

from fastmetrics.report import Evaluation, ModelEvaluation

_DASH = "–"
#: Decimals of the printed measures: enough for the interval to have two figures, within these.
_FEWEST, _MOST = 4, 6
_THRESHOLD_NOTE = "Best threshold: largest TPR − FPR. Positive means score ≥ threshold."
_BROKEN = {
    "average precision": "average\nprecision",
    "break-even point": "break-\neven",
    "best threshold": "best\nthreshold",
}
#: Width of a table that nobody's terminal limits.
_PIPED_WIDTH = 100
_NARROWEST = 40

_CSV_FIELDS = (
    *("model", "n_positive", "n_negative", "roc_auc", "roc_auc_low", "roc_auc_high"),
    *("average_precision", "break_even_point", "ks_statistic", "threshold"),
    *("true_positive_rate", "false_positive_rate", "note"),
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
        return _json(evaluation, counts or {})
    if output_format == "csv":
        return _csv(evaluation)
    if output_format == "markdown":
        return _markdown(evaluation)
    return _table(evaluation, title, captions)


def _json(evaluation: Evaluation, counts: dict[str, int]) -> str:
    content = {**counts, **evaluation.to_dict()}
    return json.dumps(_without_nan(content), indent=2, allow_nan=False) + "\n"


def _without_nan(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_nan(item) for item in value]
    return value


def _csv(evaluation: Evaluation) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_CSV_FIELDS)
    for model in evaluation:
        fields = model.to_dict()
        interval = fields.pop("confidence_interval")
        fields |= {"model": model.name, "roc_auc_low": interval["low"]}
        fields |= {"roc_auc_high": interval["high"]}
        writer.writerow([fields[name] for name in _CSV_FIELDS])
    return text.getvalue()


def _heads(evaluation: Evaluation) -> list[str]:
    level = f"{100 * evaluation.confidence_level:.6g} %"
    return [
        *("model", "n+", "n−", "AUC", f"{level} interval", "average precision"),
        *("break-even point", "KS", "best threshold", "TPR", "FPR"),
    ]


def _cells(model: ModelEvaluation, decimals: int) -> list[str]:
    def number(value: float) -> str:
        return _DASH if math.isnan(value) else f"{value:.{decimals}f}"

    interval = model.confidence_interval
    limits = (
        _DASH if math.isnan(interval.low) else f"{number(interval.low)}–{number(interval.high)}"
    )
    threshold = _DASH if math.isnan(model.threshold) else _short(model.threshold)
    return [
        model.name,
        _short(model.n_positive),
        _short(model.n_negative),
        number(model.roc_auc),
        limits,
        number(model.average_precision),
        number(model.break_even_point),
        number(model.ks_statistic),
        threshold,
        number(model.true_positive_rate),
        number(model.false_positive_rate),
    ]


def _short(value: int | float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.5g}"


def _decimals(evaluation: Evaluation) -> int:
    """Return how many decimals show the narrowest interval to two figures."""
    widths = [m.confidence_interval.high - m.confidence_interval.low for m in evaluation]
    needed = [1 - math.floor(math.log10(width / 2)) for width in widths if width > 0]
    return max([_FEWEST, *(min(decimals, _MOST) for decimals in needed)])


def _markdown(evaluation: Evaluation) -> str:
    heads = _heads(evaluation)
    rows = [_cells(model, _decimals(evaluation)) for model in evaluation]
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "".join("| " + " | ".join(map(_escaped, line)) + " |\n" for line in lines)


def _escaped(cell: str) -> str:
    return " ".join(cell.replace("\\", "\\\\").replace("|", "\\|").split())


def _table(evaluation: Evaluation, title: str, captions: Sequence[str]) -> str:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, emoji=False)
    if not console.is_terminal:
        console = Console(highlight=False, emoji=False, width=_PIPED_WIDTH)
    decimals = _decimals(evaluation)
    rows = [_cells(model, decimals) for model in evaluation]
    with console.capture() as capture:
        if title:
            console.print(Text(title, style="bold"))
        for table in _layout(_heads(evaluation), rows, max(console.width, _NARROWEST)):
            console.print()
            console.print(table)
        console.print()
        for caption in (*captions, _THRESHOLD_NOTE):
            console.print(Text(caption, style="dim"))
    # Padding at the ends of lines only gets in the way of those who copy or compare.
    return "".join(line.rstrip(" ") + "\n" for line in capture.get().strip("\n").splitlines())


def _layout(heads: list[str], rows: list[list[str]], width: int) -> list[Any]:
    """Return one table with a row a model or, where that is too wide, a column a model."""
    short = [_BROKEN.get(head, head) for head in heads]
    across = _rich_table(short, rows)
    if _width(short, rows) <= width:
        return [across]
    names = max(len(head) for head in heads)
    room = width - names - 2
    per_table = max(1, room // (max(len(cell) for row in rows for cell in row) + 2))
    tables = []
    for start in range(0, len(rows), per_table):
        block = rows[start : start + per_table]
        down = [list(line) for line in zip(heads, *block, strict=True)]
        tables.append(_rich_table(down[0], down[1:]))
    return tables


def _width(heads: list[str], rows: list[list[str]]) -> int:
    """Return the width of the table as drawn: the widest cell of each column and its padding."""
    from rich.cells import cell_len

    columns = zip(*([heads, *rows]), strict=True)
    widest = [max(cell_len(line) for cell in c for line in cell.split("\n")) for c in columns]
    return sum(widest) + 2 * len(widest)


def _rich_table(heads: list[str], rows: list[list[str]]) -> Any:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    for position, head in enumerate(heads):
        # Text, not str: a column name in square brackets is no markup.
        table.add_column(
            Text(head, style="bold"),
            justify="right" if position else "left",
            vertical="bottom",
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table
