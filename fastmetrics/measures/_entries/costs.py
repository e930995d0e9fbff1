"""Measures of what the best thresholds cost, whatever the prices."""

from __future__ import annotations

from math import inf
from typing import Any, Final

from fastmetrics.measures._measure import REQUIRED, Measure


def _cost(name: str, title: str, function: str, up: bool = True, **more: Any) -> Measure:
    given: dict[str, Any] = {"needs": "scores", "classes": 2, "resampled": "hull"} | more
    return Measure(name, "costs", title, f"costs.{function}", up, **given)


def _rule(name: str, title: str, function: str, **more: Any) -> Measure:
    return _cost(name, title, function, **({"resampled": ""} | more))


MEASURES: Final = (
    _cost("roc_hull_auc", "AUC of the convex hull", "convex_hull:roc_hull_auc", bounds=(0.5, 1.0)),
    _cost(
        "expected_total_cost",
        "expected total cost",
        "cost_curve:expected_total_cost",
        False,
        bounds=(0.0, 0.25),
    ),
    _cost(
        "h_measure",
        "H-measure",
        "h_measure:h_measure",
        parameters={"cost_weight": "prevalence"},
    ),
    _cost(
        "gini_coefficient",
        "Gini",
        "h_measure:gini_coefficient",
        aliases=("gini",),
        bounds=(-1.0, 1.0),
        resampled="pairs",
        influences="curves.influences:gini",
        is_free_of_shares=True,
    ),
    # --- rules that are used as they are: what they are worth, and whom they find ----------------
    _rule(
        "net_benefit",
        "net benefit",
        "net_benefit:net_benefit",
        needs="probabilities",
        parameters={"threshold": REQUIRED, "standardized": False, "prevalence": None},
        bounds=(-inf, 1.0),
        influences="costs.influences:of_threshold",
    ),
    _rule(
        "lift",
        "lift",
        "gains:lift_score",
        aliases=("lift_score",),
        parameters={"fraction": REQUIRED},
        bounds=(0.0, inf),
    ),
    _rule(
        "cumulative_gain",
        "cumulative gain",
        "gains:cumulative_gain",
        parameters={"fraction": REQUIRED},
    ),
    _rule(
        "precision_recall_gain_auc",
        "area under precision-recall-gain",
        "precision_recall_gain:precision_recall_gain_curve",
        read="area",
        bounds=(-inf, 1.0),
    ),
    _rule(
        "lorenz_gini",
        "Gini of outcomes by prediction",
        "lorenz:lorenz_gini",
        needs="values",
        classes=0,
        parameters={"normalized": True},
        bounds=(-1.0, 1.0),
    ),
)
