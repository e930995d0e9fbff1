"""The smallest whole number with enough power."""

from __future__ import annotations

from collections.abc import Callable

from fastmetrics.errors import InputError


def smallest(power: Callable[[int], float], target: float, *, start: int = 1) -> int:
    """Return the smallest number whose power is at least ``target``; power grows with it.

    Raises
    ------
    ValueError
        If 10^15 are too few.
    """
    low, high = start - 1, start
    while power(high) < target:
        low, high = high, 2 * high
        if high > 10**15:
            raise InputError("more than 10^15 examples are needed: the difference is too small")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power(middle) >= target else (middle, high)
    return high
