"""Limits of what two rates make: their sums and ratios, and what an AUC is times a number."""

import math
from typing import Any

import numpy as np
import pytest

import fastmetrics as fm

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
    found = estimate(counts, f"{name}_likelihood_ratio")
    first, other = positives / n_positive, negatives / n_negative
    assert found.estimate == pytest.approx(first / other)
    assert found.method == "wilson of both rates"
    above, below = wilson(positives, n_positive), wilson(negatives, n_negative)
    low, high = found.confidence_interval
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
    assert low <= found.estimate <= high


def test_a_ratio_of_which_no_mistake_was_seen_has_an_upper_limit() -> None:
    found = estimate([[30, 2], [0, 8]], "negative_likelihood_ratio")
    assert (found.estimate, found.confidence_interval.low) == (0, 0)
    assert 0.2 < found.confidence_interval.high < 1


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
    found = estimate(counts, "expected_cost", **given)
    down = up = 0.0
    for factor, hits, n in ((5.0 * prevalence, fn, fn + tp), (2.0 * (1 - prevalence), fp, fp + tn)):
        low, high = wilson(hits, n)
        down = math.hypot(down, factor * (hits / n - low))
        up = math.hypot(up, factor * (high - hits / n))
    low, high = found.confidence_interval
    assert low == pytest.approx(max(0.0, found.estimate - down), abs=1e-12)
    assert high == pytest.approx(found.estimate + up, rel=1e-12)


def test_costs_that_are_no_gains_are_not_negative() -> None:
    counts = [[40, 1], [1, 8]]
    for parameters, scale in (
        ({"cost_fn": 5.0, "cost_fp": 1.0}, "log"),
        ({"cost_matrix": [[0.0, 1.0], [5.0, -1.0]]}, "identity"),
    ):
        found = estimate(counts, "cost", **parameters)
        assert found.scale == scale
        assert (found.confidence_interval.low > 0) == (scale == "log")


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
    wanted = (2 * low - 1, 2 * high - 1)
    assert tuple(gini.confidence_interval) == pytest.approx(wanted, rel=1e-9)
