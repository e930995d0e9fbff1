"""Kendall's test of independence: all orders, scipy's p-values, ties."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

import fastmetrics as fm

SIDES = ["two-sided", "less", "greater"]


def excess(order) -> int:
    return sum(int(np.sign(b - a)) for a, b in itertools.combinations(order, 2))


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("score", [(3, 1, 2, 5, 4), (1, 2, 3, 4, 5), (5, 4, 1, 3, 2), (2, 1)])
def test_exact_counts_all_orders(score, alternative) -> None:
    own = excess(score)
    orders = [excess(order) for order in itertools.permutations(score)]
    extreme = {
        "two-sided": [abs(other) >= abs(own) for other in orders],
        "less": [other <= own for other in orders],
        "greater": [other >= own for other in orders],
    }[alternative]
    found = fm.concordance.kendall_test(range(len(score)), score, alternative=alternative)
    assert found.method == "Kendall test, exact"
    assert found.pvalue == pytest.approx(sum(extreme) / len(orders), rel=1e-15)


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize(("method", "at_scipy"), [("exact", "exact"), ("normal", "asymptotic")])
def test_is_scipy_without_ties(rng, method, at_scipy, alternative) -> None:
    for n in (3, 17, 60):
        outcome, score = rng.permutation(n), rng.permutation(n)
        found = fm.concordance.kendall_test(outcome, score, method=method, alternative=alternative)
        right = stats.kendalltau(outcome, score, method=at_scipy, alternative=alternative)
        assert found.pvalue == pytest.approx(right.pvalue, rel=1e-9)
        assert found.estimate == pytest.approx(right.statistic, rel=1e-12)


@pytest.mark.parametrize(
    ("n", "own", "scipys"),
    [
        (33, "exact", "exact"),
        (34, "exact", "asymptotic"),
        (50, "exact", "asymptotic"),
        (51, "normal", "asymptotic"),
    ],
)
def test_is_exact_by_default_up_to_more_rows_than_scipy(rng, n, own, scipys) -> None:
    columns = rng.permutation(n), rng.permutation(n)
    assert fm.concordance.kendall_test(*columns) == fm.concordance.kendall_test(
        *columns, method=own
    )
    assert stats.kendalltau(*columns) == stats.kendalltau(*columns, method=scipys)


@pytest.mark.parametrize("alternative", SIDES)
def test_is_scipy_with_ties(rng, alternative) -> None:
    for n in (3, 10, 400):
        outcome, score = (
            np.append([0, 1], rng.integers(0, 4, n)),
            np.append([1, 2], rng.integers(0, 9, n)),
        )
        found = fm.concordance.kendall_test(outcome, score, alternative=alternative)
        right = stats.kendalltau(outcome, score, method="asymptotic", alternative=alternative)
        assert found.method == "Kendall test, normal"
        assert found.pvalue == pytest.approx(right.pvalue, rel=1e-9)


def test_of_two_classes_it_is_the_rank_sum_test(rng) -> None:
    """With ties, the variance is that of Mann and Whitney's U."""
    labels = np.arange(60) % 2
    score = np.round(rng.normal(labels, 2.0))
    right = stats.mannwhitneyu(
        score[labels == 1], score[labels == 0], use_continuity=False, method="asymptotic"
    )
    assert fm.concordance.kendall_test(labels, score).pvalue == pytest.approx(
        right.pvalue, rel=1e-12
    )


def test_what_cannot_be_exact() -> None:
    with pytest.raises(ValueError, match="200 rows at most: there are ties"):
        fm.concordance.kendall_test([1, 1, 2], [1, 2, 3], method="exact")
    with pytest.raises(ValueError, match="200 rows at most: got 201 rows"):
        fm.concordance.kendall_test(range(201), range(201), method="exact")


def test_one_value_says_nothing() -> None:
    with pytest.warns(fm.UndefinedMetricWarning, match="all values of one side tie"):
        found = fm.concordance.kendall_test([1, 1, 1], [1, 2, 3])
    assert math.isnan(found.pvalue)
    assert math.isnan(found.estimate)
