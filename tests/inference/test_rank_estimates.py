"""Rankings, ranks and censored times by `estimate` and `compare`."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

import fastmetrics as fm
from fastmetrics.errors import DegenerateDataWarning, SmallSampleWarning

F = Fraction
few = pytest.mark.filterwarnings("ignore:there are:fastmetrics.errors.SmallSampleWarning")


def reciprocal_ranks(relevance: Any, score: Any, query: Any) -> list[Fraction | None]:
    """Return 1 / rank of the first relevant item of each query, in their order; None without."""
    actual: list[Fraction | None] = []
    for name in sorted(set(query)):
        items = [(-s, r) for r, s, q in zip(relevance, score, query, strict=True) if q == name]
        hits = [rank for rank, (_, r) in enumerate(sorted(items), 1) if r]
        actual.append(F(1, hits[0]) if hits else None)
    return actual


def aucs(relevance: Any, score: Any, query: Any) -> list[tuple[Fraction, int] | None]:
    """Return the AUC of each query with its number of items; None where it has one class."""
    actual: list[tuple[Fraction, int] | None] = []
    for name in sorted(set(query)):
        items = [(s, r) for r, s, q in zip(relevance, score, query, strict=True) if q == name]
        pairs = [F(1 + (a > b) - (a < b), 2) for a, r in items for b, t in items if r and not t]
        actual.append((sum(pairs, F(0)) / len(pairs), len(items)) if pairs else None)
    return actual


def variance(
    values: Sequence[Fraction], weights: Sequence[int], groups: Sequence[int]
) -> tuple[Fraction, Fraction, Fraction]:
    """Return a weighted mean, its squared error, and the freedom of Kish's number of groups."""
    weights = [int(w) for w in weights]  # no NumPy integers, which overflow
    values = [F(int(v.numerator), int(v.denominator)) for v in values]
    total = F(sum(weights))
    mean = sum((w * v for v, w in zip(values, weights, strict=True)), F(0)) / total
    sums = dict[int, Fraction]()
    sizes = dict[int, Fraction]()
    for v, w, g in zip(values, weights, groups, strict=True):
        sums[g] = sums.get(g, F(0)) + w * (v - mean) / total
        sizes[g] = sizes.get(g, F(0)) + w / total
    kish, cubes = (sum((p**k for p in sizes.values()), F(0)) for k in (2, 3))
    own = dict.fromkeys(sums, F(0))
    every = sum(w * w for w in weights)
    for w, g in zip(weights, groups, strict=True):
        own[g] += F(w * w, every)
    left = {g: 1 - 2 * p + p * p / own[g] for g, p in sizes.items()}
    if len(sums) == len(values):  # rows have one factor for all
        left = dict.fromkeys(sums, 1 - 2 * cubes / kish + kish)
    return mean, sum((s * s / left[g] for g, s in sums.items()), F(0)), 1 / kish - 1


def data(rng: np.random.Generator, n: int = 24) -> tuple[Any, Any, Any, Any]:
    query = rng.permutation(np.repeat(np.arange(n), rng.integers(2, 7, n)))
    relevance = (rng.random(len(query)) < 0.4).astype(int)
    scores = rng.permuted(np.tile(np.arange(len(query)), (2, 1)), axis=1)
    return relevance, scores[0] + 20 * relevance, scores[1], query


def test_a_mean_is_that_of_its_queries_by_fractions(rng) -> None:
    relevance, score, _, query = data(rng)
    values = [v for v in reciprocal_ranks(relevance, score, query) if v is not None]
    mean, squares, df = variance(values, [1] * len(values), range(len(values)))
    estimate = fm.estimate(relevance, score, query=query, metrics="mrr")["mrr"]
    assert estimate.estimate == pytest.approx(float(mean), rel=1e-15)
    assert estimate.standard_error == pytest.approx(math.sqrt(squares), rel=1e-14)
    assert (estimate.n_samples, estimate.n_groups, estimate.df) == (
        len(values),
        None,
        len(values) - 1,
    )
    t = stats.t.ppf(0.975, float(df))
    slope = 1 / float(mean * (1 - mean))
    logit = math.log(float(mean / (1 - mean)))
    limits = [
        1 / (1 + math.exp(-logit - sign * t * slope * math.sqrt(squares))) for sign in (-1, 1)
    ]
    assert [*estimate.confidence_interval] == pytest.approx(limits, rel=1e-12)
    table = fm.RankingTable.from_scores(relevance, score, query=query)
    assert fm.estimate(table, metrics="mrr")["mrr"] == estimate


def test_a_weighted_mean_has_the_weights_of_its_queries(rng) -> None:
    relevance, score, _, query = data(rng)
    known = [each for each in aucs(relevance, score, query) if each is not None]
    values = [value for value, _ in known]
    mean, squares, df = variance(values, [n for _, n in known], range(len(values)))
    estimate = fm.estimate(relevance, score, query=query, metrics="GAUC")["GAUC"]
    assert estimate.estimate == pytest.approx(float(mean), rel=1e-14)
    assert estimate.standard_error == pytest.approx(math.sqrt(squares), rel=1e-12)
    assert estimate.df == pytest.approx(float(df), rel=1e-12)
    assert estimate.n_samples == len(values)


@few
@pytest.mark.parametrize("metric", ["mrr", "gauc"])
def test_groups_of_queries_by_fractions(rng, metric) -> None:
    relevance, first, second, query = data(rng)
    user = rng.integers(0, 7, query.max() + 1)
    options: dict[str, Any] = {"query": query, "metrics": metric, "groups": user[query]}
    comparison = fm.compare(relevance, {"a": first, "b": second}, **options)[metric]
    if metric == "mrr":
        both = [reciprocal_ranks(relevance, score, query) for score in (first, second)]
        kept = [k for k, value in enumerate(both[0]) if value is not None]
        values = [[own[k] for k in kept] for own in both]
        weights = [1] * len(kept)
    else:
        pairs = [aucs(relevance, score, query) for score in (first, second)]
        kept = [k for k, value in enumerate(pairs[0]) if value is not None]
        values = [[own[k][0] for k in kept] for own in pairs]  # type: ignore[index]
        weights = [pairs[0][k][1] for k in kept]  # type: ignore[index]
    groups = [int(user[k]) for k in kept]
    for own, model in zip(values, comparison.models, strict=True):
        mean, squares, _ = variance(own, weights, groups)  # type: ignore[arg-type]
        assert model.estimate == pytest.approx(float(mean), rel=1e-14)
        assert model.standard_error == pytest.approx(math.sqrt(squares), rel=1e-12)
    differences = [a - b for a, b in zip(*values, strict=True)]  # type: ignore[operator]
    mean, squares, df = variance(differences, weights, groups)
    (pair,) = comparison.pairs
    assert pair.estimate == pytest.approx(float(mean), rel=1e-12)
    assert pair.standard_error == pytest.approx(math.sqrt(squares), rel=1e-12)
    assert pair.df == pytest.approx(float(df), rel=1e-12)
    assert pair.pvalue == pytest.approx(2 * stats.t.sf(abs(pair.statistic), float(df)), rel=1e-9)
    assert (comparison.n_groups, comparison.samples_are) == (len(set(groups)), "queries")


def test_a_pair_is_scipys_paired_t(rng) -> None:
    relevance, first, second, query = data(rng, 40)
    scores = {"a": first, "b": second}
    comparisons = fm.compare(relevance, scores, query=query, metrics=["ndcg@3", "map"])
    for metric, function in (
        ("ndcg@3", fm.ranking.ndcg),
        ("map", fm.ranking.mean_average_precision),
    ):
        more: dict[str, Any] = {"k": 3} if metric == "ndcg@3" else {}
        a, b = (
            function(relevance, s, query=query, per_query=True, **more) for s in scores.values()
        )
        kept = ~np.isnan(a)
        theirs = stats.ttest_rel(a[kept], b[kept])
        pair = comparisons[metric]["a", "b"]
        assert pair.pvalue == pytest.approx(theirs.pvalue, rel=1e-9)
        interval = theirs.confidence_interval(0.95)
        assert [*pair.confidence_interval] == pytest.approx([*interval], rel=1e-9)


def test_hits_have_wilsons_interval_alone_and_beside_others() -> None:
    relevance = np.eye(20, dtype=int).ravel()
    query = np.repeat(np.arange(20), 20)
    scores = {"all": relevance, "most": np.where(query < 15, relevance, -relevance)}
    comparison = fm.compare(relevance, scores, query=query, metrics="hit_rate@1")["hit_rate@1"]
    for hits, model in zip((20, 15), comparison.models, strict=True):
        wilson = fm.comparison.proportion_interval(hits, 20, method="wilson").confidence_interval
        assert (model.estimate, model.method) == (hits / 20, "wilson")
        assert [*model.confidence_interval] == pytest.approx([*wilson], rel=1e-15)
    alone = fm.estimate(relevance, scores["most"], query=query, metrics="hit_rate@1")
    assert alone["hit_rate@1"] == comparison.models[1]


@few
@pytest.mark.parametrize("groups", [None, np.arange(40) // 4])
def test_what_rounding_leaves_is_no_difference(rng, groups) -> None:
    y = np.arange(40) % 2
    p = rng.uniform(0.1, 0.9, 40)
    models = {"a": p, "b": np.nextafter(p, 1.0)}
    with pytest.warns(DegenerateDataWarning, match="nothing tells the models apart"):
        comparisons = fm.compare(y, models, metrics=["brier_score", "log_loss"], groups=groups)
    for one in comparisons.values():
        (pair,) = one.pairs
        assert (pair.estimate, pair.standard_error, pair.pvalue, pair.better) == (0, 0, 1, None)
        low, high = pair.confidence_interval
        assert low == -high < 0.0  # of what the rows cannot have seen


@few
def test_differences_that_cancel_in_every_group_are_none() -> None:
    """Each user has two queries: one is better by as much as the other is worse."""
    rng = np.random.default_rng(3)
    ranks = [rng.permutation(9) for _ in range(10)]
    relevance = np.tile(np.arange(9) < 3, 20)
    query = np.repeat(np.arange(20), 9)
    own = [rank for rank in ranks for _ in range(2)]
    other = [np.flip(rank) if k % 2 else rank for k, rank in enumerate(own)]
    swapped = [other[k + 1 - 2 * (k % 2)] for k in range(20)]
    scores = {"a": np.concatenate(other), "b": np.concatenate(swapped)}
    with pytest.warns(DegenerateDataWarning, match="nothing tells the models apart"):
        comparisons = fm.compare(relevance, scores, query=query, metrics="ndcg", groups=query // 2)
    (pair,) = comparisons["ndcg"].pairs
    assert (pair.estimate, pair.pvalue) == (0.0, 1.0)
    assert "no query varies" in str(comparisons)


def test_the_verdict_speaks_of_queries(rng) -> None:
    relevance, first, second, query = data(rng, 60)
    scores = {"new": first + 40 * relevance, "old": second}
    comparisons = fm.compare(relevance, scores, query=query, metrics="mrr")
    assert comparisons.verdict == "new is better than old in mrr."
    alike = {"new": second, "old": second + rng.normal(size=len(second))}
    comparisons = fm.compare(relevance, alike, query=query, metrics="mrr")
    assert comparisons.verdict == "No significant difference between new and old in mrr."
    n = sum(value is not None for value in reciprocal_ranks(relevance, first, query))
    assert f"With these {n} queries a difference is significant from 0." in str(comparisons)


def test_parameters_and_directions(rng) -> None:
    relevance, first, _, query = data(rng)
    asked = {"zero": ("map", {"no_relevant": 0.0}), "left out": "map"}
    estimates = fm.estimate(relevance, first, query=query, metrics=asked)
    assert estimates["zero"].n_samples == query.max() + 1 > estimates["left out"].n_samples
    for options in ({}, {"n_threads": 1}):
        again = fm.estimate(relevance, first, query=query, metrics="map", **options)["map"]
        assert again.estimate == estimates["left out"].estimate
    less = fm.estimate(relevance, first, query=query, metrics="map", alternative="less")["map"]
    assert less.confidence_interval.low == 0.0


def test_what_is_refused(rng) -> None:
    relevance, first, second, query = data(rng)
    good: dict[str, Any] = {"query": query, "metrics": "map"}

    def refused(match: str, *arguments: Any, **options: Any) -> None:
        with pytest.raises(ValueError, match=match):
            fm.estimate(*(arguments or (relevance, first)), **good | options)

    refused("'roc_auc', which is no metric of rankings", metrics="roc_auc")
    refused("has no replicates of queries", method="bca")
    refused("`method='wilson'` is for shares", method="wilson")
    refused("`threshold` is of rows", threshold=0.5)
    refused("`sample_weight` is of rows", sample_weight=np.ones(len(query)))
    refused("`event` is of rows", event=relevance)
    refused("one group for all items of a query", groups=np.arange(len(query)))
    refused("compare", relevance, {"a": first, "b": second})
    table = fm.RankingTable.from_scores(relevance, first, query=query)
    refused("a RankingTable comes alone: pass no `query`", table)
    refused("no `y_score`", table, first, query=None)
    refused("query=..., metrics='map'", query=None)
    with pytest.raises(ValueError, match="has no replicates of queries"):
        fm.compare(relevance, {"a": first, "b": second}, **good, method="bootstrap")
    with pytest.warns(SmallSampleWarning, match="there are 4 groups"):
        fm.estimate(relevance, first, **good, groups=query % 4)


few_correlation = pytest.mark.filterwarnings(
    "ignore:the weights leave:fastmetrics.errors.SmallSampleWarning"
)


def ranked(rng: np.random.Generator, n: int = 16) -> tuple[list[int], list[int], list[int]]:
    outcome = rng.integers(0, 6, n)
    return (
        outcome.tolist(),
        (outcome + rng.integers(0, 5, n)).tolist(),
        rng.integers(1, 5, n).tolist(),
    )


def estimated(outcome: Any, score: Any, metric: Any, **rows: Any) -> fm.results.Estimate:
    (actual,) = fm.estimate(outcome, score, metrics={"it": metric}, **rows).values()
    return actual


def test_groups(rng) -> None:
    outcome, score, _ = ranked(rng, 50)
    alone = estimated(outcome, score, "somers_d")
    once = estimated(outcome, score, "somers_d", groups=np.arange(50))
    assert once.standard_error == pytest.approx(alone.standard_error)
    twice = estimated(outcome * 2, score * 2, "somers_d", groups=np.tile(np.arange(50), 2))
    assert twice.estimate == once.estimate
    assert twice.standard_error == pytest.approx(once.standard_error, rel=1e-12)
    assert (twice.n_groups, alone.n_groups) == (50, None)


@few_correlation
def test_undefined_or_without_variation(rng) -> None:
    weights = rng.random(400)
    for outcome, score in ((np.zeros(400), rng.random(400)), (rng.random(400), np.zeros(400))):
        for given in ({}, {"sample_weight": weights}):
            with pytest.warns(fm.UndefinedMetricWarning, match="`it` is not defined"):
                actual = estimated(outcome, score, "kendall_tau", **given)
            assert math.isnan(actual.estimate)
            assert math.isnan(actual.standard_error)
    one_way = np.arange(400.0)
    for given in ({}, {"sample_weight": weights}):
        with pytest.warns(fm.DegenerateDataWarning, match="it has no interval"):
            actual = estimated(one_way, one_way, "kendall_tau", **given)
        assert actual.estimate == pytest.approx(1.0, rel=1e-15)


def test_replicates_are_of_the_function(rng) -> None:
    outcome, score, weights = ranked(rng, 60)
    given: Any = {"metrics": "somers_d", "n_resamples": 40, "rng": 1}
    estimate = fm.bootstrap(outcome, score, **given)["somers_d"]
    assert estimate.estimate == fm.concordance.somers_d(outcome, score)
    assert np.ptp(estimate.details.distribution) > 0
    with pytest.raises(ValueError, match="'somers_d' has no weights in replicates: see `estimate`"):
        fm.bootstrap(outcome, score, sample_weight=weights, **given)


LONGER: Any = {"higher_score_means": "longer-time"}
INDEX = ("concordance_index", LONGER)


def censored(rng: np.random.Generator, n: int = 15) -> tuple[list[int], list[bool], list[int]]:
    time = rng.integers(1, 12, n)
    return time.tolist(), (rng.random(n) < 0.7).tolist(), (time + rng.integers(0, 9, n)).tolist()


def estimated_times(
    time: Any, event: Any, score: Any, how: Any = LONGER, **rows: Any
) -> fm.results.Estimate:
    asked = {"it": ("concordance_index", how)}
    return fm.estimate(time, score, event=event, metrics=asked, **rows)["it"]


def test_value_is_that_of_the_function(rng) -> None:
    time, event, score = censored(rng, 60)
    for more in ({}, {"weighting": "uno", "tau": 9}, {"ties_in_score": "excluded"}):
        how = LONGER | more
        times = estimated_times(time, event, score, how)
        assert times.estimate == pytest.approx(
            fm.concordance.concordance_index(time, event, score, **how)
        )
        other = estimated_times(time, event, score, how | {"higher_score_means": "shorter-time"})
        assert times.estimate + other.estimate == pytest.approx(1.0, rel=1e-14)


def test_groups_and_strata(rng) -> None:
    columns = censored(rng, 50)
    alone = estimated_times(*columns)
    once = estimated_times(*columns, groups=np.arange(50))
    assert once.standard_error == pytest.approx(alone.standard_error)
    twice = estimated_times(*(column * 2 for column in columns), groups=np.tile(np.arange(50), 2))
    assert twice.standard_error == pytest.approx(once.standard_error, rel=1e-12)
    assert (twice.n_groups, alone.n_groups) == (50, None)
    apart = estimated_times(*columns, strata=np.arange(50) % 2)
    assert apart.standard_error != alone.standard_error


def test_undefined_or_without_variation_times() -> None:
    with pytest.warns(fm.UndefinedMetricWarning, match="`it` is not defined"):
        assert math.isnan(estimated_times([1, 2], [0, 0], [1, 2]).confidence_interval.high)
    with pytest.warns(fm.DegenerateDataWarning, match="it has no interval"):
        times = estimated_times([1, 2, 3, 4], [1, 1, 1, 1], [1, 2, 3, 4])
    assert (times.estimate, times.standard_error) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"metrics": "concordance_index"}, "needs its parameter 'higher_score_means'"),
        ({"metrics": INDEX, "event": None}, "`concordance_index` needs `event`"),
        ({"metrics": "brier_score"}, "`event` is of censored times: `brier_score` is not measured"),
        ({"metrics": INDEX, "method": "bootstrap"}, "has no replicates of censored times"),
        ({"metrics": "break_even_point"}, "`break_even_point` has no replicates of censored times"),
        (
            {"metrics": ("concordance_index", {"higher_score_means": None})},
            "`higher_score_means` must be",
        ),
    ],
)
def test_faults(given, said) -> None:
    for call, scores in ((fm.estimate, [1, 2, 3]), (fm.compare, {"a": [1, 2, 3], "b": [3, 2, 1]})):
        with pytest.raises((TypeError, ValueError), match=said):
            call([1, 2, 3], scores, **({"event": [1, 0, 1]} | given))


def test_faults_are_named_as_in_the_call() -> None:
    with pytest.raises(ValueError, match="`y_true` must not be negative"):
        fm.estimate([-1, 2], [1, 2], event=[1, 0], metrics=INDEX)
    with pytest.raises(ValueError, match=r"`estimate\(time, score, event=..., metrics="):
        fm.bootstrap([0, 1], [1, 2], metrics=INDEX)
