"""P-values of several paired differences, adjusted for their number by their joint sign flips."""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._display.numbers import MonteCarloPValue
from fastmetrics._threads.workers import run
from fastmetrics.comparison.samples._signed_sums import (
    BATCH,
    padded,
    sums_of_random_signs,
    sums_of_signs,
)

Floats = NDArray[np.float64]

#: Sums of many numbers round less than the worst case would have it.
_ROUNDING: Final = 1e-12


def max_t_pvalues(differences: Floats, n_resamples: int, key: NDArray[np.uint64]) -> list[float]:
    """Return step-down max-T p-values that mean differences are 0.

    Under the null hypothesis each unit's differences could as well have the other sign, all of them
    together. The statistic of a column d is |sum d| / sqrt(sum d^2), of variance 1 under these
    flips and as ordered as |t|. A column is adjusted for those that are no larger: it keeps the
    chance of any false rejection, for many units, as Holm does, and gains from their correlation.

    Parameters
    ----------
    differences : ndarray of float64, shape (n_units, n_columns)
        0 where a unit has no part in a column.
    n_resamples : int
        Random choices of signs; all of them are taken where these are no more.
    key : ndarray of uint64
        Seed.

    Returns
    -------
    list of float
        Of each column; 1 for a column of zeros.

    References
    ----------
    Westfall & Young (1993), Resampling-based multiple testing, 2.8. Romano & Wolf (2005), JASA
    100:94-108.
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
    slack = min(len(moving) * np.finfo(np.float64).eps, _ROUNDING) * np.abs(moving).sum(axis=0)
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
