"""How far each row moves a measure of predicted numbers: means of terms, and ratios of them."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any, Final

import numpy as np

from fastmetrics.measures._influences import Floats, RowInfluences, of_mean, of_ratio


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

    That the best constant of R^2 and its kin moves with the weights does not matter to first order:
    the loss is least there (for a quantile but for a jump of the order of one row).
    """
    parameters.pop("force_finite", None)
    if name in TERMS:
        return of_mean(TERMS[name](y, p, **parameters), weights)
    if name in ROOTS:
        found = of_mean(TERMS[ROOTS[name]](y, p), weights)
        root = sqrt(found.value)
        return found.scaled(0.5 / root if root else 0.0, root)
    if name == "explained_variance":
        error = y - p
        top = of_mean((error - of_mean(error, weights).value) ** 2, weights)
        bottom = of_mean((y - of_mean(y, weights).value) ** 2, weights)
    else:
        loss = TERMS[_SAVED[name]]
        top = of_mean(loss(y, p, **parameters), weights)
        bottom = of_mean(
            loss(y, _best_constant(name, y, weights, **parameters), **parameters), weights
        )
    share = of_ratio(top, bottom)
    return share.scaled(-1.0, 1.0 - share.value)


def _best_constant(
    name: str, y: Floats, weights: Floats | None, alpha: float = 0.5, power: float = 0.0
) -> Floats:
    """Return the mean, or the quantile by the smallest value that reaches the share."""
    if name in ("r2", "d2_tweedie_score"):
        return np.full(len(y), of_mean(y, weights).value)
    if weights is None:
        return np.full(len(y), np.quantile(y, alpha))
    order = np.argsort(y, kind="stable")
    reached = np.cumsum(weights[order])
    return np.full(len(y), y[order[np.searchsorted(reached, alpha * reached[-1])]])
