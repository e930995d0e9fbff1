"""Unit deviances of the Tweedie family, and the merging of their sums about a mean.

The deviance of y from m is linear in y but for a term that m is no part of (it is a Bregman
divergence). So the sum about a new reference follows from the sum about an old one and the mean:
what Chan, Golub & LeVeque (1983) do for squares holds for every power, and the deviance from the
mean of all rows needs no second pass over them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Columns of the sums of one output; what follows a sum is the rest that it lost.
DEVIANCE = 0  # of the targets from the predictions
ABOUT = 2  # of the targets from the reference
REFERENCE = 4
N_DEVIANCES = 5


def unit_deviance(y: Floats, mean: Floats | float, power: float) -> Floats:
    """Return the deviance of each y from its mean, which is positive.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Numbers where the deviance is defined: verified, but for numbers that are not finite.
    mean : float or ndarray of shape (n,)
    power : float
        At most 0 (but not 0, where the deviance is the squared difference), or at least 1.

    Returns
    -------
    ndarray

    Notes
    -----
    Written in v = (y - mean) / mean and log1p(v), so that a y near its mean keeps its digits: the
    textbook's form (Jørgensen 1987) cancels to second order, this one to first.
    """
    mean = np.asarray(mean)
    gap = y - mean
    v = gap / mean
    log_ratio = np.log1p(v)
    far = np.flatnonzero(v < -0.5)  # there 1 + v has lost digits of the ratio
    if far.size:
        of_far = mean if mean.ndim == 0 else mean[far]
        log_ratio[far] = np.log(np.maximum(y[far], 0.0) / of_far)
    if power == 1:
        half = y * log_ratio
        half[y == 0] = 0.0
        half -= gap
    elif power == 2:
        half = v - log_ratio
    else:
        rise = np.expm1((2 - power) * log_ratio) / (2 - power)
        half = mean ** (2 - power) * ((rise - v) / (1 - power))
    found: Floats = np.maximum(2.0 * half, 0.0)
    return found


def deviance_sums(
    y: Floats, pred: Floats, weights: Floats, mean: float, total: float, power: float, about: bool
) -> Floats:
    """Return the sums over the rows of one output, whose mean and weight are known."""
    sums = np.zeros(N_DEVIANCES)
    sums[DEVIANCE] = _weighed(unit_deviance(y, pred, power), weights)
    if about:
        # A mean that is no reference (not positive) leaves it to the predictions, which are.
        sums[REFERENCE] = mean if mean > 0 else pred.mean()
        if total > 0:
            sums[ABOUT] = _weighed(unit_deviance(y, sums[REFERENCE], power), weights)
    return sums


def merged_deviances(
    mine: Floats,
    theirs: Floats,
    means: tuple[Floats, Floats, Floats],
    weights: tuple[Floats, Floats],
    power: float,
) -> Floats:
    """Return the sums of two sets of rows together, output by output.

    Parameters
    ----------
    mine, theirs : ndarray of shape (n_outputs, N_DEVIANCES)
    means : three ndarrays of shape (n_outputs,)
        The means of the targets: of mine, of theirs, of all.
    weights : two ndarrays of shape (n_outputs,)
    power : float
    """
    merged = mine.copy()
    _add(merged, DEVIANCE, theirs[:, DEVIANCE], theirs[:, DEVIANCE + 1])
    if not mine[:, REFERENCE].all():  # nothing was summed about a reference
        return merged
    merged[:, REFERENCE] = np.where(means[2] > 0, means[2], mine[:, REFERENCE])
    _add(merged, ABOUT, theirs[:, ABOUT], theirs[:, ABOUT + 1])
    for sums, mean, weight in zip((mine, theirs), means[:2], weights, strict=True):
        moved = unit_deviance(mean, merged[:, REFERENCE], power)
        moved -= unit_deviance(mean, sums[:, REFERENCE], power)
        _add(merged, ABOUT, np.where(weight > 0, weight * moved, 0.0), 0.0)
    return merged


def _weighed(terms: Floats, weights: Floats) -> float:
    return float(terms.sum() if weights.size == 0 else (weights * terms).sum())


def _add(sums: Floats, column: int, terms: Floats, rests: Floats | float) -> None:
    """Add to a column of sums, with Knuth's two-sum."""
    before = sums[:, column].copy()
    total = before + terms
    part = total - before
    sums[:, column] = total
    sums[:, column + 1] += (before - (total - part)) + (terms - part) + rests
