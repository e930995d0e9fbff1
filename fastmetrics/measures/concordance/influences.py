"""How far each row moves a measure of concordance: the derivative by its weight, times it."""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics.measures._measure import RowInfluences
from fastmetrics.tables.concordance import (
    Floats,
    PairTotals,
    RowCounts,
    RowSums,
    Slopes,
    count_rows,
    in_order,
    ranked,
    sum_rows,
)

#: Nearer to 1 than this a correlation of ranks is 1.
_ROUNDING: Final = 2.0**-48


def by_weight(value: float, moved: Floats, weights: Floats | None) -> RowInfluences:
    """Return a value with its derivatives by weights, given times these; 0 of a row of none."""
    if weights is not None:
        moved = np.divide(moved, weights, out=np.zeros(len(moved)), where=weights > 0)
    return RowInfluences(value, moved)


class _Over(NamedTuple):
    """What a measure divides by, and how that moves with the weight of pairs of each kind."""

    value: float
    slopes: Slopes = (0.0, 0.0, 0.0, 0.0)
    by_row: Floats | float = 0.0
    """How it moves with the weight of each row besides."""


def _geometric(total: PairTotals) -> _Over:
    """Return the geometric mean of the pairs apart in one and in the other."""
    pairs = total.concordant + total.discordant
    score, outcome = pairs + total.tied_in_outcome, pairs + total.tied_in_score
    root = math.sqrt(score * outcome)
    if root == 0.0:
        return _Over(0.0)
    by_score, by_outcome = root / (2 * score), root / (2 * outcome)
    both = by_score + by_outcome
    return _Over(root, (both, both, by_outcome, by_score))


def _over(
    option: Any,
    sums: RowSums | RowCounts,
    total: PairTotals,
    weight: float,
    n_values: int,
    are_frequencies: bool,
) -> _Over:
    """Return what a measure of rank correlation divides by."""
    if option == "a":
        pairs, by_row = sums.every(are_frequencies)
        return _Over(pairs, by_row=by_row)
    if option == "b":
        return _geometric(total)
    if option == "c":  # the most that there can be in a table so narrow
        whole, share = weight, (n_values - 1) / n_values
        return _Over(whole * whole / 2 * share, by_row=whole * share)
    in_score, in_outcome = {"outcome": (1.0, 0.0), "score": (0.0, 1.0), "neither": (0.5, 0.5)}.get(
        option, (0.0, 0.0)
    )
    pairs = total.concordant + total.discordant
    pairs += in_score * total.tied_in_score + in_outcome * total.tied_in_outcome
    return _Over(pairs, (1.0, 1.0, in_score, in_outcome))


def of_index(sums: RowSums | RowCounts, half: bool, weights: Floats) -> RowInfluences:
    """Return the concordance index, with the influence of each row; nan where it is undefined."""
    total, share = sums.totals(), float(half)
    pairs = total.concordant + total.discordant + share * total.tied_in_score
    top = total.concordant + share / 2 * total.tied_in_score
    over = _Over(pairs, (1.0, 1.0, share, 0.0))
    return _ratio(sums, top, (1.0, 0.0, share / 2, 0.0), over, weights)


def _ratio(
    sums: RowSums | RowCounts, top: float, slopes: Slopes, over: _Over, weights: Floats | None
) -> RowInfluences:
    """Return top / over, with the influence of each row by its partners of each kind."""
    if not over.value > 0.0:
        return by_weight(math.nan, np.full(len(sums[0]), math.nan), weights)
    value = top / over.value
    of_top, of_over = np.array(slopes), np.array(over.slopes)
    moved = (of_top - value * of_over) / over.value
    besides = -value * over.by_row / over.value
    return by_weight(value, sums.influences(tuple(moved.tolist()), besides), weights)


def of_ranks(
    option: Any,
    y_true: NDArray[Any],
    y_score: NDArray[Any],
    weights: Floats | None,
    *,
    are_frequencies: bool = False,
) -> RowInfluences:
    """Return a measure of rank correlation with the derivative by the weight of each row.

    ``option`` says which: the variant of Kendall's tau, what Somers' D is given, or none for gamma.
    """
    keys, scores = ranked(y_true), ranked(y_score)
    sums: RowSums | RowCounts
    if weights is None:
        sums = count_rows(keys, scores)
    else:
        sums = sum_rows(in_order(keys, scores), weights)
    n_values = 0  # the lesser number of distinct ones, which tau-c asks for
    if option == "c":
        there = slice(None) if weights is None else weights > 0
        n_values = max(1, min(len(np.unique(each.ranks[there])) for each in (keys, scores)))
    weight = float(len(keys.ranks)) if weights is None else float(weights.sum())
    total = sums.totals()
    over = _over(option, sums, total, weight, n_values, are_frequencies)
    top = total.concordant - total.discordant
    return _ratio(sums, top, (1.0, -1.0, 0.0, 0.0), over, weights)


def of_mean_ranks(
    option: Any,
    y_true: NDArray[Any],
    y_score: NDArray[Any],
    weights: Floats | None,
    *,
    are_frequencies: bool = False,
) -> RowInfluences:
    """Return Spearman's rho with the derivative by the weight of each row.

    A row's weight moves the ranks of all above it, and by a half of those that tie with it.
    """
    w = np.ones(len(y_true)) if weights is None else weights
    first, second = (_MeanRanks.of(values, w) for values in (y_true, y_score))
    product, *squares = (
        float(np.sum(w * one.centred * other.centred))
        for one, other in ((first, second), (first, first), (second, second))
    )
    if not min(squares) > 0.0:
        return RowInfluences(math.nan, np.full(len(w), math.nan))
    root = math.sqrt(squares[0] * squares[1])
    value = product / root
    if abs(value) > 1.0 - _ROUNDING:
        value = math.copysign(1.0, value)
    moved = (
        first.centred * second.centred
        + first.moves(w * second.centred)
        + second.moves(w * first.centred)
    ) / root
    for square, each in zip(squares, (first, second), strict=True):
        moved -= value * (each.centred**2 / 2.0 + each.moves(w * each.centred)) / square
    return RowInfluences(value, moved)


class _MeanRanks(NamedTuple):
    """Weighted ranks less their mean, those of equal values being their mean."""

    places: NDArray[np.int32]
    centred: Floats

    @classmethod
    def of(cls, values: NDArray[Any], weights: Floats) -> _MeanRanks:
        places = ranked(values).ranks
        sizes = np.bincount(places, weights)
        ends = np.cumsum(sizes)
        return cls(places, (ends - sizes / 2.0 - ends[-1] / 2.0)[places])

    def moves(self, factors: Floats) -> Floats:
        """Return how a row's weight moves the sum of ranks times factors."""
        sums = np.bincount(self.places, factors)
        return np.asarray((sums.sum() - np.cumsum(sums) + sums / 2.0)[self.places])
