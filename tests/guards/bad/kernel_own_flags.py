"""Bad: a second decorator, its flags loose, numba's settings changed for everybody."""

from __future__ import annotations

import numba
from numba import njit, prange

numba.config.THREADING_LAYER = "omp"
OPTIONS = {"parallel": True}


@njit(fastmath=True)
def total(x):
    s = 0.0
    for i in prange(len(x)):
        s += x[i]
    return s
