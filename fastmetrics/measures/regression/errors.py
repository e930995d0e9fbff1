"""Mean, largest and median errors of predictions; those of logarithms, and of quantiles."""

from __future__ import annotations

from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics.measures.regression.regression_measures import (
    OF_LOGARITHMS,
    ONE_PASS,
    OVERFLOW,
    ROWS,
    measured,
)
from fastmetrics.tables.regression import Floats, RegressionTable


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
    To combine it with other measures in one pass: `regression_measures`.

    Examples
    --------
    >>> mean_squared_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8])
    0.375
    >>> mean_squared_error([[0.5, 1], [-1, 1]], [[0, 2], [-1, 2]], multioutput="raw_values")
    array([0.125, 1.   ])
    """
    return measured("mean_squared_error", y_true, y_pred, sample_weight, multioutput)


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
    return measured("root_mean_squared_error", y_true, y_pred, sample_weight, multioutput)


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
    return measured("mean_absolute_error", y_true, y_pred, sample_weight, multioutput)


@documented(ROWS, OVERFLOW, ONE_PASS)
def mean_absolute_percentage_error(
    y_true: ArrayLike | RegressionTable,
    y_pred: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: str | ArrayLike = "uniform_average",
    n_threads: int | None = None,
) -> float | Floats:
    """Return the mean absolute error relative to the targets, as a share and not in percent.

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
    return measured("mean_absolute_percentage_error", y_true, y_pred, sample_weight, multioutput)


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
    return measured("mean_squared_log_error", y_true, y_pred, sample_weight, multioutput)


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
    return measured("root_mean_squared_log_error", y_true, y_pred, sample_weight, multioutput)


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
    return measured("median_absolute_error", y_true, y_pred, sample_weight, multioutput)


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
    return float(measured("max_error", y_true, y_pred))


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
    return measured("mean_pinball_loss", y_true, y_pred, sample_weight, multioutput, alpha=alpha)
