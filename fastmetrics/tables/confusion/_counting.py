"""Count pairs of whole numbers into cells or margins: by kernels on all cores, weights by NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scores import CHUNK
from fastmetrics._input.weights import Weights
from fastmetrics._kernels import cells as kernels
from fastmetrics._threads import workers as _workers

Counts = NDArray[np.int64]

#: Rows between two looks at whether to stop: some milliseconds.
_JOB: Final = 1 << 20

#: Fewer rows than this are not worth a second thread.
_SPLIT: Final = 1 << 17

#: The labels that kernels read as they are; others are converted by the chunk.
_NATIVE: Final = (np.dtype(np.int64), np.dtype(np.int32), np.dtype(np.int8))

#: Up to this width four interleaved tables stay in the first-level cache.
_LANES_WIDTH: Final = 32

#: Up to this many classes the cells are counted, and the margins are their sums.
_FEW: Final = 64

#: Rows between two compensated additions: a cell's rounding error is at most
#: ``max(WEIGHTED_CHUNK, K**2) * 2**-53`` of it.
WEIGHTED_CHUNK: Final = 1 << 13


class Margins(NamedTuple):
    """How often each class is true, predicted, and both; each of shape (K,)."""

    hits: NDArray[Any]
    true: NDArray[Any]
    predicted: NDArray[Any]

    @classmethod
    def of(cls, cells: NDArray[Any]) -> Margins:
        return cls(cells.diagonal().copy(), cells.sum(axis=1), cells.sum(axis=0))


def cells_of_plain(y_true: Any, y_pred: Any) -> tuple[int, int, int, int] | None:
    """Return TN, FP, FN and TP of two plain arrays of 0 and 1, in one kernel call.

    None where there is more to see to: containers, other dtypes and layouts, other labels, or so
    many rows that threads pay. A call in a training loop is answered here, in a few microseconds.
    """
    if not are_plain(y_true, y_pred, _SPLIT - 1):
        return None
    sums = np.empty(3, np.int64)
    if kernels.count_two(y_true, y_pred, 0, sums) not in (0, 1):
        return None
    true, called, both = sums.tolist()
    return y_true.size - true - called + both, called - both, true - both, both


def are_plain(y_true: Any, y_pred: Any, most: int) -> bool:
    """Return whether these are arrays of up to so many rows, read as they are by kernels."""
    return (
        type(y_true) is np.ndarray
        and type(y_pred) is np.ndarray
        and y_true.ndim == 1
        and y_true.shape == y_pred.shape
        and 0 < y_true.size <= most
        and _are_native(y_true, y_pred)
    )


def _are_native(true: NDArray[Any], predicted: NDArray[Any]) -> bool:
    if true.dtype != predicted.dtype or true.dtype not in _NATIVE:
        return False
    one, other = true.flags, predicted.flags
    return one.c_contiguous and one.aligned and other.c_contiguous and other.aligned


def count(
    true: NDArray[Any], predicted: NDArray[Any], low: int, width: int, *, margins: bool = False
) -> NDArray[Any] | None:
    """Return the (width, width) counts of pairs of whole numbers, or their margins, (3, width).

    None if a label is outside [low, low + width): nothing is counted wrongly. Labels are of any
    integer or boolean dtype, or whole floats inside the range. Margins are hits, true and predicted
    labels, as in `Margins`.
    """
    low = int(_wrapped(low))
    if not margins:
        return _cells(true, predicted, low, width)
    if width <= _FEW:
        cells = _cells(true, predicted, low, width)
        return None if cells is None else np.array(Margins.of(cells))

    def count(rows: NDArray[Any], columns: NDArray[Any], sums: NDArray[Any]) -> bool:
        lines = sums.reshape(3, width)
        return bool(kernels.count_margins(rows, columns, low, width, *lines) == len(rows))

    sums = _on_threads(count, true, predicted, 3 * width)
    return None if sums is None else sums.reshape(3, width)


def tally(
    true: NDArray[Any],
    predicted: NDArray[Any],
    low: int,
    width: int,
    weights: Weights | None,
    *,
    margins: bool = False,
) -> NDArray[Any]:
    """Return what `count` does, or sums of weights, of labels that were seen to be in range.

    Exact int64 for integer weights, else compensated float64.
    """
    if weights is None:
        found = count(true, predicted, low, width, margins=margins)
        if found is None:
            raise RuntimeError("`y_true` or `y_pred` was modified while it was counted")
        return found
    total = np.zeros((3, width) if margins else (1, width * width))
    lost = np.zeros_like(total)
    step = max(WEIGHTED_CHUNK, total.shape[1])
    chunks = _offsets(true, predicted, int(_wrapped(low)), step)
    for start, (rows, columns) in zip(range(0, len(true), step), chunks, strict=True):
        weight = weights.values[start : start + step]
        for k, (codes, here) in enumerate(_parts(rows, columns, width, margins)):
            part = np.bincount(codes, weights=weight[here], minlength=total.shape[1])
            add_compensated(total[k], lost[k], np.asarray(part, dtype=np.float64))
    total += lost
    return (total.astype(np.int64) if weights.is_integer else total).reshape(-1, width)


def _parts(
    rows: Counts, columns: Counts, width: int, margins: bool
) -> list[tuple[Counts, NDArray[np.bool_] | slice]]:
    """Return the places in each line of a table that rows count in, and which rows these are."""
    every = slice(None)
    if not margins:
        return [(rows * width + columns, every)]
    is_hit = rows == columns
    return [(rows[is_hit], is_hit), (rows, every), (columns, every)]


def _cells(true: NDArray[Any], predicted: NDArray[Any], low: int, width: int) -> Counts | None:
    """Return (width, width) counts: 8 width² bytes beside them for each thread."""
    if width == 2:
        return _cells_of_two(true, predicted, low)
    lanes = 4 if width <= _LANES_WIDTH else 1

    def count(rows: NDArray[Any], columns: NDArray[Any], table: NDArray[Any]) -> bool:
        return bool(kernels.count_cells(rows, columns, low, width, lanes, table) == len(rows))

    total = _on_threads(count, true, predicted, width * width * lanes, np.int32)
    if total is None:
        return None
    return np.asarray(total.reshape(width * width, lanes).sum(axis=1).reshape(width, width))


def add_compensated(
    total: NDArray[np.float64], lost: NDArray[np.float64], part: NDArray[np.float64]
) -> None:
    """Add ``part`` to ``total``, and what rounding takes away to ``lost`` (Neumaier 1974)."""
    added = total + part
    lost += np.where(total >= part, (total - added) + part, (part - added) + total)
    total[:] = added


def _cells_of_two(true: NDArray[Any], predicted: NDArray[Any], low: int) -> Counts | None:
    def count(rows: NDArray[Any], columns: NDArray[Any], sums: NDArray[Any]) -> bool:
        part = np.empty(3, np.int64)
        fits = kernels.count_two(rows, columns, low, part) in (0, 1)
        sums += part
        return fits

    found = _on_threads(count, true, predicted, 3)
    if found is None:
        return None
    ones, called, both = found.tolist()
    return np.array([[len(true) - ones - called + both, called - both], [ones - both, both]])


def _on_threads(
    count: Callable[[NDArray[Any], NDArray[Any], NDArray[Any]], bool],
    true: NDArray[Any],
    predicted: NDArray[Any],
    size: int,
    dtype: type[Any] = np.int64,
) -> Counts | None:
    """Return the sum of tables to which ``count`` adds rows of each thread; None if it refuses any.

    Counts are integers: the number of parts does not show in their sum.
    """
    n = len(true)
    # A table for each thread pays where there are several rows a cell.
    parts = max(1, min(_workers.thread_count(), n // max(_SPLIT, 4 * size)))
    parts = max(parts, -(-n // 2**30))  # a table of int32 cannot overflow
    edges = [n * part // parts for part in range(parts + 1)]

    def counted(start: int, stop: int) -> NDArray[Any] | None:
        table = np.zeros(size, dtype)
        pieces = _pieces(true, predicted, start, stop)
        return table if all(count(*piece, table) for piece in pieces) else None

    total = np.zeros(size, np.int64)
    for table in _workers.run([partial(counted, *part) for part in pairwise(edges)]):
        if table is None:
            return None
        total += table
    return total


def _pieces(
    true: NDArray[Any], predicted: NDArray[Any], start: int, stop: int
) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Yield rows of both columns in one of the dtypes that kernels know, contiguous."""
    if true.dtype.kind == "b" and predicted.dtype.kind == "b":
        true, predicted = true.view(np.int8), predicted.view(np.int8)
    is_native = _are_native(true, predicted)
    step = _JOB if is_native else CHUNK
    for first in range(start, stop, step):
        here = slice(first, min(first + step, stop))
        if is_native:
            yield true[here], predicted[here]
        else:
            yield true[here].astype(np.int64), predicted[here].astype(np.int64)


def _offsets(
    true: NDArray[Any], predicted: NDArray[Any], low: int, step: int
) -> Iterator[tuple[Counts, Counts]]:
    """Yield chunks of both columns less ``low``, modulo 2**64: right where they are in range."""
    if true.dtype.kind == "b":
        true = true.view(np.int8)
    if predicted.dtype.kind == "b":
        predicted = predicted.view(np.int8)
    for start in range(0, len(true), step):
        here = slice(start, start + step)
        yield true[here].astype(np.int64) - low, predicted[here].astype(np.int64) - low


def _wrapped(number: int) -> np.int64:
    """Return the number modulo 2**64, as int64 wraps."""
    return np.uint64(number % 2**64).astype(np.int64)
