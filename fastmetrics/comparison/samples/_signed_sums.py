"""Sums of numbers under choices of their signs, random or given; and p-values of their largest."""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._display.numbers import MonteCarloPValue
from fastmetrics._kernels.differences import CHUNK, add_signed_sums
from fastmetrics._kernels.replicates import resampling
from fastmetrics._threads.workers import run

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]

#: Choices of signs at once, and chunks of numbers: their random bits stay in the L2 cache.
BATCH: Final = 1024
_CHUNKS: Final = 16
#: Sums of many numbers round less than the worst case would have it.
ROUNDING: Final = 1e-12


def random_sums(values: Floats, n_choices: int, key: Words) -> Floats:
    """Return the sum of numbers under each of some random choices of their signs, on all cores.

    The sign of a number in a choice is a function of the key and of the places of both (Philox, see
    ``resampling``), and a sum adds in the order of the numbers: threads change no bit of it.
    """
    rows = padded(values[:, None])
    batches = range(-(-n_choices // BATCH))
    found = run([partial(sums_of_random_signs, rows, key, batch) for batch in batches])
    return np.concatenate(found, axis=1)[0, :n_choices]


def padded(columns: Floats) -> Floats:
    """Return columns as rows, with zeros up to whole chunks of numbers."""
    n_numbers, n_columns = columns.shape
    found = np.zeros((n_columns, -(-n_numbers // CHUNK) * CHUNK))
    found[:, :n_numbers] = columns.T
    return found


def sums_of_random_signs(rows: Floats, key: Words, batch: int) -> Floats:
    """Return the sums of each row of numbers under choice ``batch * BATCH`` and those after it."""
    sums, size = np.zeros((len(rows), BATCH)), _CHUNKS * CHUNK
    words = np.empty(2 * _CHUNKS * BATCH, np.uint64)
    for block, first in enumerate(range(0, rows.shape[1], size)):
        part = rows[:, first : first + size]
        half = part.shape[1] // CHUNK * BATCH
        resampling.philox(key, 0, block, batch, resampling.BITS, half, words)
        for values, found in zip(part, sums, strict=True):
            add_signed_sums(values, words, found)
    return sums


def sums_of_signs(rows: Floats, choices: NDArray[np.int64]) -> Floats:
    """Return the sums of each row of at most 64 numbers under the signs that are bits of choices.

    A bit of 1 is a plus.
    """
    sums = np.zeros((len(rows), len(choices)))
    words = np.concatenate((choices.astype(np.uint64), np.zeros(len(choices), np.uint64)))
    for values, found in zip(rows, sums, strict=True):
        add_signed_sums(values, words, found)
    return sums


def max_t_pvalues(differences: Floats, n_resamples: int, key: NDArray[np.uint64]) -> list[float]:
    """Return step-down max-T p-values that mean differences are 0, of each column (units, columns).

    Under the null hypothesis each unit's differences could as well have the other sign, all of them
    together. The statistic of a column d is |sum d| / sqrt(sum d^2), of variance 1 under these
    flips and as ordered as |t|; a column is adjusted for those that are no larger. All flips are
    taken where these are no more than ``n_resamples``. Westfall & Young (1993), Resampling-based
    multiple testing, 2.8. Romano & Wolf (2005), JASA 100:94-108.
    """
    scales = np.sqrt((differences**2).sum(axis=0))
    pvalues = [1.0] * len(scales)
    varying = np.flatnonzero(scales > 0)
    if not len(varying):
        return pvalues
    moving = differences[:, varying] / scales[varying]
    moving = moving[(moving != 0).any(axis=1)]
    observed = np.abs(moving.sum(axis=0))
    order = np.argsort(-observed, kind="stable")
    moving, observed = moving[:, order], observed[order]
    slack = min(len(moving) * np.finfo(np.float64).eps, ROUNDING) * np.abs(moving).sum(axis=0)
    n_units, rows = len(moving), padded(moving)
    is_exact = n_units - 1 < 62 and 2 ** (n_units - 1) <= n_resamples
    n_flips = 2 ** (n_units - 1) if is_exact else n_resamples

    def counted(batch: int) -> NDArray[np.int64]:
        flips = np.arange(batch * BATCH, min((batch + 1) * BATCH, n_flips))
        if is_exact:
            sums = sums_of_signs(rows, flips)
        else:
            sums = sums_of_random_signs(rows, key, batch)[:, : len(flips)]
        largest = np.maximum.accumulate(np.abs(sums)[::-1], axis=0)[::-1]
        found: NDArray[np.int64] = (largest >= (observed - slack)[:, None]).sum(axis=1)
        return found

    counts = sum(run([partial(counted, batch) for batch in range(-(-n_flips // BATCH))]))
    for column, count in zip(varying[order], np.maximum.accumulate(counts).tolist(), strict=True):
        # all flips hold the data themselves
        pvalues[column] = count / n_flips if is_exact else MonteCarloPValue.of(count, n_flips)
    return pvalues
