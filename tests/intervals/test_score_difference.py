"""The paired difference of two models' mean scores: values, intervals, weights, faults."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import fastmetrics as fm
from fastmetrics.errors import UndefinedMetricWarning


def sample(rng, n=300):
    x = rng.normal(size=n)
    truth = 1 / (1 + np.exp(-x))
    other = 1 / (1 + np.exp(-(0.7 * x + 0.5 * rng.normal(size=n))))
    return (rng.random(n) < truth).astype(int), {"right": truth, "noisy": other}


def losses(y, p, score):
    if score == "brier_score":
        return (p - y) ** 2
    return -np.log(np.where(y == 1, p, 1 - p))


@pytest.mark.parametrize("score", ["brier_score", "log_loss"])
def test_is_the_paired_t_test_of_the_rows(rng, score):
    y, models = sample(rng)
    found = fm.score_difference(y, models, score=score, confidence_level=0.9)
    columns = [losses(y, p, score) for p in models.values()]
    test = stats.ttest_rel(*columns)
    assert found.difference == pytest.approx(columns[0].mean() - columns[1].mean())
    assert found.pvalue == pytest.approx(test.pvalue)
    low, high = test.confidence_interval(0.9)
    assert tuple(found.confidence_interval) == pytest.approx((low, high))
    assert found.models == ("right", "noisy")
    assert found.better == "right"
    for part, name in ((found.first, "right"), (found.second, "noisy")):
        assert part == fm.score_decomposition(y, models[name], score=score)
    assert found.miscalibration == found.first.miscalibration - found.second.miscalibration
    assert found.discrimination == found.first.discrimination - found.second.discrimination
    assert found.difference == pytest.approx(found.miscalibration - found.discrimination)


def test_frequencies_are_rows_and_importances_are_not(rng):
    y, models = sample(rng)
    w = rng.integers(0, 4, 300)
    repeated = {name: np.repeat(p, w) for name, p in models.items()}
    found = fm.score_difference(y, models, sample_weight=w, weights_are="frequencies")
    right = fm.score_difference(np.repeat(y, w), repeated)
    for name in ("difference", "standard_error", "pvalue"):
        assert getattr(found, name) == pytest.approx(getattr(right, name))
    for unit in (1.0, 1e-250, 1e200):
        found = fm.score_difference(y, models, sample_weight=w * unit)
        d = losses(y, models["right"], "brier_score") - losses(y, models["noisy"], "brier_score")
        mean = np.average(d, weights=w)
        n = np.count_nonzero(w)
        error = math.sqrt((w**2 * (d - mean) ** 2).sum() / w.sum() ** 2 * n / (n - 1))
        assert found.difference == pytest.approx(mean)
        assert found.standard_error == pytest.approx(error)
    ones = fm.score_difference(y, models, sample_weight=np.ones(300))
    assert ones.standard_error == pytest.approx(fm.score_difference(y, models).standard_error)


def test_a_model_and_itself(rng):
    y, models = sample(rng)
    with pytest.warns(fm.DegenerateDataWarning, match="'a' and 'b' differ by 0 in each row: the i"):
        found = fm.score_difference(y, {"a": models["right"], "b": models["right"]})
    assert (found.difference, found.standard_error, found.pvalue) == (0, 0, 1)
    assert found.better is None
    with pytest.warns(fm.DegenerateDataWarning, match="differ by 0.25 in each row"):
        constant = fm.score_difference([1, 1, 1], {"a": [0.5] * 3, "b": [1.0] * 3}, pos_label=1)
    assert (constant.difference, constant.pvalue, constant.better) == (0.25, 0, "b")


def test_a_callable_and_an_array_with_names(rng):
    y, models = sample(rng)
    found = fm.score_difference(
        y,
        np.column_stack(list(models.values())),
        names=("right", "noisy"),
        score=lambda y, p: (y - p) ** 2,
    )
    right = fm.score_difference(y, models)
    assert found.difference == right.difference
    assert found.metric == "<lambda>"


def test_without_an_interval():
    with pytest.warns(UndefinedMetricWarning, match="has no interval"):
        found = fm.score_difference([1], {"a": [0.5], "b": [0.7]}, pos_label=1)
    assert math.isnan(found.confidence_interval.low)
    assert math.isnan(found.pvalue)


def test_faults(rng):
    y, models = sample(rng)
    with pytest.raises(ValueError, match="`scores` must name two models: got 3"):
        fm.score_difference(y, {**models, "third": models["right"]})
    with pytest.raises(ValueError, match="`scores` must name at least two models: got 1"):
        fm.score_difference(y, {"a": models["right"]})
    with pytest.raises(ValueError, match=r"`scores\['b'\]` must lie in \[0, 1\]: from"):
        fm.score_difference(y, {"a": models["right"], "b": 2 * models["right"]})
    outside = {"a": [0.5, 0.5], "b": [0.5, 1.5]}
    with pytest.raises(ValueError, match=r"1.5 at index 1, 1 in all; scores are no probabilities"):
        fm.score_difference([0, 1], outside, sample_weight=[1, 0])
    with pytest.raises(ValueError, match="`scores` must be a mapping"):
        fm.score_difference(y, models["right"])
    with pytest.raises(ValueError, match="`score` must be one of"):
        fm.score_difference(y, models, score="auc")


@pytest.mark.parametrize("score", ["brier_score", "log_loss"])
def test_covers(score):
    rng = np.random.default_rng(6)
    truth = np.random.default_rng(7)
    y, models = sample(truth, 1_000_000)
    d = losses(y, models["right"], score) - losses(y, models["noisy"], score)
    target = d.mean()
    covered = 0
    for _ in range(600):
        y, models = sample(rng, 100)
        low, high = fm.score_difference(y, models, score=score, n_threads=1).confidence_interval
        covered += low <= target <= high
    assert 0.92 < covered / 600 < 0.98
