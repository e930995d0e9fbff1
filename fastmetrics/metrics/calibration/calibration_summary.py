"""Calibration of one model: CORP components of a score, tests of fit, and a summary of all."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Table
from fastmetrics._docs import documented
from fastmetrics._input.scalars import WeightsAre, check_choice, check_confidence_level
from fastmetrics._input.scores import as_given
from fastmetrics._kernels.losses import terms_of_rows
from fastmetrics._results import OneNumber, Result
from fastmetrics.errors import UndefinedMetricWarning, warn_user
from fastmetrics.metrics.calibration._probability_table import (
    CALIBRATED,
    Floats,
    minus_logs,
    probabilities,
    probability_table,
    sum_terms,
    table_with_squares,
)
from fastmetrics.metrics.calibration.logistic_calibration import LogisticCalibration, fit_logistic
from fastmetrics.tables.score_table import Hull, ScoreTable, upper_hull

#: Maps probabilities to the losses of a positive and of a negative row.
Losses = Callable[[Floats], tuple[Floats, Floats]]

_LOSS: Final = """
Parameters
----------
loss : {"brier_score", "log_loss"}, default="brier_score"
    The loss, the lower the better.

Raises
------
TypeError, ValueError
    If an argument is of the wrong kind, or the loss is none of these.
"""
_NAMED: Final = ("brier_score", "log_loss")


@dataclass(frozen=True, slots=True, repr=False)
class ScoreDecomposition(OneNumber):
    """A mean loss of probabilities and its three components.

    Attributes
    ----------
    metric : str
        The name of the loss.
    loss : float
        The mean loss, the lower the better.
    miscalibration : float
        What recalibration would save: 0 for probabilities that mean what they say.
    discrimination : float
        What recalibrated probabilities save against the share of positives for every row.
    uncertainty : float
        The loss of that share: a property of the labels alone.

    Examples
    --------
    >>> ScoreDecomposition("brier_score", 0.25, 0.125, 0.125, 0.25)
    ScoreDecomposition(metric='brier_score', loss=0.25, miscalibration=0.125, ...)
    """

    _number = "loss"

    metric: str
    loss: float
    miscalibration: float
    discrimination: float
    uncertainty: float


@documented(CALIBRATED, _LOSS)
def score_decomposition(
    y_true: ArrayLike | ScoreTable,
    y_proba: ArrayLike | None = None,
    *,
    loss: Literal["brier_score", "log_loss"] = "brier_score",
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> ScoreDecomposition:
    """Split a mean loss into miscalibration, discrimination and uncertainty (CORP).

    Returns
    -------
    ScoreDecomposition
        The mean loss and its parts, of which
        ``miscalibration - discrimination + uncertainty == loss``, in floats too.

    Notes
    -----
    With S the mean loss, p the probabilities, q their isotonic recalibration and r the share of
    positives: miscalibration S(p) - S(q), discrimination S(r) - S(q), uncertainty S(r). The parts
    of a proper loss are not negative. S(p), S(q) and S(r) are rounded to one grid, 2**-53 of the
    power of two above the largest of them: so that the parts add up without rounding.

    The log loss clips probabilities to the machine epsilon of their dtype, as `log_loss` does.
    Of one class discrimination is 0, and uncertainty too, but for the clipping. Intervals of the
    parts are not offered: the miscalibration of calibrated probabilities is positive in every
    sample, and percentile intervals never cover its true value, 0; nor, by the same bias, that of
    the discrimination.

    One sort, then O(distinct probabilities).

    References
    ----------
    Dimitriadis, T., Gneiting, T., & Jordan, A. I. (2021). Stable reliability diagrams for
    probabilistic classifiers. PNAS 118(8), e2016191118.

    Examples
    --------
    >>> score_decomposition([0, 0, 0, 1, 1, 1], [0.4, 0.3, 0.2, 0.1, 0.5, 0.9])
    ScoreDecomposition(metric='brier_score', loss=0.226667, miscalibration=0.101667, ...)
    """
    check_choice("loss", loss, _NAMED)
    table = probability_table(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label)
    return decompose_table(table, loss)


def decompose_table(table: ScoreTable, loss: str) -> ScoreDecomposition:
    """Return the decomposition of a table of probabilities."""
    losses = loss_function(loss, table.scores.dtype)
    columns = probabilities(table), table.positives, table.negatives

    def terms(p: Floats, positives: NDArray[Any], negatives: NDArray[Any]) -> tuple[float]:
        return (summed_losses(losses(p), positives, negatives),)

    (given,) = sum_terms(terms, columns) or [math.nan]
    return decompose_sum(table, upper_hull(table), loss, given)


def decompose_sum(table: ScoreTable, hull: Hull, loss: str, given: float) -> ScoreDecomposition:
    """Return the decomposition of a table, given the sum of its losses."""
    losses = loss_function(loss, table.scores.dtype)
    total = float(table.n_positive) + float(table.n_negative)
    overall = np.array([float(table.n_positive)]), np.array([float(table.n_negative)])
    means = []
    with np.errstate(all="ignore"):
        for positives, negatives in ((hull.positives, hull.negatives), overall):
            both = losses(positives / (positives + negatives))
            means.append(summed_losses(both, positives, negatives) / total)
    recalibrated, constant = means
    given /= total
    recalibrated = min(recalibrated, given, constant)  # up to rounding it is the least
    finite = [abs(each) for each in (given, recalibrated, constant) if math.isfinite(each)]
    exponent = math.frexp(max(finite, default=0.0))[1]
    # on a grid, so that the components add up
    s, q, r = (_on_grid(each, exponent) for each in (given, recalibrated, constant))
    return ScoreDecomposition(loss, s, s - q, r - q, r)


def loss_function(loss: str, dtype: np.dtype[Any]) -> Losses:
    """Return the losses of a name, for probabilities of this dtype."""
    if loss == "brier_score":
        return lambda p: (np.square(1.0 - p), p * p)
    eps = float(np.finfo(dtype if dtype.kind == "f" else np.float64).eps)
    return lambda p: minus_logs(np.clip(p, eps, 1.0 - eps))


def summed_losses(
    losses: tuple[Floats, Floats], positives: NDArray[Any], negatives: NDArray[Any]
) -> float:
    """Return the sum of losses, which are finite, of a positive and of a negative at each score."""
    positive_loss, negative_loss = losses
    return float((positives * positive_loss + negatives * negative_loss).sum())


def _on_grid(value: float, exponent: int) -> float:
    """Return the multiple of ``2**(exponent - 53)`` nearest to a number below ``2**exponent``."""
    if not math.isfinite(value):
        return value
    return math.ldexp(round(math.ldexp(value, 53 - exponent)), exponent - 53)


@dataclass(frozen=True, slots=True, repr=False)
class GoodnessOfFitTest(OneNumber):
    """A test of the hypothesis that probabilities are calibrated.

    Attributes
    ----------
    method : str
        The name of the test.
    statistic : float
        Spiegelhalter's Z: above 0 where outcomes are more extreme than the probabilities say; nan
        where it is not defined.
    pvalue : float
        Probability of a statistic at least as extreme, if the probabilities are calibrated.

    Examples
    --------
    >>> GoodnessOfFitTest("Spiegelhalter's Z", 1.2, 0.23014)
    GoodnessOfFitTest(method="Spiegelhalter's Z", statistic=1.2, pvalue=0.23014)
    """

    _number = "statistic"

    method: str
    statistic: float
    pvalue: float


@documented(CALIBRATED)
def spiegelhalter_test(
    y_true: ArrayLike | ScoreTable,
    y_proba: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    pos_label: Any = None,
    n_threads: int | None = None,
) -> GoodnessOfFitTest:
    """Test whether the Brier score is that of calibrated probabilities (Spiegelhalter).

    Returns
    -------
    GoodnessOfFitTest
        Z, which is standard normal for calibrated probabilities, and its two-sided p-value.

    Warns
    -----
    UndefinedMetricWarning
        If all probabilities are 0, 1/2 or 1: the Brier score is then certain, and Z is nan.

    Notes
    -----
    Z = sum (y - p)(1 - 2p) / sqrt(sum (1 - 2p)**2 p (1 - p)); with importances w the terms are
    multiplied by w above, by w**2 below. The p-value is that of the normal distribution, for which
    some dozens of rows of either class are enough (`docs/coverage.md`).

    One sort, then O(distinct probabilities).

    References
    ----------
    Spiegelhalter, D. J. (1986). Probabilistic prediction in patient management and clinical
    trials. Statistics in Medicine 5(5), 421-433.

    Examples
    --------
    >>> test = spiegelhalter_test([0, 0, 1, 1, 0], [0.1, 0.4, 0.8, 0.7, 0.6])
    >>> round(test.statistic, 4), round(test.pvalue, 4)
    (-0.6831, 0.4945)
    """
    table, squares, _ = table_with_squares(y_true, y_proba, sample_weight, weights_are, pos_label)
    squared = (table.positives, table.negatives) if squares is None else squares[:2]

    def terms(p: Floats, ones: NDArray[Any], zeros: NDArray[Any], *squared: NDArray[Any]) -> Any:
        q = 1.0 - p
        slope = q - p
        over = float(((ones * q - zeros * p) * slope).sum())
        return over, float(((squared[0] + squared[1]) * (slope * slope * (p * q))).sum())

    columns = (probabilities(table), table.positives, table.negatives, *squared)
    over, variance = sum_terms(terms, columns)
    return spiegelhalter_from_sums(over, variance, 1.0 if squares is None else squares.largest)


def spiegelhalter_from_sums(over: float, variance: float, unit: float) -> GoodnessOfFitTest:
    """Return the test of two sums, in units of ``unit`` and of its square."""
    method = "Spiegelhalter's Z"
    if not variance > 0.0:
        warn_user(
            "Spiegelhalter's Z is not defined: all probabilities are 0, 1/2 or 1",
            UndefinedMetricWarning,
        )
        return GoodnessOfFitTest(method, math.nan, math.nan)
    from scipy.special import ndtr

    z = over / unit / math.sqrt(variance)
    return GoodnessOfFitTest(method, z, 2.0 * float(ndtr(-abs(z))))


#: Columns shown for a score and its components.
_PARTS: Final = ("metric", "loss", "miscalibration", "discrimination", "uncertainty")


@dataclass(frozen=True, slots=True, repr=False)
class CalibrationSummary(Result):
    """Calibration of the probabilities of one model.

    Attributes
    ----------
    n_samples : float
        Rows, or their weight.
    prevalence : float
        The share of positives.
    mean_probability : float
        The mean of the probabilities.
    brier_score, log_loss : ScoreDecomposition
        Mean scores with their miscalibration, discrimination and uncertainty.
    logistic : LogisticCalibration
        Slope, intercept, and intercept in the large, with their intervals.
    spiegelhalter : GoodnessOfFitTest
        Spiegelhalter's Z.

    Examples
    --------
    >>> result = calibration_summary([0, 1, 0, 1, 1, 0], [0.2, 0.4, 0.5, 0.6, 0.9, 0.3])
    >>> print(result)
    Calibration of 6 rows: 50 % positive, mean probability 0.4833
    <BLANKLINE>
    parameter     estimate [95 % interval]
    ──────────────────────────────────────
    slope         2.6298 [−1.8718, 7.1313]
    intercept     0.4974 [−1.9927, 2.9875]
    in the large  0.0837 [−1.7071, 1.8746]
    <BLANKLINE>
    metric         loss  miscalibration  discrimination  uncertainty
    ────────────────────────────────────────────────────────────────
    brier_score  0.1517          0.0683          0.1667       0.2500
    log_loss     0.4676          0.2365          0.4621       0.6931
    <BLANKLINE>
    method             statistic     p
    ──────────────────────────────────
    Spiegelhalter's Z    −0.6831  .495
    """

    n_samples: float
    prevalence: float
    mean_probability: float
    brier_score: ScoreDecomposition
    log_loss: ScoreDecomposition
    logistic: LogisticCalibration
    spiegelhalter: GoodnessOfFitTest

    def _display(self) -> Display:
        logistic = self.logistic
        columns = {
            "parameter": ("slope", "intercept", "in the large"),
            "estimate": (logistic.slope, logistic.intercept, logistic.in_the_large),
            "confidence_interval": (
                logistic.slope_interval,
                logistic.intercept_interval,
                logistic.in_the_large_interval,
            ),
        }
        scores = Table.of((self.brier_score, self.log_loss), _PARTS, framed=False)
        prevalence = f"{100 * self.prevalence:.4g} % positive"
        size = f"{self.n_samples:,.0f} row" + "s" * (self.n_samples != 1)
        if logistic.weights_are == "importances":
            size = f"weight {self.n_samples:,.6g}"
        return Display(
            [
                Table(columns, level=logistic.confidence_level),
                scores,
                Table.of((self.spiegelhalter,), ("method", "statistic", "pvalue"), framed=False),
            ],
            f"Calibration of {size}: {prevalence}, mean probability {self.mean_probability:.4g}",
        )


@documented(CALIBRATED)
def calibration_summary(
    y_true: ArrayLike | ScoreTable,
    y_proba: ArrayLike | None = None,
    *,
    confidence_level: float = 0.95,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    pos_label: Any = None,
    n_threads: int | None = None,
) -> CalibrationSummary:
    """Compute scores with components, slope, intercepts and a test of calibration at once.

    Returns
    -------
    CalibrationSummary
        Of which ``print`` shows a table.

    Warns
    -----
    UndefinedMetricWarning
        If a class is missing, or a number has no finite value; as the functions of each part warn.

    Notes
    -----
    The numbers are those of `score_decomposition`, `logistic_calibration` and `spiegelhalter_test`,
    which share a sort, a pass over the distinct probabilities and the blocks of the isotonic fit.
    Measured on one thread, with NumPy's sort on vectors: 10**6 rows in
    six times `np.sort` of them, half of that to sort and count them by class.

    Examples
    --------
    >>> result = calibration_summary([0, 1, 0, 1, 1, 0], [0.2, 0.4, 0.5, 0.6, 0.9, 0.3])
    >>> round(result.brier_score.loss, 4), round(result.logistic.slope, 2)
    (0.1517, 2.63)
    """
    level = check_confidence_level(confidence_level)
    weights = sample_weight, weights_are, pos_label
    table, squares, read = table_with_squares(y_true, y_proba, *weights)
    logits, sums = _one_pass(table, squares[:2] if squares is not None else None)
    brier, log, mean_sum, over, variance = sums
    hull = upper_hull(table)
    total = float(table.n_positive) + float(table.n_negative)
    return CalibrationSummary(
        as_given(total, table.weight_exponent),
        float(table.n_positive) / total,
        mean_sum / total,
        decompose_sum(table, hull, "brier_score", brier),
        decompose_sum(table, hull, "log_loss", log),
        fit_logistic(table, squares, read, level=level, logits=logits),
        spiegelhalter_from_sums(over, variance, 1.0 if squares is None else squares.largest),
    )


def _one_pass(
    table: ScoreTable, squares: tuple[Floats, Floats] | None
) -> tuple[Floats, list[float]]:
    """Return the logits, and sums: both losses, the probabilities, and Spiegelhalter's two."""
    p = probabilities(table)
    classes = table.positives, table.negatives
    logits = np.empty(len(p))
    clipped = loss_function("log_loss", table.scores.dtype)
    dtype = table.scores.dtype if table.scores.dtype.kind == "f" else np.dtype(np.float64)
    eps = float(np.finfo(dtype).eps)

    def terms(x: Floats, p: Floats, *weights: NDArray[Any]) -> list[float]:
        out = np.empty((5, len(p)))
        columns = p, np.log(p), np.log(1.0 - p), *weights, *(weights if squares is None else ())
        terms_of_rows(*columns, x, out)
        sums: list[float] = out.sum(axis=1).tolist()
        if p[0] > 1.0 - eps or p[-1] < eps:  # only the log loss clips these
            sums[1] = summed_losses(clipped(p), *weights[:2])
        return sums

    return logits, sum_terms(terms, (logits, p, *classes, *(squares or ())))
