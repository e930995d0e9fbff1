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
from fastmetrics.ranking import evaluate_rankings

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
def found() -> fm.results.RankingEvaluation:
    return evaluate_rankings(RELEVANCE, SYSTEMS, query=QUERY, metrics=METRICS, rng=1)


def one(model: str, function: Any, **options: Any) -> Any:
    return function(RELEVANCE, SYSTEMS[model], query=QUERY, **options)


@pytest.mark.parametrize(
    ("metric", "function", "options"),
    [
        ("ndcg@5", fm.ranking.ndcg, {"k": 5}),
        ("map", fm.ranking.mean_average_precision, {}),
        ("mrr", fm.ranking.mean_reciprocal_rank, {}),
        ("P@3", fm.ranking.precision_at_k, {"k": 3}),
    ],
)
@pytest.mark.parametrize("model", SYSTEMS)
def test_values_and_means_are_those_of_the_functions(
    found: fm.results.RankingEvaluation,
    model: str,
    metric: str,
    function: Any,
    options: dict[str, Any],
) -> None:
    values = one(model, function, per_query=True, **options)
    np.testing.assert_array_equal(found.per_query(model, metric), values)
    assert found[metric][model].estimate == one(model, function, **options)
    assert found[metric][model].n_samples == np.count_nonzero(~np.isnan(values))


def test_a_weighted_mean_is_that_of_its_function(found: fm.results.RankingEvaluation) -> None:
    for model in SYSTEMS:
        auc = one(model, fm.ranking.group_auc)
        assert float(found["group_auc"][model]) == auc.estimate
        np.testing.assert_array_equal(found.per_query(model, "group_auc"), auc.per_query)


def test_student_is_scipys(found: fm.results.RankingEvaluation) -> None:
    a, b = (found.per_query(model, "map") for model in ("weak", "good"))
    kept = ~np.isnan(a)
    pair = found["map"]["weak", "good"]
    theirs = stats.ttest_rel(a[kept], b[kept])
    assert pair.pvalue == pytest.approx(theirs.pvalue, rel=1e-9)
    interval = theirs.confidence_interval(0.95)
    assert tuple(pair.confidence_interval) == pytest.approx(tuple(interval), rel=1e-9)
    assert pair.standard_error == pytest.approx(stats.sem(a[kept] - b[kept]), rel=1e-12)


def test_means_and_pairs_are_those_of_estimate_and_compare(
    found: fm.results.RankingEvaluation,
) -> None:
    assert found.comparisons == fm.compare(RELEVANCE, SYSTEMS, query=QUERY, metrics=METRICS)
    assert found.verdict == found.comparisons.verdict
    assert found.means == tuple(mean for one in found.comparisons.values() for mean in one.models)
    own = fm.estimate(RELEVANCE, SYSTEMS["good"], query=QUERY, metrics=METRICS)
    alone = evaluate_rankings(RELEVANCE, SYSTEMS["good"], query=QUERY, metrics=METRICS)
    for metric in METRICS:
        assert alone[metric]["score"] == own[metric] == found[metric]["good"]
    assert (alone.differences, alone.verdict) == ((), "")


def test_the_randomization_test_flips_signs() -> None:
    options: dict[str, Any] = {"query": QUERY, "test": "randomization", "rng": 1}
    for metric, function in (
        ("map", fm.ranking.mean_average_precision),
        ("gauc", fm.ranking.group_auc),
    ):
        pair = evaluate_rankings(RELEVANCE, SYSTEMS, metrics=metric, **options)[metric][
            "weak", "like"
        ]
        if metric == "map":
            a, b = (one(model, function, per_query=True) for model in ("weak", "like"))
        else:
            a, b = (one(m, function).per_query * one(m, function).weights for m in ("weak", "like"))
        less = (a - b)[~np.isnan(a)]
        flips = fm.comparison.sign_flip_test(less, higher_is_better=True, rng=9, n_resamples=99_999)
        assert pair.pvalue == pytest.approx(flips.pvalue, abs=0.02)
        assert pair.standard_error == pytest.approx(
            fm.compare(RELEVANCE, SYSTEMS, query=QUERY, metrics=metric)[metric][
                "weak", "like"
            ].standard_error
        )


def test_holm_is_over_the_pairs_of_a_measure(found: fm.results.RankingEvaluation) -> None:
    assert len(found.differences) == 3 * len(METRICS)
    for one in found.comparisons.values():
        adjusted = fm.comparison.adjust_pvalues([pair.pvalue for pair in one.pairs])
        assert [pair.pvalue_holm for pair in one.pairs] == adjusted.tolist()


@pytest.mark.parametrize("adjustment", ["holm", "max-t"])
def test_nobody_is_better_beyond_p_and_interval(adjustment: Any) -> None:
    found = evaluate_rankings(
        RELEVANCE, SYSTEMS, query=QUERY, metrics=METRICS, adjustment=adjustment, rng=1
    )
    winners = set()
    decides = [pair.pvalue_holm for pair in found.differences]
    if adjustment == "max-t":
        decides = list(found.pvalues_max_t)
        assert decides != [pair.pvalue_holm for pair in found.differences]
    for pair, p in zip(found.differences, decides, strict=True):
        low, high = pair.confidence_interval
        expected = None
        if p < 0.05 and (low > 0 or high < 0):
            expected = pair.a if pair.difference > 0 else pair.b
        assert pair.better == expected
        winners.add(pair.better)
    assert winners == {None, "good"}


def test_two_queries_that_differ_alike_show_no_winner() -> None:
    relevance = [[1, 0, 0], [1, 0, 0]]
    scores = {"a": [[3, 2, 1], [3, 2, 1]], "b": [[2, 3, 1], [2, 3, 1]]}
    with pytest.warns(fm.DegenerateDataWarning) as caught:
        found = evaluate_rankings(relevance, scores, metrics="mrr", adjustment="max-t")
    (pair,) = found.differences
    assert "no row varies" in str(caught[-1].message)
    assert (pair.pvalue, found.pvalues_max_t, pair.better) == (0.0, (0.5,), None)
    assert "cannot be told apart" in found.verdict


def test_equal_systems_do_not_differ() -> None:
    scores = {"a": SYSTEMS["good"], "b": SYSTEMS["good"] * 2}
    for test in ("t", "randomization"):
        options: dict[str, Any] = {"test": test, "adjustment": "max-t", "rng": 1}
        with pytest.warns(fm.DegenerateDataWarning, match="nothing tells the models apart"):
            found = evaluate_rankings(RELEVANCE, scores, query=QUERY, metrics=["ndcg"], **options)
        (pair,) = found.differences
        assert (pair.pvalue, pair.pvalue_holm, found.pvalues_max_t) == (1.0, 1.0, (1.0,))
        assert pair.confidence_interval.low < 0.0 < pair.confidence_interval.high
        assert pair.better is None


def test_a_query_without_relevant_items_is_left_out_for_all_and_counted(
    found: fm.results.RankingEvaluation,
) -> None:
    lost = int(np.bincount(QUERY, RELEVANCE > 0).tolist().count(0))
    assert found.n_left_out["map"] == lost > 0
    assert found.n_left_out["P@3"] == 0
    assert np.isnan(found.values[:, 1]).sum() == 3 * lost
    zeros = evaluate_rankings(RELEVANCE, SYSTEMS, query=QUERY, metrics=["map"], no_relevant=0.0)
    assert zeros.n_left_out["map"] == 0
    assert zeros["map"]["good"].estimate < found["map"]["good"].estimate


@pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")
def test_a_query_that_one_system_lacks_is_left_out_for_all() -> None:
    tables = {
        "a": fm.RankingTable.from_scores([[1, 0], [1, 0], [0, 1]], [[2, 1], [1, 2], [2, 1]]),
        "b": fm.RankingTable.from_scores([[1, 0], [1, 1], [0, 1]], [[2, 1], [1, 2], [1, 2]]),
    }
    metrics = {"auc": ("group_auc", {"query_weighting": "queries"})}
    found = evaluate_rankings(tables, metrics=metrics)
    assert found.n_left_out["auc"] == 1
    assert np.isnan(found.values[:, 0, 1]).all()
    assert found["auc"]["a"].estimate == 0.5
    assert found["auc"]["b"].estimate == 1.0


def test_cutoffs_notation_and_labels() -> None:
    def labels(metrics: Any, **options: Any) -> tuple[str, ...]:
        return evaluate_rankings(
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
    assert labels(fm.ranking.mean_average_precision) == ("mean_average_precision",)
    assert labels({"n3": partial(fm.ranking.ndcg, k=3)}) == ("n3",)
    two = evaluate_rankings(
        RELEVANCE, SYSTEMS["good"], query=QUERY, metrics={"x": "precision_at_k"}, k=[1, 2]
    )
    assert two["x@2"]["score"].estimate == one("good", fm.ranking.precision_at_k, k=2)


def test_forms_of_input_agree(found: fm.results.RankingEvaluation) -> None:
    import pandas as pd

    tables = {
        name: fm.RankingTable.from_scores(RELEVANCE, score, query=QUERY)
        for name, score in SYSTEMS.items()
    }
    options: dict[str, Any] = {"metrics": METRICS, "rng": 1}
    assert evaluate_rankings(tables, **options) == found
    frame = pd.DataFrame(SYSTEMS)
    assert evaluate_rankings(RELEVANCE, frame, query=QUERY, **options) == found
    order = np.random.default_rng(3).permutation(len(QUERY))
    shuffled = {name: score[order] for name, score in SYSTEMS.items()}
    again = evaluate_rankings(RELEVANCE[order], shuffled, query=QUERY[order], **options)
    assert again == found
    assert evaluate_rankings(RELEVANCE, SYSTEMS, query=QUERY, **options, n_threads=1) == found
    alone = evaluate_rankings(tables["good"], metrics=METRICS)
    assert alone.models == ("score",)
    assert alone["map"]["score"].estimate == found["map"]["good"].estimate
    square = np.arange(12.0).reshape(3, 4)
    assert evaluate_rankings(square % 5 > 3, square, metrics="mrr").models == ("score",)


def test_groups_are_the_units() -> None:
    groups = np.arange(N_QUERIES) % 30
    options: dict[str, Any] = {"query": QUERY, "metrics": ["P@3"], "rng": 1}
    found = evaluate_rankings(RELEVANCE, SYSTEMS, groups=groups, **options)
    values = found.per_query("good", "P@3")
    # Groups of one size: the paired t test of their means, with one df a group less one.
    other = found.per_query("weak", "P@3")
    means = np.array([(values - other)[groups == group].mean() for group in range(30)])
    theirs = stats.ttest_1samp(means, 0.0)
    pair = found["P@3"]["weak", "good"]
    assert pair.pvalue == pytest.approx(theirs.pvalue, rel=1e-9)
    limits = theirs.confidence_interval(0.95)
    found_limits = (-pair.confidence_interval.high, -pair.confidence_interval.low)
    assert found_limits == pytest.approx(tuple(limits), rel=1e-9)
    assert found.n_groups == 30
    named = {query: int(groups[query]) for query in range(N_QUERIES)}
    assert evaluate_rankings(RELEVANCE, SYSTEMS, groups=named, **options) == found
    flipped = evaluate_rankings(RELEVANCE, SYSTEMS, groups=groups, test="randomization", **options)
    own = fm.comparison.sign_flip_test(np.bincount(groups, other - values), higher_is_better=True)
    assert flipped["P@3"]["weak", "good"].pvalue == own.pvalue
    with pytest.warns(SmallSampleWarning, match="3 groups"):
        evaluate_rankings(RELEVANCE, SYSTEMS, groups=groups % 3, **options)


def test_control() -> None:
    found = evaluate_rankings(
        RELEVANCE, SYSTEMS, query=QUERY, metrics=["map"], control="like", rng=1
    )
    assert [(p.a, p.b) for p in found.differences] == [
        ("weak", "like"),
        ("good", "like"),
    ]


@pytest.mark.filterwarnings("ignore:.*queries do not show:UserWarning")
def test_ties_follow_their_rule() -> None:
    relevance, same = [[1, 0, 0, 0]], {"a": [[0, 0, 0, 0]]}
    values = {
        ties: evaluate_rankings(relevance, same, metrics="mrr", ties=ties).means[0].estimate
        for ties in ("expected", "optimistic", "pessimistic")
    }
    assert values["expected"] == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4)
    assert (values["optimistic"], values["pessimistic"]) == (1.0, 0.25)


def test_what_is_shown(found: fm.results.RankingEvaluation) -> None:
    text = str(found)
    assert "¹ weak" in text
    assert "³ good" in text
    value = found["ndcg@5"]["good"]
    assert f"{value.estimate:.4f}¹,² [" in text
    assert "Queries left out, for all systems alike: ndcg@5: " in text
    frame = found.to_frame()
    assert len(frame) == 3 * len(METRICS) * 2
    assert {"estimate", "low", "high", "pvalue_holm", "minus_model"} <= set(frame.columns)
    assert found.verdict.split("\n")[0] in " ".join(text.split())
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
        ({"test": "wilcoxon"}, "`test`"),
        ({"adjustment": "none"}, "`adjustment`"),
        ({"ties": "first"}, "`ties`"),
        ({"ties": "trec_eval"}, "needs `ids`"),
        ({"groups": [1, 2, 3]}, "each of the 60 queries: got 3"),
        ({"groups": {0: 1}}, "no group for query 1"),
        ({"relevant_from": 0}, "`relevant_from` must be positive"),
        ({"no_relevant": 2.0}, "`no_relevant`"),
        ({"confidence_level": 95}, "`confidence_level`"),
        ({"n_resamples": 0}, "`n_resamples`"),
    ],
)
def test_what_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        evaluate_rankings(RELEVANCE, SYSTEMS, query=QUERY, **options)


def test_data_that_are_refused() -> None:
    table = fm.RankingTable.from_scores([1, 0], [1, 2], query=[1, 1])
    other = fm.RankingTable.from_scores([1, 0], [1, 2], query=[2, 2])
    numbered = fm.RankingTable.from_scores([[1, 0]], [[1, 2]])
    with pytest.raises(ValueError, match="the first of them 1 of 'a'"):
        evaluate_rankings({"a": table, "b": other})
    with pytest.raises(ValueError, match="'a' has 1 named, 'b' 1 numbered"):
        evaluate_rankings({"a": table, "b": numbered})
    with pytest.raises(TypeError, match="pass no `query` with them"):
        evaluate_rankings({"a": table}, query=[1, 1])
    with pytest.raises(TypeError, match="must be a RankingTable: got list"):
        evaluate_rankings({"a": table, "b": [1, 2]})
    with pytest.raises(ValueError, match="at least one system"):
        evaluate_rankings({})
    with pytest.raises(TypeError, match="`scores` is missing"):
        evaluate_rankings([1, 0])
    with pytest.raises(ValueError, match=r"`scores\['b'\]` .*nan"):
        evaluate_rankings([1, 0], {"a": [1.0, 2.0], "b": [1.0, math.nan]})
    with pytest.raises(ValueError, match=r"scores\['a'\]"):
        evaluate_rankings([1, 0], {"a": [1.0, 2.0, 3.0]})


def test_a_measure_without_a_value_is_nan() -> None:
    with pytest.warns(UndefinedMetricWarning, match="`map` is not defined"):
        found = evaluate_rankings([[0, 0]], {"a": [[1, 2]], "b": [[2, 1]]}, metrics=["map"])
    assert math.isnan(found["map"]["a"].estimate)
    assert math.isnan(found.differences[0].pvalue_holm)
    assert found.differences[0].better is None
    assert "–" in str(found)


def test_names_that_are_not_there(found: fm.results.RankingEvaluation) -> None:
    with pytest.raises(KeyError, match="the systems are 'weak', 'like', 'good'"):
        found.per_query("best", "map")
    with pytest.raises(KeyError, match="the measures are"):
        found["ndcg@7"]
    with pytest.raises(KeyError, match="the models are"):
        found["map"]["best"]
    with pytest.raises(KeyError, match="the pairs are"):
        found["map"]["good", "weak"]


def test_intervals_of_differences_end_where_differences_do() -> None:
    two = {"a": [[3, 2, 1], [2, 3, 1]], "b": [[1, 3, 2], [2, 3, 1]]}
    relevance = np.array([[1, 0, 0], [0, 1, 0]])
    found = evaluate_rankings(relevance, two, metrics="mrr")
    assert tuple(found.differences[0].confidence_interval) == (-1.0, 1.0)
    found = evaluate_rankings(relevance * [[9, 0, 0], [0, 4, 0]], two, metrics="dcg")
    assert found.differences[0].confidence_interval.high > 9


def test_what_decides_is_said() -> None:
    two = {"a": [[3, 2, 1], [1, 2, 3]], "b": [[2, 3, 1], [1, 2, 3]]}
    three = two | {"c": [[1, 2, 3], [2, 3, 1]]}
    cases: list[tuple[Any, Any, str]] = [
        (two, {"metrics": "mrr"}, "than these systems: p below 0.05"),
        (three, {"metrics": "mrr"}, "p (Holm), adjusted for the pairs of a measure, below"),
        (two, {"metrics": ["mrr", "map"], "adjustment": "max-t"}, "adjusted for all 2 comparisons"),
        (two, {"metrics": "mrr", "test": "randomization"}, "p: Fisher's randomization test"),
    ]
    for systems, options, said in cases:
        found = evaluate_rankings([[1, 0, 0], [0, 1, 1]], systems, **options, rng=1)
        text = " ".join(str(found).split())
        assert said in text
        assert ("`rng=" in text) == ("test" in options or "adjustment" in options)
