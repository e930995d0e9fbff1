"""Measures of calibration."""

from __future__ import annotations

from math import inf
from typing import Any, Final

from fastmetrics.measures._measure import Measure

# --- errors in bins ------------------------------------------------------------------------------

_BIASED: Final = (
    "chance alone makes an error in bins, and replicates add that bias once more, so that their "
    "intervals miss: `calibration.calibration_error_interval` has one of the mean square that "
    "covers, `calibration.calibration_test` a test"
)


def _in_bins(name: str, alias: str, title: str, **more: Any) -> Measure:
    bins = {"n_bins": 15} if name.startswith("adaptive") else _BINS
    given: dict[str, Any] = {"parameters": bins, "aliases": (alias,), "no_replicates": _BIASED}
    function = f"calibration.calibration_errors:{name}"
    return Measure(name, "calibration", title, function, False, "probabilities", **(given | more))


_BINS: Final = {"n_bins": 15, "strategy": "uniform", "form": None}

_ERRORS_IN_BINS: Final = (
    _in_bins("expected_calibration_error", "ece", "expected calibration error"),
    _in_bins("maximum_calibration_error", "mce", "maximum calibration error"),
    _in_bins("adaptive_calibration_error", "ace", "adaptive calibration error"),
    _in_bins(
        "root_mean_square_calibration_error",
        "l2_calibration_error",
        "root mean square calibration error",
        parameters=_BINS | {"estimator": "kumar"},
        bounds=(0.0, inf),  # 1, and for the form "full" the root of 2
    ),
)

# --- recalibration -------------------------------------------------------------------------------

_PULLED: Final = (
    "isotonic recalibration fits replicates better than the rows they are of, so that percentile "
    "intervals of a part of a score miss its true value, those of calibrated probabilities always"
)


def _of_two(name: str, title: str, function: str, up: bool | None, **more: Any) -> Measure:
    given: dict[str, Any] = {"classes": 2, "bounds": (-inf, inf)} | more
    path = f"calibration.{function}"
    return Measure(name, "calibration", title, path, up, "probabilities", **given)


def _part(name: str, title: str, up: bool) -> Measure:
    return _of_two(
        name,
        title,
        f"score_decomposition:{name}",
        up,
        parameters={"loss": "brier_score"},
        bounds=(0.0, inf),
        no_replicates=_PULLED,
    )


def _of_logits(name: str, title: str, read: str) -> Measure:
    return _of_two(
        name,
        title,
        "logistic_calibration:logistic_calibration",
        None,
        read=read,
        influences="calibration.influences:of_logits",
    )


_RECALIBRATION: Final = (
    _part("miscalibration", "miscalibration (CORP)", False),
    _part("discrimination", "discrimination (CORP)", True),
    _of_logits("calibration_slope", "calibration slope", "slope"),
    _of_logits("calibration_intercept", "calibration intercept", "intercept"),
    _of_logits("calibration_in_the_large", "calibration in the large", "in_the_large"),
    _of_two(
        "spiegelhalter_z",
        "Spiegelhalter's Z",
        "goodness_of_fit:spiegelhalter_test",
        None,
        read="statistic",
    ),
)

MEASURES: Final = _ERRORS_IN_BINS + _RECALIBRATION
