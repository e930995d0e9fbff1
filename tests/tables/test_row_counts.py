"""Partners of rows counted in integers: those that weights of 1 sum to, on every path."""

import numpy as np
import pytest

import engine_sizes
import fastmetrics as fm
from fastmetrics._threads.workers import at_most
from fastmetrics.tables.concordance import (
    RankPairs,
    _pairs_in,
    count_pairs,
    count_rows,
    in_order,
    ranked,
    sum_rows,
)
from reference import concordance_oracle as oracle

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
    engine_sizes.put(monkeypatch, pair_job_rows=900)
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


@pytest.mark.parametrize("n_values", [(3, 2), (40, 900), (10**6, 10**6)])
@pytest.mark.parametrize("n", [1, 2, 300])
def test_pairs_are_every_pair(rng, n_values, n) -> None:
    outcome, score = (rng.integers(0, most, n) for most in n_values)
    found = count_pairs(outcome, score)
    assert found[3:] == oracle.pairs(outcome.tolist(), score.tolist())
    assert found[:3] == (n, len(np.unique(score)), len(np.unique(outcome)))
    assert all(type(count) is int for count in found)


def test_pairs_of_a_run_beyond_64_bits() -> None:
    """Squares of runs are Python's integers where their sum might not fit."""
    size = (1 << 20) + 1
    assert _pairs_in(np.array([0, 1, size + 1])) == size * (size - 1) // 2


def test_auc_is_somers_d_of_two_classes_to_the_bit(rng) -> None:
    from fastmetrics._input.rows import check_binary
    from fastmetrics.tables.pairs import count_pairs as pairs_of_classes

    labels = rng.integers(0, 2, 3_000)
    score = np.round(rng.normal(labels, 1.0), 2)
    of_ranks, of_classes = count_pairs(labels, score), pairs_of_classes(check_binary(labels, score))
    assert 2 * of_ranks.concordant + of_ranks.tied_in_score == of_classes.twice_concordant
    assert 2 * of_ranks.discordant + of_ranks.tied_in_score == of_classes.twice_discordant
    over = of_ranks.apart_in_outcome
    assert (over + of_ranks.excess) / (2 * over) == fm.roc_auc_score(labels, score)
    assert fm.concordance.somers_d(labels, score) == of_ranks.excess / over


def test_counts_of_pairs_are_of_any_size() -> None:
    huge = RankPairs(10**12, 9, 9, 10**23, 1, 10**20, 10**20, 7)
    assert huge.excess == 10**23 - 1
    assert huge.total == 10**12 * (10**12 - 1) // 2
