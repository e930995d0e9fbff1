"""Censored times by `estimate` and `compare`: derivatives, R's error, groups, faults."""

import math
from typing import Any

import numpy as np
import pytest

import fastmetrics as fm

LONGER: Any = {"higher_score_means": "longer-time"}
INDEX = ("concordance_index", LONGER)


def censored(rng: np.random.Generator, n: int = 15) -> tuple[list[int], list[bool], list[int]]:
    time = rng.integers(1, 12, n)
    return time.tolist(), (rng.random(n) < 0.7).tolist(), (time + rng.integers(0, 9, n)).tolist()


def estimated(
    time: Any, event: Any, score: Any, how: Any = LONGER, **rows: Any
) -> fm.results.Estimate:
    asked = {"it": ("concordance_index", how)}
    return fm.estimate(time, score, event=event, metrics=asked, **rows)["it"]


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
