"""What the order of the rows may change: no bit of counts and ranks, the last bits of sums."""

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fastmetrics as fm

N = 3_000
SUM_BOUND = 2.0**-46  # of a sum of terms of one sign, as docs/rationale.md says

RNG = np.random.default_rng(11)
Y = (RNG.random(N) < 0.3).astype(int)
SCORE = np.round(np.clip(0.25 + 0.4 * Y + 0.2 * RNG.normal(size=N), 0.01, 0.99), 3)
TARGET = RNG.lognormal(size=N) * 10
PREDICTED = TARGET + RNG.normal(size=N)
WEIGHT = RNG.exponential(size=N)

Function = Callable[[Any], Any]


def orders() -> list[Any]:
    """Return ways to put the rows: sorted up and down, and at random."""
    sorts = [np.argsort(SCORE), np.argsort(TARGET), np.argsort(-np.abs(TARGET - PREDICTED))]
    return [*sorts, *(np.random.default_rng(k).permutation(N) for k in range(12))]


#: Function, and the exact sum that it is the mean of.
SUMS: dict[str, tuple[Function, list[float]]] = {
    "mean_squared_error": (
        lambda o: fm.mean_squared_error(TARGET[o], PREDICTED[o]),
        ((TARGET - PREDICTED) ** 2).tolist(),
    ),
    "mean_absolute_error": (
        lambda o: fm.mean_absolute_error(TARGET[o], PREDICTED[o]),
        np.abs(TARGET - PREDICTED).tolist(),
    ),
    "brier_score_loss": (
        lambda o: fm.brier_score_loss(Y[o], SCORE[o]),
        ((Y - SCORE) ** 2).tolist(),
    ),
    "log_loss": (
        lambda o: fm.log_loss(Y[o], SCORE[o]),
        (-np.log(np.where(Y == 1, SCORE, 1 - SCORE))).tolist(),
    ),
}


@pytest.mark.parametrize("name", SUMS)
def test_sums_have_the_same_value_but_for_the_last_bits(name: str) -> None:
    function, terms = SUMS[name]
    exact = math.fsum(terms) / N
    for order in (np.arange(N), *orders()):
        # the terms themselves are rounded, by 2^-52 at most
        assert abs(float(function(order)) - exact) <= (SUM_BOUND + 2.0**-52) * exact


def test_weighted_sums_too() -> None:
    terms = WEIGHT * (TARGET - PREDICTED) ** 2
    exact = math.fsum(terms.tolist()) / math.fsum(WEIGHT.tolist())
    for order in orders():
        found = fm.mean_squared_error(TARGET[order], PREDICTED[order], sample_weight=WEIGHT[order])
        assert abs(found - exact) <= 2 * SUM_BOUND * exact


@pytest.mark.parametrize("groups", [False, True])
@pytest.mark.parametrize("metric", ["mean_squared_error", "r2", "mean"])
def test_a_bootstrap_of_sums_does_not_depend_on_the_order(metric: str, groups: bool) -> None:
    """Rows are sorted first, and added in that order."""
    found = []
    for order in orders()[:4]:
        columns = (TARGET[order],) if metric == "mean" else (TARGET[order], PREDICTED[order])
        given = {"groups": (np.arange(N) // 40)[order]} if groups else {}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            result = fm.bootstrap(*columns, metrics=metric, n_resamples=49, rng=1, **given)[metric]
        found.append((result.estimate, result.details.distribution.tobytes()))
    assert len(set(found)) == 1
