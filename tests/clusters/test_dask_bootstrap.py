"""The bootstrap on Dask: the replicates of memory, for any partitions and any ranges."""

from __future__ import annotations

import warnings
from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest
from dask_columns import delayed_columns, problems
from hypothesis import given, settings, strategies as st

import fastmetrics as fm
import fastmetrics.dask as fmd
from fastmetrics.errors import (
    InputError,
    InputTypeError,
    SmallSampleWarning,
    UndefinedMetricWarning,
)


@pytest.fixture(autouse=True, scope="module")
def _synchronous() -> Any:
    with dask.config.set(scheduler="synchronous"):
        yield


def assert_same(found: Any, expected: Any, rounded: Any = (), estimates: float = 0.0) -> None:
    assert list(found) == list(expected)
    for label, one in found.items():
        other, near = expected[label], 1e-12 if label in rounded else 0.0
        columns = one.details.distribution, other.details.distribution
        np.testing.assert_allclose(*columns, rtol=near, err_msg=label)
        np.testing.assert_allclose(one.estimate, other.estimate, rtol=estimates, err_msg=label)
        np.testing.assert_allclose(one.standard_error, other.standard_error, rtol=10 * near)
        assert (one.details.n_failed, one.note, one.details.key) == (
            other.details.n_failed,
            other.note,
            other.details.key,
        )
        assert (one.method, one.weights_are) == (other.method, other.weights_are)
        limits = [list(each.confidence_interval) for each in (one, other)]
        np.testing.assert_allclose(*limits, rtol=1e-9, atol=1e-12)


WINDOW = 4096  # rows whose draws are made together
BOTH = ["roc_auc", "rank_loss"]


@given(problems(), st.sampled_from(["multinomial", "poisson"]), st.sampled_from([None, "basic"]))
@settings(max_examples=5)
def test_small_data(problem: Any, resampling: Any, method: Any) -> None:
    y, s, w, places, size = problem
    if w is not None and not w.any():
        return
    labels, scores, weights = delayed_columns([y, s, w], places)
    more: dict[str, Any] = {
        "metrics": BOTH,
        "n_resamples": 20,
        "rng": 5,
        "resampling": resampling,
        "method": method,
        "weights_are": "importances" if w is None else "frequencies",
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found = fmd.bootstrap(labels, scores, sample_weight=weights, range_scores=size, **more)
        expected = fm.bootstrap(y, s, sample_weight=w, **more)
    assert_same(found, expected)


def sample(n: int, decimals: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(n)
    y = (rng.random(n) < 0.3).astype(int)
    return y, (rng.normal(size=n) + y).round(decimals)


@pytest.mark.parametrize("n", [3 * WINDOW, 3 * WINDOW + 1, 20 * WINDOW + 7])
@pytest.mark.parametrize(
    ("chunks", "range_scores"), [(5_000, 10**6), (10_000, 2_500), (3_000, 9_000)]
)
def test_windows_that_ranges_share(n: int, chunks: int, range_scores: int) -> None:
    y, s = sample(n, 4)
    more: dict[str, Any] = {"metrics": BOTH, "n_resamples": 21, "rng": 3}
    columns = da.from_array(y, chunks), da.from_array(s, chunks)
    assert_same(
        fmd.bootstrap(*columns, range_scores=range_scores, **more), fm.bootstrap(y, s, **more)
    )


#: By label, and those whose replicates are sums of fractions: equal up to rounding.
CURVES: dict[str, Any] = {
    "auc": "roc_auc",
    "gini": "gini_coefficient",
    "ap": "average_precision",
    "ks": "ks_statistic",
    "break-even": "break_even_point",
    "youden": "best_threshold",
    "cut": ("best_threshold", {"of": "threshold"}),
    "errors": ("best_threshold", {"criterion": "fewest-errors"}),
    "f1 at best": ("best_threshold", {"criterion": "fbeta", "of": "precision"}),
    "recall at fpr": ("recall_at_false_positive_rate", {"false_positive_rate": 0.1}),
    "precision at recall": ("precision_at_recall", {"recall": 0.7}),
    "recall at precision": ("recall_at_precision", {"precision": 0.6}),
    "low fpr": ("roc_auc", {"max_fpr": 0.13}),
    "high tpr": ("partial_auc", {"true_positive_rate_range": (0.81, 0.93)}),
    "pr trapezoid": ("pr_auc", {"interpolation": "trapezoid"}),
    "pr": "pr_auc",
}
ROUNDED = ["low fpr", "high tpr", "pr trapezoid", "pr"]


@given(problems(), st.sampled_from(["multinomial", "poisson"]))
@settings(max_examples=4)
def test_curves_of_small_data(problem: Any, resampling: Any) -> None:
    y, s, w, places, size = problem
    weights_of = np.ones(len(y), int) if w is None else w
    if len(set(y[weights_of > 0].tolist())) < 2:
        return
    labels, scores, weights = delayed_columns([y, s, w], places)
    more: dict[str, Any] = {"metrics": CURVES, "n_resamples": 20, "rng": 5, "method": "percentile"}
    more |= {"resampling": resampling}
    more |= {"weights_are": "importances" if w is None else "frequencies"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found = fmd.bootstrap(labels, scores, sample_weight=weights, range_scores=size, **more)
        expected = fm.bootstrap(y, s, sample_weight=w, **more)
    assert_same(found, expected, ROUNDED, estimates=1e-12)


@pytest.mark.parametrize(
    ("decimals", "chunks", "range_scores"), [(9, 5_000, 4_000), (2, 30_000, 40)]
)
def test_curves_over_windows_and_segments_that_ranges_share(
    decimals: int, chunks: int, range_scores: int
) -> None:
    y, s = sample(5 * WINDOW + 700, decimals)
    more: dict[str, Any] = {"metrics": CURVES, "n_resamples": 21, "rng": 3, "method": "percentile"}
    columns = da.from_array(y, chunks), da.from_array(s, chunks)
    found = fmd.bootstrap(*columns, range_scores=range_scores, **more)
    assert_same(found, fm.bootstrap(y, s, **more), ROUNDED, estimates=1e-12)


def test_curves_have_percentiles_by_default() -> None:
    y, s = sample(300, 5)
    columns = delayed_columns([y, s], [40])
    found = fmd.bootstrap(*columns, metrics=["ks_statistic", "roc_auc"], n_resamples=99, rng=1)
    assert [each.method for each in found.values()] == ["percentile", "bca"]
    expected = fm.bootstrap(y, s, metrics=["ks_statistic", "roc_auc"], n_resamples=99, rng=1)
    assert found["ks_statistic"].note == expected["ks_statistic"].note
    with pytest.raises(InputError, match=r"`method='bca'` needs 'ks_statistic'.*percentile"):
        fmd.bootstrap(*columns, metrics="ks_statistic", method="bca")


@given(problems(), st.sampled_from(["multinomial", "poisson"]), st.booleans())
@settings(max_examples=10)
def test_groups_of_small_data(problem: Any, resampling: Any, is_text: bool) -> None:
    y, s, _, places, size = problem
    g = (np.arange(len(y)) * 7) % max(len(y) // 3, 2)
    g = np.array([f"u{each}" for each in g]) if is_text else g
    if len(set(y.tolist())) < 2 or len(set(g.tolist())) < 2:
        return
    labels, scores, groups = delayed_columns([y, s, g], places)
    more: dict[str, Any] = {"metrics": CURVES, "n_resamples": 20, "rng": 5}
    more |= {"resampling": resampling}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found = fmd.bootstrap(labels, scores, groups=groups, range_scores=size, **more)
        expected = fm.bootstrap(y, s, groups=g, **more)
    assert_same(found, expected, ROUNDED, estimates=1e-12)


@pytest.mark.parametrize(("decimals", "n_groups"), [(9, 40), (1, 9_000)])
def test_groups_over_many_ranges(decimals: int, n_groups: int) -> None:
    y, s = sample(20_700, decimals)
    g = np.random.default_rng(1).integers(-5, n_groups, len(y))
    more: dict[str, Any] = {"metrics": CURVES, "n_resamples": 21, "rng": 3}
    columns = [da.from_array(each, 6_000) for each in (y, s, g)]
    found = fmd.bootstrap(*columns[:2], groups=columns[2], range_scores=4_000, **more)
    expected = fm.bootstrap(y, s, groups=g, **more)
    assert_same(found, expected, ROUNDED, estimates=1e-12)
    sizes = [each["auc"].details.effective_n_groups for each in (found, expected)]
    assert sizes[0] == sizes[1]


def test_groups_are_judged_as_in_memory() -> None:
    y, s = sample(90, 3)
    labels, scores, groups = delayed_columns([y, s, np.arange(90) % 5], [30, 30, 50])
    with pytest.warns(SmallSampleWarning, match="there are 5 groups"):
        fmd.bootstrap(labels, scores, groups=groups, n_resamples=20, rng=1)
    with pytest.raises(InputError, match="at least two groups: got one"):
        fmd.bootstrap(labels, scores, groups=delayed_columns([0 * y], [30, 30, 50])[0])
    with pytest.raises(InputError, match=r"'bca'` is not defined for 'roc_auc' with groups"):
        fmd.bootstrap(labels, scores, groups=groups, method="bca")
    with pytest.raises(InputError, match="without weights"):
        fmd.bootstrap(labels, scores, groups=groups, sample_weight=groups)
    with pytest.raises(InputError, match="'f1': measures of curves"):
        fmd.bootstrap(labels, scores, groups=groups, metrics="f1", threshold=0.5)
    mixed = [dask.delayed(["a"] * 30), *groups[1:]]
    with pytest.raises(InputTypeError, match="text in some partitions"):
        fmd.bootstrap(labels, scores, groups=mixed)
    short = [dask.delayed([1, 2]), *groups[1:]]
    with pytest.raises(InputError, match=r"`groups`.*in partition 0"):
        fmd.bootstrap(labels, scores, groups=short)


def test_few_distinct_scores_are_resampled_by_cells() -> None:
    y, s = sample(20_000, 0)
    columns = da.from_array(y, 3_000), da.from_array(s, 3_000)
    more: dict[str, Any] = {"n_resamples": 50, "rng": 3}
    assert_same(fmd.bootstrap(*columns, **more), fm.bootstrap(y, s, **more))


def test_measures_of_decisions() -> None:
    y, s = sample(2_000, 3)
    labels, scores, called = delayed_columns([y, s, (s > 0.5).astype(int)], [100, 100, 900])
    more: dict[str, Any] = {"metrics": ["f1", "accuracy"], "n_resamples": 60, "rng": 3}
    expected = fm.bootstrap(y, s, threshold=0.5, **more)
    assert_same(fmd.bootstrap(labels, scores, threshold=0.5, **more), expected)
    assert_same(
        fmd.bootstrap(labels, called, **more), fm.bootstrap(y, (s > 0.5).astype(int), **more)
    )
    with pytest.raises(
        InputError, match=r"^`y_score` holds continuous .*; scores need `threshold`"
    ):
        fmd.bootstrap(labels, scores, **more)


def test_one_class_has_no_interval() -> None:
    columns = delayed_columns([np.ones(9, int), np.arange(9.0)], [4])
    with pytest.warns(UndefinedMetricWarning, match="Only one class"):
        found = fmd.bootstrap(*columns, n_resamples=10, rng=1)["roc_auc"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        curves = fmd.bootstrap(*columns, metrics=CURVES, n_resamples=10, rng=1)
        expected = fm.bootstrap(np.ones(9, int), np.arange(9.0), metrics=CURVES, n_resamples=10)
    for label, one in curves.items():
        if label != "cut":  # of any score
            np.testing.assert_equal(one.estimate, expected[label].estimate, err_msg=label)
        assert np.isnan(one.details.distribution).all()
    assert np.isnan(found.estimate)
    assert np.isnan(found.details.distribution).all()


def test_what_is_not_drawn_in_ranges_says_what_does() -> None:
    y, s = sample(100, 3)
    columns = delayed_columns([y, s, y + 1], [40])
    for other in ("brier_score", "h_measure", "accuracy"):
        with pytest.raises(InputError, match=rf"'{other}': .*score_table"):
            fmd.bootstrap(*columns[:2], metrics=["roc_auc", other])
    with pytest.raises(InputError, match=r"resampling='bayesian'.*fastmetrics\.bootstrap"):
        fmd.bootstrap(*columns[:2], resampling="bayesian")
    with pytest.raises(InputError, match="method='studentized'"):
        fmd.bootstrap(*columns[:2], method="studentized")
    with pytest.raises(InputError, match="must be 'frequencies' here"):
        fmd.bootstrap(*columns[:2], sample_weight=columns[2])
