"""Partners of rows counted in integers: those that weights of 1 sum to, on every path."""

from __future__ import annotations

import numpy as np
import pytest

from fastmetrics._threads.workers import at_most
from fastmetrics.tables.concordance import row_counts
from fastmetrics.tables.concordance.row_counts import count_rows
from fastmetrics.tables.concordance.row_sums import in_order, ranked, sum_rows

KINDS = {
    "distinct": (10**9, 10**9),
    "tied keys": (40, 10**9),
    "tied scores": (10**9, 300),
    "tied": (30, 200),
    "one score": (50, 1),
    "one key": (1, 50),
}
SLOPES = [(1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0)]


@pytest.mark.pairwise
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("leads", ["all", "some", "none"])
@pytest.mark.parametrize("n", [1, 2, 700, 5_000])
@pytest.mark.parametrize("kind", KINDS)
def test_counts_are_sums_of_weights_of_1(rng, monkeypatch, kind, n, leads, turned) -> None:
    monkeypatch.setattr(row_counts, "_ROWS_OF_A_JOB", 900)
    keys, scores = (rng.integers(0, most, n) for most in KINDS[kind])
    share = {"all": 1.0, "some": 0.5, "none": 0.0}[leads]
    ones, by_keys, by_scores = np.ones(n), ranked(keys), ranked(scores)
    is_lead = (rng.random(by_keys.n_ranks) < share)[by_keys.ranks]
    by_scores = by_scores.turned() if turned else by_scores
    wanted = sum_rows(in_order(by_keys, by_scores), ones, is_lead.astype(np.float64))
    for threads in (1, 3):
        with at_most(threads):
            found = count_rows(by_keys, by_scores, None if leads == "all" else is_lead)
            assert found.totals() == wanted.totals()
            partners = [found.influences(slopes, 0.25) for slopes in SLOPES]
        for slopes, each in zip(SLOPES, partners, strict=True):
            assert each.tolist() == wanted.influences(slopes, 0.25).tolist()
    assert found.every(False) == (n * (n - 1) / 2, n - 1)
