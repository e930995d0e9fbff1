"""Discrimination and error of models of censored times, at one time after the other."""

from __future__ import annotations

import math
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.censored import CENSORED, CENSORING, check_censoring
from fastmetrics._input.scalars import WeightsAre
from fastmetrics._input.scores import check_unit_interval
from fastmetrics.errors import InputError
from fastmetrics.inference.concordance.time_dependent_results import (
    TimeDependentMeasure,
    at_all,
    checked,
    columns_of,
    result_of,
)
from fastmetrics.measures._influences import RowInfluences
from fastmetrics.measures.concordance.at_times import auc_at, brier_at, followed
from fastmetrics.measures.concordance.concordance_index import HigherScoreMeans, check_direction

#: What both functions take, and say alike.
_TIMED: Final = (
    CENSORED
    + """
times : float or array-like of shape (n_times,)
    At which to look, rising.
groups : array-like of shape (n_samples,), optional
    Which rows belong together: the variance is then that between groups.

Returns
-------
TimeDependentMeasure
    The measure at each time with its limits, and its mean over time.

Raises
------
TypeError, ValueError
    If lengths differ, a time is negative or not finite, `event` holds anything but 0 and 1, or
    `times` do not rise; if of `censoring` nobody is followed up to a time.

Warns
-----
UndefinedMetricWarning
    Where nobody is followed beyond a time, or nobody had the event by it: nan.
DegenerateDataWarning
    If nothing varies: limits are nan.
SmallSampleWarning
    If there are few groups, or weights leave few rows.

Notes
-----
Who was censored by the time t is left out, and who had the event at T <= t stands for them: he
counts 1/G(T-), with G(s) the share that is not censored up to s, by Kaplan and Meier, so that
censoring must not depend on what the model knows. At one time events come before censorings:
scikit-survival takes G(T), which differs where an event and a censoring share a time. G is that of
these rows, or of those of `censoring`.

The standard error is by the influences of the rows, as in `estimate`, G being estimated included
(Blanche, Dartigues & Jacqmin-Gadda 2013) unless it is that of other rows, and so are the limits:
Student's on the logit scale.
"""
)


@documented(_TIMED, CENSORING)
def cumulative_dynamic_auc(
    time: ArrayLike,
    event: ArrayLike,
    score: ArrayLike,
    *,
    times: float | ArrayLike,
    higher_score_means: HigherScoreMeans,
    censoring: tuple[ArrayLike, ArrayLike] | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    n_threads: int | None = None,
) -> TimeDependentMeasure:
    """Compute the time-dependent AUC: who has the event by t against who is followed beyond it.

    Parameters
    ----------
    score : array-like of shape (n_samples,) or (n_samples, n_times)
        Predictions, for all times or for each; they matter by their order alone.
    higher_score_means : {"shorter-time", "longer-time"}
        What the score says: a risk is higher where the time is shorter, a predicted survival time
        or probability is longer. Never guessed.

    Notes
    -----
    Equal scores count one half. The mean over time weighs each time with the share that had the
    event since the one before, by Kaplan and Meier. O(n log n) for the sort, and O(n) for each time
    (with scores for each time a sort for each).

    References
    ----------
    Uno, Cai, Tian & Wei (2007), Evaluating prediction rules for t-year survivors with censored
    regression models, Journal of the American Statistical Association 102:527-537. Hung & Chiang
    (2010), Estimation methods for time-dependent AUC models with survival data, Canadian Journal of
    Statistics 38:8-26. Blanche, Dartigues & Jacqmin-Gadda (2013), Estimating and comparing
    time-dependent areas under receiver operating characteristic curves for censored event times
    with competing risks, Statistics in Medicine 32:5381-5397.

    Examples
    --------
    >>> time, event = [5, 8, 8, 12, 20, 25], [1, 1, 0, 1, 1, 0]
    >>> risk = [0.7, 0.6, 0.7, 0.8, 0.1, 0.2]
    >>> found = cumulative_dynamic_auc(
    ...     time, event, risk, times=[7, 10], higher_score_means="shorter-time"
    ... )
    >>> found.estimate.round(3)
    array([0.7  , 0.667])
    """
    longer = check_direction(higher_score_means)
    asked = checked(time, event, times, groups, confidence_level, sample_weight, weights_are)
    columns = columns_of(score, "score", asked)
    uncensored = asked.rows.uncensored(check_censoring(censoring))
    order = partial(followed, asked.rows, uncensored, turned=longer)
    shared = order(columns[0]) if len(columns) == 1 else None

    def at(k: int) -> RowInfluences:
        return auc_at(shared or order(columns[k]), float(asked.times[k]))

    if len(asked.times) == 1:
        found, _ = at_all(asked, at, np.zeros(1))
        return result_of("cumulative/dynamic AUC", asked, found, None, np.full(1, 0.5))
    surviving = asked.rows.remaining(of_events=True)
    shares = surviving.before[asked.ends]
    had_event = 1.0 - float(shares[-1])
    of_times = -np.diff(shares, prepend=1.0)
    found, summed = at_all(
        asked, at, of_times / had_event if had_event > 0.0 else of_times * math.nan
    )
    mean = RowInfluences(math.nan, summed)
    if np.isfinite(found[0]).all():
        value = float((of_times * found[0]).sum()) / had_event
        # the shares are estimated too: each begins one step, and ends the one before
        steps = np.append(np.diff(found[0]), value - found[0][-1])
        on_logs = np.zeros(len(surviving.before))
        np.add.at(on_logs, asked.ends, steps * shares / had_event)
        moves = surviving.moves(on_logs)[asked.rows.keys]
        mean = RowInfluences(value, summed + moves)
    return result_of("cumulative/dynamic AUC", asked, found, mean, np.full(len(shares), 0.5))


@documented(_TIMED, CENSORING)
def survival_brier_score(
    time: ArrayLike,
    event: ArrayLike,
    survival: ArrayLike,
    *,
    times: float | ArrayLike,
    censoring: tuple[ArrayLike, ArrayLike] | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    n_threads: int | None = None,
) -> TimeDependentMeasure:
    """Compute the time-dependent Brier score: the squared error of predicted survival.

    Parameters
    ----------
    survival : array-like of shape (n_samples, n_times), or (n_samples,) for one time
        Predicted probabilities of having no event up to each time.

    Notes
    -----
    The mean over time is the integrated Brier score: the area under straight lines between the
    times, over the time from first to last. A row without the event counts 1/G(t). Calibration and
    discrimination both show in it. O(n log n) for each time.

    References
    ----------
    Graf, Schmoor, Sauerbrei & Schumacher (1999), Assessment and comparison of prognostic
    classification schemes for survival data, Statistics in Medicine 18:2529-2545.

    Examples
    --------
    >>> time, event = [5, 8, 8, 12, 20, 25], [1, 1, 0, 0, 1, 0]
    >>> survival = [[0.4, 0.2], [0.7, 0.5], [0.6, 0.4], [0.7, 0.6], [0.9, 0.8], [0.9, 0.7]]
    >>> found = survival_brier_score(time, event, survival, times=[7, 10])
    >>> found.estimate.round(3)
    array([0.087, 0.113])
    """
    asked = checked(time, event, times, groups, confidence_level, sample_weight, weights_are)
    columns = columns_of(survival, "survival", asked)
    if len(columns) != len(asked.times):
        raise InputError(
            f"`survival` must have a column for each of `times`: {len(asked.times)}, got 1"
        )
    for column in columns:
        check_unit_interval(column, "survival")
    uncensored = asked.rows.uncensored(check_censoring(censoring))

    def at(k: int) -> RowInfluences:
        rows = followed(asked.rows, uncensored, columns[k], with_ranks=False)
        return brier_at(rows, float(asked.times[k]), columns[k])

    gaps = np.diff(asked.times)
    of_times = (np.append(gaps, 0.0) + np.append(0.0, gaps)) / 2
    whole = float(asked.times[-1] - asked.times[0]) or 1.0
    found, summed = at_all(asked, at, of_times / whole)
    mean = None
    if len(gaps):
        mean = RowInfluences(float((of_times * found[0]).sum()) / whole, summed)
    shares = asked.rows.remaining(of_events=True).before[asked.ends]
    return result_of("Brier score", asked, found, mean, shares * (1.0 - shares))
