"""Metrics by family, under names that tests call: of tests, what knows where the registry is."""

from typing import get_args, get_type_hints

import fastmetrics as fm
from fastmetrics.metrics._metric import REQUIRED as REQUIRED, Metric as Metric
from fastmetrics.metrics.registry import METRICS
from fastmetrics.metrics.regression.regression_metrics import FORMULAS
from public import NAMES

#: The count metrics of the registry, under their names and two aliases that are as usual.
COUNT_METRICS = {m.name: m for m in METRICS.values() if m.family == "decisions"}
COUNT_METRICS["zero_one_loss"] = COUNT_METRICS["error_rate"]
COUNT_METRICS["youden_j"] = COUNT_METRICS["informedness"]

#: What the bootstrap metrics, by what it needs of each replicate.
RESAMPLED = {
    "threshold": {m.name for m in METRICS.values() if m.resampled in ("pairs", "curve", "point")},
    "count": COUNT_METRICS,
    "sum": {m.name for m in METRICS.values() if m.resampled == "sums"},
}

#: Count metrics that need prices.
PRICED = {"cost", "expected_cost"}

#: The regression metrics that a pass over the errors makes.
OF_ERRORS = {m.name for m in FORMULAS.values()}

#: Those that have a public function, by its name.
REGRESSION = {m.name: m for m in FORMULAS.values() if m.name in NAMES}

#: How calibration metrics may make bins.
STRATEGIES = get_args(get_type_hints(fm.calibration.calibration_error_interval)["strategy"])
