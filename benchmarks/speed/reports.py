"""What is timed of reports: rows of several labels, comparisons by many metrics.

Each work returns numbers only, of which the last is the one that a check knows best.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import fastmetrics
from benchmarks.speed.around_answers import Array, auc, check_estimate
from benchmarks.speed.data import SEED, Data, Spec
from benchmarks.speed.timing import Target

__all__ = ["CHECKS", "CONTEXT", "NAMES", "PEERS", "TARGETS", "WORKS", "YARDSTICKS"]

Call = Callable[[], Any]
Prepare = Callable[[Data], Call]

#: Labels of a row.
LABELS = 10


@functools.lru_cache(maxsize=1)
def tags(spec: Spec) -> tuple[Array, Array]:
    """Return ten labels a row, and a score for each."""
    rng = np.random.default_rng(SEED + 4)
    labels = (rng.random((spec.rows, LABELS)) < 0.3).astype(np.int8)
    return labels, labels + rng.standard_normal(labels.shape)


def _several_labels(data: Data) -> Call:
    columns = tags(data.spec)

    def evaluate() -> tuple[float, ...]:
        found = fastmetrics.evaluate(*columns)["score"]["roc_auc_macro"]
        return found.standard_error, found.estimate

    return evaluate


def _mean_auc(data: Data) -> float:
    columns = zip(*(each.T for each in tags(data.spec)), strict=True)
    return float(np.mean([auc(scores[y == 1], scores[y == 0]) for y, scores in columns]))


def _sorts(data: Data) -> Call:
    columns = [np.ascontiguousarray(column) for column in tags(data.spec)[1].T]
    return lambda: [np.sort(column) for column in columns]


WORKS: dict[str, Prepare] = {
    "several labels": _several_labels,
}
CHECKS: dict[str, Callable[[Data, Any], None]] = {
    "several labels": check_estimate(_mean_auc),
}
YARDSTICKS: dict[str, Prepare] = {"sorts of ten columns": _sorts}
PEERS: dict[str, Prepare] = {}
NAMES = {"sorts of ten columns": "`np.sort` of each column"}

_MILLION = Spec(rows=1_000_000)

TARGETS: tuple[Target, ...] = (
    Target(
        "multilabel",
        "`evaluate`, ten labels a row, 10⁶ rows",
        "several labels",
        "sorts of ten columns",
        15,
        spec=_MILLION,
    ),
)
CONTEXT: tuple[Target, ...] = ()
