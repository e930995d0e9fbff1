"""Calibration slope and intercept: logistic regression of labels on logits, with influences."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.scalars import WeightsAre, check_confidence_level
from fastmetrics._input.scores import as_given
from fastmetrics._kernels.losses import MOMENTS, moments_of_runs
from fastmetrics._results import ConfidenceInterval, Result
from fastmetrics._threads.workers import run
from fastmetrics.errors import SmallSampleWarning, UndefinedMetricWarning, warn_user
from fastmetrics.metrics._metric import RowInfluences
from fastmetrics.metrics.calibration._probability_table import (
    CALIBRATED,
    Floats,
    Squares,
    minus_logs,
    probabilities,
    probability_table,
    sum_terms,
    table_with_squares,
)
from fastmetrics.tables.score_table import BOTH_CLASSES, ScoreTable, lacks_a_class

#: Most Newton steps; ten are usual, a hundred where the classes hardly overlap.
_STEPS: Final = 300
#: Convergence: the last step raises the log-likelihood by less than this ...
_SMALL: Final = 1e-15
#: ... and moves no fitted logit further.
_NEAR: Final = 1e-6
#: Logits are clipped here, where exp does not overflow and probabilities are 0 or 1.
_STEEP: Final = 700.0
#: Largest width of a run times twice the slope at most: the truncated Taylor series errs by its
#: sixth power over 720, at most 1e-12 of the sum.
_WIDTH: Final = 2.0**-6
#: Factors of the first derivative of powers 1 to 5, and of the second of powers 2 to 5.
_ONCE: Final = np.arange(1.0, 6.0)[:, None]
_TWICE: Final = _ONCE[1:] * _ONCE[:-1]
#: Rows of a job.
_JOB: Final = 1 << 17


class LogitColumns(NamedTuple):
    """The logits of a table's rows, descending, with the weight of each class there."""

    logits: Floats
    positives: NDArray[Any]
    negatives: NDArray[Any]


def overlaps(columns: LogitColumns) -> list[tuple[float, float]]:
    """Return the highest logit of each class with the lowest of the other class.

    The classes overlap if in both pairs the first is above the second.
    """
    x, *classes = columns
    highest = [float(x[first_row(column)]) for column in classes]
    lowest = [float(x[-1 - first_row(column[::-1])]) for column in classes]
    return list(zip(highest, lowest[::-1], strict=True))


def first_row(column: NDArray[Any]) -> int:
    """Return the first row of nonzero weight; the number of rows if there is none."""
    has = column != 0
    return int(np.argmax(has)) if has.any() else len(column)


class Fit(NamedTuple):
    """A line, the gradient of the log-likelihood there, and the information.

    ``level`` is the value of the line at the centre of the likelihood, a row where the classes
    overlap least. The information is given by the sum of the rows' weights, the weighted mean of
    the logits from the centre, and their weighted sum of squares about the mean.
    """

    level: float
    slope: float
    gradient: tuple[float, float]
    weight: float
    mean: float
    squares: float


class Likelihood:
    """The likelihood of lines through the logits of rows of both classes."""

    def __init__(self, columns: LogitColumns) -> None:
        self.columns = columns
        self.centre = min(overlaps(columns), key=lambda ends: ends[0] - ends[1])[0]
        self._ends = [float(columns.logits[row]) - self.centre for row in (0, -1)]
        self._refine(1.0)

    def fit(self) -> Fit:
        """Maximize by Newton's steps, halved until the likelihood grows enough (Armijo's rule)."""
        current = self.at(0.0, 0.0)
        is_near = False
        for _ in range(_STEPS):
            if is_near:
                break
            gradient = current.gradient
            turn = (gradient[1] - current.mean * gradient[0]) / current.squares
            step = gradient[0] / current.weight - current.mean * turn, turn
            rise = gradient[0] * step[0] + gradient[1] * step[1]
            fraction = 1.0
            if rise > 1e-2:  # nearer to the top the full step is right
                height = self.logarithm(current.level, current.slope)
                while fraction > 2.0**-60:
                    trial = current.level + fraction * step[0], current.slope + fraction * step[1]
                    if self.logarithm(*trial) > height + 1e-4 * fraction * rise:
                        break
                    fraction /= 2.0
            is_near = rise < _SMALL and self._reach(step) < _NEAR
            current = self.at(
                current.level + fraction * step[0], current.slope + fraction * step[1]
            )
        return current

    def fit_level(self, level: float, slope: float) -> Fit:
        """Return the maximum over lines of a slope, starting from a level.

        Newton's steps within a bracket; until there is a bracket, the longest step grows fourfold.
        """
        low, high = -math.inf, math.inf
        shift = 0.0
        is_near = False
        longest = 8.0
        for _ in range(_STEPS):
            current = self.at(level + shift, slope)
            gradient = current.gradient[0]
            if is_near or gradient == 0.0:
                break
            low, high = (shift, high) if gradient > 0.0 else (low, shift)
            step = (
                gradient / current.weight if current.weight else math.copysign(math.inf, gradient)
            )
            is_near = gradient * step < _SMALL and abs(step) < _NEAR
            if math.isinf(high - low):
                step = max(-longest, min(step, longest))
                longest *= 4.0
            elif not (is_near or low < shift + step < high):
                step = (low + high) / 2.0 - shift
            shift += step
        return current

    def logarithm(self, level: float, slope: float) -> float:
        """Return the logarithm of the likelihood."""
        eta, derivatives, powers, (_, residuals) = self._series(level, slope)
        tail = np.log1p(np.exp(-np.abs(eta)))
        losses = self._positives[0] * (np.maximum(-eta, 0.0) + tail)
        losses += self._negatives[0] * (np.maximum(eta, 0.0) + tail)
        losses += slope * residuals
        return -float(
            (losses + (derivatives[1:5] * (powers * self._moments)[2:]).sum(axis=0)).sum()
        )

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
        about_mean = float((away * (away * weights + 2.0 * firsts) + squares).sum())
        gradient = -float(errors.sum()), -float((x * errors + moments).sum())
        return Fit(level, slope, gradient, weight, mean, about_mean)

    def _series(self, level: float, slope: float) -> tuple[Floats, Floats, Floats, Floats]:
        """Return fitted logits, derivatives, powers of the slope, and residuals where runs start.

        Residuals are the sums over a run of (probability at its start - label), and of these times
        the distance from the start.
        """
        if abs(slope) > 2.0 * self._slope:
            self._refine(abs(slope))
        eta = level + slope * self._starts
        derivatives, complement = _softplus_derivatives(eta)
        residuals = self._negatives * derivatives[0] - self._positives * complement
        return eta, derivatives, np.float64(slope) ** np.arange(6.0)[:, None], residuals

    def _reach(self, step: tuple[float, float]) -> float:
        """Return the largest change of a fitted logit by a step."""
        return max(abs(step[0] + step[1] * end) for end in self._ends)

    def _refine(self, slope: float) -> None:
        """Form runs narrow enough for twice this slope."""
        self._slope = slope
        width = _WIDTH / slope

        def job(first: int) -> tuple[Floats, Floats]:
            x, *both = (column[first : first + _JOB] for column in self.columns)
            most = min(len(x), int((x[0] - x[-1]) / width) + 2)
            starts = np.empty(most)
            moments = np.empty((most, MOMENTS))
            count = moments_of_runs(x, *both, width, starts, moments)
            return starts[:count], moments[:count]

        runs = run([partial(job, first) for first in range(0, len(self.columns.logits), _JOB)])
        self._starts = np.concatenate([starts for starts, _ in runs]) - self.centre
        moments = np.concatenate([moments for _, moments in runs]).T
        self._moments = np.ascontiguousarray(moments[:6])
        self._positives = moments[6:].copy()
        self._negatives = moments[:2] - self._positives


def _softplus_derivatives(eta: Floats) -> tuple[Floats, Floats]:
    """Return the derivatives 1 to 7 of log(1 + exp(eta)), and 1 - the first."""
    odds = np.exp(np.clip(-eta, -_STEEP, _STEEP))  # of a negative
    s = 1.0 / (1.0 + odds)
    complement = s * odds  # 1 - s would cancel
    v = s * complement
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
    return derivatives, complement


def sum_gradient_squares(
    likelihood: Likelihood, fit: Fit, squares: tuple[Floats, Floats]
) -> tuple[float, float, float]:
    """Return the sums of squares and products of the rows' gradients, in logits from the mean.

    ``squares`` are the sums of squared weights of positives and of negatives at each logit.
    """

    def terms(x: Floats, positives: Floats, negatives: Floats) -> tuple[float, ...]:
        x = x - likelihood.centre
        expected = 1.0 / (1.0 + np.exp(-(fit.level + fit.slope * x)))
        weights = positives * (1.0 - expected) ** 2 + negatives * expected**2
        return tuple(float((weights * (x - fit.mean) ** power).sum()) for power in range(3))

    first, mixed, second = sum_terms(terms, (likelihood.columns.logits, *squares))
    return first, mixed, second


def variances(
    likelihood: Likelihood, fit: Fit, filling: tuple[float, float, float] | None
) -> tuple[float, float]:
    """Return the variances of intercept and slope: by the information, or by the sandwich."""
    at_mean = 1.0 / fit.weight
    covariance = 0.0
    slope_variance = 1.0 / fit.squares
    if filling is not None:
        covariance = filling[1] * at_mean * slope_variance
        at_mean = filling[0] * at_mean**2
        slope_variance = filling[2] * slope_variance**2
    back = likelihood.centre + fit.mean
    return at_mean - 2.0 * back * covariance + back**2 * slope_variance, slope_variance


_NAN: Final = float("nan")
#: Effective rows of a class below which intervals with importances cover at least three points
#: too little (``docs/coverage.md``).
_FEW_ROWS: Final = 30
_NO_INTERVAL: Final = ConfidenceInterval(_NAN, _NAN)
#: A value, its standard error and its interval.
_Estimate = tuple[float, float, ConfidenceInterval]
_UNDEFINED: Final[_Estimate] = (_NAN, _NAN, _NO_INTERVAL)


@dataclass(frozen=True, slots=True, repr=False)
class LogisticCalibration(Result):
    """Slope and intercept of the labels' logit over that of the probabilities.

    Attributes
    ----------
    slope : float
        1 for calibrated probabilities; below 1 where they are too extreme, as of a model that
        fits its training data too closely.
    intercept : float
        The intercept beside that slope: 0 for calibrated probabilities.
    in_the_large : float
        The intercept beside a slope of 1: above 0 where probabilities are too low on the whole.
    slope_standard_error, intercept_standard_error, in_the_large_standard_error : float
        Their standard errors.
    slope_interval, intercept_interval, in_the_large_interval : ConfidenceInterval
        Their confidence intervals.
    n_certain : float
        Rows, or their weight, with a probability of exactly 0 or 1, which the fit leaves out.
    confidence_level : float
        Coverage aimed at.
    weights_are : {"importances", "frequencies"} or None
        How weights were read; None where there were none.

    Examples
    --------
    >>> y_true, y_proba = [0, 1, 0, 1, 1, 0], [0.2, 0.4, 0.5, 0.6, 0.9, 0.3]
    >>> result = logistic_calibration(y_true, y_proba)
    >>> round(result.slope, 4), round(result.in_the_large, 4)
    (2.6298, 0.0837)
    """

    slope: float
    slope_standard_error: float
    slope_interval: ConfidenceInterval
    intercept: float
    intercept_standard_error: float
    intercept_interval: ConfidenceInterval
    in_the_large: float
    in_the_large_standard_error: float
    in_the_large_interval: ConfidenceInterval
    n_certain: float
    confidence_level: float
    weights_are: WeightsAre | None


@documented(CALIBRATED, BOTH_CLASSES)
def logistic_calibration(
    y_true: ArrayLike | ScoreTable,
    y_proba: ArrayLike | None = None,
    *,
    confidence_level: float = 0.95,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    pos_label: Any = None,
    n_threads: int | None = None,
) -> LogisticCalibration:
    """Compute calibration slope, intercept, and the intercept in the large (Cox).

    Returns
    -------
    LogisticCalibration
        Three numbers, each with its standard error and its interval. Slope and intercept are nan
        where they have no finite value (see the warnings).

    Warns
    -----
    UndefinedMetricWarning
        If a probability is exactly 0 for a positive or 1 for a negative: no slope but 0 allows
        for that. If the probabilities are all the same, or separate the classes: the slope is then
        not determined, or infinite.
    SmallSampleWarning
        If importances leave one of the classes rows worth less than 30 of equal weight.

    Notes
    -----
    Maximum likelihood of ``logit P(y = 1) = intercept + slope * logit(p)``, by Newton's method.
    Right probabilities of exactly 0 or 1 have no finite logit and add nothing to the likelihood of
    any positive slope: they are left out, and counted. Standard errors come from the information
    matrix, with importances from the sandwich estimator; a table of weights, which does not tell
    how many rows they are of, has none. Intervals are Wald's: estimate +- z standard errors.

    Coverage of the intervals is in ``docs/coverage.md``: right from 50 rows on, but with
    importances from some hundreds of either class on; and that in the large, whose slope of 1 is
    taken for granted, lacks two or three points where the true slope is far from it. One sort, then
    some passes over the distinct probabilities.

    References
    ----------
    Cox, D. R. (1958). Two further applications of a model for binary regression. Biometrika 45,
    562-565. White, H. (1982). Maximum likelihood estimation of misspecified models. Econometrica
    50(1), 1-25.

    Examples
    --------
    >>> y_true, y_proba = [0, 1, 0, 1, 1, 0], [0.2, 0.4, 0.5, 0.6, 0.9, 0.3]
    >>> result = logistic_calibration(y_true, y_proba)
    >>> round(result.slope, 3), [round(limit, 3) for limit in result.slope_interval]
    (2.63, [-1.872, 7.131])
    """
    level = check_confidence_level(confidence_level)
    table, squares, read = table_with_squares(
        y_true, y_proba, sample_weight, weights_are, pos_label, needs_squares=False
    )
    return fit_logistic(table, squares, read, level=level)


def fit_logistic(
    table: ScoreTable,
    squares: Squares | None,
    read: WeightsAre | None,
    *,
    level: float = 0.95,
    logits: Floats | None = None,
) -> LogisticCalibration:
    """Return slope and intercepts of a table of probabilities; ``logits`` saves computing them."""
    slope = intercept = in_the_large = _UNDEFINED
    n_certain = _NAN
    if not lacks_a_class(table, "logistic calibration"):
        p = probabilities(table)
        inside = slice(int(p[0] == 1.0), len(p) - int(p[-1] == 0.0))
        classes = table.positives[inside], table.negatives[inside]
        wrong, n_certain = _certain(table, p)
        if wrong:
            fault = (
                f"{wrong:g} positives have a probability of exactly 0, or negatives one of 1; clip "
                "them to, say, [1e-6, 1 - 1e-6]"
            )
        elif max(map(first_row, classes)) == len(classes[0]):
            fault = "probabilities inside (0, 1) belong to one class"
        else:
            x = _compute_logits(p[inside]) if logits is None else logits[inside]
            columns = LogitColumns(x, *classes)
            fault = _fault(columns)
            filling = None
            if squares is not None:
                _warn_few_rows(table, squares)
            if table.is_weighted:  # in units in which rows weigh 1 on average
                unit = len(x) / (float(table.n_positive) + float(table.n_negative))
                columns = LogitColumns(x, columns.positives * unit, columns.negatives * unit)
                if squares is not None:
                    factor = (squares.largest * unit) ** 2
                    filling = squares[0][inside] * factor, squares[1][inside] * factor
            has_errors = squares is not None or not table.is_weighted
            estimates = _estimates(columns, filling, level if has_errors else _NAN, not fault)
            in_the_large, *both = estimates
            if both:
                slope, intercept = both
        if fault:
            warn_user(f"slope and intercept are not defined: {fault}", UndefinedMetricWarning)
    return LogisticCalibration(*slope, *intercept, *in_the_large, n_certain, level, read)


def _warn_few_rows(table: ScoreTable, squares: Squares) -> None:
    """Warn where importances leave few effective rows of a class (Kish)."""
    classes = (
        ("positive", table.n_positive, squares.positives),
        ("negative", table.n_negative, squares.negatives),
    )
    worth, name = min(
        ((float(total) / squares.largest) ** 2 / float(squared.sum()), name)
        for name, total, squared in classes
    )
    if worth < _FEW_ROWS:
        warn_user(
            f"the weights leave {name} rows worth {worth:.3g} of equal weight: below about "
            f"{_FEW_ROWS} of a class the intervals of slope and intercept cover less than their "
            "level; cap the largest weights, or, if they count rows, pass "
            "`weights_are='frequencies'`",
            SmallSampleWarning,
        )


def _certain(table: ScoreTable, p: Floats) -> tuple[float, float]:
    """Return the weight of rows with a wrong probability of 0 or 1, and of all rows with 0 or 1."""
    wrong = certain = 0.0
    for row, bound, wrong_class in ((0, 1.0, table.negatives), (-1, 0.0, table.positives)):
        if p[row] == bound:
            wrong += float(wrong_class[row])
            certain += float(table.positives[row]) + float(table.negatives[row])
    return as_given(wrong, table.weight_exponent), as_given(certain, table.weight_exponent)


def _compute_logits(p: Floats) -> Floats:
    """Return the logits of probabilities inside (0, 1)."""
    logits = np.empty(len(p))

    def fill(x: Floats, p: Floats) -> tuple[()]:
        np.subtract(*minus_logs(p)[::-1], out=x)
        return ()

    sum_terms(fill, (logits, p))
    return logits


def _fault(columns: LogitColumns) -> str:
    """Return the reason why the slope has no finite value; empty if it has one."""
    if columns.logits[0] == columns.logits[-1]:
        return "all probabilities are the same"
    if min(high - low for high, low in overlaps(columns)) <= 0.0:
        return "the probabilities separate the classes, so that the slope is infinite"
    return ""


def _estimates(
    columns: LogitColumns, squares: tuple[Floats, Floats] | None, level: float, has_slope: bool
) -> list[_Estimate]:
    """Return the intercept at slope 1; then slope and intercept, where there is a slope.

    A level of nan gives no standard errors.
    """
    from scipy.special import ndtri

    quantile = -float(ndtri((1.0 - level) / 2.0))
    likelihood = Likelihood(columns)

    def filling(fit: Fit) -> tuple[float, float, float] | None:
        return squares and sum_gradient_squares(likelihood, fit, squares)

    def estimate(value: float, variance: float) -> _Estimate:
        if math.isnan(level):
            return value, _NAN, _NO_INTERVAL
        standard_error = math.sqrt(variance)
        half = quantile * standard_error
        return value, standard_error, ConfidenceInterval(value - half, value + half)

    fit = likelihood.fit_level(likelihood.centre, 1.0)
    variance = 1.0 / fit.weight
    if (filled := filling(fit)) is not None:
        variance *= filled[0] * variance
    estimates = [estimate(fit.level - likelihood.centre, variance)]
    if has_slope:
        fit = likelihood.fit()
        intercept_variance, slope_variance = variances(likelihood, fit, filling(fit))
        estimates.append(estimate(fit.slope, slope_variance))
        estimates.append(estimate(fit.level - fit.slope * likelihood.centre, intercept_variance))
    return estimates


def logistic_influences(
    name: str, classes: NDArray[Any], p: NDArray[Any], weights: Floats | None
) -> RowInfluences:
    """Return one of the three numbers with the influence of each row.

    The influence is one Newton step for the row: the inverse of the information times its score,
    (y - fitted) (1, logit). Rows with a probability of 0 or 1 have none.
    """
    fit = fit_logistic(probability_table(classes, p, sample_weight=weights), None, None)
    values = {
        "calibration_slope": fit.slope,
        "calibration_intercept": fit.intercept,
        "calibration_in_the_large": fit.in_the_large,
    }
    influences = np.full(len(p), np.nan)
    if np.isnan(values[name]):
        return RowInfluences(values[name], influences)
    is_large = name == "calibration_in_the_large"
    level, slope = (fit.in_the_large, 1.0) if is_large else (fit.intercept, fit.slope)
    inside = (p > 0.0) & (p < 1.0)
    logits = np.subtract(*minus_logs(p[inside].astype(np.float64))[::-1])
    fitted = 1.0 / (1.0 + np.exp(-(level + slope * logits)))
    residuals = (classes[inside] == 1) - fitted
    information = fitted * (1.0 - fitted)
    if weights is not None:
        information = information * weights[inside]
    total = float(information.sum())
    influences[:] = 0.0
    if is_large:
        influences[inside] = residuals / total
        return RowInfluences(level, influences)
    centre = float(information @ logits) / total
    away = logits - centre
    slope_influences = residuals * away / float(information @ (away * away))
    influences[inside] = (
        slope_influences
        if name == "calibration_slope"
        else residuals / total - centre * slope_influences
    )
    return RowInfluences(values[name], influences)
