"""A plugin for `.ci/core`: leave out test modules that need a package above the core.

`python -m pytest -p core_alone` is run where those packages are absent. What is left must pass, so
that no function of the core imports them, at whatever time.
"""

import re
from pathlib import Path
from typing import Final

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
_USE: Final = re.compile(
    rf"\b(?:fm|fastmetrics|costs|plots|results|concordance)\.(?:{_ANY})\b"
    rf"|from fastmetrics import (?:\([^)]*|[^\n]*)\b(?:{_ANY})\b"
)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Ignore a module of tests that uses such a name."""
    is_module = collection_path.name.startswith("test_") and collection_path.suffix == ".py"
    if not is_module:
        return None
    needs_more = collection_path.name in _OF_ALL_NAMES
    return True if needs_more or _USE.search(collection_path.read_text("utf-8")) else None
