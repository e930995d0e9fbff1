"""Leave-one-out values of what one threshold decides: KS, best thresholds, break-even.

Without a positive of row k, the thresholds above row k keep TP and FP, and from row k on TP is
lower by 1; likewise FP without a negative. A maximum over thresholds is then the greater of a
running maximum from the top and one from the bottom. Where the row was alone at its score, its
threshold is gone; here it stays, with the counts of the one above it. It can tie with that
one, but not beat it, and of equal candidates the highest wins.

One row hardly moves a maximum, so that few thresholds are ever the best. A block of them is passed
over where the best that its ends allow, TP of the lower one with FP of the upper one, is less than
what some threshold has whatever row is missing.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels.replicates import leave_one_out as kernels
from fastmetrics.measures.curves._criteria import (
    ClosestTopLeft,
    Counts,
    Criterion,
    FewestErrors,
    criterion_named,
)
from fastmetrics.tables.scores.score_table import ScoreTable

Floats = NDArray[np.float64]
Pair = tuple[Floats, Floats]
Places = NDArray[np.intp]

#: Thresholds of a block.
_BLOCK: Final = 256


def _before(running: NDArray[np.int64], rows: Places) -> NDArray[np.int64]:
    """Return what stands above some rows, from the sums up to each."""
    return np.where(rows > 0, running[np.maximum(rows - 1, 0)], 0)


@dataclass(frozen=True, slots=True, eq=False)
class _Largest:
    """The thresholds of a table by |TPR - FPR|."""

    table: ScoreTable

    def keys(self, counts: Counts) -> NDArray[Any]:
        """Return numbers in the order of what is maximised."""
        return np.abs(counts.recall() - counts.false_positive_rate())

    def bounds(self, upper: Counts, lower: Counts) -> NDArray[Any]:
        """Return at least the keys of the thresholds between two, each way."""
        rising = lower.recall() - upper.false_positive_rate()
        return np.maximum(rising, lower.false_positive_rate() - upper.recall())

    def slack(self, counts: Counts) -> float:
        """Return how far a bound may be below a key by rounding."""
        return 0.0

    def field(self, chosen: Counts, candidates: Places) -> Floats:
        """Return the number of the chosen thresholds that is looked at."""
        return self.keys(chosen)

    def sides(self) -> Pair:
        """Return how the field changes without a positive, and without a negative, of each row."""
        n_positive, n_negative = int(self.table.n_positive), int(self.table.n_negative)
        with np.errstate(all="ignore"):  # counts of -1 above the first positive are never looked at
            rows, kept, _ = self._candidates(0, 0)
            best = np.argmax(self.keys(kept)).reshape(1)
            center = float(self.field(kept.at(best), rows[best])[0])
            nowhere = np.full(len(self.table), np.nan)
            return (
                self._without(1, 0, center) if n_positive > 1 else nowhere,
                self._without(0, 1, center) if n_negative > 1 else nowhere,
            )

    def _counts(self, rows: Places, positive: int, negative: int) -> tuple[Counts, Counts]:
        """Return what candidates decide if a row is missing below them, and above them."""
        table = self.table
        rest = int(table.n_positive) - positive, int(table.n_negative) - negative
        tp, fp = _before(table.true_positives, rows), _before(table.false_positives, rows)
        return Counts(tp, fp, *rest), Counts(tp - positive, fp - negative, *rest)

    def _candidates(self, positive: int, negative: int) -> tuple[Places, Counts, Counts]:
        """Return the candidates that can be the best, with the first and the last of all.

        Candidate 0 calls nothing positive; candidate k + 1 is the threshold of row k.
        """
        n = len(self.table)
        ends = np.append(np.arange(0, n, _BLOCK), n)
        kept, less = self._counts(ends, positive, negative)
        keys = self.keys(kept)
        best = np.argmax(keys)
        sure = min(keys[best], self.keys(less)[best])
        sizes = kept.n_positive, kept.n_negative
        upper = Counts(np.maximum(less.tp[:-1], 0), np.maximum(less.fp[:-1], 0), *sizes)
        bounds = self.bounds(upper, Counts(kept.tp[1:], kept.fp[1:], *sizes))
        if keys.dtype.kind == "f":
            sure -= self.slack(kept)
        hopeful = np.flatnonzero(bounds >= sure)
        rows = (ends[hopeful, None] + np.arange(1, _BLOCK + 1)).ravel()
        rows = np.concatenate(([0], rows[rows < n], [n]))
        return rows, *self._counts(rows, positive, negative)

    def _without(self, positive: int, negative: int, center: float) -> Floats:
        rows, kept, less = self._candidates(positive, negative)
        n = len(rows)
        best = np.empty(n - 1, np.int64)
        kernels.best_of_two(self.keys(kept), self.keys(less), best)
        # Without any row between two candidates, the same one is the best.
        starts = np.flatnonzero(np.concatenate(([True], best[1:] != best[:-1])))
        at, use_lower = best[starts] % n, best[starts] >= n
        chosen = Counts(
            np.where(use_lower, less.tp[at], kept.tp[at]),
            np.where(use_lower, less.fp[at], kept.fp[at]),
            kept.n_positive,
            kept.n_negative,
        )
        stops = rows[np.append(starts[1:], n - 1)]
        return np.repeat(self.field(chosen, rows[at]) - center, np.diff(stops, prepend=0))


@dataclass(frozen=True, slots=True, eq=False)
class _Best(_Largest):
    """The thresholds of a table by a criterion, and which number of the best is looked at."""

    criterion: Criterion
    of: str

    def keys(self, counts: Counts) -> NDArray[Any]:
        """Return numbers in the order of what is maximised, the least one where not feasible.

        Integers where they fit, so that a tie is a tie; a ratio of integers is rounded once, which
        keeps ties too. Only products beyond int64 are compared by the criterion's float value.
        """
        nobody = np.empty(0, dtype=np.intp)
        fits = self.criterion.ratio(counts.at(nobody))[0].dtype != object
        if not fits:
            keys: NDArray[Any] = self.criterion.value(counts)
        else:
            numerator, denominator = self.criterion.ratio(counts)
            keys = numerator if denominator is None else numerator / denominator
        least = np.iinfo(np.int64).min if keys.dtype.kind == "i" else -math.inf
        return np.where(self.criterion.feasible(counts), keys, least)

    def bounds(self, upper: Counts, lower: Counts) -> NDArray[Any]:
        """Return at least the keys of the thresholds between two: they rise in TP, fall in FP."""
        return self.keys(Counts(lower.tp, upper.fp, upper.n_positive, upper.n_negative))

    def slack(self, counts: Counts) -> float:
        """Return how far a bound may be below a key by rounding."""
        return self.criterion.rounding(counts)

    def field(self, chosen: Counts, candidates: Places) -> Floats:
        """Return a number of the decisions that were chosen, nan where none is feasible."""
        if self.of == "value":
            found = self.criterion.value(chosen)
            if isinstance(self.criterion, ClosestTopLeft | FewestErrors):  # what is least
                found = -found
        elif self.of == "threshold":
            scores = self.table.scores[np.maximum(candidates - 1, 0)].astype(np.float64)
            found = np.where(candidates > 0, scores, math.inf)
        elif self.of == "false_positive_rate":
            found = chosen.false_positive_rate()
        elif self.of == "precision":
            found = chosen.precision()
        else:
            found = chosen.recall()
        return np.where(self.criterion.feasible(chosen), found, np.nan)


def ks_statistic(table: ScoreTable) -> Pair:
    """Leave out of the largest |TPR - FPR|."""
    return _Largest(table).sides()


def best_threshold(
    table: ScoreTable,
    *,
    criterion: str = "youden",
    beta: float = 1.0,
    at_least: float | None = None,
    at_most: float | None = None,
    of: str = "value",
) -> Pair:
    """Leave out of a number that the best threshold has; the threshold is chosen again."""
    chosen = criterion_named(criterion, beta=beta, at_least=at_least, at_most=at_most)
    return _Best(table, chosen, of).sides()


def break_even_point(table: ScoreTable) -> Pair:
    """Leave out of the value where precision equals recall.

    As many are to be called positive as there are positives. Rows below the crossing change
    nothing but the number of positives, and all rows above it change the same counts.
    """
    tp, fp, size = table.true_positives, table.false_positives, len(table)
    p, n = int(table.n_positive), int(table.n_negative)

    def first_with(count: int) -> int:
        return bisect_left(range(size), count, key=lambda row: int(tp[row]) + int(fp[row]))

    def end_of(row: int, tp_less: int = 0, less: int = 0) -> tuple[int, int]:
        """Return TP and the number called positive."""
        if row < 0:
            return 0, 0
        return int(tp[row]) - tp_less, int(tp[row]) + int(fp[row]) - less

    crossing = first_with(p)
    whole = _balance(end_of(crossing - 1), end_of(crossing), p)
    nowhere = np.full(size, np.nan)
    if whole is None:
        return nowhere, nowhere

    def found(to: int, last: int, tp_less: int, goal: int, below: Fraction | None) -> Floats:
        """Return the values above the crossing ``to``, at it if there it ``last`` was, below it."""
        above = at = None
        if (stop := min(last + 1, to)) > 0:
            above = _balance(end_of(to - 1, tp_less, 1), end_of(to, tp_less, 1), goal)
        if to == last:
            at = _balance(end_of(to - 1), end_of(to, tp_less, 1), goal)
        values = [
            math.nan if value is None else float(value - whole) for value in (above, at, below)
        ]
        return np.repeat(values, np.diff([0, stop, last + 1, size]))

    of_positives = of_negatives = nowhere
    if p > 1:
        sooner = first_with(p - 1)
        below = _balance(end_of(sooner - 1), end_of(sooner), p - 1)
        of_positives = found(crossing, sooner, 1, p - 1, below)
    if n > 1:
        of_negatives = found(first_with(p + 1), crossing, 0, p, whole)
    return of_positives, of_negatives


def _balance(before: tuple[int, int], end: tuple[int, int], goal: int) -> Fraction | None:
    """Return TP / goal where ``goal`` are called positive, None where TP is 0."""
    (start, called), (stop, all_called) = before, end
    tp = start + Fraction(goal - called, all_called - called) * (stop - start)
    return tp / goal if tp > 0 else None
