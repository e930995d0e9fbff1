"""A grid: the values of a parameter (`parameter_range`), and the settings that they combine to."""

from __future__ import annotations

import itertools
import math
import numbers
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np

from fastmetrics._input.scalars import check_choice
from fastmetrics.errors import InputError, InputTypeError

if TYPE_CHECKING:
    from fastmetrics.selection.estimates._fit_and_score import Setting

Closed = Literal["both", "left", "right", "neither"]

_MOST_VALUES: Final = 10**7
_MOST_SETTINGS: Final = 10**6


def parameter_range(
    start: float, stop: float, step: float, *, closed: Closed = "both"
) -> tuple[float, ...]:
    """Return the values from start to stop by a step, with or without either end.

    Parameters
    ----------
    start, stop : float
        The ends, start <= stop. `stop` is a value only if the steps hit it exactly.
    step : float
        Distance of the values, above 0.
    closed : {"both", "left", "right", "neither"}, default="both"
        Which ends belong to the range: "both" is [start, stop], "right" is (start, stop].

    Returns
    -------
    tuple of float
        start + i step; integers where all three numbers are integers.

    Raises
    ------
    TypeError
        If a number is none.
    ValueError
        If a number is not finite, the step is not positive, the ends are in the wrong order, or no
        value or more than ten million values remain.

    Notes
    -----
    A float means the shortest decimal that stands for it: 0.05 is 1/20 here. Values are computed
    in fractions and rounded once, so that 0.15 is 0.15, and the end of [0, 0.2] by 0.05 is hit.

    Examples
    --------
    >>> parameter_range(0, 0.2, 0.05)
    (0.0, 0.05, 0.1, 0.15, 0.2)
    >>> parameter_range(0, 1, 0.2, closed="right")
    (0.2, 0.4, 0.6, 0.8, 1.0)
    >>> parameter_range(1, 9, 2, closed="left")
    (1, 3, 5, 7)
    """
    side: Closed = check_choice("closed", closed, get_args(Closed))
    ends = {"start": start, "stop": stop, "step": step}
    low, high, width = (_fraction(name, value) for name, value in ends.items())
    if width <= 0:
        raise InputError(f"`step` must be positive: got {step!r}")
    if low > high:
        raise InputError(f"`start` must not exceed `stop`: got {start!r} and {stop!r}")
    last = (high - low) // width
    first = 0 if side in ("both", "left") else 1
    if side in ("left", "neither") and low + last * width == high:
        last -= 1
    count = last - first + 1
    if count > _MOST_VALUES:
        raise InputError(f"`step` must leave at most {_MOST_VALUES:,} values: got {count:,}")
    if count < 1:
        left, right = "[" if first == 0 else "(", "]" if side in ("both", "right") else ")"
        raise InputError(f"no value lies in {left}{start!r}, {stop!r}{right} by {step!r}")
    kind = int if all(isinstance(value, int | np.integer) for value in ends.values()) else float
    return tuple(kind(low + i * width) for i in range(first, last + 1))


def _fraction(name: str, value: Any) -> Fraction:
    """Return the number that is meant: of a float its shortest decimal."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real | Decimal):
        raise InputTypeError(f"`{name}` must be a number: got {type(value).__name__} {value!r}")
    if not math.isfinite(value):
        raise InputError(f"`{name}` must be finite: got {value!r}")
    return Fraction(str(value))


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
    if not grid or n_settings > _MOST_SETTINGS:
        raise InputError(
            f"`grid` must have 1 to {_MOST_SETTINGS:,} settings: got {n_settings * bool(grid)}"
        )
    columns = [v.tolist() if isinstance(v, np.ndarray) else v for v in grid.values()]
    return tuple(dict(zip(grid, values, strict=True)) for values in itertools.product(*columns))


def by_simplicity(settings: tuple[Setting, ...], complexity: Any, rule: str) -> list[int]:
    """Return the numbers of the settings, the simplest first; by the grid where none is said."""
    if complexity is None:
        if rule == "one-standard-error":
            raise InputError("`rule='one-standard-error'` needs `complexity`: what is simpler")
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
