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
from fastmetrics._input.scores import as_given, check_probabilities
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
    sums_of,
    table_with_squares,
)
from fastmetrics.tables.score_table import BOTH_CLASSES, ScoreTable, lacks_a_class

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


class LogitColumns(NamedTuple):
    """The logits of a table's rows, descending, with the weight of each class there."""

    logits: Floats
    positives: NDArray[Any]
    negatives: NDArray[Any]


def overlaps(columns: LogitColumns) -> list[tuple[float, float]]:
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

    def __init__(self, columns: LogitColumns) -> None:
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

    def fit_level(self, level: float, slope: float) -> Fit:
        """Return the top on the lines of a slope, from a level on.

        Newton's steps in a bracket; until there is one, of lengths that grow from one to the next.
        """
        low, high, moved, is_near, longest = -math.inf, math.inf, 0.0, False, 8.0
        for _ in range(_STEPS):
            here = self.at(level + moved, slope)
            gradient = here.gradient[0]
            if is_near or gradient == 0.0:
                break
            low, high = (moved, high) if gradient > 0.0 else (low, moved)
            step = gradient / here.weight if here.weight else math.copysign(math.inf, gradient)
            is_near = gradient * step < _SMALL and abs(step) < _NEAR
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


_NAN: Final = float("nan")
#: Effective rows of a class below which intervals with importances miss by three points and more
#: (``docs/coverage.md``).
_FEW_ROWS: Final = 30
_NO_INTERVAL: Final = ConfidenceInterval(_NAN, _NAN)
#: Of one number: its value, its standard error, its interval.
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
    >>> found = logistic_calibration(y_true, y_proba)
    >>> round(found.slope, 4), round(found.in_the_large, 4)
    (2.6298, 0.0837)
    >>> found.predict([0.2, 0.5, 0.9]).round(4)
    array([0.0412, 0.6218, 0.9981])
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

    def predict(self, y_proba: ArrayLike) -> Floats:
        """Return recalibrated probabilities: expit(intercept + slope * logit(p)).

        Parameters
        ----------
        y_proba : array-like of shape (n_samples,)
            Probabilities of the model, from 0 to 1.

        Returns
        -------
        ndarray of shape (n_samples,)
            Those of 0 and of 1 stay certain, by the sign of the slope.
        """
        from scipy.special import expit, logit

        p = check_probabilities(y_proba).astype(np.float64)
        with np.errstate(invalid="ignore"):  # a slope of 0 makes all alike
            tilted = self.slope * logit(p) if self.slope != 0.0 else np.zeros(len(p))
        return np.asarray(expit(self.intercept + tilted))


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
    >>> found = logistic_calibration(y_true, y_proba)
    >>> round(found.slope, 3), [round(limit, 3) for limit in found.slope_interval]
    (2.63, [-1.872, 7.131])
    """
    level = check_confidence_level(confidence_level)
    table, squares, read = table_with_squares(
        y_true, y_proba, sample_weight, weights_are, pos_label, needs_squares=False
    )
    return logistic_of_table(table, squares, read, level=level)


def logistic_of_table(
    table: ScoreTable,
    squares: Squares | None,
    read: WeightsAre | None,
    *,
    level: float = 0.95,
    logits: Floats | None = None,
) -> LogisticCalibration:
    """Return slope and intercepts of a table of probabilities, whose logits may be at hand."""
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
            x = logits_of(p[inside]) if logits is None else logits[inside]
            columns = LogitColumns(x, *classes)
            fault = _fault(columns)
            filling = None
            if squares is not None:
                _warn_of_few_rows(table, squares)
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


def _warn_of_few_rows(table: ScoreTable, squares: Squares) -> None:
    """Say where importances leave few rows of a class (Kish's effective number of them)."""
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
    """Return the weight of rows whose probability of 0 or 1 is wrong, and of all with such."""
    wrong = certain = 0.0
    for row, bound, wrong_class in ((0, 1.0, table.negatives), (-1, 0.0, table.positives)):
        if p[row] == bound:
            wrong += float(wrong_class[row])
            certain += float(table.positives[row]) + float(table.negatives[row])
    return as_given(wrong, table.weight_exponent), as_given(certain, table.weight_exponent)


def logits_of(p: Floats) -> Floats:
    """Return the logits of probabilities inside (0, 1)."""
    logits = np.empty(len(p))

    def fill(x: Floats, p: Floats) -> tuple[()]:
        np.subtract(*minus_logs(p)[::-1], out=x)
        return ()

    sums_of(fill, (logits, p))
    return logits


def _fault(columns: LogitColumns) -> str:
    """Return why the slope has no finite value, empty where it has one."""
    if columns.logits[0] == columns.logits[-1]:
        return "all probabilities are the same"
    if min(high - low for high, low in overlaps(columns)) <= 0.0:
        return "the probabilities separate the classes, so that the slope is infinite"
    return ""


def _estimates(
    columns: LogitColumns, squares: tuple[Floats, Floats] | None, level: float, has_slope: bool
) -> list[_Estimate]:
    """Return the intercept beside a slope of 1; and slope and intercept, where there is a slope.

    Without a level there are no standard errors.
    """
    from scipy.special import ndtri

    quantile = -float(ndtri((1.0 - level) / 2.0))
    own = Likelihood(columns)

    def filling(fit: Fit) -> tuple[float, float, float] | None:
        return squares and squares_of_gradients(own, fit, squares)

    def estimate(value: float, variance: float) -> _Estimate:
        if math.isnan(level):
            return value, _NAN, _NO_INTERVAL
        error = math.sqrt(variance)
        half = quantile * error
        return value, error, ConfidenceInterval(value - half, value + half)

    fit = own.fit_level(own.centre, 1.0)
    variance = 1.0 / fit.weight
    if (filled := filling(fit)) is not None:
        variance *= filled[0] * variance
    found = [estimate(fit.level - own.centre, variance)]
    if has_slope:
        fit = own.fit()
        of_intercept, of_slope = variances(own, fit, filling(fit))
        found.append(estimate(fit.slope, of_slope))
        found.append(estimate(fit.level - fit.slope * own.centre, of_intercept))
    return found


def logistic_influences(
    name: str, classes: NDArray[Any], p: NDArray[Any], weights: Floats | None
) -> RowInfluences:
    """Return one of the three numbers with the influence of each row.

    Where a weight grows the fit takes one more step of Newton's: the inverse of the information by
    the row's score, (y - fitted) (1, logit). Rows of a certain probability move nothing.
    """
    table = probability_table(classes, p, sample_weight=weights)
    fit = logistic_of_table(table, None, None)
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
    left = (classes[inside] == 1) - fitted
    information = fitted * (1.0 - fitted)
    if weights is not None:
        information = information * weights[inside]
    total = float(information.sum())
    influences[:] = 0.0
    if is_large:
        influences[inside] = left / total
        return RowInfluences(level, influences)
    centre = float(information @ logits) / total
    away = logits - centre
    of_slope = left * away / float(information @ (away * away))
    influences[inside] = (
        of_slope if name == "calibration_slope" else left / total - centre * of_slope
    )
    return RowInfluences(values[name], influences)
