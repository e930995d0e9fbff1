"""Rankings: promises, inputs, peers."""

import contextlib
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics as peer
from hypothesis import given, strategies as st
from scipy.sparse import csr_matrix

import fastmetrics as fm
from fastmetrics.errors import UndefinedMetricWarning
from reference import ranking_oracle as oracle

#: Comparisons of one query from which its items are sorted.
EACH_AGAINST_ALL = 1 << 16


def _sample(seed: int, n_queries: int = 40) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    query = np.repeat(np.arange(n_queries), rng.integers(1, 60, n_queries))
    return rng.integers(0, 4, len(query)) % 3, rng.integers(0, 20, len(query)) / 8, query


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_long_queries_are_sorted_and_short_ones_counted_with_the_same_outcome(
    missing: float,
) -> None:
    relevance, score, query = _sample(3)
    grades = np.where(np.random.default_rng(1).random(len(query)) < missing, np.nan, relevance)
    counted = fm.RankingTable.from_scores(grades, score, query=query)
    # each query 80 times, so that it is compared no more: what stands above is 80 times as much
    n_sorted = 0
    for q in np.unique(query).tolist():
        rows = np.flatnonzero(query == q)
        long = fm.RankingTable.from_scores(np.repeat(grades[rows], 80), np.repeat(score[rows], 80))
        n_sorted += len(long.grades) * int(long.sizes[0]) > EACH_AGAINST_ALL
        items = slice(counted.item_starts[q], counted.item_starts[q + 1])
        assert np.array_equal(long.above[::80], 80 * counted.above[items])
        assert np.array_equal(long.tied[::80], 80 * counted.tied[items])
        assert np.array_equal(long.grades[::80], counted.grades[items])
        if missing:
            assert np.array_equal(long.unjudged_above[::80], 80 * counted.unjudged_above[items])
            assert np.array_equal(long.unjudged_tied[::80], 80 * counted.unjudged_tied[items])
    assert n_sorted > 20


def test_names_in_a_long_query_are_sorted() -> None:
    rng = np.random.default_rng(8)
    n = 1500
    grades = rng.choice([np.nan, 0.0, 1.0, 2.0], n)
    score = rng.integers(0, 40, n) / 4
    ids = rng.permutation(n)
    table = fm.RankingTable.from_scores(grades, score, ids=ids).settle_ties("trec_eval")
    order = sorted(range(n), key=lambda i: (score[i], ids[i]), reverse=True)
    indices = [index for index, i in enumerate(order) if grades[i] > 0]
    assert len(indices) * n > EACH_AGAINST_ALL
    assert table.above.tolist() == indices
    assert table.grades.tolist() == [grades[order[index]] for index in indices]
    unjudged = np.append(0, np.cumsum(np.isnan(grades[order])))
    assert table.unjudged_above.tolist() == unjudged[indices].tolist()


def test_a_query_of_many_relevant_items() -> None:
    rng = np.random.default_rng(5)
    relevance = rng.random(3000) < 0.4
    score = rng.integers(0, 500, 3000)
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
        estimates = fm.estimate(table, metrics=several)
    assert [estimates[name].estimate for name in several] == [2 / 5, 1]


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
        groups = []
        for q in np.unique(query):
            y = relevance[query == q] >= 1
            if 0 < y.sum() < len(y):
                weight = weigh(int(y.sum()), int((~y).sum()))
                groups.append((weight, fm.roc_auc_score(y, score[query == q])))
        expected = sum(w * a for w, a in groups) / sum(w for w, _ in groups)
        result = fm.ranking.group_auc(relevance, score, query=query, query_weighting=weighting)
        assert result.estimate == pytest.approx(expected, rel=1e-14)
        assert result.n_one_class == len(np.unique(query)) - len(groups)


def test_the_mean_by_trec_evals_rule_is_added_up_as_trec_eval_does() -> None:
    """Means of 32 queries may have a fifth digit that is 5: the last bit of a sum is then seen."""
    rng = np.random.default_rng(0)
    differ = 0
    for _ in range(200):
        relevance = rng.random((32, 5)) < 0.3
        score = rng.random((32, 5))
        table = fm.RankingTable.from_scores(relevance, score, ids=np.tile(np.arange(5), (32, 1)))
        values = fm.ranking.precision_at_k(table, k=5, ties="trec_eval", per_query=True)
        total = 0.0
        for value in values.tolist():
            total += value
        assert fm.ranking.precision_at_k(table, k=5, ties="trec_eval") == total / 32
        differ += f"{total / 32:6.4f}" != f"{float(values.mean()):6.4f}"
    assert differ > 5


RELEVANCE = [0, 1, 0, 2, 1]
SCORE = [3, 1, 1, 2, 5]
QUERY = ["b", "a", "b", "a", "b"]
TABLE = fm.RankingTable.from_scores(RELEVANCE, SCORE, query=QUERY)


def test_queries_of_objects_and_nullable_numbers() -> None:
    numbers = [7, 3, 7, 3, 7]
    for query in (pd.Series(numbers, dtype="Int64"), np.array(numbers)):
        table = fm.RankingTable.from_scores(RELEVANCE, SCORE, query=query)
        assert np.array_equal(table.above, TABLE.above)
    with pytest.warns(fm.DataConversionWarning, match="`query` has dtype object"):
        assert fm.RankingTable.from_scores(RELEVANCE, SCORE, query=np.array(numbers, object)) == (
            table
        )


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
    relevance = rng.random(90_000) < 0.3
    score = rng.random(90_000)
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
        table = fm.RankingTable.from_scores(relevance, score, query=ids[number])
        assert table.queries is not None
        assert np.array_equal(table.queries, ids[np.unique(number)])
        assert table.queries.dtype == ids.dtype.newbyteorder("=")
        for name in ("item_starts", "above", "tied", "sizes"):
            assert np.array_equal(getattr(table, name), getattr(expected, name))


#: trec_eval's name, our function, and what it is called with.
TREC = {
    "map": (fm.ranking.mean_average_precision, {}),
    "map_cut_5": (fm.ranking.mean_average_precision, {"k": 5}),
    "recip_rank": (fm.ranking.mean_reciprocal_rank, {}),
    "ndcg": (fm.ranking.ndcg, {}),
    "ndcg_cut_5": (fm.ranking.ndcg, {"k": 5}),
    "P_5": (fm.ranking.precision_at_k, {"k": 5}),
    "P_100": (fm.ranking.precision_at_k, {"k": 100}),
    "recall_5": (fm.ranking.recall_at_k, {"k": 5}),
    "success_1": (fm.ranking.hit_rate_at_k, {"k": 1}),
    "success_5": (fm.ranking.hit_rate_at_k, {"k": 5}),
    "Rprec": (fm.ranking.r_precision, {}),
    "bpref": (fm.ranking.bpref, {}),
    "set_P": (fm.ranking.precision_at_k, {"k": None}),
    "set_recall": (fm.ranking.recall_at_k, {"k": None}),
    "set_F": (fm.ranking.f1_at_k, {"k": None}),
}
ASKED = {
    *("map", "map_cut.5", "recip_rank", "ndcg", "ndcg_cut.5", "P.5,100", "recall.5", "success.1,5"),
    *("Rprec", "bpref", "set_P", "set_recall", "set_F"),
}

Judgements = dict[str, dict[str, int]]
Runs = dict[str, dict[str, float]]


def collection(seed: int, distinct: int, n_queries: int = 150) -> tuple[Judgements, Runs]:
    """Return judgements, some of them negative, and runs that miss some and have some unjudged."""
    rng = np.random.default_rng(seed)
    judgements = {}
    retrieved = {}
    for q in range(n_queries):
        pool = [f"d{number}" for number in rng.permutation(400)[: rng.integers(2, 60)]]
        some = [name for name in pool if rng.random() < 0.7] or pool[:1]
        judgements[f"q{q}"] = {name: int(rng.choice([-1, 0, 0, 0, 1, 2, 3])) for name in some}
        retrieved_names = [name for name in pool if rng.random() < 0.8] or pool[:1]
        retrieved[f"q{q}"] = {
            name: float(rng.integers(0, distinct)) / 8 for name in retrieved_names
        }
    return judgements, retrieved


def table_of(judgements: Judgements, retrieved: Runs) -> fm.RankingTable:
    """Return the table of a run, and of the judged items that it has not."""
    rows = [
        (q, name, judgements[q].get(name, np.nan), scores.get(name, -np.inf))
        for q, scores in retrieved.items()
        for name in {**judgements[q], **scores}
    ]
    query, ids, relevance, score = map(np.array, zip(*rows, strict=True))
    return fm.RankingTable.from_scores(relevance, score, query=query, ids=ids)


@pytest.mark.parametrize("distinct", [3, 20, 10_000])
def test_every_query_is_that_of_trec_eval(distinct: int) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    judgements, retrieved = collection(distinct, distinct)
    theirs = pytrec_eval.RelevanceEvaluator(judgements, ASKED).evaluate(retrieved)
    table = table_of(judgements, retrieved)
    for name, (metric, options) in TREC.items():
        more = {} if metric is fm.ranking.precision_at_k else {"no_relevant": 0.0}
        values = metric(table, ties="trec_eval", per_query=True, **more, **options)
        for q, value in zip(table.queries.tolist(), values.tolist(), strict=True):
            assert value == pytest.approx(theirs[q][name], rel=1e-14, abs=1e-15), (name, q)
            if name != "set_F":  # which trec_eval rounds thrice
                assert f"{value:6.4f}" == f"{theirs[q][name]:6.4f}", (name, q)


@pytest.mark.slow  # it compiles for a minute
def test_means_are_those_of_ranx() -> None:
    ranx = pytest.importorskip("ranx")
    rng = np.random.default_rng(3)
    relevance = rng.choice([0, 0, 0, 1, 2], (40, 30))
    relevance[:, 0] = 1
    score = rng.permuted(np.tile(np.arange(30), (40, 1)), axis=1)  # ties go by position there
    names = [f"d{number:02}" for number in range(30)]
    judgements = {
        f"q{q:02}": {name: int(g) for name, g in zip(names, row, strict=True) if g}
        for q, row in enumerate(relevance)
    }
    run = {
        f"q{q:02}": {name: float(s) for name, s in zip(names, row, strict=True)}
        for q, row in enumerate(score)
    }
    table = fm.RankingTable.from_scores(relevance, score)
    pairs = {
        "ndcg@10": fm.ranking.ndcg(table, k=10),
        "ndcg_burges@10": fm.ranking.ndcg(table, k=10, gain="exponential"),
        "map": fm.ranking.mean_average_precision(table),
        "map@5": fm.ranking.mean_average_precision(table, k=5),
        "mrr": fm.ranking.mean_reciprocal_rank(table),
        "precision@5": fm.ranking.precision_at_k(table, k=5),
        "recall@5": fm.ranking.recall_at_k(table, k=5),
        "hit_rate@2": fm.ranking.hit_rate_at_k(table, k=2),
        "r-precision": fm.ranking.r_precision(table),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Numba, about casts of theirs
        theirs = ranx.evaluate(ranx.Qrels(judgements), ranx.Run(run), list(pairs))
    assert pairs == pytest.approx(theirs, rel=1e-9)


def test_the_row_of_a_query_is_that_of_scikit_learn() -> None:
    from sklearn.metrics import ndcg_score, roc_auc_score

    rng = np.random.default_rng(4)
    relevance = rng.integers(0, 4, (50, 20))
    score = rng.integers(0, 6, (50, 20))
    for row, value in enumerate(fm.ranking.ndcg(relevance, score, k=7, per_query=True)):
        assert value == pytest.approx(ndcg_score(relevance[[row]], score[[row]], k=7), rel=1e-12)
    for row, area in enumerate(fm.ranking.group_auc(relevance, score).per_query):
        with contextlib.suppress(ValueError):
            assert area == pytest.approx(roc_auc_score(relevance[row] >= 1, score[row]), rel=1e-12)


BINARY = ("label_ranking_average_precision_score", "label_ranking_loss", "coverage_error")


@st.composite
def problems(draw: Any) -> tuple[Any, Any, Any]:
    rows = draw(st.integers(1, 6))
    labels = draw(st.integers(2, 7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    grades = rng.integers(0, draw(st.sampled_from([2, 5])), (rows, labels))
    scores = rng.integers(0, draw(st.sampled_from([2, 4, 1000])), (rows, labels)) / 4
    return grades, scores, rng.random(rows) + 0.1


@given(problems(), st.sampled_from([None, 1, 3]), st.booleans(), st.booleans())
def test_gains_equal_scikit_learns(
    problem: Any, k: Any, ignore_ties: bool, is_weighted: bool
) -> None:
    grades, scores, weights = problem
    given_weights = weights if is_weighted else None
    options = {"k": k, "ignore_ties": ignore_ties, "sample_weight": given_weights}
    for name in ("dcg_score", "ndcg_score"):
        ours, theirs = (getattr(module, name)(grades, scores, **options) for module in (fm, peer))
        assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-14)
    ours, theirs = (module.dcg_score(grades, scores, log_base=10) for module in (fm, peer))
    assert ours == pytest.approx(theirs, rel=1e-12)


@given(problems(), st.booleans())
@pytest.mark.parametrize("name", BINARY)
def test_label_rankings_equal_scikit_learns(name: str, problem: Any, is_weighted: bool) -> None:
    grades, scores, weights = problem
    indicator = (grades > 0).astype(int)
    indicator[0, :2] = 0, 1  # else scikit-learn may take a row for labels of one class
    options = {"sample_weight": weights} if is_weighted else {}
    ours, theirs = (getattr(module, name)(indicator, scores, **options) for module in (fm, peer))
    assert ours == pytest.approx(theirs, rel=1e-13, abs=1e-15)
    assert getattr(fm, name)(csr_matrix(indicator), scores, **options) == ours


def test_gains_may_be_negative() -> None:
    assert fm.dcg_score([[1, -1]], [[2, 1]]) == pytest.approx(peer.dcg_score([[1, -1]], [[2, 1]]))
