"""A description drawn: as text within a width, and as HTML."""

from __future__ import annotations

import html
import itertools
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

from fastmetrics._display.grid import Column, Grid, grid
from fastmetrics._display.table import Display

#: Of what is printed; the command line knows its terminal.
WIDTH: Final = 100
_GAP: Final = "  "


def as_text(shown: Display, *, width: int = WIDTH) -> str:
    """Return the text of a display: no line is wider, and none ends in spaces."""
    parts: list[list[str]] = []
    for caption, drawn in _grids(shown):
        above = [line for text in caption for line in folded(text, width)]
        space = [""] if drawn.has_heads and caption == (shown.title,) else []
        parts.append([*above, *space, *_lines(drawn, width)])
    parts.append([line for note in shown.notes for line in folded(note, width)])
    return "\n\n".join("\n".join(part) for part in parts if part)


def as_html(shown: Display) -> str:
    """Return the tables of a display, figures aligned; the title is the caption of the first."""
    notes = (_CODE.sub(r"<code>\1</code>", html.escape(note)) for note in shown.notes if note)
    texts = (f"<p>{note}</p>".replace("\n", "<br>") for note in notes)
    inside = [*tables_as_html(shown), *texts]
    return "".join([f'<div class="fastmetrics"><style>{_STYLE}</style>', *inside, "</div>"])


def tables_as_html(shown: Display) -> list[str]:
    """Return the tables of a display as HTML without a style; ``r`` is the class of figures."""
    return [_html(each, ": ".join(caption)) for caption, each in _grids(shown)]


#: Spaces before figures align them at the point, as in text; intervals and notes step back.
_STYLE: Final = (
    ".fastmetrics td, .fastmetrics th {white-space: pre; font-variant-numeric: tabular-nums; "
    "text-align: left; padding: .1em .9em .1em 0} .fastmetrics table {margin: 0 0 .8em} "
    ".fastmetrics thead th {border-bottom: 1px solid} .fastmetrics .r {text-align: right} "
    ".fastmetrics small {font-size: 1em; opacity: .65} "
    ".fastmetrics caption {text-align: left; font-weight: bold} "
    ".fastmetrics p {max-width: 50em; margin: .3em 0}"
)
_CODE: Final = re.compile(r"`([^`\n]+)`")
_LIMITS: Final = re.compile(r"(?<= )(\[[^\[\]]+\])$")


def _grids(shown: Display) -> list[tuple[tuple[str, ...], Grid]]:
    """Return the tables that hold something, with what stands above: above the first the title."""
    first, *others = shown.tables
    titled = [(shown.title, first), *(("", table) for table in others if len(table))]
    return [(tuple(filter(None, (title, each.caption))), grid(each)) for title, each in titled]


def _html(drawn: Grid, caption: str) -> str:
    above = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    sides = [column.is_left for column in drawn.columns]
    head = f"<thead>{_html_row('th', drawn.heads, sides)}</thead>" if drawn.heads else ""
    first = "td" if any(drawn.heads[:1]) else "th"
    body = "".join(_html_row("td", row, sides, first) for row in drawn.rows)
    more = f"<p>{html.escape(drawn.more)}</p>" if drawn.more else ""
    return f"<table>{above}{head}<tbody>{body}</tbody></table>{more}"


def _html_row(tag: str, cells: Iterable[str], sides: Iterable[bool], first: str = "") -> str:
    tags = itertools.chain([first or tag], itertools.repeat(tag))
    inside = []
    for cell, own, is_left in zip(cells, tags, sides, strict=False):
        text = _LIMITS.sub(r"<small>\1</small>", html.escape(cell))
        side = "" if is_left else ' class="r"'
        inside.append(f"<{own}{side}>{text}</{own}>")
    return f"<tr>{''.join(inside)}</tr>"


def _lines(drawn: Grid, width: int) -> Iterator[str]:
    """Yield the lines of a grid: as many columns as fit, below them the others, each with keys."""
    columns = drawn.columns
    widths = _widths(columns, width)
    while columns:
        totals = itertools.accumulate(each + len(_GAP) for each in widths)
        n = max(2, sum(total <= width + len(_GAP) for total in totals))
        yield from _block(columns[:n], widths[:n], drawn.has_heads)
        if not columns[n:]:
            break
        yield ""
        columns, widths = [columns[0], *columns[n:]], [widths[0], *widths[n:]]
    if drawn.more:
        yield drawn.more


def _widths(columns: list[Column], width: int) -> list[int]:
    """Return the widths of columns: of their texts, or less where these can be folded."""
    widths = [max(map(cell_width, (column.head, *column.cells))) for column in columns]
    least = []
    for column in columns:
        folds = (column.head, *column.cells) if column.is_left else (column.head,)
        words = (cell_width(word) for text in folds for word in text.split(" "))
        whole = () if column.is_left else map(cell_width, column.cells)
        # A word may be broken where it would leave no room for another column.
        least.append(max([min(max(words), (width - len(_GAP)) // 2), *whole]))
    slack = [a - b for a, b in zip(widths, least, strict=True)]
    for most in sorted(set(slack), reverse=True):
        alike = [at for at, each in enumerate(slack) if each == most]
        excess = sum(widths) + len(_GAP) * (len(widths) - 1) - width
        for at in alike:
            widths[at] -= max(0, min(math.ceil(excess / len(alike)), most))
    return widths


def _block(columns: list[Column], widths: list[int], has_heads: bool) -> Iterator[str]:
    sides = [column.is_left for column in columns]
    if has_heads:
        yield from _row((column.head for column in columns), widths, sides)
    yield "─" * (sum(widths) + len(_GAP) * (len(widths) - 1))
    for cells in zip(*(column.cells for column in columns), strict=True):
        yield from _row(cells, widths, sides)


def _row(cells: Iterable[str], widths: list[int], sides: list[bool]) -> Iterator[str]:
    """Yield the lines of a row, of which a folded cell has several."""
    parts = [folded(cell, width) for cell, width in zip(cells, widths, strict=True)]
    for texts in itertools.zip_longest(*parts, fillvalue=""):
        filled = []
        for text, width, is_left in zip(texts, widths, sides, strict=True):
            padding = " " * (width - cell_width(text))
            filled.append(text + padding if is_left else padding + text)
        yield _GAP.join(filled).rstrip()


def cell_width(text: str) -> int:
    """Return how many places of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def folded(text: str, width: int) -> list[str]:
    """Return lines no wider than that, broken between words, or within one that is too long."""
    if "\n" in text:
        return [line for part in text.split("\n") for line in folded(part, width)]
    if cell_width(text) <= width:
        return [text.replace("\N{NO-BREAK SPACE}", " ")]
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if cell_width(longer) <= width:
            lines[-1] = longer
            continue
        lines.append("")
        for character in word:
            if cell_width(lines[-1] + character) > width:
                lines.append("")
            lines[-1] += character
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines if line] or [""]
