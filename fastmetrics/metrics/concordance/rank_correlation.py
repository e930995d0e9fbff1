"""Rank correlation by pairs of rows, the concordance index of censored times, their influences."""

from __future__ import annotations

import math
from math import nan, sqrt
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.regression_targets import (
    CENSORED,
    CENSORING,
    CensoredTimes,
    check_censored,
    check_censoring,
)
from fastmetrics._input.scalars import check_choice, check_positive, check_same_length
from fastmetrics._input.scores import check_scores_array, check_weights
from fastmetrics.errors import InputError, InputTypeError, UndefinedMetricWarning, warn_user
from fastmetrics.metrics._metric import RowInfluences
from fastmetrics.tables.concordance import (
    CensoredPairs,
    Floats,
    PairTotals,
    RowCounts,
    RowSums,
    Slopes,
    Weighting,
    compare_times,
    correlate_ranks,
    count_pairs,
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
    """What a metric divides by, and how that moves with the weight of pairs of each kind."""

    value: float
    slopes: Slopes = (0.0, 0.0, 0.0, 0.0)
    by_row: Floats | float = 0.0
    """How it moves with the weight of each row besides."""


def _over(
    option: Any,
    sums: RowSums | RowCounts,
    total: PairTotals,
    weight: float,
    n_values: int,
    are_frequencies: bool,
) -> _Over:
    """Return what a metric of rank correlation divides by."""
    if option == "a":
        pairs, by_row = sums.every(are_frequencies)
        return _Over(pairs, by_row=by_row)
    if option == "b":
        pairs = total.concordant + total.discordant
        score, outcome = pairs + total.tied_in_outcome, pairs + total.tied_in_score
        root = math.sqrt(score * outcome)  # pairs apart in one and in the other
        if root == 0.0:
            return _Over(0.0)
        by_score, by_outcome = root / (2 * score), root / (2 * outcome)
        both = by_score + by_outcome
        return _Over(root, (both, both, by_outcome, by_score))
    if option == "c":  # the most that there can be in a table so narrow
        whole, share = weight, (n_values - 1) / n_values
        return _Over(whole * whole / 2 * share, by_row=whole * share)
    in_score, in_outcome = {"outcome": (1.0, 0.0), "score": (0.0, 1.0), "neither": (0.5, 0.5)}.get(
        option, (0.0, 0.0)
    )
    pairs = total.concordant + total.discordant
    pairs += in_score * total.tied_in_score + in_outcome * total.tied_in_outcome
    return _Over(pairs, (1.0, 1.0, in_score, in_outcome))


def _influences_of_ratio(
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


def rank_influences(
    option: Any,
    y_true: NDArray[Any],
    y_score: NDArray[Any],
    weights: Floats | None,
    *,
    are_frequencies: bool = False,
) -> RowInfluences:
    """Return a metric of rank correlation with the derivative by the weight of each row.

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
    return _influences_of_ratio(sums, top, (1.0, -1.0, 0.0, 0.0), over, weights)


def spearman_influences(
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


HigherScoreMeans = Literal["shorter-time", "longer-time"]
TiesInScore = Literal["half", "excluded"]


class CheckedIndex(NamedTuple):
    """Options of the index, judged."""

    higher_is_longer: bool
    weighting: Weighting
    tau: float | None
    half: bool
    others: CensoredTimes | None


def check_direction(higher_score_means: Any) -> bool:
    """Return whether a higher score says that the time is longer."""
    if higher_score_means is None:
        raise InputTypeError(
            "`higher_score_means` must be 'shorter-time' (scores are risks) or 'longer-time' "
            "(scores are times): it is never guessed"
        )
    means = ("shorter-time", "longer-time")
    return bool(check_choice("higher_score_means", higher_score_means, means) == "longer-time")


def check_index_options(
    higher_score_means: Any, weighting: Any, tau: Any, ties_in_score: Any, censoring: Any = None
) -> CheckedIndex:
    """Return the options of the index."""
    longer = check_direction(higher_score_means)
    kinds = ("harrell", "uno", "uno-scikit-survival")
    weighting, others = check_choice("weighting", weighting, kinds), check_censoring(censoring)
    if weighting == "harrell" and others is not None:
        raise InputError("`censoring` is for `weighting='uno'`: Harrell's pairs count one")
    return CheckedIndex(
        longer,
        weighting,
        None if tau is None else check_positive("tau", tau),
        check_choice("ties_in_score", ties_in_score, ("half", "excluded")) == "half",
        others,
    )


def index_influences(
    pairs: CensoredPairs, score: NDArray[Any], options: CheckedIndex
) -> RowInfluences:
    """Return the index of one model with the derivative by the weight of each row."""
    sums = pairs.sums(score, options.higher_is_longer)
    total, share = sums.totals(), float(options.half)
    counted = total.concordant + total.discordant + share * total.tied_in_score
    top = total.concordant + share / 2 * total.tied_in_score
    over = _Over(counted, (1.0, 1.0, share, 0.0))
    return _influences_of_ratio(sums, top, (1.0, 0.0, share / 2, 0.0), over, pairs.weights)


@documented(CENSORED, CENSORING)
def concordance_index(
    time: ArrayLike,
    event: ArrayLike,
    score: ArrayLike,
    *,
    higher_score_means: HigherScoreMeans,
    weighting: Weighting = "harrell",
    tau: float | None = None,
    ties_in_score: TiesInScore = "half",
    censoring: tuple[ArrayLike, ArrayLike] | None = None,
    sample_weight: ArrayLike | None = None,
    n_threads: int | None = None,
) -> float:
    """Compute the concordance index: how often a score has two times in their order.

    Parameters
    ----------
    score : array-like of shape (n_samples,)
        Predictions; they matter by their order alone.
    higher_score_means : {"shorter-time", "longer-time"}
        What the score says: a risk is higher where the time is shorter, a predicted survival time
        is longer. Never guessed.
    weighting : {"harrell", "uno", "uno-scikit-survival"}, default="harrell"
        What a comparable pair counts: one (Harrell); or 1/G(t)^2 (Uno), with G(t) the share that is
        not censored before the shorter time t, by Kaplan and Meier, so that the index does not
        depend on the censoring. scikit-survival counts the censorings at t itself too.
    tau : float, optional
        Pairs whose shorter time is tau or more are left out.
    ties_in_score : {"half", "excluded"}, default="half"
        A comparable pair of equal scores counts one half, or is left out.

    Returns
    -------
    float
        In [0, 1]; one half says nothing.

    Raises
    ------
    TypeError, ValueError
        If lengths differ, a time is negative or not finite, `event` holds anything but 0 and 1, or
        `higher_score_means` is not said.

    Warns
    -----
    UndefinedMetricWarning
        If no pair is comparable; the value is then nan.

    See Also
    --------
    estimate : The same, with its interval.
    compare : Two models and more.

    Notes
    -----
    A pair is comparable where the shorter time is an event. Of equal times an event comes before a
    censoring, and two events are left out. Scores are equal if their numbers are: there is no
    tolerance. O(n log n): rows are sorted by time, and counted with a tree over the scores' ranks.

    References
    ----------
    Harrell, Lee & Mark (1996), Multivariable prognostic models, Statistics in Medicine 15:361-387.
    Uno, Cai, Pencina, D'Agostino & Wei (2011), On the C-statistics for evaluating overall adequacy
    of risk prediction procedures with censored survival data, Statistics in Medicine 30:1105-1117.

    Examples
    --------
    >>> time, event = [5, 8, 8, 12, 20], [1, 1, 0, 0, 1]
    >>> risk = [0.9, 0.6, 0.7, 0.6, 0.1]
    >>> concordance_index(time, event, risk, higher_score_means="shorter-time")
    0.7857142857142857
    """
    options = check_index_options(higher_score_means, weighting, tau, ties_in_score, censoring)
    values = check_scores_array(score, "score")
    times, is_event = check_censored(time, event)
    weights = np.ones(len(times))
    if sample_weight is not None:
        weights = check_weights(sample_weight, len(times)).values
    pairs = compare_times(times, is_event, weights, *options[1:3], options.others)
    check_same_length(time=pairs.weights, score=values)
    total = pairs.sums(values, options.higher_is_longer).totals()
    tied = total.tied_in_score
    counted = total.concordant + total.discordant + (tied if options.half else 0.0)
    if counted > 0.0:
        return (total.concordant + (tied / 2 if options.half else 0.0)) / counted
    why = "comparable" if tied == 0.0 else "of different scores"
    warn_user(
        f"the concordance index is undefined: no pair of times is {why}; set to nan",
        UndefinedMetricWarning,
    )
    return nan


#: What metrics of concordance take, and say alike.
PAIRED: Final = """
Parameters
----------
y_true : array-like of shape (n_samples,)
    Outcomes: numbers, or labels 0 and 1.
y_score : array-like of shape (n_samples,)
    Predictions; they matter by their order alone.

Returns
-------
float
    In [-1, 1].

Raises
------
TypeError, ValueError
    If lengths differ, or a value is no finite number.

Warns
-----
UndefinedMetricWarning
    If no pair of rows can tell; the value is then nan.

Notes
-----
O(n log n): two sorts, and ranks counted digit by digit; pairs are integers of any size, divided
once.
"""


def check_paired(y_true: Any, y_score: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return outcomes and predictions, canonical and finite."""
    outcome, score = check_scores_array(y_true, "y_true"), check_scores_array(y_score, "y_score")
    check_same_length(y_true=outcome, y_score=score)
    return outcome, score


def _ratio(excess: int, pairs: float, what: str, why: str) -> float:
    if pairs > 0:
        return excess / pairs
    warn_user(f"{what} is undefined: {why}; set to nan", UndefinedMetricWarning)
    return nan


@documented(PAIRED)
def kendall_tau(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    variant: Literal["a", "b", "c"] = "b",
    n_threads: int | None = None,
) -> float:
    """Compute Kendall's tau: concordant pairs less discordant ones, over all of some kind.

    Parameters
    ----------
    variant : {"a", "b", "c"}, default="b"
        Over all pairs; over the geometric mean of those that do not tie in one and in the other;
        or, for tables of different width and height, over the most that there can be.

    References
    ----------
    Kendall (1938), A new measure of rank correlation, Biometrika 30. Stuart (1953), The estimation
    and comparison of strengths of association in contingency tables, Biometrika 40.

    Examples
    --------
    >>> kendall_tau([1, 2, 3, 4], [0.1, 0.3, 0.2, 0.9])
    0.6666666666666666
    """
    check_choice("variant", variant, ("a", "b", "c"))
    found = count_pairs(*check_paired(y_true, y_score))
    if variant == "a":
        return _ratio(found.excess, found.total, "Kendall's tau-a", "there is one row")
    if variant == "b":
        apart = (found.apart_in_score, found.apart_in_outcome)
        pairs = sqrt(apart[0] * apart[1])  # of the product: equal ones give the very number
        return _ratio(found.excess, pairs, "Kendall's tau-b", "all values of one side tie")
    least = min(found.n_scores, found.n_outcomes)
    if least < 2:
        return _ratio(0, 0, "Kendall's tau-c", "all values of one side tie")
    return 2 * least * found.excess / (found.n_rows**2 * (least - 1))


@documented(PAIRED)
def somers_d(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    given: Literal["outcome", "score", "neither"] = "outcome",
    n_threads: int | None = None,
) -> float:
    """Compute Somers' D: how a score orders the pairs whose outcomes differ.

    Parameters
    ----------
    given : {"outcome", "score", "neither"}, default="outcome"
        Over pairs that differ in outcome, the accuracy of a prediction: of two classes it is
        2 AUC - 1. Over pairs that differ in score. Or symmetric, over the mean of both numbers.

    See Also
    --------
    gini_coefficient : The same of two classes, 2 AUC - 1, rounded once.

    References
    ----------
    Somers (1962), A new asymmetric measure of association for ordinal variables, American
    Sociological Review 27.

    Examples
    --------
    >>> somers_d([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.5
    """
    check_choice("given", given, ("outcome", "score", "neither"))
    found = count_pairs(*check_paired(y_true, y_score))
    if given == "neither":
        doubled = found.apart_in_outcome + found.apart_in_score
        return _ratio(2 * found.excess, doubled, "Somers' D", "all values tie")
    pairs = found.apart_in_outcome if given == "outcome" else found.apart_in_score
    return _ratio(found.excess, pairs, "Somers' D", f"all values of the {given} tie")


@documented(PAIRED)
def goodman_kruskal_gamma(
    y_true: ArrayLike, y_score: ArrayLike, *, n_threads: int | None = None
) -> float:
    """Compute Goodman and Kruskal's gamma: over the pairs that tie nowhere.

    References
    ----------
    Goodman & Kruskal (1954), Metrics of association for cross classifications, Journal of the
    American Statistical Association 49.

    Examples
    --------
    >>> goodman_kruskal_gamma([1, 2, 2, 3], [1, 2, 3, 3])
    1.0
    """
    found = count_pairs(*check_paired(y_true, y_score))
    pairs = found.concordant + found.discordant
    return _ratio(found.excess, pairs, "gamma", "every pair ties")


@documented(PAIRED)
def spearman_rho(y_true: ArrayLike, y_score: ArrayLike, *, n_threads: int | None = None) -> float:
    """Compute Spearman's rho: the correlation of ranks, those of equal values being their mean.

    References
    ----------
    Spearman (1904), The proof and measurement of association between two things, American Journal
    of Psychology 15.

    Examples
    --------
    >>> spearman_rho([1, 2, 3, 4], [0.1, 0.3, 0.2, 0.9])
    0.8
    """
    of_outcome, of_score, products = correlate_ranks(*check_paired(y_true, y_score))
    spread = sqrt(of_outcome * of_score)
    return _ratio(products, spread, "Spearman's rho", "all values of one side tie")
