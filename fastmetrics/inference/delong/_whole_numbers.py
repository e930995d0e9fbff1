"""Sums of products and quadratic forms in whole numbers: exact, whatever their size."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels.curve_kernels import sums_of_products
from fastmetrics._threads.workers import run

_CHUNK_BITS: Final = 13
"""A chunk has 2**13 rows: a few models of it fit a cache, and its sums fit int64 if each product
has at most 63 - 13 bits."""
_COUNT_BITS: Final = 12
_JOB_CHUNKS: Final = 16


def exact_gram(
    values: NDArray[Any], counts: NDArray[Any] | None = None, n_threads: int | None = None
) -> NDArray[Any]:
    """Return sum_i counts_i values_ki values_li for each pair of rows k and l.

    Parameters
    ----------
    values : ndarray of shape (k, n)
        Whole numbers >= 0 (int64, or Python integers of any size).
    counts : ndarray of int8 or int64, shape (n,), optional
        How often each column counts, >= 0; once by default.
    n_threads : int, optional
        Threads to use.

    Returns
    -------
    ndarray of object, shape (k, k)
        Python integers.

    Notes
    -----
    O(k^2 n) in int64. Numbers too large for that are cut in two halves of their bits, and the
    sums over the halves are put together.
    """
    k, n = values.shape
    if n == 0:
        return np.zeros((k, k), object)
    if counts is None:
        counts = np.ones(n, np.int8)
    total: NDArray[Any]
    bits = int(values.max()).bit_length()
    count_bits = max(0, int(counts.max()) - 1).bit_length()
    if count_bits > _COUNT_BITS:
        half = (count_bits + 1) // 2
        total = exact_gram(values, counts >> half, n_threads) << half
        total += exact_gram(values, counts & ((1 << half) - 1), n_threads)
        return total
    if 2 * bits + count_bits + _CHUNK_BITS > 63:
        half = (bits + 1) // 2
        halves = np.concatenate([values >> half, values & ((1 << half) - 1)])
        parts = exact_gram(halves, counts, n_threads)
        total = parts[:k, :k] << 2 * half
        total += ((parts[:k, k:] + parts[k:, :k]) << half) + parts[k:, k:]
        return total
    values = values.astype(np.int64, copy=False)
    chunk = 1 << _CHUNK_BITS
    sums = np.empty((-(-n // chunk), k, k), np.int64)
    jobs = []
    for first in range(0, len(sums), _JOB_CHUNKS):
        here = sums[first : first + _JOB_CHUNKS]
        jobs.append(partial(sums_of_products, values, counts, first, chunk, here))
    run(jobs, n_threads)
    return np.asarray(sums.astype(object).sum(axis=0))


def quadratic_form(
    matrix: Sequence[Sequence[int]], vector: Sequence[int]
) -> tuple[Fraction | None, int]:
    """Return v' M^- v and the rank of M, for M positive semi-definite.

    Parameters
    ----------
    matrix : sequence of shape (k, k)
        Whole numbers; symmetric, positive semi-definite.
    vector : sequence of shape (k,)
        Whole numbers.

    Returns
    -------
    value : Fraction or None
        The same for every generalised inverse; None where the vector is not in the range of M:
        then it differs from 0 in a direction in which M is 0.
    rank : int
        Of M, exact.

    Notes
    -----
    Bareiss's elimination of [[M, v], [v', 0]] without fractions: O(k^3) products of long integers.
    In a positive semi-definite matrix a pivot of 0 has a row of 0: it is passed over.

    References
    ----------
    Bareiss (1968), Sylvester's identity and multistep integer-preserving Gaussian elimination,
    Mathematics of Computation 22:565-578.
    """
    size = len(vector)
    rows = [[*row, entry] for row, entry in zip(matrix, vector, strict=True)] + [[*vector, 0]]
    rank, last, is_inside = 0, 1, True
    for j in range(size):
        pivot_row, pivot = rows[j], rows[j][j]
        if pivot == 0:
            is_inside = is_inside and pivot_row[size] == 0
            continue
        for i in range(j + 1, size + 1):
            row, factor = rows[i], pivot_row[i]
            for k in range(i, size + 1):  # what is above the diagonal is enough
                row[k] = (row[k] * pivot - factor * pivot_row[k]) // last
        rank, last = rank + 1, pivot
    return (Fraction(-rows[size][size], last) if is_inside else None), rank
