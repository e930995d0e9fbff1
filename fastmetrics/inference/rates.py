"""Rates of both classes at each threshold, near their largest gap."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from fastmetrics.inference.units import Floats
from fastmetrics.metrics.curves.roc import KolmogorovSmirnov, ks_of_table
from fastmetrics.tables.score_table import Piece, ScoreTable, by_pieces, running_sums

#: Gives the tables of ranges in which a gap may be as large as the number, with TP and FP above.
TablesNear = Callable[[float], Iterable[tuple[ScoreTable, float, float]]]


class Rates(NamedTuple):
    """Rates at each threshold of ranges, their largest gap, and both class sizes.

    ``totals`` are rows of each class or their weights, ``sizes`` effective numbers.
    """

    tables: TablesNear
    gap: KolmogorovSmirnov
    sizes: tuple[float, float]
    totals: tuple[float, float]

    @classmethod
    def of_table(cls, table: ScoreTable, sizes: tuple[float, float] | None = None) -> Rates:
        """Return the rates of a table, by default without weights."""
        totals = float(table.n_positive), float(table.n_negative)
        return cls(lambda _: [(table, 0, 0)], ks_of_table(table), sizes or totals, totals)

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
        near = (_near(*each, self.totals, least, job) for each in self.tables(least))
        return [each for ends in near for each in ends]


def _near(
    table: ScoreTable, tp: float, fp: float, sizes: Any, least: float, job: Callable[..., Floats]
) -> list[Floats]:
    """Apply a job to both rates where their gap is not below ``least``."""
    m, n = sizes

    def here(piece: Piece) -> Floats | None:
        rows = [np.add.reduce(column) for column in piece.columns]
        above = tp + piece.tp, fp + piece.fp
        if not table.is_weighted and most_gap(above, rows, m, n) < least:
            return None
        running: Any = map(np.cumsum, piece.columns)
        tps, fps = running_sums(table) if table.is_weighted else running
        one = (above[0] + tps) / m
        other = (above[1] + fps) / n
        kept = np.abs(one - other) >= least
        return job(one[kept], other[kept]) if kept.any() else None

    return [each for each in by_pieces(table, here) if each is not None]


def most_gap(above: tuple[float, float], rows: Sequence[float], m: float, n: float) -> float:
    """Bound the gap of both rates among rows of each class, whatever their order."""
    (tp, fp), (p, q) = above, rows
    return max((tp + p) / m - fp / n, (fp + q) / n - tp / m)
