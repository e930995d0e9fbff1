"""Sums over the rows of a table, by pieces that stay in cache, on all threads.

NumPy's logarithms and exponentials run on vectors where a compiled loop calls the C library for
each number, so that a pass by pieces is faster than a kernel here. Which rows form a piece depends
on the table alone, and the sums of pieces are added by ``math.fsum``: threads change no bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._threads.workers import run

Floats = NDArray[np.float64]

#: Rows of a piece: a dozen columns of float64 in the L2 cache.
PIECE: Final = 1 << 13
#: Pieces of a job.
_PIECES: Final = 16


def sums_of(terms: Callable[..., Sequence[float]], columns: Sequence[NDArray[Any]]) -> list[float]:
    """Return the sums over all pieces of what ``terms`` returns for the columns of one."""
    n_rows = len(columns[0])

    def job(first: int) -> list[Sequence[float]]:
        last = min(first + PIECE * _PIECES, n_rows)
        with np.errstate(all="ignore"):
            return [
                terms(*(column[start : min(start + PIECE, last)] for column in columns))
                for start in range(first, last, PIECE)
            ]

    jobs = [partial(job, first) for first in range(0, n_rows, PIECE * _PIECES)]
    pieces = [piece for found in run(jobs) for piece in found]
    return [_total(parts) for parts in zip(*pieces, strict=True)]


def _total(parts: Sequence[float]) -> float:
    """Return the sum, rounded once; inf or nan where a part is."""
    try:
        return math.fsum(parts)
    except (OverflowError, ValueError):
        return float(np.sum(parts))
