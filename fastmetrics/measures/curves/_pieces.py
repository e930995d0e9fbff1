"""Pieces of a table of counts, for threads: ranges of its rows, and what stands above them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fastmetrics._threads.workers import run
from fastmetrics.tables.score_table import ScoreTable

T = TypeVar("T")

#: Rows of a piece: its columns, and what is made of them, fit a cache.
PIECE_ROWS: Final = 1 << 15


class Piece(NamedTuple):
    """Rows ``start`` to ``stop`` of a table, with TP and FP of the threshold above them."""

    start: int
    stop: int
    tp: int
    fp: int
    positives: NDArray[Any]
    negatives: NDArray[Any]

    @property
    def columns(self) -> tuple[NDArray[Any], NDArray[Any]]:
        return self.positives, self.negatives

    @property
    def above(self) -> tuple[float, float]:
        """TP and FP of the threshold above, as floats."""
        return float(self.tp), float(self.fp)


def by_pieces(table: ScoreTable, job: Callable[[Piece], T]) -> list[T]:
    """Return what a job makes of each piece of a table, from the top down; of weights of one."""
    columns = table.positives, table.negatives
    if len(table) <= PIECE_ROWS or table.is_weighted:
        return [job(Piece(0, len(table), 0, 0, *columns))] if len(table) else []
    starts = range(0, len(table), PIECE_ROWS)

    def count(start: int) -> list[int]:
        return [int(np.add.reduce(column[start : start + PIECE_ROWS])) for column in columns]

    sums = run([partial(count, start) for start in starts[:-1]])
    pieces, tp, fp = [], 0, 0
    for start, (positives, negatives) in zip(starts, [*sums, [0, 0]], strict=False):
        stop = min(start + PIECE_ROWS, len(table))
        pieces.append(Piece(start, stop, tp, fp, *(column[start:stop] for column in columns)))
        tp, fp = tp + positives, fp + negatives
    return run([partial(job, piece) for piece in pieces])
