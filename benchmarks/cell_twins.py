"""Naive twins of the kernels that count pairs of labels: the same result by NumPy.

Each function takes the data and returns two calls, the kernel's and the twin's, whose results are
tuples of numbers and arrays that agree. The predicted class is that of the score.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import Data
from fastmetrics._kernels import cells

Call = Callable[[], tuple[Any, ...]]
Pair = tuple[Call, Call]

_CLASSES = 10


def _two(data: Data) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    true = np.ascontiguousarray(data.labels == 1).view(np.int8)
    return true, (data.scores >= np.median(data.scores)).view(np.int8)


def _ten(data: Data) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return ten classes by the size of the score, and the same ones where the label is wrong."""
    edges = np.quantile(data.scores, np.linspace(0, 1, _CLASSES + 1)[1:-1])
    true = np.searchsorted(edges, data.scores)
    return true, (true + (data.labels != 1)) % _CLASSES


def count_two(data: Data) -> Pair:
    true, predicted = _two(data)

    def ours() -> tuple[Any, ...]:
        sums = np.empty(3, np.int64)
        return cells.count_two(true, predicted, 0, sums), sums

    def twin() -> tuple[Any, ...]:
        both = true & predicted
        sums = [np.count_nonzero(each) for each in (true, predicted, both)]
        return int(sum(sums) > 0), np.array(sums)

    return ours, twin


def count_cells(data: Data) -> Pair:
    true, predicted = _ten(data)

    def ours() -> tuple[Any, ...]:
        table = np.zeros(4 * _CLASSES**2, np.int32)
        rows = cells.count_cells(true, predicted, 0, _CLASSES, 4, table)
        return rows, table.reshape(-1, 4).sum(axis=1)

    def twin() -> tuple[Any, ...]:
        return len(true), np.bincount(true * _CLASSES + predicted, minlength=_CLASSES**2)

    return ours, twin


def count_margins(data: Data) -> Pair:
    true, predicted = _ten(data)

    def ours() -> tuple[Any, ...]:
        sums = np.zeros((3, _CLASSES), np.int64)
        return cells.count_margins(true, predicted, 0, _CLASSES, *sums), *sums

    def twin() -> tuple[Any, ...]:
        columns = true[true == predicted], true, predicted
        return len(true), *(np.bincount(each, minlength=_CLASSES) for each in columns)

    return ours, twin


def text_codes(data: Data) -> Pair:
    texts = np.array([f"class {k}" for k in range(_CLASSES)])[_ten(data)[0]]
    words = texts.view(np.uint32).reshape(len(texts), -1)

    def ours() -> tuple[Any, ...]:
        slots, firsts = np.full(64, -1, np.int32), np.empty(16, np.int64)
        codes = np.empty(len(texts), np.int32)
        found = cells.text_codes(words, slots, firsts, codes)
        return found, texts[firsts[:found]], codes

    def twin() -> tuple[Any, ...]:
        distinct, first, inverse = np.unique(texts, return_index=True, return_inverse=True)
        order = np.argsort(first)
        return len(distinct), distinct[order], np.argsort(order)[inverse]

    return ours, twin


#: The kernels covered by each pair of calls, and whether the twin visits every pair of rows.
CELL_TWINS: dict[Callable[[Data], Pair], tuple[tuple[str, ...], bool]] = {
    count_two: (("cells:count_two",), False),
    count_cells: (("cells:count_cells",), False),
    count_margins: (("cells:count_margins",), False),
    text_codes: (("cells:text_codes",), False),
}
