"""Censored times by `estimate` and `compare`: derivatives, R's error, groups, faults."""

import math
from typing import Any

import numpy as np
import pytest

import fastmetrics as fm
from reference import concordance_oracle as oracle

LONGER: Any = {"higher_score_means": "longer-time"}
INDEX = ("concordance_index", LONGER)
few = pytest.mark.filterwarnings("ignore:the weights leave:fastmetrics.errors.SmallSampleWarning")


def censored(rng: np.random.Generator, n: int = 15) -> tuple[list[int], list[bool], list[int]]:
    time = rng.integers(1, 12, n)
    return time.tolist(), (rng.random(n) < 0.7).tolist(), (time + rng.integers(0, 9, n)).tolist()


def estimated(
    time: Any, event: Any, score: Any, how: Any = LONGER, **rows: Any
) -> fm.results.Estimate:
    asked = {"it": ("concordance_index", how)}
    return fm.estimate(time, score, event=event, metrics=asked, **rows)["it"]


@few
@pytest.mark.parametrize("half", [True, False])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_error_is_the_sum_of_squared_derivatives(rng, half, is_weighted) -> None:
    time, event, score = censored(rng)
    weights = rng.integers(1, 5, len(time)).tolist() if is_weighted else [1] * len(time)
    against = [-s for s in score]
    by_row = oracle.influences(lambda w: oracle.index(time, event, against, w, half=half), weights)
    squares = sum(x * x for x in by_row)
    how = LONGER | {"ties_in_score": "half" if half else "excluded"}
    found = estimated(time, event, score, how, sample_weight=weights if is_weighted else None)
    assert found.estimate == oracle.index(time, event, against, weights, half=half)
    shares = np.array(weights) / sum(weights)
    left = 1 - 2 * (shares**3).sum() / (shares**2).sum() + (shares**2).sum()
    assert found.standard_error**2 == pytest.approx(squares / left, rel=1e-6)


def test_value_is_that_of_the_function(rng) -> None:
    time, event, score = censored(rng, 60)
    for more in ({}, {"weighting": "uno", "tau": 9}, {"ties_in_score": "excluded"}):
        how = LONGER | more
        found = estimated(time, event, score, how)
        assert found.estimate == pytest.approx(
            fm.concordance.concordance_index(time, event, score, **how)
        )
        turned = how | {"higher_score_means": "shorter-time"}
        other = estimated(time, event, score, turned)
        assert found.estimate + other.estimate == pytest.approx(1.0, rel=1e-14)


def test_groups_and_strata(rng) -> None:
    columns = censored(rng, 50)
    alone = estimated(*columns)
    once = estimated(*columns, groups=np.arange(50))
    assert once.standard_error == pytest.approx(alone.standard_error)
    twice = estimated(*(column * 2 for column in columns), groups=np.tile(np.arange(50), 2))
    assert twice.standard_error == pytest.approx(once.standard_error, rel=1e-12)
    assert (twice.n_groups, alone.n_groups) == (50, None)
    apart = estimated(*columns, strata=np.arange(50) % 2)
    assert apart.standard_error != alone.standard_error


def test_a_difference_is_by_the_difference_of_derivatives(rng) -> None:
    time, event, score = censored(rng)
    other = rng.integers(0, 9, len(time)).tolist()
    ones = [1] * len(time)
    models = {"a": score, "b": other}
    found = fm.compare(time, models, event=event, metrics=INDEX)["concordance_index"]

    def value(given: list[int], weights: Any) -> float:
        return oracle.index(time, event, [-s for s in given], weights)

    by_row = oracle.influences(lambda w: value(score, w) - value(other, w), ones)
    error = math.sqrt(sum(x * x for x in by_row) * 15 / 14)
    (pair,) = found
    assert found.estimate == pytest.approx((value(score, ones), value(other, ones)), rel=1e-14)
    assert pair.difference == pytest.approx(value(score, ones) - value(other, ones), rel=1e-12)
    assert pair.standard_error == pytest.approx(error, rel=1e-6)


def test_undefined_or_without_variation() -> None:
    with pytest.warns(fm.UndefinedMetricWarning, match="`it` is not defined"):
        assert math.isnan(estimated([1, 2], [0, 0], [1, 2]).confidence_interval.high)
    with pytest.warns(fm.DegenerateDataWarning, match="it has no interval"):
        found = estimated([1, 2, 3, 4], [1, 1, 1, 1], [1, 2, 3, 4])
    assert (found.estimate, found.standard_error) == (1.0, 0.0)


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
