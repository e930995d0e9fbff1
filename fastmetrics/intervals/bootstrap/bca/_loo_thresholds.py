"""Leave-one-out values of what one threshold decides: KS, best thresholds, break-even.

Without a positive of row k, the thresholds above row k keep TP and FP, and from row k on TP is
lower by 1; likewise FP without a negative. A maximum over thresholds is then the greater of a
running maximum from the top and one from the bottom. Where the row was alone at its score, its
threshold is gone; here it stays, with the counts of the one above it. It can tie with that
one, but not beat it, and of equal candidates the highest wins.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels.replicates import replicate_pairs as kernels
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


def ks_statistic(table: ScoreTable, deviations: bool) -> Pair:
    """Leave out of the largest |TPR - FPR|."""
    tp, fp = table.true_positives, table.false_positives
    p, n = int(table.n_positive), int(table.n_negative)
    center = float(_gaps(tp, fp, p, n).max()) if deviations else 0.0
    of_positives = of_negatives = np.full(len(table), np.nan)
    if p > 1:
        of_positives = _largest_of_two(_gaps(tp, fp, p - 1, n), _gaps(tp - 1, fp, p - 1, n), center)
    if n > 1:
        of_negatives = _largest_of_two(_gaps(tp, fp, p, n - 1), _gaps(tp, fp - 1, p, n - 1), center)
    return of_positives, of_negatives


def _gaps(tp: NDArray[Any], fp: NDArray[Any], n_positive: int, n_negative: int) -> Floats:
    found = np.empty(len(tp))
    kernels.gaps(tp, fp, n_positive, n_negative, found)
    return found


def _largest_of_two(kept: Floats, less: Floats, center: float) -> Floats:
    """Return the maximum of ``kept`` above each row and of ``less`` from it on, less a number."""
    largest = np.maximum.accumulate(less[::-1])[::-1]
    np.maximum(largest[1:], np.maximum.accumulate(kept[:-1]), out=largest[1:])
    largest -= center
    return largest


def best_threshold(
    table: ScoreTable,
    deviations: bool,
    *,
    criterion: str = "youden",
    beta: float = 1.0,
    at_least: float | None = None,
    at_most: float | None = None,
    of: str = "value",
) -> Pair:
    """Leave out of a number that the best threshold has; the threshold is chosen again."""
    chosen = criterion_named(criterion, beta=beta, at_least=at_least, at_most=at_most)
    return _of_best(table, deviations, chosen, of)


def _of_best(table: ScoreTable, deviations: bool, criterion: Criterion, of: str) -> Pair:
    """Return what the best threshold has without a positive, and a negative, of each row."""
    tp, fp = table.true_positives, table.false_positives
    tp, fp = (np.concatenate(([0], column)) for column in (tp, fp))
    p, n = int(table.n_positive), int(table.n_negative)
    center = 0.0
    with np.errstate(all="ignore"):  # counts of -1 above the first positive are never looked at
        if deviations:
            whole = Counts(tp, fp, p, n)
            row = np.argmax(_keys(criterion, whole)).reshape(1)
            center = float(_field(table, criterion, whole.at(row), row, of)[0])
        found = [np.full(len(table), np.nan), np.full(len(table), np.nan)]
        if p > 1:
            kept, less = Counts(tp, fp, p - 1, n), Counts(tp - 1, fp, p - 1, n)
            found[0] = _best_of_two(table, criterion, kept, less, of)
        if n > 1:
            kept, less = Counts(tp, fp, p, n - 1), Counts(tp, fp - 1, p, n - 1)
            found[1] = _best_of_two(table, criterion, kept, less, of)
        return found[0] - center, found[1] - center


def _best_of_two(
    table: ScoreTable, criterion: Criterion, kept: Counts, less: Counts, of: str
) -> Floats:
    """Return, for each row, the field of the best candidate: ``kept`` above, ``less`` from it on.

    Candidate 0 calls nothing positive; candidate k + 1 is the threshold of row k.
    """
    n = len(table)
    best = np.empty(n, np.int64)
    kernels.best_of_two(_keys(criterion, kept), _keys(criterion, less), best)
    # Few candidates are ever the best: one field for each run of rows.
    starts = np.flatnonzero(np.concatenate(([True], best[1:] != best[:-1])))
    row, use_lower = best[starts] % (n + 1), best[starts] > n
    chosen = Counts(
        np.where(use_lower, less.tp[row], kept.tp[row]),
        np.where(use_lower, less.fp[row], kept.fp[row]),
        kept.n_positive,
        kept.n_negative,
    )
    return np.repeat(_field(table, criterion, chosen, row, of), np.diff(starts, append=n))


def _keys(criterion: Criterion, counts: Counts) -> NDArray[Any]:
    """Return numbers in the order of what is maximised, the least one where not feasible.

    Integers where they fit, so that a tie is a tie; a ratio of integers is rounded once, which
    keeps ties too. Only products beyond int64 are compared by the criterion's float value.
    """
    nobody = np.empty(0, dtype=np.intp)
    fits = criterion.ratio(counts.at(nobody))[0].dtype != object
    if not fits:
        keys = criterion.value(counts)
    else:
        numerator, denominator = criterion.ratio(counts)
        keys = numerator if denominator is None else numerator / denominator
    feasible = criterion.feasible(counts)
    if feasible is None or feasible.all():
        return keys
    return np.where(feasible, keys, np.iinfo(np.int64).min if keys.dtype.kind == "i" else -math.inf)


def _field(
    table: ScoreTable, criterion: Criterion, chosen: Counts, row: NDArray[np.intp], of: str
) -> Floats:
    """Return a number of the decisions that were chosen, nan where none is feasible."""
    if of == "value":
        found = criterion.value(chosen)
        if isinstance(criterion, ClosestTopLeft | FewestErrors):  # what is least, not greatest
            found = -found
    elif of == "threshold":
        found = np.concatenate(([math.inf], table.scores.astype(np.float64)))[row]
    elif of == "false_positive_rate":
        found = chosen.false_positive_rate()
    elif of == "precision":
        found = chosen.precision()
    else:
        found = chosen.recall()
    feasible = criterion.feasible(chosen)
    return found if feasible is None else np.where(feasible, found, np.nan)


class _Point(NamedTuple):
    """TP and the number called positive."""

    tp: int
    predicted: int


def break_even_point(table: ScoreTable, deviations: bool) -> Pair:
    """Leave out of the value where precision equals recall.

    As many are to be called positive as there are positives. Rows below the crossing change
    nothing but the number of positives, and all rows above it change the same counts.
    """
    tp, fp = table.true_positives, table.false_positives
    p, n = int(table.n_positive), int(table.n_negative)
    # Two sums below 2^63 fit 64 bits without a sign.
    predicted = tp.astype(np.uint64) + fp.astype(np.uint64)

    def first_with(count: int) -> int:
        return int(np.searchsorted(predicted, np.uint64(count)))

    def end_of(row: int, tp_less: int = 0, less: int = 0) -> _Point:
        if row < 0:
            return _Point(0, 0)
        return _Point(int(tp[row]) - tp_less, int(predicted[row]) - less)

    crossing = first_with(p)
    whole = _balance(end_of(crossing - 1), end_of(crossing), p)
    center = Fraction(0)
    if deviations:
        if whole is None:
            return np.full(len(table), np.nan), np.full(len(table), np.nan)
        center = whole

    of_positives, of_negatives = np.full((2, len(table)), np.nan)
    if p > 1:
        goal, sooner = p - 1, first_with(p - 1)
        below = _balance(end_of(sooner - 1), end_of(sooner), goal)
        of_positives[sooner + 1 :] = _float(below, center)
        at = min(sooner + 1, crossing)
        if at > 0:
            above = _balance(end_of(crossing - 1, 1, 1), end_of(crossing, 1, 1), goal)
            of_positives[:at] = _float(above, center)
        if sooner == crossing:
            inside = _balance(end_of(crossing - 1), end_of(crossing, 1, 1), goal)
            of_positives[crossing] = _float(inside, center)
    if n > 1:
        later = first_with(p + 1)
        of_negatives[crossing + 1 :] = _float(whole, center)
        at = min(crossing + 1, later)
        if at > 0:
            above = _balance(end_of(later - 1, 0, 1), end_of(later, 0, 1), p)
            of_negatives[:at] = _float(above, center)
        if later == crossing:
            inside = _balance(end_of(later - 1), end_of(later, 0, 1), p)
            of_negatives[later] = _float(inside, center)
    return of_positives, of_negatives


def _balance(before: _Point, end: _Point, goal: int) -> Fraction | None:
    """Return TP / goal where ``goal`` are called positive, None where TP is 0."""
    share = Fraction(goal - before.predicted, end.predicted - before.predicted)
    tp = before.tp + share * (end.tp - before.tp)
    return tp / goal if tp > 0 else None


def _float(value: Fraction | None, center: Fraction) -> float:
    return math.nan if value is None else float(value - center)
