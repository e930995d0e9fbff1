"""Data that tell too little: nan or a warning that says so, and never a silent interval."""

import math
import warnings

import numpy as np
import pytest
from bootstrap_samples import binary, quiet_bootstrap

import fastmetrics as fm

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")

METHODS = ["percentile", "basic", "bca"]
B = 400

#: Data, metric, and the estimate: in every replicate the measure has this one value.
ALL_EQUAL = {
    "auc 1": (([0, 0, 1, 1] * 9, [1, 2, 3, 4] * 9), "roc_auc", 1.0),
    "auc 0": (([1, 1, 0, 0] * 9, [1, 2, 3, 4] * 9), "roc_auc", 0.0),
    "all tied": (([1, 0, 0] * 9, [0.5] * 27), "roc_auc", 0.5),
    "all tied, by cells": (([1, 0, 0] * 200, [0.5] * 600), "roc_auc", 0.5),
    "accuracy 1": (([0, 1, 2], [0, 1, 2]), "accuracy", 1.0),
    "accuracy 0": (([0, 1, 0], [1, 0, 1]), "accuracy", 0.0),
    "mean of equal values": (([0.1] * 10,), "mean", 0.1),
    "mean of one value": (([1.5],), "mean", 1.5),
    "no error": (([0.5, 1, 7], [0.5, 1, 7]), "mean_squared_error", 0.0),
    "no root error": (([0.5, 1, 7], [0.5, 1, 7]), "root_mean_squared_error", 0.0),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ALL_EQUAL)
def test_replicates_that_are_all_equal(name, method):
    data, metric, estimate = ALL_EQUAL[name]
    with pytest.warns(fm.DegenerateDataWarning, match=f"{metric!r} is degenerate: all replicates"):
        result = fm.bootstrap(*data, metrics=metric, method=method, n_resamples=B, rng=1)[metric]
    assert result.estimate == pytest.approx(estimate)
    interval = result.confidence_interval
    wanted = estimate if method in ("percentile", "basic") else math.nan
    np.testing.assert_allclose((interval.low, interval.high), (wanted, wanted), rtol=1e-14)


def test_warning_of_auc_1_names_an_analytic_interval():
    with pytest.warns(fm.DegenerateDataWarning, match="newcombe_interval.*proportion_interval"):
        fm.bootstrap([0, 0, 1, 1] * 9, [1, 2, 3, 4] * 9, n_resamples=B, rng=1)


@pytest.mark.parametrize("metric", ["ks_statistic", "break_even_point", "average_precision"])
def test_perfect_scores(metric):
    with pytest.warns(fm.DegenerateDataWarning, match="all replicates are equal"):
        result = fm.bootstrap([0, 1] * 20, [1, 2] * 20, metrics=metric, n_resamples=B, rng=1)
    assert result[metric].estimate == 1.0


def test_two_limits_that_are_one():
    """Replicates differ, but their quantiles are ties."""
    values = np.append(np.zeros(60), 1.0)
    with pytest.warns(fm.DegenerateDataWarning, match="'median' is degenerate: both of its"):
        result = fm.bootstrap(
            np.append(values, -1.0),
            metrics={"median": lambda v: np.median(v) + 0.001 * (v.sum() > 4)},
            n_resamples=B,
            rng=1,
        )
    assert len(set(result["median"].details.distribution.tolist())) > 1


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("data", "metric"),
    [
        (([0, 0, 0, 1], [0, 0, 0, 0]), "precision"),
        (([0, 0, 0, 0], [0, 1, 0, 0]), "recall"),
        (([4.0], [5.0]), "r2"),
    ],
)
def test_an_undefined_estimate_is_never_silent(data, metric, method):
    with pytest.warns(fm.UndefinedMetricWarning, match=f"{metric!r} is undefined on these data"):
        result = fm.bootstrap(*data, metrics=metric, method=method, n_resamples=B, rng=1)[metric]
    assert math.isnan(result.estimate)
    assert math.isnan(result.confidence_interval.high)


@pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")
def test_r2_of_constant_targets_is_that_of_its_function():
    with pytest.warns(fm.UndefinedMetricWarning, match="'r2' is undefined in 9 of 9 replicates"):
        result = fm.bootstrap([0.7] * 3, [0.5, 0.6, 0.8], metrics="r2", n_resamples=9)["r2"]
    assert result.estimate == 0.0
    assert math.isnan(result.confidence_interval.low)


def test_a_statistic_that_is_nan():
    labels, scores = binary(20)
    with pytest.warns(fm.UndefinedMetricWarning, match="'nothing' is undefined on these data"):
        fm.bootstrap(labels, scores, metrics={"nothing": lambda y, s: math.nan}, n_resamples=9)


# --- replicates that fail -----------------------------------------------------------------------


def test_replicates_without_the_one_positive():
    """About 1/e of them: left out, counted, and a warning that names the way out."""
    labels, scores = [1] + [0] * 40, np.arange(41)[::-1] % 7 + 0.5
    with pytest.warns(
        fm.UndefinedMetricWarning,
        match=r"'roc_auc' is undefined in [\d,]+ of 2,000 replicates, which are left out.*"
        r"`stratified=True` keeps both",
    ):
        result = fm.bootstrap(labels, scores, n_resamples=2_000, rng=1)["roc_auc"]
    assert abs(result.details.n_failed / 2_000 - (40 / 41) ** 41) < 0.05
    assert np.isnan(result.details.distribution).sum() == result.details.n_failed
    defined = result.details.distribution[~np.isnan(result.details.distribution)]
    assert result.standard_error == pytest.approx(defined.std(ddof=1), rel=1e-12)
    assert result.details.bias == pytest.approx(defined.mean() - result.estimate, abs=1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stratified = fm.bootstrap(labels, scores, n_resamples=2_000, rng=1, stratified=True)
    assert stratified["roc_auc"].details.n_failed == 0


def test_few_failures_are_counted_without_a_warning():
    labels, scores = [1] * 4 + [0] * 26, np.arange(30) % 11 + 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = fm.bootstrap(labels, scores, n_resamples=2_000, rng=1)["roc_auc"]
    assert 0 < result.details.n_failed <= 100
    wanted = (26 / 30) ** 30
    assert abs(result.details.n_failed / 2_000 - wanted) < 4.5 * math.sqrt(wanted / 2_000)


def test_failures_of_count_measures_name_no_strata():
    data = [0, 0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 1, 0, 0, 0]
    with pytest.warns(fm.UndefinedMetricWarning, match="'precision' is undefined in") as caught:
        result = fm.bootstrap(*data, metrics="precision", n_resamples=B, rng=1)["precision"]
    assert "stratified" not in str(caught[0].message)
    assert abs(result.details.n_failed / B - (6 / 8) ** 8) < 0.06


def test_groups_that_hold_a_class_each():
    """Of 27 ways to draw three groups, one has no positive, and 8 have no negative."""
    with pytest.warns(fm.UndefinedMetricWarning, match="'roc_auc' is undefined in"):
        result = fm.bootstrap(
            [0, 0, 1, 1, 1], [0.1, 0.5, 0.4, 0.9, 0.2], groups=[1, 1, 2, 2, 3], n_resamples=B, rng=1
        )["roc_auc"]
    assert abs(result.details.n_failed / B - (1 + 8) / 27) < 0.1


def test_r2_of_replicates_of_one_row_is_undefined():
    """Their targets have no variance; rounding must not make one."""
    values = [0.1, 0.7, 0.3]
    result = quiet_bootstrap(values, [0.2, 0.5, 0.3], metrics="r2", n_resamples=B)["r2"]
    assert 0.05 < result.details.n_failed / B < 0.2
    assert np.nanmin(result.details.distribution) > -10


def test_infinite_values_have_no_standard_error():
    def odds(labels, scores):
        return math.inf if labels.all() else labels.mean() / (1 - labels.mean())

    result = quiet_bootstrap([1, 1, 1, 0], [1, 2, 3, 4], metrics=odds, n_resamples=B)["odds"]
    assert abs(np.isinf(result.details.distribution).mean() - 0.75**4) < 0.1
    assert result.details.n_failed == 0
    assert result.confidence_interval.high == math.inf
    assert result.confidence_interval.low == pytest.approx(1 / 3)
    assert math.isnan(result.standard_error)
    assert math.isnan(result.details.bias)


# --- odd data that are right --------------------------------------------------------------------


def test_two_rows():
    result = quiet_bootstrap([0, 1], [0.2, 0.7], n_resamples=B)["roc_auc"]
    assert result.estimate == 1.0
    assert 0.4 < result.details.n_failed / B < 0.6
    both = quiet_bootstrap([0, 1], [0.2, 0.7], n_resamples=B, stratified=True)["roc_auc"]
    assert both.details.n_failed == 0
    mean = fm.bootstrap([1.0, 2.0], metrics="mean", n_resamples=B, rng=1)["mean"]
    assert sorted(set(mean.details.distribution.tolist())) == [1.0, 1.5, 2.0]


def test_negative_zero_ties_with_zero():
    labels = [1, 0, 1, 0, 0, 1] * 6
    scores = np.array([0.0, -0.0, -1.0, 0.0, 1.0, -0.0] * 6)
    one, other = (
        quiet_bootstrap(labels, s, metrics=["roc_auc", "ks_statistic"])
        for s in (scores, scores + 0.0)
    )
    for name, result in one.items():
        np.testing.assert_array_equal(result.details.distribution, other[name].details.distribution)
        assert result.estimate == other[name].estimate


@pytest.mark.parametrize("base", [2**63, 2**64 - 64, 2**53])
@pytest.mark.parametrize("options", [{}, {"groups": np.arange(60) // 2}])
def test_large_integer_scores_are_not_rounded(base, options):
    """Neighbours above 2**53 are one float64, but not one score."""
    labels, scores = binary(60, step=1.0)
    ranks = np.unique(scores, return_inverse=True)[1]
    large = (np.uint64(base) + ranks.astype(np.uint64)).astype(np.uint64)
    metrics = ["roc_auc", "average_precision", "ks_statistic"]
    got = quiet_bootstrap(labels, large, metrics=metrics, **options)
    wanted = quiet_bootstrap(labels, ranks, metrics=metrics, **options)
    for name, result in wanted.items():
        np.testing.assert_array_equal(got[name].details.distribution, result.details.distribution)


@pytest.mark.parametrize("threshold", [math.inf, -math.inf, 1e300, 2**70])
def test_thresholds_beyond_all_scores(threshold):
    labels, scores = binary(40)
    positive = labels.mean()
    result = quiet_bootstrap(labels, scores, metrics="accuracy", threshold=threshold)["accuracy"]
    assert result.estimate == pytest.approx(positive if threshold < 0 else 1 - positive)
