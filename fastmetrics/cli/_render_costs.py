"""The costs of an evaluation: the cheapest threshold beside 0.5 and the trivial rules."""

from __future__ import annotations

import math
from typing import Any, Final

from fastmetrics.cli._layout import DASH, column_blocks, rich_table, short, table_width
from fastmetrics.report import Evaluation

#: Fields of the costs as columns of a CSV file.
FIELDS: Final = (
    *("cheapest_threshold", "cheapest_threshold_low", "cheapest_threshold_high"),
    *("cost", "left_out_cost", "cost_low", "cost_high"),
    *("cost_at_half", "cost_all_positive", "cost_all_negative"),
)
NOTE: Final = (
    "Cheapest threshold: least expected cost of an example. Its cost here is too low for new data, "
    "on average: it is the least of many. Left out: each row is judged by the threshold that is "
    "the cheapest without it."
)


def has_costs(evaluation: Evaluation) -> bool:
    """Return whether any model has costs."""
    return any(model.costs is not None for model in evaluation)


def cost_heads(evaluation: Evaluation, gap: str = " ") -> list[str]:
    """Return the heads of the table of costs."""
    level = f"{100 * evaluation.confidence_level:.6g} %"
    return [
        *("model", f"cheapest{gap}threshold", f"{level}{gap}interval", f"its cost{gap}here"),
        *(f"left{gap}out", f"{level}{gap}interval", f"cost{gap}at 0.5"),
        *(f"all{gap}positive", f"all{gap}negative"),
    ]


def cost_rows(evaluation: Evaluation) -> list[list[str]]:
    """Return a row for each model that has costs."""
    found = []
    for model in evaluation:
        costs = model.costs
        if costs is None:
            continue
        found.append(
            [
                model.name,
                _text(costs.threshold),
                _interval(costs.threshold_interval),
                _text(costs.cost),
                _text(costs.left_out_cost),
                _interval(costs.confidence_interval),
                _text(costs.cost_at_half),
                _text(costs.cost_all_positive),
                _text(costs.cost_all_negative),
            ]
        )
    return found


def cost_layout(evaluation: Evaluation, width: int) -> list[Any]:
    """Return the table of costs, a column a model where a row a model is too wide."""
    broken, cells = cost_heads(evaluation, "\n"), cost_rows(evaluation)
    if table_width(broken, cells) <= width:
        return [rich_table(broken, cells)]
    down = [list(line) for line in zip(cost_heads(evaluation), *cells, strict=True)]
    return column_blocks(down[0], down[1:], width)


def csv_fields(costs: Any) -> dict[str, Any]:
    """Return the costs of one model by the columns of a CSV file."""
    low, high = costs.confidence_interval
    of_threshold = costs.threshold_interval
    return {
        "cheapest_threshold": costs.threshold,
        "cheapest_threshold_low": of_threshold.low,
        "cheapest_threshold_high": of_threshold.high,
        "cost": costs.cost,
        "left_out_cost": costs.left_out_cost,
        "cost_low": low,
        "cost_high": high,
        "cost_at_half": costs.cost_at_half,
        "cost_all_positive": costs.cost_all_positive,
        "cost_all_negative": costs.cost_all_negative,
    }


def csv_rows(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return a row for each number, as a bootstrap's CSV file has them."""
    found = []
    for model in evaluation:
        costs = model.costs
        if costs is None:
            continue
        level = {"confidence_level": evaluation.confidence_level, "note": model.note}
        intervals = {
            "cheapest_threshold": costs.threshold_interval,
            "left_out_cost": costs.confidence_interval,
        }
        for name, value in csv_fields(costs).items():
            if name.endswith(("_low", "_high")):
                continue
            row = {"model": model.name, "metric": name, "estimate": value}
            if name in intervals:
                row |= {"low": intervals[name].low, "high": intervals[name].high} | level
            found.append(row)
    return found


def _text(value: float) -> str:
    return DASH if math.isnan(value) else short(value)


def _interval(interval: Any) -> str:
    return DASH if math.isnan(interval.low) else f"{short(interval.low)}–{short(interval.high)}"
