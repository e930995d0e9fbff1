"""Mean, largest and median errors of predictions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics.measures.regression._regression_registry import measured
from fastmetrics.tables.regression.regression_table import RegressionTable

Floats = NDArray[np.float64]


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
    y_true : array-like of shape (n,) or (n, k), or RegressionTable
        Targets: finite real numbers; or a table, and nothing else.
    y_pred : array-like of the same shape
        Predictions.
    sample_weight : array-like of shape (n,), optional
        Weights >= 0.
    multioutput : {"uniform_average", "raw_values"} or array-like of shape (k,)
        Mean over the outputs, all their values, or a mean with these weights.
    n_threads : int, optional
        Threads to use; every processor of the process by default.

    Returns
    -------
    float or ndarray of shape (k,)
        Weighted mean of (true - predicted)², in the square of the unit of the targets.

    Raises
    ------
    TypeError, ValueError
        For input of the wrong kind, shape or range.

    Warns
    -----
    UndefinedMetricWarning
        If the value exceeds the range of float64.

    Notes
    -----
    O(n) time in one pass, no temporaries of n rows. float32 is added up in float64.
    To combine it with other measures in one pass: `regression_measures`.

    Examples
    --------
    >>> from fastmetrics import mean_squared_error
    >>> mean_squared_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8])
    0.375
    >>> mean_squared_error([[0.5, 1], [-1, 1]], [[0, 2], [-1, 2]], multioutput="raw_values")
    array([0.125, 1.   ])
    """
    found: float | Floats = measured(
        "mean_squared_error",
        y_true,
        y_pred,
        sample_weight=sample_weight,
        multioutput=multioutput,
        n_threads=n_threads,
    )
    return found


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
    y_true : array-like of shape (n,) or (n, k), or RegressionTable
        Targets: finite real numbers; or a table, and nothing else.
    y_pred : array-like of the same shape
        Predictions.
    sample_weight : array-like of shape (n,), optional
        Weights >= 0.
    multioutput : {"uniform_average", "raw_values"} or array-like of shape (k,)
        Mean over the outputs, all their values, or a mean with these weights.
    n_threads : int, optional
        Threads to use; every processor of the process by default.

    Returns
    -------
    float or ndarray of shape (k,)
        In the unit of the targets; the root is taken before outputs are averaged.

    Raises
    ------
    TypeError, ValueError
        For input of the wrong kind, shape or range.

    Warns
    -----
    UndefinedMetricWarning
        If the value exceeds the range of float64.

    Notes
    -----
    O(n) time in one pass, no temporaries of n rows. float32 is added up in float64.

    Examples
    --------
    >>> from fastmetrics import root_mean_squared_error
    >>> round(root_mean_squared_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8]), 4)
    0.6124
    """
    found: float | Floats = measured(
        "root_mean_squared_error",
        y_true,
        y_pred,
        sample_weight=sample_weight,
        multioutput=multioutput,
        n_threads=n_threads,
    )
    return found


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
    y_true : array-like of shape (n,) or (n, k), or RegressionTable
        Targets: finite real numbers; or a table, and nothing else.
    y_pred : array-like of the same shape
        Predictions.
    sample_weight : array-like of shape (n,), optional
        Weights >= 0.
    multioutput : {"uniform_average", "raw_values"} or array-like of shape (k,)
        Mean over the outputs, all their values, or a mean with these weights.
    n_threads : int, optional
        Threads to use; every processor of the process by default.

    Returns
    -------
    float or ndarray of shape (k,)
        Weighted mean of |true - predicted|, in the unit of the targets.

    Raises
    ------
    TypeError, ValueError
        For input of the wrong kind, shape or range.

    Warns
    -----
    UndefinedMetricWarning
        If the value exceeds the range of float64.

    Notes
    -----
    O(n) time in one pass, no temporaries of n rows. float32 is added up in float64.

    Examples
    --------
    >>> from fastmetrics import mean_absolute_error
    >>> mean_absolute_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8])
    0.5
    """
    found: float | Floats = measured(
        "mean_absolute_error",
        y_true,
        y_pred,
        sample_weight=sample_weight,
        multioutput=multioutput,
        n_threads=n_threads,
    )
    return found


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
    y_true : array-like of shape (n,) or (n, k), or RegressionTable
        Targets: finite real numbers; or a table, and nothing else.
    y_pred : array-like of the same shape
        Predictions.
    sample_weight : array-like of shape (n,), optional
        Weights >= 0.
    multioutput : {"uniform_average", "raw_values"} or array-like of shape (k,)
        Mean over the outputs, all their values, or a mean with these weights.
    n_threads : int, optional
        Threads to use; every processor of the process by default.

    Returns
    -------
    float or ndarray of shape (k,)
        Weighted mean of |true - predicted| / max(|true|, 2**-52).

    Raises
    ------
    TypeError, ValueError
        For input of the wrong kind, shape or range.

    Warns
    -----
    UndefinedMetricWarning
        If the value exceeds the range of float64.

    Notes
    -----
    O(n) time in one pass, no temporaries of n rows. float32 is added up in float64. Targets of
    zero give values around 1e15 times the error: finite, and useless.

    Examples
    --------
    >>> from fastmetrics import mean_absolute_percentage_error
    >>> mean_absolute_percentage_error([1.0, 4.0], [2.0, 3.0])
    0.625
    """
    found: float | Floats = measured(
        "mean_absolute_percentage_error",
        y_true,
        y_pred,
        sample_weight=sample_weight,
        multioutput=multioutput,
        n_threads=n_threads,
    )
    return found


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
    multioutput : {"uniform_average", "raw_values"} or array-like of shape (k,)
        Mean over the outputs, all their values, or a mean with these weights.
    sample_weight : array-like of shape (n,), optional
        Weights >= 0.
    n_threads : int, optional
        Threads to use; every processor of the process by default.

    Returns
    -------
    float or ndarray of shape (k,)
        Median of |true - predicted|; with weights the mean of the lower and upper weighted median.

    Raises
    ------
    TypeError, ValueError
        For input of the wrong kind, shape or range.

    Warns
    -----
    UndefinedMetricWarning
        If the value exceeds the range of float64.

    Notes
    -----
    O(n) time (O(n log n) with weights), by selection; memory 8 bytes a row, 33 with weights.

    References
    ----------
    Hyndman & Fan (1996), "Sample quantiles in statistical packages", definition 2.

    Examples
    --------
    >>> from fastmetrics import median_absolute_error
    >>> median_absolute_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8])
    0.5
    >>> median_absolute_error([1, 2, 3], [1, 1, 1], sample_weight=[1, 1, 4])
    2.0
    """
    found: float | Floats = measured(
        "median_absolute_error",
        y_true,
        y_pred,
        sample_weight=sample_weight,
        multioutput=multioutput,
        n_threads=n_threads,
    )
    return found


def max_error(
    y_true: ArrayLike | RegressionTable,
    y_pred: ArrayLike | None = None,
    *,
    n_threads: int | None = None,
) -> float:
    """Return the largest absolute error.

    Parameters
    ----------
    y_true : array-like of shape (n,), or RegressionTable
        Targets: finite real numbers; or a table, and nothing else.
    y_pred : array-like of the same shape
        Predictions.
    n_threads : int, optional
        Threads to use; every processor of the process by default.

    Returns
    -------
    float
        Largest |true - predicted|. In a table, rows that weigh nothing are left out.

    Raises
    ------
    TypeError, ValueError
        For input of the wrong kind, shape or range.

    Warns
    -----
    UndefinedMetricWarning
        If the value exceeds the range of float64.

    Notes
    -----
    O(n) time in one pass, no temporaries of n rows. float32 is added up in float64.

    Examples
    --------
    >>> from fastmetrics import max_error
    >>> max_error([3, 2, 7, 1], [4, 2, 7, 1])
    1.0
    """
    found: float = measured(
        "max_error",
        y_true,
        y_pred,
        n_threads=n_threads,
    )
    return found
