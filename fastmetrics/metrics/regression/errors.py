"""Errors, deviances and scores of predicted numbers, one function each."""

from __future__ import annotations

from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics.metrics.regression.regression_metrics import (
    OF_LOGARITHMS,
    ONE_PASS,
    OVERFLOW,
    ROWS,
    compute_metric,
)
from fastmetrics.tables.regression import Floats, RegressionTable

_DEVIANCE = """
References
----------
Jørgensen (1987), "Exponential dispersion models", J. R. Stat. Soc. B 49.
"""
_D2 = """
References
----------
Hastie, Tibshirani & Wainwright (2015), "Statistical learning with sparsity", eq. 3.11.
"""
_OF_QUANTILES = """
Warns
-----
UndefinedMetricWarning
    For fewer than two rows; if a sum exceeds the range of float64.
"""


@documented(ROWS, ONE_PASS)
def r2_score(
    y_true: ArrayLike | RegressionTable,
    y_pred: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: str | ArrayLike | None = "uniform_average",
    force_finite: bool = True,
    n_threads: int | None = None,
) -> float | Floats:
    """Return the coefficient of determination.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, k)
        Targets and predictions: finite real numbers; or a RegressionTable alone.
    multioutput : {"uniform_average", "raw_values", "variance_weighted"}, array-like (k,) or None
        Mean over the outputs, all their values, a mean weighted by the variance of the
        targets, or a mean with these weights. None is "uniform_average".

    Returns
    -------
    float or ndarray of shape (k,)
        One less the squared errors over the squared deviations of the targets from their mean: 1 is
        perfect, 0 as good as the mean; there is no lower bound. nan for fewer than two rows.

    Warns
    -----
    UndefinedMetricWarning
        For fewer than two rows; for constant targets without `force_finite`; if a sum exceeds the
        range of float64.

    Notes
    -----
    The centred sums are merged block by block, so that targets far from zero cost no digits.

    References
    ----------
    Chan, Golub & LeVeque (1983), "Algorithms for computing the sample variance".

    Examples
    --------
    >>> round(r2_score([3, -0.5, 2, 7], [2.5, 0.0, 2, 8]), 4)
    0.9486
    >>> r2_score([1, 2, 3], [3, 2, 1])
    -3.0
    """
    return compute_metric(
        "r2", y_true, y_pred, sample_weight, multioutput, force_finite=force_finite
    )


@documented(ROWS, ONE_PASS)
def explained_variance_score(
    y_true: ArrayLike | RegressionTable,
    y_pred: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: str | ArrayLike = "uniform_average",
    force_finite: bool = True,
    n_threads: int | None = None,
) -> float | Floats:
    """Return the proportion of the variance of the targets that the predictions explain.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, k)
        Targets and predictions: finite real numbers; or a RegressionTable alone.
    multioutput : {"uniform_average", "raw_values", "variance_weighted"} or array-like of shape (k,)
        Mean over the outputs, all their values, a mean weighted by the variance of the
        targets, or a mean with these weights.

    Returns
    -------
    float or ndarray of shape (k,)
        One less the variance of the errors over that of the targets. Unlike `r2_score` it does not
        see an error that is the same in all rows.

    Warns
    -----
    UndefinedMetricWarning
        For constant targets without `force_finite`; if a sum exceeds the range of float64.

    Examples
    --------
    >>> round(explained_variance_score([3, -0.5, 2, 7], [2.5, 0.0, 2, 8]), 4)
    0.9572
    """
    return compute_metric(
        "explained_variance", y_true, y_pred, sample_weight, multioutput, force_finite=force_finite
    )


@documented(ROWS, _D2)
def d2_tweedie_score(
    y_true: ArrayLike | RegressionTable,
    y_pred: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    power: float = 0,
    n_threads: int | None = None,
) -> float:
    """Return the D² of the Tweedie deviance, against the mean.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Targets and predictions: finite; or a RegressionTable with that power, alone.

    Returns
    -------
    float
        One less the mean deviance over that of the mean of the targets: 1 is perfect. nan for fewer
        than two rows, constant targets, or a negative power and a mean that is not positive.

    Warns
    -----
    UndefinedMetricWarning
        If the value is nan, or a sum exceeds the range of float64.

    Notes
    -----
    O(n) time in one pass: sums of deviances from a mean merge like sums of squares.

    Examples
    --------
    >>> round(d2_tweedie_score([0.5, 1, 2.5, 7], [1, 1, 5, 3.5], power=1), 4)
    0.4879
    """
    return float(compute_metric("d2_tweedie_score", y_true, y_pred, sample_weight, power=power))


@documented(_OF_QUANTILES, ROWS, _D2)
def d2_pinball_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    alpha: float = 0.5,
    multioutput: str | ArrayLike = "uniform_average",
    n_threads: int | None = None,
) -> float | Floats:
    """Return the D² of the pinball loss, against the constant quantile.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, k)
        Targets and predictions: finite real numbers.

    Returns
    -------
    float or ndarray of shape (k,)
        One less the mean pinball loss over that of the `alpha` quantile of the targets; 1 or 0
        where the quantile has no loss. nan for fewer than two rows.

    Notes
    -----
    O(n) time (O(n log n) with weights): two passes and a selection; memory 8 bytes a row, 33 with
    weights.

    Examples
    --------
    >>> round(d2_pinball_score([1, 2, 3], [1, 3, 3]), 4)
    0.5
    >>> round(d2_pinball_score([1, 2, 3], [1, 3, 3], alpha=0.9), 4)
    0.6667
    """
    return compute_metric(
        "d2_pinball_score", y_true, y_pred, sample_weight, multioutput, alpha=alpha
    )


@documented(_OF_QUANTILES, ROWS, _D2)
def d2_absolute_error_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: str | ArrayLike = "uniform_average",
    n_threads: int | None = None,
) -> float | Floats:
    """Return the D² of the absolute error, against the median.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, k)
        Targets and predictions: finite real numbers.

    Returns
    -------
    float or ndarray of shape (k,)
        One less the mean absolute error over that of the median of the targets; 1 or 0 where the
        median has no error. nan for fewer than two rows.

    Notes
    -----
    As `d2_pinball_score`.

    Examples
    --------
    >>> d2_absolute_error_score([1, 2, 3], [1, 3, 3])
    0.5
    """
    return compute_metric("d2_absolute_error_score", y_true, y_pred, sample_weight, multioutput)


@documented(ROWS, OVERFLOW, OF_LOGARITHMS, _DEVIANCE)
def mean_tweedie_deviance(
    y_true: ArrayLike | RegressionTable,
    y_pred: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    power: float = 0,
    n_threads: int | None = None,
) -> float:
    """Return the mean Tweedie deviance of a given power.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Targets and predictions: finite; or a RegressionTable with that power, alone.

    Returns
    -------
    float
        Weighted mean of the unit deviances; 0 is perfect.

    Notes
    -----
    A prediction near its target keeps its digits: the deviance of a row is within 2**-46 of its
    value, relatively, or of 2**-46 / (power - 1) where the power is just above 1.

    Examples
    --------
    >>> round(mean_tweedie_deviance([2, 0, 1, 4], [0.5, 0.5, 2.0, 2.0], power=1), 4)
    1.426
    """
    return float(
        compute_metric("mean_tweedie_deviance", y_true, y_pred, sample_weight, power=power)
    )


@documented(ROWS, OVERFLOW, OF_LOGARITHMS, _DEVIANCE)
def mean_poisson_deviance(
    y_true: ArrayLike | RegressionTable,
    y_pred: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    n_threads: int | None = None,
) -> float:
    """Return the mean Poisson deviance: the Tweedie deviance of power 1.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Targets >= 0, predictions > 0; or a RegressionTable with power 1, alone.

    Returns
    -------
    float
        Weighted mean of 2 (true log(true / predicted) - true + predicted).

    Examples
    --------
    >>> round(mean_poisson_deviance([2, 0, 1, 4], [0.5, 0.5, 2.0, 2.0]), 4)
    1.426
    """
    return float(compute_metric("mean_poisson_deviance", y_true, y_pred, sample_weight))


@documented(ROWS, OVERFLOW, OF_LOGARITHMS, _DEVIANCE)
def mean_gamma_deviance(
    y_true: ArrayLike | RegressionTable,
    y_pred: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    n_threads: int | None = None,
) -> float:
    """Return the mean gamma deviance: the Tweedie deviance of power 2.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Positive numbers; or a RegressionTable with power 2, alone.

    Returns
    -------
    float
        Weighted mean of 2 (log(predicted / true) + true / predicted - 1).

    Examples
    --------
    >>> round(mean_gamma_deviance([2, 0.5, 1, 4], [0.5, 0.5, 2.0, 2.0]), 4)
    1.0569
    """
    return float(compute_metric("mean_gamma_deviance", y_true, y_pred, sample_weight))


@documented(ROWS, OVERFLOW, ONE_PASS)
def mean_squared_error(
    y_true: ArrayLike | RegressionTable,
    y_pred: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: str | ArrayLike = "uniform_average",
    n_threads: int | None = None,
) -> float | Floats:
    """Return the mean squared error.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, k)
        Targets and predictions: finite real numbers; or a RegressionTable alone.

    Returns
    -------
    float or ndarray of shape (k,)
        Weighted mean of (true - predicted)², in the square of the unit of the targets.

    Notes
    -----
    To combine it with other metrics in one pass: `regression_metrics`.

    Examples
    --------
    >>> mean_squared_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8])
    0.375
    >>> mean_squared_error([[0.5, 1], [-1, 1]], [[0, 2], [-1, 2]], multioutput="raw_values")
    array([0.125, 1.   ])
    """
    return compute_metric("mean_squared_error", y_true, y_pred, sample_weight, multioutput)


@documented(ROWS, OVERFLOW, ONE_PASS)
def root_mean_squared_error(
    y_true: ArrayLike | RegressionTable,
    y_pred: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: str | ArrayLike = "uniform_average",
    n_threads: int | None = None,
) -> float | Floats:
    """Return the root of the mean squared error.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, k)
        Targets and predictions: finite real numbers; or a RegressionTable alone.

    Returns
    -------
    float or ndarray of shape (k,)
        In the unit of the targets; the root is taken before outputs are averaged.

    Examples
    --------
    >>> round(root_mean_squared_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8]), 4)
    0.6124
    """
    return compute_metric("root_mean_squared_error", y_true, y_pred, sample_weight, multioutput)


@documented(ROWS, OVERFLOW, ONE_PASS)
def mean_absolute_error(
    y_true: ArrayLike | RegressionTable,
    y_pred: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: str | ArrayLike = "uniform_average",
    n_threads: int | None = None,
) -> float | Floats:
    """Return the mean absolute error.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, k)
        Targets and predictions: finite real numbers; or a RegressionTable alone.

    Returns
    -------
    float or ndarray of shape (k,)
        Weighted mean of |true - predicted|, in the unit of the targets.

    Examples
    --------
    >>> mean_absolute_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8])
    0.5
    """
    return compute_metric("mean_absolute_error", y_true, y_pred, sample_weight, multioutput)


@documented(ROWS, OVERFLOW, ONE_PASS)
def mean_absolute_percentage_error(
    y_true: ArrayLike | RegressionTable,
    y_pred: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: str | ArrayLike = "uniform_average",
    n_threads: int | None = None,
) -> float | Floats:
    """Return the mean absolute error relative to the targets, as a fraction, not in percent.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, k)
        Targets and predictions: finite real numbers; or a RegressionTable alone.

    Returns
    -------
    float or ndarray of shape (k,)
        Weighted mean of |true - predicted| / max(|true|, 2**-52).

    Notes
    -----
    Targets of zero give values around 1e15 times the error: finite, and useless.

    Examples
    --------
    >>> mean_absolute_percentage_error([1.0, 4.0], [2.0, 3.0])
    0.625
    """
    return compute_metric(
        "mean_absolute_percentage_error", y_true, y_pred, sample_weight, multioutput
    )


@documented(ROWS, OVERFLOW, OF_LOGARITHMS)
def mean_squared_log_error(
    y_true: ArrayLike | RegressionTable,
    y_pred: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: str | ArrayLike = "uniform_average",
    n_threads: int | None = None,
) -> float | Floats:
    """Return the mean squared logarithmic error.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, k)
        Finite numbers greater than -1; or a RegressionTable with `log_errors`, alone.

    Returns
    -------
    float or ndarray of shape (k,)
        Weighted mean of (log(1 + true) - log(1 + predicted))².

    Examples
    --------
    >>> round(mean_squared_log_error([3, 5, 2.5, 7], [2.5, 5, 4, 8]), 4)
    0.0397
    """
    return compute_metric("mean_squared_log_error", y_true, y_pred, sample_weight, multioutput)


@documented(ROWS, OVERFLOW, OF_LOGARITHMS)
def root_mean_squared_log_error(
    y_true: ArrayLike | RegressionTable,
    y_pred: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: str | ArrayLike = "uniform_average",
    n_threads: int | None = None,
) -> float | Floats:
    """Return the root of the mean squared logarithmic error.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, k)
        Finite numbers greater than -1; or a RegressionTable with `log_errors`, alone.

    Returns
    -------
    float or ndarray of shape (k,)
        The root is taken before outputs are averaged.

    Examples
    --------
    >>> round(root_mean_squared_log_error([3, 5, 2.5, 7], [2.5, 5, 4, 8]), 4)
    0.1993
    """
    return compute_metric("root_mean_squared_log_error", y_true, y_pred, sample_weight, multioutput)


@documented(ROWS, OVERFLOW)
def median_absolute_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    multioutput: str | ArrayLike = "uniform_average",
    sample_weight: ArrayLike | None = None,
    n_threads: int | None = None,
) -> float | Floats:
    """Return the median absolute error.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, k)
        Targets and predictions: finite real numbers.

    Returns
    -------
    float or ndarray of shape (k,)
        Median of |true - predicted|; with weights the mean of the lower and upper weighted median.

    Notes
    -----
    O(n) time, by selection, but O(n log n) where few rows hold most of the weight; memory 8 bytes
    a row, 20 with weights, 33 with such.

    References
    ----------
    Hyndman & Fan (1996), "Sample quantiles in statistical packages", definition 2.

    Examples
    --------
    >>> median_absolute_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8])
    0.5
    >>> median_absolute_error([1, 2, 3], [1, 1, 1], sample_weight=[1, 1, 4])
    2.0
    """
    return compute_metric("median_absolute_error", y_true, y_pred, sample_weight, multioutput)


@documented(ROWS, OVERFLOW, ONE_PASS)
def max_error(
    y_true: ArrayLike | RegressionTable,
    y_pred: ArrayLike | None = None,
    *,
    n_threads: int | None = None,
) -> float:
    """Return the largest absolute error.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Targets and predictions: finite real numbers; or a RegressionTable alone.

    Returns
    -------
    float
        Largest |true - predicted|. In a table, rows that weigh nothing are left out.

    Examples
    --------
    >>> max_error([3, 2, 7, 1], [4, 2, 7, 1])
    1.0
    """
    return float(compute_metric("max_error", y_true, y_pred))


@documented(ROWS, OVERFLOW, ONE_PASS)
def mean_pinball_loss(
    y_true: ArrayLike | RegressionTable,
    y_pred: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    alpha: float = 0.5,
    multioutput: str | ArrayLike = "uniform_average",
    n_threads: int | None = None,
) -> float | Floats:
    """Return the mean pinball loss, which the `alpha` quantile of the targets makes smallest.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, k)
        Targets and predictions: finite real numbers; or a RegressionTable alone.

    Returns
    -------
    float or ndarray of shape (k,)
        Weighted mean of alpha (true - predicted) where that is positive, else of
        (1 - alpha) (predicted - true).

    Notes
    -----
    For any alpha the loss follows from the mean of the errors of either sign.

    References
    ----------
    Koenker & Bassett (1978), "Regression quantiles", Econometrica 46.

    Examples
    --------
    >>> round(mean_pinball_loss([1, 2, 3], [0, 2, 3], alpha=0.1), 4)
    0.0333
    """
    return compute_metric(
        "mean_pinball_loss", y_true, y_pred, sample_weight, multioutput, alpha=alpha
    )
