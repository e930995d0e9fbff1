"""Regression input that has no meaning, and measures that have no value: never in silence."""

import math

import numpy as np
import pytest

import fastmetrics as fm
from measure_names import REGRESSION as MEASURES


def measure(name):
    return getattr(fm, name)


def test_objects_are_converted_with_a_warning():
    with pytest.warns(fm.DataConversionWarning, match="`y_true` has dtype object: converted to"):
        assert fm.mean_squared_error(np.array([1, 2.5], object), [1, 2]) == 0.125


@pytest.mark.parametrize("name", [name for name in MEASURES if MEASURES[name].one_output])
def test_measures_of_one_output(name):
    with pytest.raises(ValueError, match=f"{name} is a measure of one output: `y_true` has 2"):
        measure(name)([[1, 2], [3, 4]], [[1, 2], [3, 5]])


@pytest.mark.parametrize("name", ["r2_score", "explained_variance_score"])
def test_constant_targets(name):
    score = measure(name)
    for value in (0.1, 1e9 + 0.1, -3.3e-8):
        y = np.full(2000, value)
        assert score(y, y) == 1.0
        assert score(y, y + np.arange(2000)) == 0.0
        with pytest.warns(fm.UndefinedMetricWarning, match=f"{name} is not defined for constant"):
            assert math.isnan(score(y, y, force_finite=False))
        with pytest.warns(fm.UndefinedMetricWarning, match="constant targets"):
            assert score(y, y + np.arange(2000), force_finite=False) == -math.inf


@pytest.mark.parametrize("power", [-1, 0, 1, 1.5, 2, 3])
def test_constant_targets_of_deviances(power):
    with pytest.warns(fm.UndefinedMetricWarning, match="d2_tweedie_score is not defined for const"):
        assert math.isnan(fm.d2_tweedie_score([2.0] * 5, [2.0, 1, 2, 3, 4], power=power))


def test_a_mean_that_a_negative_power_cannot_take():
    with pytest.warns(fm.UndefinedMetricWarning, match="power -1 and a mean of `y_true` that is"):
        assert math.isnan(fm.d2_tweedie_score([-2.0, 1.0], [2.0, 1.0], power=-1))


def test_a_mean_that_power_zero_can_take():
    y, p = [-2.0, -1.0, -4.0], [-2.0, -1.5, -3.0]
    assert fm.d2_tweedie_score(y, p, power=0) == fm.r2_score(y, p)


def test_targets_of_zero_alone():
    assert fm.mean_poisson_deviance([0, 0], [1, 3]) == 4.0
    with pytest.warns(fm.UndefinedMetricWarning, match="constant targets"):
        assert math.isnan(fm.d2_tweedie_score([0, 0], [1, 3], power=1))


def test_values_beyond_float64():
    huge = np.array([1e300, -1e300])
    with pytest.warns(fm.UndefinedMetricWarning, match="error exceeds the range of float64"):
        assert fm.mean_squared_error(huge, -huge) == math.inf
    assert fm.root_mean_squared_error(huge, -huge) == 2e300
    assert fm.mean_absolute_error(huge, -huge) == 2e300
    top = 1.7e308 * np.array([1.0, -1.0])
    with pytest.warns(fm.UndefinedMetricWarning, match="mean_absolute_error exceeds the range"):
        assert fm.mean_absolute_error(top, -top) == math.inf
    with pytest.warns(fm.UndefinedMetricWarning, match="median_absolute_error exceeds the range"):
        assert fm.median_absolute_error(top, -top) == math.inf
    assert fm.r2_score(huge, -huge) == -3.0


@pytest.mark.parametrize("n_outputs", [1, 2])
def test_scores_beyond_float64(n_outputs):
    """Only a ratio beyond float64 is warned of; squares on the way to it are scaled."""
    small, huge = (np.tile([[x], [-x]], n_outputs) for x in (1.0, 1e200))
    for name in ("r2_score", "explained_variance_score"):
        for y, p, value in ((huge, huge, 1.0), (huge, small, 0.0)):
            found = measure(name)(y, p, multioutput="raw_values")
            np.testing.assert_array_equal(found, np.full(n_outputs, value))
        with pytest.warns(fm.UndefinedMetricWarning, match=f"{name} exceeds the range") as said:
            found = measure(name)(small, huge, multioutput="raw_values")
        np.testing.assert_array_equal(found, np.full(n_outputs, -math.inf))
        assert len(said) == 1
