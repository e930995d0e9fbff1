"""Naive twins of the kernels that read resampled curves off: the same values by NumPy.

Pairs of calls as in ``table_twins.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import SEED, Data
from benchmarks.table_twins import Pair
from fastmetrics._kernels import replicate_curves as kernels

Floats = NDArray[np.float64]
#: Replicates of one call; places of a grid, and of one that follows the curve closely.
REPLICATES, PLACES, MANY_PLACES = 4, 101, 2048


def _columns(data: Data) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]:
    """Return counts of each row in each replicate, and which rows are positive and end a tie."""
    order = np.lexsort((data.labels, data.scores))[::-1]
    n = len(order)
    padded = -(-n // 8) * 8
    masks, ends = np.zeros(padded, np.uint8), np.zeros(padded, np.uint8)
    masks[:n] = np.where(data.labels[order] == 1, 255, 0)
    scores = data.scores[order]
    ends[:n] = np.append(scores[1:] != scores[:-1], True)
    counts = np.zeros((REPLICATES, padded), np.uint8)
    counts[:, :n] = np.random.default_rng(SEED).poisson(1.0, (REPLICATES, n))
    return counts, masks, ends


def _points(
    drawn: NDArray[np.uint8], masks: NDArray[np.uint8], ends: NDArray[np.uint8]
) -> tuple[Floats, Floats]:
    positive = drawn & masks
    tp, fp = (
        np.append(0.0, np.cumsum(counts, dtype=np.int64)[ends > 0])
        for counts in (positive, drawn - positive)
    )
    return fp, tp


def _at(x: Floats, y: Floats, levels: Floats) -> Floats:
    """Return y where x is at each level, the last of an upright stretch."""
    after = np.searchsorted(x, levels, side="right").clip(1, len(x) - 1)
    before = after - 1
    share = np.clip((levels - x[before]) / (x[after] - x[before]), 0.0, 1.0)
    return y[before] + share * (y[after] - y[before])


def values_along(data: Data) -> Pair:
    fp, tp = _points(*(column if i else column[0] for i, column in enumerate(_columns(data))))
    levels = (np.arange(PLACES) + np.sqrt(0.5)) / PLACES * fp[-1]
    out = np.empty(PLACES)

    def ours() -> tuple[Any, ...]:
        kernels.values_along(fp, tp, levels, True, 0.0, out)
        return (out,)

    return ours, lambda: (_at(fp, tp, levels),)


def values_at_rates(data: Data) -> Pair:
    """Cover ``values_of_rows`` and its kin where few places are asked for."""
    counts, masks, ends = _columns(data)
    levels = (np.arange(PLACES) + np.sqrt(0.5)) / PLACES  # no curve has a corner there
    out, odds, none = np.empty((REPLICATES, PLACES)), np.empty(REPLICATES), np.zeros(2)

    def ours() -> tuple[Any, ...]:
        kernels.values_of_rows(
            *(counts, masks, ends, kernels.OVER_FPR, True, levels, none, none, out, odds)
        )
        return out, odds

    def twin() -> tuple[Any, ...]:
        curves = [_points(drawn, masks, ends) for drawn in counts]
        values = [_at(fp, tp, levels * fp[-1]) / tp[-1] for fp, tp in curves]
        return np.array(values), np.array([fp[-1] / tp[-1] for fp, tp in curves])

    return ours, twin


def values_along_the_curve(data: Data) -> Pair:
    """Cover ``values_of_rows`` and its kin where the scaled curve is followed closely."""
    counts, masks, ends = _columns(data)
    tables = [np.arcsin(np.sqrt(np.linspace(0.0, 1.0, size + 1))) for size in (7_000, 3_000)]
    levels = np.linspace(0.0, np.pi, MANY_PLACES)
    out, odds = np.empty((REPLICATES, MANY_PLACES)), np.empty(REPLICATES)

    def ours() -> tuple[Any, ...]:
        kernels.values_of_rows(
            *(counts, masks, ends, kernels.ALONG, True, levels, *tables, out, odds)
        )
        return (out,)

    def twin() -> tuple[Any, ...]:
        values = []
        for drawn in counts:
            x, y = (
                np.interp(sums / sums[-1] * (len(table) - 1), np.arange(len(table)), table)
                for sums, table in zip(_points(drawn, masks, ends), tables, strict=True)
            )
            values.append(np.interp(levels, x + y, y - x))
        return (np.array(values),)

    return ours, twin


_OF_ROWS = tuple(
    f"replicate_curves:{name}"
    for name in ("values_of_rows", "class_totals", "to_lead_and_value", "follow", "entry")
)
#: The kernels covered by each pair of calls, and whether the twin visits every pair of rows.
CURVE_TWINS: dict[Callable[[Data], Pair], tuple[tuple[str, ...], bool]] = {
    values_along: (("replicate_curves:values_along", "replicate_curves:follow"), False),
    values_at_rates: ((*_OF_ROWS, "replicate_curves:nearest_count"), False),
    values_along_the_curve: (_OF_ROWS, False),
}
