"""A grid as its settings, in its order and by how simple they are."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.selection.estimates._settings import Setting

_MOST: Final = 10**6


def settings_of(grid: Any) -> tuple[Setting, ...]:
    """Return every combination of a grid's values, the last parameter varying fastest."""
    if not isinstance(grid, Mapping):
        raise InputTypeError(f"`grid` must map names to values: got {type(grid).__name__}")
    n_settings = 1
    for name, values in grid.items():
        is_sequence = isinstance(values, Sequence | np.ndarray) and not isinstance(values, str)
        if not isinstance(name, str) or not is_sequence:
            raise InputTypeError(
                f"`grid` must map names to sequences of values: got {name!r}: {values!r}"
            )
        if len(values) == 0:
            raise InputError(f"`grid` has no value for {name!r}")
        n_settings *= len(values)
    if not grid or n_settings > _MOST:
        raise InputError(f"`grid` must have 1 to {_MOST:,} settings: got {n_settings * bool(grid)}")
    columns = [v.tolist() if isinstance(v, np.ndarray) else v for v in grid.values()]
    return tuple(dict(zip(grid, values, strict=True)) for values in itertools.product(*columns))


def by_simplicity(settings: tuple[Setting, ...], complexity: Any, rule: str) -> list[int]:
    """Return the numbers of the settings, the simplest first; by the grid where none is said."""
    if complexity is None:
        if rule == "one-standard-error":
            raise InputError("rule='one-standard-error' needs `complexity`: what is simpler")
        return list(range(len(settings)))
    if callable(complexity):
        return sorted(range(len(settings)), key=lambda i: complexity(settings[i]))
    names = [complexity] if isinstance(complexity, str) else list(complexity)
    order = list(range(len(settings)))
    for name in reversed(names):  # stable sorts, the last name first
        plain = name.removeprefix("-")
        if plain not in settings[0]:
            raise InputError(
                f"`complexity` must name parameters of `grid`: got {name!r}, there are "
                f"{', '.join(map(repr, settings[0]))}"
            )
        order.sort(key=lambda i, plain=plain: settings[i][plain], reverse=plain != name)  # type: ignore[misc]
    return order
