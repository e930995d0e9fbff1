"""Rank correlation by `estimate` and `compare`: derivatives, frequencies, groups, what is told."""

import math
from typing import Any

import numpy as np
import pytest

import fastmetrics as fm
from reference import concordance_oracle as oracle

few = pytest.mark.filterwarnings("ignore:the weights leave:fastmetrics.errors.SmallSampleWarning")
METRICS: dict[str, Any] = {
    "tau_a": ("kendall_tau", {"variant": "a"}),
    "tau_b": "kendall_tau",
    "tau_c": ("kendall_tau", {"variant": "c"}),
    "somers_d": "somers_d",
    "somers_d_score": ("somers_d", {"given": "score"}),
    "somers_d_symmetric": ("somers_d", {"given": "neither"}),
    "gamma": "goodman_kruskal_gamma",
}


def ranked(rng: np.random.Generator, n: int = 16) -> tuple[list[int], list[int], list[int]]:
    outcome = rng.integers(0, 6, n)
    return (
        outcome.tolist(),
        (outcome + rng.integers(0, 5, n)).tolist(),
        rng.integers(1, 5, n).tolist(),
    )


def estimated(outcome: Any, score: Any, metric: Any, **rows: Any) -> fm.results.Estimate:
    (found,) = fm.estimate(outcome, score, metrics={"it": metric}, **rows).values()
    return found


@few
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("name", METRICS)
def test_error_is_the_sum_of_squared_derivatives(rng, name, is_weighted) -> None:
    outcome, score, weights = ranked(rng)
    used = weights if is_weighted else [1] * len(weights)
    by_row = oracle.influences(lambda w: oracle.measure(name, outcome, score, w), used)
    found = estimated(outcome, score, METRICS[name], sample_weight=weights if is_weighted else None)
    assert found.estimate == pytest.approx(oracle.measure(name, outcome, score, used), rel=1e-13)
    shares = np.array(used) / sum(used)
    left = 1 - 2 * (shares**3).sum() / (shares**2).sum() + (shares**2).sum()
    expected = sum(x * x for x in by_row) / left
    assert found.standard_error**2 == pytest.approx(expected, rel=1e-6)


def test_groups(rng) -> None:
    outcome, score, _ = ranked(rng, 50)
    alone = estimated(outcome, score, "somers_d")
    once = estimated(outcome, score, "somers_d", groups=np.arange(50))
    assert once.standard_error == pytest.approx(alone.standard_error)
    twice = estimated(outcome * 2, score * 2, "somers_d", groups=np.tile(np.arange(50), 2))
    assert twice.estimate == once.estimate
    assert twice.standard_error == pytest.approx(once.standard_error, rel=1e-12)
    assert (twice.n_groups, alone.n_groups) == (50, None)


def test_a_difference_is_by_the_difference_of_derivatives(rng) -> None:
    outcome, score, _ = ranked(rng)
    other = rng.integers(0, 9, len(outcome)).tolist()
    ones = [1] * len(outcome)
    (pair,) = fm.compare(outcome, {"a": score, "b": other}, metrics="somers_d")["somers_d"]

    def value(given: list[int], weights: Any) -> float:
        return oracle.measure("somers_d", outcome, given, weights)

    by_row = oracle.influences(lambda w: value(score, w) - value(other, w), ones)
    error = math.sqrt(sum(x * x for x in by_row) * 16 / 15)
    assert pair.estimate == pytest.approx(value(score, ones) - value(other, ones), rel=1e-12)
    assert pair.standard_error == pytest.approx(error, rel=1e-6)


@few
def test_undefined_or_without_variation(rng) -> None:
    weights = rng.random(400)
    for outcome, score in ((np.zeros(400), rng.random(400)), (rng.random(400), np.zeros(400))):
        for given in ({}, {"sample_weight": weights}):
            with pytest.warns(fm.UndefinedMetricWarning, match="`it` is not defined"):
                found = estimated(outcome, score, "kendall_tau", **given)
            assert math.isnan(found.estimate)
            assert math.isnan(found.standard_error)
    one_way = np.arange(400.0)
    for given in ({}, {"sample_weight": weights}):
        with pytest.warns(fm.DegenerateDataWarning, match="it has no interval"):
            found = estimated(one_way, one_way, "kendall_tau", **given)
        assert found.estimate == pytest.approx(1.0, rel=1e-15)


def test_replicates_are_of_the_function(rng) -> None:
    outcome, score, weights = ranked(rng, 60)
    given: Any = {"metrics": "somers_d", "n_resamples": 40, "rng": 1}
    found = fm.bootstrap(outcome, score, **given)["somers_d"]
    assert found.estimate == fm.concordance.somers_d(outcome, score)
    assert np.ptp(found.details.distribution) > 0
    with pytest.raises(ValueError, match="'somers_d' has no weights in replicates: see `estimate`"):
        fm.bootstrap(outcome, score, sample_weight=weights, **given)
