"""Evaluations of ranking systems: values, means, intervals, tests, marks, and what is refused."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import stats

import fastmetrics as fm
from fastmetrics.errors import SmallSampleWarning, UndefinedMetricWarning

RNG = np.random.default_rng(7)
N_QUERIES, N_ITEMS = 60, 12
QUERY = RNG.permutation(np.repeat(np.arange(N_QUERIES), N_ITEMS))
RELEVANCE = (RNG.random(len(QUERY)) < 0.2) * RNG.integers(1, 4, len(QUERY))
RELEVANCE[QUERY == 5] = 0
NOISE = RNG.normal(size=(3, len(QUERY)))
SYSTEMS = {
    "weak": np.round(0.2 * RELEVANCE + NOISE[0], 1),
    "like": np.round(0.2 * RELEVANCE + NOISE[0] + 0.2 * NOISE[1], 1),
    "good": np.round(1.5 * RELEVANCE + NOISE[2], 1),
}
METRICS = ["ndcg@5", "map", "mrr", "P@3", "group_auc"]


@pytest.fixture(scope="module")
def found() -> fm.RankingEvaluation:
    return fm.evaluate_rankings(RELEVANCE, SYSTEMS, query=QUERY, metrics=METRICS, rng=1)


def one(model: str, function: Any, **options: Any) -> Any:
    return function(RELEVANCE, SYSTEMS[model], query=QUERY, **options)


@pytest.mark.parametrize(
    ("metric", "function", "options"),
    [
        ("ndcg@5", fm.ndcg, {"k": 5}),
        ("map", fm.mean_average_precision, {}),
        ("mrr", fm.mean_reciprocal_rank, {}),
        ("P@3", fm.precision_at_k, {"k": 3}),
    ],
)
@pytest.mark.parametrize("model", SYSTEMS)
def test_values_and_means_are_those_of_the_functions(
    found: fm.RankingEvaluation, model: str, metric: str, function: Any, options: dict[str, Any]
) -> None:
    values = one(model, function, per_query=True, **options)
    np.testing.assert_array_equal(found.per_query(model, metric), values)
    assert found.mean(model, metric).estimate == one(model, function, **options)
    assert found.mean(model, metric).n_queries == np.count_nonzero(~np.isnan(values))


def test_a_weighted_mean_is_that_of_its_function(found: fm.RankingEvaluation) -> None:
    for model in SYSTEMS:
        auc = one(model, fm.group_auc)
        assert float(found.mean(model, "group_auc")) == auc.estimate
        np.testing.assert_array_equal(found.per_query(model, "group_auc"), auc.per_query)


def test_student_is_scipys(found: fm.RankingEvaluation) -> None:
    a, b = (found.per_query(model, "map") for model in ("weak", "good"))
    kept = ~np.isnan(a)
    pair = found.difference("weak", "good", "map")
    theirs = stats.ttest_rel(a[kept], b[kept])
    assert pair.pvalue == pytest.approx(theirs.pvalue, rel=1e-9)
    interval = theirs.confidence_interval(0.95)
    assert tuple(pair.confidence_interval) == pytest.approx(tuple(interval), rel=1e-9)
    mean = stats.ttest_1samp(a[kept], 0.0)
    assert tuple(found.mean("weak", "map").confidence_interval) == pytest.approx(
        tuple(mean.confidence_interval(0.95)), rel=1e-9
    )
    assert pair.standard_error == pytest.approx(stats.sem(a[kept] - b[kept]), rel=1e-12)


def test_the_other_tests_are_those_of_their_functions() -> None:
    values = {
        test: fm.evaluate_rankings(
            RELEVANCE, SYSTEMS, query=QUERY, metrics=["map"], test=test, rng=1
        ).difference("weak", "like", "map")
        for test in ("wilcoxon", "sign", "randomization")
    }
    d = values["sign"].differences
    a, b = (one(model, fm.mean_average_precision, per_query=True) for model in ("weak", "like"))
    np.testing.assert_array_equal(d, (a - b)[~np.isnan(a)])
    n_up, n_down = int((d > 0).sum()), int((d < 0).sum())
    pair = values["sign"]
    assert (pair.n_better, pair.n_worse, pair.n_equal) == (n_up, n_down, int((d == 0).sum()))
    assert pair.pvalue == pytest.approx(stats.binomtest(n_up, n_up + n_down).pvalue, rel=1e-12)
    ranks = fm.wilcoxon_signed_rank_test(d, higher_is_better=True)
    assert values["wilcoxon"].pvalue == ranks.pvalue
    flips = fm.sign_flip_test(d, higher_is_better=True, rng=9, n_resamples=99_999)
    assert values["randomization"].pvalue == pytest.approx(flips.pvalue, abs=0.02)


def test_holm_is_over_all_pairs_and_measures(found: fm.RankingEvaluation) -> None:
    assert len(found.differences) == 3 * len(METRICS)
    adjusted = fm.adjust_pvalues([pair.pvalue for pair in found.differences])
    assert [pair.pvalue_holm for pair in found.differences] == adjusted.tolist()


@pytest.mark.parametrize("adjustment", ["holm", "max-t"])
def test_nobody_is_better_beyond_p_and_interval(adjustment: Any) -> None:
    found = fm.evaluate_rankings(
        RELEVANCE, SYSTEMS, query=QUERY, metrics=METRICS, adjustment=adjustment, rng=1
    )
    winners = set()
    for pair in found.differences:
        decides = pair.pvalue_holm if adjustment == "holm" else pair.pvalue_max_t
        low, high = pair.confidence_interval
        expected = None
        if decides <= 0.05 and (low > 0 or high < 0):
            expected = pair.model_a if pair.difference > 0 else pair.model_b
        assert pair.better == expected
        winners.add(pair.better)
    assert winners == {None, "good"}
    for mean in found.means:
        worse = [
            {pair.model_a, pair.model_b} - {mean.model}
            for pair in found.differences
            if pair.metric == mean.metric and pair.better == mean.model
        ]
        assert set(mean.better_than) == {name for names in worse for name in names}


def test_two_queries_that_differ_alike_show_no_winner() -> None:
    relevance = [[1, 0, 0], [1, 0, 0]]
    scores = {"a": [[3, 2, 1], [3, 2, 1]], "b": [[2, 3, 1], [2, 3, 1]]}
    with pytest.warns(fm.DegenerateDataWarning, match="do not vary"):
        pair = fm.evaluate_rankings(relevance, scores, metrics="mrr").differences[0]
    assert (pair.pvalue, pair.pvalue_max_t, pair.better) == (0.0, 0.5, None)
    assert math.isnan(pair.confidence_interval.low)


def test_equal_systems_do_not_differ() -> None:
    scores = {"a": SYSTEMS["good"], "b": SYSTEMS["good"] * 2}
    for test in ("t", "wilcoxon", "sign", "randomization"):
        found = fm.evaluate_rankings(
            RELEVANCE, scores, query=QUERY, metrics=["ndcg"], test=test, rng=1
        )
        pair = found.differences[0]
        assert (pair.pvalue, pair.pvalue_holm, pair.pvalue_max_t) == (1.0, 1.0, 1.0)
        assert tuple(pair.confidence_interval) == (0.0, 0.0)
        assert pair.better is None


def test_a_query_without_relevant_items_is_left_out_for_all_and_counted(
    found: fm.RankingEvaluation,
) -> None:
    lost = int(np.bincount(QUERY, RELEVANCE > 0).tolist().count(0))
    assert found.n_left_out["map"] == lost > 0
    assert found.n_left_out["P@3"] == 0
    assert np.isnan(found.values[:, 1]).sum() == 3 * lost
    zeros = fm.evaluate_rankings(RELEVANCE, SYSTEMS, query=QUERY, metrics=["map"], no_relevant=0.0)
    assert zeros.n_left_out["map"] == 0
    assert zeros.mean("good", "map").estimate < found.mean("good", "map").estimate


def test_a_query_that_one_system_lacks_is_left_out_for_all() -> None:
    tables = {
        "a": fm.RankingTable.from_scores([[1, 0], [1, 0], [0, 1]], [[2, 1], [1, 2], [2, 1]]),
        "b": fm.RankingTable.from_scores([[1, 0], [1, 1], [0, 1]], [[2, 1], [1, 2], [1, 2]]),
    }
    found = fm.evaluate_rankings(tables, metrics={"auc": ("group_auc", {"weighting": "queries"})})
    assert found.n_left_out["auc"] == 1
    assert np.isnan(found.values[:, 0, 1]).all()
    assert found.mean("a", "auc").estimate == 0.5
    assert found.mean("b", "auc").estimate == 1.0


def test_cutoffs_notation_and_labels() -> None:
    def labels(metrics: Any, **options: Any) -> tuple[str, ...]:
        return fm.evaluate_rankings(
            RELEVANCE, SYSTEMS["good"], query=QUERY, metrics=metrics, **options
        ).metrics

    assert labels(["nDCG@10", "P@5", "recall@5", "AP", "RR@10"]) == (
        *("nDCG@10", "P@5", "recall@5", "AP", "RR@10"),
    )
    assert labels(["ndcg", "map@3", "bpref"], k=[5, 10]) == ("ndcg@5", "ndcg@10", "map@3", "bpref")
    assert labels("precision_at_k", k=5) == ("precision@5",)
    assert labels(("rank_biased_precision", {"persistence": 0.8})) == ("rank_biased_precision",)
    assert labels({"mine": ("ndcg@5", {"gain": "exponential"})}) == ("mine",)
    assert labels(("ndcg", "map")) == ("ndcg", "map")
    assert labels(fm.mean_average_precision) == ("mean_average_precision",)
    assert labels({"n3": partial(fm.ndcg, k=3)}) == ("n3",)
    two = fm.evaluate_rankings(
        RELEVANCE, SYSTEMS["good"], query=QUERY, metrics={"x": "precision_at_k"}, k=[1, 2]
    )
    assert two.mean("score", "x@2").estimate == one("good", fm.precision_at_k, k=2)


def test_forms_of_input_agree(found: fm.RankingEvaluation) -> None:
    import pandas as pd

    tables = {
        name: fm.RankingTable.from_scores(RELEVANCE, score, query=QUERY)
        for name, score in SYSTEMS.items()
    }
    options: dict[str, Any] = {"metrics": METRICS, "rng": 1}
    assert fm.evaluate_rankings(tables, **options) == found
    frame = pd.DataFrame(SYSTEMS)
    assert fm.evaluate_rankings(RELEVANCE, frame, query=QUERY, **options) == found
    order = np.random.default_rng(3).permutation(len(QUERY))
    shuffled = {name: score[order] for name, score in SYSTEMS.items()}
    again = fm.evaluate_rankings(RELEVANCE[order], shuffled, query=QUERY[order], **options)
    assert again == found
    assert fm.evaluate_rankings(RELEVANCE, SYSTEMS, query=QUERY, **options, n_threads=1) == found
    alone = fm.evaluate_rankings(tables["good"], metrics=METRICS)
    assert alone.models == ("score",)
    assert alone.mean("score", "map").estimate == found.mean("good", "map").estimate
    square = np.arange(12.0).reshape(3, 4)
    assert fm.evaluate_rankings(square % 5 > 3, square, metrics="mrr").models == ("score",)


def test_bootstrap_intervals_are_those_of_the_bootstrap_of_a_mean() -> None:
    for method in ("percentile", "basic", "bca", "studentized"):
        found = fm.evaluate_rankings(
            RELEVANCE, SYSTEMS, query=QUERY, metrics=["map"], method=method, n_resamples=500, rng=3
        )
        values = found.per_query("good", "map")
        own = fm.bootstrap(
            values[~np.isnan(values)], metrics="mean", method=method, n_resamples=500, rng=found.key
        )["mean"]
        assert found.mean("good", "map").confidence_interval == own.confidence_interval
        assert found.mean("good", "map").method == method
        pair = found.difference("weak", "good", "map")
        own = fm.bootstrap(
            pair.differences, metrics="mean", method=method, n_resamples=500, rng=found.key
        )["mean"]
        assert pair.confidence_interval == own.confidence_interval


def test_groups_are_the_units() -> None:
    groups = np.arange(N_QUERIES) % 30
    options: dict[str, Any] = {"query": QUERY, "metrics": ["P@3"], "rng": 1}
    found = fm.evaluate_rankings(RELEVANCE, SYSTEMS, groups=groups, **options)
    values = found.per_query("good", "P@3")
    # Groups of one size: the mean of their means, Student's t with one df a group less one.
    means = np.array([values[groups == group].mean() for group in range(30)])
    theirs = stats.ttest_1samp(means, 0.0).confidence_interval(0.95)
    mean = found.mean("good", "P@3")
    assert tuple(mean.confidence_interval) == pytest.approx(tuple(theirs), rel=1e-9)
    assert found.n_groups == 30
    named = {query: int(groups[query]) for query in range(N_QUERIES)}
    assert fm.evaluate_rankings(RELEVANCE, SYSTEMS, groups=named, **options) == found
    flipped = fm.evaluate_rankings(
        RELEVANCE, SYSTEMS, groups=groups, test="randomization", **options
    )
    d = found.difference("weak", "good", "P@3").differences
    own = fm.sign_flip_test(np.bincount(groups, d), higher_is_better=True)
    assert flipped.difference("weak", "good", "P@3").pvalue == own.pvalue
    with pytest.warns(SmallSampleWarning, match="3 groups"):
        fm.evaluate_rankings(RELEVANCE, SYSTEMS, groups=groups % 3, **options)


def test_hits_have_wilsons_interval() -> None:
    relevance = np.eye(20)
    scores = relevance.copy()
    mean = fm.evaluate_rankings(relevance, scores, metrics="hit_rate@1").means[0]
    wilson = fm.proportion_interval(20, 20, method="wilson")
    assert (mean.estimate, mean.method) == (1.0, "wilson")
    assert tuple(mean.confidence_interval) == tuple(wilson.confidence_interval)
    bca = fm.evaluate_rankings(relevance, scores, metrics="hit_rate@1", method="bca").means[0]
    assert math.isnan(bca.confidence_interval.low)
    assert "one value" in bca.note


def test_control() -> None:
    found = fm.evaluate_rankings(
        RELEVANCE, SYSTEMS, query=QUERY, metrics=["map"], control="like", rng=1
    )
    assert [(p.model_a, p.model_b) for p in found.differences] == [
        ("weak", "like"),
        ("good", "like"),
    ]


def test_ties_follow_their_rule() -> None:
    relevance, same = [[1, 0, 0, 0]], {"a": [[0, 0, 0, 0]]}
    values = {
        ties: fm.evaluate_rankings(relevance, same, metrics="mrr", ties=ties).means[0].estimate
        for ties in ("expected", "optimistic", "pessimistic")
    }
    assert values["expected"] == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4)
    assert (values["optimistic"], values["pessimistic"]) == (1.0, 0.25)


def test_what_is_shown(found: fm.RankingEvaluation) -> None:
    text = str(found)
    assert "¹ weak" in text
    assert "³ good" in text
    value = found.mean("good", "ndcg@5")
    assert value.better_than == ("weak", "like")
    assert f"{value.estimate:.4f}¹,² [" in text
    assert "Queries left out, for all systems alike: ndcg@5: " in text
    frame = found.to_frame()
    assert len(frame) == 3 * len(METRICS) * 2
    assert {"estimate", "low", "high", "pvalue_max_t", "minus_model"} <= set(frame.columns)
    assert "<table>" in found._repr_html_()
    assert repr(found).startswith("RankingEvaluation(weak, like, good: ndcg@5, map")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": "roc_auc"}, "'roc_auc', which is no measure of rankings"),
        ({"metrics": "ndgc@10"}, "did you mean 'ndcg'"),
        ({"metrics": ["map", "map"]}, "names 'map' 2 times"),
        ({"metrics": []}, "at least one measure"),
        ({"metrics": "precision"}, "needs its parameter 'k'"),
        ({"metrics": ("ndcg@5", {"k": 3})}, "and 'k' beside it"),
        ({"metrics": "map@0"}, "`k`"),
        ({"metrics": f"P@{10**30}"}, "`k`"),
        ({"k": 10**30}, "`k`"),
        ({"metrics": lambda a, b: 1.0}, "which is no measure of rankings"),
        ({"metrics": "ndcg_score"}, "which is no measure of rankings"),
        ({"metrics": 3}, "`metrics` must be"),
        ({"metrics": ("map", {"depth": 3})}, "has no parameter 'depth'"),
        ({"k": [5, 5]}, "cut-off or several that differ"),
        ({"k": 2.5}, "`k` must be"),
        ({"k": []}, "cut-off or several"),
        ({"control": "best"}, "`control`"),
        ({"test": "anova"}, "`test`"),
        ({"adjustment": "none"}, "`adjustment`"),
        ({"method": "wilson"}, "`method`"),
        ({"ties": "first"}, "`ties`"),
        ({"ties": "trec_eval"}, "needs `ids`"),
        ({"groups": [1, 2, 3]}, "each of the 60 queries: got 3"),
        ({"groups": {0: 1}}, "no group for query 1"),
        ({"groups": np.arange(60) % 40, "test": "sign"}, "takes queries for independent"),
        ({"relevant_from": 0}, "`relevant_from` must be positive"),
        ({"no_relevant": 2.0}, "`no_relevant`"),
        ({"confidence_level": 95}, "`confidence_level`"),
        ({"n_resamples": 0}, "`n_resamples`"),
    ],
)
def test_what_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fm.evaluate_rankings(RELEVANCE, SYSTEMS, query=QUERY, **options)


def test_data_that_are_refused() -> None:
    table = fm.RankingTable.from_scores([1, 0], [1, 2], query=[1, 1])
    other = fm.RankingTable.from_scores([1, 0], [1, 2], query=[2, 2])
    numbered = fm.RankingTable.from_scores([[1, 0]], [[1, 2]])
    with pytest.raises(ValueError, match="the first of them 1 of 'a'"):
        fm.evaluate_rankings({"a": table, "b": other})
    with pytest.raises(ValueError, match="'a' has 1 named, 'b' 1 numbered"):
        fm.evaluate_rankings({"a": table, "b": numbered})
    with pytest.raises(TypeError, match="pass no `query` with them"):
        fm.evaluate_rankings({"a": table}, query=[1, 1])
    with pytest.raises(TypeError, match="must be a RankingTable: got list"):
        fm.evaluate_rankings({"a": table, "b": [1, 2]})
    with pytest.raises(ValueError, match="at least one system"):
        fm.evaluate_rankings({})
    with pytest.raises(TypeError, match="`scores` is missing"):
        fm.evaluate_rankings([1, 0])
    with pytest.raises(ValueError, match=r"`scores\['b'\]` .*nan"):
        fm.evaluate_rankings([1, 0], {"a": [1.0, 2.0], "b": [1.0, math.nan]})
    with pytest.raises(ValueError, match=r"scores\['a'\]"):
        fm.evaluate_rankings([1, 0], {"a": [1.0, 2.0, 3.0]})


def test_a_measure_without_a_value_is_nan() -> None:
    with pytest.warns(UndefinedMetricWarning, match="'map' is undefined"):
        found = fm.evaluate_rankings([[0, 0]], {"a": [[1, 2]], "b": [[2, 1]]}, metrics=["map"])
    assert math.isnan(found.mean("a", "map").estimate)
    assert math.isnan(found.differences[0].pvalue_holm)
    assert found.differences[0].better is None
    assert "–" in str(found)


def test_names_that_are_not_there(found: fm.RankingEvaluation) -> None:
    with pytest.raises(KeyError, match="the systems are 'weak', 'like', 'good'"):
        found.per_query("best", "map")
    with pytest.raises(KeyError, match="the measures are"):
        found.mean("good", "ndcg@7")
    with pytest.raises(KeyError, match="the comparisons are"):
        found.difference("good", "weak", "map")


def test_intervals_of_differences_end_where_differences_do() -> None:
    two = {"a": [[3, 2, 1], [2, 3, 1]], "b": [[1, 3, 2], [2, 3, 1]]}
    relevance = np.array([[1, 0, 0], [0, 1, 0]])
    found = fm.evaluate_rankings(relevance, two, metrics="mrr")
    assert tuple(found.differences[0].confidence_interval) == (-1.0, 1.0)
    found = fm.evaluate_rankings(9 * relevance, two, metrics="dcg")
    assert found.differences[0].confidence_interval.high > 9


def test_one_comparison_is_adjusted_for_none() -> None:
    two = {"a": [[3, 2, 1], [1, 2, 3]], "b": [[2, 3, 1], [1, 2, 3]]}
    for metrics, said in (("mrr", "t test. p"), (["mrr", "map"], "adjusted for all 2 comparisons")):
        found = fm.evaluate_rankings([[1, 0, 0], [0, 1, 1]], two, metrics=metrics, rng=1)
        assert said in " ".join(str(found).split())
