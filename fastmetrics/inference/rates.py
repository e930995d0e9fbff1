"""Rates of both classes at each threshold, near their largest gap."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from fastmetrics.inference.units import Floats
from fastmetrics.metrics.curves.roc import KolmogorovSmirnov
from fastmetrics.tables.score_table import Piece, ScoreTable, by_pieces, running_sums

#: Gives the tables of ranges in which a gap may be as large as the number, with TP and FP above.
TablesNear = Callable[[float], Iterable[tuple[ScoreTable, int, int]]]


class Rates(NamedTuple):
    """Rates at each threshold of a table or of ranges, their largest gap, and both class sizes."""

    table: ScoreTable | TablesNear
    gap: KolmogorovSmirnov
    sizes: tuple[float, float]

    def variance(self, added: float = 0.0) -> float:
        """Compute the variance of the largest gap, ``added`` hits and misses added to each rate."""
        rates = self.gap.true_positive_rate, self.gap.false_positive_rate
        both = zip(rates, self.sizes, strict=True)
        shrunken = [((rate * n + added) / (n + 2.0 * added), n) for rate, n in both]
        return float(sum(rate * (1.0 - rate) / n for rate, n in shrunken))

    def inflation(self) -> float:
        """Compute the factor of the error that corrects for choosing the threshold on the data."""
        plain = self.variance()
        return math.sqrt(self.variance(1.0) / plain) if plain > 0.0 else 1.0

    def near(self, width: float, job: Callable[[Floats, Floats], Floats]) -> list[Floats]:
        """Apply a job to both rates where their gap is within ``width`` of the largest."""
        least = self.gap.statistic - width
        if not isinstance(self.table, ScoreTable):
            near = (_near(*each, self.sizes, least, job) for each in self.table(least))
            return [each for ends in near for each in ends]
        sizes = self.table.n_positive, self.table.n_negative
        return _near(self.table, 0, 0, sizes, least, job)


def _near(
    table: ScoreTable, tp: int, fp: int, sizes: Any, least: float, job: Callable[..., Floats]
) -> list[Floats]:
    """Apply a job to both rates where their gap is not below ``least``."""
    sums = running_sums(table) if table.is_weighted else None
    m, n = sizes if sums is None else (each[-1] for each in sums)

    def here(piece: Piece) -> Floats | None:
        rows = tuple(int(np.add.reduce(column)) for column in piece.columns)
        above = tp + piece.tp, fp + piece.fp
        if sums is None and most_gap(above, rows, m, n) < least:
            return None
        running = sums or [np.cumsum(column) for column in piece.columns]
        one = (above[0] + running[0]) / m
        other = (above[1] + running[1]) / n
        kept = np.abs(one - other) >= least
        return job(one[kept], other[kept]) if kept.any() else None

    return [each for each in by_pieces(table, here) if each is not None]


def most_gap(above: tuple[float, float], rows: Sequence[float], m: float, n: float) -> float:
    """Bound the gap of both rates among rows of each class, whatever their order."""
    (tp, fp), (p, q) = above, rows
    return max((tp + p) / m - fp / n, (fp + q) / n - tp / m)
