"""Royston and Sauerbrei's D: Cox's likelihood row by row, derivatives, statsmodels, faults."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import fastmetrics as fm
from reference import survival_oracle as oracle

SHORTER: Any = {"higher_score_means": "shorter-time"}


def estimated(time: Any, event: Any, score: Any, **rows: Any) -> fm.results.Estimate:
    asked = ("royston_d", SHORTER)
    return fm.estimate(time, score, event=event, metrics=asked, **rows)["royston_d"]


def censored(rng: np.random.Generator, n: int, *, ties: bool = True) -> tuple[Any, Any, Any]:
    risk = rng.normal(size=n)
    time = rng.exponential(5 / np.exp(risk))
    event = rng.random(n) < 0.7
    return (np.ceil(time), event, np.round(risk, 1)) if ties else (time, event, risk)


@pytest.mark.parametrize("n", [8, 40])
@pytest.mark.parametrize("ties", [False, True])
def test_is_where_the_likelihood_is_greatest(rng, n, ties) -> None:
    columns = [each.tolist() for each in censored(rng, n, ties=ties)]
    found = fm.concordance.royston_d(*columns, **SHORTER)
    assert float(found) == pytest.approx(oracle.royston_d(*columns), rel=1e-10, abs=1e-10)
    turned = fm.concordance.royston_d(
        *columns[:2], [-s for s in columns[2]], higher_score_means="longer-time"
    )
    assert turned == found


def test_is_the_coefficient_of_statsmodels(rng) -> None:
    model = pytest.importorskip("statsmodels.duration.hazard_regression").PHReg
    time, event, risk = censored(rng, 200)
    z = oracle.normal_scores(risk.tolist(), [1] * 200)
    right = model(time, z, status=event.astype(int), ties="efron").fit()
    found = estimated(time, event, risk)
    assert float(found) == pytest.approx(right.params[0], rel=1e-8)
    assert found.standard_error == pytest.approx(right.bse[0], rel=0.25)  # of the model


def test_errors_of_the_example() -> None:
    """The docstring's figures: by the model, the likelihood's curvature; by influences."""
    time = [9, 13, 13, 18, 23, 28, 31, 34, 45, 48, 161]
    event = [1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 0]
    risk = [-s for s in (1, 6, 2, 7, 3, 7, 3, 8, 4, 4, 5)]
    found = estimated(time, event, risk)
    z, one = oracle.normal_scores(risk, [1] * 11), [1] * 11
    up, down = (oracle.d_score(time, event, z, found.estimate + h, one) for h in (1e-5, -1e-5))
    assert 1 / math.sqrt((down - up) / 2e-5) == pytest.approx(0.922, abs=5e-4)
    assert found.standard_error == pytest.approx(0.920, abs=5e-4)


@pytest.mark.parametrize("tied_times", [False, True])
def test_error_is_the_sum_of_squared_derivatives(rng, tied_times) -> None:
    """By weights of rows, of the likelihood and of the ranks that normal scores are of."""
    time, event, risk = censored(rng, 25, ties=False)
    if tied_times:
        time = np.ceil(time)
    columns = [each.tolist() for each in (time, event, risk)]
    by_row = []
    for i in range(25):
        moved = []
        for step in (1e-4, -1e-4):
            weights = [1.0] * 25
            weights[i] += step
            moved.append(oracle.royston_d(*columns, weights))
        by_row.append((moved[0] - moved[1]) / 2e-4)
    found = estimated(*columns)
    expected = sum(x * x for x in by_row) * 25 / 24
    assert found.standard_error**2 == pytest.approx(expected, rel=1e-4)


def test_explained_variation(rng) -> None:
    columns = censored(rng, 100)
    of_risk = fm.concordance.royston_d(*columns, **SHORTER) ** 2 / (8 / math.pi)
    share = fm.concordance.royston_d(*columns, **SHORTER, as_r_squared=True)
    assert share == pytest.approx(of_risk / (math.pi**2 / 6 + of_risk), rel=1e-12)


def test_estimate_and_compare(rng) -> None:
    time, event, risk = censored(rng, 60)
    alone = estimated(time, event, risk)
    assert alone.estimate == fm.concordance.royston_d(time, event, risk, **SHORTER)
    low, high = alone.confidence_interval
    assert low + high == pytest.approx(2 * alone.estimate, rel=1e-12)
    assert 1.96 * alone.standard_error < high - alone.estimate < 2.3 * alone.standard_error
    grouped = estimated(time, event, risk, groups=np.arange(60))
    assert grouped.standard_error == pytest.approx(alone.standard_error, rel=1e-12)
    assert (alone.n_groups, grouped.n_groups) == (None, 60)
    models = {"a": risk, "b": rng.permutation(risk)}
    found = fm.compare(time, models, event=event, metrics=("royston_d", SHORTER))["royston_d"]
    assert found["a", "b"].estimate == found.estimate[0] - found.estimate[1]
    assert found.better == "a"
    with pytest.raises(ValueError, match="`royston_d` has no weights"):
        estimated(time, event, risk, sample_weight=time)


def test_rows_change_no_value(rng) -> None:
    columns = censored(rng, 2_000)
    order = rng.permutation(2_000)
    whole, moved = (estimated(*each) for each in (columns, [column[order] for column in columns]))
    assert moved.estimate == whole.estimate
    assert moved.standard_error == pytest.approx(whole.standard_error, rel=1e-12)


@pytest.mark.parametrize(
    ("time", "event", "score"),
    [
        ([1, 2, 3, 4], [1, 1, 1, 1], [5, 5, 5, 5]),
        ([1, 2, 3, 4], [0, 0, 0, 0], [1, 2, 3, 4]),
        ([1, 2, 3, 4], [1, 1, 1, 1], [4, 3, 2, 1]),
        ([1, 2], [1, 1], [1, 2]),
        ([1, 2], [1, 1], [2, 1]),
        ([1, 2], [1, 0], [1, 2]),
        ([1, 2], [0, 1], [1, 2]),  # alone at risk
        ([1, 2, 3], [1, 0, 1], [3, 3, 1]),  # perfect, but for a tie of scores
        ([1, 1, 2, 2], [1, 1, 1, 1], [1, 1, 2, 2]),  # and of times
    ],
)
def test_undefined(time, event, score) -> None:
    with pytest.warns(fm.UndefinedMetricWarning, match="D is undefined: scores tie, there is no"):
        assert math.isnan(fm.concordance.royston_d(time, event, score, **SHORTER))
    with pytest.warns(fm.UndefinedMetricWarning, match="`royston_d` is not defined"):
        found = estimated(time, event, score)
    numbers = found.estimate, found.standard_error, *found.confidence_interval
    assert all(map(math.isnan, numbers))


def test_undefined_is_where_the_derivative_never_turns(rng) -> None:
    """Of few rows with ties, D exists where the likelihood rises on one side and falls beyond."""
    n_defined = 0
    for _ in range(200):
        n = int(rng.integers(2, 5))
        time, score = (rng.integers(1, 4, n).tolist() for _ in range(2))
        event = (rng.random(n) < 0.7).tolist()
        z = oracle.normal_scores(score, [1] * n)
        ends = [oracle.d_score(time, event, z, beta, [1] * n) for beta in (-59.0, 59.0)]
        defined = ends[0] > 1e-3 and ends[1] < -1e-3
        n_defined += defined
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert (
                math.isnan(float(fm.concordance.royston_d(time, event, score, **SHORTER)))
                != defined
            )
    assert 20 < n_defined < 180


@pytest.mark.parametrize("n", [2, 4, 7])
def test_times_that_all_tie_leave_no_interval(n) -> None:
    with pytest.warns(fm.DegenerateDataWarning, match="it has no interval"):
        found = estimated([1] * n, [1] * n, list(range(n)))
    assert float(found) == pytest.approx(0.0, abs=1e-12)
    assert all(map(math.isnan, found.confidence_interval))


def test_faults() -> None:
    with pytest.raises(TypeError, match="never guessed"):
        fm.concordance.royston_d([1, 2], [1, 1], [1, 2], higher_score_means=None)
    with pytest.raises(ValueError, match="`score`"):
        fm.concordance.royston_d([1, 2], [1, 1], [1, 2, 3], **SHORTER)
