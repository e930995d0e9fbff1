"""Measures of probabilities and class scores."""

from __future__ import annotations

from math import inf
from typing import Any, Final

from fastmetrics.measures._measure import Measure

_FROM_ZERO: Final = (0.0, inf)
_UP_TO_ONE: Final = (-inf, 1.0)


def _probability(name: str, title: str, function: str, up: bool = False, **more: Any) -> Measure:
    given: dict[str, Any] = {
        "needs": "probabilities",
        "bounds": _FROM_ZERO,
        "influences": "probabilities.influences:of_classes",
        "row_loss": "" if up else "probabilities.influences:losses_of_rows",
    } | more
    return Measure(name, "probabilities", title, f"probabilities.{function}", up, **given)


MEASURES: Final = (
    _probability("log_loss", "log loss", "log_loss:log_loss", resampled="sums"),
    _probability(
        "brier_score",
        "Brier score",
        "brier:brier_score_loss",
        aliases=("brier_score_loss",),
        resampled="sums",
        bounds=(0.0, 2.0),
    ),
    _probability(
        "d2_log_loss_score",
        "D² of the log loss",
        "log_loss:d2_log_loss_score",
        True,
        bounds=_UP_TO_ONE,
    ),
    _probability(
        "d2_brier_score", "D² of the Brier score", "brier:d2_brier_score", True, bounds=_UP_TO_ONE
    ),
    _probability("hinge_loss", "hinge loss", "hinge:hinge_loss", needs="scores"),
    _probability(
        "top_k_accuracy",
        "top-k accuracy",
        "top_k:top_k_accuracy_score",
        True,
        classes=3,  # of two, every row is a hit
        aliases=("top_k_accuracy_score",),
        parameters={"k": 2},
        bounds=(0.0, 1.0),
        influences="",
    ),
)
