"""``to_metrics``: the numbers of every result by names that trackers take."""

import math
import re

import numpy as np
import pytest

import fastmetrics as fm
from result_examples import EXAMPLES, FEW, MODELS, RESULTS, S, Y

#: What MLflow, Weights & Biases and TensorBoard keep as it is.
VALID = re.compile(r"[\w.-]+(/[\w.-]+)*")
#: Results that are texts, or curves without a number beside their points.
WITHOUT = {
    *("BiasVarianceCurve", "Dominance", "EstimatorCurve", "Finding", "IsotonicFit"),
    "ReliabilityDiagram",
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
