"""`plan`: samples for a half width or a difference, by statsmodels, closed forms and simulation."""

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

import fastmetrics as fm
from fastmetrics.errors import InputError, UndefinedMetricWarning

N = 4000


def models(rng, n=N):
    y = rng.integers(0, 2, n)
    shared = y + rng.normal(0, 1, n)
    a, b = shared + rng.normal(0, 0.3, n), shared + rng.normal(0, 1, n)
    return y, {"a": stats.norm.cdf(a - 0.5), "b": stats.norm.cdf(b - 0.5)}


def test_a_proportion_takes_as_many_as_its_closed_form():
    y_true, y_pred = [0, 1] * 500, [0, 1] * 400 + [1, 1, 0, 0] * 50
    accuracy, n = 0.9, len(y_true)
    plan = fm.estimate(y_true, y_pred, metrics="accuracy")["accuracy"].plan(half_width=0.01)
    closed = 1.959964**2 * accuracy * (1 - accuracy) / 0.01**2
    assert plan.n_samples == pytest.approx(closed * n / (n - 1), rel=0.01)
    assert plan.half_width <= 0.01 < plan.half_width * 1.001
    assert (plan.difference, plan.power, plan.n_groups) == (None, None, None)


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.99])
def test_a_mean_difference_takes_as_many_as_statsmodels_says(rng, alternative, power):
    y, scores = models(rng, 300)
    found = fm.compare(y, scores, metrics="brier_score", alternative=alternative)["brier_score"]
    plan = found.plan(difference=0.02, power=power)
    deviation = found.pairs[0].standard_error * math.sqrt(len(y))
    side = {"two-sided": "two-sided", "greater": "larger"}[alternative]
    wanted = TTestPower().solve_power(0.02 / deviation, None, 0.05, power, side)
    assert plan.n_samples == pytest.approx(wanted, abs=2)
    assert plan.power == pytest.approx(power, abs=0.02)
    assert plan.power >= power


def test_the_planned_power_is_that_of_new_samples():
    rng = np.random.default_rng(0)
    pilot = models(rng, 20_000)
    found = fm.compare(*pilot, metrics="roc_auc")["roc_auc"]
    plan = found.plan(difference=found.pairs[0].difference, power=0.8)
    won = [
        fm.compare(*models(rng, plan.n_samples), metrics="roc_auc")["roc_auc"].better == "a"
        for _ in range(400)
    ]
    assert np.mean(won) == pytest.approx(0.8, abs=0.07)


@pytest.mark.parametrize(
    "metric", ["roc_auc", "average_precision", "f1", "log_loss", "mean_average_precision"]
)
def test_an_interval_of_the_planned_size_has_the_half_width(metric):
    rng = np.random.default_rng(1)
    pilot, new = models(rng, 2_000), models(rng, 20_000)

    is_ranking = metric == "mean_average_precision"

    def found(data, n):
        options = {"query": np.arange(n) // 5} if is_ranking else {"threshold": 0.5}
        return fm.estimate(data[0][:n], data[1]["a"][:n], metrics=metric, **options)[metric]

    one = found(pilot, 2_000)
    low, high = one.confidence_interval
    plan = one.plan(half_width=(high - low) / 4)
    rows = int(plan.n_samples) * (5 if is_ranking else 1)
    low, high = found(new, rows).confidence_interval
    assert (high - low) / 2 == pytest.approx(plan.half_width, rel=0.15)
    assert found(new, rows).n_samples == pytest.approx(plan.n_samples, rel=0.05)


def test_groups_are_counted_with_groups():
    rng = np.random.default_rng(2)
    y, scores = models(rng)
    groups = np.arange(N) // 8
    one = fm.estimate(y, scores["a"], metrics="roc_auc", groups=groups)["roc_auc"]
    low, high = one.confidence_interval
    plan = one.plan(half_width=(high - low) / 4)
    assert plan.n_groups == pytest.approx(4 * N // 8, rel=0.02)
    assert plan.n_samples == 8 * plan.n_groups
    pair = fm.compare(y, scores, metrics="roc_auc", groups=groups)["roc_auc"]
    plan = pair.plan(difference=0.01)
    assert plan.n_samples == 8 * plan.n_groups


def test_one_limit_and_several_pairs():
    rng = np.random.default_rng(3)
    y, scores = models(rng)
    for side in ("less", "greater"):
        one = fm.estimate(y, scores["a"], metrics="roc_auc", alternative=side)["roc_auc"]
        distance = max(
            abs(limit - one.estimate) for limit in one.confidence_interval if 0 < limit < 1
        )
        assert one.plan(half_width=distance * 1.0001).n_samples == pytest.approx(N, rel=0.001)
    three = scores | {"c": rng.random(N)}
    found = fm.compare(y, three, metrics="roc_auc")["roc_auc"]
    plan = found.plan(difference=0.05)
    needs_most = max(found.pairs, key=lambda pair: pair.standard_error)
    assert plan.metric == f"roc_auc of {needs_most.a} and {needs_most.b}"
    strict = fm.compare(
        y,
        {name: three[name] for name in (needs_most.a, needs_most.b)},
        metrics="roc_auc",
        confidence_level=1 - 0.05 / 3,
    )["roc_auc"]
    assert plan.n_samples == strict.plan(difference=0.05).n_samples


def test_what_does_not_vary_has_no_plan():
    y = np.array([0, 1] * 20)
    perfect = fm.estimate(y, y * 0.5, metrics="roc_auc")["roc_auc"]
    with pytest.warns(UndefinedMetricWarning, match="number of samples for roc_auc is nan"):
        plan = perfect.plan(half_width=0.1)
    assert math.isnan(plan.n_samples)
    with pytest.warns(match="variance of 0"):
        same = fm.compare(y, {"a": y * 0.5, "b": y * 0.7}, metrics="roc_auc")["roc_auc"]
    with pytest.warns(UndefinedMetricWarning, match="roc_auc of a and b is nan"):
        assert math.isnan(same.plan(difference=0.1).n_samples)


@pytest.mark.parametrize("bad", [0, -0.1, math.nan, math.inf, "0.1", None, True, 1e-12])
def test_faults(rng, bad):
    y, scores = models(rng, 100)
    one = fm.estimate(y, scores["a"], metrics="roc_auc")["roc_auc"]
    two = fm.compare(y, scores, metrics="roc_auc")["roc_auc"]
    said = "more than 10\\^15" if bad == 1e-12 else "`half_width`"
    with pytest.raises(InputError, match=said):
        one.plan(half_width=bad)
    with pytest.raises(InputError, match=said.replace("half_width", "difference")):
        two.plan(difference=bad)
    for power in (0, 1, math.nan, 80):
        with pytest.raises(InputError, match=r"`power` must lie in \(0, 1\)"):
            two.plan(difference=0.1, power=power)
    with pytest.raises(TypeError):
        one.plan(0.1)
