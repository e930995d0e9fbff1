"""The sum of numbers with random signs: its exact tail, and random draws of it."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics.comparison.samples._differences import starts_of_ties

Floats = NDArray[np.float64]

LARGEST: Final = 1 << 20
"""Sums of one half of the magnitudes, at most."""

_BLOCK: Final = 1 << 20


class SignSums(NamedTuple):
    """Distinct magnitudes of the numbers other than 0, and how many there are of each."""

    magnitudes: Floats
    counts: NDArray[np.int64]


def magnitudes_of(values: Floats, roundings: Floats) -> SignSums:
    """Group the magnitudes of numbers other than 0; those equal up to rounding are one."""
    order = np.argsort(np.abs(values))
    found = np.abs(values)[order]
    starts = starts_of_ties(found, roundings[order])
    return SignSums(found[starts], np.diff(starts, append=len(found)))


def exact_tail(sums: SignSums, least: float) -> float | None:
    """Return P(sum of the numbers with random signs >= ``least``); None if too much work.

    Notes
    -----
    c numbers of one magnitude m sum to m (2 X - c), X ~ Binomial(c, 1/2). The magnitudes are split
    into two halves; for each sum of the one, the tail of the other is looked up: of 2^n signs, some
    2^(n/2) are gone through, and fewer where magnitudes repeat.
    """
    halves = _halves(sums.counts)
    if halves is None:
        return None
    first, second = (_distribution(sums.magnitudes[half], sums.counts[half]) for half in halves)
    order = np.argsort(second[0])
    values = second[0][order]
    tails = np.append(np.cumsum(second[1][order][::-1])[::-1], 0.0)
    places = np.searchsorted(values, least - first[0], side="left")
    return min(1.0, float(first[1] @ tails[places]))


def _halves(counts: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
    """Split the magnitudes so that both halves have few sums; None if one has too many."""
    order = np.argsort(-counts, kind="stable")
    sizes, halves = [1, 1], ([], [])  # type: ignore[var-annotated]
    for i in order.tolist():
        smaller = int(sizes[1] < sizes[0])
        sizes[smaller] *= int(counts[i]) + 1
        if sizes[smaller] > LARGEST:
            return None
        halves[smaller].append(i)
    return np.array(halves[0], np.intp), np.array(halves[1], np.intp)


def _distribution(magnitudes: Floats, counts: NDArray[np.int64]) -> tuple[Floats, Floats]:
    from scipy.stats import binom

    values, shares = np.zeros(1), np.ones(1)
    for magnitude, count in zip(magnitudes.tolist(), counts.tolist(), strict=True):
        steps = np.arange(count + 1)
        of_one = binom.pmf(steps, count, 0.5) if count > 1 else np.array([0.5, 0.5])
        values = np.add.outer(values, magnitude * (2.0 * steps - count)).ravel()
        shares = np.multiply.outer(shares, of_one).ravel()
    return values, shares


def random_sums(values: Floats, n_resamples: int, rng: np.random.Generator) -> Floats:
    """Return the sum of the numbers for each of ``n_resamples`` random choices of signs."""
    found = np.empty(n_resamples)
    n = len(values)
    size = max(1, _BLOCK // n)
    total = values.sum()
    for start in range(0, n_resamples, size):
        count = min(size, n_resamples - start)
        coins = np.frombuffer(rng.bytes(count * -(-n // 8)), np.uint8).reshape(count, -1)
        signs = np.unpackbits(coins, axis=1, count=n)
        found[start : start + count] = 2.0 * (signs @ values) - total
    return found
