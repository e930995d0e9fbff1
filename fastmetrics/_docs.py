"""Shared sections of docstrings, written once and complete in ``help()``.

A glossary is part of a numpydoc docstring: what parameters mean and, in other sections, what holds
for every function that uses it. `documented` adds to a docstring what it leaves out itself. The
source stays readable, and the function is the one that was written: signatures and types stay.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, TypeVar

F = TypeVar("F", bound=Callable[..., object])

_SECTIONS: Final = (
    *("Parameters", "Attributes", "Returns", "Raises", "Warns"),
    *("See Also", "Notes", "References", "Examples"),
)
_HEADING: Final = re.compile(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", re.MULTILINE)

#: Parameters that mean the same wherever they stand.
COMMON: Final = """
Parameters
----------
data : data frame, optional
    Of pandas, polars or Arrow, a DuckDB relation, or an object with ``__arrow_c_stream__``.
    Arguments of rows may then name its columns: a text is one column, ``["a", "b"]`` are models or
    slices by these names, ``{"new": "a", "old": "b"}`` renames them, and ``{"model": ["p0", "p1",
    "p2"]}`` is a matrix of one model, a column a class. Arrays may stand beside names; an array of
    texts is one of values. No other column is read.
sample_weight : array-like of shape (n_samples,), optional
    Weights, not negative.
weights_are : {"importances", "frequencies"}, default="importances"
    What `sample_weight` says of a row: how much it matters, being one row all the same; or how
    many rows it stands for (whole numbers). Values are the same, their spread is not: weights of
    100 for all rows change nothing as importances, and narrow intervals tenfold as frequencies.
pos_label : int, float, bool or str, optional
    The positive label; {0, 1}, {-1, 1} and booleans need none.
groups : array-like of shape (n_samples,), optional
    Group of each row (user, patient): whole groups are drawn.
confidence_level : float, default=0.95
    Coverage aimed at, in (0, 1); of a test, the level of its decision.
higher_is_better : bool
    Whether the greater number is the better (accuracy, AUC) or the lower (errors, losses): it
    decides which model is called better, and is never guessed.
rng : None, int, numpy Generator or str, optional
    Seed; or the `key` of an earlier result, which draws the same numbers.
n_threads : int, optional
    Threads; None means every processor the process may use. Results do not depend on it.
n_jobs : int, optional
    Processes (joblib); by default fits are run one by one.
progress : bool, optional
    Whether to show a progress bar; None shows one on a terminal or in a notebook after two
    seconds.
ax : matplotlib Axes, optional
    Where to draw; by default on a figure of its own.
"""


def documented(*glossaries: str) -> Callable[[F], F]:
    """Return a decorator that completes a docstring from glossaries and from `COMMON`.

    Parameters
    ----------
    *glossaries : str
        Parts of docstrings. A parameter that the function has and does not document (of a
        dataclass, an attribute) gets the entry of the first glossary that has one; an entry of
        several ("y_true, y_pred") serves where none of them is documented. The text of other
        sections comes before the function's own.

    Returns
    -------
    callable
        It returns the very function or class that it is given.
    """

    def complete(function: F) -> F:
        if function.__doc__ is not None:  # python -OO has none
            function.__doc__ = _complete_docstring(function, (*glossaries, COMMON))
        return function

    return complete


def _complete_docstring(function: Callable[..., object], glossaries: tuple[str, ...]) -> str:
    summary, sections = _split_sections(function.__doc__ or "")
    shared = [_split_sections(text)[1] for text in glossaries]
    names = "Attributes" if isinstance(function, type) else "Parameters"
    own_entries = _entries(sections.get(names, ""))
    entries = _in_order(
        _parameters(function), own_entries, [each.get(names, "") for each in shared]
    )
    texts = {name: sections.get(name, "") for name in _SECTIONS}
    for name in _SECTIONS[2:]:
        apart = "\n\n" if name in ("Notes", "References") else "\n"  # paragraphs, not entries
        texts[name] = apart.join(each[name] for each in (*shared, sections) if name in each)
    texts[names] = "\n".join(entries)
    lines = [summary]
    lines += (f"\n{name}\n{'-' * len(name)}\n{text}" for name, text in texts.items() if text)
    return "\n".join(lines)


@lru_cache(maxsize=64)
def _split_sections(text: str) -> tuple[str, dict[str, str]]:
    """Split a docstring into its summary and its sections."""
    summary, *sections = _HEADING.split(inspect.cleandoc(text) + "\n")
    bodies = (body.strip("\n") for body in sections[1::2])
    return summary.strip("\n"), dict(zip(sections[::2], bodies, strict=True))


def _parameters(function: Callable[..., object]) -> list[str]:
    if dataclasses.is_dataclass(function):
        return [field.name for field in dataclasses.fields(function)]
    code = inspect.unwrap(function).__code__
    n = code.co_argcount + code.co_kwonlyargcount
    names = [name for name in code.co_varnames[:n] if name not in ("self", "cls")]
    for flag, stars in ((inspect.CO_VARARGS, "*"), (inspect.CO_VARKEYWORDS, "**")):
        if code.co_flags & flag:
            names.append(f"{stars}{code.co_varnames[n]}")
            n += 1
    return names


@lru_cache(maxsize=64)
def _entries(section: str) -> dict[tuple[str, ...], str]:
    """Return the entries of a Parameters section by the names at their head."""
    sections = {}
    for text in re.split(r"^(?=\S)", section, flags=re.MULTILINE):
        if text:
            head = re.split(r" ?:|\n", text, maxsplit=1)[0]
            sections[tuple(head.split(", "))] = text.rstrip("\n")
    return sections


def _in_order(
    parameters: list[str], own_entries: dict[tuple[str, ...], str], shared: list[str]
) -> list[str]:
    """Return an entry for each parameter, the function's own or the first of the glossaries."""
    documented_names = {name for names in own_entries for name in names}
    entries = []
    done: set[str] = set()
    for parameter in parameters:
        if parameter in done:
            continue
        for source in (own_entries, *map(_entries, shared)):
            for names, entry in source.items():
                fits = source is own_entries or (
                    set(names) <= set(parameters) and not documented_names & set(names)
                )
                if parameter in names and fits:
                    entries.append(entry)
                    done.update(names)
                    break
            if parameter in done:
                break
    return entries
