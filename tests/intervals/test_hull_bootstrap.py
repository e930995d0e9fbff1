"""Intervals of measures of the convex hull: the one that covers, and why not the others."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import fastmetrics as fm
from fastmetrics import DegenerateDataWarning, ScoreTable, UndefinedMetricWarning
from public import public

HULLS = ("expected_total_cost", "roc_hull_auc", "h_measure")
WORST = {"expected_total_cost": 0.25, "roc_hull_auc": 0.5, "h_measure": 0.0}
FUNCTIONS = {name: public(name) for name in HULLS}


def sample(rng, n=60, decimals=1):
    labels = rng.integers(0, 2, n)
    return labels, np.round(rng.normal(size=n) + labels, decimals)


def loss(name, value):
    return value if name == "expected_total_cost" else 1 - value


@pytest.mark.parametrize("name", HULLS)
@pytest.mark.parametrize("resampling", ["multinomial", "bayesian"])
def test_replicates_are_the_measure_of_drawn_rows(rng, name, resampling) -> None:
    labels, scores = sample(rng)

    def by_function(true, given, *weights):
        return FUNCTIONS[name](true, given, sample_weight=weights[0] if weights else None)

    found = fm.bootstrap(
        *(labels, scores),
        metrics={"ours": name, "by function": by_function},
        n_resamples=40,
        resampling=resampling,
        rng=1,
    )
    np.testing.assert_allclose(
        found["ours"].details.distribution,
        found["by function"].details.distribution,
        rtol=1e-12,
        atol=1e-14,
    )
    assert found["ours"].estimate == FUNCTIONS[name](labels, scores)
    assert found["ours"].method == "basic"


@pytest.mark.parametrize("name", HULLS)
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_the_interval_is_basic_on_the_scale_of_the_logarithm_of_the_loss(
    rng, name, alternative
) -> None:
    result = fm.bootstrap(
        *sample(rng), metrics=name, n_resamples=400, alternative=alternative, rng=2
    )[name]
    alpha = 0.025 if alternative == "two-sided" else 0.05
    logs = np.log(loss(name, result.details.distribution))
    own = math.log(loss(name, result.estimate))
    ends = sorted(
        loss(name, math.exp(2 * own - np.quantile(logs, level))) for level in (alpha, 1 - alpha)
    )
    low, high = result.confidence_interval
    bad = WORST[name]
    if alternative == "less":
        assert low == -math.inf
    else:
        assert low == pytest.approx(max(ends[0], bad) if bad < ends[1] else ends[0])
    if alternative == "greater":
        assert high == math.inf
    else:
        assert high == pytest.approx(min(ends[1], 0.25) if bad == 0.25 else ends[1])


@pytest.mark.parametrize("name", HULLS)
def test_limits_stay_where_the_measure_can_be(rng, name) -> None:
    labels = np.tile([0, 1], 15)
    low, high = fm.bootstrap(labels, rng.normal(size=30), metrics=name, n_resamples=200, rng=1)[
        name
    ].confidence_interval
    assert low >= (0 if name == "expected_total_cost" else WORST[name])
    assert high <= (0.25 if name == "expected_total_cost" else 1)


@pytest.mark.parametrize("method", ["percentile", "bca", "studentized"])
def test_intervals_that_do_not_cover_are_refused(rng, method) -> None:
    with pytest.raises(ValueError, match=f"`method='{method}'` does not cover 'roc_hull_auc'.*bas"):
        fm.bootstrap(*sample(rng), metrics="roc_hull_auc", n_resamples=20, method=method)


def test_differences_of_models_are_refused(rng) -> None:
    labels, scores = sample(rng)
    models = {"a": scores, "b": scores[::-1]}
    with pytest.raises(ValueError, match="'h_measure' has no interval of a difference of models"):
        fm.paired_bootstrap(labels, models, metrics="h_measure", n_resamples=20)


def test_a_table_groups_weights_and_threads(rng) -> None:
    labels, scores = sample(rng, 200)
    given = {"metrics": list(HULLS), "n_resamples": 50, "rng": 3}
    rows = fm.bootstrap(labels, scores, **given)
    for other in (
        fm.bootstrap(ScoreTable.from_scores(labels, scores), **given),
        fm.bootstrap(labels[::-1], scores[::-1], n_threads=3, **given),
    ):
        for name in HULLS:
            np.testing.assert_array_equal(
                other[name].details.distribution, rows[name].details.distribution
            )
    grouped = fm.bootstrap(labels, scores, groups=np.arange(200) // 4, **given)
    weighed = fm.bootstrap(labels, scores, sample_weight=rng.random(200), **given)
    for found in (grouped, weighed):
        for name in HULLS:
            low, high = found[name].confidence_interval
            assert low < high
            assert found[name].method == "basic"


def test_perfect_separation_has_no_interval() -> None:
    labels = np.tile([0, 1], 20)
    for name in HULLS:
        with pytest.warns(DegenerateDataWarning, match="the sample is separated perfectly"):
            result = fm.bootstrap(labels, labels, metrics=name, n_resamples=50, rng=1)[name]
        assert math.isnan(result.confidence_interval.low)


def test_one_class() -> None:
    with pytest.warns(UndefinedMetricWarning) as warned:
        result = fm.bootstrap([1] * 9, range(9), metrics="h_measure", n_resamples=20)["h_measure"]
    assert len(warned) == 1
    assert math.isnan(result.estimate)


def test_evaluate_gives_the_interval_of_one_model(rng) -> None:
    labels, scores = sample(rng)
    found = fm.evaluate(labels, scores, metrics=["roc_hull_auc"], n_resamples=50, rng=1)
    result = found.models[0].bootstrap["roc_hull_auc"]
    assert result.method == "basic"
    assert result.estimate == fm.costs.roc_hull_auc(labels, scores)


@pytest.mark.parametrize("method", ["percentile", "basic", "bca", "studentized"])
def test_the_interval_of_gini_is_that_of_the_auc_stretched(rng, method) -> None:
    given = {"metrics": ["roc_auc", "gini"], "n_resamples": 200, "method": method, "rng": 1}
    found = fm.bootstrap(*sample(rng, 80), **given)
    auc, gini = found["roc_auc"], found["gini"]
    assert gini.estimate == pytest.approx(2 * auc.estimate - 1)
    stretched = [2 * limit - 1 for limit in auc.confidence_interval]
    assert tuple(gini.confidence_interval) == pytest.approx(stretched)


@pytest.mark.parametrize(
    "function", [fm.costs.cost_curve, fm.costs.roc_convex_hull, fm.costs.threshold_costs]
)
def test_a_curve_is_no_number(function) -> None:
    """``float(cost_curve(...))`` is the expected total cost, whose plain bootstrap misses."""
    match = f"`{function.__name__}` returns .*, which is no number"
    with pytest.raises(TypeError, match=match):
        fm.bootstrap([0, 1, 0, 1], [1, 2, 3, 4], metrics=function)
    with pytest.raises(TypeError, match=match):
        fm.bootstrap([0, 1, 0, 1], [1, 2, 3, 4], metrics=functools.partial(function, n_threads=1))


@pytest.mark.parametrize(
    "function", [fm.costs.expected_total_cost, fm.costs.roc_hull_auc, fm.costs.h_measure]
)
def test_options_of_the_function_make_no_plain_bootstrap(function) -> None:
    asked = functools.partial(function, pos_label=1)
    with pytest.raises(ValueError, match="takes no options of its function here"):
        fm.bootstrap([0, 1, 0, 1], [1, 2, 3, 4], metrics=asked)
    y = np.arange(60) % 2
    score = np.arange(60) % 7 + 3 * y
    plain = fm.bootstrap(y, score, metrics=function, rng=1, n_resamples=49)
    assert plain[function.__name__].method == "basic"
