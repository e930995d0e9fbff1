"""Mean deviances of the Tweedie family."""

from __future__ import annotations

from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics.measures.regression.regression_measures import (
    OF_LOGARITHMS,
    OVERFLOW,
    ROWS,
    measured,
)
from fastmetrics.tables.regression.regression_table import RegressionTable

_DEVIANCE = """
References
----------
Jørgensen (1987), "Exponential dispersion models", J. R. Stat. Soc. B 49.
"""


@documented(ROWS, OVERFLOW, OF_LOGARITHMS, _DEVIANCE)
def mean_tweedie_deviance(
    y_true: ArrayLike | RegressionTable,
    y_pred: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    power: float = 0,
    n_threads: int | None = None,
) -> float:
    """Return the mean Tweedie deviance of a power.

    Parameters
    ----------
    y_true : array-like of shape (n,), or RegressionTable
        Targets: finite real numbers; or a table with that power, and nothing else.
    y_pred : array-like of the same shape
        Predictions.
    power : float, default 0
        At most 0, or at least 1. 0 is the normal distribution, 1 Poisson, 2 gamma, 3 inverse
        Gaussian. `y_pred` is positive unless `power` is 0; `y_true` is not negative from power 1
        on, and positive from 2 on.

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
    >>> from fastmetrics import mean_tweedie_deviance
    >>> round(mean_tweedie_deviance([2, 0, 1, 4], [0.5, 0.5, 2.0, 2.0], power=1), 4)
    1.426
    """
    return float(measured("mean_tweedie_deviance", y_true, y_pred, sample_weight, power=power))


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
    y_true : array-like of shape (n,), or RegressionTable
        Targets: not negative (predictions: positive); or a table with power 1, and nothing else.
    y_pred : array-like of the same shape
        Predictions.

    Returns
    -------
    float
        Weighted mean of 2 (true log(true / predicted) - true + predicted).

    Examples
    --------
    >>> from fastmetrics import mean_poisson_deviance
    >>> round(mean_poisson_deviance([2, 0, 1, 4], [0.5, 0.5, 2.0, 2.0]), 4)
    1.426
    """
    return float(measured("mean_poisson_deviance", y_true, y_pred, sample_weight))


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
    y_true : array-like of shape (n,), or RegressionTable
        Targets: positive, like the predictions; or a table with power 2, and nothing else.
    y_pred : array-like of the same shape
        Predictions.

    Returns
    -------
    float
        Weighted mean of 2 (log(predicted / true) + true / predicted - 1).

    Examples
    --------
    >>> from fastmetrics import mean_gamma_deviance
    >>> round(mean_gamma_deviance([2, 0.5, 1, 4], [0.5, 0.5, 2.0, 2.0]), 4)
    1.0569
    """
    return float(measured("mean_gamma_deviance", y_true, y_pred, sample_weight))
