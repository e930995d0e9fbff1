"""Measures of predicted numbers."""

from __future__ import annotations

from math import inf
from typing import Any, Final

from fastmetrics.measures._measure import Measure

_FROM_ZERO: Final = (0.0, inf)
_UP_TO_ONE: Final = (-inf, 1.0)
_MEANS_OF_LOSSES: Final = frozenset(
    (
        *("mean_squared_error", "mean_absolute_error", "mean_absolute_percentage_error"),
        *("mean_squared_log_error", "mean_pinball_loss", "mean_tweedie_deviance"),
        *("mean_poisson_deviance", "mean_gamma_deviance"),
    )
)


def _number(name: str, title: str, function: str, up: bool | None = False, **more: Any) -> Measure:
    given: dict[str, Any] = {
        "needs": "values",
        "bounds": _FROM_ZERO,
        "influences": "regression.influences:of_values",
        "row_loss": "regression.influences:losses_of_rows" if name in _MEANS_OF_LOSSES else "",
    } | more
    return Measure(name, "regression", title, function and f"regression.{function}", up, **given)


def _score(name: str, title: str, function: str, **more: Any) -> Measure:
    return _number(name, title, function, True, **({"bounds": _UP_TO_ONE} | more))


MEASURES: Final = (
    _number("mean", "mean", "", None, needs="nothing", resampled="sums", bounds=(-inf, inf)),
    _number("mean_error", "mean error", "", None, resampled="sums", bounds=(-inf, inf)),
    _number(
        "mean_squared_error",
        "mean squared error",
        "errors:mean_squared_error",
        resampled="sums",
    ),
    _number(
        "root_mean_squared_error",
        "root mean squared error",
        "errors:root_mean_squared_error",
        resampled="sums",
    ),
    _number(
        "mean_absolute_error",
        "mean absolute error",
        "errors:mean_absolute_error",
        resampled="sums",
    ),
    _number(
        "mean_absolute_percentage_error",
        "mean absolute percentage error",
        "errors:mean_absolute_percentage_error",
    ),
    _number("mean_squared_log_error", "mean squared log error", "errors:mean_squared_log_error"),
    _number(
        "root_mean_squared_log_error",
        "root mean squared log error",
        "errors:root_mean_squared_log_error",
    ),
    _number(
        "median_absolute_error",
        "median absolute error",
        "errors:median_absolute_error",
        influences="",
    ),
    _number("max_error", "largest error", "errors:max_error", influences=""),
    _number(
        "mean_pinball_loss",
        "mean pinball loss",
        "errors:mean_pinball_loss",
        parameters={"alpha": 0.5},
    ),
    _number(
        "mean_tweedie_deviance",
        "mean Tweedie deviance",
        "deviances:mean_tweedie_deviance",
        parameters={"power": 0.0},
    ),
    _number("mean_poisson_deviance", "mean Poisson deviance", "deviances:mean_poisson_deviance"),
    _number("mean_gamma_deviance", "mean gamma deviance", "deviances:mean_gamma_deviance"),
    _score(
        "r2",
        "R²",
        "scores:r2_score",
        aliases=("r2_score",),
        parameters={"force_finite": True},
        resampled="sums",
    ),
    _score(
        "explained_variance",
        "explained variance",
        "scores:explained_variance_score",
        aliases=("explained_variance_score",),
        parameters={"force_finite": True},
    ),
    _score(
        "d2_tweedie_score",
        "D² of the Tweedie deviance",
        "scores:d2_tweedie_score",
        parameters={"power": 0.0},
    ),
    _score(
        "d2_pinball_score",
        "D² of the pinball loss",
        "scores:d2_pinball_score",
        parameters={"alpha": 0.5},
    ),
    _score("d2_absolute_error_score", "D² of the absolute error", "scores:d2_absolute_error_score"),
)
