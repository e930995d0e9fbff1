"""`evaluate` of several models with a bootstrap: paired replicates, differences, own intervals."""

from __future__ import annotations

import numpy as np
import pytest
from evaluation_cases import FIELDS, RESAMPLED, TABLE, same
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

from fastmetrics import compare, evaluate, paired_bootstrap


@pytest.mark.parametrize("plan", [{}, {"stratified": True}, {"groups": True}, {"weights": True}])
def test_several_models_have_paired_replicates_and_differences(models, plan):
    y, scores, groups = models
    given = {}
    if "groups" in plan:
        given["groups"] = groups
    if "weights" in plan:
        given["sample_weight"] = np.random.default_rng(0).random(len(y)) + 0.5
    if "stratified" in plan:
        given["stratified"] = True
    result = evaluate(y, scores, n_resamples=199, rng=3, **given)
    expected = dict(paired_bootstrap(y, scores, metrics=TABLE, n_resamples=199, rng=3, **given))
    rows = {name: value for name, value in given.items() if name != "stratified"}
    expected |= compare(y, scores, metrics="ks_statistic", **rows)
    for name in scores:
        for metric in TABLE:
            own = result[name].bootstrap[metric]
            if metric in RESAMPLED[:2]:  # what jumps from score to score has percentile's
                assert (own.method == "bca") is not ("groups" in plan or "weights" in plan)
            assert same(own, expected[metric].models["abc".index(name)])
            assert own.estimate == pytest.approx(
                getattr(result[name], FIELDS.get(metric, metric)), rel=1e-14
            )
    assert list(result.comparisons) == list(TABLE)
    for metric, pairs in expected.items():
        for pair, found in zip(pairs, result.comparisons[metric], strict=True):
            assert (found.a, found.b) == (pair.a, pair.b)
            assert found.pvalue_holm == pair.pvalue_holm
            assert found.confidence_interval == pair.confidence_interval
            if metric in RESAMPLED:
                assert np.array_equal(found.details.distribution, pair.details.distribution)
            two = (result[found.a], result[found.b])
            own = [getattr(model, FIELDS.get(metric, metric)) for model in two]
            assert found.difference == pytest.approx(own[0] - own[1], abs=1e-14)


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_several_models_by_one_method(models, method):
    y, scores, _ = models
    options = {"n_resamples": 99, "rng": 3, "method": method}
    result = evaluate(y, scores, metrics=["roc_auc", "rank_loss"], **options)
    expected = paired_bootstrap(y, scores, metrics=["roc_auc", "rank_loss"], **options)
    for name in scores:
        for metric in ("roc_auc", "rank_loss"):
            assert same(result[name].bootstrap[metric], expected[metric].models["abc".index(name)])
            assert result[name].bootstrap[metric].method == method
    settings = result.bootstrap
    assert settings.method == method
    assert {one.method for one in result.comparisons.values()} == {f"{method} bootstrap"}


@pytest.mark.parametrize("stratified", [False, True])
def test_own_intervals_of_several_models_are_nearly_bca_by_its_definition(models, stratified):
    y, scores, _ = models
    result = evaluate(y, scores, n_resamples=499, rng=3, metrics="roc_auc", stratified=stratified)
    assert result.bootstrap.method is None
    assert result.comparisons["roc_auc"].method == "basic bootstrap"
    for name, score in scores.items():
        found = result[name].bootstrap["roc_auc"]
        kept = ~np.eye(len(y), dtype=bool)
        without = np.array([roc_auc_score(y[rows], score[rows]) for rows in kept])
        squares = cubes = 0.0
        for stratum in (y == 1, y == 0) if stratified else (y >= 0,):
            n = stratum.sum()
            influence = (n - 1) / n * (without[stratum].mean() - without[stratum])
            squares += np.sum(influence**2)
            cubes += np.sum(influence**3)
        a = cubes / (6 * squares**1.5)
        replicates = found.details.distribution
        ties = np.mean(replicates == found.estimate)
        bias = norm.ppf(np.mean(replicates < found.estimate) + ties / 2)
        levels = [
            norm.cdf(bias + (bias + z) / (1 - a * (bias + z))) for z in norm.ppf([0.025, 0.975])
        ]
        assert list(found.confidence_interval.to_dict().values()) == pytest.approx(
            np.quantile(replicates, levels), rel=1e-3
        )


def test_no_finite_correction_leaves_the_percentile_interval(models):
    y, scores, _ = models
    best = np.where(np.arange(len(y)) == np.flatnonzero(y == 0)[0], 2.0, y * 1.0)
    options = {
        "n_resamples": 199,
        "rng": 1,
        "metrics": ("recall_at_false_positive_rate", {"false_positive_rate": 0.01}),
    }
    result = evaluate(y, {"best": best, "b": scores["b"]}, **options)
    own = result["best"].bootstrap["recall_at_false_positive_rate"]
    alone = evaluate(y, best, **options)["score"].bootstrap["recall_at_false_positive_rate"]
    assert own.method == alone.method == "percentile"
    assert own.confidence_interval.low < own.confidence_interval.high


def test_what_several_models_cannot_have(models):
    y, scores, groups = models
    with pytest.raises(ValueError, match="not defined for differences of groups"):
        evaluate(y, scores, n_resamples=9, metrics="roc_auc", method="bca", groups=groups)
