"""Every public object by its name, and the classes that they share; Dask has other tests."""

import importlib
from types import ModuleType
from typing import Any

from fastmetrics._input.calls import NAMESAKES as NAMESAKES
from fastmetrics._lazy import NAMESPACES as NAMESPACES, public_names
from fastmetrics._results import Result as Result

#: In which module each public name is found.
PLACES = {name: place for name, place in public_names().items() if name not in NAMESPACES}
NAMES = sorted(PLACES)


def public(name: str) -> Any:
    """Return the public object of a name, wherever it is public."""
    return getattr(importlib.import_module(PLACES[name]), name)


def modules() -> dict[str, ModuleType]:
    """Return the public modules by name."""
    return {place: importlib.import_module(place) for place in sorted(set(PLACES.values()))}
