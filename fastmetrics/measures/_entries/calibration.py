"""Measures of calibration."""

from __future__ import annotations

from math import sqrt
from typing import Any, Final

from fastmetrics.measures._measure import Measure

# --- errors in bins ------------------------------------------------------------------------------

_BIASED: Final = (
    "chance alone makes an error in bins, and replicates add that bias once more, so that their "
    "intervals miss: `calibration_error_interval` has one of the mean square that covers, "
    "`calibration_test` a test"
)


def _in_bins(name: str, alias: str, title: str, **more: Any) -> Measure:
    bins = {"n_bins": 15} if name.startswith("adaptive") else _BINS
    given: dict[str, Any] = {"parameters": bins, "aliases": (alias,), "no_replicates": _BIASED}
    function = f"calibration.calibration_errors:{name}"
    return Measure(name, "calibration", title, function, False, "probabilities", **(given | more))


_BINS: Final = {"n_bins": 15, "strategy": "uniform", "form": None}

_ERRORS_IN_BINS: Final = (
    _in_bins("expected_calibration_error", "ece", "expected calibration error (in bins)"),
    _in_bins("maximum_calibration_error", "mce", "maximum calibration error (in bins)"),
    _in_bins("adaptive_calibration_error", "ace", "adaptive calibration error (class by class)"),
    _in_bins(
        "root_mean_square_calibration_error",
        "l2_calibration_error",
        "root of the mean squared calibration error (in bins, without bias)",
        parameters=_BINS | {"estimator": "kumar"},
        bounds=(0.0, sqrt(2.0)),
    ),
)

MEASURES: Final = _ERRORS_IN_BINS
