"""How a score finds its bin: a cell by arithmetic alone, then the few edges of that cell.

Which arithmetic serves depends on the edges; whichever is chosen, the bin is the same.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels import bins as kernels

#: Cells, each with a start of two bytes: four a bin by default, so that most have one edge or none.
N_CELLS: Final = 1 << 17
#: Shares of the edges that even cells may leave out at either end.
_TRIMS: Final = (0.0, 1e-3, 1e-2)
#: Leading bits of a distance within an octave: few reach over many octaves.
_LEADING: Final = (7, 10, 11, 12)


class Search(NamedTuple):
    """Arguments of the kernels of ``_kernels/bins.py``, in their order."""

    cells: NDArray[np.float64]
    starts: NDArray[np.uint16]
    edges: NDArray[np.float64]


def search_of(edges: NDArray[np.float64]) -> Search:
    """Return the quickest search for these edges, as many rows being in one bin as in another."""
    finite = edges[np.isfinite(edges)]
    if len(finite) < 2:
        finite = np.array([-1.0, 1.0])
    choices = [(cells, _cells_of(edges, cells)) for cells in _candidates(finite)]
    cells, of_edges = min(choices, key=lambda choice: _steps(choice[1]))
    # How many edges are before each cell, and of all.
    starts = np.searchsorted(of_edges, np.arange(N_CELLS + 1)).astype(np.uint16)
    return Search(cells, starts, np.concatenate([edges, np.full(3, np.nan)]))


def _cells_of(edges: NDArray[np.float64], cells: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return the cell of each edge, ascending."""
    cell = np.empty(len(edges), np.int32)
    with np.errstate(over="ignore"):  # as plain Python: a distance may be infinite
        if cells[0] == 0.0:
            kernels.even_cells(edges, cells, N_CELLS - 1, cell)
        else:
            kernels.octave_cells(edges, cells, N_CELLS - 1, np.empty(len(edges)), cell)
    return cell


def _steps(of_edges: NDArray[np.int32]) -> float:
    """Return the steps of a search in all, from a cell down to two edges, each edge sought once."""
    in_cell = np.diff(np.flatnonzero(np.diff(of_edges, prepend=-1, append=-1)))
    return float((in_cell * np.log2(np.maximum(in_cell / 2, 1.0))).sum())


def _candidates(edges: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    found = []
    n = len(edges)
    for trim in _TRIMS:
        cut = int(trim * n)
        low, high = float(edges[cut]), float(edges[n - 1 - cut])
        with np.errstate(over="ignore", divide="ignore"):
            scale = N_CELLS / (np.float64(high) - np.float64(low))
        if 0.0 < scale < np.inf:
            found.append(_numbers(0.0, low, float(scale)))
    low, high = float(edges[0]), float(edges[-1])
    for leading in _LEADING:
        shift = 52 - leading
        middle = low / 2 + high / 2
        found.append(_octaves(middle, (low, high), 1.0, shift, max(high - middle, middle - low)))
        for centre in {0.0, float(edges[n // 2])}:
            reach = max(abs(low - centre), abs(high - centre))
            found.append(_octaves(centre, (centre, centre), -1.0, shift, reach))
    return found


def _octaves(
    middle: float, ends: tuple[float, float], sign: float, shift: int, reach: float
) -> NDArray[np.float64]:
    top = int(np.float64(min(reach, np.finfo(np.float64).max)).view(np.int64)) >> shift
    return _numbers(1.0, middle, *ends, sign, shift, top - (N_CELLS // 2 - 1))


def _numbers(*numbers: float) -> NDArray[np.float64]:
    out = np.zeros(kernels.CELL_NUMBERS)
    out[: len(numbers)] = numbers
    return out
