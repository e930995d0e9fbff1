"""Dual numbers: arrays that carry a derivative through a formula, and what formulas do to both.

Real arithmetic, an element at a time: unlike complex steps, whose products NumPy fuses or not as
the loop happens to be vectorised, an element has the same bits whatever else is in the array.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

#: An array or a `Dual`: a formula does not see the difference.
Values: TypeAlias = Any

_UNDEFINED: Final = float("nan")

#: So many shares of counts have a product that float64 holds.
_FACTORS: Final = 16


class Dual:
    """Values and their derivative in one direction, of one shape."""

    __slots__ = ("slope", "value")
    __array_ufunc__ = None  # an array on the left lets `Dual` do it

    def __init__(self, value: Array, slope: Array) -> None:
        self.value = np.asarray(value)
        if np.shape(slope) != self.value.shape:
            slope = np.ascontiguousarray(np.broadcast_to(slope, self.value.shape))
        self.slope = slope

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape

    def __getitem__(self, key: Any) -> Dual:
        return Dual(self.value[key], self.slope[key])

    def __add__(self, other: Values) -> Dual:
        if isinstance(other, Dual):
            return Dual(self.value + other.value, self.slope + other.slope)
        return Dual(self.value + other, self.slope)

    def __sub__(self, other: Values) -> Dual:
        if isinstance(other, Dual):
            return Dual(self.value - other.value, self.slope - other.slope)
        return Dual(self.value - other, self.slope)

    def __rsub__(self, other: Array | float) -> Dual:
        return Dual(other - self.value, -self.slope)

    def __mul__(self, other: Values) -> Dual:
        if isinstance(other, Dual):
            slope = self.slope * other.value + self.value * other.slope
            return Dual(self.value * other.value, slope)
        return Dual(self.value * other, self.slope * other)

    __radd__ = __add__
    __rmul__ = __mul__

    def sum(self, axis: int) -> Dual:
        return Dual(self.value.sum(axis=axis), self.slope.sum(axis=axis))


def value_of(x: Values) -> Array:
    """Return the values without their derivative."""
    return x.value if isinstance(x, Dual) else np.asarray(x)


def ratio(numerator: Values, denominator: Values, undefined: float = _UNDEFINED) -> Values:
    """Return the quotient, and ``undefined`` where the denominator is 0."""
    if type(numerator) is float:  # of a single matrix of two classes
        return numerator / denominator if denominator else undefined
    top, bottom = value_of(numerator), value_of(denominator)
    quotient = _divided(top, bottom, undefined)
    if not (isinstance(numerator, Dual) or isinstance(denominator, Dual)):
        return quotient
    change = _slope(numerator) - quotient * _slope(denominator)
    return Dual(quotient, _divided(change, bottom, 0.0))  # what is undefined stays so


def power(x: Values, exponent: float) -> Values:
    """Return ``x`` to a power between 0 and 1; its slope is infinite at 0, unless x stays there."""
    value = _power(value_of(x), exponent)
    if not isinstance(x, Dual):
        return value
    rate = _divided(exponent * value, x.value, float("inf"))
    return Dual(value, np.multiply(rate, x.slope, out=np.zeros(x.shape), where=x.slope != 0))


def zero_where(is_absent: Array, x: Values) -> Values:
    """Return ``x`` with a constant 0 in some places."""
    if isinstance(x, Dual):
        return Dual(np.where(is_absent, 0.0, x.value), np.where(is_absent, 0.0, x.slope))
    return np.where(is_absent, 0.0, x)


def geometric_mean(x: Values) -> Values:
    """Return the geometric mean over the last axis of numbers >= 0.

    Its slope is infinite where a single number is 0 and moves, and 0 where more of them are.
    """
    numbers = value_of(x)
    n = numbers.shape[-1]
    mean = np.ones(numbers.shape[:-1])
    for start in range(0, n, _FACTORS):
        product = numbers[..., start]
        for k in range(start + 1, min(start + _FACTORS, n)):
            product = product * numbers[..., k]
        mean = mean * _power(product, 1.0 / n)
    if not isinstance(x, Dual):
        return mean
    is_zero = numbers == 0
    at_zero = np.where(is_zero, x.slope, 0.0).sum(axis=-1)
    slope = mean * _divided(x.slope, numbers, 0.0).sum(axis=-1) / n
    is_root = (is_zero.sum(axis=-1) == 1) & (at_zero != 0)
    return Dual(mean, np.where(is_root, np.copysign(np.inf, at_zero), slope))


def sum_of_others(x: Values) -> Values:
    """Return for each entry of the last axis the sum of all others, without a subtraction."""
    if isinstance(x, Dual):
        return Dual(sum_of_others(x.value), sum_of_others(x.slope))
    before, after = np.zeros_like(x), np.zeros_like(x)
    before[..., 1:] = x[..., :-1].cumsum(axis=-1)
    after[..., :-1] = x[..., :0:-1].cumsum(axis=-1)[..., ::-1]
    return before + after


def clipped(x: Values, low: float, high: float) -> Values:
    """Return an array within bounds that rounding alone can have crossed."""
    return x if isinstance(x, Dual) else np.clip(x, low, high)


def _slope(x: Values) -> Values:
    return x.slope if isinstance(x, Dual) else 0.0


def _divided(top: Array, bottom: Array, otherwise: float) -> Array:
    out = np.full(np.broadcast_shapes(np.shape(top), np.shape(bottom)), otherwise)
    np.divide(top, bottom, out=out, where=bottom != 0)
    return out


def _power(x: Array, exponent: float) -> Array:
    if exponent == 0.5:
        return np.asarray(np.sqrt(x))
    # One at a time: NumPy rounds the power of a scalar and that of an array differently.
    return np.array([number**exponent for number in x.ravel().tolist()]).reshape(x.shape)
