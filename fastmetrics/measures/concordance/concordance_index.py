"""The concordance index of censored times: Harrell's, and Uno's."""

from __future__ import annotations

from math import nan
from typing import Any, Literal, NamedTuple

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
from fastmetrics._input.scores import check_scores_array
from fastmetrics._input.weights import check_weights
from fastmetrics.errors import InputError, InputTypeError, UndefinedMetricWarning, warn_user
from fastmetrics.measures._measure import RowInfluences
from fastmetrics.measures.concordance.influences import of_index
from fastmetrics.tables.concordance import CensoredPairs, Weighting, compare_times

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
    return of_index(sums, options.half, pairs.weights)


def index_of(concordant: float, discordant: float, tied: float, half: bool) -> float:
    """Return the share of concordant pairs; nan with a warning where there is no pair."""
    counted = concordant + discordant + (tied if half else 0.0)
    if counted > 0.0:
        return (concordant + (tied / 2 if half else 0.0)) / counted
    why = "comparable" if tied == 0.0 else "of different scores"
    warn_user(
        f"the concordance index is undefined: no pair of times is {why}; set to nan",
        UndefinedMetricWarning,
    )
    return nan


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
    return index_of(total.concordant, total.discordant, total.tied_in_score, options.half)
