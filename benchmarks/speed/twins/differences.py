"""Naive twins of the kernels for differences: sums of pairs, under signs, and deviances.

Pairs of calls as in ``curves.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed.data import SEED, Data
from benchmarks.speed.twins.curves import Pair
from fastmetrics._kernels import concordance, errors

Floats = NDArray[np.float64]


def _numbers(data: Data) -> tuple[Floats, NDArray[np.int64]]:
    """Return the distinct scores, and how many there are before each, and in all."""
    values, counts = np.unique(data.scores.astype(np.float64), return_counts=True)
    return values, np.concatenate(([0], np.cumsum(counts)))


def count_pair_sums(data: Data) -> Pair:
    values, before = _numbers(data)
    low, high = 2 * values[len(values) // 3], 2 * values[len(values) // 2]

    def ours() -> tuple[Any, ...]:
        counts = np.empty(4, np.int64)
        concordance.count_pair_sums(values, before, low, high, counts)
        return (counts,)

    def twin() -> tuple[Any, ...]:
        i, j = np.triu_indices(len(values))
        counts = np.diff(before)
        pairs = np.where(i == j, counts[i] * (counts[i] + 1) // 2, counts[i] * counts[j])
        below = [values[i] + values[j] <= bound for bound in (low, high)]
        return (np.array([*(pairs[part].sum() for part in below), *map(np.sum, below)]),)

    return ours, twin


def write_pair_sums(data: Data) -> Pair:
    """Write about as many sums as there are numbers."""
    values, before = _numbers(data)
    low = high = values[0] + values[-1]
    high += (values[-1] - values[0]) / len(values)
    counts = np.empty(4, np.int64)
    concordance.count_pair_sums(values, before, low, high, counts)
    sums, pairs = np.empty(counts[3] - counts[2]), np.empty(counts[3] - counts[2], np.int64)

    def ours() -> tuple[Any, ...]:
        concordance.write_pair_sums(values, before, low, high, sums, pairs)
        order = np.argsort(sums, kind="stable")
        return sums[order], int(pairs.sum())

    def twin() -> tuple[Any, ...]:
        i, j = np.triu_indices(len(values))
        found = values[i] + values[j]
        inside = np.flatnonzero((found > low) & (found <= high))
        counts = np.diff(before)
        pairs = np.where(i == j, counts[i] * (counts[i] + 1) // 2, counts[i] * counts[j])
        return np.sort(found[inside]), int(pairs[inside].sum())

    return ours, twin


def signed_sums_of_choices(data: Data) -> Pair:
    """Sum the scores under a hundred choices of their signs."""
    size = -(-len(data.scores) // concordance.CHUNK) * concordance.CHUNK
    values = np.zeros(size)
    values[: len(data.scores)] = data.scores
    words = np.random.default_rng(SEED).integers(0, 2**64, (2, size // 128, 100), dtype=np.uint64)

    def ours() -> tuple[Any, ...]:
        sums = np.zeros(100)
        concordance.add_signed_sums(values, words.ravel(), sums)
        return (sums,)

    def twin() -> tuple[Any, ...]:
        found = np.empty(100)
        for choice in range(100):
            own = np.ascontiguousarray(words[:, :, choice].T).view(np.uint8)
            signs = 2.0 * np.unpackbits(own.ravel(), bitorder="little") - 1.0
            found[choice] = (signs * values).sum()
        return (found,)

    return ours, twin


def tweedie_deviances(data: Data) -> Pair:
    """Sum deviances of three powers of positive targets, which are near their predictions."""
    p = np.exp(data.scores.astype(np.float64) / 4)
    y, w = p * np.exp(np.random.default_rng(SEED).normal(size=len(p)) / 2), data.weights

    def ours() -> tuple[Any, ...]:
        sums = np.zeros((4, 2))
        for power, found in zip((1.0, 2.0, 1.7), sums, strict=False):
            errors.deviance_sums(y, p, 1, 0, 0.0, w, power, found)
        errors.deviance_sums(y, p, 1, 0, 0.0, np.empty(0), 2.0, sums[3])
        return (sums.sum(axis=1),)

    def twin() -> tuple[Any, ...]:
        poisson = y * np.log(y / p) - y + p
        gamma = y / p - 1.0 - np.log(y / p)
        other = (y**0.3 / 0.3 - y * p**-0.7) / -0.7 + p**0.3 / 0.3
        weighed = [w @ terms for terms in (poisson, gamma, other)]
        return (2.0 * np.array([*weighed, gamma.sum()]),)

    return ours, twin


TWINS: dict[Callable[[Data], Pair], tuple[tuple[str, ...], bool]] = {
    count_pair_sums: (("concordance:count_pair_sums",), True),
    write_pair_sums: (("concordance:write_pair_sums",), True),
    signed_sums_of_choices: (
        ("concordance:add_signed_sums", "concordance:sums_of_choices"),
        False,
    ),
    tweedie_deviances: (
        tuple(
            f"errors:{name}"
            for name in (
                *("deviance_sums", "split_logs", "split_powers", "powers_of_two"),
                *("count_abnormal", "mend_logs", "add", "add_terms"),
                "gamma_by_product",
            )
        ),
        False,
    ),
}
