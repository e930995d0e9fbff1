"""The costs of an evaluation: the cheapest threshold of a model, where prices are given."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, NamedTuple

from fastmetrics._input.costs import check_costs, check_prevalence
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.intervals.costs.threshold_cost import (
    ThresholdCostInterval,
    threshold_cost_interval,
)

_NOWHERE = ConfidenceInterval(math.nan, math.nan)


class Prices(NamedTuple):
    """What mistakes cost, checked; and the share of positives where thresholds will be used."""

    cost_fn: Any
    cost_fp: Any
    prevalence: float | None

    def of(
        self, y_true: Any, y_score: Any, *, grouped: bool, **options: Any
    ) -> ThresholdCostInterval:
        """Return the cheapest threshold of a model; without intervals where rows are grouped."""
        found = threshold_cost_interval(y_true, y_score, **self._asdict(), **options)
        if not grouped:
            return found
        return dataclasses.replace(found, threshold_interval=_NOWHERE, confidence_interval=_NOWHERE)


def checked_prices(cost_fn: Any, cost_fp: Any, prevalence: Any) -> Prices | None:
    """Return the prices, None where there are none, or raise before any work."""
    if cost_fn is None and cost_fp is None:
        if prevalence is not None:
            raise InputError("`prevalence` is of costs: pass `cost_fn` and `cost_fp` with it")
        return None
    for name, cost in (("cost_fn", cost_fn), ("cost_fp", cost_fp)):
        if cost is None:
            raise InputTypeError(f"costs are of both mistakes: pass `{name}` too")
        check_costs(name, cost)
    return Prices(cost_fn, cost_fp, check_prevalence(prevalence))
