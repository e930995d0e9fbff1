"""Naive twins of the kernels that put rows in order: a stable argsort, and fancy indexing.

Pairs of calls as in ``curves.py``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.speed.data import Data
from benchmarks.speed.twins.curves import Pair
from fastmetrics._kernels import orders
from fastmetrics.tables.ordering.row_order import row_order


def rows_in_order(data: Data) -> Pair:
    """Cover all that makes an order, and write values back to the rows."""
    scores = data.scores

    def ours() -> tuple[Any, ...]:
        order = row_order(scores, 1)
        return order.rows, order.spread(order.starts[:-1], 1)

    def twin() -> tuple[Any, ...]:
        return np.argsort(scores, kind="stable"), np.searchsorted(np.sort(scores), scores)

    return ours, twin


def ascends(data: Data) -> Pair:
    ordered = np.sort(data.scores)
    return lambda: (orders.ascends(ordered),), lambda: (bool((np.diff(ordered) >= 0).all()),)


#: By the pair of calls: the kernels, and whether the twin visits every pair of rows.
ORDER_TWINS = {
    ascends: (("orders:ascends",), False),
    rows_in_order: (
        ("orders:order_floats", "orders:pack", "orders:unpack", "orders:spread"),
        False,
    ),
}
