"""Pairs of censored times: which are comparable, and what they weigh."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics.errors import InputError
from fastmetrics.tables.concordance.row_sums import (
    Floats,
    RowSums,
    dense_ranks,
    in_order,
    sum_rows,
)

Weighting = Literal["harrell", "uno", "uno-scikit-survival"]


class CensoredPairs(NamedTuple):
    """Rows by time, ready for the scores of any model.

    Attributes
    ----------
    keys : ndarray of int64, shape (n,)
        In the order of times; of equal ones, events come before censorings.
    leads : ndarray of float64, shape (n,)
        What a pair weighs whose shorter time is this row's: 0 where it was censored.
    weights : ndarray of float64, shape (n,)
        Of the rows.
    """

    keys: NDArray[np.int64]
    leads: Floats
    weights: Floats

    def sums(
        self, score: NDArray[Any], higher_is_longer: bool, n_threads: int | None = None
    ) -> RowSums:
        """Return the sums of each row's partners by the scores of one model."""
        ranks = dense_ranks(score)
        if not higher_is_longer:
            ranks = ranks.max() - ranks
        return sum_rows(in_order(self.keys, ranks), self.weights, self.leads, n_threads)


def compare_times(
    times: NDArray[Any],
    is_event: NDArray[np.bool_],
    weights: Floats,
    weighting: Weighting = "harrell",
    tau: float | None = None,
) -> CensoredPairs:
    """Order rows by time, and weigh the pairs that each leads."""
    ranks = dense_ranks(times)
    leads = is_event.astype(np.float64)
    if tau is not None:
        leads[times >= tau] = 0.0
    if weighting != "harrell":
        kept = uncensored_shares(ranks, is_event, weights, including=weighting != "uno")[ranks]
        leading = leads > 0.0
        if np.any(kept[leading] <= 0.0):
            raise InputError(
                "`weighting='uno-scikit-survival'` divides by the share not censored up to the "
                "time of each event, and at the last one it is 0: pass `tau`, a time before it"
            )
        leads[leading] /= kept[leading] ** 2
    return CensoredPairs(2 * ranks + ~is_event, leads, weights)


def uncensored_shares(
    ranks: NDArray[np.int64], is_event: NDArray[np.bool_], weights: Floats, *, including: bool
) -> Floats:
    """Return, for each distinct time, the share that is not censored before it, or up to it.

    Kaplan and Meier's estimate with the roles exchanged; at one time events come first, so that
    who has one is no more at risk of censoring. ``including`` counts the censorings at the time
    itself too.
    """
    at_time = np.bincount(ranks, weights)
    events = np.bincount(ranks, weights * is_event)
    at_risk = np.cumsum(at_time[::-1])[::-1] - events
    censored = np.bincount(ranks, weights * ~is_event)
    shares = np.divide(censored, at_risk, out=np.zeros_like(censored), where=censored > 0.0)
    shares[censored >= at_risk] = censored[censored >= at_risk] > 0.0
    kept = np.cumprod(1.0 - shares)
    return np.asarray(kept) if including else np.append(1.0, kept[:-1])
