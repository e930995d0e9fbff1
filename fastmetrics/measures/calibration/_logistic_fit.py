"""Logistic regression of labels on one column, by Newton's method on moments of runs of rows.

The likelihood is a sum of smooth functions of the logits. Rows of a table come in order: those of
a run lie so near to one another that five terms of a Taylor series give their part of the sum to
twelve digits. So the rows are read once, and the fit and all limits of it are found on the runs, of
which there are about a thousand.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels.logits import MOMENTS, moments_of_runs
from fastmetrics._threads.workers import run
from fastmetrics.measures.calibration._sums import Floats, sums_of

#: Newton steps at most; ten are many.
_STEPS: Final = 100
#: A last step that promises less, in units of the log-likelihood.
_SMALL: Final = 1e-15
#: A logit beyond which a probability is 0, whatever is done with it.
_STEEP: Final = 500.0
#: The widest that a run may be times the slope, or half of it: what the series leaves out is the
#: sixth power of it by 720, at most 1e-12 of the sum.
_WIDTH: Final = 2.0**-6
#: Rows of a job.
_JOB: Final = 1 << 17

#: What a fit may move.
Free = Literal["both", "intercept", "slope"]


class Columns(NamedTuple):
    """The logits of a table's rows, descending, with the weight of each class there."""

    logits: Floats
    positives: NDArray[Any]
    negatives: NDArray[Any]


class Fit(NamedTuple):
    """The maximum of the likelihood, and the information matrix there."""

    intercept: float
    slope: float
    information: tuple[float, float, float]
    """Of intercept and intercept, intercept and slope, slope and slope."""


class Likelihood:
    """The likelihood of lines through the logits.

    Parameters
    ----------
    columns : Columns
        Rows of both classes.
    n_threads : int, optional
        Threads.
    """

    def __init__(self, columns: Columns, n_threads: int | None = None) -> None:
        self.columns, self.n_threads = columns, n_threads

        def terms(x: Floats, positives: Floats) -> tuple[float, float]:
            return float(positives.sum()), float((positives * x).sum())

        self._sums = sums_of(terms, columns[:2], n_threads)
        self._slope = 0.0
        self._refine(1.0)

    def fit(self, intercept: float, slope: float, free: Free = "both") -> Fit:
        """Return the fit that is found from a start."""
        found = self._climb(intercept, slope, free)
        while abs(found.slope) > 2.0 * self._slope:
            self._refine(abs(found.slope))
            found = self._climb(found.intercept, found.slope, free)
        return found

    def logarithm(self, intercept: float, slope: float) -> float:
        """Return the logarithm of the likelihood; nan where the line is steeper than floats are."""
        with np.errstate(all="ignore"):
            eta = intercept + slope * self._starts
            softplus = np.maximum(eta, 0.0) + np.log1p(np.exp(-np.abs(eta)))
            terms = np.vstack((softplus, _derivatives_of_softplus(eta)[: MOMENTS - 1]))
            lost = (terms * self._moments).sum(axis=1) @ _powers(slope)
            return float(intercept * self._sums[0] + slope * self._sums[1] - lost)

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
        parts = run(jobs, self.n_threads)
        self._starts = np.concatenate([starts for starts, _ in parts])
        self._moments = np.ascontiguousarray(np.concatenate([m for _, m in parts]).T)

    def _climb(self, intercept: float, slope: float, free: Free) -> Fit:
        """Climb by Newton's steps, halved until the likelihood grows as it should."""
        for _ in range(_STEPS):
            gradient, information = self._derivatives(intercept, slope)
            step = _step(gradient, information, free)
            rise = gradient[0] * step[0] + gradient[1] * step[1]
            if not rise > _SMALL**2:
                break
            share = 1.0
            if rise > 1e-2:  # nearer to the top the full step is right
                height = self.logarithm(intercept, slope)
                while share > 2.0**-60:
                    there = intercept + share * step[0], slope + share * step[1]
                    if self.logarithm(*there) > height + 1e-4 * share * rise:
                        break
                    share /= 2.0
            intercept, slope = intercept + share * step[0], slope + share * step[1]
            if rise < _SMALL:  # what is left is of the order of its square
                break
        return Fit(intercept, slope, self._derivatives(intercept, slope)[1])

    def _derivatives(
        self, intercept: float, slope: float
    ) -> tuple[tuple[float, float], tuple[float, float, float]]:
        """Return gradient and information of the log-likelihood."""
        x, powers = self._starts, _powers(slope)
        derivatives = _derivatives_of_softplus(intercept + slope * x)
        with_moments = [derivatives @ self._moments.T]
        for _ in range(2):
            derivatives = derivatives * x
            with_moments.append(derivatives @ self._moments.T)

        def total(order: int, shift: int, times: int) -> float:
            """Return the sum of weight * distance**shift * x**times * a derivative of softplus."""
            found = with_moments[times]
            return math.fsum(
                # moments are divided by the factorial of their own power
                powers[k] * math.perm(k + shift, shift) * found[order - 1 + k, k + shift]
                for k in range(MOMENTS - shift)
            )

        gradient = (
            self._sums[0] - total(1, 0, 0),
            self._sums[1] - total(1, 0, 1) - total(1, 1, 0),
        )
        information = (
            total(2, 0, 0),
            total(2, 0, 1) + total(2, 1, 0),
            total(2, 0, 2) + 2.0 * total(2, 1, 1) + total(2, 2, 0),
        )
        return gradient, information


def _powers(slope: float) -> Floats:
    return np.float64(slope) ** np.arange(MOMENTS)


def _derivatives_of_softplus(eta: Floats) -> Floats:
    """Return the first to the seventh derivative of log(1 + exp(eta)), a row each."""
    odds = np.exp(np.clip(-eta, -_STEEP, _STEEP))  # of a negative
    s = 1.0 / (1.0 + odds)
    v = s * s * odds  # s * (1 - s) would be 0 too soon
    third = v * (s * (odds - 1.0))
    return np.array(
        (
            *(s, v, third),
            v * (1.0 - 6.0 * v),
            third * (1.0 - 12.0 * v),
            v * (1.0 - v * (30.0 - 120.0 * v)),
            third * (1.0 - v * (60.0 - 360.0 * v)),
        )
    )


def _step(
    gradient: tuple[float, float], information: tuple[float, float, float], free: Free
) -> tuple[float, float]:
    """Return the Newton step of what is free."""
    a, b, c = information
    if free == "intercept":
        return gradient[0] / a, 0.0
    if free == "slope":
        return 0.0, gradient[1] / c
    determinant = a * c - b * b
    return (
        (c * gradient[0] - b * gradient[1]) / determinant,
        (a * gradient[1] - b * gradient[0]) / determinant,
    )


def squares_of_gradients(
    columns: Columns, fit: Fit, squares: tuple[Floats, Floats], n_threads: int | None
) -> tuple[float, float, float]:
    """Return the sums of squares and products of the rows' gradients.

    ``squares`` are the sums of squared weights, of positives and of negatives, at each logit.
    """

    def terms(x: Floats, positives: Floats, negatives: Floats) -> tuple[float, ...]:
        expected = 1.0 / (1.0 + np.exp(-(fit.intercept + fit.slope * x)))
        weights = positives * (1.0 - expected) ** 2 + negatives * expected**2
        return tuple(float((weights * x**power).sum()) for power in range(3))

    a, b, c = sums_of(terms, (columns.logits, *squares), n_threads)
    return a, b, c


def variances(fit: Fit, filling: tuple[float, float, float] | None) -> tuple[float, float]:
    """Return those of intercept and slope: of the inverse information, or the sandwich."""
    a, b, c = fit.information
    inverse = np.array([[c, -b], [-b, a]]) / (a * c - b * b)
    if filling is not None:
        first, mixed, second = filling
        inverse = inverse @ np.array([[first, mixed], [mixed, second]]) @ inverse
    return float(inverse[0, 0]), float(inverse[1, 1])
