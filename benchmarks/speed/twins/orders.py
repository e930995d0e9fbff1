"""Naive twins of the kernels that put rows in order: a stable argsort, and fancy indexing.

Pairs of calls as in ``curves.py``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.speed.data import Data
from benchmarks.speed.twins.curves import Pair, weighted_columns
from fastmetrics._input.rows import check_binary
from fastmetrics._kernels import merges
from fastmetrics.metrics.curves.influences import doubled_placements
from fastmetrics.tables.ordering import row_order
from fastmetrics.tables.pairs import distinct_scores


def rows_in_order(data: Data) -> Pair:
    """Cover all that makes an order, and write values back to the rows."""
    scores = data.scores

    def ours() -> tuple[Any, ...]:
        order = row_order(scores)
        return order.rows, order.spread(order.starts[:-1])

    def twin() -> tuple[Any, ...]:
        return np.argsort(scores, kind="stable"), np.searchsorted(np.sort(scores), scores)

    return ours, twin


def ascends(data: Data) -> Pair:
    ordered = np.sort(data.scores)
    return lambda: (merges.ascends(ordered),), lambda: (bool((np.diff(ordered) >= 0).all()),)


def rows_by_class(data: Data) -> Pair:
    """Give each row, by its class, the rank of its score among the distinct ones, or less it."""
    order = row_order(data.scores)
    ranks = np.arange(order.n_distinct)

    def ours() -> tuple[Any, ...]:
        return (order.spread_by_class(data.labels, ranks, -ranks),)

    def twin() -> tuple[Any, ...]:
        rank = np.unique(data.scores, return_inverse=True)[1]
        return (np.where(data.labels == 1, -rank, rank),)

    return ours, twin


def weights_by_score(data: Data) -> Pair:
    rows = check_binary(data.labels, data.scores, sample_weight=data.weights)
    return lambda: distinct_scores(rows)[0], lambda: weighted_columns(data)


def placements(data: Data) -> Pair:
    """Cover ``place_rows``."""
    rows = check_binary(data.labels, data.scores)

    def twin() -> tuple[Any, ...]:
        negatives, positives = (np.sort(data.scores[data.labels == k]) for k in (0, 1))
        below, not_above = (np.searchsorted(negatives, data.scores, k) for k in ("left", "right"))
        under, not_over = (np.searchsorted(positives, data.scores, k) for k in ("left", "right"))
        above = 2 * len(positives) - under - not_over
        return (np.where(data.labels == 1, below + not_above, above),)

    return lambda: (doubled_placements(rows),), twin


#: By the pair of calls: the kernels, and whether the twin visits every pair of rows.
TWINS = {
    ascends: (("merges:ascends",), False),
    placements: (("merges:place_rows",), False),
    rows_by_class: (("merges:spread_by_class",), False),
    weights_by_score: (("merges:weigh_runs",), False),
    rows_in_order: (
        ("merges:order_floats", "merges:pack", "merges:unpack", "merges:spread"),
        False,
    ),
}
