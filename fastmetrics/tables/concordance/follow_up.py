"""Pairs of rows of censored times, and the share that is not censored."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.censored import CensoredTimes
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
    keys: Ranked
    weights: Floats

    def uncensored(self) -> Floats:
        """Return Kaplan and Meier's share not censored, before each key and after the last."""
        n_keys = 2 * len(self.times)
        leaving = np.bincount(self.keys.ranks, self.weights, n_keys).astype(np.float64, copy=False)
        at_risk = np.cumsum(leaving[::-1])[::-1]
        leaving[::2] = 0.0  # the events
        gone = np.divide(leaving, at_risk, out=np.zeros(n_keys), where=leaving > 0.0)
        return np.append(1.0, np.cumprod(1.0 - gone))


def follow(times: NDArray[Any], is_event: NDArray[np.bool_], weights: Floats) -> FollowUp:
    """Return rows with their keys."""
    by_time = ranked(times)
    distinct = np.empty(by_time.n_ranks, times.dtype)
    distinct[by_time.ranks] = times
    keys = 2 * by_time.ranks + ~is_event
    return FollowUp(distinct, Ranked(keys, 2 * by_time.n_ranks, by_time.rows), weights)


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
        leading = leads > 0.0
        seen = rows if others is None else follow(*others, np.ones(len(others.times)))
        # scikit-survival counts the censorings of a time, which come after its events, too
        side: Literal["left", "right"] = "left" if weighting == "uno" else "right"
        kept = seen.uncensored()[2 * np.searchsorted(seen.times, times[leading], side=side)]
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
    return CensoredPairs(rows.keys, leads, weights)
