"""Sizes of the package and its tests, and the number of places that name a metric.

``python tests/guards/sizes.py`` prints them beside the limits of ``sizes.toml``; ``--write`` makes
them the limits: run it where a change has made the package smaller.
"""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMITS = Path(__file__).with_name("sizes.toml")
#: A metric is declared, computed and parsed in these folders of the package.
DECLARE_METRICS = ("metrics", "cli")


@dataclass(frozen=True)
class Size:
    """Counts of one file, or sums over files.

    `code` counts lines without docstrings, comments and blank lines, `statements` those on them.
    """

    lines: int = 0
    code: int = 0
    statements: int = 0
    files: int = 0
    classes: int = 0

    def __add__(self, other: Size) -> Size:
        return Size(*(getattr(self, name) + getattr(other, name) for name in vars(self)))


def size_of(text: str) -> Size:
    """Count the lines, code lines, statements and classes of a source text."""
    nodes = [*ast.walk(ast.parse(text))]
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        line
        for node in nodes
        if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None
        for line in range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)
    }
    lines = text.splitlines()
    code = {k for k, line in enumerate(lines, 1) if line.strip() and line.lstrip()[0] != "#"}
    code |= {
        line
        for node in nodes
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and node.end_lineno != node.lineno
        for line in range(node.lineno, (node.end_lineno or 0) + 1)
    }  # texts of several lines, of which some are blank
    return Size(
        lines=len(lines),
        code=len(code - docstrings),
        statements=sum(isinstance(node, ast.stmt) for node in nodes),
        files=1,
        classes=sum(isinstance(node, ast.ClassDef) for node in nodes),
    )


def metric_literals(text: str, names: Iterable[str]) -> list[str]:
    """Return the string literals of a source text that are a metric's name."""
    known = {*names}
    if not any(f'"{name}"' in text for name in known):  # most files need no parsing
        return []
    return [
        node.value
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in known
    ]


def _texts(folder: str) -> Iterator[tuple[Path, str]]:
    for path in sorted((ROOT / folder).rglob("*.py")):
        yield path.relative_to(ROOT / folder), path.read_text("utf-8")


def measured() -> dict[str, dict[str, int]]:
    """Return the counts that `sizes.toml` limits, by folder."""
    from fastmetrics.metrics.registry import METRICS

    counts: dict[str, dict[str, int]] = {}
    for folder in ("fastmetrics", "tests"):
        counts[folder] = vars(sum((size_of(text) for _, text in _texts(folder)), Size()))
    counts["fastmetrics"]["metric_literals"] = sum(
        len(metric_literals(text, METRICS))
        for path, text in _texts("fastmetrics")
        if path.parts[0] not in DECLARE_METRICS
    )
    return counts


def limits() -> dict[str, dict[str, int]]:
    """Return the limits by folder."""
    return tomllib.loads(LIMITS.read_text("utf-8"))


def main(arguments: list[str]) -> None:
    """Print what is measured beside the limits, or make it the limits."""
    counts = measured()
    if "--write" in arguments:
        head = LIMITS.read_text("utf-8").partition("[")[0]
        tables = (
            f"[{folder}]\n" + "".join(f"{name} = {value}\n" for name, value in values.items())
            for folder, values in counts.items()
        )
        LIMITS.write_text(head + "\n".join(tables), "utf-8")
    for folder, values in counts.items():
        for name, value in values.items():
            limit = limits()[folder][name]
            sys.stdout.write(f"{folder:<12} {name:<16} {value:>7,}  of {limit:>7,}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
