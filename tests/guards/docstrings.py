"""The rules of public docstrings, as a function from an object to complaints."""

import dataclasses
import dis
import inspect
import re
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

from fastmetrics.errors import warn_user
from public import Result

_SECTION = re.compile(r"^([A-Z][A-Za-z ]+)\n-{3,}$", re.MULTILINE)
_ORDER = (
    *("Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns"),
    *("See Also", "Notes", "References", "Examples"),
)
_SUMMARY_END = (".", "?", "!")


def sections(text: str) -> dict[str, str]:
    """Return the sections of a cleaned numpydoc string, in their order."""
    parts = _SECTION.split(text)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def documented(section: str) -> set[str]:
    """Return the names that stand at the margin of a Parameters section."""
    heads = re.findall(r"^(\*{0,2}\w[\w, *]*?)\s*(?::.*)?$", section, re.MULTILINE)
    return {name.strip(" *") for head in heads for name in head.split(",")}


def _own_parameters(value: Any) -> set[str]:
    return {name for name in inspect.signature(value).parameters if name not in {"self", "cls"}}


def _parameters(value: Any, by_section: dict[str, str]) -> list[str]:
    own = _own_parameters(value)
    names = documented(by_section.get("Parameters", ""))
    complaints = [f"parameter {name} is not documented" for name in sorted(own - names)]
    complaints += (f"there is no parameter {name}" for name in sorted(names - own))
    return complaints


def _global_names(code: CodeType) -> Iterator[str]:
    """Yield the names that a function, or one inside it, looks up in its module."""
    for instruction in dis.get_instructions(code):
        if instruction.opname == "LOAD_GLOBAL":
            yield instruction.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _global_names(constant)


def _helpers(value: FunctionType) -> set[FunctionType]:
    named = (value.__globals__.get(name) for name in _global_names(value.__code__))
    return {other for other in named if isinstance(other, FunctionType)}


def warns(value: FunctionType) -> bool:
    """Return whether a function warns, or calls one that does; farther calls are for reviews."""
    helpers = _helpers(inspect.unwrap(value))
    return any(warn_user in named for named in (helpers, *map(_helpers, helpers)))


def _function(value: Any, by_section: dict[str, str]) -> list[str]:
    complaints = _parameters(value, by_section)
    source = inspect.getsource(value)
    judges_data = "y_true" in _own_parameters(value)
    needed = {"Returns"}
    if judges_data:
        needed |= {"Notes"}  # complexity, memory, what is undefined, the source
    if judges_data or re.search(r"^\s+raise\b", source, re.MULTILINE):
        needed |= {"Raises"}
    if warns(inspect.unwrap(value)):
        needed |= {"Warns"}
    return complaints + [f"no section {name}" for name in sorted(needed - by_section.keys())]


def _explains_itself(value: Any) -> bool:
    """Return True for warnings and errors, and for results: what returns one has the example."""
    return inspect.isclass(value) and issubclass(value, BaseException | Result)


def silent_methods(value: type) -> list[str]:
    """Return the public methods of a class that have no docstring, not even an inherited one."""
    public = {name: member for name, member in vars(value).items() if not name.startswith("_")}
    return [name for name in public if callable(public[name]) and not inspect.getdoc(public[name])]


def complaints_about(value: Any) -> list[str]:
    """Complain about what the docstring of a public function or class leaves out."""
    text = inspect.getdoc(value) or ""
    if not text:
        return ["no docstring"]
    by_section = sections(text)
    complaints = []
    if not text.split("\n\n", 1)[0].endswith(_SUMMARY_END):
        complaints.append("the first sentence does not end")
    order = [name for name in _ORDER if name in by_section]
    complaints += (f"unknown section {name}" for name in by_section if name not in _ORDER)
    if order != [name for name in by_section if name in _ORDER]:
        complaints.append(f"sections out of order: {', '.join(by_section)}")
    if dataclasses.is_dataclass(value):
        names = {f.name for f in dataclasses.fields(value) if not f.name.startswith("_")}
        missing = names - documented(by_section.get("Attributes", ""))
        complaints += (f"attribute {name} is not documented" for name in sorted(missing))
    if not _explains_itself(value) and ">>>" not in by_section.get("Examples", ""):
        complaints.append("no example")
    if inspect.isfunction(value):
        complaints += _function(value, by_section)
    return complaints
