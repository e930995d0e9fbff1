"""The populations of the coverage study: its targets are the limits of large samples."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.special
import scipy.stats
from sklearn import metrics as sk

pytest.importorskip("benchmarks", reason="the study is part of the checkout, not of the wheel")

import fastmetrics
from benchmarks.coverage import costs, indirect, multilabel, populations, scenes
from benchmarks.coverage.measured import Cost, Measured
from benchmarks.coverage.scenes import SCENES, THRESHOLD, Scene
from benchmarks.coverage.study import simulate

BALANCED = next(s for s in SCENES if s.n == 100 and s.share == 0.5 and s.part == "main")


@pytest.mark.parametrize("share", scenes.SHARES)
@pytest.mark.parametrize("separation", [1.5, 3.0])
def test_targets_are_the_limits_of_large_samples(share, separation):
    scene = Scene("main", 200_000, share, separation)
    data = scenes.draw(scene, np.random.default_rng(1))
    truth = populations.population(scene)
    y, called = data.labels, data.scores >= THRESHOLD
    found = {
        "roc_auc": sk.roc_auc_score(y, data.scores),
        "average_precision": sk.average_precision_score(y, data.scores),
        "ks_statistic": scipy.stats.ks_2samp(data.scores[y == 1], data.scores[y == 0]).statistic,
        "f1": sk.f1_score(y, called),
        "accuracy": sk.accuracy_score(y, called),
    }
    # The threshold of the largest TPR - FPR is half way between the two means.
    at_best = data.scores >= separation / 2
    found["true_positive_rate"] = at_best[y == 1].mean()
    found["false_positive_rate"] = at_best[y == 0].mean()
    grid = np.linspace(0, separation, 61)
    gaps = scipy.stats.norm.sf(grid - separation) - scipy.stats.norm.sf(grid)
    assert grid[np.argmax(gaps)] == pytest.approx(separation / 2, abs=0.05)
    worse = data.others["worse"]
    found["roc_auc difference"] = found["roc_auc"] - sk.roc_auc_score(y, worse)
    found["average_precision difference"] = found["average_precision"] - sk.average_precision_score(
        y, worse
    )
    found["accuracy difference"] = found["accuracy"] - sk.accuracy_score(y, worse >= THRESHOLD)
    for label, rate in ((1, "true_positive_rate"), (0, "false_positive_rate")):
        found[f"{rate} difference"] = found[rate] - (worse[y == label] >= scenes.WORSE / 2).mean()
    recall, other = (
        np.interp(0.1, *sk.roc_curve(y, scores)[:2]) for scores in (data.scores, worse)
    )
    found[scenes.RECALL_AT], found[f"{scenes.RECALL_AT} difference"] = recall, recall - other
    assert found.keys() == truth.keys()
    for metric, value in found.items():
        close = 0.016 if scenes.RECALL_AT in metric else 0.01  # of 10,000 positives
        assert value == pytest.approx(truth[metric], abs=close), metric


@pytest.mark.parametrize(("share", "users"), [(0.5, 0), (0.1, 0), (0.5, 40_000)])
def test_costs_are_the_limits_of_large_samples(share, users):
    scene = Scene("costs", 400_000, share, users=users)
    data = scenes.draw(scene, np.random.default_rng(1))
    truth = populations.population(scene)
    y = data.labels
    for prices in costs.PRICES:
        best = truth[f"cheapest threshold, {prices}"]
        found = fastmetrics.costs.threshold_costs(y, data.scores, cost_fn=costs.COST_FN, cost_fp=1)
        assert found.cost_at(best) == pytest.approx(truth[f"least cost, {prices}"], rel=0.01)
        assert found.threshold == pytest.approx(best, abs=0.1)
        for away in (-0.3, 0.3):
            assert found.cost_at(best + away) > found.cost_at(best)
    chances = 1 / (1 + np.exp(1.125 - 1.5 * data.scores))
    worse = 1 / (1 + np.exp(1.125 - 1.5 * data.others["worse"]))
    for t in costs.GRID:
        of_model = fastmetrics.costs.net_benefit(y, chances, threshold=t)
        difference = of_model - fastmetrics.costs.net_benefit(y, worse, threshold=t)
        assert of_model == pytest.approx(truth[f"net benefit, t = {t:g}"], abs=0.003)
        expected = truth[f"net benefit of two models, t = {t:g}"]
        assert difference == pytest.approx(expected, abs=0.003)


def test_closed_forms():
    truth = populations.population(BALANCED)
    normal = scipy.stats.norm
    assert truth["roc_auc"] == pytest.approx(normal.cdf(1.5 / math.sqrt(2)), abs=1e-15)
    gaps = normal.cdf(t := np.linspace(-5, 7, 120_001)) - normal.cdf(t - 1.5)
    assert truth["ks_statistic"] == pytest.approx(gaps.max(), abs=1e-8)
    tpr, fpr = normal.sf(t - 1.5), normal.sf(t)
    precision = tpr / (tpr + fpr)
    assert truth["average_precision"] == pytest.approx(
        -np.sum(np.diff(tpr) * (precision[1:] + precision[:-1]) / 2), abs=1e-6
    )


def test_models_under_the_null_have_the_same_auc():
    scene = Scene("main", 200_000, 0.5)
    data = scenes.draw(scene, np.random.default_rng(2))
    target = populations.population(scene)["roc_auc"]
    for other in ("equal", "spread"):
        found = sk.roc_auc_score(data.labels, data.others[other])
        assert found == pytest.approx(target, abs=0.005)
    positives = data.labels == 1
    assert data.others["spread"][positives].std() == pytest.approx(scenes.SPREAD, abs=0.02)
    for part in (positives, ~positives):
        found = np.corrcoef(data.scores[part], data.others["equal"][part])[0, 1]
        assert found == pytest.approx(scenes.CORRELATION, abs=0.01)


def test_rows_of_users_go_together():
    users = 20_000
    scene = Scene("users", 2 * users, 0.5, users=users)
    data = scenes.draw(scene, np.random.default_rng(3))
    assert np.bincount(data.groups).tolist() == [2] * users
    noise = (data.scores - scene.separation * data.labels).reshape(users, 2)
    assert np.corrcoef(noise.T)[0, 1] == pytest.approx(scenes.USER_SHARE, abs=0.03)
    assert data.labels.mean() == pytest.approx(0.5, abs=0.02)
    labels = data.labels.reshape(users, 2)
    assert np.corrcoef(labels.T)[0, 1] == pytest.approx(0.5, abs=0.03)  # 1 / (1/2 + 1/2 + 1)


def test_class_sizes_are_fixed_or_random():
    fixed = [s for s in SCENES if s.part == "fixed"]
    for scene in fixed:
        counts = {int(scenes.draw(scene, scene.generator(i)).labels.sum()) for i in range(5)}
        assert counts == {round(scene.n * scene.share)}
    assert (
        len({int(scenes.draw(BALANCED, BALANCED.generator(i)).labels.sum()) for i in range(9)}) > 1
    )


def test_scenes_have_names_and_streams_of_their_own():
    names = [(scene.part, scene.name) for scene in SCENES]
    assert len(set(names)) == len(names)
    first = {scene.generator(number).random() for scene in SCENES for number in range(3)}
    assert len(first) == 3 * len(SCENES)
    assert BALANCED.generator(5).random() == BALANCED.generator(5).random()


@pytest.mark.parametrize("share", [0.5, 0.1])
def test_linear_models_are_judged_by_the_limits_of_large_samples(share):
    scene, n = Scene("folds", 200, share), 400_000
    rng, slopes, intercept = np.random.default_rng(1), np.array([1.2, -0.3, 0.1, 0.0, 0.4]), -0.9
    y = rng.random(n) < share
    X = rng.standard_normal((n, indirect.N_FEATURES))
    X[:, 0] += scene.separation * y
    chances = 1 / (1 + np.exp(-(X @ slopes + intercept)))
    found = {
        "error_rate": np.mean((chances >= 0.5) != y),
        "roc_auc": sk.roc_auc_score(y, chances),
        "log_loss": sk.log_loss(y, chances),
        "brier_score": sk.brier_score_loss(y, chances),
    }
    truth = indirect.in_population(scene, slopes, intercept)
    assert truth.keys() == found.keys() == populations.population(scene).keys()
    for metric, value in found.items():
        assert value == pytest.approx(truth[metric], abs=0.005), metric
    assert set(populations.population(scene).values()) == {0.0}  # limits are less the average


def test_bins_aim_at_what_rows_do():
    truth = populations.population(Scene("bins", 100, 0.5))
    of_rows = populations.population(Scene("main", 100, 0.5))
    assert {name.split(",")[0] for name in truth} == set(indirect.BINNED)
    assert all(value == of_rows[name.split(",")[0]] for name, value in truth.items())


@pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")
def test_the_section_on_folds_and_bins_is_of_the_study():
    chosen = [s for s in SCENES if s.part in (indirect.FOLDS, indirect.BINS) and s.n < 1_000]
    study = simulate([*chosen], 4, Cost(9, 9))
    text = indirect.section(study)
    for name in (*indirect.METRICS, *indirect.BINNED):
        assert f"### {name}, " in text
    for row in study.intervals:
        assert row.undefined == 0
        assert row.mean_width > 0


@pytest.mark.parametrize(
    "scene",
    [
        s if s.n * s.labels < 10_000 else pytest.param(s, marks=pytest.mark.exhaustive)
        for s in multilabel.SCENES
    ],
    ids=lambda scene: scene.name,
)
def test_targets_of_several_labels_are_means_of_closed_forms(scene, monkeypatch):
    monkeypatch.setattr(multilabel, "MANY", 200_000)
    monkeypatch.setattr(multilabel, "MOST", 4_000_000)
    truth, d, p = multilabel.population.__wrapped__(scene), scene.separation, scene.shares
    normal = scipy.stats.norm
    z = np.linspace(-9, 11, 20_001)[:, None]
    chance = scipy.special.expit(d * z - d * d / 2 + scipy.special.logit(p))
    loss = p * (1 - chance) ** 2 * normal.pdf(z - d) + (1 - p) * chance**2 * normal.pdf(z)
    at = (scipy.special.logit(multilabel.THRESHOLD) - scipy.special.logit(p) + d * d / 2) / d
    tp, fp = p * normal.sf(at - d), (1 - p) * normal.sf(at)
    right = 1 - (p - tp + fp)
    expected = {
        "roc_auc_macro": normal.cdf(d / math.sqrt(2)),
        "average_precision_macro": np.mean(
            [populations.population(Scene("main", 1, q))["average_precision"] for q in p]
        ),
        "brier_score": np.mean(np.sum(loss, axis=0) * (z[1] - z[0])),
        "f1_macro": np.mean(2 * tp / (tp + fp + p)),
        "f1_micro": 2 * tp.sum() / (tp + fp + p).sum(),
        "subset_accuracy": np.prod(right),
        "hamming_loss": 1 - right.mean(),
    }
    of_unlike = [Scene("main", 1, q, multilabel.UNLIKE) for q in p]
    unlike = [populations.population(one)["average_precision"] for one in of_unlike]
    expected[multilabel.OF_UNLIKE] = expected["average_precision_macro"] - np.mean(unlike)
    assert truth.keys() == expected.keys()
    if scene.are_correlated:  # then more rows are right in all labels
        assert truth["subset_accuracy"] > 2 * expected.pop("subset_accuracy")
    for metric, value in expected.items():
        assert truth[metric] == pytest.approx(value, abs=0.006), metric


@pytest.mark.parametrize(
    "scene",
    [
        s if s.n * s.labels < 50_000 else pytest.param(s, marks=pytest.mark.exhaustive)
        for s in multilabel.SCENES
    ],
    ids=lambda scene: scene.name,
)
def test_models_of_several_labels_are_exchangeable_and_told_apart_by_p(scene):
    out = Measured({}, {}, {})
    multilabel.measure(scene, scene.generator(0), out)
    labels, models = multilabel.draw(scene, scene.generator(0))
    unlike = models.pop("unlike")
    options = {"threshold": multilabel.THRESHOLD, "groups": scene.groups}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = fastmetrics.evaluate(labels, models, **options)
    noted = f"a class has fewer than {multilabel.FEW} rows" in str(found)
    assert noted == (min(labels.sum(axis=0)) < multilabel.FEW)
    for name in multilabel.METRICS:
        pair = found.comparisons[name]["model", "equal"]
        assert (pair.better is not None) == (out.pvalues["equal", name] < 0.05)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        two = {"model": models["model"], "unlike": unlike}
        found = fastmetrics.evaluate(labels, two, groups=scene.groups)
    difference = found.comparisons[multilabel.BIASED]["model", "unlike"].confidence_interval
    assert out.intervals[multilabel.OF_UNLIKE, multilabel.METHOD] == tuple(difference)
    many = replace(scene, n=40 * scene.n, users=40 * scene.users)
    labels, models = multilabel.draw(many, np.random.default_rng(1))
    del models["unlike"]
    for positive in (0, 1):
        chosen = labels[:, 0] == positive
        own, other = (scipy.special.logit(m[chosen, 0]) / scene.separation for m in models.values())
        assert own.mean() == pytest.approx(other.mean(), abs=0.12)
        assert own.std() == pytest.approx(1.0, abs=0.1)
        assert other.std() == pytest.approx(1.0, abs=0.1)
        assert np.corrcoef(own, other)[0, 1] == pytest.approx(scenes.CORRELATION, abs=0.12)
    if many.users:  # a threshold at 30 % of normal numbers that correlate at 0.5
        rows = labels.reshape(many.users, -1, many.labels)[:, :2, 0]
        assert 0.2 < np.corrcoef(rows.T)[0, 1] < 0.5
    elif many.are_correlated:
        assert 0.15 < np.corrcoef(labels[:, :2].T)[0, 1] < 0.5
