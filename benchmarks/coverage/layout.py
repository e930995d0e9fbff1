"""Tables and lists in Markdown, and how figures are shown in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchmarks.coverage import findings
from benchmarks.coverage.findings import percent, show_scene
from benchmarks.coverage.measured import IntervalRow, RejectionRow

#: Hypotheses under which a rejection is right.
FALSE_HYPOTHESES = ("worse", "not")


def table(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Write a table in Markdown."""
    rows = [tuple(heads), ("---",) * len(heads), *map(tuple, lines)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def bullets(lines: Iterable[str]) -> str:
    """Write a list in Markdown."""
    return "".join(f"- {line}\n" for line in lines)


def show_coverage(row: IntervalRow) -> str:
    """Write a coverage with its binomial error, in bold where it is too low."""
    number = percent(row.coverage)
    return f"{f'**{number}**' if row.is_short else number} ± {percent(row.error)}"


def show_width(row: IntervalRow) -> str:
    """Write the mean width, and the share of intervals that say nothing."""
    if row.mean_width is None:
        return "–"
    useless = (row.undefined + row.no_width) / row.n_data
    width = f"{row.mean_width:.3f}"
    return f"{width} ({percent(useless)})" if useless else width


def show_share(row: RejectionRow) -> str:
    """Write how often a test rejected, in bold where it should not have."""
    number = percent(row.share)
    bold = row.is_large and row.hypothesis not in FALSE_HYPOTHESES
    return f"{f'**{number}**' if bold else number} ± {percent(row.error)}"


def interval_tables(rows: Sequence[IntervalRow], *, widths: bool = True) -> str:
    """Write coverage, and width, of all methods in all scenes."""
    scenes = list(dict.fromkeys(row.scene for row in rows))
    methods = list(dict.fromkeys(row.method for row in rows))
    cell = {(row.method, row.scene): row for row in rows}
    texts = []
    shows = (("coverage, %", show_coverage), ("mean width", show_width))
    for head, show in shows if widths else shows[:1]:
        lines = [
            [method_name(method), *(show(cell[method, scene]) for scene in scenes)]
            for method in methods
        ]
        texts.append(table([head, *map(show_scene, scenes)], lines))
    return "\n".join(texts)


def scene_table(rows: Sequence[IntervalRow]) -> str:
    """Write coverage and width with a line for each scene, where there are many of them."""
    scenes = list(dict.fromkeys(row.scene for row in rows))
    methods = list(dict.fromkeys(row.method for row in rows))
    cell = {(row.method, row.scene): row for row in rows}
    heads = ["coverage, %; mean width"]
    heads += [head for method in methods for head in (method_name(method), "width")]
    lines = [
        [
            show_scene(scene),
            *(
                show(cell[method, scene])
                for method in methods
                for show in (show_coverage, show_width)
            ),
        ]
        for scene in scenes
    ]
    return table(heads, lines)


def table_by_scene(
    head: str, columns: Mapping[Any, str], cells: Mapping[tuple[str, Any], str]
) -> str:
    """Write a table with a line for each scene; ``cells`` are texts by scene and column."""
    scenes = dict.fromkeys(scene for scene, _ in cells)
    lines = [[show_scene(scene), *(cells[scene, key] for key in columns)] for scene in scenes]
    return table([head, *columns.values()], lines)


def method_name(name: str) -> str:
    """Write a method, the bootstrap's own as in the code."""
    words = name.split(", ")[0].split()
    return f"`{name}`" if words[-1] in findings.GENERAL else name
