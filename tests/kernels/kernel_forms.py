"""Kernels as tests call them: compiled, or their Python functions if `NUMBA_DISABLE_JIT` is set."""

import os

import numpy as np

from fastmetrics.inference.bootstrap._samples import fill_totals

IS_COMPILED = os.environ.get("NUMBA_DISABLE_JIT") != "1"


def totals_of(key, first, count, stratum, sizes):
    """Return multinomial totals as `fill_totals` has them drawn."""
    sizes, totals = np.array(sizes, np.int64), np.full((count, len(sizes)), -1)
    fill_totals(key, first, stratum, sizes, totals)
    return totals
