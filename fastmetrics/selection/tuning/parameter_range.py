"""``parameter_range``: the values from one end to the other by a step, each the nearest double."""

from __future__ import annotations

import math
import numbers
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, Literal, get_args

import numpy as np

from fastmetrics._input.scalars import check_choice
from fastmetrics.errors import InputError, InputTypeError

Closed = Literal["both", "left", "right", "neither"]

_MOST: Final = 10**7


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
    if last > _MOST:
        raise InputError(f"`step` must leave at most {_MOST:,} values: got {last + 1:,}")
    first = 0 if side in ("both", "left") else 1
    if side in ("left", "neither") and low + last * width == high:
        last -= 1
    if last < first:
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
