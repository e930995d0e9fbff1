"""Moments of numbers, exact to rounding, and Holm's adjustment of several p-values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._display.numbers import MonteCarloPValue, is_bound
from fastmetrics.errors import InputError

#: Python adds up fewer numbers in less time than NumPy takes them apart.
_MANY: Final = 1_000


class Moments(NamedTuple):
    """Mean and standard deviation (n - 1) of n numbers; the latter nan for one number."""

    n: int
    mean: float
    deviation: float


def exact_sum(values: NDArray[np.float64]) -> float:
    """Return the sum of numbers within +-4, rounded once.

    Many are taken apart: whole multiples of 2^-28 and of 2^-56 are added as integers, and of what
    is left, which is less than that, the sum's own rounding is beyond 2^-100.
    """
    if values.size < _MANY:
        return math.fsum(values.ravel().tolist())
    total = 0
    for exponent in (28, 56):
        whole = np.rint(values * 2.0**exponent)
        total += int(whole.astype(np.int64).sum()) << (110 - exponent)
        values = values - whole * 2.0**-exponent
    return (total + round(float(values.sum()) * 2.0**110)) / (1 << 110)


def moments(values: NDArray[np.float64], rounding: float = 0.0) -> Moments:
    """Return mean and standard deviation; numbers within ``rounding`` of one another are equal."""
    n = values.size
    low, high = float(values.min()), float(values.max())
    if high / 2 - low / 2 <= rounding / 2:
        middle = low / 2 + high / 2
        mean = 0.0 if abs(middle) <= rounding else middle
        return Moments(n, mean, 0.0 if n > 1 else math.nan)
    # Scaled by a power of two, so that no square leaves the range of doubles.
    exponent = math.frexp(max(-low, high))[1]
    scaled = np.ldexp(values, -exponent)
    centre = exact_sum(scaled) / n
    squares = exact_sum((scaled - centre) ** 2)
    mean = math.ldexp(centre, exponent)
    try:
        deviation = math.ldexp(math.sqrt(squares / (n - 1)), exponent)
    except OverflowError:
        raise InputError(
            f"the numbers are too far apart: the standard deviation of {low:g} ... {high:g} is "
            "beyond the range of floats; divide them all by one number"
        ) from None
    return Moments(n, 0.0 if abs(mean) <= rounding else mean, deviation)


def holm(pvalues: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p-values, in the order of ``pvalues``.

    Rejecting where the adjusted value is at most alpha keeps the chance of any false rejection
    at alpha or below, whatever the dependence between the tests.

    Parameters
    ----------
    pvalues : sequence of float
        P-values in [0, 1]; nan marks a test that is not defined.

    Returns
    -------
    list of float
        Adjusted p-values, at most 1; nan where there is none, and such a test is not counted
        among the others. What comes of a bound is a bound.

    Notes
    -----
    Of the m defined values, the i-th smallest (i = 1 … m) becomes the largest of
    (m - j + 1) p_(j) over j <= i, so that the adjusted values keep the order of the given ones.

    References
    ----------
    S. Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian
    Journal of Statistics 6(2), 65-70.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted = [math.nan] * len(pvalues)
    order = [at for at in np.argsort(pvalues, kind="stable") if not math.isnan(pvalues[at])]
    largest = 0.0
    for left, at in zip(range(len(order), 0, -1), order, strict=True):
        step = min(left * pvalues[at], 1.0)
        if isinstance(pvalues[at], MonteCarloPValue):
            step = MonteCarloPValue(step, bool(is_bound(pvalues[at])))
        if step > largest or (step == largest and not is_bound(step)):
            largest = step
        adjusted[at] = largest
    return adjusted


def benjamini_hochberg(pvalues: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the p-values of Benjamini and Hochberg, in the order of those given; nan stays nan."""
    found = np.full(len(pvalues), np.nan)
    known = np.flatnonzero(~np.isnan(pvalues))
    order = known[np.argsort(pvalues[known], kind="stable")]
    m = len(order)
    stepped = m / np.arange(1, m + 1) * pvalues[order]
    found[order] = np.minimum(np.minimum.accumulate(stepped[::-1])[::-1], 1.0)
    return found
