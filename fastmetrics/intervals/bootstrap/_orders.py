"""Rows in an order of their own: by several columns, whatever order they came in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics.tables.ordering.row_order import RowOrder, row_order

#: Four bytes a row: so many rows as do not fit are refused (`_rows.check_rows`).
Places = NDArray[np.int32]


def order_of(*columns: NDArray[Any] | None, n_threads: int | None = None) -> Places:
    """Return what ``numpy.lexsort`` does, the first column deciding first; None is left out."""
    first, *rest = [column for column in columns if column is not None]
    return refined(row_order(_sortable(first), n_threads), *rest, n_threads=n_threads)


def refined(order: RowOrder, *columns: NDArray[Any] | None, n_threads: int | None = None) -> Places:
    """Return the rows of an order, in which columns decide, one after the other, what is tied."""
    rows: NDArray[Any] = order.rows
    starts, at = order.starts, None
    for column in columns:
        if column is None:
            continue
        sizes = np.diff(starts)
        if len(sizes) == (len(rows) if at is None else len(at)):  # nothing is tied
            break
        tied = np.repeat(sizes > 1, sizes)
        runs = np.repeat(np.arange(len(sizes)), sizes)[tied]
        at = np.flatnonzero(tied) if at is None else at[tied]
        few = rows[at]
        by_column = row_order(_sortable(column[few]), n_threads)
        ranks = by_column.spread(np.arange(by_column.n_distinct), n_threads)
        found = row_order(runs * by_column.n_distinct + ranks, n_threads)
        rows[at] = few[found.rows]
        starts = found.starts
    return rows


def _sortable(column: NDArray[Any]) -> NDArray[Any]:
    """Return a column of whole numbers in eight bytes, as scores come."""
    if column.dtype.kind in "bi" or column.dtype.itemsize < 4:
        return column.astype(np.int64, copy=False)
    return np.ascontiguousarray(column)


def inverse_of(order: Places) -> Places:
    """Return the place of each row in an order."""
    inverse: Places = np.empty_like(order)
    inverse[order] = np.arange(len(order), dtype=order.dtype)
    return inverse
