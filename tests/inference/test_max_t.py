"""Max-T p-values of differences: against integrals, the studentized range, draws, and Holm."""

import itertools
import math

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
