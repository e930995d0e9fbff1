"""Rows in an order of their own, whatever order they came in, and what is looked up in it."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels.replicates import replicate_pairs as kernels
from fastmetrics.tables.ordering.row_order import RowOrder, row_order

#: Four bytes a row: so many rows as do not fit are refused (`_rows.check_rows`).
Places = NDArray[np.int32]
Bytes = NDArray[np.uint8]

_PART: Final = 1 << 16  # rows at a time


def order_of(*columns: NDArray[Any] | None) -> Places:
    """Return what ``numpy.lexsort`` does, the first column deciding first; None is left out."""
    first, *rest = [column for column in columns if column is not None]
    return refined(row_order(_sortable(first)), *rest)


def refined(order: RowOrder, *columns: NDArray[Any] | None) -> Places:
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
        by_column = row_order(_sortable(column[few]))
        ranks = by_column.spread(np.arange(by_column.n_distinct))
        found = row_order(runs * by_column.n_distinct + ranks)
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


def taken(values: NDArray[Any], places: Places) -> NDArray[Any]:
    """Return ``values[places]``, for which NumPy would make its own eight-byte places."""
    found = np.empty(len(places), values.dtype)
    kernels.take(values, places, found)
    return found


def lone_positives(
    masks: Bytes, ends: Bytes, anchors: NDArray[np.int64]
) -> tuple[Bytes, NDArray[np.uint16], NDArray[np.int64]]:
    """Return which segments have no ties, the places of their positives, and where they start."""
    whole = len(masks) // kernels.SEGMENT
    lone, n_positive = np.zeros(len(anchors), np.uint8), np.zeros(len(anchors) + 1, np.int64)
    in_segments = (whole, kernels.SEGMENT)
    ends, masks = (
        column[: whole * kernels.SEGMENT].reshape(in_segments) for column in (ends, masks)
    )
    lone[:whole] = ends.all(axis=1) & (anchors[:whole] == np.arange(whole))
    places = [np.empty(0, np.uint16)]
    for start in range(0, whole, _PART // kernels.SEGMENT):
        some = slice(start, min(start + _PART // kernels.SEGMENT, whole))
        listed = masks[some] & (lone[some, None] * np.uint8(255))
        places.append((np.flatnonzero(listed) % kernels.SEGMENT).astype(np.uint16))
        n_positive[start + 1 : some.stop + 1] = np.count_nonzero(listed, axis=1)
    return lone, np.concatenate(places), np.cumsum(n_positive)
