"""The names of `fastmetrics.costs`, read by `_lazy`."""

from .inference.decision_curve import decision_curve as decision_curve
from .inference.threshold_cost import threshold_cost_interval as threshold_cost_interval
from .metrics.costs.cost_curve import (
    cost_curve as cost_curve,
    expected_total_cost as expected_total_cost,
    h_measure as h_measure,
    roc_hull_auc as roc_hull_auc,
)
from .metrics.costs.gains import (
    cumulative_gain as cumulative_gain,
    gains_curve as gains_curve,
    lift_score as lift_score,
    lorenz_curve as lorenz_curve,
    lorenz_gini as lorenz_gini,
)
from .metrics.costs.operating_point import (
    net_benefit as net_benefit,
    threshold_costs as threshold_costs,
)
from .metrics.decisions.rates import (
    cost_sensitive_error as cost_sensitive_error,
    expected_cost as expected_cost,
)

__all__: list[str]
