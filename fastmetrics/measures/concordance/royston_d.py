"""Royston and Sauerbrei's D: how far a prognostic score separates survival."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.censored import CENSORED, CensoredTimes, check_censored
from fastmetrics._input.scalars import check_same_length
from fastmetrics._input.scores import check_scores_array
from fastmetrics.errors import UndefinedMetricWarning, warn_user
from fastmetrics.measures._influences import RowInfluences
from fastmetrics.measures.concordance.concordance_index import HigherScoreMeans, check_direction
from fastmetrics.tables.concordance.follow_up import follow
from fastmetrics.tables.concordance.row_sums import Floats, in_order, ranked

#: The mean distance of the halves of a normal distribution, in standard deviations.
_KAPPA: Final = math.sqrt(8.0 / math.pi)
#: The variance of the logarithm of a time of constant hazard.
_OF_LOG_TIME: Final = math.pi**2 / 6.0
#: A D whose exponential times a normal score is near no limit of the doubles.
_MOST: Final = 60.0
#: Errors below this are rounding.
_NO_ERROR: Final = 2.0**-40
_STEPS: Final = 100


@documented(CENSORED)
def royston_d(
    time: ArrayLike,
    event: ArrayLike,
    score: ArrayLike,
    *,
    higher_score_means: HigherScoreMeans,
    as_r_squared: bool = False,
    n_threads: int | None = None,
) -> float:
    """Compute Royston and Sauerbrei's D, a distance between survival curves, or its R².

    Parameters
    ----------
    score : array-like of shape (n_samples,)
        Predictions, such as a prognostic index; they matter by their order alone.
    higher_score_means : {"shorter-time", "longer-time"}
        What the score says: a risk is higher where the time is shorter, a predicted survival time
        is longer. Never guessed.
    as_r_squared : bool, default=False
        The share of the variation of log time that the score explains, in place of D:
        R²_D = (D²/kappa²) / (pi²/6 + D²/kappa²), kappa² being 8/pi.

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        If lengths differ, a time is negative or not finite, or `event` holds anything but 0 and 1.

    Warns
    -----
    UndefinedMetricWarning
        If no event is at risk with a row of another score, or the order is perfect, where D grows
        without end, or so near to it that D is beyond 59: nan.

    Notes
    -----
    Scores give way to the normal scores of their ranks (Blom's; of equal ones the mean), over
    kappa = sqrt(8/pi), and D is their coefficient in a Cox model, ties of times by Efron's rule as
    in R's ``survival::royston``. D of 0 says nothing, and below 0 that the score is the wrong way
    round; exp(D) is the ratio of hazards between the halves of the rows by their scores (Royston &
    Altman 2013 read a model's separation in new data from it). O(n log n).

    The error that `estimate` gives is by influences: it holds whether or not hazards are
    proportional, and the ranks vary with the rows. R's ``se(D)`` is that of the Cox model,
    1 / sqrt(I), I being the sum over events of the variance of the normal scores z among the rows
    at risk, each of which weighs exp(D z); the model is taken for true and z as given. Of the
    example below R's is 0.922, that of `estimate` 0.920.

    See Also
    --------
    estimate : D with its interval, whose limits R² has limits by; `compare`: two models and more.

    References
    ----------
    Royston & Sauerbrei (2004), A new measure of prognostic separation in survival data, Statistics
    in Medicine 23:723-748. Royston & Altman (2013), External validation of a Cox prognostic model,
    BMC Medical Research Methodology 13:33.

    Examples
    --------
    >>> time = [9, 13, 13, 18, 23, 28, 31, 34, 45, 48, 161]
    >>> event = [1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 0]
    >>> score = [1, 6, 2, 7, 3, 7, 3, 8, 4, 4, 5]
    >>> round(royston_d(time, event, score, higher_score_means="longer-time"), 3)
    0.591
    >>> found = royston_d(
    ...     time, event, score, higher_score_means="longer-time", as_r_squared=True
    ... )
    >>> round(found, 3)
    0.077
    """
    longer = check_direction(higher_score_means)
    censored = check_censored(time, event)
    values = check_scores_array(score, "score")
    check_same_length(time=censored.times, score=values)
    found = royston_influences(censored, values, higher_is_longer=longer).value
    if math.isnan(found):
        warn_user(
            "D is undefined: scores tie, there is no event, or the order is perfect (or D beyond "
            "59); set to nan",
            UndefinedMetricWarning,
        )
    explained = (found / _KAPPA) ** 2
    return explained / (_OF_LOG_TIME + explained) if as_r_squared else found


def royston_influences(
    censored: CensoredTimes, score: NDArray[Any], *, higher_is_longer: bool
) -> RowInfluences:
    """Return D with the derivative by the weight of each row, ranks of scores moving too."""
    keys = follow(*censored, np.ones(len(score))).ranked
    scores = ranked(score)
    by_key = in_order(keys, scores.turned() if higher_is_longer else scores)
    found = _fit(keys.ranks[by_key.rows], _NormalScores(by_key.ranks))
    influences = np.empty_like(found.influences)
    influences[by_key.rows] = found.influences
    if np.sqrt(np.sum(influences**2)) <= _NO_ERROR:  # rounding
        influences[:] = 0.0
    return RowInfluences(found.value, influences)


class _NormalScores:
    """Blom's normal scores of ranks, over kappa; of equal ones the mean."""

    def __init__(self, ranks: NDArray[np.int32]) -> None:
        from scipy.special import ndtri

        self.ranks, n = ranks, len(ranks)
        self.sizes = np.bincount(ranks)
        self.ends = np.cumsum(self.sizes)
        normal = ndtri((np.arange(1, n + 1) - 0.375) / (n + 0.25))
        starts = self.ends - self.sizes
        by_rank = np.add.reduceat(normal, starts) / self.sizes
        # how fast a score moves with the share of rows below it
        self.slopes = np.add.reduceat(math.sqrt(2.0 * math.pi) * np.exp(normal**2 / 2), starts)
        self.slopes /= self.sizes * _KAPPA
        self.values: Floats = by_rank[ranks] / _KAPPA

    def moved(self, by_score: Floats) -> Floats:
        """Return how a row's weight moves what has these derivatives by the scores."""
        n = len(self.ranks)
        sums = np.bincount(self.ranks, by_score) * self.slopes
        share = (self.ends - self.sizes / 2) / n
        higher = np.cumsum(sums[::-1])[::-1] - sums / 2
        return np.asarray(((higher - float((sums * share).sum())) / n)[self.ranks])


def _fit(keys: NDArray[np.int32], scores: _NormalScores) -> RowInfluences:
    """Return the coefficient of a Cox model of one variable, with each row's influence.

    Rows are in the order of their keys. The score falls as the coefficient grows: Newton's steps
    stay between the largest coefficient that was too small and the least that was too large.
    """
    z = scores.values
    events = np.flatnonzero(keys & 1 == 0)
    starts = np.searchsorted(keys, keys[events])
    undefined = RowInfluences(math.nan, np.full(len(z), math.nan))
    for extreme in (np.maximum, np.minimum):
        # where each event has the highest score at risk, or each the lowest, none is the likeliest
        if (z[events] == extreme.accumulate(z[::-1])[::-1][starts]).all():
            return undefined
    ties = np.searchsorted(keys, keys[events], side="right") - starts
    shares = (events - starts) / ties
    groups = np.flatnonzero(np.diff(starts, prepend=-1))
    repeats = ties[groups]

    def at_risk(beta: float) -> tuple[float, float, Floats, Floats]:
        """Return score and information, and for each event the weight and mean of rows at risk."""
        e = np.exp(beta * z)
        zeroth, first, second = (
            np.cumsum(each[::-1])[::-1][starts]
            - shares * np.repeat(np.add.reduceat(each[events], groups), repeats)
            for each in (e, e * z, e * z * z)
        )
        means = first / zeroth
        score, information = (z[events] - means).sum(), (second / zeroth - means**2).sum()
        return float(score), float(information), 1.0 / zeroth, means

    low, high, beta = -_MOST, _MOST, 0.0
    for _ in range(_STEPS):
        score, information, weights, means = at_risk(beta)
        low, high = (beta, high) if score > 0.0 else (low, beta)
        step = score / information if information > 0.0 else math.inf
        following = beta + step
        if not low <= following <= high:
            following = (low + high) / 2
        if abs(following - beta) <= 1e-13 * max(1.0, abs(beta)):
            break
        beta = following
    if _MOST - abs(beta) < 1.0:
        return undefined
    # what each row adds as one at risk: its own event time with the share that Efron gives
    e = np.exp(beta * z)
    n_before = np.searchsorted(keys[events], keys, side="right")
    by_event = np.stack((weights, weights * means))
    a, b = np.concatenate((np.zeros((2, 1)), np.cumsum(by_event, axis=1)), axis=1)[:, n_before]
    less_a, less_b = np.repeat(np.add.reduceat(by_event * shares, groups, axis=1), repeats, axis=1)
    a[events] -= less_a
    b[events] -= less_b
    by_row = -e * (z * a - b)
    by_row[events] += z[events] - np.repeat(np.add.reduceat(means, groups) / repeats, repeats)
    by_score = -e * ((1.0 + beta * z) * a - beta * b)
    by_score[events] += 1.0
    return RowInfluences(beta, (by_row + scores.moved(by_score)) / information)
