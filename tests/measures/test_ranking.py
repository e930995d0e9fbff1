"""What tables of rankings promise, and what is particular to measures of them."""

from typing import Any

import numpy as np
import pytest

import fastmetrics as fm
from fastmetrics.errors import UndefinedMetricWarning
from reference import ranking_oracle as oracle

#: Comparisons of one query from which its items are sorted.
EACH_AGAINST_ALL = 1 << 16


def _sample(seed: int, n_queries: int = 40) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 60, n_queries)
    query = np.repeat(np.arange(n_queries), sizes)
    return rng.integers(0, 4, len(query)) % 3, rng.integers(0, 20, len(query)) / 8, query


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_long_queries_are_sorted_and_short_ones_counted_with_the_same_outcome(share: float) -> None:
    relevance, score, query = _sample(3)
    grades = np.where(np.random.default_rng(1).random(len(query)) < share, np.nan, relevance)
    counted = fm.RankingTable.from_scores(grades, score, query=query)
    # each query 80 times, so that it is compared no more: what stands above is 80 times as much
    n_sorted = 0
    for q in np.unique(query).tolist():
        rows = np.flatnonzero(query == q)
        long = fm.RankingTable.from_scores(np.repeat(grades[rows], 80), np.repeat(score[rows], 80))
        n_sorted += len(long.grades) * int(long.sizes[0]) > EACH_AGAINST_ALL
        part = slice(counted.item_starts[q], counted.item_starts[q + 1])
        assert np.array_equal(long.above[::80], 80 * counted.above[part])
        assert np.array_equal(long.tied[::80], 80 * counted.tied[part])
        assert np.array_equal(long.grades[::80], counted.grades[part])
        if share:
            assert np.array_equal(long.unjudged_above[::80], 80 * counted.unjudged_above[part])
            assert np.array_equal(long.unjudged_tied[::80], 80 * counted.unjudged_tied[part])
    assert n_sorted > 20


def test_names_in_a_long_query_are_sorted() -> None:
    rng = np.random.default_rng(8)
    n = 1500
    grades = rng.choice([np.nan, 0.0, 1.0, 2.0], n)
    score, ids = rng.integers(0, 40, n) / 4, rng.permutation(n)
    table = fm.RankingTable.from_scores(grades, score, ids=ids).settled("trec_eval")
    order = sorted(range(n), key=lambda i: (score[i], ids[i]), reverse=True)
    places = [place for place, i in enumerate(order) if grades[i] > 0]
    assert len(places) * n > EACH_AGAINST_ALL
    assert table.above.tolist() == places
    assert table.grades.tolist() == [grades[order[place]] for place in places]
    unjudged = np.append(0, np.cumsum(np.isnan(grades[order])))
    assert table.unjudged_above.tolist() == unjudged[places].tolist()


def test_a_query_of_many_relevant_items() -> None:
    rng = np.random.default_rng(5)
    relevance, score = rng.random(3000) < 0.4, rng.integers(0, 500, 3000)
    table = fm.RankingTable.from_scores(relevance, score)
    assert fm.ranking.group_auc(table).estimate == fm.roc_auc_score(relevance, score)
    assert (np.diff(table.above) >= 0).all()


def test_items_that_were_never_retrieved_count() -> None:
    table = fm.RankingTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1], n_relevant=[4])
    assert fm.ranking.recall_at_k(table, k=4) == 0.5
    assert fm.ranking.mean_average_precision(table) == pytest.approx((1 + 2 / 3) / 4)
    assert fm.ranking.mean_reciprocal_rank(table) == 1
    assert fm.ranking.ndcg(table) == pytest.approx(
        oracle.ndcg(((1, 4, 0), (0, 3, 0), (1, 2, 0), (0, 1, 0)), missing=[1, 1])
    )
    named = fm.RankingTable.from_scores(
        [1, 0], [2, 1], query=["b", "a"], n_relevant={"a": 2, "b": 1}
    )
    assert fm.ranking.recall_at_k(named, k=1, per_query=True).tolist() == [0, 1]
    with pytest.raises(
        ValueError, match="`n_relevant` says 1 relevant items of query number 0, an"
    ):
        fm.RankingTable.from_scores([1, 1], [2, 1], n_relevant=[1])


def test_a_perfect_list_is_worth_what_k_places_can_reach() -> None:
    table = fm.RankingTable.from_scores([1, 1, 1, 0], [4, 3, 2, 1], n_relevant=[5])
    for k, relevant in ((2, 2 / 5), (4, 3 / 5), (9, 3 / 5)):
        assert fm.ranking.mean_average_precision(table, k=k) == relevant
        reachable = fm.ranking.mean_average_precision(table, k=k, divide_by="reachable")
        assert reachable == pytest.approx(min(k, 3) / min(k, 5))
    assert fm.ranking.mean_average_precision(table, divide_by="reachable") == 3 / 5
    none = fm.ranking.mean_average_precision([0], [1], k=1, divide_by="reachable", no_relevant=1.0)
    assert none == 1  # as XGBoost and LightGBM have it
    several = {"all": "map@2", "k": ("map@2", {"divide_by": "reachable"})}
    with pytest.warns(fm.UndefinedMetricWarning, match="queries do not show"):
        found = fm.estimate(table, metrics=several)
    assert [found[name].estimate for name in several] == [2 / 5, 1]


def test_a_constant_score_is_worth_nothing_special() -> None:
    assert fm.ranking.mean_reciprocal_rank([1, 0, 0], [0, 0, 0]) == pytest.approx(11 / 18)
    assert fm.ranking.mean_reciprocal_rank([0, 0, 1], [0, 0, 0]) == pytest.approx(11 / 18)


def test_queries_without_relevant_items_are_left_out_or_counted() -> None:
    data = ([[1, 0], [0, 0]], [[2, 1], [2, 1]])
    assert fm.ranking.mean_average_precision(*data) == 1
    assert fm.ranking.mean_average_precision(*data, no_relevant=0.0) == 0.5
    assert fm.ranking.precision_at_k(*data, k=2) == 0.25  # 0 is a precision
    with pytest.warns(UndefinedMetricWarning, match="no query has what it needs"):
        assert np.isnan(fm.ranking.ndcg([0, 0], [2, 1]))


def test_weights_of_groups() -> None:
    relevance, score, query = _sample(4)
    for weighting, weigh in (
        ("items", lambda p, n: p + n),
        ("relevant", lambda p, n: p),
        ("pairs", lambda p, n: p * n),
        ("queries", lambda p, n: 1),
    ):
        parts = []
        for q in np.unique(query):
            y = relevance[query == q] >= 1
            if 0 < y.sum() < len(y):
                weight = weigh(int(y.sum()), int((~y).sum()))
                parts.append((weight, fm.roc_auc_score(y, score[query == q])))
        expected = sum(w * a for w, a in parts) / sum(w for w, _ in parts)
        found = fm.ranking.group_auc(relevance, score, query=query, query_weighting=weighting)
        assert found.estimate == pytest.approx(expected, rel=1e-14)
        assert found.n_one_class == len(np.unique(query)) - len(parts)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: fm.ranking.ndcg([[1, 0]], [[1, 2]], query=[1, 1]),
            "a matrix has a row for each query",
        ),
        (lambda: fm.ranking.ndcg([1, 0], [1, 2], ties="trec_eval"), "needs `ids`"),
        (
            lambda: fm.ranking.ndcg([2000, 0], [1, 2], gain="exponential"),
            "too great for exponential",
        ),
        (
            lambda: fm.ranking.expected_reciprocal_rank([3, 0], [1, 2], max_relevance=2),
            "`max_relevance` must be at least 3",
        ),
        (lambda: fm.RankingTable.from_scores([1, 0], [1, 2], indptr=[0, 1]), "`indptr` must be"),
        (lambda: fm.RankingTable.from_scores([1, 0], [1, 2], ids=["a", "a"]), "has one twice"),
        (lambda: fm.ranking.ndcg(fm.RankingTable.from_scores([1], [1]), [1]), "comes alone"),
    ],
)
def test_what_is_wrong_is_said(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


def test_the_mean_by_trec_evals_rule_is_added_up_as_trec_eval_does() -> None:
    """Means of 32 queries may have a fifth digit that is 5: the last bit of a sum is then seen."""
    rng = np.random.default_rng(0)
    differ = 0
    for _ in range(200):
        relevance, score = rng.random((32, 5)) < 0.3, rng.random((32, 5))
        table = fm.RankingTable.from_scores(relevance, score, ids=np.tile(np.arange(5), (32, 1)))
        values = fm.ranking.precision_at_k(table, k=5, ties="trec_eval", per_query=True)
        total = 0.0
        for value in values.tolist():
            total += value
        assert fm.ranking.precision_at_k(table, k=5, ties="trec_eval") == total / 32
        differ += f"{total / 32:6.4f}" != f"{float(values.mean()):6.4f}"
    assert differ > 5
