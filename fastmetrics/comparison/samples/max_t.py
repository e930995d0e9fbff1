"""P-values of several paired differences, adjusted for their number by their joint sign flips."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Sums of many numbers round less than the worst case would have it.
_ROUNDING: Final = 1e-12
#: Choices of signs at once.
_FLIPS: Final = 1 << 15
#: All signs of eight units.
_SIGNS: Final = 1.0 - 2.0 * ((np.arange(256)[:, None] >> np.arange(8)) & 1)


def max_t_pvalues(differences: Floats, n_resamples: int, key: NDArray[np.uint64]) -> Floats:
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
    ndarray of float64, shape (n_columns,)
        1 for a column of zeros.

    References
    ----------
    Westfall & Young (1993), Resampling-based multiple testing, 2.8. Romano & Wolf (2005), JASA
    100:94-108.
    """
    scales = np.sqrt((differences**2).sum(axis=0))
    pvalues = np.ones(len(scales))
    varying = np.flatnonzero(scales > 0)
    if not len(varying):
        return pvalues
    moving = differences[:, varying] / scales[varying]
    moving = moving[(moving != 0).any(axis=1)]
    observed = np.abs(moving.sum(axis=0))
    order = np.argsort(-observed, kind="stable")
    moving, observed = moving[:, order], observed[order]
    slack = min(len(moving) * np.finfo(np.float64).eps, _ROUNDING) * np.abs(moving).sum(axis=0)
    n_units = len(moving)
    is_exact = n_units - 1 < 62 and 2 ** (n_units - 1) <= n_resamples
    n_flips = 2 ** (n_units - 1) if is_exact else n_resamples
    counts, rng = np.zeros(len(observed), np.int64), np.random.default_rng(key)
    for start in range(0, n_flips, _FLIPS):
        flips = np.arange(start, min(start + _FLIPS, n_flips))
        sums = np.abs(_flipped(moving, flips, None if is_exact else rng))
        largest = np.maximum.accumulate(sums[:, ::-1], axis=1)[:, ::-1]
        counts += np.count_nonzero(largest >= observed - slack, axis=0)
    own = 0 if is_exact else 1  # all flips hold the data themselves
    stepped = np.maximum.accumulate((counts + own) / (n_flips + own))
    pvalues[varying[order]] = stepped
    return pvalues


def _flipped(moving: Floats, flips: NDArray[np.int64], rng: np.random.Generator | None) -> Floats:
    """Return the sums of the columns under flips: random ones, or those of the bits of numbers.

    Eight units have 256 choices of signs, whose sums are looked up.
    """
    sums = np.zeros((len(flips), moving.shape[1]))
    for first in range(0, len(moving), 8):
        units = moving[first : first + 8]
        of_choices = _SIGNS[:, : len(units)] @ units
        bits = (
            (flips >> first) & 255
            if rng is None
            else np.frombuffer(rng.bytes(len(flips)), np.uint8)
        )
        sums += of_choices[bits]
    return sums
