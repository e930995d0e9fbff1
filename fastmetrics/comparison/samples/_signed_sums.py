"""Sums of numbers under choices of their signs, random or given."""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels.differences import CHUNK, add_signed_sums
from fastmetrics._kernels.replicates import resampling
from fastmetrics._threads.workers import run

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]

#: Choices of signs at once, and chunks of numbers: their random bits stay in the L2 cache.
BATCH: Final = 1024
_CHUNKS: Final = 16


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
