"""``to_metrics``: the numbers of every result by names that trackers take."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

import fastmetrics as fm
from result_examples import EXAMPLES, FEW, MODELS, RESULTS, S, Y

#: What MLflow, Weights & Biases and TensorBoard keep as it is.
VALID = re.compile(r"[\w.-]+(/[\w.-]+)*")
#: Results that are texts, or curves without a number beside their points.
WITHOUT = {
    *("BiasVarianceCurve", "Dominance", "Finding", "IsotonicFit", "ReliabilityDiagram"),
}
HALVES = np.arange(len(Y)) // 30


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_has_numbers_by_valid_names(name: str) -> None:
    metrics = EXAMPLES[name]().to_metrics("test/")
    assert bool(metrics) is (name not in WITHOUT)
    for key, value in metrics.items():
        assert VALID.fullmatch(key)
        assert key.startswith("test/")
        assert type(value) is float


def test_of_one_model() -> None:
    result = fm.evaluate(Y, S, cost_fn=3, cost_fp=1, slices={"half": HALVES})
    metrics = result.to_metrics()
    (model,) = result
    low, high = model.confidence_interval
    assert [metrics[f"roc_auc{each}"] for each in ("", "_low", "_high")] == [
        model.roc_auc,
        low,
        high,
    ]
    assert metrics["threshold"] == model.threshold
    assert metrics["cheapest_threshold"] == model.costs.threshold
    one, _ = result.slices.rows
    assert metrics["half_0.roc_auc"] == one.estimate
    assert metrics["half_0.roc_auc_gap"] == one.gap
    assert model.to_metrics()["roc_auc_low"] == low
    assert model.to_metrics()["threshold"] == model.threshold
    assert model.to_metrics()["costs.threshold"] == model.costs.threshold
    assert model.to_metrics()["costs.left_out_cost_low"] == model.costs.confidence_interval.low


def test_of_several_models_and_their_differences() -> None:
    result = fm.evaluate(Y, MODELS)
    metrics = result.to_metrics()
    assert metrics["b.average_precision"] == result["b"].average_precision
    (pair,) = result.comparisons["roc_auc"].pairs
    assert metrics["a_less_b.roc_auc"] == pair.estimate
    assert metrics["a_less_b.roc_auc_low"] == pair.confidence_interval.low
    assert metrics["a_less_b.roc_auc_pvalue"] == pair.pvalue
    assert not [key for key in metrics if key.endswith("is_bound")]
    compared = result.comparisons.to_metrics()
    assert compared["a_less_b.roc_auc"] == pair.estimate
    assert fm.report(Y, MODELS, band=None).to_metrics() == metrics


def test_of_a_gate() -> None:
    gate = EXAMPLES["Gate"]()
    metrics = gate.to_metrics("gate.")
    for rule in gate:
        name = f"gate.candidate_less_baseline.{rule.metric}"
        assert metrics[name] == rule.estimate
        assert metrics[f"{name}_high"] == rule.confidence_interval.high
        assert metrics[f"{name}_margin"] == rule.margin
        assert rule.to_metrics("gate.")[name] == rule.estimate


def test_undefined_numbers_stay() -> None:
    with pytest.warns(fm.UndefinedMetricWarning):
        metrics = fm.evaluate(np.ones(8, int), S[:8]).to_metrics()
    assert math.isnan(metrics["roc_auc"])
    assert math.isnan(metrics["roc_auc_low"])


def test_numbers_of_tests_and_single_numbers() -> None:
    test = EXAMPLES["ComparisonTest"]()
    assert test.to_metrics()["effect_size_low"] == test.confidence_interval.low
    assert EXAMPLES["CostCurve"]().to_metrics()["expected_total_cost"] > 0
    drawn = fm.bootstrap(Y, S, **FEW)["roc_auc"].to_metrics()
    assert drawn["roc_auc"] == fm.roc_auc_score(Y, S)


def test_chances_of_several_tries_have_names_of_their_own() -> None:
    item = np.arange(60) // 2
    right = np.tile([0, 1, 1, 1, 1, 0, 0, 0], 8)[:60]
    result = fm.evaluate_log(item, right, repeat=np.arange(60) % 2, pass_at=2, pass_hat=2)
    metrics = result.to_metrics()
    (model,) = result
    assert metrics["pass_2"] == model["pass@2"].estimate
    assert metrics["pass_hat_2"] == model["pass^2"].estimate != metrics["pass_2"]


def test_all_tables_of_a_result_count() -> None:
    nested = EXAMPLES["NestedCrossValidation"]()
    metrics = nested.to_metrics()
    interval = nested.of_fitted_models.confidence_interval
    limits = metrics["error_rate_low"], metrics["error_rate_high"]
    assert limits == (interval.low, interval.high)
    assert metrics["error_rate"] == nested.estimate
    bootstrap632 = EXAMPLES["MetricEstimate"]()
    metrics = bootstrap632.to_metrics()
    assert metrics["bootstrap.err632_plus"] == bootstrap632.bootstrap.err632_plus
    assert metrics["estimate"] == bootstrap632.estimate


def test_limits_are_called_by_the_number() -> None:
    fit = EXAMPLES["LogisticCalibration"]()
    metrics = fit.to_metrics()
    assert metrics["slope_low"] == fit.slope_interval.low
    assert metrics["slope_high"] == fit.slope_interval.high


@pytest.mark.parametrize("parameter", ["method", "metric", "model", "C"])
def test_names_of_tuned_parameters_do_not_matter(parameter: str) -> None:
    result = EXAMPLES["TuningResult"]()
    settings = tuple({parameter: f"{k}"} for k in range(len(result.settings)))
    other = replace(result, setting=settings[result.index], settings=settings)
    assert next(iter(other.table[0])) == parameter
    assert other.to_metrics() == result.to_metrics()


def test_integers_that_no_float_holds_are_rounded() -> None:
    metrics = fm.results.Bracket(2**53 + 1, 2**60).to_metrics()
    assert metrics == {"low": 2.0**53, "high": 2.0**60}


@pytest.mark.parametrize("prefix", ["a=", "a:b", 3, None])
def test_prefixes_are_checked(prefix: object) -> None:
    with pytest.raises(fm.InputError, match="`prefix` must be of letters"):
        EXAMPLES["Bracket"]().to_metrics(prefix)


def test_names_that_would_fall_together() -> None:
    scores = {"a b": MODELS["a"], "a=b": MODELS["b"]}
    with pytest.raises(fm.InputError, match=r"two numbers would be called 'a_b\.n?"):
        fm.evaluate(Y, scores).to_metrics()
    other = {"meta/a b": MODELS["a"], "b": MODELS["b"]}
    assert "meta_a_b.roc_auc" in fm.evaluate(Y, other).to_metrics()
