"""Calibration slope and intercepts: by hand, by statsmodels, weights, limits, what is undefined."""

import math

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import norm

import engine_sizes
import fastmetrics as fm
from fastmetrics.errors import UndefinedMetricWarning

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")
VALUES = ("slope", "intercept", "in_the_large")
NUMBERS = (*VALUES, *(f"{name}_standard_error" for name in VALUES))


def sample(rng, n, slope=0.8, intercept=0.3, decimals=16):
    p = np.round(expit(rng.normal(-1, 1.5, n)), decimals).clip(1e-9, 1 - 1e-9)
    return (rng.random(n) < expit(intercept + slope * logit(p))).astype(int), p


def numbers(fit):
    return [getattr(fit, name) for name in NUMBERS]


def by_statsmodels(y, p, weights=None, **options):
    """Return the estimates and their errors by two generalized linear models."""
    import statsmodels.api as sm

    family = sm.families.Binomial()
    x = logit(p)
    given = options or {"freq_weights": weights}
    how = {"cov_type": "HC0"} if options else {}
    line = sm.GLM(y, sm.add_constant(x), family=family, **given).fit(tol=1e-14, **how)
    large = sm.GLM(y, np.ones(len(y)), offset=x, family=family, **given).fit(tol=1e-14, **how)
    values = [line.params[1], line.params[0], large.params[0]]
    return [*values, line.bse[1], line.bse[0], large.bse[0]]


@pytest.mark.parametrize("n", [60, 3_000, 40_000])
@pytest.mark.parametrize("weighting", ["none", "frequencies", "importances"])
def test_agrees_with_statsmodels(rng, n, weighting):
    y, p = sample(rng, n)
    if weighting == "none":
        fit = fm.calibration.logistic_calibration(y, p)
        right = by_statsmodels(y, p)
    elif weighting == "frequencies":
        w = rng.integers(0, 4, n)
        fit = fm.calibration.logistic_calibration(y, p, sample_weight=w, weights_are="frequencies")
        right = by_statsmodels(y, p, w)
    else:
        w = rng.random(n) * 3
        fit = fm.calibration.logistic_calibration(y, p, sample_weight=w)
        right = by_statsmodels(y, p, var_weights=w)
    np.testing.assert_allclose(numbers(fit), right, rtol=1e-6, atol=1e-9)
    for name in VALUES:
        low, high = getattr(fit, f"{name}_interval")
        half = norm.ppf(0.975) * getattr(fit, f"{name}_standard_error")
        assert (low, high) == pytest.approx((getattr(fit, name) - half, getattr(fit, name) + half))


def test_the_maximum_is_where_the_gradient_is_zero(rng):
    y, p = sample(rng, 100_000, slope=0.3, intercept=-2)
    fit = fm.calibration.logistic_calibration(y, p)
    x = logit(p)
    residuals = y - expit(fit.intercept + fit.slope * x)
    assert abs(residuals.sum()) < 1e-6
    assert abs((residuals * x).sum()) < 1e-6
    assert abs((y - expit(fit.in_the_large + x)).sum()) < 1e-6


def test_bad_starts_are_no_trouble():
    y = np.array([0, 1] * 50)
    p = np.where(y == 1, 1e-9, 1 - 1e-9)
    p[:4] = 0.5, 0.5, 1e-9, 1 - 1e-9
    fit = fm.calibration.logistic_calibration(y, p)
    assert fit.slope < 0
    np.testing.assert_allclose(numbers(fit)[:2], by_statsmodels(y, p)[:2], rtol=1e-5, atol=1e-6)
    assert fit.in_the_large == pytest.approx(0, abs=1e-6)


def test_a_table_of_counts_is_enough_and_one_of_weights_has_no_errors(rng):
    y, p = sample(rng, 500, decimals=3)
    table = fm.ScoreTable.from_scores(y, p)
    assert fm.calibration.logistic_calibration(table) == fm.calibration.logistic_calibration(y, p)
    w = rng.random(500)
    fit = fm.calibration.logistic_calibration(fm.ScoreTable.from_scores(y, p, sample_weight=w))
    assert fit.slope == fm.calibration.logistic_calibration(y, p, sample_weight=w).slope
    assert math.isnan(fit.slope_standard_error)
    assert math.isnan(fit.in_the_large_interval.low)


def test_right_certainties_are_left_out_and_counted(rng):
    y, p = sample(rng, 200)
    fit = fm.calibration.logistic_calibration(y, p)
    more = fm.calibration.logistic_calibration([*y, 0, 0, 1], [*p, 0.0, 0.0, 1.0])
    assert numbers(more) == numbers(fit)
    assert (fit.n_certain, more.n_certain) == (0, 3)
    with_weights = fm.calibration.logistic_calibration(
        [*y, 0, 0, 1], [*p, 0, 0, 1], sample_weight=[*np.ones(200), 100, 50, 200]
    )
    assert with_weights.n_certain == 350


@pytest.mark.parametrize("wrong", [(1, 0.0), (0, 1.0)])
def test_a_wrong_certainty_leaves_nothing_defined(rng, wrong):
    y, p = sample(rng, 50)
    with pytest.warns(UndefinedMetricWarning, match="1 positives have a probability of exactly 0"):
        fit = fm.calibration.logistic_calibration([*y, wrong[0]], [*p, wrong[1]])
    assert np.isnan(numbers(fit)).all()
    assert fit.n_certain == 1


def test_what_is_not_defined():
    with pytest.warns(UndefinedMetricWarning, match="no negative example"):
        fit = fm.calibration.logistic_calibration([1, 1], [0.2, 0.6], pos_label=1)
    assert np.isnan(numbers(fit)).all()
    with pytest.warns(UndefinedMetricWarning, match="inside \\(0, 1\\) belong to one class"):
        fit = fm.calibration.logistic_calibration([0, 0, 1], [0.2, 0.6, 1.0])
    assert np.isnan(numbers(fit)).all()
    with pytest.warns(UndefinedMetricWarning, match="all probabilities are the same"):
        fit = fm.calibration.logistic_calibration([0, 0, 1], [0.2, 0.2, 0.2])
    assert math.isnan(fit.slope)
    assert fit.in_the_large == pytest.approx(logit(1 / 3) - logit(0.2))
    assert fit.in_the_large_standard_error == pytest.approx(math.sqrt(1.5))
    for labels in ([0, 1, 1], [1, 0, 0]):
        with pytest.warns(UndefinedMetricWarning, match="separate the classes"):
            fit = fm.calibration.logistic_calibration(labels, [0.2, 0.2, 0.7])
        assert math.isnan(fit.slope)
        assert math.isfinite(fit.in_the_large)


@pytest.mark.parametrize("slope", [0.1, 1.0, 30.0])
def test_runs_are_as_good_as_rows(rng, monkeypatch, slope):
    p = expit(rng.normal(0, 1 / slope, 20_000))
    y = (rng.random(20_000) < expit(slope * logit(p) + 0.3)).astype(int)
    fit = fm.calibration.logistic_calibration(y, p)
    engine_sizes.put(monkeypatch, logit_width=1e-300)  # each row is a run
    right = fm.calibration.logistic_calibration(y, p)
    np.testing.assert_allclose(numbers(fit), numbers(right), rtol=1e-11)
