"""Unit deviances of the Tweedie family, and the merging of their sums about a mean.

The deviance of y from m is linear in y but for a term that m is no part of (it is a Bregman
divergence). So the sum about a new reference follows from the sum about an old one and the mean:
what Chan, Golub & LeVeque (1983) do for squares holds for every power, and the deviance from the
mean of all rows needs no second pass over them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels.deviances import deviance_sums

Floats = NDArray[np.float64]

# Columns of the sums of one output; what follows a sum is the rest that it lost.
DEVIANCE = 0  # of the targets from the predictions
ABOUT = 2  # of the targets from the reference
REFERENCE = 4
N_DEVIANCES = 5


def add_deviances(
    y: NDArray[np.generic],
    pred: NDArray[np.generic],
    weights: Floats,
    means: tuple[Floats, Floats],
    power: float,
    about: bool,
) -> tuple[Floats, bool]:
    """Return the sums over rows of outputs, and whether the deviance is defined for all of them.

    ``means`` are those of the targets of each output, and the total weights.
    """
    n_outputs = len(means[0])
    sums = np.zeros((n_outputs, N_DEVIANCES))
    is_sound = True
    for j, (mean, total) in enumerate(zip(*means, strict=True)):
        found = sums[j, DEVIANCE : DEVIANCE + 2]
        is_sound &= deviance_sums(y, pred, n_outputs, j, 0.0, weights, power, found)
        if about:
            # A mean that is no reference (not positive) leaves it to the predictions, which are.
            column = pred.reshape(-1, n_outputs)[:, j]
            reference = mean if mean > 0 else column.mean(dtype=np.float64)
            sums[j, REFERENCE] = reference
            if total > 0:
                found = sums[j, ABOUT : ABOUT + 2]
                deviance_sums(y, pred, n_outputs, j, float(reference), weights, power, found)
    return sums, bool(is_sound)


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
        moved = _deviances(mean, merged[:, REFERENCE], power)
        moved -= _deviances(mean, sums[:, REFERENCE], power)
        _add(merged, ABOUT, np.where(weight > 0, weight * moved, 0.0), 0.0)
    return merged


def _deviances(y: Floats, reference: Floats, power: float) -> Floats:
    """Return the deviance of each number from its reference."""
    found = np.zeros((len(y), 2))
    for j, (one, other) in enumerate(zip(y, reference, strict=True)):
        deviance_sums(np.array([one]), np.array([other]), 1, 0, 0.0, np.empty(0), power, found[j])
    return found[:, 0]


def _add(sums: Floats, column: int, terms: Floats, rests: Floats | float) -> None:
    """Add to a column of sums, with Knuth's two-sum."""
    before = sums[:, column].copy()
    total = before + terms
    part = total - before
    sums[:, column] = total
    sums[:, column + 1] += (before - (total - part)) + (terms - part) + rests
