"""How far each row moves a measure of predicted numbers: means of terms, and ratios of them."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from fastmetrics._input.regression_targets import exponent_of
from fastmetrics.errors import UndefinedMetricWarning
from fastmetrics.measures._measure import Floats, RowInfluences, of_mean, of_ratio
from fastmetrics.measures.regression._plans import quantile
from fastmetrics.measures.regression.regression_measures import measured


def tweedie_deviances(y: Floats, p: Floats, power: float = 0.0) -> Floats:
    """Return the deviance of each row, as Jorgensen (1987) has it."""
    if power == 0.0:
        return (y - p) ** 2
    if power == 1.0:
        logs = np.where(y > 0.0, y * np.log(np.where(y > 0.0, y, 1.0) / p), 0.0)
        return 2.0 * (logs - y + p)
    if power == 2.0:
        return 2.0 * (np.log(p / y) + y / p - 1.0)
    first = np.maximum(y, 0.0) ** (2.0 - power) / ((1.0 - power) * (2.0 - power))
    return np.asarray(
        2.0 * (first - y * p ** (1.0 - power) / (1.0 - power) + p ** (2.0 - power) / (2.0 - power))
    )


def _pinball(y: Floats, p: Floats, alpha: float = 0.5) -> Floats:
    return np.where(y >= p, alpha * (y - p), (1.0 - alpha) * (p - y))


def _percentage(y: Floats, p: Floats) -> Floats:
    return np.abs(y - p) / np.maximum(np.abs(y), np.finfo(np.float64).eps)


#: Terms of rows whose mean is the measure.
TERMS: Final[dict[str, Callable[..., Floats]]] = {
    "mean": lambda y, p: y,
    "mean_error": lambda y, p: p - y,
    "mean_squared_error": lambda y, p: (y - p) ** 2,
    "mean_absolute_error": lambda y, p: np.abs(y - p),
    "mean_absolute_percentage_error": _percentage,
    "mean_squared_log_error": lambda y, p: (np.log1p(y) - np.log1p(p)) ** 2,
    "mean_pinball_loss": _pinball,
    "mean_tweedie_deviance": tweedie_deviances,
    "mean_poisson_deviance": lambda y, p: tweedie_deviances(y, p, 1.0),
    "mean_gamma_deviance": lambda y, p: tweedie_deviances(y, p, 2.0),
}
#: Roots of means of losses of rows, and those means.
ROOTS: Final = {
    "root_mean_squared_error": "mean_squared_error",
    "root_mean_squared_log_error": "mean_squared_log_error",
}
_LOGARITHMIC: Final = frozenset({"root_mean_squared_log_error"})
#: Shares of a loss that are saved, and that loss; the best constant is a mean or a quantile.
_SAVED: Final = {
    "r2": "mean_squared_error",
    "d2_tweedie_score": "mean_tweedie_deviance",
    "d2_pinball_score": "mean_pinball_loss",
    "d2_absolute_error_score": "mean_absolute_error",
}


def losses_of_rows(name: str, y: Floats, p: Floats, **parameters: Any) -> Floats:
    """Return the loss of each row, by the name of its mean."""
    return TERMS[name](y, p, **parameters)


def of_values(
    name: str, y: Floats, p: Floats, weights: Floats | None, **parameters: Any
) -> RowInfluences:
    """Return a measure by its name with the influence of each row.

    A share of a loss, and a root, has the value of its function. That the best constant of R^2 and
    its kin moves with the weights does not matter to first order: the loss is least there (for a
    quantile but for a jump of the order of one row). Of constant targets no influence is known.
    """
    if name in TERMS:
        return of_mean(TERMS[name](y, p, **parameters), weights)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)  # estimates say it
        value = float(measured(name, y, p, weights, **parameters))
    parameters.pop("force_finite", None)
    exponent = exponent_of(y, p)
    if exponent and name not in _LOGARITHMIC:
        y, p = np.ldexp(y, exponent), np.ldexp(p, exponent)
    if name in ROOTS:
        found = of_mean(TERMS[ROOTS[name]](y, p), weights)
        slope = 0.5 / math.sqrt(found.value) if found.value else 0.0
        found = found.scaled(slope, value)
        return found if name in _LOGARITHMIC else found.scaled(2.0**-exponent, value)
    if name == "explained_variance":
        top = of_mean(_centred(y - p, weights) ** 2, weights)
        bottom = of_mean(_centred(y, weights) ** 2, weights)
    else:
        loss = TERMS[_SAVED[name]]
        top = of_mean(loss(y, p, **parameters), weights)
        bottom = of_mean(_least_losses(name, loss, y, weights, **parameters), weights)
    moved = of_ratio(top, bottom)
    return moved.scaled(math.nan if math.isnan(value) else -1.0, value)


def _least_losses(
    name: str, loss: Callable[..., Floats], y: Floats, weights: Floats | None, **parameters: Any
) -> Floats:
    """Return the losses of the best constant: the mean, or the quantile of the function."""
    if name == "r2" or (name == "d2_tweedie_score" and parameters.get("power", 0.0) == 0.0):
        return _centred(y, weights) ** 2
    if name == "d2_tweedie_score":
        constant = y[0] + of_mean(y - y[0], weights).value  # of constant targets exactly that
    else:
        constant = quantile(y.copy(), weights, parameters.get("alpha", 0.5))
    return loss(y, np.full(len(y), constant), **parameters)


def _centred(values: Floats, weights: Floats | None) -> Floats:
    """Return values less their mean: exactly 0 each where all are the same."""
    centred = values - values[0]
    return np.asarray(centred - of_mean(centred, weights).value)
