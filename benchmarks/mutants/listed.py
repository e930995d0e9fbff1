"""The list of mutants, ``list.toml``: changes of single lines, found again by what they say."""

from __future__ import annotations

import json
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

LIST = Path(__file__).with_name("list.toml")
HEAD = """\
# Changes of one line that tests have to notice. A line is known by its text, which stands once in
# the package; `equivalent` says why no test could notice a change. `python -m benchmarks.mutants
# --draw N` adds lines in the place of those that are gone.
"""


@dataclass(frozen=True)
class Mutant:
    """One change of one line.

    Attributes
    ----------
    layer : str
        Folder of the package that the line stood in when it was drawn.
    line, becomes : str
        The line before and after, without indentation.
    equivalent : str
        Why no test could notice, or empty.
    """

    layer: str
    line: str
    becomes: str
    equivalent: str = ""


def read_mutants(path: Path = LIST) -> list[Mutant]:
    """Return the listed mutants."""
    return [Mutant(**each) for each in tomllib.loads(path.read_text("utf-8"))["mutant"]]


def write_mutants(mutants: Iterable[Mutant], path: Path = LIST) -> None:
    """Write a list of mutants, sorted by layer."""
    text = HEAD
    for mutant in sorted(mutants, key=lambda each: each.layer):
        rows = (f"{key} = {json.dumps(value)}" for key, value in asdict(mutant).items() if value)
        text += "\n[[mutant]]\n" + "\n".join(rows) + "\n"
    path.write_text(text, encoding="utf-8")


def modules_by_line(root: Path) -> dict[str, list[str]]:
    """Return where each line of the package stands, by its text without indentation."""
    modules = defaultdict(list)
    for path in sorted((root / "fastmetrics").rglob("*.py")):
        for line in path.read_text(encoding="utf-8").splitlines():
            modules[line.strip()].append(path.relative_to(root).as_posix())
    return modules


def locate(mutants: Sequence[Mutant], root: Path) -> tuple[list[tuple[Mutant, str]], list[Mutant]]:
    """Return the mutants whose line stands once in a checkout, with its module, and the others."""
    modules = modules_by_line(root)
    there = [(each, modules[each.line][0]) for each in mutants if len(modules[each.line]) == 1]
    return there, [each for each in mutants if len(modules[each.line]) != 1]
