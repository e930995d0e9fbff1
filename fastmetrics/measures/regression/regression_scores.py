"""Shares of the variance of the targets that predictions explain."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics.measures.regression._regression_registry import measured
from fastmetrics.tables.regression.regression_table import RegressionTable

Floats = NDArray[np.float64]


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
    y_true : array-like of shape (n,) or (n, k), or RegressionTable
        Targets: finite real numbers; or a table, and nothing else.
    y_pred : array-like of the same shape
        Predictions.
    sample_weight : array-like of shape (n,), optional
        Weights >= 0.
    multioutput : {"uniform_average", "raw_values", "variance_weighted"}, array-like (k,) or None
        Mean over the outputs, all their values, a mean weighted by the variance of the
        targets, or a mean with these weights. None is "uniform_average".
    force_finite : bool, default True
        Whether constant targets score 1 (predicted perfectly) or 0, in place of nan or -inf.
    n_threads : int, optional
        Threads to use; every processor of the process by default.

    Returns
    -------
    float or ndarray of shape (k,)
        One less the squared errors over the squared deviations of the targets from their mean: 1 is
        perfect, 0 as good as the mean; there is no lower bound. nan for fewer than two rows.

    Raises
    ------
    TypeError, ValueError
        For input of the wrong kind, shape or range.

    Warns
    -----
    UndefinedMetricWarning
        For fewer than two rows; for constant targets without `force_finite`; if a sum exceeds the
        range of float64.

    Notes
    -----
    O(n) time in one pass, no temporaries of n rows. float32 is added up in float64. The
    centred sums are merged block by block, so that targets far from zero cost no digits.

    References
    ----------
    Chan, Golub & LeVeque (1983), "Algorithms for computing the sample variance".

    Examples
    --------
    >>> from fastmetrics import r2_score
    >>> round(r2_score([3, -0.5, 2, 7], [2.5, 0.0, 2, 8]), 4)
    0.9486
    >>> r2_score([1, 2, 3], [3, 2, 1])
    -3.0
    """
    found: float | Floats = measured(
        "r2_score",
        y_true,
        y_pred,
        sample_weight=sample_weight,
        multioutput=multioutput,
        n_threads=n_threads,
        force_finite=force_finite,
    )
    return found


def explained_variance_score(
    y_true: ArrayLike | RegressionTable,
    y_pred: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: str | ArrayLike = "uniform_average",
    force_finite: bool = True,
    n_threads: int | None = None,
) -> float | Floats:
    """Return the share of the variance of the targets that the predictions explain.

    Parameters
    ----------
    y_true : array-like of shape (n,) or (n, k), or RegressionTable
        Targets: finite real numbers; or a table, and nothing else.
    y_pred : array-like of the same shape
        Predictions.
    sample_weight : array-like of shape (n,), optional
        Weights >= 0.
    multioutput : {"uniform_average", "raw_values", "variance_weighted"} or array-like of shape (k,)
        Mean over the outputs, all their values, a mean weighted by the variance of the
        targets, or a mean with these weights.
    force_finite : bool, default True
        Whether constant targets score 1 (predicted perfectly) or 0, in place of nan or -inf.
    n_threads : int, optional
        Threads to use; every processor of the process by default.

    Returns
    -------
    float or ndarray of shape (k,)
        One less the variance of the errors over that of the targets. Unlike `r2_score` it does not
        see an error that is the same in all rows.

    Raises
    ------
    TypeError, ValueError
        For input of the wrong kind, shape or range.

    Warns
    -----
    UndefinedMetricWarning
        For constant targets without `force_finite`; if a sum exceeds the range of float64.

    Notes
    -----
    O(n) time in one pass, no temporaries of n rows. float32 is added up in float64.

    Examples
    --------
    >>> from fastmetrics import explained_variance_score
    >>> round(explained_variance_score([3, -0.5, 2, 7], [2.5, 0.0, 2, 8]), 4)
    0.9572
    """
    found: float | Floats = measured(
        "explained_variance_score",
        y_true,
        y_pred,
        sample_weight=sample_weight,
        multioutput=multioutput,
        n_threads=n_threads,
        force_finite=force_finite,
    )
    return found
