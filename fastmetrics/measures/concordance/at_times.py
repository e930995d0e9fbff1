"""AUC and Brier score at one time of censored rows, and how each row moves them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import check_fraction
from fastmetrics._input.scores import check_unit_interval
from fastmetrics._kernels.survival import weights_across
from fastmetrics.errors import InputError
from fastmetrics.measures._influences import RowInfluences
from fastmetrics.measures.concordance.concordance_index import HigherScoreMeans, check_direction
from fastmetrics.measures.concordance.influences import by_weight
from fastmetrics.tables.concordance.follow_up import FollowUp, Uncensored
from fastmetrics.tables.concordance.row_sums import Floats, Keyed, in_order, ranked


class Followed(NamedTuple):
    """Rows by time, and of one time by the values of a model: sums do not depend on their order.

    ``uncensored`` is the share not censored, of these rows or of others. Columns are in the order
    of ``by_key``; ``leads`` are weights over the share not censored before an event, 0 of censored.
    """

    rows: FollowUp
    uncensored: Uncensored
    by_key: Keyed
    keys: NDArray[np.int32]
    weights: Floats
    leads: Floats

    def at(self, time: float) -> AtTime:
        """Return which rows had the event by a time, with their weights, and who remains."""
        end = self.rows.keys_up_to(time)
        cut = int(np.searchsorted(self.keys, np.int32(end)))
        share, leads = float(self.uncensored.up_to(self.rows, time)), self.leads[:cut]
        if not np.isfinite(leads).all():
            raise _nobody_up_to(time)
        return AtTime(end, leads, self.weights[cut:], share)

    def influenced(self, value: float, moved: Floats, on_logs: Floats) -> RowInfluences:
        """Return a value with influences, what each row adds and by the shares not censored."""
        by_share = self.uncensored.moves(on_logs)[self.keys]
        influences = np.empty_like(moved)
        influences[self.by_key.rows] = moved + self.weights * by_share
        return by_weight(value, influences, self.rows.weights)


class AtTime(NamedTuple):
    """Rows with the event by a time, which come first, and rows followed beyond it.

    ``end`` is the least key beyond, ``leads`` are of the first rows, ``beyond`` the weights of the
    others; ``uncensored`` is the share not censored up to the time.
    """

    end: int
    leads: Floats
    beyond: Floats
    uncensored: float


def followed(
    rows: FollowUp,
    uncensored: Uncensored,
    values: NDArray[Any],
    *,
    turned: bool = False,
    with_ranks: bool = True,
) -> Followed:
    """Return rows in the order of their times, then of a model's values, or of their negatives.

    Of times that do not tie, values need no ranks unless the caller does.
    """
    is_ranked = with_ranks or rows.ranked.rows is None
    scores = ranked(values) if is_ranked else rows.ranked
    by_key = in_order(rows.ranked, scores.turned() if turned else scores)
    keys, weights = rows.keys[by_key.rows], rows.weights[by_key.rows]
    leads = np.zeros(len(keys))
    is_case = (keys & 1 == 0) & (weights > 0.0)
    with np.errstate(divide="ignore"):  # of others nobody may be left: `at` says so
        np.divide(weights, uncensored.just_before(rows, keys), out=leads, where=is_case)
    return Followed(rows, uncensored, by_key, keys, weights, leads)


def _nobody_up_to(time: float) -> InputError:
    return InputError(
        f"`censoring` has nobody who is followed up to {time:g}: ask for earlier times, or pass "
        "rows that were followed as long"
    )


def undefined(rows: Followed) -> RowInfluences:
    """Return nan."""
    return RowInfluences(math.nan, np.full(len(rows.keys), math.nan))


def auc_influences(
    rows: FollowUp,
    uncensored: Uncensored,
    scores: NDArray[Any],
    *,
    time: float,
    higher_score_means: HigherScoreMeans,
) -> RowInfluences:
    """Return the cumulative/dynamic AUC at a time with its influences."""
    longer = check_direction(higher_score_means)
    return auc_at(followed(rows, uncensored, scores, turned=longer), checked_time(time))


def brier_influences(
    rows: FollowUp, uncensored: Uncensored, survival: NDArray[Any], *, time: float
) -> RowInfluences:
    """Return the Brier score at a time with its influences."""
    at = checked_time(time)
    check_unit_interval(survival, "y_score")
    return brier_at(followed(rows, uncensored, survival, with_ranks=False), at, survival)


def checked_time(time: Any) -> float:
    """Return a time at which to look."""
    return check_fraction("time", time, high=math.inf, include_low=True)


def auc_at(rows: Followed, time: float) -> RowInfluences:
    """Return the AUC of who has the event by a time against who is followed beyond it."""
    now = rows.at(time)
    cut, ranks = len(now.leads), rows.by_key.ranks
    n_beyond, n_leads = float(now.beyond.sum()), float(now.leads.sum())
    over = n_beyond * n_leads
    if not over > 0.0:
        return undefined(rows)
    across = np.empty(len(ranks))
    weights_across(ranks, cut, *now[1:3], np.zeros((rows.by_key.n_ranks, 2)), across)
    won = across[:cut]
    value = float((now.leads * won).sum()) / over
    of_leads = now.leads * (won - value * n_beyond) / over
    of_others = now.beyond * (across[cut:] - value * n_leads) / over
    on_logs = np.zeros(rows.rows.n_keys + 1)
    on_logs[: now.end] = -np.bincount(rows.keys[:cut], of_leads, now.end)
    return rows.influenced(value, np.concatenate((of_leads, of_others)), on_logs)


def brier_at(rows: Followed, time: float, surviving: Floats) -> RowInfluences:
    """Return the mean squared error of probabilities of surviving beyond a time."""
    now = rows.at(time)
    if not now.beyond.any():
        return undefined(rows)
    if now.uncensored == 0.0:
        raise _nobody_up_to(time)
    cut, total = len(now.leads), float(rows.weights.sum())
    predicted = surviving[rows.by_key.rows]
    of_leads = now.leads * predicted[:cut] ** 2 / total
    of_others = now.beyond * (1.0 - predicted[cut:]) ** 2 / (now.uncensored * total)
    beyond = float(of_others.sum())
    value = float(of_leads.sum()) + beyond
    on_logs = np.zeros(rows.rows.n_keys + 1)
    on_logs[: now.end] = -np.bincount(rows.keys[:cut], of_leads, now.end)
    on_logs[now.end] -= beyond
    moved = np.concatenate((of_leads, of_others)) - rows.weights * (value / total)
    return rows.influenced(value, moved, on_logs)
