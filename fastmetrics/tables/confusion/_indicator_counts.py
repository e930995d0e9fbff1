"""Ones of two indicator matrices counted by column or by row: both, true, predicted."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.targets import Indicators, Ones
from fastmetrics._input.weights import Weights
from fastmetrics.tables.confusion._counting import Margins

#: Cells of a block of rows: what is computed in between stays this small. Sums of weights are
#: added up block by block, so that rounding does not grow with the number of rows.
_BLOCK: Final = 1 << 18


def counts_by_column(data: Indicators, weights: Weights | None) -> Margins:
    """Count the ones of each column, each row as often as its weight says: three (k,) arrays.

    They are int64, or float64 for weights that are not whole.
    """
    if data.is_sparse:
        own = (
            (ones.columns, None if weights is None else weights.values[ones.rows])
            for ones in _three_sparse(data)
        )
        total = np.array([np.bincount(*each, minlength=data.shape[1]) for each in own])
    else:
        parts = [
            [
                np.count_nonzero(block, axis=0) if weights is None else weights.values[rows] @ block
                for block in _three_dense(data, rows)
            ]
            for rows in _blocks(data.shape)
        ]
        total = np.array(parts).sum(axis=0)
    if weights is None or weights.is_integer:
        total = total.astype(np.int64, copy=False)
    return Margins(*total)


def counts_by_row(data: Indicators, multiplicity: NDArray[np.int64]) -> Margins:
    """Count the ones of each row, column j ``multiplicity[j]`` times: three (n,) int64 arrays."""
    counted = np.empty((3, data.shape[0]), dtype=np.int64)
    every = bool((multiplicity == 1).all())
    if data.is_sparse:
        for out, ones in zip(counted, _three_sparse(data), strict=True):
            # Sums of whole numbers in float64 are exact up to 2**53.
            times = None if every else multiplicity[ones.columns]
            out[:] = np.bincount(ones.rows, weights=times, minlength=data.shape[0])
        return Margins(*counted)
    for rows in _blocks(data.shape):
        for out, block in zip(counted, _three_dense(data, rows), strict=True):
            out[rows] = np.count_nonzero(block, axis=1) if every else block @ multiplicity
    return Margins(*counted)


def _blocks(shape: tuple[int, int]) -> list[slice]:
    step = max(_BLOCK // shape[1], 1)
    return [slice(start, start + step) for start in range(0, shape[0], step)]


def _three_dense(data: Indicators, rows: slice) -> tuple[NDArray[np.bool_], ...]:
    true, predicted = data.true[rows], data.predicted[rows]
    return true & predicted, true, predicted


def _three_sparse(data: Indicators) -> tuple[Ones, Ones, Ones]:
    true, predicted = data.true, data.predicted
    cells = [each.rows * data.shape[1] + each.columns for each in (true, predicted)]
    both = np.isin(cells[0], cells[1], assume_unique=True)
    return Ones(true.rows[both], true.columns[both]), true, predicted
