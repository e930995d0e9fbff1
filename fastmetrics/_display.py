"""``Table`` and ``Display`` describe a result; text, HTML and data frames derive from them.

A subclass of ``Shown`` returns its description; nothing here knows a result. May import errors.
"""

from __future__ import annotations

import html
import itertools
import math
import re
import sys
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from itertools import pairwise
from typing import Any, ClassVar, Final, Literal, NamedTuple

import numpy as np

from fastmetrics._number_text import (
    DASH,
    Limits,
    MonteCarloPValue,
    common_decimals,
    is_bound,
    limits,
    number,
    percent_text,
    pvalue,
    threshold,
    value_text,
)
from fastmetrics.errors import InputError

#: Names of columns and metrics for readers; others have theirs without underscores.
_WORDS: Final = {
    "n_failed": "failed",
    "n_negative": "n−",
    "n_positive": "n+",
    "pvalue": "p",
    "pvalue_adjusted": "p adjusted",
    "roc_auc": "AUC",
}


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of values as they are: whoever draws them decides on digits.

    Attributes
    ----------
    columns : mapping of str to sequence
        Some names mean something: a "confidence_interval" is of "estimate" or "difference"; each
        "metric" has digits of its own; a "model" less a "minus_model" is one cell.
    words : mapping of str to str
        What readers call columns, and the texts of the first one.
    level : float or None
        Confidence level of the intervals.
    across : str
        A column whose values are heads: a row for each value of the first column, none cut.
    is_record : bool
        One row, printed downwards: a name and a value a line.
    most : int
        Rows beyond this number are cut, and counted.
    unseen : tuple of str
        Columns for the data frame alone.
    explained : tuple of str
        Columns that `explain` adds to what is printed.
    chosen : sequence of int or None
        Rows that are printed, `explain` adds the others; None prints all.
    framed : bool
        The rows are part of the data frame.
    """

    columns: Mapping[str, Any]
    caption: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    level: float | None = None
    across: str = ""
    is_record: bool = False
    most: int = 30
    unseen: tuple[str, ...] = ()
    explained: tuple[str, ...] = ()
    chosen: Sequence[int] | None = None
    framed: bool = True

    @classmethod
    def record(cls, values: Mapping[str, Any], **options: Any) -> Table:
        """Return a table of single values."""
        return cls({name: (value,) for name, value in values.items()}, is_record=True, **options)

    @classmethod
    def of(cls, items: Iterable[Any], names: Iterable[str], **options: Any) -> Table:
        """Return a table with a row for each object, of these attributes."""
        items = tuple(items)
        return cls({name: [getattr(item, name) for item in items] for name in names}, **options)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def head(self, name: str) -> str:
        """Return the heading of a column."""
        return self.words.get(name, _WORDS.get(name, name.replace("_", " ")))

    def owner(self) -> str:
        """Return the column that the confidence intervals are of; empty if there are none."""
        known = [name for name in ("estimate", "difference") if name in self.columns]
        return known[0] if known and "confidence_interval" in self.columns else ""


@dataclass(frozen=True, slots=True)
class Display:
    """Describe a result: answer, title, tables, notes; backticks enclose code in sentences.

    Attributes
    ----------
    tables : sequence of Table
    title : str
        Above the first table.
    notes : sequence of str
        Below the tables, the most important first.
    answer : sequence of str
        Above the tables: sentences that no table says.
    more : sequence of str
        Sentences for `explain` alone.
    """

    tables: Sequence[Table]
    title: str = ""
    notes: Sequence[str] = ()
    answer: Sequence[str] = ()
    more: Sequence[str] = ()

    def __post_init__(self) -> None:
        for name in ("notes", "answer", "more"):
            object.__setattr__(self, name, [text for text in getattr(self, name) if text])


#: Lines that are printed above the tables, and below them.
_MOST_ABOVE: Final = 3
_MOST_BELOW: Final = 4


def split(display: Display) -> tuple[Display, Display]:
    """Split a display: printed by default, and the tables and sentences that `explain` adds."""
    tables = [_chosen_rows(table) for table in display.tables]
    pairs = zip(display.tables, tables, strict=True)
    longer = [table for table, short in pairs if len(short) < len(table)]
    answer, rest = _fitting(display.answer, _MOST_ABOVE)
    notes, left = _fitting([*rest, *display.notes], _MOST_BELOW)
    if left or longer or display.more:  # a line says so
        notes, left = _fitting([*rest, *display.notes], _MOST_BELOW - 1)
    short = Display(tables, display.title, notes, answer)
    return short, Display(longer, notes=[*left, *display.more])


def brief(display: Display) -> Display:
    """Return the display that is printed by default, with a note on how much `explain` adds."""
    short, rest = split(display)
    n_rows = sum(map(len, display.tables)) - sum(map(len, short.tables))
    counts = {"row": n_rows, "note": len(rest.notes)}
    added = [f"{n:,} {what}{'s' * (n > 1)}" for what, n in counts.items() if n]
    if not added:
        return short
    return replace(short, notes=[*short.notes, f"`explain()` adds {' and '.join(added)}."])


def _chosen_rows(table: Table) -> Table:
    columns = {k: each for k, each in table.columns.items() if k not in table.explained}
    if table.chosen is not None:
        columns = {k: [each[row] for row in table.chosen] for k, each in columns.items()}
    return replace(table, columns=columns, chosen=None)


def _fitting(texts: Iterable[str], most: int) -> tuple[list[str], list[str]]:
    """Return the sentences that fit on so many lines, and the others."""
    kept: list[str] = []
    left: list[str] = []
    for text in texts:
        n_lines = len(fold(text, WIDTH))
        if n_lines <= most:
            kept.append(text)
            most -= n_lines
        else:
            left.append(text)
    return kept, left


# --- tables of texts -----------------------------------------------------------------------------


#: Columns of what has a name, which may be a number.
_NAMES: Final = ("model", "name", "predicted", "true")
#: Columns of p-values that are adjusted for their number.
_ADJUSTED: Final = ("pvalue_adjusted",)


class Column(NamedTuple):
    """The texts of a column, and which of the table's it is of."""

    name: str
    head: str
    cells: list[str]
    is_left: bool


class Grid(NamedTuple):
    """Columns of texts, without heads where rows are read downwards, and a line below."""

    columns: list[Column]
    has_heads: bool = True
    more: str = ""

    @property
    def heads(self) -> list[str]:
        """The heads, empty if there are none."""
        return [column.head for column in self.columns] if self.has_heads else []

    @property
    def rows(self) -> list[list[str]]:
        """The rows below the heads."""
        return [list(row) for row in zip(*(column.cells for column in self.columns), strict=True)]


def grid(table: Table) -> Grid:
    """Return the texts of a table."""
    n = len(table) if table.across else min(len(table), table.most)
    values = {name: _first(column, n) for name, column in table.columns.items()}
    columns = list(_columns(table, values))
    if table.across:
        return Grid(_spread(table, values, columns))
    columns = _without_echo(columns, is_of_pairs="minus_model" in values)
    if table.is_record:
        heads = [column.head for column in columns]
        cells = [column.cells[0] or DASH for column in columns]
        return Grid([Column("", "", heads, True), Column("", "", cells, True)], has_heads=False)
    labels = columns[0].cells
    if columns[0].name == "metric":
        labels[1:] = ["" if label == above else label for above, label in pairwise(labels)]
    n_more = len(table) - table.most
    more = f"… {n_more:,} {'row' if n_more == 1 else 'rows'} more" if n_more > 0 else ""
    return Grid(columns, more=f"{more}: `to_frame()` has all." if more and table.framed else more)


def _first(values: Any, n: int) -> list[Any]:
    first: list[Any] = values[:n].tolist() if isinstance(values, np.ndarray) else list(values[:n])
    return [value.item() if isinstance(value, np.generic) else value for value in first]


def _columns(table: Table, values: Mapping[str, list[Any]]) -> Iterator[Column]:
    owner = table.owner()
    has_intervals = any(each is not None for each in values.get("confidence_interval", ()))
    percent = "" if table.level is None else f"{percent_text(table.level)} "
    for name, column in values.items():
        if name in ("minus_model", *table.unseen) or (name == "confidence_interval" and owner):
            continue
        head = table.head(name)
        if name == "confidence_interval":
            head = f"{percent}interval"
        if name == "model" and "minus_model" in values:
            pairs = zip(column, values["minus_model"], strict=True)
            head = table.words.get("minus_model", "difference")
            yield Column(name, head, [f"{value_text(a)} − {value_text(b)}" for a, b in pairs], True)
        elif name == owner and has_intervals:
            cells = _with_limits(column, values)
            yield Column(name, f"{head} [{percent}interval]", cells, True)
        else:
            cells = _cells(name, column, values)
            if name == next(iter(values)):
                cells = [table.words.get(str(each), cells[i]) for i, each in enumerate(column)]
            is_text = not all(isinstance(each, int | float | None) for each in column)
            yield Column(name, head, cells, is_text or _are_names(name, column))


def _without_echo(columns: list[Column], *, is_of_pairs: bool) -> list[Column]:
    """Return the columns but for those that repeat: adjusted p like p itself, and a single pair."""
    cells = {column.name: column.cells for column in columns}
    if "pvalue" in cells:
        adjusted = [name for name in _ADJUSTED if cells.get(name) == cells["pvalue"]]
        columns = [column for column in columns if column.name not in adjusted]
    first, *others = columns
    if is_of_pairs and first.name == "metric" and len(set(cells["model"])) == 1:
        others = [column for column in others if column.name != "model"]
        return [first._replace(head=cells["model"][0]), *others]
    return columns


def _kinds(values: Mapping[str, list[Any]]) -> list[tuple[Any, list[int]]]:
    """Return each metric and its rows, which share decimals."""
    n = len(next(iter(values.values()), ()))
    rows: dict[Any, list[int]] = {}
    for row, metric in enumerate(values.get("metric", [None] * n)):
        rows.setdefault(metric, []).append(row)
    return list(rows.items())


def _with_limits(column: list[Any], values: Mapping[str, list[Any]]) -> list[str]:
    """Return numbers with their intervals, the numbers one below the other."""
    firsts = [""] * len(column)
    seconds = [""] * len(column)
    for metric, rows in _kinds(values):
        around = {row: values["confidence_interval"][row] for row in rows}
        around = {row: interval for row, interval in around.items() if interval is not None}
        floats = [column[row] for row in rows if isinstance(column[row], float)]
        decimals = common_decimals(floats, around.values())
        for row in rows:
            firsts[row] = _cell(metric, column[row], decimals)
            seconds[row] = limits(around[row], decimals) if row in around else ""
    width = max(map(len, firsts), default=0) if any("−" in each for each in firsts) else 0
    return [f"{a:>{width}} {b}".rstrip() for a, b in zip(firsts, seconds, strict=True)]


def _cells(name: str, column: list[Any], values: Mapping[str, list[Any]]) -> list[str]:
    if _are_names(name, column):
        return [value_text(str(value)) for value in column]
    if name.startswith("pvalue"):
        return [pvalue(value) for value in column]
    cells = [""] * len(column)
    intervals = values.get("confidence_interval", []) if name in ("standard_error", "bias") else []
    kinds = _kinds(values)
    for metric, rows in kinds:
        around = [intervals[row] for row in rows if intervals and intervals[row] is not None]
        floats = [column[row] for row in rows if isinstance(column[row], float)]
        decimals = common_decimals(floats, around, as_are=len(kinds) == 1)
        for row in rows:
            kind = name if name == "threshold" else metric if name == "estimate" else None
            cells[row] = _cell(kind, column[row], decimals)
    return cells


def _are_names(name: str, column: list[Any]) -> bool:
    """Return whether a column is of names or of labels, which are whole if they are numbers."""
    return name in _NAMES and not any(isinstance(each, float) and each % 1 for each in column)


def _cell(kind: Any, value: Any, decimals: int) -> str:
    if kind in ("threshold", "cheapest_threshold"):
        return threshold(value)
    return number(value, decimals) if isinstance(value, float) else value_text(value)


def _spread(table: Table, values: Mapping[str, list[Any]], columns: list[Column]) -> list[Column]:
    """Return a row for each key, and a column for each value of the column that goes across."""
    keys = columns[0]
    across_texts = [value_text(str(value)) for value in values[table.across]]
    values_of = (table.owner(), "count", "limits")
    values_column = next(column for column in reversed(columns) if column.name in values_of)
    cells_at = dict(
        zip(zip(keys.cells, across_texts, strict=True), values_column.cells, strict=True)
    )
    rows = list(dict.fromkeys(keys.cells))
    wide = [keys._replace(cells=rows)]
    for head in dict.fromkeys(across_texts):
        cells = [cells_at.get((row, head), DASH) for row in rows]
        wide.append(Column(head, head, cells, values_column.is_left))
    return wide


# --- data frames ---------------------------------------------------------------------------------


Library = Literal["pandas", "polars"]

_LIBRARIES: Final[tuple[Library, ...]] = ("pandas", "polars")


def as_frame(display: Display, library: Library | None) -> Any:
    """Return the rows of the framed tables, one below the other; what one lacks is missing."""
    chosen = _chosen(library)
    import narwhals

    return narwhals.from_dict(frame_columns(display), backend=chosen).to_native()


def frame_columns(display: Display) -> dict[str, Any]:
    """Return the columns of the data frame, None where a table lacks one."""
    framed = [table for table in display.tables if table.framed]
    tables = [_flat(table) for table in framed]
    lengths = [len(table) for table in framed]
    columns: dict[str, Any] = {}
    for name in dict.fromkeys(name for table in tables for name in table):
        blocks = [t.get(name, [None] * n) for t, n in zip(tables, lengths, strict=True)]
        if len(blocks) == 1 and isinstance(blocks[0], np.ndarray):
            columns[name] = blocks[0]
        else:
            columns[name] = _unify_kinds([_plain(value) for block in blocks for value in block])
    return columns


def _chosen(library: Any) -> Library:
    """Return the library to use, which is there."""
    if library is not None and library not in _LIBRARIES:
        raise InputError(f"`library` must be one of 'pandas', 'polars': got {library!r}")
    candidates: tuple[Library, ...] = _LIBRARIES if library is None else (library,)
    for name in sorted(
        candidates, key=lambda name: not sys.modules.get(name)
    ):  # those loaded first
        with suppress(ValueError):  # sys.modules says that it is not there
            if find_spec(name) is not None:
                return name
    if library is None:
        raise ImportError("a data frame needs pandas or polars: pip install pandas")
    raise ImportError(f"`library={library!r}` is not installed: pip install {library}")


def _flat(table: Table) -> dict[str, Any]:
    """Return the columns of plain values: limits apart, collections as text, arrays left out."""
    columns: dict[str, Any] = {}
    for name, column in table.columns.items():
        if isinstance(column, np.ndarray):
            columns[name] = column
        elif name == "confidence_interval" or any(isinstance(each, Limits) for each in column):
            before = "" if name == "confidence_interval" else f"{name}_"
            for side in ("low", "high"):
                columns[before + side] = [getattr(each, side, None) for each in column]
        elif not any(isinstance(each, np.ndarray) for each in column):
            columns[name] = column
            if any(isinstance(each, MonteCarloPValue) for each in column):
                columns[f"{name}_is_bound"] = [is_bound(each) for each in column]
    return columns


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return float(value)  # a p-value too, which is more than a number
    return value if value is None or isinstance(value, str | bool | int) else value_text(value)


def _unify_kinds(column: Iterable[Any]) -> list[Any]:
    """Return a column that polars takes too: all numbers floats if one is, texts if one is."""
    kinds = {type(value) for value in column if value is not None}
    if len(kinds) < 2:
        return list(column)
    kind: type = float if kinds == {int, float} else str
    return [value if value is None else kind(value) for value in column]


# --- text and HTML -------------------------------------------------------------------------------


#: Characters of a printed line; the command line knows its terminal.
WIDTH: Final = 100
_GAP: Final = "  "


def as_text(display: Display, *, width: int = WIDTH) -> str:
    """Return the text of a display: no line is wider, and none ends in spaces."""
    blocks = [_folded(display.answer, width)]
    for caption, drawn in _grids(display):
        above = _folded(caption, width)
        space = [""] if drawn.has_heads and caption == (display.title,) else []
        blocks.append([*above, *space, *_lines(drawn, width)])
    blocks.append(_folded([*display.notes, *display.more], width))
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _folded(texts: Iterable[str], width: int) -> list[str]:
    return [line for text in texts for line in fold(text, width)]


def as_html(display: Display) -> str:
    """Return the tables of a display, figures aligned; the title is the caption of the first."""
    above, below = (
        [f"<p>{note_as_html(text)}</p>".replace("\n", "<br>") for text in texts]
        for texts in (display.answer, [*display.notes, *display.more])
    )
    inside = [*above, *tables_as_html(display), *below]
    return "".join([f'<div class="fastmetrics"><style>{_STYLE}</style>', *inside, "</div>"])


def note_as_html(text: str) -> str:
    """Return a text as HTML, what stands between back-ticks as code."""
    return _CODE.sub(r"<code>\1</code>", html.escape(text))


def tables_as_html(display: Display) -> list[str]:
    """Return the tables of a display as HTML without a style; ``r`` is the class of figures."""
    return [_html(each, ": ".join(caption)) for caption, each in _grids(display)]


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


def _grids(display: Display) -> list[tuple[tuple[str, ...], Grid]]:
    """Return the tables that hold something, with what stands above: above the first the title."""
    first, *others = display.tables
    titled = [(display.title, first), *(("", table) for table in others if len(table))]
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
    for cell, cell_tag, is_left in zip(cells, tags, sides, strict=False):
        text = _LIMITS.sub(r"<small>\1</small>", html.escape(cell))
        side = "" if is_left else ' class="r"'
        inside.append(f"<{cell_tag}{side}>{text}</{cell_tag}>")
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
        columns = [columns[0], *columns[n:]]
        widths = [widths[0], *widths[n:]]
    if drawn.more:
        yield drawn.more


def _widths(columns: list[Column], width: int) -> list[int]:
    """Return the widths of columns: of their texts, or less where these can be folded."""
    widths = [max(map(cell_width, (column.head, *column.cells))) for column in columns]
    least = []
    for column in columns:
        folds = (column.head, *column.cells) if column.is_left else (column.head,)
        word_widths = (cell_width(word) for text in folds for word in text.split(" "))
        whole = () if column.is_left else map(cell_width, column.cells)
        # A word may be broken where it would leave no room for another column.
        least.append(max([min(max(word_widths), (width - len(_GAP)) // 2), *whole]))
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
    folded_cells = [fold(cell, width) for cell, width in zip(cells, widths, strict=True)]
    for texts in itertools.zip_longest(*folded_cells, fillvalue=""):
        filled = []
        for text, width, is_left in zip(texts, widths, sides, strict=True):
            padding = " " * (width - cell_width(text))
            filled.append(text + padding if is_left else padding + text)
        yield _GAP.join(filled).rstrip()


def cell_width(text: str) -> int:
    """Return the width of a text on a terminal."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def fold(text: str, width: int) -> list[str]:
    """Return lines no wider than that, broken between words, or within one that is too long."""
    if "\n" in text:
        return [line for paragraph in text.split("\n") for line in fold(paragraph, width)]
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


# --- the base class ------------------------------------------------------------------------------


class Shown(ABC):
    """Base of what is printed as a table, shown in notebooks, and made a data frame."""

    __slots__ = ()
    #: Whether its tables have points of a curve or settings alone, in columns that users name.
    _has_points: ClassVar[bool] = False

    @abstractmethod
    def _display(self) -> Display:
        """Return the display."""

    def __str__(self) -> str:
        return as_text(brief(self._display()))

    def _repr_html_(self) -> str:
        return as_html(brief(self._display()))

    def explain(self) -> str:
        """Return the text that `print` gives with all rows, methods and notes."""
        return as_text(self._display())

    def to_frame(self, library: Library | None = None) -> Any:
        """Return the result as a data frame.

        Parameters
        ----------
        library : {"pandas", "polars"}, optional
            By default the one that is loaded, pandas if both are, or else the one installed.

        Returns
        -------
        DataFrame
            One row a metric, model, pair, setting or point, whatever there are several of.
            Numbers are as they are, an interval is two columns, "low" and "high".

        Raises
        ------
        ImportError
            If the library is not installed.
        """
        return as_frame(self._display(), library)

    def to_metrics(self, prefix: str = "") -> dict[str, float]:
        """Return the numbers by name, as MLflow, Weights & Biases and TensorBoard log them.

        Parameters
        ----------
        prefix : str, default=""
            Before each name, such as "test/"; of letters, digits, spaces and ``_-./``.

        Returns
        -------
        dict of str to float
            The numbers of the tables that `explain` shows: ``roc_auc``, its limits ``roc_auc_low``
            and ``roc_auc_high``; of several models ``logistic.roc_auc``; of differences
            ``logistic_less_forest.roc_auc`` and ``logistic_less_forest.roc_auc_pvalue``; of slices
            ``country_NO.roc_auc``. Other characters become ``_``. Undefined numbers are nan and
            stay. Left out are texts, truth values, what was not computed, the cells of confusion
            matrices, and the points of curves, queries, folds and tuned settings: a result that is
            nothing else, such as `ReliabilityDiagram`, gives an empty dictionary.

        Raises
        ------
        ValueError
            If `prefix` has other characters, or two numbers would have one name.

        Examples
        --------
        >>> import fastmetrics as fm
        >>> y_true = [0, 1, 0, 1, 1, 0, 1, 0]
        >>> score = [0.1, 0.8, 0.3, 0.4, 0.9, 0.5, 0.7, 0.2]
        >>> metrics = fm.estimate(y_true, score, metrics="roc_auc").to_metrics("test/")
        >>> metrics["test/roc_auc"], metrics["test/roc_auc_low"] < 0.9375
        (0.9375, True)
        """
        from fastmetrics._named_numbers import named_numbers

        def named(tables: Iterable[Table]) -> dict[str, float]:
            columns = (
                (_flat(each), len(each), each.caption if each.is_record else None)
                for each in tables
            )
            return named_numbers(columns, prefix)

        names = getattr(self, "__dataclass_fields__", ())
        record = Table.record({name: getattr(self, name) for name in names})
        tables = self._display().tables if not self._has_points else []
        return named(tables) or named([record])  # a curve: beside its points
