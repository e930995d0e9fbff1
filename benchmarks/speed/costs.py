"""What is timed of costs: hull, envelope and area of a table, against the sort of its scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import fastmetrics
from benchmarks.speed import naive
from benchmarks.speed.data import Data, Spec
from benchmarks.speed.timing import Target

Call = Callable[[], Any]


def _of_table(function: Callable[..., Any]) -> Callable[[Data], Call]:
    def prepare(data: Data) -> Call:
        table = fastmetrics.ScoreTable.from_scores(data.labels, data.scores)
        return lambda: function(table)

    return prepare


WORKS: dict[str, Callable[[Data], Call]] = {
    "cost curve of a table": _of_table(fastmetrics.costs.cost_curve),
    "hull AUC of a table": _of_table(fastmetrics.costs.roc_hull_auc),
}


def _hull(data: Data) -> tuple[Any, Any]:
    """Return the shares of positives and negatives in each block, by a stack in plain Python."""
    _, positives, negatives = naive.table(data)
    stack: list[tuple[int, int]] = []
    for p, n in zip(positives.tolist(), negatives.tolist(), strict=True):
        while stack and stack[-1][0] * n <= p * stack[-1][1]:
            last = stack.pop()
            p, n = p + last[0], n + last[1]
        stack.append((p, n))
    p, n = np.array(stack, np.float64).T
    return p, n


def check_cost_curve(data: Data, answer: fastmetrics.results.CostCurve) -> None:
    p, n = (column / column.sum() for column in _hull(data))
    np.testing.assert_allclose(answer.expected_total_cost, (p * n / (p + n)).sum() / 2, rtol=1e-12)
    inside = (p > 0) & (n > 0)
    places = (n / (p + n))[inside]
    np.testing.assert_allclose(answer.probability_cost, [0.0, *places, 1.0], rtol=1e-12)


def check_hull_auc(data: Data, answer: float) -> None:
    p, n = (column / column.sum() for column in _hull(data))
    np.testing.assert_allclose(answer, (n * (p.cumsum() - p / 2)).sum(), rtol=1e-12)


CHECKS: dict[str, Callable[[Data, Any], None]] = {
    "cost curve of a table": check_cost_curve,
    "hull AUC of a table": check_hull_auc,
}
YARDSTICKS: dict[str, Callable[[Data], Call]] = {}
PEERS: dict[str, Callable[[Data], Call]] = {}
NAMES: dict[str, str] = {}

TARGETS: tuple[Target, ...] = (
    Target(
        "cost_curve",
        "`cost_curve` of a table: hull, envelope, area",
        "cost curve of a table",
        "sort",
        0.5,
    ),
    Target(
        "cost_curve_rare",
        "`cost_curve` of a table, 1 % positive",
        "cost curve of a table",
        "sort",
        0.5,
        spec=Spec(positive_share=0.01),
    ),
    Target("roc_hull_auc", "`roc_hull_auc` of a table", "hull AUC of a table", "sort", 0.5),
)
CONTEXT: tuple[Target, ...] = ()
