"""Rows that pandas labels differently are refused in rankings, and in censored times."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

import fastmetrics as fm

Y = np.array([0, 1, 1, 0, 1, 0, 0, 1])
P = np.array([0.2, 0.7, 0.6, 0.6, 0.9, 0.65, 0.1, 0.3])
W = np.arange(1, 9)
USERS = list("abcdefgh")
OTHERS = [*"bacdefgh"]


@pytest.mark.parametrize("function", [fm.ndcg, fm.group_auc, fm.evaluate_rankings])
def test_items_of_rankings_have_the_rows_of_their_relevance(function: Any) -> None:
    relevance, query = pd.Series(Y, index=USERS), np.arange(8) // 4
    function(relevance, pd.Series(P, index=USERS), query=query)
    with pytest.raises(ValueError, match="have row labels"):
        function(relevance, pd.Series(P, index=OTHERS), query=query)
    with pytest.raises(ValueError, match="have row labels"):
        function(relevance, P, query=pd.Series(query, index=OTHERS))


@pytest.mark.parametrize(
    "function",
    [
        fm.concordance_index,
        fm.concordance_index_interval,
        fm.concordance_index_test,
        fm.royston_d,
        partial(fm.cumulative_dynamic_auc, times=2),
    ],
)
def test_times_events_and_scores_have_the_same_rows(function: Any) -> None:
    def call(event: Any, score: Any) -> None:
        two = {"a": score, "b": (P - 0.5) ** 2}
        scores = two if function is fm.concordance_index_test else score
        function(pd.Series(W, index=USERS), event, scores, higher_score_means="longer-time")

    call(pd.Series(Y, index=USERS), pd.Series(P, index=USERS))
    for event, score in ((pd.Series(Y, index=OTHERS), P), (Y, pd.Series(P, index=OTHERS))):
        with pytest.raises(ValueError, match="have row labels"):
            call(event, score)


def test_probabilities_of_survival_have_the_rows_of_their_times() -> None:
    time, survival = pd.Series(W, index=USERS), pd.DataFrame({"a": P, "b": P}, index=USERS)
    fm.survival_brier_score(time, Y, survival, times=[2, 4])
    with pytest.raises(ValueError, match="have row labels"):
        fm.survival_brier_score(time, Y, survival.set_axis(OTHERS), times=[2, 4])
