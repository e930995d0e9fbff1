"""Rows followed over time: how many remain, how each row moves that share; pairs of them."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.censored import CensoredTimes
from fastmetrics._kernels import survival as kernels
from fastmetrics.errors import InputError
from fastmetrics.tables.concordance.row_counts import RowCounts, count_rows
from fastmetrics.tables.concordance.row_sums import (
    Floats,
    Ranked,
    RowSums,
    in_order,
    ranked,
    sum_rows,
)


class FollowUp(NamedTuple):
    """Censored times as keys, by which rows can be sorted and counted.

    ``times`` are the distinct ones, rising. A key is twice the rank of a row's time, and one more
    where it was censored: of equal times, events come before censorings.
    """

    times: NDArray[Any]
    keys: NDArray[np.int32]
    ranked: Ranked
    weights: Floats

    def keys_up_to(self, time: float) -> int:
        """Return the least key of the times that are later."""
        return 2 * int(np.searchsorted(self.times, time, side="right"))

    @property
    def n_keys(self) -> int:
        """How many keys there are."""
        return 2 * len(self.times)

    def uncensored(self, others: CensoredTimes | None = None) -> Uncensored:
        """Return the share that is not censored: of these rows, or of others."""
        if others is None:
            return self.remaining(of_events=False)
        rows = follow(*others, np.ones(len(others.times)))
        return OfOthers(rows, rows.remaining(of_events=False))

    def remaining(self, *, of_events: bool) -> Remaining:
        """Return the share that has had no event, or the share that was not censored."""
        leaving = np.bincount(self.keys, self.weights, self.n_keys).astype(np.float64, copy=False)
        at_risk, before = np.empty(self.n_keys), np.empty(self.n_keys + 1)
        kernels.remaining_shares(leaving, int(of_events), at_risk, before)
        return Remaining(before, at_risk, leaving)


class Remaining(NamedTuple):
    """Kaplan and Meier's estimate: the share that remains just before each key, and after all.

    ``at_risk`` is the weight of the rows of a key and of all later ones, ``leaving`` that of those
    that leave at it.
    """

    before: Floats
    at_risk: Floats
    leaving: Floats

    def just_before(self, rows: FollowUp, keys: NDArray[np.int32]) -> Floats:
        """Return the share just before some keys of the rows that it is of."""
        return np.asarray(self.before[keys])

    def up_to(self, rows: FollowUp, times: Any) -> Any:
        """Return the share after some times, at which rows leave as well."""
        return self.before[2 * np.searchsorted(rows.times, times, side="right")]

    def moves(self, of_logs: Floats) -> Floats:
        """Return how the weight of one row of each key moves a sum of logarithms of the shares.

        ``of_logs`` has the factors of the logarithms of ``before``. A row at risk of a key makes
        its share larger, by leaving / (at_risk (at_risk - leaving)) of itself; if it is one of
        those that leave, smaller, by 1 / at_risk.
        """
        found = np.empty(len(self.leaving))
        kernels.moves_of_logs(of_logs, self.leaving, self.at_risk, found)
        return found


class OfOthers(NamedTuple):
    """Kaplan and Meier's estimate of other rows, which is known: these do not move it."""

    others: FollowUp
    shares: Remaining

    def just_before(self, rows: FollowUp, keys: NDArray[np.int32]) -> Floats:
        """Return the share just before the times of some keys of the rows that ask."""
        times = rows.times[keys >> 1]
        return np.asarray(self.shares.before[2 * np.searchsorted(self.others.times, times)])

    def up_to(self, rows: FollowUp, times: Any) -> Any:
        """Return the share after some times, at which others leave as well."""
        return self.shares.up_to(self.others, times)

    def moves(self, of_logs: Floats) -> Floats:
        """Return that no row moves it."""
        return np.zeros(len(of_logs) - 1)


Uncensored = Remaining | OfOthers


def follow(times: NDArray[Any], is_event: NDArray[np.bool_], weights: Floats) -> FollowUp:
    """Return rows with their keys."""
    found = ranked(times)
    distinct = np.empty(found.n_ranks, times.dtype)
    distinct[found.ranks] = times
    keys = 2 * found.ranks + ~is_event
    return FollowUp(distinct, keys, Ranked(keys, 2 * found.n_ranks, found.rows), weights)


Weighting = Literal["harrell", "uno", "uno-scikit-survival"]


class CensoredPairs(NamedTuple):
    """Rows by time, ready for the scores of any model.

    ``keys`` are in the order of times; of equal ones, events come before censorings. ``leads`` says
    what a pair weighs whose shorter time is this row's: 0 where it was censored.
    """

    keys: Ranked
    leads: Floats
    weights: Floats

    def sums(self, score: NDArray[Any], higher_is_longer: bool) -> RowSums | RowCounts:
        """Return the sums of each row's partners by the scores of one model."""
        scores = ranked(score)
        if not higher_is_longer:
            scores = scores.turned()
        if (self.weights == 1.0).all() and ((self.leads == 0.0) | (self.leads == 1.0)).all():
            return count_rows(self.keys, scores, self.leads > 0.0)
        keyed = in_order(self.keys, scores)
        return sum_rows(keyed, self.weights, self.leads)


def compare_times(
    times: NDArray[Any],
    is_event: NDArray[np.bool_],
    weights: Floats,
    weighting: Weighting = "harrell",
    tau: float | None = None,
    others: CensoredTimes | None = None,
) -> CensoredPairs:
    """Order rows by time, and weigh the pairs that each leads; `others` say who is censored."""
    rows = follow(times, is_event, weights)
    leads = is_event.astype(np.float64)
    if tau is not None:
        leads[times >= tau] = 0.0
    if weighting != "harrell":
        leading, uncensored = leads > 0.0, rows.uncensored(others)
        if weighting == "uno":
            kept = uncensored.just_before(rows, rows.keys[leading])
        else:  # scikit-survival counts the censorings of a time, which come after its events, too
            kept = uncensored.up_to(rows, times[leading])
        if others is not None and np.any(kept <= 0.0):
            raise InputError(
                "`censoring` has nobody who is followed up to the last event: pass `tau`, a time "
                "by which some are"
            )
        if np.any(kept <= 0.0):
            raise InputError(
                "`weighting='uno-scikit-survival'` divides by the share not censored up to the "
                "time of each event, and at the last one it is 0: pass `tau`, a time before it"
            )
        leads[leading] /= kept**2
    return CensoredPairs(rows.ranked, leads, weights)
