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
    rank_values,
    sum_rows,
)

#: A rank correlation within this of 1 or -1 is rounded to it.
_ROUNDING: Final = 2.0**-48


def divide_by_weights(value: float, products: Floats, weights: Floats | None) -> RowInfluences:
    """Return a value and its influences, given weight times influence; 0 for a weight of 0."""
    if weights is not None:
        products = np.divide(products, weights, out=np.zeros(len(products)), where=weights > 0)
    return RowInfluences(value, products)


class _Denominator(NamedTuple):
    """The denominator of a metric, with its derivatives by the weight of pairs of each kind."""

    value: float
    slopes: Slopes = (0.0, 0.0, 0.0, 0.0)
    by_row: Floats | float = 0.0
    """Further derivative by the weight of each row."""


def _denominator(
    option: Any,
    sums: RowSums | RowCounts,
    total: PairTotals,
    weight: float,
    n_values: int,
    are_frequencies: bool,
) -> _Denominator:
    """Return the denominator of a metric of rank correlation."""
    if option == "a":
        pairs, by_row = sums.every(are_frequencies)
        return _Denominator(pairs, by_row=by_row)
    if option == "b":
        pairs = total.concordant + total.discordant
        apart_in_score = pairs + total.tied_in_outcome
        apart_in_outcome = pairs + total.tied_in_score
        # the geometric mean of the pairs without ties in the score, and in the outcome
        root = math.sqrt(apart_in_score * apart_in_outcome)
        if root == 0.0:
            return _Denominator(0.0)
        by_score = root / (2 * apart_in_score)
        by_outcome = root / (2 * apart_in_outcome)
        both = by_score + by_outcome
        return _Denominator(root, (both, both, by_outcome, by_score))
    if option == "c":  # the most pairs in a table of so few distinct values
        fraction = (n_values - 1) / n_values
        return _Denominator(weight * weight / 2 * fraction, by_row=weight * fraction)
    in_score, in_outcome = {"outcome": (1.0, 0.0), "score": (0.0, 1.0), "neither": (0.5, 0.5)}.get(
        option, (0.0, 0.0)
    )
    pairs = total.concordant + total.discordant
    pairs += in_score * total.tied_in_score + in_outcome * total.tied_in_outcome
    return _Denominator(pairs, (1.0, 1.0, in_score, in_outcome))


def _ratio_influences(
    sums: RowSums | RowCounts,
    numerator: float,
    slopes: Slopes,
    denominator: _Denominator,
    weights: Floats | None,
) -> RowInfluences:
    """Return a ratio with the influence of each row, by its pairs of each kind."""
    if not denominator.value > 0.0:
        return divide_by_weights(math.nan, np.full(len(sums[0]), math.nan), weights)
    value = numerator / denominator.value
    combined = (np.array(slopes) - value * np.array(denominator.slopes)) / denominator.value
    by_row = -value * denominator.by_row / denominator.value
    return divide_by_weights(value, sums.influences(tuple(combined.tolist()), by_row), weights)


def rank_influences(
    option: Any,
    y_true: NDArray[Any],
    y_score: NDArray[Any],
    weights: Floats | None,
    *,
    are_frequencies: bool = False,
) -> RowInfluences:
    """Return a metric of rank correlation with the derivative by the weight of each row.

    ``option`` is the variant of Kendall's tau, ``given`` of Somers' D, or None for gamma.
    """
    keys = rank_values(y_true)
    scores = rank_values(y_score)
    sums: RowSums | RowCounts
    if weights is None:
        sums = count_rows(keys, scores)
    else:
        sums = sum_rows(in_order(keys, scores), weights)
    n_values = 0  # the smaller number of distinct values, needed for tau-c
    if option == "c":
        has_weight = slice(None) if weights is None else weights > 0
        n_values = max(1, min(len(np.unique(each.ranks[has_weight])) for each in (keys, scores)))
    weight = float(len(keys.ranks)) if weights is None else float(weights.sum())
    total = sums.totals()
    denominator = _denominator(option, sums, total, weight, n_values, are_frequencies)
    numerator = total.concordant - total.discordant
    return _ratio_influences(sums, numerator, (1.0, -1.0, 0.0, 0.0), denominator, weights)


def spearman_influences(
    option: Any,
    y_true: NDArray[Any],
    y_score: NDArray[Any],
    weights: Floats | None,
    *,
    are_frequencies: bool = False,
) -> RowInfluences:
    """Return Spearman's rho with the derivative by the weight of each row.

    A row's weight raises the ranks of all above it, and by half the ranks of its ties.
    """
    w = np.ones(len(y_true)) if weights is None else weights
    first, second = (_MeanRanks.compute(values, w) for values in (y_true, y_score))
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
    influences = (
        first.centred * second.centred
        + first.sum_influences(w * second.centred)
        + second.sum_influences(w * first.centred)
    ) / root
    for square, each in zip(squares, (first, second), strict=True):
        influences -= (
            value * (each.centred**2 / 2.0 + each.sum_influences(w * each.centred)) / square
        )
    return RowInfluences(value, influences)


class _MeanRanks(NamedTuple):
    """Mean ranks of values, weighted and centred."""

    indices: NDArray[np.int32]
    centred: Floats

    @classmethod
    def compute(cls, values: NDArray[Any], weights: Floats) -> _MeanRanks:
        indices = rank_values(values).ranks
        sizes = np.bincount(indices, weights)
        ends = np.cumsum(sizes)
        return cls(indices, (ends - sizes / 2.0 - ends[-1] / 2.0)[indices])

    def sum_influences(self, factors: Floats) -> Floats:
        """Return the derivative of the sum of ranks times factors by each row's weight."""
        sums = np.bincount(self.indices, factors)
        return np.asarray((sums.sum() - np.cumsum(sums) + sums / 2.0)[self.indices])


HigherScoreMeans = Literal["shorter-time", "longer-time"]
TiesInScore = Literal["half", "excluded"]


class CheckedIndex(NamedTuple):
    """Validated options of the index."""

    higher_is_longer: bool
    weighting: Weighting
    tau: float | None
    half: bool
    others: CensoredTimes | None


def check_direction(higher_score_means: Any) -> bool:
    """Return True where a higher score means a longer time."""
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
    """Return the validated options of the index."""
    longer = check_direction(higher_score_means)
    weighting = check_choice("weighting", weighting, ("harrell", "uno", "uno-scikit-survival"))
    others = check_censoring(censoring)
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
    total = sums.totals()
    tie_credit = float(options.half)
    counted = total.concordant + total.discordant + tie_credit * total.tied_in_score
    numerator = total.concordant + tie_credit / 2 * total.tied_in_score
    denominator = _Denominator(counted, (1.0, 1.0, tie_credit, 0.0))
    slopes = (1.0, 0.0, tie_credit / 2, 0.0)
    return _ratio_influences(sums, numerator, slopes, denominator, pairs.weights)


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
    """Compute the concordance index: the proportion of pairs of times that scores order rightly.

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


#: Shared docstring of metrics of concordance.
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
    """Return validated outcomes and predictions."""
    outcome = check_scores_array(y_true, "y_true")
    score = check_scores_array(y_score, "y_score")
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
    """Compute Kendall's tau: concordant less discordant pairs, over the pairs of a variant.

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
    counts = count_pairs(*check_paired(y_true, y_score))
    if variant == "a":
        return _ratio(counts.excess, counts.total, "Kendall's tau-a", "there is one row")
    if variant == "b":
        apart = (counts.apart_in_score, counts.apart_in_outcome)
        pairs = sqrt(apart[0] * apart[1])  # root of the product: exact where both are equal
        return _ratio(counts.excess, pairs, "Kendall's tau-b", "all values of one side tie")
    least = min(counts.n_scores, counts.n_outcomes)
    if least < 2:
        return _ratio(0, 0, "Kendall's tau-c", "all values of one side tie")
    return 2 * least * counts.excess / (counts.n_rows**2 * (least - 1))


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
    counts = count_pairs(*check_paired(y_true, y_score))
    if given == "neither":
        doubled = counts.apart_in_outcome + counts.apart_in_score
        return _ratio(2 * counts.excess, doubled, "Somers' D", "all values tie")
    pairs = counts.apart_in_outcome if given == "outcome" else counts.apart_in_score
    return _ratio(counts.excess, pairs, "Somers' D", f"all values of the {given} tie")


@documented(PAIRED)
def goodman_kruskal_gamma(
    y_true: ArrayLike, y_score: ArrayLike, *, n_threads: int | None = None
) -> float:
    """Compute Goodman and Kruskal's gamma, over the pairs without ties.

    References
    ----------
    Goodman & Kruskal (1954), Metrics of association for cross classifications, Journal of the
    American Statistical Association 49.

    Examples
    --------
    >>> goodman_kruskal_gamma([1, 2, 2, 3], [1, 2, 3, 3])
    1.0
    """
    counts = count_pairs(*check_paired(y_true, y_score))
    return _ratio(counts.excess, counts.concordant + counts.discordant, "gamma", "every pair ties")


@documented(PAIRED)
def spearman_rho(y_true: ArrayLike, y_score: ArrayLike, *, n_threads: int | None = None) -> float:
    """Compute Spearman's rho: the correlation of ranks, with mean ranks for ties.

    References
    ----------
    Spearman (1904), The proof and measurement of association between two things, American Journal
    of Psychology 15.

    Examples
    --------
    >>> spearman_rho([1, 2, 3, 4], [0.1, 0.3, 0.2, 0.9])
    0.8
    """
    outcome_squares, score_squares, products = correlate_ranks(*check_paired(y_true, y_score))
    scale = sqrt(outcome_squares * score_squares)
    return _ratio(products, scale, "Spearman's rho", "all values of one side tie")
