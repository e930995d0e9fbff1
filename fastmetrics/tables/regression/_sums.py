"""The sums that regression measures follow from: which are asked for, and one pass that adds them.

The rows are cut into jobs, and a job into pieces where something costs more than arithmetic, at
places that depend on the shape of the data alone. So the sums have the same bits for every number
of threads.

The unit deviance (of the Tweedie family) of y from m is linear in y but for a term that m is no
part of (it is a Bregman divergence). So the sum about a new reference follows from the sum about an
old one and the mean: what Chan, Golub & LeVeque (1983) do for squares holds for every power, and
the deviance from the mean of all rows needs no second pass over them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.domains import LOGARITHMS, of_power
from fastmetrics._input.regression_targets import RegressionRows
from fastmetrics._kernels import errors
from fastmetrics._kernels.deviances import deviance_sums
from fastmetrics._threads.workers import run

Floats = NDArray[np.float64]

#: Numbers of a job, and of a piece: its copies and logarithms stay in the L2 cache, and are small
#: enough (64 KiB) for memory that the C library hands out again without a call to the kernel.
JOB: Final = 1 << 17
PIECE: Final = 1 << 13

# Columns of the sums of one output; what follows a sum is the rest that it lost.
DEVIANCE = 0  # of the targets from the predictions
ABOUT = 2  # of the targets from the reference
REFERENCE = 4
N_DEVIANCES = 5


@dataclass(frozen=True, slots=True)
class Terms:
    """What is asked for beside the errors and their squares.

    ``powers`` holds those of the Tweedie deviances, and whether the deviance from the mean is
    asked for too.
    """

    asked: int = 0
    log_errors: bool = False
    powers: frozenset[tuple[float, bool]] = frozenset()

    def __or__(self, other: Terms) -> Terms:
        """Return what either asks for."""
        powers = dict(sorted(self.powers | other.powers))  # (power, True) comes last, and stays
        return Terms(
            self.asked | other.asked,
            self.log_errors or other.log_errors,
            frozenset(powers.items()),
        )

    def __contains__(self, other: Terms) -> bool:
        """Return whether this asks for all that the other does."""
        if other.asked & ~self.asked or other.log_errors > self.log_errors:
            return False
        return not other.powers or self | other == self


@dataclass(slots=True, eq=False)
class Sums:
    """Sums over rows: those of the errors, of their logarithms, and of each power's deviances."""

    of_errors: Floats
    of_logs: Floats | None
    of_powers: dict[float, Floats]

    @property
    def weights(self) -> Floats:
        """The total weight, once for each output."""
        return np.asarray(self.of_errors[:, errors.WEIGHT] + self.of_errors[:, errors.WEIGHT + 1])

    @property
    def means(self) -> Floats:
        """The mean of the targets of each output."""
        column = errors.TARGET_MEAN
        return np.asarray(self.of_errors[:, column] + self.of_errors[:, column + 1])

    def mean(self, sums: Floats, column: int) -> Floats:
        """Return a sum with its rest, which is left out if the sum has overflowed, over the weight.

        ``sums`` are some of these, with an output in each row.
        """
        if len(sums) == 1:  # one number, for which arrays would take most of a small call's time
            high, low = sums.item(column), sums.item(column + 1)
            weight = self.of_errors.item(errors.WEIGHT) + self.of_errors.item(errors.WEIGHT + 1)
            return np.array([(high + low if math.isfinite(high) else high) / weight])
        with np.errstate(all="ignore"):
            highs, lows = sums[:, column], sums[:, column + 1]
            found: Floats = np.where(np.isfinite(highs), highs + lows, highs) / self.weights
        return found

    def copy(self) -> Sums:
        logs = None if self.of_logs is None else self.of_logs.copy()
        powers = {power: sums.copy() for power, sums in self.of_powers.items()}
        return Sums(self.of_errors.copy(), logs, powers)

    def add(self, other: Sums) -> None:
        """Add the sums over other rows, which hold the same terms."""
        before = self.means, self.weights
        with np.errstate(all="ignore"):
            errors.merge_error_sums(self.of_errors, other.of_errors)
            if self.of_logs is not None:
                errors.merge_error_sums(self.of_logs, other.of_logs)
            for power in self.of_powers:
                self._add_deviances(power, other, *before)

    def _add_deviances(self, power: float, other: Sums, means: Floats, weights: Floats) -> None:
        """Add the deviances of other rows; the means and weights are those of mine before."""
        mine, theirs = self.of_powers[power], other.of_powers[power]
        merged = mine.copy()
        _add(merged, DEVIANCE, theirs[:, DEVIANCE], theirs[:, DEVIANCE + 1])
        if mine[:, REFERENCE].all():  # else nothing was summed about a reference
            merged[:, REFERENCE] = np.where(self.means > 0, self.means, mine[:, REFERENCE])
            _add(merged, ABOUT, theirs[:, ABOUT], theirs[:, ABOUT + 1])
            of_both = (mine, means, weights), (theirs, other.means, other.weights)
            for sums, mean, weight in of_both:
                moved = _deviances(mean, merged[:, REFERENCE], power)
                moved -= _deviances(mean, sums[:, REFERENCE], power)
                _add(merged, ABOUT, np.where(weight > 0, weight * moved, 0.0), 0.0)
        self.of_powers[power] = merged


def add_up(rows: RegressionRows, terms: Terms) -> Sums:
    """Return the sums over all rows, or raise for what is not finite, or has no such term."""
    n, size = rows.n_samples, max(errors.BLOCK, JOB // rows.n_outputs)
    jobs: list[Callable[[], tuple[Sums, bool]]] = [
        partial(_job, rows, terms, first, min(first + size, n)) for first in range(0, n, size)
    ]
    done = run(jobs)
    total, is_sound = done[0]
    for sums, is_sound_here in done[1:]:
        is_sound &= is_sound_here
        total.add(sums)
    if not is_sound:  # raise, or an error overflows, and so does the measure
        rows.recheck()
        if terms.log_errors:
            rows.recheck_domain(LOGARITHMS)
        for power, _ in sorted(terms.powers):
            rows.recheck_domain(of_power(power))
    return total


def _job(rows: RegressionRows, terms: Terms, first: int, last: int) -> tuple[Sums, bool]:
    """Return the sums over some rows, and whether all is finite and defined there."""
    in_place = rows.is_canonical and not terms.log_errors
    if in_place and not terms.powers:  # machine code warns of no overflow
        return _piece(rows, terms, first, last)
    size = last - first if in_place else max(errors.LANES, PIECE // rows.n_outputs)
    with np.errstate(all="ignore"):
        total, is_sound = _piece(rows, terms, first, min(first + size, last))
        for start in range(first + size, last, size):
            sums, is_sound_here = _piece(rows, terms, start, min(start + size, last))
            is_sound &= is_sound_here
            total.add(sums)
    return total, is_sound


def _piece(rows: RegressionRows, terms: Terms, first: int, last: int) -> tuple[Sums, bool]:
    y_true, y_pred, weights = rows.piece(first, last)
    k = rows.n_outputs
    sums = Sums(np.zeros((k, errors.N_SUMS)), None, {})
    is_sound = errors.error_sums(y_true, y_pred, k, weights, terms.asked, sums.of_errors)
    for power, about in terms.powers:
        found = add_deviances(y_true, y_pred, weights, (sums.means, sums.weights), power, about)
        sums.of_powers[power] = found[0]
        is_sound = is_sound and found[1]
    if terms.log_errors:
        sums.of_logs = np.zeros((k, errors.N_SUMS))
        logs = (np.log1p(each, dtype=np.float64) for each in (y_true, y_pred))
        is_sound &= errors.error_sums(*logs, k, weights, 0, sums.of_logs)
    return sums, bool(is_sound)


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
