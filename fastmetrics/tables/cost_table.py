"""Cost of each threshold where every mistake has its own cost: sums by distinct score.

The cost of missing a row is a weight on positives, that of a false alarm one on negatives. A
weighted ``ScoreTable`` of them suffices for the cost of any threshold.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.rows import BinaryRows, check_binary
from fastmetrics._input.scores import (
    Costs,
    check_costs,
    check_prevalence,
    check_weights,
    lengths_agree,
)
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.tables.pairs import INT64_BOUND
from fastmetrics.tables.score_table import (
    ScoreTable,
    as_table,
    is_called_positive,
    real_threshold,
    running_sums,
)

#: What is the same in the docstrings of all that takes costs.
COSTED: Final = """
Parameters
----------
cost_fn, cost_fp : int, float or array-like of shape (n_samples,)
    What missing a positive costs (a fraud's amount), and what a false alarm costs (the work of
    looking at it): one number, or one for each row; not negative, below 2^500. Of a row, only the
    cost of the mistake that its class allows counts.
prevalence : float, optional
    Share of positives where the threshold will be used, in (0, 1); None: that of the data.

Raises
------
TypeError
    If an argument is of the wrong kind; for costs by row with a table, which has no rows.
ValueError
    If the data are not binary labels and finite scores, a cost is negative or too large, all
    costs are 0, or the prevalence is not in (0, 1).
"""

#: Costs this near to one another, relatively, are one: those of 3 * 0.1 and of 0.3 are. Each is of
#: two compensated sums, two divisions, two products and a sum, half a unit in the last place each.
ROUNDING: Final = 2.0**-50
#: What is said of costs that are all 0.
FREE: Final = "`cost_fn` and `cost_fp` must not be all 0: no mistake on these rows costs anything"


@dataclass(frozen=True, slots=True, eq=False)
class CostTable:
    """Costs of the candidate thresholds, highest first: inf, then the distinct scores.

    ``missed`` is what the positives below a candidate cost, ``alarms`` what the negatives at or
    above it do: integers where costs and weights are. They are in units of ``2**-exponent``;
    ``n_positive`` and ``n_negative`` are the examples of each class, or their weights;
    ``counted`` is the table or the rows behind them.
    """

    scores: NDArray[Any]
    missed: NDArray[Any]
    alarms: NDArray[Any]
    n_positive: float
    n_negative: float
    prevalence: float | None
    exponent: int
    counted: ScoreTable | BinaryRows

    def cost_at(self, row: Any) -> Any:
        """Return the expected cost of an example at one candidate, or at some."""
        missed = self.missed[row]
        alarms = self.alarms[row]
        if self.prevalence is None:
            costs = (missed + alarms) / (self.n_positive + self.n_negative)
        else:
            p = self.prevalence
            costs = p * (missed / self.n_positive) + (1.0 - p) * (alarms / self.n_negative)
        return np.ldexp(costs, -self.exponent)

    def best(self) -> int:
        """Return the cheapest candidate; of equally cheap ones, the highest threshold."""
        if self.prevalence is None:
            return first_least(self.missed + self.alarms)
        return first_least(self.cost_at(slice(None)))

    def row_at(self, threshold: Any) -> int:
        """Return the index of the candidate that decides as a threshold does."""
        return int(np.count_nonzero(is_called_positive(self.scores, real_threshold(threshold))))

    def threshold_at(self, row: int) -> int | float:
        """Return the threshold of a candidate."""
        threshold: int | float = self.scores[row - 1].item() if row else math.inf
        return threshold

    def predicted_positive(self, row: int) -> tuple[Any, Any]:
        """Return TP and FP (or their weights) at a candidate."""
        rows = self.counted
        if isinstance(rows, ScoreTable):
            return rows.positives[:row].sum().item(), rows.negatives[:row].sum().item()
        at = self.threshold_at(row)
        called = is_called_positive(rows.scores, at) if row else np.zeros(len(rows.scores), bool)
        positive = rows.labels == 1
        if rows.weights is None:
            return int(np.count_nonzero(called & positive)), int(
                np.count_nonzero(called > positive)
            )
        tp, fp = (math.fsum(rows.weights[called & its]) for its in (positive, ~positive))
        return (int(tp), int(fp)) if rows.integer_weights else (tp, fp)


def first_least(costs: NDArray[Any], rounding: float = ROUNDING) -> int:
    """Return the index of the least cost; of costs equal up to rounding, the first."""
    if costs.dtype.kind != "f":
        return int(np.argmin(costs))
    return int(np.argmax(costs <= costs.min() * (1.0 + rounding)))


def cost_table(
    y_true: Any,
    y_score: Any,
    *,
    cost_fn: Any,
    cost_fp: Any,
    prevalence: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
) -> CostTable:
    """Return the costs of all thresholds, from one sort."""
    fn_costs = check_costs("cost_fn", cost_fn)
    fp_costs = check_costs("cost_fp", cost_fp)
    positive_rate = check_prevalence(prevalence)
    if not (isinstance(fn_costs, np.ndarray) or isinstance(fp_costs, np.ndarray)):
        table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
        return costs_of_counts(table, fn_costs, fp_costs, positive_rate)
    if isinstance(y_true, ScoreTable):
        raise InputTypeError(
            "a ScoreTable has no rows: pass labels and scores with costs by row, or one number for "
            "`cost_fn` and one for `cost_fp`"
        )
    rows = check_binary(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    for name, costs in (("cost_fn", fn_costs), ("cost_fp", fp_costs)):
        lengths_agree(name, costs, len(rows.scores))
    return costs_of_rows(rows, fn_costs, fp_costs, positive_rate)


def costs_of_counts(
    table: ScoreTable, cost_fn: Costs, cost_fp: Costs, prevalence: float | None
) -> CostTable:
    """Return the costs of all thresholds from counts, with one cost for each kind of mistake."""
    if cost_fn == 0 and cost_fp == 0:
        raise InputError(FREE)
    positives, negatives = table.n_positive, table.n_negative
    whole = not table.is_weighted and isinstance(cost_fn, int) and isinstance(cost_fp, int)
    exponent = 0
    if whole and int(positives) * int(cost_fn) + int(negatives) * int(cost_fp) >= INT64_BOUND:
        whole = False
    if not whole:  # a power of two is common to both: nothing is rounded, nothing overflows
        exponent = -math.frexp(max(float(cost_fn), float(cost_fp)))[1]
        cost_fn, cost_fp = (math.ldexp(float(cost), exponent) for cost in (cost_fn, cost_fp))
    missed, alarms = missed_and_alarms(table)
    return CostTable(
        scores=table.scores,
        missed=missed * cost_fn,
        alarms=alarms * cost_fp,
        n_positive=positives,
        n_negative=negatives,
        prevalence=prevalence,
        exponent=exponent,
        counted=table,
    )


def missed_and_alarms(table: ScoreTable) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the positives below each candidate and the negatives from it on.

    Each is summed from its own end: a small rest is no difference of two large sums.
    """
    zero = np.zeros(1, table.positives.dtype)
    lower = np.append(zero, table.positives[::-1])
    columns = ScoreTable._from_columns(lower, lower, np.append(zero, table.negatives))
    missed, alarms = running_sums(columns)
    return missed[::-1], alarms


def costs_of_rows(
    rows: BinaryRows, cost_fn: Costs, cost_fp: Costs, prevalence: float | None
) -> CostTable:
    """Return the costs of all thresholds from rows that are verified."""
    positive = rows.labels == 1
    if rows.weights is None:
        n_positive: float = int(np.count_nonzero(positive))
        n_negative: float = len(positive) - n_positive
    else:
        n_positive, n_negative = (math.fsum(rows.weights[at]) for at in (positive, ~positive))
    weights = np.where(positive, cost_fn, cost_fp)  # in the scale of the rows
    is_whole = weights.dtype.kind == "i" and rows.integer_weights
    if rows.weights is not None:
        weights = weights * rows.weights
        if is_whole and math.fsum(weights) < 2.0**53:
            weights = weights.astype(np.int64)
    if not weights.any():
        raise InputError(FREE)
    checked = check_weights(weights, len(weights), name="cost_fn, cost_fp")
    costed = rows.replace(
        weights=checked.values, integer_weights=checked.is_integer, weight_exponent=checked.exponent
    )
    table = ScoreTable.from_rows(costed)
    missed, alarms = missed_and_alarms(table)
    return CostTable(
        scores=table.scores,
        missed=missed,
        alarms=alarms,
        n_positive=n_positive,
        n_negative=n_negative,
        prevalence=prevalence,
        exponent=checked.exponent,
        counted=rows,
    )
