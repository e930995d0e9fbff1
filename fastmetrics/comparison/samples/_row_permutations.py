"""Cochran's null distribution: each row's right answers fall on any of the models alike."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]

_STEPS: Final = 200_000
"""Of some microseconds each."""

_PATTERNS: Final = 1 << 12
_BLOCK: Final = 1 << 20


def exact_pvalue(row_sums: Counts, n_models: int, squares: int) -> float | None:
    """Return P(sum of squared column sums >= ``squares``); None where that takes too many steps.

    Parameters
    ----------
    row_sums : ndarray of int64, shape (n_models + 1,)
        How many rows have 0, 1, ... right answers.
    n_models : int
    squares : int
        Of the column sums that were observed.

    Notes
    -----
    One row after the other; column sums that are permutations of one another are one state, as
    every row treats the columns alike. Weights are integers, so that nothing is rounded.
    """
    if _steps(row_sums, n_models) > _STEPS:
        return None
    states: dict[tuple[int, ...], int] = {(0,) * n_models: 1}
    for n_right in range(1, n_models):
        patterns = list(combinations(range(n_models), n_right))
        for _ in range(int(row_sums[n_right])):
            states = _after_one_row(states, patterns)
    total = sum(states.values())
    shared = int(row_sums[n_models])
    extreme = sum(
        weight
        for sums, weight in states.items()
        if sum((one + shared) ** 2 for one in sums) >= squares
    )
    return extreme / total


def _steps(row_sums: Counts, n_models: int) -> float:
    """Return about how many steps the exact distribution takes at most.

    After r rows the sorted column sums are at most as many as the middle coefficient of the
    Gaussian binomial [r + M over M], whose coefficients have the total C(r + M, M) and the variance
    M r (r + M + 1) / 12.
    """
    steps, r = 0.0, 0
    for n_right in range(1, n_models):
        patterns = math.comb(n_models, n_right)
        for _ in range(int(row_sums[n_right])):
            spread = math.sqrt(2 * math.pi * n_models * r * (r + n_models + 1) / 12)
            steps += patterns * math.comb(r + n_models, n_models) / max(1.0, spread)
            if steps > _STEPS:
                return math.inf
            r += 1
    return steps


def _after_one_row(
    states: dict[tuple[int, ...], int], patterns: list[tuple[int, ...]]
) -> dict[tuple[int, ...], int]:
    found: dict[tuple[int, ...], int] = {}
    for sums, weight in states.items():
        for pattern in patterns:
            after = list(sums)
            for column in pattern:
                after[column] += 1
            after.sort()
            key = tuple(after)
            found[key] = found.get(key, 0) + weight
    return found


def random_squares(
    row_sums: Counts, n_models: int, n_resamples: int, rng: np.random.Generator
) -> Counts:
    """Return the sum of squared column sums of each of ``n_resamples`` random arrangements."""
    found = np.empty(n_resamples, np.int64)
    few = 2**n_models <= _PATTERNS
    width = 2**n_models if few else n_models * max(1, int(row_sums.sum()))
    size = max(1, _BLOCK // width)
    for start in range(0, n_resamples, size):
        count = min(size, n_resamples - start)
        sums = np.full((count, n_models), row_sums[n_models], np.int64)
        for n_right in range(1, n_models):
            if row_sums[n_right]:
                draw = _by_patterns if few else _by_rows
                sums += draw(int(row_sums[n_right]), n_right, n_models, count, rng)
        found[start : start + count] = (sums**2).sum(axis=1)
    return found


def _by_patterns(
    n: int, n_right: int, n_models: int, count: int, rng: np.random.Generator
) -> Counts:
    """Draw how many rows have each pattern of right answers, not the rows themselves."""
    chosen = list(combinations(range(n_models), n_right))
    patterns = np.zeros((len(chosen), n_models), np.int64)
    np.put_along_axis(patterns, np.array(chosen), 1, axis=1)
    drawn = rng.multinomial(n, np.full(len(chosen), 1.0 / len(chosen)), size=count)
    return np.asarray(drawn @ patterns, np.int64)


def _by_rows(n: int, n_right: int, n_models: int, count: int, rng: np.random.Generator) -> Counts:
    """Draw the right answers row by row, some rows at a time."""
    sums = np.zeros((count, n_models), np.int64)
    size = max(1, _BLOCK // n_models)
    for number in range(count):
        for start in range(0, n, size):
            keys = rng.random((min(size, n - start), n_models))
            right = np.argpartition(keys, n_right - 1, axis=1)[:, :n_right]
            sums[number] += np.bincount(right.ravel(), minlength=n_models)
    return sums
