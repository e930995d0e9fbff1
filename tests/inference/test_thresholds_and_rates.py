"""Thresholds with a guarantee, limits of rates, and max-T p-values."""

import itertools
import math
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.stats import binom

import fastmetrics as fm
from fastmetrics.inference import reference
from fastmetrics.inference.reference import max_t_pvalues, pvalue

RNG = np.random.default_rng(5)
Y = RNG.integers(0, 2, 400)
S = RNG.normal(1.5 * Y)
P = 1 / (1 + np.exp(-(1.5 * S - 1.125)))


def largest_rank(n: int, probability: Fraction, delta: Fraction) -> int:
    """Return the largest k with P(X < k) <= delta, in whole numbers."""
    below = Fraction(0)
    k = 0
    while k <= n:
        below += math.comb(n, k) * probability**k * (1 - probability) ** (n - k)
        if below > delta:
            return k
        k += 1
    return n


@pytest.mark.parametrize("n", [1, 5, 58, 59, 60, 93, 200])
@pytest.mark.parametrize("delta", [Fraction(1, 2), Fraction(1, 20), Fraction(1, 1000)])
@pytest.mark.parametrize("bound", [Fraction(1, 2), Fraction(19, 20)])
@pytest.mark.filterwarnings("ignore::fastmetrics.errors.DegenerateDataWarning")
def test_ranks_are_those_of_the_binomial_distribution(
    n: int, delta: Fraction, bound: Fraction
) -> None:
    rank = largest_rank(n, 1 - bound, delta)
    scores = np.arange(n)
    y = np.append(np.ones(n, int), 0)
    s = np.append(scores, 0)
    guarantee = fm.guaranteed_threshold(y, s, recall=float(bound), delta=float(delta))
    assert guarantee.threshold == (scores[rank - 1] if rank else -math.inf)
    assert (guarantee.n_samples, guarantee.fn) == (n, max(rank - 1, 0))
    guarantee = fm.guaranteed_threshold(
        1 - y, s, false_positive_rate=float(1 - bound), delta=float(delta)
    )
    above = (scores[n - rank :] + 1).tolist() if rank else [math.inf]
    assert guarantee.threshold == (above[0] if above[0] < n else math.inf)
    assert guarantee.fp == (rank - 1 if rank else 0)


def test_too_few_rows_say_how_many_it_takes() -> None:
    with pytest.warns(fm.DegenerateDataWarning, match="59 positive rows"):
        guarantee = fm.guaranteed_threshold([1] * 58 + [0], np.arange(59), recall=0.95)
    assert guarantee.threshold == -math.inf
    assert (guarantee.tp, guarantee.fp, guarantee.value) == (58, 1, 1.0)
    with pytest.warns(fm.DegenerateDataWarning, match="59 negative rows"):
        guarantee = fm.guaranteed_threshold([0] * 58 + [1], np.arange(59), false_positive_rate=0.05)
    assert guarantee.threshold == math.inf
    assert (guarantee.tp, guarantee.fp, guarantee.value) == (0, 0, 0.0)


@pytest.mark.parametrize("levels", [3, 10, 0])
@pytest.mark.parametrize(("metric", "bound"), [("recall", 0.8), ("false_positive_rate", 0.2)])
@pytest.mark.filterwarnings("ignore::fastmetrics.errors.DegenerateDataWarning")
def test_promises_are_kept_with_ties_and_without(metric: str, bound: float, levels: int) -> None:
    """By simulation, with the population known: broken in at most one of ten, of 2,000 sets."""
    rng = np.random.default_rng(levels)
    broken = 0
    n = 2_000
    for _ in range(n):
        s = rng.random(60) if not levels else rng.integers(1, levels + 1, 60) / levels
        y = rng.permutation(np.arange(60) < 30).astype(int)
        given: dict[str, Any] = {metric: bound}
        t = fm.guaranteed_threshold(y, s, delta=0.1, **given).threshold
        if math.isinf(t):
            rate = float(t < 0)
        else:
            rate = 1 - t if not levels else (levels + 1 - round(t * levels)) / levels
        broken += rate < bound - 1e-12 if metric == "recall" else rate > bound + 1e-12
    assert broken / n <= 0.1 + 3 * math.sqrt(0.1 * 0.9 / n)
    if not levels:  # P(X < 3) = .044 of 30 draws at 1/5; of negatives the next score is taken
        assert broken / n == pytest.approx(0.044 if metric == "recall" else 0.022, abs=0.013)


def chosen_by_definition(grid: np.ndarray, pvalues: list[float], delta: float) -> list[int]:
    """Return the thresholds that ten starts reject, each at delta / 10, up to one not rejected."""
    n_starts = min(10, len(grid))
    kept = set[int]()
    for k in range(n_starts):
        for at in range(k * len(grid) // n_starts, len(grid)):
            if pvalues[at] > delta / n_starts:
                break
            kept.add(at)
    return sorted(kept)


@pytest.mark.parametrize("bound", [0.6, 0.7, 0.8])
@pytest.mark.parametrize("size", [1, 7, 60])
@pytest.mark.filterwarnings("ignore::fastmetrics.errors.UndefinedMetricWarning")
def test_precision_is_tested_exactly(bound: float, size: int) -> None:
    grid = np.linspace(2.5, -1.0, size) if size > 1 else np.array([0.5])
    called = [(t <= S) for t in grid]
    pvalues = [binom.sf((Y[c] == 1).sum() - 1, c.sum(), bound) for c in called]
    kept = chosen_by_definition(grid, pvalues, 0.05)
    guarantee = fm.guaranteed_threshold(Y, S, precision=bound, grid=RNG.permutation(grid))
    if not kept:
        assert math.isnan(guarantee.threshold)
        assert (guarantee.n_samples, guarantee.tp, guarantee.fn) == (0, 0, Y.sum())
        return
    assert guarantee.threshold == grid[kept[-1]]
    assert guarantee.value == Y[called[kept[-1]]].mean()
    assert guarantee.n_samples == called[kept[-1]].sum()


def test_probabilities_have_a_grid_of_their_own() -> None:
    guarantee = fm.guaranteed_threshold(Y, P, precision=0.7)
    odds = math.log(guarantee.threshold / (1 - guarantee.threshold))
    assert round(10 * odds) == pytest.approx(10 * odds, abs=1e-9)
    counts = (
        ((guarantee.threshold <= P) & (Y == 1)).sum(),
        ((guarantee.threshold <= P) & (Y == 0)).sum(),
    )
    assert (guarantee.tp, guarantee.fp) == counts


def test_a_table_is_as_good_as_its_rows_but_weights_are_refused() -> None:
    table = fm.ScoreTable.from_scores(Y, S)
    for metric in ("recall", "false_positive_rate"):
        given: dict[str, Any] = {metric: 0.5}
        assert fm.guaranteed_threshold(table, **given) == fm.guaranteed_threshold(Y, S, **given)
    weighted = fm.ScoreTable.from_scores(Y, S, sample_weight=RNG.random(len(Y)))
    with pytest.raises(fm.InputTypeError, match="how many rows there were"):
        fm.guaranteed_threshold(weighted, recall=0.9)


def test_an_evaluation_shows_what_each_model_can_promise() -> None:
    promises = {"recall": 0.8, "precision": 0.4}
    result = fm.evaluate(Y, {"a": P, "b": 1 - P}, guarantee=promises, confidence_level=0.9)
    guarantees = result["a"].guarantees
    assert guarantees == (
        fm.guaranteed_threshold(Y, P, recall=0.8, delta=1 - 0.9),
        fm.guaranteed_threshold(Y, P, precision=0.4, delta=1 - 0.9),
    )
    assert f"a: {guarantees[0].verdict}." in re.sub(r"\s+", " ", result.explain())
    shown = str(result["a"]).partition("\nguarantees\n")[2].splitlines()
    assert [line.split()[1] for line in shown[2:4]] == [*promises]
    assert [each["metric"] for each in result.to_dict()["models"][1]["guarantees"]] == [*promises]
    assert "guarantees" not in fm.evaluate(Y, P).to_dict()["models"][0]


@pytest.mark.parametrize(
    ("call", "given", "message"),
    [
        (fm.guaranteed_threshold, {"precision": 0.9, "grid": []}, "`grid`"),
        (fm.guaranteed_threshold, {"precision": 0.9, "grid": [math.nan]}, "`grid`"),
        (fm.guaranteed_threshold, {"precision": 0.7}, "scores leave \\[0, 1\\]: pass `guarant"),
        (fm.evaluate, {"guarantee": 0.9}, "`guarantee` must be a mapping"),
        (fm.evaluate, {"guarantee": {"recall": 0.9}, "groups": Y}, "not with `groups`"),
        (fm.evaluate, {"guarantee": {"recall": 0.9}, "sample_weight": Y}, "not with `sample_we"),
    ],
)
def test_promises_that_cannot_be_kept_are_refused(call, given, message) -> None:
    with pytest.raises((fm.InputError, fm.InputTypeError), match=message):
        call(Y, S, **given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"recall": 0.8},
            r"recall on new data is at least 0.8, with 95 % .* with {fp} false alarms among {n}",
        ),
        (
            {"recall": 0.9999},
            "recall .* where everything is positive; here .* with {n} false alarms",
        ),
        (
            {"false_positive_rate": 0.2},
            r"the false positive rate .* score >= .* with {fn} of {p} positives missed",
        ),
        (
            {"false_positive_rate": 1e-5},
            "the false positive rate .* where nothing is positive; .* {p} of {p} positives",
        ),
        ({"precision": 0.9999, "grid": [0.5]}, "no threshold keeps precision at least 0.9999 on"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_the_verdict_tells_the_price(given, said) -> None:
    guarantee = fm.guaranteed_threshold(Y, S, **given)
    counts = {"fp": guarantee.fp, "fn": guarantee.fn, "p": sum(Y == 1), "n": sum(Y == 0)}
    assert re.match(said.format(**counts), guarantee.verdict)


MATRICES = [[[40, 10], [5, 45]], [[150, 40], [1, 9]], [[30, 2], [0, 8]], [[1, 0], [3, 7]]]


def estimate(counts: Any, name: str, **parameters: Any) -> Any:
    matrix = fm.ConfusionMatrix.from_counts(counts)
    return fm.estimate(matrix, metrics={"it": (name, parameters)})["it"]


def wilson(hits: int, n: int) -> Any:
    return fm.comparison.proportion_interval(hits, n, method="wilson").confidence_interval


@pytest.mark.parametrize("counts", MATRICES)
@pytest.mark.parametrize(("name", "column"), [("positive", 1), ("negative", 0)])
def test_limits_of_a_ratio_are_where_the_difference_has_a_limit_of_0(counts, name, column) -> None:
    counts = np.array(counts)
    negatives, positives = counts[:, column]
    n_negative, n_positive = counts.sum(axis=1)
    if negatives == 0:
        return
    estimates = estimate(counts, f"{name}_likelihood_ratio")
    first = positives / n_positive
    other = negatives / n_negative
    assert estimates.estimate == pytest.approx(first / other)
    assert estimates.method == "wilson of both rates"
    above = wilson(positives, n_positive)
    below = wilson(negatives, n_negative)
    low, high = estimates.confidence_interval
    if low > 0:
        assert first - low * other == pytest.approx(
            math.hypot(first - above.low, low * (below.high - other)), abs=1e-12
        )
    else:
        assert positives == 0
    if math.isfinite(high):
        assert high * other - first == pytest.approx(
            math.hypot(above.high - first, high * (other - below.low)), abs=1e-12
        )
    assert low <= estimates.estimate <= high


def test_a_ratio_of_which_no_mistake_was_seen_has_an_upper_limit() -> None:
    estimates = estimate([[30, 2], [0, 8]], "negative_likelihood_ratio")
    assert (estimates.estimate, estimates.confidence_interval.low) == (0, 0)
    assert 0.2 < estimates.confidence_interval.high < 1


@pytest.mark.parametrize("alternative", ["less", "greater"])
def test_one_sided_limits_of_a_ratio_are_those_of_twice_the_error(alternative) -> None:
    matrix = fm.ConfusionMatrix.from_counts([[40, 10], [5, 45]])
    given = {"metrics": "positive_likelihood_ratio"}
    both = fm.estimate(matrix, confidence_level=0.9, **given).values()
    (both,) = (one.confidence_interval for one in both)
    (one,) = fm.estimate(matrix, confidence_level=0.95, alternative=alternative, **given).values()
    low, high = one.confidence_interval
    wanted = (both.low, math.inf) if alternative == "greater" else (0.0, both.high)
    assert (low, high) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("counts", MATRICES)
@pytest.mark.parametrize("prevalence", [0.1, 0.6, 0.0, 1.0])
def test_a_cost_at_a_prevalence_is_a_sum_of_two_rates(counts, prevalence) -> None:
    (tn, fp), (fn, tp) = counts
    given = {"cost_fn": 5.0, "cost_fp": 2.0, "prevalence": prevalence}
    estimates = estimate(counts, "expected_cost", **given)
    down = up = 0.0
    for factor, hits, n in ((5.0 * prevalence, fn, fn + tp), (2.0 * (1 - prevalence), fp, fp + tn)):
        low, high = wilson(hits, n)
        down = math.hypot(down, factor * (hits / n - low))
        up = math.hypot(up, factor * (high - hits / n))
    low, high = estimates.confidence_interval
    assert low == pytest.approx(max(0.0, estimates.estimate - down), abs=1e-12)
    assert high == pytest.approx(estimates.estimate + up, rel=1e-12)


def test_costs_that_are_no_gains_are_not_negative() -> None:
    counts = [[40, 1], [1, 8]]
    for parameters, scale in (
        ({"cost_fn": 5.0, "cost_fp": 1.0}, "log"),
        ({"cost_matrix": [[0.0, 1.0], [5.0, -1.0]]}, "identity"),
    ):
        estimates = estimate(counts, "cost", **parameters)
        assert estimates.scale == scale
        assert (estimates.confidence_interval.low > 0) == (scale == "log")


@pytest.mark.parametrize("n", [30, 400])
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_what_an_auc_is_times_a_number_has_its_limits(n, alternative) -> None:
    rng = np.random.default_rng(n)
    y = np.arange(n) % 5 == 0
    s = rng.normal(size=n) + 1.5 * y
    metrics = ["roc_auc", "rank_loss", "gini_coefficient"]
    auc, loss, gini = fm.estimate(y, s, metrics=metrics, alternative="two-sided").values()
    assert loss.method == gini.method == auc.method
    low, high = auc.confidence_interval
    assert tuple(loss.confidence_interval) == pytest.approx((1 - high, 1 - low), rel=1e-9)
    if alternative != "two-sided":
        auc, gini = fm.estimate(
            y, s, metrics=["roc_auc", "gini_coefficient"], alternative=alternative
        ).values()
        low, high = auc.confidence_interval
    # its scale, atanh(2 a - 1), is half the logit of a
    assert tuple(gini.confidence_interval) == pytest.approx((2 * low - 1, 2 * high - 1), rel=1e-9)


def of(z: float, pairs, covariance, alternative="two-sided", others=1.0) -> float:
    """Return the adjusted p-value of the most extreme of several differences."""
    pvalues = [pvalue(z, math.inf, alternative)] + [others] * (len(pairs) - 1)
    return max_t_pvalues(pvalues, pairs, covariance, alternative)[0]


def correlation(pairs, covariance):
    rows = np.array([np.eye(len(covariance))[a] - np.eye(len(covariance))[b] for a, b in pairs])
    actual = rows @ covariance @ rows.T
    return actual / np.sqrt(np.outer(actual.diagonal(), actual.diagonal()))


def random_covariance(rng, k: int):
    root = rng.normal(size=(k, k))
    return root @ root.T


@pytest.mark.parametrize("z", [0.5, 1.0, 2.0, 3.0, 5.0])
@pytest.mark.parametrize(("k", "near"), [(2, 1e-15), (3, 1e-4), (5, 3e-4), (8, 5e-4), (12, 3e-3)])
def test_all_pairs_of_independent_models_are_the_studentized_range(k, near, z) -> None:
    pairs = list(itertools.combinations(range(k), 2))
    right = stats.studentized_range.sf(z * math.sqrt(2.0), k, math.inf)
    assert of(z, pairs, 3.0 * np.eye(k)) == pytest.approx(right, abs=near)


@pytest.mark.pairwise
@pytest.mark.parametrize("z", [1.0, 2.0, 3.0])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize(("k", "near"), [(3, 1e-4), (4, 5e-4), (5, 5e-4), (7, 1e-3)])
def test_against_a_reference_it_is_the_multivariate_normal_integral(
    rng, k, near, alternative, z
) -> None:
    covariance = random_covariance(rng, k)
    pairs = [(i, k - 1) for i in range(k - 1)]
    ends = [z] * (k - 1)
    lower = [-z] * (k - 1) if alternative == "two-sided" else None
    precise = {"abseps": 1e-5, "releps": 1e-5, "maxpts": 10**5}
    between = correlation(pairs, covariance)
    right = 1.0 - stats.multivariate_normal.cdf(ends, cov=between, lower_limit=lower, **precise)
    signed = -z if alternative == "less" else z
    assert of(signed, pairs, covariance, alternative) == pytest.approx(right, abs=near)


def test_step_down_is_what_draws_say(rng) -> None:
    covariance = random_covariance(rng, 4)
    pairs = list(itertools.combinations(range(4), 2))
    z = np.array([2.8, -0.4, 1.9, 2.3, -2.6, 0.9])
    got = max_t_pvalues([pvalue(one, math.inf) for one in z], pairs, covariance)
    drawn = np.abs(
        rng.multivariate_normal(np.zeros(6), correlation(pairs, covariance), 400_000, method="svd")
    )
    largest = 0.0
    for place, i in enumerate(order := np.argsort(-np.abs(z))):
        chance = (drawn[:, order[place:]].max(axis=1) >= abs(z[i])).mean()
        largest = max(largest, chance)
        assert got[i] == pytest.approx(largest, abs=0.004)


def test_it_is_between_each_p_and_holms(rng) -> None:
    for k in (2, 3, 6):
        pairs = list(itertools.combinations(range(k), 2))
        pvalues = list(rng.random(len(pairs)) ** 3)
        got = max_t_pvalues(pvalues, pairs, random_covariance(rng, k))
        holm = fm.comparison.adjust_pvalues(pvalues)
        assert all(p <= q <= h for p, q, h in zip(pvalues, got, holm, strict=True))
        assert [got[i] for i in np.argsort(pvalues)] == sorted(got)


def test_edges() -> None:
    pairs = [(0, 1), (0, 2), (1, 2)]
    first, undefined, last = max_t_pvalues([0.0, math.nan, 0.5], pairs, np.eye(3))
    assert first == 0.0
    assert math.isnan(undefined)
    assert last == 0.5  # what is not defined is not counted
    same = np.ones((3, 3))  # three models that are one: differences of 0
    assert max_t_pvalues([1.0] * 3, pairs, same) == [1.0] * 3
    clones = np.array([[1.0, 0.0, 0.0], [0.0, 2.0, 2.0], [0.0, 2.0, 2.0]])
    got = max_t_pvalues([0.03, 0.03, 1.0], pairs, clones)
    assert got == pytest.approx([0.03, 0.03, 1.0], rel=1e-12)  # Holm would have 0.09
    assert max_t_pvalues([1e-300, 0.2, 0.3], pairs, np.eye(3))[0] == pytest.approx(3e-300, rel=0.1)


def five_models(rng):
    y = rng.integers(0, 2, 200)
    base = y + rng.normal(0, 1.5, 200)
    return y, {name: base + rng.normal(0, 0.7, 200) for name in "abcd"} | {"e": base}


def test_it_decides_where_the_covariance_is_known(rng) -> None:
    y, scores = five_models(rng)
    comparison = fm.compare(y, scores, metrics="roc_auc")["roc_auc"]
    holm = fm.comparison.adjust_pvalues([pair.pvalue for pair in comparison])
    for pair, most in zip(comparison, holm, strict=True):
        assert pair.pvalue <= pair.pvalue_adjusted <= most
        assert (pair.better is not None) == (pair.pvalue_adjusted < 0.05)
    assert min(pair.pvalue_adjusted for pair in comparison) < 0.95 * min(holm)
    assert comparison.adjustment == "max-T"
    assert "p is adjusted for the 10 pairs of a metric by max-T." in str(comparison)
    tested = fm.compare(y, scores, metrics=["roc_auc", "break_even_point"], n_resamples=99, rng=1)
    resampled = tested["break_even_point"]
    pvalues = [pair.pvalue for pair in resampled]
    assert [pair.pvalue_adjusted for pair in resampled] == list(map(float, reference.holm(pvalues)))
    assert resampled.adjustment == "Holm"
    assert "by max-T (Holm's method: break_even_point)" in " ".join(str(tested).split())
    two = fm.compare(y, {"a": scores["a"], "b": scores["b"]}, metrics="roc_auc")["roc_auc"]
    assert two.pairs[0].pvalue_adjusted == two.pairs[0].pvalue
    assert "p is adjusted for" not in str(two)


def test_it_is_the_same_on_every_run_and_number_of_threads(rng) -> None:
    y, scores = five_models(rng)
    scores |= {f"{name}2": values + rng.normal(0, 0.5, 200) for name, values in scores.items()}
    once, again = (
        fm.compare(y, scores, metrics="roc_auc", n_threads=n)["roc_auc"].pairs for n in (1, 2)
    )
    assert once == again


def test_a_model_that_max_t_alone_shows_is_better() -> None:
    """Models a and b are nearly equal: both pairs with c are one hypothesis, not two."""
    rng = np.random.default_rng(3)
    y = np.arange(400) % 2
    shared = y + rng.normal(size=400)
    near = shared + rng.normal(0, 0.01, 400)
    for noise in np.linspace(0.3, 1.5, 40):
        scores = {"a": shared, "b": near, "c": shared + noise * np.cos(np.arange(400.0) ** 2)}
        comparison = fm.compare(y, scores, metrics="roc_auc")["roc_auc"]
        pair = comparison["a", "c"]
        if (
            max(reference.holm([each.pvalue for each in comparison])[1:])
            > 0.05
            > pair.pvalue_adjusted
        ):
            break
    assert pair.better == "a"
    assert "a is better than c" in comparison.verdict or "a is best" in comparison.verdict


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("scale", [1e-120, 1e78])
def test_a_covariance_beyond_the_range_of_doubles_is_none(rng, scale) -> None:
    y = rng.normal(0, scale, 60)
    models = {name: y + rng.normal(0, scale, 60) for name in "abc"}
    comparison = fm.compare(y, models, metrics="mean_squared_error")["mean_squared_error"]
    assert comparison.adjustment == "Holm"
    assert comparison.better is None
