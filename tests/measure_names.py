"""Measures by family, under names that tests call: of tests, what knows where the registry is."""

from typing import get_args, get_type_hints

import fastmetrics as fm
from fastmetrics.measures._measure import REQUIRED as REQUIRED, Measure as Measure
from fastmetrics.measures.registry import MEASURES
from fastmetrics.measures.regression.regression_measures import FORMULAS
from public import NAMES

#: The count measures of the registry, under their names and two aliases that are as usual.
COUNT_MEASURES = {m.name: m for m in MEASURES.values() if m.family == "decisions"}
COUNT_MEASURES["zero_one_loss"] = COUNT_MEASURES["error_rate"]
COUNT_MEASURES["youden_j"] = COUNT_MEASURES["informedness"]

#: What the bootstrap measures, by what it needs of each replicate.
RESAMPLED = {
    "threshold": {m.name for m in MEASURES.values() if m.resampled in ("pairs", "curve", "point")},
    "count": COUNT_MEASURES,
    "sum": {m.name for m in MEASURES.values() if m.resampled == "sums"},
}

#: Count measures that need prices.
PRICED = {"cost", "expected_cost"}

#: The regression measures that a pass over the errors makes.
OF_ERRORS = {m.name for m in FORMULAS.values()}

#: Those that have a public function, by its name.
REGRESSION = {m.name: m for m in FORMULAS.values() if m.name in NAMES}

#: How calibration measures may make bins.
STRATEGIES = get_args(get_type_hints(fm.calibration.calibration_error_interval)["strategy"])
