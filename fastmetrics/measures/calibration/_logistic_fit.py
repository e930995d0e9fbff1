"""Logistic regression of labels on one column, by Newton's method on moments of runs of rows.

The likelihood is a sum of smooth functions of the logits. Rows of a table come in order: those of
a run lie so near to one another that five terms of a Taylor series give their part of the sum to
twelve digits. So the rows are read once, and the fit and all limits of it are found on the runs, of
which there are about a thousand.

Where a class has few rows, or the classes hardly overlap, the likelihood is all but flat in places,
and differences of large sums would be lost in rounding. So residuals are summed class by class,
logits are measured from where the classes overlap least, and a search along a line keeps a bracket.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels.losses import MOMENTS, moments_of_runs
from fastmetrics._threads.workers import run
from fastmetrics.measures.calibration._probability_table import Floats, sums_of

#: Newton steps at most; ten are many, but a hundred where the classes hardly overlap.
_STEPS: Final = 300
#: The last step promises less, in units of the log-likelihood, ...
_SMALL: Final = 1e-15
#: ... and moves no fitted logit further.
_NEAR: Final = 1e-6
#: A logit beyond which a probability is 0, whatever is done with it.
_STEEP: Final = 700.0
#: The widest that a run may be times the slope, or half of it: what the series leaves out is the
#: sixth power of it by 720, at most 1e-12 of the sum.
_WIDTH: Final = 2.0**-6
#: What deriving brings down of the powers 1 to 5, and again of 2 to 5.
_ONCE: Final = np.arange(1.0, 6.0)[:, None]
_TWICE: Final = _ONCE[1:] * _ONCE[:-1]
#: Rows of a job.
_JOB: Final = 1 << 17


class Columns(NamedTuple):
    """The logits of a table's rows, descending, with the weight of each class there."""

    logits: Floats
    positives: NDArray[Any]
    negatives: NDArray[Any]


def overlaps(columns: Columns) -> list[tuple[float, float]]:
    """Return the highest logit of either class with the lowest of the other.

    The classes overlap where the first is above the second, in both cases.
    """
    x, *classes = columns
    highest = [float(x[first_row(column)]) for column in classes]
    lowest = [float(x[-1 - first_row(column[::-1])]) for column in classes]
    return list(zip(highest, lowest[::-1], strict=True))


def first_row(column: NDArray[Any]) -> int:
    """Return the first row that has any weight, the number of rows if none has."""
    has = column != 0
    return int(np.argmax(has)) if has.any() else len(column)


class Fit(NamedTuple):
    """A line, the gradient of the log-likelihood there, and the information.

    The line is known by its level at the likelihood's centre, a row where the classes overlap
    least, and the information by weights of rows: their sum, the mean of the logits, from the
    centre, and the sum of squares about it.
    """

    level: float
    slope: float
    gradient: tuple[float, float]
    weight: float
    mean: float
    spread: float


class Likelihood:
    """The likelihood of lines through the logits of rows of both classes."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.centre = min(overlaps(columns), key=lambda ends: ends[0] - ends[1])[0]
        self._ends = [float(columns.logits[row]) - self.centre for row in (0, -1)]
        self._refine(1.0)

    def fit(self) -> Fit:
        """Climb to the top by Newton's steps, halved until the likelihood grows as it should."""
        here, is_near = self.at(0.0, 0.0), False
        for _ in range(_STEPS):
            if is_near:
                break
            gradient = here.gradient
            turn = (gradient[1] - here.mean * gradient[0]) / here.spread
            step = gradient[0] / here.weight - here.mean * turn, turn
            rise = gradient[0] * step[0] + gradient[1] * step[1]
            share = 1.0
            if rise > 1e-2:  # nearer to the top the full step is right
                height = self.logarithm(here.level, here.slope)
                while share > 2.0**-60:
                    there = here.level + share * step[0], here.slope + share * step[1]
                    if self.logarithm(*there) > height + 1e-4 * share * rise:
                        break
                    share /= 2.0
            is_near = rise < _SMALL and self._reach(step) < _NEAR
            here = self.at(here.level + share * step[0], here.slope + share * step[1])
        return here

    def fit_along(self, level: float, slope: float, direction: tuple[float, float]) -> Fit:
        """Return the top on the lines that are this one plus a multiple of ``direction``.

        Newton's steps in a bracket; until there is one, of lengths that grow from one to the next.
        """
        low, high, moved, is_near = -math.inf, math.inf, 0.0, False
        reach = self._reach(direction)
        longest = 8.0 / reach
        for _ in range(_STEPS):
            here = self.at(level + moved * direction[0], slope + moved * direction[1])
            gradient = here.gradient[0] * direction[0] + here.gradient[1] * direction[1]
            if is_near or gradient == 0.0:
                break
            at_mean = direction[0] + direction[1] * here.mean
            information = here.weight * at_mean**2 + here.spread * direction[1] ** 2
            low, high = (moved, high) if gradient > 0.0 else (low, moved)
            step = gradient / information if information else math.copysign(math.inf, gradient)
            is_near = gradient * step < _SMALL and reach * abs(step) < _NEAR
            if math.isinf(high - low):
                step = max(-longest, min(step, longest))
                longest *= 4.0
            elif not (is_near or low < moved + step < high):
                step = (low + high) / 2.0 - moved
            moved += step
        return here

    def logarithm(self, level: float, slope: float) -> float:
        """Return the logarithm of the likelihood."""
        eta, derivatives, powers, (_, residuals) = self._series(level, slope)
        rest = np.log1p(np.exp(-np.abs(eta)))
        lost = self._positives[0] * (np.maximum(-eta, 0.0) + rest)
        lost += self._negatives[0] * (np.maximum(eta, 0.0) + rest)
        lost += slope * residuals
        return -float((lost + (derivatives[1:5] * (powers * self._moments)[2:]).sum(axis=0)).sum())

    def at(self, level: float, slope: float) -> Fit:
        """Return gradient and information of a line."""
        _, derivatives, powers, (errors, moments) = self._series(level, slope)
        # sums over a run of its rows, times their distances, and times the squares of these
        sums = powers * self._moments
        once = powers[:5] * (_ONCE * self._moments[1:])
        twice = powers[:4] * (_TWICE * self._moments[2:])
        errors = errors + (derivatives[1:6] * sums[1:]).sum(axis=0)
        moments = moments + (derivatives[1:5] * once[1:]).sum(axis=0)
        weights = (derivatives[1:] * sums).sum(axis=0)
        firsts = (derivatives[1:6] * once).sum(axis=0)
        squares = (derivatives[1:5] * twice).sum(axis=0)
        x = self._starts
        weight = float(weights.sum())
        mean = float((x * weights + firsts).sum()) / weight if weight else 0.0
        away = x - mean
        spread = float((away * (away * weights + 2.0 * firsts) + squares).sum())
        gradient = -float(errors.sum()), -float((x * errors + moments).sum())
        return Fit(level, slope, gradient, weight, mean, spread)

    def _series(self, level: float, slope: float) -> tuple[Floats, Floats, Floats, Floats]:
        """Return the fitted logits where runs start, what their series are made of, and residuals.

        These are sums over a run of (probability - label) as at its start, and of that times the
        distance.
        """
        if abs(slope) > 2.0 * self._slope:
            self._refine(abs(slope))
        eta = level + slope * self._starts
        derivatives, of_negative = _derivatives_of_softplus(eta)
        residuals = self._negatives * derivatives[0] - self._positives * of_negative
        return eta, derivatives, np.float64(slope) ** np.arange(6.0)[:, None], residuals

    def _reach(self, step: tuple[float, float]) -> float:
        """Return how far a step moves a fitted logit at most."""
        return max(abs(step[0] + step[1] * end) for end in self._ends)

    def _refine(self, slope: float) -> None:
        """Make runs that are narrow enough for slopes up to this and twice as much."""
        self._slope = slope
        width = _WIDTH / slope

        def job(first: int) -> tuple[Floats, Floats]:
            x, *both = (column[first : first + _JOB] for column in self.columns)
            most = min(len(x), int((x[0] - x[-1]) / width) + 2)
            starts, moments = np.empty(most), np.empty((most, MOMENTS))
            count = moments_of_runs(x, *both, width, starts, moments)
            return starts[:count], moments[:count]

        jobs = [partial(job, first) for first in range(0, len(self.columns.logits), _JOB)]
        parts = run(jobs)
        self._starts = np.concatenate([starts for starts, _ in parts]) - self.centre
        moments = np.concatenate([moments for _, moments in parts]).T
        self._moments = np.ascontiguousarray(moments[:6])
        self._positives = moments[6:].copy()
        self._negatives = moments[:2] - self._positives


def _derivatives_of_softplus(eta: Floats) -> tuple[Floats, Floats]:
    """Return the first to the seventh derivative of log(1 + exp(eta)), and 1 - the first."""
    odds = np.exp(np.clip(-eta, -_STEEP, _STEEP))  # of a negative
    s = 1.0 / (1.0 + odds)
    of_negative = s * odds  # 1 - s would be 0 too soon
    v = s * of_negative
    third = v * (s * (odds - 1.0))
    derivatives = np.array(
        (
            *(s, v, third),
            v * (1.0 - 6.0 * v),
            third * (1.0 - 12.0 * v),
            v * (1.0 - v * (30.0 - 120.0 * v)),
            third * (1.0 - v * (60.0 - 360.0 * v)),
        )
    )
    return derivatives, of_negative


def squares_of_gradients(
    likelihood: Likelihood, fit: Fit, squares: tuple[Floats, Floats]
) -> tuple[float, float, float]:
    """Return the sums of squares and products of the rows' gradients, in logits from the mean.

    ``squares`` are the sums of squared weights, of positives and of negatives, at each logit.
    """

    def terms(x: Floats, positives: Floats, negatives: Floats) -> tuple[float, ...]:
        x = x - likelihood.centre
        expected = 1.0 / (1.0 + np.exp(-(fit.level + fit.slope * x)))
        weights = positives * (1.0 - expected) ** 2 + negatives * expected**2
        return tuple(float((weights * (x - fit.mean) ** power).sum()) for power in range(3))

    columns = (likelihood.columns.logits, *squares)
    first, mixed, second = sums_of(terms, columns)
    return first, mixed, second


def variances(
    likelihood: Likelihood, fit: Fit, filling: tuple[float, float, float] | None
) -> tuple[float, float]:
    """Return those of intercept and slope: of the inverse information, or the sandwich."""
    at_mean, mixed, of_slope = 1.0 / fit.weight, 0.0, 1.0 / fit.spread
    if filling is not None:
        mixed = filling[1] * at_mean * of_slope
        at_mean, of_slope = filling[0] * at_mean**2, filling[2] * of_slope**2
    back = likelihood.centre + fit.mean
    return at_mean - 2.0 * back * mixed + back**2 * of_slope, of_slope
