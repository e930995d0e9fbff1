"""Intervals of cross-validated measures stay within the measure's bounds, and cover."""

import functools
import math

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer

import fastmetrics as fm
from fastmetrics.selection.estimates import _interval

X, y = load_iris(return_X_y=True)
X = X - X.mean(axis=0)  # in fewer steps
MODEL = LogisticRegression(max_iter=1000)


@functools.cache
def estimate_of(metric, level=0.99):
    found = fm.selection.evaluate_estimator(
        MODEL, X, y, metrics=metric, rng=0, confidence_level=level
    )
    (estimate,) = found.metrics.values()
    return estimate, repr(found)


def test_wilson_s_interval_is_where_the_test_of_the_mean_ends():
    estimate, said = estimate_of("accuracy")
    t, mean = stats.t.ppf(0.995, 9), estimate.estimate
    assert mean + t * estimate.standard_error > 1.0  # the t interval would leave the bounds
    interval = estimate.confidence_interval
    for limit in (interval.low, interval.high):
        error = estimate.standard_error * math.sqrt(limit * (1 - limit) / (mean * (1 - mean)))
        assert abs(mean - limit) / error == pytest.approx(t, rel=1e-9)
    assert interval.low < mean < interval.high
    assert estimate.interval_method == "wilson"
    assert f"[{interval.low:.4g}, {interval.high:.4g}] by Wilson" in said
    # of n rows and the binomial's error it is the interval of a proportion
    half = stats.norm.ppf(0.975) * math.sqrt(0.95 * 0.05 / 40)
    expected = fm.comparison.proportion_interval(38, 40, method="wilson").confidence_interval
    found = _interval(0.95, half, (0.0, 1.0))[0]
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-9)


def test_what_fits_stays_as_it_is():
    estimate, said = estimate_of("accuracy", 0.5)
    half = stats.t.ppf(0.75, 9) * estimate.standard_error
    interval = estimate.confidence_interval
    assert (interval.low, interval.high) == pytest.approx(
        (estimate.estimate - half, estimate.estimate + half), rel=1e-12
    )
    assert estimate.interval_method == "t"
    assert "Wilson" not in said


def test_mirrors_and_other_bounds():
    """An error is what an accuracy lacks; a Brier score lies in [0, 2]; a scorer is negative."""
    accuracy = estimate_of("accuracy")[0].confidence_interval
    error = estimate_of("error_rate")[0].confidence_interval
    assert (1.0 - error.high, 1.0 - error.low) == pytest.approx((accuracy.low, accuracy.high))
    scored = estimate_of(get_scorer("accuracy"))[0].confidence_interval
    assert (scored.low, scored.high) == (accuracy.low, accuracy.high)
    negated = estimate_of(fm.scorer("error_rate"))[0].confidence_interval
    assert (-negated.high, -negated.low) == pytest.approx((error.low, error.high))
    double, single = _interval(1.9, 0.2, (0.0, 2.0))[0], _interval(0.95, 0.1, (0.0, 1.0))[0]
    assert (double.low / 2, double.high / 2) == pytest.approx((single.low, single.high), rel=1e-12)
    assert estimate_of("log_loss")[0].interval_method == "t"  # it has one bound

    def own(y_true, y_pred):  # whose bounds nobody knows
        return float(np.mean(y_true == y_pred))

    assert estimate_of(own)[0].confidence_interval.high > 1.0


@pytest.mark.parametrize("share", [1e-300, 1e-9, 0.3, 0.999999])
@pytest.mark.parametrize("half", [1e-3, 1.0, 1e300])
def test_the_limits_never_leave_the_bounds(share, half):
    interval, _ = _interval(share, half, (0.0, 1.0))
    assert 0.0 <= interval.low <= share <= interval.high <= 1.0


def test_at_a_bound_there_is_no_width_and_without_a_spread_no_interval():
    assert _interval(1.0, 1e-15, (0.0, 1.0))[0] == fm.results.ConfidenceInterval(1.0, 1.0)
    assert math.isnan(_interval(1.0, math.nan, (0.0, 1.0))[0].high)
    assert math.isnan(_interval(math.nan, math.nan, (0.0, 1.0))[0].low)
