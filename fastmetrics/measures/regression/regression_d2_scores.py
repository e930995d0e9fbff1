"""D²: the share of a loss that predictions save the best constant."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics.measures.regression._regression_registry import measured
from fastmetrics.tables.regression.regression_table import RegressionTable

Floats = NDArray[np.float64]


def d2_tweedie_score(
    y_true: ArrayLike | RegressionTable,
    y_pred: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    power: float = 0,
    n_threads: int | None = None,
) -> float:
    """Return the share of the Tweedie deviance that the predictions explain.

    Parameters
    ----------
    y_true : array-like of shape (n,), or RegressionTable
        Targets: finite real numbers; or a table with that power, and nothing else.
    y_pred : array-like of the same shape
        Predictions.
    sample_weight : array-like of shape (n,), optional
        Weights >= 0.
    power : float, default 0
        At most 0, or at least 1. 0 is the normal distribution, 1 Poisson, 2 gamma, 3 inverse
        Gaussian. `y_pred` is positive unless `power` is 0; `y_true` is not negative from power 1
        on, and positive from 2 on.
    n_threads : int, optional
        Threads to use; every processor of the process by default.

    Returns
    -------
    float
        One less the mean deviance over that of the mean of the targets: 1 is perfect. nan for fewer
        than two rows, constant targets, or a negative power and a mean that is not positive.

    Raises
    ------
    TypeError, ValueError
        For input of the wrong kind, shape or range.

    Warns
    -----
    UndefinedMetricWarning
        If the value is nan, or a sum exceeds the range of float64.

    Notes
    -----
    O(n) time in one pass: sums of deviances from a mean merge like sums of squares.

    References
    ----------
    Hastie, Tibshirani & Wainwright (2015), "Statistical learning with sparsity", eq. 3.11.

    Examples
    --------
    >>> from fastmetrics import d2_tweedie_score
    >>> round(d2_tweedie_score([0.5, 1, 2.5, 7], [1, 1, 5, 3.5], power=1), 4)
    0.4879
    """
    found: float = measured(
        "d2_tweedie_score",
        y_true,
        y_pred,
        sample_weight=sample_weight,
        n_threads=n_threads,
        power=power,
    )
    return found


def d2_pinball_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    alpha: float = 0.5,
    multioutput: str | ArrayLike = "uniform_average",
    n_threads: int | None = None,
) -> float | Floats:
    """Return the share of the pinball loss that the predictions save a constant quantile.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, k)
        Targets and predictions: finite real numbers.
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
        One less the mean pinball loss over that of the `alpha` quantile of the targets; 1 or 0
        where the quantile has no loss. nan for fewer than two rows.

    Raises
    ------
    TypeError, ValueError
        For input of the wrong kind, shape or range.

    Warns
    -----
    UndefinedMetricWarning
        For fewer than two rows; if a sum exceeds the range of float64.

    Notes
    -----
    O(n) time (O(n log n) with weights): two passes and a selection; memory 8 bytes a row, 33 with
    weights.

    References
    ----------
    Hastie, Tibshirani & Wainwright (2015), "Statistical learning with sparsity", eq. 3.11.

    Examples
    --------
    >>> from fastmetrics import d2_pinball_score
    >>> round(d2_pinball_score([1, 2, 3], [1, 3, 3]), 4)
    0.5
    >>> round(d2_pinball_score([1, 2, 3], [1, 3, 3], alpha=0.9), 4)
    0.6667
    """
    found: float | Floats = measured(
        "d2_pinball_score",
        y_true,
        y_pred,
        sample_weight=sample_weight,
        multioutput=multioutput,
        n_threads=n_threads,
        alpha=alpha,
    )
    return found


def d2_absolute_error_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: str | ArrayLike = "uniform_average",
    n_threads: int | None = None,
) -> float | Floats:
    """Return the share of the absolute error that the predictions save the median.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, k)
        Targets and predictions: finite real numbers.
    sample_weight : array-like of shape (n,), optional
        Weights >= 0.
    multioutput : {"uniform_average", "raw_values"} or array-like of shape (k,)
        Mean over the outputs, all their values, or a mean with these weights.
    n_threads : int, optional
        Threads to use; every processor of the process by default.

    Returns
    -------
    float or ndarray of shape (k,)
        One less the mean absolute error over that of the median of the targets; 1 or 0 where the
        median has no error. nan for fewer than two rows.

    Raises
    ------
    TypeError, ValueError
        For input of the wrong kind, shape or range.

    Warns
    -----
    UndefinedMetricWarning
        For fewer than two rows; if a sum exceeds the range of float64.

    Notes
    -----
    As `d2_pinball_score`.

    References
    ----------
    Hastie, Tibshirani & Wainwright (2015), "Statistical learning with sparsity", eq. 3.11.

    Examples
    --------
    >>> from fastmetrics import d2_absolute_error_score
    >>> d2_absolute_error_score([1, 2, 3], [1, 3, 3])
    0.5
    """
    found: float | Floats = measured(
        "d2_absolute_error_score",
        y_true,
        y_pred,
        sample_weight=sample_weight,
        multioutput=multioutput,
        n_threads=n_threads,
    )
    return found
