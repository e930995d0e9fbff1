"""The costs of an evaluation: the cheapest threshold of a model, where prices are given."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from fastmetrics._display.table import Table
from fastmetrics._input.costs import check_costs, check_prevalence
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.inference.costs.threshold_cost import (
    ThresholdCostInterval,
    threshold_cost_interval,
)

_NOWHERE = ConfidenceInterval(math.nan, math.nan)


#: What a reader of the least cost must know.
LEAST_COST: Final = (
    "Cheapest threshold: least expected cost of an example. Its cost here is too low for new data, "
    "on average: it is the least of many. Left out: each row is judged by the threshold that is "
    "the cheapest without it."
)

#: What a reader misses where rows are grouped.
NO_INTERVAL: Final = (
    "Costs have no interval where rows come in groups: each row is left out by itself, as if rows "
    "were independent."
)

#: Fields of the costs, and what readers call them.
_COSTS: Final = {
    "threshold": "cheapest threshold",
    "cost": "its cost here",
    "left_out_cost": "its cost, left out",
    "cost_at_half": "cost at 0.5",
    "cost_all_positive": "cost, all positive",
    "cost_all_negative": "cost, all negative",
}


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


def costs_table(models: Iterable[Any], level: float) -> Table:
    """Return the cheapest threshold of each model, and its cost beside those of simple rules."""
    models, found = tuple(models), []
    for name in _COSTS:
        for model in models:
            costs, interval = model.costs, None
            if costs is not None and name == "threshold":
                interval = costs.threshold_interval
            elif costs is not None and name == "left_out_cost":
                interval = costs.confidence_interval
            found.append((name, model.name, getattr(costs, name, math.nan), interval))
    names = ("metric", "model", "estimate", "confidence_interval")
    columns = dict(zip(names, map(list, zip(*found, strict=True)), strict=True))
    words = {"metric": "", **_COSTS}
    return Table(columns, words=words, level=level, across="model")
