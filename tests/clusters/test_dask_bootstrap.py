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
from fastmetrics.errors import InputError, UndefinedMetricWarning
from fastmetrics.intervals.bootstrap._draws import WINDOW


@pytest.fixture(autouse=True, scope="module")
def _synchronous() -> Any:
    with dask.config.set(scheduler="synchronous"):
        yield


def assert_same(found: Any, expected: Any) -> None:
    assert list(found) == list(expected)
    for label, one in found.items():
        other = expected[label]
        np.testing.assert_array_equal(one.bootstrap_distribution, other.bootstrap_distribution)
        np.testing.assert_equal(one.estimate, other.estimate)
        np.testing.assert_equal(one.standard_error, other.standard_error)
        assert (one.n_failed, one.note, one.key) == (other.n_failed, other.note, other.key)
        assert (one.method, one.weights_are) == (other.method, other.weights_are)
        limits = [list(each.confidence_interval) for each in (one, other)]
        np.testing.assert_allclose(*limits, rtol=1e-9, atol=1e-12)


BOTH = ["roc_auc", "rank_loss"]


@given(problems(), st.sampled_from(["multinomial", "poisson"]), st.sampled_from([None, "basic"]))
@settings(max_examples=10)
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


def test_one_class_has_no_interval() -> None:
    columns = delayed_columns([np.ones(9, int), np.arange(9.0)], [4])
    with pytest.warns(UndefinedMetricWarning, match="Only one class"):
        found = fmd.bootstrap(*columns, n_resamples=10, rng=1)["roc_auc"]
    assert np.isnan(found.estimate)
    assert np.isnan(found.bootstrap_distribution).all()


def test_what_is_not_drawn_in_ranges_says_what_does() -> None:
    y, s = sample(100, 3)
    columns = delayed_columns([y, s, y + 1], [40])
    with pytest.raises(InputError, match=r"'average_precision'.*score_table"):
        fmd.bootstrap(*columns[:2], metrics=["roc_auc", "average_precision"])
    with pytest.raises(InputError, match=r"resampling='bayesian'.*fastmetrics\.bootstrap"):
        fmd.bootstrap(*columns[:2], resampling="bayesian")
    with pytest.raises(InputError, match="method='studentized'"):
        fmd.bootstrap(*columns[:2], method="studentized")
    with pytest.raises(InputError, match="must be 'frequencies' here"):
        fmd.bootstrap(*columns[:2], sample_weight=columns[2])
