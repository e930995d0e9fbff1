"""Max-T p-values of differences: against integrals, the studentized range, draws, and Holm."""

import itertools
import math
import pickle

import numpy as np
import pytest
from scipy import stats

import fastmetrics as fm
from fastmetrics.inference.reference import max_t_pvalues, pvalue


def of(z: float, pairs, covariance, alternative="two-sided", others=1.0) -> float:
    """Return the adjusted p-value of the most extreme of several differences."""
    pvalues = [pvalue(z, math.inf, alternative)] + [others] * (len(pairs) - 1)
    return max_t_pvalues(pvalues, pairs, covariance, alternative)[0]


def correlation(pairs, covariance):
    rows = np.array([np.eye(len(covariance))[a] - np.eye(len(covariance))[b] for a, b in pairs])
    found = rows @ covariance @ rows.T
    return found / np.sqrt(np.outer(found.diagonal(), found.diagonal()))


def random_covariance(rng, k: int):
    root = rng.normal(size=(k, k))
    return root @ root.T


@pytest.mark.parametrize("z", [0.5, 1.0, 2.0, 3.0, 5.0])
@pytest.mark.parametrize(("k", "near"), [(2, 1e-9), (3, 1e-7), (4, 1e-3), (5, 5e-3), (8, 0.03)])
def test_all_pairs_of_independent_models_are_the_studentized_range(k, near, z) -> None:
    pairs = list(itertools.combinations(range(k), 2))
    right = stats.studentized_range.sf(z * math.sqrt(2.0), k, math.inf)
    assert of(z, pairs, 3.0 * np.eye(k)) == pytest.approx(right, rel=near)


@pytest.mark.pairwise
@pytest.mark.parametrize("z", [1.0, 2.0, 3.0])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize(("k", "near"), [(3, 1e-6), (4, 1e-3), (5, 0.005)])
def test_against_a_reference_it_is_the_multivariate_normal_integral(
    rng, k, near, alternative, z
) -> None:
    covariance, pairs = random_covariance(rng, k), [(i, k - 1) for i in range(k - 1)]
    normal = stats.multivariate_normal(
        np.zeros(k - 1), correlation(pairs, covariance), abseps=1e-8, releps=1e-8, maxpts=10**6
    )
    ends = [z] * (k - 1)
    lower = [-z] * (k - 1) if alternative == "two-sided" else None
    right = 1.0 - normal.cdf(ends, lower_limit=lower)
    signed = -z if alternative == "less" else z
    assert of(signed, pairs, covariance, alternative) == pytest.approx(right, rel=near)


def test_step_down_is_what_draws_say(rng) -> None:
    covariance, pairs = random_covariance(rng, 4), list(itertools.combinations(range(4), 2))
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
        assert got == max_t_pvalues(pvalues, pairs, random_covariance(rng, k)) or k > 2


def test_edges() -> None:
    pairs = [(0, 1), (0, 2), (1, 2)]
    assert all(map(math.isnan, max_t_pvalues([0.1] * 3, pairs, np.full((3, 3), np.nan))))
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


def test_of_a_comparison(rng) -> None:
    y = rng.integers(0, 2, 200)
    base = y + rng.normal(0, 1.5, 200)
    scores = {name: base + rng.normal(0, 0.7, 200) for name in "abcd"} | {"e": base}
    found = fm.compare(y, scores, metrics="roc_auc")["roc_auc"]
    assert found.pvalue_max_t == found.pvalue_max_t
    for pair, p in zip(found.pairs, found.pvalue_max_t, strict=True):
        assert pair.pvalue <= p <= pair.pvalue_holm
    assert min(found.pvalue_max_t) < 0.95 * min(pair.pvalue_holm for pair in found)
    assert "p (max-T)" in str(found)
    resampled = fm.compare(y, scores, metrics="break_even_point", n_resamples=99, rng=1)[
        "break_even_point"
    ]
    assert all(map(math.isnan, resampled.pvalue_max_t))
    two = fm.compare(y, {"a": scores["a"], "b": scores["b"]}, metrics="roc_auc")["roc_auc"]
    assert two.pvalue_max_t == (two.pairs[0].pvalue,)


def joined(found) -> list[float]:
    return list(itertools.chain(*found.pvalue_max_t.values()))


@pytest.mark.parametrize("rows", [{}, {"groups": np.arange(300) // 3}])
def test_over_all_measures_it_is_the_maximum_of_draws(rng, rows) -> None:
    """By influences written out, of a measure by class and another, and a normal maximum."""
    y = rng.integers(0, 2, 300)
    chances = {name: rng.beta(2 + y, 3 - y) for name in "ab"}
    chances["c"] = np.clip(0.8 * chances["a"] + 0.1 + rng.normal(0, 0.05, 300), 0.01, 0.99)
    metrics = ["roc_auc", "brier_score"]
    found = fm.compare(y, chances, metrics=metrics, joint=True, **rows)
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    moved = []
    for name in metrics:
        for one in chances.values():
            if name == "brier_score":
                moved.append((one - y) ** 2 - np.mean((one - y) ** 2))
                continue
            won = (one[y == 1][:, None] > one[y == 0]) + 0.5 * (one[y == 1][:, None] == one[y == 0])
            own = np.zeros(300)
            own[y == 1], own[y == 0] = won.mean(axis=1) - won.mean(), won.mean(axis=0) - won.mean()
            moved.append(own / np.where(y == 1, y.sum(), 300 - y.sum()) * 300)
    own = np.array(moved)
    if rows:
        own = own.reshape(6, 100, 3).sum(axis=2)
    differences = np.array(
        [own[k + "abc".index(a)] - own[k + "abc".index(b)] for k in (0, 3) for a, b in pairs]
    )
    drawn = np.abs(
        rng.multivariate_normal(np.zeros(6), np.corrcoef(differences), 400_000, method="svd")
    )
    pvalues = [pair.pvalue for one in found.values() for pair in one]
    z = stats.norm.isf(np.array(pvalues) / 2)
    largest = 0.0
    got = joined(found)
    for place, i in enumerate(order := np.argsort(pvalues)):
        largest = max(largest, (drawn[:, order[place:]].max(axis=1) >= z[i]).mean())
        assert got[i] == pytest.approx(largest, abs=0.006)


DESIGNS = {
    "rows": {},
    "groups": {"groups": np.arange(300) % 40},
    "strata": {"strata": np.arange(300) % 3},
    "importances": {"sample_weight": np.arange(300) % 5 / 3},
    "frequencies": {"sample_weight": np.arange(300) % 4, "weights_are": "frequencies"},
}


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("alternative", ["two-sided", "less"])
def test_over_all_measures_it_is_never_above_holm(rng, design, alternative) -> None:
    y = rng.integers(0, 2, 300)
    chances = {name: rng.beta(2 + y, 3 - y) for name in "abc"}
    options = {"threshold": 0.5, "alternative": alternative, **DESIGNS[design]}
    found = fm.compare(y, chances, metrics=["roc_auc", "f1", "log_loss"], joint=True, **options)
    pvalues = [pair.pvalue for one in found.values() for pair in one]
    holm = fm.comparison.adjust_pvalues(pvalues)
    assert all(p <= q <= h for p, q, h in zip(pvalues, joined(found), holm, strict=True))
    assert min(np.array(joined(found)) / holm) < 0.9
    for k, one in enumerate(found.values()):
        block = found._covariance[3 * k : 3 * k + 3, 3 * k : 3 * k + 3]
        assert block == pytest.approx(one.covariance, rel=1e-11)
    alone = fm.compare(y, chances, metrics="f1", joint=True, **options)
    assert alone.pvalue_max_t["f1"] == pytest.approx(alone["f1"].pvalue_max_t, rel=1e-9)


def test_over_all_measures_on_demand(rng) -> None:
    y, scores = rng.integers(0, 2, 200), {}
    for name, gain in (("a", 2.0), ("b", 0.5)):
        scores[name] = 1 / (1 + np.exp(-gain * y - rng.normal(size=200)))
    metrics = ["roc_auc", "brier_score"]
    plain = fm.compare(y, scores, metrics=metrics)
    assert all(map(math.isnan, joined(plain)))
    assert "Holm" in plain.verdict
    found = fm.compare(y, scores, metrics=metrics, joint=True)
    assert found.verdict.endswith("stands the adjustment by max-T over the 2 measures too.")
    assert pickle.loads(pickle.dumps(found)).pvalue_max_t == found.pvalue_max_t
    with pytest.raises(ValueError, match="`joint` needs influences of rows: `break_even_point`"):
        fm.compare(y, scores, metrics=["roc_auc", "break_even_point"], joint=True)
    with pytest.raises(ValueError, match="`joint` needs influences of rows: `roc_auc`"):
        fm.compare(y, scores, metrics="roc_auc", joint=True, method="bootstrap")
    with pytest.raises(TypeError, match="`joint` must be True or False"):
        fm.compare(y, scores, metrics="roc_auc", joint=1)
    query = np.repeat(np.arange(40), 5)
    y[:5] = 1  # all items of a query relevant: no AUC
    asked = {"query": query, "joint": True}
    assert len(joined(fm.compare(y, scores, metrics=["mrr", "ndcg"], **asked))) == 2
    with pytest.raises(ValueError, match="`joint` needs measures of the same queries: got"):
        fm.compare(y, scores, metrics=["mrr", "group_auc"], **asked)
