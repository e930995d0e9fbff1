"""A plugin for `.ci/core`: leave out test modules that need a package above the core.

`python -m pytest -p core_alone` is run where those packages are absent. What is left must pass, so
that no function of the core imports them, at whatever time.
"""

import ast
import re
from pathlib import Path
from typing import Final

import pytest

import fastmetrics
from fastmetrics._lazy import stub_names

OUTER: Final = ("_report", "cli", "dask", "io", "selection")
#: Modules of tests about all public names.
_OF_ALL_NAMES: Final = {"test_states.py"}


def _outer_names() -> list[str]:
    """Return the names of `fastmetrics` and its modules that live in packages above the core."""
    package = Path(fastmetrics.__file__).parent
    homes = dict[str, str]()
    for stub in package.glob("*.pyi"):
        module = "fastmetrics" if stub.stem == "__init__" else f"fastmetrics.{stub.stem}"
        homes |= stub_names(stub, module)
    prefixes = tuple(f"fastmetrics.{each}" for each in OUTER)
    return [*OUTER, *(name for name, home in homes.items() if home.startswith(prefixes))]


_ANY = "|".join(_outer_names())
_IMPORT: Final = re.compile(
    rf"^(?:from|import) fastmetrics\.(?:{_ANY})\b"
    rf"|^from fastmetrics import (?:\([^)]*|[^\n]*)\b(?:{_ANY})\b",
    re.MULTILINE,
)
_USE: Final = re.compile(rf"\b(?:fm|fastmetrics|costs|plots|results|concordance)\.(?:{_ANY})\b")


def _names_above(text: str) -> set[str]:
    """Return the names that a module defines by names above the core, in any number of steps."""
    lines = text.splitlines()
    names = set[str]()
    parts: dict[str, tuple[bool, set[str]]] = {}
    for node in ast.parse(text).body:
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
        uses = bool(_USE.search("\n".join(lines[first - 1 : node.end_lineno])))
        read = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        read |= {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
        targets = getattr(node, "targets", [getattr(node, "target", None)])
        own = {n.id for each in targets if each for n in ast.walk(each) if isinstance(n, ast.Name)}
        own |= {node.name} if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else set()
        parts |= dict.fromkeys(own, (uses, read))
    while True:
        more = {name for name, (uses, read) in parts.items() if uses or read & names} - names
        if not more:
            return names
        names |= more


def _needs_more(text: str) -> bool:
    """Return whether a module of tests uses such a name when it is imported."""
    run = list[ast.AST]()
    for node in ast.parse(text).body:
        run += node.decorator_list if isinstance(node, ast.FunctionDef) else [node]
    return bool(_IMPORT.search(text)) or any(_USE.search(ast.unparse(node)) for node in run)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Ignore a module of tests that uses such a name when it is imported."""
    if not (collection_path.name.startswith("test_") and collection_path.suffix == ".py"):
        return None
    needs_more = collection_path.name in _OF_ALL_NAMES
    return True if needs_more or _needs_more(collection_path.read_text("utf-8")) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of other modules that use such a name."""
    above = {path: _names_above(path.read_text("utf-8")) for path in {each.path for each in items}}
    left_out = [each for each in items if each.name.partition("[")[0] in above[each.path]]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [each for each in items if each not in left_out]
