"""Rank correlation by `estimate` and `compare`: derivatives, frequencies, groups, what is told."""

import math
from typing import Any

import numpy as np
import pytest

import fastmetrics as fm

few = pytest.mark.filterwarnings("ignore:the weights leave:fastmetrics.errors.SmallSampleWarning")


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


def test_groups(rng) -> None:
    outcome, score, _ = ranked(rng, 50)
    alone = estimated(outcome, score, "somers_d")
    once = estimated(outcome, score, "somers_d", groups=np.arange(50))
    assert once.standard_error == pytest.approx(alone.standard_error)
    twice = estimated(outcome * 2, score * 2, "somers_d", groups=np.tile(np.arange(50), 2))
    assert twice.estimate == once.estimate
    assert twice.standard_error == pytest.approx(once.standard_error, rel=1e-12)
    assert (twice.n_groups, alone.n_groups) == (50, None)


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
