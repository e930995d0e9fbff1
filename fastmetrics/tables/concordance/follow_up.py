"""Rows followed over time: how many remain, and how each row moves that share."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.censored import CensoredTimes
from fastmetrics._kernels import survival as kernels
from fastmetrics.tables.concordance.row_sums import Floats, Ranked, ranked


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
