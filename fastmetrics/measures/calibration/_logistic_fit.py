"""Logistic regression of labels on one column, by Newton's method on the rows of a table."""

from __future__ import annotations

from typing import Any, Final, Literal, NamedTuple

import numpy as np

from fastmetrics.measures.calibration._sums import Floats, sums_of

#: Newton steps at most; ten are many.
_STEPS: Final = 60
#: A last step that promises less, in units of the log-likelihood.
_SMALL: Final = 1e-13
#: What a step promises, in units of the log-likelihood, where the parabola fits it well.
_NEAR: Final = 1e-2
#: A logit beyond which a probability is 0, whatever is done with it.
_STEEP: Final = 500.0
#: Groups of neighbouring rows whose fit is where the fit of all rows begins.
_GROUPS: Final = 4_096

#: What a fit may move.
Free = Literal["both", "intercept", "slope"]


class Columns(NamedTuple):
    """The logits of a table's rows, with the positives there and all that is there."""

    logits: Floats
    positives: Floats
    totals: Floats


class Fit(NamedTuple):
    """The maximum of the likelihood, and the information matrix there."""

    intercept: float
    slope: float
    information: tuple[float, float, float]
    """Of intercept and intercept, intercept and slope, slope and slope."""


def fit_line(columns: Columns, n_threads: int | None = None) -> Fit:
    """Return intercept and slope of the logit; both classes must overlap, or it has none.

    Neighbouring rows differ little: the fit of a few thousand groups of them is so near that that
    of all rows takes two steps from there.
    """
    intercept, slope = 0.0, 0.0  # where the likelihood is flattest in no direction
    if len(columns.logits) > 4 * _GROUPS:
        coarse = _grouped(columns)
        intercept, slope, _ = _newton(coarse, intercept, slope, n_threads)
    return _newton(columns, intercept, slope, n_threads)


def fit_intercept(
    columns: Columns, slope: float = 1.0, start: float = 0.0, n_threads: int | None = None
) -> Fit:
    """Return the intercept beside a slope that is given."""
    if len(columns.logits) > 4 * _GROUPS:
        start = _newton(_grouped(columns), start, slope, n_threads, "intercept").intercept
    return _newton(columns, start, slope, n_threads, "intercept")


def fit_slope(columns: Columns, intercept: float, start: float, n_threads: int | None) -> Fit:
    """Return the slope beside an intercept that is given."""
    return _newton(columns, intercept, start, n_threads, "slope")


def log_likelihood(columns: Columns, intercept: float, slope: float, n_threads: Any) -> float:
    """Return the logarithm of the likelihood."""

    def terms(x: Floats, positives: Floats, totals: Floats) -> tuple[float]:
        eta = intercept + slope * x
        softplus = np.maximum(eta, 0.0) + np.log1p(np.exp(-np.abs(eta)))
        return (float((positives * eta - totals * softplus).sum()),)

    return sums_of(terms, columns, n_threads)[0]


def _grouped(columns: Columns) -> Columns:
    """Return rows of which each stands for a run of neighbours, at their mean logit."""
    n = len(columns.logits)
    starts = np.arange(0, n, -(-n // _GROUPS))
    sizes = np.diff(starts, append=n)
    logits = np.add.reduceat(columns.logits, starts) / sizes
    return Columns(
        logits,
        np.add.reduceat(columns.positives, starts),
        np.add.reduceat(columns.totals, starts),
    )


def _newton(
    columns: Columns,
    intercept: float,
    slope: float,
    n_threads: int | None,
    free: Free = "both",
) -> Fit:
    """Climb from a start, with steps that are halved until the likelihood grows as it should.

    Near the top, where a step promises less than ``_NEAR``, it is not looked at: there the full
    step is right, and logarithms cost as much as the step.
    """
    gradient, information = _derivatives(columns, intercept, slope, n_threads)
    for _ in range(_STEPS):
        step = _step(gradient, information, free)
        rise = gradient[0] * step[0] + gradient[1] * step[1]
        if not rise > _SMALL**2:
            break
        share = 1.0
        if rise > _NEAR:
            height = log_likelihood(columns, intercept, slope, n_threads)
            while share > 2.0**-60:
                there = intercept + share * step[0], slope + share * step[1]
                if log_likelihood(columns, *there, n_threads) > height + 1e-4 * share * rise:
                    break
                share /= 2.0
        intercept, slope = intercept + share * step[0], slope + share * step[1]
        gradient, information = _derivatives(columns, intercept, slope, n_threads)
        if rise < _SMALL:  # what is left is of the order of its square
            break
    return Fit(intercept, slope, information)


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


def _derivatives(
    columns: Columns, intercept: float, slope: float, n_threads: int | None
) -> tuple[tuple[float, float], tuple[float, float, float]]:
    """Return gradient and information of the log-likelihood."""

    def terms(x: Floats, positives: Floats, totals: Floats) -> tuple[float, ...]:
        odds = np.exp(np.minimum(-intercept - slope * x, _STEEP))  # of a negative
        expected = 1.0 / (1.0 + odds)
        residuals = totals * expected
        weights = residuals * expected * odds  # 1 - expected would be 0 too soon
        np.subtract(positives, residuals, out=residuals)
        first = [float(residuals.sum())]
        residuals *= x
        first.append(float(residuals.sum()))
        second = [float(weights.sum())]
        weights *= x
        second.append(float(weights.sum()))
        weights *= x
        second.append(float(weights.sum()))
        return (*first, *second)

    g0, g1, a, b, c = sums_of(terms, columns, n_threads)
    return (g0, g1), (a, b, c)


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
