"""Losses that are not symmetric in the error: of logarithms, and of quantiles."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics.measures.regression._regression_registry import measured
from fastmetrics.tables.regression.regression_table import RegressionTable

Floats = NDArray[np.float64]


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
    y_true : array-like of shape (n,) or (n, k), or RegressionTable
        Targets: finite, and greater than -1; or a table with `log_errors`, and nothing else.
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
        Weighted mean of (log(1 + true) - log(1 + predicted))².

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
    O(n) time in one pass, a few temporaries of 8,192 numbers a thread.

    Examples
    --------
    >>> from fastmetrics import mean_squared_log_error
    >>> round(mean_squared_log_error([3, 5, 2.5, 7], [2.5, 5, 4, 8]), 4)
    0.0397
    """
    found: float | Floats = measured(
        "mean_squared_log_error",
        y_true,
        y_pred,
        sample_weight=sample_weight,
        multioutput=multioutput,
        n_threads=n_threads,
    )
    return found


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
    y_true : array-like of shape (n,) or (n, k), or RegressionTable
        Targets: finite, and greater than -1; or a table with `log_errors`, and nothing else.
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
        The root is taken before outputs are averaged.

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
    O(n) time in one pass, a few temporaries of 8,192 numbers a thread.

    Examples
    --------
    >>> from fastmetrics import root_mean_squared_log_error
    >>> round(root_mean_squared_log_error([3, 5, 2.5, 7], [2.5, 5, 4, 8]), 4)
    0.1993
    """
    found: float | Floats = measured(
        "root_mean_squared_log_error",
        y_true,
        y_pred,
        sample_weight=sample_weight,
        multioutput=multioutput,
        n_threads=n_threads,
    )
    return found


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
    y_true : array-like of shape (n,) or (n, k), or RegressionTable
        Targets: finite real numbers; or a table, and nothing else.
    y_pred : array-like of the same shape
        Predictions.
    sample_weight : array-like of shape (n,), optional
        Weights >= 0.
    alpha : float in [0, 1], default 0.5
        The quantile that is predicted.
    multioutput : {"uniform_average", "raw_values"} or array-like of shape (k,)
        Mean over the outputs, all their values, or a mean with these weights.
    n_threads : int, optional
        Threads to use; every processor of the process by default.

    Returns
    -------
    float or ndarray of shape (k,)
        Weighted mean of alpha (true - predicted) where that is positive, else of
        (1 - alpha) (predicted - true).

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
    O(n) time in one pass, no temporaries of n rows. float32 is added up in float64. For any
    alpha the loss follows from the mean of the errors of either sign.

    References
    ----------
    Koenker & Bassett (1978), "Regression quantiles", Econometrica 46.

    Examples
    --------
    >>> from fastmetrics import mean_pinball_loss
    >>> round(mean_pinball_loss([1, 2, 3], [0, 2, 3], alpha=0.1), 4)
    0.0333
    """
    found: float | Floats = measured(
        "mean_pinball_loss",
        y_true,
        y_pred,
        sample_weight=sample_weight,
        multioutput=multioutput,
        n_threads=n_threads,
        alpha=alpha,
    )
    return found
