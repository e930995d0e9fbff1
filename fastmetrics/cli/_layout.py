"""Forms of output: tables drawn by rich within a width or as Markdown, JSON, CSV."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from fastmetrics._results import ConfidenceInterval

Justify = Literal["left", "right"]

DASH = "–"
THRESHOLD_NOTE = "Best threshold: largest TPR − FPR. Positive means score ≥ threshold."
#: How weights were read, which intervals hang on.
_WEIGHTS_NOTES = {
    "importances": "Weights are importances: each row is one row, whatever its weight.",
    "frequencies": "Weights are frequencies: each row stands for so many rows.",
}
#: Decimals of a measure: enough for the narrowest interval to have two figures, within these.
FEWEST_DECIMALS, _MOST_DECIMALS = 4, 6
#: Width of a table that nobody's terminal limits.
_PIPED_WIDTH = 100
_NARROWEST = 40


def weights_notes(weights_are: str | None) -> list[str]:
    """Return a caption that says how weights were read; none where there are none."""
    return [] if weights_are is None else [_WEIGHTS_NOTES[weights_are]]


def short(value: int | float) -> str:
    """Return a number for a table, in a few digits."""
    return f"{value:,}" if isinstance(value, int) else f"{value:.5g}"


def decimals_of(intervals: Iterable[ConfidenceInterval]) -> int:
    """Return how many decimals show the narrowest interval to two figures."""
    widths = [interval.high - interval.low for interval in intervals]
    needed = [1 - math.floor(math.log10(width / 2)) for width in widths if 0 < width < math.inf]
    return max([FEWEST_DECIMALS, *(min(decimals, _MOST_DECIMALS) for decimals in needed)])


def json_text(content: Any) -> str:
    """Return the value as JSON; what it has no number for (nan, infinities) is null."""
    return json.dumps(_without_nan(content), indent=2, allow_nan=False) + "\n"


def _without_nan(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_nan(item) for item in value]
    return value


def csv_text(fields: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as CSV below a head of the fields; one that a row lacks is left empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fields, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def printed(layout: Callable[[int], list[Any]], title: str, captions: Sequence[str]) -> str:
    """Return the text of tables with a title above and captions below.

    Parameters
    ----------
    layout : callable
        The width of the terminal to rich tables.
    title : str
        Above the tables.
    captions : sequence of str
        Below them.
    """
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, emoji=False)
    if not console.is_terminal:
        console = Console(highlight=False, emoji=False, width=_PIPED_WIDTH)
    with console.capture() as capture:
        if title:
            console.print(Text(title, style="bold"))
        for table in layout(max(console.width, _NARROWEST)):
            console.print()
            console.print(table)
        console.print()
        for caption in captions:
            console.print(Text(caption, style="dim"))
    # Padding at the ends of lines only gets in the way of those who copy or compare.
    return "".join(line.rstrip(" ") + "\n" for line in capture.get().strip("\n").splitlines())


def column_blocks(
    heads: list[str], columns: list[list[str]], width: int, *, justify: Justify = "right"
) -> list[Any]:
    """Return tables with the heads at their left, and as many of the columns as fit into each."""
    room = width - max(len(head) for head in heads) - 2
    widest = max(len(line) for column in columns for cell in column for line in cell.split("\n"))
    per_table = max(1, room // (widest + 2))
    tables = []
    for start in range(0, len(columns), per_table):
        block = columns[start : start + per_table]
        down = [list(line) for line in zip(heads, *block, strict=True)]
        tables.append(rich_table(down[0], down[1:], justify=justify))
    return tables


def table_width(heads: list[str], rows: list[list[str]]) -> int:
    """Return the width of the table as drawn: the widest cell of each column and its padding."""
    from rich.cells import cell_len

    columns = zip(*([heads, *rows]), strict=True)
    widest = [max(cell_len(line) for cell in c for line in cell.split("\n")) for c in columns]
    return sum(widest) + 2 * len(widest)


def rich_table(
    heads: list[str], rows: list[list[str]], *, justify: Justify = "right", rigid: bool = False
) -> Any:
    """Return a table whose columns but the first are justified to a side; rigid ones never fold."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    for position, head in enumerate(heads):
        # Text, not str: a column name in square brackets is no markup.
        table.add_column(
            Text(head, style="bold"),
            justify=justify if position else "left",
            vertical="bottom" if justify == "right" else "top",
            overflow="fold",
            no_wrap=rigid and position > 0,
        )
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table


def markdown_table(heads: list[str], rows: list[list[str]], *, align: str) -> str:
    """Return a table in Markdown; ``align`` is that of the columns but the first."""
    lines = [heads, ["---", *[align] * (len(heads) - 1)], *rows]
    return "".join("| " + " | ".join(map(_escaped, line)) + " |\n" for line in lines)


def _escaped(cell: str) -> str:
    return " ".join(cell.replace("\\", "\\\\").replace("|", "\\|").split())
