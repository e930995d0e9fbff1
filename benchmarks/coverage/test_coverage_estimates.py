"""The data of `estimate` and `compare` in the coverage study, the targets, and the methods."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from sklearn import metrics as sk

pytest.importorskip("benchmarks", reason="the study is part of the checkout, not of the wheel")

import fastmetrics
from benchmarks.coverage import claim, estimates, estimates_report, why
from benchmarks.coverage.estimates import FAMILY, METHOD, SCENES
from benchmarks.coverage.measured import Cost, Measured
from benchmarks.coverage.study import load, simulate

ROWS = [scene for scene in SCENES if scene.kind == "rows"]


@pytest.fixture(autouse=True)
def _fewer_rows(monkeypatch):
    monkeypatch.setattr(estimates, "MANY", 100_000)
    estimates.population.cache_clear()
    yield
    estimates.population.cache_clear()


def test_each_scene_has_a_name_and_half_of_each_kind_are_held_out() -> None:
    names = [scene.name for scene in SCENES]
    assert len(set(names)) == len(names)
    for kind in {scene.kind for scene in SCENES}:
        held_out = [scene.is_held_out for scene in SCENES if scene.kind == kind]
        assert 0.4 <= np.mean(held_out) <= 0.6, kind
    assert {scene.shape for scene in ROWS} == set(estimates.SHAPES)


def test_binormal_targets_have_closed_forms() -> None:
    for positives, negatives, d, shape in (*estimates._CHOSEN_ON, *estimates._HELD_OUT):
        spreads = {"normal": 1.0, "unequal variances": 2.0, "a tenth of the spread": 0.1}
        if shape in spreads:
            (scene,) = [
                s
                for s in ROWS
                if (s.positives, s.n, s.separation, s.shape)
                == (positives, positives + negatives, d, shape)
            ]
            auc = scipy.stats.norm.cdf(d / math.hypot(1.0, spreads[shape]))
            assert estimates.population(scene)["roc_auc"] == pytest.approx(auc, abs=0.004)


def test_weights_restore_the_share_of_positives() -> None:
    (scene,) = [s for s in ROWS if s.name == "50 + 950, unequal variances 2"]
    rng = np.random.default_rng(8)
    labels = (rng.random(400_000) < scene.share).astype(np.int8)
    data = estimates.draw(scene, rng, labels)
    truth = estimates.population(scene)
    ap = sk.average_precision_score(labels, data.scores)
    assert truth["average_precision"] == pytest.approx(ap, abs=0.01)
    assert truth["log_loss"] == pytest.approx(sk.log_loss(labels, data.chances), rel=0.02)
    assert truth["brier_score"] == pytest.approx(np.mean((data.chances - labels) ** 2), rel=0.02)
    called = data.scores >= scene.threshold
    mcc = sk.matthews_corrcoef(labels, called)
    assert truth["matthews_corrcoef"] == pytest.approx(mcc, abs=0.01)


def test_calibrated_probabilities_are_and_overconfident_ones_are_not() -> None:
    for name, is_right in (("300 + 700, normal 1.2", True), ("80 + 400, overconfident 1.5", False)):
        (scene,) = [s for s in ROWS if s.name == name]
        rng = np.random.default_rng(9)
        labels = (rng.random(400_000) < scene.share).astype(np.int8)
        chances = estimates.draw(scene, rng, labels).chances
        bins = np.digitize(chances, np.linspace(0.1, 0.9, 9))
        gaps = [abs((labels - chances)[bins == k].mean()) for k in range(10)]
        assert (max(gaps) < 0.02) == is_right


def test_targets_of_values_are_closed_forms() -> None:
    (scene,) = [s for s in SCENES if s.name == "100 rows, values"]
    squared = 0.2**2 + 0.25
    expected = {
        "r2": 1 - squared / 1.25,
        "root_mean_squared_error": math.sqrt(squared),
        "mean_absolute_error": math.sqrt(2 * squared / math.pi),
    }
    assert estimates.population(scene) == pytest.approx(expected, rel=0.02)


def test_methods_by_name_are_those_of_the_library() -> None:
    (scene,) = [s for s in SCENES if s.name == "30 + 30, normal 1.8"]
    out = Measured({}, {}, {})
    estimates.measure(scene, 0, np.random.default_rng(7), Cost(198, 9), out)
    data = estimates.draw(scene, np.random.default_rng(7))
    for method, name in (("influence", estimates.LOGIT), ("newcombe", estimates.NEWCOMBE)):
        one = fastmetrics.estimate(data.labels, data.scores, metrics="roc_auc", method=method)
        assert out.intervals["roc_auc", name] == pytest.approx(
            tuple(one["roc_auc"].confidence_interval)
        )
    wald = fastmetrics.delong(data.labels, data.scores, scale="plain").confidence_interval
    assert out.intervals["roc_auc", estimates.WALD] == pytest.approx(tuple(wald))
    losses = fastmetrics.estimate(data.labels, data.chances, metrics="log_loss")["log_loss"]
    assert out.intervals["log_loss", METHOD] == tuple(losses.confidence_interval)
    low, high = out.intervals["log_loss", estimates.STUDENT]
    half = math.log(high / low) / 2 / (losses.standard_error / losses.estimate)
    df = losses.df - estimates.PRIOR  # less than the default has: wider
    assert half == pytest.approx(scipy.stats.t.ppf(0.975, df))
    assert high - low > losses.confidence_interval.high - losses.confidence_interval.low
    assert {method for _, method in out.intervals} == {METHOD, estimates.WALD, *FAMILY}
    estimates.measure(
        scene, 1, np.random.default_rng(7), Cost(198, 9), later := Measured({}, {}, {})
    )
    assert not {method for _, method in later.intervals} & set(estimates.RESAMPLED)


def test_the_section_is_of_the_study() -> None:
    kinds = {scene.kind: scene for scene in SCENES}
    study = simulate([SCENES[0], *kinds.values()], 4, Cost(38, 9))
    text = estimates_report.section(study)
    metrics = {row.metric for row in study.intervals}
    for metric in metrics:
        assert f"### {claim.metric_title(metric)}\n" in text
    for scene in kinds.values():
        assert ("*held out:* " * scene.is_held_out + scene.name) in text
    assert "### Size and power of `compare`" in text
    defaults = [row for row in study.intervals if row.method == METHOD]
    assert len(claim.sharpness(study)) == len(defaults)
    assert all(row.ratio == 1.0 for row in defaults)


@pytest.mark.source_tree
def test_each_topic_shows_figures_that_there_are() -> None:
    from benchmarks.coverage.test_coverage import ROOT, coverage

    study = load(ROOT / coverage.STORED)
    text = why.document(study)
    for topic in why.TOPICS:
        part = text.split(f"## {topic.title}\n")[1].split("\n## ")[0]
        assert part.count("\n| --- |") == 2
        for metric in topic.metrics:
            assert f"| {claim.metric_title(metric)} |" in part
        assert part.count("| **the default** |") == 1
