"""Costs of errors, and the cheapest threshold, budget or offer.

- at a decision: `cost_sensitive_error`, `expected_cost`
- over thresholds: `threshold_costs` (prices by row), `threshold_cost_interval`, `net_benefit`,
  `decision_curve`
- over prices and shares of classes: `cost_curve`, `expected_total_cost`, `h_measure`
- the first so many rows: `gains_curve`, `cumulative_gain`, `lift_score`, `lorenz_curve`
- what the best threshold at every price would reach: `roc_hull_auc`
"""

from fastmetrics import _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
