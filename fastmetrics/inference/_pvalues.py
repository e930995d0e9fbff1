"""Moments of numbers, exact to rounding, and p-values adjusted for how many there are.

By Holm, by Benjamini and Hochberg, or by how differences vary together (max-T).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, NamedTuple, SupportsFloat, TypeVar

import numpy as np
from numpy.typing import NDArray

from fastmetrics._display import MonteCarloPValue, is_bound
from fastmetrics._input.scalars import Alternative
from fastmetrics.errors import InputError
from fastmetrics.inference.reference import normal_quantile, outside

V = TypeVar("V", float, NDArray[np.float64])

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


def exact_pvalue(
    alternative: Alternative,
    count: int,
    mirrored: int,
    at_most: Callable[[int], SupportsFloat],
    at_least: Callable[[int], SupportsFloat],
) -> float:
    """Return p of a count whose distribution is that of its mirror image, by its two tails."""
    if alternative == "greater":
        return float(at_least(count))
    below = float(at_most(count if alternative == "less" else min(count, mirrored)))
    return below if alternative == "less" else min(1.0, 2.0 * below)


def toward(values: V, alternative: Alternative) -> V:
    """Return numbers that are the greater, the more they speak for the alternative."""
    if alternative == "two-sided":
        return abs(values)
    return values if alternative == "greater" else -values


def holm(pvalues: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p-values, in the order of ``pvalues``; nan stays nan, a bound a bound.

    Of m defined values, the i-th smallest becomes the largest of (m - j + 1) p_(j) over j <= i, at
    most 1. Holm (1979), Scandinavian Journal of Statistics 6:65-70.
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


Floats = NDArray[np.float64]
Adjustment = Literal["holm", "hochberg", "benjamini-hochberg", "bonferroni"]


def adjusted(pvalues: Floats, method: Adjustment) -> Floats:
    """Return p-values adjusted for their number, in the order given; nan stays nan."""
    if method == "holm":
        return np.array(holm(pvalues.tolist()))
    found = np.full(len(pvalues), np.nan)
    known = np.flatnonzero(~np.isnan(pvalues))
    order, m = known[np.argsort(pvalues[known], kind="stable")], len(known)
    places = np.arange(1, m + 1)
    factors: Any = m / places if method == "benjamini-hochberg" else m - places + 1
    stepped = (m if method == "bonferroni" else factors) * pvalues[order]
    if method != "bonferroni":
        stepped = np.minimum.accumulate(stepped[::-1])[::-1]
    found[order] = np.minimum(stepped, 1.0)
    return found


#: Directions in which the least and the greatest of jointly normal numbers are looked for.
_DIRECTIONS: Final = 1 << 14
_GOLDEN_ANGLE: Final = math.pi * (3.0 - math.sqrt(5.0))
#: Shares of the largest spread below which there is none.
_NO_SPREAD: Final = 1e-12


def max_t_pvalues(
    pvalues: Sequence[float],
    pairs: Sequence[tuple[int, int]],
    covariance: Floats,
    alternative: Alternative = "two-sided",
) -> list[float]:
    """Return step-down max-T p-values of differences of jointly normal estimates, by their pairs.

    The smallest p becomes the chance that any of the numbers, which correlate as the differences
    do, is as extreme; the next one that of any of the others, and so on. None is below its own p or
    above Holm's. A p of nan is not counted; all are nan if the covariance is.

    With r the rank of the covariance of the differences, r normal numbers are a direction and a
    length that does not depend on it: in a direction where the largest difference is m, the chance
    is that of chi-square with r degrees of freedom to pass (z / m)^2, whose mean over directions is
    taken. Of three models it is right to 1e-8 of itself, of four to 1e-4, of five to ten to some
    1e-3. Westfall & Young (1993), Resampling-based multiple testing, 2.6. Hothorn, Bretz & Westfall
    (2008), Biometrical Journal 50:346-363.
    """
    adjusted = [math.nan] * len(pvalues)
    defined = [i for i in range(len(pvalues)) if not math.isnan(pvalues[i])]
    if np.isnan(covariance).any() or not defined:
        return adjusted
    from scipy.special import chdtrc

    order = sorted(defined, key=pvalues.__getitem__)
    rank, most = _largest([pairs[i] for i in order], covariance, alternative)
    bounds = holm(pvalues)
    largest = 0.0
    for place, i in enumerate(order):
        z, chance = -normal_quantile(outside(pvalues[i], alternative)), pvalues[i]
        if z <= 0.0:
            chance = 1.0
        elif math.isfinite(z):
            with np.errstate(divide="ignore"):
                chance = float(chdtrc(rank, (z / most[:, place]) ** 2).mean())
        largest = max(largest, min(max(chance, pvalues[i]), bounds[i]))
        adjusted[i] = largest
    return adjusted


def max_t_of(found: Sequence[Any], covariance: Floats) -> list[float]:
    """Return those of all pairs of comparisons, by the covariance of models by measures."""
    models = [(one.metric, name) for one in found for name in one.names]
    pairs = [pair for one in found for pair in one.pairs]
    at = [(models.index((p.metric, p.a)), models.index((p.metric, p.b))) for p in pairs]
    return max_t_pvalues([p.pvalue for p in pairs], at, covariance, found[0].alternative)


def _largest(
    pairs: list[tuple[int, int]], covariance: Floats, alternative: Alternative
) -> tuple[int, Floats]:
    """Return the rank of some differences, and how large those from each place on are at most.

    In each direction, as a row.
    """
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    rows = np.array([root[a] - root[b] for a, b in pairs])
    norms = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    np.divide(rows, norms, out=rows, where=norms > 0)
    _, sizes, turned = np.linalg.svd(rows, full_matrices=False)
    rank = max(1, int(np.count_nonzero(sizes > _NO_SPREAD * sizes[0])))
    seen = _directions(rank) @ (rows @ turned[:rank].T).T
    seen = np.abs(seen) if alternative == "two-sided" else np.maximum(seen, 0.0)
    return rank, np.maximum.accumulate(seen[:, ::-1], axis=1)[:, ::-1]


def _directions(rank: int) -> Floats:
    """Return unit vectors that are spread evenly, as rows: the same ones each time.

    Equal angles, Fibonacci's spiral, or a sequence of points that fills the sphere (Roberts 2018).
    """
    number = np.arange(_DIRECTIONS) + 0.5
    if rank == 1:
        return np.array([[1.0], [-1.0]])
    if rank == 2:
        angles = number * (2.0 * math.pi / _DIRECTIONS)
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)
    if rank == 3:
        heights, angles = 1.0 - 2.0 * number / _DIRECTIONS, number * _GOLDEN_ANGLE
        circle = np.stack([np.cos(angles), np.sin(angles)]) * np.sqrt(1.0 - heights**2)
        return np.vstack([circle, heights]).T
    from scipy.special import ndtri

    base = 2.0
    for _ in range(64):  # the root of x^(r + 1) = x + 1
        base = (1.0 + base) ** (1.0 / (rank + 1))
    points = ndtri(np.outer(number, base ** -np.arange(1.0, rank + 1)) % 1.0)
    points /= np.sqrt((points**2).sum(axis=1, keepdims=True))
    return np.asarray(points)
