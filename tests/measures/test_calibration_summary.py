"""The summary of calibration: the numbers of the functions that it stands for, in one pass."""

import math

import numpy as np
import pytest

import fastmetrics as fm
from fastmetrics.errors import UndefinedMetricWarning


def sample(rng, n=3_000, decimals=16):
    p = np.round(rng.beta(1, 2, n), decimals)
    return (rng.random(n) < p).astype(int), p


def assert_same(left, right):
    """Assert that two results agree up to rounding, texts and all."""
    for name, value in left.to_dict().items():
        other = right.to_dict()[name]
        if isinstance(value, float | dict):
            value, other = (
                list(each.values()) if isinstance(each, dict) else [each] for each in (value, other)
            )
            np.testing.assert_allclose(value, other, rtol=1e-12, atol=1e-15, err_msg=name)
        else:
            assert value == other, name


@pytest.mark.parametrize("weighting", ["none", "frequencies", "importances"])
@pytest.mark.parametrize("decimals", [2, 16])
def test_the_parts_are_those_of_the_functions(rng, weighting, decimals):
    y, p = sample(rng, decimals=decimals)
    p[:2], y[:2] = (0.0, 1.0), (0, 1)
    w = rng.integers(0, 4, 3_000)
    w[:2] = 1
    given = {
        "none": {},
        "frequencies": {"sample_weight": w, "weights_are": "frequencies"},
        "importances": {"sample_weight": w / 3},
    }[weighting]
    of_weights = {key: value for key, value in given.items() if key == "sample_weight"}
    training = None if weighting == "importances" else True
    found = fm.calibration.calibration_summary(y, p, on_training_data=training, n_groups=7, **given)
    for score in ("brier_score", "log_loss"):
        assert_same(
            getattr(found, score),
            fm.calibration.score_decomposition(y, p, loss=score, **of_weights),
        )
    assert_same(found.logistic, fm.calibration.logistic_calibration(y, p, **given))
    assert_same(found.spiegelhalter, fm.calibration.spiegelhalter_test(y, p, **given))
    if training is None:
        assert found.hosmer_lemeshow is None
    else:
        right = fm.calibration.hosmer_lemeshow_test(
            y, p, on_training_data=True, n_groups=7, **given
        )
        assert found.hosmer_lemeshow == right
    weights = given.get("sample_weight", np.ones(3_000))
    assert found.n_samples == pytest.approx(weights.sum())
    assert found.prevalence == pytest.approx(np.average(y, weights=weights))
    assert found.mean_probability == pytest.approx(np.average(p, weights=weights))


def test_float32_and_labels_as_probabilities(rng):
    y, p = sample(rng, 500)
    p = p.astype(np.float32)
    p[0], y[0] = 0, 1  # cut at the epsilon of float32
    with pytest.warns(UndefinedMetricWarning, match="exactly 0"):
        found = fm.calibration.calibration_summary(y, p)
    assert found.log_loss.loss == pytest.approx(fm.log_loss(y, p), rel=1e-13)
    with pytest.warns(UndefinedMetricWarning):
        found = fm.calibration.calibration_summary([0, 1, 1], [0, 1, 0])
    assert found.brier_score.loss == pytest.approx(1 / 3)
    assert math.isnan(found.spiegelhalter.statistic)


def test_it_prints_as_a_table(rng):
    y, p = sample(rng, 1_000)
    found = fm.calibration.calibration_summary(y, p, on_training_data=True, confidence_level=0.9)
    lines = str(found).splitlines()
    assert lines[0].startswith("Calibration of 1,000 rows: ")
    firsts = [line.split()[0] for line in lines[1:] if line and not line.startswith("─")]
    assert firsts == [
        *("parameter", "slope", "intercept", "in"),
        *("metric", "brier_score", "log_loss", "method", "Spiegelhalter's", "Hosmer-Lemeshow,"),
    ]
    assert "[90 % interval]" in lines[2]
    assert lines[-1].split()[-2] == "8"
    frame = found.to_frame("polars")
    assert frame["estimate"][0] == found.logistic.slope
    assert (frame["low"][2], frame["high"][2]) == tuple(found.logistic.in_the_large_interval)


def test_it_says_what_was_counted(rng):
    y, p = sample(rng, 300)
    of = fm.calibration.calibration_summary
    assert str(of(y, p, sample_weight=np.full(300, 0.5))).startswith("Calibration of weight 150: ")
    counts = {"sample_weight": np.full(300, 2), "weights_are": "frequencies"}
    assert str(of(y, p, **counts)).startswith("Calibration of 600 rows: ")
    with pytest.warns(UndefinedMetricWarning):
        assert str(of([1], [0.5])).startswith("Calibration of 1 row: ")


def test_weights_whose_sum_is_beyond_floats(rng):
    y, p = sample(rng, 300)
    w = rng.uniform(0.5, 1, 300)
    found, right = (
        fm.calibration.calibration_summary(y, p, sample_weight=w * unit) for unit in (1e308, 1)
    )
    assert found.n_samples == math.inf
    assert found.brier_score.loss == pytest.approx(right.brier_score.loss)
    assert found.logistic.slope_interval == pytest.approx(right.logistic.slope_interval)
    for make in (fm.calibration.isotonic_fit, fm.calibration.reliability_diagram):
        assert np.isinf(make(y, p, sample_weight=w * 1e308).weights).any()


def test_few_rows_of_a_class_are_said(rng):
    y, p = sample(rng, 300)
    w = np.where(y == 1, 1.0, 0.5)
    w[(y == 1).nonzero()[0][20:]] = 0
    for function in (fm.calibration.calibration_summary, fm.calibration.logistic_calibration):
        with pytest.warns(fm.SmallSampleWarning, match="the weights leave positive rows worth 20 "):
            function(y, p, sample_weight=w)


def test_faults():
    y, p = [0, 1, 0, 1], [0.2, 0.3, 0.6, 0.7]
    with pytest.raises(ValueError, match="needs counts: got importances"):
        fm.calibration.calibration_summary(y, p, on_training_data=True, sample_weight=[1, 2, 1, 1])
    with pytest.raises(ValueError, match="`n_groups` must be"):
        fm.calibration.calibration_summary(y, p, n_groups=1)
    table = fm.ScoreTable.from_scores(y, p, sample_weight=[0.5, 1, 1, 1])
    with pytest.raises(TypeError, match="does not tell their squares"):
        fm.calibration.calibration_summary(table)
