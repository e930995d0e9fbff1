"""What rankings are made of: dtypes, containers, empty queries, ends of the ranges."""

import numpy as np
import pandas as pd
import pytest

import fastmetrics as fm

RELEVANCE, SCORE = [0, 1, 0, 2, 1], [3, 1, 1, 2, 5]
QUERY = ["b", "a", "b", "a", "b"]
TABLE = fm.RankingTable.from_scores(RELEVANCE, SCORE, query=QUERY)


def test_queries_of_objects_and_nullable_numbers() -> None:
    numbers = [7, 3, 7, 3, 7]
    for query in (pd.Series(numbers, dtype="Int64"), np.array(numbers)):
        found = fm.RankingTable.from_scores(RELEVANCE, SCORE, query=query)
        assert np.array_equal(found.above, TABLE.above)
    with pytest.warns(fm.DataConversionWarning, match="`query` has dtype object"):
        assert fm.RankingTable.from_scores(RELEVANCE, SCORE, query=np.array(numbers, object)) == (
            found
        )
    with pytest.raises(ValueError, match="`score`"):
        fm.ranking.ndcg([1, 0], np.ma.array([1.0, 2.0], mask=[True, False]))


def test_integers_beyond_floats_are_compared_exactly() -> None:
    score = np.array([2**53, 2**53 + 1, 2**53 + 2])
    assert fm.ranking.mean_reciprocal_rank([0, 1, 0], score) == 0.5
    assert (
        fm.ranking.mean_reciprocal_rank([0, 1, 0], score.astype(np.uint64) + np.uint64(2**63))
        == 0.5
    )


def test_zeros_of_both_signs_tie() -> None:
    assert fm.ranking.mean_reciprocal_rank([1, 0], [-0.0, 0.0]) == 0.75


def test_empty_queries_are_queries_without_relevant_items() -> None:
    table = fm.RankingTable.from_scores([1, 0], [2, 1], indptr=[0, 0, 2, 2])
    assert table.n_queries == 3
    assert fm.ranking.ndcg(table) == 1
    assert fm.ranking.ndcg(table, no_relevant=0.0) == pytest.approx(1 / 3)
    assert fm.ranking.precision_at_k(table, k=1, per_query=True).tolist() == [0, 1, 0]
    assert fm.ranking.group_auc(table).n_one_class == 2


def test_a_million_queries_of_one_item() -> None:
    relevance = np.arange(10**6) % 2
    table = fm.RankingTable.from_scores(relevance, relevance, query=np.arange(10**6)[::-1])
    assert fm.ranking.ndcg(table) == 1
    assert fm.ranking.ndcg(table, no_relevant=0.0) == 0.5


@pytest.mark.parametrize("n_queries", [300, 20_000])
@pytest.mark.parametrize("order", ["any", "runs", "sorted"])
def test_ids_of_queries_of_every_kind_are_numbered_alike(n_queries: int, order: str) -> None:
    rng = np.random.default_rng(4)
    number = rng.integers(0, n_queries, 90_000)
    if order == "runs":  # as a log of sessions: each in one piece, and none where its id says
        number = rng.permutation(n_queries)[np.sort(number)]
    elif order == "sorted":
        number = np.sort(number)
    relevance, score = rng.random(90_000) < 0.3, rng.random(90_000)
    expected = fm.RankingTable.from_scores(relevance, score, query=number.tolist())
    wide = np.unique(rng.integers(-(2**62), 2**62, 2 * n_queries))[:n_queries]
    for ids in (
        np.arange(n_queries),
        wide,
        (wide + 2**62).astype(np.uint64) + np.uint64(2**63),
        wide.astype(">i8"),
        np.arange(n_queries, dtype=np.int32) * 90_001,
        np.array([f"q{k:05}" for k in range(n_queries)]),
    ):
        found = fm.RankingTable.from_scores(relevance, score, query=ids[number])
        assert found.queries is not None
        assert np.array_equal(found.queries, ids[np.unique(number)])
        assert found.queries.dtype == ids.dtype.newbyteorder("=")
        for name in ("item_starts", "above", "tied", "sizes"):
            assert np.array_equal(getattr(found, name), getattr(expected, name))
