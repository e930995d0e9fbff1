"""Calibration slope and intercept: the labels regressed on the logits of the probabilities."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.scalars import WeightsAre, check_choice, check_confidence_level
from fastmetrics._input.scores import check_probabilities
from fastmetrics._input.weights import as_given
from fastmetrics._results import ConfidenceInterval, Result
from fastmetrics.errors import InputError, SmallSampleWarning, UndefinedMetricWarning, warn_user
from fastmetrics.measures.calibration import _logistic_fit as logistic
from fastmetrics.measures.calibration._probability_table import (
    CALIBRATED,
    Floats,
    Squares,
    minus_logs,
    probabilities,
    sums_of,
    table_with_squares,
)
from fastmetrics.tables.score_table import BOTH_CLASSES, ScoreTable, lacks_a_class

MethodName = Literal["wald", "likelihood"]
_NAN: Final = float("nan")
#: Effective rows of a class below which intervals with importances miss by three points and more
#: (``docs/coverage.md``).
_FEW_ROWS: Final = 30
_NO_INTERVAL: Final = ConfidenceInterval(_NAN, _NAN)
_NO_LIKELIHOOD: Final = (
    "`method='likelihood'` needs rows that count alike, or `weights_are='frequencies'`: "
    "importances have no likelihood"
)
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
    method : {"wald", "likelihood"}
        How the intervals were made.
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
    method: MethodName
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
    method: MethodName = "wald",
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    pos_label: Any = None,
    n_threads: int | None = None,
) -> LogisticCalibration:
    """Compute calibration slope, intercept, and the intercept in the large (Cox).

    Parameters
    ----------
    method : {"wald", "likelihood"}, default="wald"
        "wald": estimate +- z standard errors. "likelihood": all values that a likelihood ratio test
        would not reject, the other number fitted anew: finite limits wherever there is an estimate.

    Returns
    -------
    LogisticCalibration
        Three numbers, each with its standard error and its interval. Slope and intercept are nan
        where they have no finite value (see the warnings).

    Raises
    ------
    ValueError
        If likelihood intervals are asked for with importances, which have no likelihood.

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
    how many rows they are of, has none.

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
    >>> found = logistic_calibration(y_true, y_proba, method="likelihood")
    >>> round(found.slope, 3), [round(limit, 3) for limit in found.slope_interval]
    (2.63, [-0.065, 10.005])
    """
    level = check_confidence_level(confidence_level)
    check_choice("method", method, get_args(MethodName))
    table, squares, read = table_with_squares(
        y_true, y_proba, sample_weight, weights_are, pos_label, needs_squares=False
    )
    if method == "likelihood" and (table.is_weighted or read == "importances"):
        raise InputError(_NO_LIKELIHOOD)
    return logistic_of_table(table, squares, read, method=method, level=level)


def logistic_of_table(
    table: ScoreTable,
    squares: Squares | None,
    read: WeightsAre | None,
    *,
    method: MethodName = "wald",
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
        elif max(map(logistic.first_row, classes)) == len(classes[0]):
            fault = "probabilities inside (0, 1) belong to one class"
        else:
            x = logits_of(p[inside]) if logits is None else logits[inside]
            columns = logistic.Columns(x, *classes)
            fault = _fault(columns)
            has_errors = squares is not None or not table.is_weighted
            filling = None
            if squares is not None:
                _warn_of_few_rows(table, squares)
            if table.is_weighted:  # in units in which rows weigh 1 on average
                unit = len(x) / (float(table.n_positive) + float(table.n_negative))
                columns = logistic.Columns(x, columns.positives * unit, columns.negatives * unit)
                if squares is not None:
                    factor = (squares.largest * unit) ** 2
                    filling = squares[0][inside] * factor, squares[1][inside] * factor
            from scipy.special import ndtri

            quantile = -float(ndtri((1.0 - level) / 2.0))
            fits = _Fits(logistic.Likelihood(columns), filling, has_errors, method, quantile)
            in_the_large = fits.in_the_large()
            if not fault:
                slope, intercept = fits.slope_and_intercept()
        if fault:
            warn_user(f"slope and intercept are not defined: {fault}", UndefinedMetricWarning)
    return LogisticCalibration(*slope, *intercept, *in_the_large, n_certain, level, method, read)


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


def _fault(columns: logistic.Columns) -> str:
    """Return why the slope has no finite value, empty where it has one."""
    if columns.logits[0] == columns.logits[-1]:
        return "all probabilities are the same"
    if min(high - low for high, low in logistic.overlaps(columns)) <= 0.0:
        return "the probabilities separate the classes, so that the slope is infinite"
    return ""


class _Fits(NamedTuple):
    """The three estimates of one table, with standard errors and intervals."""

    likelihood: logistic.Likelihood
    squares: tuple[Floats, Floats] | None
    has_errors: bool
    method: MethodName
    quantile: float

    def in_the_large(self) -> _Estimate:
        """Return the intercept beside a slope of 1."""
        own = self.likelihood
        fit = own.fit_along(own.centre, 1.0, (1.0, 0.0))
        variance = 1.0 / fit.weight
        filling = self._filling(fit)
        if filling is not None:
            variance *= filling[0] * variance
        return self._estimate(
            fit, fit.level - own.centre, variance, lambda value: (value + own.centre, 1.0)
        )

    def slope_and_intercept(self) -> tuple[_Estimate, _Estimate]:
        """Return both numbers of the line."""
        own = self.likelihood
        fit = own.fit()
        of_intercept, of_slope = logistic.variances(own, fit, self._filling(fit))

        def beside_slope(value: float) -> tuple[float, float]:
            return own.fit_along(fit.level, value, (1.0, 0.0))[:2]

        def beside_intercept(value: float) -> tuple[float, float]:
            level = value + fit.slope * own.centre
            return own.fit_along(level, fit.slope, (own.centre, 1.0))[:2]

        intercept = fit.level - fit.slope * own.centre
        return (
            self._estimate(fit, fit.slope, of_slope, beside_slope),
            self._estimate(fit, intercept, of_intercept, beside_intercept),
        )

    def _filling(self, fit: logistic.Fit) -> tuple[float, float, float] | None:
        return self.squares and logistic.squares_of_gradients(self.likelihood, fit, self.squares)

    def _estimate(
        self,
        fit: logistic.Fit,
        estimate: float,
        variance: float,
        at: Callable[[float], tuple[float, float]],
    ) -> _Estimate:
        """Return an estimate with its error and interval; ``at`` fits the line to another value."""
        if not self.has_errors:
            return estimate, _NAN, _NO_INTERVAL
        error = math.sqrt(variance)
        half = self.quantile * error
        if self.method == "wald":
            return estimate, error, ConfidenceInterval(estimate - half, estimate + half)
        highest = self.likelihood.logarithm(fit.level, fit.slope)

        def excess(distance: float) -> float:
            height = self.likelihood.logarithm(*at(estimate + distance))
            return 2.0 * (highest - height) - self.quantile**2

        low, high = (estimate + _root(excess, side * half) for side in (-1.0, 1.0))
        return estimate, error, ConfidenceInterval(low, high)


def _root(excess: Callable[[float], float], step: float) -> float:
    """Return where a convex function that is negative at 0 has its root on the side of a step."""
    from scipy.optimize import brentq

    inside, outside = 0.0, step
    while excess(outside) < 0.0:
        inside, outside = outside, 3.0 * outside
    return float(brentq(excess, inside, outside, xtol=1e-300, rtol=1e-13, maxiter=1000))
