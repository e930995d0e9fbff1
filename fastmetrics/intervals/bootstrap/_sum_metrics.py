"""Measures that follow from weighted sums of columns: what each row adds, and the value of sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class SumMetric:
    """A measure of column means.

    Attributes
    ----------
    name : str
    columns : callable
        Targets and predictions (None for a mean) to the columns, each of shape (n,).
    finish : callable
        Means of the columns, shape (..., n_columns), to values of shape (...).
    n_columns : int
    needs_prediction, is_probability : bool
        Whether there must be predictions; whether they are probabilities of the label 1.
    slope : callable, optional
        Derivative of `finish` by the mean of its one column; None if there are several.
    """

    name: str
    columns: Callable[[Floats, Floats], list[Floats]]
    finish: Callable[[Floats], Floats]
    n_columns: int = 1
    needs_prediction: bool = True
    is_probability: bool = False
    slope: Callable[[Floats], Floats] | None = np.ones_like

    def variance(self, means: Floats, means_of_squares: Floats, n: Floats) -> Floats:
        """Return the delta method's variance of the value, from the means of n rows."""
        if self.slope is None:
            return np.full(len(means), np.nan)
        mean = means[:, 0]
        spread = (means_of_squares[:, 0] - mean**2) * n / (n - 1.0)
        return self.slope(mean) ** 2 * spread / n


def _first(means: Floats) -> Floats:
    return means[..., 0]


def _r2(means: Floats) -> Floats:
    """Return 1 - MSE / variance; the targets were centred before they were squared."""
    variance = means[..., 2] - means[..., 1] ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(variance > 0, 1.0 - means[..., 0] / variance, np.nan)


def _r2_columns(y: Floats, p: Floats) -> list[Floats]:
    centred = y - y.mean()
    return [(y - p) ** 2, centred, centred**2]


def _log_loss_columns(y: Floats, p: Floats) -> list[Floats]:
    eps = np.finfo(np.float64).eps
    p = np.clip(p, eps, 1.0 - eps)
    return [-np.where(y > 0, np.log(p), np.log1p(-p))]


#: Measures by their names.
SUM_METRICS = {
    metric.name: metric
    for metric in (
        SumMetric("mean", lambda y, p: [y], _first, needs_prediction=False),
        SumMetric("mean_squared_error", lambda y, p: [(y - p) ** 2], _first),
        SumMetric(
            "root_mean_squared_error",
            lambda y, p: [(y - p) ** 2],
            lambda means: np.sqrt(means[..., 0]),
            slope=lambda mean: 0.5 / np.sqrt(mean),
        ),
        SumMetric("mean_absolute_error", lambda y, p: [np.abs(y - p)], _first),
        SumMetric("mean_error", lambda y, p: [p - y], _first),
        SumMetric("r2", _r2_columns, _r2, n_columns=3, slope=None),
        SumMetric("log_loss", _log_loss_columns, _first, is_probability=True),
        SumMetric("brier_score", lambda y, p: [(y - p) ** 2], _first, is_probability=True),
    )
}
